// Tensors: immutable, dense, row-major, counted.
//
// A Tensor is an Object (KIND_TENSOR) that holds a count on a Buffer; several
// tensors may share one (reshape, leading-axis slices: `offset`). Data of up
// to TENSOR_INLINE_MOST bytes (strings: TENSOR_INLINE_SIZE) lives in the tensor
// itself, which is then as long as that takes, and has no Buffer.
// Memory goes when its last reference goes. A kernel may write into an input
// only when the tensor's and the buffer's counts are both 1 and the caller
// gave the tensor up (tensor_reusable).
#ifndef DUET_OPS_TENSOR_H
#define DUET_OPS_TENSOR_H

#include "base/object.h"
#include "ops/shape.h"

enum {
    TENSOR_INLINE_RANK = 4,
    TENSOR_INLINE_SIZE = 64, // bytes of element data that all have room for
    TENSOR_INLINE_MOST = 256,
    BUFFER_ALIGNMENT = 64
};

typedef struct Buffer {
    _Atomic uint32_t refs;
    uint32_t flags; // what the elements are (tensor.c)
    size_t size;    // bytes usable at `data`
    void *data;     // BUFFER_ALIGNMENT-aligned, room to round up to it
    void *pool;     // the pool that takes it back, NULL: free it
} Buffer;

typedef struct Tensor {
    Object head;
    uint8_t dtype; // DType
    int8_t rank;
    uint16_t size;      // bytes of its own block
    uint32_t dims_size; // bytes of heap dims when rank > TENSOR_INLINE_RANK
    int64_t count;      // elements
    union {
        int64_t inline_dims[TENSOR_INLINE_RANK];
        int64_t *heap_dims;
    };
    Buffer *buffer; // NULL: the data is `small`
    void *data;     // first element; never NULL, even when count is 0
    _Alignas(16) char small[TENSOR_INLINE_SIZE];
} Tensor;

// Borrowed: valid as long as the tensor.
static inline const int64_t *tensor_dims(const Tensor *tensor)
{
    return tensor->rank <= TENSOR_INLINE_RANK ? tensor->inline_dims
                                              : tensor->heap_dims;
}
// A view of the tensor's type; the dims stay the tensor's.
static inline TensorType tensor_type(const Tensor *tensor)
{
    return (TensorType){(DType)tensor->dtype, tensor->rank,
                        tensor_dims(tensor)};
}

// A new tensor, count 1, elements undefined (string: all NULL, to be set by
// tensor_set_string before anyone reads). NULL with an error pending.
MUST_CHECK Tensor *tensor_new(Ctx *ctx, DType dtype, int rank,
                              const int64_t *dims);
// The same where the count of the shape is known, and known to be in bounds:
// from an earlier shape_count, as plans have it.
MUST_CHECK Tensor *tensor_new_counted(Ctx *ctx, DType dtype, int rank,
                                      const int64_t *dims, int64_t count);
// An empty list of tensors of a dtype, with room for some (tensor_list.h).
MUST_CHECK Tensor *tensor_list_new(Ctx *ctx, DType element, int64_t room);
// The same elements under another shape of equal count; shares the buffer.
MUST_CHECK Tensor *tensor_reshaped(Ctx *ctx, Tensor *tensor, int rank,
                                   const int64_t *dims);
// `count` elements from element `start` on, shares the buffer.
MUST_CHECK Tensor *tensor_window(Ctx *ctx, Tensor *tensor, int64_t start,
                                 int rank, const int64_t *dims);
// Of rank 0, owned; the value is converted to the dtype.
MUST_CHECK Tensor *tensor_scalar_int(Ctx *ctx, DType dtype, int64_t value);
MUST_CHECK Tensor *tensor_scalar_float(Ctx *ctx, DType dtype, double value);
MUST_CHECK Tensor *tensor_scalar_string(Ctx *ctx, const char *bytes,
                                        size_t length);
// Releases what the tensor owns and the tensor: the kind's dealloc.
void tensor_dealloc(Ctx *ctx, Tensor *tensor);
// Its memory may be overwritten by the one holder of this reference.
bool tensor_reusable(const Tensor *tensor);
// Sets element `index` of a string tensor to a copy of the bytes.
MUST_CHECK bool tensor_set_string(Ctx *ctx, Tensor *tensor, int64_t index,
                                  const char *bytes, size_t length);
// Elements as host numbers, by index in row-major order.
int64_t tensor_int_at(const Tensor *tensor, int64_t index); // not string
// So many of an int or bool tensor, from `first` on.
void tensor_read_ints(const Tensor *tensor, int64_t first, int64_t count,
                      int64_t *to);
double tensor_float_at(const Tensor *tensor, int64_t index); // not string
// Sets an element of a tensor that nobody else holds yet; converted as a cast
// would. Not string.
void tensor_set_int(Tensor *tensor, int64_t index, int64_t value);
// `index` counts elements in row-major order.
void tensor_set_float(Tensor *tensor, int64_t index, double value);
// Sets element `index` to a string that other tensors hold too.
void tensor_share_string(Ctx *ctx, Tensor *tensor, int64_t index,
                         TensorString *string);
// Of an element of 2, 4 or 8 bytes, its bits as they are: assigned as floats,
// signalling NaNs would become quiet ones on some processors.
uint64_t tensor_bits_at(const Tensor *tensor, int64_t index);
void tensor_set_bits(Tensor *tensor, int64_t index, uint64_t bits);
// dtype, shape and every byte (NaNs by bits) equal.
bool tensor_identical(const Tensor *a, const Tensor *b);

// Printed forms (staging.md 1), NumPy's layout. `prefix` is how far the first
// line is already indented, e.g. strlen("tensor("). `places`: the digits behind
// the point, at most; repr shows all that give the values back, str as many as
// NumPy.
enum { TENSOR_NUMPY_PLACES = 8, TENSOR_ALL_PLACES = 400 };
enum { TENSOR_BRIEF_EDGE = 3 }; // items at each end of an axis, in short
void tensor_print_str(StrBuf *out, const Tensor *tensor);
void tensor_print_repr(StrBuf *out, const Tensor *tensor);
// The array part alone, comma-separated ("[1., 2.]") or not ("[1. 2.]").
void tensor_print_array(StrBuf *out, const Tensor *tensor, int places,
                        bool commas, int prefix);
// "[1 2 3 ... 7 8 9]" (tensor_brief.c): `edge` items at each end of an axis,
// negative: all; `quote`: strings stand in quotes.
void tensor_print_brief(StrBuf *out, const Tensor *tensor, int64_t edge,
                        bool quote);

#endif
