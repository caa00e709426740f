// The ledger of a trace: what host code did outside that its graph will not
// repeat. Its rows are events (events.h).
#ifndef DUET_STAGER_LEDGER_H
#define DUET_STAGER_LEDGER_H

#include "stager/events.h"

// TraceHooks: a store to a container, and effects that no container shows
// (note_effect), of which `what` is a word.
MUST_CHECK bool ledger_store(Vm *vm, Object *container, Value value);
MUST_CHECK bool ledger_effect(Vm *vm, EffectKind kind, const char *what,
                              Value value);

// Whether the library changes what is its own.
bool ledger_is_bookkeeping(Vm *vm, const Object *container);

// stage.effects(f), and stage.events(f) of all kinds.
Value ledger_effects_method(Vm *vm, Value *args);
Value ledger_events_method(Vm *vm, Value *args);

#endif
