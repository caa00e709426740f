// bytes: the object, its operators and its constructor. Methods are in
// bytes_methods.c, encodings in codec.c.
#include "interp/objects/text/obj_bytes.h"
#include "base/bulk.h"

#include "base/map.h"
#include "base/utf8.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/bytes_methods.h"
#include "interp/objects/text/format.h"
#include "interp/objects/text/str_methods.h"
#include "interp/objects/text/text_range.h"

// data NULL leaves the bytes uninitialised for the caller to fill. A zero byte
// stands behind them, for C functions; `length` does not count it, and the data
// may hold zeros of its own.
Bytes *bytes_new(Vm *vm, const char *data, size_t length)
{
    // A header of 33 bytes must have room, too.
    if (length > (size_t)PTRDIFF_MAX - 33) {
        return raise_null(vm, ERR_OVERFLOW, "byte string is too large");
    }
    // The sums of sizes below cannot overflow then.
    if (length > PTRDIFF_MAX / 2) {
        return ctx_fail_memory(&vm->ctx), NULL;
    }
    Bytes *bytes =
        object_new(vm, vm->types[KIND_BYTES], sizeof *bytes + length + 1);
    if (bytes == NULL) {
        return NULL;
    }
    bytes->length = length;
    bytes->data[length] = '\0';
    if (data != NULL && !bulk_copy(&vm->ctx, bytes->data, data, length)) {
        object_release(&vm->ctx, bytes);
        return NULL;
    }
    return bytes;
}

// A copy of the data as a Value. VALUE_FAIL: failed.
Value bytes_value(Vm *vm, const char *data, size_t length)
{
    return value_or_fail(bytes_new(vm, data, length));
}

// Borrowed, and valid as long as the object. A zero byte ends it.
const char *bytes_text(Value v)
{
    return value_as_bytes(v)->data;
}

// Of bytes of any class.
// The kind is the caller's knowledge.
size_t bytes_length(Value v)
{
    return value_as_bytes(v)->length;
}

// The size must be the one that bytes_new asked for.
static void bytes_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof(Bytes) + ((Bytes *)self)->length + 1);
}

// One byte takes so many at most: \x and two digits.
enum { SHOWN_MAX = 4 };

// Writes one byte as repr shows it, and returns where it ends: only ASCII as it
// is, for bytes have no encoding. The other quote stands for itself.
static char *shown_byte(char *out, unsigned char c, char quote)
{
    static const char digits[] = "0123456789abcdef";
    bool plain = c >= ' ' && c < 127;
    if (plain && c != (unsigned char)quote && c != '\\') {
        *out++ = (char)c;
        return out;
    }
    *out++ = '\\';
    if (plain || c == '\n' || c == '\r' || c == '\t') {
        *out++ = plain ? (char)c : c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
        return out;
    }
    *out++ = 'x';
    *out++ = digits[c >> 4];
    *out++ = digits[c & 15];
    return out;
}

// Quotes: double ones only if there is a single quote and no double one inside.
// str() of bytes is this, too.
static Value bytes_repr(Vm *vm, Value self)
{
    Bytes *bytes = value_as_bytes(self);
    // Single quotes, unless there are single ones inside and no double ones.
    bool single = memchr(bytes->data, '\'', bytes->length) != NULL;
    char quote =
        single && memchr(bytes->data, '"', bytes->length) == NULL ? '"' : '\'';
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_putc(&out, 'b');
    strbuf_putc(&out, quote);
    // By pieces on the C stack: long bytes take no call for each of them.
    enum { PIECE = 256 };
    for (size_t i = 0; i < bytes->length && strbuf_ok(&out);) {
        if (!ctx_poll(&vm->ctx)) {
            strbuf_free(&out);
            return VALUE_FAIL;
        }
        char piece[PIECE * SHOWN_MAX], *end = piece;
        size_t stop = i + PIECE < bytes->length ? i + PIECE : bytes->length;
        for (; i < stop; i++) {
            end = shown_byte(end, (unsigned char)bytes->data[i], quote);
        }
        strbuf_add(&out, piece, (size_t)(end - piece));
    }
    strbuf_putc(&out, quote);
    return value_or_fail(str_from_buf(vm, &out));
}

// Not seeded: equal bytes hash alike in every run.
static bool bytes_hash(Vm *vm, Value self, uint64_t *hash)
{
    (void)vm;
    *hash = text_hash(bytes_text(self), bytes_length(self));
    return true;
}

