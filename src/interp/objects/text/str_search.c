// The methods of str that look for a text: searching, counting, affixes,
// replacing.
//
// Invariant: offsets in here are bytes, indices that programs see are code
// points. They are converted once on the way in (search_start) and once on the
// way out.
#include "base/bulk.h"
#include "base/utf8.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/text/str_methods.h"
#include "interp/objects/text/text_range.h"

typedef struct Search {
    Str *str, *part;
    size_t from, to; // bytes
} Search;

// 1: possible; 0: the range is empty the wrong way round; -1: failed.
static int search_start(Vm *vm, Value *args, Search *search)
{
    size_t from, to;
    search->str = value_as_str(args[0]);
    // The range goes first: what is wrong with it is told first.
    if (!sequence_range(vm, args[2], args[3], search->str->count, &from, &to)) {
        return -1;
    }
    search->part = str_argument(vm, args[1], "must be str");
    if (search->part == NULL) {
        return -1;
    }
    if (from > to) {
        return 0;
    }
    search->from = str_offset(vm, search->str, from);
    search->to = str_offset(vm, search->str, to);
    return 1;
}

// Borrowed.
static TextRange range_of(const Str *str)
{
    return (TextRange){str->text, str->length};
}

static int64_t search_find(Vm *vm, const Search *search, bool last)
{
    return text_find(&vm->ctx, search->str->text, search->from, search->to,
                     range_of(search->part), last);
}

// find, rfind, index and rindex: they differ in direction and in what a miss
// gives. The search is in bytes, the answer in code points.
static Value find_method(Vm *vm, Value *args, bool last, bool must)
{
    Search search;
    int possible = search_start(vm, args, &search);
    if (possible < 0) {
        return VALUE_FAIL;
    }
    int64_t at = possible ? search_find(vm, &search, last) : TEXT_NONE;
    if (at == TEXT_FAILED) {
        return VALUE_FAIL;
    }
    if (at < 0) {
        return must ? raise_error(vm, ERR_VALUE, "substring not found")
                    : value_from_small(-1);
    }
    // The first search of a text counts up to the place: an index of the whole
    // pays from the second one on, which has a start or finds the index there.
    bool first = search.from == 0 && search.str->index == NULL &&
                 search.str->count != search.str->length;
    return value_from_small(
        (int64_t)(first ? utf8_count(search.str->text, (size_t)at)
                        : str_index_of(vm, search.str, (size_t)at)));
}

// The four searches; index and rindex raise where find and rfind give -1.
Value str_method_find(Vm *vm, Value *args)
{
    return find_method(vm, args, false, false);
}

Value str_method_rfind(Vm *vm, Value *args)
{
    return find_method(vm, args, true, false);
}

// As find; ValueError instead of -1.
Value str_method_index(Vm *vm, Value *args)
{
    return find_method(vm, args, false, true);
}

Value str_method_rindex(Vm *vm, Value *args)
{
    return find_method(vm, args, true, true);
}

// Occurrences that do not overlap. The empty text stands before each code point
// and at the end.
Value str_method_count(Vm *vm, Value *args)
{
    Search search;
    int possible = search_start(vm, args, &search);
    if (possible <= 0) {
        return possible < 0 ? VALUE_FAIL : value_from_small(0);
    }
    // memmem would find it at the same place for ever.
    if (search.part->length == 0) {
        return value_from_small(
            (int64_t)utf8_count(search.str->text + search.from,
                                search.to - search.from) +
            1);
    }
    int64_t total = text_count(&vm->ctx, search.str->text, search.from,
                               search.to, range_of(search.part));
    return total < 0 ? VALUE_FAIL : value_from_small(total);
}

// The room is compared before the bytes are: a longer affix would be read
// beyond the text.
static bool has_affix(const Search *search, Str *affix, bool at_end)
{
    size_t room = search->to - search->from;
    const char *at = at_end ? search->str->text + search->to - affix->length
                            : search->str->text + search->from;
    return affix->length <= room && memcmp(at, affix->text, affix->length) == 0;
}

