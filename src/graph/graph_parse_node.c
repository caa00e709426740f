// Reading the nodes of a graph's text.
//
// A node is built from what its line says by the builder's function for its
// op; then each output takes the type that the text declares, where that does
// not contradict what the op gives.
#include "graph/graph_parse_scope.h"

#include <string.h>

// A line as it is read, in parts.
typedef struct NodeLine {
    Parse *parse;
    GraphBlock *block;
    size_t indent;
    const char *where;         // of the op's name
    DefinitionVec definitions; // outputs
    OpCode op;
    IdVec inputs;
    AttrValue attrs[OP_MAX_ATTRS];
    GraphPlace place;
    Tensor *tensor;          // payload: owned
    Graph *callee;           // payload: borrowed from the text,
    VEC(uint32_t) variables; // and what it gets
    uint32_t variable;       // payload
    GraphBlock *blocks[OP_MAX_BLOCKS];
} NodeLine;

// Effects define nothing: the line then begins with the op.
static bool read_definitions(NodeLine *line)
{
    Reader *reader = &line->parse->reader;
    // The reader stands behind the indentation.
    if (reader->at == reader->end ||
        (*reader->at != '%' && *reader->at != '^')) {
        return true;
    }
    // Several outputs stand side by side, divided by commas.
    do {
        Definition definition;
        bool version;
        if (!graph_parse_version(line->parse, &version) ||
            (!version &&
             (!graph_parse_definition(line->parse, &definition) ||
              !vec_push(reader->ctx, &line->definitions, definition)))) {
            return false;
        }
    } while (reader_take(reader, ","));
    return reader_expect(reader, "=");
}

// Names have points in them: "rng.normal".
static bool read_op(NodeLine *line)
{
    Reader *reader = &line->parse->reader;
    reader_blanks(reader);
    line->where = reader->at;
    // The piece is stretched over its parts: they lie side by side in the
    // text.
    TextPiece word = reader_word(reader);
    while (reader_take(reader, ".")) { // "rng.normal"
        TextPiece part = reader_word(reader);
        word.length = (size_t)(part.text + part.length - word.text);
    }
    int op = word.length > 0 ? op_find(word.text, word.length) : -1;
    if (op < 0) {
        return reader_fail_at(reader, line->where, "no op '%.*s'",
                              (int)word.length, word.text);
    }
    line->op = (OpCode)op;
    return true;
}

// A constant's elements: one for rank 0, else all in row-major order.
static bool read_elements(NodeLine *line, Tensor *tensor)
{
    Reader *reader = &line->parse->reader;
    // The type tells how many there are, whatever the text looks like.
    if (tensor->rank == 0) {
        return reader_element(reader, tensor, 0);
    }
    if (!reader_expect(reader, "[")) {
        return false;
    }
    for (int64_t i = 0; i < tensor->count; i++) {
        if ((i > 0 && !reader_expect(reader, ",")) ||
            !reader_element(reader, tensor, i)) {
            return false;
        }
    }
    return reader_expect(reader, "]");
}

// The least text that can hold the elements bounds what a type may claim.
static bool read_const(NodeLine *line)
{
    Reader *reader = &line->parse->reader;
    // Its type is that of its output: there is no operand to infer it from.
    const Definition *type = line->definitions.items;
    int64_t count = 0;
    if (line->definitions.count != 1 || dtype_is_list(type->dtype) ||
        !shape_is_static(type->rank, type->dims)) {
        return reader_fail_at(reader, line->where,
                              "a constant has one output of known shape");
    }
    if (!shape_count(reader->ctx, type->rank, type->dims, type->dtype,
                     &count)) {
        return reader_explain(reader, type->where);
    }
    // Each element takes one byte at least, so a longer claim is false, and no
    // text can make the reader allocate much more than its own length.
    if (count > reader->end - reader->at) {
        return reader_fail_at(reader, line->where,
                              "the constant has fewer than %lld elements",
                              (long long)count);
    }
    line->tensor = tensor_new(reader->ctx, type->dtype, type->rank, type->dims);
    return line->tensor != NULL && read_elements(line, line->tensor);
}

