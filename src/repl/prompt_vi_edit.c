// What the commands of vi that mean lines do to an entry (prompt_vi.c reads
// them).
//
// Each is one step of undo. One that lets the person type leaves its undo
// group open; Readline ends it with the insertion.
#include "repl/prompt_state.h"

#include <stdlib.h>
#include <string.h>

enum { SHIFT = 4 }; // blanks that `>` adds to a line and `<` takes

// strchr would find the NUL that ends the list.
static bool is_in(char key, const char *keys)
{
    return key != '\0' && strchr(keys, key) != NULL;
}

static int times(ViCommand command)
{
    return command.count > 0 ? command.count : 1;
}

// The buffer moves when it grows: it is asked for anew behind each edit.
static const char *text_of(const Readline *lib)
{
    return *lib->rl_line_buffer;
}

// The first character of the line at `at` that is no blank.
static int text_start(const Readline *lib, int at)
{
    int start = prompt_line_start(text_of(lib), at);
    return start + (int)strspn(text_of(lib) + start, " ");
}

// Where vi leaves the cursor behind a command for lines.
static void to_text(Readline *lib)
{
    *lib->rl_point = text_start(lib, *lib->rl_point);
}

// One character on, or back, but not beyond the line's edges; bytes that go
// on with a character are stepped over.
static int step(const char *text, int at, int direction)
{
    if (direction > 0 ? text[at] == '\0' || text[at] == '\n'
                      : at == 0 || text[at - 1] == '\n') {
        return at;
    }
    do {
        at += direction;
    } while (at > 0 && (text[at] & 0xC0) == 0x80); // may be broken UTF-8
    return at;
}

// Whole lines: `end` is their last line end, or that of the entry.
typedef struct Lines {
    int start, end;
} Lines;

// `down` lines below the cursor's, or `up` above it, and its own. False: there
// are not that many.
static bool lines_around(const Readline *lib, int up, int down, Lines *lines)
{
    const char *text = text_of(lib);
    lines->start = prompt_line_start(text, *lib->rl_point);
    lines->end = prompt_line_end(text, *lib->rl_point);
    for (; up > 0; up--) {
        if (lines->start == 0) {
            return false;
        }
        lines->start = prompt_line_start(text, lines->start - 1);
    }
    for (; down > 0; down--) {
        if (text[lines->end] == '\0') {
            return false;
        }
        lines->end = prompt_line_end(text, lines->end + 1);
    }
    return true;
}

// The lines that an operator's motion reaches. With the operator's own key a
// count may be too large: as far as there are lines.
static bool lines_of(const Readline *lib, ViCommand command, Lines *lines)
{
    switch (command.motion) {
    case 'j': return lines_around(lib, 0, times(command), lines);
    case 'k': return lines_around(lib, times(command), 0, lines);
    case 'G':
        (void)lines_around(lib, 0, 0, lines);
        lines->end = *lib->rl_end;
        return true;
    default: (void)lines_around(lib, 0, times(command) - 1, lines); return true;
    }
}

// Remembers the lines for `p`, ended by a line end; memory that ran out costs
// only that.
static void keep_lines(Prompt *prompt, Lines lines)
{
    size_t length = (size_t)(lines.end - lines.start);
    char *kept = malloc(length + 2);
    if (kept != NULL) {
        memcpy(kept, text_of(&prompt->lib) + lines.start, length);
        memcpy(kept + length, "\n", 2);
    }
    free(prompt->vi.lines);
    prompt->vi.lines = kept;
    *prompt->lib.last_command_was_kill = 0; // these are newer
}

// Takes the lines out, with one line end; the entry's last line has none
// behind it and gives the one in front.
static void delete_lines(Readline *lib, Lines lines)
{
    // Offsets are taken before the edit; the undo list keeps its own copy of
    // the text.
    if (text_of(lib)[lines.end] == '\n') {
        lines.end++;
    } else if (lines.start > 0) {
        lines.start--;
    }
    lib->rl_delete_text(lines.start, lines.end);
    *lib->rl_point = lines.start < *lib->rl_end ? lines.start : *lib->rl_end;
    to_text(lib);
}

