// Slow paths: displays, unpacking, f-strings.
//
// Displays take their items from temporaries that stand side by side, and leave
// these empty. If one fails, the items stay where they are for the unwinding to
// release.
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/iterators/obj_iter.h"

enum { UNPACK_MOST = 8 }; // items that unpack_in_place takes

// Always true, so that it can stand in a chain of steps that may fail.
// Emptied by value_replace, which releases last: code of the program that runs
// then finds an empty register.
static bool drop_many(Vm *vm, Frame *f, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        value_replace(&vm->ctx, &f->registers[first + i], VALUE_UNBOUND);
    }
    return true;
}

// Moves the registers out into `items`.
// No count changes: the items have a new holder.
static void take_many(Frame *f, uint32_t first, uint32_t count, Value *items)
{
    for (uint32_t i = 0; i < count; i++) {
        items[i] = f->registers[first + i];
        // Or the unwinding would release the item a second time.
        f->registers[first + i] = VALUE_UNBOUND;
    }
}

// The items move out of the temporaries: no counts change.
// `slow_` functions return false with an error pending; the loop then unwinds.
bool slow_list(Vm *vm, Frame *f, Ins ins)
{
    List *list = list_new(vm, INS_C(ins));
    if (list == NULL) {
        return false;
    }
    take_many(f, INS_B(ins), INS_C(ins), list->items);
    return slow_set(vm, f, INS_A(ins), value_from_object(list));
}

bool slow_tuple(Vm *vm, Frame *f, Ins ins)
{
    if (INS_C(ins) == 0) {
        return slow_set(vm, f, INS_A(ins),
                        value_retain(value_from_object(vm->empty_tuple)));
    }
    // The items move out of the temporaries: no counts change.
    Value *items = &f->registers[INS_B(ins)];
    uint32_t count = INS_C(ins);
    Tuple *tuple = tuple_take(vm, items, count);
    if (tuple == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = VALUE_UNBOUND;
    }
    value_replace(&vm->ctx, &f->registers[INS_A(ins)],
                  value_from_object(tuple));
    return true;
}

// Hashing may fail, so that the items stay where they are until all are in.
// set_add counts what it keeps, so each item has two holders until drop_many.
bool slow_set_display(Vm *vm, Frame *f, Ins ins)
{
    Set *set = set_new(vm, false);
    if (set == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < INS_C(ins); i++) {
        if (!set_add(vm, set, f->registers[INS_B(ins) + i])) {
            object_release(&vm->ctx, set);
            return false;
        }
    }
    return drop_many(vm, f, INS_B(ins), INS_C(ins)) &&
           slow_set(vm, f, INS_A(ins), value_from_object(set));
}

// As for sets; a later pair of the same key replaces the value alone.
// C counts pairs, which take two registers each.
bool slow_dict(Vm *vm, Frame *f, Ins ins)
{
    Dict *dict = dict_new(vm);
    if (dict == NULL) {
        return false;
    }
    const Value *pair = &f->registers[INS_B(ins)];
    for (uint32_t i = 0; i < INS_C(ins); i++, pair += 2) {
        if (!dict_set(vm, dict, pair[0], pair[1])) {
            object_release(&vm->ctx, dict);
            return false;
        }
    }
    return drop_many(vm, f, INS_B(ins), 2u * INS_C(ins)) &&
           slow_set(vm, f, INS_A(ins), value_from_object(dict));
}

