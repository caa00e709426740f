// Splitting and joining.
//
// Parts are copies: a small part does not keep a large text alive. All
// positions are bytes, which is right for separators as a UTF-8 sequence never
// begins within another one.
#include "base/utf8.h"
#include "interp/sequence.h"
#include "interp/str_methods.h"

// Appends a copy of the bytes from start up to end.
static bool add_part(Vm *vm, List *list, const char *start, const char *end)
{
    Str *part = ctx_poll(&vm->ctx) ? str_new(vm, start, (size_t)(end - start))
                                   : NULL;
    return part != NULL && list_append_owned(vm, list, str_value(part));
}

// The bytes of white space at `at` (0: none).
static size_t space_at(const char *at, const char *end)
{
    unsigned char byte = (unsigned char)*at;
    if (byte < 0x80) {
        return byte == ' ' || (byte >= 9 && byte <= 13) ||
               (byte >= 28 && byte <= 31);
    }
    uint32_t codepoint;
    size_t size = utf8_decode(at, (size_t)(end - at), &codepoint);
    return size != 0 && str_is_space(codepoint) ? size : 0;
}

// White space below 128 is tab to carriage return, the separators 28 to 31 and
// the blank. All lie below 33, so the bits of one word tell.
static inline bool is_ascii_space(char c)
{
    const uint64_t spaces = 0x1F0003E00u;
    unsigned char byte = (unsigned char)c;
    return byte <= ' ' && (spaces >> byte & 1);
}

// Behind the run of white space (or of what is none) at `at`. In stretches, so
// that a run of any length is left after Ctrl-C: NULL then.
static inline const char *skip_run(Vm *vm, const char *at, const char *end,
                                   bool space)
{
    enum { STRETCH = 1 << 20 };
    do {
        const char *stop = end - at > STRETCH ? at + STRETCH : end;
        while (at < stop && is_ascii_space(*at) == space) {
            at++;
        }
        if (at < stop || at == end) {
            return at;
        }
    } while (ctx_poll(&vm->ctx));
    return NULL;
}

// The words of ASCII text, as many as there are.
static bool split_ascii(Vm *vm, List *list, const Str *str)
{
    const char *at = str->text, *end = at + str->length;
    for (;;) {
        const char *start = skip_run(vm, at, end, true);
        at = start == NULL ? NULL : skip_run(vm, start, end, false);
        if (at == NULL) {
            return false;
        }
        // The end: between words there is white space, so no other word is
        // empty.
        if (at == start) {
            return true;
        }
        Str *part = ctx_poll(&vm->ctx)
                        ? str_new_ascii(vm, start, (size_t)(at - start))
                        : NULL;
        if (part == NULL || !list_append_owned(vm, list, str_value(part))) {
            return false;
        }
    }
}

