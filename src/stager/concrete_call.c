// Calling a concrete function.
//
// A call may give all parameters, or leave out those that were not tensors
// (they keep what they were traced with; the first one by position too, as the
// instance of a bound method is), or give the tensors alone, in order or by
// name. It is first read in the first way; if that does not fit and there are
// as many arguments as tensors, in the last.
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/match.h"

// The arguments are fitted to what was traced, one by one.
static bool fit_bound(Vm *vm, const Concrete *self, const Bound *given,
                      Bound *out)
{
    *out = (Bound){0};
    bool ok = given->values.count == self->bound.values.count;
    if (!ok) {
        raise_error(vm, ERR_SIGNATURE,
                    "%s: %zu arguments where it was traced "
                    "with %zu",
                    self->name->text, given->values.count,
                    self->bound.values.count);
    }
    for (size_t i = 0; ok && i < given->values.count; i++) {
        Match match = {MATCH_CONCRETE, self->name->text,
                       bound_name(self->target, &self->bound, i), NULL};
        ok = structure_push(vm, &out->values,
                            match_value(vm, &match, self->bound.values.items[i],
                                        given->values.items[i]));
    }
    out->names = given->names != NULL ? object_retain(given->names) : NULL;
    return ok;
}

// Argument `index` of the call is not what was traced.
static bool fail_value(Vm *vm, const Concrete *self, const Bound *given,
                       size_t index)
{
    // If a repr fails, its own error stands in for this one.
    Str *own = value_repr(vm, self->bound.values.items[index]);
    Str *other =
        own != NULL ? value_repr(vm, given->values.items[index]) : NULL;
    if (other != NULL) {
        raise_error(vm, ERR_SIGNATURE,
                    "%s: argument '%s' was traced with %s, not %s; leave it "
                    "out, or trace again with the other value",
                    self->name->text,
                    bound_name(self->target, &self->bound, index), own->text,
                    other->text);
    }
    object_release_null(&vm->ctx, own);
    object_release_null(&vm->ctx, other);
    return false;
}

// Too few arguments, too many, or others.
static Value fail_all(Vm *vm, Concrete *self)
{
    Str *own = value_repr(vm, value_from_object(self));
    if (own != NULL) {
        raise_error(vm, ERR_SIGNATURE,
                    "%s: the arguments do not fit the parameters that it was "
                    "traced with: %s",
                    self->name->text, own->text);
        object_release(&vm->ctx, own);
    }
    return VALUE_FAIL;
}

// The first argument whose part of the key differs; all equal: their number.
static size_t first_difference(const Signature *a, const Signature *b)
{
    // The heads of the keys (number and names of arguments) belong to the
    // first part.
    size_t from_a = 0, from_b = 0, i = 0;
    for (; i < a->ends.count && i < b->ends.count; i++) {
        size_t length = a->ends.items[i] - from_a;
        if (length != b->ends.items[i] - from_b ||
            memcmp(strbuf_text(&a->key) + from_a, strbuf_text(&b->key) + from_b,
                   length) != 0) {
            break;
        }
        from_a = a->ends.items[i];
        from_b = b->ends.items[i];
    }
    return i;
}

// Gives the call's leaves the traced types, if there are as many of them.
static bool take_patterns(Vm *vm, const Signature *pattern,
                          Signature *signature)
{
    size_t count = pattern->tensors.count;
    if (count != signature->tensors.count) {
        return true; // the keys will differ
    }
    Spec **specs = ctx_alloc(&vm->ctx, (count + 1) * sizeof *specs);
    if (specs == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        specs[i] = (Spec *)value_object(pattern->tensors.items[i].value);
    }
    bool ok = signature_generalise(vm, signature, specs);
    ctx_free(&vm->ctx, specs, (count + 1) * sizeof *specs);
    return ok;
}