// Text is to be typed at the cursor; the undo group that the command began
// ends with the insertion. When `again`, it is the text of last time.
static void insert(Prompt *prompt, bool again)
{
    Readline *lib = &prompt->lib;
    ViState *vi = &prompt->vi;
    if (again) {
        if (vi->inserted != NULL) {
            lib->rl_insert_text(vi->inserted);
        }
        lib->rl_end_undo_group();
        *lib->rl_point = step(text_of(lib), *lib->rl_point, -1);
        return;
    }
    // Copies, not offsets: keys of Readline's may edit anywhere meanwhile.
    vi->before = strndup(text_of(lib), (size_t)*lib->rl_point);
    vi->behind = strdup(text_of(lib) + *lib->rl_point);
    vi->inserting = true;
    lib->rl_vi_insertion_mode(1, 'o');
}

// Into the kill ring, as Readline's own commands for parts of a line do. Each
// kill has a place of its own there: one right behind another would overwrite
// the first in vi mode, and Readline loses that text.
static void kill_range(Readline *lib, int start, int end)
{
    if (end > start) {
        *lib->last_command_was_kill = 0;
        lib->rl_kill_text(start, end);
        *lib->rl_point = start;
    }
}

// $: from the cursor to the end of the line, without its line end.
static void operate_on_rest(Prompt *prompt, char key, bool again)
{
    Readline *lib = &prompt->lib;
    int point = *lib->rl_point;
    int end = prompt_line_end(text_of(lib), point);
    if (key == 'c') {
        lib->rl_begin_undo_group();
        kill_range(lib, point, end);
        insert(prompt, again);
        return;
    }
    kill_range(lib, point, end);
    if (key == 'y' && end > point) { // it was only to be in the ring
        (void)lib->rl_do_undo();
        *lib->rl_point = point;
    }
}

// > and <: an empty line stays empty.
static void shift(Readline *lib, Lines lines, bool more)
{
    int start = lines.start;
    int end = lines.end;
    lib->rl_begin_undo_group();
    // Each line that grows or shrinks moves the end along.
    while (start <= end) {
        const char *text = text_of(lib);
        int blanks = (int)strspn(text + start, " ");
        bool empty = text[start] == '\n' || text[start] == '\0';
        int fewer = blanks < SHIFT ? blanks : SHIFT;
        *lib->rl_point = start;
        if (more && !empty) {
            lib->rl_insert_text("    ");
            end += SHIFT;
        } else if (!more && fewer > 0) {
            lib->rl_delete_text(start, start + fewer);
            end -= fewer;
        }
        start = prompt_line_end(text_of(lib), start) + 1;
    }
    lib->rl_end_undo_group();
    *lib->rl_point = lines.start;
    to_text(lib);
}

static bool operate(Prompt *prompt, ViCommand command, bool again)
{
    Readline *lib = &prompt->lib;
    Lines lines;
    if (command.motion == '$' && !is_in(command.key, "<>")) {
        operate_on_rest(prompt, command.key, again);
        return true;
    }
    if (!lines_of(lib, command, &lines)) {
        return false;
    }
    if (command.key == '<' || command.key == '>') {
        shift(lib, lines, command.key == '>');
        return true;
    }
    keep_lines(prompt, lines);
    if (command.key == 'c') { // the first line's indentation stays
        int start = text_start(lib, lines.start);
        lib->rl_begin_undo_group();
        if (lines.end > start) {
            lib->rl_delete_text(start, lines.end);
        }
        *lib->rl_point = start;
        insert(prompt, again);
    } else if (command.key == 'd') {
        delete_lines(lib, lines);
    } else if (command.motion == 'k') {
        *lib->rl_point = lines.start;
        to_text(lib);
    }
    return true;
}

