// Fitting arguments to a pattern.
#include "stager/match.h"

#include "graph/build.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_convert.h"

// "float32 of shape (2, None)", as the program itself writes it.
static void print_type(StrBuf *out, TensorType type)
{
    strbuf_puts(out, dtype_name(type.dtype));
    if (type.rank == RANK_UNKNOWN) {
        strbuf_puts(out, " of any shape");
    } else {
        strbuf_puts(out, " of shape ");
        shape_print(out, type.rank, type.dims);
    }
}

// What makes both fit: the caller's side of a dtype, the spec's of a shape.
static void print_cure(StrBuf *out, const Match *match, TensorType asked,
                       TensorType given)
{
    if (asked.dtype != given.dtype) {
        strbuf_printf(out, "; call it with cast(%s, %s)", match->argument,
                      dtype_name(asked.dtype));
        return;
    }
    if (asked.rank != given.rank) {
        strbuf_printf(out, "; spec(None, %s) takes any shape",
                      dtype_name(asked.dtype));
        return;
    }
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < given.rank; i++) {
        dims[i] = asked.dims[i] == given.dims[i] ? given.dims[i] : -1;
    }
    strbuf_puts(out, "; spec(");
    shape_print(out, given.rank, dims);
    strbuf_printf(out, ", %s) takes it", dtype_name(asked.dtype));
}

// "f: argument 'x' is float32 of shape (2, 2), but float32 of shape (None,)
// is what the signature asks for; spec((None, None), float32) takes it".
static Value misfit(Vm *vm, const Match *match, ErrorKind kind,
                    const Spec *spec, TensorType given)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "%s: argument '%s' is ", match->function,
                  match->argument);
    print_type(&out, given);
    strbuf_puts(&out, ", but ");
    print_type(&out, spec_type(spec));
    bool concrete = match->mode == MATCH_CONCRETE;
    strbuf_puts(&out, concrete ? " is what it was traced with"
                               : " is what the signature asks for");
    // A tensor of any shape has no spec of its own that would do.
    if (!concrete && given.rank != RANK_UNKNOWN) {
        print_cure(&out, match, spec_type(spec), given);
    }
    if (strbuf_ok(&out)) {
        raise_error(vm, concrete ? kind : ERR_SIGNATURE, "%s",
                    strbuf_text(&out));
    }
    strbuf_free(&out);
    return VALUE_FAIL;
}

// The pending conversion error, named and as a SignatureError where that is
// what the mode raises.
static Value misconverted(Vm *vm, const Match *match)
{
    // An exception that code of the program raised is passed on as it is, and
    // so is a lack of memory, which no other wording would help.
    if (!ctx_failed(&vm->ctx) || vm->ctx.error.kind == ERR_MEMORY) {
        return VALUE_FAIL;
    }
    ErrorKind kind =
        match->mode == MATCH_CONCRETE ? vm->ctx.error.kind : ERR_SIGNATURE;
    // The conversion's text opens with the function's name already.
    size_t own = strlen(match->function);
    const char *why = vm->ctx.error.text;
    if (strncmp(why, match->function, own) == 0 &&
        strncmp(why + own, ": ", 2) == 0) {
        why += own + 2;
    }
    Str *text = str_printf(vm, "argument '%s': %s", match->argument, why);
    if (text != NULL) {
        raise_clear(vm);
        raise_error(vm, kind, "%s: %s", match->function, text->text);
        object_release(&vm->ctx, text);
    }
    return VALUE_FAIL;
}

static void tell_converted(const Match *match)
{
    if (match->converted != NULL) {
        *match->converted = true;
    }
}

// Tensors must be of the dtype: a conversion of theirs would cost time that the
// program does not show. Host values have no dtype yet and take it.
static Value match_tensor(Vm *vm, const Match *match, const Spec *spec,
                          Value given)
{
    // Symbolic tensors are fitted like eager ones; where the spec does not
    // leave their unknown sizes open, the graph looks at them when it runs.
    if (value_is_operand(given)) {
        TensorType type = operand_type_now(vm, given);
        if (type.dtype != spec->dtype) {
            return misfit(vm, match, ERR_DTYPE, spec, type);
        }
        if (!graph_type_covers(spec_type(spec), type)) {
            if (!value_is_kind(given, KIND_SYMBOLIC) ||
                !tensor_type_may_be(spec_type(spec), type)) {
                return misfit(vm, match, ERR_SHAPE, spec, type);
            }
            AttrValue shape = attr_of_ints(spec->dims, (size_t)spec->rank);
            return apply_one(vm, OP_ENSURE_SHAPE, &given, 1, &shape);
        }
        // A Variable where a tensor is asked for: its value now.
        if (value_is_kind(given, KIND_VARIABLE)) {
            tell_converted(match);
            return variable_read(vm, value_as_variable(given));
        }
        return value_retain(given);
    }
    // f.concrete() may be given specs: narrower ones name the same trace.
    if (match->mode == MATCH_SPECS && value_is_kind(given, KIND_SPEC)) {
        TensorType type = spec_type((Spec *)value_object(given));
        return type.dtype == spec->dtype &&
                       graph_type_covers(spec_type(spec), type)
                   ? value_from_object(object_retain((Object *)spec))
                   : misfit(vm, match, ERR_SHAPE, spec, type);
    }
    // Asked before converting: the conversion's own error would speak of the
    // value and not of the parameter.
    if (!value_is_convertible(vm, given)) {
        return raise_error(vm, ERR_SIGNATURE,
                           "%s: argument '%s' is a '%s' object, which cannot "
                           "be a %s tensor",
                           match->function, match->argument,
                           type_name(type_of(vm, given)),
                           dtype_name(spec->dtype));
    }
    Value made = tensor_from_value(vm, match->function, given, spec->dtype);
    if (value_failed(made)) {
        return misconverted(vm, match);
    }
    tell_converted(match);
    if (!graph_type_covers(spec_type(spec), operand_type(made))) {
        misfit(vm, match, ERR_SHAPE, spec, operand_type(made));
        release(vm, made);
        return VALUE_FAIL;
    }
    return made;
}

