// Tensors: making, sharing, freeing, and reading elements.
//
// Invariant: `data` points into `small` exactly when `buffer` is NULL. Only
// the tensor that allocated a buffer of strings may set them, before it is
// shared; the strings of a buffer are released with the buffer.
#include "ops/tensor_hold.h"

#include <stddef.h>
#include <string.h>

#include "base/bulk.h"
#include "kernels/half.h"
#include "kernels/pool.h"
#include "kernels/tier.h"

// Buffer.flags: release must know what the elements are when a tensor is gone.
enum {
    BUFFER_STRINGS = 1, // TensorString *
    BUFFER_TENSORS = 2, // Tensor *: of a list
    BUFFER_HELD = 4     // a number, and the object that it stands for
};

// The elements of a tensor that holds an object.
typedef struct Held {
    int64_t number; // the one element
    Object *object; // counted
} Held;

// The pool rounds `size` up; the buffer keeps what it was given, since that is
// what names the pool's size class on the way back. A buffer of pointers is
// cleared to its very end, as its release walks all of it.
// NULL: an error is pending. `size` in bytes.
static Buffer *buffer_new(Ctx *ctx, size_t size, uint32_t flags)
{
    KernelState *state = kernel_state(ctx);
    Buffer *buffer = state ? ctx_alloc(ctx, sizeof(*buffer)) : NULL;
    if (buffer == NULL) {
        return NULL;
    }
    *buffer =
        (Buffer){.refs = 1, .flags = flags, .size = size, .pool = state->pool};
    // The head and its data are two blocks: the data is aligned, and its size
    // class is the pool's.
    buffer->data = pool_take(ctx, state->pool, &buffer->size);
    if (buffer->data == NULL) {
        ctx_free(ctx, buffer, sizeof(*buffer));
        return NULL;
    }
    if (flags != 0 && !bulk_fill(ctx, buffer->data, 0, buffer->size)) {
        pool_give(state->pool, buffer->data, buffer->size);
        ctx_free(ctx, buffer, sizeof(*buffer));
        return NULL;
    }
    return buffer;
}

// NULL is an element that nobody has set yet: a kernel that fails half way
// leaves such elements behind.
// The length is part of the size, as strings are freed by it.
static void string_release(Ctx *ctx, TensorString *string)
{
    if (string != NULL && --string->refs == 0) {
        ctx_free(ctx, string, sizeof(*string) + string->length + 1);
    }
}

// A string may stand in many buffers (copies share it), so that each buffer
// gives back one reference for each element and frees nothing itself.
// buffer->size may be more than was asked for; what lies beyond is cleared for
// strings, so it is NULL and harmless.
static void buffer_release(Ctx *ctx, Buffer *buffer)
{
    if (--buffer->refs > 0) {
        return;
    }
    size_t count = buffer->size / sizeof(void *);
    if (buffer->flags & BUFFER_STRINGS) {
        TensorString **strings = buffer->data;
        for (size_t i = 0; i < count; i++) {
            string_release(ctx, strings[i]);
        }
    }
    if (buffer->flags & BUFFER_TENSORS) {
        Tensor **tensors = buffer->data;
        for (size_t i = 0; i < count; i++) {
            object_release_null(ctx, tensors[i]);
        }
    }
    if (buffer->flags & BUFFER_HELD) {
        object_release(ctx, ((Held *)buffer->data)->object);
    }
    pool_give(buffer->pool, buffer->data, buffer->size);
    ctx_free(ctx, buffer, sizeof(*buffer));
}