// Bytewise, unsigned (memcmp), the shorter first among equal beginnings.
// Another type declines; == with a str is False then, and < a TypeError.
static Value bytes_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    (void)vm;
    if (!value_is_kind(a, KIND_BYTES) || !value_is_kind(b, KIND_BYTES)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    size_t x = bytes_length(a), y = bytes_length(b);
    int order = memcmp(bytes_text(a), bytes_text(b), x < y ? x : y);
    order = order != 0 ? order : (x > y) - (x < y);
    return value_from_order(op, order);
}

// Whether they are no instance of a subclass, so that they may stand for a copy
// of themselves.
static bool is_plain(Vm *vm, Value v)
{
    return type_of(vm, v) == vm->types[KIND_BYTES];
}

// Sum, product and formatting; sizes that would overflow are refused.
// At least one side is bytes. An instance of a subclass takes part like plain
// bytes, and the result is plain.
static Value bytes_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (op == BINARY_ADD && value_is_kind(a, KIND_BYTES) &&
        value_is_kind(b, KIND_BYTES)) {
        // Both lengths are below half the range, so the sum does not overflow.
        size_t x = bytes_length(a), y = bytes_length(b);
        if (x == 0 && is_plain(vm, b)) {
            return value_retain(b);
        }
        if (y == 0 && is_plain(vm, a)) {
            return value_retain(a);
        }
        Bytes *sum = bytes_new(vm, NULL, x + y);
        if (sum == NULL) {
            return VALUE_FAIL;
        }
        if (!bulk_copy(&vm->ctx, sum->data, bytes_text(a), x) ||
            !bulk_copy(&vm->ctx, sum->data + x, bytes_text(b), y)) {
            object_release(&vm->ctx, sum);
            return VALUE_FAIL;
        }
        return value_from_object(sum);
    }
    // The bytes stand on either side of *, on the left of %.
    bool left = value_is_kind(a, KIND_BYTES);
    if (op == BINARY_MOD && left) {
        return format_percent(vm, a, b);
    }
    if (op != BINARY_MUL || !value_is_index(vm, left ? b : a)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    int64_t times;
    Value self = left ? a : b;
    size_t length = bytes_length(self);
    if (!value_to_count(vm, left ? b : a, &times)) {
        return VALUE_FAIL;
    }
    // A negative count gives empty bytes; so does no length, however often it
    // is to be repeated.
    times = times < 0 || length == 0 ? 0 : times;
    if (length != 0 && (uint64_t)times > PTRDIFF_MAX / 4 / length) {
        return sequence_too_long(vm, "bytes are", length, times);
    }
    // As long as they were: plain bytes themselves.
    if ((size_t)times * length == length && is_plain(vm, self)) {
        return value_retain(self);
    }
    // Not filled yet: the loop does it piece by piece.
    Bytes *product = bytes_new(vm, NULL, length * (size_t)times);
    if (product == NULL) {
        return VALUE_FAIL;
    }
    // Polled once for each copy; a copy of many bytes is only bound by memory.
    for (int64_t i = 0; i < times; i++) {
        if (!ctx_poll(&vm->ctx) ||
            !bulk_copy(&vm->ctx, product->data + (size_t)i * length,
                       bytes_text(self), length)) {
            object_release(&vm->ctx, product);
            return VALUE_FAIL;
        }
    }
    return value_from_object(product);
}

// len() counts bytes; the zero byte at the end is none of them.
static int64_t bytes_length_slot(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)bytes_length(self);
}

// An index gives an int 0 … 255, a slice gives bytes. The char is signed on
// some machines, hence the cast.
// Slices of a subclass are plain bytes, too.
static Value bytes_get_item(Vm *vm, Value self, Value key)
{
    Bytes *bytes = value_as_bytes(self);
    if (value_is_kind(key, KIND_SLICE)) {
        int64_t start, step, count;
        if (!slice_indices(vm, (Slice *)value_object(key),
                           (int64_t)bytes->length, &start, &step, &count)) {
            return VALUE_FAIL;
        }
        // All of plain bytes, and nothing of none, is the bytes themselves.
        if ((size_t)count == bytes->length && (step == 1 || count == 0) &&
            is_plain(vm, self)) {
            return value_retain(self);
        }
        Bytes *part = bytes_new(vm, NULL, (size_t)count);
        for (int64_t i = 0; part != NULL && i < count; i++) {
            if (!ctx_poll_at(&vm->ctx, (size_t)i + 1)) {
                object_release(&vm->ctx, part);
                return VALUE_FAIL;
            }
            part->data[i] = bytes->data[start + i * step];
        }
        return value_or_fail(part);
    }
    size_t index;
    if (!sequence_index(vm, "byte", key, &bytes->length, &index)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_INDEX, "index out of range");
    }
    return value_from_small((unsigned char)bytes->data[index]);
}

