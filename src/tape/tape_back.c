// Gradients of what a tape holds: from its last entry back. See tape.h.
#include "interp/core/raise.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_emit.h"
#include "ops/grad.h"
#include "tape/tape.h"
#include "tape/tape_rows.h"

// One gradient. The tape may grow meanwhile, if it is persistent and records:
// what is new is none of it.
typedef struct Backward {
    Vm *vm;
    const Tape *tape;
    size_t slot_count, entry_count;
    Value *grads;  // by slot, owned; UNBOUND: none so far
    Value *rows;   // by slot, owned: of which rows that is; UNBOUND: of all
    bool *needed;  // by slot: a source flows into it
    bool *sources; // by slot
    size_t width;  // most operands or results of an entry
    void **room;   // scratch for one entry: ROOM_LINES of `width`
    Value *values; // likewise, VALUE_LINES
    bool *wanted;  // likewise, one, and `filled` another: by result, whether
    bool *filled;  // its rows became whole
    int64_t seeds; // gradients that are taken at once; 0: one, without rows
    bool refused;  // an entry cannot go back so
} Backward;

enum { ROOM_LINES = 6, VALUE_LINES = 5 };

static bool backward_init(Backward *b, Vm *vm, const Tape *tape)
{
    *b = (Backward){.vm = vm,
                    .tape = tape,
                    .slot_count = tape->slots.count,
                    .entry_count = tape->entries.count,
                    .width = 1};
    for (size_t i = 0; i < b->entry_count; i++) {
        const TapeEntry *entry = &tape->entries.items[i];
        uint32_t most = entry->input_count > entry->output_count
                            ? entry->input_count
                            : entry->output_count;
        b->width = most > b->width ? most : b->width;
    }
    size_t slots = b->slot_count + 1;
    b->grads = ctx_alloc(&vm->ctx, 2 * slots * sizeof *b->grads);
    b->needed = ctx_alloc_zero(&vm->ctx, slots * 2);
    b->room = ctx_alloc(&vm->ctx, b->width * ROOM_LINES * sizeof *b->room);
    b->values = ctx_alloc(&vm->ctx, b->width * VALUE_LINES * sizeof *b->values);
    b->wanted = ctx_alloc_zero(&vm->ctx, 2 * b->width);
    for (size_t i = 0; b->grads != NULL && i < 2 * slots; i++) {
        b->grads[i] = VALUE_UNBOUND;
    }
    b->rows = b->grads + slots;
    b->sources = b->needed + slots;
    b->filled = b->wanted + b->width;
    return b->grads != NULL && b->needed != NULL && b->room != NULL &&
           b->values != NULL && b->wanted != NULL;
}

static void backward_free(Backward *b)
{
    Ctx *ctx = &b->vm->ctx;
    size_t slots = b->slot_count + 1;
    for (size_t i = 0; b->grads != NULL && i < 2 * slots; i++) {
        value_release(ctx, b->grads[i]);
    }
    ctx_free(ctx, b->grads, 2 * slots * sizeof *b->grads);
    ctx_free(ctx, b->needed, slots * 2);
    ctx_free(ctx, b->room, b->width * ROOM_LINES * sizeof *b->room);
    ctx_free(ctx, b->values, b->width * VALUE_LINES * sizeof *b->values);
    ctx_free(ctx, b->wanted, 2 * b->width);
}

// Takes both; `rows` is UNBOUND where the gradient is of all rows.
static void set_grad(Backward *b, uint32_t slot, Value grad, Value rows)
{
    value_release(&b->vm->ctx, b->grads[slot]);
    value_release(&b->vm->ctx, b->rows[slot]);
    b->grads[slot] = grad;
    b->rows[slot] = rows;
}

