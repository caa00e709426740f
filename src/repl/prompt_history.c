// Up, Down and the entries of earlier days.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

#include "repl/history.h"

// The column of `point` in its line, in characters.
static int column_of(const char *text, int point)
{
    int column = 0;
    for (int at = prompt_line_start(text, point); at < point; at++) {
        column += (text[at] & 0xC0) != 0x80;
    }
    return column;
}

// The place of that column in the line that begins at `start`, or its end.
static int at_column(const char *text, int start, int column)
{
    int at = start;
    while (text[at] != '\0' && text[at] != '\n' && column > 0) {
        at++;
        while ((text[at] & 0xC0) == 0x80) {
            at++;
        }
        column--;
    }
    return at;
}

// Keys that go on with what the key before them began.
static bool is_vertical(rl_command_func_t *function)
{
    return function == prompt_on_up || function == prompt_on_down ||
           function == prompt_on_older || function == prompt_on_newer;
}

// The first of several such keys in a row notes the column that they keep; an
// entry from the history begins anew.
static void note_column(Prompt *prompt)
{
    if (!is_vertical(*prompt->lib.rl_last_func) || prompt->goal < 0) {
        prompt->goal = column_of(*prompt->lib.rl_line_buffer,
                                 *prompt->lib.rl_point);
    }
}

// The entry that is shown comes from the history as it is.
static bool is_recalled(const Prompt *prompt)
{
    HIST_ENTRY **list = prompt->lib.history_list();
    int at = prompt->lib.where_history();
    return list != NULL && at < *prompt->lib.history_length &&
           strcmp(list[at]->line, *prompt->lib.rl_line_buffer) == 0;
}

// What entries must begin with: the text in front of the cursor. An entry
// that was only recalled keeps the search that found it.
static void note_prefix(Prompt *prompt)
{
    if (is_vertical(*prompt->lib.rl_last_func) || is_recalled(prompt)) {
        return;
    }
    free(prompt->prefix);
    prompt->prefix =
        strndup(*prompt->lib.rl_line_buffer, (size_t)*prompt->lib.rl_point);
}

// Does entry `index` begin like what was typed, and is another text?
static bool fits(const Prompt *prompt, HIST_ENTRY **list, int index)
{
    const char *prefix = prompt->prefix == NULL ? "" : prompt->prefix;
    return strncmp(list[index]->line, prefix, strlen(prefix)) == 0 &&
           strcmp(list[index]->line, *prompt->lib.rl_line_buffer) != 0;
}

// Readline moves by a count and keeps what was edited; we only count.
static int move(int direction, int key)
{
    Prompt *prompt = prompt_active();
    Readline *lib = &prompt->lib;
    note_prefix(prompt);
    prompt->goal = -1;
    HIST_ENTRY **list = lib->history_list();
    int from = lib->where_history();
    int at = from + direction;
    while (list != NULL && at >= 0 && at < *lib->history_length &&
           !fits(prompt, list, at)) {
        at += direction;
    }
    if (list == NULL || at < 0 || from + direction > *lib->history_length) {
        return lib->rl_ding();
    }
    return direction < 0 ? lib->rl_get_previous_history(from - at, key)
                         : lib->rl_get_next_history(at - from, key);
}

// Page Up: past the lines of the entry, straight to an older one.
int prompt_on_older(int count, int key)
{
    (void)count;
    return move(-1, key);
}

// Page Down; behind the newest entry stands what was typed before.
int prompt_on_newer(int count, int key)
{
    (void)count;
    return move(1, key);
}

// The same key as often as a count says (vi's 3k), until nothing moves.
static void repeat(rl_command_func_t *function, int count, int key)
{
    Readline *lib = &prompt_active()->lib;
    int point = -1;
    for (; count > 0 && point != *lib->rl_point; count--) {
        point = *lib->rl_point;
        (void)function(1, key);
        *lib->rl_last_func = function;
    }
}

// Up and Down move inside an entry first, then through the history.
int prompt_on_up(int count, int key)
{
    repeat(prompt_on_up, count - 1, key);
    Prompt *prompt = prompt_active();
    const char *text = *prompt->lib.rl_line_buffer;
    int start = prompt_line_start(text, *prompt->lib.rl_point);
    if (start == 0) {
        return prompt_on_older(count, key);
    }
    note_column(prompt);
    *prompt->lib.rl_point =
        at_column(text, prompt_line_start(text, start - 1), prompt->goal);
    prompt_vi_check(prompt);
    return 0;
}

// See prompt_on_up.
int prompt_on_down(int count, int key)
{
    repeat(prompt_on_down, count - 1, key);
    Prompt *prompt = prompt_active();
    const char *text = *prompt->lib.rl_line_buffer;
    int end = prompt_line_end(text, *prompt->lib.rl_point);
    if (text[end] == '\0') {
        return prompt_on_newer(count, key);
    }
    note_column(prompt);
    *prompt->lib.rl_point = at_column(text, end + 1, prompt->goal);
    prompt_vi_check(prompt);
    return 0;
}

// In the form that history_load calls: gathers what Readline will own.
typedef struct Gathered {
    HIST_ENTRY **entries; // malloc'ed
    int count, capacity;
} Gathered;

// Readline frees entries one by one, so each is allocated for itself. What
// finds no memory is left out.
static void gather(const char *text, void *data)
{
    Gathered *all = data;
    if (all->count + 1 >= all->capacity) {
        int capacity = all->capacity == 0 ? 1024 : all->capacity * 2;
        HIST_ENTRY **bigger =
            realloc(all->entries, (size_t)capacity * sizeof *bigger);
        if (bigger == NULL) {
            return;
        }
        all->entries = bigger;
        all->capacity = capacity;
    }
    HIST_ENTRY *entry = calloc(1, sizeof *entry);
    char *line = strdup(text);
    if (entry == NULL || line == NULL) {
        free(entry);
        free(line);
        return;
    }
    entry->line = line;
    all->entries[all->count++] = entry;
    all->entries[all->count] = NULL; // Readline's lists end so
}

// The list is handed over as a whole: adding 100,000 entries one by one takes
// Readline longer than reading the file. What was added before (by an outer
// prompt) can only be newer, so there is nothing to keep.
void prompt_load_history(Prompt *prompt)
{
    if (prompt->history_loaded) {
        return;
    }
    prompt->history_loaded = true;
    Gathered all = {0};
    history_load(&prompt->session->vm->ctx, gather, &all);
    if (all.count > 0) {
        HISTORY_STATE state = {.entries = all.entries,
                               .offset = all.count,
                               .length = all.count,
                               .size = all.capacity};
        prompt->lib.history_set_history_state(&state);
        prompt->last = strdup(all.entries[all.count - 1]->line);
    }
}

// Entry by entry into the file, in one write each: nothing is lost by a
// crash but what was being typed.
void prompt_remember(Prompt *prompt, const char *entry)
{
    size_t length = strlen(entry);
    while (length > 0 && strchr(" \t\n", entry[length - 1]) != NULL) {
        length--; // the blank line that ended a block
    }
    char *text = strndup(entry, length);
    if (text == NULL || length == 0 ||
        (prompt->last != NULL && strcmp(prompt->last, text) == 0)) {
        free(text);
        return;
    }
    prompt->lib.add_history(text);
    history_append(&prompt->session->vm->ctx, text);
    free(prompt->last);
    prompt->last = text;
}
