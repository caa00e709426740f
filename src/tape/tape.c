// Recording on tapes. See tape.h.
#include "tape/tape.h"

// ---- slots

// A symbolic tensor is a value of a graph, whatever object stands for it.
static bool same_operand(Value a, Value b)
{
    if (value_same(a, b)) {
        return true;
    }
    if (!value_is_kind(a, KIND_SYMBOLIC) || !value_is_kind(b, KIND_SYMBOLIC)) {
        return false;
    }
    const Symbolic *own = value_as_symbolic(a), *other = value_as_symbolic(b);
    return own->owner == other->owner && own->first == other->first;
}

static size_t operand_hash(Value v)
{
    uint64_t key = (uint64_t)(uintptr_t)value_object(v);
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        const Symbolic *symbolic = value_as_symbolic(v);
        key = (uint64_t)(uintptr_t)symbolic->owner + symbolic->first * 16u;
    }
    key = (key >> 4) * 0x9E3779B97F4A7C15u;
    return (size_t)(key >> 20);
}

// Where the operand's number stands in the table, or would.
static uint32_t *table_place(const Tape *tape, Value v)
{
    size_t at = operand_hash(v) & (tape->capacity - 1);
    while (tape->table[at] != 0 &&
           !same_operand(tape->slots.items[tape->table[at] - 1].value, v)) {
        at = (at + 1) & (tape->capacity - 1);
    }
    return &tape->table[at];
}

// An alias is followed as the Variable whose state it has.
static Value followed(Value v)
{
    return value_is_kind(v, KIND_VARIABLE)
               ? value_from_object(variable_identity(value_as_variable(v)))
               : v;
}

static bool stands_in(Value v)
{
    return value_is_kind(v, KIND_VARIABLE) &&
           value_as_variable(v)->stands_for != NULL;
}

bool tape_may_mean_one(Value a, Value b)
{
    if (!value_is_kind(a, KIND_VARIABLE) || !value_is_kind(b, KIND_VARIABLE) ||
        stands_in(a) == stands_in(b)) {
        return false;
    }
    TensorType type = operand_type(a), other = operand_type(b);
    return type.dtype == other.dtype &&
           shape_equal(type.rank, type.dims, other.rank, other.dims);
}

static uint32_t find_meant(const Tape *tape, Value v)
{
    uint32_t found = TAPE_NO_SLOT;
    for (size_t i = 0; i < tape->slots.count && found == TAPE_NO_SLOT; i++) {
        Value other = tape->slots.items[i].value;
        if (tape_may_mean_one(v, other) &&
            value_same(value_meant(v), value_meant(other))) {
            found = (uint32_t)i;
        }
    }
    return found;
}

uint32_t tape_find(const Tape *tape, Value v)
{
    v = followed(v);
    uint32_t found = tape->capacity == 0 ? 0 : *table_place(tape, v);
    return found != 0 ? found - 1
           : value_is_kind(v, KIND_VARIABLE) &&
                   (tape->stand_ins > 0 || stands_in(v))
               ? find_meant(tape, v)
               : TAPE_NO_SLOT;
}

// At most half full.
static bool grow_table(Vm *vm, Tape *tape)
{
    if ((tape->slots.count + 1) * 2 <= tape->capacity) {
        return true;
    }
    size_t old = tape->capacity, capacity = old == 0 ? 64 : old * 2;
    uint32_t *table = ctx_alloc_zero(&vm->ctx, capacity * sizeof *table);
    if (table == NULL) {
        return false;
    }
    if (old != 0) {
        ctx_free(&vm->ctx, tape->table, old * sizeof *table);
    }
    tape->table = table;
    tape->capacity = capacity;
    for (size_t i = 0; i < tape->slots.count; i++) {
        *table_place(tape, tape->slots.items[i].value) = (uint32_t)i + 1;
    }
    return true;
}

// The operand's slot, made if there is none. TAPE_NO_SLOT: no memory.
static uint32_t add_slot(Vm *vm, Tape *tape, Value v)
{
    v = followed(v);
    uint32_t known = tape_find(tape, v);
    if (known != TAPE_NO_SLOT) {
        return known;
    }
    TapeSlot slot = {.value = v};
    if (!grow_table(vm, tape) || !vec_push(&vm->ctx, &tape->slots, slot)) {
        return TAPE_NO_SLOT;
    }
    value_retain(v);
    tape->stand_ins += stands_in(v);
    *table_place(tape, v) = (uint32_t)tape->slots.count;
    return (uint32_t)tape->slots.count - 1;
}

