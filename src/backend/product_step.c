// Matrix products of known sizes as steps: alone, or what their rows go through
// meanwhile (nest_run.c). The panels of a right operand that is the same in all
// runs are kept from the third run on: a plan that runs once or twice has no
// use for them.
#include "backend/product_step.h"

#include "kernels/pool.h"

enum { PRODUCT_FILLED = 3 };

bool product_build(Builder *builder, const GraphNode *node, Step *step)
{
    Plan *plan = builder->plan;
    TileProduct *product = arena_new(&plan->arena, TileProduct);
    if (product == NULL) {
        return false;
    }
    *product =
        (TileProduct){.left = step->inputs[0],
                      .right = step->inputs[1],
                      .to = step->outputs[0],
                      .type = graph_type(builder->graph, node->first_output),
                      .next_of_plan = plan->products};
    for (unsigned i = 0; i < 2; i++) {
        if (builder->turned[node->inputs[i]] != VALUE_ID_NONE) {
            product->turned |= i == 0 ? PRODUCT_LEFT : PRODUCT_RIGHT;
        }
    }
    plan->products = product;
    step->run = step_product;
    step->product = product;
    return true;
}

bool product_fix(Builder *builder)
{
    Plan *plan = builder->plan;
    size_t size = plan->slot_count + 1;
    if (plan->products == NULL) {
        return true;
    }
    bool *pinned = ctx_alloc_zero(builder->ctx, size);
    if (pinned == NULL) {
        return false;
    }
    for (size_t i = 0; i < plan->pins.count; i++) {
        pinned[plan->pins.items[i].slot] = true;
    }
    for (TileProduct *p = plan->products; p != NULL; p = p->next_of_plan) {
        p->fixed = pinned[p->right];
    }
    ctx_free(builder->ctx, pinned, size);
    return true;
}

void product_release(Ctx *ctx, Plan *plan)
{
    for (TileProduct *p = plan->products; p != NULL; p = p->next_of_plan) {
        if (p->panels != NULL) {
            pool_give(ctx->kernels->pool, p->panels, p->panels_size);
        }
    }
}

// Without memory for panels there are none.
static void set_panels(Ctx *ctx, TileProduct *product, Matmul *matmul)
{
    if (product->panels != NULL) {
        matmul->product.args.panels =
            (GemmPanels){product->panels, matmul->product.args.n, 0, true};
    } else if (product->runs < PRODUCT_FILLED) {
        size_t size = product_panels_size(ctx, &matmul->product);
        if (++product->runs == PRODUCT_FILLED && size > 0) {
            product->panels_size = size;
            product->panels =
                pool_take(ctx, ctx->kernels->pool, &product->panels_size);
            if (product->panels != NULL) {
                product_fill(ctx, &matmul->product, product->panels);
            } else {
                ctx_clear(ctx);
            }
        }
    }
}

// What follows from the shapes, which are those of all runs.
static Matmul *fix_matmul(PlanRun *run, TileProduct *product)
{
    TensorType type = product->type;
    if (kernel_state(run->ctx) == NULL ||
        !shape_count(run->ctx, type.rank, type.dims, type.dtype,
                     &product->count)) {
        return NULL;
    }
    Matmul *matmul = arena_new(&run->plan->arena, Matmul);
    if (matmul != NULL) {
        product_matmul(matmul, run->slots[product->left],
                       run->slots[product->right], product->turned, type, NULL);
    }
    if (matmul != NULL && matmul->product.count == 1 && !matmul->product.dot &&
        product_is_small(run->ctx, type.dtype, &matmul->product.args)) {
        product->kernel = run->ctx->kernels->tier->gemm[type.dtype];
    }
    return product->matmul = matmul;
}

Matmul *product_set(PlanRun *run, TileProduct *product)
{
    Matmul *matmul = product->matmul;
    if (LIKELY(matmul != NULL)) {
        product_bind(matmul, run->slots[product->left],
                     run->slots[product->right]);
    } else {
        matmul = fix_matmul(run, product);
    }
    if (product->fixed && matmul != NULL) {
        set_panels(run->ctx, product, matmul);
    }
    return matmul;
}

bool product_make(PlanRun *run, const TileProduct *product, Matmul *matmul)
{
    TensorType type = product->type;
    Tensor *output = tensor_new_counted(run->ctx, type.dtype, type.rank,
                                        type.dims, product->count);
    if (UNLIKELY(output == NULL)) {
        return false;
    }
    matmul->to = output->data;
    step_set(run, product->to, output);
    return true;
}

// Nothing but the three matrices is new.
static bool run_small(PlanRun *run, const TileProduct *product)
{
    Matmul *matmul = product->matmul;
    GemmArgs *args = &matmul->product.args;
    args->a = run->slots[product->left]->data;
    args->b = run->slots[product->right]->data;
    if (UNLIKELY(!product_make(run, product, matmul))) {
        return false;
    }
    args->c = matmul->to;
    product->kernel(args);
    return true;
}

bool step_product(PlanRun *run, const Step *step)
{
    if (LIKELY(step->product->kernel != NULL)) {
        return run_small(run, step->product);
    }
    Matmul *matmul = product_set(run, step->product);
    return matmul != NULL && product_make(run, step->product, matmul) &&
           product_run(run->ctx, &matmul->product);
}
