// The journal of a staged block: which host containers it changes, and what
// they were before.
//
// A store to something that the running trace made and that is older than a
// block under way is kept there, by the hook that every mutator calls
// (interp/hooks/note.h), so it does not matter by what means the program does
// it. An `if` begins its other side with what was before, and its join makes
// one content of two, in the same object; a block that an error leaves is taken
// back. What is older than the trace is changed once a trace, which the ledger
// tells: it is state only in those of its elements that hold tensors of the
// trace, and all of it is put back for a body that is traced again.
#ifndef DUET_STAGER_JOURNAL_H
#define DUET_STAGER_JOURNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "interp/core/vm.h"
#include "interp/hooks/tracing.h"

struct StagedBlock; // blocks.h

// One container that a block changes.
typedef struct JournalEntry {
    Object *container; // counted
    Value saved;       // its content before the block (content.h), or the
                       // poison that it was; owned
    Value ends[2];     // at the end of each side that changed it, else UNBOUND;
                       // owned
    bool changed[2];   // by side
    bool older;        // than the trace
    bool state;        // of the block; if older: where it holds tensors of the
                       // trace, or has held some
    uint32_t lines[2]; // of the first change in each; 0: unknown
} JournalEntry;

// Zero but for the map; freed with its block.
typedef struct Journal {
    VEC(JournalEntry) entries;
    Map places; // an entry's number by its container's address
} Journal;

// How one container stands for others.
typedef enum JoinedKind {
    JOINED_COPY,  // the program has it where eager code has one of them
    JOINED_SHOWN, // so has a turn of a loop; or what an earlier turn left
    JOINED_STATE  // a loop's state has it; the program never does
} JoinedKind;

// A container that a join made of two others, which the program may still hold
// by other names.
typedef struct JoinedCopy {
    Object *made, *from[2]; // counted; from[1] may be NULL
    uint32_t line;          // of the block
    JoinedKind kind;
} JoinedCopy;

// TraceHooks.store and .effect.
MUST_CHECK bool journal_store(Vm *vm, Object *container, Value value);
MUST_CHECK bool journal_effect(Vm *vm, EffectKind kind, const char *what,
                               Value value);
void journal_free(Vm *vm, Journal *journal);
// What the object holds, or the poison that it is. Owned; UNBOUND: it is of a
// kind that cannot be put back; VALUE_FAIL.
Value journal_take(Vm *vm, Object *object);
// Makes that the object's content.
MUST_CHECK bool journal_put(Vm *vm, Object *object, Value content);
// The entry of an object that is state of the block, NULL: it is not.
JournalEntry *journal_find(const Journal *journal, const Object *container);
// Whether the journal holds the object, state or not.
bool journal_holds(const Journal *journal, const Object *container);
// Whether the element of an entry, which was `before` or will be `after`, is
// state of the block.
bool journal_is_state(Vm *vm, const JournalEntry *entry, Value before,
                      Value after);

// Whether the last trace of a loop's body changes it, and that another one
// begins.
bool journal_changes(const Journal *journal, const Object *container);
void journal_again(Journal *journal);

// Whether an earlier entry stands for the same content: of an object and the
// dict of its attributes the one that was changed first is right.
bool journal_repeats(const Journal *journal, size_t index);
// The first side has ended: what it changed is as it was before the block.
MUST_CHECK bool journal_else(Vm *vm, struct StagedBlock *block);
// The second side has ended too: what both left is kept for the join.
MUST_CHECK bool journal_end(Vm *vm, struct StagedBlock *block);
// Finds what is state by now of what is older than the trace.
MUST_CHECK bool journal_settle(Vm *vm, const struct StagedBlock *block);
// What is state is as it was before the block; with `all` whatever it changes.
MUST_CHECK bool journal_restore(Vm *vm, const struct StagedBlock *block,
                                bool all);
// What a value that may be a container held at the end of a side: itself, or a
// copy from then. Borrowed.
Value journal_view(const Journal *journal, int side, Value v);

// A join made `made` (a list, a dict …) of the containers of two sides.
MUST_CHECK bool journal_joined(Vm *vm, Value made, Value first, Value second,
                               uint32_t line);
// Records of the other kinds.
MUST_CHECK bool journal_shown(Vm *vm, Object *made, Object *from,
                              uint32_t line);
MUST_CHECK bool journal_state(Vm *vm, Value made, Value from, uint32_t line);
// A copy that a join made and what it was made of are one object in eager code:
// a change of one of them while the program holds another would be lost there.
// False, with an error pending: there is such another.
MUST_CHECK bool journal_check_joined(Vm *vm, const Trace *trace,
                                     Object *container);
// Appends what they were made of, all the way.
typedef VEC(Object *) ObjectVec; // borrowed
MUST_CHECK bool journal_add_object(Vm *vm, ObjectVec *objects, Object *object);
MUST_CHECK bool journal_find_sources(Vm *vm, const Trace *trace,
                                     ObjectVec *objects);
// How often the trace's records of joins hold the object.
uint32_t journal_count_joined(const Trace *trace, const Object *object);
// The function has ended: a copy that is in use beside what it was made of was
// one object with that, perhaps, which is told.
MUST_CHECK bool journal_tell_joined(Vm *vm, const Trace *trace);
// What a trace keeps of joins.
void journal_drop_joined(Vm *vm, Trace *trace);

#endif
