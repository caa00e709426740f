// Exceptions of run time.
#include "stager/late_error.h"

#include "graph/walk.h"
#include "interp/core/memory.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/late_text.h"
#include "stager/sites.h"
#include "stager/structure.h"
#include "stager/trace.h"

// The graph's value of each symbolic tensor among the arguments, which leaves
// its place empty: a symbolic tensor keeps its graph, and the graph the model.
static Value collect_leaf(Vm *vm, Value v, void *data)
{
    IdVec *ids = data; // operands of the node, in the order of the walk
    if (value_is_str(v)) {
        Value late = late_text_pack(vm, value_as_str(v), ids);
        return value_unbound(late) ? value_retain(v) : late;
    }
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return value_retain(v);
    }
    if (symbolic_is_text(v)) {
        return late_text_alone(vm, v, ids);
    }
    ValueId id = trace_operand(vm, vm->trace, v);
    return id != VALUE_ID_NONE && vec_push(&vm->ctx, ids, id) ? VALUE_UNBOUND
                                                              : VALUE_FAIL;
}

// What a graph that was read raises, which has the text alone: with a mark for
// each tensor, as a print has them, where the model's one argument holds all
// that are its node's, by str(), and is what str() of the error gives. Else it
// has the names of tensors. KeyError shows repr() of its argument. 1: appended;
// 0: not; -1: failed.
static int mark_tensors(Vm *vm, const Exception *raised, const Exception *model,
                        const Str *text, StrBuf *out)
{
    Value given =
        raised->args->count == 1 ? raised->args->items[0] : VALUE_UNBOUND;
    Value late = model->args->count == 1 ? model->args->items[0] : VALUE_NONE;
    if (model->dict == NULL && value_is_kind(given, KIND_SYMBOLIC) &&
        value_unbound(late) && !(raised->head.type->flags & TYPE_HEAP) &&
        !type_is_subtype(raised->head.type, vm->error_types[ERR_KEY])) {
        strbuf_putc(out, PRINT_TENSOR);
        return 1;
    }
    if (model->dict != NULL || !value_is_str(given) ||
        !late_text_is(vm, late) || !late_text_is_plain(late) ||
        !str_equal(value_as_str(given), text)) {
        return 0;
    }
    return late_text_format(vm, late, out) ? 1 : -1;
}

// "ValueError: text", as the graph's printed form has it.
static bool error_text(Vm *vm, Value exception, const Exception *model,
                       StrBuf *out)
{
    Str *text = value_str(vm, exception);
    if (text == NULL) {
        return false;
    }
    strbuf_printf(out, "%s%s", type_name(type_of(vm, exception)),
                  text->length > 0 ? ": " : "");
    int marked =
        mark_tensors(vm, value_as_exception(exception), model, text, out);
    if (marked == 0) {
        strbuf_add(out, text->text, text->length);
    }
    object_release(&vm->ctx, text);
    return marked >= 0 && strbuf_ok(out);
}

// The exception of an assert was made but never raised, and has none.
static bool has_traceback(const Exception *exception)
{
    return exception->traceback != NULL && exception->traceback->count > 0;
}

// The traceback of the copy begins where the exception was raised.
static void copy_traceback(Vm *vm, const Exception *from, Exception *to)
{
    if (!has_traceback(from)) {
        return;
    }
    // A copy, for each run that fails adds entries of its own to it.
    Traceback *copy = traceback_new(vm);
    uint32_t count = from->traceback->count;
    TracebackEntry *entries =
        copy == NULL ? NULL : ctx_alloc(&vm->ctx, count * sizeof *entries);
    if (entries == NULL) {
        object_release_null(&vm->ctx, copy);
        raise_clear(vm); // the error itself matters more
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = from->traceback->entries[i];
        (void)object_retain(entries[i].code);
    }
    copy->entries = entries;
    copy->count = copy->capacity = count;
    object_release_null(&vm->ctx, to->traceback);
    to->traceback = copy;
}

// Its arguments, and the attributes that __init__ or the program set; both with
// `leaf` of their leaves. Owned; VALUE_FAIL.
static Value map_parts(Vm *vm, const Exception *from, LeafFn leaf, void *data)
{
    Value items[] = {value_from_object(from->args),
                     from->dict != NULL ? value_from_object(from->dict)
                                        : VALUE_NONE};
    Tuple *parts = tuple_from(vm, items, 2);
    Value mapped = parts != NULL
                       ? structure_map(vm, value_from_object(parts), leaf, data)
                       : VALUE_FAIL;
    object_release_null(&vm->ctx, parts);
    return mapped;
}

// A copy with other parts, which are taken, also on failure. __init__ of its
// class is not called: it ran in the trace and may do anything. NULL: failed.
static Exception *copy_exception(Vm *vm, const Exception *from, Value parts)
{
    if (value_failed(parts)) {
        return NULL;
    }
    const Value *items = value_as_tuple(parts)->items;
    Exception *made =
        exception_new(vm, from->head.type, value_as_tuple(items[0]));
    if (made != NULL && !value_is_none(items[1])) {
        made->dict = object_retain(value_as_dict(items[1]));
    }
    release(vm, parts);
    if (made == NULL) {
        return NULL;
    }
    value_replace(&vm->ctx, &made->cause, value_retain(from->cause));
    made->suppress_context = from->suppress_context;
    copy_traceback(vm, from, made);
    return made;
}

