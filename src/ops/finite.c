// The search for NaN and infinity.
#include "ops/finite.h"

#include <inttypes.h>
#include <math.h>

// The number of the first such element, -1: all are finite.
static int64_t find(const Tensor *tensor)
{
    int64_t count = tensor != NULL ? tensor->count : 0;
    if (count > 0 && tensor->dtype == DT_FLOAT32) {
        const float *x = tensor->data;
        for (int64_t i = 0; i < count; i++) {
            if (!isfinite(x[i])) {
                return i;
            }
        }
    } else if (count > 0 && tensor->dtype == DT_FLOAT64) {
        const double *x = tensor->data;
        for (int64_t i = 0; i < count; i++) {
            if (!isfinite(x[i])) {
                return i;
            }
        }
    } else if (count > 0 && dtype_is_half((DType)tensor->dtype)) {
        for (int64_t i = 0; i < count; i++) {
            if (!isfinite(tensor_float_at(tensor, i))) {
                return i;
            }
        }
    }
    return -1;
}

static void print_index(StrBuf *out, const Tensor *tensor, int64_t at)
{
    int64_t index[SHAPE_MAX_RANK];
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
        int64_t size = tensor_dims(tensor)[axis];
        index[axis] = at % size;
        at /= size;
    }
    strbuf_puts(out, "[");
    for (int axis = 0; axis < tensor->rank; axis++) {
        strbuf_printf(out, "%s%" PRId64, axis > 0 ? ", " : "", index[axis]);
    }
    strbuf_puts(out, "]");
}

static bool fail(Ctx *ctx, const char *op, Tensor *const *inputs,
                 uint32_t input_count, const Tensor *output, int64_t at)
{
    double value = tensor_float_at(output, at);
    StrBuf text;
    strbuf_init(&text, ctx);
    strbuf_printf(&text, "%s: the result", op);
    if (output->rank > 0) {
        strbuf_puts(&text, " has ");
    } else {
        strbuf_puts(&text, " is ");
    }
    strbuf_puts(&text, value != value ? "nan" : value > 0 ? "inf" : "-inf");
    if (output->rank > 0) {
        strbuf_puts(&text, " at ");
        print_index(&text, output, at);
    }
    for (uint32_t i = 0; i < input_count; i++) {
        if (inputs[i] != NULL) {
            strbuf_puts(&text, i == 0 ? "; operands: " : ", ");
            tensor_type_print(&text, tensor_type(inputs[i]));
        }
    }
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_OP_VALUE, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

bool finite_check(Ctx *ctx, const char *op, Tensor *const *inputs,
                  uint32_t input_count, Tensor *const *outputs,
                  uint32_t output_count)
{
    for (uint32_t i = 0; i < output_count; i++) {
        int64_t at = find(outputs[i]);
        if (at < 0) {
            continue;
        }
        // It came in, and was told where it was made, or was meant.
        for (uint32_t k = 0; k < input_count; k++) {
            if (find(inputs[k]) >= 0) {
                return true;
            }
        }
        return fail(ctx, op, inputs, input_count, outputs[i], at);
    }
    return true;
}
