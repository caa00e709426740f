// Frames: pushing, dropping, unwinding, and the ways from C into the machine.
//
// Invariant: registers above the running frame hold no object, except in
// windows below vm->window_top, which C code holds. A frame with an owner flag
// was pushed for an instruction that is no call (FORLOOP, an operator, a class
// that makes an instance): R[-1] is then nobody else's.
#include "interp/hooks/tracing.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/iterators/obj_generator.h"

// The flags of frames that hold R[-1] themselves; FRAME_GENERATOR of an entry
// frame is the exception, C holds its generator.
enum {
    FRAME_OWNERS = FRAME_GENERATOR | FRAME_INIT | FRAME_OPERATOR |
                   FRAME_CACHED | FRAME_NEW | FRAME_FAR
};

// Each register is emptied before its value is released, so that the frame can
// be walked at any time.
static void release_all(Vm *vm, Value *registers, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        value_replace(&vm->ctx, &registers[i], VALUE_UNBOUND);
    }
}

// There is room, and the parameters stand at `window`.
static inline void push_frame(Vm *vm, Function *function, Code *code,
                              Value *window, uint32_t flags)
{
    // What is there are leftovers that own nothing: stored over, not released.
    for (uint32_t i = code->parameter_count; i < code->local_count; i++) {
        window[i] = VALUE_UNBOUND;
    }
    Frame *f = vm->frame == NULL ? vm->frames : vm->frame + 1;
    f->pc = code->words;
    f->registers = window;
    f->code = code;
    f->globals = function->globals;
    f->cells = function->cells;
    f->flags = flags;
    f->handled = (uint32_t)vm->handled.count;
    vm->frame = f;
}

// Takes the arguments in the window, also if it fails. Parameters are there;
// the other locals start unbound, and temporaries are written before they are
// read. In a trace the hooks may put converted code in place of the function's
// own.
bool vm_push_frame(Vm *vm, Function *function, Value *window, uint32_t flags)
{
    Code *code = function->code;
    if (UNLIKELY(vm->trace != NULL)) {
        code = vm->hooks->convert(vm, function);
        if (code == NULL) {
            release_all(vm, window, 0, function->code->parameter_count);
            return false;
        }
        flags |= code->flags & CODE_STAGED ? FRAME_STAGED : 0;
    }
    if (!vm_can_push(vm, code, window)) {
        release_all(vm, window, 0, code->parameter_count);
        return false;
    }
    push_frame(vm, function, code, window, flags);
    return true;
}

// Each is taken off before its release: the vector never names a dead one.
void vm_cut_handled(Vm *vm, size_t count)
{
    while (vm->handled.count > count) {
        Value last = vec_pop(&vm->handled);
        release(vm, last);
    }
}

static void pop_frame(Vm *vm)
{
    Frame *f = vm->frame;
    vm->frame = f == vm->frames ? NULL : f - 1;
}

// For frames that are left with registers in use: by an error, or by C.
static void vm_drop_frame(Vm *vm)
{
    Frame *f = vm->frame;
    release_all(vm, f->registers, 0, f->code->register_count);
    vm_cut_handled(vm, f->handled);
    pop_frame(vm);
}

// Frames that the machine pushed behind the back of the compiler hold what
// stands in R[-1] themselves: the caller's code knows nothing of it.
static Value take_owner(Frame *f)
{
    Value owner = f->registers[-1];
    f->registers[-1] = VALUE_UNBOUND;
    return owner;
}

// The callee's place of a call from a generator: below what the frame keeps in
// front of its registers, or R[-1] itself, which `owner` was taken from.
static Value take_callee(Frame *f, Value *owner)
{
    Value *place = f->flags & FRAME_INIT                   ? &f->registers[-2]
                   : f->flags & (FRAME_CACHED | FRAME_NEW) ? &f->registers[-3]
                                                           : owner;
    Value callee = *place;
    *place = VALUE_UNBOUND;
    return callee;
}

