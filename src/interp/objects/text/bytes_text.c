// The methods of bytes that str has, too: searching, splitting, stripping,
// padding, case. What works on bytes alike in both is in text_range.h; here are
// the arguments, whose rules and texts are those of bytes, and ASCII's case.
#include "interp/objects/text/bytes_text.h"

#include "base/bulk.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/bytes_methods.h"
#include "interp/objects/text/text_range.h"

// Borrowed.
static TextRange range_of(const Bytes *bytes)
{
    return (TextRange){bytes->data, bytes->length};
}

static TextRange self_of(const Value *args)
{
    return range_of(value_as_bytes(args[0]));
}

// Bytes [at, at + length) of args[0]: itself where that is all of it and no
// subclass.
static Value part_of(Vm *vm, Value self, TextRange range)
{
    const Bytes *bytes = value_as_bytes(self);
    return range.length == bytes->length &&
                   bytes->head.type == vm->types[KIND_BYTES]
               ? value_retain(self)
               : bytes_value(vm, range.text, range.length);
}

// Takes the buffer.
static Value from_buf(Vm *vm, StrBuf *out)
{
    Value result = strbuf_ok(out)
                       ? bytes_value(vm, strbuf_text(out), out->length)
                       : VALUE_FAIL;
    strbuf_free(out);
    return result;
}

// --- searching ---

// What is looked for: bytes, or one byte as an int, for which there is room in
// `byte`. False: failed.
static bool wanted_part(Vm *vm, Value v, char *byte, TextRange *part)
{
    int64_t number;
    if (value_is_kind(v, KIND_BYTES)) {
        *part = range_of(value_as_bytes(v));
        return true;
    }
    // A wrong kind is told before a wrong number.
    if (!value_is_index(vm, v)) {
        return raise_false(vm, ERR_TYPE,
                           "argument should be integer or bytes-like object, "
                           "not '%s'",
                           type_name(type_of(vm, v)));
    }
    if (!value_to_index(vm, v, &number)) {
        if (!raise_matches(vm, ERR_OVERFLOW)) {
            return false;
        }
        raise_clear(vm);
        number = -1; // as much out of range as a small one
    }
    *byte = (char)number;
    *part = (TextRange){byte, 1};
    return (number >= 0 && number <= 255) ||
           raise_false(vm, ERR_VALUE, "byte must be in range(0, 256)");
}

// The part and the range of a search; *possible is false where the start lies
// behind the end, so that not even b"" is found. False: failed.
static bool search_start(Vm *vm, Value *args, char *byte, TextRange *part,
                         size_t *from, size_t *to, bool *possible)
{
    size_t length = bytes_length(args[0]);
    if (!sequence_range(vm, args[2], args[3], length, from, to) ||
        !wanted_part(vm, args[1], byte, part)) {
        return false;
    }
    *possible = *from <= *to;
    return true;
}

// The four searches: they differ in direction and in what a miss gives.
static Value find_method(Vm *vm, Value *args, bool last, bool must)
{
    char byte;
    TextRange part;
    size_t from, to;
    bool possible;
    if (!search_start(vm, args, &byte, &part, &from, &to, &possible)) {
        return VALUE_FAIL;
    }
    int64_t at = possible ? text_find(&vm->ctx, bytes_text(args[0]), from, to,
                                      part, last)
                          : TEXT_NONE;
    if (at == TEXT_FAILED) {
        return VALUE_FAIL;
    }
    return at == TEXT_NONE && must
               ? raise_error(vm, ERR_VALUE, "subsection not found")
               : value_from_small(at);
}

// The first place, or -1; a number is looked for as a byte.
Value bytes_method_find(Vm *vm, Value *args)
{
    return find_method(vm, args, false, false);
}

Value bytes_method_rfind(Vm *vm, Value *args)
{
    return find_method(vm, args, true, false);
}

// As find; a miss is a ValueError.
Value bytes_method_index(Vm *vm, Value *args)
{
    return find_method(vm, args, false, true);
}

