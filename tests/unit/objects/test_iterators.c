// Iterators, ranges and slices: clipped ends, what a result that nobody kept
// is used for again, what an iterator at its end still holds.
#include <criterion/criterion.h>

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/iter_make.h"
#include "interp/objects/protocol/protocol.h"

#include "host.h"

TestSuite(iterators, .init = host_open, .fini = host_close);

// The positions that a slice takes of a sequence, one after the other, as
// Python's words say it: clip, then step until the end is met.
static void check_slice(int64_t start, int64_t stop, int64_t step,
                        int64_t length)
{
    Slice *slice = slice_new(vm, value_from_small(start),
                             value_from_small(stop), value_from_small(step));
    int64_t from, by, count;
    cr_assert(slice_indices(vm, slice, length, &from, &by, &count));
    int64_t lowest = step > 0 ? 0 : -1,
            highest = step > 0 ? length : length - 1;
    int64_t at = start < 0 ? start + length : start;
    int64_t end = stop < 0 ? stop + length : stop;
    at = at < lowest ? lowest : at > highest ? highest : at;
    end = end < lowest ? lowest : end > highest ? highest : end;
    int64_t expected = 0;
    for (int64_t i = at; step > 0 ? i < end : i > end; i += step) {
        expected++;
    }
    cr_assert_eq(count, expected, "[%ld:%ld:%ld] of %ld", (long)start,
                 (long)stop, (long)step, (long)length);
    cr_assert_eq(by, step);
    cr_assert(count == 0 || from == at);
    object_release(&vm->ctx, slice);
}

Test(iterators, slices_are_clipped)
{
    for (int64_t length = 0; length <= 4; length++) {
        for (int64_t start = -6; start <= 6; start++) {
            for (int64_t stop = -6; stop <= 6; stop++) {
                for (int64_t step = -3; step <= 3; step++) {
                    if (step != 0) {
                        check_slice(start, stop, step, length);
                    }
                }
            }
        }
    }
}

Test(iterators, the_ends_of_a_slice_may_be_as_large_as_they_like)
{
    Value slice = host_eval("slice(-10 ** 30, 10 ** 30, 10 ** 30)");
    int64_t from, by, count;
    cr_assert(
        slice_indices(vm, (Slice *)value_object(slice), 5, &from, &by, &count));
    cr_assert_eq(from, 0);
    cr_assert_eq(count, 1);
    value_release(&vm->ctx, slice);
    slice = host_eval("slice(None, None, 0)");
    cr_assert_not(
        slice_indices(vm, (Slice *)value_object(slice), 5, &from, &by, &count));
    cr_assert(host_failed(ERR_VALUE));
    value_release(&vm->ctx, slice);
}

// zip gives its tuple anew when nobody has kept the last one.
Test(iterators, a_tuple_that_was_let_go_is_used_again)
{
    Value zip = host_eval("zip([1, 2, 3], 'abc')");
    Value first = value_next(vm, zip);
    const Object *place = value_object(first);
    value_release(&vm->ctx, first);
    Value second = value_next(vm, zip);
    cr_assert_eq(value_object(second), place);
    Value third = value_next(vm, zip); // `second` is still held
    cr_assert_neq(value_object(third), place);
    cr_assert(host_shows(second, "(2, 'b')"));
    cr_assert(host_shows(third, "(3, 'c')"));
    cr_assert(value_same(value_next(vm, zip), VALUE_STOP));
    value_release(&vm->ctx, zip);
}

Test(iterators, at_its_end_a_list_is_let_go)
{
    Value list = host_eval("[1]");
    Value iterator = value_iter(vm, list);
    cr_assert_eq(host_count(list), 2);
    cr_assert(value_same(value_next(vm, iterator), value_from_small(1)));
    cr_assert(value_same(value_next(vm, iterator), VALUE_STOP));
    cr_assert_not(vm_has_error(vm)); // the end is no error
    cr_assert_eq(host_count(list), 1);
    // Items that come later are not seen any more.
    cr_assert(list_append(vm, value_as_list(list), VALUE_NONE));
    cr_assert(value_same(value_next(vm, iterator), VALUE_STOP));
    cr_assert(value_failed(value_next_or_raise(vm, iterator)));
    cr_assert(host_failed(ERR_STOP_ITERATION));
    value_release(&vm->ctx, iterator);
    value_release(&vm->ctx, list);
}

Test(iterators, what_is_iterated_may_shrink)
{
    Value list = host_eval("[1, 2, 3, 4]");
    Value iterator = value_iter(vm, list);
    value_release(&vm->ctx, value_next(vm, iterator));
    Value args[] = {list};
    Str *name = str_from(vm, "clear");
    value_release(&vm->ctx, value_call_method(vm, args[0], name, NULL, 0));
    object_release(&vm->ctx, name);
    cr_assert(value_same(value_next(vm, iterator), VALUE_STOP));
    value_release(&vm->ctx, iterator);
    value_release(&vm->ctx, list);
}

Test(iterators, a_failure_leaves_the_arguments_as_they_were)
{
    Value list = host_eval("[1, 2]");
    Value items[] = {list, value_from_small(5)};
    Tuple *tuple = tuple_from(vm, items, 2); // the second is not iterable
    cr_assert(value_failed(iter_zip(vm, tuple, false)));
    cr_assert(host_failed(ERR_TYPE));
    cr_assert_eq(host_count(list), 2); // ours and the tuple's
    object_release(&vm->ctx, tuple);
    value_release(&vm->ctx, list);
}

Test(iterators, long_ranges_have_a_length_of_any_size)
{
    Value range = host_eval("range(-2 ** 100, 2 ** 100, 3)");
    const Range *made = (const Range *)value_object(range);
    cr_assert_not(value_is_int(made->length));
    cr_assert(host_shows(value_retain(made->length),
                         "845100400152152934331135470251"));
    value_release(&vm->ctx, range);
}

Test(iterators, a_dropped_generator_runs_its_finally)
{
    host_run("log = []\n"
             "def steps():\n"
             "    try:\n"
             "        yield 1\n"
             "    finally:\n"
             "        log.append('closed')\n");
    Value generator = host_eval("steps()");
    cr_assert(value_same(value_next(vm, generator), value_from_small(1)));
    value_release(&vm->ctx, generator);
    host_run("pass"); // what dying objects run waits for the machine
    cr_assert(host_shows(host_eval("log"), "['closed']"));
}
