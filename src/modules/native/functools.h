// What the files of the native half of functools share: its type.
//
// lib/python/functools.duet derives the classes that programs see, so that
// their instances take attributes (__wrapped__, __name__), and writes what is
// rare.
#ifndef DUET_MODULES_NATIVE_FUNCTOOLS_H
#define DUET_MODULES_NATIVE_FUNCTOOLS_H

#include "interp/core/type.h"

// lru_cache's wrapper: cacher(function, maxsize, typed) (functools_cache.c).
extern const TypeDef cacher_type_def;

#endif
