// Writing and reading the bytes of a file of graphs.
#include "graph/graph_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/crc.h"
#include "graph/build.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/walk.h"

static const char magic[] = "DUETGRPH";
enum {
    MAGIC_SIZE = 8,
    CRC_AT = MAGIC_SIZE + 4,
    LENGTH_AT = CRC_AT + 4,
    HEAD_SIZE = LENGTH_AT + 8,
    ALIGNMENT = 64
};

// CRC-32, the one of zip and PNG.
static uint32_t crc_of(const char *bytes, size_t length)
{
    Crc crc;
    crc_init(&crc, CRC_ISO);
    return crc_add(&crc, 0, bytes, length);
}

static void put_number(char *to, uint64_t number, int size)
{
    for (int i = 0; i < size; i++) {
        to[i] = (char)(number >> 8 * i);
    }
}

static uint64_t get_number(const char *from, int size)
{
    uint64_t number = 0;
    for (int i = size; i-- > 0;) {
        number = number << 8 | (unsigned char)from[i];
    }
    return number;
}

// ---- writing

static void add_number(StrBuf *out, uint64_t number, int size)
{
    char bytes[8];
    put_number(bytes, number, size);
    strbuf_add(out, bytes, (size_t)size);
}

static void add_text(StrBuf *out, const char *text, size_t length)
{
    add_number(out, length, 8);
    strbuf_add(out, text, length);
}

// `start`: where the file begins in the buffer.
static void add_tensor(StrBuf *out, size_t start, const Tensor *tensor)
{
    const char *name = dtype_name((DType)tensor->dtype);
    add_text(out, name, strlen(name));
    add_number(out, tensor->rank, 4);
    for (int i = 0; i < tensor->rank; i++) {
        add_number(out, (uint64_t)tensor_dims(tensor)[i], 8);
    }
    size_t over = (out->length - start) % ALIGNMENT;
    strbuf_pad(out, '\0', over == 0 ? 0 : ALIGNMENT - over);
    if (tensor->dtype == DT_STRING) {
        TensorString *const *strings = tensor->data;
        for (int64_t i = 0; i < tensor->count; i++) {
            add_text(out, strings[i]->bytes, strings[i]->length);
        }
        return;
    }
    strbuf_add(out, tensor->data,
               (size_t)tensor->count * dtype_size((DType)tensor->dtype));
}

// What cannot be read back: host code, and graphs outside.
static bool check_saved(Graph *graph)
{
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        const GraphNode *node = walk.node;
        if (node == NULL || (node->op != OP_HOST_CALL && node->op != OP_CALL)) {
            continue;
        }
        const GraphPlace *place = &node->place;
        const char *what = node->op == OP_CALL ? "another graph" : "host code";
        return place->source == NULL
                   ? ctx_fail(graph->ctx, ERR_VALUE,
                              "%s cannot be saved: it calls %s", graph->name,
                              what)
                   : ctx_fail(
                         graph->ctx, ERR_VALUE,
                         "%s cannot be saved: it calls %s at %s:%u",
                         graph->name, what, place->source->name,
                         source_place(place->source, place->span.start).line);
    }
    return true;
}

// Tensors that graphs captured, each once, behind those of Variables.
typedef struct Captures {
    VEC(Tensor *) tensors;
    Map numbers; // by address
} Captures;

// The number of the tensor among the captures. False: no memory.
static bool capture_number(Ctx *ctx, Captures *captures, Tensor *tensor,
                           uint32_t *number)
{
    uint64_t *found =
        map_get(&captures->numbers, (const char *)&tensor, sizeof tensor);
    *number = (uint32_t)(found != NULL ? *found : captures->tensors.count);
    return found != NULL || (vec_push(ctx, &captures->tensors, tensor) &&
                             map_put(&captures->numbers, (const char *)&tensor,
                                     sizeof tensor, *number));
}

