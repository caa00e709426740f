// The graph side of a running trace. A failed operation appends nothing that
// later code can see: its error is the eager op's, from the same shape rule.
#include "stager/trace.h"

#include <stdio.h>

#include "interp/core/raise.h"
#include "interp/hooks/tracing.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/errors/raise_object.h"
#include "stager/advice.h"
#include "stager/concrete.h"
#include "stager/frozen.h"
#include "stager/leak.h"
#include "stager/maybe.h"
#include "stager/merge.h"
#include "stager/poison.h"
#include "stager/scopes.h"
#include "stager/sites.h"
#include "stager/staged_list.h"
#include "stager/weak.h"
#include "tape/tape.h"

enum { TRACE_FEW = 8 }; // inputs handled without an allocation

// Frames that stand where they stood when the last one was made are not looked
// up again.
uint32_t trace_site(Vm *vm, Trace *trace)
{
    Graph *graph = trace->graph;
    uint32_t site = 0;
    size_t depth = 0;
    for (Frame *f = trace->base; f <= vm->frame; f++, depth++) {
        uint32_t word = (uint32_t)(f->pc - f->code->words);
        if (f->code->handler_count > 0 && !f->code->source->library &&
            !sites_enter(vm, trace, f, word)) {
            return GRAPH_SITE_FAILED;
        }
        const Str *name = scopes_name(vm, graph, f, site);
        if (depth < trace->sites.count) {
            TraceSite known = trace->sites.items[depth];
            if (known.code == f->code && known.word == word &&
                scopes_hold(trace, known.site, name)) {
                site = known.site;
                continue;
            }
            trace->sites.count = depth;
        }
        site = scopes_site(
            vm, trace,
            (GraphSite){.code = &f->code->head, .word = word, .caller = site},
            name);
        if (site == GRAPH_SITE_FAILED ||
            !vec_push(&vm->ctx, &trace->sites,
                      ((TraceSite){f->code, word, site}))) {
            return GRAPH_SITE_FAILED;
        }
    }
    return site;
}

// Nodes made by C code have the place of the call that made them.
GraphPlace trace_place_in(Vm *vm, Trace *trace)
{
    GraphPlace place = GRAPH_PLACE_NONE;
    if (vm_place(vm, &place.source, &place.span)) {
        place.site = trace_site(vm, trace);
    }
    return place;
}

GraphPlace trace_place(Vm *vm)
{
    return trace_place_in(vm, vm->trace);
}

void trace_point(Vm *vm, const Graph *graph, uint32_t site)
{
    while (site != 0) {
        const GraphSite *at = &graph->sites.items[site - 1];
        const Code *code = (const Code *)at->code;
        raise_add_frame(vm, code, at->word);
        site = code == vm->frame->code ? 0 : at->caller;
    }
}

bool trace_in_library(const Vm *vm)
{
    return vm->frame != NULL && vm->frame->code->source->library;
}

uint32_t trace_program_line(const Vm *vm, Source **source)
{
    const Frame *frame = vm->frame;
    while (frame != NULL && frame > vm->frames &&
           frame->code->source->library) {
        frame--;
    }
    *source = frame != NULL ? frame->code->source : NULL;
    if (*source == NULL) {
        return 0;
    }
    uint32_t word = (uint32_t)(frame->pc - frame->code->words);
    return source_place(*source, code_span(frame->code, word).start).line;
}

// Its own name goes before that of the place where it was found.
static bool add_variable(Vm *vm, Trace *trace, const Variable *variable,
                         TensorType type, VariableCell *cell, Object *owner,
                         uint32_t *index)
{
    StrBuf name;
    strbuf_init(&name, &vm->ctx);
    if (variable->name != NULL) {
        strbuf_puts(&name, variable->name->text);
    } else if (!frozen_spelled(vm, trace->frozen,
                               value_from_object((Object *)&variable->head),
                               &name)) {
        strbuf_puts(&name, "variable");
    }
    bool ok =
        strbuf_ok(&name) && graph_add_variable(trace->graph, strbuf_text(&name),
                                               type, cell, owner, index);
    strbuf_free(&name);
    return ok;
}

// One for each that is distinct; the graph's numbers are the signature's.
bool trace_open_variables(Vm *vm, Trace *trace)
{
    const Signature *signature = trace->request->signature;
    for (uint32_t i = 0; i < signature->variables.count; i++) {
        Value own = signature->variables.items[i];
        Variable *variable = value_as_variable(own);
        Variable *stand_in = variable_stand_in(vm, variable, i);
        uint32_t index;
        if (stand_in == NULL ||
            !structure_push(vm, &trace->stand_ins,
                            value_from_object(stand_in)) ||
            !add_variable(vm, trace, variable, operand_type(own), NULL, NULL,
                          &index)) {
            return false;
        }
    }
    return true;
}

