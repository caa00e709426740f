// Bodies of the instructions that read and write names: globals, names of class
// bodies, cells. Part of vm_run (vm.c), no include guard.
//
// A trace must see every read and store (note.h), so that inside one all of
// them are slow paths.

// The first word of the cache has the number of the global's entry, and above
// it that of the built-in name's entry, plus 1; the second the version of the
// globals at which the name was not among them, plus 1.
OP_GETG: {
    Dict *globals = f->globals;
    uint32_t index = (uint32_t)pc[0];
    if (LIKELY(fast_quiet(vm) && index < globals->used &&
               value_same(globals->entries[index].key, KB))) {
        SET(RA, value_retain(globals->entries[index].value));
        pc += 2;
        NEXT();
    }
    index = (uint32_t)(pc[0] >> 32);
    if (LIKELY(fast_quiet(vm) && index > 0 &&
               pc[1] == globals->version + 1 &&
               index <= vm->builtins->used &&
               value_same(vm->builtins->entries[index - 1].key, KB))) {
        SET(RA, value_retain(vm->builtins->entries[index - 1].value));
        pc += 2;
        NEXT();
    }
    f->pc = pc;
    if (!slow_getg(vm, f, ins)) {
        goto error;
    }
    pc += 2;
    NEXT();
}
// The cache word has the number of the entry, as that of GETG. A name that is
// there already keeps its place, and the version of the dict.
OP_SETG: {
    Dict *globals = f->globals;
    uint32_t index = (uint32_t)pc[0];
    Value v = RA;
    if (LIKELY(index < globals->used && !value_unbound(v) &&
               value_same(globals->entries[index].key, KB) &&
               fast_storable(vm, &globals->head))) {
        f->pc = pc;
        TAKE_FIRST(v, RA);
        SET(globals->entries[index].value, v);
        pc += 1;
        NEXT_POLL();
    }
    f->pc = pc;
    if (UNLIKELY(!slow_setg(vm, f, ins))) {
        goto error;
    }
    pc += 1;
    NEXT_POLL();
}
    SLOW_DROP(DELG, slow_delg, 0)
    SLOW(GETN, slow_getn, 0)
    SLOW(GETNC, slow_getnc, 0)
    SLOW_DROP(SETN, slow_setn, 0)
    SLOW_DROP(DELN, slow_deln, 0)
    SLOW(MKCELL, slow_mkcell, 0)
// An unbound cell is an error, which the slow path words.
OP_GETCELL: {
    Value v = ((const Cell *)value_object(RB))->value;
    if (LIKELY(!value_unbound(v) && fast_quiet(vm))) {
        SET(RA, value_retain(v));
        NEXT();
    }
    SLOW_HERE(slow_getcell)
}
// The cell is counted by its register, so it outlives the store.
OP_SETCELL: {
    Cell *cell = (Cell *)value_object(RA);
    Value v = RB;
    if (LIKELY(!value_unbound(v) && fast_storable(vm, &cell->head))) {
        f->pc = pc;
        TAKE_FIRST(v, RB);
        SET(cell->value, v);
        NEXT();
    }
    SLOW_HERE(slow_setcell)
}
    SLOW_DROP(DELCELL, slow_delcell, 0)
// The function in R[-1] holds the captured cells while the frame runs.
OP_GETCAP: {
    Value v = ((const Cell *)value_object(f->cells[FIELD_B]))->value;
    if (LIKELY(!value_unbound(v) && fast_quiet(vm))) {
        SET(RA, value_retain(v));
        NEXT();
    }
    SLOW_HERE(slow_getcap)
}
OP_SETCAP: {
    Cell *cell = (Cell *)value_object(f->cells[FIELD_B]);
    Value v = RA;
    if (LIKELY(!value_unbound(v) && fast_storable(vm, &cell->head))) {
        f->pc = pc;
        TAKE_FIRST(v, RA);
        SET(cell->value, v);
        NEXT();
    }
    SLOW_HERE(slow_setcap)
}
    SLOW_DROP(DELCAP, slow_delcap, 0)
// The cell itself, to be handed to an inner function.
OP_LOADCAP:
    SET(RA, value_retain(f->cells[FIELD_B]));
    NEXT();