// Rows behind those that the slot has: sums wait until somebody asks for all.
static bool join_rows(Backward *b, uint32_t slot, HostEmit *host, Value rows,
                      Value grad)
{
    static const AttrValue first = {.kind = ATTR_INT, .integer = 0};
    Emit *e = &host->emit;
    EmitValue numbers[2] = {emit_from_value(b->rows[slot]),
                            emit_from_value(rows)};
    EmitValue values[2] = {emit_from_value(b->grads[slot]),
                           emit_from_value(grad)};
    if (emit_type(e, numbers[0]).dtype != emit_type(e, numbers[1]).dtype) {
        numbers[0] = emit_cast(e, numbers[0], DT_INT64);
        numbers[1] = emit_cast(e, numbers[1], DT_INT64);
    }
    EmitValue all = numbers[0] == NULL || numbers[1] == NULL
                        ? NULL
                        : e->op(e, OP_CONCAT, numbers, 2, &first);
    EmitValue sum = all == NULL ? NULL : e->op(e, OP_CONCAT, values, 2, &first);
    if (sum == NULL) {
        return false;
    }
    set_grad(b, slot, value_retain(value_from_emit(sum)),
             value_retain(value_from_emit(all)));
    return true;
}

// What the slot has, zeros if that is nothing, with the rows added.
static bool add_to_all(Backward *b, uint32_t slot, HostEmit *host, Value rows,
                       Value grad)
{
    static const AttrValue same[OP_MAX_ATTRS];
    Emit *e = &host->emit;
    Value so_far =
        value_unbound(b->rows[slot]) ? b->grads[slot] : VALUE_UNBOUND;
    EmitValue like = emit_from_value(b->tape->slots.items[slot].value);
    EmitValue sum = value_unbound(so_far) ? emit_1(e, OP_ZEROS_LIKE, like, same)
                                          : emit_from_value(so_far);
    sum = grad_add_rows(e, sum, emit_from_value(rows), emit_from_value(grad));
    if (sum == NULL) {
        return false;
    }
    set_grad(b, slot, value_retain(value_from_emit(sum)), VALUE_UNBOUND);
    return true;
}

// Takes `grad` and `rows`.
static bool add_rows(Backward *b, uint32_t slot, Value rows, Value grad)
{
    if (value_unbound(b->grads[slot])) {
        set_grad(b, slot, grad, rows);
        return true;
    }
    HostEmit host;
    tensor_emit_init(&host, b->vm);
    bool ok = value_unbound(b->rows[slot])
                  ? add_to_all(b, slot, &host, rows, grad)
                  : join_rows(b, slot, &host, rows, grad);
    tensor_emit_free(&host);
    value_release(&b->vm->ctx, rows);
    value_release(&b->vm->ctx, grad);
    return ok;
}

// Makes the slot's gradient one of all rows.
static bool fill_rows(Backward *b, uint32_t slot)
{
    if (slot == TAPE_NO_SLOT || value_unbound(b->rows[slot])) {
        return true;
    }
    HostEmit host;
    tensor_emit_init(&host, b->vm);
    bool ok = add_to_all(b, slot, &host, b->rows[slot], b->grads[slot]);
    tensor_emit_free(&host);
    return ok;
}

// The same of an entry's results.
static bool fill_results(Backward *b, const TapeEntry *entry)
{
    size_t first = entry->first_item + entry->input_count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < entry->output_count; i++) {
        uint32_t slot = b->tape->items.items[first + i].slot;
        b->filled[i] = slot != TAPE_NO_SLOT && !value_unbound(b->rows[slot]);
        ok = fill_rows(b, slot);
    }
    return ok;
}

// Takes `grad`, which may have failed.
static bool add_grad(Backward *b, uint32_t slot, Value grad)
{
    if (value_failed(grad)) {
        return false;
    }
    if (value_unbound(b->grads[slot])) {
        b->grads[slot] = grad;
        return true;
    }
    if (!fill_rows(b, slot)) {
        value_release(&b->vm->ctx, grad);
        return false;
    }
    Value both[2] = {b->grads[slot], grad};
    // In a trace it may be a list of tensors.
    bool list = dtype_is_list(operand_type(grad).dtype);
    Value sum = apply_one(b->vm, list ? OP_LIST_ADD : OP_ADD, both, 2, NULL);
    value_release(&b->vm->ctx, grad);
    if (value_failed(sum)) {
        return false;
    }
    set_grad(b, slot, sum, VALUE_UNBOUND);
    return true;
}

