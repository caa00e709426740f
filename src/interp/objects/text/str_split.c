// Splitting and joining.
//
// Parts are copies: a small part does not keep a large text alive. All
// positions are bytes, which is right for separators as a UTF-8 sequence never
// begins within another one.
#include "base/bulk.h"
#include "base/utf8.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/text/str_methods.h"
#include "interp/objects/text/text_range.h"

// Appends a copy of the bytes from start up to end. Each part is an occasion
// for Ctrl-C. `ascii`: the whole is, so that nobody need look. False: memory,
// or an interrupt.
static bool add_part(Vm *vm, List *list, bool ascii, const char *start,
                     const char *end)
{
    size_t length = (size_t)(end - start);
    Str *part = !ctx_poll(&vm->ctx) ? NULL
                : ascii             ? str_new_ascii(vm, start, length)
                                    : str_new(vm, start, length);
    return part != NULL && list_append_owned(vm, list, str_value(part));
}

// The bytes of white space at `at` (0: none). `at` is at the first byte of a
// character, and not at the end.
static size_t space_at(const char *at, const char *end)
{
    unsigned char byte = (unsigned char)*at;
    if (byte < 0x80) {
        return byte == ' ' || (byte >= 9 && byte <= 13) ||
               (byte >= 28 && byte <= 31);
    }
    // Beyond ASCII there are a dozen more (str_is_space).
    uint32_t codepoint;
    size_t size = utf8_decode(at, (size_t)(end - at), &codepoint);
    return size != 0 && str_is_space(codepoint) ? size : 0;
}

// limit: the number of splits that are left, negative for all.
static bool split_words(Vm *vm, List *list, Str *str, int64_t limit)
{
    const char *at = str->text, *end = at + str->length;
    size_t size, step = 0;
    for (;;) {
        while (at < end && (size = space_at(at, end)) != 0) {
            at += size;
            // Megabytes of white space make no part, and must heed Ctrl-C.
            if (!ctx_poll_at(&vm->ctx, ++step)) {
                return false;
            }
        }
        if (at == end) {
            return true;
        }
        const char *start = at;
        // White space in front of the rest was skipped, that at its end is
        // kept.
        if (limit-- == 0) {
            return add_part(vm, list, false, start, end);
        }
        while (at < end && space_at(at, end) == 0) {
            at++;
            while (at < end && (*at & 0xC0) == 0x80) {
                at++;
            }
            if (!ctx_poll_at(&vm->ctx, ++step)) {
                return false;
            }
        }
        if (!add_part(vm, list, false, start, at)) {
            return false;
        }
    }
}

static Value make_part(Vm *vm, const char *start, size_t length)
{
    return value_or_fail(str_new(vm, start, length));
}

// As many characters as bytes: nothing is counted.
static Value make_ascii_part(Vm *vm, const char *start, size_t length)
{
    return value_or_fail(str_new_ascii(vm, start, length));
}

// From the end. Bytes of the form 10xxxxxx continue a code point: each step
// back skips them to reach its first byte. The parts come last first.
static bool rsplit_words(Vm *vm, List *list, Str *str, int64_t limit)
{
    const char *start = str->text, *end = start + str->length;
    size_t polled = 0;
    for (;;) {
        // White space at the end goes first.
        const char *last = end;
        while (last > start) {
            const char *step = last - 1;
            while (step > start && (*step & 0xC0) == 0x80) {
                step--;
            }
            if (space_at(step, end) == 0) {
                break;
            }
            last = step;
            if (!ctx_poll_at(&vm->ctx, ++polled)) {
                return false;
            }
        }
        end = last;
        if (end == start) {
            return true;
        }
        // The start of the word that ends here.
        const char *word = end;
        if (limit-- == 0) {
            return add_part(vm, list, false, start, end);
        }
        while (word > start) {
            const char *step = word - 1;
            while (step > start && (*step & 0xC0) == 0x80) {
                step--;
            }
            if (space_at(step, end) != 0) {
                break;
            }
            word = step;
            if (!ctx_poll_at(&vm->ctx, ++polled)) {
                return false;
            }
        }
        if (!add_part(vm, list, false, word, end)) {
            return false;
        }
        end = word;
    }
}

