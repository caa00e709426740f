// Running the code of dead objects. See finalize.h.
//
// Invariant: a queued object has OBJECT_FINALIZED, so that it is queued once,
// holds one count that belongs to the queue, and is in no list of the
// collector. It joins the young ones again before its code runs, since that
// may keep it.
#include "interp/machine/vm/finalize.h"

#include "interp/core/memory.h"
#include "interp/core/obj_weakref.h"
#include "interp/objects/errors/sys_hooks.h"
#include "interp/objects/iterators/obj_generator.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/files/obj_file.h"

// A generator that has not begun, or is done, has no `finally` to run.
bool finalize_wanted(const Object *object)
{
    if (object->type->slots.finalize == NULL ||
        (object->flags & OBJECT_FINALIZED)) {
        return false;
    }
    return object->kind != KIND_GENERATOR ||
           generator_wants_close((const Generator *)object);
}

// Never runs code itself: it may be called in the midst of C that changes a
// container. The chores interrupt makes the machine look at the queue.
void finalize_queue(Vm *vm, Object *object)
{
    // Out of the collector's list: a collection must not free what is queued.
    GcLinks *links = object_links(object);
    object->flags |= OBJECT_FINALIZED;
    links_remove(links);
    links_append(&vm->finalizing.objects, links);
    ctx_interrupt(&vm->ctx, INTERRUPT_CHORES);
}

// Appends "Exception ignored in: <function A.__del__ at …>".
static void print_where(Vm *vm, StrBuf *out, Value where)
{
    Str *text = value_repr(vm, where);
    if (text == NULL) {
        raise_clear(vm);
    }
    strbuf_printf(out, "Exception ignored in: %s\n",
                  text == NULL ? "<object repr() failed>" : text->text);
    object_release_null(&vm->ctx, text);
}

// To sys.stderr, behind what the program has written to sys.stdout.
static bool write_error(Vm *vm, const char *text, size_t length)
{
    if (value_is_kind(vm->stdout_file, KIND_FILE) &&
        !file_flush(vm, value_as_file(vm->stdout_file))) {
        return false;
    }
    return !value_is_kind(vm->stderr_file, KIND_FILE) ||
           file_write(vm, value_as_file(vm->stderr_file), text, length);
}

// Takes the pending error and prints it, as CPython's sys.unraisablehook does:
// no caller could catch it.
static void finalize_unraisable(Vm *vm, Value where)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // Taken first, as the repr below must run without a pending error.
    Value exception = raise_take(vm);
    if (sys_tell_unraisable(vm, exception, where)) {
        strbuf_free(&out);
        release(vm, exception);
        return;
    }
    print_where(vm, &out, where);
    if (!raise_print_unraisable(vm, exception, &out) ||
        !write_error(vm, strbuf_text(&out), out.length)) {
        raise_clear(vm); // there is nobody left to tell
    }
    strbuf_free(&out);
    release(vm, exception);
}

// What is named when the object's code fails: the method, or the generator.
static Value code_of(Vm *vm, Object *object)
{
    // A generator's own code is what failed, so it is named itself.
    Value method = object->kind == KIND_GENERATOR
                       ? VALUE_UNBOUND
                       : type_lookup(vm, object->type, vm->names[NAME_DEL]);
    return value_unbound(method) ? value_from_object(object) : method;
}

// Gives up the queue's count at the end: unless the code kept the object, it is
// freed then.
static void run_object(Vm *vm, Object *object)
{
    GcLinks *links = object_links(object);
    links_remove(links);
    links_append(&vm->gc.young, links);
    // The class may have lost its __del__ meanwhile.
    if (object->type->slots.finalize != NULL &&
        !object->type->slots.finalize(vm, object)) {
        finalize_unraisable(vm, code_of(vm, object));
    }
    object_release(&vm->ctx, object);
}

// The callback is taken out first, so that it runs once; the reference itself
// is its argument and may live on.
static void run_callback(Vm *vm, WeakRef *ref)
{
    Value callback = ref->callback, argument = value_from_object(ref);
    ref->callback = VALUE_UNBOUND;
    Value result = vm_call(vm, callback, &argument, 1);
    if (value_failed(result)) {
        finalize_unraisable(vm, callback);
    }
    release(vm, result);
    release(vm, callback);
    object_release(&vm->ctx, ref);
}

// Callbacks first, as CPython has it. One at a time: the code may queue more,
// and may itself be interrupted by a poll that empties the queue.
// Not while the Vm is being destroyed, nor with an error pending, which the
// code would clobber.
void finalize_run(Vm *vm)
{
    // Code that drops objects runs theirs within its own, as in CPython; but a
    // long queue must not be worked off one within the other.
    enum { DEPTH_MOST = 100 };
    Finalizing *queue = &vm->finalizing;
    // What stays queued is run by a later call or an outer one, or discarded.
    if (vm->destroying || vm->gc.closing || vm_has_error(vm) ||
        queue->depth >= DEPTH_MOST) {
        return;
    }
    queue->depth++;
    for (;;) {
        if (queue->callbacks != NULL) {
            WeakRef *ref = queue->callbacks;
            queue->callbacks = ref->next;
            ref->next = NULL;
            run_callback(vm, ref);
        } else if (queue->objects.next != &queue->objects) {
            run_object(vm, links_object(queue->objects.next));
        } else {
            queue->depth--;
            return;
        }
    }
}

// For the end of the Vm: gives the counts up and runs nothing.
void finalize_discard(Vm *vm)
{
    Finalizing *queue = &vm->finalizing;
    while (queue->objects.next != &queue->objects) {
        GcLinks *links = queue->objects.next;
        links_remove(links);
        links_append(&vm->gc.young, links);
        object_release(&vm->ctx, links_object(links));
    }
    while (queue->callbacks != NULL) {
        WeakRef *ref = queue->callbacks;
        queue->callbacks = ref->next;
        ref->next = NULL;
        object_release(&vm->ctx, ref);
    }
}

// The place where a count falls to zero in running code: what that queued can
// run at once.
void finalize_dealloc(Vm *vm, Object *object)
{
    memory_dealloc(&vm->ctx, object);
    if (UNLIKELY(vm->ctx.interrupt & INTERRUPT_CHORES)) {
        finalize_run(vm);
    }
}
