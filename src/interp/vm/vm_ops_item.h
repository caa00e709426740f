// Bodies of the instructions on attributes, items and displays. Part of vm_run
// (vm.c), no include guard.
//
// What is read out of an object is counted before anything is released, since
// a release can run code that changes the object.

OP_GETATTR: {
    // The cache stands in the two words behind the instruction (AttrCache).
    const Value *place = fast_attr(vm, RB, (const AttrCache *)pc);
    if (LIKELY(place != NULL)) {
        f->pc = pc;
        SET(RA, value_retain(*place));
        DROP_FIRST(RB);
        pc += 2;
        NEXT();
    }
    // What follows can raise, and the traceback reads the line from here.
    f->pc = pc;
    if (!slow_getattr(vm, f, ins)) {
        goto error;
    }
    // The getter of a property: vm_deliver steps over the cache.
    if (vm->frame != f) {
        LOAD_FRAME();
        NEXT_POLL();
    }
    pc += 2;
    NEXT();
}
// fast_attr_place has given the instance its new shape when it returns.
OP_SETATTR: {
    // An unbound local reaches this as VALUE_UNBOUND; the slow way raises its
    // NameError.
    Value v = RB;
    Value *place = UNLIKELY(value_unbound(v))
                       ? NULL
                       : fast_attr_place(vm, RA, (const StoreCache *)pc);
    if (LIKELY(place != NULL)) {
        f->pc = pc;
        TAKE_FIRST(v, RB);
        SET(*place, v);
        DROP_SECOND(RA);
        // A StoreCache is three words long.
        pc += 3;
        NEXT();
    }
    f->pc = pc;
    if (!slow_setattr(vm, f, ins)) {
        goto error;
    }
    pc += 3;
    NEXT_POLL();
}
    SLOW_DROP(DELATTR, slow_delattr, 0)
// Method and self stand where CALLM wants them: no bound method is made.
// Hit: the cache knows the method for this shape or class. Otherwise what
// slow_loadm finds may have no self, and CALLM moves the arguments down then.
OP_LOADM: {
    Value self = RB;
    Object *method = fast_method(vm, self, (const MethodCache *)pc);
    if (LIKELY(method != NULL)) {
        f->pc = pc;
        TAKE_FIRST(self, RB);
        SET((&RA)[1], self);
        SET(RA, value_from_object(object_retain(method)));
        pc += 3;
        NEXT();
    }
    f->pc = pc;
    if (!slow_loadm(vm, f, ins)) {
        goto error;
    }
    pc += 3;
    NEXT();
}
// The item goes where it is wanted: on to the next instruction if that is
// arithmetic and the item a float, else into A, counted.
#define ITEM_RESULT(item)                                                     \
    if ((FIELD_X & INS_CHAIN) && value_is_immediate_float(item)) {            \
        number = value_immediate_float(item);                                 \
        f->pc = pc;                                                           \
        if (FIELD_A == FIELD_B) {                                             \
            SET(RA, VALUE_UNBOUND);                                           \
        }                                                                     \
        DROP_FIRST(RB);                                                       \
        pc++;                                                                 \
        goto *chains[INS_OP(ins) - OPCODE_ADD];                               \
    }                                                                         \
    f->pc = pc;                                                               \
    SET(RA, value_retain(item));                                              \
    DROP_FIRST(RB);                                                           \
    NEXT();
