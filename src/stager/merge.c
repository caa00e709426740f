// Merging two values of one variable.
//
// Symbolic tensors of the merged value are made before the node that computes
// them: merge_finish fills them in. Invariant: made.items[i] stands for output
// i, whose sides are ids[0].items[i] and ids[1].items[i].
#include "stager/merge.h"

#include <stdio.h>

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/era.h"
#include "stager/events.h"
#include "stager/late_text.h"
#include "stager/maybe.h"
#include "stager/staged_list.h"
#include "stager/structure.h"
#include "stager/weak.h"

// The place stays unbound, and whoever reads it later gets the note that is
// made of this.
static Value mismatch(Merge *m, ErrorKind kind)
{
    m->fault = kind;
    return VALUE_UNBOUND;
}

// --- leaves ---

// The host values that become tensors when they differ.
bool merge_is_number(Value v)
{
    return value_is_bool(v) || value_is_integer(v) || value_is_float(v);
}

// Texts that differ become a string tensor, as TensorFlow has it, but for those
// that say a tensor's value.
static bool is_text(Vm *vm, Value v)
{
    return value_is_str(v) ? late_text_line(vm, value_as_str(v)) == 0
                           : value_is_kind(v, KIND_BYTES);
}

// Equal and of one type: -0.0 and 0.0 are not, nor are 1 and True.
bool merge_same(Value a, Value b)
{
    if (value_same(a, b)) {
        return true;
    }
    // Other objects are the same only if they are one: asking __eq__ would run
    // code of the program.
    if (!structure_is_plain(a) || !structure_is_plain(b)) {
        return false;
    }
    if (value_is_float(a) && value_is_float(b)) {
        double x = value_float(a), y = value_float(b);
        // By bits, which also makes a NaN the same as itself.
        return memcmp(&x, &y, sizeof x) == 0;
    }
    if (value_is_integer(a) && value_is_integer(b)) {
        return int_compare(a, b) == 0;
    }
    if (value_is_str(a) && value_is_str(b)) {
        return value_as_str(a)->length == value_as_str(b)->length &&
               memcmp(value_as_str(a)->text, value_as_str(b)->text,
                      value_as_str(a)->length) == 0;
    }
    return false;
}

ValueId merge_leaf_id(Vm *vm, const char *who, GraphBlock *where, Value v,
                      DType dtype)
{
    // Switched for this one conversion; operands of that block add no node.
    GraphBlock *block = vm->trace->block;
    vm->trace->block = where;
    DType own = symbolic_is_weak(v) ? operand_type(v).dtype : dtype;
    bool goes_up = dtype != DT_NONE && own != dtype && !dtype_is_list(own);
    AttrValue to = {.kind = ATTR_DTYPE, .dtype = dtype};
    Value operand = goes_up ? apply_one(vm, OP_CAST, &v, 1, &to)
                            : tensor_from_value(vm, who, v, dtype);
    ValueId id = value_failed(operand) ? VALUE_ID_NONE
                                       : trace_operand(vm, vm->trace, operand);
    vm->trace->block = block;
    release(vm, operand);
    return id;
}

// Conversions of a side's value are part of that side, so that they run only
// where it does.
static ValueId side_id(Merge *m, int side, Value v, DType dtype)
{
    return merge_leaf_id(m->vm, "if", m->blocks[side], v, dtype);
}

static ValueId empty_list(Vm *vm, GraphBlock *block, TensorType type)
{
    FormLeaf leaf = {.dtype = dtype_element(type.dtype),
                     .shape = {.rank = RANK_UNKNOWN}};
    if (type.rank >= 0) {
        shape_set(&leaf.shape, type.rank, type.dims);
    }
    GraphBlock *now = vm->trace->block;
    vm->trace->block = block;
    Value list = staged_list_make(vm, &leaf, NULL, 0);
    ValueId id =
        value_failed(list) ? VALUE_ID_NONE : trace_operand(vm, vm->trace, list);
    vm->trace->block = now;
    release(vm, list);
    return id;
}