// Without a separator, or with None, runs of white space separate and no part
// is empty; with one, each occurrence counts and parts may be empty.
static bool split_into(Vm *vm, List *list, Value *args, bool from_end)
{
    Str *str = value_as_str(args[0]), *sep;
    int64_t limit = -1;
    if (!value_unbound(args[2]) && !value_to_index(vm, args[2], &limit)) {
        return false;
    }
    // As many characters as bytes: parts need no counting.
    bool ascii = str->count == str->length;
    TextRange text = {str->text, str->length};
    TextSplit split = {vm, list, ascii ? make_ascii_part : make_part,
                       &text_str_spaces, limit};
    if (value_unbound(args[1]) || value_is_none(args[1])) {
        if (ascii) {
            return from_end ? text_rsplit_words(&split, text)
                            : text_split_words(&split, text);
        }
        return from_end ? rsplit_words(vm, list, str, limit)
                        : split_words(vm, list, str, limit);
    }
    sep = str_argument(vm, args[1], "must be str or None");
    if (sep == NULL) {
        return false;
    }
    if (sep->length == 0) {
        return raise_false(vm, ERR_VALUE, "empty separator");
    }
    TextRange by = {sep->text, sep->length};
    return from_end ? text_rsplit_at(&split, text, by)
                    : text_split_at(&split, text, by);
}

Value str_method_split(Vm *vm, Value *args)
{
    return text_split_method(vm, args, false, split_into);
}

// From the end; differs from split only by the limit.
Value str_method_rsplit(Vm *vm, Value *args)
{
    return text_split_method(vm, args, true, split_into);
}

// The bytes of the line end at `at`, 0 if there is none.
static size_t line_end(const char *at, const char *end)
{
    uint32_t c;
    size_t size = utf8_decode(at, (size_t)(end - at), &c);
    if (size == 0) {
        return 0;
    }
    if (c == '\r' && at + 1 < end && at[1] == '\n') {
        return 2;
    }
    bool ends = (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E) ||
                c == 0x85 || c == 0x2028 || c == 0x2029;
    return ends ? size : 0;
}

// Where the next byte from `at` on stands that may begin a line end: a control
// character or one that is not ASCII. Eight bytes at a time; a byte below 0x1F
// borrows from its top bit, which in no other ASCII byte comes to be set first.
static const char *next_candidate(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    uint64_t word;
    for (; at + sizeof word <= end; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        if ((((word - ones * 0x1F) | word) & tops) != 0) {
            break;
        }
    }
    while (at < end && (unsigned char)*at > 0x1E && (unsigned char)*at < 0x80) {
        at++;
    }
    return at;
}

// A line end at the very end begins no further line, unlike in split("\n").
Value str_method_splitlines(Vm *vm, Value *args)
{
    bool keep;
    List *list = value_to_flag(vm, args[1], &keep) ? list_new(vm, 0) : NULL;
    if (list == NULL) {
        return VALUE_FAIL;
    }
    Str *str = value_as_str(args[0]);
    bool ascii = str->count == str->length;
    const char *at = str->text, *end = at + str->length;
    while (at < end) {
        const char *start = at;
        size_t size = 0;
        // No code point decodes in the middle of another.
        while ((at = next_candidate(at, end)) < end &&
               (size = line_end(at, end)) == 0) {
            at++;
            if (!ctx_poll_at(&vm->ctx, (size_t)(end - at))) {
                object_release(&vm->ctx, list);
                return VALUE_FAIL;
            }
        }
        // The last line may have no end.
        size = at < end ? size : 0;
        if (!add_part(vm, list, ascii, start, at + (keep ? size : 0))) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
        at += size;
    }
    return value_from_object(list);
}

// Checks that all are strings and adds up their bytes.
// Adds up the parts' bytes; all must be strs. The sum cannot overflow, for all
// of it is in memory already.
static bool join_length(Vm *vm, const Value *parts, size_t count,
                        size_t *length)
{
    for (size_t i = 0; i < count; i++) {
        if (value_is_kind(parts[i], KIND_SYMBOLIC) && vm->hooks != NULL) {
            vm->hooks->refuse(vm, NEED_TEXT, parts[i]);
        }
        if (vm_has_error(vm)) {
            return false;
        }
        if (!value_is_str(parts[i])) {
            return raise_false(vm, ERR_TYPE,
                               "sequence item %zu: expected str instance, %s "
                               "found",
                               i, type_name(type_of(vm, parts[i])));
        }
        *length += value_as_str(parts[i])->length;
    }
    return true;
}

