// What list and tuple share: comparison, printing, iteration, arguments.
//
// Code of the program may run within any comparison or repr and change the list
// at hand. So no pointer to items is kept over such a call; they are fetched
// anew.
#include "interp/objects/containers/sequence.h"

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"

static const Value *items_of(Value v, size_t *count)
{
    if (value_object(v)->kind == KIND_LIST) {
        *count = value_as_list(v)->count;
        return value_as_list(v)->items;
    }
    *count = value_as_tuple(v)->count;
    return value_as_tuple(v)->items;
}

// Far below the limit nothing overflows, and memory is what lacks.
Value sequence_too_long(Vm *vm, const char *what, size_t length, int64_t times)
{
    return times > PTRDIFF_MAX / (int64_t)length
               ? raise_error(vm, ERR_OVERFLOW, "repeated %s too long", what)
               : (ctx_fail_memory(&vm->ctx), VALUE_FAIL);
}

// Where one sequence is the beginning of the other, the shorter one is less.
static Value compare_counts(CompareOp op, size_t a, size_t b)
{
    switch (op) {
    case COMPARE_LT: return value_from_bool(a < b);
    case COMPARE_LE: return value_from_bool(a <= b);
    case COMPARE_EQ: return value_from_bool(a == b);
    case COMPARE_NE: return value_from_bool(a != b);
    case COMPARE_GT: return value_from_bool(a > b);
    default: return value_from_bool(a >= b);
    }
}

// Whether two items are equal: a bool, or a tensor that only a run knows.
static Value equal_items(Vm *vm, Value x, Value y)
{
    Value equal = value_compare(vm, COMPARE_EQ, x, y);
    if (value_failed(equal) || value_is_bool(equal)) {
        return equal;
    }
    Value late = value_is_kind(equal, KIND_SYMBOLIC)
                     ? number_traced_cast(vm, equal, vm->bool_type)
                     : VALUE_UNBOUND;
    int truth = value_unbound(late) ? value_truth(vm, equal) : 0;
    release(vm, equal);
    return !value_unbound(late) ? late
           : truth < 0          ? VALUE_FAIL
                                : value_from_bool(truth > 0);
}

// `so_far` and the next one, both taken.
static Value both_equal(Vm *vm, Value so_far, Value equal)
{
    if (value_same(so_far, VALUE_TRUE) || value_failed(equal) ||
        value_same(equal, VALUE_FALSE)) {
        release(vm, so_far);
        return equal;
    }
    Value both = value_same(equal, VALUE_TRUE)
                     ? value_retain(so_far)
                     : value_binary(vm, BINARY_AND, so_far, equal);
    release(vm, so_far);
    release(vm, equal);
    return both;
}

// == and != of two sequences of one length in a trace: where sizes are tensors,
// whether two shapes are equal is one, too.
static Value traced_equal(Vm *vm, CompareOp op, Value a, Value b)
{
    Value so_far = VALUE_TRUE;
    for (size_t i = 0; !value_failed(so_far); i++) {
        size_t left, right;
        const Value *x = items_of(a, &left), *y = items_of(b, &right);
        if (i >= left || i >= right || value_same(so_far, VALUE_FALSE)) {
            break;
        }
        Value first = value_retain(x[i]), second = value_retain(y[i]);
        if (!ctx_poll(&vm->ctx)) {
            so_far = both_equal(vm, so_far, VALUE_FAIL);
        } else if (!value_same(first, second)) {
            so_far = both_equal(vm, so_far, equal_items(vm, first, second));
        }
        release(vm, first);
        release(vm, second);
    }
    if (op == COMPARE_EQ || value_failed(so_far)) {
        return so_far;
    }
    Value differs = value_opposite(vm, so_far);
    release(vm, so_far);
    return differs;
}

static Value compare_pair(Vm *vm, CompareOp op, Value x, Value y)
{
    if (op == COMPARE_EQ || op == COMPARE_NE) {
        return value_from_bool(op == COMPARE_NE);
    }
    return value_compare(vm, op, x, y);
}