// What a hidden variable has on the side where it has no value: zeros that
// nobody reads.
ValueId merge_placeholder(Vm *vm, GraphBlock *block, TensorType type)
{
    if (dtype_is_list(type.dtype)) {
        return empty_list(vm, block, type);
    }
    Shape shape;
    shape_set(&shape, type.rank < 0 ? 0 : type.rank, type.dims);
    for (int i = 0; i < shape.rank; i++) {
        // An unknown size becomes 0: the least memory, and any size covers it.
        shape.dims[i] = shape.dims[i] < 0 ? 0 : shape.dims[i];
    }
    Tensor *zeros = tensor_new(&vm->ctx, type.dtype, shape.rank, shape.dims);
    if (zeros == NULL) {
        return VALUE_ID_NONE;
    }
    // From here on the value owns the tensor.
    Value v = tensor_adopt(vm, zeros);
    bool ok = true;
    // Strings are pointers: zero bytes would be no strings.
    if (type.dtype == DT_STRING) {
        for (int64_t i = 0; ok && i < zeros->count; i++) {
            ok = tensor_set_string(&vm->ctx, zeros, i, "", 0);
        }
    } else {
        memset(zeros->data, 0, (size_t)zeros->count * dtype_size(type.dtype));
    }
    ValueId id =
        ok ? merge_leaf_id(vm, "if", block, v, DT_NONE) : VALUE_ID_NONE;
    release(vm, v);
    return id;
}

// One output: its sides, and the symbolic tensor that stands for it.
static Value add_output(Merge *m, ValueId first, ValueId second)
{
    Vm *vm = m->vm;
    if (first == VALUE_ID_NONE || second == VALUE_ID_NONE) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < m->made.count; i++) {
        if (m->ids[0].items[i] == first && m->ids[1].items[i] == second) {
            return value_retain(m->made.items[i]);
        }
    }
    // For now it has the value and type of one side; merge_finish puts those
    // of the output.
    Value made =
        trace_symbolic(vm, vm->trace, m->absent[0] ? second : first, m->name);
    if (value_failed(made) || !vec_push(&vm->ctx, &m->ids[0], first) ||
        !vec_push(&vm->ctx, &m->ids[1], second) ||
        !vec_push(&vm->ctx, &m->made, made)) {
        release(vm, made);
        return VALUE_FAIL;
    }
    return value_retain(made);
}

// Values of enclosing blocks need not be yielded: they are there anyway.
// Values of blocks further inside cannot be seen here.
static bool made_inside(const Merge *m, int side, ValueId id)
{
    return graph_value(m->vm->trace->graph, id)->block == m->blocks[side];
}

// The wider default dtype of two host numbers.
DType merge_number_dtype(Value a, Value b)
{
    int64_t i;
    if (value_is_float(a) || value_is_float(b)) {
        return DT_FLOAT32;
    }
    if (value_is_bool(a) && value_is_bool(b)) {
        return DT_BOOL;
    }
    // int32 is the default of a host int; a larger one needs int64 even if its
    // partner does not.
    bool fits = int_to_i64(a, &i) && i >= INT32_MIN && i <= INT32_MAX &&
                int_to_i64(b, &i) && i >= INT32_MIN && i <= INT32_MAX;
    return fits ? DT_INT32 : DT_INT64;
}

// Whether it is the program's: no flag that stands for a jump.
static bool is_written(const Merge *m)
{
    return m->hidden != HIDDEN_FLAG && m->hidden != HIDDEN_RETURNED;
}

// Whether the condition may stand for what it says: of an unknown rank the `if`
// finds out whether it is one bool.
bool merge_has_truth(const Merge *m)
{
    return m->condition != VALUE_ID_NONE &&
           graph_type(m->vm->trace->graph, m->condition).rank == 0;
}

// True on one side and False on the other is the condition itself.
static Value merge_flags(Merge *m, Value a)
{
    Vm *vm = m->vm;
    Trace *trace = vm->trace;
    if (is_written(m)) {
        event_add(vm, trace->events, EVENT_INT, "a host bool", VALUE_NONE);
    }
    ValueId flag = m->condition;
    // a differs from b, so one test tells both cases.
    if (!value_same(a, VALUE_TRUE)) {
        GraphNode *node =
            graph_append(trace->graph, trace->block, OP_LOGICAL_NOT, &flag, 1,
                         NULL, GRAPH_PLACE_NONE);
        if (node == NULL) {
            return VALUE_FAIL;
        }
        flag = node_output(node, 0);
    }
    Value made = trace_symbolic(vm, trace, flag, m->name);
    if (!value_failed(made)) {
        value_as_symbolic(made)->weak = true;
    }
    return made;
}

