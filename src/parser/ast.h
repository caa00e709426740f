// The abstract syntax tree, Python's own in form (names as in its `ast`).
//
// All nodes and lists of one compilation live in one arena and are freed
// together; nobody owns a node. Every node has the span of its source text (a
// parenthesised expression: without the parentheses).
#ifndef DUET_PARSER_AST_H
#define DUET_PARSER_AST_H

#include "base/arena.h"
#include "base/source.h"
#include "base/strbuf.h"

// One for each row of ast_list.h; the order is relied on by ast_unparse.
typedef enum AstKind {
#define AST(id, name, ...) AST_##id,
#include "parser/ast_list.h"
#undef AST
    AST_COUNT
} AstKind;

// BINARY and AUG_ASSIGN. The order is that of the interpreter's slots.
typedef enum BinaryOp {
#define BINARY_OP(id, symbol, dunder) BINARY_##id,
#include "parser/binary_op_list.h"
#undef BINARY_OP
    BINARY_COUNT
} BinaryOp;

// `not` is here because its node has the form of the others, though it binds
// looser.
typedef enum UnaryOp { UNARY_NEG, UNARY_POS, UNARY_INVERT, UNARY_NOT } UnaryOp;

// Two words make one operator here: `not in` and `is not` are no negations of
// another node.
typedef enum CompareOp {
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_IN,
    COMPARE_NOT_IN,
    COMPARE_IS,
    COMPARE_IS_NOT
} CompareOp;

// The two words that do not evaluate all of their operands.
typedef enum BoolOp { BOOL_AND, BOOL_OR } BoolOp;

// What is done with a name, attribute or the like. The parser sets LOAD, and
// turns it over when the expression proves to be a target.
typedef enum AstContext { CONTEXT_LOAD, CONTEXT_STORE, CONTEXT_DEL } AstContext;

// In the order in which the kinds may follow each other in a definition.
typedef enum ParamKind {
    PARAM_POSITIONAL_ONLY,
    PARAM_POSITIONAL,
    PARAM_VARARGS, // *args
    PARAM_KEYWORD_ONLY,
    PARAM_VARKEYWORDS // **kwargs
} ParamKind;

// The words come first: what is behind CONSTANT_ELLIPSIS is a "literal" in
// messages.
typedef enum ConstantType {
    CONSTANT_NONE,
    CONSTANT_FALSE,
    CONSTANT_TRUE,
    CONSTANT_ELLIPSIS,
    CONSTANT_INT,   // text: digits as written, without '_', prefix kept
    CONSTANT_FLOAT, // number
    CONSTANT_STR,   // text: decoded UTF-8
    CONSTANT_BYTES  // text: the bytes
} ConstantType;

typedef struct Text { // NUL-terminated, in the arena; text NULL: absent
    const char *text;
    size_t length;
} Text;

typedef struct Node Node;

// Lives in the arena and never grows; while it is gathered, its items lie on
// the parser's scratch vector.
typedef struct NodeList {
    Node **items; // an item of a DICT's keys may be NULL (`**mapping`)
    uint32_t count;
} NodeList;

