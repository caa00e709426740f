// What is different about the arguments of two traces: each place by its path,
// with what to do about that very kind of difference.
//
// Both sides are what traces keep of their arguments: specs for tensors,
// Identities for objects, all else as it was.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/merge.h"
#include "stager/staged_fn.h"

// A walk over two trees. `out` NULL: differences are only counted.
typedef struct Diff {
    Vm *vm;
    StrBuf *out, *key;
    StrBuf path;
    bool relax; // the function generalises already
    uint32_t weight;
    bool ok;
} Diff;

// "'aaaa…zz'": what is long is told by its ends.
static void put_short(StrBuf *out, const Str *text)
{
    enum { HEAD = 48, TAIL = 20 };
    if (text->length <= HEAD + TAIL) {
        strbuf_add(out, text->text, text->length);
        return;
    }
    size_t head = HEAD, tail = text->length - TAIL;
    // Not within a character.
    while (head > 0 && ((unsigned char)text->text[head] & 0xC0) == 0x80) {
        head--;
    }
    while (((unsigned char)text->text[tail] & 0xC0) == 0x80) {
        tail++;
    }
    strbuf_add(out, text->text, head);
    strbuf_puts(out, "…");
    strbuf_add(out, text->text + tail, text->length - tail);
}

// One difference. A tensor of another size is less of one than another kind of
// value.
static void differ(Diff *diff, Value a, Value b, const char *cure,
                   uint32_t weight)
{
    diff->weight += weight;
    if (diff->out == NULL) {
        return;
    }
    Str *before = value_repr(diff->vm, a);
    Str *after = before != NULL ? value_repr(diff->vm, b) : NULL;
    diff->ok = after != NULL;
    if (diff->ok) {
        int length = (int)diff->path.length;
        const char *path = strbuf_text(&diff->path);
        strbuf_printf(diff->out, "argument %.*s: ", length, path);
        put_short(diff->out, before);
        strbuf_puts(diff->out, " -> ");
        put_short(diff->out, after);
        strbuf_printf(diff->out, "; %s\n", cure);
        if (diff->key != NULL) {
            strbuf_printf(diff->key, "%.*s %s;", length, path, cure);
        }
    }
    object_release_null(&diff->vm->ctx, before);
    object_release_null(&diff->vm->ctx, after);
}

static void compare_types(Diff *diff, Value a, Value b, TensorType old,
                          TensorType new)
{
    bool variable = value_is_kind(b, KIND_VARIABLE);
    if (old.dtype != new.dtype) {
        differ(diff, a, b,
               variable ? "a Variable of another dtype: make all of one dtype"
                        : "another dtype: cast to one dtype before the call",
               2);
    } else if (old.rank != new.rank ||
               (old.rank > 0 &&
                memcmp(old.dims, new.dims,
                       (size_t)old.rank * sizeof *old.dims) != 0)) {
        differ(diff, a, b,
               variable ? "a Variable of another shape: each shape has a trace "
                          "of its own"
               : diff->relax
                   ? "another shape: relax=True is on, and this trace takes "
                     "more shapes than the one before"
                   : "another shape: stage with relax=True, or with "
                     "signature= and None for the size",
               1);
    }
}

static bool is_variable(Value v)
{
    return value_is_kind(v, KIND_VARIABLE);
}

static void compare_variables(Diff *diff, Value a, Value b)
{
    if (value_object(a)->type != value_object(b)->type) {
        differ(diff, a, b,
               "a Variable of another class: pass Variables of one class", 2);
    } else if (value_as_variable(a)->trainable !=
               value_as_variable(b)->trainable) {
        differ(diff, a, b,
               "a Variable that is trainable against one that is not: make "
               "all of one kind",
               2);
    } else {
        compare_types(diff, a, b, operand_type(a), operand_type(b));
    }
}

// One of them is a tensor or a Variable.
static void compare_operands(Diff *diff, Value a, Value b)
{
    bool specs = value_is_kind(a, KIND_SPEC) && value_is_kind(b, KIND_SPEC);
    if (specs) {
        compare_types(diff, a, b, spec_type((Spec *)value_object(a)),
                      spec_type((Spec *)value_object(b)));
    } else if (is_variable(a) && is_variable(b)) {
        compare_variables(diff, a, b);
    } else if (is_variable(a) || is_variable(b)) {
        differ(diff, a, b,
               "a Variable against another value: pass the Variable, or its "
               "value(), each time",
               3);
    } else {
        differ(diff, a, b,
               "a tensor against a host value: pass a tensor each time", 3);
    }
}