// A tensor without data, with room for so many bytes of it, in as large steps
// as buffers have; `dims` is copied.
// Owned, with a count of 1; NULL: an error is pending. Inline, for every result
// of an op is made here.
static inline __attribute__((always_inline)) Tensor *
tensor_bare(Ctx *ctx, DType dtype, int rank, const int64_t *dims, int64_t count,
            size_t room)
{
    // Sizes that the compiler knows, for the most common ones.
    size_t block = sizeof(Tensor);
    Tensor *tensor;
    if (LIKELY(room <= TENSOR_INLINE_SIZE)) {
        tensor = ctx_alloc(ctx, sizeof(Tensor));
    } else {
        block = offsetof(Tensor, small) + ((room + BUFFER_ALIGNMENT - 1) &
                                           ~(size_t)(BUFFER_ALIGNMENT - 1));
        tensor = ctx_alloc(ctx, block);
    }
    if (UNLIKELY(tensor == NULL)) {
        return NULL;
    }
    tensor->head = (Object){.rc = 1,
                            .kind = KIND_TENSOR,
                            .birth = ctx->birth,
                            .type = ctx->tensor_type};
    tensor->dtype = (uint8_t)dtype;
    tensor->rank = (int8_t)rank;
    tensor->size = (uint16_t)block;
    tensor->dims_size = 0;
    tensor->count = count;
    // Few elements stand in the tensor itself; the caller gives others a
    // buffer.
    tensor->buffer = NULL;
    tensor->data = (char *)tensor + offsetof(Tensor, small);
    // A plain loop of a few turns, which is cheaper than a call of memcpy.
    if (LIKELY(rank <= TENSOR_INLINE_RANK)) {
        for (int i = 0; i < rank; i++) {
            tensor->inline_dims[i] = dims[i];
        }
        return tensor;
    }
    tensor->dims_size = (uint32_t)((size_t)rank * sizeof(int64_t));
    tensor->heap_dims = ctx_alloc(ctx, tensor->dims_size);
    if (tensor->heap_dims == NULL) {
        ctx_free(ctx, tensor, block);
        return NULL;
    }
    memcpy(tensor->heap_dims, dims, tensor->dims_size);
    return tensor;
}

// Frees the tensor but not its elements: those are gone, or were never made.
static void tensor_free_head(Ctx *ctx, Tensor *tensor)
{
    if (tensor->rank > TENSOR_INLINE_RANK) {
        ctx_free(ctx, tensor->heap_dims, tensor->dims_size);
    }
    if (LIKELY(tensor->size == sizeof(Tensor))) {
        ctx_free(ctx, tensor, sizeof(Tensor));
    } else {
        ctx_free(ctx, tensor, tensor->size);
    }
}

// Counting the shape is where negative sizes and overflow are refused; nothing
// below looks at them again.
// Owned; elements are not set, but for strings, which are NULL. NULL: an error
// is pending.
Tensor *tensor_new(Ctx *ctx, DType dtype, int rank, const int64_t *dims)
{
    int64_t count;
    if (!shape_count(ctx, rank, dims, dtype, &count)) {
        return NULL;
    }
    return tensor_new_counted(ctx, dtype, rank, dims, count);
}

// More than all tensors have room for: some in a longer block, others, and
// strings, in a buffer.
static __attribute__((noinline)) Tensor *
new_larger(Ctx *ctx, DType dtype, int rank, const int64_t *dims, int64_t count)
{
    size_t size = (size_t)count * dtype_size(dtype);
    bool is_inline = size <= TENSOR_INLINE_MOST && dtype != DT_STRING;
    Tensor *tensor =
        tensor_bare(ctx, dtype, rank, dims, count, is_inline ? size : 0);
    if (UNLIKELY(tensor == NULL) || is_inline) {
        return tensor;
    }
    tensor->buffer =
        buffer_new(ctx, size, dtype == DT_STRING ? BUFFER_STRINGS : 0);
    if (UNLIKELY(tensor->buffer == NULL)) {
        tensor_free_head(ctx, tensor);
        return NULL;
    }
    tensor->data = tensor->buffer->data;
    return tensor;
}

// Few bytes are one allocation and have no counter to share: most scalars and
// small vectors of an eager program end here. `count` must be the product of
// the sizes.
Tensor *tensor_new_counted(Ctx *ctx, DType dtype, int rank, const int64_t *dims,
                           int64_t count)
{
    if ((size_t)count * dtype_size(dtype) > TENSOR_INLINE_SIZE) {
        return new_larger(ctx, dtype, rank, dims, count);
    }
    Tensor *tensor = tensor_bare(ctx, dtype, rank, dims, count, 0);
    if (UNLIKELY(dtype == DT_STRING && tensor != NULL)) {
        memset(tensor->small, 0, sizeof(tensor->small));
    }
    return tensor;
}

// Never inline: the buffer knows what its elements are, and how many it can
// hold.
Tensor *tensor_list_new(Ctx *ctx, DType element, int64_t room)
{
    int64_t count = 0;
    Tensor *list =
        tensor_bare(ctx, dtype_list_of(element), 1, &count, count, 0);
    if (list == NULL) {
        return NULL;
    }
    list->buffer =
        buffer_new(ctx, ((size_t)room + 1) * sizeof list, BUFFER_TENSORS);
    if (list->buffer == NULL) {
        tensor_free_head(ctx, list);
        return NULL;
    }
    list->data = list->buffer->data;
    return list;
}