// `exception` may be what is there.
static void keep_late(Vm *vm, Value exception)
{
    Object *late = object_retain(value_object(exception));
    object_release_null(&vm->ctx, vm->trace->late);
    vm->trace->late = late;
    vm->trace->ended = false;
}

// Tensors among the arguments are the node's inputs, so that a run can put
// theirs in. The text is for people who print the graph.
bool late_error_append(Vm *vm, Value exception, ValueId condition,
                       GraphPlace place)
{
    Trace *trace = vm->trace;
    if (has_traceback(value_as_exception(exception)) && place.site != 0 &&
        place.site != GRAPH_SITE_FAILED) {
        // The traceback has the running frame already.
        sites_raised(vm, trace, place.site);
        place.site = trace->graph->sites.items[place.site - 1].caller;
    }
    IdVec ids = {0};
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    const Exception *raised = value_as_exception(exception);
    // An assert has its condition as input 0, before the arguments' tensors;
    // late_error_raise skips it.
    bool asserts = condition != VALUE_ID_NONE;
    bool ok = !asserts || vec_push(&vm->ctx, &ids, condition);
    Exception *model =
        ok ? copy_exception(vm, raised,
                            map_parts(vm, raised, collect_leaf, &ids))
           : NULL;
    // Last, since str() of it may be the program's and word tensors.
    ok = model != NULL && error_text(vm, exception, model, &text);
    if (ok) {
        AttrValue attr = {.kind = ATTR_STR,
                          .count = (uint32_t)text.length,
                          .text = strbuf_text(&text)};
        ok = graph_append_host(trace->graph, trace->block,
                               asserts ? OP_ASSERT : OP_RAISE, ids.items,
                               (uint32_t)ids.count, &attr, &model->head, NULL,
                               0, place) != NULL;
    }
    if (!asserts) {
        keep_late(vm, exception);
    }
    object_release_null(&vm->ctx, model);
    vec_free(&vm->ctx, &ids);
    strbuf_free(&text);
    return ok;
}

void late_error_end(Vm *vm, Value exception)
{
    keep_late(vm, exception);
    vm->trace->ended = true;
    raise_bare(vm, value_retain(exception));
}

// How many tensors of the graph an exception has; -1: some that nobody knows.
static int count_tensors(Vm *vm, Value exception)
{
    IdVec ids = {0};
    Value parts =
        map_parts(vm, value_as_exception(exception), collect_leaf, &ids);
    int count = value_failed(parts) ? -1 : (int)ids.count;
    release(vm, parts);
    vec_free(&vm->ctx, &ids);
    return count;
}

// Whether some node raises what the program does, or asserts.
static bool may_raise(const Graph *graph)
{
    bool found = false;
    for (Walk walk = walk_forward(graph->block); !found && walk_next(&walk);) {
        found = walk.node != NULL &&
                (walk.node->op == OP_RAISE || walk.node->op == OP_ASSERT);
    }
    return found;
}

// Whether the call stands in a block of the caller's trace, which raises the
// error only where the block runs: then what the callee did before is done.
static bool has_done(const Trace *trace)
{
    return trace->outer != NULL && trace->outer->blocks != NULL &&
           trace->graph->block->effects;
}

void late_error_close(Vm *vm)
{
    if (sites_fatal(vm) || sites_refused(vm)) {
        return;
    }
    Value exception = raise_take(vm);
    int count = count_tensors(vm, exception);
    // One of a side, or an assert's, may come first when it runs.
    bool late = has_done(vm->trace) || may_raise(vm->trace->graph);
    bool ok = (count > 0 || (count == 0 && late)) &&
              late_error_append(vm, exception, VALUE_ID_NONE, (GraphPlace){0});
    if (ok) {
        late_error_end(vm, exception);
        release(vm, exception);
        return;
    }
    if (vm_has_error(vm)) {
        raise_clear(vm); // the first error is the one to be told
    }
    vm->exception = exception;
}

bool late_error_ended(const Vm *vm)
{
    return vm->trace->ended && value_is_object(vm->exception) &&
           value_object(vm->exception) == vm->trace->late;
}

// The next tensor for each empty place.
static Value fill_leaf(Vm *vm, Value v, void *data)
{
    Tensor *const **next = data;
    return value_unbound(v)      ? tensor_adopt(vm, object_retain(*(*next)++))
           : late_text_is(vm, v) ? late_text_fill(vm, v, next)
                                 : value_retain(v);
}

// No memory: that is raised instead.
void late_error_raise(Vm *vm, const GraphNode *node, Tensor *const *inputs)
{
    const Exception *model = (const Exception *)node->host;
    Tensor *const *next = inputs + (node->op == OP_ASSERT);
    Exception *made =
        copy_exception(vm, model, map_parts(vm, model, fill_leaf, &next));
    if (made != NULL) {
        raise_object(vm, value_from_object(made));
    }
}