// The range is worked out once, with the empty text as the part, and each
// choice is then tried in it.
static Value affix_method(Vm *vm, Value *args, bool at_end)
{
    const char *words = at_end
                            ? "endswith first arg must be str or a tuple of str"
                            : "startswith first arg must be str or a tuple of "
                              "str";
    Tuple *choices =
        value_is_kind(args[1], KIND_TUPLE) ? value_as_tuple(args[1]) : NULL;
    // The range is clipped as find() clips it.
    Value probe[4] = {args[0], str_value(vm->empty_str), args[2], args[3]};
    Search search;
    int possible = search_start(vm, probe, &search);
    if (possible < 0 ||
        (choices == NULL && str_argument(vm, args[1], words) == NULL)) {
        return VALUE_FAIL;
    }
    size_t count = choices == NULL ? 1 : choices->count;
    for (size_t i = 0; i < count; i++) {
        Value affix = choices == NULL ? args[1] : choices->items[i];
        // Found out item by item: one that fits before it ends the search.
        if (!value_is_str(affix)) {
            return raise_error(vm, ERR_TYPE,
                               "tuple for %s must only contain str, not %s",
                               at_end ? "endswith" : "startswith",
                               type_name(type_of(vm, affix)));
        }
        if (possible && has_affix(&search, value_as_str(affix), at_end)) {
            return VALUE_TRUE;
        }
    }
    return VALUE_FALSE;
}

// One text or a tuple of texts, of which any may fit.
Value str_method_startswith(Vm *vm, Value *args)
{
    return affix_method(vm, args, false);
}

Value str_method_endswith(Vm *vm, Value *args)
{
    return affix_method(vm, args, true);
}

static void replace_empty(StrBuf *out, Str *str, Str *to, int64_t limit)
{
    size_t at = 0;
    for (; limit != 0 && strbuf_ok(out); limit--) {
        strbuf_add(out, to->text, to->length);
        if (at >= str->length) {
            return;
        }
        size_t size = utf8_offset(str->text + at, str->length - at, 1);
        strbuf_add(out, str->text + at, size);
        at += size;
    }
    strbuf_add(out, str->text + at, str->length - at);
}

// One ASCII character for another changes no length.
static Value replace_byte(Vm *vm, Str *str, char from, char to)
{
    if (str->length <= 1 || memchr(str->text, from, str->length) == NULL) {
        bool whole = str->length == 1 && str->text[0] == from;
        return whole ? value_or_fail(str_new(vm, &to, 1))
                     : value_or_fail(str_exact(vm, str));
    }
    Str *made = str_of_size(vm, str->length);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    // In pieces, each a loop that the compiler makes vectors of.
    for (size_t start = 0; start < str->length; start += BULK_PIECE) {
        size_t left = str->length - start;
        size_t end = start + (left < BULK_PIECE ? left : BULK_PIECE);
        for (size_t i = start; i < end; i++) {
            char c = str->text[i];
            made->text[i] = c == from ? to : c;
        }
        if (!ctx_poll(&vm->ctx)) {
            object_release(&vm->ctx, made);
            return VALUE_FAIL;
        }
    }
    made->count = str->count;
    return str_value(made);
}

// Without a single find the text is its own result. The empty text is apart,
// because memmem would find it at one place for ever.
Value str_method_replace(Vm *vm, Value *args)
{
    int64_t limit = -1;
    Str *from =
        str_argument_given(vm, args[1], "replace() argument 1 must be str");
    Str *to = from == NULL
                  ? NULL
                  : str_argument_given(vm, args[2],
                                       "replace() argument 2 must be str");
    if (to == NULL ||
        (!value_unbound(args[3]) && !value_to_index(vm, args[3], &limit))) {
        return VALUE_FAIL;
    }
    Str *str = value_as_str(args[0]);
    if (from->length == 1 && to->length == 1 && limit < 0) {
        return replace_byte(vm, str, from->text[0], to->text[0]);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    if (from->length == 0) {
        replace_empty(&out, str, to, limit);
        return value_or_fail(str_from_buf(vm, &out));
    }
    if (!text_replace(&out, range_of(str), range_of(from), range_of(to),
                      limit)) {
        // Nothing was found: the text is its own result.
        bool whole = strbuf_ok(&out) && !ctx_failed(&vm->ctx);
        strbuf_free(&out);
        return whole ? value_or_fail(str_exact(vm, str)) : VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// The affix goes once at most, unlike the characters of strip().
static Value remove_affix(Vm *vm, Value *args, bool at_end)
{
    Str *str = value_as_str(args[0]);
    Str *affix =
        str_argument_given(vm, args[1],
                           at_end ? "removesuffix() argument must be str"
                                  : "removeprefix() argument must be str");
    if (affix == NULL) {
        return VALUE_FAIL;
    }
    Search search = {.str = str, .from = 0, .to = str->length};
    if (!has_affix(&search, affix, at_end)) {
        return value_or_fail(str_exact(vm, str));
    }
    return value_or_fail(str_new(vm, str->text + (at_end ? 0 : affix->length),
                                 str->length - affix->length));
}

// PEP 616.
Value str_method_removeprefix(Vm *vm, Value *args)
{
    return remove_affix(vm, args, false);
}

// The text itself where it does not end so.
Value str_method_removesuffix(Vm *vm, Value *args)
{
    return remove_affix(vm, args, true);
}
