// What a Variable may hold.
#include "ops/variable.h"

bool tensor_type_may_be(TensorType asked, TensorType given)
{
    if (asked.rank < 0 || given.rank < 0) {
        return true;
    }
    bool fits = given.rank == asked.rank;
    for (int i = 0; fits && i < given.rank; i++) {
        fits = asked.dims[i] == given.dims[i] || asked.dims[i] < 0 ||
               given.dims[i] < 0;
    }
    return fits;
}