Value bytes_method_rindex(Vm *vm, Value *args)
{
    return find_method(vm, args, true, true);
}

// b"" stands before each byte and at the end.
Value bytes_method_count(Vm *vm, Value *args)
{
    char byte;
    TextRange part;
    size_t from, to;
    bool possible;
    if (!search_start(vm, args, &byte, &part, &from, &to, &possible)) {
        return VALUE_FAIL;
    }
    int64_t total =
        !possible ? 0
        : part.length == 0
            ? (int64_t)(to - from) + 1
            : text_count(&vm->ctx, bytes_text(args[0]), from, to, part);
    return total < 0 ? VALUE_FAIL : value_from_small(total);
}

static void replace_empty(StrBuf *out, TextRange text, TextRange to,
                          int64_t limit)
{
    size_t at = 0;
    for (; limit != 0 && strbuf_ok(out); limit--) {
        strbuf_add(out, to.text, to.length);
        if (at == text.length) {
            return;
        }
        strbuf_putc(out, text.text[at++]);
    }
    strbuf_add(out, text.text + at, text.length - at);
}

// The bytes themselves where nothing was found, though a subclass gives plain
// bytes.
Value bytes_method_replace(Vm *vm, Value *args)
{
    int64_t limit = -1;
    const Bytes *from = bytes_argument(vm, args[1]);
    const Bytes *to = from == NULL ? NULL : bytes_argument(vm, args[2]);
    if (to == NULL ||
        (!value_unbound(args[3]) && !value_to_index(vm, args[3], &limit))) {
        return VALUE_FAIL;
    }
    TextRange text = self_of(args);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // The empty part stands everywhere; searching for it would not advance.
    if (from->length == 0) {
        replace_empty(&out, text, range_of(to), limit);
    } else if (!text_replace(&out, text, range_of(from), range_of(to), limit)) {
        bool whole = strbuf_ok(&out) && !ctx_failed(&vm->ctx);
        strbuf_free(&out);
        return whole ? part_of(vm, args[0], text) : VALUE_FAIL;
    }
    return from_buf(vm, &out);
}

// --- ends ---

// Without a set, ASCII white space; a set is any of its bytes, in any order.
static Value strip_method(Vm *vm, Value *args, bool left, bool right)
{
    TextRange range = self_of(args);
    TextSet set = text_bytes_spaces;
    if (!value_unbound(args[1]) && !value_is_none(args[1])) {
        const Bytes *chars = bytes_argument(vm, args[1]);
        if (chars == NULL) {
            return VALUE_FAIL;
        }
        set = text_set(range_of(chars));
    }
    return text_strip(&vm->ctx, &range, &set, left, right)
               ? part_of(vm, args[0], range)
               : VALUE_FAIL;
}

Value bytes_method_strip(Vm *vm, Value *args)
{
    return strip_method(vm, args, true, true);
}

Value bytes_method_lstrip(Vm *vm, Value *args)
{
    return strip_method(vm, args, true, false);
}

Value bytes_method_rstrip(Vm *vm, Value *args)
{
    return strip_method(vm, args, false, true);
}

static Value remove_affix(Vm *vm, Value *args, bool at_end)
{
    TextRange range = self_of(args);
    const Bytes *affix = bytes_argument(vm, args[1]);
    if (affix == NULL) {
        return VALUE_FAIL;
    }
    if (affix->length <= range.length) {
        size_t rest = range.length - affix->length;
        const char *at = range.text + (at_end ? rest : 0);
        if (memcmp(at, affix->data, affix->length) == 0) {
            range.text += at_end ? 0 : affix->length;
            range.length = rest;
        }
    }
    return part_of(vm, args[0], range);
}

// Once, however often it stands there.
Value bytes_method_removeprefix(Vm *vm, Value *args)
{
    return remove_affix(vm, args, false);
}

Value bytes_method_removesuffix(Vm *vm, Value *args)
{
    return remove_affix(vm, args, true);
}

// --- padding ---

