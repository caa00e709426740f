// Generators: resuming, throwing, closing.
//
// Invariant: state RUNNING exactly while the generator's frame stands in
// vm->frames; the registers of done generators are empty.
#include "interp/objects/iterators/obj_generator.h"

#include <string.h>

#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/iterators/generator_resume.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

// The size follows from the code, so it is not stored.
static size_t generator_size(const Function *function)
{
    return sizeof(Generator) + function->code->register_count * sizeof(Value);
}

// Those of a running generator are its frame's to empty.
static bool holds_registers(const Generator *g)
{
    return g->state == GENERATOR_NEW || g->state == GENERATOR_SUSPENDED;
}

// Ends the generator; the registers are emptied unless a frame has done that.
static void drop_registers(Vm *vm, Generator *g)
{
    bool held = holds_registers(g);
    // Done before the first release: a destructor may ask this very generator.
    g->state = GENERATOR_DONE;
    for (uint32_t i = 0; held && i < g->function->code->register_count; i++) {
        value_replace(&vm->ctx, &g->registers[i], VALUE_UNBOUND);
    }
    if (LIKELY(g->handled.capacity == 0)) {
        return;
    }
    // One by one, since a release may look at the list.
    while (g->handled.count > 0) {
        Value last = vec_pop(&g->handled);
        release(vm, last);
    }
    vec_free(&vm->ctx, &g->handled);
    g->handled = (ValueVec){0};
}

// The parameters move out of the window; all other registers are empty.
Generator *generator_new(Vm *vm, Function *function, Value *window)
{
    const Code *code = function->code;
    uint32_t params = code->parameter_count;
    Generator *g =
        object_new(vm, vm->types[KIND_GENERATOR], generator_size(function));
    if (g != NULL) {
        g->function = object_retain(function);
        g->name = g->qualname = NULL;
        g->word = 0;
        g->state = GENERATOR_NEW;
        g->result = VALUE_UNBOUND;
        g->handled = (ValueVec){0};
        g->sink = NULL;
        g->owner = VALUE_UNBOUND;
    }
    for (uint32_t i = 0; i < params; i++) {
        if (g != NULL) {
            // The arguments move into the object: their references go along.
            g->registers[i] = window[i];
        } else {
            release(vm, window[i]);
        }
        window[i] = VALUE_UNBOUND;
    }
    for (uint32_t i = params; g != NULL && i < code->register_count; i++) {
        g->registers[i] = VALUE_UNBOUND;
    }
    return g;
}

Value generator_result(Generator *g)
{
    Value result = g->result;
    g->result = VALUE_UNBOUND;
    return value_unbound(result) ? VALUE_NONE : result;
}

// A generator that was left within an `except` goes on with the exceptions that
// it was handling then.
bool generator_take_handled(Vm *vm, Generator *g)
{
    size_t before = vm->handled.count;
    for (size_t i = 0; i < g->handled.count; i++) {
        if (!vec_push(&vm->ctx, &vm->handled, g->handled.items[i])) {
            // The references still belong to the generator.
            vm->handled.count = before;
            return false;
        }
    }
    g->handled.count = 0;
    return true;
}

// The contrary, when it is left: `from` is how many there were when it was
// entered.
bool generator_keep_handled(Vm *vm, Generator *g, uint32_t from)
{
    for (size_t i = from; i < vm->handled.count; i++) {
        if (!vec_push(&vm->ctx, &g->handled, vm->handled.items[i])) {
            // The references are the machine's still.
            g->handled.count = 0;
            return false;
        }
    }
    vm->handled.count = from;
    return true;
}

// StopIteration may not leave a generator: it would end somebody's loop.
static void convert_stop(Vm *vm)
{
    if (raise_matches(vm, ERR_STOP_ITERATION)) {
        // PEP 479.
        Value stop = raise_take(vm);
        raise_error(vm, ERR_RUNTIME, "generator raised StopIteration");
        Value error = raise_take(vm);
        if (value_is_kind(error, KIND_EXCEPTION)) {
            Exception *e = value_as_exception(error);
            value_replace(&vm->ctx, &e->cause, value_retain(stop));
            value_replace(&vm->ctx, &e->context, value_retain(stop));
            // As `raise … from` would: the cause is shown, the context is not.
            e->suppress_context = true;
        }
        release(vm, stop);
        value_replace(&vm->ctx, &vm->exception, error);
    }
}

void generator_finish(Vm *vm, Generator *g, Value result)
{
    drop_registers(vm, g);
    if (value_failed(result)) {
        convert_stop(vm);
    } else {
        value_replace(&vm->ctx, &g->result, result);
    }
}

