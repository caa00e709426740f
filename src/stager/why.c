// Why a call traced. The two traces' arguments are compared part by part of
// their keys, since the keys are what look-up compares; what differs is told
// with what to do about that very kind of difference.
#include "stager/why.h"

#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

// Both traces are held, so that they can be compared when somebody asks.
void why_free(Vm *vm, Why *why)
{
    object_release_null(&vm->ctx, why->old);
    object_release_null(&vm->ctx, why->made);
    object_release_null(&vm->ctx, why->frozen);
    source_release(&vm->ctx, why->source);
    *why = (Why){0};
}

uint32_t why_caller(Vm *vm, Source **source)
{
    const Frame *frame = vm->frame;
    while (frame != NULL && frame > vm->frames &&
           frame->code->source->library) {
        frame--;
    }
    *source = frame != NULL ? frame->code->source : NULL;
    if (*source == NULL) {
        return 0;
    }
    Span span =
        code_span(frame->code, (uint32_t)(frame->pc - frame->code->words));
    return source_place(*source, span.start).line;
}

// The comparison itself waits until it is asked for: tracing stays quick.
bool why_begin(Vm *vm, Why *why, Concrete *old)
{
    // A frozen value that was found changed has been noted already.
    Str *frozen = why->frozen;
    why->frozen = NULL;
    why_free(vm, why);
    why->frozen = frozen;
    why->old = old != NULL ? object_retain(old) : NULL;
    why->line = why_caller(vm, &why->source);
    if (why->source != NULL) {
        (void)source_retain(why->source);
    }
    return true;
}

// A trace that failed leaves the last one that was made in place.
void why_end(Vm *vm, Why *why, Concrete *made)
{
    object_release_null(&vm->ctx, why->made);
    why->made = object_retain(made);
}

// What to do about an argument that was `a` and is `b`.
static const char *cure(Vm *vm, Value a, Value b)
{
    if (value_is_kind(a, KIND_SPEC) && value_is_kind(b, KIND_SPEC)) {
        return ((const Spec *)value_object(a))->dtype !=
                       ((const Spec *)value_object(b))->dtype
                   ? "another dtype: cast to one dtype before the call"
                   : "another shape: stage with relax=True, or with "
                     "signature= and None for the size";
    }
    // Only one of them was a tensor.
    if (value_is_kind(a, KIND_SPEC) || value_is_kind(b, KIND_SPEC)) {
        return "a tensor against a host value: pass a tensor each time";
    }
    if (value_is_integer(a) || value_is_float(a) || value_is_bool(a) ||
        value_is_str(a)) {
        return "a host value is part of the signature: pass it as a tensor, "
               "tensor(...)";
    }
    return structure_kind(vm, a) != STRUCTURE_LEAF
               ? "another structure, or another value in it"
               : "another object: a trace belongs to the object that it was "
                 "made with";
}

// "argument 'x': old -> new; cure". `key` (NULL: nobody asks) gets what stays
// the same when other values differ in the same way.
static bool add_difference(Vm *vm, StrBuf *out, StrBuf *key, const Why *why,
                           size_t i)
{
    Value a = why->old->bound.values.items[i];
    Value b = why->made->bound.values.items[i];
    Str *before = value_repr(vm, a);
    Str *after = before != NULL ? value_repr(vm, b) : NULL;
    if (after != NULL) {
        strbuf_printf(out, "argument '%s': %s -> %s; %s\n",
                      bound_name(why->made->target, &why->made->bound, i),
                      before->text, after->text, cure(vm, a, b));
        if (key != NULL) {
            strbuf_printf(key, "%zu %s;", i, cure(vm, a, b));
        }
    }
    object_release_null(&vm->ctx, before);
    object_release_null(&vm->ctx, after);
    return after != NULL;
}

