// What a print of a graph shows.
#ifndef DUET_BACKEND_HOST_TEXT_H
#define DUET_BACKEND_HOST_TEXT_H

#include "graph/node.h"
#include "ops/tensor.h"

// As the style asks: "print" is the form of str(); "brief" has one blank
// between values, "brief:5" shows so many at each end of an axis ("brief:-1"
// all), "brief!" leaves strings unquoted.
void host_text_tensor(StrBuf *out, const char *style, size_t length,
                      const Tensor *tensor);
// The node's text, with its inputs in their places. True: it is for standard
// error.
bool host_text_print(StrBuf *out, const GraphNode *node, Tensor *const *inputs);
// The text of a raise or a failed assert, likewise.
MUST_CHECK bool host_text_error(StrBuf *out, const GraphNode *node,
                                Tensor *const *inputs);

#endif