void trace_close_variables(Vm *vm, Trace *trace)
{
    for (size_t i = 0; i < trace->stand_ins.count; i++) {
        value_as_variable(trace->stand_ins.items[i])->argument = false;
    }
    structure_free(vm, &trace->stand_ins);
}

static bool stands_in_here(const Trace *trace, Value v)
{
    const Variable *self = value_as_variable(v);
    return value_is_kind(v, KIND_VARIABLE) &&
           self->place < trace->stand_ins.count &&
           value_same(trace->stand_ins.items[self->place], v);
}

// What a tensor is to the running trace: the work of an operation and an object
// of its own, one from outside, or one of several that a block or a callee
// hands on.
typedef enum Origin { ORIGIN_MADE, ORIGIN_GIVEN, ORIGIN_CHOSEN } Origin;

static Origin origin_of(const Trace *trace, Value v)
{
    if (!value_is_kind(v, KIND_SYMBOLIC) ||
        value_as_symbolic(v)->owner != trace->owner) {
        return ORIGIN_GIVEN;
    }
    const GraphValue *value =
        graph_value(trace->graph, value_as_symbolic(v)->value);
    if (value->node == NULL) {
        return value->block == trace->graph->block ? ORIGIN_GIVEN
                                                   : ORIGIN_CHOSEN;
    }
    return value->node->blocks[0] != NULL || value->node->callee != NULL
               ? ORIGIN_CHOSEN
               : ORIGIN_MADE;
}

// A list that a graph holds is one to the program.
static const Type *class_of(Vm *vm, Value v)
{
    return staged_list_is(vm, v) ? vm->types[KIND_LIST] : type_of(vm, v);
}

// Whether eager code may have one object where the trace has two: tensors,
// numbers of which one has become a tensor, or copies of containers.
static bool may_be_one(Vm *vm, const Trace *trace, Value a, Value b)
{
    if (value_is_kind(a, KIND_VARIABLE) || value_is_kind(b, KIND_VARIABLE)) {
        return false; // of these it is known
    }
    if (value_is_operand(a) != value_is_operand(b)) {
        return weak_is_number(a) && weak_is_number(b);
    }
    return value_is_operand(a)
               ? origin_of(trace, a) + origin_of(trace, b) > ORIGIN_GIVEN
               : class_of(vm, a) == class_of(vm, b);
}

Value trace_same(Vm *vm, Value a, Value b, bool holds)
{
    // id() asks of one alone; the library does to know an object again.
    bool by_id = value_same(a, b);
    if (!by_id && (poison_is_value(vm, a) || poison_is_value(vm, b))) {
        return maybe_same(vm, a, b, holds);
    }
    // Which of its arguments are the same one is part of a trace's key.
    const Trace *trace = vm->trace;
    if (trace != NULL && may_be_one(vm, trace, a, b) &&
        !(by_id && trace_in_library(vm))) {
        event_add(vm, trace->events, EVENT_OBJECT,
                  "whether two objects are one", VALUE_NONE);
    }
    bool arguments =
        trace != NULL && stands_in_here(trace, a) && stands_in_here(trace, b);
    bool same = !arguments && value_same(value_meant(a), value_meant(b));
    return value_from_bool(same == holds);
}

// The same one again yields the number that it has. A stand-in of an enclosing
// trace is captured by this one like others, and is that trace's when the call
// is appended there.
bool trace_variable(Vm *vm, Trace *trace, Variable *variable, uint32_t *index)
{
    variable = variable_identity(variable);
    if (stands_in_here(trace, value_from_object((Object *)&variable->head))) {
        *index = variable->place;
        return true;
    }
    VariableCell *cell = variable_cell(variable);
    if (!add_variable(vm, trace, variable, cell_type(cell), cell,
                      &variable->head, index)) {
        return false;
    }
    trace->graph->variables.items[*index].argument = variable->argument;
    return true;
}

