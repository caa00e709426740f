// What the unit tests use of Criterion, for builds that look for races:
// Criterion itself does not start under ThreadSanitizer. With --enable-tsan
// this header stands before Criterion's and its library is not linked. Each
// test runs in a forked process of its own, the ones of a program one after
// the other, and the last line is what tests/run-all reads.
#ifndef DUET_TESTS_RACES_CRITERION_H
#define DUET_TESTS_RACES_CRITERION_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct cr_extra {
    void (*init)(void), (*fini)(void);
    double timeout; // not looked at
};

// A test, or a suite, whose function is NULL.
struct cr_entry {
    const char *suite, *name;
    void (*function)(void);
    struct cr_extra extra;
    struct cr_entry *next;
};

// One of each in a program, whatever the number of its files.
__attribute__((weak)) struct cr_entry *cr_entries;
__attribute__((weak)) bool cr_failed;

#define CR_ENTRY(id, suite, name, function, ...)                               \
    __attribute__((constructor)) static void id(void)                          \
    {                                                                          \
        static struct cr_entry entry = {                                       \
            suite, name, function, {__VA_ARGS__}, 0};                          \
        entry.next = cr_entries;                                               \
        cr_entries = &entry;                                                   \
    }
#define TestSuite(suite, ...)                                                  \
    CR_ENTRY(cr_suite_##suite, #suite, 0, 0, __VA_ARGS__)
#define Test(suite, name, ...)                                                 \
    static void cr_run_##suite##_##name(void);                                 \
    CR_ENTRY(cr_test_##suite##_##name, #suite, #name, cr_run_##suite##_##name, \
             __VA_ARGS__)                                                      \
    static void cr_run_##suite##_##name(void)

__attribute__((weak)) void cr_failure(bool fatal, const char *file, int line,
                                      const char *claim, const char *format,
                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, claim);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    cr_failed = true;
    if (fatal)
        exit(1);
}

#define CR_CLAIM(fatal, claim, ...)                                            \
    do {                                                                       \
        if (!(claim))                                                          \
            cr_failure(fatal, __FILE__, __LINE__, #claim, "" __VA_ARGS__);     \
    } while (0)
#define cr_assert(claim, ...) CR_CLAIM(true, claim, __VA_ARGS__)
#define cr_expect(claim, ...) CR_CLAIM(false, claim, __VA_ARGS__)
#define cr_assert_not(claim, ...) cr_assert(!(claim), __VA_ARGS__)
#define cr_expect_not(claim, ...) cr_expect(!(claim), __VA_ARGS__)
#define cr_assert_null(p, ...) cr_assert((p) == NULL, __VA_ARGS__)
#define cr_expect_null(p, ...) cr_expect((p) == NULL, __VA_ARGS__)
#define cr_assert_not_null(p, ...) cr_assert((p) != NULL, __VA_ARGS__)
#define cr_expect_not_null(p, ...) cr_expect((p) != NULL, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b), __VA_ARGS__)
#define cr_expect_eq(a, b, ...) cr_expect((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b), __VA_ARGS__)
#define cr_expect_neq(a, b, ...) cr_expect((a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...) cr_expect((a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...) cr_expect((a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) cr_assert(!strcmp(a, b), __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) cr_expect(!strcmp(a, b), __VA_ARGS__)
#define cr_assert_float_eq(a, b, most, ...)                                    \
    cr_assert(fabs((a) - (b)) <= (most), __VA_ARGS__)
#define cr_assert_fail(...)                                                    \
    cr_failure(true, __FILE__, __LINE__, "failed", "" __VA_ARGS__)
#define cr_log_info(...) fprintf(stderr, __VA_ARGS__)
#define cr_log_warn(...) fprintf(stderr, __VA_ARGS__)

// In the test's own process: the suite's frame around the test's own.
__attribute__((weak)) void cr_run(const struct cr_entry *test)
{
    static const struct cr_entry no_suite;
    const struct cr_entry *suite = cr_entries;
    while (suite && (suite->name || strcmp(suite->suite, test->suite)))
        suite = suite->next;
    if (!suite)
        suite = &no_suite;
    void (*const steps[])(void) = {suite->extra.init, test->extra.init,
                                   test->function, test->extra.fini,
                                   suite->extra.fini};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i])
            steps[i]();
    exit(cr_failed);
}

__attribute__((weak)) int main(void)
{
    int tested = 0;
    int passing = 0;
    for (const struct cr_entry *e = cr_entries; e; e = e->next) {
        if (!e->name)
            continue;
        const pid_t child = fork();
        if (child == 0)
            cr_run(e);
        int status = 1;
        waitpid(child, &status, 0);
        tested++;
        passing += status == 0;
        if (status != 0)
            fprintf(stderr, "%s::%s failed\n", e->suite, e->name);
    }
    printf("Tested: %d | Passing: %d |\n", tested, passing);
    return passing != tested;
}

#endif