// Lexicographic, by the first pair that differs. Both sequences are read anew
// for each pair and the pair is retained, because an __eq__ may change a list
// that is being compared. NOT_IMPLEMENTED stands for "equal so far" within the
// loop.
Value sequence_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (!value_is_object(a) || !value_is_object(b) ||
        value_object(a)->kind != value_object(b)->kind) {
        return VALUE_NOT_IMPLEMENTED;
    }
    size_t left, right;
    items_of(a, &left);
    items_of(b, &right);
    // Unequal lengths settle equality without looking at an item.
    if (left != right && (op == COMPARE_EQ || op == COMPARE_NE)) {
        return value_from_bool(op == COMPARE_NE);
    }
    if (vm->trace != NULL && (op == COMPARE_EQ || op == COMPARE_NE)) {
        return traced_equal(vm, op, a, b);
    }
    for (size_t i = 0;; i++) {
        // Read anew: a comparison may change a list.
        const Value *x = items_of(a, &left), *y = items_of(b, &right);
        if (i >= left || i >= right) {
            return compare_counts(op, left, right);
        }
        Value first = x[i], second = y[i];
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            return VALUE_FAIL;
        }
        if (value_same(first, second)) {
            continue;
        }
        if (value_both_ints(first, second)) {
            return compare_pair(vm, op, first, second);
        }
        value_retain(first);
        value_retain(second);
        int equal = value_equal(vm, first, second);
        Value result = equal < 0 || !ctx_poll(&vm->ctx) ? VALUE_FAIL
                       : equal                          ? VALUE_NOT_IMPLEMENTED
                               : compare_pair(vm, op, first, second);
        release(vm, first);
        release(vm, second);
        if (equal <= 0 || value_failed(result)) {
            return result;
        }
    }
}

// A walk along the chain: nesting is seldom deep, and no object needs a flag
// that an error on the way would leave set.
bool repr_enter(Vm *vm, Value self, ReprGuard *guard)
{
    Object *object = value_object(self);
    for (ReprGuard *at = vm->printing; at != NULL; at = at->outer) {
        if (at->object == object) {
            return false;
        }
    }
    // The guard stands on the C stack of the caller until repr_leave.
    *guard = (ReprGuard){.object = object, .outer = vm->printing};
    vm->printing = guard;
    return true;
}

// Guards are left in the reverse order of their entering, on all ways out.
void repr_leave(Vm *vm, ReprGuard *guard)
{
    vm->printing = guard->outer;
}

// The value is held because its __repr__ may remove it from the container.
// Polls, so that the printing of a long container can be interrupted.
bool repr_append(Vm *vm, StrBuf *out, Value v)
{
    value_retain(v);
    Str *text = value_repr(vm, v);
    release(vm, v);
    if (text == NULL) {
        return false;
    }
    strbuf_add(out, text->text, text->length);
    object_release(&vm->ctx, text);
    return strbuf_ok(out) && ctx_poll(&vm->ctx);
}

