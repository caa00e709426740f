// From a pattern to a program: faults and their places, flags, groups,
// warnings, and what is owned by whom when it fails.
#include <criterion/criterion.h>
#include <string.h>

#include "regex/regex.h"

static Ctx ctx;
static RegexFault fault;

static void open_ctx(void)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
}

static void close_ctx(void)
{
    ctx_destroy(&ctx);
}

TestSuite(regex_compile, .init = open_ctx, .fini = close_ctx);

// The pattern of these bytes. The fault's text is the test's to free.
static Regex *compile(const char *pattern, bool is_text, uint32_t flags)
{
    uint32_t points[256];
    size_t count = strlen(pattern);
    cr_assert_leq(count, 256);
    for (size_t i = 0; i < count; i++) {
        points[i] = (unsigned char)pattern[i];
    }
    fault = (RegexFault){0};
    return regex_compile(&ctx, points, count, is_text, flags, &fault);
}

static void check_fault(const char *pattern, RegexFaultKind kind,
                        const char *text, size_t position)
{
    cr_assert_null(compile(pattern, true, 0), "%s", pattern);
    cr_assert_eq(fault.kind, kind, "%s: kind %d", pattern, fault.kind);
    cr_assert_str_eq(strbuf_text(&fault.text), text);
    cr_assert_eq(fault.position, position, "%s: at %zu", pattern,
                 fault.position);
    cr_assert_not(ctx_failed(&ctx)); // the fault says it all
    strbuf_free(&fault.text);
}

Test(regex_compile, a_fault_has_its_place)
{
    check_fault("ab(c", REGEX_FAULT_PATTERN,
                "missing ), unterminated subpattern", 2);
    check_fault("x*y**", REGEX_FAULT_PATTERN, "multiple repeat", 4);
    check_fault("[b-a]", REGEX_FAULT_PATTERN, "bad character range b-a", 1);
    check_fault("a)", REGEX_FAULT_PATTERN, "unbalanced parenthesis", 1);
    check_fault("(?<=a*)b", REGEX_FAULT_PATTERN,
                "look-behind requires fixed-width pattern", SIZE_MAX);
    check_fault("a{99999999999}", REGEX_FAULT_OVERFLOW,
                "the repetition number is too large", SIZE_MAX);
}

Test(regex_compile, a_fault_names_the_name_in_the_pattern)
{
    cr_assert_null(compile("(?P<n>a)(?P<n>b)", true, 0));
    cr_assert_eq(fault.kind, REGEX_FAULT_PATTERN);
    cr_assert_eq(fault.name_end - fault.name_start, 1);
    cr_assert_leq(fault.name_at, fault.text.length);
    strbuf_free(&fault.text);
}

Test(regex_compile, flags_that_do_not_fit_are_refused)
{
    cr_assert_null(compile("a", true, REGEX_LOCALE));
    cr_assert_eq(fault.kind, REGEX_FAULT_FLAGS);
    strbuf_free(&fault.text);
    cr_assert_null(compile("a", false, REGEX_UNICODE));
    cr_assert_eq(fault.kind, REGEX_FAULT_FLAGS);
    strbuf_free(&fault.text);
}

Test(regex_compile, flags_of_the_pattern_are_added)
{
    Regex *regex = compile("(?im)a", true, REGEX_DOTALL);
    cr_assert_not_null(regex);
    cr_assert_eq(regex_flags(regex), REGEX_IGNORECASE | REGEX_MULTILINE |
                                         REGEX_DOTALL | REGEX_UNICODE);
    regex_free(&ctx, regex);
    strbuf_free(&fault.text);
    regex = compile("a", false, 0); // bytes know no Unicode
    cr_assert_eq(regex_flags(regex), 0);
    regex_free(&ctx, regex);
    strbuf_free(&fault.text);
}

Test(regex_compile, groups_are_counted_and_named)
{
    Regex *regex = compile("(a)(?:b)(?P<last>c)", true, 0);
    cr_assert_eq(regex_group_count(regex), 2);
    cr_assert_null(regex_group_name(regex, 1));
    cr_assert_str_eq(regex_group_name(regex, 2), "last");
    regex_free(&ctx, regex);
    strbuf_free(&fault.text);
}

Test(regex_compile, no_more_warnings_are_kept_than_there_is_room_for)
{
    size_t count;
    Regex *regex = compile("[[a][[b][[c][[d][[e][[f]", true, 0);
    cr_assert_not_null(regex);
    const RegexWarning *warnings = regex_warnings(regex, &count);
    cr_assert_eq(count, REGEX_WARNING_MAX);
    cr_assert_str_eq(warnings[0].text, "Possible nested set");
    cr_assert_lt(warnings[0].position, warnings[1].position);
    regex_free(&ctx, regex);
    strbuf_free(&fault.text);
}

// Nesting is C recursion: it ends in an error that is pending, not in a crash.
Test(regex_compile, deep_nesting_is_an_error)
{
    char pattern[200];
    memset(pattern, '(', 100);
    memset(pattern + 100, ')', 99);
    pattern[199] = '\0';
    ctx.depth_limit = 50;
    cr_assert_null(compile(pattern, true, 0));
    cr_assert_eq(fault.kind, REGEX_FAULT_DEEP);
    cr_assert_eq(ctx.error.kind, ERR_RECURSION);
    cr_assert_eq(ctx.depth, 0); // as many left as entered
    strbuf_free(&fault.text);
    ctx_clear(&ctx);
}
