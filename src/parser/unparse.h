// The printer's work list, shared by its two files. Private to src/parser.
//
// What is still to be printed lies on a stack of items, so that a tree of any
// depth can be printed. A handler queues the parts of its node in order; they
// are put onto the stack when it is done.
#ifndef DUET_PARSER_UNPARSE_H
#define DUET_PARSER_UNPARSE_H

#include "base/vec.h"
#include "parser/ast.h"

// How tightly an expression's outermost part binds. An operand that binds
// less tightly than its place asks for gets parentheses.
typedef enum Tightness {
    TIGHT_NAMED, // walrus: in parentheses everywhere, as ast.unparse has it
    TIGHT_LOOSE, // tuple, yield
    TIGHT_TEST,  // lambda, conditional
    TIGHT_OR,
    TIGHT_AND,
    TIGHT_NOT,
    TIGHT_COMPARE,
    TIGHT_BIT_OR,
    TIGHT_BIT_XOR,
    TIGHT_BIT_AND,
    TIGHT_SHIFT,
    TIGHT_SUM,
    TIGHT_TERM,
    TIGHT_UNARY,
    TIGHT_POWER,
    TIGHT_ATOM
} Tightness;

typedef enum ItemType { ITEM_TEXT, ITEM_EXPR, ITEM_STATEMENT } ItemType;

// Borrows its text and its node.
typedef struct UnparseItem {
    ItemType type;
    int number;       // Tightness asked for, or level of indentation
    const char *text; // of ITEM_TEXT; of a statement: "elif" in place of "if"
    const Node *node;
} UnparseItem;

// Lives for one call of ast_unparse; both lists are freed there.
typedef struct Unparser {
    StrBuf *out;
    VEC(UnparseItem) queue; // of the node at hand
    VEC(UnparseItem) stack;
    bool failed;
} Unparser;

void unparse_text(Unparser *u, const char *text);
// With parentheses if the node binds less tightly than `least`.
void unparse_expr(Unparser *u, const Node *node, Tightness least);
// Items with ", " between them.
void unparse_list(Unparser *u, const NodeList *list, Tightness least);
// An expression's parts (unparse_expr.c), a statement's (ast_unparse.c).
void unparse_expression(Unparser *u, const Node *node, Tightness least);
void unparse_params(Unparser *u, const Node *params);
// f-strings are printed as a whole; their parts with a printer of their own.
void unparse_joined(Unparser *u, const Node *node);
void unparse_constant(Unparser *u, const Node *node);

#endif
