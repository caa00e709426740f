// Bytes of programs: what they spell is told by a byte order mark or by the
// comment "coding: NAME" in one of the first two lines (PEP 263), and is UTF-8
// otherwise.
#ifndef DUET_INTERP_MACHINE_COMPILE_SOURCE_BYTES_H
#define DUET_INTERP_MACHINE_COMPILE_SOURCE_BYTES_H

#include "interp/core/vm.h"

// The text as a str, owned, without its byte order mark. `name` is the file's
// in errors; these are worded in two ways, for what is read from a file
// (SOURCE_FILE) and for what is there whole. SOURCE_TYPED was a str, whose
// coding comments mean nothing. VALUE_FAIL: a SyntaxError.
Value source_decode(Vm *vm, const char *name, SourceOrigin origin,
                    const char *bytes, size_t length);
// The same as a Source of this origin, owned; NULL: an error is pending.
MUST_CHECK Source *source_of_bytes(Vm *vm, const char *name,
                                   SourceOrigin origin, const char *bytes,
                                   size_t length);

#endif