// Shares the buffer when there is one. Inline data cannot outlive its tensor,
// so it is copied, and each string in it gains a holder.
// Owned; `start` counts elements. A window of a window shares the same buffer.
Tensor *tensor_window(Ctx *ctx, Tensor *tensor, int64_t start, int rank,
                      const int64_t *dims)
{
    uint64_t sizes = 1; // no more than the tensor has, or 0
    DType dtype = (DType)tensor->dtype;
    for (int i = 0; i < rank; i++) {
        sizes *= (uint64_t)dims[i];
    }
    int64_t count = (int64_t)sizes;
    // Its `data` points at its own small array until it is set below.
    size_t size = dtype_size(dtype);
    Tensor *view =
        tensor_bare(ctx, dtype, rank, dims, count,
                    tensor->buffer != NULL ? 0 : (size_t)count * size);
    if (view == NULL) {
        return NULL;
    }
    const char *from = (const char *)tensor->data + (size_t)start * size;
    if (tensor->buffer != NULL) {
        tensor->buffer->refs++;
        view->buffer = tensor->buffer;
        view->data = (char *)tensor->data + (size_t)start * size;
        return view;
    }
    // `count` elements of an inline tensor fit inline again.
    memcpy(view->data, from, (size_t)count * size);
    if (dtype == DT_STRING) {
        TensorString **strings = view->data;
        // A kernel may look through a window at what it has yet to set.
        for (int64_t i = 0; i < count; i++) {
            if (strings[i] != NULL) {
                strings[i]->refs++;
            }
        }
    }
    return view;
}

// The caller has seen to it that the counts agree.
Tensor *tensor_reshaped(Ctx *ctx, Tensor *tensor, int rank, const int64_t *dims)
{
    return tensor_window(ctx, tensor, 0, rank, dims);
}

// One number for each object, so that constants that are equal are the same
// one. A buffer even for so little: whatever shares it keeps the object.
Tensor *tensor_hold(Ctx *ctx, Object *object)
{
    Tensor *tensor = tensor_bare(ctx, DT_INT64, 0, NULL, 1, 0);
    Buffer *buffer = tensor != NULL ? buffer_new(ctx, sizeof(Held), 0) : NULL;
    if (buffer == NULL) {
        if (tensor != NULL) {
            tensor_free_head(ctx, tensor);
        }
        return NULL;
    }
    *(Held *)buffer->data =
        (Held){(int64_t)(uintptr_t)object, object_retain(object)};
    buffer->flags = BUFFER_HELD;
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    return tensor;
}

Object *tensor_held(const Tensor *tensor)
{
    const Buffer *buffer = tensor->buffer;
    return buffer != NULL && (buffer->flags & BUFFER_HELD) != 0
               ? ((const Held *)buffer->data)->object
               : NULL;
}

// Windows of a buffer know only a part of it, so strings there are left to the
// last holder of the buffer; inline strings are the tensor's own.
// Called by object_release when the last count goes.
void tensor_dealloc(Ctx *ctx, Tensor *tensor)
{
    if (tensor->buffer != NULL) {
        buffer_release(ctx, tensor->buffer);
    } else if (tensor->dtype == DT_STRING) {
        TensorString **strings = tensor->data;
        for (int64_t i = 0; i < tensor->count; i++) {
            string_release(ctx, strings[i]);
        }
    }
    tensor_free_head(ctx, tensor);
}

// Both counts: a tensor held once may still share its buffer with a window.
// A kernel may then write its result over this operand.
bool tensor_reusable(const Tensor *tensor)
{
    return tensor->head.rc == 1 &&
           (tensor->buffer == NULL || tensor->buffer->refs == 1);
}

// Always inline data, so that only one allocation can fail.
Tensor *tensor_scalar_int(Ctx *ctx, DType dtype, int64_t value)
{
    Tensor *tensor = tensor_new(ctx, dtype, 0, NULL);
    if (tensor != NULL) {
        tensor_set_int(tensor, 0, value);
    }
    return tensor;
}

