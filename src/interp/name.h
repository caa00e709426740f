// Interned names that C code needs: vm->names[NAME_INIT] is "__init__".
#ifndef DUET_INTERP_NAME_H
#define DUET_INTERP_NAME_H

typedef enum NameId {
#define NAME(id, text) NAME_##id,
#include "interp/name_list.h"
#undef NAME
    NAME_COUNT
} NameId;

#endif
