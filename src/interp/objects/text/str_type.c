// str: the type and its operators.
//
// A str is UTF-8 that never changes; its length in code points is known. Lone
// surrogates are kept as the three bytes that UTF-8 would give them, so that
// decoders must allow for them.
#include "base/bulk.h"
#include "base/utf8.h"
#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/text/format.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/str_methods.h"
#include "interp/objects/text/text_range.h"

static Value str_repr(Vm *vm, Value self)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    str_print_repr(&out, value_as_str(self)->text, value_as_str(self)->length);
    return value_or_fail(str_from_buf(vm, &out));
}

// Only an exact str is its own str(); an instance of a subclass gives a plain
// one.
// Owned.
static Value str_str(Vm *vm, Value self)
{
    Str *str = value_as_str(self);
    return str->head.type == vm->types[KIND_STR]
               ? value_retain(self)
               : value_or_fail(str_new(vm, str->text, str->length));
}

// Kept in the str once it was asked for.
// Never false: a text can always be hashed.
static bool str_hash_slot(Vm *vm, Value self, uint64_t *hash)
{
    (void)vm;
    *hash = str_hash(value_as_str(self));
    return true;
}

// Order is that of the code points, never of a language. Another type declines,
// so that its reflected method has a turn.
// == of a str and anything else is False in the end, when the other side has
// declined as well.
static Value str_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (!value_is_str(a) || !value_is_str(b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Str *x = value_as_str(a), *y = value_as_str(b);
    if (!note_text(vm, x) || !note_text(vm, y)) {
        return VALUE_FAIL;
    }
    if (op == COMPARE_EQ || op == COMPARE_NE) {
        return value_from_bool(str_equal(x, y) == (op == COMPARE_EQ));
    }
    // Byte order of UTF-8 is the order of code points, so no text is decoded
    // here.
    int order = str_order(x, y);
    return value_from_order(op, order);
}

// Bytes copied between two polls, of what has been written already.
enum { REPEAT_PIECE = 1 << 20 };

// All room at once, so that too long a text fails before it is made; what has
// been written is copied on, twice as much each time up to a piece that leaves
// Ctrl-C a chance.
// Owned; NULL: no memory, or Ctrl-C. Neither the text nor the count is empty.
static Str *repeated(Vm *vm, const Str *str, size_t count)
{
    size_t length = str->length * count, done = str->length;
    Str *made = str_of_size(vm, length);
    if (made == NULL) {
        return NULL;
    }
    bool ok = bulk_copy(&vm->ctx, made->text, str->text, done);
    while (ok && done < length) {
        // A piece holds whole copies of the text, so what is copied always
        // begins at the start of one.
        size_t more = done < REPEAT_PIECE ? done
                      : str->length > REPEAT_PIECE
                          ? str->length
                          : REPEAT_PIECE / str->length * str->length;
        more = more < length - done ? more : length - done;
        ok = bulk_copy(&vm->ctx, made->text + done, made->text, more) &&
             ctx_poll(&vm->ctx);
        done += more;
    }
    if (!ok) {
        object_release(&vm->ctx, made);
        return NULL;
    }
    made->count = str->count * count;
    return made;
}

// A negative count gives the empty text. The bound keeps the product from
// overflowing.
// A subclass gives plain text even for a count of 1, hence str_exact.
static Value str_repeat(Vm *vm, Str *str, Value times)
{
    int64_t count;
    if (!value_to_count(vm, times, &count)) {
        return VALUE_FAIL;
    }
    count = count < 0 ? 0 : count;
    if (str->length != 0 && (uint64_t)count > PTRDIFF_MAX / 4 / str->length) {
        return sequence_too_long(vm, "string is", str->count, count);
    }
    // Also of a subclass: the result is plain.
    if (count == 0 || str->length == 0) {
        return value_or_fail(str_new(vm, "", 0));
    }
    return value_or_fail(count == 1 ? str_exact(vm, str)
                                    : repeated(vm, str, (size_t)count));
}

// Also called with the str on the right (3 * "a"); `left` tells the sides
// apart. `%` is formatting, and only of a str on the left.
// For any other operand it declines, and the other type has its turn; who fails
// then raises the TypeError.
static Value str_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool left = value_is_str(a);
    if (op == BINARY_ADD && left && value_is_str(b)) {
        return value_or_fail(str_concat(vm, value_as_str(a), value_as_str(b)));
    }
    if (op == BINARY_MUL && value_is_index(vm, left ? b : a)) {
        return str_repeat(vm, value_as_str(left ? a : b), left ? b : a);
    }
    if (op == BINARY_MOD && left) {
        return format_percent(vm, a, b);
    }
    return VALUE_NOT_IMPLEMENTED;
}

