// What type_lookup.c remembers of names that a class has not got.
#ifndef DUET_INTERP_OBJECTS_CLASSES_TYPE_LOOKUP_H
#define DUET_INTERP_OBJECTS_CLASSES_TYPE_LOOKUP_H

#include "base/object.h"

// Of Str.head.flags, beside STR_INTERNED: an answer "not there" was kept for
// this very Str, so that its end makes all answers stale: its address may come
// to mean another name.
enum { STR_MISSED = 128 };
// Likewise: a class attribute of this name, plain data, was set anew, as
// counters are. Answers for it are kept no more, so that the next time nothing
// else is forgotten. No Str has a __del__ that could have run; the collector's
// own bits would make it look for links in front of the Str.
enum { STR_RENEWED = OBJECT_FINALIZED };

#endif
