// The commands of vi that mean lines. To Readline an entry of several lines is
// one, so that its own would take all of it.
//
// Invariant: what `dd` and `yy` leave to be put back ends in a line end, and
// nothing else does; by that `p` knows how to put it.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

// The cursor goes to the first character that is no blank.
static void to_text(Readline *lib)
{
    const char *text = *lib->rl_line_buffer;
    *lib->rl_point = prompt_line_start(text, *lib->rl_point);
    *lib->rl_point += (int)strspn(text + *lib->rl_point, " ");
}

// From the cursor to the end of its line.
static void kill_rest(Readline *lib)
{
    int point = *lib->rl_point;
    lib->rl_kill_text(point, prompt_line_end(*lib->rl_line_buffer, point));
}

// For `dd` and `yy`: the line, with one line end, becomes what is put back.
// The last line has none behind it and gives the one in front.
static void take_line(Readline *lib, bool keep)
{
    int point = *lib->rl_point;
    int start = prompt_line_start(*lib->rl_line_buffer, point);
    int end = prompt_line_end(*lib->rl_line_buffer, point);
    // The last line has no line end of its own.
    bool last = (*lib->rl_line_buffer)[end] == '\0';
    lib->rl_begin_undo_group();
    if (last) { // so that the killed text ends in a line end
        *lib->rl_point = end;
        lib->rl_insert_text("\n");
    }
    lib->rl_kill_text(start, end + 1);
    *lib->rl_point = start;
    if (keep) {
        lib->rl_yank(1, 0);
    }
    if (last && *lib->rl_end > 0 && keep) {
        lib->rl_delete_text(*lib->rl_end - 1, *lib->rl_end);
    } else if (last && start > 0) {
        lib->rl_delete_text(start - 1, start);
        *lib->rl_point = prompt_line_start(*lib->rl_line_buffer, start - 1);
    }
    if (keep) {
        *lib->rl_point = point;
    } else {
        to_text(lib);
    }
    lib->rl_end_undo_group();
}

// Readline waits for the motion behind `d`, `c` or `y` and gets the same key
// again. Escape ends its wait; for `cc` the next key is the one that appends.
int prompt_vi_key(Prompt *prompt, int key)
{
    Readline *lib = &prompt->lib;
    int before = prompt->operator;
    prompt->operator = key;
    if ((*lib->rl_readline_state & RL_STATE_VIMOTION) == 0 || key != before ||
        strchr(*lib->rl_line_buffer, '\n') == NULL) {
        return key;
    }
    if (key == 'c') {
        to_text(lib);
        kill_rest(lib);
        strbuf_putc(&prompt->queue, 'A');
    } else if (key == 'd' || key == 'y') {
        take_line(lib, key == 'y');
    } else {
        return key;
    }
    return '\033';
}

// A: behind the last character of the line.
static int on_append(int count, int key)
{
    (void)prompt_to_line_end(count, key);
    return prompt_active()->lib.rl_vi_insertion_mode(1, key);
}

// I: in front of the first character that is no blank.
static int on_insert(int count, int key)
{
    (void)count;
    to_text(&prompt_active()->lib);
    return prompt_active()->lib.rl_vi_insertion_mode(1, key);
}

// D: the rest of the line.
static int on_delete(int count, int key)
{
    (void)count;
    (void)key;
    kill_rest(&prompt_active()->lib);
    prompt_vi_check(prompt_active());
    return 0;
}

// C: the rest of the line, to be typed anew. The key that appends comes next,
// as if it had been typed: Readline counts on what its own `C` has begun.
static int on_change(int count, int key)
{
    (void)count;
    (void)key;
    kill_rest(&prompt_active()->lib);
    strbuf_putc(&prompt_active()->queue, 'A');
    return 0;
}

// S: all of the line but its indentation.
static int on_substitute(int count, int key)
{
    to_text(&prompt_active()->lib);
    return on_change(count, key);
}

// What would be put, taken out of the buffer again; malloc'ed. It is not to be
// seen otherwise.
static char *newest_kill(Readline *lib)
{
    int point = *lib->rl_point, length = *lib->rl_end;
    lib->rl_yank(1, 0);
    length = *lib->rl_end - length;
    char *text = strndup(*lib->rl_line_buffer + point, (size_t)length);
    if (length > 0) {
        lib->rl_delete_text(point, point + length);
    }
    *lib->rl_point = point;
    return text;
}

// p and P: a line goes below or above this one, anything else where the cursor
// is.
static int on_put(int count, int key)
{
    Prompt *prompt = prompt_active();
    Readline *lib = &prompt->lib;
    lib->rl_begin_undo_group();
    char *text = newest_kill(lib);
    size_t length = text == NULL ? 0 : strlen(text);
    int result = 0;
    // No line: Readline's own put is right.
    if (length == 0 || text[length - 1] != '\n') {
        result = lib->rl_vi_put(count, key);
    } else if (key == 'P') {
        int at = prompt_line_start(*lib->rl_line_buffer, *lib->rl_point);
        prompt_replace(prompt, at, at, text);
        *lib->rl_point = at;
        to_text(lib);
    } else {
        int at = prompt_line_end(*lib->rl_line_buffer, *lib->rl_point);
        text[length - 1] = '\0'; // its line end comes in front
        prompt_replace(prompt, at, at, "\n");
        prompt_replace(prompt, at + 1, at + 1, text);
        *lib->rl_point = at + 1;
        to_text(lib);
    }
    lib->rl_end_undo_group();
    free(text);
    return result;
}

// The key in vi's command mode, and its name for ~/.inputrc.
static const struct {
    const char *sequence;
    rl_command_func_t *function;
    const char *name;
} commands[] = {
    {"A", on_append, "duet-vi-append"},
    {"I", on_insert, "duet-vi-insert"},
    {"D", on_delete, "duet-vi-delete-line"},
    {"C", on_change, "duet-vi-change-line"},
    {"S", on_substitute, "duet-vi-substitute"},
    {"p", on_put, "duet-vi-put"},
    {"P", on_put, "duet-vi-put"},
};

// In the map for moving alone; each gets a name for ~/.inputrc, too.
void prompt_bind_vi(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    Keymap move = lib->rl_get_keymap_by_name("vi-move");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        lib->rl_bind_keyseq_in_map(commands[i].sequence,
                                   commands[i].function, move);
        lib->rl_add_defun(commands[i].name, commands[i].function, -1);
    }
}
