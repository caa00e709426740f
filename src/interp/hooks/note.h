// What tracing must see of stores and reads; free when no trace runs.
//
// Every C function that changes a container (list.append, dict.update, a set,
// an attribute, a global, a cell) calls note_store after its checks and before
// the change: in a trace the stager's ledger and leak rules see it, and a
// store to a place that a trace has read (OBJECT_WATCHED) bumps the epoch that
// staged calls compare.
#ifndef DUET_INTERP_HOOKS_NOTE_H
#define DUET_INTERP_HOOKS_NOTE_H

#include "interp/hooks/tracing.h"

// `value` is what is stored, UNBOUND for a removal. False: refused, with an
// error pending, and nothing may be changed.
MUST_CHECK static inline bool note_store(Vm *vm, void *container, Value value)
{
    Object *object = (Object *)container;
    if (UNLIKELY(object->flags & OBJECT_WATCHED)) {
        vm->watch_epoch++;
    }
    return LIKELY(vm->trace == NULL) || vm->hooks->store(vm, object, value);
}

// A read at trace time of what a later call may find changed: recorded and
// marked. `key` is an interned name, or an index.
MUST_CHECK static inline bool note_read(Vm *vm, void *container, Value key,
                                        Value value)
{
    return LIKELY(vm->trace == NULL) ||
           vm->hooks->read(vm, (Object *)container, key, value);
}

// An effect on the host that no container shows: in a trace it is told once.
MUST_CHECK static inline bool note_effect(Vm *vm, const char *what, Value value)
{
    return LIKELY(vm->trace == NULL) || vm->hooks->effect(vm, what, value);
}

#endif
