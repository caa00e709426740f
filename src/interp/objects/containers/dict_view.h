// Views on a dict and the iterators behind them.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_DICT_VIEW_H
#define DUET_INTERP_OBJECTS_CONTAINERS_DICT_VIEW_H

#include "interp/objects/containers/obj_dict.h"

extern const NativeDef dict_class_methods[];

// An OrderedDict, or of a class that derives from it: its views and iterators
// have names and errors of their own.
static inline bool dict_is_ordered(const Dict *dict)
{
    return dict->head.type->flags & TYPE_ORDERED;
}
// part: 'k' keys, 'v' values, 'i' items. Owned.
Value dict_view_new(Vm *vm, Dict *dict, char part);
// `part` as in DictView; it fails where keys came or went meanwhile.
Value dict_iterator(Vm *vm, Dict *dict, char part, bool backwards);

#endif
