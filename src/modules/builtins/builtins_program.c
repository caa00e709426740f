// Built-in functions that ask the program around the Vm: breakpoint() and
// progress(). Without a program, or a terminal, both only let the code go on.
#include "modules/builtins/builtins.h"

#include "interp/hooks/program.h"
#include "interp/tensors/obj_tensor.h"

BUILTIN_BODY(breakpoint)
{
    (void)args;
    return value_done(vm->program == NULL || vm->program->breakpoint(vm));
}

// The iterator that progress() gives: another one, and how far it is.
typedef struct ProgressIter {
    Object head;
    Value inner;   // the iterator of what was given, owned
    int64_t done;  // items handed out
    int64_t total; // -1: unknown
} ProgressIter;

// A loop that is left early is told of as ended here.
static void progress_destroy(Vm *vm, Object *self)
{
    const ProgressIter *progress = (const ProgressIter *)self;
    if (vm->program != NULL && progress->done > 0 &&
        !value_unbound(progress->inner)) {
        vm->program->progress(vm, -1, -1);
    }
    release(vm, ((ProgressIter *)self)->inner);
    object_free(vm, self, sizeof(ProgressIter));
}

// A generator inside may lead back to what holds this.
static void progress_visit(Object *self,
                           void (*visit)(Object *child, void *data), void *data)
{
    ProgressIter *progress = (ProgressIter *)self;
    if (value_is_object(progress->inner)) {
        visit(value_object(progress->inner), data);
    }
}

// Then the iterator is at its end.
static void progress_clear(Vm *vm, Object *self)
{
    value_replace(&vm->ctx, &((ProgressIter *)self)->inner, VALUE_UNBOUND);
}

// It is its own iterator, so that two loops share the count.
static Value progress_iter(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(self);
}

// An item counts as done when the next one is asked for.
static Value progress_next(Vm *vm, Value self)
{
    ProgressIter *progress = (ProgressIter *)value_object(self);
    if (value_unbound(progress->inner)) {
        return VALUE_STOP;
    }
    Value item = value_next(vm, progress->inner);
    bool ended = value_failed(item) || value_same(item, VALUE_STOP);
    // An empty iterable is not worth a line.
    if (vm->program != NULL && (progress->done > 0 || !ended)) {
        vm->program->progress(vm, ended ? -1 : progress->done, progress->total);
    }
    if (ended) {
        value_replace(&vm->ctx, &progress->inner, VALUE_UNBOUND);
    }
    progress->done++;
    return item;
}

static const TypeDef progress_type_def = {
    .name = "progress",
    .doc = "An iterator that shows how far it is.",
    .kind = KIND_OPAQUE,
    .size = sizeof(ProgressIter),
    .flags = TYPE_FINAL | TYPE_TRACKED,
    .slots = {.destroy = progress_destroy,
              .visit = progress_visit,
              .clear = progress_clear,
              .iter = progress_iter,
              .next = progress_next}};

// How many items there are: what was given, else len(), else -1. A length that
// cannot be asked for is no error.
static bool find_total(Vm *vm, Value iterable, Value given, int64_t *total)
{
    *total = -1;
    if (builtin_given(given)) {
        return value_to_index(vm, given, total);
    }
    if (type_of(vm, iterable)->slots.length == NULL) {
        return true;
    }
    *total = value_length(vm, iterable);
    if (*total < 0 && vm_has_error(vm)) {
        raise_clear(vm);
    }
    return true;
}

// The length is asked for before the first item: a generator has none.
BUILTIN_BODY(progress)
{
    // In a trace a tensor's rows are the loop's own: nothing is put between.
    if (value_is_kind(args[0], KIND_SYMBOLIC)) {
        return value_retain(args[0]);
    }
    int64_t total;
    // One type a Vm, made by the first call.
    Type *type = type_variant(vm, &progress_type_def, "progress");
    if (type == NULL || !find_total(vm, args[0], args[1], &total)) {
        return VALUE_FAIL;
    }
    Value inner = value_iter(vm, args[0]);
    ProgressIter *self =
        value_failed(inner) ? NULL : object_new(vm, type, sizeof *self);
    if (self == NULL) {
        release(vm, inner);
        return VALUE_FAIL;
    }
    self->inner = inner;
    self->done = 0;
    self->total = total;
    return value_from_object(self);
}
