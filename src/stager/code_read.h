// What stage.code() prints, read back: the blocks that its functions stand for.
//
// A block function is one that is defined where its intrinsic is called, that
// nothing else names, and that assigns the variables of the function around it
// alone. Calling it is then running its statements in their place, so that a
// trace takes the text as it takes what it was printed from.
#ifndef DUET_STAGER_CODE_READ_H
#define DUET_STAGER_CODE_READ_H

#include "interp/machine/compile/lower.h"
#include "parser/ast_make.h"

// A condition on which the turns of a `for` go on.
typedef struct ReadStop {
    Node *loop, *stop;
} ReadStop;

typedef struct CodeRead {
    AstMaker make;
    Map uses; // how often the function's text has a name, by the name
    VEC(ReadStop) stops;
    VEC(Text) flags; // variables that a conversion made, by their own names
    Text result, returned; // the names of two of them now; text NULL: none
    uint32_t blocks;       // that were found
    bool shadowed;         // `stage` is a variable of the function
} CodeRead;

// Whether a method of this name is such an intrinsic.
bool code_read_is_intrinsic(const char *name);
void code_read_init(CodeRead *read, Ctx *ctx, Arena *arena);
// A copy of a FUNCTION_DEF or LAMBDA with the blocks in place. NULL: it has
// none, or make.failed.
Node *code_read(CodeRead *read, const Node *function);
void code_read_free(CodeRead *read);

#endif