// A run of bytes or one byte value. 1, 0, or -1 with an error pending.
// The empty part is in every bytes.
static int bytes_contains(Vm *vm, Value self, Value item)
{
    if (value_is_kind(item, KIND_BYTES)) {
        const Bytes *bytes = value_as_bytes(self);
        const Bytes *part = value_as_bytes(item);
        bool found =
            text_search(&vm->ctx, bytes->data, bytes->data + bytes->length,
                        (TextRange){part->data, part->length}) != NULL;
        return found || !ctx_failed(&vm->ctx) ? found : -1;
    }
    // A number is looked for as a byte.
    // What an __index__ raises is forgotten: the item is then asked for bytes,
    // which it has not got.
    Value number = value_index(vm, item);
    if (value_failed(number)) {
        raise_clear(vm);
        return raise_int(vm, ERR_TYPE,
                         "a bytes-like object is required, not '%s'",
                         type_name(type_of(vm, item)));
    }
    int64_t byte;
    if (!int_to_i64(number, &byte)) {
        byte = -1; // as much out of range as a small one
    }
    release(vm, number);
    if (byte < 0 || byte > 255) {
        return raise_int(vm, ERR_VALUE, "byte must be in range(0, 256)");
    }
    return memchr(bytes_text(self), (int)byte, bytes_length(self)) != NULL;
}

// state[0] is the bytes object, given up at the end: an iterator that is
// exhausted stays so and keeps nothing alive.
static Value bytes_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Bytes *bytes = value_as_bytes(self->state[0]);
    if (self->position < bytes->length) {
        return value_from_small((unsigned char)bytes->data[self->position++]);
    }
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

static Value bytes_iter(Vm *vm, Value self)
{
    Iterator *iterator =
        iterator_new(vm, &iterator_counted_def, "bytes_iterator", bytes_step);
    if (iterator == NULL) {
        return VALUE_FAIL;
    }
    iterator->state[0] = value_retain(self);
    return value_from_object(iterator);
}

// Plain bytes need no call; a subclass may define the method anew.
// Owned; VALUE_UNBOUND: its class has no __bytes__, and the other ways of
// making bytes have their turn.
Value bytes_from_method(Vm *vm, Value v)
{
    Type *cls = type_of(vm, v);
    Str *name = vm->names[NAME_BYTES];
    if (cls == vm->types[KIND_BYTES]) {
        return value_retain(v);
    }
    // Whether there is one is asked of the class, as for all special methods.
    if (!type_has(vm, cls, NAME_BYTES)) {
        return VALUE_UNBOUND;
    }
    Value made = value_call_method(vm, v, name, NULL, 0);
    if (value_failed(made) || value_is_kind(made, KIND_BYTES)) {
        return made;
    }
    raise_error(vm, ERR_TYPE, "__bytes__ returned non-bytes (type %s)",
                type_name(type_of(vm, made)));
    release(vm, made);
    return VALUE_FAIL;
}

// A number that fits no index is out of range like any other.
// False: an error is pending. Above the range, below it, or too long for a
// machine word: one message for all.
static bool byte_of(Vm *vm, Value item, int64_t *byte)
{
    *byte = -1;
    if (!value_to_index(vm, item, byte)) {
        if (!raise_matches(vm, ERR_OVERFLOW)) {
            return false;
        }
        raise_clear(vm);
    }
    return (*byte >= 0 && *byte <= 255) ||
           raise_false(vm, ERR_VALUE, "bytes must be in range(0, 256)");
}

