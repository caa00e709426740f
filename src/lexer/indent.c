// Indentation: blanks at the start of a logical line to INDENT and DEDENT.
//
// Invariant: columns[] and alternates[] both rise strictly from the outermost
// block, whose columns, 0 and 0, are not stored.
#include "lexer/scan.h"

// For the first of the two counts.
enum { TAB_WIDTH = 8 };

// What measure found on one line. The second count takes a tab for one column;
// see Lexer for why there are two.
typedef struct Indentation {
    uint32_t column, alternate;
    uint32_t start; // of the line
    bool blank;     // nothing stands on the line but a comment
} Indentation;

// At the end of the text the backslash asks for more: at a prompt that is no
// fault, so the error is marked incomplete.
Scan scan_continuation(Lexer *lexer)
{
    lexer->position++;
    // The line end that a text lacks does not count here, nor as a place.
    bool lacks = lexer->source->bare_end && lexer->position + 1 >= lexer->end;
    if (scan_peek(lexer, 0) != '\n' || lacks) {
        uint32_t at = lexer->position - lacks;
        scan_stop(lexer, ERR_SYNTAX, (Span){at, at + 1},
                  "unexpected character after line continuation character");
        return scan_stop_quiet(lexer, PLACE_OPEN);
    }
    lexer->position++;
    if (lexer->position < lexer->end) {
        return SCAN_OK;
    }
    uint32_t at = lexer->position - 1;
    scan_stop(lexer, ERR_SYNTAX, (Span){at, at + 1},
              "unexpected EOF while parsing");
    lexer->tokens->error.incomplete = true;
    return scan_stop_quiet(lexer, PLACE_LINE);
}

// Counts the columns up to the first character that is no blank. A line that
// a backslash splits has the indentation of its first part.
// Leaves the position at the first character that counts. A blank line's
// columns mean nothing.
static Scan measure(Lexer *lexer, Indentation *found)
{
    uint32_t column = 0, alternate = 0, kept = 0;
    for (;; lexer->position++) {
        char byte = scan_peek(lexer, 0);
        if (byte == ' ') {
            column++;
            alternate++;
        } else if (byte == '\t') {
            column = (column / TAB_WIDTH + 1) * TAB_WIDTH;
            alternate++;
            // The count starts again at a form feed.
        } else if (byte == '\f') {
            column = alternate = 0;
        } else if (byte == '\\') {
            // A line that goes on: the indentation is that of its first part.
            kept = kept != 0 ? kept : column;
            if (scan_continuation(lexer) != SCAN_OK) {
                return SCAN_STOPPED;
            }
            lexer->position--;
        } else {
            break;
        }
    }
    found->column = kept != 0 ? kept : column;
    found->alternate = kept != 0 ? kept : alternate;
    char byte = scan_peek(lexer, 0);
    found->blank = byte == '\n' || byte == '#' || byte == '\0';
    return SCAN_OK;
}

// Passes over a comment and the line end, if they are there.
// Blank lines give no token at all, not even NEWLINE.
static void skip_line(Lexer *lexer)
{
    while (lexer->position < lexer->end &&
           lexer->text[lexer->position] != '\n') {
        lexer->position++;
    }
    if (lexer->position < lexer->end) {
        lexer->position++;
    }
}

// The two counts disagree on which line is further in.
static Scan stop_tabs(Lexer *lexer, uint32_t start)
{
    scan_stop(lexer, ERR_TAB, (Span){start, start + 1},
              "inconsistent use of tabs and spaces in indentation");
    return scan_stop_quiet(lexer, PLACE_OPEN);
}

// The caller knows that the column has grown; the alternate count must have
// grown with it.
static Scan open_block(Lexer *lexer, const Indentation *found,
                       uint32_t alternate)
{
    if (lexer->depth + 1 >= LEXER_MAX_INDENTS) {
        scan_stop(lexer, ERR_INDENTATION, (Span){found->start, lexer->position},
                  "too many levels of indentation");
        return scan_stop_quiet(lexer, PLACE_OPEN);
    }
    if (found->alternate <= alternate) {
        return stop_tabs(lexer, found->start);
    }
    lexer->columns[lexer->depth] = found->column;
    lexer->alternates[lexer->depth++] = found->alternate;
    return scan_emit(lexer, TOK_INDENT, found->start);
}

// Offset of the line end at or behind the position.
// For a message only, so a search of the line does not matter.
static uint32_t line_end(const Lexer *lexer)
{
    uint32_t at = lexer->position;
    while (at < lexer->end && lexer->text[at] != '\n') {
        at++;
    }
    return at;
}

// Also for a line that stays in its block: the loop does nothing then, and
// both counts are compared all the same. No DEDENT comes before a fault.
static Scan close_blocks(Lexer *lexer, const Indentation *found)
{
    uint32_t depth = lexer->depth;
    while (depth > 0 && found->column < lexer->columns[depth - 1]) {
        depth--;
    }
    uint32_t column = depth > 0 ? lexer->columns[depth - 1] : 0;
    uint32_t alternate = depth > 0 ? lexer->alternates[depth - 1] : 0;
    if (found->column != column) {
        // This fault is told at the end of the line.
        uint32_t at = line_end(lexer);
        scan_stop(lexer, ERR_INDENTATION, (Span){at, at + 1},
                  "unindent does not match any outer indentation level");
        return scan_stop_quiet(lexer, PLACE_LINE);
    }
    if (found->alternate != alternate) {
        return stop_tabs(lexer, found->start);
    }
    for (; lexer->depth > depth; lexer->depth--) {
        if (scan_emit(lexer, TOK_DEDENT, lexer->position) != SCAN_OK) {
            return SCAN_STOPPED;
        }
    }
    return SCAN_OK;
}

// At the end of the text nothing is emitted: the open blocks are closed by
// scan_all, since no line says how far.
Scan scan_indentation(Lexer *lexer)
{
    Indentation found = {0};
    for (;;) {
        found.start = lexer->position;
        if (measure(lexer, &found) != SCAN_OK) {
            return SCAN_STOPPED;
        }
        if (!found.blank) {
            break;
        }
        skip_line(lexer);
        if (lexer->position >= lexer->end) {
            return SCAN_OK;
        }
    }
    uint32_t depth = lexer->depth;
    uint32_t column = depth > 0 ? lexer->columns[depth - 1] : 0;
    uint32_t alternate = depth > 0 ? lexer->alternates[depth - 1] : 0;
    if (found.column > column) {
        return open_block(lexer, &found, alternate);
    }
    return close_blocks(lexer, &found);
}