// The dims are those of the graph, not a copy: the count on the owner, which
// holds the graph, keeps them for as long as the tensor lives. A name that
// cannot be made undoes the whole object, which is complete enough to be
// released by then.
Value trace_symbolic(Vm *vm, Trace *trace, ValueId id, const char *name)
{
    Symbolic *symbolic =
        object_new(vm, vm->types[KIND_SYMBOLIC], sizeof *symbolic);
    if (symbolic == NULL) {
        return VALUE_FAIL;
    }
    TensorType type = graph_type(trace->graph, id);
    // The owner outlives the trace and tells a value that has leaked.
    symbolic->owner = object_retain(trace->owner);
    symbolic->head.flags |= OBJECT_STANDS_IN;
    symbolic->value = id;
    symbolic->first = id;
    symbolic->dtype = (uint8_t)type.dtype;
    symbolic->rank = (int8_t)type.rank;
    symbolic->dims = type.dims;
    // What makes such tensors sets these afterwards.
    symbolic->weak = false;
    symbolic->text = false;
    symbolic->mixed = false;
    symbolic->name = NULL;
    Value result = value_from_object(symbolic);
    if (name != NULL) {
        symbolic->name = str_from(vm, name);
        if (symbolic->name == NULL) {
            value_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return result;
}

// A node on a Variable. Each use of one is a read of its own, where the use
// stands: a write in between must be seen. Reads that see the same write are
// merged by a pass, not here.
static GraphNode *append_resource(Vm *vm, Trace *trace, OpCode op,
                                  Variable *variable, const ValueId *inputs,
                                  uint32_t input_count)
{
    uint32_t index;
    return trace_variable(vm, trace, variable, &index)
               ? graph_append_resource(trace->graph, trace->block, op, index,
                                       inputs, input_count, trace_place(vm))
               : NULL;
}

static ValueId read_variable(Vm *vm, Trace *trace, Variable *variable)
{
    GraphNode *node =
        append_resource(vm, trace, OP_READ_VARIABLE, variable, NULL, 0);
    return node != NULL ? node_output(node, 0) : VALUE_ID_NONE;
}

// The input by which a trace gets a symbolic tensor of one that encloses it.
static ValueId outer_input(Vm *vm, Trace *trace, Value operand)
{
    const Symbolic *symbolic = value_as_symbolic(operand);
    uint64_t key[2] = {(uintptr_t)symbolic->owner, symbolic->value};
    const uint64_t *known =
        map_get(&trace->outer_inputs, (const char *)key, sizeof key);
    if (known != NULL) {
        return (ValueId)*known;
    }
    // It is met for the first time. The value is noted before the input is
    // made, so that the two lists never have an input without its value.
    const Str *name = symbolic->name;
    if (!structure_push(vm, &trace->outer_values, value_retain(operand))) {
        return VALUE_ID_NONE;
    }
    ValueId id =
        graph_add_input(trace->graph, name != NULL ? name->text : "captured",
                        operand_type(operand));
    if (id == VALUE_ID_NONE) {
        release(vm, vec_pop(&trace->outer_values));
        return VALUE_ID_NONE;
    }
    return map_put(&trace->outer_inputs, (const char *)key, sizeof key, id)
               ? id
               : VALUE_ID_NONE;
}

// A symbolic tensor of another trace. Only a trace that is still under way,
// and that this one interrupted, can supply the value when the graph runs;
// from any other the tensor has leaked.
static ValueId foreign_operand(Vm *vm, Trace *trace, Value operand)
{
    const Symbolic *symbolic = value_as_symbolic(operand);
    for (Trace *outer = trace->outer; outer != NULL; outer = outer->outer) {
        if (outer->owner == symbolic->owner) {
            return outer_input(vm, trace, operand);
        }
    }
    (void)leak_fail(vm, NULL, symbolic);
    return VALUE_ID_NONE;
}

// The tensor belongs to this trace but to a block that has been left. The line
// of its node is told, since the place of the error is that of the use. Inputs
// have no node, and so no line.
static ValueId fail_block(Vm *vm, const Trace *trace, const Symbolic *symbolic)
{
    const GraphNode *node = graph_value(trace->graph, symbolic->value)->node;
    char line[40] = "", room[ADVICE_ROOM];
    if (node != NULL && node->place.source != NULL) {
        Place place = source_place(node->place.source, node->place.span.start);
        snprintf(line, sizeof line, " (line %u)", (unsigned)place.line);
    }
    raise_error(vm, ERR_LEAK,
                "the symbolic tensor '%s' was made in one side of an `if` or "
                "in a loop%s and has no value outside it; assign it to a "
                "variable there instead",
                advice_spell(vm, symbolic, room), line);
    return VALUE_ID_NONE;
}

bool trace_reaches(const Trace *trace, const Symbolic *symbolic)
{
    const GraphBlock *made = graph_value(trace->graph, symbolic->value)->block;
    const GraphBlock *block = trace->block;
    while (block != NULL && block != made) {
        block = block->parent;
    }
    return block != NULL;
}

// stage._learn(tensor, same): the symbolic tensor is from now on `same`, which
// has its value and was made of it in the block of both. Elsewhere it stays:
// behind the block nothing that was made in it can be used.
Value trace_learn_method(Vm *vm, Value *args)
{
    Symbolic *symbolic = value_as_symbolic(args[1]);
    if (!value_is_kind(args[1], KIND_SYMBOLIC) ||
        !value_is_kind(args[2], KIND_SYMBOLIC)) {
        return raise_error(vm, ERR_TYPE, "_learn: two symbolic tensors");
    }
    const Symbolic *same = value_as_symbolic(args[2]);
    const Trace *trace = vm->trace;
    if (trace == NULL || symbolic->owner != trace->owner ||
        same->owner != trace->owner ||
        graph_value(trace->graph, symbolic->value)->block != trace->block) {
        return VALUE_NONE;
    }
    symbolic->value = same->value;
    symbolic->rank = same->rank;
    symbolic->dims = same->dims;
    return VALUE_NONE;
}

GraphNode *trace_node(const Trace *trace, Value v)
{
    const Symbolic *symbolic = value_as_symbolic(v);
    return trace != NULL && value_is_kind(v, KIND_SYMBOLIC) &&
                   symbolic->owner == trace->owner
               ? graph_value(trace->graph, symbolic->value)->node
               : NULL;
}

Value trace_within_method(Vm *vm, Value *args)
{
    GraphNode *node = trace_node(vm->trace, args[1]);
    if (node != NULL && node->op == OP_ARANGE) {
        node->op = OP_ARANGE_WITHIN;
    }
    return value_retain(args[1]);
}

static ValueId symbolic_operand(Vm *vm, Trace *trace, Value operand)
{
    const Symbolic *symbolic = value_as_symbolic(operand);
    if (symbolic->owner != trace->owner) {
        return foreign_operand(vm, trace, operand);
    }
    return trace_reaches(trace, symbolic) ? symbolic->value
                                          : fail_block(vm, trace, symbolic);
}

// The order of the tests matters: an eager tensor is what is left when the
// operand is neither symbolic nor a Variable.
ValueId trace_operand(Vm *vm, Trace *trace, Value operand)
{
    if (value_is_kind(operand, KIND_SYMBOLIC)) {
        return symbolic_operand(vm, trace, operand);
    }
    if (value_is_kind(operand, KIND_VARIABLE)) {
        return read_variable(vm, trace, value_as_variable(operand));
    }
    Tensor *tensor = value_as_tensor(operand);
    // What this trace made from host values is a constant of its graph; an
    // older tensor is captured. For a Tape it is an operand of the blocks that
    // use it.
    if (era_has(vm, trace->era, &tensor->head)) {
        GraphBlock *block =
            tape_follows(vm, operand) ? trace->graph->block : trace->block;
        GraphNode *node =
            graph_append_const(trace->graph, block, tensor, trace_place(vm));
        return node != NULL ? node_output(node, 0) : VALUE_ID_NONE;
    }
    StrBuf name;
    strbuf_init(&name, &vm->ctx);
    if (!frozen_spelled(vm, trace->frozen, operand, &name)) {
        strbuf_puts(&name, "captured");
    }
    ValueId id =
        strbuf_ok(&name)
            ? graph_add_capture(trace->graph, strbuf_text(&name), tensor)
            : VALUE_ID_NONE;
    strbuf_free(&name);
    return id;
}

bool trace_outputs(Vm *vm, Trace *trace, const GraphNode *node,
                   const char *name, Value *outputs)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        outputs[i] = trace_symbolic(vm, trace, node_output(node, i), name);
        if (value_failed(outputs[i])) {
            while (i-- > 0) {
                value_release(&vm->ctx, outputs[i]);
            }
            return false;
        }
    }
    return true;
}