// self between so many bytes of `fill`. Both are 0 or more.
static Value padded(Vm *vm, Value self, char fill, int64_t left, int64_t right)
{
    TextRange text = range_of(value_as_bytes(self));
    if (left + right == 0) {
        return part_of(vm, self, text);
    }
    // The sum is the width that was asked for, which fits.
    Bytes *made =
        bytes_new(vm, NULL, (size_t)left + text.length + (size_t)right);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    char *at = made->data + left;
    if (!bulk_fill(&vm->ctx, made->data, fill, (size_t)left) ||
        !bulk_copy(&vm->ctx, at, text.text, text.length) ||
        !bulk_fill(&vm->ctx, at + text.length, fill, (size_t)right)) {
        object_release(&vm->ctx, made);
        return VALUE_FAIL;
    }
    return value_from_object(made);
}

// The bytes that are missing to the width in args[1]; -1: failed.
static int64_t missing(Vm *vm, const Value *args)
{
    int64_t width, length = (int64_t)bytes_length(args[0]);
    if (!value_to_index(vm, args[1], &width)) {
        return -1;
    }
    return width > length ? width - length : 0;
}

// The fill of ljust and the like is one byte.
static bool fill_byte(Vm *vm, const char *name, Value v, char *fill)
{
    bool one = value_is_kind(v, KIND_BYTES) && bytes_length(v) == 1;
    *fill = one ? bytes_text(v)[0] : ' ';
    return one || value_unbound(v) ||
           raise_false(vm, ERR_TYPE,
                       "%s() argument 2 must be a byte string of length 1, "
                       "not %s",
                       name, type_name_given(vm, v));
}

// The fill is one byte; a width below the length changes nothing.
Value bytes_method_ljust(Vm *vm, Value *args)
{
    char fill;
    int64_t room = missing(vm, args);
    return room < 0 || !fill_byte(vm, "ljust", args[2], &fill)
               ? VALUE_FAIL
               : padded(vm, args[0], fill, 0, room);
}

Value bytes_method_rjust(Vm *vm, Value *args)
{
    char fill;
    int64_t room = missing(vm, args);
    return room < 0 || !fill_byte(vm, "rjust", args[2], &fill)
               ? VALUE_FAIL
               : padded(vm, args[0], fill, room, 0);
}

// The odd one goes to the left if the width is odd.
Value bytes_method_center(Vm *vm, Value *args)
{
    char fill;
    int64_t room = missing(vm, args);
    if (room < 0 || !fill_byte(vm, "center", args[2], &fill)) {
        return VALUE_FAIL;
    }
    int64_t width = room + (int64_t)bytes_length(args[0]);
    int64_t left = room / 2 + (room & width & 1);
    return padded(vm, args[0], fill, left, room - left);
}

// Zeros go behind a sign, so that the result reads as the same number.
Value bytes_method_zfill(Vm *vm, Value *args)
{
    int64_t room = missing(vm, args);
    Value made = room < 0 ? VALUE_FAIL : padded(vm, args[0], '0', room, 0);
    if (room > 0 && !value_failed(made)) {
        char *data = value_as_bytes(made)->data;
        TextRange text = self_of(args);
        if (text.length > 0 && (text.text[0] == '-' || text.text[0] == '+')) {
            // The sign moves to the front, a zero takes its place.
            data[0] = text.text[0];
            data[room] = '0';
        }
    }
    return made;
}

// A line end starts the columns anew; a width of 0 or less drops the tabs.
Value bytes_method_expandtabs(Vm *vm, Value *args)
{
    int width = 8;
    int64_t column = 0;
    if (!value_unbound(args[1]) && !value_to_c_int(vm, args[1], &width)) {
        return VALUE_FAIL;
    }
    TextRange text = self_of(args);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < text.length && strbuf_ok(&out); i++) {
        char c = text.text[i];
        if (c != '\t') {
            strbuf_putc(&out, c);
            column = c == '\n' || c == '\r' ? 0 : column + 1;
            continue;
        }
        // At least one blank, up to the next multiple of the width.
        int64_t step = width > 0 ? width - column % width : 0;
        strbuf_pad(&out, ' ', (size_t)step);
        column += step;
    }
    return from_buf(vm, &out);
}

