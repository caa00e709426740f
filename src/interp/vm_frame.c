// Frames: pushing, dropping, unwinding, and the ways from C into the machine.
//
// Invariant: registers above the running frame hold no object, except in
// windows below vm->window_top, which C code holds.
#include "interp/obj_exception.h"
#include "interp/obj_generator.h"
#include "interp/vm_run.h"

static void release_all(Vm *vm, Value *registers, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        value_replace(&vm->ctx, &registers[i], VALUE_UNBOUND);
    }
}

static uint32_t parameter_count(const Code *code)
{
    return code->positional_count + code->keyword_only_count +
           !!(code->flags & CODE_VARARGS) + !!(code->flags & CODE_VARKEYWORDS);
}

bool vm_push_frame(Vm *vm, Function *function, Value *window)
{
    Code *code = function->code;
    Frame *next = vm->frame == NULL ? vm->frames : vm->frame + 1;
    if (UNLIKELY(next >= vm->frames_end ||
                 (uint32_t)(next - vm->frames) >= vm->recursion_limit ||
                 window + code->register_count + 8 > vm->stack_end)) {
        release_all(vm, window, 0, parameter_count(code));
        return raise_false(vm, ERR_RECURSION,
                           "maximum recursion depth exceeded");
    }
    for (uint32_t i = parameter_count(code); i < code->local_count; i++) {
        window[i] = VALUE_UNBOUND;
    }
    *next = (Frame){.pc = code->words,
                    .registers = window,
                    .code = code,
                    .globals = function->globals,
                    .cells = function->cells,
                    .handled = (uint32_t)vm->handled.count};
    vm->frame = next;
    return true;
}

void vm_cut_handled(Vm *vm, size_t count)
{
    while (vm->handled.count > count) {
        Value last = vec_pop(&vm->handled);
        release(vm, last);
    }
}

void vm_drop_frame(Vm *vm)
{
    Frame *f = vm->frame;
    release_all(vm, f->registers, 0, f->code->register_count);
    vm_cut_handled(vm, f->handled);
    vm->frame = f == vm->frames ? NULL : f - 1;
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

bool vm_unwind(Vm *vm)
{
    for (;;) {
        Frame *f = vm->frame;
        bool entry = f->flags & FRAME_ENTRY;
        uint32_t word = (uint32_t)(f->pc - f->code->words);
        if (word == 0 || !raises_again(f)) {
            raise_add_frame(vm, f->code, word);
        }
        const Handler *handler = word == 0 ? NULL : find_handler(f, word - 1);
        if (handler != NULL) {
            release_all(vm, f->registers, handler->depth,
                        f->code->register_count);
            f->registers[handler->depth] = raise_take(vm);
            vm_cut_handled(vm, f->handled + handler->handled);
            f->pc = f->code->words + handler->target;
            return true;
        }
        vm_drop_frame(vm);
        if (entry) {
            return false;
        }
    }
}

Value *vm_free_window(Vm *vm, uint32_t count)
{
    Value *top = vm->stack;
    if (vm->frame != NULL) {
        top = vm->frame->registers + vm->frame->code->register_count;
    }
    if (top < vm->window_top) {
        top = vm->window_top;
    }
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

void vm_release_window(Vm *vm, Value *window)
{
    vm->window_top = window - 1;
}

Value vm_run_function(Vm *vm, Function *function, Value *window)
{
    if (function->code->flags & CODE_GENERATOR) {
        Generator *made = generator_new(vm, function, window);
        return made == NULL ? VALUE_FAIL : value_from_object(made);
    }
    if (!vm_push_frame(vm, function, window)) {
        return VALUE_FAIL;
    }
    vm->frame->flags |= FRAME_ENTRY;
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

static int enter_function(Vm *vm, Function *function, Value *window,
                          uint32_t count, Tuple *keyword_names)
{
    if ((keyword_names != NULL || function->code->plain_count != count) &&
        !call_bind(vm, function, window, count, keyword_names)) {
        return -1;
    }
    if (!(function->code->flags & CODE_GENERATOR)) {
        return vm_push_frame(vm, function, window) ? 1 : -1;
    }
    Generator *made = generator_new(vm, function, window);
    if (made == NULL) {
        return -1;
    }
    value_replace(&vm->ctx, &window[-1], value_from_object(made));
    return 0;
}

int vm_enter(Vm *vm, Value *window, uint32_t count, Tuple *keyword_names)
{
    Value callee = window[-1];
    if (value_is_kind(callee, KIND_FUNCTION)) {
        return enter_function(vm, (Function *)value_object(callee), window,
                              count, keyword_names);
    }
    if (UNLIKELY(value_unbound(callee))) {
        const Frame *f = vm->frame;
        slow_unbound(vm, f, (uint32_t)(window - 1 - f->registers));
        return -1;
    }
    Value result;
    const Native *native = (const Native *)value_object(callee);
    if (value_is_kind(callee, KIND_NATIVE) && keyword_names == NULL &&
        (native->flags & NATIVE_SIMPLE) && native->positional_count == count &&
        value_unbound(native->self)) {
        result = native->function(vm, window, count);
        release_all(vm, window, 0, count);
    } else {
        result = call_object(vm, callee, window, count, keyword_names);
    }
    if (value_failed(result)) {
        return -1;
    }
    value_replace(&vm->ctx, &window[-1], result);
    return 0;
}
