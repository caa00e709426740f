// Keys that know lines and blocks. An entry of several lines is one line to
// Readline, with line ends in it.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "repl/entry.h"

enum { KEYS_INDENT = 4 };

// Callbacks have no argument of ours.
static Readline *active_lib(void)
{
    return &prompt_active()->lib;
}

// Line ends are bytes, so there is no need to look at whole characters.
// In bytes, as all places in the buffer are.
int prompt_line_start(const char *text, int at)
{
    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    return at;
}

// The NUL at the end of the buffer ends the last line.
int prompt_line_end(const char *text, int at)
{
    return at + (int)strcspn(text + at, "\n");
}

// Readline does this itself, but only at the end of the whole entry.
// While vi moves, the cursor stands on a character and never behind the last
// one of a line.
void prompt_vi_check(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    if (lib->rl_get_keymap() == lib->rl_get_keymap_by_name("vi-move") &&
        (text[point] == '\n' || text[point] == '\0') &&
        point > prompt_line_start(text, point)) {
        *lib->rl_point = point - 1;
        // To the first byte of the character, if there is one.
        while (*lib->rl_point > 0 && (text[*lib->rl_point] & 0xC0) == 0x80) {
            --*lib->rl_point;
        }
    }
    prompt_vi_note_keys(prompt);
}

// Undo takes back both halves at once.
// The cursor stands behind the new text afterwards.
void prompt_replace(Prompt *prompt, int start, int end, const char *text)
{
    Readline *lib = &prompt->lib;
    lib->rl_begin_undo_group();
    if (end > start) {
        lib->rl_delete_text(start, end);
    }
    *lib->rl_point = start;
    lib->rl_insert_text(text);
    lib->rl_end_undo_group();
}

static void insert_blanks(Readline *lib, int count)
{
    while (count-- > 0) {
        lib->rl_insert_text(" ");
    }
}

// Whether only blanks stand between the start of the line and the cursor.
// True in an empty line as well, where Tab indents.
static bool at_indent(const char *text, int point)
{
    int start = prompt_line_start(text, point);
    return (int)strspn(text + start, " ") >= point - start;
}

// The text's part in front of the cursor decides how far the next line is
// indented; blanks behind the cursor go, as they would add to it.
// Undo takes the line and its indentation back at once.
void prompt_break_line(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    Ctx *ctx = &prompt->session->vm->ctx;
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    char *before = ctx_strndup(ctx, text, (size_t)point);
    int indent = before == NULL ? 0 : entry_indent(ctx, before);
    ctx_free(ctx, before, before == NULL ? 0 : (size_t)point + 1);
    // Memory that ran out costs the indentation only.
    ctx_clear(ctx);
    int blanks = (int)strspn(text + point, " ");
    lib->rl_begin_undo_group();
    if (blanks > 0) {
        lib->rl_delete_text(point, point + blanks);
    }
    lib->rl_insert_text("\n");
    insert_blanks(lib, indent);
    lib->rl_end_undo_group();
}

// Readline's Enter does this, which ours replaces.
// NULL where Readline does not have it; editing mode 0 is vi's.
void prompt_end_insertion(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    if (lib->vi_done_inserting != NULL && *lib->rl_editing_mode == 0) {
        lib->vi_done_inserting();
    }
}

// What stands in the buffer is run as it is.
// rl_done makes readline() return when the key has been handled.
static int on_accept(int count, int key)
{
    (void)count;
    (void)key;
    prompt_end_insertion(prompt_active());
    *active_lib()->rl_done = 1;
    return 0;
}

// Enter: another line while the text is incomplete or the cursor stands in an
// upper line, else the end of the entry.
static int on_enter(int count, int key)
{
    Prompt *prompt = prompt_active();
    const char *text = *prompt->lib.rl_line_buffer;
    // Neither a command nor a blank entry is Duet code that could be
    // incomplete.
    bool blank = text[strspn(text, " \t\n")] == '\0';
    bool command = text[0] == '%' || text[0] == '?';
    bool inside = strchr(text + *prompt->lib.rl_point, '\n') != NULL;
    if (!blank &&
        (inside || (!command && entry_status(&prompt->session->vm->ctx, text) ==
                                    PARSE_INCOMPLETE))) {
        prompt_break_line(prompt);
        return 0;
    }
    return on_accept(count, key);
}

// Backspace in the indentation takes a step of it.
// With a count it takes so many characters, as usual.
static int on_backspace(int count, int key)
{
    Readline *lib = active_lib();
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    int column = point - prompt_line_start(text, point);
    if (column == 0 || !at_indent(text, point) || count != 1) {
        return lib->rl_rubout(count, key);
    }
    // Back to the next multiple of the step.
    int step = (column - 1) % KEYS_INDENT + 1;
    lib->rl_delete_text(point - step, point);
    *lib->rl_point = point - step;
    return 0;
}

