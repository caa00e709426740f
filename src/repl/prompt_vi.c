// The commands of vi that mean lines. To Readline an entry of several lines is
// one, so that its own `dd` would take all of it.
//
// Keys are looked at before Readline sees them, while it waits for a command
// and for nothing else: the keys of a command are gathered until it is whole.
// One that means lines is done here; all others go to Readline as they came.
// A person who has bound such a key anew (~/.inputrc) keeps that.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { COUNT_MAX = 999 }; // a repetition beyond it is a slip of the fingers

// Commands of one key, and those that wait for a motion.
static const char alone[] = "pPxXDCSYAIoOJ.";
static const char operators[] = "dcy<>";
// The motions that mean lines; an operator's own key means one, too.
static const char motions[] = "jkG$";

// What the keys so far are.
typedef enum Reading {
    READING_MORE,   // the beginning of a command
    READING_OURS,   // a whole one that means lines
    READING_THEIRS, // Readline's
    READING_NONE    // nobody's
} Reading;

// strchr would find the NUL that ends the list.
static bool is_in(char key, const char *keys)
{
    return key != '\0' && strchr(keys, key) != NULL;
}

// A count, at most COUNT_MAX; 0: none stands there. A 0 begins no count.
static int read_count(const char **keys)
{
    int count = 0;
    while ((**keys >= '1' && **keys <= '9') || (count > 0 && **keys == '0')) {
        count = count * 10 + (*(*keys)++ - '0');
        count = count > COUNT_MAX ? COUNT_MAX : count;
    }
    return count;
}

// command = [count] key | [count] operator [count] motion
static Reading read_command(const char *keys, ViCommand *command)
{
    int first = read_count(&keys);
    *command = (ViCommand){.count = first, .key = *keys};
    if (*keys == '\0') {
        return READING_MORE;
    }
    if (is_in(*keys, alone)) {
        return READING_OURS;
    }
    if (!is_in(*keys, operators)) {
        return READING_THEIRS;
    }
    keys++;
    int second = read_count(&keys);
    // 2d3j takes six lines and the cursor's: the counts multiply, as in vi.
    if (second > 0) {
        int product = second * (first > 0 ? first : 1);
        command->count = product > COUNT_MAX ? COUNT_MAX : product;
    }
    command->motion = *keys;
    if (*keys == '\0') {
        return READING_MORE;
    }
    if (*keys == command->key || is_in(*keys, motions)) {
        return READING_OURS;
    }
    // Readline has no shifting.
    return is_in(command->key, "<>") ? READING_NONE : READING_THEIRS;
}

// Drops what is known of the insertion that runs.
static void forget_insertion(Prompt *prompt)
{
    ViState *vi = &prompt->vi;
    free(vi->before);
    free(vi->behind);
    vi->before = NULL;
    vi->behind = NULL;
    vi->inserting = false;
}

// What was typed between the two halves of the text is what `.` types again;
// nothing if they are no longer as they were.
static void end_insertion(Prompt *prompt)
{
    ViState *vi = &prompt->vi;
    const char *text = *prompt->lib.rl_line_buffer;
    size_t length = strlen(text);
    // The halves may overlap in a text that has shrunk; then nothing was typed
    // between them.
    size_t front = vi->before == NULL ? 0 : strlen(vi->before);
    size_t back = vi->behind == NULL ? 0 : strlen(vi->behind);
    free(vi->inserted);
    vi->inserted = NULL;
    if (vi->before != NULL && vi->behind != NULL && front + back <= length &&
        strncmp(text, vi->before, front) == 0 &&
        strcmp(text + length - back, vi->behind) == 0) {
        vi->inserted = strndup(text + front, length - front - back);
    }
    forget_insertion(prompt);
}

// Once something else was killed that is what `p` puts: Readline's own does.
static void note_kill(Prompt *prompt)
{
    const int *killed = prompt->lib.last_command_was_kill;
    if (killed != NULL && *killed != 0) {
        free(prompt->vi.lines);
        prompt->vi.lines = NULL;
    }
}

static void perform(Prompt *prompt, ViCommand command, bool again)
{
    Readline *lib = &prompt->lib;
    // What fails has changed nothing, so `.` keeps what it meant.
    bool done = prompt_vi_edit(prompt, command, again);
    if (!done) {
        lib->rl_ding();
    }
    if (done && command.key != 'y' && command.key != 'Y') {
        prompt->vi.last = command;
        // Readline rings for a `.` behind a `.`, so we know whose is newer.
        *lib->vi_last_command = '.';
    }
    *lib->rl_last_func = NULL;
    note_kill(prompt);
    prompt_vi_check(prompt);
}

// Gives the keys gathered to Readline, with one more in their place if
// `instead` is not 0.
static void hand_over(Prompt *prompt, char instead)
{
    ViState *vi = &prompt->vi;
    size_t length = strlen(vi->keys);
    if (instead != '\0') {
        vi->keys[length - 1] = instead;
    }
    prompt_queue_front(prompt, vi->keys, length);
    vi->passing += (int)length;
    vi->keys[0] = '\0';
}

