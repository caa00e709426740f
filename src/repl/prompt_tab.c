// Tab: puts in what is certain, then shows what is possible. The list stands
// below the entry until the next key; Tab again turns its pages.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

#include "repl/complete.h"
#include "repl/highlight.h"

// Rows of a page in a very low window; the widest column of names.
enum { TAB_ROWS_MIN = 4, TAB_NAME_MAX = 32 };

// Variables that ~/.inputrc may set, in Readline's own words.
// A variable that Readline does not know is off.
static bool is_on(Prompt *prompt, const char *variable)
{
    const char *value = prompt->lib.rl_variable_value(variable);
    return value != NULL && strcmp(value, "on") == 0;
}

// Bytes that all candidates begin with.
// There is at least one candidate. Bytes are compared, and a character that is
// shared in part is left out.
static size_t common_length(const Completion *completion)
{
    const char *first = completion->items.items[0].text;
    size_t length = strlen(first);
    for (size_t i = 1; i < completion->items.count; i++) {
        const char *text = completion->items.items[i].text;
        size_t same = 0;
        // No further than what all before it have in common.
        while (same < length && text[same] == first[same]) {
            same++;
        }
        length = same;
    }
    while (length > 0 && (first[length] & 0xC0) == 0x80) {
        length--; // no half of a character
    }
    return length;
}

static void add_hint(const Prompt *prompt, StrBuf *out, const char *text)
{
    if (prompt->redraw.colour && *text != '\0') {
        strbuf_printf(out, "\033[%sm%s\033[0m", highlight_sgr(STYLE_HINT),
                      text);
    } else {
        strbuf_puts(out, text);
    }
}

// Takes the line over.
// A line that found no memory is not shown; nothing is pending afterwards.
static void note(Prompt *prompt, StrBuf *line)
{
    if (strbuf_ok(line)) {
        redraw_note(&prompt->redraw, strbuf_text(line));
    }
    ctx_clear(line->ctx);
    strbuf_free(line);
}

// The signature of the call around the cursor and the first line of its doc.
static void show_signature(Prompt *prompt, const Completion *completion)
{
    StrBuf line;
    strbuf_init(&line, &prompt->session->vm->ctx);
    strbuf_puts(&line, completion->signature);
    if (completion->doc != NULL) {
        strbuf_puts(&line, "  ");
        add_hint(prompt, &line, completion->doc);
    }
    note(prompt, &line);
}

// What of a candidate is listed: a path's last part, or all of it.
// The slash at the very end of a folder's name is part of it.
static const char *label(const Candidate *item)
{
    size_t length = strlen(item->text);
    const char *slash =
        length < 2 ? NULL : memrchr(item->text, '/', length - 1);
    return slash == NULL ? item->text : slash + 1;
}

// A very long name does not push all the others' documentation to the edge.
static int label_width(const Completion *completion)
{
    int width = 0;
    for (size_t i = 0; i < completion->items.count; i++) {
        const char *text = label(&completion->items.items[i]);
        int here = layout_width(text, strlen(text));
        width = here > width ? here : width;
    }
    return width < TAB_NAME_MAX ? width : TAB_NAME_MAX;
}

// A line each: the name, and a line of documentation.
// `width` is in cells of the terminal, as layout_width counts.
static void show_row(Prompt *prompt, const Completion *completion, size_t index,
                     int width)
{
    Ctx *ctx = &prompt->session->vm->ctx;
    StrBuf line;
    StrBuf doc;
    strbuf_init(&line, ctx);
    strbuf_init(&doc, ctx);
    const char *text = label(&completion->items.items[index]);
    // Negative where the name is longer than TAB_NAME_MAX: two blanks do.
    int blanks = width - layout_width(text, strlen(text));
    complete_describe(completion, index, &doc);
    strbuf_printf(&line, "  %s", text);
    if (doc.length > 0) {
        strbuf_pad(&line, ' ', blanks > 0 ? (size_t)blanks + 2 : 2);
        add_hint(prompt, &line, strbuf_text(&doc));
    }
    note(prompt, &line);
    strbuf_free(&doc);
}

// A page of the list, and how much there is besides.
static void show_list(Prompt *prompt, const Completion *completion, int page)
{
    // Half of the window, so that the entry stays in sight.
    int rows = prompt->redraw.rows / 2;
    size_t size = (size_t)(rows < TAB_ROWS_MIN ? TAB_ROWS_MIN : rows);
    size_t count = completion->items.count;
    size_t pages = (count + size - 1) / size;
    // Behind the last page comes the first one again.
    size_t first = (size_t)page % pages * size;
    size_t last = first + size < count ? first + size : count;
    int width = label_width(completion);
    for (size_t i = first; i < last; i++) {
        show_row(prompt, completion, i, width);
    }
    if (pages > 1) {
        StrBuf line;
        StrBuf text;
        strbuf_init(&line, &prompt->session->vm->ctx);
        strbuf_init(&text, &prompt->session->vm->ctx);
        strbuf_printf(&text, "  %zu to %zu of %zu, Tab for more", first + 1,
                      last, count);
        add_hint(prompt, &line, strbuf_text(&text));
        note(prompt, &line);
        strbuf_free(&text);
    }
}