// Tab indents at the start of a line, and completes elsewhere.
int prompt_tab_key(int count, int key)
{
    Readline *lib = active_lib();
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    if (!at_indent(text, point)) {
        return prompt_on_tab(count, key);
    }
    int column = point - prompt_line_start(text, point);
    lib->rl_begin_undo_group();
    insert_blanks(lib, KEYS_INDENT - column % KEYS_INDENT);
    lib->rl_end_undo_group();
    return 0;
}

// Shift-Tab takes a step of the line's indentation, wherever the cursor is.
// A line whose indentation is no multiple goes to the next lower one.
static int on_backtab(int count, int key)
{
    (void)count;
    (void)key;
    Readline *lib = active_lib();
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    int start = prompt_line_start(text, point);
    int blanks = (int)strspn(text + start, " ");
    int step = blanks == 0 ? 0 : (blanks - 1) % KEYS_INDENT + 1;
    if (step > 0) {
        lib->rl_delete_text(start, start + step);
        // The cursor stays with its text, but not above the line's start.
        *lib->rl_point = point - step > start ? point - step : start;
    }
    return 0;
}

// `else:` and its like step back to what they belong to once they are
// complete.
// The colon is inserted in any case.
static int on_colon(int count, int key)
{
    Prompt *prompt = prompt_active();
    Readline *lib = &prompt->lib;
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    int start = prompt_line_start(text, point);
    int indent = (int)strspn(text + start, " ");
    // With a count it is the character that is wanted.
    int wanted = count == 1 ? entry_dedent(text, (size_t)point) : indent;
    lib->rl_begin_undo_group();
    int result = lib->rl_insert(count, key);
    if (wanted < indent) {
        lib->rl_delete_text(start, start + indent - wanted);
        *lib->rl_point -= indent - wanted;
    }
    lib->rl_end_undo_group();
    return result;
}

// Readline's own would go to the start of the whole entry.
static int to_line_start(int count, int key)
{
    (void)count;
    (void)key;
    Readline *lib = active_lib();
    *lib->rl_point = prompt_line_start(*lib->rl_line_buffer, *lib->rl_point);
    return 0;
}

static int to_line_end(int count, int key)
{
    (void)count;
    (void)key;
    Readline *lib = active_lib();
    *lib->rl_point = prompt_line_end(*lib->rl_line_buffer, *lib->rl_point);
    return 0;
}

// The first character of the line that is no blank (vi's ^).
static int on_line_text(int count, int key)
{
    Readline *lib = active_lib();
    (void)to_line_start(count, key);
    *lib->rl_point += (int)strspn(*lib->rl_line_buffer + *lib->rl_point, " ");
    return 0;
}

// To the end of the line; at the end it takes the line end.
// What is taken goes to the kill ring, for C-y.
static int on_kill_line(int count, int key)
{
    (void)count;
    (void)key;
    Readline *lib = active_lib();
    int point = *lib->rl_point;
    int end = prompt_line_end(*lib->rl_line_buffer, point);
    end += end == point && end < *lib->rl_end;
    lib->rl_kill_text(point, end);
    return 0;
}

// To the start of the line; at the start it takes the line end above.
static int on_kill_back(int count, int key)
{
    (void)count;
    (void)key;
    Readline *lib = active_lib();
    int point = *lib->rl_point;
    int start = prompt_line_start(*lib->rl_line_buffer, point);
    start -= start == point && start > 0;
    lib->rl_kill_text(point, start);
    *lib->rl_point = start;
    return 0;
}

// A word between blanks, but not across the start of the line.
// Blanks directly in front of the cursor go along.
static int on_kill_word_back(int count, int key)
{
    (void)count;
    (void)key;
    Readline *lib = active_lib();
    const char *text = *lib->rl_line_buffer;
    int point = *lib->rl_point;
    int start = prompt_line_start(text, point);
    int at = point;
    while (at > start && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
        at--;
    }
    while (at > start && text[at - 1] != ' ' && text[at - 1] != '\t') {
        at--;
    }
    // At the start of the line it takes the line end above, as on_kill_back
    // does.
    at -= at == point && at > 0;
    lib->rl_kill_text(point, at);
    *lib->rl_point = at;
    return 0;
}

// In the place of Readline's rl_abort, which jumps to where the last key was
// read: when keys were pushed back meanwhile, that place is a frame that has
// returned. Nothing is left to abort here; a search knows C-g itself.
static int on_abort(int count, int key)
{
    (void)count;
    (void)key;
    return active_lib()->rl_ding();
}

// The entry goes on at the top of the window. Readline's own counts rows
// that it did not draw.
static int on_clear_screen(int count, int key)
{
    (void)count;
    (void)key;
    redraw_clear_screen(&prompt_active()->redraw);
    return 0;
}

