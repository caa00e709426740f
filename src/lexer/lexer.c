// Source text to tokens: the main loop, names, strings and brackets.
//
// Invariant: tokens are in the order of the text and do not overlap; every
// byte between two tokens is a blank, a comment, a joined line end, or the
// line end of a blank line.
#include "lexer/lexer.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "lexer/scan.h"

// The first reason is the only one, because the lexer stops at it. It goes to
// the token list and not into the context; the parser decides whether it is
// told.
static void set_error(Lexer *lexer, ErrorKind kind, Span span,
                      const char *format, va_list args)
{
    LexError *error = &lexer->tokens->error;
    error->kind = kind;
    error->span = span;
    error->form = PLACE_POINT;
    if (lexer->level > 0) {
        error->open = lexer->brackets[lexer->level - 1].open;
        error->bracket = lexer->brackets[lexer->level - 1].offset;
    }
    vsnprintf(error->message, sizeof error->message, format, args);
}

// SCAN_STOPPED always, for the return statement.
Scan scan_stop(Lexer *lexer, ErrorKind kind, Span span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error(lexer, kind, span, format, args);
    va_end(args);
    return SCAN_STOPPED;
}

// Faults that are left to the parser to tell.
Scan scan_stop_quiet(Lexer *lexer, PlaceForm form)
{
    lexer->tokens->error.quiet = true;
    lexer->tokens->error.form = (uint8_t)form;
    return SCAN_STOPPED;
}

// Steps back over the bytes of one UTF-8 sequence, to mark a whole character.
Scan scan_stop_here(Lexer *lexer, const char *format, ...)
{
    uint32_t end = lexer->position, start = end;
    while (start > 0) {
        start--;
        if (((unsigned char)lexer->text[start] & 0xC0) != 0x80) {
            break;
        }
    }
    va_list args;
    va_start(args, format);
    set_error(lexer, ERR_SYNTAX, (Span){start, end}, format, args);
    va_end(args);
    return SCAN_STOPPED;
}

// The brackets open behind the token are noted with it; advice about a missing
// comma needs them.
Scan scan_emit(Lexer *lexer, TokenKind kind, uint32_t start)
{
    Token token = {
        (uint8_t)kind, (uint8_t)lexer->level, {start, lexer->position}};
    return vec_push(lexer->ctx, lexer->tokens, token) ? SCAN_OK : SCAN_STOPPED;
}

// All bytes beyond ASCII are taken along, and check_name looks at the name as a
// whole: that keeps this test cheap.
static bool is_name_byte(char byte)
{
    return (unsigned char)byte >= 0x80 ||
           utf8_is_identifier_part((unsigned char)byte);
}

// Checks that a name with bytes beyond ASCII is an identifier. The fault is at
// the first character that is none and ends behind it.
// Invalid UTF-8 cannot occur: the Source was checked.
static Scan check_name(Lexer *lexer, uint32_t start)
{
    uint32_t at = start;
    while (at < lexer->position) {
        uint32_t codepoint;
        size_t taken =
            utf8_decode(lexer->text + at, lexer->position - at, &codepoint);
        if (!(at == start ? utf8_is_identifier_start(codepoint)
                          : utf8_is_identifier_part(codepoint))) {
            lexer->position = at + (uint32_t)taken;
            if (utf8_is_printable(codepoint)) {
                return scan_stop_here(lexer,
                                      "invalid character '%.*s' (U+%04X)",
                                      (int)taken, lexer->text + at, codepoint);
            }
            return scan_stop_here(
                lexer, "invalid non-printable character U+%04X", codepoint);
        }
        at += (uint32_t)taken;
    }
    return SCAN_OK;
}

// Keywords are ASCII, so a name with other characters is never looked up. One
// that becomes a keyword by NFKC stays a name.
static Scan scan_name(Lexer *lexer)
{
    uint32_t start = lexer->position;
    while (is_name_byte(scan_peek(lexer, 0))) {
        lexer->position++;
    }
    const char *text = lexer->text + start;
    size_t length = lexer->position - start;
    if (!utf8_is_ascii(text, length)) {
        if (check_name(lexer, start) != SCAN_OK) {
            return SCAN_STOPPED;
        }
        return scan_emit(lexer, TOK_NAME, start);
    }
    return scan_emit(lexer, token_keyword(text, length), start);
}

