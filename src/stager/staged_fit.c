// signature=: arguments are made to fit their specs, and the trace takes the
// specs' types, so that there is one for all of them.
#include "interp/core/raise.h"
#include "stager/match.h"
#include "stager/staged_fn.h"

// A bound method's instance, or a parameter called self, is nothing to convert.
size_t staged_first_spec(const StagedFunction *self)
{
    if (!value_unbound(self->instance)) {
        return 1;
    }
    if (!value_is_kind(self->target, KIND_FUNCTION)) {
        return 0;
    }
    const Function *function = (const Function *)value_object(self->target);
    return (function->code->flags & CODE_TAKES_SELF) != 0;
}

// Said when the function is staged, not when it is called.
bool staged_check_specs(Vm *vm, const StagedFunction *self)
{
    if (self->options.signature == NULL ||
        !value_is_kind(self->target, KIND_FUNCTION)) {
        return true;
    }
    const Function *function = (const Function *)value_object(self->target);
    const Code *code = function->code;
    size_t given = self->options.signature->count + staged_first_spec(self);
    // Fewer specs than parameters are fine where the rest has defaults.
    size_t defaults =
        function->defaults != NULL ? function->defaults->count : 0;
    if (given + defaults < code->positional_count) {
        return raise_false(vm, ERR_TYPE,
                           "stage(): parameter '%s' of %s() has neither a spec "
                           "in signature= nor a default",
                           code->local_names[given]->text, self->name->text);
    }
    size_t most = code->positional_count + (size_t)code->keyword_only_count -
                  staged_first_spec(self);
    return self->options.signature->count <= most ||
           code->flags & CODE_VARARGS ||
           raise_false(vm, ERR_SIGNATURE,
                       "stage(): signature= has %zu specs, but %s() has %zu "
                       "parameters",
                       self->options.signature->count, self->name->text, most);
}

// What no spec speaks of passes through and is part of the key as always.
bool staged_fit(Vm *vm, const StagedFunction *self, const Bound *given,
                bool run, Bound *out)
{
    const Tuple *specs = self->options.signature;
    size_t first = staged_first_spec(self);
    *out = (Bound){0};
    bool ok = true;
    for (size_t i = 0; ok && i < given->values.count; i++) {
        Value v = given->values.items[i];
        // Bound values stand in the order of the parameters, so a spec's place
        // is the parameter's number without self.
        if (i < first || i - first >= specs->count) {
            ok = structure_push(vm, &out->values, value_retain(v));
            continue;
        }
        bool converted = false;
        Match match = {run ? MATCH_SIGNATURE : MATCH_SPECS, self->name->text,
                       bound_name(self->target, given, i), &converted};
        ok =
            structure_push(vm, &out->values,
                           match_value(vm, &match, specs->items[i - first], v));
        if (converted && out->converted == NULL) {
            out->converted = match.argument;
        }
    }
    out->names = given->names != NULL ? object_retain(given->names) : NULL;
    return ok;
}

// Appends the specs of a signature's tree, in the order of a walk.
static bool add_specs(Vm *vm, Value v, void *out)
{
    return value_is_kind(v, KIND_SPEC)
               ? structure_push(vm, out, value_retain(v))
               : structure_each(vm, v, add_specs, out);
}

// The walk of the specs and the walk of the fitted arguments meet the same
// leaves in the same order.
bool staged_generalise(Vm *vm, const StagedFunction *self, Signature *signature)
{
    const Tuple *asked = self->options.signature;
    size_t count = signature->tensors.count;
    size_t first = staged_first_spec(self), next = 0;
    ValueVec specs = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < asked->count; i++) {
        ok = add_specs(vm, asked->items[i], &specs);
    }
    Spec **patterns = ctx_alloc_zero(&vm->ctx, (count + 1) * sizeof(Spec *));
    ok = ok && patterns != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const TensorLeaf *leaf = &signature->tensors.items[i];
        // Two walks in step: each leaf of an argument that has specs takes the
        // next spec.
        bool asked_for = leaf->argument >= first &&
                         leaf->argument - first < asked->count &&
                         next < specs.count;
        // A tensor that no spec speaks of (self, a default) keeps its type.
        patterns[i] = asked_for
                          ? object_retain(value_object(specs.items[next++]))
                          : spec_new(vm, signature_type(signature, i), NULL);
        ok = patterns[i] != NULL;
    }
    ok = ok && signature_generalise(vm, signature, patterns);
    for (size_t i = 0; patterns != NULL && i < count; i++) {
        object_release_null(&vm->ctx, patterns[i]);
    }
    ctx_free(&vm->ctx, patterns, (count + 1) * sizeof(Spec *));
    structure_free(vm, &specs);
    return ok;
}