// Ctrl-C stays blocked meanwhile: nothing of the program runs, so nothing
// takes long.
// The caller frees it with complete_free.
static Completion complete(Prompt *prompt)
{
    Completion completion;
    complete_at(prompt->session, *prompt->lib.rl_line_buffer,
                (size_t)*prompt->lib.rl_point,
                is_on(prompt, "completion-ignore-case"), &completion);
    return completion;
}

// Puts the certain part in; false: there is none beyond what stands there.
// It replaces from the start of the word, since a candidate may differ from
// what was typed in case.
static bool insert_certain(Prompt *prompt, const Completion *completion)
{
    if (completion->items.count == 0) {
        return false;
    }
    size_t length = common_length(completion);
    char *text = strndup(completion->items.items[0].text, length);
    // What stands there already, whose case may be corrected.
    size_t word = strlen(completion->word);
    bool more = text != NULL && length >= word && length > 0 &&
                strcmp(text, completion->word) != 0;
    if (more) {
        prompt_replace(prompt, (int)completion->start, *prompt->lib.rl_point,
                       text);
    }
    free(text);
    return more;
}

// Behind a dot, a quote or a blank that follows a word the place itself says
// what may come.
static bool is_after_mark(Prompt *prompt)
{
    int point = *prompt->lib.rl_point;
    const char *text = *prompt->lib.rl_line_buffer;
    return point > 0 && strchr("(,=+-*/<>&|^", text[point - 1]) == NULL;
}

// The first Tab puts in what is certain, or shows the signature; the second
// shows the list, each further one its next page.
int prompt_on_tab(int count, int key)
{
    (void)count;
    (void)key;
    Prompt *prompt = prompt_active();
    Completion completion = complete(prompt);
    // A second Tab in a row lists, further ones turn the pages.
    bool again = *prompt->lib.rl_last_func == prompt_tab_key;
    prompt->tabs = again ? prompt->tabs + 1 : 0;
    bool several = completion.items.count > 1;
    // A signature is shown in place of the list while no argument is begun.
    bool call = completion.signature != NULL &&
                (completion.word == NULL || *completion.word == '\0');
    // Nothing typed and nothing around it: nothing is certain either.
    bool open = **prompt->lib.rl_line_buffer == '\0' ||
                (completion.word != NULL && *completion.word == '\0' &&
                 !is_after_mark(prompt));
    if (!call && !open && insert_certain(prompt, &completion)) {
        prompt->tabs = 0;
        again = is_on(prompt, "show-all-if-ambiguous");
    } else if (call) {
        show_signature(prompt, &completion);
    } else if (completion.items.count == 0) {
        prompt->lib.rl_ding();
    } else if (!several) {
        show_list(prompt, &completion, 0); // it stands there: say what it is
    } else {
        again = again || is_on(prompt, "show-all-if-ambiguous");
    }
    if (several && again) {
        show_list(prompt, &completion, prompt->tabs > 0 ? prompt->tabs - 1 : 0);
    }
    complete_free(&completion);
    return 0;
}

// M-?: the list at once.
int prompt_on_list(int count, int key)
{
    (void)count;
    (void)key;
    Prompt *prompt = prompt_active();
    Completion completion = complete(prompt);
    if (completion.signature != NULL) {
        show_signature(prompt, &completion);
    }
    if (completion.items.count > 0) {
        show_list(prompt, &completion, 0);
    }
    complete_free(&completion);
    return 0;
}

// For those who bind Readline's own completion to a key in ~/.inputrc: it
// takes the list and frees it. Its first element is what all have in common.
char **prompt_on_complete(const char *text, int start, int end)
{
    (void)text;
    (void)end;
    Prompt *prompt = prompt_active();
    *prompt->lib.rl_attempted_completion_over = 1;
    *prompt->lib.rl_completion_suppress_append = 1;
    Completion completion = complete(prompt);
    size_t count = completion.items.count;
    // Readline wants an array that ends in NULL, the common part first.
    char **matches = count == 0 || completion.start != (size_t)start
                         ? NULL
                         : calloc(count + 2, sizeof *matches);
    if (matches != NULL) {
        matches[0] =
            strndup(completion.items.items[0].text, common_length(&completion));
        for (size_t i = 0; i < count; i++) {
            matches[i + 1] = strdup(completion.items.items[i].text);
        }
    }
    complete_free(&completion);
    return matches;
}
