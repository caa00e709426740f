// What the parser says of an unfinished text.
#include "repl/entry.h"

#include <string.h>

enum { ENTRY_INDENT = 4, ENTRY_PROMPT_LENGTH = 4 };

// Line ends stay: an empty line at the end means something.
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
static ParseStatus parse_entry(Ctx *ctx, const char *text, size_t length)
{
    Source *source = source_new(ctx, "<in>", text, length);
    if (source == NULL) {
        return PARSE_ERROR;
    }
    Arena arena;
    arena_init(&arena, ctx);
    Node *tree;
    ParseStatus status =
        parse(ctx, source, PARSE_INTERACTIVE, &arena, &tree);
    arena_destroy(&arena);
    ctx_clear(ctx);
    source_release(ctx, source);
    return status;
}

// The text is copied, for a line end has to be added.
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

// A guess from the text alone, without a parser: a colon at the end of a
// comment or string counts too, and the user takes the blanks away.
int entry_indent(const char *text)
{
    const char *newline = strrchr(text, '\n');
    const char *line = newline == NULL ? text : newline + 1;
    int indent = (int)strspn(line, " ");
    size_t length = trimmed_length(text);
    if (length > 0 && text[length - 1] == ':') {
        return indent + ENTRY_INDENT;
    }
    if (ends_block(line + indent) && indent >= ENTRY_INDENT) {
        return indent - ENTRY_INDENT;
    }
    return indent;
}

// An empty line of a pasted session is `...` without a blank.
static bool has_prompt(const char *line)
{
    return strncmp(line, ">>> ", ENTRY_PROMPT_LENGTH) == 0 ||
           strncmp(line, "... ", ENTRY_PROMPT_LENGTH) == 0 ||
           strncmp(line, "...\n", ENTRY_PROMPT_LENGTH) == 0;
}

// Only a text that begins with `>>> ` was pasted: `...` alone may be an
// ellipsis.
void entry_clean(StrBuf *out, const char *text)
{
    bool pasted = strncmp(text, ">>> ", ENTRY_PROMPT_LENGTH) == 0;
    while (*text != '\0') {
        if (pasted && has_prompt(text)) {
            text += text[ENTRY_PROMPT_LENGTH - 1] == '\n'
                        ? ENTRY_PROMPT_LENGTH - 1
                        : ENTRY_PROMPT_LENGTH;
        }
        const char *newline = strchr(text, '\n');
        size_t length =
            newline == NULL ? strlen(text) : (size_t)(newline + 1 - text);
        strbuf_add(out, text, length);
        text += length;
    }
}
