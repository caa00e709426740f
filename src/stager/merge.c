// Merging two values of one variable.
//
// Symbolic tensors of the merged value are made before the node that computes
// them: merge_finish fills them in. Invariant: made.items[i] stands for output
// i, whose sides are ids[0].items[i] and ids[1].items[i].
#include "stager/merge.h"

#include <stdio.h>

#include "interp/obj_dict.h"
#include "interp/obj_float.h"
#include "interp/obj_int.h"
#include "interp/obj_list.h"
#include "interp/tensor_convert.h"

// --- texts ---

void merge_describe(Vm *vm, Value v, char *room, size_t size)
{
    if (value_unbound(v)) {
        snprintf(room, size, "unbound");
        return;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    if (value_is_operand(v)) {
        tensor_type_print(&out, operand_type(v));
    } else {
        Str *text = value_repr(vm, v);
        if (text == NULL) {
            raise_clear(vm);
        }
        strbuf_puts(&out, text == NULL ? "an object" : text->text);
        object_release_null(&vm->ctx, text);
    }
    snprintf(room, size, out.length > 60 ? "%.57s…" : "%.60s",
             strbuf_text(&out));
    strbuf_free(&out);
}

static Value mismatch(Merge *m, ErrorKind kind, Value a, Value b)
{
    char first[72], second[72];
    merge_describe(m->vm, a, first, sizeof first);
    merge_describe(m->vm, b, second, sizeof second);
    m->fault = kind;
    snprintf(m->text, sizeof m->text, "%s\n%s", first, second);
    return VALUE_UNBOUND;
}

// --- leaves ---

static bool is_number(Value v)
{
    return value_is_bool(v) || value_is_integer(v) || value_is_float(v);
}

static bool is_text(Value v)
{
    return value_is_str(v) || value_is_kind(v, KIND_BYTES);
}

// Equal and of one type: -0.0 and 0.0 are not, nor are 1 and True.
static bool same_immutable(Value a, Value b)
{
    if (value_same(a, b)) {
        return true;
    }
    if (value_is_float(a) && value_is_float(b)) {
        double x = value_float(a), y = value_float(b);
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

// The graph's value for a leaf, appended to that side's block.
static ValueId side_id(Merge *m, int side, Value v, DType dtype)
{
    Vm *vm = m->vm;
    GraphBlock *block = vm->trace->block;
    vm->trace->block = m->blocks[side];
    Value operand = tensor_from_value(vm, "if", v, dtype);
    ValueId id = value_failed(operand)
                     ? VALUE_ID_NONE
                     : trace_operand(vm, vm->trace, operand);
    vm->trace->block = block;
    release(vm, operand);
    return id;
}

// What a hidden variable has on the side where it has no value: zeros that
// nobody reads.
static ValueId placeholder(Merge *m, int side, TensorType type)
{
    Shape shape;
    Vm *vm = m->vm;
    shape_set(&shape, type.rank < 0 ? 0 : type.rank, type.dims);
    for (int i = 0; i < shape.rank; i++) {
        shape.dims[i] = shape.dims[i] < 0 ? 0 : shape.dims[i];
    }
    Tensor *zeros =
        tensor_new(&vm->ctx, type.dtype, shape.rank, shape.dims);
    if (zeros == NULL) {
        return VALUE_ID_NONE;
    }
    Value v = tensor_adopt(vm, zeros);
    bool ok = true;
    if (type.dtype == DT_STRING) {
        for (int64_t i = 0; ok && i < zeros->count; i++) {
            ok = tensor_set_string(&vm->ctx, zeros, i, "", 0);
        }
    } else {
        memset(zeros->data, 0,
               (size_t)zeros->count * dtype_size(type.dtype));
    }
    ValueId id = ok ? side_id(m, side, v, DT_NONE) : VALUE_ID_NONE;
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
    Value made = trace_symbolic(vm, vm->trace, m->absent[0] ? second : first,
                                m->name);
    if (value_failed(made) || !vec_push(&vm->ctx, &m->ids[0], first) ||
        !vec_push(&vm->ctx, &m->ids[1], second) ||
        !vec_push(&vm->ctx, &m->made, made)) {
        release(vm, made);
        return VALUE_FAIL;
    }
    return value_retain(made);
}

static bool made_inside(const Merge *m, int side, ValueId id)
{
    return graph_value(m->vm->trace->graph, id)->block == m->blocks[side];
}

// The wider default dtype of two host numbers.
static DType number_dtype(Value a, Value b)
{
    int64_t i;
    if (value_is_float(a) || value_is_float(b)) {
        return DT_FLOAT32;
    }
    if (value_is_bool(a) && value_is_bool(b)) {
        return DT_BOOL;
    }
    bool fits = int_to_i64(a, &i) && i >= INT32_MIN && i <= INT32_MAX &&
                int_to_i64(b, &i) && i >= INT32_MIN && i <= INT32_MAX;
    return fits ? DT_INT32 : DT_INT64;
}

// True on one side and False on the other is the condition itself.
static Value merge_flags(Merge *m, Value a)
{
    Vm *vm = m->vm;
    Trace *trace = vm->trace;
    if (value_same(a, VALUE_TRUE)) {
        return trace_symbolic(vm, trace, m->condition, m->name);
    }
    GraphNode *node =
        graph_append(trace->graph, trace->block, OP_LOGICAL_NOT,
                     &m->condition, 1, NULL, GRAPH_PLACE_NONE);
    return node == NULL
               ? VALUE_FAIL
               : trace_symbolic(vm, trace, node_output(node, 0), m->name);
}

static Value merge_leaves(Merge *m, Value a, Value b)
{
    DType dtype;
    if (value_is_operand(a) && value_is_operand(b)) {
        if (operand_type(a).dtype != operand_type(b).dtype) {
            return mismatch(m, ERR_DTYPE, a, b);
        }
        dtype = DT_NONE;
    } else if (value_is_operand(a) || value_is_operand(b)) {
        dtype = operand_type(value_is_operand(a) ? a : b).dtype;
    } else {
        dtype = is_text(a) ? DT_STRING : number_dtype(a, b);
    }
    ValueId first = side_id(m, 0, a, dtype);
    ValueId second =
        first == VALUE_ID_NONE ? first : side_id(m, 1, b, dtype);
    if (second == VALUE_ID_NONE &&
        (raise_matches(m->vm, ERR_DTYPE) ||
         raise_matches(m->vm, ERR_OP_OVERFLOW))) {
        raise_clear(m->vm); // a literal that the other side's dtype refuses
        return mismatch(m, ERR_DTYPE, a, b);
    }
    if (second == VALUE_ID_NONE) {
        return VALUE_FAIL;
    }
    return first == second && value_is_kind(a, KIND_SYMBOLIC)
               ? value_retain(a) // made before the block
               : add_output(m, first, second);
}

// --- structures ---

static Value merge_items(Merge *m, const Value *a, const Value *b,
                         size_t count, bool is_list)
{
    Vm *vm = m->vm;
    Tuple *items = tuple_new(vm, count);
    Value result = items == NULL ? VALUE_FAIL : VALUE_NONE;
    for (size_t i = 0; i < count && value_is_none(result); i++) {
        Value item = merge_values(m, a == NULL ? VALUE_UNBOUND : a[i],
                                  b == NULL ? VALUE_UNBOUND : b[i]);
        if (value_unbound(item) || value_failed(item)) {
            result = item;
        } else {
            items->items[i] = item;
        }
    }
    if (!value_is_none(result) || !is_list) {
        if (value_is_none(result)) {
            return value_from_object(items);
        }
        object_release_null(&vm->ctx, items);
        return result;
    }
    List *list = list_new(vm, 0);
    if (list == NULL || !list_extend(vm, list, value_from_object(items))) {
        object_release_null(&vm->ctx, list);
        list = NULL;
    }
    object_release(&vm->ctx, items);
    return list == NULL ? VALUE_FAIL : value_from_object(list);
}

// Two dicts with the same keys, in the order of the first.
static Value merge_dicts(Merge *m, Value a, Value b)
{
    Vm *vm = m->vm;
    Dict *first = value_unbound(a) ? NULL : value_as_dict(a);
    Dict *second = value_unbound(b) ? NULL : value_as_dict(b);
    Dict *keys = first != NULL ? first : second;
    Dict *out = dict_new(vm);
    Value result = out == NULL ? VALUE_FAIL : VALUE_NONE;
    uint32_t position = 0;
    Value key, value;
    while (value_is_none(result) && dict_next(keys, &position, &key, &value)) {
        Value other = VALUE_UNBOUND;
        int found = first == NULL || second == NULL
                        ? 1
                        : dict_get(vm, second, key, &other);
        if (found < 1) {
            result = found < 0 ? VALUE_FAIL : mismatch(m, ERR_TYPE, a, b);
            break;
        }
        Value item = first == NULL ? merge_values(m, VALUE_UNBOUND, value)
                                   : merge_values(m, value, other);
        if (value_unbound(item) || value_failed(item)) {
            result = item;
        } else if (!dict_set(vm, out, key, item)) {
            result = VALUE_FAIL;
        }
        release(vm, value_unbound(item) ? VALUE_NONE : item);
    }
    if (!value_is_none(result)) {
        object_release_null(&vm->ctx, out);
        return result;
    }
    return value_from_object(out);
}

static bool is_exactly(Vm *vm, Value v, Kind kind)
{
    return value_is_object(v) && value_object(v)->type == vm->types[kind];
}

// A list or tuple none of whose items changed is still the same object.
static Value keep_same(Merge *m, Value old, Value made)
{
    if (value_unbound(made) || value_failed(made)) {
        return made;
    }
    bool list = value_is_kind(old, KIND_LIST);
    size_t count =
        list ? value_as_list(old)->count : value_as_tuple(old)->count;
    const Value *a =
        list ? value_as_list(old)->items : value_as_tuple(old)->items;
    const Value *b =
        list ? value_as_list(made)->items : value_as_tuple(made)->items;
    for (size_t i = 0; i < count; i++) {
        if (!value_same(a[i], b[i])) {
            return made;
        }
    }
    release(m->vm, made);
    return value_retain(old);
}

// One side has no value, because it raises, or because the variable is hidden
// and nobody reads it there: the other side's, its tensors made outputs.
static Value merge_single(Merge *m, int side, Value v)
{
    Vm *vm = m->vm;
    if (is_exactly(vm, v, KIND_TUPLE) || is_exactly(vm, v, KIND_LIST)) {
        bool list = is_exactly(vm, v, KIND_LIST);
        const Value *items =
            list ? value_as_list(v)->items : value_as_tuple(v)->items;
        size_t count =
            list ? value_as_list(v)->count : value_as_tuple(v)->count;
        return keep_same(m, v,
                         side == 0 ? merge_items(m, items, NULL, count, list)
                                   : merge_items(m, NULL, items, count, list));
    }
    if (is_exactly(vm, v, KIND_DICT)) {
        return side == 0 ? merge_dicts(m, v, VALUE_UNBOUND)
                         : merge_dicts(m, VALUE_UNBOUND, v);
    }
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return value_retain(v);
    }
    ValueId id = side_id(m, side, v, DT_NONE), other = id;
    if (id != VALUE_ID_NONE && !made_inside(m, side, id)) {
        return value_retain(v);
    }
    if (id != VALUE_ID_NONE && !m->absent[!side]) {
        other = placeholder(m, !side, graph_type(vm->trace->graph, id));
    }
    return side == 0 ? add_output(m, id, other) : add_output(m, other, id);
}

static Value merge_pair(Merge *m, Value a, Value b)
{
    Vm *vm = m->vm;
    bool both_numbers = is_number(a) && is_number(b);
    if (value_is_bool(a) && value_is_bool(b) &&
        m->condition != VALUE_ID_NONE) {
        return merge_flags(m, a);
    }
    if (both_numbers || (is_text(a) && is_text(b)) ||
        (value_is_operand(a) &&
         (value_is_operand(b) || is_number(b) || is_text(b))) ||
        (value_is_operand(b) && (is_number(a) || is_text(a)))) {
        return merge_leaves(m, a, b);
    }
    if (is_exactly(vm, a, KIND_TUPLE) && is_exactly(vm, b, KIND_TUPLE) &&
        value_as_tuple(a)->count == value_as_tuple(b)->count) {
        return merge_items(m, value_as_tuple(a)->items,
                           value_as_tuple(b)->items, value_as_tuple(a)->count,
                           false);
    }
    if (is_exactly(vm, a, KIND_LIST) && is_exactly(vm, b, KIND_LIST) &&
        value_as_list(a)->count == value_as_list(b)->count) {
        return merge_items(m, value_as_list(a)->items,
                           value_as_list(b)->items, value_as_list(a)->count,
                           true);
    }
    if (is_exactly(vm, a, KIND_DICT) && is_exactly(vm, b, KIND_DICT) &&
        value_as_dict(a)->count == value_as_dict(b)->count) {
        return merge_dicts(m, a, b);
    }
    return mismatch(m, ERR_TYPE, a, b);
}

Value merge_values(Merge *m, Value a, Value b)
{
    if (m->absent[0] || m->absent[1]) {
        int side = m->absent[0] ? 1 : 0;
        Value v = side == 0 ? a : b;
        return value_unbound(v) ? v : merge_single(m, side, v);
    }
    if (same_immutable(a, b)) {
        return value_retain(a);
    }
    if (value_unbound(a) || value_unbound(b)) {
        if (!m->hidden) {
            return mismatch(m, ERR_UNBOUND_LOCAL, a, b);
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

void merge_finish(Merge *m, const GraphNode *node)
{
    const Graph *graph = m->vm->trace->graph;
    for (size_t i = 0; i < m->made.count; i++) {
        Symbolic *symbolic = value_as_symbolic(m->made.items[i]);
        symbolic->value = node_output(node, (uint32_t)i);
        TensorType type = graph_type(graph, symbolic->value);
        symbolic->dtype = (uint8_t)type.dtype;
        symbolic->rank = (int8_t)type.rank;
        symbolic->dims = type.dims;
    }
}

void merge_free(Merge *m)
{
    for (size_t i = 0; i < m->made.count; i++) {
        release(m->vm, m->made.items[i]);
    }
    vec_free(&m->vm->ctx, &m->made);
    vec_free(&m->vm->ctx, &m->ids[0]);
    vec_free(&m->vm->ctx, &m->ids[1]);
}