// Names in GLOBAL and NONLOCAL are NAME nodes; items of IMPORT's names are
// ALIAS nodes (one with name "*" for `from m import *`).
struct Node {
    uint8_t kind;          // AstKind
    uint8_t parenthesized; // it stood in parentheses, a tuple's own included
    Span span;
    union {
        struct {
            NodeList body;
            Text docstring;
        } module;
        struct {
            Node *value;
        } expr_stmt; // also RETURN, YIELD, YIELD_FROM
        // One target for each `=`, from left to right.
        struct {
            NodeList targets;
            Node *value;
        } assign;
        struct {
            BinaryOp op;
            Node *target, *value;
        } aug_assign;
        struct {
            Node *target, *annotation, *value;
            bool simple; // a bare name, not in parentheses
        } ann_assign;
        struct {
            NodeList targets;
        } delete_stmt;
        // An `elif` is an IF that is alone in `orelse`.
        struct {
            Node *test;
            NodeList body, orelse;
        } if_stmt; // and WHILE
        struct {
            Node *target, *iter;
            NodeList body, orelse;
        } for_stmt;
        struct {
            NodeList body, handlers, orelse, finalbody;
        } try_stmt;
        // `type` is NULL for a bare `except:`.
        struct {
            Node *type;
            Text name;
            NodeList body;
        } handler;
        struct {
            NodeList items, body;
        } with_stmt;
        struct {
            Node *context, *target;
        } with_item;
        struct {
            Node *exception, *cause;
        } raise_stmt;
        struct {
            Node *test, *message;
        } assert_stmt;
        struct {
            NodeList names;
        } names; // GLOBAL, NONLOCAL, IMPORT
        // `level` counts the dots in front.
        struct {
            Text module;
            NodeList names;
            uint32_t level;
        } import_from;
        struct {
            Text name, asname;
        } alias; // asname.text NULL: none
        struct {
            Text name;
            Node *params; // PARAMS
            NodeList body, decorators;
            Node *returns;
            Text docstring;
            Span name_span;
        } function_def;
        struct {
            Text name;
            NodeList bases, keywords, body, decorators;
            Text docstring;
        } class_def;
        struct {
            NodeList params;
        } params; // PARAM nodes in source order
        struct {
            Text name;
            Node *annotation, *default_value;
            ParamKind kind;
        } param;
        struct {
            Text id;
            AstContext context;
        } name;
        struct {
            ConstantType type;
            Text text;
            double number;
        } constant;
        struct {
            NodeList values;
        } joined_str; // CONSTANT str, FORMATTED_VALUE
        struct {
            Node *value;
            char conversion;   // 's', 'r', 'a' or 0
            Node *format_spec; // a JOINED_STR or NULL
        } formatted;
        struct {
            NodeList elements;
            AstContext context;
        } sequence; // and SET
        // Of equal length; the value of a NULL key is the mapping of
        // `**mapping`.
        struct {
            NodeList keys, values;
        } dict;
        struct {
            BinaryOp op;
            Node *left, *right;
        } binary;
        struct {
            UnaryOp op;
            Node *operand;
        } unary;
        struct {
            BoolOp op;
            NodeList values;
        } bool_op;
        struct {
            Node *left;
            NodeList comparators;
            const uint8_t *ops; // CompareOp, one per comparator
        } compare;
        struct {
            Node *function;
            NodeList arguments; // in order; STARRED for *args
            NodeList keywords;  // KEYWORD; name.text NULL for **mapping
        } call;
        struct {
            Text name;
            Node *value;
        } keyword;
        struct {
            Node *value;
            Text name;
            AstContext context;
            Span name_span;
        } attribute;
        struct {
            Node *value, *index;
            AstContext context;
        } subscript;
        struct {
            Node *lower, *upper, *step;
        } slice;
        struct {
            Node *value;
            AstContext context;
        } starred;
        struct {
            Node *target, *value;
        } named_expr;
        struct {
            Node *test, *body, *orelse;
        } conditional;
        struct {
            Node *params, *body;
        } lambda;
        struct {
            Node *element;
            NodeList generators;
        } comp;
        struct {
            Node *key, *value;
            NodeList generators;
        } dict_comp;
        struct {
            Node *target, *iter;
            NodeList conditions;
        } comprehension;
    };
};

// Two kinds of chain can be longer than the C stack is deep, and every walker
// goes along them in a loop: the left operand of a left-associative operator
// or of a call, attribute or subscript (`a + b + c + …`), and an `elif` chain.
// All other nesting is bounded by brackets, indentation, or the recursion
// guard of the parser.

// The IF that is all of this IF's else part: an `elif`, or NULL.
static inline Node *ast_elif(const Node *node)
{
    if (node->if_stmt.orelse.count != 1 ||
        node->if_stmt.orelse.items[0]->kind != AST_IF) {
        return NULL;
    }
    return node->if_stmt.orelse.items[0];
}

// Statements that hold others.
bool ast_is_compound(const Node *node);
const char *ast_binary_symbol(BinaryOp op);   // "+"
const char *ast_compare_symbol(CompareOp op); // "not in"

// Appends the tree, one node a line, indented (DUET_DUMP=ast).
void ast_dump(StrBuf *out, const Node *node);
// Appends Python source that parses to an equal tree, as `ast.unparse` would
// write it: indented by 4 * `level` blanks. stage.code and error texts use it.
void ast_unparse(StrBuf *out, const Node *node, int level);

#endif