// Whether the key has the meaning that Readline gave it at the start.
static bool is_usual(const Prompt *prompt, char key)
{
    // A macro or a sequence that begins with the key is of another type.
    const KEYMAP_ENTRY *entry =
        &prompt->lib.rl_get_keymap_by_name("vi-move")[(unsigned char)key];
    return entry->type == ISFUNC &&
           entry->function == prompt->vi.usual[(unsigned char)key];
}

// A whole command that could be ours: some are so only at times.
static void take_command(Prompt *prompt, ViCommand command)
{
    ViState *vi = &prompt->vi;
    Readline *lib = &prompt->lib;
    // `p` is ours as long as lines were taken last, `.` as long as one of our
    // commands was; otherwise Readline's kill ring and its own last command are
    // the newer ones.
    bool put = command.key == 'p' || command.key == 'P';
    const char *text = *lib->rl_line_buffer;
    if (!is_usual(prompt, command.key)) {
        hand_over(prompt, '\0');
    } else if (put && vi->lines == NULL) {
        // Behind an empty line's cursor is the next line.
        bool empty = text[*lib->rl_point] == '\n';
        hand_over(prompt, empty ? 'P' : '\0');
    } else if (command.key == '.' &&
               (*lib->vi_last_command != '.' || vi->last.key == '\0')) {
        hand_over(prompt, '\0');
    } else if (command.key == '.') {
        ViCommand last = vi->last;
        last.count = command.count > 0 ? command.count : last.count;
        vi->keys[0] = '\0';
        perform(prompt, last, true);
    } else {
        vi->keys[0] = '\0';
        perform(prompt, command, false);
    }
}

// Not while Readline is in the middle of something: a search, a motion, a count
// that was typed in another way, a character for `r` or `f`.
bool prompt_vi_wants(Prompt *prompt)
{
    static const unsigned long busy = RL_STATE_ISEARCH | RL_STATE_NSEARCH |
                                      RL_STATE_VIMOTION | RL_STATE_CHARSEARCH |
                                      RL_STATE_MULTIKEY | RL_STATE_NUMERICARG |
                                      RL_STATE_METANEXT | RL_STATE_MOREINPUT;
    Readline *lib = &prompt->lib;
    if (lib->vi_last_command == NULL || lib->callback_func == NULL ||
        lib->last_command_was_kill == NULL) {
        return false; // a version whose state we cannot see
    }
    return *lib->rl_editing_mode == 0 &&
           lib->rl_get_keymap() == lib->rl_get_keymap_by_name("vi-move") &&
           (*lib->rl_readline_state & busy) == 0 && *lib->callback_func == NULL;
}

// Bytes that are no UTF-8, which a terminal may send, have Readline's motions
// by words turn for ever. In place, so that what undo knows of offsets stays
// true.
static void clean_text(Readline *lib)
{
    char *text = *lib->rl_line_buffer;
    size_t length = (size_t)*lib->rl_end;
    size_t bad;
    while (!utf8_validate(text, length, false, &bad)) {
        text[bad] = '?';
        text += bad + 1;
        length -= bad + 1;
    }
}

void prompt_vi_key(Prompt *prompt, char key)
{
    ViState *vi = &prompt->vi;
    clean_text(&prompt->lib);
    size_t count = strlen(vi->keys);
    ViCommand command;
    if (key == '\033') { // takes back a command that was begun
        count = 0;
    }
    vi->keys[count] = key;
    vi->keys[count + 1] = '\0';
    if (key == '\0') { // the string cannot hold it; it means nothing here
        return;
    }
    switch (read_command(vi->keys, &command)) {
    // More digits than any count has: given up.
    case READING_MORE:
        if (count + 2 == sizeof vi->keys) {
            vi->keys[0] = '\0';
        }
        break;
    case READING_OURS: take_command(prompt, command); break;
    case READING_THEIRS: hand_over(prompt, '\0'); break;
    case READING_NONE:
        vi->keys[0] = '\0';
        prompt->lib.rl_ding();
        break;
    }
}

void prompt_vi_after(Prompt *prompt)
{
    ViState *vi = &prompt->vi;
    vi->passing -= vi->passing > 0;
    note_kill(prompt);
    if (!prompt->reading || !prompt_vi_wants(prompt)) {
        return;
    }
    if (vi->inserting) {
        end_insertion(prompt);
    }
    if (vi->passing == 0) {
        prompt_vi_check(prompt);
    }
}

// What `p` and `.` mean stays: lines may be carried from entry to entry.
void prompt_vi_begin(Prompt *prompt)
{
    prompt->vi.passing = 0;
    prompt->vi.keys[0] = '\0';
    forget_insertion(prompt);
}

void prompt_vi_free(Prompt *prompt)
{
    forget_insertion(prompt);
    free(prompt->vi.lines);
    free(prompt->vi.inserted);
}

// Readline's keymaps are there before it is initialised, and ~/.inputrc has not
// been read yet.
void prompt_vi_note_keys(Prompt *prompt)
{
    Keymap move = prompt->lib.rl_get_keymap_by_name("vi-move");
    for (int key = 0; key < VI_KEYS; key++) {
        prompt->vi.usual[key] = move[key].function;
    }
}
