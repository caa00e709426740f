// Ops on string tensors: the elementwise ones that numbers share.
#include <string.h>

#include "ops/infer.h"
#include "ops/strings.h"

// Both indices are row-major; axes of size 1 and missing ones stand still. A
// division for each axis, which is small beside what is done to a string.
int64_t strings_index(TensorType from, TensorType out, int64_t index)
{
    int64_t at = 0, step = 1;
    for (int i = 1; i <= from.rank; i++) {
        int64_t size = out.dims[out.rank - i];
        int64_t own = from.dims[from.rank - i];
        at += own == 1 ? 0 : index % size * step;
        step *= own;
        index /= size;
    }
    return at;
}

// The string of an operand that belongs to the output's element `index`.
static TensorString *string_at(const KernelCall *call, uint32_t input,
                               int64_t index)
{
    const Tensor *tensor = call->inputs[input];
    int64_t at = strings_index(tensor_type(tensor),
                               tensor_type(call->outputs[0]), index);
    return ((TensorString *const *)tensor->data)[at];
}

// One buffer is used for all elements, and emptied without freeing.
bool kernel_string_add(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    StrBuf text;
    strbuf_init(&text, call->ctx);
    bool ok = true;
    for (int64_t i = 0; ok && i < out->count; i++) {
        TensorString *x = string_at(call, 0, i), *y = string_at(call, 1, i);
        text.length = 0;
        strbuf_add(&text, x->bytes, x->length);
        strbuf_add(&text, y->bytes, y->length);
        ok = strbuf_ok(&text) && ctx_poll(call->ctx) &&
             tensor_set_string(call->ctx, out, i, strbuf_text(&text),
                               text.length);
    }
    strbuf_free(&text);
    return ok;
}

extern const OpDesc op_not_equal;

// Serves equal and not_equal.
bool kernel_string_equal(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    // Turns the answer over by xor.
    uint8_t differ = call->op == &op_not_equal;
    for (int64_t i = 0; i < out->count; i++) {
        TensorString *x = string_at(call, 0, i), *y = string_at(call, 1, i);
        bool same = x->length == y->length &&
                    memcmp(x->bytes, y->bytes, x->length) == 0;
        ((uint8_t *)out->data)[i] = (uint8_t)(same ^ differ);
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

// Strings are shared, not copied: they never change.
bool kernel_string_where(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    const Tensor *condition = call->inputs[0];
    for (int64_t i = 0; i < out->count; i++) {
        // The condition broadcasts by itself, apart from the strings.
        int64_t at = strings_index(tensor_type(condition), tensor_type(out), i);
        bool first = ((const uint8_t *)condition->data)[at] != 0;
        tensor_share_string(call->ctx, out, i,
                            string_at(call, first ? 1 : 2, i));
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}
