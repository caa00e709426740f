// Rows that are added to a Variable where it stands.
#include <inttypes.h>

#include "kernels/tier.h"
#include "ops/op.h"
#include "ops/tensor_move.h"

enum { ROWS_PART = 256 };

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

// A part at a time, as many indices as are read at once.
static void add_in_place(Tensor *into, const Tensor *rows, const Tensor *values,
                         AddRowsFn add)
{
    int64_t places[ROWS_PART];
    size_t size = dtype_size((DType)into->dtype);
    int64_t width = rows->count > 0 ? values->count / rows->count : 0;
    for (int64_t first = 0; first < rows->count; first += ROWS_PART) {
        int64_t left = rows->count - first;
        int64_t count = left < ROWS_PART ? left : ROWS_PART;
        tensor_read_ints(rows, first, count, places);
        add(into->data,
            (const char *)values->data + (size_t)(first * width) * size, places,
            count, width);
    }
}

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
    KernelState *state = kernel_state(ctx);
    if (state == NULL) {
        return false;
    }
    AddRowsFn add =
        into->dtype == DT_STRING ? NULL : state->tier->add_rows[into->dtype];
    if (add != NULL && tensor_reusable(into)) {
        add_in_place(into, rows, values, add);
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
