// Matrix products on all threads, which Ctrl-C can end.
#ifndef DUET_OPS_PRODUCT_H
#define DUET_OPS_PRODUCT_H

#include "kernels/tier.h"
#include "ops/tensor.h"

// One product, or one for each matrix of a batch. `blocks` and `work` of the
// arguments are filled in by what runs it.
typedef struct Product {
    DType dtype; // one that has a kernel
    GemmArgs args;
    int64_t count;
    // Sets a, b and c of matrix `index`; called by any thread. NULL: one
    // matrix, which `args` has.
    void (*place)(const void *batch, int64_t index, GemmArgs *args);
    const void *batch;
    bool even; // all matrices are as far from each other as args.many says
    bool dot;  // of two vectors of floats: in the order of a sum
} Product;

// An element's sum is the same however the work is cut. False: interrupted, or
// no memory.
MUST_CHECK bool product_run(Ctx *ctx, const Product *product);

// The one element of such a product, of 1 or more places. The kernels' state
// exists.
MUST_CHECK bool product_dot(Ctx *ctx, DType dtype, const GemmArgs *args);

// to = left @ right, as matmul has it, of matrices that broadcast like an
// element-wise op's elements. An operand that is turned, of rank 2 or more, is
// the transpose of what is meant: it is read by its columns.
enum { PRODUCT_LEFT = 1, PRODUCT_RIGHT = 2 };
typedef struct Matmul {
    Product product; // its batch is this: the struct stays where it is
    const char *left, *right;
    char *to;
    TensorType left_type, right_type;
    int64_t left_size, right_size, to_size; // bytes of a matrix
    Shape batch;
} Matmul;
// `to` is the memory of a tensor of the type.
void product_matmul(Matmul *matmul, const Tensor *left, const Tensor *right,
                    unsigned turned, TensorType type, void *to);
// The same of other operands of their shapes.
void product_bind(Matmul *matmul, const Tensor *left, const Tensor *right);

// Some rows of a product at a time, for who goes on with them at once: each
// block has so many rows of one matrix (fewer at its end).
typedef struct ProductBlocks {
    Product product;
    int64_t rows, each, count; // of a block; blocks of a matrix; and of all
    double cost;               // of a block
    size_t room;               // bytes that a thread needs, a multiple of 64
    GemmFn kernel;
    size_t panels; // bytes of room that they take
} ProductBlocks;
// What a thread has in hand: `room`, and the matrix whose panels it has there.
typedef struct ProductHand {
    void *room;
    int64_t matrix; // -1: none
} ProductHand;
// Sets the blocks, in which the kernels' state must exist. False: the product
// is better run as a whole.
bool product_blocks(Ctx *ctx, const Product *product, ProductBlocks *blocks);
// Block number `index`, into C's place, or to `to`, where rows are dense; any
// thread may call it.
void product_block(const ProductBlocks *blocks, int64_t index,
                   ProductHand *hand, void *to);
// Its first row, counted over all matrices, and how many there are.
int64_t product_block_rows(const ProductBlocks *blocks, int64_t index,
                           int64_t *first);

// Room for the panels of a product that is run again and again with the same
// right operand; 0: it has no use for them.
size_t product_panels_size(Ctx *ctx, const Product *product);
// Fills them.
void product_fill(Ctx *ctx, Product *product, void *panels);

// Whether the kernel is best called at once: a short product that needs no
// working memory. Sets `blocks`. The kernels' state in ctx must exist.
bool product_is_small(Ctx *ctx, DType dtype, GemmArgs *args);

#endif
