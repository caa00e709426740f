// Completion of commands: `%na`, options, and what may stand behind the name.
#include <stdio.h>
#include <string.h>

#include "repl/command.h"
#include "repl/complete_spot.h"

// The last word between blanks of what follows the command's name. `\ ` is a
// blank in a word.
// False: no memory.
static bool set_last_word(Spot *spot, size_t from)
{
    const char *text = spot->source->text;
    size_t start = spot->cursor;
    while (start > from && (text[start - 1] != ' ' ||
                            (start - 1 > from && text[start - 2] == '\\'))) {
        start--;
    }
    return spot_set_word(spot, start);
}

// The options that a text about a command names: words that begin with a '-'.
static void offer_options(Completion *out, const char *text)
{
    for (const char *at = text; (at = strchr(at, '-')) != NULL;) {
        size_t length = strcspn(at, " ]|;,");
        char option[24];
        if (at > text && (at[-1] == ' ' || at[-1] == '[') && length > 1 &&
            length < sizeof option) {
            memcpy(option, at, length);
            option[length] = '\0';
            complete_offer(out, NULL, option, VALUE_UNBOUND, "option");
        }
        at += length;
    }
}

// Behind the blanks and the options that stand from `from` on; the word that is
// being typed is none of them.
static size_t skip_options(const Spot *spot, size_t from)
{
    const char *text = spot->source->text;
    for (size_t at = from;;) {
        at += strspn(text + at, " ");
        if (text[at] != '-') {
            return at < spot->cursor ? at : spot->cursor;
        }
        size_t end = at + strcspn(text + at, " ");
        if (end >= spot->cursor) {
            return at;
        }
        at = end;
    }
}

// The words that an argument may be, divided by blanks; NULL: it is none of a
// few.
static const char *words_of(CommandArgument argument)
{
    switch (argument) {
    case COMMAND_ARGUMENT_SWITCH: return "on off";
    case COMMAND_ARGUMENT_LESSON: return "1 2 3 4 5 6 7 8 9 10 list";
    case COMMAND_ARGUMENT_DIFFERENCE:
        return "D100 D101 D102 D103 D104 D105 D106 D107 D108 D109 D110 D111 "
               "D112";
    default: return NULL;
    }
}

static void offer_words(Completion *out, const char *words)
{
    while (*words != '\0') {
        char word[8];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        complete_offer(out, NULL, word, VALUE_UNBOUND, "");
        words += length + strspn(words + length, " ");
    }
}

// The list of commands says of each what stands behind its name, so a new
// command needs nothing here.
static void complete_argument(Spot *spot, const CommandRow *row, size_t from)
{
    CommandArgument argument = row->argument;
    from = skip_options(spot, from);
    if (from < spot->cursor && spot->source->text[from] == '-') {
        if (spot_set_word(spot, from)) {
            offer_options(spot->out, row->params);
            offer_options(spot->out, row->doc);
        }
        return;
    }
    const char *words = words_of(argument);
    if (words != NULL) {
        if (set_last_word(spot, from)) {
            offer_words(spot->out, words);
        }
        return;
    }
    spot->staged = argument == COMMAND_ARGUMENT_STAGED;
    switch (argument) {
    case COMMAND_ARGUMENT_NONE: break;
    case COMMAND_ARGUMENT_FILE:
    case COMMAND_ARGUMENT_FOLDER:
        if (set_last_word(spot, from)) {
            complete_files(spot->out, argument == COMMAND_ARGUMENT_FOLDER,
                           true);
        }
        break;
    default: spot->from = from; complete_code(spot);
    }
}

// `%na`, and what follows the name: files, folders, names of commands, or
// code, as the command's parameters are called.
void complete_command(Spot *spot)
{
    const char *text = spot->source->text;
    size_t name = strcspn(text, " \t");
    // The cursor is in the name itself.
    if (spot->cursor <= name) {
        // In front of the % there is no word yet.
        if (spot->cursor > 0 && spot_set_word(spot, 0)) {
            const CommandRow *row;
            for (size_t i = 0; (row = command_row(i)) != NULL; i++) {
                complete_offer(spot->out, "%", row->name, VALUE_UNBOUND,
                               row->doc);
            }
        }
        return;
    }
    const CommandRow *row;
    for (size_t i = 0; (row = command_row(i)) != NULL; i++) {
        if (strlen(row->name) == name - 1 &&
            strncmp(row->name, text + 1, name - 1) == 0) {
            complete_argument(spot, row, name);
        }
    }
}
