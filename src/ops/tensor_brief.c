// The brief printed form of tensors: values alone, one blank between them, no
// common width. It is what a graph prints for a library that asks for the
// style "brief" (op_print); people read it in logs, so big tensors are cut
// early.
//
// Invariant: what the form shows does not depend on the machine: numbers have
// the digits of C's %g, and as many as give the value back.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/tensor.h"

// What all levels of the walk need.
typedef struct Brief {
    StrBuf *out;
    const Tensor *tensor;
    int64_t edge; // items shown at each end of an axis
    bool quote;   // strings stand in quotes
} Brief;

// The short form if it reads back as the value, else the long one: 6 or 9
// digits for float32, 15 or 17 for float64.
static void add_float(StrBuf *out, double value, bool single)
{
    char text[40];
    if (!isfinite(value)) {
        strbuf_puts(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(text, sizeof text, "%.*g", single ? 6 : 15, value);
    bool exact = single ? strtof(text, NULL) == (float)value
                        : strtod(text, NULL) == value;
    if (!exact) {
        snprintf(text, sizeof text, "%.*g", single ? 9 : 17, value);
    }
    strbuf_puts(out, text);
}

// Strings go out as they are, without escapes; bools count as ints.
static void add_item(const Brief *b, int64_t index)
{
    const Tensor *t = b->tensor;
    if (t->dtype == DT_STRING) {
        const TensorString *s = ((TensorString *const *)t->data)[index];
        strbuf_puts(b->out, b->quote ? "\"" : "");
        strbuf_add(b->out, s->bytes, s->length);
        strbuf_puts(b->out, b->quote ? "\"" : "");
    } else if (dtype_is_float((DType)t->dtype)) {
        add_float(b->out, tensor_float_at(t, index), t->dtype != DT_FLOAT64);
    } else {
        strbuf_printf(b->out, "%" PRId64, tensor_int_at(t, index));
    }
}

// Between two items of `axis`: a blank in a row; otherwise as many line ends
// as brackets close, and the indent of the brackets that stay open.
static void add_gap(const Brief *b, int axis)
{
    int inner = b->tensor->rank - 1 - axis;
    strbuf_pad(b->out, '\n', (size_t)inner);
    strbuf_pad(b->out, ' ', inner == 0 ? 1 : (size_t)axis + 1);
}

// One axis; the depth is bounded by SHAPE_MAX_RANK.
static void add_axis(const Brief *b, int axis, int64_t at)
{
    const Tensor *t = b->tensor;
    if (axis == t->rank) {
        add_item(b, at);
        return;
    }
    int64_t size = tensor_dims(t)[axis];
    bool cut = size / 2 >= b->edge && size > 2 * b->edge;
    strbuf_putc(b->out, '[');
    for (int64_t i = 0; i < size && strbuf_ok(b->out); i++) {
        if (i > 0 || b->edge == 0) {
            add_gap(b, axis);
        }
        if (cut && i == b->edge) {
            strbuf_puts(b->out, "...");
            i = size - b->edge - 1;
        } else {
            add_axis(b, axis + 1, at * size + i);
        }
    }
    strbuf_putc(b->out, ']');
}

// A scalar has no brackets: the walk ends before its first axis. No axis shows
// more items than there are elements, so one of a tensor that is empty shows
// three dots alone.
void tensor_print_brief(StrBuf *out, const Tensor *tensor, int64_t edge,
                        bool quote)
{
    bool all = edge < 0 || edge > tensor->count;
    Brief brief = {out, tensor, all ? tensor->count : edge, quote};
    add_axis(&brief, 0, 0);
}
