// Rows that are added to a Variable where it stands.
#include <inttypes.h>

#include "ops/op.h"
#include "ops/tensor_move.h"

// Everything that may go wrong is seen before anything is changed.
static bool check_rows(Ctx *ctx, const Tensor *into, const Tensor *rows,
                       const Tensor *values, const char *name)
{
    bool fits = into->rank > 0 && rows->rank == 1 &&
                values->rank == into->rank && values->dtype == into->dtype &&
                tensor_dims(values)[0] == rows->count &&
                shape_equal(into->rank - 1, tensor_dims(into) + 1,
                            values->rank - 1, tensor_dims(values) + 1);
    if (!fits) {
        return ctx_fail(ctx, ERR_SHAPE,
                        "add_rows: the values are no rows of Variable '%s'",
                        name);
    }
    int64_t size = tensor_dims(into)[0];
    for (int64_t i = 0; i < rows->count; i++) {
        int64_t row = tensor_int_at(rows, i);
        if (row < 0 || row >= size) {
            return ctx_fail(ctx, ERR_OP_INDEX,
                            "add_rows: indices[%" PRId64 "] = %" PRId64
                            " is not in [0, %" PRId64 ")",
                            i, row, size);
        }
    }
    return ctx_poll(ctx);
}

#define ADD_ROWS(name, type)                                                   \
    static void name(Tensor *into, const Tensor *rows, const Tensor *values,   \
                     int64_t width)                                            \
    {                                                                          \
        const type *from = values->data;                                       \
        for (int64_t i = 0; i < rows->count; i++, from += width) {             \
            type *to = (type *)into->data + tensor_int_at(rows, i) * width;    \
            for (int64_t k = 0; k < width; k++) {                              \
                to[k] += from[k];                                              \
            }                                                                  \
        }                                                                      \
    }
ADD_ROWS(add_float, float)
ADD_ROWS(add_double, double)

// In a tensor of its own, by the op that does the same to a value.
static Tensor *added_rows(Ctx *ctx, Tensor *into, Tensor *rows, Tensor *values)
{
    int64_t dims[2] = {rows->count, 1};
    Tensor *tuples = tensor_reshaped(ctx, rows, 2, dims);
    Tensor *inputs[3] = {into, tuples, values}, *sum = NULL;
    uint32_t count;
    if (tuples != NULL &&
        !op_run(ctx, OP_SCATTER_ADD, inputs, 3, NULL, &sum, &count)) {
        sum = NULL;
    }
    object_release_null(ctx, tuples);
    return sum;
}

// Where nobody else holds the tensor the rows are changed in place: what is
// left to do then can neither fail nor be stopped.
bool variable_add_rows(Ctx *ctx, VariableCell *cell, const char *name,
                       Tensor *rows, Tensor *values)
{
    Tensor *into = cell->value;
    if (!check_rows(ctx, into, rows, values, name)) {
        return false;
    }
    int64_t width = rows->count > 0 ? values->count / rows->count : 0;
    bool own = tensor_reusable(into);
    if (own && into->dtype == DT_FLOAT32) {
        add_float(into, rows, values, width);
        return true;
    }
    if (own && into->dtype == DT_FLOAT64) {
        add_double(into, rows, values, width);
        return true;
    }
    Tensor *sum = added_rows(ctx, into, rows, values);
    if (sum != NULL) {
        cell->value = sum;
        object_release(ctx, into);
    }
    return sum != NULL;
}

static bool run_add_rows(StepCall *call)
{
    const char *name;
    VariableCell *cell = call->table->cell(call, &name);
    return cell != NULL &&
           variable_add_rows(call->ctx, cell, name, call->table->input(call, 0),
                             call->table->input(call, 1));
}

const OpDesc op_add_rows_variable = {
    .name = "add_rows_variable",
    .params = "rows, values",
    .doc = "Adds values to the rows of a Variable that the int vector names.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 3,
    .flags = OP_INTERNAL,
    .access = {[RES_CONTROL] = ACCESS_BORROW, [RES_VARIABLE] = ACCESS_CONSUME},
    .payload = PAYLOAD_RESOURCE,
    .run = run_add_rows,
};