static bool add_graph(StrBuf *out, const GraphFile *file, const GraphPart *part,
                      Captures *captures)
{
    Graph *graph = part->graph;
    StrBuf text;
    strbuf_init(&text, graph->ctx);
    graph_print(&text, graph, true);
    bool ok = strbuf_ok(&text) && check_saved(graph);
    if (ok) {
        add_text(out, text.text, text.length);
    }
    strbuf_free(&text);
    size_t count = 0;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        count += graph->inputs.items[i].kind == INPUT_CAPTURE;
    }
    add_number(out, count, 4);
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        uint32_t number;
        if (graph->inputs.items[i].kind != INPUT_CAPTURE) {
            continue;
        }
        ok = capture_number(graph->ctx, captures,
                            graph->inputs.items[i].capture, &number);
        add_number(out, file->variable_count + number, 4);
    }
    add_number(out, graph->variables.count, 4);
    for (size_t i = 0; i < graph->variables.count; i++) {
        add_number(out, part->variables[i], 4);
    }
    return ok;
}

// The graphs tell which tensors there are, and so are made first.
bool graph_file_write(StrBuf *out, const GraphFile *file)
{
    Ctx *ctx = out->ctx;
    size_t start = out->length;
    StrBuf graphs;
    Captures captures = {0};
    strbuf_init(&graphs, ctx);
    map_init(&captures.numbers, ctx);
    bool ok = true;
    for (size_t i = 0; ok && i < file->graph_count; i++) {
        ok = add_graph(&graphs, file, &file->graphs[i], &captures);
    }
    strbuf_add(out, magic, MAGIC_SIZE);
    add_number(out, GRAPH_FILE_VERSION, 4);
    strbuf_pad(out, '\0', HEAD_SIZE - CRC_AT);
    add_text(out, file->note, file->note_length);
    add_number(out, file->variable_count + captures.tensors.count, 4);
    for (size_t i = 0; i < file->variable_count; i++) {
        add_tensor(out, start, file->variables[i]);
    }
    for (size_t i = 0; i < captures.tensors.count; i++) {
        add_tensor(out, start, captures.tensors.items[i]);
    }
    add_number(out, file->variable_count, 4);
    add_number(out, file->graph_count, 4);
    if (strbuf_ok(&graphs)) {
        strbuf_add(out, strbuf_text(&graphs), graphs.length);
    } else {
        strbuf_fail(out);
    }
    strbuf_free(&graphs);
    vec_free(ctx, &captures.tensors);
    map_free(&captures.numbers);
    if (ok && strbuf_ok(out)) {
        char *head = out->text + start;
        size_t length = out->length - start - HEAD_SIZE;
        put_number(head + CRC_AT, crc_of(head + HEAD_SIZE, length), 4);
        put_number(head + LENGTH_AT, length, 8);
    }
    return ok && strbuf_ok(out);
}

// ---- reading

typedef struct FileReader {
    Ctx *ctx;
    const char *start, *at, *end;
    VEC(Tensor *) tensors; // owned
} FileReader;

static bool fail(FileReader *r, const char *what)
{
    if (!ctx_failed(r->ctx)) {
        (void)ctx_fail(r->ctx, ERR_VALUE, "graph file, byte %zu: %s",
                       (size_t)(r->at - r->start), what);
    }
    return false;
}

static bool read_number(FileReader *r, int size, uint64_t *number)
{
    if (r->end - r->at < size) {
        return fail(r, "it ends too early");
    }
    *number = get_number(r->at, size);
    r->at += size;
    return true;
}

// A number of things that take at least `least` bytes each.
static bool read_count(FileReader *r, size_t least, uint64_t *count)
{
    return read_number(r, 4, count) &&
           (*count * least <= (uint64_t)(r->end - r->at) ||
            fail(r, "it ends too early"));
}

static bool read_text(FileReader *r, const char **text, size_t *length)
{
    uint64_t size;
    if (!read_number(r, 8, &size)) {
        return false;
    }
    if (size > (uint64_t)(r->end - r->at)) {
        return fail(r, "a text that goes beyond the end");
    }
    *text = r->at;
    *length = (size_t)size;
    r->at += size;
    return true;
}

static bool read_dtype(FileReader *r, DType *dtype)
{
    const char *text;
    size_t length;
    char name[16] = {0};
    if (!read_text(r, &text, &length)) {
        return false;
    }
    if (length < sizeof name) {
        memcpy(name, text, length);
    }
    return (dtype_from_name(name, dtype) && !dtype_is_list(*dtype)) ||
           fail(r, "a dtype that is not known");
}

