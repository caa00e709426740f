// str and its building blocks. Text is UTF-8; a Str is immutable, except that
// one with count 1 that nobody else has seen may grow in place (str_append).
#ifndef DUET_INTERP_OBJECTS_TEXT_OBJ_STR_H
#define DUET_INTERP_OBJECTS_TEXT_OBJ_STR_H

#include "base/map.h"
#include "base/strbuf.h"
#include "interp/core/memory.h"
#include "interp/core/object_layout.h"

// Copies valid UTF-8. NULL: failed. "" and single ASCII characters are shared.
MUST_CHECK Str *str_new(Vm *vm, const char *text, size_t length);
// The caller knows that it is ASCII: the count is the length, and single
// characters are shared strs.
MUST_CHECK Str *str_new_ascii(Vm *vm, const char *text, size_t length);
MUST_CHECK Str *str_from(Vm *vm, const char *text); // NUL-terminated
// `length` ASCII characters, more than one, for the caller to write before
// anybody sees the Str.
MUST_CHECK Str *str_of_size(Vm *vm, size_t length);
// The strs among values[0 .. count), one behind the other.
MUST_CHECK Str *str_of_parts(Vm *vm, const Value *values, size_t count);
// NULL: memory. The text must be UTF-8.
MUST_CHECK Str *str_printf(Vm *vm, const char *format, ...) PRINTF_LIKE(2, 3);
// Takes the buffer's text (frees the buffer in any case); NULL if it failed.
MUST_CHECK Str *str_from_buf(Vm *vm, StrBuf *buf);
// A new Str of `cls`, str itself or a class that extends it.
MUST_CHECK Str *str_of_class(Vm *vm, Type *cls, const Str *text);
// The text itself, as a plain str if it is an instance of a subclass. Owned.
MUST_CHECK Str *str_exact(Vm *vm, Str *str);
// The one Str of this text: comparable by address.
MUST_CHECK Str *str_intern(Vm *vm, const char *text, size_t length);
MUST_CHECK Str *str_intern_str(Vm *vm, Str *str); // owned
// Borrowed; NULL: there is none. Takes no memory.
Str *str_interned(const Vm *vm, const char *text, size_t length);
// Takes a dying Str that is interned out of the table, which must be there.
void str_intern_forget(Vm *vm, const Str *str);
// Computes it and keeps it in the str.
uint64_t str_hash_slow(Str *str);
bool str_equal_slow(const Str *a, const Str *b);
// Order by code points: < 0, 0, > 0.
int str_order(const Str *a, const Str *b);
// Compares with a text of C.
bool str_is(const Str *str, const char *text);
MUST_CHECK Str *str_concat(Vm *vm, Str *a, Str *b);
// a + b where the reference to `a` is given up: in place if it is the only one.
MUST_CHECK Str *str_append(Vm *vm, Str *a, Str *b);
// The first code point, a lone surrogate included; 0 of an empty Str.
uint32_t str_first_point(const Str *text);
// Code point `index` (in range) as a Str.
MUST_CHECK Str *str_char_at(Vm *vm, Str *str, size_t index);
size_t str_offset(Vm *vm, Str *str, size_t index); // bytes
// The code points before byte `offset`, where one begins: str_offset's inverse.
size_t str_index_of(Vm *vm, Str *str, size_t offset);
// Code points [start, end), which is at most the count; "" where they cross.
MUST_CHECK Str *str_slice(Vm *vm, Str *str, size_t start, size_t end);
void str_destroy(Vm *vm, Object *self); // the type's destroy slot
// Forgets which strings are interned; vm_free calls it when no code runs.
void str_interned_free(Vm *vm);
// Appends Python's repr: quotes chosen, escapes.
void str_print_repr(StrBuf *out, const char *text, size_t length);

// The hash of str and bytes: 0 for the empty text, else never 0.
static inline uint64_t text_hash(const char *text, size_t length)
{
    return length == 0 ? 0 : map_hash(text, length);
}
// Kept in the str; 0 stands for "not computed", or for the empty text.
static inline uint64_t str_hash(Str *str)
{
    return LIKELY(str->hash != 0) ? str->hash : str_hash_slow(str);
}
// Lengths differ more often than hashes are known, so no hash is asked for.
// Every Str has room for eight bytes, so short texts are compared as one word,
// without the bytes behind their ends.
static inline bool str_equal(const Str *a, const Str *b)
{
    if (a == b || a->length != b->length) {
        return a == b;
    }
    if (a->length > sizeof(uint64_t)) {
        return str_equal_slow(a, b);
    }
    uint64_t x, y;
    memcpy(&x, a->text, sizeof x);
    memcpy(&y, b->text, sizeof y);
    // 0 bytes would be a shift by 64, which C leaves undefined.
    return a->length == 0 || (x ^ y) << (sizeof x - a->length) * 8 == 0;
}
static inline Value str_value(Str *str) // takes the count
{
    return value_from_object(str);
}
static inline Value str_value_from(Vm *vm, const char *text) // as str_from
{
    return value_or_fail(str_from(vm, text));
}
static inline bool value_is_str(Value v)
{
    return value_is_kind(v, KIND_STR);
}
static inline Str *value_as_str(Value v)
{
    return (Str *)value_object(v);
}

// A str whose hash and equality are those of str: a subclass may have its own.
static inline bool value_is_plain_str(Value v)
{
    return value_is_str(v) && (value_object(v)->type->flags & TYPE_HEAP) == 0;
}

// Equality of two keys of one hash, as dicts and sets ask it first: identity,
// strs and ints without a call. -1: it takes more to know.
static inline int key_equal_simple(Value stored, Value key)
{
    if (value_same(stored, key)) {
        return 1;
    }
    if (value_is_plain_str(stored) && value_is_plain_str(key)) {
        return str_equal(value_as_str(stored), value_as_str(key));
    }
    return value_both_ints(stored, key) ? 0 : -1;
}

#endif
