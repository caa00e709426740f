// The reader of the module json, shared by json_read.c (values) and
// json_string.c (strings). Borrows everything but the keys.
//
// Invariant: every function that reads leaves `at` behind what it read, or
// fails with an error pending. Hooks run code of the program, but the text is
// held by the caller's arguments and cannot change.
#ifndef DUET_MODULES_NATIVE_JSON_READER_H
#define DUET_MODULES_NATIVE_JSON_READER_H

#include "interp/objects/text/obj_str.h"

enum { JSON_KEY_SLOTS = 64 }; // remembered keys; a power of two

// What scan() was given, borrowed from its arguments, and how far it is.
typedef struct JsonReader {
    Vm *vm;
    Str *text;                 // the whole text, for errors
    const char *begin;         // its first byte
    const char *at;            // the next byte to read
    const char *end;           // behind its last byte
    bool strict;               // control characters in strings are errors
    Value object_hook;         // None: objects are dicts
    Value pairs_hook;          // None: the same; goes before object_hook
    Value parse_float;         // None: float
    Value parse_int;           // None: int
    Value parse_constant;      // None: the floats that they name
    Value error_class;         // JSONDecodeError
    uint32_t depth;            // of json_enter
    Str *keys[JSON_KEY_SLOTS]; // owned; equal keys of one text are one Str
} JsonReader;

// Raises error_class(message, text, index); gives VALUE_FAIL.
Value json_fault_at(JsonReader *r, const char *message, int64_t index);
// The same for a place in the text.
Value json_fault(JsonReader *r, const char *message, const char *place);
// The string whose opening quote is at hand; keys are remembered. NULL: failed.
Str *json_read_string(JsonReader *r, bool is_key);

#endif
