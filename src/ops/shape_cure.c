// Cures for shapes that do not fit.
#include "ops/shape_cure.h"

#include <string.h>

static bool sizes_agree(int64_t a, int64_t b)
{
    return a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN;
}

static bool fits_broadcast(int64_t a, int64_t b)
{
    return sizes_agree(a, b) || a == 1 || b == 1;
}

// The only axis of two shapes of one rank on which they differ; -1: it is none,
// or not the only one.
static int only_difference(TensorType a, TensorType b)
{
    int found = -1, count = 0;
    for (int i = 0; a.rank == b.rank && i < a.rank; i++) {
        if (!sizes_agree(a.dims[i], b.dims[i])) {
            found = i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

// "; reshape (4,) to (4, 1)". Of unknown sizes a request has one at most, -1.
static void put_reshape(StrBuf *out, TensorType from, const Shape *to)
{
    int unknown = 0;
    for (int i = 0; i < to->rank; i++) {
        unknown += to->dims[i] == DIM_UNKNOWN;
    }
    if (unknown == 0) {
        strbuf_puts(out, "; reshape ");
        shape_print(out, from.rank, from.dims);
        strbuf_puts(out, " to ");
        shape_print(out, to->rank, to->dims);
    }
}

// The type's sizes, and `ones` axes of size 1 behind the first `at` of them.
static Shape with_ones(TensorType type, int at, int ones)
{
    Shape shape = {.rank = type.rank + ones};
    for (int i = 0; i < shape.rank; i++) {
        bool own = i < at || i >= at + ones;
        shape.dims[i] = own ? type.dims[i < at ? i : i - ones] : 1;
    }
    return shape;
}

// Whether the shape, of the rank of `type`, or less, broadcasts with it.
static bool broadcasts(const Shape *shape, TensorType type)
{
    bool fits = true;
    for (int i = 1; fits && i <= shape->rank; i++) {
        fits = fits_broadcast(shape->dims[shape->rank - i],
                              type.dims[type.rank - i]);
    }
    return fits;
}

// Axes that the narrow one lacks count as being in front; behind, or between,
// they may be what was meant.
static bool put_axes(StrBuf *out, TensorType narrow, TensorType wide)
{
    int lacks = wide.rank - narrow.rank;
    for (int ones = 1; ones <= lacks; ones++) {
        for (int at = narrow.rank; at > 0; at--) {
            Shape shape = with_ones(narrow, at, ones);
            if (broadcasts(&shape, wide)) {
                put_reshape(out, narrow, &shape);
                return true;
            }
        }
    }
    return false;
}

void shape_cure_broadcast(StrBuf *out, TensorType a, TensorType b)
{
    bool wide = a.rank >= b.rank;
    if (put_axes(out, wide ? b : a, wide ? a : b)) {
        return;
    }
    int least = wide ? b.rank : a.rank, i = 1;
    while (i < least &&
           fits_broadcast(a.dims[a.rank - i], b.dims[b.rank - i])) {
        i++;
    }
    strbuf_printf(out, "; %lld and %lld must be equal, or one of them 1",
                  (long long)a.dims[a.rank - i], (long long)b.dims[b.rank - i]);
}

void shape_cure_matmul(StrBuf *out, TensorType a, TensorType b)
{
    int64_t inner_a = a.dims[a.rank - 1];
    int64_t inner_b = b.dims[b.rank > 1 ? b.rank - 2 : 0];
    bool second = b.rank == 2 && inner_a == b.dims[1];
    bool first = a.rank == 2 && a.dims[0] == inner_b;
    bool last = b.rank > 2 && inner_a == b.dims[b.rank - 1];
    bool swapped = a.rank == 2 && b.rank == 2 && b.dims[1] == a.dims[0];
    if (first || second) {
        strbuf_printf(out, "; .T of %s fits",
                      !first    ? "the second"
                      : !second ? "the first"
                                : "either");
    } else if (last) {
        strbuf_puts(out, "; matrix_transpose of the second fits");
    } else if (swapped) {
        strbuf_puts(out, "; the other way round they fit");
    } else {
        strbuf_printf(out, "; %lld and %lld must be equal", (long long)inner_a,
                      (long long)inner_b);
    }
}

void shape_cure_concat(StrBuf *out, TensorType a, TensorType b, int axis)
{
    int lacks = a.rank - b.rank, other = only_difference(a, b);
    TensorType narrow = lacks > 0 ? b : a, wide = lacks > 0 ? a : b;
    if (lacks == 1 || lacks == -1) {
        Shape shape = with_ones(narrow, axis, 1);
        shape.dims[axis] = wide.dims[axis]; // which may be any
        TensorType made = {narrow.dtype, shape.rank, shape.dims};
        bool fits = shape_equal(wide.rank, wide.dims, made.rank, made.dims);
        shape.dims[axis] = 1;
        if (fits) {
            put_reshape(out, narrow, &shape);
            return;
        }
    }
    if (other >= 0) {
        strbuf_printf(out, "; along axis %d they fit", other);
    } else {
        strbuf_printf(out, "; all sizes but that of axis %d must be equal",
                      axis);
    }
}

void shape_cure_stack(StrBuf *out, TensorType a, TensorType b)
{
    int other = only_difference(a, b);
    if (other >= 0) {
        strbuf_printf(out, "; concat(..., %d) joins them", other);
    } else {
        strbuf_puts(out, "; all must have one shape");
    }
}

// -1 in place of the first size, or of the last, where the others divide.
void shape_cure_reshape(StrBuf *out, int64_t count, const Shape *asked)
{
    strbuf_printf(out, "; it has %lld elements", (long long)count);
    if (!shape_is_static(asked->rank, asked->dims)) {
        return;
    }
    for (int at = 0; at < asked->rank; at += asked->rank - 1) {
        int64_t rest = 1;
        bool over = false;
        for (int i = 0; i < asked->rank; i++) {
            int64_t size = i == at ? 1 : asked->dims[i];
            over = over || __builtin_mul_overflow(rest, size, &rest);
        }
        if (!over && rest > 0 && count % rest == 0) {
            Shape fits = {.rank = asked->rank};
            memcpy(fits.dims, asked->dims,
                   (size_t)asked->rank * sizeof *fits.dims);
            fits.dims[at] = count / rest;
            strbuf_puts(out, ", as ");
            shape_print(out, fits.rank, fits.dims);
            strbuf_puts(out, " does");
            return;
        }
        if (asked->rank == 1) {
            return;
        }
    }
}