// Rounds to the dtype; an int dtype truncates, as cast does.
Tensor *tensor_scalar_float(Ctx *ctx, DType dtype, double value)
{
    Tensor *tensor = tensor_new(ctx, dtype, 0, NULL);
    if (tensor != NULL) {
        tensor_set_float(tensor, 0, value);
    }
    return tensor;
}

// The tensor goes again if its one string cannot be made.
Tensor *tensor_scalar_string(Ctx *ctx, const char *bytes, size_t length)
{
    Tensor *tensor = tensor_new(ctx, DT_STRING, 0, NULL);
    if (tensor != NULL && !tensor_set_string(ctx, tensor, 0, bytes, length)) {
        object_release(ctx, tensor);
        return NULL;
    }
    return tensor;
}

// The old element goes only after the new one is made, so that a failure
// leaves the tensor as it was, and that bytes from the old one may be given.
bool tensor_set_string(Ctx *ctx, Tensor *tensor, int64_t index,
                       const char *bytes, size_t length)
{
    // The length is kept in 32 bits.
    if (length > UINT32_MAX - sizeof(TensorString) - 1) {
        return ctx_fail(ctx, ERR_OP_OVERFLOW, "a string element is too long");
    }
    TensorString *string = ctx_alloc(ctx, sizeof(*string) + length + 1);
    if (string == NULL) {
        return false;
    }
    string->refs = 1;
    string->length = (uint32_t)length;
    if (!bulk_copy(ctx, string->bytes, bytes, length)) {
        ctx_free(ctx, string, sizeof(*string) + length + 1);
        return false;
    }
    // For C functions that read numbers; it does not count.
    string->bytes[length] = '\0';
    TensorString **place = (TensorString **)tensor->data + index;
    string_release(ctx, *place);
    *place = string;
    return true;
}

// Takes a reference before it drops one: both may be the same string.
void tensor_share_string(Ctx *ctx, Tensor *tensor, int64_t index,
                         TensorString *string)
{
    TensorString **place = (TensorString **)tensor->data + index;
    string->refs++;
    string_release(ctx, *place);
    *place = string;
}

// As cast: NaN and out of range give the lowest value.
static int64_t int_of_float(double value)
{
    bool fits = value >= -0x1p63 && value < 0x1p63;
    return fits ? (int64_t)value : INT64_MIN;
}

// For operands of a few elements (indices, axes, bounds) and for printing. The
// loops over whole tensors are tiles, made for each dtype.
// A bool is 0 or 1; never of strings.
int64_t tensor_int_at(const Tensor *tensor, int64_t index)
{
    switch ((DType)tensor->dtype) {
    case DT_BOOL:
    case DT_UINT8: return ((const uint8_t *)tensor->data)[index];
    case DT_INT8: return ((const int8_t *)tensor->data)[index];
    case DT_INT16: return ((const int16_t *)tensor->data)[index];
    case DT_INT32: return ((const int32_t *)tensor->data)[index];
    case DT_INT64: return ((const int64_t *)tensor->data)[index];
    case DT_FLOAT16:
    case DT_BFLOAT16:
    case DT_FLOAT32:
    case DT_FLOAT64: return int_of_float(tensor_float_at(tensor, index));
    case DT_STRING:
    case DT_NONE: break;
    }
    return 0;
}

#define READ_INTS(T)                                                           \
    for (int64_t i = 0; i < count; i++) {                                      \
        to[i] = ((const T *)tensor->data)[first + i];                          \
    }

void tensor_read_ints(const Tensor *tensor, int64_t first, int64_t count,
                      int64_t *to)
{
    switch ((DType)tensor->dtype) {
    case DT_INT32: READ_INTS(int32_t) break;
    case DT_INT64: READ_INTS(int64_t) break;
    case DT_INT16: READ_INTS(int16_t) break;
    case DT_INT8: READ_INTS(int8_t) break;
    default: READ_INTS(uint8_t)
    }
}

// An int64 beyond 2**53 is rounded.
double tensor_float_at(const Tensor *tensor, int64_t index)
{
    switch ((DType)tensor->dtype) {
    case DT_FLOAT32: return (double)((const float *)tensor->data)[index];
    case DT_FLOAT64: return ((const double *)tensor->data)[index];
    case DT_FLOAT16:
        return (double)f16_widen(((const uint16_t *)tensor->data)[index]);
    case DT_BFLOAT16:
        return (double)bf16_widen(((const uint16_t *)tensor->data)[index]);
    case DT_BOOL:
    case DT_UINT8:
    case DT_INT8:
    case DT_INT16:
    case DT_INT32:
    case DT_INT64: return (double)tensor_int_at(tensor, index);
    case DT_STRING:
    case DT_NONE: break;
    }
    return 0;
}

