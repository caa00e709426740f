// The methods of str: searching, replacing, stripping, padding. Case and
// classes are in str_case.c, splitting in str_split.c.
//
// Invariant: offsets in here are bytes, indices that programs see are code
// points. They are converted once on the way in (search_start) and once on the
// way out.
#include "interp/str_methods.h"

#include "base/utf8.h"
#include "interp/format.h"
#include "interp/obj_bytes.h"
#include "interp/sequence.h"

static Value text_value(Str *str)
{
    return str == NULL ? VALUE_FAIL : str_value(str);
}

// None is named without quotes or type, as CPython's texts do.
Str *str_argument(Vm *vm, Value v, const char *words)
{
    if (value_is_str(v)) {
        return value_as_str(v);
    }
    return raise_null(vm, ERR_TYPE, "%s, not %s", words,
                      value_is_none(v) ? "None"
                                       : type_name(type_of(vm, v)));
}

// A search of args[1] in args[0][args[2]:args[3]].
typedef struct Search {
    Str *str, *part;
    size_t from, to; // bytes
} Search;

// 1: possible; 0: the range is empty the wrong way round; -1: failed.
static int search_start(Vm *vm, Value *args, Search *search)
{
    size_t from, to;
    search->str = value_as_str(args[0]);
    search->part = str_argument(vm, args[1], "must be str");
    if (search->part == NULL ||
        !sequence_range(vm, args[2], args[3], search->str->count, &from,
                        &to)) {
        return -1;
    }
    // A start beyond the end finds nothing, not even the empty text; clipping
    // alone would find that at the end.
    int64_t wanted;
    if (value_is_int(args[2]) && (wanted = value_small(args[2])) >= 0 &&
        (size_t)wanted > search->str->count) {
        return 0;
    }
    if (from > to) {
        return 0;
    }
    search->from = str_offset(vm, search->str, from);
    search->to = str_offset(vm, search->str, to);
    return 1;
}

enum { SEARCH_NONE = -1, SEARCH_FAILED = -2 };

// The byte offset of the first or last place, SEARCH_NONE if there is none.
static int64_t search_find(Vm *vm, const Search *search, bool last)
{
    const char *text = search->str->text, *part = search->part->text;
    size_t length = search->part->length;
    if (length > search->to - search->from) {
        return SEARCH_NONE;
    }
    if (!last) {
        const char *at = length == 1
                             ? memchr(text + search->from, part[0],
                                      search->to - search->from)
                             : memmem(text + search->from,
                                      search->to - search->from, part, length);
        return at == NULL ? SEARCH_NONE : at - text;
    }
    // There is no memmem from the end. The first byte settles most places.
    for (size_t at = search->to - length + 1; at-- > search->from;) {
        if ((length == 0 || text[at] == part[0]) &&
            memcmp(text + at, part, length) == 0) {
            return (int64_t)at;
        }
        // Each comparison may be long, too.
        if (!ctx_poll_at(&vm->ctx, length < 256 ? at : at << 10)) {
            return SEARCH_FAILED;
        }
    }
    return SEARCH_NONE;
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
    int64_t at = possible ? search_find(vm, &search, last) : SEARCH_NONE;
    if (at == SEARCH_FAILED) {
        return VALUE_FAIL;
    }
    if (at < 0) {
        return must ? raise_error(vm, ERR_VALUE, "substring not found")
                    : value_from_small(-1);
    }
    // ASCII, where bytes are code points, is not counted.
    bool ascii = search.str->count == search.str->length;
    return value_from_small(
        ascii ? at : (int64_t)utf8_count(search.str->text, (size_t)at));
}

// The four searches; index and rindex raise where find and rfind give -1.
static Value method_find(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return find_method(vm, args, false, false);
}

static Value method_rfind(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return find_method(vm, args, true, false);
}

static Value method_index(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return find_method(vm, args, false, true);
}

static Value method_rindex(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return find_method(vm, args, true, true);
}

