// Interned names that C code needs: vm->names[NAME_INIT] is "__init__".
#ifndef DUET_INTERP_CORE_NAME_H
#define DUET_INTERP_CORE_NAME_H

// The names of name_list.h; the Vm holds them from its start to its end, so
// that C code compares and looks up by address.
typedef enum NameId {
#define NAME(id, text) NAME_##id,
#include "interp/core/name_list.h"
#undef NAME
    NAME_COUNT
} NameId;

#endif