// What the trace looked at beyond the key must be what it was.
static bool check_looked(Vm *vm, const Concrete *self, const Bound *fitted,
                         Signature *signature)
{
    StrBuf looked;
    strbuf_init(&looked, &vm->ctx);
    bool ok = signature_looked(vm, signature, fitted, self->looks, &looked);
    if (ok && !strbuf_equal(&looked, &self->looked)) {
        ok = raise_false(
            vm, ERR_SIGNATURE,
            "%s: its trace looks at %s, and this call's are "
            "others: call %s itself",
            self->name->text,
            self->looks & LOOKS_AT_ORDER      ? "the order of dicts or keywords"
            : self->looks & LOOKS_AT_IDENTITY ? "which Variables they are"
                                              : "the names of Variables",
            self->name->text);
    }
    strbuf_free(&looked);
    return ok;
}

// The two keys are compared as look-up would, so that the rule of what is equal
// is in one place (signature.c).
static Value run_fitted(Vm *vm, Concrete *self, const Bound *fitted)
{
    // The traced arguments have specs for tensors, which only count as tensors
    // there; a call's own specs are objects.
    Signature pattern, signature = {0};
    Value result = VALUE_FAIL;
    if (signature_make(vm, self->target, &self->bound, true, &pattern) &&
        signature_make(vm, self->target, fitted, false, &signature) &&
        take_patterns(vm, &pattern, &signature)) {
        size_t at = first_difference(&pattern, &signature);
        // All parts equal: the values that are no tensors are those of the
        // trace.
        if (at < fitted->values.count) {
            (void)fail_value(vm, self, fitted, at);
        } else if (self->written.copies.count > 0) {
            raise_error(vm, ERR_SIGNATURE,
                        "%s changes an argument, which its concrete functions "
                        "cannot; call it, or change a copy and return it",
                        self->name->text);
        } else if (!check_looked(vm, self, fitted, &signature)) {
            // The error says what.
        } else if (self->outer.count > 0) {
            raise_error(vm, ERR_LEAK,
                        "%s: it uses a symbolic tensor of the "
                        "trace that it was made in",
                        self->name->text);
        } else {
            result = concrete_run(vm, self, fitted, &signature);
        }
    }
    signature_free(vm, &pattern);
    signature_free(vm, &signature);
    return result;
}

// Fitting makes new values; they live as long as the run.
static Value run_given(Vm *vm, Concrete *self, const Bound *given)
{
    Bound fitted;
    Value result = fit_bound(vm, self, given, &fitted)
                       ? run_fitted(vm, self, &fitted)
                       : VALUE_FAIL;
    bound_free(vm, &fitted);
    return result;
}

// Parameters by position and name. VALUE_UNBOUND: they do not fit.
static Value call_bound(Vm *vm, Concrete *self, const Value *args,
                        uint32_t count, Tuple *keyword_names)
{
    Bound given;
    if (!bound_make(vm, self->target, args, count, keyword_names, &self->bound,
                    &given)) {
        return vm_has_error(vm) ? VALUE_FAIL : VALUE_UNBOUND;
    }
    Value result = run_given(vm, self, &given);
    bound_free(vm, &given);
    return result;
}

// What was traced for the first parameter if the call leaves it out by
// position: what stands there is another object, or of another type. UNBOUND:
// it does not. Borrowed.
static Value left_out(Vm *vm, const Concrete *self, const Value *args,
                      uint32_t positional)
{
    Value traced =
        positional > 0 ? bound_traced(vm, &self->bound, 0) : VALUE_UNBOUND;
    Value first = identity_value(vm, traced);
    bool given = value_unbound(first) || value_same(first, args[0]) ||
                 (value_identity(vm, traced) == NULL &&
                  type_of(vm, first) == type_of(vm, args[0]));
    return given ? VALUE_UNBOUND : traced;
}

// As call_bound, with what the call leaves out in front.
static Value call_structured(Vm *vm, Concrete *self, const Value *args,
                             uint32_t count, Tuple *keyword_names)
{
    uint32_t keywords = keyword_names != NULL ? keyword_names->count : 0;
    Value first = left_out(vm, self, args, count - keywords);
    Value result = VALUE_UNBOUND;
    if (!value_unbound(first)) {
        size_t size = (count + (size_t)1) * sizeof(Value);
        Value *room = ctx_alloc(&vm->ctx, size);
        if (room == NULL) {
            return VALUE_FAIL;
        }
        room[0] = first;
        memcpy(room + 1, args, count * sizeof(Value));
        result = call_bound(vm, self, room, count + 1, keyword_names);
        ctx_free(&vm->ctx, room, size);
    }
    return value_unbound(result)
               ? call_bound(vm, self, args, count, keyword_names)
               : result;
}

