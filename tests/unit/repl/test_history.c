// repl/history: the escape, and a file that two sessions append to.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "repl/history.h"

static Ctx ctx;

static void setup(void)
{
    ctx_init(&ctx, 0);
}

static void teardown(void)
{
    ctx_destroy(&ctx);
}

TestSuite(history, .init = setup, .fini = teardown);

Test(history, the_escape_is_undone)
{
    static const char *const entries[] = {
        "1 + 1", "def f():\n    return '\\n'\n", "\\", "a\\nb", "\n\\\n"};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        StrBuf line;
        StrBuf back;
        strbuf_init(&line, &ctx);
        strbuf_init(&back, &ctx);
        history_escape(&line, entries[i]);
        cr_assert_null(strchr(strbuf_text(&line), '\n'));
        history_unescape(&back, strbuf_text(&line));
        cr_assert_str_eq(strbuf_text(&back), entries[i]);
        strbuf_free(&line);
        strbuf_free(&back);
    }
}

static void join(const char *entry, void *data)
{
    strbuf_printf(data, "[%s]", entry);
}

Test(history, entries_come_back_in_order_from_a_private_file)
{
    char folder[] = "/tmp/duet-history.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    StrBuf all;
    strbuf_init(&all, &ctx);
    history_load(&ctx, join, &all);
    cr_assert_str_eq(strbuf_text(&all), "");
    history_append(&ctx, "x = 1");
    history_append(&ctx, "if x:\n    y");
    history_load(&ctx, join, &all);
    cr_assert_str_eq(strbuf_text(&all), "[x = 1][if x:\n    y]");
    strbuf_free(&all);

    StrBuf path;
    struct stat info;
    strbuf_init(&path, &ctx);
    cr_assert(history_path(&path, false));
    cr_assert_eq(stat(path.text, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0600);
    remove(path.text);
    *strrchr(path.text, '/') = '\0';
    remove(path.text);
    remove(folder);
    strbuf_free(&path);
}
