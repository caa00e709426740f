// Regular expressions: Python's patterns, compiled to a program of our own and
// matched by backtracking. Knows nothing of the language: texts are bytes.
//
// A text is UTF-8 (a str) or plain bytes; a Regex is made for one of the two.
// Positions inside are pointers to bytes; the caller turns them into counts of
// characters. What a pattern means is Python's `re`, for all its flags, errors
// and their words (docs/decisions.md says why this is no library).
//
// Ownership: regex_compile gives a Regex that regex_free frees. A RegexRun is
// the caller's; it borrows regex and text and frees its memory in
// regex_run_free.
#ifndef DUET_REGEX_REGEX_H
#define DUET_REGEX_REGEX_H

#include "base/strbuf.h"

typedef struct Regex Regex;

// The numbers are Python's: `re.compile(p).flags` shows them.
typedef enum RegexFlag {
    REGEX_TEMPLATE = 1, // accepted, means nothing
    REGEX_IGNORECASE = 2,
    REGEX_LOCALE = 4, // bytes only; the locale is C
    REGEX_MULTILINE = 8,
    REGEX_DOTALL = 16,
    REGEX_UNICODE = 32, // the classes of a str without REGEX_ASCII
    REGEX_VERBOSE = 64,
    REGEX_DEBUG = 128, // accepted, prints nothing
    REGEX_ASCII = 256
} RegexFlag;

// What regex_compile has against a pattern.
typedef enum RegexFaultKind {
    REGEX_FAULT_NONE,
    REGEX_FAULT_PATTERN,  // re.error
    REGEX_FAULT_FLAGS,    // ValueError
    REGEX_FAULT_OVERFLOW, // OverflowError
    REGEX_FAULT_DEEP      // RecursionError; it is pending in the context
} RegexFaultKind;

// `text` may lack the repr of a name that stands in the pattern: it belongs at
// byte `name_at` of text and is pattern[name_start .. name_end). Positions are
// characters; SIZE_MAX: none.
typedef struct RegexFault {
    RegexFaultKind kind;
    StrBuf text;
    size_t name_at, name_start, name_end;
    size_t position;
} RegexFault;

// A FutureWarning about a set that may come to mean something else.
typedef struct RegexWarning {
    const char *text; // a literal, "Possible nested set"
    size_t position;  // of a character
} RegexWarning;

enum { REGEX_WARNING_MAX = 4, REGEX_GROUPS_MAX = 1 << 30 };

// The pattern as code points (bytes below 256 for a bytes pattern). NULL with
// `fault` filled in, or with an error pending in ctx if fault->kind is NONE or
// DEEP. The caller frees fault->text in any case.
MUST_CHECK Regex *regex_compile(Ctx *ctx, const uint32_t *pattern, size_t count,
                                bool is_text, uint32_t flags,
                                RegexFault *fault);
void regex_free(Ctx *ctx, Regex *regex);
// Flags as given, with those of the pattern and UNICODE where that is meant.
uint32_t regex_flags(const Regex *regex);
// Without the whole match.
uint32_t regex_group_count(const Regex *regex);
// The UTF-8 name of a group in 1 .. group_count; NULL: none.
const char *regex_group_name(const Regex *regex, uint32_t group);
// The warnings that compiling it gave, at most REGEX_WARNING_MAX.
const RegexWarning *regex_warnings(const Regex *regex, size_t *count);

// One thing to try again: where to go on, or what to put back. `kind` is a
// RxEntryKind; the rest is as that says.
typedef struct RegexEntry {
    uint32_t kind, a;
    const char *p, *q;
} RegexEntry;

enum { REGEX_INLINE_MARKS = 20, REGEX_INLINE_ENTRIES = 64 };

// A text being searched. The caller sets the first part, calls
// regex_run_init, then searches as often as it likes (moving `start`).
typedef struct RegexRun {
    Ctx *ctx;
    const Regex *regex;
    const char *begin;  // of the text: `^` and what stands before
    const char *end;    // nothing behind this is seen
    const char *start;  // where to begin
    const char *not_at; // an empty match here does not count; NULL: it does
    bool narrow;        // each character is one byte
    bool whole;         // the match must end at `end`

    const char **marks;  // [2 * group], [2 * group + 1]; NULL: no part in it
    uint32_t last_group; // the group that was closed last, 0: none
    // The matcher's own.
    size_t mark_count;
    RegexEntry *entries; // what to try when this way fails
    size_t entry_count, entry_capacity;
    struct RxLoop *loops; // the state of each loop
    uint32_t fuel;        // ways to fail until the next poll
    bool broken;          // an error is pending in ctx
    const char *inline_marks[REGEX_INLINE_MARKS];
    RegexEntry inline_entries[REGEX_INLINE_ENTRIES];
} RegexRun;

// The caller has set the regex, the text and the range. False: memory is short;
// regex_run_free is due all the same.
MUST_CHECK bool regex_run_init(RegexRun *run);
// Also after an init that failed.
void regex_run_free(RegexRun *run);
// 1: found, marks are set (marks[0] .. marks[1] is the whole); 0; -1: failed
// (interrupted, memory).
int regex_match(RegexRun *run);  // at `start`
int regex_search(RegexRun *run); // at `start` or behind

#endif