// The growing half of APPEND: the loop itself stores where there is room.
// A local that is unbound raises its NameError before the list is touched.
bool slow_append(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) ||
        !list_append(vm, value_as_list(f->registers[INS_A(ins)]),
                     f->registers[INS_B(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    return true;
}

// A batch of a display or argument list that is long or has a star in it.
// Items that were appended before a failure stay in the list, which is dropped
// with the frame.
bool slow_appendn(Vm *vm, Frame *f, Ins ins)
{
    for (uint32_t i = 0; i < INS_C(ins); i++) {
        if (!list_append(vm, value_as_list(f->registers[INS_A(ins)]),
                         f->registers[INS_B(ins) + i])) {
            return false;
        }
    }
    return drop_many(vm, f, INS_B(ins), INS_C(ins));
}

// The item of a set comprehension, which may be an unbound local.
bool slow_setadd(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) ||
        !set_add(vm, (Set *)value_object(f->registers[INS_A(ins)]),
                 f->registers[INS_B(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    return true;
}

// Wide or starred set displays are collected in a list first.
// The list is a temporary of the compiler's; nobody else sees it.
bool slow_setupdate(Vm *vm, Frame *f, Ins ins)
{
    if (!set_update(vm, (Set *)value_object(f->registers[INS_A(ins)]),
                    f->registers[INS_B(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    return true;
}

// Pair by pair, so that a key is hashed before the next value is computed.
// Key and value are counted by the dict, so both registers can be dropped after
// it.
bool slow_dictset(Vm *vm, Frame *f, Ins ins)
{
    if (!dict_set(vm, value_as_dict(f->registers[INS_A(ins)]),
                  f->registers[INS_B(ins)], f->registers[INS_C(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_C(ins));
    return true;
}

// Wide tuples are collected in a list, batch by batch.
// The list stays in its register until slow_set puts the tuple in its place.
bool slow_totuple(Vm *vm, Frame *f, Ins ins)
{
    List *list = value_as_list(f->registers[INS_A(ins)]);
    Tuple *tuple = tuple_from(vm, list->items, list->count);
    return tuple != NULL &&
           slow_set(vm, f, INS_A(ins), value_from_object(tuple));
}

// --- f-strings ---

// !s, !r and !a come before the format spec, which then applies to a str.
// Owned. Without a conversion it is v itself, counted once more.
static Value converted(Vm *vm, Value v, int conversion)
{
    Str *text;
    switch (conversion) {
    case 's': text = value_str(vm, v); break;
    case 'r': text = value_repr(vm, v); break;
    case 'a': text = value_ascii(vm, v); break;
    default: return value_retain(v);
    }
    return value_or_fail(text);
}

// C = B says that there is no spec, the common case.
// X is the conversion's letter or 0.
bool slow_format(Vm *vm, Frame *f, Ins ins)
{
    uint32_t b = INS_B(ins), c = INS_C(ins);
    if (!slow_bound(vm, f, b)) {
        return false;
    }
    Value v = converted(vm, f->registers[b], INS_X(ins));
    if (value_failed(v)) {
        return false;
    }
    Str *spec = b == c ? vm->empty_str : value_as_str(f->registers[c]);
    Str *text = value_format(vm, v, spec);
    release(vm, v);
    if (text == NULL) {
        return false;
    }
    value_replace(&vm->ctx, &f->registers[INS_A(ins)], value_from_object(text));
    if (b != INS_A(ins)) {
        slow_drop(vm, f, b);
    }
    if (c != b && c != INS_A(ins)) {
        slow_drop(vm, f, c);
    }
    return true;
}

// The parts of an f-string are strs by now, so one pass knows the length.
// Owned by register A in the end; nothing is left in the parts' registers.
bool slow_concat(Vm *vm, Frame *f, Ins ins)
{
    Str *text = str_of_parts(vm, &f->registers[INS_B(ins)], INS_C(ins));
    return text != NULL && drop_many(vm, f, INS_B(ins), INS_C(ins)) &&
           slow_set(vm, f, INS_A(ins), value_from_object(text));
}

// --- unpacking ---

// The items as a tuple, owned; at most `most` + 1 are read.
// The list is read to its end by the caller; NULL: an error is pending. `most`
// of UINT32_MAX means all of an iterator that may have no end, which only
// memory stops. In front of the item `list_from` a list begins, and is asked
// how long it will be.
static List *read_items(Vm *vm, Value source, uint32_t most, uint32_t list_from)
{
    Value iterator = value_iter(vm, source);
    if (value_failed(iterator)) {
        // An __iter__ of the program's own has words of its own, None too.
        if (type_of(vm, source)->slots.iter == NULL &&
            raise_is_type_error(vm)) {
            return raise_null(vm, ERR_TYPE,
                              "cannot unpack non-iterable %s object",
                              type_name(type_of(vm, source)));
        }
        return NULL;
    }
    List *list = list_new(vm, 0);
    bool ok = list != NULL;
    while (ok && list->count <= most) {
        if (list->count == list_from && !value_ask_length(vm, iterator)) {
            ok = false;
            break;
        }
        Value item = value_next(vm, iterator);
        if (value_same(item, VALUE_STOP)) {
            break;
        }
        ok = !value_failed(item) && list_append_owned(vm, list, item);
    }
    release(vm, iterator);
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return NULL;
    }
    return list;
}

// A list or tuple of as many items as are wanted is read where it stands.
// False: nothing was done, the general way is taken. Lists are left to it while
// tracing, since an access to a list is noted there.
static bool unpack_in_place(Vm *vm, Value source, Value *out, uint32_t count)
{
    const Value *items;
    if (!value_is_object(source)) {
        return false;
    }
    // A class that extends tuple may iterate as tuples do: a namedtuple.
    if (value_is_kind(source, KIND_TUPLE) &&
        value_object(source)->type->slots.iter ==
            vm->types[KIND_TUPLE]->slots.iter &&
        value_as_tuple(source)->count == count) {
        items = value_as_tuple(source)->items;
    } else if (value_object(source)->type == vm->types[KIND_LIST] &&
               value_as_list(source)->count == count && vm->trace == NULL) {
        items = value_as_list(source)->items;
    } else {
        return false;
    }
    // All are counted before a release can run code that changes the list.
    // No error from here on, so it is all or nothing.
    for (uint32_t i = 0; i < count; i++) {
        value_retain(items[i]);
    }
    // Copied, because storing the first may end the container's life.
    Value taken[UNPACK_MOST];
    memcpy(taken, items, count * sizeof *taken);
    for (uint32_t i = 0; i < count; i++) {
        value_replace(&vm->ctx, &out[i], taken[i]);
    }
    return true;
}

// One item more than wanted is read at most, so that an endless iterator fails
// instead of filling the memory. The source may be in a register that is a
// target.
bool slow_unpack(Vm *vm, Frame *f, Ins ins)
{
    uint32_t a = INS_A(ins), first = INS_B(ins), count = INS_C(ins);
    if (!slow_bound(vm, f, a)) {
        return false;
    }
    // A source that is among its own targets has been replaced by its item.
    bool inside = a >= first && a < first + count;
    if (count <= UNPACK_MOST &&
        unpack_in_place(vm, f->registers[a], &f->registers[first], count)) {
        if (!inside) {
            slow_drop(vm, f, a);
        }
        return true;
    }
    // One more than is wanted, to see that there are too many.
    List *list = read_items(vm, f->registers[a], count, UINT32_MAX);
    if (list == NULL) {
        return false;
    }
    size_t found = list->count;
    for (uint32_t i = 0; i < count && found == count; i++) {
        value_replace(&vm->ctx, &f->registers[first + i],
                      value_retain(list->items[i]));
    }
    object_release(&vm->ctx, list);
    if (found < count) {
        return raise_false(vm, ERR_VALUE,
                           "not enough values to unpack (expected %u, got %zu)",
                           (unsigned)count, found);
    }
    if (found > count) {
        return raise_false(vm, ERR_VALUE,
                           "too many values to unpack (expected %u)",
                           (unsigned)count);
    }
    if (a < first || a >= first + count) {
        slow_drop(vm, f, a);
    }
    return true;
}

// `a, *b, c = …`: C targets before the star, x behind it, the rest as a list.
// The register of the starred target is B + C; those behind it follow.
bool slow_unpackx(Vm *vm, Frame *f, Ins ins)
{
    uint32_t a = INS_A(ins), before = INS_C(ins), after = INS_X(ins);
    Value *out = &f->registers[INS_B(ins)];
    if (!slow_bound(vm, f, a)) {
        return false;
    }
    List *list = read_items(vm, f->registers[a], UINT32_MAX, before);
    if (list == NULL) {
        return false;
    }
    size_t found = list->count;
    if (found < before + after) {
        object_release(&vm->ctx, list);
        return raise_false(
            vm, ERR_VALUE,
            "not enough values to unpack (expected at least %u, got %zu)",
            (unsigned)(before + after), found);
    }
    // What the star takes, which may be nothing.
    size_t rest = found - before - after;
    List *middle = list_new(vm, rest);
    for (size_t i = 0; i < found && middle != NULL; i++) {
        // The list itself goes below.
        Value item = value_retain(list->items[i]);
        Value *place = i < before          ? &out[i]
                       : i < before + rest ? &middle->items[i - before]
                                           : &out[i - rest + 1];
        value_replace(&vm->ctx, place, item);
    }
    object_release(&vm->ctx, list);
    if (middle == NULL) {
        return false;
    }
    value_replace(&vm->ctx, &out[before], value_from_object(middle));
    slow_drop(vm, f, a);
    return true;
}
