// What a print of a graph shows.
//
// The node's format has a byte in the place of each tensor (ops/structural.h).
#include "backend/host_text.h"

#include <stdlib.h>
#include <string.h>

void host_text_tensor(StrBuf *out, const char *style, size_t length,
                      const Tensor *tensor)
{
    static const char brief[] = "brief";
    size_t stem = strlen(brief);
    if (length < stem || memcmp(style, brief, stem) != 0) {
        tensor_print_str(out, tensor);
        return;
    }
    // What follows the stem was checked by nobody: an unknown rest leaves the
    // defaults.
    const char *rest = style + stem;
    bool plain = length > stem && *rest == '!';
    rest += plain;
    bool counted = rest < style + length && *rest == ':';
    tensor_print_brief(out, tensor,
                       counted ? strtol(rest + 1, NULL, 10) : TENSOR_BRIEF_EDGE,
                       !plain);
}

// Attributes are counted texts: the format holds NUL bytes.
static void fill(StrBuf *out, const AttrValue *format, const AttrValue *style,
                 Tensor *const *inputs, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < format->count; i++) {
        char mark = format->text[i];
        if (!print_is_mark(mark)) {
            strbuf_putc(out, mark);
        } else if (next < count) {
            const Tensor *tensor = inputs[next++];
            if (mark == PRINT_TEXT && tensor->dtype == DT_STRING) {
                const TensorString *text = *(TensorString *const *)tensor->data;
                strbuf_add(out, text->bytes, text->length);
            } else {
                host_text_tensor(out, style->text, style->count, tensor);
            }
        }
    }
}

bool host_text_print(StrBuf *out, const GraphNode *node, Tensor *const *inputs)
{
    fill(out, &node->attrs[0], &node->attrs[1], inputs, node->input_count);
    return attr_is(&node->attrs[2], "stderr");
}

bool host_text_error(StrBuf *out, const GraphNode *node, Tensor *const *inputs)
{
    uint32_t skipped = node->op == OP_ASSERT; // its condition
    AttrValue style = attr_of_text("print");
    fill(out, &node->attrs[0], &style, inputs + skipped,
         node->input_count - skipped);
    return strbuf_ok(out);
}
