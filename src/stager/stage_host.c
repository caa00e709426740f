// Host code each time a graph runs.
//
// A host_call node holds a tuple: the function, its arguments with specs in
// the place of tensors, and the specs of its results. Eagerly the same tuple
// is run at once, so that both ways convert and check alike.
#include "stager/stage_host.h"

#include "interp/hooks/recorder.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_convert.h"
#include "ops/tensor_hold.h"
#include "stager/concrete.h"
#include "stager/trace.h"

// --- Running ---

// A result as its spec wants it: converted, cast, its shape checked. Owned.
// NULL: an error is pending.
static Tensor *cast_result(Vm *vm, const Spec *spec, Value v)
{
    Value own = tensor_from_value(vm, "host_call", v, DT_NONE);
    if (value_failed(own)) {
        return NULL;
    }
    // A cast and no refusal: host code mostly returns plain numbers.
    if (operand_type(own).dtype != spec->dtype) {
        AttrValue attr = {.kind = ATTR_DTYPE, .dtype = spec->dtype};
        Value cast = apply_one(vm, OP_CAST, &own, 1, &attr);
        release(vm, own);
        if (value_failed(cast)) {
            return NULL;
        }
        own = cast;
    }
    // A Variable that the function returned counts by its value now.
    Tensor *tensor = value_is_kind(own, KIND_VARIABLE)
                         ? variable_cell(value_as_variable(own))->value
                         : value_as_tensor(own);
    (void)object_retain(tensor);
    release(vm, own);
    TensorType type = tensor_type(tensor);
    bool fits = spec->rank == RANK_UNKNOWN || spec->rank == type.rank;
    // RANK_UNKNOWN is negative, so the loop ends at once for it.
    for (int i = 0; fits && i < spec->rank; i++) {
        fits = spec->dims[i] == DIM_UNKNOWN || spec->dims[i] == type.dims[i];
    }
    if (!fits) {
        StrBuf out;
        strbuf_init(&out, &vm->ctx);
        strbuf_puts(&out, "host_call: the function returned ");
        tensor_type_print(&out, type);
        strbuf_puts(&out, ", out= asks for ");
        tensor_type_print(&out, spec_type(spec));
        if (strbuf_ok(&out)) {
            raise_error(vm, ERR_SHAPE, "%s", strbuf_text(&out));
        }
        strbuf_free(&out);
        object_release(&vm->ctx, tensor);
        return NULL;
    }
    return tensor;
}

// The leaves of `out` (specs) and of what the function returned, side by
// side. `next` counts the results so far.
// False: an error is pending; outputs[0 .. *next) are owned then, too.
static bool cast_tree(Vm *vm, Value out, Value result, Tensor **outputs,
                      uint32_t *next)
{
    // A leaf of out=: whatever stands in its place must become one tensor.
    if (value_is_kind(out, KIND_SPEC)) {
        Tensor *tensor =
            cast_result(vm, (const Spec *)value_object(out), result);
        outputs[*next] = tensor;
        *next += tensor != NULL;
        return tensor != NULL;
    }
    if (structure_kind(vm, out) == STRUCTURE_LEAF) {
        return true; // None: whatever it returned is dropped
    }
    // Only the counts of children are compared: a list where out= has a tuple
    // will do, as for any call that unpacks.
    ValueVec asked = {0}, given = {0};
    bool ok = structure_children(vm, out, &asked) &&
              structure_children(vm, result, &given);
    if (ok && asked.count != given.count) {
        ok = raise_false(vm, ERR_VALUE,
                         "host_call: the function returned %zu results, out= "
                         "asks for %zu",
                         given.count, asked.count);
    }
    for (size_t i = 0; ok && i < asked.count; i++) {
        ok = cast_tree(vm, asked.items[i], given.items[i], outputs, next);
    }
    structure_free(vm, &asked);
    structure_free(vm, &given);
    return ok;
}