// Keys of two dicts or dataclasses, in the order of a walk, are equal.
static int same_keys(Vm *vm, Value a, Value b)
{
    // 1: equal, 0: not, -1: an error is pending. Sorted order makes equal sets
    // of keys equal lists.
    ValueVec own = {0}, other = {0};
    int same = structure_keys(vm, a, &own) && structure_keys(vm, b, &other)
                   ? own.count == other.count
                   : -1;
    for (size_t i = 0; same > 0 && i < own.count; i++) {
        same = value_equal(vm, own.items[i], other.items[i]);
    }
    structure_free(vm, &own);
    structure_free(vm, &other);
    return same;
}

// The items are fitted in place and the given structure is made anew.
static Value match_children(Vm *vm, const Match *match, Value pattern,
                            Value given)
{
    ValueVec asked = {0}, items = {0};
    Value result = VALUE_FAIL;
    // The items are those of the call, owned by the vector; each is replaced
    // by what fits.
    bool ok = structure_children(vm, pattern, &asked) &&
              structure_children(vm, given, &items);
    if (ok && asked.count != items.count) {
        ok = raise_false(
            vm, ERR_SIGNATURE, "%s: argument '%s' has %zu items, not %zu",
            match->function, match->argument, items.count, asked.count);
    }
    // Errors name the item: its way from the parameter.
    StructureKind kind = structure_kind(vm, pattern);
    ValueVec keys = {0};
    StrBuf path;
    strbuf_init(&path, &vm->ctx);
    ok = ok && structure_keys(vm, pattern, &keys);
    for (size_t i = 0; ok && i < items.count; i++) {
        path.length = 0;
        strbuf_puts(&path, match->argument);
        ok = structure_step(vm, kind, &keys, i, &path) && strbuf_ok(&path);
        Match inner = *match;
        inner.argument = ok ? strbuf_text(&path) : NULL;
        Value fit = ok ? match_value(vm, &inner, asked.items[i], items.items[i])
                       : VALUE_FAIL;
        ok = !value_failed(fit);
        if (ok) {
            value_replace(&vm->ctx, &items.items[i], fit);
        }
    }
    if (ok) {
        result = structure_rebuild(vm, given, &items);
    }
    strbuf_free(&path);
    structure_free(vm, &keys);
    structure_free(vm, &asked);
    structure_free(vm, &items);
    return result;
}

// Leaves of the pattern that are no specs stand for host values; whether those
// are equal is for the keys to say.
Value match_value(Vm *vm, const Match *match, Value pattern, Value given)
{
    if (value_is_kind(pattern, KIND_SPEC)) {
        return match_tensor(vm, match, (const Spec *)value_object(pattern),
                            given);
    }
    StructureKind kind = structure_kind(vm, pattern);
    // What is no tensor is no matter of the signature's types.
    if (kind == STRUCTURE_LEAF || kind == STRUCTURE_SET) {
        return value_retain(given);
    }
    if (structure_kind(vm, given) != kind) {
        return raise_error(
            vm, ERR_SIGNATURE, "%s: argument '%s' is a '%s', not a '%s'",
            match->function, match->argument, type_name(type_of(vm, given)),
            type_name(type_of(vm, pattern)));
    }
    // Children are matched by position, which is right only if keys and names
    // are equal.
    bool keyed = kind == STRUCTURE_DICT || kind == STRUCTURE_DATACLASS;
    int same = keyed ? same_keys(vm, pattern, given) : 1;
    if (same <= 0) {
        return same < 0 ? VALUE_FAIL
                        : raise_error(vm, ERR_SIGNATURE,
                                      "%s: argument '%s' has other keys than "
                                      "the signature",
                                      match->function, match->argument);
    }
    // Structures may be nested as deep as the host nests them.
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value result = match_children(vm, match, pattern, given);
    ctx_leave(&vm->ctx);
    return result;
}