static int64_t str_length(Vm *vm, Value self)
{
    Str *str = value_as_str(self);
    return note_text(vm, str) ? (int64_t)str->count : -1;
}

// The indices count code points and the text is UTF-8, so each is turned into a
// byte offset. Only step 1 is one piece of the text.
// Three ways: one copy of bytes, bytes at a step where each is a character, and
// characters one by one.
static Value str_get_slice(Vm *vm, Str *str, Slice *slice)
{
    int64_t start, step, count;
    if (!slice_indices(vm, slice, (int64_t)str->count, &start, &step, &count)) {
        return VALUE_FAIL;
    }
    if (step == 1) {
        return value_or_fail(
            str_slice(vm, str, (size_t)start, (size_t)(start + count)));
    }
    // ASCII alone: bytes and characters are the same places.
    if (str->count == str->length && count > 1) {
        Str *made = str_of_size(vm, (size_t)count);
        for (int64_t i = 0; made != NULL && i < count; i++) {
            made->text[i] = str->text[start + i * step];
        }
        return value_or_fail(made);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (int64_t i = 0; i < count && strbuf_ok(&out); i++) {
        size_t at = str_offset(vm, str, (size_t)(start + i * step));
        size_t next = str_offset(vm, str, (size_t)(start + i * step + 1));
        strbuf_add(&out, str->text + at, next - at);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// sequence_index fails without a pending error if the index is out of range:
// the text of that IndexError is the caller's.
// Owned; a character is a str of one code point.
static Value str_get_item(Vm *vm, Value self, Value key)
{
    Str *str = value_as_str(self);
    if (!note_text(vm, str)) {
        return VALUE_FAIL;
    }
    if (value_is_kind(key, KIND_SLICE)) {
        return str_get_slice(vm, str, (Slice *)value_object(key));
    }
    size_t index;
    if (!value_is_index(vm, key) && !value_is_kind(key, KIND_INT)) {
        return raise_error(vm, ERR_TYPE,
                           "string indices must be integers, not '%s'",
                           type_name(type_of(vm, key)));
    }
    if (!sequence_index(vm, "string", key, &str->count, &index)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_INDEX, "string index out of range");
    }
    return value_or_fail(str_char_at(vm, str, index));
}

// A search of bytes is exact, since in UTF-8 no code point's bytes occur within
// another's. The empty text is in every text.
static int str_contains(Vm *vm, Value self, Value item)
{
    if (value_is_kind(item, KIND_SYMBOLIC) && vm->hooks != NULL) {
        vm->hooks->refuse(vm, NEED_TEXT, item);
    }
    if (vm_has_error(vm)) {
        return -1;
    }
    if (!value_is_str(item)) {
        return raise_int(vm, ERR_TYPE,
                         "'in <string>' requires string as left operand, not "
                         "%s",
                         type_name(type_of(vm, item)));
    }
    Str *str = value_as_str(self), *part = value_as_str(item);
    if (!note_text(vm, str) || !note_text(vm, part)) {
        return -1;
    }
    // One byte is an ASCII character, which memchr finds at once.
    if (part->length == 1) {
        return memchr(str->text, part->text[0], str->length) != NULL;
    }
    bool found = text_search(&vm->ctx, str->text, str->text + str->length,
                             (TextRange){part->text, part->length}) != NULL;
    return found || !ctx_failed(&vm->ctx) ? found : -1;
}

// position: in bytes.
// state[0] is the text until the end is reached, then unbound: an iterator that
// is exhausted stays so.
static Value str_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Str *str = value_as_str(self->state[0]);
    if (self->position >= str->length) {
        value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
        return VALUE_STOP;
    }
    const char *at = str->text + self->position;
    uint32_t codepoint;
    if ((unsigned char)*at < 0x80) {
        self->position++;
        return value_or_fail(str_new_ascii(vm, at, 1));
    }
    size_t size = utf8_decode(at, str->length - self->position, &codepoint);
    size = size == 0 ? 3 : size; // a lone surrogate
    self->position += size;
    return value_or_fail(str_new(vm, at, size));
}

// There are two iterator types and programs can see which: names differ, the
// step is the same.
// The iterator keeps the text alive.
static Value str_iter(Vm *vm, Value self)
{
    Str *str = value_as_str(self);
    if (!note_text(vm, str)) {
        return VALUE_FAIL;
    }
    Iterator *iterator = iterator_new(
        vm, &iterator_counted_def,
        str->count == str->length ? "str_ascii_iterator" : "str_iterator",
        str_step);
    if (iterator == NULL) {
        return VALUE_FAIL;
    }
    iterator->state[0] = value_retain(self);
    return value_from_object(iterator);
}

static Value str_of_bytes(Vm *vm, const Value *parts)
{
    if (value_is_str(parts[0])) {
        return raise_error(vm, ERR_TYPE, "decoding str is not supported");
    }
    if (!value_is_kind(parts[0], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE,
                           "decoding to str: need a bytes-like object, %s "
                           "found",
                           type_name(type_of(vm, parts[0])));
    }
    return bytes_decode(vm, "str", parts[0], parts[1], parts[2]);
}

// object, encoding and errors, by position or keyword. Borrowed.
// False: an error is pending. A part that was not given is unbound.
static bool str_arguments(Vm *vm, Tuple *args, Dict *keywords, Value *parts)
{
    static const char *const names[] = {"object", "encoding", "errors"};
    // By position first; a keyword of the same parameter then replaces it.
    size_t given = args->count + (keywords == NULL ? 0 : keywords->count);
    if (given > 3) {
        return raise_false(
            vm, ERR_TYPE, "str() takes at most 3 arguments (%zu given)", given);
    }
    for (size_t i = 0; i < 3; i++) {
        parts[i] = i < args->count ? args->items[i] : VALUE_UNBOUND;
    }
    uint32_t at = 0;
    Value key, value;
    // Names were made sure to be strs when the call was made.
    while (keywords != NULL && dict_next(keywords, &at, &key, &value)) {
        size_t i = 0;
        while (i < 3 && !str_is(value_as_str(key), names[i])) {
            i++;
        }
        if (i == 3) {
            return raise_false(vm, ERR_TYPE,
                               "'%s' is an invalid keyword argument for str()",
                               value_as_str(key)->text);
        }
        parts[i] = value;
    }
    return arguments_text(vm, "str", names[1], parts[1]) &&
           arguments_text(vm, "str", names[2], parts[2]);
}

// With an encoding or error handler it decodes bytes, otherwise it is the
// object's __str__. The text of a subclass instance is a copy of its own.
// Owned. An instance of a subclass goes through the same texts first, so that
// its __str__ counts.
static Value str_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    Value parts[3];
    if (!str_arguments(vm, args, keywords, parts)) {
        return VALUE_FAIL;
    }
    Value made;
    if (value_unbound(parts[0])) {
        made = value_or_fail(str_new(vm, "", 0));
    } else if (!value_unbound(parts[1]) || !value_unbound(parts[2])) {
        made = str_of_bytes(vm, parts);
    } else {
        made = value_or_fail(value_str(vm, parts[0]));
    }
    if (value_failed(made) || cls == vm->types[KIND_STR]) {
        return made;
    }
    Str *self = str_of_class(vm, cls, value_as_str(made));
    release(vm, made);
    return value_or_fail(self);
}

const TypeDef str_type_def = {
    .name = "str",
    .doc = "Text, a sequence of code points: str(object='').",
    .params = "object='', /",
    .kind = KIND_STR,
    .size = sizeof(Str),
    .flags = TYPE_JOINS,
    .operators = "add mul rmul mod rmod",
    .slots = {.destroy = str_destroy,
              .make = str_make,
              .repr = str_repr,
              .str = str_str,
              .format = format_str,
              .hash = str_hash_slot,
              .compare = str_compare,
              .binary = str_binary,
              .length = str_length,
              .get_item = str_get_item,
              .contains = str_contains,
              .iter = str_iter},
    .methods = str_methods,
    .static_methods = str_static_methods,
};