// --- splitting ---

// The walks are text_range.c's; what differs from str is how a part is made.
static bool split_into(Vm *vm, List *list, Value *args, bool from_end)
{
    // -1: without limit.
    TextSplit split = {vm, list, bytes_value, &text_bytes_spaces, -1};
    TextRange text = self_of(args);
    if (!value_unbound(args[2]) && !value_to_index(vm, args[2], &split.limit)) {
        return false;
    }
    if (value_unbound(args[1]) || value_is_none(args[1])) {
        return from_end ? text_rsplit_words(&split, text)
                        : text_split_words(&split, text);
    }
    const Bytes *sep = bytes_argument(vm, args[1]);
    if (sep == NULL || sep->length == 0) {
        return sep != NULL && raise_false(vm, ERR_VALUE, "empty separator");
    }
    return from_end ? text_rsplit_at(&split, text, range_of(sep))
                    : text_split_at(&split, text, range_of(sep));
}

Value bytes_method_split(Vm *vm, Value *args)
{
    return text_split_method(vm, args, false, split_into);
}

Value bytes_method_rsplit(Vm *vm, Value *args)
{
    return text_split_method(vm, args, true, split_into);
}

// Lines of bytes end with \n, \r or both; one at the very end begins no further
// line.
Value bytes_method_splitlines(Vm *vm, Value *args)
{
    bool keep;
    List *list = value_to_flag(vm, args[1], &keep) ? list_new(vm, 0) : NULL;
    if (list == NULL) {
        return VALUE_FAIL;
    }
    TextRange text = self_of(args);
    const char *at = text.text, *end = at + text.length;
    while (at < end) {
        const char *start = at;
        bool going = true;
        while (going && at < end && *at != '\n' && *at != '\r') {
            at++;
            going = ctx_poll_at(&vm->ctx, (size_t)(end - at));
        }
        // Behind the line end, of which \r\n is one.
        const char *next = at + (at < end);
        next += at < end && *at == '\r' && next < end && *next == '\n';
        Value line =
            going && ctx_poll(&vm->ctx)
                ? bytes_value(vm, start, (size_t)((keep ? next : at) - start))
                : VALUE_FAIL;
        if (value_failed(line) || !list_append_owned(vm, list, line)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
        at = next;
    }
    return value_from_object(list);
}

// Before the separator, itself, and behind it. Where it was not found, all
// stands in front, or behind in the search from the end.
static Value partition_method(Vm *vm, Value *args, bool last)
{
    const Bytes *sep = bytes_argument(vm, args[1]);
    if (sep == NULL) {
        return VALUE_FAIL;
    }
    if (sep->length == 0) {
        return raise_error(vm, ERR_VALUE, "empty separator");
    }
    TextRange text = self_of(args);
    int64_t at =
        text_find(&vm->ctx, text.text, 0, text.length, range_of(sep), last);
    Tuple *parts = at == TEXT_FAILED ? NULL : tuple_new(vm, 3);
    if (parts == NULL) {
        return VALUE_FAIL;
    }
    size_t length = at < 0 ? 0 : sep->length;
    size_t middle = at >= 0 ? (size_t)at : last ? 0 : text.length;
    // The borders of the three parts; the fourth ends the last.
    const size_t from[] = {0, middle, middle + length, text.length};
    for (int i = 0; i < 3; i++) {
        Value part =
            bytes_value(vm, text.text + from[i], from[i + 1] - from[i]);
        if (value_failed(part)) {
            object_release(&vm->ctx, parts);
            return VALUE_FAIL;
        }
        parts->items[i] = part;
    }
    return value_from_object(parts);
}

Value bytes_method_partition(Vm *vm, Value *args)
{
    return partition_method(vm, args, false);
}

Value bytes_method_rpartition(Vm *vm, Value *args)
{
    return partition_method(vm, args, true);
}
