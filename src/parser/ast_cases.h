// The cases of a switch over node->kind that visit the parts of any node. The
// includer defines N(field) and L(field), for a node and a list of them, and
// may define S(field) and V(field); all four are undefined behind it:
//     switch (node->kind) {
//     #define N(field) walk(node->field);
//     #define L(field) walk_list(node->field);
//     #include "parser/ast_cases.h"
//     default: break;
//     }
// No include guard.
// clang-format off
#ifndef S
#define S(field)
#endif
#ifndef V
#define V(field)
#endif
#define AST(id, name, ...)                                                    \
    case AST_##id: __VA_ARGS__ break;
#include "parser/ast_list.h"
#undef AST
#undef N
#undef L
#undef S
#undef V
