// str: the object itself. Its methods are in str_methods.c, the table of
// interned ones in str_intern.c.
//
// Invariant: text is valid UTF-8 (lone surrogates in three bytes) and ends
// with a NUL that length does not count; count == length means ASCII, and
// then every offset is its index.
#include "interp/objects/text/obj_str.h"

#include "base/bulk.h"
#include "base/map.h"
#include "base/utf8.h"

// Code points between two entries of a Str's index.
enum { INDEX_STEP = 64 };

// A Str with room for `capacity` bytes; text and count are the caller's.
static Str *str_alloc_of(Vm *vm, Type *cls, size_t capacity)
{
    if (capacity > PTRDIFF_MAX / 2) {
        return ctx_fail_memory(&vm->ctx), NULL;
    }
    // What the size class has over is room to grow in.
    size_t size = (str_size(capacity) + 15) & ~(size_t)15;
    Str *str = object_new(vm, cls, size);
    if (str != NULL) {
        str->capacity = size - sizeof(Str) - 1;
        str->hash = 0;
        str->index = NULL;
    }
    return str;
}

// A plain str. NULL: failed. What object_new does for its type, written out:
// strs are not tracked and their class is not counted.
static inline Str *str_alloc(Vm *vm, size_t capacity)
{
    Type *cls = vm->types[KIND_STR];
    if (UNLIKELY(capacity > PTRDIFF_MAX / 2)) {
        return ctx_fail_memory(&vm->ctx), NULL;
    }
    size_t size = (str_size(capacity) + 15) & ~(size_t)15;
    Str *str = ctx_alloc(&vm->ctx, size);
    if (LIKELY(str != NULL)) {
        str->head = (Object){
            .rc = 1, .kind = KIND_STR, .birth = vm->ctx.birth, .type = cls};
        str->capacity = size - sizeof(Str) - 1;
        str->hash = 0;
        str->index = NULL;
    }
    return str;
}

// Copies a text of any length; most are short, for which two moves that
// overlap do without a call.
static inline void copy_text(char *to, const char *from, size_t length)
{
    if (length > 16) {
        memcpy(to, from, length);
    } else if (length >= 8) {
        uint64_t head, tail;
        memcpy(&head, from, 8);
        memcpy(&tail, from + length - 8, 8);
        memcpy(to, &head, 8);
        memcpy(to + length - 8, &tail, 8);
    } else if (length >= 4) {
        uint32_t head, tail;
        memcpy(&head, from, 4);
        memcpy(&tail, from + length - 4, 4);
        memcpy(to, &head, 4);
        memcpy(to + length - 4, &tail, 4);
    } else {
        for (size_t i = 0; i < length; i++) {
            to[i] = from[i];
        }
    }
}

// Puts a text of any length into a new str. Takes it: NULL, interrupted.
static Str *filled(Vm *vm, Str *str, const char *text, size_t length)
{
    if (UNLIKELY(!bulk_copy(&vm->ctx, str->text, text, length))) {
        object_release(&vm->ctx, str);
        return NULL;
    }
    return str;
}

// A copy, since the text stands inside the object. NULL: failed.
Str *str_of_class(Vm *vm, Type *cls, const Str *text)
{
    Str *str = str_alloc_of(vm, cls, text->length);
    if (str == NULL) {
        return NULL;
    }
    str->length = text->length;
    str->count = text->count;
    return filled(vm, str, text->text, text->length + 1);
}

// The str itself, or the plain copy of an instance of a subclass. Owned.
Str *str_exact(Vm *vm, Str *str)
{
    Type *plain = vm->types[KIND_STR];
    return str->head.type == plain ? object_retain(str)
                                   : str_of_class(vm, plain, str);
}

