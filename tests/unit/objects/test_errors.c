// Raising from C: every kind as an object, which form is pending, contexts,
// the error of no memory, errors with fields of their own.
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/raise_object.h"

#include "host.h"

TestSuite(errors, .init = host_open, .fini = host_close);

// Whether what is pending prints, as the last lines of a traceback, as text.
static bool told(const char *text)
{
    Value error = raise_take(vm);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    cr_assert(raise_print_message(vm, error, &out));
    bool same = strcmp(strbuf_text(&out), text) == 0;
    if (!same) {
        cr_log_warn("%s, expected %s", strbuf_text(&out), text);
    }
    strbuf_free(&out);
    value_release(&vm->ctx, error);
    return same;
}

Test(errors, each_kind_has_a_class_that_matches_it)
{
    for (int kind = ERR_NONE + 1; kind < ERR_COUNT; kind++) {
        raise_error(vm, (ErrorKind)kind, "text %d", kind);
        cr_assert(raise_matches(vm, (ErrorKind)kind), "kind %d", kind);
        Value error = raise_take(vm); // from a text to an object
        cr_assert_not(vm_has_error(vm));
        cr_assert(value_failed(raise_bare(vm, error)));
        cr_assert(raise_matches(vm, (ErrorKind)kind), "kind %d", kind);
        cr_assert_not(ctx_failed(&vm->ctx)); // never both forms
        raise_clear(vm);
        cr_assert_not(vm_has_error(vm));
    }
}

Test(errors, a_class_catches_what_derives_from_it)
{
    raise_error(vm, ERR_KEY, "k");
    cr_assert(raise_matches(vm, ERR_LOOKUP));
    cr_assert(raise_matches(vm, ERR_EXCEPTION));
    cr_assert_not(raise_matches(vm, ERR_INDEX));
    raise_clear(vm);
    raise_error(vm, ERR_INTERRUPT, "%s", "");
    cr_assert_not(raise_matches(vm, ERR_EXCEPTION)); // a BaseException alone
    raise_clear(vm);
}

Test(errors, no_memory_is_told_without_memory)
{
    cr_assert_not(ctx_fail_memory(&vm->ctx));
    cr_assert(told("MemoryError\n"));
}

// A size that overflows is no memory either, and the list is as it was.
Test(errors, a_size_beyond_memory_is_an_error)
{
    void *block = ctx_alloc(&vm->ctx, 100);
    cr_assert_null(ctx_realloc(&vm->ctx, block, 100, SIZE_MAX / 2));
    cr_assert(host_failed(ERR_MEMORY));
    memset(block, 1, 100); // still ours
    ctx_free(&vm->ctx, block, 100);
}

Test(errors, the_error_that_was_hidden_becomes_the_context)
{
    raise_error(vm, ERR_VALUE, "first");
    Value first = raise_take(vm);
    raise_error(vm, ERR_TYPE, "second");
    raise_hiding(vm, first); // takes it
    Value second = raise_take(vm);
    const Exception *made = (const Exception *)value_object(second);
    cr_assert(value_same(made->context, first));
    cr_assert_eq(host_count(first), 1); // the second's
    value_release(&vm->ctx, second);
}

Test(errors, one_argument_is_kept_as_it_is)
{
    Value key = host_eval("('a', 1)");
    cr_assert(value_failed(raise_with(vm, ERR_KEY, key)));
    cr_assert(told("KeyError: ('a', 1)\n"));
    cr_assert_eq(host_count(key), 1);
    value_release(&vm->ctx, key);
}

Test(errors, the_number_of_a_system_error_chooses_its_class)
{
    cr_assert(value_failed(raise_errno(vm, ENOENT, "no/such")));
    cr_assert(raise_matches(vm, ERR_OS));
    cr_assert(told("FileNotFoundError: [Errno 2] No such file or directory: "
                   "'no/such'\n"));
    cr_assert(value_failed(raise_errno(vm, ENOSPC, NULL)));
    cr_assert(told("OSError: [Errno 28] No space left on device\n"));
}

Test(errors, what_cannot_be_decoded_is_told_with_its_place)
{
    Value bytes = host_eval("b'ab\\xff'");
    cr_assert(value_failed(raise_unicode(vm, ERR_UNICODE_DECODE, "utf-8", bytes,
                                         2, 3, "invalid start byte")));
    cr_assert(told("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff "
                   "in position 2: invalid start byte\n"));
    cr_assert_eq(host_count(bytes), 1);
    value_release(&vm->ctx, bytes);
}

// An exception that is raised again keeps itself out of its own contexts.
Test(errors, contexts_make_no_ring)
{
    host_run("a, b = ValueError('a'), KeyError('b')\n"
             "try:\n"
             "    try:\n"
             "        raise a\n"
             "    except ValueError:\n"
             "        raise b\n"
             "except KeyError:\n"
             "    try:\n"
             "        raise a\n"
             "    except ValueError:\n"
             "        pass\n");
    cr_assert(host_shows(host_eval("a.__context__ is b"), "True"));
    cr_assert(host_shows(host_eval("b.__context__"), "None"));
}

Test(errors, recursion_is_raised_before_the_stack_ends)
{
    uint32_t depth = vm->ctx.depth, limit = vm->ctx.depth_limit;
    vm->ctx.depth_limit = depth + 1;
    cr_assert(ctx_enter(&vm->ctx));
    cr_assert_not(ctx_enter_for(&vm->ctx, " in comparison"));
    cr_assert_eq(vm->ctx.depth, depth + 1); // the one that failed is not left
    ctx_leave(&vm->ctx);
    vm->ctx.depth_limit = limit;
    cr_assert(told("RecursionError: maximum recursion depth exceeded in "
                   "comparison\n"));
}