// Runs it on an entry frame until it yields, returns or fails. `sent` UNBOUND:
// raises the pending error where the generator stands; else it is borrowed,
// and the result of the YIELD behind which the generator stands. The caller
// may hold the only reference, and the generator drop it: it is kept here.
static Value guarded_run(Vm *vm, Generator *g, Value sent)
{
    // A pending error must outlive the preparations.
    bool raises = value_unbound(sent);
    if ((!raises && !note_step(vm, g)) || !ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    object_retain(g);
    // The entry frame begins above what the caller uses.
    Value *held = vm->window_top;
    bool gives = !raises && g->state == GENERATOR_SUSPENDED;
    Value result = VALUE_FAIL;
    if (LIKELY(generator_enter(vm, g, FRAME_ENTRY))) {
        if (gives) {
            generator_give(vm, vm->frame, sent);
        }
        if (raises && vm->handled.count > vm->frame->handled) {
            // What the generator itself handles where it stands is the context.
            raise_object(vm, raise_take(vm));
        }
        result = vm_run(vm, raises);
        // A yield has suspended it; else it returned or failed.
        if (UNLIKELY(g->state == GENERATOR_RUNNING)) {
            generator_finish(vm, g, result);
            result = value_failed(result) ? VALUE_FAIL : VALUE_STOP;
        }
    }
    vm->window_top = held;
    object_release(&vm->ctx, g);
    ctx_leave(&vm->ctx);
    return result;
}

// A generator that is done stops again each time it is asked.
Value generator_send(Vm *vm, Generator *g, Value sent)
{
    if (LIKELY(g->state == GENERATOR_SUSPENDED)) {
        return guarded_run(vm, g, sent);
    }
    if (g->state == GENERATOR_RUNNING) {
        return raise_error(vm, ERR_VALUE, "generator already executing");
    }
    if (g->state == GENERATOR_NEW && !value_is_none(sent)) {
        return raise_error(vm, ERR_TYPE,
                           "can't send non-None value to a just-started "
                           "generator");
    }
    if (g->state == GENERATOR_DONE) {
        // A loop may have left what was returned: it is told once, at the end.
        release(vm, generator_result(g));
        return VALUE_STOP;
    }
    return guarded_run(vm, g, sent);
}

Value generator_feed(Vm *vm, Value iterator, Sink *sink)
{
    Generator *g = (Generator *)value_object(iterator);
    if (!value_is_kind(iterator, KIND_GENERATOR) ||
        (g->state != GENERATOR_SUSPENDED && g->state != GENERATOR_NEW)) {
        return value_next(vm, iterator);
    }
    // The machine puts items there without leaving the generator.
    g->sink = sink;
    Value item = guarded_run(vm, g, VALUE_NONE);
    g->sink = NULL;
    return item;
}

Value generator_delegate(const Generator *g)
{
    if (g->state != GENERATOR_SUSPENDED) {
        return VALUE_UNBOUND;
    }
    // `word` stands behind the YIELD, so this is the instruction itself.
    Ins yield = g->function->code->words[g->word - 1];
    // The compiler marks the YIELD of a `yield from` so (yield_to).
    return (INS_X(yield) & 1) ? g->registers[INS_C(yield)] : VALUE_UNBOUND;
}

// What is asked has ended: the `yield from` has its value and is done. Takes
// the result.
static void finish_delegate(Vm *vm, Generator *g, Value result)
{
    // Follows the instructions that the compiler emits for `yield from`.
    const Ins *pc = &g->function->code->words[g->word];
    pc += 1 + INS_J(pc[0]); // the jump back to SEND
    value_replace(&vm->ctx, &g->registers[INS_B(pc[0])], result);
    g->word = (uint32_t)(pc + 1 + INS_CI(pc[0]) - g->function->code->words);
}

// object.name(), where an iterator may have the method; true without it.
static bool call_if_there(Vm *vm, Value object, const char *name)
{
    Str *key = str_intern(vm, name, strlen(name));
    Value method = key == NULL ? VALUE_FAIL : value_find_attr(vm, object, key);
    object_release_null(&vm->ctx, key);
    if (value_failed(method) || value_unbound(method)) {
        return !value_failed(method);
    }
    Value result = vm_call(vm, method, NULL, 0);
    release(vm, method);
    release(vm, result);
    return !value_failed(result);
}

// close() of what the `yield from` of a generator asks, which counts as running
// meanwhile. False: it failed, and its error is what the outer generator meets.
static bool close_delegate(Vm *vm, Generator *g, Value inner)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    g->state = GENERATOR_RUNNING;
    // Its close() may end the generator, whose register holds it.
    inner = value_retain(inner);
    bool done = value_is_kind(inner, KIND_GENERATOR)
                    ? generator_close(vm, (Generator *)value_object(inner))
                    : call_if_there(vm, inner, "close");
    release(vm, inner);
    g->state = GENERATOR_SUSPENDED;
    ctx_leave(&vm->ctx);
    return done;
}

