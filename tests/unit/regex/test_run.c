// Searching: marks, both kinds of texts, a run that is used again, the room
// that grows beyond what a run has inside, and Ctrl-C.
#include <criterion/criterion.h>
#include <string.h>

#include "regex/regex.h"

static Ctx ctx;
static Regex *regex;
static RegexRun run;

static void open_ctx(void)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
}

static void close_run(void)
{
    regex_run_free(&run);
    regex_free(&ctx, regex);
    ctx_destroy(&ctx);
}

TestSuite(regex_run, .init = open_ctx, .fini = close_run);

// Begins a run over the text; the pattern is ASCII.
static void begin(const char *pattern, const char *text, bool narrow)
{
    uint32_t points[1024];
    size_t count = strlen(pattern);
    cr_assert_leq(count, 1024);
    for (size_t i = 0; i < count; i++) {
        points[i] = (unsigned char)pattern[i];
    }
    RegexFault fault;
    regex = regex_compile(&ctx, points, count, !narrow, 0, &fault);
    strbuf_free(&fault.text);
    cr_assert_not_null(regex);
    run = (RegexRun){.ctx = &ctx,
                     .regex = regex,
                     .begin = text,
                     .start = text,
                     .end = text + strlen(text),
                     .narrow = narrow};
    cr_assert(regex_run_init(&run));
}

// Group `number` of the match is the text's bytes [from, to).
static void check_group(uint32_t number, ptrdiff_t from, ptrdiff_t to)
{
    cr_assert_eq(run.marks[2 * number] - run.begin, from);
    cr_assert_eq(run.marks[2 * number + 1] - run.begin, to);
}

Test(regex_run, marks_are_bytes_of_the_text)
{
    begin("(.)b|(x)",
          "\xC3\xA4\xC3\xB6"
          "b",
          false);
    cr_assert_eq(regex_search(&run), 1);
    check_group(0, 2, 5);
    check_group(1, 2, 4);
    cr_assert_null(run.marks[4]); // took no part
    cr_assert_eq(run.last_group, 1);
}

Test(regex_run, a_byte_is_a_character_of_a_narrow_text)
{
    begin("(.)b",
          "\xC3\xA4"
          "b",
          true);
    cr_assert_eq(regex_search(&run), 1);
    check_group(1, 1, 2);
}

Test(regex_run, one_run_finds_every_match)
{
    begin("a*", "baac", false);
    static const struct {
        ptrdiff_t from, to;
    } expected[] = {{0, 0}, {1, 3}, {3, 3}, {4, 4}};
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(regex_search(&run), 1);
        check_group(0, expected[i].from, expected[i].to);
        // Not the same empty match again.
        run.not_at = run.marks[0] == run.marks[1] ? run.marks[1] : NULL;
        run.start = run.marks[1];
    }
    cr_assert_eq(regex_search(&run), 0);
}

Test(regex_run, what_is_before_the_start_is_seen_and_behind_the_end_is_not)
{
    begin("\\bb$", "ab", false);
    run.start = run.begin + 1;
    cr_assert_eq(regex_match(&run), 0);
    run.begin++;
    cr_assert_eq(regex_match(&run), 1);
    run.begin--;
    run.start = run.begin;
    run.end = run.begin + 1;
    cr_assert_eq(regex_search(&run), 0);
}

Test(regex_run, a_whole_match_ends_at_the_end)
{
    begin("a|ab", "ab", false);
    run.whole = true;
    cr_assert_eq(regex_match(&run), 1);
    check_group(0, 0, 2);
    run.end--;
    cr_assert_eq(regex_match(&run), 1);
    check_group(0, 0, 1);
}

Test(regex_run, more_groups_than_a_run_has_marks)
{
    enum { GROUPS = 2 * REGEX_INLINE_MARKS };
    char pattern[3 * GROUPS + 1] = "", text[GROUPS + 1];
    for (int i = 0; i < GROUPS; i++) {
        strcat(pattern, "(.)");
        text[i] = (char)('a' + i % 26);
    }
    text[GROUPS] = '\0';
    begin(pattern, text, false);
    cr_assert_neq(run.marks, run.inline_marks);
    cr_assert_eq(regex_match(&run), 1);
    for (uint32_t i = 1; i <= GROUPS; i++) {
        check_group(i, i - 1, i);
    }
}

Test(regex_run, more_ways_than_a_run_has_entries)
{
    static char text[20001];
    memset(text, 'a', sizeof text - 1);
    begin("(a|ab)*c", text, false);
    cr_assert_eq(regex_match(&run), 0);
    cr_assert_gt(run.entry_capacity, REGEX_INLINE_ENTRIES);
    text[sizeof text - 2] = 'c';
    cr_assert_eq(regex_match(&run), 1);
    check_group(0, 0, sizeof text - 1);
}

// Exponential, so that only the poll ends it.
Test(regex_run, an_interrupt_ends_a_search)
{
    begin("(?:a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
          false);
    ctx_interrupt(&ctx, INTERRUPT_SIGNAL);
    cr_assert_eq(regex_search(&run), -1);
    cr_assert_eq(ctx.error.kind, ERR_INTERRUPT);
    ctx_clear(&ctx);
}