// Sizes of a tensor whose elements are in the file: each takes a byte at least.
static bool read_sizes(FileReader *r, DType dtype, int *rank, int64_t *dims)
{
    uint64_t count, least = dtype == DT_STRING ? 8 : dtype_size(dtype);
    if (!read_number(r, 4, &count)) {
        return false;
    }
    if (count > SHAPE_MAX_RANK) {
        return fail(r, "a rank that is too high");
    }
    *rank = (int)count;
    uint64_t room = (uint64_t)(r->end - r->at) / least, elements = 1;
    bool empty = false;
    for (int i = 0; i < *rank; i++) {
        uint64_t size;
        if (!read_number(r, 8, &size)) {
            return false;
        }
        dims[i] = (int64_t)size;
        empty = empty || size == 0;
        if (size > INT64_MAX || (!empty && size > room / elements)) {
            return fail(r, "sizes that go beyond the end");
        }
        elements = empty ? 1 : elements * size;
    }
    return true;
}

static bool read_strings(FileReader *r, Tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++) {
        const char *text;
        size_t length;
        if (!read_text(r, &text, &length) ||
            !tensor_set_string(r->ctx, tensor, i, text, length)) {
            return false;
        }
    }
    return true;
}

static bool read_elements(FileReader *r, Tensor *tensor)
{
    size_t size = (size_t)tensor->count * dtype_size((DType)tensor->dtype);
    if (tensor->dtype == DT_STRING) {
        return read_strings(r, tensor);
    }
    if (size > (size_t)(r->end - r->at)) {
        return fail(r, "a tensor that goes beyond the end");
    }
    // Bools are bytes of 0 and 1; others would be neither.
    for (size_t i = 0; tensor->dtype == DT_BOOL && i < size; i++) {
        if ((unsigned char)r->at[i] > 1) {
            return fail(r, "a bool that is neither");
        }
    }
    if (size > 0) {
        memcpy(tensor->data, r->at, size);
    }
    r->at += size;
    return true;
}

static bool read_tensor(FileReader *r)
{
    DType dtype;
    int rank = 0;
    int64_t dims[SHAPE_MAX_RANK];
    if (!read_dtype(r, &dtype) || !read_sizes(r, dtype, &rank, dims)) {
        return false;
    }
    size_t over = (size_t)(r->at - r->start) % ALIGNMENT;
    size_t blank = over == 0 ? 0 : ALIGNMENT - over;
    if (blank > (size_t)(r->end - r->at)) {
        return fail(r, "it ends too early");
    }
    r->at += blank;
    Tensor *tensor = tensor_new(r->ctx, dtype, rank, dims);
    if (tensor == NULL) {
        return false;
    }
    if (!read_elements(r, tensor) || !vec_push(r->ctx, &r->tensors, tensor)) {
        object_release(r->ctx, tensor);
        return false;
    }
    return true;
}

static bool read_captures(FileReader *r, Graph *graph)
{
    uint64_t count, number;
    size_t captures = 0;
    if (!read_count(r, 4, &count)) {
        return false;
    }
    for (size_t i = 0; i < graph->inputs.count; i++) {
        if (graph->inputs.items[i].kind != INPUT_CAPTURE) {
            continue;
        }
        if (captures++ >= count || !read_number(r, 4, &number) ||
            number >= r->tensors.count) {
            return fail(r, "a capture without a tensor");
        }
        if (!graph_bind_capture(graph, i, r->tensors.items[number])) {
            return false;
        }
    }
    return captures == count || fail(r, "a tensor without a capture");
}

// A Variable's value must be of the type that the graph declares.
static bool read_variables(FileReader *r, const GraphFile *file,
                           GraphPart *part)
{
    uint64_t count, number;
    const Graph *graph = part->graph;
    if (!read_count(r, 4, &count)) {
        return false;
    }
    if (count != graph->variables.count) {
        return fail(r, "another number of Variables than the graph has");
    }
    part->variables =
        ctx_alloc_zero(r->ctx, (size_t)(count + 1) * sizeof(uint32_t));
    if (part->variables == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_number(r, 4, &number)) {
            return false;
        }
        if (number >= file->variable_count ||
            !graph_type_covers(graph->variables.items[i].type,
                               tensor_type(file->variables[number]))) {
            return fail(r, "a Variable of another type than the graph has");
        }
        part->variables[i] = (uint32_t)number;
    }
    return true;
}

