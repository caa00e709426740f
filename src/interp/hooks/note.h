// What tracing must see of stores and reads; free when no trace runs.
//
// Every C function that changes a container (list.append, dict.update, a set,
// an attribute, a global, a cell) calls note_store after its checks and before
// the change: in a trace the stager's ledger and leak rules see it, and a
// store to a place that a trace has read marks that trace (OBJECT_WATCHED).
#ifndef DUET_INTERP_HOOKS_NOTE_H
#define DUET_INTERP_HOOKS_NOTE_H

#include "interp/hooks/tracing.h"

// `value` is what is stored, UNBOUND for a removal. `key`: nothing else than
// what an interned name stands for will change; UNBOUND, or no such name:
// anything may. False: refused, with an error pending, and nothing may be
// changed.
MUST_CHECK static inline bool note_store_at(Vm *vm, void *container, Value key,
                                            Value value)
{
    Object *object = (Object *)container;
    if (UNLIKELY(object->flags & OBJECT_WATCHED)) {
        vm->hooks->stored(vm, object, key);
    }
    return LIKELY(vm->trace == NULL) || vm->hooks->store(vm, object, value);
}

MUST_CHECK static inline bool note_store(Vm *vm, void *container, Value value)
{
    return note_store_at(vm, container, VALUE_UNBOUND, value);
}

// A store was asked for that found the container as it leaves it, an element
// that was there, say: another call may find it otherwise.
MUST_CHECK static inline bool note_same(Vm *vm, void *container, Value value)
{
    return LIKELY(vm->trace == NULL) ||
           vm->hooks->store(vm, (Object *)container, value);
}

// An iterator or generator goes on, which nobody can take back. Before it does.
MUST_CHECK static inline bool note_step(Vm *vm, void *iterator)
{
    return LIKELY(vm->trace == NULL) ||
           vm->hooks->store(vm, (Object *)iterator, VALUE_UNBOUND);
}

// A read at trace time of what a later call may find changed: recorded and
// marked. `key` is an interned name; NONE: what a cell holds, or the defaults
// of a function (True: of its keyword-only parameters). `value` is UNBOUND
// where there is none.
MUST_CHECK static inline bool note_read(Vm *vm, void *container, Value key,
                                        Value value)
{
    return LIKELY(vm->trace == NULL) ||
           vm->hooks->read(vm, (Object *)container, key, value);
}

// The program asks whether there is something, and v is what there is, or what
// it would belong to.
MUST_CHECK static inline bool note_question(Vm *vm, Value v)
{
    return LIKELY(!value_is_kind(v, KIND_OPAQUE)) || vm->hooks == NULL ||
           vm->hooks->decided(vm, v);
}

// An attribute that self's class has, and self does not.
MUST_CHECK static inline bool note_class_read(Vm *vm, Value self, Type *cls,
                                              Str *name, Value value)
{
    Value key = value_from_object(name);
    return LIKELY(vm->trace == NULL) || !(cls->flags & TYPE_HEAP) ||
           (vm->hooks->read(vm, value_object(self), key, VALUE_UNBOUND) &&
            vm->hooks->read(vm, &cls->head, key, value));
}

// A method that the interpreter asks of a class: what an operator does, say.
MUST_CHECK static inline bool note_method_read(Vm *vm, Type *cls, Str *name,
                                               Value found)
{
    return LIKELY(vm->trace == NULL) || !(cls->flags & TYPE_HEAP) ||
           vm->hooks->read(vm, &cls->head, value_from_object(name), found);
}

// What a text says decides what comes out: of a tensor it says a name.
MUST_CHECK static inline bool note_text(Vm *vm, const Str *text)
{
    return LIKELY(vm->trace == NULL) || vm->hooks->known_text(vm, text);
}

// An effect on the host that no container shows: in a trace it is told once.
MUST_CHECK static inline bool note_effect(Vm *vm, EffectKind kind,
                                          const char *what, Value value)
{
    return LIKELY(vm->trace == NULL) ||
           vm->hooks->effect(vm, kind, what, value);
}

#endif
