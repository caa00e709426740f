// Cells: variables that functions share with functions inside of them.
//
// Invariant: a cell holds a value or UNBOUND, which reads as an unassigned
// variable.
#include "interp/core/memory.h"
#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/function_make.h"

// UNBOUND for a variable that has no value yet. Retains. NULL: memory.
Cell *cell_new(Vm *vm, Value value)
{
    Cell *cell = object_new(vm, vm->types[KIND_CELL], sizeof *cell);
    if (cell != NULL) {
        cell->value = value_retain(value);
    }
    return cell;
}

// The value may be UNBOUND, which releases to nothing.
static void cell_destroy(Vm *vm, Object *object)
{
    release(vm, ((Cell *)object)->value);
    object_free(vm, object, sizeof(Cell));
}

// A closure that refers to itself is a cycle through here.
static void cell_visit(Object *object, void (*visit)(Object *, void *),
                       void *data)
{
    Value value = ((Cell *)object)->value;
    if (value_is_object(value)) {
        visit(value_object(value), data);
    }
}

// Closures of a dead cycle then see an unassigned variable, not freed memory.
static void cell_clear(Vm *vm, Object *object)
{
    value_replace(&vm->ctx, &((Cell *)object)->value, VALUE_UNBOUND);
}

static Value cell_get_contents(Vm *vm, Value self)
{
    Value value = ((Cell *)value_object(self))->value;
    if (value_unbound(value)) {
        return raise_error(vm, ERR_VALUE, "%s", "Cell is empty");
    }
    return note_read(vm, value_object(self), VALUE_NONE, value)
               ? value_retain(value)
               : VALUE_FAIL;
}

static bool cell_set_contents(Vm *vm, Value self, Value value)
{
    if (!note_store(vm, value_object(self), value)) {
        return false;
    }
    value_replace(&vm->ctx, &((Cell *)value_object(self))->value,
                  value_retain(value));
    return true;
}

static const MemberDef cell_members[] = {
    {"cell_contents", cell_get_contents, cell_set_contents,
     "What the variable holds."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef cell_type_def = {
    .name = "cell",
    .doc = "A variable that functions share.",
    .kind = KIND_CELL,
    .size = sizeof(Cell),
    .flags = TYPE_FINAL | TYPE_TRACKED,
    .slots = {.destroy = cell_destroy,
              .visit = cell_visit,
              .clear = cell_clear,
              .make = function_make_cell},
    .members = cell_members,
};