// "@f(@1, @0)": the callee, and which Variables it gets.
static bool read_call(NodeLine *line)
{
    Reader *reader = &line->parse->reader;
    line->callee = graph_parse_callee(line->parse);
    if (line->callee == NULL) {
        return false;
    }
    if (reader->at < reader->end && *reader->at == '(') {
        reader->at++;
        // A list that is there is not empty: print_callee writes none for a
        // callee without Variables.
        do {
            uint32_t index;
            if (!graph_parse_variable(line->parse, &index) ||
                !vec_push(reader->ctx, &line->variables, index)) {
                return false;
            }
        } while (reader_take(reader, ","));
        if (!reader_expect(reader, ")")) {
            return false;
        }
    }
    return line->variables.count == line->callee->variables.count ||
           reader_fail_at(reader, reader->at, "the callee has %zu Variables",
                          line->callee->variables.count);
}

// What stands between the op's name and its operands.
static bool read_payload(NodeLine *line)
{
    switch (op_desc(line->op)->payload) {
    case PAYLOAD_NONE:
    case PAYLOAD_HOST: break;
    case PAYLOAD_TENSOR: return read_const(line);
    case PAYLOAD_CALLEE:
    case PAYLOAD_GRADIENT: return read_call(line);
    case PAYLOAD_RESOURCE:
        return graph_parse_variable(line->parse, &line->variable);
    }
    return true;
}

// Those that the node uses stand before its operands.
static bool read_versions(NodeLine *line)
{
    bool version = true;
    while (version) {
        if (!graph_parse_version(line->parse, &version)) {
            return false;
        }
    }
    return true;
}

// An axis may stand for axes and an int for a float, as in eager calls.
static bool attr_fits(const NodeLine *line, const AttrDesc *desc,
                      const AttrValue *attr)
{
    // The builder and the kernels trust the kinds of attributes, so they must
    // be right from here on.
    switch (attr->kind) {
    case ATTR_NONE:
        // Not given: only what has a default may be left out.
        return desc->default_text != NULL;
    case ATTR_INT:
        return desc->kind == ATTR_INT || desc->kind == ATTR_INTS ||
               desc->kind == ATTR_FLOAT;
    case ATTR_INPUT:
        // Such operands stand behind the op's own.
        return desc->accept == ATTR_HOST_OR_TENSOR &&
               attr->integer >= op_desc(line->op)->min_inputs &&
               attr->integer < (int64_t)line->inputs.count;
    default: return attr->kind == desc->kind;
    }
}

// By name, in the op's own list.
static const AttrDesc *find_attr(const OpDesc *op, TextPiece name)
{
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (strlen(op->attrs[i].name) == name.length &&
            memcmp(op->attrs[i].name, name.text, name.length) == 0) {
            return &op->attrs[i];
        }
    }
    return NULL;
}

// All attributes are looked at in the end: those that are missing must have a
// default.
static bool read_attrs(NodeLine *line)
{
    Reader *reader = &line->parse->reader;
    const OpDesc *op = op_desc(line->op);
    for (;;) {
        TextPiece name = reader_word(reader);
        // No further word: the note or the line end follows.
        if (name.length == 0) {
            break;
        }
        // In any order: they are named.
        const AttrDesc *desc = find_attr(op, name);
        if (desc == NULL) {
            return reader_fail_at(reader, name.text,
                                  "%s has no attribute '%.*s'", op->name,
                                  (int)name.length, name.text);
        }
        // The last one counts where a name is given twice.
        AttrValue *attr = &line->attrs[desc - op->attrs];
        if (!reader_expect(reader, "=") ||
            !reader_attr(reader, &line->parse->graph->arena, attr)) {
            return false;
        }
    }
    // Those that were not given have their defaults by now, or none.
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (!attr_fits(line, &op->attrs[i], &line->attrs[i])) {
            return reader_fail_at(reader, reader->at,
                                  "%s: attribute '%s' is missing or of "
                                  "another kind",
                                  op->name, op->attrs[i].name);
        }
    }
    return true;
}