// Occurrences that do not overlap. The empty text stands before each code point
// and at the end.
static Value method_count(Vm *vm, Value *args, uint32_t unused)
{
    (void)unused;
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
    int64_t total = 0, at;
    if (search.part->length == 1) {
        // No jumps: the compiler makes vector code of it.
        const char *text = search.str->text, byte = search.part->text[0];
        for (size_t i = search.from; i < search.to; i++) {
            total += text[i] == byte;
        }
        return value_from_small(total);
    }
    while ((at = search_find(vm, &search, false)) >= 0) {
        total++;
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
        search.from = (size_t)at + search.part->length;
    }
    return value_from_small(total);
}

// The room is compared before the bytes are: a longer affix would be read
// beyond the text.
static bool has_affix(const Search *search, Str *affix, bool at_end)
{
    size_t room = search->to - search->from;
    const char *at = at_end ? search->str->text + search->to - affix->length
                            : search->str->text + search->from;
    return affix->length <= room &&
           memcmp(at, affix->text, affix->length) == 0;
}

// The range is worked out once, with the empty text as the part, and each
// choice is then tried in it.
static Value affix_method(Vm *vm, Value *args, bool at_end)
{
    const char *words = at_end
                            ? "endswith first arg must be str or a tuple of str"
                            : "startswith first arg must be str or a tuple of "
                              "str";
    Tuple *choices = value_is_kind(args[1], KIND_TUPLE)
                         ? value_as_tuple(args[1])
                         : NULL;
    if (choices == NULL && str_argument(vm, args[1], words) == NULL) {
        return VALUE_FAIL;
    }
    Value probe[4] = {args[0], str_value(vm->empty_str), args[2], args[3]};
    Search search;
    int possible = search_start(vm, probe, &search);
    if (possible < 0) {
        return VALUE_FAIL;
    }
    size_t count = choices == NULL ? 1 : choices->count;
    for (size_t i = 0; possible && i < count; i++) {
        Value affix = choices == NULL ? args[1] : choices->items[i];
        if (!value_is_str(affix)) {
            return raise_error(vm, ERR_TYPE,
                               "tuple for %s must only contain str, not %s",
                               at_end ? "endswith" : "startswith",
                               type_name(type_of(vm, affix)));
        }
        if (has_affix(&search, value_as_str(affix), at_end)) {
            return VALUE_TRUE;
        }
    }
    return VALUE_FALSE;
}

// One text or a tuple of texts, of which any may fit.
static Value method_startswith(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return affix_method(vm, args, false);
}

static Value method_endswith(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return affix_method(vm, args, true);
}

// Between all code points, and at both ends.
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
        return whole ? text_value(str_new(vm, &to, 1))
                     : text_value(str_exact(vm, str));
    }
    Str *made = str_of_size(vm, str->length);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < str->length; i++) {
        char c = str->text[i];
        made->text[i] = c == from ? to : c;
    }
    made->count = str->count;
    return str_value(made);
}

// Without a single find the text is its own result. The empty text is apart,
// because memmem would find it at one place for ever.
static Value method_replace(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int64_t limit = -1;
    Str *from = str_argument(vm, args[1],
                             "replace() argument 1 must be str");
    Str *to = from == NULL
                  ? NULL
                  : str_argument(vm, args[2],
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
        return text_value(str_from_buf(vm, &out));
    }
    const char *at = str->text, *end = at + str->length, *next;
    for (; limit != 0 && strbuf_ok(&out) &&
           (next = memmem(at, (size_t)(end - at), from->text,
                          from->length)) != NULL;
         limit--) {
        strbuf_add(&out, at, (size_t)(next - at));
        strbuf_add(&out, to->text, to->length);
        at = next + from->length;
    }
    // Nothing was found: `at` has not moved.
    if (at == str->text) {
        strbuf_free(&out);
        return text_value(str_exact(vm, str));
    }
    strbuf_add(&out, at, (size_t)(end - at));
    return text_value(str_from_buf(vm, &out));
}

