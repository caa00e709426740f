// Effects of a trace: recorded by the hooks. Containers made in the trace
// itself are of no concern.
#include "stager/ledger.h"

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/leak.h"
#include "stager/observer.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

// Empty, and right to free.
void ledger_init(Ledger *ledger)
{
    *ledger = (Ledger){0};
}

// Everything in the rows is counted.
void ledger_free(Vm *vm, Ledger *ledger)
{
    for (size_t i = 0; i < ledger->effects.count; i++) {
        object_release_null(&vm->ctx, ledger->effects.items[i].text);
        object_release_null(&vm->ctx, ledger->effects.items[i].value);
    }
    vec_free(&vm->ctx, &ledger->effects);
}

// Whether the past has an effect of the same place.
static bool is_kept(const Ledger *past, const Effect *effect)
{
    for (size_t i = 0; i < past->effects.count; i++) {
        const Effect *other = &past->effects.items[i];
        if (other->line == effect->line &&
            strcmp(other->what, effect->what) == 0) {
            return true;
        }
    }
    return false;
}

void ledger_keep(Vm *vm, Ledger *past, Ledger *from)
{
    for (size_t i = 0; i < from->effects.count; i++) {
        Effect *effect = &from->effects.items[i];
        if (past->effects.count >= LEDGER_MAX_EFFECTS ||
            is_kept(past, effect)) {
            continue;
        }
        if (!vec_push(&vm->ctx, &past->effects, *effect)) {
            raise_clear(vm);
            return;
        }
        *effect = (Effect){.line = effect->line, .what = effect->what};
    }
}

// --- Effects ---

// What is told of a value: numbers, texts and tensors as they print, of all
// else the type. Runs no code of the program.
static Str *short_text(Vm *vm, Value v)
{
    // All else could run a __repr__ of the program.
    bool simple = value_is_special(v) || value_is_integer(v) ||
                  value_is_float(v) || value_is_str(v) ||
                  value_is_kind(v, KIND_SYMBOLIC);
    return simple ? value_repr(vm, v)
                  : str_printf(vm, "<%s>", type_name(type_of(vm, v)));
}

// The library's own bookkeeping is no effect of the program. Rows are bounded:
// a loop that appends a million times is one effect to a reader.
static bool add_effect(Vm *vm, const char *what, Value value)
{
    Ledger *ledger = vm->trace->ledger;
    if (ledger == NULL || trace_in_library(vm)) {
        return true;
    }
    // The rest is not kept, but that there was more is.
    if (ledger->effects.count >= LEDGER_MAX_EFFECTS) {
        ledger->truncated = true;
        return true;
    }
    // Only what it was, not the container: that may die with the call.
    Effect effect = {.what = what, .trace = vm->trace->request->number};
    if (!value_unbound(value)) {
        effect.value = short_text(vm, value);
        if (effect.value == NULL) {
            return false;
        }
    }
    if (!trace_line(vm, &effect.line, &effect.text) ||
        !vec_push(&vm->ctx, &ledger->effects, effect)) {
        object_release_null(&vm->ctx, effect.text);
        object_release_null(&vm->ctx, effect.value);
        return false;
    }
    return true;
}

// Effects that no container shows; see note_effect.
bool ledger_effect(Vm *vm, const char *what, Value value)
{
    observer_tell_effect(vm, what);
    return add_effect(vm, what, value);
}

// What kind of place was changed, in a word for the ledger.
static const char *container_word(Vm *vm, const Object *container)
{
    switch (container->kind) {
    case KIND_LIST: return "list";
    case KIND_DICT:
        // The dict of the running module's names.
        return vm->frame != NULL &&
                       container == (const Object *)vm->frame->globals
                   ? "global"
                   : "dict";
    case KIND_SET: return "set";
    case KIND_CELL: return "variable";
    case KIND_TYPE: return "class attribute";
    // What goes on (note_step).
    default:
        return container->type->slots.next != NULL &&
                       !(container->type->flags & TYPE_HEAP)
                   ? "next"
                   : "attribute";
    }
}

// A container made in this trace goes with it; storing there is the trace's own
// affair.
bool ledger_store(Vm *vm, Object *container, Value value)
{
    if (era_has(vm, vm->trace->era, container)) {
        return true;
    }
    // A symbolic tensor that is kept outside is a leak, which is told as such.
    if (!value_is_kind(value, KIND_SYMBOLIC) && !trace_in_library(vm)) {
        observer_tell_effect(vm, container_word(vm, container));
    }
    return leak_store(vm, container, value) &&
           add_effect(vm, container_word(vm, container), value);
}

// --- For people ---

// A text that may be missing, as a value.
static Value text_or_none(Str *text)
{
    return text != NULL ? str_value(object_retain(text)) : VALUE_NONE;
}

// Appends a tuple of owned values to the list; takes them.
static bool append_row(Vm *vm, List *list, Value *row, size_t count)
{
    // VALUE_FAIL in a row is let through to here, so that rows can be
    // written as one expression.
    Value tuple = tuple_of_owned(vm, row, count);
    return !value_failed(tuple) && list_append_owned(vm, list, tuple);
}

// (trace, line, what, value, text of the line)
static bool effect_rows(Vm *vm, const Ledger *ledger, List *list)
{
    for (size_t i = 0; i < ledger->effects.count; i++) {
        const Effect *effect = &ledger->effects.items[i];
        Str *what = str_from(vm, effect->what);
        Value row[5] = {value_from_small((int64_t)effect->trace),
                        value_from_small(effect->line),
                        what != NULL ? str_value(what) : VALUE_FAIL,
                        text_or_none(effect->value),
                        text_or_none(effect->text)};
        if (!append_row(vm, list, row, 5)) {
            return false;
        }
    }
    return true;
}

// The rows of all traces, oldest trace first, behind those of dropped ones.
static Value rows(Vm *vm, Value f, const char *who,
                  bool (*add)(Vm *vm, const Ledger *ledger, List *list))
{
    const StagedFunction *staged = staged_from(vm, f, who);
    List *list = staged != NULL ? list_new(vm, 0) : NULL;
    if (list == NULL) {
        return VALUE_FAIL;
    }
    if (!add(vm, &staged->table.past, list)) {
        object_release(&vm->ctx, list);
        return VALUE_FAIL;
    }
    size_t at = 0;
    for (const Concrete *c; (c = traces_next(&staged->table, &at)) != NULL;) {
        if (!add(vm, &c->ledger, list)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_from_object(list);
}

// A list, so that a program can look through it.
Value ledger_effects_method(Vm *vm, Value *args)
{
    return rows(vm, args[1], "effects", effect_rows);
}
