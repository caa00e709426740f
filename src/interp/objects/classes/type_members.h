// The tables of the type of classes (obj_type.c), ended by empty rows.
#ifndef DUET_INTERP_OBJECTS_CLASSES_TYPE_MEMBERS_H
#define DUET_INTERP_OBJECTS_CLASSES_TYPE_MEMBERS_H

#include "interp/core/type.h"

extern const NativeDef type_methods[];
extern const NativeDef type_class_methods[];
extern const MemberDef type_members[];

#endif
