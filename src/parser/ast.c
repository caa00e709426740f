// The tables of the tree, and its printed form for DUET_DUMP=ast.
//
// The dump is one node a line in the order of the text's structure, with the
// field it fills in its parent. A stack of our own holds what is still to be
// printed, so that a tree of any depth can be dumped; from MAX_INDENT levels
// on the depth is printed as a number instead.
#include "parser/ast.h"

#include <string.h>

#include "base/vec.h"

enum { MAX_INDENT = 40, MAX_FIELDS = 8 };

static const char *const kind_names[] = {
#define AST(id, name, ...) [AST_##id] = name,
#include "parser/ast_list.h"
#undef AST
};

// Also those that another line can prolong.
bool ast_is_compound(const Node *node)
{
    switch (node->kind) {
    case AST_IF:
    case AST_WHILE:
    case AST_FOR:
    case AST_TRY:
    case AST_WITH:
    case AST_FUNCTION_DEF:
    case AST_CLASS_DEF: return true;
    default: return false;
    }
}

// Without the `=` of an augmented assignment, which shares the operators.
const char *ast_binary_symbol(BinaryOp op)
{
    static const char *const symbols[] = {
#define BINARY_OP(id, symbol, dunder) [BINARY_##id] = symbol,
#include "parser/binary_op_list.h"
#undef BINARY_OP
    };
    return symbols[op];
}

// As the source spells it, with one blank inside those of two words.
const char *ast_compare_symbol(CompareOp op)
{
    static const char *const symbols[] = {
        [COMPARE_LT] = "<",  [COMPARE_LE] = "<=",
        [COMPARE_EQ] = "==", [COMPARE_NE] = "!=",
        [COMPARE_GT] = ">",  [COMPARE_GE] = ">=",
        [COMPARE_IN] = "in", [COMPARE_NOT_IN] = "not in",
        [COMPARE_IS] = "is", [COMPARE_IS_NOT] = "is not",
    };
    return symbols[op];
}

// What dump_scalars and push_children have to know of a member. What a
// constant holds and the operators of a comparison are printed apart.
typedef enum FieldType {
    FIELD_NONE, // behind the last one
    FIELD_NODE,
    FIELD_LIST,
    FIELD_NAME,
    FIELD_NUMBER
} FieldType;

// One member of a kind's part of the union, as ast_list.h lists it. The table
// lets the dump go over any node without a case for each kind.
typedef struct NodeField {
    FieldType type;
    uint16_t offset, size; // in a Node
    const char *name;      // "binary.left"
} NodeField;

// `member` is a path in Node's union; the comma at the end lets rows be
// written without any between.
#define FIELD(type, member)                                                    \
    {type, offsetof(Node, member), sizeof((Node *)0)->member, #member},
#define N(member) FIELD(FIELD_NODE, member)
#define L(member) FIELD(FIELD_LIST, member)
#define S(member) FIELD(FIELD_NAME, member)
#define V(member) FIELD(FIELD_NUMBER, member)

// A row ends with FIELD_NONE, so a kind may have at most MAX_FIELDS - 1
// fields.
static const NodeField kind_fields[AST_COUNT][MAX_FIELDS] = {
#define AST(id, name, ...) [AST_##id] = {__VA_ARGS__{FIELD_NONE, 0, 0, NULL}},
#include "parser/ast_list.h"
#undef AST
};

// What is still to be printed: a node, or a list's head line.
typedef struct DumpItem {
    const char *field; // what it is to its parent, NULL in lists
    const Node *node;  // NULL for the head of a list
    uint32_t count;    // of the list
    uint32_t depth;
} DumpItem;

// The stack belongs to the dump, and is freed in ast_dump even on failure.
typedef struct Dump {
    StrBuf *out;
    VEC(DumpItem) stack;
} Dump;

// Field names are the stringized members of the union (`binary.left`), so
// there is always a dot.
static const char *short_name(const NodeField *field)
{
    return strchr(field->name, '.') + 1;
}

// Everything that could break the line or the quotes is escaped; UTF-8 goes
// through as it is, bytes literals included.
static void dump_text(StrBuf *out, Text text)
{
    strbuf_putc(out, '\'');
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.text[i];
        if (byte < 0x20 || byte == '\'' || byte == '\\' || byte == 0x7F) {
            strbuf_printf(out, "\\x%02x", byte);
        } else {
            strbuf_putc(out, (char)byte);
        }
    }
    strbuf_putc(out, '\'');
}

// 17 digits tell any two floats apart, which is what a dump that is compared
// with another needs.
static void dump_constant(StrBuf *out, const Node *node)
{
    static const char *const names[] = {
        [CONSTANT_NONE] = "None", [CONSTANT_FALSE] = "False",
        [CONSTANT_TRUE] = "True", [CONSTANT_ELLIPSIS] = "...",
        [CONSTANT_INT] = "int",   [CONSTANT_FLOAT] = "float",
        [CONSTANT_STR] = "str",   [CONSTANT_BYTES] = "bytes",
    };
    strbuf_printf(out, " %s", names[node->constant.type]);
    if (node->constant.type == CONSTANT_FLOAT) {
        strbuf_printf(out, " %.17g", node->constant.number);
    } else if (node->constant.text.text != NULL) {
        strbuf_putc(out, ' ');
        dump_text(out, node->constant.text);
    }
}

