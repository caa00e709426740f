// What a trace did on the host that its graph will not repeat, and what it
// read that a later call may find changed.
//
// Each Concrete owns a Ledger, filled while it is traced. Effects are lines
// for people. Reads are compared again when the Vm's watch epoch has moved: a
// store to any place that some trace has read moves it (interp/hooks/note.h).
#ifndef DUET_STAGER_LEDGER_H
#define DUET_STAGER_LEDGER_H

#include "base/map.h"
#include "interp/core/memory.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/identity.h"

// A line for people; nothing is ever compared with it.
typedef struct Effect {
    uint32_t line;    // 0: unknown
    const char *what; // a literal: "list", "print"
    Str *text;        // the program's line, counted; NULL: unknown
    Str *value;       // what was stored, in short, counted; NULL: nothing
    size_t trace;     // the number of the trace, from 1
} Effect;

// One place outside the trace, as it was when the trace read it first.
typedef struct FrozenRead {
    Identity *container; // of globals, a cell, an instance, a class; counted
    Value key;           // a name, NONE for a cell; owned
    Value value;         // as the trace read it, weakened, owned; UNBOUND:
                         // since removed
    Value items;         // of a list or dict: a Tuple of what it held, each
                         // weakened, or the hash of more than FROZEN_ITEMS;
                         // else NONE; owned
    size_t trace;        // the number of the trace, from 1
    uint32_t line;
    bool noted; // a change was told
} FrozenRead;

enum { FROZEN_ITEMS = 64, LEDGER_MAX_EFFECTS = 1000 };

// Freed with its Concrete; `places` is empty once the trace has ended.
typedef struct Ledger {
    VEC(Effect) effects;
    VEC(FrozenRead) reads;
    Map places;     // reads by container and key
    uint64_t epoch; // vm->watch_epoch when the reads were last compared
    bool truncated; // there were more effects than are kept
} Ledger;

// An empty ledger, which allocates nothing until something is noted.
void ledger_init(Vm *vm, Ledger *ledger);
void ledger_free(Vm *vm, Ledger *ledger);
// The trace is dropped: its effects go to those of its function's past, one of
// each place. What finds no room there is only not told.
void ledger_keep(Vm *vm, Ledger *past, Ledger *from);
// For the collector: calls `visit` for each object that the reads hold.
void ledger_visit(const Ledger *ledger,
                  void (*visit)(Object *child, void *data), void *data);
// At the end of a trace: what the trace changed itself is what it froze.
MUST_CHECK bool ledger_close(Vm *vm, Ledger *ledger);
// The first read that is changed now, NULL: none. *failed is set when memory
// is short.
FrozenRead *ledger_changed(Vm *vm, Ledger *ledger, bool *failed);
// Takes the present value as the frozen one.
MUST_CHECK bool ledger_accept(Vm *vm, FrozenRead *read);
// "global 'scale'", "attribute 'k'": for messages; owned.
Str *ledger_place(Vm *vm, const FrozenRead *read);

// TraceHooks.
MUST_CHECK bool ledger_store(Vm *vm, Object *container, Value value);
// A trace notes what it has read, so that a later call can see that it changed.
MUST_CHECK bool ledger_read(Vm *vm, Object *container, Value key, Value value);
// Effects that no container shows (note_effect).
MUST_CHECK bool ledger_effect(Vm *vm, const char *what, Value value);

// stage.effects(f), stage.frozen(f).
Value ledger_effects_method(Vm *vm, Value *args, uint32_t count);
Value ledger_frozen_method(Vm *vm, Value *args, uint32_t count);

#endif