// A literal takes the dtype of the other side; one that the dtype refuses is
// no match, which is noted and not raised.
static Value merge_leaves(Merge *m, Value a, Value b)
{
    DType dtype;
    if (value_is_operand(a) && value_is_operand(b)) {
        // No promotion, as between the operands of an eager operation.
        if (!weak_common(a, b, &dtype)) {
            return mismatch(m, ERR_DTYPE);
        }
    } else if (value_is_operand(a) || value_is_operand(b)) {
        // A number beside an operand takes the operand's dtype.
        dtype = operand_type(value_is_operand(a) ? a : b).dtype;
    } else {
        dtype = is_text(m->vm, a) ? DT_STRING : merge_number_dtype(a, b);
    }
    ValueId first = side_id(m, 0, a, dtype);
    ValueId second = first == VALUE_ID_NONE ? first : side_id(m, 1, b, dtype);
    if (second == VALUE_ID_NONE && (raise_matches(m->vm, ERR_DTYPE) ||
                                    raise_matches(m->vm, ERR_OP_OVERFLOW))) {
        raise_clear(m->vm); // a literal that the other side's dtype refuses
        return mismatch(m, ERR_DTYPE);
    }
    if (second == VALUE_ID_NONE) {
        return VALUE_FAIL;
    }
    // Both sides give the same value of outside: no output is needed.
    if (first == second && value_is_kind(a, KIND_SYMBOLIC)) {
        return value_retain(a); // made before the block
    }
    Value made = add_output(m, first, second);
    // Numbers of the host stay weak, so that what follows promotes as if no
    // branch had been.
    if (is_written(m)) {
        event_tensor(m->vm, a);
        event_tensor(m->vm, b);
    }
    weak_join(m->vm, made, a, b);
    return made;
}

// --- structures ---

// Keys of dicts, names of fields.
static bool same_items(const ValueVec *a, const ValueVec *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = merge_same(a->items[i], b->items[i]);
    }
    return same;
}

