// Shapes: comparison, broadcasting, axes, printing.
#include "ops/shape.h"

#include <inttypes.h>
#include <string.h>

#include "ops/shape_cure.h"

// So that sizes in bytes, and differences of them, fit an int64.
#define SHAPE_MAX_BYTES ((int64_t)1 << 62)

// A negative (unknown) rank has no dims to copy, and `dims` may be NULL.
void shape_set(Shape *shape, int rank, const int64_t *dims)
{
    shape->rank = rank;
    for (int i = 0; i < rank; i++) {
        shape->dims[i] = dims[i];
    }
}

// Unknown sizes are compared as values: two unknown ones count as equal.
// Callers to whom that matters ask shape_is_static first.
bool shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b)
{
    if (rank_a != rank_b) {
        return false;
    }
    for (int i = 0; i < rank_a; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

// Rank and sizes known: the type of a tensor that could be made.
// A scalar is static: it has no sizes that could be unknown.
bool shape_is_static(int rank, const int64_t *dims)
{
    for (int i = 0; i < rank; i++) {
        if (dims[i] == DIM_UNKNOWN) {
            return false;
        }
    }
    return rank != RANK_UNKNOWN;
}

// Division before multiplication, so that nothing overflows. As in NumPy the
// sizes beside a size of 0 have to fit, too: strides are products of them.
// False: raised, of negative sizes too.
bool shape_count(Ctx *ctx, int rank, const int64_t *dims, DType dtype,
                 int64_t *count)
{
    // The bound in elements.
    int64_t most = SHAPE_MAX_BYTES / (int64_t)dtype_size(dtype), total = 1;
    bool empty = false, over = false;
    for (int i = 0; i < rank; i++) {
        empty |= dims[i] == 0;
        over |= dims[i] < 0 || (dims[i] > 0 && total > most / dims[i]);
        total *= over || dims[i] == 0 ? 1 : dims[i];
    }
    if (over) {
        return ctx_fail(ctx, ERR_OP_OVERFLOW,
                        "a tensor of this shape would be too large");
    }
    *count = empty ? 0 : total;
    return true;
}

// Names both shapes in full: which axis is at fault is seen best there.
// Always false.
static bool shape_no_broadcast(Ctx *ctx, const char *op, TensorType a,
                               TensorType b)
{
    StrBuf text;
    strbuf_init(&text, ctx);
    strbuf_printf(&text, "%s: shapes ", op);
    shape_print(&text, a.rank, a.dims);
    strbuf_puts(&text, " and ");
    shape_print(&text, b.rank, b.dims);
    strbuf_puts(&text, " do not broadcast");
    shape_cure_broadcast(&text, a, b);
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_SHAPE, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// One size of a broadcast; an unknown size against 1 stays unknown, against
// more it must be that (or 1). False: they do not fit.
// A size of 0 against 1 gives 0.
static bool shape_broadcast_dim(int64_t a, int64_t b, int64_t *out)
{
    if (a == b || b == 1) {
        *out = a;
    } else if (a == 1) {
        *out = b;
    } else if (a == DIM_UNKNOWN || b == DIM_UNKNOWN) {
        *out = a == DIM_UNKNOWN ? b : a;
    } else {
        return false;
    }
    return true;
}

// NumPy's rule, from the last axis backwards; missing axes count as 1. An
// unknown rank makes the result's unknown.
// False: raised. `out` must not be the Shape that a or b borrows its sizes
// from.
bool shape_broadcast(Ctx *ctx, const char *op, TensorType a, TensorType b,
                     Shape *out)
{
    if (a.rank == RANK_UNKNOWN || b.rank == RANK_UNKNOWN) {
        out->rank = RANK_UNKNOWN;
        return true;
    }
    int rank = a.rank > b.rank ? a.rank : b.rank;
    out->rank = rank;
    for (int i = 1; i <= rank; i++) {
        // Axes counted from the last one, i = 1.
        int64_t size_a = i <= a.rank ? a.dims[a.rank - i] : 1;
        int64_t size_b = i <= b.rank ? b.dims[b.rank - i] : 1;
        if (!shape_broadcast_dim(size_a, size_b, &out->dims[rank - i])) {
            return shape_no_broadcast(ctx, op, a, b);
        }
    }
    return true;
}

// Below 0 counts from the end. A scalar has no axis at all: for rank 0 every
// number is out of range.
bool shape_axis(Ctx *ctx, const char *op, int64_t axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank) {
        return ctx_fail(ctx, ERR_OP_INDEX,
                        "%s: axis %" PRId64
                        " is out of range for a tensor of rank %d",
                        op, axis, rank);
    }
    // In bounds by now, so the conversion loses nothing.
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

// As Python prints a tuple, with None for what is unknown.
// An unknown rank is shown in a way that no Python value has.
void shape_print(StrBuf *out, int rank, const int64_t *dims)
{
    if (rank == RANK_UNKNOWN) {
        strbuf_puts(out, "<unknown>");
        return;
    }
    strbuf_putc(out, '(');
    for (int i = 0; i < rank; i++) {
        strbuf_puts(out, i > 0 ? ", " : "");
        if (dims[i] == DIM_UNKNOWN) {
            strbuf_puts(out, "None");
        } else {
            strbuf_printf(out, "%" PRId64, dims[i]);
        }
    }
    strbuf_puts(out, rank == 1 ? ",)" : ")");
}

// The graph's text: "float32[2, ?]"; read back by the graph parser.
void tensor_type_print(StrBuf *out, TensorType type)
{
    bool list = dtype_is_list(type.dtype);
    strbuf_printf(out, "%s%s[", list ? "list[" : "",
                  dtype_name(dtype_element(type.dtype)));
    if (type.rank == RANK_UNKNOWN) {
        strbuf_puts(out, "...");
    }
    for (int i = 0; i < type.rank; i++) {
        strbuf_puts(out, i > 0 ? ", " : "");
        if (type.dims[i] == DIM_UNKNOWN) {
            strbuf_putc(out, '?');
        } else {
            strbuf_printf(out, "%" PRId64, type.dims[i]);
        }
    }
    strbuf_puts(out, list ? "]]" : "]");
}
