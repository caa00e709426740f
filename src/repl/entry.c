// What the parser says of an unfinished text.
#include "repl/entry.h"

#include <string.h>

#include "lexer/lexer.h"

// Blanks, never tabs: entries look the same in every terminal.
enum { ENTRY_INDENT = 4 };

// Line ends stay: an empty line at the end means something.
// In bytes.
static size_t trimmed_length(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL) {
        length--;
    }
    return length;
}

// The tree is thrown away; the entry is parsed again when it is run. The error
// is cleared before the source goes, since it borrows it.
// PARSE_INTERACTIVE is what makes "if x:" incomplete instead of wrong. A source
// that cannot be made counts as an error, so that the prompt hands the entry on
// and the failure shows there.
static ParseStatus parse_entry(Ctx *ctx, const char *text, size_t length)
{
    Source *source = source_new(ctx, "<in>", text, length);
    if (source == NULL) {
        // The same answer as for wrong text: running it says what is wrong.
        return PARSE_ERROR;
    }
    Arena arena;
    arena_init(&arena, ctx);
    Node *tree;
    ParseStatus status = parse(ctx, source, PARSE_INTERACTIVE, &arena, &tree);
    arena_destroy(&arena);
    ctx_clear(ctx);
    source_release(ctx, source);
    return status;
}

// The text is copied, for a line end has to be added.
// Asked while the text still grows, so no error may be left behind: what the
// parser raises is about a text that is not finished.
ParseStatus entry_status(Ctx *ctx, const char *text)
{
    // Blanks that were put in for the next line do not make it a line: a
    // line of blanks only ends a block as an empty one does.
    StrBuf line;
    strbuf_init(&line, ctx);
    strbuf_add(&line, text, trimmed_length(text));
    strbuf_putc(&line, '\n');
    ParseStatus status = strbuf_ok(&line)
                             ? parse_entry(ctx, line.text, line.length)
                             : PARSE_ERROR;
    ctx_clear(ctx);
    strbuf_free(&line);
    return status;
}

// `returned = 1` does not begin with `return`.
static bool starts_with_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 &&
           strchr(" \t\n", line[length]) != NULL; // the NUL counts
}

// After these nothing more of the block can run.
// Words, not a parse: the line may be half typed.
// `raise` and `return` may be alone or have something behind them; `yield` and
// `assert` do not leave the block and are not among them.
static bool ends_block(const char *line)
{
    static const char *const words[] = {"return", "pass", "break", "continue",
                                        "raise"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (starts_with_word(line, words[i])) {
            return true;
        }
    }
    return false;
}

// What the lexer says of the end of an unfinished text.
typedef struct Ending {
    TokenKind last; // the last token that is no layout, END: none
    bool in_string; // it ends inside a string
    uint32_t open;  // brackets that are open
    bool opens;     // the last token opens one of them
} Ending;

// Layout is passed over: it says where lines end, not what they say. A
// comment gives no token at all.
// `incomplete` without `unclosed` is a string that ran into the end; an open
// bracket sets both.
static void read_ending(Ending *ending, const TokenList *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const Token *token = &tokens->items[i];
        switch (token->kind) {
        case TOK_NEWLINE:
        case TOK_INDENT:
        case TOK_DEDENT:
        case TOK_END:
        case TOK_ERROR: break;
        default:
            // The last one that is seen stays, with its bracket level.
            ending->last = (TokenKind)token->kind;
            ending->open = token->level;
        }
    }
    ending->opens = ending->last == TOK_LEFT_PAREN ||
                    ending->last == TOK_LEFT_BRACKET ||
                    ending->last == TOK_LEFT_BRACE;
    ending->in_string = tokens->error.kind != ERR_NONE &&
                        tokens->error.incomplete && !tokens->error.unclosed;
}

// A text that the lexer does not get through has no ending to speak of.
// last is TOK_END and nothing is open then, which keeps the indentation.
static Ending ending_of(Ctx *ctx, const char *text, size_t length)
{
    Ending ending = {.last = TOK_END};
    TokenList tokens = {0};
    Source *source = source_new(ctx, "<in>", text, length);
    if (source != NULL && lexer_run(ctx, source, &tokens)) {
        read_ending(&ending, &tokens);
    }
    token_list_free(ctx, &tokens);
    ctx_clear(ctx);
    source_release(ctx, source);
    return ending;
}

// The indentation of the statement that the last line belongs to: inside
// brackets the lines may stand anywhere.
// In blanks. `text` is all of the entry in front of the cursor.
int entry_indent(Ctx *ctx, const char *text)
{
    const char *newline = strrchr(text, '\n');
    const char *line = newline == NULL ? text : newline + 1;
    int indent = (int)strspn(line, " ");
    Ending ending = ending_of(ctx, text, trimmed_length(text));
    if (ending.in_string) {
        return indent;
    }
    if (ending.open > 0) {
        // Only the bracket that ends a line indents; inside an argument list
        // the lines keep what the user gave them.
        return ending.opens ? indent + ENTRY_INDENT : indent;
    }
    if (ending.last == TOK_COLON) {
        return indent + ENTRY_INDENT;
    }
    // A `return` at the outer level has no block to leave.
    if (ends_block(line + indent) && indent >= ENTRY_INDENT) {
        return indent - ENTRY_INDENT;
    }
    return indent;
}

// Which statements a keyword may follow, by their first words.
static const struct {
    const char *word;
    const char *openers[8];
} dedenting[] = {
    {"else", {"if", "elif", "for", "while", "try", "except"}},
    {"elif", {"if", "elif"}},
    {"except", {"try", "except"}},
    {"finally", {"try", "except", "else"}},
};

// The word must end: `forward = 1` opens nothing.
// `line` stands behind its indentation.
static bool opens_for(const char *line, const char *const *openers)
{
    for (; *openers != NULL; openers++) {
        size_t length = strlen(*openers);
        if (strncmp(line, *openers, length) == 0 &&
            (line[length] == ' ' || line[length] == ':' ||
             line[length] == '(')) {
            return true;
        }
    }
    return false;
}

// The indentation of the nearest line above `start` that one of the openers
// begins and that is still open there; `indent` if there is none.
static int opener_indent(const char *text, size_t start, int indent,
                         const char *const *openers)
{
    // Lines that are indented further than this belong to a block that is
    // closed, or to the one that the keyword leaves.
    int limit = indent;
    while (start > 0) {
        size_t end = start - 1; // of the line above
        for (start = end; start > 0 && text[start - 1] != '\n'; start--) {
        }
        int here = (int)strspn(text + start, " ");
        if (start + (size_t)here >= end || here > limit) {
            continue; // blank, or inside of what we are behind
        }
        if (opens_for(text + start + here, openers)) {
            return here;
        }
        // A statement at this level which is no opener ends all blocks at it.
        limit = here - 1;
        if (here == 0) {
            break;
        }
    }
    return indent;
}

// Only when the keyword is the first word of its line: in `x if y else z` it
// is none of that kind.
// `point` is the cursor, in bytes; what is returned is a number of blanks.
int entry_dedent(const char *text, size_t point)
{
    size_t start = point;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    int indent = (int)strspn(text + start, " ");
    const char *word = text + start + indent;
    for (size_t i = 0; i < sizeof dedenting / sizeof *dedenting; i++) {
        size_t length = strlen(dedenting[i].word);
        const char *end = word + length;
        if (end <= text + point &&
            strncmp(word, dedenting[i].word, length) == 0 &&
            (end == text + point || *end == ' ' || *end == '(')) {
            return opener_indent(text, start, indent, dedenting[i].openers);
        }
    }
    return indent;
}
