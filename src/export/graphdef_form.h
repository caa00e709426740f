// Writing one op of Duet as a node of a GraphDef, or as a few.
//
// A form collects operands, opens the node, writes its attributes and closes
// it; the node's results then stand for the outputs of the graph's node. What
// is an attribute in Duet and an operand in TensorFlow becomes a constant of
// its own, named after the node ("Sum/reduction_indices").
#ifndef DUET_EXPORT_GRAPHDEF_FORM_H
#define DUET_EXPORT_GRAPHDEF_FORM_H

#include "export/graphdef_scope.h"
#include "export/graphdef_text.h"

enum { FORM_MORE_INPUTS = 4 }; // operands that a form may add

// One node in the making. Operands are collected in `inputs` before form_open
// writes them.
typedef struct Form {
    NodeScope *scope;
    const GraphNode *node;
    const char *op;      // TensorFlow's
    const char *name;    // of the node
    const char **inputs; // references
    uint32_t count;      // of them so far
} Form;

// Writes the node whole. False with an error pending: no form, or no memory.
typedef bool (*FormFn)(Form *form);
#define FORM(op, form) bool form_##form(Form *form);
#include "export/graphdef_list.h"
#undef FORM

// Names the node and takes the graph node's inputs as operands.
MUST_CHECK bool form_begin(Form *form, const char *op);
// One more operand: a constant of int32 (rank 0 or 1).
MUST_CHECK bool form_ints(Form *form, const char *part, const int64_t *ints,
                          int rank, int64_t count);
// A constant apart from the operands; its reference, NULL on failure.
const char *form_const(Form *form, const char *part, const int64_t *ints,
                       int rank, int64_t count);
// The same of another dtype of ints.
const char *form_const_of(Form *form, const char *part, DType dtype,
                          const int64_t *ints, int rank, int64_t count);
// The axes of a reduction, the first attribute, as a constant.
const char *form_axes(Form *form);
// A node before the form's own, of one result: writes all but attributes,
// which follow; form_inner_close gives its reference.
const char *form_inner(Form *form, const char *part, const char *op,
                       const char **inputs, uint32_t count);
const char *form_inner_close(Form *form, const char *name, const char *op,
                             uint32_t inputs);
// Writes the node's head with the operands so far; then come attributes, then
// form_close, which makes its results those of the graph's node.
MUST_CHECK bool form_open(Form *form);
MUST_CHECK bool form_close(Form *form);
// ERR_VALUE: the op, or what the text names of it, has no form in a GraphDef.
bool form_refuse(Form *form, const char *what);

// The type of the graph node's own input, not of an operand that was added.
static inline TensorType form_in(const Form *form, uint32_t index)
{
    return graph_type(form->scope->graph, form->node->inputs[index]);
}
// Nodes of several outputs say what they need otherwise.
static inline TensorType form_out(const Form *form)
{
    return graph_type(form->scope->graph, form->node->first_output);
}
// Where attributes are appended.
static inline StrBuf *form_text(Form *form)
{
    return &form->scope->text;
}
// An int attribute, or `otherwise` where it was not given.
static inline int64_t form_int(const Form *form, uint32_t attr,
                               int64_t otherwise)
{
    const AttrValue *value = &form->node->attrs[attr];
    return value->kind == ATTR_INT ? value->integer : otherwise;
}
// False also where the attribute was not given.
static inline bool form_bool(const Form *form, uint32_t attr)
{
    const AttrValue *value = &form->node->attrs[attr];
    return value->kind == ATTR_BOOL && value->boolean;
}

#endif
