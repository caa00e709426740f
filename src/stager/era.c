// Numbers of eras, and which of them are one by now.
#include "stager/era.h"

#include "interp/core/cycles.h"
#include "stager/stager.h"

// The era that `number` is part of by now: open, or the world. On the way
// closed eras are pointed at what was found, so that chains stay short.
static uint16_t era_find(Eras *eras, uint16_t number)
{
    const Era *items = eras->items.items;
    uint16_t found = number;
    while (found != 0 && !items[found].open) {
        found = items[found].parent;
    }
    while (number != found) {
        Era *era = &eras->items.items[number];
        number = era->parent;
        era->parent = found;
    }
    return found;
}

static void restamp(Vm *vm, Object *object)
{
    object->birth = era_find(&stager_of(vm)->eras, object->birth);
}

// A number that no open era has; eras nest far less deep than there are
// numbers.
static uint16_t take_number(Vm *vm)
{
    Eras *eras = &stager_of(vm)->eras;
    do {
        if (++eras->next > UINT16_MAX) {
            cycles_each(vm, restamp);
            eras->next = 1;
        }
    } while (eras->next < eras->items.count &&
             eras->items.items[eras->next].open);
    return (uint16_t)eras->next;
}

bool era_open(Vm *vm)
{
    Eras *eras = &stager_of(vm)->eras;
    // Room for the world and for one more, before anything changes.
    if (!vec_reserve(&vm->ctx, &eras->items, 2)) {
        return false;
    }
    if (eras->items.count == 0) {
        eras->items.items[eras->items.count++] = (Era){0};
    }
    uint16_t number = take_number(vm);
    if (number == eras->items.count) {
        eras->items.count++;
    }
    eras->items.items[number] = (Era){.parent = vm->ctx.birth, .open = true};
    vm->ctx.birth = number;
    return true;
}

void era_close(Vm *vm)
{
    Era *era = &stager_of(vm)->eras.items.items[vm->ctx.birth];
    era->open = false;
    vm->ctx.birth = era->parent;
}

// What an open era was opened in is open too, or the world.
bool era_has(Vm *vm, uint16_t number, const Object *object)
{
    Eras *eras = &stager_of(vm)->eras;
    uint16_t era = era_find(eras, object->birth);
    while (era != 0 && era != number) {
        era = eras->items.items[era].parent;
    }
    return era == number;
}

void eras_free(Vm *vm)
{
    vec_free(&vm->ctx, &stager_of(vm)->eras.items);
}