// Gradients flow through floats alone, and lists of them.
static bool may_flow(Value v)
{
    return dtype_is_float(dtype_element(operand_type(v).dtype));
}

bool tape_watch(Vm *vm, Tape *tape, Value operand)
{
    uint32_t slot = add_slot(vm, tape, operand);
    if (slot == TAPE_NO_SLOT) {
        return false;
    }
    tape->slots.items[slot].tracked = true;
    return true;
}

// ---- recording

void tape_clear(Vm *vm, Tape *tape)
{
    for (size_t i = 0; i < tape->entries.count; i++) {
        value_release(&vm->ctx, tape->entries.items[i].data);
    }
    for (size_t i = 0; i < tape->items.count; i++) {
        value_release(&vm->ctx, tape->items.items[i].value);
    }
    for (size_t i = 0; i < tape->slots.count; i++) {
        value_release(&vm->ctx, tape->slots.items[i].value);
    }
    vec_free(&vm->ctx, &tape->entries);
    vec_free(&vm->ctx, &tape->items);
    vec_free(&vm->ctx, &tape->slots);
    if (tape->capacity != 0) {
        ctx_free(&vm->ctx, tape->table, tape->capacity * sizeof(uint32_t));
    }
    tape->table = NULL;
    tape->capacity = tape->stand_ins = 0;
    arena_destroy(&tape->arena);
    arena_init(&tape->arena, &vm->ctx);
}

bool tape_keep_variables(Vm *vm, Tape *tape)
{
    ValueVec kept = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < tape->slots.count; i++) {
        TapeSlot slot = tape->slots.items[i];
        if (slot.tracked && value_is_kind(slot.value, KIND_VARIABLE)) {
            ok = vec_push(&vm->ctx, &kept, slot.value);
            value_retain(ok ? slot.value : VALUE_NONE);
        }
    }
    tape_clear(vm, tape);
    for (size_t i = 0; i < kept.count; i++) {
        ok = ok && tape_watch(vm, tape, kept.items[i]);
        value_release(&vm->ctx, kept.items[i]);
    }
    vec_free(&vm->ctx, &kept);
    return ok;
}

// The operand's slot if something watched flows into it. False: no memory.
static bool tracked_slot(Vm *vm, Tape *tape, Value v, uint32_t *slot)
{
    *slot = tape_find(tape, v);
    if (*slot == TAPE_NO_SLOT && tape->watches &&
        value_is_kind(v, KIND_VARIABLE) && value_as_variable(v)->trainable &&
        !value_as_variable(v)->alias && may_flow(v)) {
        *slot = add_slot(vm, tape, v);
        if (*slot == TAPE_NO_SLOT) {
            return false;
        }
        tape->slots.items[*slot].tracked = true;
    }
    if (*slot != TAPE_NO_SLOT &&
        (!tape->slots.items[*slot].tracked || !may_flow(v))) {
        *slot = TAPE_NO_SLOT;
    }
    return true;
}

bool tape_meet(Vm *vm, Tape *tape, Value operand)
{
    uint32_t slot;
    return tracked_slot(vm, tape, operand, &slot);
}

static bool push_item(Vm *vm, Tape *tape, Value v, uint32_t slot)
{
    TapeItem item = {v, slot};
    if (!vec_push(&vm->ctx, &tape->items, item)) {
        return false;
    }
    value_retain(v);
    return true;
}

// Takes back the items of an entry that could not be finished.
static bool drop_items(Vm *vm, Tape *tape, size_t first)
{
    while (tape->items.count > first) {
        value_release(&vm->ctx, vec_pop(&tape->items).value);
    }
    return false;
}

static bool push_inputs(Vm *vm, Tape *tape, const Value *inputs,
                        TapeEntry *entry, bool *any)
{
    *any = false;
    for (uint32_t i = 0; i < entry->input_count; i++) {
        uint32_t slot;
        if (!tracked_slot(vm, tape, inputs[i], &slot) ||
            !push_item(vm, tape, inputs[i], slot)) {
            return false;
        }
        if (slot != TAPE_NO_SLOT) {
            size_t *user = &tape->slots.items[slot].user;
            entry->twice = entry->twice || *user == tape->entries.count + 1;
            *user = tape->entries.count + 1;
            *any = true;
        }
    }
    return true;
}

static bool push_outputs(Vm *vm, Tape *tape, const Value *outputs,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = TAPE_NO_SLOT;
        if (may_flow(outputs[i])) {
            slot = add_slot(vm, tape, outputs[i]);
            if (slot == TAPE_NO_SLOT) {
                return false;
            }
            tape->slots.items[slot].tracked = true;
        }
        if (!push_item(vm, tape, outputs[i], slot)) {
            return false;
        }
    }
    return true;
}