// The operators are bytes beside the comparators and no nodes, so no row of
// the field table names them.
static void dump_compare(StrBuf *out, const Node *node)
{
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        CompareOp op = (CompareOp)node->compare.ops[i];
        strbuf_printf(out, " %s", ast_compare_symbol(op));
    }
}

// Untyped, as the field's type says what lies there.
static const void *field_at(const Node *node, const NodeField *field)
{
    return (const char *)node + field->offset;
}

// Enums and counts have four bytes, flags and the conversion of a formatted
// value one; memcpy spares a cast to a type that was never stored.
static long number_at(const Node *node, const NodeField *field)
{
    uint32_t value = 0; // all such fields are 1 or 4 bytes
    if (field->size == 1) {
        return *(const uint8_t *)field_at(node, field);
    }
    memcpy(&value, field_at(node, field), sizeof value);
    return (long)value;
}

// Names and numbers stand on the node's own line.
static void dump_scalars(StrBuf *out, const Node *node)
{
    if (node->kind == AST_CONSTANT) {
        dump_constant(out, node);
        return;
    }
    const NodeField *field = kind_fields[node->kind];
    for (; field->type != FIELD_NONE; field++) {
        // Only looked into where the field is a name.
        const Text *text = field_at(node, field);
        if (field->type == FIELD_NUMBER) {
            strbuf_printf(out, " %s=%ld", short_name(field),
                          number_at(node, field));
        } else if (field->type == FIELD_NAME && text->text != NULL) {
            strbuf_printf(out, " %s=", short_name(field));
            dump_text(out, *text);
        }
    }
    if (node->kind == AST_COMPARE) {
        dump_compare(out, node);
    }
}

// The last child goes onto the stack first.
static bool push_children(Dump *dump, const Node *node, uint32_t depth)
{
    const NodeField *fields = kind_fields[node->kind];
    // Lists are pushed before their head line, and fields from the last to the
    // first: the stack turns both round.
    int count = 0;
    while (fields[count].type != FIELD_NONE) {
        count++;
    }
    while (count-- > 0) {
        const NodeField *field = &fields[count];
        const char *name = short_name(field);
        const NodeList *list = field_at(node, field);
        // A head line for the field, behind which its children are printed.
        DumpItem item = {name, NULL, 0, depth};
        if (field->type == FIELD_NODE) {
            item.node = *(Node *const *)field_at(node, field);
        } else if (field->type == FIELD_LIST) {
            item.count = list->count;
            for (uint32_t i = list->count; i-- > 0;) {
                DumpItem child = {NULL, list->items[i], 0, depth + 1};
                if (!vec_push(dump->out->ctx, &dump->stack, child)) {
                    return false;
                }
            }
        }
        if ((item.node != NULL || item.count > 0) &&
            !vec_push(dump->out->ctx, &dump->stack, item)) {
            return false;
        }
    }
    return true;
}

// False stops the dump: memory ran out. A failed StrBuf is not looked at here,
// because it swallows what is added to it.
static bool dump_item(Dump *dump, DumpItem item)
{
    StrBuf *out = dump->out;
    uint32_t shown = item.depth < MAX_INDENT ? item.depth : MAX_INDENT;
    strbuf_pad(out, ' ', 2 * (size_t)shown);
    if (shown < item.depth) {
        strbuf_printf(out, "[%u] ", item.depth);
    }
    if (item.field != NULL) {
        strbuf_printf(out, "%s: ", item.field);
    }
    if (item.count > 0) {
        strbuf_printf(out, "%u\n", item.count);
        return true;
    }
    if (item.node == NULL) {
        strbuf_puts(out, "absent\n"); // a list may have holes
        return true;
    }
    // The node's own line: its kind, then what dump_scalars adds.
    strbuf_puts(out, kind_names[item.node->kind]);
    dump_scalars(out, item.node);
    strbuf_putc(out, '\n');
    return push_children(dump, item.node, item.depth + 1);
}

// An error during the dump is pending in the context, and the buffer is
// marked, so that a half dump is never taken for a whole one.
void ast_dump(StrBuf *out, const Node *node)
{
    Dump dump = {.out = out};
    DumpItem root = {NULL, node, 0, 0};
    bool going = vec_push(out->ctx, &dump.stack, root);
    while (going && dump.stack.count > 0) {
        going = ctx_poll(out->ctx) && dump_item(&dump, vec_pop(&dump.stack));
    }
    if (!going) {
        strbuf_fail(out);
    }
    vec_free(out->ctx, &dump.stack);
}