// What was given goes to throw() of what is asked, as it was given. An item;
// VALUE_STOP, and *result what it ended with; or VALUE_FAIL. UNBOUND: it has no
// throw().
static Value throw_into(Vm *vm, Value inner, const Value given[3],
                        Value *result)
{
    if (value_is_kind(inner, KIND_GENERATOR)) {
        Generator *generator = (Generator *)value_object(inner);
        Value item = generator_throw(vm, generator, given);
        if (value_same(item, VALUE_STOP)) {
            *result = generator_result(generator);
        }
        return item;
    }
    Value method = value_find_attr(vm, inner, vm->names[NAME_THROW]);
    if (value_unbound(method)) {
        return VALUE_UNBOUND;
    }
    // One that left out the value has no traceback either.
    uint32_t count = value_unbound(given[1])   ? 1
                     : value_unbound(given[2]) ? 2
                                               : 3;
    Value item =
        value_failed(method) ? method : vm_call(vm, method, given, count);
    release(vm, method);
    if (value_failed(item) && value_take_stop(vm, result)) {
        return VALUE_STOP;
    }
    return item;
}

// The exception is raised in the generator's own code.
static Value throw_here(Vm *vm, Generator *g, const Value given[3])
{
    if (!generator_raise_given(vm, given)) {
        return VALUE_FAIL;
    }
    if (g->state == GENERATOR_RUNNING) {
        raise_clear(vm);
        return raise_error(vm, ERR_VALUE, "generator already executing");
    }
    if (g->state == GENERATOR_SUSPENDED) {
        return guarded_run(vm, g, VALUE_UNBOUND);
    }
    // It has no `try` to catch the error, which goes on to the caller.
    if (g->state == GENERATOR_NEW) {
        // Its frame is on the way, before the first instruction.
        raise_add_frame(vm, g->function->code, 0);
        convert_stop(vm);
    }
    drop_registers(vm, g);
    return VALUE_FAIL;
}

// Whether throw() was given a GeneratorExit, as a class or an instance.
static bool is_exit(Vm *vm, Value type)
{
    Type *exit = vm->error_types[ERR_GENERATOR_EXIT];
    return value_is_kind(type, KIND_TYPE)
               ? type_is_subtype((Type *)value_object(type), exit)
               : type_is_subtype(type_of(vm, type), exit);
}

// Of a generator that waits for `inner`, a reference that is taken: it counts
// as running while the inner one does. An inner one that is through is let go,
// which may run code of its own, before the generator goes on.
static Value throw_through(Vm *vm, Generator *g, Value inner,
                           const Value given[3])
{
    Value result = VALUE_NONE;
    g->state = GENERATOR_RUNNING;
    // Closing is asked of the inner one by its own close(), which may fail.
    Value item = !is_exit(vm, given[0]) ? throw_into(vm, inner, given, &result)
                 : close_delegate(vm, g, inner) ? VALUE_UNBOUND
                                                : VALUE_FAIL;
    g->state = GENERATOR_SUSPENDED;
    if (value_same(item, VALUE_STOP) || value_failed(item)) {
        // As generator_delegate finds it.
        Ins yield = g->function->code->words[g->word - 1];
        value_replace(&vm->ctx, &g->registers[INS_C(yield)], VALUE_UNBOUND);
    }
    release(vm, inner);
    if (value_same(item, VALUE_STOP)) {
        finish_delegate(vm, g, result);
        // Goes on without an error: the result register is set.
        g->state = GENERATOR_NEW; // nothing is sent
        return guarded_run(vm, g, VALUE_NONE);
    }
    return value_unbound(item)  ? throw_here(vm, g, given)
           : value_failed(item) ? guarded_run(vm, g, VALUE_UNBOUND)
                                : item;
}