// p and P of lines: below the cursor's line, or above it.
static void put_lines(Prompt *prompt, ViCommand command)
{
    Readline *lib = &prompt->lib;
    const char *lines = prompt->vi.lines;
    const char *text = text_of(lib);
    bool below = command.key == 'p';
    int at = below ? prompt_line_end(text, *lib->rl_point)
                   : prompt_line_start(text, *lib->rl_point);
    // Below, the line end goes in front of each line: the entry's last line
    // has none.
    // The same bytes, turned round by one.
    char *turned = strdup(lines);
    if (below && turned != NULL) {
        size_t length = strlen(lines);
        memmove(turned + 1, lines, length - 1);
        turned[0] = '\n';
    }
    lib->rl_begin_undo_group();
    *lib->rl_point = at;
    for (int i = times(command); i > 0 && turned != NULL; i--) {
        lib->rl_insert_text(turned);
    }
    lib->rl_end_undo_group();
    free(turned);
    *lib->rl_point = at + below;
    to_text(lib);
}

// o and O: a line below, indented as Enter would, or above, as this one is.
static void open_line(Prompt *prompt, char key, bool again)
{
    Readline *lib = &prompt->lib;
    int point = *lib->rl_point;
    lib->rl_begin_undo_group();
    if (key == 'o') {
        *lib->rl_point = prompt_line_end(text_of(lib), point);
        prompt_break_line(prompt);
    } else {
        int start = prompt_line_start(text_of(lib), point);
        int blanks = text_start(lib, point) - start;
        *lib->rl_point = start;
        lib->rl_insert_text("\n");
        *lib->rl_point = start;
        for (int i = 0; i < blanks; i++) {
            lib->rl_insert_text(" ");
        }
    }
    insert(prompt, again);
}

// J: the line below comes behind this one, after a blank.
static bool join(Readline *lib, ViCommand command)
{
    // 3J joins three lines, as 2J and J join two.
    int turns = times(command) > 2 ? times(command) - 1 : 1;
    bool joined = false;
    lib->rl_begin_undo_group();
    for (; turns > 0; turns--) {
        int end = prompt_line_end(text_of(lib), *lib->rl_point);
        if (text_of(lib)[end] == '\0') {
            break;
        }
        int next = end + 1 + (int)strspn(text_of(lib) + end + 1, " ");
        lib->rl_delete_text(end, next);
        *lib->rl_point = end;
        // Not before a closing bracket nor in front of nothing.
        if (!is_in(text_of(lib)[end], ")]}\n") && *lib->rl_end > end) {
            lib->rl_insert_text(" ");
        }
        *lib->rl_point = end;
        joined = true;
    }
    lib->rl_end_undo_group();
    return joined;
}

// x and X: characters of this line.
static bool delete_chars(Readline *lib, ViCommand command)
{
    int point = *lib->rl_point;
    int at = point;
    for (int i = times(command); i > 0; i--) {
        at = step(text_of(lib), at, command.key == 'x' ? 1 : -1);
    }
    kill_range(lib, at < point ? at : point, at < point ? point : at);
    return at != point;
}

// Commands of one key. False: it could not be done.
static bool do_alone(Prompt *prompt, ViCommand command, bool again)
{
    Readline *lib = &prompt->lib;
    switch (command.key) {
    case 'p':
    case 'P': put_lines(prompt, command); return true;
    case 'x':
    case 'X': return delete_chars(lib, command);
    case 'J': return join(lib, command);
    case 'o':
    case 'O': open_line(prompt, command.key, again); return true;
    case 'A':
        *lib->rl_point = prompt_line_end(text_of(lib), *lib->rl_point);
        break;
    default: // I
        to_text(lib);
        break;
    }
    lib->rl_begin_undo_group();
    insert(prompt, again);
    return true;
}

// The short forms as what they are short for.
static ViCommand long_form(ViCommand command)
{
    static const struct {
        char key, operator, motion;
    } forms[] = {
        {'D', 'd', '$'}, {'C', 'c', '$'}, {'S', 'c', 'c'}, {'Y', 'y', 'y'}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (command.key == forms[i].key) {
            command.key = forms[i].operator;
            command.motion = forms[i].motion;
        }
    }
    return command;
}

// A command without a motion is one of `alone` in prompt_vi.c; the short forms
// have got theirs here.
bool prompt_vi_edit(Prompt *prompt, ViCommand command, bool again)
{
    command = long_form(command);
    return command.motion == '\0' ? do_alone(prompt, command, again)
                                  : operate(prompt, command, again);
}
