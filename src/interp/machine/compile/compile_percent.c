// "%s: %r" % (a, b) as an f-string.
//
// A format is rewritten whose fields are all of %s, %r and %a, beside a tuple
// that is written out. This can be seen: each value is made a text before the
// next one is computed, and a failing __str__ points at its own value.
// Invariant: what is not rewritten here is an ordinary operator.
#include <string.h>

#include "interp/machine/compile/compile.h"

typedef struct PercentField {
    char conversion; // 's', 'r' or 'a'
    char spec[12];   // as format() takes it, mostly ""
} PercentField;

// A width or precision of up to two digits, copied to *out. NULL: there are
// more, or the text ends.
static const char *read_digits(const char *at, const char *end, char **out)
{
    for (int count = 0; at < end && *at >= '0' && *at <= '9'; count++) {
        if (count == 2) {
            return NULL;
        }
        *(*out)++ = *at++;
    }
    return at < end ? at : NULL;
}

// What stands behind a '%': flags, width, precision and letter. The flags of
// numbers mean nothing to texts. NULL: no field that is rewritten.
static const char *read_field(const char *at, const char *end,
                              PercentField *field)
{
    bool left = false;
    for (; at < end && *at != '\0' && strchr("-+ #0", *at) != NULL; at++) {
        left |= *at == '-';
    }
    // A width of its own begins with no 0: that was a flag.
    char *out = field->spec;
    if (!left && at < end && *at >= '1' && *at <= '9') {
        *out++ = '>';
    }
    at = read_digits(at, end, &out);
    if (at != NULL && *at == '.') {
        char *point = out;
        *out++ = '.';
        at = read_digits(at + 1, end, &out);
        if (out == point + 1) {
            *out++ = '0';
        }
    }
    *out = '\0';
    if (at == NULL || *at == '\0' || strchr("sra", *at) == NULL) {
        return NULL;
    }
    field->conversion = *at;
    return at + 1;
}

// Whether the format has as many fields as the tuple has items, and all of them
// are of the simple kinds.
static bool is_simple(Text format, uint32_t items)
{
    const char *at = format.text, *end = at + format.length;
    uint32_t count = 0;
    while ((at = memchr(at, '%', (size_t)(end - at))) != NULL) {
        PercentField field;
        if (at + 1 < end && at[1] == '%') {
            at += 2;
            continue;
        }
        at = read_field(at + 1, end, &field);
        if (at == NULL || ++count > items) {
            return false;
        }
    }
    return count == items;
}

bool compile_percent_is_text(const Node *node)
{
    const Node *left = node->binary.left, *right = node->binary.right;
    if (node->binary.op != BINARY_MOD || left->kind != AST_CONSTANT ||
        left->constant.type != CONSTANT_STR || right->kind != AST_TUPLE ||
        right->sequence.elements.count == 0) {
        return false;
    }
    for (uint32_t i = 0; i < right->sequence.elements.count; i++) {
        if (right->sequence.elements.items[i]->kind == AST_STARRED) {
            return false;
        }
    }
    return is_simple(left->constant.text, right->sequence.elements.count);
}

// The text up to the next field, with one '%' for two. A new temporary, unless
// it is empty. Returns where the field begins, or the end.
static const char *literal_temp(Compiler *c, const char *at, const char *end)
{
    StrBuf text;
    strbuf_init(&text, &c->vm->ctx);
    while (at < end && (*at != '%' || (at + 1 < end && at[1] == '%'))) {
        strbuf_putc(&text, *at);
        at += *at == '%' ? 2 : 1;
    }
    if (text.length > 0) {
        uint32_t constant =
            compile_constant_name(c, strbuf_text(&text), text.length);
        compile_emit(c, OPCODE_LOADK, compile_push(c), constant, 0);
    }
    c->failed |= !strbuf_ok(&text);
    strbuf_free(&text);
    return at;
}

static void field_temp(Compiler *c, const PercentField *field, const Node *item)
{
    Reg value = compile_temp(c, item), spec = value;
    if (field->spec[0] != '\0') {
        spec = compile_push(c);
        compile_emit(c, OPCODE_LOADK, spec,
                     compile_constant_name(c, field->spec, strlen(field->spec)),
                     0);
    }
    c->span = item->span;
    compile_emit_x(c, OPCODE_FORMAT, (uint8_t)field->conversion, value, value,
                   spec);
    c->top = value + 1;
}

void compile_percent_to(Compiler *c, const Node *node, Reg target)
{
    Text format = node->binary.left->constant.text;
    NodeList items = node->binary.right->sequence.elements;
    const char *at = format.text, *end = at + format.length;
    Reg first = c->top;
    for (uint32_t i = 0; i < items.count && !c->failed; i++) {
        PercentField field;
        at = read_field(literal_temp(c, at, end) + 1, end, &field);
        field_temp(c, &field, items.items[i]);
        compile_join_full(c, first);
    }
    (void)literal_temp(c, at, end);
    c->span = node->span;
    compile_emit(c, OPCODE_CONCAT, target, first, c->top - first);
    c->top = first;
}
