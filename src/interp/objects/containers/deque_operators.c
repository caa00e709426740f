// + and * of deques, in place too: those of a sequence.
//
// Invariant: a slot declines what is no deque or no count; the words of the
// error, and the turn of the right side before it, are protocol_binary.c's.
#include "interp/objects/containers/obj_deque.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"

// What copy() makes: the class is called with the deque, and with its maxlen
// where it has one. Owned.
static Value copy_of(Vm *vm, Value self)
{
    int64_t most = deque_most(self);
    Value args[2] = {self, value_from_small(most < 0 ? 0 : most)};
    Value cls = value_from_object(type_of(vm, self));
    Value made = vm_call(vm, cls, args, most < 0 ? 1 : 2);
    if (value_failed(made) || deque_is(made)) {
        return made;
    }
    raise_error(vm, ERR_TYPE, "%s() must return a deque, not %s",
                type_name(type_of(vm, self)), type_name(type_of(vm, made)));
    release(vm, made);
    return VALUE_FAIL;
}

// What one item or many have become `times` over. A maxlen keeps the last
// ones, so that no more rounds are made than fill it.
static bool add_rounds(Vm *vm, Value self, int64_t length, int64_t times)
{
    int64_t most = deque_most(self);
    if (length > PTRDIFF_MAX / (int64_t)sizeof(Value) / times) {
        return ctx_fail_memory(&vm->ctx);
    }
    if (most >= 0 && times * length > most) {
        times = (most + length - 1) / length;
    }
    Tuple *items = value_to_tuple(vm, self);
    bool done = items != NULL;
    for (int64_t i = 1; done && i < times; i++) {
        done = deque_extend(vm, self, value_from_object(items));
    }
    object_release_null(&vm->ctx, items);
    return done;
}

static bool repeat(Vm *vm, Value self, Value times)
{
    int64_t count;
    if (!value_to_count(vm, times, &count)) {
        return false;
    }
    int64_t length = (int64_t)deque_count(self);
    if (length == 0 || count == 1) {
        return true;
    }
    return count > 0 ? add_rounds(vm, self, length, count)
                     : deque_empty(vm, self);
}

// Of two deques a third, of the left one's class; or one, so many times.
Value deque_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool left = deque_is(a);
    Value self = left ? a : b, other = left ? b : a;
    bool times = op == BINARY_MUL && value_is_index(vm, other);
    if (!times && (op != BINARY_ADD || !left || !deque_is(b))) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Value made = copy_of(vm, self);
    if (!value_failed(made) &&
        !(times ? repeat(vm, made, other) : deque_extend(vm, made, other))) {
        release(vm, made);
        return VALUE_FAIL;
    }
    return made;
}

Value deque_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool adds = op == BINARY_ADD;
    if (!adds && (op != BINARY_MUL || !value_is_index(vm, b))) {
        return VALUE_NOT_IMPLEMENTED;
    }
    return (adds ? deque_extend(vm, a, b) : repeat(vm, a, b)) ? value_retain(a)
                                                              : VALUE_FAIL;
}