// Calls tuple[0] on the filled arguments; outputs are owned, none on failure.
// False: an error is pending.
static bool run_tuple(Vm *vm, const Tuple *tuple, Tensor *const *inputs,
                      Tensor **outputs)
{
    // A structure among the arguments is made anew for each run, so that the
    // function may change it.
    Fill fill = {KIND_SPEC, inputs, 0};
    Value args = structure_map(vm, tuple->items[1], structure_fill, &fill);
    if (value_failed(args)) {
        return false;
    }
    // The stored arguments are a tuple and structure_map keeps the kind.
    const Tuple *list = value_as_tuple(args);
    Value result =
        vm_call(vm, tuple->items[0], list->items, (uint32_t)list->count);
    release(vm, args);
    uint32_t count = 0;
    bool ok = !value_failed(result) &&
              cast_tree(vm, tuple->items[2], result, outputs, &count);
    release(vm, result);
    // Those that were cast before one failed.
    while (!ok && count > 0) {
        object_release(&vm->ctx, outputs[--count]);
    }
    return ok;
}

// The tuple in the node is all that it needs; the graph holds it.
// Called by the executor; false stops the graph with the error of the host
// code.
bool stage_host_run(Vm *vm, const GraphNode *node, Tensor *const *inputs,
                    Tensor **outputs)
{
    return run_tuple(vm, (const Tuple *)node->host, inputs, outputs);
}

// --- The call ---

// What one call was given, taken apart: tensors from structures.
typedef struct HostCall {
    ValueVec tensors; // operands among the arguments, in order, owned
    ValueVec specs;   // of the results, in order, owned
} HostCall;

// A Variable is read where the call stands, in program order with its writes.
// Owned: a spec in the place of an operand, anything else as it is.
static Value take_operand(Vm *vm, Value v, void *data)
{
    HostCall *call = data;
    if (!value_is_operand(v)) {
        return value_retain(v);
    }
    // The node gets the value of this moment, not the Variable.
    Value own = value_is_kind(v, KIND_VARIABLE)
                    ? variable_read(vm, value_as_variable(v))
                    : value_retain(v);
    if (value_failed(own)) {
        return own;
    }
    Spec *spec = spec_new(vm, operand_type(own), NULL);
    if (!structure_push(vm, &call->tensors, own) || spec == NULL) {
        object_release_null(&vm->ctx, spec);
        return VALUE_FAIL;
    }
    return value_from_object(spec);
}

// None stands for a result that nobody wants.
static Value take_spec(Vm *vm, Value v, void *data)
{
    HostCall *call = data;
    if (value_is_none(v)) {
        return v;
    }
    if (!value_is_kind(v, KIND_SPEC)) {
        return raise_error(vm, ERR_TYPE,
                           "stage.host_call: out= takes specs and structures "
                           "of them, not '%s'",
                           type_name(type_of(vm, v)));
    }
    return structure_push(vm, &call->specs, value_retain(v)) ? value_retain(v)
                                                             : VALUE_FAIL;
}

// Where result_leaf finds the tensors of the call: one of the first two.
typedef struct Results {
    const HostCall *call;
    const GraphNode *node; // in a trace
    Tensor **tensors;      // else
    uint32_t next;
} Results;

// Tapes hear of it, since no gradient goes through the host's code: without a
// word there would be none, where an eager call has one.
static Value traced_result(Vm *vm, const Results *results, uint32_t i)
{
    const GraphNode *node = results->node;
    const ValueVec *inputs = &results->call->tensors;
    Value made =
        trace_symbolic(vm, vm->trace, node_output(node, i), "host_call");
    if (!value_failed(made) &&
        !recorder_tell(vm, node->op, inputs->items, (uint32_t)inputs->count,
                       NULL, &made, 1)) {
        release(vm, made);
        return VALUE_FAIL;
    }
    return made;
}

