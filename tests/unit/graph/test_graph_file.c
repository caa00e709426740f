// Files of graphs: what is written is read, and what is cut, changed or made to
// deceive is refused.
#include <criterion/criterion.h>

#include <string.h>

#include "graph/graph_file.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

TestSuite(graph_file, .init = set_up, .fini = tear_down);

static const char text[] = "graph f(%0 x: float32[?])\n"
                           "  capture %1 w: float32[3]\n"
                           "  capture %2 names: string[2]\n"
                           "  capture %3 holds: bool[2]\n"
                           "  variable @0 v: float32[]\n"
                           "  %4: float32[] = read_variable @0 ^0.0\n"
                           "  %5: float32[?] = multiply %0, %4\n"
                           "  %6: float32[3] = add %5, %1\n"
                           "  return %6, %2, %3\n";

static Tensor *string_pair(void)
{
    int64_t dims[] = {2};
    Tensor *t = tensor_new(&ctx, DT_STRING, 1, dims);
    cr_assert(t != NULL && tensor_set_string(&ctx, t, 0, "", 0) &&
              tensor_set_string(&ctx, t, 1, "a\0b", 3));
    return t;
}

// The bytes of a file with the graph above, its note and its Variable.
static void write_file(StrBuf *out)
{
    int64_t three[] = {3}, two[] = {2};
    Graph *graph = graph_parse(&ctx, text, strlen(text));
    cr_assert_not_null(graph, "%s", ctx.error.text);
    Tensor *captures[] = {tensor_new(&ctx, DT_FLOAT32, 1, three), string_pair(),
                          tensor_new(&ctx, DT_BOOL, 1, two)};
    for (int i = 0; i < 3; i++) {
        tensor_set_float(captures[0], i, i + 0.5);
    }
    tensor_set_int(captures[2], 0, 1);
    tensor_set_int(captures[2], 1, 0);
    for (size_t i = 0; i < 3; i++) {
        cr_assert(graph_bind_capture(graph, i + 1, captures[i]));
        object_release(&ctx, captures[i]);
    }
    Tensor *value = tensor_new(&ctx, DT_FLOAT32, 0, NULL);
    tensor_set_float(value, 0, 2);
    uint32_t number = 0;
    GraphPart part = {graph, &number};
    GraphFile file = {.note = "note",
                      .note_length = 4,
                      .variables = &value,
                      .variable_count = 1,
                      .graphs = &part,
                      .graph_count = 1};
    strbuf_init(out, &ctx);
    cr_assert(graph_file_write(out, &file), "%s", ctx.error.text);
    object_release(&ctx, value);
    graph_release(&ctx, graph);
}

Test(graph_file, round)
{
    StrBuf out;
    GraphFile file;
    write_file(&out);
    cr_assert(graph_file_read(&ctx, out.text, out.length, &file), "%s",
              ctx.error.text);
    cr_assert_eq(file.note_length, 4);
    cr_assert_eq(memcmp(file.note, "note", 4), 0);
    cr_assert_eq(file.variable_count, 1);
    cr_assert_float_eq(tensor_float_at(file.variables[0], 0), 2, 0);
    cr_assert_eq(file.graph_count, 1);
    Graph *graph = file.graphs[0].graph;
    StrBuf printed;
    strbuf_init(&printed, &ctx);
    graph_print(&printed, graph, true);
    cr_assert_str_eq(strbuf_text(&printed), text);
    strbuf_free(&printed);
    const Tensor *names = graph->inputs.items[2].capture;
    TensorString *const *strings = names->data;
    cr_assert_eq(strings[1]->length, 3);
    cr_assert_eq(tensor_float_at(graph->inputs.items[1].capture, 2), 2.5);
    graph_file_free(&ctx, &file);
    strbuf_free(&out);
}

static uint32_t crc_of(const unsigned char *bytes, size_t length)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        }
    }
    return ~crc;
}

// Makes the head fit what stands behind it, as somebody who deceives would.
static void seal(char *bytes, size_t length)
{
    uint32_t crc = crc_of((unsigned char *)bytes + 24, length - 24);
    uint64_t rest = length - 24;
    memcpy(bytes + 12, &crc, 4);
    memcpy(bytes + 16, &rest, 8);
}

// A copy of exactly these bytes, so that a sanitizer sees each byte beyond.
static bool reads(const char *bytes, size_t length, bool sealed)
{
    GraphFile file;
    char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    char *own = realloc(copy, length == 0 ? 1 : length);
    if (sealed && length >= 24) {
        seal(own, length);
    }
    ctx_clear(&ctx);
    bool ok = graph_file_read(&ctx, own, length, &file);
    cr_assert(ok || ctx_failed(&ctx));
    if (ok) {
        graph_file_free(&ctx, &file);
    }
    free(own);
    ctx_clear(&ctx);
    return ok;
}

Test(graph_file, cut)
{
    StrBuf out;
    write_file(&out);
    for (size_t length = 0; length < out.length; length++) {
        cr_assert_not(reads(out.text, length, false), "%zu", length);
        cr_assert_not(reads(out.text, length, true), "%zu, sealed", length);
    }
    cr_assert(reads(out.text, out.length, true));
    strbuf_free(&out);
}

// One byte at a time. Without a new seal each change is seen; with one, what
// deceives must end in an error or in a file that is whole.
Test(graph_file, changed)
{
    StrBuf out;
    const unsigned char flips[] = {0x01, 0x80, 0xff, 0x20};
    write_file(&out);
    for (size_t i = 0; i < out.length; i++) {
        for (size_t k = 0; k < sizeof flips; k++) {
            out.text[i] = (char)(out.text[i] ^ flips[k]);
            cr_assert_not(reads(out.text, out.length, false), "byte %zu", i);
            (void)reads(out.text, out.length, true);
            out.text[i] = (char)(out.text[i] ^ flips[k]);
        }
    }
    strbuf_free(&out);
}

Test(graph_file, version)
{
    StrBuf out;
    GraphFile file;
    write_file(&out);
    out.text[8] = 9;
    cr_assert_not(graph_file_read(&ctx, out.text, out.length, &file));
    cr_assert_str_eq(ctx.error.text, "graph file: version 9, and this program "
                                     "reads version 1");
    ctx_clear(&ctx);
    strbuf_free(&out);
}
