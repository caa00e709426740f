// Running the code of dead objects. See finalizing.h.
//
// Invariant: an object joins the collector's young ones again before its code
// runs, since that may keep it.
#include "interp/machine/vm/finalize.h"

#include "interp/core/finalizing.h"
#include "interp/core/memory.h"
#include "interp/core/weakref.h"
#include "interp/hooks/library.h"
#include "interp/hooks/program.h"
#include "interp/objects/errors/sys_hooks.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

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

// Takes the pending error and prints it by sys.unraisablehook: no caller could
// catch it.
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
        !vm->library->tell(vm, strbuf_text(&out), out.length)) {
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

// Callbacks first. One at a time: the code may queue more, and may itself be
// interrupted by a poll that empties the queue.
// Not while the Vm is being destroyed, nor with an error pending, which the
// code would clobber.
void finalize_run(Vm *vm)
{
    // Code that drops objects runs theirs within its own; but a long queue must
    // not be worked off one within the other.
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

// The place where a count falls to zero in running code: what that queued can
// run at once.
void finalize_dealloc(Vm *vm, Object *object)
{
    memory_dealloc(&vm->ctx, object);
    if (UNLIKELY(vm->ctx.interrupt & INTERRUPT_CHORES)) {
        finalize_run(vm);
    }
}

// Finalisers go first: they may free what would have to be traced.
bool finalize_poll(Vm *vm)
{
    if (vm->ctx.interrupt & INTERRUPT_CHORES) {
        Collector *gc = &vm->gc;
        ctx_interrupt_clear(&vm->ctx, INTERRUPT_CHORES);
        finalize_run(vm);
        if (gc->room <= 0 && gc->enabled && gc->threshold > 0) {
            (void)cycles_collect(vm, gc->survivors > gc->old_count / 4);
        }
    }
    if (vm->ctx.interrupt & INTERRUPT_TICK) {
        ctx_interrupt_clear(&vm->ctx, INTERRUPT_TICK);
        if (vm->program != NULL) {
            vm->program->tick(vm);
        }
    }
    return ctx_poll(&vm->ctx);
}