// Which entries lie between the sources and the targets is seen forwards.
static void mark_needed(Backward *b)
{
    for (size_t i = 0; i < b->entry_count; i++) {
        const TapeEntry *entry = &b->tape->entries.items[i];
        const TapeItem *items = b->tape->items.items + entry->first_item;
        bool any = false;
        bool flows =
            entry->back != NULL || op_desc(entry->op)->gradient != grad_none;
        for (uint32_t k = 0; flows && k < entry->input_count; k++) {
            any = any ||
                  (items[k].slot != TAPE_NO_SLOT && b->needed[items[k].slot]);
        }
        items += entry->input_count;
        for (uint32_t k = 0; any && k < entry->output_count; k++) {
            if (items[k].slot != TAPE_NO_SLOT) {
                b->needed[items[k].slot] = true;
            }
        }
    }
}

static Value emitted(EmitValue value)
{
    return value == NULL ? VALUE_UNBOUND : value_retain(value_from_emit(value));
}

// Asks the op's rule. A weak number took the other operands' dtype for the op
// alone: its gradient comes back in its own.
static bool run_rule(GradCall *call)
{
    Emit *e = call->emit;
    bool ok = call->op->gradient(call);
    for (uint32_t i = 0; ok && i < call->input_count; i++) {
        EmitValue *grad = &call->input_grads[i];
        DType own = emit_type(e, call->inputs[i]).dtype;
        if (*grad != NULL && !dtype_is_list(own) && dtype_is_float(own)) {
            *grad = emit_cast(e, *grad, own);
            ok = *grad != NULL;
        }
    }
    return ok;
}

// The op's rule; the results in `made` and `made_rows` are owned.
static bool ask_rule(Backward *b, TapeEntry entry, GradCall *call, Value *made,
                     Value *made_rows)
{
    HostEmit host;
    tensor_emit_init(&host, b->vm);
    call->emit = &host.emit;
    for (uint32_t i = 0; i < entry.input_count; i++) {
        call->input_grads[i] = call->input_rows[i] = NULL;
    }
    bool ok = run_rule(call);
    for (uint32_t i = 0; i < entry.input_count; i++) {
        made[i] = emitted(ok ? call->input_grads[i] : NULL);
        made_rows[i] = emitted(ok ? call->input_rows[i] : NULL);
    }
    tensor_emit_free(&host);
    return ok;
}

// The same for all seeds at once.
static bool ask_for_all(Backward *b, TapeEntry entry, GradCall *call,
                        Value *made)
{
    RowsEmit rows;
    tape_rows_init(&rows, b->vm, b->seeds);
    call->emit = &rows.emit;
    bool ok = true;
    for (uint32_t i = 0; ok && i < entry.output_count; i++) {
        ok = call->output_grads[i] == NULL ||
             tape_rows_note(&rows, call->output_grads[i]);
    }
    for (uint32_t i = 0; i < entry.input_count; i++) {
        call->input_grads[i] = call->input_rows[i] = NULL;
    }
    ok = ok && run_rule(call);
    for (uint32_t i = 0; ok && i < entry.input_count; i++) {
        if (call->wanted[i] && call->input_grads[i] != NULL) {
            EmitValue own = tape_rows_of(&rows, call->input_grads[i]);
            rows.refused = rows.refused || call->input_rows[i] != NULL;
            made[i] = emitted(own);
            ok = own != NULL;
        }
    }
    b->refused = rows.refused;
    tape_rows_free(&rows);
    return ok && !b->refused;
}

static bool back_by_rule(Backward *b, TapeEntry entry, Value *made,
                         Value *made_rows)
{
    static const AttrValue none[OP_MAX_ATTRS];
    const OpDesc *op = op_desc(entry.op);
    const TapeItem *items = b->tape->items.items + entry.first_item;
    EmitValue *inputs = b->room, *outputs = inputs + b->width;
    EmitValue *grads = outputs + b->width, *results = grads + b->width;
    EmitValue *given_rows = results + b->width, *rows = given_rows + b->width;
    if (op->gradient == NULL) {
        return grad_unknown(&b->vm->ctx, op);
    }
    for (uint32_t i = 0; i < entry.input_count; i++) {
        inputs[i] = value_object(items[i].value);
    }
    if ((op->flags & OP_HANDS_ON) == 0 && !fill_results(b, &entry)) {
        return false;
    }
    items = b->tape->items.items + entry.first_item + entry.input_count;
    for (uint32_t i = 0; i < entry.output_count; i++) {
        uint32_t slot = items[i].slot;
        bool absent = slot == TAPE_NO_SLOT || value_unbound(b->grads[slot]);
        outputs[i] = value_object(items[i].value);
        grads[i] = absent ? NULL : value_object(b->grads[slot]);
        given_rows[i] = absent || value_unbound(b->rows[slot])
                            ? NULL
                            : value_object(b->rows[slot]);
    }
    GradCall call = {.code = entry.op,
                     .op = op,
                     .attrs = entry.attrs != NULL ? entry.attrs : none,
                     .inputs = inputs,
                     .outputs = outputs,
                     .output_grads = grads,
                     .output_rows = given_rows,
                     .input_count = entry.input_count,
                     .output_count = entry.output_count,
                     .wanted = b->wanted,
                     .input_grads = results,
                     .input_rows = rows};
    return b->seeds > 0 ? ask_for_all(b, entry, &call, made)
                        : ask_rule(b, entry, &call, made, made_rows);
}

