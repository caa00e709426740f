// Bodies of calls, returns and yields. Part of vm_run (vm.c), no include
// guard.
//
// A call of a Duet function pushes a frame and goes on in it: no C stack is
// used. What else can be called is vm_enter's; frames with flags end in
// vm_leave.

OP_CALL:
    window = &RA + 1;
    count = FIELD_B;
// The frame is pushed here if nothing needs binding, as vm_push_frame does it.
call_window: {
    Value callee = window[-1];
    f->pc = pc;
    // The usual call: all parameters given by position, room for its frame, and
    // no trace that must be told of it.
    if (LIKELY(value_is_kind(callee, KIND_FUNCTION))) {
        Function *function = (Function *)value_object(callee);
        Code *code = function->code;
        // Defaults are put behind the arguments right here.
        if (UNLIKELY(code->direct_count != count)) {
            keywords = NULL;
            if (code->direct_count == UINT32_MAX ||
                !call_bind_quick(function, window, count, NULL)) {
                goto call_slowly;
            }
            count = code->direct_count;
        }
        if (LIKELY(f + 1 < vm->frames_end &&
                   window + code->register_count + 8 <= vm->stack_end &&
                   fast_quiet(vm))) {
            // Arguments are the first locals already; the others must read as
            // unbound.
            for (uint32_t i = count; i < code->local_count; i++) {
                window[i] = VALUE_UNBOUND;
            }
            f++;
            f->pc = pc = code->words;
            f->registers = R = window;
            f->code = code;
            f->globals = function->globals;
            f->cells = function->cells;
            f->flags = 0;
            f->handled = (uint32_t)vm->handled.count;
            code->entered++;
            vm->frame = f;
            K = code->constants;
            if (UNLIKELY(vm->ctx.interrupt)) {
                goto interrupted;
            }
            NEXT();
        }
    } else if (value_is_kind(callee, KIND_NATIVE) &&
               native_is_direct(vm, (Native *)value_object(callee), window,
                                count)) {
        // The native that is called most of all, where it may be called and
        // has room: the item moves into the list.
        if (((Native *)value_object(callee))->function ==
                list_method_append && f + 1 < vm->frames_end &&
            fast_append(vm, window[0], window[1])) {
            window[1] = VALUE_UNBOUND;
            SET(window[0], VALUE_UNBOUND);
            SET(window[-1], VALUE_NONE);
            NEXT_POLL();
        }
        if (UNLIKELY(!vm_call_direct(vm, (Native *)value_object(callee),
                                     window, count))) {
            goto error;
        }
        NEXT_POLL();
    }
    keywords = NULL;
}
call_slowly: {
    f->pc = pc;
    int entered = vm_enter(vm, window, count, keywords);
    if (UNLIKELY(entered < 0)) {
        goto error;
    }
    if (entered) {
        LOAD_FRAME();
    }
    // Looked at once for each call, so that endless recursion can be stopped.
    if (UNLIKELY(vm->ctx.interrupt)) {
        goto interrupted;
    }
    NEXT();
}
// The method or function that LOADM found; with a self it is an argument.
// method_window moves nothing if there is a self; otherwise the arguments move
// down by one.
OP_CALLM:
    count = FIELD_B;
    window = method_window(&RA, &count);
    goto call_window;
// With keywords: KC holds the names of the last arguments.
OP_CALLK:
    window = &RA + 1;
    count = FIELD_B;
    goto call_named;
OP_CALLMK:
    count = FIELD_B;
    window = method_window(&RA, &count);
// Once names have found their parameters it is a call like any other.
call_named:
    keywords = (Tuple *)value_object(KC);
    if (value_is_kind(window[-1], KIND_FUNCTION)) {
        Function *function = (Function *)value_object(window[-1]);
        if (function->code->direct_count != UINT32_MAX &&
            call_bind_quick(function, window, count, keywords)) {
            count = function->code->direct_count;
            goto call_window;
        }
    }
    goto call_slowly;
// A Duet function with *args alone is called as with so many arguments.
// vm_spread puts the items of *args into the window; where it does not, nothing
// has changed and C makes the call.
OP_CALLX:
    if (LIKELY(vm_spread(vm, &RA, &count))) {
        window = &RA + 1;
        goto call_window;
    }
    f->pc = pc;
    switch (vm_enter_spread(vm, &RA)) {
    case -1:
        goto error;
    case SPREAD_NOT:
        break;
    default:
        LOAD_FRAME();
        NEXT_POLL();
    }
    SLOW_HERE(slow_callx)