// A line with the block's name, and its params if it has some, and the block
// below it. It names values of its own and of the outside.
static GraphBlock *read_sub_block(NodeLine *line, const BlockDesc *desc)
{
    Parse *parse = line->parse;
    Reader *reader = &parse->reader;
    size_t indent = 0;
    const char *note;
    // Two columns to the word and two more to the block's lines, as
    // print_sub_blocks has them.
    if (!reader_indent(reader, &indent) || indent != line->indent + 2) {
        reader_fail_at(reader, reader->at, "expected '%s'", desc->name);
        return NULL;
    }
    GraphBlock *block = graph_block_new(parse->graph, line->block);
    if (block == NULL || !reader_expect(reader, desc->name) ||
        (desc->params && !graph_parse_params(parse, block)) ||
        !reader_line_end(reader, &parse->graph->arena, &note) ||
        !graph_parse_block(parse, block, indent + 2)) {
        return NULL;
    }
    return block;
}

// The sub-blocks are read first: the node is typed by them. Their lines' errors
// have places of their own.
static bool read_sub_blocks(NodeLine *line)
{
    const OpDesc *op = op_desc(line->op);
    for (int b = 0; b < op->block_count; b++) {
        line->blocks[b] = read_sub_block(line, &op->blocks[b]);
        if (line->blocks[b] == NULL) {
            return false;
        }
    }
    return true;
}

// A text may claim what the op's rule does not know of an output, as a constant
// has become a capture in a file, and what follows relies on it: the run looks.
static ValueId ensured(NodeLine *line, ValueId value, TensorType claimed)
{
    AttrValue attrs[OP_MAX_ATTRS] = {
        attr_of_ints(claimed.dims, (uint32_t)claimed.rank)};
    return node_first(graph_append(line->parse->graph, line->block,
                                   OP_ENSURE_SHAPE, &value, 1, attrs,
                                   line->place));
}

// The operand as the callee takes it. VALUE_ID_NONE: it is of another type, or
// an error is pending.
static ValueId argument_of(NodeLine *line, ValueId operand, TensorType taken)
{
    TensorType given = graph_type(line->parse->graph, operand);
    return graph_type_covers(taken, given)   ? operand
           : graph_type_covers(given, taken) ? ensured(line, operand, taken)
                                             : VALUE_ID_NONE;
}

// Arguments are compared here: the builder trusts the trace.
static GraphNode *build_call(NodeLine *line)
{
    Graph *graph = line->parse->graph, *callee = line->callee;
    uint32_t count = 0;
    for (size_t i = 0; i < callee->inputs.count; i++) {
        // Captures stand among the inputs and are no arguments of a call.
        count += callee->inputs.items[i].kind == INPUT_ARGUMENT;
    }
    bool fits = count == line->inputs.count;
    for (size_t i = 0, k = 0; fits && i < callee->inputs.count; i++) {
        const GraphInput *input = &callee->inputs.items[i];
        if (input->kind == INPUT_ARGUMENT) {
            // k counts the operands, which the captures have no part in.
            ValueId *operand = &line->inputs.items[k++];
            *operand =
                argument_of(line, *operand, graph_type(callee, input->value));
            fits = *operand != VALUE_ID_NONE;
        }
    }
    for (size_t i = 0; fits && i < callee->variables.count; i++) {
        uint32_t own = line->variables.items[i];
        fits = graph_type_covers(callee->variables.items[i].type,
                                 graph->variables.items[own].type);
    }
    if (!fits) {
        if (!ctx_failed(graph->ctx)) {
            reader_fail_at(&line->parse->reader, line->where,
                           "the arguments are not those of graph %s",
                           callee->name);
        }
        return NULL;
    }
    return graph_append_call(graph, line->block, callee, line->inputs.items,
                             count, line->variables.items, line->place);
}

