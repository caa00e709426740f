// Which era an object belongs to, also after the numbers have run out.
#include <criterion/criterion.h>

#include "interp/objects/containers/obj_list.h"
#include "stager/stager.h"

#include "program.h"

TestSuite(era, .init = program_open, .fini = program_close);

static uint16_t open_era(void)
{
    cr_assert(era_open(vm));
    return vm->ctx.birth;
}

// Opens and closes until the next number is `number`.
static void use_up(uint16_t number)
{
    uint16_t before = number == 1 ? UINT16_MAX : (uint16_t)(number - 1);
    while (open_era() != before) {
        era_close(vm);
    }
    era_close(vm);
}

Test(era, a_closed_era_is_part_of_the_one_around_it)
{
    uint16_t outer = open_era();
    List *own = list_new(vm, 0);
    uint16_t inner = open_era();
    List *nested = list_new(vm, 0);
    cr_expect(era_has(vm, outer, &nested->head));
    cr_expect(era_has(vm, inner, &nested->head));
    cr_expect_not(era_has(vm, inner, &own->head));
    era_close(vm);
    uint16_t next = open_era();
    cr_expect(era_has(vm, outer, &nested->head));
    cr_expect_not(era_has(vm, next, &nested->head));
    era_close(vm);
    era_close(vm);
    cr_expect_eq(vm->ctx.birth, 0);
    uint16_t later = open_era();
    cr_expect_not(era_has(vm, later, &own->head));
    cr_expect_not(era_has(vm, later, &nested->head));
    era_close(vm);
    object_release(&vm->ctx, own);
    object_release(&vm->ctx, nested);
}

Test(era, a_number_used_again_does_not_bring_old_objects_back)
{
    uint16_t first = open_era();
    List *old = list_new(vm, 0);
    era_close(vm);
    // An era that stays open keeps its number and its objects.
    uint16_t outer = open_era();
    List *own = list_new(vm, 0);
    use_up(first);
    uint16_t again = open_era();
    cr_assert_eq(again, first);
    cr_expect_not(era_has(vm, again, &old->head));
    cr_expect_not(era_has(vm, outer, &old->head));
    cr_expect(era_has(vm, outer, &own->head));
    era_close(vm);
    cr_expect_neq(open_era(), outer);
    era_close(vm);
    era_close(vm);
    object_release(&vm->ctx, old);
    object_release(&vm->ctx, own);
}

Test(era, a_store_in_what_an_old_trace_made_is_an_effect)
{
    program_run("class Box:\n    pass\n"
                "box = Box()\n"
                "@stage\ndef make():\n    box.items = []\n"
                "@stage\ndef use(x):\n    box.items.append(1)\n    return x\n"
                "make()\n");
    Value items = program_value("box.items");
    use_up(value_object(items)->birth);
    program_run("use(1.0)\n");
    cr_expect(program_prints(program_value("len(stage.effects(use))"), "1"));
}