// The mark is at the opening quote; the message has the line where the lexer
// gave up. The position is behind the line end there, hence the step back.
static Scan stop_string(Lexer *lexer, uint32_t start, bool triple,
                        bool incomplete)
{
    Span span = {start, start + 1};
    uint32_t last = lexer->position > 0 ? lexer->position - 1 : 0;
    scan_stop(lexer, ERR_SYNTAX, span,
              "unterminated %sstring literal (detected at line %u)",
              triple ? "triple-quoted " : "",
              source_place(lexer->source, last).line);
    lexer->tokens->error.incomplete = incomplete;
    lexer->tokens->error.string = true;
    return SCAN_STOPPED;
}

// string: prefix? ("'" … "'" | '"' … '"' | "'''" … "'''" | '"""' … '"""')
// A backslash takes the next character along, also in a raw string.
// The prefix is passed; `start` is in front of it. Escapes are not judged
// here, which literal_decode does.
static Scan scan_string(Lexer *lexer, uint32_t start)
{
    char quote = scan_peek(lexer, 0);
    bool triple = scan_peek(lexer, 1) == quote && scan_peek(lexer, 2) == quote;
    uint32_t quotes = triple ? 3 : 1, seen = 0;
    bool joined = false; // the last line end had a backslash before it
    lexer->position += quotes;
    while (lexer->position < lexer->end) {
        char byte = lexer->text[lexer->position++];
        // A quote inside a triple-quoted string counts only in a row of three.
        if (byte == quote) {
            if (++seen == quotes) {
                return scan_emit(lexer, TOK_STRING, start);
            }
            continue;
        }
        // Quotes of a closing row must stand side by side.
        seen = 0;
        if (byte == '\n' && !triple) {
            return stop_string(lexer, start, false, false);
        }
        joined = false;
        if (byte == '\\' && lexer->position < lexer->end) {
            // At the end of the text such a string may go on, so a prompt asks
            // for more.
            joined = lexer->text[lexer->position] == '\n';
            lexer->position++;
        }
    }
    return stop_string(lexer, start, triple, triple || joined);
}

// Length of the string prefix at the position, if a quote follows: each of
// the letters of "rb", "rf" or "u" at most once, in either case and order.
// `*prefix` means nothing if it answers false.
static bool string_follows(const Lexer *lexer, uint32_t *prefix)
{
    bool raw = false, kind = false;
    for (*prefix = 0; *prefix <= 2; ++*prefix) {
        char byte = scan_peek(lexer, *prefix);
        char letter = (char)(byte | 0x20);
        if (byte == '"' || byte == '\'') {
            return true;
        }
        if (letter == 'r' && !raw) {
            raw = true;
        } else if ((letter == 'b' || letter == 'f') && !kind) {
            kind = true;
        } else if (letter == 'u' && *prefix == 0) {
            // `u` stands alone: no other letter may follow it.
            raw = kind = true;
        } else {
            return false;
        }
    }
    return false;
}

