// The ring from which lib/collections derives deque (obj_deque.c).
#ifndef DUET_INTERP_OBJ_DEQUE_H
#define DUET_INTERP_OBJ_DEQUE_H

#include "interp/type.h"

extern const TypeDef deque_type_def;

#endif