// limit: the number of splits that are left, negative for all. ASCII text
// without a limit, which is most of it, takes the shorter way.
static bool split_words(Vm *vm, List *list, Str *str, int64_t limit)
{
    if (limit < 0 && str->count == str->length) {
        return split_ascii(vm, list, str);
    }
    const char *at = str->text, *end = at + str->length;
    size_t size, step = 0;
    for (;;) {
        while (at < end && (size = space_at(at, end)) != 0) {
            at += size;
            if (!ctx_poll_at(&vm->ctx, ++step)) {
                return false;
            }
        }
        if (at == end) {
            return true;
        }
        const char *start = at;
        if (limit-- == 0) {
            // The rest, white space at its end included.
            return add_part(vm, list, start, end);
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
        if (!add_part(vm, list, start, at)) {
            return false;
        }
    }
}

// The first `byte` in [at, end), else `end`. Parts are short as a rule, and a
// call costs more than a few steps.
static inline const char *find_byte(const char *at, const char *end, char byte)
{
    enum { STEPS = 12 };
    for (int i = 0; i < STEPS; i++, at++) {
        if (at == end || *at == byte) {
            return at;
        }
    }
    const char *found = memchr(at, byte, (size_t)(end - at));
    return found == NULL ? end : found;
}

// ASCII at one character: the parts need not be counted.
static bool split_at_byte(Vm *vm, List *list, const Str *str, char byte,
                          int64_t limit)
{
    const char *at = str->text, *end = at + str->length;
    for (;; limit--) {
        const char *next = limit == 0 ? end : find_byte(at, end, byte);
        Str *part = ctx_poll(&vm->ctx)
                        ? str_new_ascii(vm, at, (size_t)(next - at))
                        : NULL;
        if (part == NULL || !list_append_owned(vm, list, str_value(part))) {
            return false;
        }
        if (next == end) {
            return true;
        }
        at = next + 1;
    }
}

// A negative limit never reaches 0. What follows the last separator is a part
// even if it is empty.
static bool split_by(Vm *vm, List *list, Str *str, Str *sep, int64_t limit)
{
    const char *at = str->text, *end = at + str->length, *next;
    if (sep->length == 1 && str->count == str->length) {
        return split_at_byte(vm, list, str, sep->text[0], limit);
    }
    for (; limit != 0 &&
           (next = str_find_part(vm, at, (size_t)(end - at), sep->text,
                                 sep->length)) != NULL;
         limit--) {
        if (!add_part(vm, list, at, next)) {
            return false;
        }
        at = next + sep->length;
    }
    return !ctx_failed(&vm->ctx) && add_part(vm, list, at, end);
}

// From the end: parts are found backwards and turned round.
static bool rsplit_by(Vm *vm, List *list, Str *str, Str *sep, int64_t limit)
{
    const char *start = str->text, *end = start + str->length;
    for (const char *at = end; limit != 0 && at > start;) {
        at--;
        if (!ctx_poll_at(&vm->ctx, (size_t)(at - start))) {
            return false;
        }
        if ((size_t)(end - at) >= sep->length &&
            memcmp(at, sep->text, sep->length) == 0) {
            if (!add_part(vm, list, at + sep->length, end)) {
                return false;
            }
            end = at;
            limit--;
        }
    }
    return add_part(vm, list, start, end);
}

// From the end. Bytes of the form 10xxxxxx continue a code point: each step
// back skips them to reach its first byte.
static bool rsplit_words(Vm *vm, List *list, Str *str, int64_t limit)
{
    const char *start = str->text, *end = start + str->length;
    size_t polled = 0;
    for (;;) {
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
        const char *word = end;
        if (limit-- == 0) {
            return add_part(vm, list, start, end);
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
        if (!add_part(vm, list, word, end)) {
            return false;
        }
        end = word;
    }
}

// rsplit finds the last part first; callers want the order of the text.
static void turn_round(List *list)
{
    for (size_t i = 0; i < list->count / 2; i++) {
        Value item = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = item;
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
    if (value_unbound(args[1]) || value_is_none(args[1])) {
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
    return from_end ? rsplit_by(vm, list, str, sep, limit)
                    : split_by(vm, list, str, sep, limit);
}

// Always a new list, whose parts are plain strs also for a subclass.
static Value split_method(Vm *vm, Value *args, bool from_end)
{
    List *list = list_new(vm, 0);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    if (!split_into(vm, list, args, from_end)) {
        object_release(&vm->ctx, list);
        return VALUE_FAIL;
    }
    if (from_end) {
        turn_round(list);
    }
    return value_from_object(list);
}

Value str_method_split(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return split_method(vm, args, false);
}

Value str_method_rsplit(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return split_method(vm, args, true);
}

// The bytes of the line end at `at`, 0 if there is none.
static size_t line_end(const char *at, const char *end)
{
    uint32_t c;
    size_t size = utf8_decode(at, (size_t)(end - at), &c);
    if (size == 0) {
        return 0;
    }
    // A carriage return and a newline are one line end.
    if (c == '\r' && at + 1 < end && at[1] == '\n') {
        return 2;
    }
    bool ends = (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E) ||
                c == 0x85 || c == 0x2028 || c == 0x2029;
    return ends ? size : 0;
}

// A line end at the very end begins no further line, unlike in split("\n").
Value str_method_splitlines(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int keep = value_unbound(args[1]) ? 0 : value_truth(vm, args[1]);
    List *list = keep < 0 ? NULL : list_new(vm, 0);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    Str *str = value_as_str(args[0]);
    const char *at = str->text, *end = at + str->length;
    while (at < end) {
        const char *start = at;
        size_t size = 0;
        // Byte by byte is right: no code point decodes in the middle of
        // another.
        while (at < end && (((unsigned char)*at > 0x1E &&
                             (unsigned char)*at < 0x80) ||
                            (size = line_end(at, end)) == 0)) {
            at++;
            if (!ctx_poll_at(&vm->ctx, (size_t)(end - at))) {
                object_release(&vm->ctx, list);
                return VALUE_FAIL;
            }
        }
        size = at < end ? size : 0;
        if (!add_part(vm, list, start, at + (keep ? size : 0))) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
        at += size;
    }
    return value_from_object(list);
}

// Checks that all are strings and adds up their bytes.
// Adds up the parts' bytes; all must be strs.
static bool join_length(Vm *vm, const Value *parts, size_t count,
                        size_t *length)
{
    for (size_t i = 0; i < count; i++) {
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
// single part is the result itself, as in CPython.
static Str *join_parts(Vm *vm, Str *sep, const Value *parts,
                       size_t count)
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
        return length == 1 && sep->length == 1
                   ? str_exact(vm, sep)
                   : str_of_parts(vm, parts, count);
    }
    Str *text = str_of_size(vm, length);
    if (text == NULL) {
        return NULL;
    }
    char *at = text->text;
    // The code points add up as the bytes do; no text is counted anew.
    text->count = (count - 1) * sep->count;
    for (size_t i = 0; i < count; i++) {
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, text);
            return NULL;
        }
        const Str *part = value_as_str(parts[i]);
        if (i > 0) {
            memcpy(at, sep->text, sep->length);
            at += sep->length;
        }
        memcpy(at, part->text, part->length);
        at += part->length;
        text->count += part->count;
    }
    return text;
}

// The type is asked first, so that the error says what join needs instead of
// what iteration does.
Value str_method_join(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (type_of(vm, args[1])->slots.iter == NULL &&
        type_of(vm, args[1])->slots.get_item == NULL) {
        return raise_error(vm, ERR_TYPE, "can only join an iterable");
    }
    Str *sep = value_as_str(args[0]);
    Str *text;
    if (value_is_object(args[1]) &&
        value_object(args[1])->type == vm->types[KIND_LIST]) {
        // Nothing below runs code that could change the list.
        const List *list = value_as_list(args[1]);
        text = join_parts(vm, sep, list->items, list->count);
    } else {
        Tuple *parts = value_to_tuple(vm, args[1]);
        if (parts == NULL) {
            return VALUE_FAIL;
        }
        text = join_parts(vm, sep, parts->items, parts->count);
        object_release(&vm->ctx, parts);
    }
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// What stands before, at and after the separator. If it was not found,
// `sep_length` is 0 and `at` is one end of the text: two parts are then empty.
static Value three_parts(Vm *vm, Str *str, size_t at, size_t sep_length)
{
    Tuple *result = tuple_new(vm, 3);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    const char *text = str->text;
    size_t from[4] = {0, at, at + sep_length, str->length};
    for (int i = 0; i < 3; i++) {
        // The rest of a miss is the text itself.
        size_t length = from[i + 1] - from[i];
        Str *part = length == str->length
                        ? str_exact(vm, str)
                        : str_new(vm, text + from[i], length);
        if (part == NULL) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
        result->items[i] = str_value(part);
    }
    return value_from_object(result);
}

// The search for the last place goes on one byte after each find, since
// occurrences may overlap.
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
    const char *at = str_find_part(vm, str->text, str->length, sep->text,
                                   sep->length);
    const char *next = at;
    const char *end = str->text + str->length;
    while (last && next != NULL) {
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
        at = next;
        next = str_find_part(vm, at + 1, (size_t)(end - at - 1), sep->text,
                             sep->length);
    }
    if (ctx_failed(&vm->ctx)) {
        return VALUE_FAIL;
    }
    if (at == NULL) {
        return three_parts(vm, str, last ? 0 : str->length, 0);
    }
    return three_parts(vm, str, (size_t)(at - str->text), sep->length);
}

// Three parts in any case, so that the result can be unpacked.
Value str_method_partition(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return partition_method(vm, args, false);
}

Value str_method_rpartition(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return partition_method(vm, args, true);
}
