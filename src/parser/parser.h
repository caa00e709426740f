// Source text to AST. The grammar production stands above each function;
// expressions come from one Pratt table (parse_expr.c).
#ifndef DUET_PARSER_PARSER_H
#define DUET_PARSER_PARSER_H

#include "parser/ast.h"

typedef enum ParseStatus {
    PARSE_OK,
    PARSE_INCOMPLETE, // the text so far is the beginning of a valid one: a
                      // prompt asks for another line. Nothing is pending
    PARSE_ERROR       // pending in ctx, with source and span
} ParseStatus;

typedef enum ParseMode {
    PARSE_MODULE,     // a file
    PARSE_EXPRESSION, // eval: one expression
    PARSE_INTERACTIVE // an entry of the prompt: one or more statements; an
                      // open block is INCOMPLETE until a blank line ends it
} ParseMode;

// On PARSE_OK, *tree is a MODULE node (in PARSE_EXPRESSION mode: its body is
// one EXPR_STMT), allocated in `arena`. INCOMPLETE is only returned in
// PARSE_INTERACTIVE mode; elsewhere it is an ERROR.
ParseStatus parse(Ctx *ctx, Source *source, ParseMode mode, Arena *arena,
                  Node **tree);

#endif