// `count` code points in `length` bytes, which the caller knows. The empty str
// and those of one ASCII character are shared, hence never grown in place.
static Str *str_new_counted(Vm *vm, const char *text, size_t length,
                            size_t count)
{
    if (UNLIKELY(length <= 1)) {
        // One byte is ASCII; the mask keeps a stray byte inside the table.
        Str *shared =
            length == 0 ? vm->empty_str : vm->char_strs[text[0] & 127];
        if (shared != NULL) {
            return object_retain(shared);
        }
    }
    Str *str = str_alloc(vm, length);
    if (str == NULL) {
        return NULL;
    }
    str->text[length] = '\0';
    str->length = length;
    str->count = count;
    if (UNLIKELY(length > BULK_PIECE)) {
        return filled(vm, str, text, length);
    }
    copy_text(str->text, text, length);
    return str;
}

// For the caller to fill: counted as ASCII until it sets `count`.
Str *str_of_size(Vm *vm, size_t length)
{
    Str *str = str_alloc(vm, length);
    if (str != NULL) {
        str->length = str->count = length;
        str->text[length] = '\0';
    }
    return str;
}

// One allocation for the whole, as f-strings need it. The parts are strs.
Str *str_of_parts(Vm *vm, const Value *values, size_t count)
{
    size_t length = 0, points = 0;
    for (size_t i = 0; i < count; i++) {
        length += value_as_str(values[i])->length;
        points += value_as_str(values[i])->count;
    }
    if (length <= 1) {
        // One of the shared ones.
        for (size_t i = 0; i < count; i++) {
            if (value_as_str(values[i])->length != 0) {
                return str_exact(vm, value_as_str(values[i]));
            }
        }
        return object_retain(vm->empty_str);
    }
    // The parts are copied once, and nothing is counted again.
    Str *str = str_of_size(vm, length);
    size_t at = 0;
    for (size_t i = 0; str != NULL && i < count; i++) {
        const Str *part = value_as_str(values[i]);
        if (!bulk_copy(&vm->ctx, str->text + at, part->text, part->length)) {
            object_release(&vm->ctx, str);
            return NULL;
        }
        at += part->length;
    }
    if (str != NULL) {
        str->count = points;
    }
    return str;
}

// Any valid UTF-8; counts its code points. NULL: failed.
Str *str_new(Vm *vm, const char *text, size_t length)
{
    return str_new_counted(vm, text, length, utf8_count(text, length));
}

// The caller vouches for ASCII, which saves the count.
Str *str_new_ascii(Vm *vm, const char *text, size_t length)
{
    return str_new_counted(vm, text, length, length);
}

Str *str_from(Vm *vm, const char *text)
{
    return str_new(vm, text, strlen(text));
}

// The format is C's. NULL with an error pending.
Str *str_printf(Vm *vm, const char *format, ...)
{
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&buf, format, args);
    va_end(args);
    return str_from_buf(vm, &buf);
}

// Frees the buffer in any case. A buffer that failed has its error pending.
Str *str_from_buf(Vm *vm, StrBuf *buf)
{
    Str *str = NULL;
    if (strbuf_ok(buf)) {
        str = str_new(vm, strbuf_text(buf), buf->length);
    } else if (!ctx_failed(&vm->ctx) && value_unbound(vm->exception)) {
        // A part that asked a program's object, and forgave its error, took
        // the buffer's own error with it.
        ctx_fail_memory(&vm->ctx);
    }
    strbuf_free(buf);
    return str;
}

// For the empty text the kept 0 is the hash, which is quickly found again.
uint64_t str_hash_slow(Str *str)
{
    str->hash = text_hash(str->text, str->length);
    return str->hash;
}

bool str_equal_slow(const Str *a, const Str *b)
{
    return memcmp(a->text, b->text, a->length) == 0;
}

int str_order(const Str *a, const Str *b)
{
    // UTF-8 orders its bytes as the code points.
    size_t length = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, length);
    return order != 0 ? order
                      : (a->length > b->length) - (a->length < b->length);
}

// For comparisons with names in C; no object is made.
bool str_is(const Str *str, const char *text)
{
    return strlen(text) == str->length &&
           memcmp(str->text, text, str->length) == 0;
}