// Whether the numbers fit is asked here, the types by the checker.
static GraphNode *build_gradient(NodeLine *line)
{
    Graph *gradient = line->callee;
    size_t outputs = line->definitions.count, inputs = line->inputs.count;
    if (gradient->inputs.count < outputs || gradient->variables.count > 0 ||
        inputs != gradient->inputs.count + gradient->block->result_count) {
        reader_fail_at(&line->parse->reader, line->where,
                       "the operands are not those of graph %s",
                       gradient->name);
        return NULL;
    }
    return graph_append_gradient(line->parse->graph, line->block, gradient,
                                 line->inputs.items, (uint32_t)inputs,
                                 (uint32_t)outputs, line->place);
}

// NULL: no memory.
static TensorType *declared_types(NodeLine *line)
{
    size_t count = line->definitions.count;
    TensorType *types =
        arena_new_array(&line->parse->graph->arena, TensorType, count);
    for (size_t i = 0; types != NULL && i < count; i++) {
        types[i] = definition_type(&line->definitions.items[i]);
    }
    return types;
}

// Outputs are as declared.
static GraphNode *build_host(NodeLine *line)
{
    Graph *graph = line->parse->graph;
    size_t count = line->definitions.count;
    // There is no host object in a text: the node prints or fails with its
    // text, and a host_call cannot be run.
    TensorType *types = declared_types(line);
    return types != NULL
               ? graph_append_host(graph, line->block, line->op,
                                   line->inputs.items,
                                   (uint32_t)line->inputs.count, line->attrs,
                                   NULL, types, (uint32_t)count, line->place)
               : NULL;
}

// Of what the op's rule refuses a text claims nothing but dtypes, as the
// optimiser leaves it (graph_infer_exactly): it fails when it is run. Lists are
// no values that an op could be run with.
static bool claims_nothing(const NodeLine *line)
{
    size_t outputs = op_desc(line->op)->output_count;
    size_t count = line->definitions.count;
    bool nothing = count > 0 && (outputs == 0 || outputs == count);
    for (size_t i = 0; i < count; i++) {
        TensorType type = definition_type(&line->definitions.items[i]);
        nothing &= type.rank == RANK_UNKNOWN && !dtype_is_list(type.dtype);
    }
    for (size_t i = 0; i < line->inputs.count; i++) {
        nothing &= !dtype_is_list(
            graph_type(line->parse->graph, line->inputs.items[i]).dtype);
    }
    return nothing;
}

static GraphNode *build_ordinary(NodeLine *line)
{
    Graph *graph = line->parse->graph;
    Ctx *ctx = graph->ctx;
    const ValueId *inputs = line->inputs.items;
    uint32_t count = (uint32_t)line->inputs.count;
    GraphNode *node = graph_append(graph, line->block, line->op, inputs, count,
                                   line->attrs, line->place);
    if (node != NULL || !claims_nothing(line) ||
        ctx->error.kind == ERR_MEMORY || ctx->error.kind == ERR_INTERRUPT) {
        return node;
    }
    ctx_clear(ctx);
    TensorType *types = declared_types(line);
    node = types == NULL ? NULL
                         : build_node(graph, line->op, inputs, count,
                                      line->attrs, line->place);
    return node != NULL && build_finish(graph, line->block, node, types,
                                        (uint32_t)line->definitions.count)
               ? node
               : NULL;
}

