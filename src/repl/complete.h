// What the text in front of the cursor may become: names, attributes,
// keywords of a call, dict keys, modules, files, commands. Nothing of the
// program is run to find out (peek.h).
#ifndef DUET_REPL_COMPLETE_H
#define DUET_REPL_COMPLETE_H

#include "base/vec.h"
#include "repl/session.h"

// One thing that may stand there.
typedef struct Candidate {
    char *text;       // in place of the word, malloc'ed
    Value value;      // what it names, owned; UNBOUND: nothing in particular
    const char *note; // about it, static; NULL: `value` says it
} Candidate;

typedef struct Completion {
    Session *session;
    size_t start;         // the word begins here and ends at the cursor
    char *word;           // malloc'ed
    bool ignore_case;     // letters may differ in case
    bool bound;           // the candidates are attributes of an instance
    VEC(Candidate) items; // by text, each text once
    char *signature; // of the call that the cursor is in; malloc'ed or NULL
    char *doc;       // the first line of its documentation, likewise
} Completion;

// Nothing is pending afterwards; what fails gives fewer candidates.
void complete_at(Session *session, const char *text, size_t cursor,
                 bool ignore_case, Completion *out);
void complete_free(Completion *completion);
// Appends one line about a candidate.
void complete_describe(const Completion *completion, size_t index, StrBuf *out);

// For the files of the completer: adds `head` + `text` if that begins like
// the word (`head` is the part that stays, NULL: none). The value is retained.
void complete_offer(Completion *completion, const char *head, const char *text,
                    Value value, const char *note);

// complete_path.c: the folder's files that the word begins. `escaped`: blanks
// in names are written `\ `, as in the arguments of commands.
void complete_files(Completion *completion, bool folders_only, bool escaped);
// Modules by dotted names; names of a module, and modules in a
// package, for `from m import`.
void complete_modules(Completion *completion);
void complete_module_names(Completion *completion, const char *module);
// Comes with Duet: importing it runs nothing of the person's.
bool complete_is_library(const char *module);
void complete_submodules(Completion *completion, const char *module);

#endif
