// Versions in a graph's text: noted as they are read, and compared in the end
// with those that the order of the nodes gives. A text may leave them out.
#include "graph/graph_parse_scope.h"

#include <string.h>

#include "graph/versions.h"

// What it should be is known when the whole graph has been read.
bool graph_parse_version(Parse *parse, bool *found)
{
    Reader *reader = &parse->reader;
    reader_blanks(reader);
    TextPiece piece = {reader->at, 0};
    *found = reader_take(reader, "^");
    if (!*found) {
        return true;
    }
    uint32_t number;
    if (reader_word(reader).length == 0 || !reader_expect(reader, ".") ||
        !reader_uint(reader, &number)) {
        return ctx_failed(reader->ctx)
                   ? false
                   : reader_fail_at(reader, piece.text, "expected a version");
    }
    piece.length = (size_t)(reader->at - piece.text);
    return vec_push(reader->ctx, &parse->versions, piece);
}

// The comparison: how many of the text's have been met.
typedef struct Meeting {
    Parse *parse;
    const Versions *versions;
    size_t met;
} Meeting;

// The next one in the text is this one.
static bool meet(Meeting *meeting, uint32_t chain, uint32_t number)
{
    Parse *parse = meeting->parse;
    StrBuf text;
    strbuf_init(&text, parse->reader.ctx);
    versions_print(&text, chain, number);
    const TextPiece *piece = meeting->met < parse->versions.count
                                 ? &parse->versions.items[meeting->met++]
                                 : &vec_last(&parse->versions);
    bool ok = strbuf_ok(&text);
    if (ok && (piece->length != text.length ||
               memcmp(piece->text, text.text, text.length) != 0)) {
        ok = reader_fail_at(&parse->reader, piece->text,
                            "the order of the nodes gives %s here",
                            strbuf_text(&text));
    }
    strbuf_free(&text);
    return ok;
}

static bool meet_all(Meeting *meeting, const GraphNode *node, int b,
                     VersionPlace place)
{
    uint32_t chain, number;
    bool ok = true;
    for (uint32_t at = 0; ok && versions_next(meeting->versions, node, b, place,
                                              &at, &chain, &number);) {
        ok = meet(meeting, chain, number);
    }
    return ok;
}

// In the order of the text.
static bool meet_block(Meeting *meeting, const GraphBlock *block)
{
    Ctx *ctx = meeting->parse->reader.ctx;
    if (!ctx_enter(ctx)) {
        return false;
    }
    bool ok = true;
    for (const GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        const OpDesc *op = node_desc(node);
        ok = meet_all(meeting, node, 0, VERSIONS_DEFINED) &&
             meet_all(meeting, node, 0, VERSIONS_USED);
        for (int b = 0; ok && b < op->block_count; b++) {
            ok = (!op->blocks[b].params ||
                  meet_all(meeting, node, b, VERSIONS_BEGIN)) &&
                 meet_block(meeting, node->blocks[b]) &&
                 (node->blocks[b]->diverges ||
                  meet_all(meeting, node, b, VERSIONS_END));
        }
    }
    ctx_leave(ctx);
    return ok;
}

static bool meet_graph(Meeting *meeting)
{
    const GraphBlock *block = meeting->parse->graph->block;
    uint32_t chain, number;
    bool ok = meet_block(meeting, block);
    for (uint32_t at = 0;
         ok && !block->diverges &&
         versions_next_last(meeting->versions, &at, &chain, &number);) {
        ok = meet(meeting, chain, number);
    }
    return ok;
}

bool graph_parse_check_versions(Parse *parse)
{
    if (parse->versions.count == 0) {
        return true;
    }
    Versions versions;
    Meeting meeting = {parse, &versions, 0};
    bool ok = versions_init(&versions, parse->graph) && meet_graph(&meeting);
    versions_free(&versions);
    return ok && (meeting.met == parse->versions.count ||
                  reader_fail_at(&parse->reader,
                                 parse->versions.items[meeting.met].text,
                                 "there is no such version"));
}