// What has no values in it that could be passed: types, functions, modules.
static bool is_kept(Vm *vm, Value v)
{
    return value_is_callable(vm, v) || value_is_kind(v, KIND_MODULE) ||
           value_is_kind(v, KIND_DTYPE);
}

// Two objects that are told apart by identity; a dead one has no code to ask.
static const char *object_cure(Vm *vm, Value a, Value b)
{
    const Identity *first = value_identity(vm, a);
    const Identity *second = value_identity(vm, b);
    Value old = identity_value(vm, a), new = identity_value(vm, b);
    bool functions = first != NULL && second != NULL &&
                     first->kind == KIND_FUNCTION &&
                     second->kind == KIND_FUNCTION;
    if (functions && (value_unbound(old) || value_unbound(new) ||
                      ((Function *)value_object(old))->code ==
                          ((Function *)value_object(new))->code)) {
        return "a function that is made anew for each call: make it once, "
               "outside";
    }
    if (value_unbound(old) || value_unbound(new)) {
        return "another object, and the one before is gone: keep one, and "
               "pass it each time";
    }
    if (signature_is_variable(new) && signature_is_variable(old)) {
        return "another Variable, and the trace looks at which one it is, by "
               "ref(), id() or `is`: let the function find it outside";
    }
    const TypeSlots *slots = &type_of(vm, new)->slots;
    if (slots->next != NULL) {
        return "another iterator, of which a trace takes the items once: pass "
               "a list, a tensor or a dataset";
    }
    // Deques, and classes of dicts that a trace does not take apart.
    if (slots->length != NULL && slots->iter != NULL) {
        return "another object, whatever it holds: pass a list or a dict, "
               "which count by what they hold";
    }
    return functions || is_kept(vm, new)
               ? "another object, and a trace belongs to one: pass the same "
                 "each time"
               : "another object, and a trace belongs to one: pass the same "
                 "each time, or the values in it as tensors";
}

static const char *leaf_cure(Vm *vm, Value a, Value b)
{
    if (value_is_none(a) || value_is_none(b)) {
        return "None against a value, which is another signature: pass a value "
               "of one kind each time";
    }
    bool objects =
        value_identity(vm, a) != NULL || value_identity(vm, b) != NULL;
    if (objects) {
        return object_cure(vm, a, b);
    }
    return type_of(vm, a) != type_of(vm, b)
               ? "a host value of another type, which is part of the "
                 "signature: pass one type, or a tensor, tensor(...)"
               : "a host value is part of the signature: pass it as a tensor, "
                 "tensor(...)";
}

// As keys are: by value and type, all NaNs alike and both zeros apart.
static bool same_leaf(Vm *vm, Value a, Value b)
{
    if (value_same(a, b)) {
        return true;
    }
    if (!structure_is_plain(a) || !structure_is_plain(b) ||
        type_of(vm, a) != type_of(vm, b)) {
        return false;
    }
    if (value_is_float(a)) {
        double x = value_float(a), y = value_float(b);
        return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
    }
    return value_equal(vm, a, b) == 1;
}

static void compare(Diff *diff, Value a, Value b);

// The same place of both, with its step behind the path.
static void compare_child(Diff *diff, Value a, Value b, const ValueVec *keys,
                          StructureKind kind, size_t index)
{
    size_t length = diff->path.length;
    diff->ok = structure_step(diff->vm, kind, keys, index, &diff->path);
    if (diff->ok) {
        compare(diff, a, b);
    }
    diff->path.length = length;
}

static bool same_keys(Vm *vm, const ValueVec *a, const ValueVec *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = value_equal(vm, a->items[i], b->items[i]) == 1;
    }
    return same && !vm_has_error(vm);
}

static void compare_structures(Diff *diff, Value a, Value b, StructureKind kind)
{
    Vm *vm = diff->vm;
    ValueVec own = {0}, other = {0}, keys = {0}, other_keys = {0};
    diff->ok = ctx_enter(&vm->ctx);
    if (!diff->ok) {
        return;
    }
    diff->ok =
        structure_keys(vm, a, &keys) && structure_keys(vm, b, &other_keys) &&
        structure_children(vm, a, &own) && structure_children(vm, b, &other);
    if (diff->ok && !same_keys(vm, &keys, &other_keys)) {
        differ(diff, a, b,
               kind == STRUCTURE_SET
                   ? "other elements: pass the same ones each time, or a tensor"
                   : "other keys: pass the same ones each time",
               3);
    } else if (diff->ok && own.count != other.count) {
        differ(diff, a, b,
               "another length: pass one tensor, stack(...), of any length", 3);
    } else {
        for (size_t i = 0; diff->ok && i < own.count; i++) {
            compare_child(diff, own.items[i], other.items[i], &keys, kind, i);
        }
    }
    ctx_leave(&vm->ctx);
    structure_free(vm, &own);
    structure_free(vm, &other);
    structure_free(vm, &keys);
    structure_free(vm, &other_keys);
}

