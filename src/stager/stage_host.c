// Host code each time a graph runs, and host code outside the graph.
//
// A host_call node holds a tuple: the function, its arguments with specs in
// the place of tensors, and the specs of its results. Eagerly the same tuple
// is run at once, so that both ways convert and check alike.
#include "stager/stage_host.h"

#include "interp/obj_list.h"
#include "interp/protocol.h"
#include "interp/tensor_convert.h"
#include "stager/concrete.h"
#include "stager/trace.h"

// --- Running ---

typedef struct Fill {
    Tensor *const *inputs;
    size_t next;
} Fill;

// Tensors take the places of the specs in the stored arguments.
static Value fill_leaf(Vm *vm, Value v, void *data)
{
    Fill *fill = data;
    return value_is_kind(v, KIND_SPEC)
               ? tensor_adopt(vm, object_retain(fill->inputs[fill->next++]))
               : value_retain(v);
}

// A result as its spec wants it: converted, cast, its shape checked. Owned.
static Tensor *cast_result(Vm *vm, const Spec *spec, Value v)
{
    Value own = tensor_from_value(vm, "host_call", v, DT_NONE);
    if (value_failed(own)) {
        return NULL;
    }
    if (operand_type(own).dtype != spec->dtype) {
        AttrValue attr = {.kind = ATTR_DTYPE, .dtype = spec->dtype};
        Value cast = apply_one(vm, OP_CAST, &own, 1, &attr);
        release(vm, own);
        if (value_failed(cast)) {
            return NULL;
        }
        own = cast;
    }
    Tensor *tensor = value_is_kind(own, KIND_VARIABLE)
                         ? value_as_variable(own)->cell.value
                         : value_as_tensor(own);
    (void)object_retain(tensor);
    release(vm, own);
    TensorType type = tensor_type(tensor);
    bool fits = spec->rank == RANK_UNKNOWN || spec->rank == type.rank;
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
static bool cast_tree(Vm *vm, Value out, Value result, Tensor **outputs,
                      uint32_t *next)
{
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
    value_vec_free(vm, &asked);
    value_vec_free(vm, &given);
    return ok;
}

// Calls tuple[0] on the filled arguments; outputs are owned, none on failure.
static bool run_tuple(Vm *vm, const Tuple *tuple, Tensor *const *inputs,
                      Tensor **outputs)
{
    Fill fill = {inputs, 0};
    Value args = value_map(vm, tuple->items[1], fill_leaf, &fill);
    if (value_failed(args)) {
        return false;
    }
    const Tuple *list = value_as_tuple(args);
    Value result = vm_call(vm, tuple->items[0], list->items,
                           (uint32_t)list->count);
    release(vm, args);
    uint32_t count = 0;
    bool ok = !value_failed(result) &&
              cast_tree(vm, tuple->items[2], result, outputs, &count);
    release(vm, result);
    while (!ok && count > 0) {
        object_release(&vm->ctx, outputs[--count]);
    }
    return ok;
}

bool stage_host_run(Vm *vm, const GraphNode *node, Tensor *const *inputs,
                    Tensor **outputs)
{
    return run_tuple(vm, (const Tuple *)node->host, inputs, outputs);
}

// --- The call ---

typedef struct HostCall {
    ValueVec tensors; // operands among the arguments, in order, owned
    ValueVec specs;   // of the results, in order, owned
} HostCall;

static Value take_operand(Vm *vm, Value v, void *data)
{
    HostCall *call = data;
    if (!value_is_operand(v)) {
        return value_retain(v);
    }
    Value own = value_is_kind(v, KIND_VARIABLE)
                    ? variable_read(vm, value_as_variable(v))
                    : value_retain(v);
    if (value_failed(own)) {
        return own;
    }
    Spec *spec = spec_new(vm, operand_type(own), NULL);
    if (!value_vec_push(vm, &call->tensors, own) || spec == NULL) {
        object_release_null(&vm->ctx, spec);
        return VALUE_FAIL;
    }
    return value_from_object(spec);
}

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
    return value_vec_push(vm, &call->specs, value_retain(v))
               ? value_retain(v)
               : VALUE_FAIL;
}

typedef struct Results {
    const GraphNode *node; // in a trace
    Tensor **tensors;      // else
    uint32_t next;
} Results;

static Value result_leaf(Vm *vm, Value v, void *data)
{
    Results *results = data;
    if (!value_is_kind(v, KIND_SPEC)) {
        return value_retain(v);
    }
    uint32_t i = results->next++;
    return results->node != NULL
               ? trace_symbolic(vm, vm->trace, node_output(results->node, i),
                                "host_call")
               : tensor_adopt(vm, results->tensors[i]);
}

