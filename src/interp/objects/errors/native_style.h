// How CPython reads the arguments of a C function: what the parameters of a
// native do not tell. Shared by native_style.c and native_words.c.
#ifndef DUET_INTERP_OBJECTS_ERRORS_NATIVE_STYLE_H
#define DUET_INTERP_OBJECTS_ERRORS_NATIVE_STYLE_H

#include "interp/objects/errors/native_words.h"

// How CPython reads the arguments where the parameters do not tell.
typedef enum NativeStyle {
    STYLE_BY_PARAMS, // the rule
    STYLE_FORMAT,    // by a format, "find() takes at least 1 argument"
    STYLE_UNPACK,    // by unpacking, "sorted expected 1 argument, got 0"
    STYLE_NO_PLACE,  // as the rule, but a missing argument has no "(pos 1)"
    STYLE_UNNAMED,   // its keyword by hand: others are refused without a name
    STYLE_OPEN,      // *args, and a format for keywords, which are counted
    STYLE_MAP        // map() alone
} NativeStyle;

NativeStyle native_style(const Native *native);
// Its type's or module's name, NULL: a built-in function.
const char *native_owner_name(const Native *native);
// Is it a slot whose wrapper unpacks its arguments?
bool native_unpacks_slot(const Native *native);

#endif
