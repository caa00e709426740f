// Which methods of built-in types are slot wrappers.
#include <string.h>

#include "interp/objects/errors/native_words.h"

// Special methods that are ordinary methods of C in CPython, with the types
// where they are if others have a slot for them.
// Whoever gives a type a new dunder method looks here first: one that is
// missing is taken for a slot, and its class is that of one.
static const struct {
    const char *name;
    const char *owners[3];
} ordinary[] = {
    {"__getitem__", {"list", "dict"}},
    {"__contains__", {"dict", "set", "frozenset"}},
    {"__format__", {NULL}},
    {"__sizeof__", {NULL}},
    {"__reduce__", {NULL}},
    {"__reduce_ex__", {NULL}},
    {"__getstate__", {NULL}},
    {"__setstate__", {NULL}},
    {"__getnewargs__", {NULL}},
    {"__dir__", {NULL}},
    {"__reversed__", {NULL}},
    {"__round__", {NULL}},
    {"__trunc__", {NULL}},
    {"__floor__", {NULL}},
    {"__ceil__", {NULL}},
    {"__length_hint__", {NULL}},
    {"__enter__", {NULL}},
    {"__exit__", {NULL}},
    {"__copy__", {NULL}},
    {"__deepcopy__", {NULL}},
    {"__getformat__", {NULL}},
    {"__instancecheck__", {NULL}},
    {"__subclasscheck__", {NULL}},
    {"__subclasses__", {NULL}},
    {"__prepare__", {NULL}},
    {"__bytes__", {NULL}},
    {"__class_getitem__", {NULL}},
    {"__init_subclass__", {NULL}},
    {"__subclasshook__", {NULL}},
    {"__set_name__", {NULL}},
    {"__missing__", {NULL}},
    {"__new__", {NULL}},
};

// Such a method is a wrapper of a slot in CPython, and shows as one.
// A row with owners holds for those types only: list and dict have a
// __getitem__ of their own beside the slot, for speed, while str and tuple have
// the slot alone.
bool native_is_slot(const Native *native)
{
    const char *name = native->def->name;
    const char *owned =
        native->owner != NULL ? type_name(native->owner) : native->place;
    if (native_self_count(native) == 0 || name[0] != '_' || name[1] != '_' ||
        name[strlen(name) - 1] != '_') {
        return false;
    }
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) {
        // The third letter tells most of them apart without a call: this is
        // asked for each native when the program starts.
        if (ordinary[i].name[2] != name[2] ||
            strcmp(ordinary[i].name, name) != 0) {
            continue;
        }
        const char *const *owner = ordinary[i].owners;
        bool found = owner[0] == NULL;
        for (int at = 0; at < 3 && owner[at] != NULL; at++) {
            found = found || strcmp(owner[at], owned) == 0;
        }
        return !found;
    }
    return true;
}