static const GraphNode *append_host_call(Vm *vm, const HostCall *call,
                                         Tuple *tuple)
{
    size_t inputs = call->tensors.count, outputs = call->specs.count;
    size_t id_size = (inputs + 1) * sizeof(ValueId);
    size_t type_size = (outputs + 1) * sizeof(TensorType);
    ValueId *ids = ctx_alloc(&vm->ctx, id_size);
    TensorType *types = ids != NULL ? ctx_alloc(&vm->ctx, type_size) : NULL;
    bool ok = types != NULL;
    for (size_t i = 0; ok && i < inputs; i++) {
        ids[i] = trace_operand(vm, vm->trace, call->tensors.items[i]);
        ok = ids[i] != VALUE_ID_NONE;
    }
    for (size_t i = 0; ok && i < outputs; i++) {
        types[i] =
            spec_type((const Spec *)value_object(call->specs.items[i]));
    }
    Str *name = ok ? value_repr(vm, tuple->items[0]) : NULL;
    const GraphNode *node = NULL;
    if (name != NULL) {
        AttrValue attr = {.kind = ATTR_STR,
                          .count = (uint32_t)name->length,
                          .text = name->text};
        node = graph_append_host(vm->trace->graph, vm->trace->block,
                                 OP_HOST_CALL, ids, (uint32_t)inputs, &attr,
                                 (Object *)tuple, types, (uint32_t)outputs,
                                 trace_place(vm));
        object_release(&vm->ctx, name);
    }
    if (types != NULL) {
        ctx_free(&vm->ctx, types, type_size);
    }
    if (ids != NULL) {
        ctx_free(&vm->ctx, ids, id_size);
    }
    return node;
}

static Value call_traced(Vm *vm, const HostCall *call, Tuple *tuple)
{
    Results results = {.node = append_host_call(vm, call, tuple)};
    return results.node != NULL
               ? value_map(vm, tuple->items[2], result_leaf, &results)
               : VALUE_FAIL;
}

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
            (void)vm->hooks->leak(vm, "host_call", value_as_symbolic(v));
        }
    }
    Results results = {.tensors = room + inputs};
    Value value = VALUE_FAIL;
    if (ok && run_tuple(vm, tuple, room, results.tensors)) {
        value = value_map(vm, tuple->items[2], result_leaf, &results);
    }
    ctx_free(&vm->ctx, room, size);
    return value;
}

// fn(*args) when the graph runs; `args` a tuple or list, `out` a tree of
// specs or None.
static Value host_call(Vm *vm, Value fn, Value args, Value out)
{
    HostCall call = {0};
    Value given = value_map(vm, args, take_operand, &call);
    Tuple *list = value_failed(given) ? NULL : value_to_tuple(vm, given);
    Value parts[3] = {fn, VALUE_NONE, VALUE_NONE};
    Value specs = list != NULL ? value_map(vm, out, take_spec, &call)
                               : VALUE_FAIL;
    Value result = VALUE_FAIL;
    if (!value_failed(specs)) {
        parts[1] = value_from_object(list);
        parts[2] = specs;
        Tuple *tuple = tuple_from(vm, parts, 3);
        if (tuple != NULL) {
            result = vm->trace != NULL ? call_traced(vm, &call, tuple)
                                       : call_eager(vm, &call, tuple);
            object_release(&vm->ctx, tuple);
        }
    }
    release(vm, specs);
    object_release_null(&vm->ctx, list);
    release(vm, given);
    value_vec_free(vm, &call.tensors);
    value_vec_free(vm, &call.specs);
    return result;
}

Value stage_host_call_method(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
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
    return host_call(vm, args[1], list,
                     value_unbound(args[3]) ? VALUE_NONE : args[3]);
}

// --- Summaries ---

static bool json_value(Vm *vm, StrBuf *out, Value v);

static bool json_items(Vm *vm, StrBuf *out, const List *list)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < list->count; i++) {
        strbuf_puts(out, i > 0 ? ", " : "[");
        ok = json_value(vm, out, list->items[i]);
    }
    strbuf_puts(out, list->count > 0 ? "]" : "[]");
    ctx_leave(&vm->ctx);
    return ok;
}

static void json_text(StrBuf *out, const Str *text)
{
    strbuf_putc(out, '"');
    for (size_t i = 0; i < text->length; i++) {
        unsigned char byte = (unsigned char)text->text[i];
        if (byte == '"' || byte == '\\') {
            strbuf_putc(out, '\\');
            strbuf_putc(out, (char)byte);
        } else if (byte < ' ') {
            strbuf_printf(out, "\\u%04x", byte);
        } else {
            strbuf_putc(out, (char)byte);
        }
    }
    strbuf_putc(out, '"');
}

