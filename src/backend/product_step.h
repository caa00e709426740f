// Matrix products as steps of a plan.
#ifndef DUET_BACKEND_PRODUCT_STEP_H
#define DUET_BACKEND_PRODUCT_STEP_H

#include "backend/tile.h"
#include "ops/product.h"

// The product of the slots' tensors, without a place for what it gives; its own
// until it is set again. NULL: no memory.
MUST_CHECK Matmul *product_set(PlanRun *run, TileProduct *product);
// A new tensor in the slot is that place.
MUST_CHECK bool product_make(PlanRun *run, const TileProduct *product,
                             Matmul *matmul);

#endif
