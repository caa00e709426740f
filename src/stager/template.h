// The structure of a result, laid out so that a call fills it in one pass.
//
// Lists, tuples and dicts of plain keys, if they are small and not deep; each
// call walks any other structure anew (structure_map).
#ifndef DUET_STAGER_TEMPLATE_H
#define DUET_STAGER_TEMPLATE_H

#include "stager/structure.h"

typedef enum TemplateKind {
    TEMPLATE_OUTPUT, // the tensor that comes next
    TEMPLATE_SAME,   // one object for all calls
    TEMPLATE_TUPLE,
    TEMPLATE_LIST,
    TEMPLATE_DICT
} TemplateKind;

// A structure is followed by what it holds, in the order of a walk.
typedef struct TemplatePart {
    TemplateKind kind;
    uint32_t count; // what it holds
    uint32_t place; // where it stands in the structure around it
    Value value;    // borrowed from the result: itself
} TemplatePart;

// Without parts: the result has to be walked.
typedef VEC(TemplatePart) Template;

// Lays out a result with symbolic tensors where outputs go. False: failed.
MUST_CHECK bool template_lay(Vm *vm, Template *layout, Value result);
// The structure with these tensors, which get a count for it. Owned.
Value template_fill(Vm *vm, const Template *layout, Tensor *const *outputs);

#endif
