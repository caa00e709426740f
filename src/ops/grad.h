// Writing gradient rules: what an op's GradFn is made of.
//
// As with ops/emit_op.h, NULL goes in and comes out. A rule sets the gradients
// of the operands that are wanted and leaves the others alone; it looks at
// operands and results by the Emit alone, so that it serves eager programs,
// traces and gradients of gradients.
#ifndef DUET_OPS_GRAD_H
#define DUET_OPS_GRAD_H

#include "ops/emit_op.h"

// What one operand of an elementwise op gets: by the operands, the result and
// the result's gradient.
typedef EmitValue (*SlopeFn)(Emit *e, const EmitValue *x, EmitValue y,
                             EmitValue g);
// A rule of an elementwise op: a slope for each operand, NULL where no gradient
// flows. Broadcasting is undone.
MUST_CHECK bool grad_elementwise(GradCall *call, const SlopeFn *slopes);
// The rule of an op through which no gradient flows, though it is of floats.
MUST_CHECK bool grad_none(GradCall *call);
// Raises, false, for an op without a rule: ERR_LOOKUP, or ERR_SYMBOLIC where it
// runs code of the host, which is on a Tape by itself in eager code.
bool grad_unknown(Ctx *ctx, const OpDesc *op);

// Rules of elementwise ops, written beside them: GRAD_1(sin, …) makes rule_sin.
// The expressions speak of e, x[0], x[1], y and g.
#define GRAD_SLOPE(id, expression)                                             \
    static EmitValue id(Emit *e, const EmitValue *x, EmitValue y, EmitValue g) \
    {                                                                          \
        (void)e, (void)x, (void)y, (void)g;                                    \
        return expression;                                                     \
    }
#define GRAD_1(id, expression)                                                 \
    GRAD_SLOPE(slope_##id, expression)                                         \
    static bool rule_##id(GradCall *call)                                      \
    {                                                                          \
        return grad_elementwise(call, (const SlopeFn[]){slope_##id});          \
    }
#define GRAD_2(id, left, right)                                                \
    GRAD_SLOPE(left_##id, left)                                                \
    GRAD_SLOPE(right_##id, right)                                              \
    static bool rule_##id(GradCall *call)                                      \
    {                                                                          \
        return grad_elementwise(call,                                          \
                                (const SlopeFn[]){left_##id, right_##id});     \
    }

// Arithmetic of values, and of a value with a number of its dtype.
#define grad_add(e, a, b) emit_2(e, OP_ADD, a, b)
#define grad_sub(e, a, b) emit_2(e, OP_SUBTRACT, a, b)
#define grad_mul(e, a, b) emit_2(e, OP_MULTIPLY, a, b)
#define grad_div(e, a, b) emit_2(e, OP_DIVIDE, a, b)
#define grad_neg(e, a) emit_1(e, OP_NEGATIVE, a, NULL)
#define grad_plus(e, a, number) emit_with(e, OP_ADD, a, number)
#define grad_times(e, a, number) emit_with(e, OP_MULTIPLY, a, number)
#define grad_square(e, a) emit_1(e, OP_SQUARE, a, NULL)
#define grad_transpose(e, a) emit_1(e, OP_MATRIX_TRANSPOSE, a, NULL)
// number - a
EmitValue grad_minus(Emit *emit, double number, EmitValue a);
// a where the bool is true, else 0; and the other way round.
EmitValue grad_if(Emit *emit, EmitValue condition, EmitValue a);
EmitValue grad_unless(Emit *emit, EmitValue condition, EmitValue a);

// x in the shape of `like`, of which no element is read: summed over what a
// broadcast repeated, reshaped, repeated. The identity is left out where the
// shapes are known to agree.
EmitValue grad_sum_to(Emit *emit, EmitValue x, EmitValue like);
EmitValue grad_reshape_like(Emit *emit, EmitValue x, EmitValue like);
EmitValue grad_broadcast_like(Emit *emit, EmitValue x, EmitValue like);
// As a vector; how many elements, as a number of x's dtype.
EmitValue grad_flat(Emit *emit, EmitValue x);
EmitValue grad_count(Emit *emit, EmitValue x);
// Sets the gradient of operand `index`; false if there is none after all.
static inline bool grad_give(GradCall *call, uint32_t index, EmitValue value)
{
    call->input_grads[index] = value;
    return value != NULL;
}
// The same where only those rows of the operand have one: `rows` is an int
// vector, `values` has a slice of the operand's for each.
static inline bool grad_give_rows(GradCall *call, uint32_t index,
                                  EmitValue rows, EmitValue values)
{
    call->input_rows[index] = rows;
    return rows != NULL && grad_give(call, index, values);
}
// sum with the rows added, in their order.
EmitValue grad_add_rows(Emit *emit, EmitValue sum, EmitValue rows,
                        EmitValue values);
// Whether operand `index` wants a gradient and result 0 has one.
static inline bool grad_asked(const GradCall *call, uint32_t index)
{
    return call->wanted[index] && call->output_grads[0] != NULL;
}

// The rule of an op whose result holds elements of its first operand and
// nothing else: asked about the numbers of the elements, the op tells where
// each gradient belongs.
MUST_CHECK bool grad_places(GradCall *call);
// Gradients of values that were taken from int64 `places` of x (numbers of its
// elements), added up in the shape of x.
EmitValue grad_scatter(Emit *emit, EmitValue x, EmitValue places, EmitValue g);
// The numbers of x's elements, in x's shape.
EmitValue grad_numbers(Emit *emit, EmitValue x);

// The op `recurrence` of x and factors, with its attributes.
EmitValue grad_recur(Emit *emit, EmitValue x, EmitValue factor,
                     const AttrValue *attrs);

// The reductions' rules (grad_reduce.c).
bool grad_sum(GradCall *call);
bool grad_mean(GradCall *call);
bool grad_prod(GradCall *call);
bool grad_var(GradCall *call);
bool grad_std(GradCall *call);
bool grad_extreme(GradCall *call);
bool grad_logsumexp(GradCall *call);

// A list of zeros in the shapes of a list's elements.
EmitValue grad_list_zeros(Emit *emit, EmitValue list);
// The rules of lists of tensors (grad_list.c). Sizes and zeros have none.
bool grad_list_new(GradCall *call);
bool grad_list_append(GradCall *call);
bool grad_list_pop(GradCall *call);
bool grad_list_read(GradCall *call);
bool grad_list_write(GradCall *call);
bool grad_list_stack(GradCall *call);
bool grad_list_unstack(GradCall *call);
bool grad_list_add(GradCall *call);
bool grad_list_slice(GradCall *call);
bool grad_list_slice_add(GradCall *call);
bool grad_list_concat(GradCall *call);
bool grad_list_take(GradCall *call);
bool grad_list_insert(GradCall *call);
bool grad_list_resize(GradCall *call);
bool grad_list_join(GradCall *call);
bool grad_list_split(GradCall *call);

#endif