// A call that gives the tensors alone, while they are handed out in the
// graph's order.
typedef struct Flat {
    const Concrete *concrete;
    const Value *args;
    uint32_t count;
    Tuple *keyword_names;
    uint32_t next; // of the graph's arguments
    bool fits;
} Flat;

// The argument that goes into the graph's next input.
static Value flat_argument(Flat *flat)
{
    const Graph *graph = flat->concrete->graph;
    uint32_t at = flat->next++;
    size_t keywords =
        flat->keyword_names != NULL ? flat->keyword_names->count : 0;
    size_t positional = flat->count - keywords;
    // By position first; the rest must come by the names of the graph's
    // inputs.
    if (at < positional) {
        return flat->args[at];
    }
    for (size_t i = 0, seen = 0; i < graph->inputs.count; i++) {
        if (graph->inputs.items[i].kind != INPUT_ARGUMENT || seen++ != at) {
            continue;
        }
        for (size_t k = 0; k < keywords; k++) {
            if (str_is(value_as_str(flat->keyword_names->items[k]),
                       graph->inputs.items[i].name)) {
                return flat->args[positional + k];
            }
        }
    }
    return VALUE_UNBOUND;
}

// Each spec of what was traced takes the next tensor that was given.
static Value flat_leaf(Vm *vm, Value v, void *data)
{
    (void)vm;
    Flat *flat = data;
    if (!value_is_kind(v, KIND_SPEC)) {
        return value_retain(v);
    }
    Value argument = flat_argument(flat);
    // The walk goes on in any case; the spec stands in for what is missing.
    flat->fits = flat->fits && !value_unbound(argument);
    return value_retain(value_unbound(argument) ? v : argument);
}

// The tensors alone. VALUE_UNBOUND: they do not fit.
static Value call_flat(Vm *vm, Concrete *self, const Value *args,
                       uint32_t count, Tuple *keyword_names)
{
    Flat flat = {self, args, count, keyword_names, 0, true};
    Bound given;
    if (!bound_map(vm, self->target, &self->bound, NULL, flat_leaf, &flat,
                   &given)) {
        return VALUE_FAIL;
    }
    Value result = flat.fits && flat.next == count ? run_given(vm, self, &given)
                                                   : VALUE_UNBOUND;
    bound_free(vm, &given);
    return result;
}

// Binding is tried without side effects: a run that has begun is never
// repeated, which the count of runs tells.
static Value call_either(Vm *vm, Concrete *self, const Value *args,
                         uint32_t count, Tuple *keyword_names)
{
    // An error of the graph itself must not be taken for one of reading the
    // arguments, or the graph would run twice.
    uint64_t runs = self->hits;
    Value result = call_structured(vm, self, args, count, keyword_names);
    if ((!value_failed(result) && !value_unbound(result)) ||
        self->hits != runs || raise_matches(vm, ERR_MEMORY)) {
        return result;
    }
    // Perhaps the arguments are the tensors alone. If not, the first reading
    // words the error.
    bool failed = value_failed(result);
    raise_clear(vm);
    result = call_flat(vm, self, args, count, keyword_names);
    if ((!value_failed(result) && !value_unbound(result)) ||
        self->hits != runs) {
        return result;
    }
    // Read again for its error: the first one was cleared for the second
    // reading.
    if (failed) {
        raise_clear(vm);
        return call_structured(vm, self, args, count, keyword_names);
    }
    return value_failed(result) ? result : fail_all(vm, self);
}

// The concrete function may be dropped by host code in its own graph.
Value concrete_call(Vm *vm, Value value, const Value *args, uint32_t count,
                    Tuple *keyword_names)
{
    Concrete *self = (Concrete *)object_retain(value_object(value));
    Value result = call_either(vm, self, args, count, keyword_names);
    object_release(&vm->ctx, self);
    return result;
}