// The structure of out= is the structure of the result.
// Owned. None in out= stays None.
static Value result_leaf(Vm *vm, Value v, void *data)
{
    Results *results = data;
    if (!value_is_kind(v, KIND_SPEC)) {
        return value_retain(v);
    }
    uint32_t i = results->next++;
    return results->node != NULL ? traced_result(vm, results, i)
                                 : tensor_adopt(vm, results->tensors[i]);
}

// The function's text is an attribute, for printed graphs.
// Borrowed from the graph; NULL: an error is pending.
static const GraphNode *append_host_call(Vm *vm, OpCode op,
                                         const HostCall *call, Tuple *tuple)
{
    size_t inputs = call->tensors.count, outputs = call->specs.count;
    // One more than is needed, here and below, so that no operand and no
    // result is no allocation of zero bytes.
    size_t id_size = (inputs + 1) * sizeof(ValueId);
    size_t type_size = (outputs + 1) * sizeof(TensorType);
    ValueId *ids = ctx_alloc(&vm->ctx, id_size);
    TensorType *types = ids != NULL ? ctx_alloc(&vm->ctx, type_size) : NULL;
    bool ok = types != NULL;
    vm->trace->prints = true; // as its function may
    for (size_t i = 0; ok && i < inputs; i++) {
        ids[i] = trace_operand(vm, vm->trace, call->tensors.items[i]);
        ok = ids[i] != VALUE_ID_NONE;
    }
    for (size_t i = 0; ok && i < outputs; i++) {
        types[i] = spec_type((const Spec *)value_object(call->specs.items[i]));
    }
    // The tuple itself goes into the node as its host object. Ops of datasets
    // have no text: what they do is known.
    Str *name = !ok                           ? NULL
                : op_desc(op)->attr_count > 0 ? value_repr(vm, tuple->items[0])
                                              : str_from(vm, "");
    const GraphNode *node = NULL;
    if (name != NULL) {
        AttrValue attr = {.kind = ATTR_STR,
                          .count = (uint32_t)name->length,
                          .text = name->text};
        node = graph_append_host(vm->trace->graph, vm->trace->block, op, ids,
                                 (uint32_t)inputs, &attr, (Object *)tuple,
                                 types, (uint32_t)outputs, trace_place(vm));
        object_release(&vm->ctx, name);
    }
    ctx_free(&vm->ctx, types, type_size);
    ctx_free(&vm->ctx, ids, id_size);
    return node;
}

// Results have the types that out= promises; the run checks them.
static Value call_traced(Vm *vm, OpCode op, const HostCall *call, Tuple *tuple)
{
    Results results = {.call = call,
                       .node = append_host_call(vm, op, call, tuple)};
    return results.node != NULL
               ? structure_map(vm, tuple->items[2], result_leaf, &results)
               : VALUE_FAIL;
}

// As the graph would: same conversions, same errors.
static Value call_eager(Vm *vm, const HostCall *call, const Tuple *tuple)
{
    size_t inputs = call->tensors.count, outputs = call->specs.count;
    size_t size = (inputs + outputs + 1) * sizeof(Tensor *);
    Tensor **room = ctx_alloc(&vm->ctx, size);
    if (room == NULL) {
        return VALUE_FAIL;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < inputs; i++) {
        Value v = call->tensors.items[i];
        ok = value_is_tensor(v);
        if (ok) {
            room[i] = value_as_tensor(v);
        } else {
            // Outside any trace a symbolic tensor has no value: its trace has
            // ended.
            (void)vm->hooks->leak(vm, "host_call", value_as_symbolic(v));
        }
    }
    Results results = {.tensors = room + inputs};
    Value value = VALUE_FAIL;
    if (ok && run_tuple(vm, tuple, room, results.tensors)) {
        value = structure_map(vm, tuple->items[2], result_leaf, &results);
        // Those that the map had not come to when it failed.
        for (size_t i = results.next; value_failed(value) && i < outputs; i++) {
            object_release(&vm->ctx, results.tensors[i]);
        }
    }
    ctx_free(&vm->ctx, room, size);
    return value;
}

