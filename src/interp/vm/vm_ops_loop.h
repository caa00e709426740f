// Bodies of the loops. Part of vm_run (vm.c), no include guard.
//
// The hidden state of a loop (vm_for.c): (RANGE_MARK, next, left, step), or
// (list or tuple, index), or (iterator). It is emptied when the loop ends.
OP_FORPREP:
    f->pc = pc;
    if (!slow_forprep(vm, f, ins)) {
        goto error;
    }
    pc += FIELD_CI;
    NEXT();
OP_GETITER:
    f->pc = pc;
    if (!slow_getiter(vm, f, ins)) {
        goto error;
    }
    pc += FIELD_CI;
    NEXT();
// One instruction for each turn: next item, store, jump. A generator of Duet is
// resumed in this machine, and its yield makes the jump (OP_YIELD).
OP_FORLOOP: {
    Value *state = &RA, item;
    if (LIKELY(value_same(state[0], VALUE_RANGE_MARK))) {
        if (value_rank(state[2]) > 0) {
            item = state[1];
            // Behind the last item the sum may wrap: nobody reads it then.
            (void)value_add_small(item, state[3], &state[1]);
            (void)value_sub_small(state[2], value_from_small(1), &state[2]);
            SET(RB, item);
            JUMP(FIELD_CI);
            NEXT();
        }
    } else if (fast_next(vm, state, &item)) {
        SET(RB, item);
        JUMP(FIELD_CI);
        NEXT();
    } else if (value_is_kind(state[0], KIND_GENERATOR)) {
        f->pc = pc;
        int resumed = generator_resume(
            vm, (Generator *)value_object(state[0]), VALUE_NONE);
        if (UNLIKELY(resumed < 0)) {
            goto error;
        }
        if (LIKELY(resumed)) {
            LOAD_FRAME();
            NEXT();
        }
    }
    // Built-in iterators nest by C calls alone, and each of those is guarded.
    if (LIKELY(iterator_is_plain(state[0]))) {
        f->pc = pc;
        Iterator *iterator = (Iterator *)value_object(state[0]);
        item = iterator->step(vm, iterator);
        if (LIKELY(!value_same(item, VALUE_STOP) && !value_failed(item))) {
            SET(RB, item);
            JUMP(FIELD_CI);
            NEXT();
        }
        if (!slow_for_end(vm, f, ins, item)) {
            goto error;
        }
        NEXT_POLL();
    }
    SLOW_JUMP(slow_for_next);
}