// One pass for the length and one that copies, so that no buffer grows. A
// single part is the result itself. NULL: failed. `parts` must not change
// meanwhile, so no code of the program may run.
static Str *join_parts(Vm *vm, Str *sep, const Value *parts, size_t count)
{
    size_t length = 0;
    if (!join_length(vm, parts, count, &length)) {
        return NULL;
    }
    if (count == 1) {
        return str_exact(vm, value_as_str(parts[0]));
    }
    length += count < 2 ? 0 : (count - 1) * sep->length;
    if (length <= 1) { // one of the shared texts
        return length == 1 && sep->length == 1 ? str_exact(vm, sep)
                                               : str_of_parts(vm, parts, count);
    }
    // Not filled yet, and not seen by anybody.
    Str *text = str_of_size(vm, length);
    if (text == NULL) {
        return NULL;
    }
    char *at = text->text;
    // The code points add up as the bytes do; no text is counted anew.
    text->count = (count - 1) * sep->count;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const Str *part = value_as_str(parts[i]);
        if (i > 0) {
            ok = bulk_copy(&vm->ctx, at, sep->text, sep->length);
            at += sep->length;
        }
        ok = ok && bulk_copy(&vm->ctx, at, part->text, part->length) &&
             ctx_poll_at(&vm->ctx, i + 1);
        at += part->length;
        text->count += part->count;
    }
    if (!ok) {
        object_release(&vm->ctx, text);
        return NULL;
    }
    return text;
}

// Of a list nobody else can change the items meanwhile.
Value str_method_join(Vm *vm, Value *args)
{
    Str *sep = value_as_str(args[0]);
    Str *text;
    if (value_is_object(args[1]) &&
        value_object(args[1])->type == vm->types[KIND_LIST]) {
        // Nothing below runs code that could change the list.
        // Of list itself: a subclass may iterate in its own way.
        const List *list = value_as_list(args[1]);
        text = join_parts(vm, sep, list->items, list->count);
    } else {
        // A generator is read in full before anything is copied.
        Tuple *parts = value_to_items(vm, args[1], "can only join an iterable");
        if (parts == NULL) {
            return VALUE_FAIL;
        }
        text = join_parts(vm, sep, parts->items, parts->count);
        object_release(&vm->ctx, parts);
    }
    return value_or_fail(text);
}

// What stands before, at and after the separator. If it was not found,
// `sep_length` is 0 and `at` is one end of the text: two parts are then empty.
// The text itself is shared where a part is all of it.
static Value three_parts(Vm *vm, Str *str, size_t at, size_t sep_length)
{
    Tuple *result = tuple_new(vm, 3);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    const char *text = str->text;
    size_t from[4] = {0, at, at + sep_length, str->length};
    for (int i = 0; i < 3; i++) {
        size_t length = from[i + 1] - from[i];
        Str *part = length == str->length ? str_exact(vm, str)
                                          : str_new(vm, text + from[i], length);
        if (part == NULL) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
        result->items[i] = str_value(part);
    }
    return value_from_object(result);
}

// An empty separator would be everywhere.
static Value partition_method(Vm *vm, Value *args, bool last)
{
    Str *str = value_as_str(args[0]);
    Str *sep = str_argument(vm, args[1], "must be str");
    if (sep == NULL) {
        return VALUE_FAIL;
    }
    if (sep->length == 0) {
        return raise_error(vm, ERR_VALUE, "empty separator");
    }
    int64_t at = text_find(&vm->ctx, str->text, 0, str->length,
                           (TextRange){sep->text, sep->length}, last);
    if (at == TEXT_FAILED) {
        return VALUE_FAIL;
    }
    if (at < 0) {
        return three_parts(vm, str, last ? 0 : str->length, 0);
    }
    Value parts = three_parts(vm, str, (size_t)at, sep->length);
    if (!value_failed(parts)) {
        // In the middle stands the separator as it was given.
        value_replace(&vm->ctx, &value_as_tuple(parts)->items[1],
                      value_retain(args[1]));
    }
    return parts;
}

// Three parts in any case, so that the result can be unpacked.
Value str_method_partition(Vm *vm, Value *args)
{
    return partition_method(vm, args, false);
}

// At the last separator; of a miss the last part is the text.
Value str_method_rpartition(Vm *vm, Value *args)
{
    return partition_method(vm, args, true);
}