// The function, the arguments and the specs are packed once for both ways.
// Owned. `args` is a list or tuple whose items may be structures.
static Value host_call(Vm *vm, OpCode op, Value fn, Value args, Value out)
{
    HostCall call = {0};
    Value given = structure_map(vm, args, take_operand, &call);
    // vm_call wants the arguments in a row, whichever kind they came in.
    Tuple *list = value_failed(given) ? NULL : value_to_tuple(vm, given);
    Value parts[3] = {fn, VALUE_NONE, VALUE_NONE};
    Value specs =
        list != NULL ? structure_map(vm, out, take_spec, &call) : VALUE_FAIL;
    Value result = VALUE_FAIL;
    // Only now is the tuple complete, and the operands and specs counted.
    if (!value_failed(specs)) {
        parts[1] = value_from_object(list);
        parts[2] = specs;
        Tuple *tuple = tuple_from(vm, parts, 3);
        if (tuple != NULL) {
            result = vm->trace != NULL ? call_traced(vm, op, &call, tuple)
                                       : call_eager(vm, &call, tuple);
            object_release(&vm->ctx, tuple);
        }
    }
    release(vm, specs);
    object_release_null(&vm->ctx, list);
    release(vm, given);
    structure_free(vm, &call.tensors);
    structure_free(vm, &call.specs);
    return result;
}

Value stage_host_call(Vm *vm, Value fn, Value args, Value out)
{
    return host_call(vm, OP_HOST_CALL, fn, args, out);
}

// Arguments come as one list, so that out= can stand beside them.
Value stage_host_call_method(Vm *vm, Value *args)
{
    if (!value_is_callable(vm, args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "stage.host_call() takes a function, not '%s'",
                           type_name(type_of(vm, args[1])));
    }
    Tuple *none = vm->empty_tuple;
    Value list = value_unbound(args[2]) ? value_from_object(none) : args[2];
    if (!value_is_kind(list, KIND_LIST) && !value_is_kind(list, KIND_TUPLE)) {
        return raise_error(vm, ERR_TYPE,
                           "stage.host_call() takes its function's arguments "
                           "as a list or tuple");
    }
    return stage_host_call(vm, args[1], list,
                           value_unbound(args[3]) ? VALUE_NONE : args[3]);
}

// --- Datasets ---

static OpCode draw_op(Value name)
{
    static const OpCode ops[] = {OP_ITERATE, OP_MORE, OP_NEXT};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const Str *text = value_is_str(name) ? value_as_str(name) : NULL;
        const char *own = op_desc(ops[i])->name;
        if (text != NULL && text->length == strlen(own) &&
            memcmp(text->text, own, text->length) == 0) {
            return ops[i];
        }
    }
    return OP_COUNT;
}

// lib/data/_walk.duet has the functions; the ops stand in graphs.
Value stage_draw_method(Vm *vm, Value *args)
{
    OpCode op = draw_op(args[1]);
    if (op == OP_COUNT) {
        return raise_error(vm, ERR_VALUE, "stage.draw() knows no such op");
    }
    Tuple *place = tuple_from(vm, &args[3], 1);
    if (place == NULL) {
        return VALUE_FAIL;
    }
    Value result =
        host_call(vm, op, args[2], value_from_object(place), args[4]);
    object_release(&vm->ctx, place);
    return result;
}

Value stage_hold_method(Vm *vm, Value *args)
{
    if (!value_is_object(args[1])) {
        return raise_error(vm, ERR_TYPE, "stage.hold() takes an object");
    }
    return value_or_fail(tensor_hold(&vm->ctx, value_object(args[1])));
}

Value stage_held_method(Vm *vm, Value *args)
{
    Object *object =
        value_is_tensor(args[1]) ? tensor_held(value_as_tensor(args[1])) : NULL;
    return object != NULL
               ? value_from_object(object_retain(object))
               : raise_error(vm, ERR_TYPE, "this is no dataset or iterator");
}