// By payload, with the builder that a trace uses.
static GraphNode *build_line(NodeLine *line)
{
    Graph *graph = line->parse->graph;
    const ValueId *inputs = line->inputs.items;
    uint32_t count = (uint32_t)line->inputs.count;
    switch (op_desc(line->op)->payload) {
    case PAYLOAD_NONE: break;
    case PAYLOAD_TENSOR:
        return graph_append_const(graph, line->block, line->tensor,
                                  line->place);
    case PAYLOAD_CALLEE: return build_call(line);
    case PAYLOAD_GRADIENT: return build_gradient(line);
    case PAYLOAD_HOST: return build_host(line);
    case PAYLOAD_RESOURCE:
        return graph_append_resource(graph, line->block, line->op,
                                     line->variable, inputs, count,
                                     line->place);
    }
    return op_desc(line->op)->block_count > 0
               ? graph_append_blocks(graph, line->block, line->op, inputs,
                                     count, line->blocks, line->place)
               : build_ordinary(line);
}

// "add gives int32[2], not float32[2]"
static bool contradicts(NodeLine *line, const Definition *definition,
                        TensorType given)
{
    StrBuf text;
    strbuf_init(&text, line->parse->reader.ctx);
    strbuf_printf(&text, "%s gives ", op_desc(line->op)->name);
    tensor_type_print(&text, given);
    strbuf_puts(&text, ", not ");
    tensor_type_print(&text, definition_type(definition));
    if (strbuf_ok(&text)) {
        reader_fail_at(&line->parse->reader, definition->where, "%s",
                       strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// Numbers are defined after the node is built, so that it cannot use its own
// outputs.
static bool give_outputs(NodeLine *line, const GraphNode *node)
{
    Graph *graph = line->parse->graph;
    if (node->output_count != line->definitions.count) {
        return reader_fail_at(&line->parse->reader, line->where,
                              "%s has %u outputs, not %zu",
                              op_desc(line->op)->name, node->output_count,
                              line->definitions.count);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        const Definition *definition = &line->definitions.items[i];
        TensorType declared = definition_type(definition);
        ValueId value = node_output(node, i);
        TensorType given = graph_type(graph, value);
        // From here on the value has the type of the text, if that can be true.
        if (graph_type_covers(declared, given)) {
            if (!build_set_type(graph, value, declared)) {
                return false;
            }
        } else if (graph_type_covers(given, declared) &&
                   !dtype_is_list(declared.dtype)) {
            value = ensured(line, value, declared);
        } else {
            return contradicts(line, definition, given);
        }
        if (!graph_parse_define(line->parse, definition, value)) {
            return false;
        }
        graph->values.items[value].name = definition->name;
    }
    return true;
}

// The line up to its end. Ops without a list of inputs are built from the
// rest alone.
static bool read_line(NodeLine *line)
{
    Reader *reader = &line->parse->reader;
    Arena *arena = &line->parse->graph->arena;
    if (!read_definitions(line) || !read_op(line) || !read_payload(line) ||
        !read_versions(line) ||
        !graph_parse_values(line->parse, line->block, &line->inputs) ||
        !read_attrs(line) ||
        !reader_line_end(reader, arena, &line->place.note)) {
        return false;
    }
    const OpDesc *op = op_desc(line->op);
    return (line->inputs.count >= op->min_inputs &&
            (op->max_inputs == 255 || line->inputs.count <= op->max_inputs)) ||
           reader_fail_at(reader, line->where, "%s cannot have %zu inputs",
                          op->name, line->inputs.count);
}

// Whatever was collected is freed here, read or not.
bool graph_parse_node(Parse *parse, GraphBlock *block, size_t indent)
{
    NodeLine line = {.parse = parse, .block = block, .indent = indent};
    Ctx *ctx = parse->reader.ctx;
    bool ok = read_line(&line) && read_sub_blocks(&line);
    if (ok) {
        // The builder copies what it keeps, so that the line can be freed
        // below. Its error has no place in a text; it is given this line's.
        GraphNode *node = build_line(&line);
        ok = node != NULL ? give_outputs(&line, node)
                          : reader_explain(&parse->reader, line.where);
    }
    object_release_null(ctx, line.tensor);
    vec_free(ctx, &line.definitions);
    vec_free(ctx, &line.inputs);
    vec_free(ctx, &line.variables);
    return ok;
}
