// What a trace did on the host that its graph will not repeat.
//
// Each Concrete owns a Ledger, filled while it is traced. Effects are lines
// for people.
#ifndef DUET_STAGER_LEDGER_H
#define DUET_STAGER_LEDGER_H

#include "base/map.h"
#include "interp/core/memory.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"

// A line for people; nothing is ever compared with it.
typedef struct Effect {
    uint32_t line;    // 0: unknown
    const char *what; // a literal: "list", "print"
    Str *text;        // the program's line, counted; NULL: unknown
    Str *value;       // what was stored, in short, counted; NULL: nothing
    size_t trace;     // the number of the trace, from 1
} Effect;

enum { LEDGER_MAX_EFFECTS = 1000 };

// Freed with its Concrete.
typedef struct Ledger {
    VEC(Effect) effects;
    bool truncated; // there were more effects than are kept
} Ledger;

// An empty ledger, which allocates nothing until something is noted.
void ledger_init(Ledger *ledger);
void ledger_free(Vm *vm, Ledger *ledger);
// The trace is dropped: its effects go to those of its function's past, one of
// each place. What finds no room there is only not told.
void ledger_keep(Vm *vm, Ledger *past, Ledger *from);

// TraceHooks.
MUST_CHECK bool ledger_store(Vm *vm, Object *container, Value value);
// Effects that no container shows (note_effect).
MUST_CHECK bool ledger_effect(Vm *vm, const char *what, Value value);

// stage.effects(f).
Value ledger_effects_method(Vm *vm, Value *args);

#endif
