// A graph in boxes: its printed form, framed by what belongs together.
//
// The lines of the text are read again: a line whose followers are indented
// deeper by more than a step opens a box with that line as its title. In the
// printed form those are the heads of graphs and of sub-blocks.
#include "export/boxes.h"

#include <string.h>

#include "base/utf8.h"
#include "graph/graph_text.h"

// A line without its indentation.
typedef struct BoxLine {
    const char *text;
    size_t length;
    size_t indent;
    size_t width; // columns of a terminal
} BoxLine;

// One drawing: the lines of the whole text, and where the boxes go.
typedef struct Boxes {
    StrBuf *out;
    VEC(BoxLine) lines;
} Boxes;

// Columns that the bytes take.
static size_t text_width(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t at = 0; at < length;) {
        uint32_t codepoint;
        size_t size = utf8_decode(text + at, length - at, &codepoint);
        // A byte that is no UTF-8 counts as one column.
        width += size > 0 ? (size_t)utf8_width(codepoint) : 1;
        at += size > 0 ? size : 1;
    }
    return width;
}

// The text stays with the caller; lines point into it.
static bool split_lines(Boxes *boxes, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t indent = strspn(text, " ");
        BoxLine line = {text + indent, length - indent, indent, 0};
        line.width = text_width(line.text, line.length);
        if (length > 0 && !vec_push(boxes->out->ctx, &boxes->lines, line)) {
            return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}

// The first line after `at` that does not belong to it.
static size_t block_end(const Boxes *boxes, size_t at, size_t end)
{
    // Empty lines between graphs were left out when the text was split.
    size_t indent = boxes->lines.items[at].indent;
    size_t next = at + 1;
    while (next < end && boxes->lines.items[next].indent > indent) {
        next++;
    }
    return next;
}

// Whether the line is this word, alone or with more behind it.
static bool begins(const BoxLine *line, const char *word)
{
    size_t length = strlen(word);
    return line->length >= length && memcmp(line->text, word, length) == 0 &&
           (line->length == length || line->text[length] == ' ');
}

// Heads of graphs and of sub-blocks are no nodes: they have no definition,
// and what stands below them is theirs.
static bool is_title(const Boxes *boxes, size_t at, size_t end)
{
    const BoxLine *line = &boxes->lines.items[at];
    bool title = begins(line, "graph");
    for (int code = 0; !title && code < OP_COUNT; code++) {
        const OpDesc *op = op_desc((OpCode)code);
        for (int b = 0; b < op->block_count; b++) {
            title = title || begins(line, op->blocks[b].name);
        }
    }
    return title && block_end(boxes, at, end) > at + 1;
}

// Columns that lines [at, end) take, boxes included.
static size_t inner_width(const Boxes *boxes, size_t at, size_t end)
{
    size_t most = 0;
    while (at < end) {
        size_t next = at + 1, width = boxes->lines.items[at].width;
        if (is_title(boxes, at, end)) {
            next = block_end(boxes, at, end);
            size_t inner = inner_width(boxes, at + 1, next);
            // A frame takes a line and a blank at each side; behind a title at
            // least one piece of the line is left.
            width = (inner > width + 1 ? inner : width + 1) + 4;
        }
        most = width > most ? width : most;
        at = next;
    }
    return most;
}

// Box-drawing characters take three bytes: strbuf_pad does not do.
static void repeat(StrBuf *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        strbuf_puts(out, text);
    }
}

// The end of a line: up to the frames of the boxes around.
static void close_line(StrBuf *out, size_t blanks, size_t depth)
{
    strbuf_pad(out, ' ', blanks);
    repeat(out, " │", depth);
    strbuf_putc(out, '\n');
}

static void draw(Boxes *boxes, size_t at, size_t end, size_t depth,
                 size_t width);

// A box as wide as the room that it has.
static void draw_box(Boxes *boxes, size_t at, size_t end, size_t depth,
                     size_t width)
{
    StrBuf *out = boxes->out;
    const BoxLine *title = &boxes->lines.items[at];
    repeat(out, "│ ", depth);
    strbuf_puts(out, "┌ ");
    strbuf_add(out, title->text, title->length);
    strbuf_putc(out, ' ');
    repeat(out, "─", width - title->width - 4);
    strbuf_puts(out, "┐");
    close_line(out, 0, depth);
    draw(boxes, at + 1, end, depth + 1, width - 4);
    repeat(out, "│ ", depth);
    strbuf_puts(out, "└");
    repeat(out, "─", width - 2);
    strbuf_puts(out, "┘");
    close_line(out, 0, depth);
}

// Lines [at, end) inside of `depth` boxes, each `width` columns wide.
static void draw(Boxes *boxes, size_t at, size_t end, size_t depth,
                 size_t width)
{
    if (!ctx_enter(boxes->out->ctx)) {
        strbuf_fail(boxes->out);
        return;
    }
    while (at < end && strbuf_ok(boxes->out)) {
        const BoxLine *line = &boxes->lines.items[at];
        size_t next = at + 1;
        if (is_title(boxes, at, end)) {
            next = block_end(boxes, at, end);
            draw_box(boxes, at, next, depth, width);
        } else {
            repeat(boxes->out, "│ ", depth);
            strbuf_add(boxes->out, line->text, line->length);
            close_line(boxes->out, width - line->width, depth);
        }
        at = next;
    }
    ctx_leave(boxes->out->ctx);
}

// Nesting is bounded by what graph_print allows.
void boxes_print(StrBuf *out, Graph *graph)
{
    StrBuf text;
    Boxes boxes = {.out = out};
    strbuf_init(&text, out->ctx);
    graph_print(&text, graph, false);
    if (strbuf_ok(&text) && split_lines(&boxes, strbuf_text(&text))) {
        draw(&boxes, 0, boxes.lines.count, 0,
             inner_width(&boxes, 0, boxes.lines.count));
    } else {
        strbuf_fail(out);
    }
    vec_free(out->ctx, &boxes.lines);
    strbuf_free(&text);
}
