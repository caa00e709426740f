// The cycle collector and weak references, from C: what they count, what they
// clear, and what a Vm leaves behind.
#include <criterion/criterion.h>

#include "interp/core/cycles.h"
#include "interp/core/memory.h"
#include "interp/core/weakref.h"
#include "interp/machine/vm/finalize.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "modules/world.h"

static Vm *vm;

static void open_vm(void)
{
    vm = vm_new(0);
    cr_assert_not_null(vm);
    (void)cycles_collect(vm, true);
}

static void close_vm(void)
{
    vm_free(vm);
}

TestSuite(cycles, .init = open_vm, .fini = close_vm);

// A list that contains itself `times` times.
static List *ring(size_t times)
{
    List *list = list_new(vm, 0);
    cr_assert_not_null(list);
    for (size_t i = 0; i < times; i++) {
        cr_assert(list_append(vm, list, value_from_object(list)));
    }
    return list;
}

Test(cycles, a_dropped_ring_is_found_once)
{
    object_release(&vm->ctx, ring(1));
    object_release(&vm->ctx, ring(5));
    cr_assert_eq(cycles_collect(vm, true), 2);
    cr_assert_eq(cycles_collect(vm, true), 0);
}

Test(cycles, what_c_code_holds_stays)
{
    List *list = ring(3);
    cr_assert_eq(cycles_collect(vm, true), 0);
    cr_assert_eq(list->count, 3);
    cr_assert_eq(list->head.rc, 4);
    object_release(&vm->ctx, list);
    cr_assert_eq(cycles_collect(vm, true), 1);
}

Test(cycles, what_a_held_object_reaches_stays)
{
    List *held = list_new(vm, 0), *inner = ring(1);
    Dict *dict = dict_new(vm);
    cr_assert(
        dict_set(vm, dict, value_from_small(1), value_from_object(inner)));
    cr_assert(list_append_owned(vm, held, value_from_object(dict)));
    object_release(&vm->ctx, inner);
    cr_assert_eq(cycles_collect(vm, true), 0);
    cr_assert_eq(inner->head.rc, 2);
    object_release(&vm->ctx, held); // the ring alone is left
    cr_assert_eq(cycles_collect(vm, true), 1);
}

Test(cycles, an_old_object_keeps_young_ones)
{
    List *old = list_new(vm, 0);
    (void)cycles_collect(vm, true);
    List *young = ring(1);
    cr_assert(list_append_owned(vm, old, value_from_object(young)));
    cr_assert_eq(cycles_collect(vm, false), 0);
    object_release(&vm->ctx, old);
    cr_assert_eq(cycles_collect(vm, false), 0); // the ring is old by now
    cr_assert_eq(cycles_collect(vm, true), 1);
}

Test(cycles, marks_are_taken_off)
{
    List *list = ring(2);
    (void)cycles_collect(vm, true);
    cr_assert_eq(list->head.flags & (OBJECT_CANDIDATE | OBJECT_REACHED), 0);
    object_release(&vm->ctx, list);
}

Test(cycles, enough_allocation_asks_for_a_collection)
{
    List *all = list_new(vm, 0);
    for (int i = 0; i < GC_THRESHOLD; i++) {
        cr_assert(
            list_append_owned(vm, all, value_from_object(list_new(vm, 0))));
    }
    cr_assert(vm->ctx.interrupt & INTERRUPT_CHORES);
    cr_assert(ctx_poll(&vm->ctx)); // not the business of C loops
    cr_assert(vm->ctx.interrupt & INTERRUPT_CHORES);
    cr_assert(finalize_poll(vm));
    cr_assert_eq(vm->ctx.interrupt, 0);
    cr_assert_eq(all->count, GC_THRESHOLD);
    object_release(&vm->ctx, all);
}

Test(cycles, a_weak_reference_does_not_keep_its_target)
{
    Set *set = set_new(vm, false);
    WeakRef *ref = weakref_new(vm, &set->head, VALUE_UNBOUND);
    cr_assert_not_null(ref);
    cr_assert_eq(weakref_target(ref), &set->head);
    cr_assert_eq(set->head.rc, 1);
    WeakRef *same = weakref_new(vm, &set->head, VALUE_UNBOUND);
    cr_assert_eq(same, ref);
    object_release(&vm->ctx, set);
    cr_assert_null(weakref_target(ref));
    object_release(&vm->ctx, same);
    object_release(&vm->ctx, ref);
}

Test(cycles, a_target_outlives_its_reference)
{
    Set *set = set_new(vm, false);
    WeakRef *ref = weakref_new(vm, &set->head, VALUE_UNBOUND);
    object_release(&vm->ctx, ref);
    cr_assert_eq(weakref_count(vm, &set->head, NULL), 0);
    cr_assert_eq(set->head.flags & OBJECT_WEAKLY_REFERENCED, 0);
    object_release(&vm->ctx, set);
}

// Removal moves entries back: every other target goes, the rest is found.
Test(cycles, the_table_finds_what_is_left)
{
    enum { COUNT = 500 };
    Set *sets[COUNT];
    WeakRef *refs[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sets[i] = set_new(vm, false);
        refs[i] = weakref_new(vm, &sets[i]->head, VALUE_UNBOUND);
    }
    for (int i = 0; i < COUNT; i += 2) {
        object_release(&vm->ctx, sets[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(weakref_target(refs[i]),
                     i % 2 == 0 ? NULL : &sets[i]->head);
    }
    for (int i = 0; i < COUNT; i++) {
        if (i % 2 != 0) {
            cr_assert_eq(weakref_count(vm, &sets[i]->head, NULL), 1);
            object_release(&vm->ctx, sets[i]);
        }
        object_release(&vm->ctx, refs[i]);
    }
}
