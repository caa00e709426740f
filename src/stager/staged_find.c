// From the signature of a call to its trace: found, right, up to date; or made.
//
// Invariant: what is found here may be run on the call's arguments. A key that
// matches is not enough where a trace captured symbolic tensors of an enclosing
// trace, or values that have changed.
#include "stager/staged_fn.h"

#include "interp/core/raise.h"
#include "stager/events.h"
#include "stager/tell.h"
#include "stager/trace.h"

// A call of this function with this signature is being traced already: it
// would never end.
static bool check_recursion(Vm *vm, const StagedFunction *self,
                            const Signature *signature)
{
    for (const Trace *trace = vm->trace; trace != NULL; trace = trace->outer) {
        // Another signature is no recursion without end: each has a trace of
        // its own.
        const StrBuf *key = &trace->request->signature->key;
        if (trace->request->staged == self &&
            strbuf_equal(key, &signature->key)) {
            return raise_false(
                vm, ERR_RECURSION,
                "%s calls itself with the signature that is being traced; a "
                "recursion on a tensor would never end: use a loop, or a "
                "host value that ends it",
                self->name->text);
        }
    }
    return true;
}

// Tests seal the second call of a function to see that it needs no host code.
bool staged_may_run_host(Vm *vm, const StagedFunction *self)
{
    return !stager_of(vm)->sealed ||
           raise_false(vm, ERR_RUNTIME,
                       "%s would run host code, and staging is sealed",
                       self->name->text);
}

// Whatever a failing trace has done to the table is nothing: it is added last.
static Concrete *make_trace(Vm *vm, StagedFunction *self, const Bound *bound,
                            Signature *signature)
{
    if (!staged_may_run_host(vm, self)) {
        return NULL;
    }
    if (!check_recursion(vm, self, signature) ||
        (self->options.relax && !traces_relax(vm, &self->table, signature))) {
        return NULL;
    }
    Why why;
    why_begin(vm, self, &signature->key, &why);
    TraceRequest request = {.staged = self,
                            .target = self->target,
                            .name = self->name,
                            .bound = bound,
                            .signature = signature,
                            .number = self->traced + 1,
                            .line = why.line};
    Concrete *made = concrete_new(vm, &request);
    why_end(vm, self, &why, made);
    if (made == NULL) {
        return NULL;
    }
    // Only traces that were made have numbers, so they run without gaps.
    self->traced++;
    if (!traces_add(vm, &self->table, made, signature)) {
        object_release(&vm->ctx, made);
        return NULL;
    }
    if (!tell_traced(vm, self, made)) {
        object_release(&vm->ctx, made);
        return NULL;
    }
    return made;
}

// A trace that captured symbolic tensors is good in the trace they are of,
// where they can be used.
static bool same_outer(const Vm *vm, const Concrete *concrete)
{
    const ValueVec *outer = &concrete->outer;
    bool same =
        outer->count == 0 ||
        (vm->trace != NULL && vm->trace->serial == concrete->outer_serial);
    for (size_t i = 0; same && i < outer->count; i++) {
        const Symbolic *symbolic = value_as_symbolic(outer->items[i]);
        same = symbolic->owner != vm->trace->owner ||
               trace_reaches(vm->trace, symbolic);
    }
    return same;
}

// What a call does that finds a frozen value changed. The trace is used
// unless an error is pending (false) or *again is set.
static bool deal_with(Vm *vm, StagedFunction *self, Concrete *found,
                      FrozenRead *read, bool *again)
{
    Str *place = frozen_name(vm, &found->frozen, read);
    if (place == NULL) {
        return false;
    }
    const Function *target = value_is_kind(self->target, KIND_FUNCTION)
                                 ? (Function *)value_object(self->target)
                                 : NULL;
    event_add_at(vm, &found->owner->events,
                 (Event){.kind = EVENT_FROZEN,
                         .line = read->line,
                         .source = target != NULL ? target->code->source : NULL,
                         .path = object_retain(place),
                         .value = VALUE_NONE});
    bool ok = true;
    Str *change = frozen_change(vm, &found->frozen, read);
    if (change == NULL) {
        ok = false;
    } else if (self->options.frozen == FROZEN_RETRACE) {
        // Kept for what tells why a new trace was made.
        object_release_null(&vm->ctx, self->why.frozen);
        self->why.frozen =
            str_printf(vm, "%s has changed: %s", place->text, change->text);
        *again = ok = self->why.frozen != NULL;
    } else if (self->options.frozen == FROZEN_ERROR) {
        ok = raise_false(vm, ERR_FROZEN,
                         "%s: %s has changed since trace %zu read it at line "
                         "%u (%s); pass it as an argument, or stage with "
                         "frozen='retrace'",
                         self->name->text, place->text, found->number,
                         read->line, change->text);
    } else if (self->options.frozen != FROZEN_SILENT) {
        ok = tell_frozen(vm, self, found, read, place, change);
    }
    object_release_null(&vm->ctx, change);
    if (ok && !*again) { // an error is raised at every call
        frozen_set_noted(&found->frozen, read);
    }
    object_release(&vm->ctx, place);
    return ok;
}

// Compares what the trace read with what is there now, where it was stored to.
// One change is dealt with a turn.
static bool check_frozen(Vm *vm, StagedFunction *self, Concrete *found,
                         bool *again)
{
    bool failed = false;
    *again = false;
    while (!*again) {
        FrozenRead *read = frozen_changed(vm, &found->frozen, &failed);
        if (read == NULL) {
            return !failed;
        }
        if (!deal_with(vm, self, found, read, again)) {
            return false;
        }
    }
    return true;
}

// The trace that was found may have looked at more than the key has, the order
// of a dict, say: what differs in it has a trace of its own, whose key says so,
// and which may have looked at more again. NULL: there is none, or with an
// error pending.
static Concrete *find_looked(Vm *vm, StagedFunction *self, const Bound *bound,
                             Signature *signature, Concrete *found)
{
    bool same = false;
    while (found != NULL && found->looks != 0 && !same) {
        StrBuf looked;
        strbuf_init(&looked, &vm->ctx);
        bool ok = signature_looked(vm, signature, bound, found->looks, &looked);
        same = ok && strbuf_equal(&looked, &found->looked);
        ok = ok && (same || signature_add_looked(signature, &looked));
        strbuf_free(&looked);
        found = same  ? found
                : !ok ? NULL
                      : traces_find(vm, &self->table, signature);
    }
    return found;
}

// The quick cases first; a watched value that may have changed comes last,
// since looking costs time for each read.
Concrete *staged_find(Vm *vm, StagedFunction *self, const Bound *bound,
                      Signature *signature)
{
    Concrete *found = traces_find(vm, &self->table, signature);
    found = find_looked(vm, self, bound, signature, found);
    if (found != NULL && !same_outer(vm, found)) {
        // It belongs to another enclosing trace; the new one will take its
        // place in the table.
        found = NULL;
    }
    if (found == NULL) {
        return vm_has_error(vm) ? NULL : make_trace(vm, self, bound, signature);
    }
    events_tell_again(vm, &found->owner->events, self->name);
    bool again = false;
    (void)object_retain(found);
    if (LIKELY(!found->frozen.stale) ||
        (check_frozen(vm, self, found, &again) && !again)) {
        return found;
    }
    if (again) {
        traces_remove(vm, &self->table, found);
        Concrete *made = make_trace(vm, self, bound, signature);
        object_release(&vm->ctx, found);
        return made;
    }
    object_release(&vm->ctx, found);
    return NULL;
}