// The key is an int where the fast way is taken, so only the container needs
// dropping. An item of which the next instruction wants an item is not even
// counted: `first` is borrowed until that is found.
OP_GETITEM: {
    const Value *place = fast_item(vm, RB, RC);
    if (LIKELY(place != NULL)) {
        // Borrowed: RB keeps the container, which keeps this.
        Value first = *place;
        if (FIELD_X & INS_ITEM) {
            // The next instruction is run here as well, so pc counts it; where
            // that fails, pc-- leaves it to itself.
            pc++;
            place = fast_item(vm, first, RC);
            if (LIKELY(place != NULL)) {
                Value second = *place;
                ITEM_RESULT(second)
            }
            pc--;
        } else if (FIELD_X & INS_ITEM_I) {
            pc++;
            place = fast_item(vm, first, value_from_small(FIELD_CI));
            if (LIKELY(place != NULL)) {
                Value second = *place;
                ITEM_RESULT(second)
            }
            pc--;
        }
        ITEM_RESULT(first)
    }
    // Not a list or tuple with a small int: a dict whose key compares without
    // running code.
    const DictEntry *entry = fast_entry(vm, RB, RC);
    if (LIKELY(entry != NULL)) {
        Value item = value_retain(entry->value);
        f->pc = pc;
        SET(RA, item);
        DROP_FIRST(RB);
        DROP_SECOND(RC);
        // Dropping the key or the dict may have run a finaliser.
        NEXT_POLL();
    }
    SLOW_METHOD(slow_getitem)
}
// The key stands in the instruction.
OP_GETITEMI: {
    const Value *place = fast_item(vm, RB, value_from_small(FIELD_CI));
    if (LIKELY(place != NULL)) {
        Value first = *place;
        if (FIELD_X & INS_ITEM_I) {
            pc++;
            place = fast_item(vm, first, value_from_small(FIELD_CI));
            if (LIKELY(place != NULL)) {
                Value second = *place;
                ITEM_RESULT(second)
            }
            pc--;
        }
        ITEM_RESULT(first)
    }
    SLOW_METHOD(slow_getitemi)
}
// Nothing can be deleted from the list between finding the place and storing:
// no code runs in between.
// The old item is released by SET, after the new one stands in its place, so
// that a finaliser sees a list that is whole.
OP_SETITEM: {
    Value v = RC;
    Value *place =
        UNLIKELY(value_unbound(v)) ? NULL : fast_item_place(vm, RA, RB);
    if (LIKELY(place != NULL)) {
        f->pc = pc;
        TAKE_FIRST(v, RC);
        SET(*place, v);
        DROP_SECOND(RA);
        NEXT();
    }
    SLOW_HERE(slow_setitem)
}
    SLOW_DROP(DELITEM, slow_delitem, 0)
// A __getitem__ of the program can have been entered: slow_slice has set the pc
// that goes on.
OP_SLICE:
    f->pc = pc;
    if (UNLIKELY(!slow_slice(vm, f, ins))) {
        goto error;
    }
    pc = f->pc;
    NEXT_POLL();

    // --- displays ---
    SLOW(LIST, slow_list, 0)
    SLOW(TUPLE, slow_tuple, 0)
    SLOW(SET, slow_set_display, 0)
    SLOW(DICT, slow_dict, 0)
// The value moves out of a temporary; a local keeps its own reference.
// Of a list comprehension: RA is the list in the making, which no code of the
// program can see yet.
OP_APPEND: {
    Value v = RB;
    if (LIKELY(!value_unbound(v) && fast_append(vm, RA, v))) {
        TAKE_FIRST(v, RB);
        NEXT();
    }
    SLOW_HERE(slow_append)
}
    SLOW(APPENDN, slow_appendn, 0)
    SLOW(EXTEND, slow_extend, 0)
    SLOW(SETADD, slow_setadd, 0)
    SLOW(SETUPDATE, slow_setupdate, 0)
    SLOW(DICTSET, slow_dictset, 0)
    SLOW(DICTUPDATE, slow_dictupdate, 0)
    SLOW(DICTMERGE, slow_dictmerge, 0)
    SLOW(TOTUPLE, slow_totuple, 0)
    SLOW(FORMAT, slow_format, 0)
    SLOW(CONCAT, slow_concat, 0)
// Not where the source is one of the targets: it would be gone half-way.
OP_UNPACK: {
    const Value *items = fast_items(vm, RA, FIELD_C);
    Value *out = &RB;
    // As a difference of unsigned numbers it is large where A lies below B.
    if (LIKELY(items != NULL && (uint32_t)(FIELD_A - FIELD_B) >= FIELD_C)) {
        f->pc = pc;
        for (uint32_t left = FIELD_C; left > 0; left--, items++, out++) {
            Value item = value_retain(*items);
            SET(*out, item);
        }
        DROP_FIRST(RA);
        NEXT();
    }
    SLOW_HERE(slow_unpack)
}
    SLOW(UNPACKX, slow_unpackx, 0)