Value trace_followed(Vm *vm, Trace *trace, ValueId id)
{
    const Graph *graph = trace->graph;
    const GraphValue *value = graph_value(graph, id);
    Tensor *constant = NULL;
    if (value->node != NULL && value->node->op == OP_CONST) {
        constant = value->node->tensor;
    } else if (value->node == NULL && value->block == graph->block) {
        constant = graph->inputs.items[value->index].capture;
    }
    return constant != NULL ? value_from_object(object_retain(constant))
                            : trace_symbolic(vm, trace, id, NULL);
}

// Symbolic tensors for all outputs of a node. *output_count is the room on
// entry and the number made on return.
static bool node_results(Vm *vm, Trace *trace, const GraphNode *node,
                         Value *outputs, uint32_t *output_count)
{
    // A fault of the caller: ops say how many outputs they can have.
    if (node->output_count > *output_count) {
        return raise_false(vm, ERR_SYSTEM, "%s: more outputs than expected",
                           op_desc(node->op)->name);
    }
    *output_count = node->output_count;
    return trace_outputs(vm, trace, node, op_desc(node->op)->name, outputs);
}

// One node of an ordinary op, and its symbolic results. `ids` is room for the
// inputs. Casts that weak operands need stand before the node; if it is
// refused they stay, unused, and are dropped as dead code.
static bool append(Vm *vm, OpCode op, const Value *inputs, ValueId *ids,
                   uint32_t input_count, const AttrValue *attrs, Value *outputs,
                   uint32_t *output_count)
{
    Trace *trace = vm->trace;
    DType weak = weak_target(op, inputs, input_count);
    uint32_t first = weak_first(op, input_count);
    for (uint32_t i = 0; i < input_count; i++) {
        ids[i] = weak_operand(vm, trace, inputs[i], i < first ? DT_NONE : weak);
        if (ids[i] == VALUE_ID_NONE) {
            return false;
        }
    }
    // Asked of the operands as they came: a cast one is no longer weak.
    bool stays_weak = weak_result(op, inputs, input_count);
    bool stays_host = weak_host_result(op, inputs, input_count);
    GraphNode *node = graph_append(trace->graph, trace->block, op, ids,
                                   input_count, attrs, trace_place(vm));
    if (node == NULL) {
        weak_refuse(vm, op, inputs, input_count, weak);
        return false;
    }
    if (!node_results(vm, trace, node, outputs, output_count)) {
        return false;
    }
    if (UNLIKELY(trace->graph->nodes.count >= trace->look)) {
        sites_look(vm, trace);
    }
    for (uint32_t i = 0; weak != DT_NONE && i < input_count; i++) {
        if (symbolic_is_weak(inputs[i]) && dtype_is_float(weak)) {
            event_operation(vm, trace->events);
        }
    }
    for (uint32_t i = 0; stays_host && i < *output_count; i++) {
        value_as_symbolic(outputs[i])->weak = stays_weak;
        value_as_symbolic(outputs[i])->mixed = !stays_weak;
    }
    return true;
}