// The bidirectional classes WS, B and S and the category Zs: CPython's
// definition, written out because it is a handful of ranges.
bool str_is_space(uint32_t c)
{
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 ||
           c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
           c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

// The code point at `at` is to be stripped: white space, or one of `chars`.
static bool strips(const char *at, size_t size, Str *chars)
{
    uint32_t codepoint = 0;
    if (chars != NULL) {
        return memmem(chars->text, chars->length, at, size) != NULL;
    }
    return utf8_decode(at, size, &codepoint) != 0 && str_is_space(codepoint);
}

// An ASCII byte that goes: white space, or the one given.
static inline bool strips_byte(char c, char one, bool spaces)
{
    unsigned char byte = (unsigned char)c;
    return spaces ? (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 32)
                  : c == one;
}

// strip, lstrip and rstrip. If nothing is to be stripped the text is its own
// result. From the right, continuation bytes (10xxxxxx) are stepped over.
static Value strip_method(Vm *vm, Value *args, bool left, bool right,
                          const char *words)
{
    Str *str = value_as_str(args[0]), *chars = NULL;
    if (!value_unbound(args[1]) && !value_is_none(args[1])) {
        if (!value_is_str(args[1])) {
            return raise_error(vm, ERR_TYPE, "%s", words);
        }
        chars = value_as_str(args[1]);
    }
    const char *start = str->text, *end = start + str->length;
    if (chars == NULL || chars->length == 1) {
        // ASCII at the ends; what is left may go on with other white space.
        char one = chars == NULL ? '\0' : chars->text[0];
        bool spaces = chars == NULL;
        while (left && start < end && strips_byte(*start, one, spaces)) {
            start++;
        }
        while (right && start < end && strips_byte(end[-1], one, spaces)) {
            end--;
        }
    }
    for (size_t step = 1; left && start < end; step++) {
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
        size_t size = utf8_offset(start, (size_t)(end - start), 1);
        if (!strips(start, size, chars)) {
            break;
        }
        start += size;
    }
    for (size_t step = 1; right && start < end; step++) {
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
        const char *last = end - 1;
        while (last > start && (*last & 0xC0) == 0x80) {
            last--;
        }
        if (!strips(last, (size_t)(end - last), chars)) {
            break;
        }
        end = last;
    }
    if ((size_t)(end - start) == str->length) {
        return text_value(str_exact(vm, str));
    }
    return str->count == str->length
               ? text_value(str_new_ascii(vm, start, (size_t)(end - start)))
               : text_value(str_new(vm, start, (size_t)(end - start)));
}

// One function for the three, which differ in their sides and in the error.
static Value method_strip(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return strip_method(vm, args, true, true,
                        "strip arg must be None or str");
}

static Value method_lstrip(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return strip_method(vm, args, true, false,
                        "lstrip arg must be None or str");
}

static Value method_rstrip(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return strip_method(vm, args, false, true,
                        "rstrip arg must be None or str");
}

// The affix goes once at most, unlike the characters of strip().
static Value remove_affix(Vm *vm, Value *args, bool at_end)
{
    Str *str = value_as_str(args[0]);
    Str *affix = str_argument(vm, args[1],
                              at_end ? "removesuffix() argument must be str"
                                     : "removeprefix() argument must be str");
    if (affix == NULL) {
        return VALUE_FAIL;
    }
    Search search = {.str = str, .from = 0, .to = str->length};
    if (!has_affix(&search, affix, at_end)) {
        return text_value(str_exact(vm, str));
    }
    return text_value(str_new(vm, str->text + (at_end ? 0 : affix->length),
                              str->length - affix->length));
}

// PEP 616.
static Value method_removeprefix(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return remove_affix(vm, args, false);
}

static Value method_removesuffix(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return remove_affix(vm, args, true);
}

// Below this much the padding is made in one piece, without polls.
enum { PAD_QUICK = 4096 };

// The text between so many ASCII characters, in one allocation.
static Value pad_quick(Vm *vm, const Str *str, char fill, size_t left,
                       size_t right)
{
    if (left + right + str->length == 1) {
        return text_value(str_new(vm, &fill, 1));
    }
    Str *made = str_of_size(vm, left + str->length + right);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    memset(made->text, fill, left);
    memcpy(made->text + left, str->text, str->length);
    memset(made->text + left + str->length, fill, right);
    made->count = left + str->count + right;
    return str_value(made);
}

// ljust, rjust and center by the padding of format(): a width below the length
// leaves the text as it is.
static Value pad_method(Vm *vm, Value *args, char align)
{
    FormatSpec spec = {.fill = " "};
    if (!value_to_index(vm, args[1], &spec.width)) {
        return VALUE_FAIL;
    }
    if (!value_unbound(args[2])) {
        Str *fill = str_argument(
            vm, args[2], "The fill character must be a unicode character");
        if (fill == NULL) {
            return VALUE_FAIL;
        }
        if (fill->count != 1) {
            return raise_error(vm, ERR_TYPE,
                               "The fill character must be exactly one "
                               "character long");
        }
        // One code point of UTF-8 and its zero byte.
        memcpy(spec.fill, fill->text, fill->length + 1);
    }
    Str *str = value_as_str(args[0]);
    int64_t room = spec.width - (int64_t)str->count;
    if (room > 0 && room < PAD_QUICK && spec.fill[1] == '\0') {
        // CPython puts the odd one to the left if the width is odd.
        int64_t left = align == '>'   ? room
                       : align == '<' ? 0
                                      : room / 2 + (room & spec.width & 1);
        return pad_quick(vm, str, spec.fill[0], (size_t)left,
                         (size_t)(room - left));
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    if (align == '^' && room > 0) {
        // CPython puts the odd one to the left if the width is odd.
        int64_t left = room / 2 + (room & spec.width & 1);
        FormatSpec first = spec;
        first.width = left + (int64_t)str->count;
        format_pad(&out, &first, str->text, str->length, '>');
        for (int64_t i = left; i < room && strbuf_ok(&out); i++) {
            strbuf_puts(&out, spec.fill);
        }
    } else {
        format_pad(&out, &spec, str->text, str->length, align);
    }
    return text_value(str_from_buf(vm, &out));
}

// The text goes where format() would align it.
static Value method_ljust(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return pad_method(vm, args, '<');
}

static Value method_rjust(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return pad_method(vm, args, '>');
}

static Value method_center(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return pad_method(vm, args, '^');
}

// Zeros go behind a sign, so that the result reads as the same number.
static Value method_zfill(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int64_t width;
    Str *str = value_as_str(args[0]);
    if (!value_to_index(vm, args[1], &width)) {
        return VALUE_FAIL;
    }
    bool sign = str->text[0] == '-' || str->text[0] == '+';
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_add(&out, str->text, sign);
    if (width > (int64_t)str->count) {
        strbuf_pad(&out, '0', (size_t)width - str->count);
    }
    strbuf_add(&out, str->text + sign, str->length - sign);
    return text_value(str_from_buf(vm, &out));
}

// Columns count code points: a continuation byte does not move on. A line end
// starts anew; a width of 0 or less drops the tabs.
static Value method_expandtabs(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int64_t width = 8, column = 0;
    if (!value_unbound(args[1]) && !value_to_index(vm, args[1], &width)) {
        return VALUE_FAIL;
    }
    Str *str = value_as_str(args[0]);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < str->length && strbuf_ok(&out); i++) {
        char c = str->text[i];
        if (c == '\t') {
            int64_t step = width > 0 ? width - column % width : 0;
            strbuf_pad(&out, ' ', (size_t)step);
            column += step;
            continue;
        }
        strbuf_putc(&out, c);
        column = c == '\n' || c == '\r' ? 0 : column + ((c & 0xC0) != 0x80);
    }
    return text_value(str_from_buf(vm, &out));
}

// args[1] and args[2] are *args and **kwargs as the caller gave them.
static Value method_format(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return format_fields(vm, value_as_str(args[0]), value_as_tuple(args[1]),
                         args[2]);
}

// The mapping is passed as it is, not copied into a dict.
static Value method_format_map(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return format_fields(vm, value_as_str(args[0]), NULL, args[1]);
}

// Encodings are the affair of bytes.
static Value method_encode(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return bytes_encode(vm, "encode", args[0], args[1], args[2]);
}

// The signatures are parsed and bind the arguments: what was not given arrives
// as VALUE_UNBOUND.
const NativeDef str_methods[] = {
    {"encode", "self, /, encoding='utf-8', errors='strict'", method_encode,
     "The bytes of the text."},
    {"find", "self, sub, start=0, end=None, /", method_find,
     "Where sub stands first, or -1."},
    {"rfind", "self, sub, start=0, end=None, /", method_rfind,
     "Where sub stands last, or -1."},
    {"index", "self, sub, start=0, end=None, /", method_index,
     "Where sub stands first, or ValueError."},
    {"rindex", "self, sub, start=0, end=None, /", method_rindex,
     "Where sub stands last, or ValueError."},
    {"count", "self, sub, start=0, end=None, /", method_count,
     "How often sub occurs without overlap."},
    {"startswith", "self, prefix, start=0, end=None, /", method_startswith,
     "True if it starts with prefix, or one of a tuple."},
    {"endswith", "self, suffix, start=0, end=None, /", method_endswith,
     "True if it ends with suffix, or one of a tuple."},
    {"replace", "self, old, new, count=-1, /", method_replace,
     "With old replaced by new, at most count times."},
    {"strip", "self, chars=None, /", method_strip,
     "Without white space (or chars) at both ends."},
    {"lstrip", "self, chars=None, /", method_lstrip,
     "Without white space (or chars) in front."},
    {"rstrip", "self, chars=None, /", method_rstrip,
     "Without white space (or chars) at the end."},
    {"removeprefix", "self, prefix, /", method_removeprefix,
     "Without this prefix."},
    {"removesuffix", "self, suffix, /", method_removesuffix,
     "Without this suffix."},
    {"ljust", "self, width, fillchar=' ', /", method_ljust,
     "Padded at the end."},
    {"rjust", "self, width, fillchar=' ', /", method_rjust,
     "Padded in front."},
    {"center", "self, width, fillchar=' ', /", method_center,
     "Padded at both ends."},
    {"zfill", "self, width, /", method_zfill, "Padded with zeros."},
    {"expandtabs", "self, tabsize=8", method_expandtabs,
     "With tabs replaced by spaces."},
    {"format", "self, /, *args, **kwargs", method_format,
     "With its {fields} filled in."},
    {"format_map", "self, mapping, /", method_format_map,
     "With its {fields} filled in from a mapping."},
    {"translate", "self, table, /", str_method_translate,
     "Each character replaced by what the table has for it."},
    {"lower", "self, /", str_method_lower, "In lower case."},
    {"upper", "self, /", str_method_upper, "In upper case."},
    {"title", "self, /", str_method_title, "Each Word In Title Case."},
    {"capitalize", "self, /", str_method_capitalize, "First letter upper."},
    {"swapcase", "self, /", str_method_swapcase, "Upper and lower swapped."},
    {"casefold", "self, /", str_method_casefold, "For caseless comparison."},
    {"isalpha", "self, /", str_method_isalpha, "All are letters."},
    {"isdigit", "self, /", str_method_isdigit, "All are digits."},
    {"isdecimal", "self, /", str_method_isdecimal, "All are decimal digits."},
    {"isnumeric", "self, /", str_method_isnumeric, "All are numeric."},
    {"isalnum", "self, /", str_method_isalnum, "All are letters or digits."},
    {"isspace", "self, /", str_method_isspace, "All are white space."},
    {"isupper", "self, /", str_method_isupper, "No letter is lower case."},
    {"islower", "self, /", str_method_islower, "No letter is upper case."},
    {"istitle", "self, /", str_method_istitle, "Words Are Like This."},
    {"isascii", "self, /", str_method_isascii, "All are below 128."},
    {"isprintable", "self, /", str_method_isprintable, "repr escapes none."},
    {"isidentifier", "self, /", str_method_isidentifier, "It is a name."},
    {"split", "self, /, sep=None, maxsplit=-1", str_method_split,
     "The words, or the parts between sep."},
    {"rsplit", "self, /, sep=None, maxsplit=-1", str_method_rsplit,
     "As split, counting from the end."},
    {"splitlines", "self, /, keepends=False", str_method_splitlines,
     "The lines."},
    {"join", "self, iterable, /", str_method_join,
     "The strings with this one between them."},
    {"partition", "self, sep, /", str_method_partition,
     "(before, sep, after) at the first sep."},
    {"rpartition", "self, sep, /", str_method_rpartition,
     "(before, sep, after) at the last sep."},
    {0}};
