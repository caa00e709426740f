// Shape rules that ops share, and small helpers to write others.
#ifndef DUET_OPS_INFER_H
#define DUET_OPS_INFER_H

#include "ops/op.h"

// The common rule of elementwise ops: equal dtypes, broadcast shapes, dtype of
// the result by OpDesc.result. `where` leaves its condition out of the dtypes.
MUST_CHECK bool infer_elementwise(InferCall *call);
// The output has the type of input 0.
MUST_CHECK bool infer_same(InferCall *call);
// Whether an operand may be the gradient of a result of these four sizes.
MUST_CHECK bool infer_gradient_fits(const InferCall *call, TensorType grad,
                                    const int64_t dims[4]);
// The kernel of a view: runs the shape rule again, on the real types, and gives
// input 0 in that shape (ops_shape.c). Of one input or two.
MUST_CHECK bool infer_view(const KernelCall *call);
// Declares output `index`.
bool infer_output(InferCall *call, int index, DType dtype, int rank,
                  const int64_t *dims);

// Checks; each raises "op: …" and returns false.
// Of the inputs from `first` on, but for those that are `apart` (OpDesc).
MUST_CHECK bool infer_equal_dtypes(const InferCall *call, uint32_t first);
MUST_CHECK bool infer_dtype_refused(const InferCall *call, DType dtype);
MUST_CHECK bool infer_needs_float(const InferCall *call, DType dtype);
MUST_CHECK bool infer_needs_integer(const InferCall *call, uint32_t input);
MUST_CHECK bool infer_needs_dtype(const InferCall *call, uint32_t input,
                                  DType dtype);
// An unknown rank passes: the kernel meets the real one.
MUST_CHECK bool infer_needs_rank(const InferCall *call, uint32_t input,
                                 int least);
// Of input 0: floats, matrices in the last two axes, square ones.
MUST_CHECK bool infer_needs_square(InferCall *call);
// "op: text", with "%s" standing for shapes, one for each type.
bool infer_shape_error(const InferCall *call, const char *text, TensorType a);
// Always false; `text` has a %s for each of the types.
bool infer_shape_error2(const InferCall *call, const char *text, TensorType a,
                        TensorType b);
// The same with what would help at its end (shape_cure.h), which is freed.
bool infer_shape_cured(const InferCall *call, StrBuf *cure, const char *text,
                       TensorType a, TensorType b);

// The axes that an attribute names (int, ints, None: all), resolved, without
// doubles: bit i of *mask is axis i. The rank must be known.
MUST_CHECK bool infer_axes(Ctx *ctx, const char *op, const AttrValue *attr,
                           int rank, uint32_t *mask);
// Where an op is composed, or a gradient made, by the rank: false raises.
MUST_CHECK bool infer_knows_rank(Ctx *ctx, const char *op, int rank);
// One axis; None and a missing attribute give `otherwise`.
MUST_CHECK bool infer_axis(Ctx *ctx, const char *op, const AttrValue *attr,
                           int rank, int otherwise, int *axis);
// A vector attribute (ATTR_INTS, ATTR_INT, or ATTR_INPUT: an int operand) as
// sizes. Unknown elements become DIM_UNKNOWN; an unknown length RANK_UNKNOWN.
MUST_CHECK bool infer_ints(const InferCall *call, const AttrValue *attr,
                           Shape *out);
// Whether the host gives the attribute, or an operand whose value is known.
bool infer_known(const InferCall *call, const AttrValue *attr);
// One size, by the host or an operand: DIM_UNKNOWN if it is not known yet.
// Below 0: raises `kind`, "op: negative <what>".
MUST_CHECK bool infer_size(const InferCall *call, const AttrValue *attr,
                           ErrorKind kind, const char *what, int64_t *size);

// Input 0 is a list; *element is the type of its elements.
MUST_CHECK bool infer_list(InferCall *call, TensorType *element);
// Input `index`, an element to be or another list, is of this dtype. What a
// shape has in common with it stays known in `shape`.
MUST_CHECK bool infer_list_joined(InferCall *call, DType dtype, Shape *shape,
                                  uint32_t index);
// Input `input`, an index, is one int.
MUST_CHECK bool infer_list_index(InferCall *call, uint32_t input);
// *shape: what the type of the elements and attribute 0 tell of their shape.
MUST_CHECK bool infer_list_known(InferCall *call, TensorType element,
                                 Shape *shape);
// Output 0 is a list of such elements.
MUST_CHECK bool infer_list_output(InferCall *call, DType element,
                                  const Shape *shape);
// The rule of a list that also holds what input `index` is, or (`list`) what
// that one holds: input 0, and output 0.
MUST_CHECK bool infer_list_with(InferCall *call, uint32_t index, bool list);

// Sums and products of known sizes. What no int64 holds is INT64_MAX, which is
// refused where elements are counted (shape_count).
static inline int64_t infer_plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
static inline int64_t infer_times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// An attribute that was left out is ATTR_NONE, as None itself is.
static inline bool attr_given(const AttrValue *attr)
{
    return attr->kind != ATTR_NONE;
}
// The attribute's value, or `otherwise` where it was left out.
static inline int64_t attr_int(const AttrValue *attr, int64_t otherwise)
{
    return attr->kind == ATTR_INT ? attr->integer : otherwise;
}
// An attribute that may be None.
static inline bool attr_bool(const AttrValue *attr, bool otherwise)
{
    return attr->kind == ATTR_BOOL ? attr->boolean : otherwise;
}
// As attr_bool.
static inline DType attr_dtype(const AttrValue *attr, DType otherwise)
{
    return attr->kind == ATTR_DTYPE ? attr->dtype : otherwise;
}

#endif
