// libFuzzer target: any bytes as a text, in each mode; what parses must print
// and, printed, parse again.
#include <stdlib.h>
#include <string.h>

#include "parser/parser.h"

static ParseStatus parse_bytes(Ctx *ctx, const char *text, size_t length,
                               ParseMode mode, StrBuf *printed)
{
    Source *source = source_new(ctx, "fuzz", text, length);
    if (source == NULL) {
        return PARSE_ERROR; // not UTF-8, a NUL byte
    }
    Arena arena;
    Node *tree;
    arena_init(&arena, ctx);
    ParseStatus status = parse(ctx, source, mode, &arena, &tree);
    if (status == PARSE_OK && printed != NULL) {
        ast_unparse(printed, tree, 0);
    }
    arena_destroy(&arena);
    source_release(ctx, source);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Ctx ctx; // zeroed once; ctx_destroy leaves it so
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    StrBuf printed;
    strbuf_init(&printed, &ctx);
    const char *text = (const char *)data;
    if (parse_bytes(&ctx, text, size, PARSE_MODULE, &printed) == PARSE_OK &&
        strbuf_ok(&printed) &&
        parse_bytes(&ctx, strbuf_text(&printed), printed.length, PARSE_MODULE,
                    NULL) != PARSE_OK) {
        abort();
    }
    ctx_clear(&ctx);
    (void)parse_bytes(&ctx, text, size, PARSE_INTERACTIVE, NULL);
    ctx_clear(&ctx);
    strbuf_free(&printed);
    ctx_destroy(&ctx);
    return 0;
}
