// What type.c remembers of names that a class has not got.
#ifndef DUET_INTERP_LOOKUP_H
#define DUET_INTERP_LOOKUP_H

// Of Str.head.flags, beside STR_INTERNED: an answer "not there" was kept for
// this very Str, so that its end makes all answers stale: its address may come
// to mean another name.
enum { STR_MISSED = 128 };

#endif
