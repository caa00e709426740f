// Printed forms of tensors with other numbers than NumPy's own.
#ifndef DUET_OPS_TENSOR_PRINT_H
#define DUET_OPS_TENSOR_PRINT_H

#include "ops/tensor.h"

// What NumPy's print options say.
typedef struct PrintStyle {
    int places;        // digits behind a float's point, at most
    int64_t threshold; // more elements than these show their edges only
    int64_t edge;      // how many at each edge of a dimension
    int columns;       // of a line
    bool suppress;     // small floats are rounded to 0, not shown by exponents
} PrintStyle;

#define PRINT_STYLE_NUMPY                                                      \
    {                                                                          \
        TENSOR_NUMPY_PLACES, 1000, TENSOR_BRIEF_EDGE, 75, false                \
    }

// tensor_print_array in a style.
void tensor_print_styled(StrBuf *out, const Tensor *tensor,
                         const PrintStyle *style, bool commas, int prefix);
// "array([1., 2.], dtype=float32)": the array part after `opening`, then
// `extra` (may be empty) and a bracket; `extra` moves to a line of its own
// when it does not fit.
void tensor_print_styled_call(StrBuf *out, const Tensor *tensor,
                              const PrintStyle *style, const char *opening,
                              const char *extra);

#endif
