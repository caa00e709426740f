// The second look at a faulty text: a small matcher that walks the grammar of
// peg_grammar.c in the order of Python's own, so that it meets the same fault
// first and says the same of it. Private to src/parser.
//
// It makes no tree for the compiler: a Piece only knows what it is called and
// where it stands. Everything is allocated in the parser's arena and goes with
// it. Rules are read from their texts when they are first asked for.
#ifndef DUET_PARSER_PEG_H
#define DUET_PARSER_PEG_H

#include "parser/parse.h"

// What a match is called: PIECE(id, text). The text stands in the grammar
// behind `->` and in messages.
#define PIECE_LIST(PIECE)                                                      \
    PIECE(PLAIN, "") /* nothing that could be assigned to */                   \
    PIECE(TOKEN, "token")                                                      \
    PIECE(FIRST, "a")   /* the match of a itself */                            \
    PIECE(STEP, "step") /* what the last part of a primary is */               \
    PIECE(TEXT, "text") /* strings: a literal or an f-string */                \
    PIECE(ATTRIBUTE, "attribute")                                              \
    PIECE(AWAIT, "await expression")                                           \
    PIECE(CALL, "function call")                                               \
    PIECE(COMPARISON, "comparison")                                            \
    PIECE(CONDITIONAL, "conditional expression")                               \
    PIECE(DICT, "dict literal")                                                \
    PIECE(DICT_COMP, "dict comprehension")                                     \
    PIECE(ELLIPSIS, "ellipsis")                                                \
    PIECE(EXPRESSION, "expression")                                            \
    PIECE(FALSE, "False")                                                      \
    PIECE(FSTRING, "f-string expression")                                      \
    PIECE(GENERATOR, "generator expression")                                   \
    PIECE(KEYWORD, "keyword") /* name=value in a call */                       \
    PIECE(LAMBDA, "lambda")                                                    \
    PIECE(LIST, "list")                                                        \
    PIECE(LIST_COMP, "list comprehension")                                     \
    PIECE(LITERAL, "literal")                                                  \
    PIECE(MAPPING, "mapping") /* **value in a call */                          \
    PIECE(NAME, "name")                                                        \
    PIECE(NAMED, "named expression")                                           \
    PIECE(NONE, "None")                                                        \
    PIECE(SET, "set display")                                                  \
    PIECE(SET_COMP, "set comprehension")                                       \
    PIECE(SLICE, "slice")                                                      \
    PIECE(STARRED, "starred")                                                  \
    PIECE(SUBSCRIPT, "subscript")                                              \
    PIECE(TRUE, "True")                                                        \
    PIECE(TUPLE, "tuple")                                                      \
    PIECE(YIELD, "yield expression")

typedef enum PieceKind {
#define PIECE(id, text) PIECE_##id,
    PIECE_LIST(PIECE)
#undef PIECE
        PIECE_COUNT
} PieceKind;

// A match: tokens [first, last) and what was found in them.
typedef struct Piece Piece;
struct Piece {
    uint8_t kind; // PieceKind
    uint32_t first, last;
    uint32_t count; // of the parts
    Piece **parts;  // one for each item of the alternative, or of the loop
};

typedef enum ItemKind {
    ITEM_TOKEN,  // of the kind `token`
    ITEM_WORD,   // a name spelled like `text`
    ITEM_SOFT,   // a name that is a keyword in places
    ITEM_CLOSE,  // the token behind the parameters at hand
    ITEM_DEF,    // nothing; fits in the parameters of a def
    ITEM_LAMBDA, // likewise of a lambda
    ITEM_RULE,   // number `rule`
    ITEM_GROUP,  // one of `inner`
    ITEM_CUT     // what follows must fit
} ItemKind;

// How often an item stands, and whether it only looks ahead.
typedef enum ItemForm {
    FORM_ONCE,
    FORM_OPTIONAL,
    FORM_ANY,       // x*
    FORM_MANY,      // x+
    FORM_DIVIDED,   // s.x+
    FORM_AHEAD,     // &x
    FORM_NOT_AHEAD, // !x
    FORM_FORCED     // &&x
} ItemForm;

typedef struct Alternative Alternative;

typedef struct Item {
    uint8_t kind, form; // ItemKind, ItemForm
    uint8_t token;      // TokenKind
    uint8_t divider;    // likewise, of FORM_DIVIDED
    char name;          // 'a', 'b' or NUL
    uint16_t rule;
    const char *text; // of a word; not terminated
    uint32_t length;  // of it
    Alternative *inner;
} Item;

enum { PEG_MAX_ITEMS = 16 }; // in one alternative

struct Alternative {
    Alternative *next;
    Item items[PEG_MAX_ITEMS];
    uint32_t count;
    uint8_t kind;        // PieceKind of the match
    const char *where;   // the action's first word, NULL: none
    const char *message; // behind the word's colon, up to a '}'
};

typedef struct Rule {
    const char *text; // in peg_grammar
    uint32_t name_length;
    bool kept, invalid;        // `!` behind the name; tried if explaining
    bool parameters, lambda;   // `params` and `lambda_params` set CLOSE
    Alternative *alternatives; // NULL until it is read
} Rule;

// A result that is kept, in a list for each token.
typedef struct Kept Kept;
struct Kept {
    Kept *next;
    const Rule *rule;
    Piece *piece; // NULL: it does not fit here
    uint32_t last;
};

typedef struct Peg {
    Parser *p;
    Rule *rules;
    uint32_t rule_count;
    Kept **kept;    // for each token from `base` on
    uint32_t base;  // the token where the statement at hand begins
    bool invalid;   // rules for faults are tried
    bool lambda;    // the parameters at hand are a lambda's
    uint32_t depth; // rules within rules
    bool stop;      // an action has ended the rule at hand
} Peg;

extern const char *const peg_grammar[];
extern const char *const peg_piece_names[PIECE_COUNT];

// Reads the rule's text if it was not read; false with an error pending.
MUST_CHECK bool peg_read(Peg *g, Rule *rule);
// Runs the action of an alternative whose items are `parts`; raises or not.
void peg_act(Peg *g, const Alternative *alternative, Piece *const *parts);
// At the token that was read last.
void peg_fail_last(Peg *g, ErrorKind kind, const char *message);
void peg_fail_token(Peg *g, uint32_t token, ErrorKind kind, const char *format,
                    const char *what);

// Looks for the fault in the statement that begins at token `first`. `rule` is
// "file", "eval" or "fstring". Raises what it finds, the lexer's reason, or
// "invalid syntax": an error is pending when it returns.
void peg_explain(Parser *p, const char *rule, uint32_t first);

#endif