// C-x C-e: the entry goes to the editor and comes back; Enter then runs it.
// .py, so that editors colour the text.
static int on_editor(int count, int key)
{
    (void)count;
    (void)key;
    Prompt *prompt = prompt_active();
    StrBuf text;
    strbuf_init(&text, &prompt->session->vm->ctx);
    strbuf_puts(&text, *prompt->lib.rl_line_buffer);
    // The editor needs the terminal as the shell had left it.
    prompt_give_terminal(prompt);
    bool edited = strbuf_ok(&text) && editor_run(&text, ".py");
    prompt_take_terminal(prompt);
    if (edited) {
        // Editors end the last line; the entry does not.
        while (text.length > 0 && text.text[text.length - 1] == '\n') {
            text.text[--text.length] = '\0';
        }
        prompt_replace(prompt, 0, *prompt->lib.rl_end, strbuf_text(&text));
    }
    strbuf_free(&text);
    ctx_clear(&prompt->session->vm->ctx);
    return 0;
}

// Our keys: the sequence, the function, and the name under which ~/.inputrc
// may bind it to another key. The first letters say in which keymaps: `e`
// emacs, `i` vi while inserting, `m` vi while moving.
static const struct {
    const char *maps;
    const char *sequence;
    rl_command_func_t *function;
    const char *name;
} keys[] = {
    {"eim", "\r", on_enter, "duet-enter"},
    {"eim", "\n", on_enter, "duet-enter"},
    {"e", "\033\r", on_accept, "duet-accept"},
    {"e", "\033\n", on_accept, "duet-accept"},
    {"ei", "\t", prompt_tab_key, "duet-tab"},
    {"ei", "\033[Z", on_backtab, "duet-dedent"},
    {"e", "\033?", prompt_on_list, "duet-list-completions"},
    {"e", "\033=", prompt_on_list, "duet-list-completions"},
    {"ei", "\177", on_backspace, "duet-backspace"},
    {"ei", "\b", on_backspace, "duet-backspace"},
    {"ei", ":", on_colon, "duet-colon"},
    {"eim", "\033[A", prompt_on_up, "duet-up"},
    {"eim", "\033OA", prompt_on_up, "duet-up"},
    {"e", "\020", prompt_on_up, "duet-up"},
    {"m", "k", prompt_on_up, "duet-up"},
    {"eim", "\033[B", prompt_on_down, "duet-down"},
    {"eim", "\033OB", prompt_on_down, "duet-down"},
    {"e", "\016", prompt_on_down, "duet-down"},
    {"m", "j", prompt_on_down, "duet-down"},
    {"eim", "\033[5~", prompt_on_older, "duet-older-entry"},
    {"eim", "\033[6~", prompt_on_newer, "duet-newer-entry"},
    {"e", "\001", to_line_start, "duet-line-start"},
    {"m", "0", to_line_start, "duet-line-start"},
    {"eim", "\033[H", to_line_start, "duet-line-start"},
    {"eim", "\033OH", to_line_start, "duet-line-start"},
    {"eim", "\033[1~", to_line_start, "duet-line-start"},
    {"e", "\005", to_line_end, "duet-line-end"},
    {"m", "$", to_line_end, "duet-line-end"},
    {"eim", "\033[F", to_line_end, "duet-line-end"},
    {"eim", "\033OF", to_line_end, "duet-line-end"},
    {"eim", "\033[4~", to_line_end, "duet-line-end"},
    {"m", "^", on_line_text, "duet-line-text"},
    {"e", "\013", on_kill_line, "duet-kill-line"},
    {"ei", "\025", on_kill_back, "duet-kill-back"},
    {"ei", "\027", on_kill_word_back, "duet-kill-word-back"},
    {"eim", "\007", on_abort, "duet-abort"},
    {"e", "\033\007", on_abort, "duet-abort"},
    {"e", "\030\007", on_abort, "duet-abort"},
    {"eim", "\014", on_clear_screen, "duet-clear-screen"},
    {"e", "\030\005", on_editor, "duet-editor"},
    {"m", "v", on_editor, "duet-editor"},
    {"eim", "\033[200~", prompt_on_paste, "duet-paste"},
};

// In vi's maps a sequence that begins with Escape must not take the Escape
// itself away: Readline keeps what a prefix was bound to.
// Called once, before ~/.inputrc is read: what stands there wins.
void prompt_bind_keys(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    Keymap emacs = lib->rl_get_keymap_by_name("emacs-standard");
    Keymap insert = lib->rl_get_keymap_by_name("vi-insert");
    Keymap move = lib->rl_get_keymap_by_name("vi-move");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        for (const char *map = keys[i].maps; *map != '\0'; map++) {
            lib->rl_bind_keyseq_in_map(keys[i].sequence, keys[i].function,
                                       *map == 'e'   ? emacs
                                       : *map == 'i' ? insert
                                                     : move);
        }
        // Each name once: the same function stands in a run of rows.
        if (i == 0 || strcmp(keys[i].name, keys[i - 1].name) != 0) {
            lib->rl_add_defun(keys[i].name, keys[i].function, -1);
        }
    }
    prompt_vi_note_keys(prompt);
}
