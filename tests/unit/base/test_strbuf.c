// base/strbuf: appending of every kind, and the failed state.
#include <criterion/criterion.h>

#include "base/strbuf.h"

static Ctx ctx;
static StrBuf buf;

static void setup(void)
{
    ctx_init(&ctx, 0);
    strbuf_init(&buf, &ctx);
}

static void teardown(void)
{
    strbuf_free(&buf);
    ctx_destroy(&ctx);
}

TestSuite(strbuf, .init = setup, .fini = teardown);

Test(strbuf, an_empty_buffer_reads_as_the_empty_text)
{
    cr_assert_str_eq(strbuf_text(&buf), "");
    cr_assert(strbuf_ok(&buf));
}

Test(strbuf, appends_in_order)
{
    strbuf_puts(&buf, "a");
    strbuf_add(&buf, "bcd", 2);
    strbuf_putc(&buf, '!');
    strbuf_pad(&buf, '.', 3);
    strbuf_printf(&buf, "%d%s", 42, "x");
    cr_assert_str_eq(strbuf_text(&buf), "abc!...42x");
    cr_assert_eq(buf.length, 10);
}

Test(strbuf, grows_far)
{
    for (int i = 0; i < 100000; i++) {
        strbuf_printf(&buf, "%d", i % 10);
    }
    cr_assert_eq(buf.length, 100000);
    cr_assert_eq(buf.text[99999], '9');
    cr_assert_eq(buf.text[100000], '\0');
}

Test(strbuf, a_failed_buffer_swallows_the_rest)
{
    strbuf_puts(&buf, "kept");
    strbuf_fail(&buf);
    strbuf_puts(&buf, "lost");
    strbuf_pad(&buf, ' ', 9);
    strbuf_printf(&buf, "%d", 1);
    cr_assert_not(strbuf_ok(&buf));
    cr_assert_str_eq(strbuf_text(&buf), "kept");
}

Test(strbuf, an_impossible_append_is_a_memory_error)
{
    strbuf_puts(&buf, "x");
    strbuf_pad(&buf, ' ', SIZE_MAX - 1);
    cr_assert_not(strbuf_ok(&buf));
    cr_assert_eq(ctx.error.kind, ERR_MEMORY);
}
