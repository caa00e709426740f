// Making nodes by hand, for what rewrites a tree.
//
// Failure is sticky: after the first one (pending in ctx) every function does
// nothing and gives a node that may be written to but means nothing. Nodes and
// lists live in the arena; what they are made of is shared.
#ifndef DUET_PARSER_AST_MAKE_H
#define DUET_PARSER_AST_MAKE_H

#include "base/vec.h"
#include "parser/ast.h"

typedef struct AstMaker {
    Ctx *ctx;
    Arena *arena;
    bool failed;
    Node nowhere; // what is made after a failure
} AstMaker;

typedef VEC(Node *) NodeVec;

Node *ast_make_node(AstMaker *m, AstKind kind, Span span);
Node *ast_make_copy(AstMaker *m, const Node *node); // of the node alone
// The text is kept, not copied.
Node *ast_make_name(AstMaker *m, Text name, AstContext context, Span span);
// The caller fills the value in.
Node *ast_make_constant(AstMaker *m, ConstantType type, Span span);
// The node takes over the span of its operand.
Node *ast_make_not(AstMaker *m, Node *operand);
// name = value
Node *ast_make_assign(AstMaker *m, Text name, Node *value, Span span);
Text ast_make_text(AstMaker *m, const char *text); // a copy
// Lists: of items, of one list and another, of what stands in a vector (which
// it empties).
NodeList ast_make_list(AstMaker *m, Node *const *items, size_t count);
// A new list, in the arena; both stay as they are.
NodeList ast_make_join(AstMaker *m, NodeList a, NodeList b);
NodeList ast_make_taken(AstMaker *m, NodeVec *vec);
void ast_make_push(AstMaker *m, NodeVec *vec, Node *node);
void ast_make_push_all(AstMaker *m, NodeVec *vec, NodeList list);

#endif