// Ints and text go with them.
static bool copy_attrs(Tape *tape, const OpDesc *op, const AttrValue *attrs,
                       AttrValue **out)
{
    *out = NULL;
    if (op->attr_count == 0 || attrs == NULL) {
        return true;
    }
    AttrValue *copy = arena_alloc(&tape->arena, op->attr_count * sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < op->attr_count; i++) {
        copy[i] = attrs[i];
        size_t size = attrs[i].kind == ATTR_INTS
                          ? attrs[i].count * sizeof(int64_t)
                      : attrs[i].kind == ATTR_STR ? attrs[i].count
                                                  : 0;
        if (size > 0) {
            void *bytes = arena_alloc(&tape->arena, size);
            if (bytes == NULL) {
                return false;
            }
            copy[i].ints = memcpy(bytes, attrs[i].ints, size);
        }
    }
    *out = copy;
    return true;
}

// `entry` says all but where its items and attributes stand.
static bool record_on(Vm *vm, Tape *tape, TapeEntry entry, const Value *inputs,
                      const AttrValue *attrs, const Value *outputs)
{
    size_t first = tape->items.count;
    bool any;
    if (!push_inputs(vm, tape, inputs, &entry, &any)) {
        return drop_items(vm, tape, first);
    }
    if (!any) {
        drop_items(vm, tape, first);
        return true;
    }
    entry.first_item = first;
    if (!push_outputs(vm, tape, outputs, entry.output_count) ||
        !copy_attrs(tape, op_desc(entry.op), attrs, &entry.attrs) ||
        !vec_push(&vm->ctx, &tape->entries, entry)) {
        return drop_items(vm, tape, first);
    }
    value_retain(entry.data);
    return true;
}

static bool record(Vm *vm, Recorder *self, OpCode op, const Value *inputs,
                   uint32_t input_count, const AttrValue *attrs,
                   const Value *outputs, uint32_t output_count)
{
    TapeEntry entry = {.op = op,
                       .data = VALUE_UNBOUND,
                       .input_count = input_count,
                       .output_count = output_count};
    return record_on(vm, (Tape *)self, entry, inputs, attrs, outputs);
}

static bool is_among(Value v, const Value *values, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = value_same(v, values[i]);
    }
    return found;
}

bool tape_part(Vm *vm, const Value *inputs, size_t count, Value *outputs,
               uint32_t results)
{
    for (uint32_t i = 0; i < results; i++) {
        if (is_among(outputs[i], inputs, count) ||
            is_among(outputs[i], outputs, i)) {
            Tensor *one = value_as_tensor(outputs[i]);
            Tensor *own =
                tensor_reshaped(&vm->ctx, one, one->rank, tensor_dims(one));
            if (own == NULL) {
                return false;
            }
            value_release(&vm->ctx, outputs[i]);
            outputs[i] = tensor_adopt(vm, own);
        }
    }
    return true;
}

bool tape_record_back(Vm *vm, TapeBackFn back, Value data, const Value *inputs,
                      uint32_t input_count, const Value *outputs,
                      uint32_t output_count)
{
    TapeEntry entry = {.op = OP_CALL,
                       .back = back,
                       .data = data,
                       .input_count = input_count,
                       .output_count = output_count};
    Recorder *at = recorder_here(vm, vm->recorders);
    while (at != NULL &&
           record_on(vm, (Tape *)at, entry, inputs, NULL, outputs)) {
        at = recorder_here(vm, at->outer);
    }
    return at == NULL;
}

bool tape_follows(Vm *vm, Value v)
{
    Recorder *at = recorder_here(vm, vm->recorders);
    while (at != NULL && tape_find((Tape *)at, v) == TAPE_NO_SLOT) {
        at = recorder_here(vm, at->outer);
    }
    return at != NULL;
}

// ---- beginning and end

void tape_start(Vm *vm, Tape *tape)
{
    if (!tape->recording) {
        tape->recording = true;
        tape->recorder.record = record;
        tape->recorder.trace = vm->trace;
        tape->recorder.outer = vm->recorders;
        vm->recorders = &tape->recorder;
    }
}

// Not always the innermost: blocks of generators overlap.
void tape_stop(Vm *vm, Tape *tape)
{
    for (Recorder **at = &vm->recorders; *at != NULL; at = &(*at)->outer) {
        if (*at == &tape->recorder) {
            *at = tape->recorder.outer;
            break;
        }
    }
    tape->recording = false;
    tape->recorder.outer = NULL;
}
