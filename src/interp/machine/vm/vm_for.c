// Slow paths: loops, and asking the iterator of `yield from`.
//
// The hidden state of a loop: (RANGE_MARK, next, left, step), or (list or
// tuple, index), or (iterator).
#include "interp/machine/vm/vm_fast.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/obj_generator.h"
#include "interp/objects/iterators/obj_iter.h"

// Exactly list, tuple or str: a subclass may have an __iter__ of its own. The
// characters of an ASCII str are shared objects.
// Not in a way that a program could see: the loop reads the length anew at each
// step, as iterators do.
static bool walks_in_place(Vm *vm, Value v)
{
    if (!value_is_object(v)) {
        return false;
    }
    const Type *type = value_object(v)->type;
    return type == vm->types[KIND_LIST] || type == vm->types[KIND_TUPLE] ||
           (type == vm->types[KIND_STR] && vm->trace == NULL &&
            value_as_str(v)->count == value_as_str(v)->length);
}

// A range of small ints, as the machine counts it.
// Always true, so that it can end a slow path.
static bool range_state(Vm *vm, Value *state, int64_t start, int64_t stop,
                        int64_t step)
{
    // Rounded up: the last step may fall short of `stop`. Ints of 62 bits
    // cannot overflow here.
    int64_t left = step > 0 ? (stop - start + step - 1) / step
                            : (start - stop - step - 1) / -step;
    bool none = step > 0 ? stop <= start : stop >= start;
    value_replace(&vm->ctx, &state[0], VALUE_RANGE_MARK);
    state[1] = value_from_small(start);
    state[2] = value_from_small(none ? 0 : left);
    state[3] = value_from_small(step);
    return true;
}

// NULL: no range, or one with ints beyond 62 bits, which its iterator counts.
static const Range *small_range(Value v)
{
    if (!value_is_kind(v, KIND_RANGE)) {
        return NULL;
    }
    const Range *range = (const Range *)value_object(v);
    return value_both_ints(range->start, range->stop) &&
                   value_is_int(range->step)
               ? range
               : NULL;
}

// Decides how the loop walks: in place, counting, or by an iterator.
// False: an error is pending. Four registers belong to the loop, the first of
// which holds what is iterated over.
bool slow_getiter(Vm *vm, Frame *f, Ins ins)
{
    Value *state = &f->registers[INS_A(ins)];
    if (!slow_bound(vm, f, INS_A(ins))) {
        return false;
    }
    if (walks_in_place(vm, state[0])) {
        value_replace(&vm->ctx, &state[1], value_from_small(0));
        return true;
    }
    const Range *range = small_range(state[0]);
    if (range != NULL) {
        return range_state(vm, state, value_small(range->start),
                           value_small(range->stop), value_small(range->step));
    }
    // That of a comprehension is an iterator already (slow_getyfi).
    return INS_X(ins) || slow_set(vm, f, INS_A(ins), value_iter(vm, state[0]));
}

// Whether the fast loop can count with them; borrowed.
// None but immediate ints: an object with __index__ would have to be asked.
static bool small_ints(const Value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!value_is_int(values[i])) {
            return false;
        }
    }
    return true;
}

// The name `range` may mean anything by now: then it is called.
// The compiler has put the name `range` and its arguments into the loop's
// registers.
bool slow_forprep(Vm *vm, Frame *f, Ins ins)
{
    Value *state = &f->registers[INS_A(ins)];
    uint32_t count = INS_B(ins);
    for (uint32_t i = 0; i <= count; i++) {
        if (!slow_bound(vm, f, INS_A(ins) + i)) {
            return false;
        }
    }
    int64_t step =
        count == 3 && value_is_int(state[3]) ? value_small(state[3]) : 1;
    if (value_same(state[0], value_from_object(vm->types[KIND_RANGE])) &&
        small_ints(state + 1, count) && step != 0) {
        int64_t start = count == 1 ? 0 : value_small(state[1]);
        int64_t stop = value_small(state[count == 1 ? 1 : 2]);
        return range_state(vm, state, start, stop, step);
    }
    // Whatever the name means now is called and iterated over.
    Value made = call_object(vm, state[0], state + 1, count, NULL);
    if (!slow_set(vm, f, INS_A(ins), made)) {
        return false;
    }
    return slow_set(vm, f, INS_A(ins), value_iter(vm, state[0]));
}

static void end_loop(Vm *vm, Frame *f, Ins ins)
{
    Value *state = &f->registers[INS_A(ins)];
    for (uint32_t i = 0; i < 4; i++) {
        value_replace(&vm->ctx, &state[i], VALUE_UNBOUND);
    }
}

// As value_next reads the answers of an iterator.
bool slow_for_end(Vm *vm, Frame *f, Ins ins, Value item)
{
    if (value_failed(item)) {
        if (!raise_matches(vm, ERR_STOP_ITERATION)) {
            return false;
        }
        raise_clear(vm);
    }
    end_loop(vm, f, ins);
    return true;
}

// 1: an item; 0: the loop has ended, or a frame was entered that will give the
// item; -1: failed.
int slow_for_next(Vm *vm, Frame *f, Ins ins)
{
    Value *state = &f->registers[INS_A(ins)];
    // A special is no sequence or iterator: a counted range that has ended, or
    // a state that is empty already.
    Value item = VALUE_STOP;
    int entered = vm_special(vm, NAME_NEXT, state, 1);
    if (entered != 0) {
        return entered > 0 ? 0 : -1;
    }
    if (!value_is_special(state[0])) {
        // What the machine walks in place has ended when it comes here, but
        // inside a trace.
        item = !walks_in_place(vm, state[0]) ? value_next(vm, state[0])
               : fast_next(vm, state, &item) ? item
                                             : VALUE_STOP;
    }
    if (value_failed(item)) {
        return -1;
    }
    if (value_same(item, VALUE_STOP)) {
        end_loop(vm, f, ins);
        return 0;
    }
    value_replace(&vm->ctx, &f->registers[INS_B(ins)], item);
    return 1;
}

// Generators are asked as they are, without iter(). With x it is what a
// comprehension will walk along, which must be iterable before that begins;
// what the loop walks along without an iterator stays as it is.
bool slow_getyfi(Vm *vm, Frame *f, Ins ins)
{
    Value source = f->registers[INS_A(ins)];
    return value_is_kind(source, KIND_GENERATOR) ||
           (INS_X(ins) &&
            (walks_in_place(vm, source) || small_range(source) != NULL)) ||
           slow_set(vm, f, INS_A(ins), value_iter(vm, source));
}

// B = what A yields for the sent B; jump: it returned, and B is its result.
// 0: it yielded; 1: it returned; -1: failed.
int slow_send(Vm *vm, Frame *f, Ins ins)
{
    Value iterator = f->registers[INS_A(ins)];
    Value *place = &f->registers[INS_B(ins)];
    Value item;
    if (value_is_kind(iterator, KIND_GENERATOR)) {
        Generator *g = (Generator *)value_object(iterator);
        item = generator_send(vm, g, *place);
        if (value_same(item, VALUE_STOP)) {
            value_replace(&vm->ctx, place, generator_result(g));
            return 1;
        }
    } else if (value_is_none(*place)) {
        item = value_next_or_raise(vm, iterator);
    } else {
        item = value_call_method(vm, iterator, vm->names[NAME_SEND], place, 1);
    }
    bool stop = value_failed(item);
    if (stop && !value_take_stop(vm, &item)) {
        return -1;
    }
    value_replace(&vm->ctx, place, item);
    return stop;
}