static void abandon(Vm *vm, Frame *f, Value owner)
{
    if (f->flags & FRAME_FAR) {
        release(vm, take_callee(f, &owner));
    }
    if (f->flags & FRAME_GENERATOR) {
        generator_finish(vm, (Generator *)value_object(owner), VALUE_FAIL);
    }
    if (f->flags & (FRAME_CACHED | FRAME_NEW)) {
        value_replace(&vm->ctx, &f->registers[-2], VALUE_UNBOUND);
    }
    release(vm, owner);
}

static const Handler *find_handler(const Frame *f, uint32_t word)
{
    for (uint32_t i = 0; i < f->code->handler_count; i++) {
        const Handler *handler = &f->code->handlers[i];
        if (word >= handler->start && word < handler->end) {
            return handler;
        }
    }
    return NULL;
}

// The instruction that failed raises what was raised before: no new place.
static bool raises_again(const Frame *f)
{
    Opcode op = (Opcode)INS_OP(f->pc[-1]);
    return op == OPCODE_RERAISE || op == OPCODE_RAISE_AGAIN;
}

// A property's getter failed: its error may have to learn what was asked for.
static void tell_property(Vm *vm)
{
    const Frame *caller = vm->frame;
    Ins ins = caller->pc[-1];
    if (INS_OP(ins) == OPCODE_GETATTR) {
        Str *name = value_as_str(caller->code->constants[INS_C(ins)]);
        attr_tell_missing(vm, caller->registers[INS_B(ins)], name);
    }
}

// A __next__ that FORLOOP had called raised StopIteration: the loop is over,
// and the caller's frame goes on behind it.
static bool ends_loop(Vm *vm)
{
    Frame *caller = vm->frame;
    Ins ins = caller->pc[-1];
    if (INS_OP(ins) != OPCODE_FORLOOP ||
        !raise_matches(vm, ERR_STOP_ITERATION)) {
        return false;
    }
    raise_clear(vm);
    release_all(vm, &caller->registers[INS_A(ins)], 0, 4);
    return true;
}

// The object in a register, in the cell there, that runs code when it dies.
static bool runs_code(Value v)
{
    if (value_is_kind(v, KIND_CELL)) {
        v = ((Cell *)value_object(v))->value;
    }
    return value_is_object(v) && !value_unbound(v) &&
           value_object(v)->type->slots.finalize != NULL;
}

// A traceback keeps what frames held, so that `__del__` runs when the error has
// been dealt with and not while it passes. The rest may go: nobody sees it.
static void keep_locals(Vm *vm, const Frame *f)
{
    if (!value_is_kind(vm->exception, KIND_EXCEPTION)) {
        return;
    }
    Traceback *trace = value_as_exception(vm->exception)->traceback;
    uint32_t count = trace != NULL ? f->code->local_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        Value held = f->registers[i];
        // Without memory it dies earlier.
        if (UNLIKELY(runs_code(held)) &&
            vec_push(&vm->ctx, &trace->kept, held)) {
            f->registers[i] = VALUE_UNBOUND;
        }
    }
}

// Frame by frame, outwards, until a handler fits or C is reached; each frame is
// noted in the traceback.
bool vm_unwind(Vm *vm)
{
    for (;;) {
        Frame *f = vm->frame;
        bool entry = f->flags & FRAME_ENTRY;
        uint32_t word = (uint32_t)(f->pc - f->code->words);
        // word is 0 if the frame has not run an instruction yet.
        // A text is new: there was nothing that could be raised again.
        if (word == 0 || ctx_failed(&vm->ctx) || !raises_again(f)) {
            raise_add_frame(vm, f->code, word);
        }
        const Handler *handler = word == 0 ? NULL : find_handler(f, word - 1);
        if (UNLIKELY(vm->trace != NULL)) {
            const Ins *next = vm->hooks->unwind(vm, f, handler);
            if (next != NULL) {
                f->pc = next;
                return true;
            }
        }
        if (handler != NULL) {
            release_all(vm, f->registers, handler->depth,
                        f->code->register_count);
            // The handler finds the exception in the first register above those
            // in use.
            f->registers[handler->depth] = raise_take(vm);
            vm_cut_handled(vm, f->handled + handler->handled);
            f->pc = f->code->words + handler->target;
            return true;
        }
        keep_locals(vm, f);
        vm_drop_frame(vm);
        if (entry) {
            return false;
        }
        if (UNLIKELY(f->flags & FRAME_OWNERS)) {
            if (f->flags & FRAME_OPERATOR) {
                tell_property(vm);
            }
            abandon(vm, f, take_owner(f));
            if ((f->flags & FRAME_OPERATOR) && ends_loop(vm)) {
                return true;
            }
        }
    }
}

