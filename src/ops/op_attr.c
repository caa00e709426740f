// Attribute values: equality, hash and printed form.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "ops/op.h"

// Decides which nodes are merged, so that it must never call two values equal
// that behave differently.
bool attr_equal(const AttrValue *a, const AttrValue *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case ATTR_NONE: return true;
    case ATTR_BOOL: return a->boolean == b->boolean;
    case ATTR_DTYPE: return a->dtype == b->dtype;
    case ATTR_FLOAT: // by bits: NaN equals itself, the zeros differ
        return memcmp(&a->number, &b->number, sizeof(a->number)) == 0;
    case ATTR_INTS:
        return a->count == b->count &&
               (a->count == 0 ||
                memcmp(a->ints, b->ints, a->count * sizeof(int64_t)) == 0);
    case ATTR_STR:
        return a->count == b->count && memcmp(a->text, b->text, a->count) == 0;
    default: return a->integer == b->integer;
    }
}

bool attr_is(const AttrValue *attr, const char *text)
{
    return attr->kind == ATTR_STR && attr->count == strlen(text) &&
           memcmp(attr->text, text, attr->count) == 0;
}

// Only the member that is set may be read: the others share its memory, and a
// bool sets one byte of eight.
// Equal values have equal hashes; the number added keeps kinds apart that have
// the same bits.
uint64_t attr_hash(const AttrValue *attr)
{
    switch (attr->kind) {
    case ATTR_INTS:
        return map_hash(attr->ints, attr->count * sizeof(int64_t)) + 1;
    case ATTR_STR: return map_hash(attr->text, attr->count) + 2;
    default: {
        int64_t value = attr->integer;
        // None may have any bits in its members.
        value = attr->kind == ATTR_NONE ? 0 : value;
        value = attr->kind == ATTR_BOOL ? attr->boolean : value;
        value = attr->kind == ATTR_DTYPE ? (int64_t)attr->dtype : value;
        return map_hash(&value, sizeof(value)) + (uint64_t)attr->kind;
    }
    }
}

// The missing bounds of a slice are kept as INT64_MIN.
static void print_int(StrBuf *out, int64_t value)
{
    if (value == ATTR_INT_NONE) {
        strbuf_puts(out, "None");
    } else {
        strbuf_printf(out, "%" PRId64, value);
    }
}

// A tuple of one needs its comma, as in Python.
static void print_ints(StrBuf *out, const AttrValue *attr)
{
    strbuf_putc(out, '(');
    for (uint32_t i = 0; i < attr->count; i++) {
        strbuf_puts(out, i > 0 ? ", " : "");
        print_int(out, attr->ints[i]);
    }
    strbuf_puts(out, attr->count == 1 ? ",)" : ")");
}

// The shortest decimal text that gives the number back.
// Few numbers need more than some digits, so the shortest is tried first.
static void print_number(StrBuf *out, double number)
{
    char text[40];
    // At most 17 significant digits are needed for a double.
    int digits = 1;
    if (isnan(number) || isinf(number)) {
        strbuf_puts(out, isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
        return;
    }
    do {
        snprintf(text, sizeof(text), "%.*g", digits, number);
    } while (strtod(text, NULL) != number && ++digits <= 17);
    strbuf_puts(out, text);
    // Marks the number as a float for the reader: 2 would come back as an int.
    strbuf_puts(out, strpbrk(text, ".e") == NULL ? ".0" : "");
}

// Bytes that are no UTF-8 are escaped all, so that the whole stays text.
// Single quotes only, which is what the reader of graphs knows.
static void print_quoted(StrBuf *out, const AttrValue *attr)
{
    size_t bad;
    // Valid UTF-8 goes out as it is, readable; only control bytes are escaped.
    bool raw = utf8_validate(attr->text, attr->count, false, &bad);
    strbuf_putc(out, '\'');
    for (uint32_t i = 0; i < attr->count; i++) {
        unsigned char byte = (unsigned char)attr->text[i];
        if (byte == '\'' || byte == '\\') {
            strbuf_printf(out, "\\%c", byte);
        } else if (byte < ' ' || byte == 0x7f || (byte > 0x7f && !raw)) {
            strbuf_printf(out, "\\x%02x", byte);
        } else {
            strbuf_putc(out, (char)byte);
        }
    }
    strbuf_putc(out, '\'');
}

// The text must read back as the same value: graphs are printed and parsed.
void attr_print(StrBuf *out, const AttrValue *attr)
{
    switch (attr->kind) {
    case ATTR_NONE: strbuf_puts(out, "None"); break;
    case ATTR_BOOL: strbuf_puts(out, attr->boolean ? "True" : "False"); break;
    case ATTR_INT: print_int(out, attr->integer); break;
    case ATTR_FLOAT: print_number(out, attr->number); break;
    case ATTR_DTYPE: strbuf_puts(out, dtype_name(attr->dtype)); break;
    case ATTR_INTS: print_ints(out, attr); break;
    case ATTR_STR: print_quoted(out, attr); break;
    case ATTR_INPUT: // as the graph's text writes operands
        strbuf_printf(out, "$%" PRId64, attr->integer);
        break;
    }
}