// Keeps the low bits, as cast does; int8 and uint8 differ only in how the byte
// is read, so one case serves both.
// The caller sees to it that the tensor is not shared yet.
void tensor_set_int(Tensor *tensor, int64_t index, int64_t value)
{
    switch ((DType)tensor->dtype) {
    case DT_BOOL: ((uint8_t *)tensor->data)[index] = value != 0; break;
    case DT_UINT8:
    case DT_INT8: ((uint8_t *)tensor->data)[index] = (uint8_t)value; break;
    case DT_INT16: ((int16_t *)tensor->data)[index] = (int16_t)value; break;
    case DT_INT32: ((int32_t *)tensor->data)[index] = (int32_t)value; break;
    case DT_INT64: ((int64_t *)tensor->data)[index] = value; break;
    case DT_FLOAT32: // rounded once
        ((float *)tensor->data)[index] = (float)value;
        break;
    case DT_FLOAT64: ((double *)tensor->data)[index] = (double)value; break;
    case DT_FLOAT16:
    case DT_BFLOAT16: tensor_set_float(tensor, index, (double)value); break;
    case DT_STRING:
    case DT_NONE: break;
    }
}

// Rounds to nearest even; ints take the same way out of range as in
// tensor_int_at. A bfloat16 is rounded from float32, as ml_dtypes does.
void tensor_set_float(Tensor *tensor, int64_t index, double value)
{
    switch ((DType)tensor->dtype) {
    case DT_FLOAT32: ((float *)tensor->data)[index] = (float)value; break;
    case DT_FLOAT64: ((double *)tensor->data)[index] = value; break;
    case DT_FLOAT16:
        ((uint16_t *)tensor->data)[index] = f16_of_double(value);
        break;
    case DT_BFLOAT16:
        ((uint16_t *)tensor->data)[index] = bf16_round((float)value);
        break;
    case DT_BOOL:
    case DT_UINT8:
    case DT_INT8:
    case DT_INT16:
    case DT_INT32:
    case DT_INT64: tensor_set_int(tensor, index, int_of_float(value)); break;
    case DT_STRING:
    case DT_NONE: break;
    }
}

uint64_t tensor_bits_at(const Tensor *tensor, int64_t index)
{
    switch (dtype_size((DType)tensor->dtype)) {
    case 2: return ((const uint16_t *)tensor->data)[index];
    case 4: return ((const uint32_t *)tensor->data)[index];
    default: return ((const uint64_t *)tensor->data)[index];
    }
}

void tensor_set_bits(Tensor *tensor, int64_t index, uint64_t bits)
{
    switch (dtype_size((DType)tensor->dtype)) {
    case 2: ((uint16_t *)tensor->data)[index] = (uint16_t)bits; break;
    case 4: ((uint32_t *)tensor->data)[index] = (uint32_t)bits; break;
    default: ((uint64_t *)tensor->data)[index] = bits; break;
    }
}

// Lengths first: a string may hold NUL bytes, so that strcmp would not do.
static bool strings_identical(const Tensor *a, const Tensor *b)
{
    TensorString *const *x = a->data, *const *y = b->data;
    for (int64_t i = 0; i < a->count; i++) {
        if (x[i]->length != y[i]->length ||
            memcmp(x[i]->bytes, y[i]->bytes, x[i]->length) != 0) {
            return false;
        }
    }
    return true;
}

// Bit for bit, as constants are merged: a NaN is itself, 0.0 is not -0.0.
// Neither holds an element that was never set.
bool tensor_identical(const Tensor *a, const Tensor *b)
{
    if (a->dtype != b->dtype ||
        !shape_equal(a->rank, tensor_dims(a), b->rank, tensor_dims(b))) {
        return false;
    }
    if (a->dtype == DT_STRING) {
        return strings_identical(a, b);
    }
    size_t size = (size_t)a->count * dtype_size((DType)a->dtype);
    return memcmp(a->data, b->data, size) == 0;
}
