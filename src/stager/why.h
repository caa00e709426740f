// Why a call traced: what was new about it, and the cure.
#ifndef DUET_STAGER_WHY_H
#define DUET_STAGER_WHY_H

#include "stager/concrete.h"

// The last trace that a staged function made, beside the one before it.
typedef struct Why {
    Concrete *old;  // found last before; counted; NULL: there was none
    Concrete *made; // counted; NULL: nothing was traced yet
    uint32_t line;  // of the call, 0: unknown
    Source *source; // whose line it is, counted; NULL: unknown
    Str *frozen;    // the frozen value that had changed, counted; NULL: that
                    // was not the reason
} Why;

// The line of the program's that is running, 0: none; *source (borrowed) is
// whose it is. Calls by the library (of a command, of lib/tensorflow) are no
// lines of the program.
uint32_t why_caller(Vm *vm, Source **source);
// Leaves it empty.
void why_free(Vm *vm, Why *why);
// A trace is about to be made; `old` (borrowed, may be NULL) was found last.
MUST_CHECK bool why_begin(Vm *vm, Why *why, Concrete *old);
// It was made.
void why_end(Vm *vm, Why *why, Concrete *made);
// Whether a command of the prompt called, which is no line of the program.
static inline bool why_is_command(const Why *why)
{
    return why->source != NULL && why->source->library;
}
// Appends "by the call at line 3: argument …", one or more lines without the
// last end. `key` (may be NULL) gets what tells one cause from another.
MUST_CHECK bool why_print(Vm *vm, const Why *why, StrBuf *out, StrBuf *key);
// The method stage.why(f): a text of one or more lines.
Value why_method(Vm *vm, Value *args, uint32_t count);

#endif
