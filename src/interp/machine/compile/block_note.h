// A call of range, zip or enumerate that a converted `for` iterates over and
// that has tensors among its arguments: it is not made, only noted.
//
// The note is a tuple: a mark that no program can have, the function, the
// arguments. An argument may be a note itself.
#ifndef DUET_INTERP_MACHINE_COMPILE_BLOCK_NOTE_H
#define DUET_INTERP_MACHINE_COMPILE_BLOCK_NOTE_H

#include "interp/core/value.h"

// Whether a `for` walks over what range() or enumerate() of a tensor gave.
bool block_is_note(Value v);

#endif