// The items are fetched anew for each one, since a __repr__ may change the
// list. A tuple of one item ends in a comma.
Value sequence_repr(Vm *vm, Value self, const char *open, const char *close)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_puts(&out, open);
    ReprGuard guard;
    if (!repr_enter(vm, self, &guard)) {
        strbuf_puts(&out, "...");
        strbuf_puts(&out, close);
    } else {
        bool ok = true;
        size_t count, i;
        items_of(self, &count);
        for (i = 0; ok && i < count; i++) {
            strbuf_puts(&out, i > 0 ? ", " : "");
            // A repr may change the list, so its items are read anew each time.
            ok = repr_append(vm, &out, items_of(self, &count)[i]);
            items_of(self, &count);
        }
        repr_leave(vm, &guard);
        if (!ok) {
            strbuf_free(&out);
            return VALUE_FAIL;
        }
        // A tuple of one item needs its comma.
        strbuf_puts(&out, i == 1 && open[0] == '(' ? "," : "");
        strbuf_puts(&out, close);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// The length is read at each step: items appended during a loop are seen. At
// the end the sequence is let go, so that an exhausted iterator stays exhausted
// even if the list grows.
Value sequence_walk(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    size_t count;
    const Value *items = items_of(self->state[0], &count);
    if (self->position < count) {
        return value_retain(items[self->position++]);
    }
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

Value sequence_iter(Vm *vm, Value self)
{
    Iterator *iterator =
        iterator_new(vm, &iterator_counted_def,
                     value_object(self)->kind == KIND_LIST ? "list_iterator"
                                                           : "tuple_iterator",
                     sequence_walk);
    if (iterator == NULL) {
        return VALUE_FAIL;
    }
    iterator->state[0] = value_retain(self);
    return value_from_object(iterator);
}

// Constructors get their arguments as a tuple and a dict, not spread over
// parameters, so they check the number by themselves.
bool arguments_check(Vm *vm, const char *name, Tuple *args, Dict *keywords,
                     size_t most)
{
    if (keywords != NULL && keywords->count != 0) {
        return raise_false(vm, ERR_TYPE, "%s() takes no keyword arguments",
                           name);
    }
    if (args->count > most) {
        return raise_false(vm, ERR_TYPE,
                           "%s expected at most %zu argument%s, got %zu", name,
                           most, most == 1 ? "" : "s", args->count);
    }
    return true;
}

// A subclass with an __init__ of its own may take keywords that the built-in
// constructor does not know.
Dict *arguments_keywords(Vm *vm, const Type *cls, Dict *keywords)
{
    return cls->slots.init == vm->object_type->slots.init ? keywords : NULL;
}

// Linear, because constructors have few parameters. `out` is borrowed.
static bool spread_keyword(Vm *vm, const char *name, Value key, Value value,
                           const char *const *params, size_t count, Value *out)
{
    size_t i = 0;
    while (i < count && !str_is(value_as_str(key), params[i])) {
        i++;
    }
    const char *text = value_as_str(key)->text;
    if (i == count) {
        return raise_false(vm, ERR_TYPE,
                           "'%s' is an invalid keyword argument for %s()", text,
                           name);
    }
    if (!value_unbound(out[i])) {
        return raise_false(vm, ERR_TYPE,
                           "argument for %s() given by name ('%s') and "
                           "position (%zu)",
                           name, text, i + 1);
    }
    out[i] = value;
    return true;
}

// The value of the keyword `name`, borrowed; UNBOUND: not given.
static Value keyword_value(const Dict *keywords, const char *name)
{
    uint32_t position = 0;
    Value key, value;
    while (keywords != NULL && dict_next(keywords, &position, &key, &value)) {
        if (str_is(value_as_str(key), name)) {
            return value;
        }
    }
    return VALUE_UNBOUND;
}

// As the binding of a Duet function, but for constructors in C, without
// defaults: those are the caller's. The faults are looked for in a fixed order:
// too many, one missing, then what a keyword is not.
bool arguments_spread(Vm *vm, const char *name, Tuple *args, Dict *keywords,
                      const char *const *params, size_t count, size_t needed,
                      Value *out)
{
    size_t named = keywords == NULL ? 0 : keywords->count;
    if (args->count + named > count) {
        return raise_false(vm, ERR_TYPE,
                           "%s() takes at most %zu %sargument%s (%zu given)",
                           name, count, args->count == 0 ? "keyword " : "",
                           count == 1 ? "" : "s", args->count + named);
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = i < args->count ? args->items[i] : VALUE_UNBOUND;
        if (i >= args->count && i < needed &&
            value_unbound(keyword_value(keywords, params[i]))) {
            return raise_false(vm, ERR_TYPE,
                               "%s() missing required argument '%s' (pos %zu)",
                               name, params[i], i + 1);
        }
    }
    uint32_t position = 0;
    Value key, value;
    while (named != 0 && dict_next(keywords, &position, &key, &value)) {
        if (!spread_keyword(vm, name, key, value, params, count, out)) {
            return false;
        }
    }
    return true;
}

bool arguments_text(Vm *vm, const char *name, const char *param, Value v)
{
    return value_unbound(v) || value_is_str(v) ||
           raise_false(vm, ERR_TYPE, "%s() argument '%s' must be str, not %s",
                       name, param, type_name_given(vm, v));
}

// One end of a range, clipped: to one beyond the count if it lies behind all.
static bool clip_end(Vm *vm, Value v, size_t count, size_t otherwise,
                     size_t *out)
{
    int64_t at;
    if (!slice_part(vm, v, (int64_t)otherwise, &at)) {
        return false;
    }
    at += at < 0 ? (int64_t)count : 0;
    *out = at < 0 ? 0 : (size_t)at > count ? count + 1 : (size_t)at;
    return true;
}

// The ends are clipped one by one: start may be after stop, and is so where it
// lies behind the end, so that not even an empty text is found there.
bool sequence_range(Vm *vm, Value start, Value stop, size_t count, size_t *from,
                    size_t *to)
{
    if (!clip_end(vm, start, count, 0, from) ||
        !clip_end(vm, stop, count, count, to)) {
        return false;
    }
    *to = *to > count ? count : *to;
    return true;
}