// The same kind, class, length and keys. -1 with an error pending.
int merge_alike(Vm *vm, Value a, Value b)
{
    StructureKind kind = structure_kind(vm, a);
    // Elements of sets cannot be tensors, so two different sets cannot become
    // one.
    if (kind == STRUCTURE_LEAF || kind == STRUCTURE_SET ||
        structure_kind(vm, b) != kind ||
        value_object(a)->type != value_object(b)->type) {
        return 0;
    }
    ValueVec first = {0}, second = {0};
    int same = -1;
    if (kind != STRUCTURE_DICT && kind != STRUCTURE_DATACLASS) {
        if (structure_children(vm, a, &first) &&
            structure_children(vm, b, &second)) {
            same = first.count == second.count;
        }
    } else if (structure_keys(vm, a, &first) &&
               structure_keys(vm, b, &second)) {
        same = same_items(&first, &second);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    return same;
}

// Merges child by child; a side whose `present` is NULL has none. UNBOUND, or
// VALUE_FAIL, as the first child that is.
static Value merge_children(Merge *m, const ValueVec *a, const ValueVec *b,
                            ValueVec *out)
{
    size_t count = a != NULL ? a->count : b->count;
    for (size_t i = 0; i < count; i++) {
        Value child = merge_values(m, a != NULL ? a->items[i] : VALUE_UNBOUND,
                                   b != NULL ? b->items[i] : VALUE_UNBOUND);
        if (value_unbound(child) || value_failed(child)) {
            return child;
        }
        if (!structure_push(m->vm, out, child)) {
            return VALUE_FAIL;
        }
    }
    return VALUE_NONE;
}

int merge_stage_lists(Merge *m, Value a, Value b, Value both[2])
{
    Vm *vm = m->vm;
    ListForm form = {.pattern = VALUE_UNBOUND};
    int fits = staged_list_add_form(vm, &form, a);
    fits = fits == 1 ? staged_list_add_form(vm, &form, b) : fits;
    if (fits == 1) {
        both[0] = staged_list_from(vm, &form, m->blocks[0], a);
        both[1] = value_failed(both[0])
                      ? VALUE_FAIL
                      : staged_list_from(vm, &form, m->blocks[1], b);
        if (value_failed(both[1])) {
            release(vm, both[0]);
            fits = -1;
        }
    }
    list_form_free(vm, &form);
    return fits;
}

// What a structure held at the end of a side; UNBOUND: that side has none.
static bool side_children(Merge *m, int side, Value v, ValueVec *children)
{
    Value then = journal_view(&m->block->journal, side, v);
    return value_unbound(v) || structure_children(m->vm, then, children);
}

void merge_tell_order(Vm *vm, Value a, Value b)
{
    uint32_t at = 0, other = 0;
    Value key, twin, value;
    bool same = true;
    while (same && dict_next(value_as_dict(a), &at, &key, &value)) {
        same = dict_next(value_as_dict(b), &other, &twin, &value) &&
               merge_same(key, twin);
    }
    if (!same) {
        event_add(vm, vm->trace->events, EVENT_OBJECT,
                  "a dict in the order of one side", VALUE_NONE);
    }
}

// A structure of merged children; `a` itself if none of them changed.
static Value make_structure(Merge *m, Value a, Value b)
{
    Vm *vm = m->vm;
    ValueVec first = {0}, second = {0}, merged = {0};
    bool has_a = !value_unbound(a), has_b = !value_unbound(b);
    int side = has_a ? 0 : 1;
    Value model = has_a ? a : b;
    Value result = VALUE_FAIL;
    if (side_children(m, 0, a, &first) && side_children(m, 1, b, &second)) {
        result = merge_children(m, has_a ? &first : NULL,
                                has_b ? &second : NULL, &merged);
    }
    if (value_is_none(result)) {
        const ValueVec *own = has_a ? &first : &second;
        bool same = true;
        for (size_t i = 0; same && i < own->count; i++) {
            same = value_same(own->items[i], merged.items[i]);
        }
        // With two sides a copy is due even if all children are the same: the
        // two structures are different objects, and the variable can be
        // neither.
        Value then = journal_view(&m->block->journal, side, model);
        if (has_a && has_b && value_is_kind(then, KIND_DICT)) {
            merge_tell_order(vm, then, journal_view(&m->block->journal, 1, b));
        }
        result = same && !(has_a && has_b)
                     ? value_retain(model)
                     : structure_rebuild(vm, then, &merged);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    structure_free(vm, &merged);
    return result;
}

// The same two give the same one wherever they stand, so that names of one
// object stay that. They are kept as long as the merge knows them by address.
static Value merge_structure(Merge *m, Value a, Value b)
{
    uint64_t pair[2] = {VALUE_BITS(a), VALUE_BITS(b)};
    const char *key = (const char *)pair;
    const uint64_t *known = map_get(&m->pairs, key, sizeof pair);
    if (known != NULL) {
        return value_retain(m->copies.items[*known]);
    }
    Value made = make_structure(m, a, b);
    if (value_unbound(made) || value_failed(made)) {
        return made;
    }
    if (!journal_joined(m->vm, made, a, b, block_line(m->block)) ||
        !map_put(&m->pairs, key, sizeof pair, m->copies.count) ||
        !structure_push(m->vm, &m->copies, value_retain(made)) ||
        !structure_push(m->vm, &m->copies, value_retain(a)) ||
        !structure_push(m->vm, &m->copies, value_retain(b))) {
        release(m->vm, made);
        return VALUE_FAIL;
    }
    return made;
}

// Something that can be changed and that the trace had before the block: it is
// one object for both sides, whose content the journal merges.
static bool is_older(const Merge *m, Value v)
{
    Vm *vm = m->vm;
    return !value_is_kind(v, KIND_TUPLE) &&
           !era_has(vm, m->block->era, value_object(v));
}

// One side has no value, because it raises, or because the variable is hidden
// and nobody reads it there: the other side's, its tensors made outputs.
Value merge_single(Merge *m, int side, Value v)
{
    Vm *vm = m->vm;
    StructureKind kind = structure_kind(vm, v);
    if (maybe_is(vm, v)) {
        return maybe_single(m, side, v);
    }
    if (kind != STRUCTURE_LEAF && kind != STRUCTURE_SET && is_older(m, v)) {
        return value_retain(v);
    }
    if (kind != STRUCTURE_LEAF && kind != STRUCTURE_SET) {
        return side == 0 ? merge_structure(m, v, VALUE_UNBOUND)
                         : merge_structure(m, VALUE_UNBOUND, v);
    }
    if (merge_is_object(vm, v)) {
        return merge_single_object(m, side, v);
    }
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return value_retain(v);
    }
    ValueId id = side_id(m, side, v, DT_NONE), other = id;
    if (id != VALUE_ID_NONE && !made_inside(m, side, id)) {
        return value_retain(v);
    }
    // The other side runs to its end and must yield something.
    if (id != VALUE_ID_NONE && !m->absent[!side]) {
        other = merge_placeholder(vm, m->blocks[!side],
                                  graph_type(vm->trace->graph, id));
    }
    Value made =
        side == 0 ? add_output(m, id, other) : add_output(m, other, id);
    if (!value_failed(made)) {
        value_as_symbolic(made)->text = value_as_symbolic(v)->text;
    }
    return made;
}

// Two lists whose lengths differ are one list of the graph.
static Value merge_lengths(Merge *m, Value a, Value b)
{
    Vm *vm = m->vm;
    Value both[2];
    Value x = journal_view(&m->block->journal, 0, a);
    Value y = journal_view(&m->block->journal, 1, b);
    int fits = staged_list_fits(vm, x) && staged_list_fits(vm, y) &&
                       m->condition != VALUE_ID_NONE
                   ? merge_stage_lists(m, x, y, both)
                   : 0;
    if (fits <= 0) {
        return fits == 0 ? mismatch(m, ERR_TYPE) : VALUE_FAIL;
    }
    Value made = merge_structure(m, both[0], both[1]);
    if (!value_unbound(made) && !value_failed(made) &&
        !journal_joined(vm, made, a, b, block_line(m->block))) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    release(vm, both[0]);
    release(vm, both[1]);
    return made;
}

// In the order of cost: flags, numbers and tensors, structures.
static Value merge_pair(Merge *m, Value a, Value b)
{
    if (m->may_be_none && maybe_either(m->vm, a, b)) {
        return maybe_merge(m, a, b);
    }
    if (value_is_bool(a) && value_is_bool(b) && merge_has_truth(m)) {
        return merge_flags(m, a);
    }
    if ((merge_is_number(a) && merge_is_number(b)) ||
        (is_text(m->vm, a) && is_text(m->vm, b)) ||
        (value_is_operand(a) &&
         (value_is_operand(b) || merge_is_number(b) || is_text(m->vm, b))) ||
        (value_is_operand(b) && (merge_is_number(a) || is_text(m->vm, a)))) {
        return merge_leaves(m, a, b);
    }
    // Of dataclasses, too: what each held at its end is not what it has now.
    if (merge_is_object(m->vm, a) && merge_is_object(m->vm, b) &&
        value_object(a)->type == value_object(b)->type) {
        return merge_objects(m, a, b);
    }
    const Journal *journal = &m->block->journal;
    int same = merge_alike(m->vm, journal_view(journal, 0, a),
                           journal_view(journal, 1, b));
    if (same != 0) {
        return same < 0 ? VALUE_FAIL : merge_structure(m, a, b);
    }
    return merge_lengths(m, a, b);
}

// Recursion goes as deep as the structure, which is guarded.
Value merge_values(Merge *m, Value a, Value b)
{
    // A side that raises has no say in what the variable is.
    if (m->absent[0] || m->absent[1]) {
        int side = m->absent[0] ? 1 : 0;
        Value v = side == 0 ? a : b;
        return value_unbound(v) ? v : merge_single(m, side, v);
    }
    if (merge_same(a, b)) {
        return value_retain(a);
    }
    if (value_unbound(a) || value_unbound(b)) {
        if (!m->hidden) {
            return mismatch(m, ERR_UNBOUND_LOCAL);
        }
        int side = value_unbound(a) ? 1 : 0;
        return merge_single(m, side, side == 0 ? a : b);
    }
    if (!ctx_enter(&m->vm->ctx)) {
        return VALUE_FAIL;
    }
    Value merged = merge_pair(m, a, b);
    ctx_leave(&m->vm->ctx);
    return merged;
}

// Types are known only now: sizes that differ have become unknown.
void merge_finish(Merge *m, const GraphNode *node)
{
    const Graph *graph = m->vm->trace->graph;
    for (size_t i = 0; i < m->made.count; i++) {
        Symbolic *symbolic = value_as_symbolic(m->made.items[i]);
        symbolic->value = node_output(node, (uint32_t)i);
        symbolic->first = symbolic->value;
        TensorType type = graph_type(graph, symbolic->value);
        symbolic->dtype = (uint8_t)type.dtype;
        symbolic->rank = (int8_t)type.rank;
        symbolic->dims = type.dims;
    }
}

// Values that the frame holds have counts of their own.
void merge_free(Merge *m)
{
    for (size_t i = 0; i < m->made.count; i++) {
        release(m->vm, m->made.items[i]);
    }
    vec_free(&m->vm->ctx, &m->made);
    structure_free(m->vm, &m->copies);
    map_free(&m->pairs);
    vec_free(&m->vm->ctx, &m->ids[0]);
    vec_free(&m->vm->ctx, &m->ids[1]);
}
