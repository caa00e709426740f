// Pieces of a GraphDef's text, in protobuf's text format.
//
// All of them append to a buffer whose failure is looked at by the caller, in
// the end (strbuf_ok). Keys are TensorFlow's names of attributes.
#ifndef DUET_EXPORT_GRAPHDEF_TEXT_H
#define DUET_EXPORT_GRAPHDEF_TEXT_H

#include "graph/graph.h"

const char *gd_type(DType dtype); // "DT_INT32"
// An attribute each: key and value, as lines of a node.
void gd_attr_type(StrBuf *out, const char *key, DType dtype);
void gd_attr_type_text(StrBuf *out, const char *key, const char *type);
// The attributes of a node in protobuf's text format, one function a kind.
void gd_attr_types(StrBuf *out, const char *key, Graph *graph,
                   const ValueId *values, uint32_t count);
// The same of types that are texts already.
void gd_attr_type_list(StrBuf *out, const char *key, const char *const *types,
                       uint32_t count);
void gd_attr_int(StrBuf *out, const char *key, int64_t value);
void gd_attr_ints(StrBuf *out, const char *key, const int64_t *ints,
                  uint32_t count);
void gd_attr_text(StrBuf *out, const char *key, const char *bytes,
                  size_t length);
void gd_attr_bool(StrBuf *out, const char *key, bool value);
void gd_attr_func(StrBuf *out, const char *key, const char *name);
void gd_attr_shape(StrBuf *out, const char *key, TensorType type);
// The attribute "value" of a Const: dtype, shape and elements.
void gd_attr_tensor(StrBuf *out, const Tensor *tensor);
// How TensorFlow names a node of its op ("AddV2": "add") and the op's first
// result ("z"), which inputs inside of functions spell out; where results have
// names of their own, all of them ("values indices").
const char *gd_base_name(const char *op);
const char *gd_result_name(const char *op, uint32_t inputs);

#endif