// One offset for each INDEX_STEP code points, the first one at 0.
static size_t index_size(const Str *str)
{
    return (str->count / INDEX_STEP + 1) * sizeof(uint32_t);
}

// The table of interned strs counts none of them, so a dying one takes itself
// out.
void str_destroy(Vm *vm, Object *self)
{
    Str *str = (Str *)self;
    if ((self->flags & STR_INTERNED) && vm->interned != NULL) {
        str_intern_forget(vm, str);
    }
    if (str->index != NULL) {
        ctx_free(&vm->ctx, str->index, index_size(str));
    }
    object_free(vm, str, str_size(str->capacity));
}

// With an empty side, the other one itself: strs are immutable.
Str *str_concat(Vm *vm, Str *a, Str *b)
{
    if (a->length == 0 || b->length == 0) {
        return str_exact(vm, a->length == 0 ? b : a);
    }
    Str *str = str_alloc(vm, a->length + b->length);
    if (str == NULL) {
        return NULL;
    }
    str->length = a->length + b->length;
    str->count = a->count + b->count;
    if (UNLIKELY(!bulk_copy(&vm->ctx, str->text, a->text, a->length) ||
                 !bulk_copy(&vm->ctx, str->text + a->length, b->text,
                            b->length + 1))) {
        object_release(&vm->ctx, str);
        return NULL;
    }
    return str;
}

// Nobody else can see `a`: not shared, not in a table by its hash.
static bool may_grow(const Str *a)
{
    return a->head.rc == 1 && a->index == NULL &&
           (a->head.type->flags & TYPE_HEAP) == 0 &&
           !(a->head.flags & (STR_INTERNED | OBJECT_WEAKLY_REFERENCED));
}

// Takes `a`. A trick for s += t: nobody can tell a str that was grown in place
// from a new one if its only reference was this one.
Str *str_append(Vm *vm, Str *a, Str *b)
{
    if (!may_grow(a) || a == b) {
        Str *result = str_concat(vm, a, b);
        object_release(&vm->ctx, a);
        return result;
    }
    // `b` is not `a`, so its text stays where it is.
    size_t length = a->length + b->length;
    if (length > a->capacity) {
        // A quarter more each time, so that n appends cost O(n).
        Str *grown = str_alloc(vm, length + length / 4);
        if (grown == NULL) {
            object_release(&vm->ctx, a);
            return NULL;
        }
        grown->length = a->length;
        grown->count = a->count;
        grown = filled(vm, grown, a->text, a->length);
        object_release(&vm->ctx, a);
        a = grown;
        if (a == NULL) {
            return NULL;
        }
    }
    if (!bulk_copy(&vm->ctx, a->text + a->length, b->text, b->length + 1)) {
        object_release(&vm->ctx, a);
        return NULL;
    }
    a->length = length;
    a->count += b->count;
    a->hash = 0;
    return a;
}

// Makes the table of every 64th code point's offset; short of memory, the
// caller scans from the start instead.
static void make_index(Vm *vm, Str *str)
{
    uint32_t *index = ctx_alloc(&vm->ctx, index_size(str));
    if (index == NULL) {
        ctx_clear(&vm->ctx);
        return;
    }
    // Each step begins where the last one ended: one pass over the text.
    size_t offset = 0;
    for (size_t i = 0; i * INDEX_STEP <= str->count; i++) {
        index[i] = (uint32_t)offset;
        offset +=
            utf8_offset(str->text + offset, str->length - offset, INDEX_STEP);
    }
    str->index = index;
}

// The byte at which code point `index` begins. ASCII needs no walk, short texts
// a short one; long texts get the index, which makes each look-up O(1).
size_t str_offset(Vm *vm, Str *str, size_t index)
{
    if (index >= str->count) {
        return str->length;
    }
    if (str->count == str->length) {
        return index;
    }
    size_t start = 0;
    // The index holds 32-bit offsets.
    if (str->count > 2 * INDEX_STEP && str->length <= UINT32_MAX) {
        if (str->index == NULL) {
            make_index(vm, str);
        }
        if (str->index != NULL) {
            start = str->index[index / INDEX_STEP];
            index %= INDEX_STEP;
        }
    }
    return start + utf8_offset(str->text + start, str->length - start, index);
}