// The gradient that operand `index` of the entry has so far: once for what is
// an operand twice, and not for what is a result too.
static Value so_far_of(const Backward *b, const TapeEntry *entry,
                       uint32_t index)
{
    const TapeItem *items = b->tape->items.items + entry->first_item;
    uint32_t slot = items[index].slot;
    bool own = b->wanted[index];
    for (uint32_t i = 0; own && i < entry->input_count + entry->output_count;
         i++) {
        own = items[i].slot != slot || i == index ||
              (i > index && i < entry->input_count);
    }
    // Rows wait for what comes: it may be rows too.
    return own && value_unbound(b->rows[slot]) ? b->grads[slot] : VALUE_UNBOUND;
}

// By the entry's own way. The values are held by the tape.
static bool back_by_itself(Backward *b, TapeEntry entry, Value *made,
                           Value *made_rows)
{
    Value *inputs = b->values, *grads = inputs + b->width;
    Value *so_far = grads + 2 * b->width; // `made` stands between
    if (b->seeds > 0) {
        b->refused = true;
        return false;
    }
    if (!fill_results(b, &entry)) {
        return false;
    }
    const TapeItem *items = b->tape->items.items + entry.first_item;
    for (uint32_t i = 0; i < entry.input_count; i++) {
        inputs[i] = items[i].value;
        so_far[i] = so_far_of(b, &entry, i);
    }
    items += entry.input_count;
    for (uint32_t i = 0; i < entry.output_count; i++) {
        grads[i] = items[i].slot == TAPE_NO_SLOT ? VALUE_UNBOUND
                                                 : b->grads[items[i].slot];
    }
    TapeBack back = {.inputs = inputs,
                     .output_grads = grads,
                     .output_rows = b->filled,
                     .wanted = b->wanted,
                     .so_far = so_far,
                     .input_grads = made,
                     .input_rows = made_rows};
    bool ok = entry.back(b->vm, &entry, &back);
    items = b->tape->items.items + entry.first_item;
    for (uint32_t i = 0; ok && i < entry.input_count; i++) {
        // The sum comes back in its place.
        if (value_unbound(so_far[i]) &&
            !value_unbound(so_far_of(b, &entry, i))) {
            value_release(&b->vm->ctx, b->grads[items[i].slot]);
            b->grads[items[i].slot] = VALUE_UNBOUND;
        }
    }
    return ok;
}

// What of an entry's operands is wanted, and whether there is any.
static bool set_wanted(Backward *b, const TapeEntry *entry)
{
    const TapeItem *items = b->tape->items.items + entry->first_item;
    bool any = false;
    for (uint32_t i = 0; i < entry->input_count; i++) {
        uint32_t slot = items[i].slot;
        b->wanted[i] = slot != TAPE_NO_SLOT && b->needed[slot];
        any = any || b->wanted[i];
    }
    return any;
}

// Whether a result of the entry has a gradient.
static bool has_grad(const Backward *b, const TapeEntry *entry)
{
    const TapeItem *items =
        b->tape->items.items + entry->first_item + entry->input_count;
    for (uint32_t i = 0; i < entry->output_count; i++) {
        if (items[i].slot != TAPE_NO_SLOT &&
            !value_unbound(b->grads[items[i].slot])) {
            return true;
        }
    }
    return false;
}