// bytes(iterable of ints).
// No TypeError but that of a missing __iter__ is replaced here.
Value bytes_from_items(Vm *vm, Value iterable)
{
    Value iterator = value_iter(vm, iterable);
    if (value_failed(iterator)) {
        if (!raise_is_type_error(vm)) {
            return VALUE_FAIL;
        }
        // It is told what cannot be converted rather than that it cannot be
        // iterated.
        raise_clear(vm);
        return raise_error(vm, ERR_TYPE, "cannot convert '%s' object to bytes",
                           type_name(type_of(vm, iterable)));
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // Item by item: a wrong one ends it before the next is asked for.
    int64_t byte;
    Value item =
        value_ask_length(vm, iterable) ? value_next(vm, iterator) : VALUE_FAIL;
    while (!value_failed(item) && !value_same(item, VALUE_STOP)) {
        bool ok = byte_of(vm, item, &byte);
        release(vm, item);
        // A zero in place of a wrong one: the buffer is dropped anyway.
        strbuf_putc(&out, ok ? (char)byte : '\0');
        item = ok && strbuf_ok(&out) ? value_next(vm, iterator) : VALUE_FAIL;
    }
    release(vm, iterator);
    Value bytes = value_failed(item)
                      ? item
                      : bytes_value(vm, strbuf_text(&out), out.length);
    strbuf_free(&out);
    return bytes;
}

// bytes(n): n zeros.
// A count beyond the machine's range raises OverflowError in value_to_count.
static Value bytes_zeros(Vm *vm, Value number)
{
    int64_t count;
    if (!value_to_count(vm, number, &count)) {
        return VALUE_FAIL;
    }
    if (count < 0) {
        return raise_error(vm, ERR_VALUE, "negative count");
    }
    // bytes_new refuses a count that no memory can hold.
    Bytes *bytes = bytes_new(vm, NULL, (size_t)count);
    if (bytes == NULL) {
        return VALUE_FAIL;
    }
    if (!bulk_fill(&vm->ctx, bytes->data, 0, (size_t)count)) {
        object_release(&vm->ctx, bytes);
        return VALUE_FAIL;
    }
    return value_from_object(bytes);
}

// bytes(source=…, encoding=…, errors=…) as plain bytes.
// The order of the tests is fixed: with several mistakes at once it decides
// which is told.
static Value bytes_of_arguments(Vm *vm, Tuple *args, Dict *keywords)
{
    static const char *const names[] = {"source", "encoding", "errors"};
    Value parts[3];
    if (!arguments_spread(vm, "bytes", args, keywords, names, 3, 0, parts) ||
        !arguments_text(vm, "bytes", names[1], parts[1]) ||
        !arguments_text(vm, "bytes", names[2], parts[2])) {
        return VALUE_FAIL;
    }
    Value v = parts[0];
    bool text = !value_unbound(v) && value_is_str(v);
    // A str needs an encoding; nothing else may have one.
    if (text && !value_unbound(parts[1])) {
        return bytes_encode(vm, "bytes", v, parts[1], parts[2]);
    }
    if (!value_unbound(parts[1]) || !value_unbound(parts[2])) {
        return raise_error(vm, ERR_TYPE,
                           text ? "string argument without an encoding"
                           : value_unbound(parts[1])
                               ? "errors without a string argument"
                               : "encoding without a string argument");
    }
    if (value_unbound(v)) {
        return bytes_value(vm, "", 0);
    }
    // __bytes__ goes before everything but that.
    Value made = bytes_from_method(vm, v);
    if (!value_unbound(made)) {
        return made;
    }
    if (text) {
        return raise_error(vm, ERR_TYPE, "string argument without an encoding");
    }
    // Index before iterable: bytes(3) is three zeros, bytes([3]) the byte 3.
    if (value_is_index(vm, v)) {
        made = bytes_zeros(vm, v);
        // An __index__ that is none leaves the items.
        if (!value_failed(made) || !raise_is_type_error(vm)) {
            return made;
        }
        raise_clear(vm);
    }
    return bytes_from_items(vm, v);
}

// A subclass gets a copy in an object of its own: the bytes stand inside the
// object, whose size is fixed when it is allocated.
// Owned.
static Value bytes_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    Value made = bytes_of_arguments(vm, args, keywords);
    if (value_failed(made) || cls == vm->types[KIND_BYTES]) {
        return made;
    }
    size_t length = bytes_length(made);
    Bytes *self = object_new(vm, cls, sizeof *self + length + 1);
    if (self != NULL) {
        self->length = length;
        // With the zero byte.
        if (!bulk_copy(&vm->ctx, self->data, bytes_text(made), length + 1)) {
            object_release(&vm->ctx, self);
            self = NULL;
        }
    }
    release(vm, made);
    return value_or_fail(self);
}

// Not final: programs derive from bytes. The object's size depends on its
// length, so attributes of subclasses stand in front of it (memory.h).
const TypeDef bytes_type_def = {
    .name = "bytes",
    .doc = "An immutable sequence of bytes.",
    .params = "source=b'', encoding=None, errors=None, /",
    .kind = KIND_BYTES,
    .size = sizeof(Bytes),
    .flags = TYPE_JOINS,
    .operators = "add mul rmul mod rmod",
    .slots = {.destroy = bytes_destroy,
              .make = bytes_make,
              .repr = bytes_repr,
              // A __repr__ of a subclass has no say in its str.
              .str = bytes_repr,
              .hash = bytes_hash,
              .compare = bytes_compare,
              .binary = bytes_binary,
              .length = bytes_length_slot,
              .get_item = bytes_get_item,
              .contains = bytes_contains,
              .iter = bytes_iter},
    .methods = bytes_methods,
    .class_methods = bytes_class_methods,
    .static_methods = bytes_static_methods,
};