// The first byte's mask works for 2 to 4 bytes: as many high bits are dropped
// as the sequence has bytes, and the 0 behind.
uint32_t str_first_point(const Str *text)
{
    const unsigned char *bytes = (const unsigned char *)text->text;
    uint32_t code = bytes[0];
    if (code < 0x80) {
        return code;
    }
    int size = code >= 0xF0 ? 4 : code >= 0xE0 ? 3 : 2;
    code &= 0x7Fu >> size;
    for (int i = 1; i < size; i++) {
        code = code << 6 | (bytes[i] & 0x3F);
    }
    return code;
}

// The index that str_offset makes is searched by halving, so that a text with
// many matches is not counted through for each.
size_t str_index_of(Vm *vm, Str *str, size_t offset)
{
    if (str->count == str->length) {
        return offset;
    }
    if (str->count <= 2 * INDEX_STEP || str->length > UINT32_MAX) {
        return utf8_count(str->text, offset);
    }
    if (str->index == NULL) {
        make_index(vm, str);
    }
    if (str->index == NULL) {
        return utf8_count(str->text, offset);
    }
    size_t low = 0, high = str->count / INDEX_STEP;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (str->index[middle] <= offset) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low * INDEX_STEP +
           utf8_count(str->text + str->index[low], offset - str->index[low]);
}

Str *str_char_at(Vm *vm, Str *str, size_t index)
{
    size_t offset = str_offset(vm, str, index);
    uint32_t codepoint;
    size_t length =
        utf8_decode(str->text + offset, str->length - offset, &codepoint);
    // A lone surrogate is not decoded: it has three bytes.
    return str_new_counted(vm, str->text + offset, length ? length : 3, 1);
}

// Code points start … end - 1. The whole is the same object, of a subclass a
// plain copy.
Str *str_slice(Vm *vm, Str *str, size_t start, size_t end)
{
    if (start >= end) {
        return str_new(vm, "", 0);
    }
    if (start == 0 && end >= str->count) {
        return str_exact(vm, str);
    }
    size_t from = str_offset(vm, str, start), to = str_offset(vm, str, end);
    return str_new_counted(vm, str->text + from, to - from, end - start);
}

// Quote and backslash are escaped, printable text stands as it is.
static void print_codepoint(StrBuf *out, const char *text, size_t length,
                            uint32_t codepoint, char quote)
{
    if (codepoint == (unsigned char)quote || codepoint == '\\') {
        strbuf_putc(out, '\\');
        strbuf_putc(out, (char)codepoint);
    } else if (codepoint >= ' ' && codepoint < 127) {
        strbuf_putc(out, (char)codepoint);
        // Controls, and what Unicode calls not printable, show as escapes.
    } else if (codepoint < 128 || !utf8_is_printable(codepoint)) {
        strbuf_escape(out, codepoint);
    } else {
        strbuf_add(out, text, length);
    }
}

// Quotes: double ones only if there is a single quote and no double one inside.
void str_print_repr(StrBuf *out, const char *text, size_t length)
{
    bool single = memchr(text, '\'', length) != NULL;
    char quote = single && memchr(text, '"', length) == NULL ? '"' : '\'';
    strbuf_putc(out, quote);
    for (size_t i = 0; i < length && strbuf_ok(out);) {
        uint32_t codepoint = (unsigned char)text[i];
        size_t size = 1;
        if (codepoint >= 128) {
            size = utf8_decode(text + i, length - i, &codepoint);
            if (size == 0) { // a lone surrogate
                size = 3;
                codepoint = 0xD000u | ((unsigned char)text[i + 1] & 63u) << 6 |
                            ((unsigned char)text[i + 2] & 63u);
            }
        }
        print_codepoint(out, text + i, size, codepoint, quote);
        i += size;
    }
    strbuf_putc(out, quote);
}