// __init__ has returned; the instance stands where the result goes.
static LeaveKind leave_init(Vm *vm, Value result)
{
    if (LIKELY(value_is_none(result))) {
        return LEAVE_ON;
    }
    raise_error(vm, ERR_TYPE, "__init__() should return None, not '%s'",
                type_name(type_of(vm, result)));
    release(vm, result);
    return LEAVE_FAILED;
}

// The function behind an lru_cache has returned: the cache, which stands where
// the result goes, keeps that under the key of the call's link.
static LeaveKind leave_cached(Vm *vm, Value *registers, Value result)
{
    Value link = registers[-2];
    registers[-2] = VALUE_UNBOUND;
    Type *cache = value_object(registers[-3])->type;
    bool kept = cache->slots.keep(vm, registers[-3], link, result);
    release(vm, link);
    value_replace(&vm->ctx, &registers[-3], kept ? result : VALUE_UNBOUND);
    if (!kept) {
        release(vm, result);
    }
    return kept ? LEAVE_ON : LEAVE_FAILED;
}

// __new__ has returned: its result takes the class's place. What it made may be
// of a subclass, whose __init__ then follows. Nothing is left in the registers
// while that runs: its frames may stand there.
static LeaveKind leave_new(Vm *vm, Value *registers, Value result)
{
    Value cls = registers[-3], kept = registers[-2];
    registers[-3] = registers[-2] = VALUE_UNBOUND;
    Type *made = type_of(vm, result), *called = (Type *)value_object(cls);
    bool ready = made == called || !type_is_subtype(made, called) ||
                 class_init_made(vm, result, value_as_tuple(kept));
    release(vm, kept);
    release(vm, cls);
    if (!ready) {
        release(vm, result);
    }
    registers[-3] = ready ? result : VALUE_UNBOUND;
    return ready ? LEAVE_ON : LEAVE_FAILED;
}

// A call from a generator has returned: its register takes what the callee's
// place would hold.
static LeaveKind leave_far(Vm *vm, Frame *f, Value result)
{
    Value owner = take_owner(f);
    Frame *caller = vm->frame;
    LeaveKind kind = LEAVE_ON;
    if (f->flags & FRAME_INIT) {
        kind = leave_init(vm, result);
        result = take_callee(f, &owner);
    } else if (f->flags & FRAME_CACHED) {
        kind = leave_cached(vm, f->registers, result);
        result = take_callee(f, &owner);
    } else if (f->flags & FRAME_NEW) {
        // What that runs may have frames where f stood.
        Value *registers = f->registers;
        kind = leave_new(vm, registers, result);
        result = registers[-3];
        registers[-3] = VALUE_UNBOUND;
    }
    release(vm, owner);
    if (kind == LEAVE_ON) {
        value_replace(&vm->ctx, &caller->registers[INS_A(caller->pc[-1])],
                      result);
    } else {
        release(vm, result);
    }
    return kind;
}

static void leave_generator(Vm *vm, Generator *g, Value result)
{
    Frame *caller = vm->frame;
    Ins ins = caller->pc[-1];
    generator_finish(vm, g, result);
    if (INS_OP(ins) == OPCODE_SEND) {
        value_replace(&vm->ctx, &caller->registers[INS_B(ins)],
                      generator_result(g));
        caller->pc += INS_CI(ins);
        return;
    }
    // The loop is over, and its state is no register that the caller's code
    // will release: FORLOOP kept the generator there.
    value_replace(&vm->ctx, &caller->registers[INS_A(ins)], VALUE_UNBOUND);
}

