// Gradient rules of lists of tensors. The gradient of a list is a list of the
// gradients of its elements, which the ops take apart and put together as they
// did the list.
#include "ops/grad.h"

static EmitValue index_of(Emit *emit, int64_t index)
{
    return emit->constant(emit, tensor_scalar_int(emit->ctx, DT_INT32, index));
}

static EmitValue zero_list(Emit *emit, EmitValue list)
{
    return emit_1(emit, OP_LIST_ZEROS, list, NULL);
}

static EmitValue zeros(Emit *emit, EmitValue x)
{
    return emit_1(emit, OP_ZEROS_LIKE, x, NULL);
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
    rest = rest != NULL ? rest : zero_list(e, call->outputs[0]);
    item = item != NULL ? item : zeros(e, call->outputs[1]);
    return !call->wanted[0] ||
           grad_give(call, 0, emit_2(e, OP_LIST_APPEND, rest, item));
}

bool grad_list_read(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_3(call->emit, OP_LIST_WRITE,
                            zero_list(call->emit, call->inputs[0]),
                            call->inputs[1], call->output_grads[0]));
}

bool grad_list_write(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0], index = call->inputs[1];
    EmitValue old = grad_asked(call, 0)
                        ? emit_2(e, OP_LIST_READ, call->inputs[0], index)
                        : NULL;
    return (!grad_asked(call, 0) ||
            grad_give(call, 0,
                      emit_3(e, OP_LIST_WRITE, g, index, zeros(e, old)))) &&
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
