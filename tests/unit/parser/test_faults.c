// parser: what is said of faulty programs, and where it points.
#include <criterion/criterion.h>
#include <string.h>

#include "parser/parser.h"

typedef struct Fault {
    ErrorKind kind;
    uint32_t line, column;
    const char *program, *message;
} Fault;

static const Fault faults[] = {
#define FAULT(kind, line, column, program, message)                            \
    {ERR_##kind, line, column, program, message},
#include "fault_list.h"
#include "fault_more_list.h"
#undef FAULT
};

static void check_fault(Ctx *ctx, const Fault *fault)
{
    Arena arena;
    Node *tree;
    Source *source =
        source_new(ctx, "test", fault->program, strlen(fault->program));
    cr_assert_not_null(source);
    arena_init(&arena, ctx);
    cr_expect_eq(parse(ctx, source, PARSE_MODULE, &arena, &tree), PARSE_ERROR,
                 "%s", fault->program);
    cr_expect_eq(ctx->error.kind, fault->kind, "%s", fault->program);
    if (ctx->error.text != NULL) {
        Place place = source_place(source, ctx->error.span.start);
        cr_expect_str_eq(ctx->error.text, fault->message, "%s: %s",
                         fault->program, ctx->error.text);
        cr_expect_eq(place.line, fault->line, "%s", fault->program);
        // CPython does not count this place from 1.
        uint32_t column = place.column;
        column -= ctx->error.form == PLACE_LAYOUT && column > 1 &&
                  source->text[ctx->error.span.start] != '\n';
        cr_expect_eq(column, fault->column, "%s: column %u", fault->program,
                     column);
    }
    ctx_clear(ctx);
    arena_destroy(&arena);
    source_release(ctx, source);
}

Test(faults, are_told_as_cpython_tells_them)
{
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        check_fault(&ctx, &faults[i]);
    }
    ctx_destroy(&ctx);
}
