// Forms of several nodes. A step writes one and gives its reference; one whose
// operand is NULL gives NULL, so that a form asks once, in the end.
#ifndef DUET_EXPORT_GRAPHDEF_STEP_H
#define DUET_EXPORT_GRAPHDEF_STEP_H

#include "export/graphdef_form.h"

enum { STEP_MAX_INPUTS = 8 };

// Attributes that are types, in order.
typedef struct StepTypes {
    const char *keys[3];
    DType types[3];
} StepTypes;
#define TYPES(...) ((StepTypes){__VA_ARGS__})

// Names the form after the op, as Duet calls it, and takes its operands.
MUST_CHECK bool step_begin(Form *form);
// The reference is the node's output; false if it is NULL.
MUST_CHECK bool step_gives(Form *form, uint32_t output, const char *ref);

const char *step_1(Form *form, const char *op, const char *x, StepTypes types);
const char *step_2(Form *form, const char *op, const char *x, const char *y,
                   StepTypes types);
const char *step_many(Form *form, const char *op, const char **inputs,
                      uint32_t count, StepTypes types);
// A step with other attributes: they are written in between. The operands
// follow the count. The name, or NULL.
const char *step_open(Form *form, const char *op, uint32_t count, ...);
const char *step_close(Form *form, const char *name, const char *op,
                       uint32_t inputs);
// Another result of a step of that name, behind its step_close.
const char *step_result(Form *form, const char *name, const char *op,
                        uint32_t inputs, uint32_t index);

// Constants: an int32, a number of a dtype, a text.
const char *step_int(Form *form, const char *part, int64_t value);
const char *step_number(Form *form, const char *part, DType dtype,
                        double value);
const char *step_text(Form *form, const char *part, const char *bytes,
                      size_t length);

const char *step_shape(Form *form, const char *x, DType dtype);
const char *step_reshape(Form *form, const char *x, const char *shape,
                         DType dtype);
// As one vector.
const char *step_flat(Form *form, const char *x, DType dtype);
// An operand's size along an axis that it has, an int32.
const char *step_size(Form *form, uint32_t operand, int axis);
// By int32 indices.
const char *step_gather(Form *form, const char *x, DType dtype,
                        const char *indices, int64_t axis);
const char *step_cast(Form *form, const char *x, DType from, DType to);
// The axis and the last one change places.
const char *step_swap(Form *form, const char *x, TensorType type, int axis);
// Indices below 0 count from the end; those out of range stay so.
const char *step_wrap(Form *form, const char *index, DType dtype,
                      const char *size);

#endif