// Whether argument `i` has the same part of both keys.
static bool same_part(const Signature *a, const Signature *b, size_t i)
{
    // A part runs from the end of the one before it to its own end.
    size_t from_a = i > 0 ? a->ends.items[i - 1] : 0;
    size_t from_b = i > 0 ? b->ends.items[i - 1] : 0;
    size_t length = a->ends.items[i] - from_a;
    return length == b->ends.items[i] - from_b &&
           memcmp(strbuf_text(&a->key) + from_a, strbuf_text(&b->key) + from_b,
                  length) == 0;
}

// A line for each argument that differs. *found: there was one.
static bool add_differences(Vm *vm, StrBuf *out, StrBuf *key, const Why *why,
                            bool *found)
{
    // Both keys are made anew: a Concrete keeps its key but not the ends of
    // its parts. `b` is empty so that freeing it is right if `a` fails.
    Signature a, b = {0};
    bool ok =
        signature_make(vm, why->old->target, &why->old->bound, true, &a) &&
        signature_make(vm, why->made->target, &why->made->bound, true, &b);
    *found = false;
    if (ok && a.ends.count != b.ends.count) {
        strbuf_printf(out, "%zu arguments instead of %zu\n", b.ends.count,
                      a.ends.count);
        *found = true;
    }
    for (size_t i = 0; ok && !*found && i < a.ends.count; i++) {
        if (!same_part(&a, &b, i)) {
            ok = add_difference(vm, out, key, why, i);
        }
    }
    *found = *found || out->length > 0;
    signature_free(vm, &a);
    signature_free(vm, &b);
    return ok;
}

// In the order in which they rule one another out.
static bool add_reason(Vm *vm, StrBuf *out, StrBuf *key, const Why *why)
{
    bool found;
    if (why->frozen != NULL) {
        strbuf_printf(out,
                      "%s has changed (frozen='retrace'); pass it as an "
                      "argument if it changes often\n",
                      why->frozen->text);
        return true;
    }
    if (why->old == NULL) {
        strbuf_puts(out, "it was the first\n");
        return true;
    }
    StrBuf lines;
    strbuf_init(&lines, &vm->ctx);
    bool ok =
        add_differences(vm, &lines, key, why, &found) && strbuf_ok(&lines);
    // All arguments alike: the difference is in what look-up compares beside
    // the key.
    strbuf_puts(out, found ? strbuf_text(&lines)
                           : "its Variables, or what it captured of an "
                             "enclosing trace, are others, or its trace had "
                             "been dropped (max_traces)\n");
    strbuf_free(&lines);
    return ok;
}

// The call's place, then the reason; the last line's end is left out.
bool why_print(Vm *vm, const Why *why, StrBuf *out, StrBuf *key)
{
    // An entry of the prompt has line numbers of its own, so its name is told;
    // a command that called the function itself has no line.
    const char *name = why->source != NULL ? why->source->name : "";
    if (why_is_command(why)) {
        strbuf_puts(out, "by a command: ");
    } else {
        strbuf_printf(
            out, "by the call at %s%sline %u: ", name[0] == '<' ? name : "",
            name[0] == '<' ? ", " : "", why->line);
    }
    bool ok = add_reason(vm, out, key, why);
    if (ok && strbuf_ok(out) && out->length > 0) {
        out->text[--out->length] = '\0';
    }
    return ok && strbuf_ok(out);
}

// None before the first trace.
Value why_method(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    const StagedFunction *staged = staged_from(vm, args[1], "why");
    if (staged == NULL) {
        return VALUE_FAIL;
    }
    // Known only when a trace is done: one that is under way has no `made`
    // yet.
    const Why *why = &staged->why;
    if (why->made == NULL) {
        return VALUE_NONE;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "trace %zu of %s, ", why->made->number,
                  why->made->name->text);
    bool ok = why_print(vm, why, &out, NULL);
    Str *text = ok ? str_from_buf(vm, &out) : NULL;
    if (!ok) {
        strbuf_free(&out);
    }
    return text != NULL ? str_value(text) : VALUE_FAIL;
}
