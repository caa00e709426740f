// Why a variable has no value behind a block: notes that whoever reads it
// gets as the error.
#ifndef DUET_STAGER_NOTES_H
#define DUET_STAGER_NOTES_H

#include "stager/blocks.h"

// What is told to whoever reads a variable that a block left unbound.

// The value of a variable that a loop sets if it makes a turn, or a side of a
// branch in a `try` if it is taken: whoever reads it first appends an assertion
// that it was.
typedef struct LateValue {
    Value value;  // owned; UNBOUND: there is none
    Value turned; // owned; a symbolic bool
    Frame *frame; // whose local it is
    uint32_t reg;
    const struct StagedBlock *home, *shown; // innermost where the loop stood,
                                            // where it was read last
    bool is_shown;
    bool is_left; // the side of `home` has ended: read by the join alone
} LateValue;

typedef struct BlockNote {
    const Code *code;   // whose variable; alive as long as the trace runs
    const Frame *frame; // in which it ran
    Span block;         // of the block that it is about
    char *name;         // owned, as is the text
    char *text;
    ErrorKind kind;
    LateValue late;
} BlockNote;

// The two sides of `block` left `place` with values that cannot be merged.
// Notes it; for a hidden place (the function's result, an expression's value)
// raises at once. False with an error pending.
MUST_CHECK bool notes_mismatch(Vm *vm, Frame *frame, const StagedBlock *block,
                               const BlockPlace *place, Value first,
                               Value second, ErrorKind kind);
// A block whose sides differ, for a text.
typedef struct BlockSides {
    const Frame *frame; // that runs it
    const StagedBlock *block;
    const char *word; // what a statement begins with that stores the value, as
                      // the program spells it; "": not known
} BlockSides;

// "NAME is X where the condition at line N is true, but Y where it is false;
// CURE".
MUST_CHECK bool notes_text(Vm *vm, const BlockSides *sides, const char *name,
                           ErrorKind kind, Value first, Value second,
                           char *room, size_t size);
// Where a value was made: its node's line, or that of the last statement in the
// text that begins with the word. 0: not known.
uint32_t notes_line(Vm *vm, const Frame *frame, Value v, const char *word,
                    Span text);
// What to do about a variable whose values before a loop and after a turn of it
// cannot be one.
const char *notes_turn_cure(ErrorKind kind, Value before, Value after);
// Keeps a note on a place. False: no memory.
MUST_CHECK bool notes_add(Vm *vm, const Frame *frame, const char *name,
                          Span block, ErrorKind kind, const char *text);
// Gives the newest note of the code a late value, which is taken.
void notes_give(Vm *vm, LateValue late);
// A note as notes_mismatch makes one, or the text of one that a block further
// inside has made, with a late value, which is taken.
MUST_CHECK bool notes_keep(Vm *vm, Frame *frame, const StagedBlock *block,
                           const BlockPlace *place, Value first, Value second,
                           LateValue late);
// The late value that a local of the frame without another has at the end of a
// side of the block: 0, the first, 1, the one that ended last; *late NULL:
// none. Borrowed, as below, until the next note. *own: that side left it so.
// False: whether it has a value is not known, since a block could not say.
bool notes_left(const Vm *vm, const StagedBlock *block, uint32_t reg, int side,
                const LateValue **late, bool *own);
// The same where the block began, seen from there.
bool notes_around(const Vm *vm, const StagedBlock *block, uint32_t reg,
                  const LateValue **late);
// The same where the innermost block, a loop's body, ends.
bool notes_within(const Vm *vm, const StagedBlock *block, uint32_t reg,
                  const LateValue **late);
// TraceHooks.late.
int notes_late(Vm *vm, Frame *frame, uint32_t reg);
// A side of the block has ended: what was read in it is to be asserted again
// behind it; what was made in it is the join's.
void notes_leave(Vm *vm, StagedBlock *block);
// The block has ended: what was made in it is gone.
void notes_end(Vm *vm, StagedBlock *block);
// Raises the newest note on a variable; false: there is none.
bool notes_raise(Vm *vm, const Code *code, const Str *name);
// A function is about to be called: notes on variables of an earlier call are
// not on its own.
MUST_CHECK bool notes_enter(Vm *vm);
// Of a turn that is traced anew: notes from `count` on are forgotten.
void notes_cut(Vm *vm, size_t count);
// All notes of a trace, at its end.
void notes_free(Vm *vm, Trace *trace);

#endif
