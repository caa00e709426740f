// Shapes, and the type (dtype and shape) of a tensor that need not exist yet.
#ifndef DUET_OPS_SHAPE_H
#define DUET_OPS_SHAPE_H

#include "base/strbuf.h"
#include "ops/dtype.h"

enum {
    SHAPE_MAX_RANK = 32, // as NumPy 1
    RANK_UNKNOWN = -1,
    DIM_UNKNOWN = -1
};

// A shape with room of its own, for computing. Entries past `rank` are
// undefined: copy with shape_set, not by assignment.
typedef struct Shape {
    int rank;                     // RANK_UNKNOWN: dims mean nothing
    int64_t dims[SHAPE_MAX_RANK]; // DIM_UNKNOWN where a size is unknown
} Shape;

// What is known of a tensor before it exists; `dims` is borrowed from the
// tensor, the graph's arena or a Shape. Of a list (dtype_is_list) rank and
// sizes are those of each element.
typedef struct TensorType {
    DType dtype;
    int rank;
    const int64_t *dims;
} TensorType;

// Copies `rank` sizes; of an unknown rank none.
void shape_set(Shape *shape, int rank, const int64_t *dims);
// Ranks and sizes as numbers: unknown equals unknown.
bool shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b);
bool shape_is_static(int rank, const int64_t *dims); // all known, the rank too
// Elements of a static shape; false with ERR_OP_OVERFLOW past 2^62 bytes.
MUST_CHECK bool shape_count(Ctx *ctx, int rank, const int64_t *dims,
                            DType dtype, int64_t *count);
// NumPy's broadcasting, unknown sizes included; *out may alias neither.
// ERR_SHAPE "add: shapes (2, 3) and (4,) do not broadcast", op's name first.
MUST_CHECK bool shape_broadcast(Ctx *ctx, const char *op, TensorType a,
                                TensorType b, Shape *out);
// Resolves a possibly negative axis; ERR_OP_INDEX if out of range.
MUST_CHECK bool shape_axis(Ctx *ctx, const char *op, int64_t axis, int rank,
                           int *out);
// "(2, None, 3)", "(2,)", "()"; unknown rank: "<unknown>".
void shape_print(StrBuf *out, int rank, const int64_t *dims);
// "float32[2, ?]", "int32[...]", "list[float32[]]": the graph's form.
void tensor_type_print(StrBuf *out, TensorType type);

#endif