static void compare(Diff *diff, Value a, Value b)
{
    Vm *vm = diff->vm;
    StructureKind kind = structure_kind(vm, a);
    bool operands = value_is_kind(a, KIND_SPEC) || is_variable(a) ||
                    value_is_kind(b, KIND_SPEC) || is_variable(b);
    if (operands) {
        compare_operands(diff, a, b);
    } else if (kind != structure_kind(vm, b) ||
               (kind != STRUCTURE_LEAF && type_of(vm, a) != type_of(vm, b))) {
        differ(diff, a, b,
               value_is_none(a) || value_is_none(b)
                   ? leaf_cure(vm, a, b)
                   : "another kind of structure: pass one kind each time",
               3);
    } else if (kind != STRUCTURE_LEAF) {
        compare_structures(diff, a, b, kind);
    } else if (!same_leaf(vm, a, b)) {
        bool near = type_of(vm, a) == type_of(vm, b) ||
                    (merge_is_number(a) && merge_is_number(b));
        differ(diff, a, b, leaf_cure(vm, a, b), near ? 2 : 3);
    }
}

static bool same_names(const Concrete *a, const Concrete *b)
{
    const Tuple *own = a->bound.names, *other = b->bound.names;
    size_t count = own != NULL ? own->count : 0;
    bool same = count == (other != NULL ? other->count : 0);
    for (size_t i = 0; same && i < count; i++) {
        same = value_same(own->items[i], other->items[i]);
    }
    return same;
}

static void print_names(StrBuf *out, const Bound *bound)
{
    for (size_t i = 0; bound->names != NULL && i < bound->names->count; i++) {
        strbuf_printf(out, " '%s'", value_as_str(bound->names->items[i])->text);
    }
}

// The names that **kwargs collects, or how many arguments *args does.
static void compare_names(Diff *diff, const Concrete *a, const Concrete *b)
{
    enum { ANOTHER_CALL = 100 };
    diff->weight += ANOTHER_CALL;
    if (diff->out == NULL) {
        return;
    }
    if (same_names(a, b)) {
        strbuf_printf(diff->out,
                      "%zu arguments instead of %zu: pass one tensor, "
                      "stack(...), of any length\n",
                      b->bound.values.count, a->bound.values.count);
        return;
    }
    strbuf_puts(diff->out, "the keywords are");
    print_names(diff->out, &b->bound);
    strbuf_puts(diff->out, " and were");
    print_names(diff->out, &a->bound);
    strbuf_puts(diff->out, ": pass the same names each time\n");
}

// How many parameters have a name of their own and no keyword's place; what
// stands behind them is collected by *args.
static size_t own_count(const Concrete *trace)
{
    return value_is_kind(trace->target, KIND_FUNCTION)
               ? ((const Function *)value_object(trace->target))
                     ->code->positional_count
               : SIZE_MAX;
}

static bool is_collected(const Concrete *trace, size_t index)
{
    return index >= own_count(trace) && index < bound_positional(&trace->bound);
}

// Parameters are compared by their place; the names are those of `b`.
bool why_compare(Vm *vm, const Concrete *a, const Concrete *b, bool relax,
                 StrBuf *out, StrBuf *key, uint32_t *weight)
{
    Diff diff = {.vm = vm, .out = out, .key = key, .relax = relax, .ok = true};
    strbuf_init(&diff.path, &vm->ctx);
    size_t count = b->bound.values.count;
    if (a->bound.values.count != count || !same_names(a, b)) {
        count = 0;
        compare_names(&diff, a, b);
    }
    for (size_t i = 0; diff.ok && i < count; i++) {
        const char *name = bound_name(b->target, &b->bound, i);
        bool deep =
            structure_kind(vm, b->bound.values.items[i]) != STRUCTURE_LEAF &&
            structure_kind(vm, a->bound.values.items[i]) ==
                structure_kind(vm, b->bound.values.items[i]);
        diff.path.length = 0;
        if (is_collected(b, i)) {
            strbuf_printf(&diff.path, "%s[%zu]", name, i - own_count(b));
        } else {
            strbuf_printf(&diff.path, deep ? "%s" : "'%s'", name);
        }
        compare(&diff, a->bound.values.items[i], b->bound.values.items[i]);
    }
    *weight = diff.weight;
    diff.ok = diff.ok && strbuf_ok(&diff.path);
    strbuf_free(&diff.path);
    return diff.ok;
}