// Nothing further back asks for them.
static void drop_output_grads(Backward *b, const TapeEntry *entry)
{
    for (uint32_t i = 0; i < entry->output_count; i++) {
        uint32_t slot =
            b->tape->items.items[entry->first_item + entry->input_count + i]
                .slot;
        if (slot != TAPE_NO_SLOT && !b->sources[slot]) {
            set_grad(b, slot, VALUE_UNBOUND, VALUE_UNBOUND);
        }
    }
}

static bool step_back(Backward *b, size_t number)
{
    // A copy: entries move when a persistent tape records meanwhile.
    TapeEntry entry = b->tape->entries.items[number];
    Value *made = b->values + 2 * b->width;
    Value *made_rows = b->values + 4 * b->width;
    if (!has_grad(b, &entry) || !set_wanted(b, &entry)) {
        return true;
    }
    for (uint32_t i = 0; i < entry.input_count; i++) {
        made[i] = made_rows[i] = VALUE_UNBOUND;
    }
    bool ok = entry.back != NULL ? back_by_itself(b, entry, made, made_rows)
                                 : back_by_rule(b, entry, made, made_rows);
    drop_output_grads(b, &entry);
    for (uint32_t i = 0; i < entry.input_count; i++) {
        uint32_t slot = b->tape->items.items[entry.first_item + i].slot;
        bool used = ok && b->wanted[i] && !value_unbound(made[i]);
        if (!used) {
            value_release(&b->vm->ctx, made[i]);
            value_release(&b->vm->ctx, made_rows[i]);
        } else {
            ok = value_unbound(made_rows[i])
                     ? add_grad(b, slot, made[i])
                     : add_rows(b, slot, made_rows[i], made[i]);
        }
    }
    return ok;
}

// The gradient that a target begins with; ones, or what was given.
static bool seed(Backward *b, Value target, Value given)
{
    uint32_t slot = tape_find(b->tape, target);
    if (slot == TAPE_NO_SLOT || slot >= b->slot_count || !b->needed[slot]) {
        return true;
    }
    if (value_unbound(given)) {
        static const AttrValue same[OP_MAX_ATTRS];
        return add_grad(b, slot,
                        apply_one(b->vm, OP_ONES_LIKE, &target, 1, same));
    }
    TensorType own = operand_type(target), type = operand_type(given);
    type.rank -= b->seeds > 0 && type.rank > 0;
    if (own.dtype != type.dtype ||
        (own.rank != RANK_UNKNOWN && type.rank != RANK_UNKNOWN &&
         own.rank != type.rank)) {
        return raise_false(b->vm,
                           own.dtype != type.dtype ? ERR_DTYPE : ERR_SHAPE,
                           "gradient: output_gradients must be of the dtypes "
                           "and shapes of the targets");
    }
    return add_grad(b, slot, value_retain(given));
}

bool tape_gradient(Vm *vm, Tape *tape, const Value *targets, const Value *seeds,
                   uint32_t target_count, const Value *sources,
                   uint32_t source_count, int64_t many, Value *gradients,
                   Value *rows)
{
    for (uint32_t i = 0; i < target_count; i++) {
        if (!tape_meet(vm, tape, targets[i])) {
            return false;
        }
    }
    Backward b;
    bool ok = backward_init(&b, vm, tape);
    b.seeds = many;
    for (uint32_t i = 0; ok && i < source_count; i++) {
        uint32_t slot = tape_find(tape, sources[i]);
        if (slot != TAPE_NO_SLOT) {
            b.needed[slot] = b.sources[slot] = tape->slots.items[slot].tracked;
        }
    }
    if (ok) {
        mark_needed(&b);
    }
    for (uint32_t i = 0; ok && i < target_count; i++) {
        ok = seed(&b, targets[i], seeds[i]);
    }
    for (size_t i = b.entry_count; ok && i-- > 0;) {
        ok = step_back(&b, i);
    }
    for (uint32_t i = 0; ok && i < source_count; i++) {
        uint32_t slot = tape_find(tape, sources[i]);
        bool none = slot == TAPE_NO_SLOT || slot >= b.slot_count;
        gradients[i] = none ? VALUE_UNBOUND : value_retain(b.grads[slot]);
        rows[i] = none ? VALUE_UNBOUND : value_retain(b.rows[slot]);
    }
    if (b.refused) {
        raise_clear(vm);
    }
    backward_free(&b);
    return ok;
}