// Only for the three opening brackets.
static char closing(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

// Kept with its place, because a fault at the other end names this one.
static Scan open_bracket(Lexer *lexer, char byte)
{
    if (lexer->level >= LEXER_MAX_BRACKETS) {
        lexer->position++;
        return scan_stop_here(lexer, "too many nested parentheses");
    }
    lexer->brackets[lexer->level++] = (Bracket){lexer->position, byte};
    return SCAN_OK;
}

// The line of the opening bracket is told only if it is another one.
static Scan close_bracket(Lexer *lexer, char byte)
{
    if (lexer->level == 0) {
        lexer->position++;
        return scan_stop_here(lexer, "unmatched '%c'", byte);
    }
    Bracket open = lexer->brackets[--lexer->level];
    if (closing(open.open) == byte) {
        return SCAN_OK;
    }
    // Lines are derived only for the message.
    uint32_t here = source_place(lexer->source, lexer->position).line;
    uint32_t there = source_place(lexer->source, open.offset).line;
    lexer->position++;
    if (here != there) {
        return scan_stop_here(lexer,
                              "closing parenthesis '%c' does not match "
                              "opening parenthesis '%c' on line %u",
                              byte, open.open, there);
    }
    return scan_stop_here(lexer,
                          "closing parenthesis '%c' does not match opening "
                          "parenthesis '%c'",
                          byte, open.open);
}

// A character that begins no token becomes OTHER, and the parser finds it to
// be invalid syntax; only what cannot be shown is named here.
static Scan scan_operator(Lexer *lexer)
{
    uint32_t start = lexer->position;
    char byte = scan_peek(lexer, 0);
    Scan result = SCAN_OK;
    size_t length = 1;
    TokenKind kind =
        token_operator(lexer->text + start, lexer->end - start, &length);
    if (byte == '(' || byte == '[' || byte == '{') {
        result = open_bracket(lexer, byte);
    } else if (byte == ')' || byte == ']' || byte == '}') {
        result = close_bracket(lexer, byte);
    } else if (kind == TOK_OTHER && !utf8_is_printable((uint8_t)byte)) {
        lexer->position++;
        return scan_stop_here(lexer, "invalid non-printable character U+%04X",
                              (unsigned)(uint8_t)byte);
    }
    if (result != SCAN_OK) {
        return result;
    }
    lexer->position += (uint32_t)length;
    return scan_emit(lexer, kind, start);
}

// One token that is not layout.
// Strings first, since their prefixes look like names.
static Scan scan_token(Lexer *lexer)
{
    char byte = scan_peek(lexer, 0), next = scan_peek(lexer, 1);
    uint32_t start = lexer->position, prefix;
    if (string_follows(lexer, &prefix)) {
        lexer->position += prefix;
        return scan_string(lexer, start);
    }
    // `.5` is a number, `.` with anything else behind it an operator.
    bool digit_next = next >= '0' && next <= '9';
    if ((byte >= '0' && byte <= '9') || (byte == '.' && digit_next)) {
        return scan_number(lexer);
    }
    return is_name_byte(byte) ? scan_name(lexer) : scan_operator(lexer);
}

// A comment goes up to its line end, which stays: it may be a NEWLINE. Returns
// where the comment, or else what follows, begins.
static uint32_t skip_blanks(Lexer *lexer)
{
    for (;;) {
        uint32_t start = lexer->position;
        char byte = scan_peek(lexer, 0);
        if (byte == '#') {
            while (lexer->position < lexer->end &&
                   lexer->text[lexer->position] != '\n') {
                lexer->position++;
            }
            return start;
        }
        if (byte != ' ' && byte != '\t' && byte != '\f') {
            return start;
        }
        lexer->position++;
    }
}

// The tokens up to the end of the logical line and its NEWLINE.
// At the end of the text there is no NEWLINE to add: a Source ends in a line
// end unless it is empty.
static Scan scan_line(Lexer *lexer)
{
    for (;;) {
        uint32_t blanks_end = skip_blanks(lexer);
        if (lexer->position >= lexer->end) {
            return SCAN_OK;
        }
        char byte = scan_peek(lexer, 0);
        Scan result = SCAN_OK;
        if (byte == '\n') {
            // Inside brackets a line end is a blank and gives no token. The
            // token is the comment, without the line end.
            if (lexer->level == 0) {
                result = scan_emit(lexer, TOK_NEWLINE, blanks_end);
                lexer->position++;
                return result;
            }
            lexer->position++;
        } else if (byte == '\\') {
            result = scan_continuation(lexer);
        } else {
            result = scan_token(lexer);
        }
        if (result != SCAN_OK) {
            return result;
        }
    }
}

// The innermost bracket is named. More text could close it, so a prompt goes
// on asking.
static Scan stop_unclosed(Lexer *lexer)
{
    Bracket open = lexer->brackets[lexer->level - 1];
    scan_stop(lexer, ERR_SYNTAX, (Span){open.offset, open.offset + 1},
              "'%c' was never closed", open.open);
    lexer->tokens->error.incomplete = true;
    lexer->tokens->error.unclosed = true;
    return scan_stop_quiet(lexer, PLACE_OPEN);
}

// One turn for each logical line. An open bracket at the end comes before the
// blocks, since no line was ended properly.
static Scan scan_all(Lexer *lexer)
{
    while (lexer->position < lexer->end) {
        if (!ctx_poll(lexer->ctx) || scan_indentation(lexer) != SCAN_OK ||
            scan_line(lexer) != SCAN_OK) {
            return SCAN_STOPPED;
        }
    }
    if (lexer->level > 0) {
        return stop_unclosed(lexer);
    }
    // The end is shown at the last line end: there is no line behind it.
    uint32_t last = lexer->position - (lexer->position > 0);
    for (; lexer->depth > 0; lexer->depth--) {
        if (scan_emit(lexer, TOK_DEDENT, last) != SCAN_OK) {
            return SCAN_STOPPED;
        }
    }
    return scan_emit(lexer, TOK_END, last);
}

// The list ends in END, or in ERROR if there is a reason to stop.
// False only if the reason is pending in the context.
static bool finish(Lexer *lexer, Scan result)
{
    return result == SCAN_OK ||
           (lexer->tokens->error.kind != ERR_NONE &&
            scan_emit(lexer, TOK_ERROR, lexer->position) == SCAN_OK);
}

// The indentation starts at 0, and so does the depth of brackets.
bool lexer_run(Ctx *ctx, const Source *source, TokenList *tokens)
{
    Lexer lexer = {.ctx = ctx,
                   .source = source,
                   .text = source->text,
                   .end = (uint32_t)source->length,
                   .tokens = tokens};
    return finish(&lexer, scan_all(&lexer));
}

// The braces become the brackets of a group.
// The tokens refer to the whole source, so places in an f-string come out
// right.
bool lexer_run_expression(Ctx *ctx, const Source *source, Span part,
                          TokenList *tokens)
{
    Lexer lexer = {.ctx = ctx,
                   .source = source,
                   .text = source->text,
                   .position = part.start,
                   .end = part.end,
                   .level = 1,
                   // Stands for the opening brace, where faults with brackets
                   // point.
                   .brackets = {{part.start - 1, '('}},
                   .tokens = tokens};
    if (scan_emit(&lexer, TOK_LEFT_PAREN, part.start - 1) != SCAN_OK) {
        return false;
    }
    if (scan_line(&lexer) != SCAN_OK) {
        return finish(&lexer, SCAN_STOPPED);
    }
    // One level is the group itself.
    if (lexer.level > 1) {
        return finish(&lexer, stop_unclosed(&lexer));
    }
    lexer.level = 0;
    lexer.position++;
    return scan_emit(&lexer, TOK_RIGHT_PAREN, part.end) == SCAN_OK &&
           scan_emit(&lexer, TOK_END, part.end) == SCAN_OK;
}

// The text of a token is shown on one line, whatever it spans. What follows an
// ERROR token is its reason.
void lexer_dump(StrBuf *out, const Source *source, const TokenList *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const Token *token = &tokens->items[i];
        Place first = source_place(source, token->span.start);
        Place last = source_place(source, token->span.end);
        strbuf_printf(out, "%u,%u-%u,%u\t%s\t", first.line, first.column,
                      last.line, last.column, token_text(token->kind));
        for (uint32_t at = token->span.start; at < token->span.end; at++) {
            char byte = source->text[at];
            if (byte == '\n') {
                strbuf_puts(out, "\\n");
            } else {
                strbuf_putc(out, byte);
            }
        }
        strbuf_putc(out, '\n');
    }
    if (tokens->error.kind != ERR_NONE) {
        strbuf_printf(out, "stopped: %s\n", tokens->error.message);
    }
}
