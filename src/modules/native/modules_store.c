// The native half of lib/data: elements of tensors as bytes, checksums, and
// what has reached the disk. Formats of files are Duet (lib/data/_npy.duet and
// its neighbours), which checks what it reads before it comes here.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bulk.h"
#include "base/crc.h"
#include "base/inflate.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/tensors/obj_tensor.h"
#include "modules/importing/module.h"

// The head of a native function; the rows of store_functions name it.
#define STORE_BODY(name) static Value store_##name(Vm *vm, Value *args)

// --- checksums ---

// crc32(data, castagnoli): of all bytes.
STORE_BODY(crc32)
{
    enum { AT_A_TIME = 1 << 16 };
    if (!value_is_kind(args[0], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE, "crc32() takes bytes");
    }
    Crc crc;
    crc_init(&crc, value_same(args[1], VALUE_TRUE) ? CRC_CASTAGNOLI : CRC_ISO);
    const char *data = bytes_text(args[0]);
    size_t length = bytes_length(args[0]);
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i += AT_A_TIME) {
        size_t rest = length - i;
        sum = crc_add(&crc, sum, data + i, rest < AT_A_TIME ? rest : AT_A_TIME);
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    return int_from_i64(vm, (int64_t)sum);
}

// --- elements ---

// The elements one after another, as they lie in memory.
STORE_BODY(to_bytes)
{
    if (!value_is_tensor(args[0])) {
        return raise_error(vm, ERR_TYPE, "to_bytes() takes a tensor");
    }
    const Tensor *tensor = value_as_tensor(args[0]);
    if (tensor->dtype == DT_STRING) {
        return raise_error(vm, ERR_TYPE, "strings have no size of their own");
    }
    return bytes_value(vm, tensor->data,
                       (size_t)tensor->count *
                           dtype_size((DType)tensor->dtype));
}

// The other order of the bytes of each element.
static void swap_bytes(char *data, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++, data += size) {
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            char kept = data[a];
            data[a] = data[b];
            data[b] = kept;
        }
    }
}

// Whether every byte of a bool is 0 or 1: nothing else may be in a tensor.
static bool are_bools(const char *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((unsigned char)data[i] > 1) {
            return false;
        }
    }
    return true;
}

// The shape, a tuple of sizes. False: an error is pending.
static bool shape_of_tuple(Vm *vm, Value v, int *rank,
                           int64_t dims[SHAPE_MAX_RANK])
{
    if (!value_is_kind(v, KIND_TUPLE) ||
        value_as_tuple(v)->count > SHAPE_MAX_RANK) {
        return raise_false(vm, ERR_VALUE, "a shape has at most %d sizes",
                           (int)SHAPE_MAX_RANK);
    }
    *rank = (int)value_as_tuple(v)->count;
    for (int i = 0; i < *rank; i++) {
        if (!value_to_index(vm, value_as_tuple(v)->items[i], &dims[i])) {
            return false;
        }
    }
    return true;
}

// from_bytes(data, start, dtype, shape, swap): reads as many as the shape asks
// for; whether they are there is asked here, too.
STORE_BODY(from_bytes)
{
    int64_t start, dims[SHAPE_MAX_RANK], count;
    int rank;
    DType dtype;
    if (!value_is_kind(args[0], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE, "from_bytes() takes bytes");
    }
    if (!value_to_index(vm, args[1], &start) ||
        !dtype_from_value(vm, args[2], &dtype) ||
        !shape_of_tuple(vm, args[3], &rank, dims)) {
        return VALUE_FAIL;
    }
    if (dtype == DT_STRING) {
        return raise_error(vm, ERR_TYPE, "strings have no size of their own");
    }
    if (!shape_count(&vm->ctx, rank, dims, dtype, &count)) {
        return VALUE_FAIL;
    }
    size_t length = bytes_length(args[0]), size = dtype_size(dtype);
    size_t wanted = (size_t)count * size;
    if (start < 0 || (uint64_t)start > length ||
        length - (size_t)start < wanted) {
        return raise_error(vm, ERR_VALUE, "%zu bytes are wanted at %lld of %zu",
                           wanted, (long long)start, length);
    }
    const char *from = bytes_text(args[0]) + start;
    if (dtype == DT_BOOL && !are_bools(from, (size_t)count)) {
        return raise_error(vm, ERR_VALUE, "a bool is neither 0 nor 1");
    }
    Tensor *tensor = tensor_new(&vm->ctx, dtype, rank, dims);
    if (tensor == NULL ||
        (wanted > 0 && !bulk_copy(&vm->ctx, tensor->data, from, wanted))) {
        object_release_null(&vm->ctx, tensor);
        return VALUE_FAIL;
    }
    if (value_same(args[4], VALUE_TRUE)) {
        swap_bytes(tensor->data, size, (size_t)count);
    }
    return value_from_object(tensor);
}

// --- compressed bytes ---

// inflate(data, start, end, size): what a file holds compressed, of which it
// tells the size.
STORE_BODY(inflate)
{
    int64_t start, end, size;
    if (!value_is_kind(args[0], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE, "inflate() takes bytes");
    }
    if (!value_to_index(vm, args[1], &start) ||
        !value_to_index(vm, args[2], &end) ||
        !value_to_index(vm, args[3], &size)) {
        return VALUE_FAIL;
    }
    // One byte makes 1,032 at most: room is not given for a mere claim.
    size_t length = bytes_length(args[0]);
    if (start < 0 || end < start || (uint64_t)end > length || size < 0 ||
        size / 1032 > end - start) {
        return raise_error(vm, ERR_VALUE, "the sizes cannot be true");
    }
    Bytes *made = bytes_new(vm, NULL, (size_t)size);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    const unsigned char *data = (const unsigned char *)bytes_text(args[0]);
    int done = inflate_all(&vm->ctx, data + start, (size_t)(end - start),
                           (unsigned char *)made->data, (size_t)size);
    if (done <= 0) {
        object_release(&vm->ctx, made);
        return done < 0 ? VALUE_FAIL
                        : raise_error(vm, ERR_VALUE,
                                      "the compressed data is damaged");
    }
    return value_from_object(made);
}

// --- the disk ---

// fsync(fd): what was written has reached the disk.
STORE_BODY(fsync)
{
    int64_t fd;
    if (!value_to_index(vm, args[0], &fd)) {
        return VALUE_FAIL;
    }
    // A device has nothing to wait for.
    return fsync((int)fd) == 0 || errno == EINVAL
               ? VALUE_NONE
               : raise_errno(vm, errno, NULL);
}

static const NativeDef store_functions[] = {
    {"crc32", "data, castagnoli=False, /", store_crc32, "The CRC of bytes."},
    {"to_bytes", "tensor, /", store_to_bytes, "The elements of a tensor."},
    {"from_bytes", "data, start, dtype, shape, swap=False, /", store_from_bytes,
     "A tensor of such elements."},
    {"inflate", "data, start, end, size, /", store_inflate,
     "What was compressed by DEFLATE."},
    {"fsync", "fd, /", store_fsync,
     "Waits until what was written to a file is on the disk."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef store_module = {.name = "store",
                                .doc = "Tensors as bytes in files.",
                                .functions = store_functions};