// The exception goes to what `yield from` asks first, however deep.
Value generator_throw(Vm *vm, Generator *g, const Value given[3])
{
    Value inner = generator_delegate(g);
    if (!note_step(vm, g)) {
        return VALUE_FAIL;
    }
    if (value_unbound(inner)) {
        return throw_here(vm, g, given);
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    // The register that holds it may be overwritten.
    Value item = throw_through(vm, g, value_retain(inner), given);
    ctx_leave(&vm->ctx);
    return item;
}

// GeneratorExit where it stands; that it ends so is what is wanted.
bool generator_close(Vm *vm, Generator *g)
{
    if (g->state == GENERATOR_RUNNING) {
        return raise_false(vm, ERR_VALUE, "generator already executing");
    }
    if (g->state != GENERATOR_SUSPENDED) {
        // None of its code has run, so no `finally` is due.
        if (g->state == GENERATOR_NEW) {
            drop_registers(vm, g);
        }
        return true;
    }
    // What it delegates to is closed first, and may fail.
    Value inner = generator_delegate(g);
    if (value_unbound(inner) || close_delegate(vm, g, inner)) {
        Value exit =
            vm_call(vm, value_from_object(vm->error_types[ERR_GENERATOR_EXIT]),
                    NULL, 0);
        if (value_failed(exit)) {
            return false;
        }
        // Else the error of the inner close is pending, and is met here.
        (void)raise_object(vm, exit);
    }
    // GeneratorExit is raised where it stands; it should come out again.
    Value item = guarded_run(vm, g, VALUE_UNBOUND);
    if (value_failed(item)) {
        if (raise_matches(vm, ERR_GENERATOR_EXIT) ||
            raise_matches(vm, ERR_STOP_ITERATION)) {
            raise_clear(vm);
            return true;
        }
        return false;
    }
    // It caught GeneratorExit and returned, which is allowed.
    if (value_same(item, VALUE_STOP)) {
        return true;
    }
    release(vm, item);
    return raise_false(vm, ERR_RUNTIME, "generator ignored GeneratorExit");
}

// Only then must a dying generator run code; most are freed without.
static bool generator_finalizes(const Object *self)
{
    const Generator *g = (const Generator *)self;
    if (g->state != GENERATOR_SUSPENDED) {
        return false;
    }
    const Code *code = g->function->code;
    for (uint32_t i = 0; i < code->handler_count; i++) {
        // g->word stands behind the YIELD.
        // Within a `try` or `with`: its `finally` is due.
        if (g->word > code->handlers[i].start &&
            g->word <= code->handlers[i].end) {
            return true;
        }
    }
    return !value_unbound(generator_delegate(g));
}

// --- the type ---

// finalize.c calls it while the object still lives, with a count of its own.
static bool generator_finalize(Vm *vm, Object *self)
{
    return generator_close(vm, (Generator *)self);
}

static void generator_clear(Vm *vm, Object *self)
{
    Generator *g = (Generator *)self;
    if (g->state != GENERATOR_RUNNING) {
        drop_registers(vm, g);
    }
}

// Its finally has run by then (finalize.c).
static void generator_destroy(Vm *vm, Object *self)
{
    Generator *g = (Generator *)self;
    size_t size = generator_size(g->function);
    drop_registers(vm, g);
    release(vm, g->result);
    object_release_null(&vm->ctx, g->name);
    object_release_null(&vm->ctx, g->qualname);
    object_release(&vm->ctx, g->function);
    object_free(vm, self, size);
}

// A running generator's registers are used by its frame: what they hold counts
// as held from outside.
static void generator_visit(Object *self,
                            void (*visit)(Object *child, void *data),
                            void *data)
{
    Generator *g = (Generator *)self;
    visit(&g->function->head, data);
    for (uint32_t i = 0;
         holds_registers(g) && i < g->function->code->register_count; i++) {
        if (value_is_object(g->registers[i])) {
            visit(value_object(g->registers[i]), data);
        }
    }
    for (size_t i = 0; i < g->handled.count; i++) {
        if (value_is_object(g->handled.items[i])) {
            visit(value_object(g->handled.items[i]), data);
        }
    }
    if (value_is_object(g->result)) {
        visit(value_object(g->result), data);
    }
}

static Value generator_iter(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(self);
}

static Value generator_next(Vm *vm, Value self)
{
    return generator_send(vm, (Generator *)value_object(self), VALUE_NONE);
}

static Value generator_repr(Vm *vm, Value self)
{
    const Generator *g = (const Generator *)value_object(self);
    return value_or_fail(str_printf(vm, "<generator object %s at %p>",
                                    generator_qualname(g)->text,
                                    (const void *)g));
}

const TypeDef generator_type_def = {.name = "generator",
                                    .doc =
                                        "What a function with yield returns.",
                                    .kind = KIND_GENERATOR,
                                    .size = sizeof(Generator),
                                    .flags = TYPE_TRACKED | TYPE_FINAL,
                                    .slots = {.destroy = generator_destroy,
                                              .finalize = generator_finalize,
                                              .finalizes = generator_finalizes,
                                              .visit = generator_visit,
                                              .clear = generator_clear,
                                              .repr = generator_repr,
                                              .iter = generator_iter,
                                              .next = generator_next},
                                    .methods = generator_methods,
                                    .members = generator_members,
                                    .stored = " gi_code "};