// The return instruction has emptied the locals before. Of a frame with an
// owner flag, the instruction that pushed it decides what the result is for.
LeaveKind vm_leave(Vm *vm, Value result)
{
    Frame *f = vm->frame;
    uint32_t flags = f->flags;
    pop_frame(vm);
    if (flags & FRAME_ENTRY) {
        return LEAVE_TO_C;
    }
    // An ordinary call: the result takes the function's place.
    if (!(flags & FRAME_OWNERS)) {
        value_replace(&vm->ctx, &f->registers[-1], result);
        return LEAVE_ON;
    }
    if (flags & FRAME_FAR) {
        return leave_far(vm, f, result);
    }
    Value *registers = f->registers;
    Value owner = take_owner(f);
    LeaveKind kind = LEAVE_ON;
    // What the frame was pushed for decides what is done with the result.
    if (flags & FRAME_INIT) {
        kind = leave_init(vm, result);
    } else if (flags & FRAME_CACHED) {
        kind = leave_cached(vm, registers, result);
    } else if (flags & FRAME_NEW) {
        kind = leave_new(vm, registers, result);
    } else if (flags & FRAME_OPERATOR) {
        kind = vm_deliver(vm, result) ? LEAVE_ON : LEAVE_FAILED;
    } else {
        leave_generator(vm, (Generator *)value_object(owner), result);
    }
    release(vm, owner);
    return kind;
}

// The window is all empty: it can be released whatever was put into it.
Value *vm_free_window(Vm *vm, uint32_t count)
{
    Value *top = vm_next_window(vm) - 1;
    if (top + count + 16 > vm->stack_end) {
        return raise_null(vm, ERR_RECURSION,
                          "maximum recursion depth exceeded");
    }
    for (uint32_t i = 0; i <= count; i++) {
        top[i] = VALUE_UNBOUND;
    }
    vm->window_top = top + 1 + count;
    return top + 1;
}

// One register below the window belongs to it, for the callee.
void vm_release_window(Vm *vm, Value *window)
{
    vm->window_top = window - 1;
}

// What vm_run_function and its callers do in several steps, for callbacks: a
// sort key, the function of map(), __hash__ and __eq__ are called once for each
// item.
Value vm_run_direct(Vm *vm, Function *function, Value self, const Value *args,
                    uint32_t count)
{
    Code *code = function->code;
    Value *held = vm->window_top;
    Value *window = vm_next_window(vm), *next = window;
    Value result = VALUE_FAIL;
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    if (LIKELY(vm_can_push(vm, code, window))) {
        window[-1] = value_from_object(object_retain(function));
        if (!value_unbound(self)) {
            *next++ = value_retain(self);
        }
        for (uint32_t i = 0; i < count; i++) {
            *next++ = value_retain(args[i]);
        }
        push_frame(vm, function, code, window, FRAME_ENTRY);
        result = vm_run(vm, false);
        value_replace(&vm->ctx, &window[-1], VALUE_UNBOUND);
    }
    vm->window_top = held;
    ctx_leave(&vm->ctx);
    return result;
}

// C calls Duet: a dispatch loop of its own, which ends with the entry frame.
Value vm_run_function(Vm *vm, Function *function, Value *window)
{
    if (function->code->flags & CODE_GENERATOR) {
        return value_or_fail(generator_new(vm, function, window));
    }
    if (!vm_push_frame(vm, function, window, FRAME_ENTRY)) {
        return VALUE_FAIL;
    }
    if (!ctx_enter(&vm->ctx)) {
        vm_drop_frame(vm);
        return VALUE_FAIL;
    }
    // The frame's registers may reach above the window that C asked for.
    Value *held = vm->window_top;
    Value result = vm_run(vm, false);
    vm->window_top = held;
    ctx_leave(&vm->ctx);
    return result;
}
