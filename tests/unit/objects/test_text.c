// str and bytes: ranges that both search and cut, offsets of code points,
// strs that grow in place, interned ones, Ctrl-C in long texts.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "interp/objects/text/obj_str.h"
#include "interp/objects/text/text_range.h"

#include "host.h"

TestSuite(text, .init = host_open, .fini = host_close);

static TextRange range(const char *text)
{
    return (TextRange){text, strlen(text)};
}

// What text_find says, one place after the other.
static int64_t plain_find(const char *text, size_t from, size_t to,
                          TextRange part, bool last)
{
    int64_t found = TEXT_NONE;
    for (size_t i = from; i + part.length <= to; i++) {
        if (memcmp(text + i, part.text, part.length) == 0) {
            found = (int64_t)i;
            if (!last) {
                return found;
            }
        }
    }
    return found;
}

Test(text, a_part_is_found_where_it_stands)
{
    unsigned random = 1;
    for (int turn = 0; turn < 20000; turn++) {
        char text[40], part[6];
        size_t size = 0, length;
        for (; size < sizeof text; size++) {
            random = random * 1103515245 + 12345;
            text[size] = (char)('a' + (random >> 16) % 2);
        }
        random = random * 1103515245 + 12345;
        length = (random >> 16) % 6;
        size_t from = (random >> 20) % 41;
        size_t to = from + (random >> 24) % (41 - from);
        for (size_t i = 0; i < length; i++) {
            random = random * 1103515245 + 12345;
            part[i] = (char)('a' + (random >> 16) % 2);
        }
        TextRange sought = {part, length};
        bool last = turn % 2 == 0;
        cr_assert_eq(text_find(&vm->ctx, text, from, to, sought, last),
                     plain_find(text, from, to, sought, last), "turn %d", turn);
    }
}

// A text is searched in windows: the part may lie across their border.
Test(text, a_part_across_windows_is_found)
{
    enum { SIZE = (1 << 23) + 100, BORDER = 1 << 22 };
    char *text = malloc(SIZE);
    cr_assert_not_null(text);
    for (int at = BORDER - 4; at <= BORDER + 1; at++) {
        memset(text, 'a', SIZE);
        memcpy(text + at, "xyz", 3);
        cr_assert_eq(text_find(&vm->ctx, text, 0, SIZE, range("xyz"), false),
                     at);
        cr_assert_eq(text_find(&vm->ctx, text, 0, SIZE, range("xyz"), true),
                     at);
        cr_assert_eq(text_count(&vm->ctx, text, 0, SIZE, range("axyza")), 1);
    }
    ctx_interrupt(&vm->ctx, INTERRUPT_SIGNAL);
    cr_assert_eq(text_find(&vm->ctx, text, 0, SIZE, range("no"), false),
                 TEXT_FAILED);
    cr_assert(host_failed(ERR_INTERRUPT));
    free(text);
}

Test(text, replacing_nothing_appends_nothing)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    cr_assert_not(text_replace(&out, range("abc"), range("x"), range("y"), -1));
    cr_assert_eq(out.length, 0);
    cr_assert_not(vm_has_error(vm));
    cr_assert(text_replace(&out, range("aaaa"), range("aa"), range("b"), 1));
    cr_assert_str_eq(strbuf_text(&out), "baa");
    strbuf_free(&out);
}

static Value part_str(Vm *machine, const char *start, size_t length)
{
    Str *made = str_new(machine, start, length);
    return made == NULL ? VALUE_FAIL : str_value(made);
}

// The parts of a split in the order in which they are found.
static void check_split(bool from_end, int64_t limit, const char *expected)
{
    List *list = list_new(vm, 0);
    TextSplit split = {.vm = vm,
                       .list = list,
                       .part = part_str,
                       .spaces = &text_str_spaces,
                       .limit = limit};
    TextRange text = range("a,b,,c");
    cr_assert(from_end ? text_rsplit_at(&split, text, range(","))
                       : text_split_at(&split, text, range(",")));
    cr_assert(host_shows(value_from_object(list), expected));
}