static bool read_graph(FileReader *r, GraphFile *file)
{
    const char *text;
    size_t length;
    if (!read_text(r, &text, &length)) {
        return false;
    }
    GraphPart *part = &file->graphs[file->graph_count];
    part->graph = graph_parse(r->ctx, text, length);
    if (part->graph == NULL) {
        return false;
    }
    file->graph_count++;
    return read_captures(r, part->graph) && read_variables(r, file, part);
}

// The file holds the tensors; Variables share theirs.
static bool read_parts(FileReader *r, GraphFile *file)
{
    uint64_t tensors, variables, graphs;
    if (!read_text(r, &file->note, &file->note_length) ||
        !read_count(r, 12, &tensors)) {
        return false;
    }
    for (uint64_t i = 0; i < tensors; i++) {
        if (!read_tensor(r)) {
            return false;
        }
    }
    if (!read_number(r, 4, &variables) || !read_count(r, 16, &graphs)) {
        return false;
    }
    if (variables > tensors) {
        return fail(r, "a Variable without a tensor");
    }
    size_t room = (size_t)(variables + 1) * sizeof(Tensor *);
    file->variables = ctx_alloc_zero(r->ctx, room);
    file->graphs =
        ctx_alloc_zero(r->ctx, (size_t)(graphs + 1) * sizeof(GraphPart));
    file->room = (size_t)graphs + 1;
    for (size_t i = 0; file->variables != NULL && i < variables; i++) {
        file->variables[i] = object_retain(r->tensors.items[i]);
        file->variable_count = i + 1;
    }
    if (file->variables == NULL || file->graphs == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < graphs; i++) {
        if (!read_graph(r, file)) {
            return false;
        }
    }
    return r->at == r->end || fail(r, "it goes on behind its end");
}

static bool check_head(FileReader *r)
{
    size_t length = (size_t)(r->end - r->start);
    if (length < HEAD_SIZE || memcmp(r->start, magic, MAGIC_SIZE) != 0) {
        return fail(r, "no file of saved graphs");
    }
    uint64_t version = get_number(r->start + MAGIC_SIZE, 4);
    if (version != GRAPH_FILE_VERSION) {
        return ctx_fail(r->ctx, ERR_VALUE,
                        "graph file: version %" PRIu64
                        ", and this program reads version %d",
                        version, GRAPH_FILE_VERSION);
    }
    r->at = r->start + HEAD_SIZE;
    if (get_number(r->start + LENGTH_AT, 8) != length - HEAD_SIZE) {
        return fail(r, "it has been cut, or something stands behind it");
    }
    return get_number(r->start + CRC_AT, 4) ==
               crc_of(r->at, length - HEAD_SIZE) ||
           fail(r, "its bytes have been changed");
}

bool graph_file_read(Ctx *ctx, const char *bytes, size_t length,
                     GraphFile *file)
{
    FileReader r = {
        .ctx = ctx, .start = bytes, .at = bytes, .end = bytes + length};
    *file = (GraphFile){0};
    bool ok = check_head(&r) && read_parts(&r, file);
    for (size_t i = 0; i < r.tensors.count; i++) {
        object_release(ctx, r.tensors.items[i]);
    }
    vec_free(ctx, &r.tensors);
    if (!ok) {
        graph_file_free(ctx, file);
    }
    return ok;
}

void graph_file_free(Ctx *ctx, GraphFile *file)
{
    for (size_t i = 0; i < file->graph_count; i++) {
        const GraphPart *part = &file->graphs[i];
        if (part->variables != NULL) {
            ctx_free(ctx, part->variables,
                     (part->graph->variables.count + 1) * sizeof(uint32_t));
        }
        graph_release(ctx, part->graph);
    }
    for (size_t i = 0; i < file->variable_count; i++) {
        object_release(ctx, file->variables[i]);
    }
    ctx_free(ctx, file->graphs, file->room * sizeof(GraphPart));
    ctx_free(ctx, file->variables,
             (file->variable_count + 1) * sizeof(Tensor *));
    *file = (GraphFile){0};
}