// inputs: the Variable, then values. A weak number takes the Variable's dtype,
// as a host number does in eager code. The Variable itself does not change
// while tracing.
static bool apply_resource(Vm *vm, OpCode op, const Value *inputs, ValueId *ids,
                           uint32_t input_count, Value *outputs,
                           uint32_t *output_count)
{
    Trace *trace = vm->trace;
    Variable *variable = value_as_variable(inputs[0]);
    DType dtype = (DType)variable_cell(variable)->value->dtype;
    for (uint32_t i = 1; i < input_count; i++) {
        ids[i - 1] = weak_operand(vm, trace, inputs[i], dtype);
        if (ids[i - 1] == VALUE_ID_NONE) {
            return false;
        }
    }
    GraphNode *node =
        append_resource(vm, trace, op, variable, ids, input_count - 1);
    return node != NULL && node_results(vm, trace, node, outputs, output_count);
}

// Variables go apart: their first operand is no value of the graph. Ops with
// many operands (concat, stack) need a longer list of ids.
bool trace_apply(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                 const AttrValue *attrs, Value *outputs, uint32_t *output_count)
{
    ValueId few[TRACE_FEW];
    if (op_desc(op)->payload == PAYLOAD_RESOURCE) {
        return apply_resource(vm, op, inputs, few, input_count, outputs,
                              output_count);
    }
    if (input_count <= TRACE_FEW) {
        return append(vm, op, inputs, few, input_count, attrs, outputs,
                      output_count);
    }
    size_t size = input_count * sizeof(ValueId);
    ValueId *ids = ctx_alloc(&vm->ctx, size);
    bool ok = ids != NULL && append(vm, op, inputs, ids, input_count, attrs,
                                    outputs, output_count);
    ctx_free(&vm->ctx, ids, size);
    return ok;
}