// Numbers, texts and nested lists as JSON.
static bool json_value(Vm *vm, StrBuf *out, Value v)
{
    if (value_is_kind(v, KIND_LIST)) {
        return json_items(vm, out, value_as_list(v));
    }
    if (value_is_none(v) || value_is_bool(v)) {
        strbuf_puts(out, value_is_none(v)              ? "null"
                         : value_same(v, VALUE_TRUE) ? "true"
                                                     : "false");
        return true;
    }
    Str *text = value_str(vm, v);
    if (text == NULL) {
        return false;
    }
    if (value_is_str(v) || value_is_kind(v, KIND_BYTES)) {
        json_text(out, text);
    } else {
        strbuf_puts(out, text->text);
    }
    object_release(&vm->ctx, text);
    return true;
}

// A tensor as its numbers; all else stays.
static Value plain_value(Vm *vm, Value v)
{
    return value_is_tensor(v) ? tensor_to_list(vm, value_as_tensor(v))
                              : value_retain(v);
}

// {"name": "loss", "step": 3, "value": 0.5}
static Value write_summary(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    static const char *const keys[] = {"{\"name\": ", ", \"step\": ",
                                       ", \"value\": "};
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool ok = true;
    for (int i = 0; ok && i < 3; i++) {
        Value plain = plain_value(vm, args[i]);
        strbuf_puts(&out, keys[i]);
        ok = !value_failed(plain) && json_value(vm, &out, plain);
        release(vm, plain);
    }
    strbuf_puts(&out, "}\n");
    Str *line = ok ? str_from_buf(vm, &out) : NULL;
    if (!ok) {
        strbuf_free(&out);
    }
    if (line == NULL) {
        return VALUE_FAIL;
    }
    Value text = str_value(line);
    Value written = value_call_method(vm, vm->stdout_file,
                                      vm->names[NAME_WRITE], &text, 1);
    release(vm, text);
    if (value_failed(written)) {
        return written;
    }
    release(vm, written);
    return VALUE_NONE;
}

static const NativeDef summary_def = {
    "summary", "name, step, value, /", write_summary,
    "Writes a line of JSON to standard output."};

Value stage_summary_method(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Value items[3] = {args[1],
                      value_unbound(args[3]) ? VALUE_NONE : args[3],
                      args[2]};
    Native *native = native_new(vm, &summary_def, NULL);
    Tuple *list = native != NULL ? tuple_from(vm, items, 3) : NULL;
    Value result = list != NULL
                       ? host_call(vm, value_from_object(native),
                                   value_from_object(list), VALUE_NONE)
                       : VALUE_FAIL;
    object_release_null(&vm->ctx, native);
    object_release_null(&vm->ctx, list);
    return result;
}

// --- stage.once ---

typedef struct Once {
    Object head;
    Trace *trace;   // set aside while the block runs; NULL: none ran
    uint16_t birth; // of the trace's objects
    bool inside;    // the block runs
} Once;

Value stage_once_method(Vm *vm, Value *args, uint32_t count)
{
    (void)args;
    (void)count;
    Once *once = object_new(vm, stager_of(vm)->once_type, sizeof *once);
    if (once == NULL) {
        return VALUE_FAIL;
    }
    once->trace = NULL;
    once->birth = 0;
    once->inside = false;
    return value_from_object(once);
}

static Value once_enter(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Once *once = (Once *)value_object(args[0]);
    if (once->inside) {
        return raise_error(vm, ERR_RUNTIME, "stage.once(): entered twice");
    }
    once->trace = vm->trace;
    once->birth = vm->ctx.birth;
    once->inside = true;
    vm->trace = NULL;
    vm->ctx.birth = 0;
    return VALUE_NONE;
}

static Value once_exit(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Once *once = (Once *)value_object(args[0]);
    if (once->inside) {
        vm->trace = once->trace;
        vm->ctx.birth = once->birth;
        once->inside = false;
        once->trace = NULL;
    }
    return VALUE_FALSE;
}

static void once_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof(Once));
}

static const NativeDef once_methods[] = {
    {"__enter__", "self, /", once_enter, "Sets the running trace aside."},
    {"__exit__", "self, *args", once_exit, "Goes on with it."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef once_type_def = {
    .name = "once",
    .doc = "A block that runs eagerly, once a trace, outside its graph.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Once),
    .flags = TYPE_FINAL,
    .slots = {.destroy = once_destroy},
    .methods = once_methods,
};
