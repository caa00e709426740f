// Up, Down and the entries of earlier days.
// Readline keeps the list and the place in it; what is here decides which
// entries count and where the cursor goes. `goal` is a column or -1: none is
// noted.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

#include "repl/history.h"

// The column of `point` in its line, in characters.
// Code points, not cells: a wide character counts once, so that both lines
// agree on what the third character is.
static int column_of(const char *text, int point)
{
    int column = 0;
    for (int at = prompt_line_start(text, point); at < point; at++) {
        column += (text[at] & 0xC0) != 0x80;
    }
    return column;
}

// The place of that column in the line that begins at `start`, or its end.
// Never inside a character: continuation bytes go with their first.
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
// Compared by address, as Readline records the function of the last key.
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
        prompt->goal =
            column_of(*prompt->lib.rl_line_buffer, *prompt->lib.rl_point);
    }
}

// The entry that is shown comes from the history as it is.
// False as soon as one character of it was changed.
static bool is_recalled(const Prompt *prompt)
{
    HIST_ENTRY **list = prompt->lib.history_list();
    int at = prompt->lib.where_history();
    return list != NULL && at < *prompt->lib.history_length &&
           strcmp(list[at]->line, *prompt->lib.rl_line_buffer) == 0;
}

// What entries must begin with: the text in front of the cursor. An entry
// that was only recalled keeps the search that found it.
// No memory leaves it NULL, which every entry begins with.
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
// Another text, so that Up never seems to do nothing where an entry was given
// twice.
static bool fits(const Prompt *prompt, HIST_ENTRY **list, int index)
{
    const char *prefix = prompt->prefix == NULL ? "" : prompt->prefix;
    return strncmp(list[index]->line, prefix, strlen(prefix)) == 0 &&
           strcmp(list[index]->line, *prompt->lib.rl_line_buffer) != 0;
}

// Readline moves by a count and keeps what was edited; we only count.
// -1 goes to older entries, 1 to newer ones; behind the last one stands the
// line that was being typed, which always fits.
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
// `function` is noted as the last one after each turn, since Readline does so
// only at the end of the key.
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
// In the first line of the entry there is nothing above it.
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

// A copy for Readline's list, malloc'ed; NULL: memory ran out. What M-. takes
// a line apart with reads on behind a backslash that ends it: a blank follows.
static char *history_line(const char *text)
{
    size_t length = strlen(text);
    char *line = malloc(length + 2);
    if (line != NULL) {
        memcpy(line, text, length + 1);
        if (length > 0 && text[length - 1] == '\\') {
            memcpy(line + length, " ", 2);
        }
    }
    return line;
}

// In the form that history_load calls: gathers what Readline will own.
// Invariant once there is an entry: entries[count] is NULL.
typedef struct GatheredEntries {
    HIST_ENTRY **entries; // malloc'ed
    int count, capacity;
} GatheredEntries;

// Readline frees entries one by one, so each is allocated for itself. What
// finds no memory is left out.
static void gather(const char *text, void *data)
{
    GatheredEntries *all = data;
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
    char *line = history_line(text);
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
    GatheredEntries all = {0};
    // A file that cannot be read gives no entries and no error: a prompt
    // without history works.
    history_load(&prompt->session->vm->ctx, gather, &all);
    if (all.count > 0) {
        // Readline takes the array and all in it over, also where it is larger
        // than its count.
        HISTORY_STATE state = {.entries = all.entries,
                               .offset = all.count,
                               .length = all.count,
                               .size = all.capacity};
        prompt->lib.history_set_history_state(&state);
        // For prompt_remember, which leaves a repetition out.
        prompt->last = strdup(all.entries[all.count - 1]->line);
    }
}

// Entry by entry into the file, in one write each: nothing is lost by a
// crash but what was being typed.
// An entry that repeats the last one is not kept a second time.
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
    char *line = history_line(text);
    if (line != NULL) {
        prompt->lib.add_history(line);
    }
    free(line);
    history_append(&prompt->session->vm->ctx, text);
    free(prompt->last);
    prompt->last = text;
}