// Any of these in a generator, whose registers are not on the stack.
OP_CALLFAR: {
    f->pc = pc;
    int entered = vm_call_far(vm, f, ins);
    if (UNLIKELY(entered < 0)) {
        goto error;
    }
    if (entered) {
        LOAD_FRAME();
    }
    NEXT_POLL();
}
    SLOW(MAKEFUNC, slow_makefunc, 0)
    SLOW(PREPARE, slow_prepare, 0)
    SLOW(MKCLASS, slow_mkclass, 0)
// A generator's return looks the same here: vm_leave and C tell them apart.
OP_RET:
OP_RETGEN:
    result = RA;
    // An UNBOUND temporary is meant: an entry of the prompt has no value.
    if (UNLIKELY(value_unbound(result)) &&
        FIELD_A < f->code->local_count) {
        f->pc = pc;
        slow_unbound(vm, f, FIELD_A);
        goto error;
    }
    // The register is emptied by hand: its value has moved into `result`.
    RA = VALUE_UNBOUND;
    goto leave;
OP_RETN:
    result = VALUE_NONE;
// The result is owned by `result`; the locals go first, so that finalisers of
// theirs run before the caller sees it.
leave:
    for (uint32_t i = 0; i < FIELD_B; i++) {
        if (value_is_object(R[i])) {
            SET(R[i], VALUE_UNBOUND);
        }
    }
    // A return from inside of an `except` leaves its error behind.
    if (UNLIKELY(vm->handled.count > f->handled)) {
        vm_cut_handled(vm, f->handled);
    }
    if (LIKELY(f->flags == 0)) {
        // The callee's register takes the result.
        window = R;
        vm->frame = --f;
        pc = f->pc;
        R = f->registers;
        K = f->code->constants;
        SET(window[-1], result);
        NEXT();
    }
    // C had called this function and waits for its result.
    if (f->flags == FRAME_ENTRY) {
        vm->frame = f == vm->frames ? NULL : f - 1;
        return result;
    }
    f->pc = pc;
    switch (vm_leave(vm, result)) {
    case LEAVE_TO_C:
        return result;
    case LEAVE_FAILED:
        goto error;
    case LEAVE_ON:
        break;
    }
    // Polls, since an instruction that was a jump may have gone back.
    LOAD_FRAME();
    NEXT_POLL();
// Back to C, or to the FORLOOP or SEND that had asked.
OP_YIELD:
    f->pc = pc;
    result = RA;
    if (UNLIKELY(value_unbound(result))) {
        slow_unbound(vm, f, FIELD_A);
        goto error;
    }
    RA = VALUE_UNBOUND;
    // `sink` is C code that takes the items of a generator one by one while it
    // runs on.
    // A C loop that takes the item at once sends None back.
    if ((f->flags & FRAME_ENTRY) && generator_of(R)->sink != NULL &&
        generator_of(R)->sink->take(vm, generator_of(R)->sink, result)) {
        if (!(FIELD_X & 2)) {
            SET(RB, VALUE_NONE);
        }
        NEXT_POLL();
    }
    if (UNLIKELY(!generator_suspend(vm, f))) {
        release(vm, result);
        goto error;
    }
    if (f->flags & FRAME_ENTRY) {
        return result;
    }
    window = R;
    LOAD_FRAME();
    SET(RB, result);
    // The asking instruction's register holds the generator as well.
    SET(window[-1], VALUE_UNBOUND);
    if (LIKELY(INS_OP(ins) == OPCODE_FORLOOP)) {
        // The loop's body begins there.
        JUMP(FIELD_CI);
    }
    NEXT();
    SLOW(GETYFI, slow_getyfi, 0)
// A generator of Duet is resumed in this machine. When it yields the item
// stands in B; when it returns vm_leave makes the jump.
OP_SEND:
    f->pc = pc;
    if (LIKELY(value_is_kind(RA, KIND_GENERATOR))) {
        int resumed = generator_resume(
            vm, (Generator *)value_object(RA), RB);
        if (UNLIKELY(resumed < 0)) {
            goto error;
        }
        if (LIKELY(resumed)) {
            LOAD_FRAME();
            NEXT_POLL();
        }
    }
    SLOW_JUMP(slow_send);
