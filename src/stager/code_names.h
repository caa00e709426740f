// Names in a tree, for printing converted code: what a block assigns. Failure
// is sticky, in the AstMaker.
#ifndef DUET_STAGER_CODE_NAMES_H
#define DUET_STAGER_CODE_NAMES_H

#include "parser/ast_make.h"

typedef VEC(Text) TextVec; // borrowed texts

bool code_names_has(const TextVec *names, Text name);
// Adds a name unless it is there already.
void code_names_add(AstMaker *m, TextVec *names, Text name);
// Adds the names that a node, or a list of statements, stores to in its own
// frame, in the order of the text.
void code_names_stored(AstMaker *m, TextVec *names, const Node *node);
void code_names_stored_all(AstMaker *m, TextVec *names, NodeList list);
// Adds the names of all GLOBAL statements, or NONLOCAL, of a frame.
void code_names_declared(AstMaker *m, TextVec *names, AstKind kind,
                         NodeList list);
// The names that a function's statements store to, by who does: blocks, which
// are functions of their own when printed, or what stands beside these. A name
// may be both.
void code_names_sorted(AstMaker *m, NodeList list, TextVec *blocks,
                       TextVec *plain);
// A node whose names are a frame of their own.
bool code_names_is_frame(const Node *node);

#endif
