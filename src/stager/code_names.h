// Names in a tree, for printing converted code: what a block assigns, and what
// it reads. Failure is sticky, in the AstMaker.
#ifndef DUET_STAGER_CODE_NAMES_H
#define DUET_STAGER_CODE_NAMES_H

#include "parser/ast_make.h"

typedef VEC(Text) TextVec; // borrowed texts

// Adds a name unless it is there already.
void code_names_add(AstMaker *m, TextVec *names, Text name);
// Adds the names that a node, or a list of statements, stores to in its own
// frame, in the order of the text.
void code_names_stored(AstMaker *m, TextVec *names, const Node *node);
void code_names_stored_all(AstMaker *m, TextVec *names, NodeList list);
// Whether a list of statements may read the name: a load, or an augmented
// assignment.
bool code_names_read(AstMaker *m, NodeList list, Text name);
// A node whose names are a frame of their own.
bool code_names_is_frame(const Node *node);

#endif
