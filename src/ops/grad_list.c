// Gradient rules of lists of tensors. The gradient of a list is a list of the
// gradients of its elements, which the ops take apart and put together as they
// did the list.
#include "ops/grad.h"

static EmitValue index_of(Emit *emit, int64_t index)
{
    return emit->constant(emit, tensor_scalar_int(emit->ctx, DT_INT32, index));
}

// Of elements that nobody wrote where their shape is known: then the length is
// all that is asked of the list, which a loop's way back may not have.
EmitValue grad_list_zeros(Emit *emit, EmitValue list)
{
    TensorType type = emit_type(emit, list);
    if (!shape_is_static(type.rank, type.dims)) {
        return emit_1(emit, OP_LIST_ZEROS, list, NULL);
    }
    AttrValue attrs[OP_MAX_ATTRS] = {
        attr_of_dtype(dtype_element(type.dtype)),
        attr_of_ints(type.dims, (uint32_t)type.rank)};
    return emit_2(emit, OP_LIST_RESIZE,
                  emit->op(emit, OP_LIST_NEW, NULL, 0, attrs),
                  emit_1(emit, OP_LIST_SIZE, list, NULL));
}

static EmitValue zeros(Emit *emit, EmitValue x)
{
    return emit_1(emit, OP_ZEROS_LIKE, x, NULL);
}

// Zeros for an element; where its shape is known the list is not looked at.
static EmitValue blank(Emit *emit, EmitValue list, EmitValue index)
{
    TensorType type = emit_type(emit, list);
    if (!shape_is_static(type.rank, type.dims)) {
        return emit_2(emit, OP_LIST_BLANK, list, index);
    }
    AttrValue attrs[OP_MAX_ATTRS] = {
        attr_of_ints(type.dims, (uint32_t)type.rank),
        attr_of_dtype(dtype_element(type.dtype))};
    Tensor *made[OP_MAX_OUTPUTS];
    uint32_t count;
    return op_run(emit->ctx, OP_ZEROS, NULL, 0, attrs, made, &count)
               ? emit->constant(emit, made[0])
               : NULL;
}

// With the step of the slice.
static EmitValue emit_slice(Emit *emit, OpCode op, const EmitValue *inputs,
                            uint32_t count, const AttrValue *attrs)
{
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        all = all && inputs[i] != NULL;
    }
    return all ? emit->op(emit, op, inputs, count, attrs) : NULL;
}

bool grad_list_new(GradCall *call)
{
    EmitValue g = call->output_grads[0];
    bool ok = true;
    for (uint32_t i = 0; ok && g != NULL && i < call->input_count; i++) {
        ok = !call->wanted[i] || grad_give(call, i,
                                           emit_2(call->emit, OP_LIST_READ, g,
                                                  index_of(call->emit, i)));
    }
    return ok;
}

// The element first: on the way back of this the list is whole again when the
// read adds to it.
bool grad_list_append(GradCall *call)
{
    EmitValue g = call->output_grads[0];
    return (!grad_asked(call, 1) ||
            grad_give(call, 1,
                      emit_2(call->emit, OP_LIST_READ, g,
                             index_of(call->emit, -1)))) &&
           (!grad_asked(call, 0) ||
            grad_give(call, 0, emit_1(call->emit, OP_LIST_POP, g, NULL)));
}

// Either result may have no gradient.
bool grad_list_pop(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue rest = call->output_grads[0], item = call->output_grads[1];
    rest = rest != NULL ? rest : grad_list_zeros(e, call->outputs[0]);
    item = item != NULL ? item : zeros(e, call->outputs[1]);
    return !call->wanted[0] ||
           grad_give(call, 0, emit_2(e, OP_LIST_APPEND, rest, item));
}

bool grad_list_read(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_3(call->emit, OP_LIST_WRITE,
                            grad_list_zeros(call->emit, call->inputs[0]),
                            call->inputs[1], call->output_grads[0]));
}

bool grad_list_write(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0], index = call->inputs[1];
    return (!grad_asked(call, 0) ||
            grad_give(call, 0,
                      emit_3(e, OP_LIST_WRITE, g, index,
                             blank(e, call->inputs[0], index)))) &&
           (!grad_asked(call, 2) ||
            grad_give(call, 2, emit_2(e, OP_LIST_READ, g, index)));
}

bool grad_list_stack(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_1(call->emit, OP_LIST_UNSTACK, call->output_grads[0],
                            NULL));
}

bool grad_list_unstack(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               emit_1(call->emit, OP_LIST_STACK, call->output_grads[0], NULL));
}

bool grad_list_add(GradCall *call)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (grad_asked(call, i)) {
            call->input_grads[i] = call->output_grads[0];
        }
    }
    return true;
}

bool grad_list_slice(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue inputs[4] = {NULL, call->output_grads[0], call->inputs[1],
                           call->inputs[2]};
    if (!grad_asked(call, 0)) {
        return true;
    }
    inputs[0] = grad_list_zeros(e, call->inputs[0]);
    return grad_give(call, 0,
                     emit_slice(e, OP_LIST_SLICE_ADD, inputs, 4, call->attrs));
}

bool grad_list_slice_add(GradCall *call)
{
    EmitValue inputs[3] = {call->output_grads[0], call->inputs[2],
                           call->inputs[3]};
    if (grad_asked(call, 0)) {
        call->input_grads[0] = call->output_grads[0];
    }
    return !grad_asked(call, 1) ||
           grad_give(
               call, 1,
               emit_slice(call->emit, OP_LIST_SLICE, inputs, 3, call->attrs));
}

bool grad_list_concat(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0];
    bool ok = true;
    for (uint32_t i = 0; ok && g != NULL && i < 2; i++) {
        if (call->wanted[i]) {
            EmitValue size = emit_1(e, OP_LIST_SIZE, call->inputs[0], NULL);
            ok = grad_give(
                call, i,
                i == 0 ? emit_3(e, OP_LIST_SLICE, g, index_of(e, 0), size)
                       : emit_3(e, OP_LIST_SLICE, g, size,
                                index_of(e, INT32_MAX)));
        }
    }
    return ok;
}

// Either result may have no gradient.
bool grad_list_take(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue rest = call->output_grads[0], item = call->output_grads[1];
    rest = rest != NULL ? rest : grad_list_zeros(e, call->outputs[0]);
    item = item != NULL ? item : zeros(e, call->outputs[1]);
    return !call->wanted[0] ||
           grad_give(call, 0,
                     emit_3(e, OP_LIST_INSERT, rest, call->inputs[1], item));
}

bool grad_list_insert(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0], index = call->inputs[1];
    return (!grad_asked(call, 2) ||
            grad_give(call, 2, emit_2(e, OP_LIST_READ, g, index))) &&
           (!grad_asked(call, 0) ||
            grad_give(call, 0, emit_2(e, OP_LIST_TAKE, g, index)));
}

bool grad_list_resize(GradCall *call)
{
    Emit *e = call->emit;
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_2(e, OP_LIST_RESIZE, call->output_grads[0],
                            emit_1(e, OP_LIST_SIZE, call->inputs[0], NULL)));
}

bool grad_list_join(GradCall *call)
{
    Emit *e = call->emit;
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_2(e, OP_LIST_SPLIT, call->output_grads[0],
                            emit_1(e, OP_LIST_LENGTHS, call->inputs[0], NULL)));
}

bool grad_list_split(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               emit_1(call->emit, OP_LIST_JOIN, call->output_grads[0], NULL));
}