Test(text, splits_from_either_end)
{
    check_split(false, -1, "['a', 'b', '', 'c']");
    check_split(false, 1, "['a', 'b,,c']");
    check_split(true, -1, "['c', '', 'b', 'a']");
    check_split(true, 1, "['c', 'a,b,']");
    check_split(false, 0, "['a,b,,c']");
}

// Offsets are kept of every 64th code point; each is asked, twice.
Test(text, offsets_and_indices_are_inverse)
{
    static const char *const points[] = {"a", "\xC3\xA4", "\xE2\x82\xAC",
                                         "\xF0\x9F\x98\x80"};
    for (size_t count = 62; count <= 130; count += 34) {
        char text[600];
        size_t offsets[131], length = 0;
        for (size_t i = 0; i < count; i++) {
            offsets[i] = length;
            const char *point = points[(i * i + i / 3) % 4];
            memcpy(text + length, point, strlen(point));
            length += strlen(point);
        }
        offsets[count] = length;
        Str *str = str_new(vm, text, length);
        cr_assert_eq(str->count, count);
        for (size_t i = 0; i <= count; i++) {
            cr_assert_eq(str_offset(vm, str, i), offsets[i]);
            cr_assert_eq(str_index_of(vm, str, offsets[i]), i);
        }
        Str *slice = str_slice(vm, str, count - 3, count);
        cr_assert_eq(slice->count, 3);
        cr_assert_eq(slice->length, length - offsets[count - 3]);
        object_release(&vm->ctx, slice);
        object_release(&vm->ctx, str);
    }
}

// Nobody sees a str change: it grows in place only for its only owner.
Test(text, a_shared_str_does_not_grow)
{
    Str *held = str_from(vm, "held by two"), *more = str_from(vm, " and more");
    object_retain(held);
    Str *sum = str_append(vm, held, more); // gives up one reference
    cr_assert_neq(sum, held);
    cr_assert(str_is(held, "held by two"));
    cr_assert(str_is(sum, "held by two and more"));
    cr_assert_eq(held->head.rc, 1);
    uint64_t hash = str_hash_slow(sum);
    Str *grown = str_append(vm, sum, more);
    cr_assert(str_is(grown, "held by two and more and more"));
    cr_assert_neq(str_hash_slow(grown), hash); // not the one that was kept
    object_release(&vm->ctx, grown);
    object_release(&vm->ctx, held);
    object_release(&vm->ctx, more);
}

Test(text, an_interned_str_is_forgotten_when_it_dies)
{
    const char *name = "a_name_that_nothing_else_has";
    size_t length = strlen(name);
    cr_assert_null(str_interned(vm, name, length));
    Str *first = str_intern(vm, name, length);
    Str *second = str_intern(vm, name, length);
    cr_assert_eq(first, second);
    cr_assert_eq(str_interned(vm, name, length), first);
    object_release(&vm->ctx, first);
    cr_assert_eq(str_interned(vm, name, length), second);
    object_release(&vm->ctx, second);
    cr_assert_null(str_interned(vm, name, length));
}

Test(text, surrogates_are_ordered_by_code_point)
{
    Str *low = str_new(vm, "\xEF\xBF\xBF", 3); // U+FFFF
    Str *high = str_new(vm, "\xF0\x90\x80\x80", 4);
    Str *lone = str_new(vm, "\xED\xA0\x80", 3); // U+D800
    cr_assert_lt(str_order(low, high), 0);
    cr_assert_lt(str_order(lone, low), 0);
    cr_assert_eq(str_order(low, low), 0);
    cr_assert_eq(str_first_point(lone), 0xD800);
    object_release(&vm->ctx, low);
    object_release(&vm->ctx, high);
    object_release(&vm->ctx, lone);
}
