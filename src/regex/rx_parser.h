// What the files of the parser share.
//
// The pattern is read by tokens of one character, or of a backslash and one.
// The first fault ends the parse: from then on `next` says that the pattern
// has ended, so that every loop stops, and later faults are not heard.
#ifndef DUET_REGEX_RX_PARSER_H
#define DUET_REGEX_RX_PARSER_H

#include "regex/rx_tree.h"

enum { RX_MAX_GROUPS = REGEX_GROUPS_MAX };
#define RX_END 0xFFFFFFFFu // instead of a character: the pattern is over

// A group named in (?(1)…) before it was seen: it must come.
typedef struct RxLater {
    uint32_t group;
    size_t position;
} RxLater;

typedef struct RxParser {
    Ctx *ctx;
    Arena *arena;
    const uint32_t *text; // code points
    size_t count;
    bool is_text; // a str, not bytes
    // The token to come: its character (RX_END: none), whether a backslash
    // stands before it, and the index behind it.
    uint32_t next;
    bool escaped;
    size_t index;
    uint32_t flags;       // RegexFlag of the whole pattern
    RxGroupVec groups;    // the first is the whole match
    size_t behind_groups; // groups there were when the outermost lookbehind
                          // began; SIZE_MAX: not in one
    VEC(RxLater) later;
    RegexFault *fault;
    bool failed;
    RegexWarning warnings[REGEX_WARNING_MAX];
    size_t warning_count;
} RxParser;

// A pattern's text between two positions.
typedef struct RxName {
    size_t start, end;
} RxName;

#define RX_NOTHING ((RxName){0, 0})

// --- tokens (rx_parse.c) ---
void rx_parser_advance(RxParser *p);
// The character of the token, which is then behind; `escaped` (may be NULL)
// says whether a backslash stood before it.
uint32_t rx_parser_take(RxParser *p, bool *escaped);
bool rx_parser_match(RxParser *p, uint32_t c); // not escaped
// The token to come is this character, without a backslash.
static inline bool rx_parser_sees(const RxParser *p, uint32_t c)
{
    return p->next == c && !p->escaped;
}
// Where the token to come begins.
static inline size_t rx_parser_tell(const RxParser *p)
{
    return p->index - (p->next == RX_END ? 0 : 1 + (size_t)p->escaped);
}
// The text up to `terminator`, which is behind then; faults without one and
// when the text is empty.
RxName rx_parser_until(RxParser *p, uint32_t terminator, const char *what);

// --- faults ---
// At `offset` characters before the token to come. `%` as in printf.
void rx_parser_fail(RxParser *p, size_t offset, const char *format, ...)
    PRINTF_LIKE(3, 4);
// text, then the repr of the name, at `offset` as above.
void rx_parser_fail_name(RxParser *p, size_t offset, const char *text,
                         RxName name, const char *rest);
// text, the pattern's characters as they stand, rest, and other characters of
// the pattern (RX_NOTHING: none).
void rx_parser_fail_text(RxParser *p, size_t offset, const char *text,
                         RxName shown, const char *rest, RxName last);
void rx_parser_warn(RxParser *p, const char *text, size_t position);
// The context has an error of its own (memory, recursion).
void rx_parser_broken(RxParser *p);

// --- nodes ---
MUST_CHECK RxNode *rx_parser_node(RxParser *p, RxSeq *seq, RxNodeKind kind,
                                  uint32_t flags);

// The flags for a node that no group gives others.
uint32_t rx_parser_flags(const RxParser *p);

// --- the grammar ---
// a|b|c
RxSeq rx_parse_ways(RxParser *p, uint32_t flags, bool top);
// a b c; `first`: nothing of the whole pattern stands before it.
RxSeq rx_parse_sequence(RxParser *p, uint32_t flags, bool top, bool first);
// Behind '('. `flags` changes when the group sets the whole pattern's flags.
void rx_parse_group(RxParser *p, RxSeq *seq, uint32_t *flags, bool first);
// The escaped character `c`, which is behind, outside of a set.
void rx_parse_escape(RxParser *p, RxSeq *seq, uint32_t c, uint32_t flags);
// A reference to a group, whose text began `offset` before the next token.
void rx_parse_back(RxParser *p, RxSeq *seq, uint32_t group, size_t offset,
                   uint32_t flags);
// Behind '['.
void rx_parse_set(RxParser *p, RxSeq *seq, uint32_t flags);
static inline bool rx_is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}
// For escapes of digits.
static inline bool rx_is_octal(uint32_t c)
{
    return c >= '0' && c <= '7';
}

#endif
