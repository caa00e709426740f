// Why a call traced: what was new about it, and the cure.
#ifndef DUET_STAGER_WHY_H
#define DUET_STAGER_WHY_H

#include "stager/concrete.h"

// The last trace that a staged function made, beside the one before it.
typedef struct Why {
    Concrete *old;   // found or made last before; counted; NULL: none was
    Concrete *made;  // counted; NULL: nothing was traced yet
    uint32_t line;   // of the call, 0: unknown
    Source *source;  // whose line it is, counted; NULL: unknown
    Str *frozen;     // the frozen value that had changed, counted; NULL: that
                     // was not the reason
    size_t dropped;  // the number of the trace for these arguments that
                     // max_traces has dropped; 0: none
    uint32_t staged; // of a first trace: how many functions staged of the same
                     // code were traced, this one included
} Why;

// Leaves it empty.
void why_free(Vm *vm, Why *why);
// A trace for this key is about to be made; `why` is given to why_end.
void why_begin(Vm *vm, StagedFunction *self, const StrBuf *key, Why *why);
// It was made, or was not (NULL).
void why_end(Vm *vm, StagedFunction *self, Why *why, Concrete *made);
// How much the arguments of two traces differ, 0: not at all. Appends a line
// for each difference to `out` (NULL: none), and to `key` (NULL: nobody asks)
// what stays the same when other values differ in the same way. False: an error
// is pending.
MUST_CHECK bool why_compare(Vm *vm, const Concrete *a, const Concrete *b,
                            bool relax, StrBuf *out, StrBuf *key,
                            uint32_t *weight);
// Whether a command of the prompt called, which is no line of the program.
static inline bool why_is_command(const Why *why)
{
    return why->source != NULL && why->source->library;
}
// Appends "argument …", one or more lines without the last end. `key` (may be
// NULL) gets what tells one cause from another.
MUST_CHECK bool why_reason(Vm *vm, const StagedFunction *self, StrBuf *out,
                           StrBuf *key);
// The same behind the place: "by the call at line 3: argument …".
MUST_CHECK bool why_print(Vm *vm, const StagedFunction *self, StrBuf *out,
                          StrBuf *key);
// The method stage.why(f): a text of one or more lines.
Value why_method(Vm *vm, Value *args);
// The method stage.nearest(f): a trace, or None.
Value why_nearest_method(Vm *vm, Value *args);

#endif
