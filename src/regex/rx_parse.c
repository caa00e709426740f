// The parser of patterns: tokens, faults, sequences, repetition. Groups are in
// rx_parse_group.c, escapes and sets in rx_parse_escape.c.
#include <string.h>

#include "base/utf8.h"
#include "regex/rx_parser.h"

// --- tokens ---

// A backslash at the very end is the one fault that reading a token can have.
// After a fault every token is the end, so that all loops stop by themselves.
void rx_parser_advance(RxParser *p)
{
    p->escaped = false;
    p->next = RX_END;
    if (p->failed || p->index >= p->count) {
        return;
    }
    // The token is the character, with what a backslash makes of it.
    uint32_t c = p->text[p->index++];
    if (c != '\\') {
        p->next = c;
    } else if (p->index < p->count) {
        p->escaped = true;
        p->next = p->text[p->index++];
    } else {
        rx_parser_fail(p, 1, "bad escape (end of pattern)");
    }
}

// Does not look whether there was one: the end is a token too.
// `escaped` may be NULL where a backslash makes no difference.
uint32_t rx_parser_take(RxParser *p, bool *escaped)
{
    uint32_t c = p->next;
    if (escaped != NULL) {
        *escaped = p->escaped;
    }
    rx_parser_advance(p);
    return c;
}

// An escaped character is never a sign.
bool rx_parser_match(RxParser *p, uint32_t c)
{
    bool seen = rx_parser_sees(p, c);
    if (seen) {
        rx_parser_advance(p);
    }
    return seen;
}

// The words for a missing end count the name's characters, those for a
// missing name none, unless the end is there.
// In `name.end` the place of the terminator.
RxName rx_parser_until(RxParser *p, uint32_t terminator, const char *what)
{
    // Empty so far; its end moves with what is read.
    RxName name = {rx_parser_tell(p), rx_parser_tell(p)};
    while (p->next != RX_END && !rx_parser_sees(p, terminator)) {
        rx_parser_advance(p);
        name.end = rx_parser_tell(p);
    }
    // The end is taken even if the name is faulty, so that the words count
    // from behind it.
    bool empty = name.start == name.end, ended = p->next == RX_END;
    rx_parser_advance(p);
    if (empty) {
        // The terminator that was read counts, if there was one.
        rx_parser_fail(p, ended ? 0 : 1, "missing %s", what);
    } else if (ended) {
        rx_parser_fail(p, name.end - name.start,
                       "missing %c, unterminated name", (char)terminator);
    }
    return name;
}

// --- faults ---

// The first one counts. Nothing more is read.
// False: there was a fault before.
static bool begin_fault(RxParser *p, size_t offset)
{
    if (p->failed) {
        return false;
    }
    p->fault->kind = REGEX_FAULT_PATTERN;
    p->fault->position = rx_parser_tell(p) - offset;
    return true;
}

// Every loop of the parser ends at the end of the pattern.
static void end_fault(RxParser *p)
{
    p->failed = true;
    p->next = RX_END;
    p->escaped = false;
}

// Places count from the token to come.
void rx_parser_fail(RxParser *p, size_t offset, const char *format, ...)
{
    if (begin_fault(p, offset)) {
        va_list args;
        va_start(args, format);
        strbuf_vprintf(&p->fault->text, format, args);
        va_end(args);
        end_fault(p);
    }
}

// The repr of the name is made by the caller, which knows how.
void rx_parser_fail_name(RxParser *p, size_t offset, const char *text,
                         RxName name, const char *rest)
{
    if (begin_fault(p, offset)) {
        strbuf_puts(&p->fault->text, text);
        p->fault->name_at = p->fault->text.length;
        p->fault->name_start = name.start;
        p->fault->name_end = name.end;
        strbuf_puts(&p->fault->text, rest);
        end_fault(p);
    }
}

// What is beyond ASCII in a bytes pattern shows as an escape.
// A str shows as it is.
static void add_shown(RxParser *p, RxName shown)
{
    for (size_t i = shown.start; i < shown.end; i++) {
        if (p->is_text || p->text[i] < 0x80) {
            strbuf_codepoint(&p->fault->text, p->text[i]);
        } else {
            strbuf_printf(&p->fault->text, "\\x%02x", p->text[i]);
        }
    }
}

// For words that quote what stands in the pattern.
void rx_parser_fail_text(RxParser *p, size_t offset, const char *text,
                         RxName shown, const char *rest, RxName last)
{
    if (begin_fault(p, offset)) {
        strbuf_puts(&p->fault->text, text);
        add_shown(p, shown);
        strbuf_puts(&p->fault->text, rest);
        add_shown(p, last);
        end_fault(p);
    }
}

// Beyond the first few, nobody reads them.
// `text` is a literal: it is kept as a pointer.
void rx_parser_warn(RxParser *p, const char *text, size_t position)
{
    if (p->warning_count < REGEX_WARNING_MAX) {
        p->warnings[p->warning_count++] =
            (RegexWarning){.text = text, .position = position};
    }
}

// The error is the context's; the fault keeps its kind.
void rx_parser_broken(RxParser *p)
{
    end_fault(p);
}

// --- nodes ---

// Linked in at once, so that a repetition finds it as the last one.
// NULL: no memory, and the parser is broken. Zeroed but for kind and flags.
RxNode *rx_parser_node(RxParser *p, RxSeq *seq, RxNodeKind kind, uint32_t flags)
{
    RxNode *node = arena_new(p->arena, RxNode);
    if (node == NULL) {
        rx_parser_broken(p);
        return NULL;
    }
    node->kind = kind;
    node->flags = flags;
    if (seq->last == NULL) {
        seq->first = node;
    } else {
        seq->last->next = node;
    }
    seq->last = node;
    return node;
}

// Whether case counts is read off the flags later.
static void add_char(RxParser *p, RxSeq *seq, uint32_t c, uint32_t flags)
{
    RxNode *node = rx_parser_node(p, seq, RX_NODE_CHAR, flags);
    if (node != NULL) {
        node->c = c;
    }
}

// Places cannot be repeated: parse_repeat asks for their kind.
static void add_place(RxParser *p, RxSeq *seq, RxPlace place, uint32_t flags)
{
    RxNode *node = rx_parser_node(p, seq, RX_NODE_AT, flags);
    if (node != NULL) {
        node->place = (uint8_t)place;
    }
}

// --- repetition ---

// Decimal digits; one that is too large gives the fault that it has in Python,
// which is no re.error.
// False: no digit stood there.
static bool take_count(RxParser *p, uint32_t *count)
{
    uint64_t value = 0;
    bool any = false;
    for (; !p->escaped && rx_is_digit(p->next); any = true) {
        value = value * 10 + (rx_parser_take(p, NULL) - '0');
        // However many digits follow, the number cannot overflow.
        value = value > RX_MANY ? RX_MANY : value;
    }
    if (any) {
        *count = (uint32_t)value;
    }
    return any;
}

// The limit is the number that means "without limit".
// True: the fault is noted.
static bool too_large(RxParser *p, bool given, uint32_t count)
{
    if (!given || count != RX_MANY || p->failed) {
        return false;
    }
    p->fault->kind = REGEX_FAULT_OVERFLOW;
    strbuf_puts(&p->fault->text, "the repetition number is too large");
    end_fault(p);
    return true;
}

// {3} {3,} {,5} {3,5}; false if it is none of them: the brace stands for
// itself then, and nothing has been read.
// The brace has been taken. A fault also gives true: the caller looks at
// p->failed.
static bool take_braces(RxParser *p, uint32_t *min, uint32_t *max)
{
    size_t here = rx_parser_tell(p);
    if (rx_parser_sees(p, '}')) {
        return false;
    }
    // {,} is x*, as in Python.
    // Either may be left out.
    *min = 0, *max = RX_MANY;
    bool low = take_count(p, min), high;
    if (rx_parser_match(p, ',')) {
        high = take_count(p, max);
    } else {
        high = low;
        *max = low ? *min : RX_MANY;
    }
    if (!rx_parser_match(p, '}')) {
        // Read again, as characters that mean themselves.
        if (!p->failed) {
            p->index = here;
            rx_parser_advance(p);
        }
        return false;
    }
    if (!too_large(p, low, *min) && !too_large(p, high, *max) && *max < *min) {
        rx_parser_fail(p, rx_parser_tell(p) - here,
                       "min repeat greater than max repeat");
    }
    return true;
}

// The flags of the whole pattern, with the classes that a str has.
uint32_t rx_parser_flags(const RxParser *p)
{
    return p->is_text && !(p->flags & REGEX_ASCII) ? p->flags | REGEX_UNICODE
                                                   : p->flags;
}

// The last node of the sequence becomes the body of a repetition that takes
// its place.
// The suffix is read here, as part of the repetition.
static void wrap_last(RxParser *p, RxSeq *seq, uint32_t min, uint32_t max)
{
    RxNode *item = arena_new(p->arena, RxNode), *last = seq->last;
    if (item == NULL) {
        rx_parser_broken(p);
        return;
    }
    // The node is copied, so that what points at the last one need not change.
    *item = *last;
    *last = (RxNode){.kind = RX_NODE_REPEAT,
                     .flags = item->flags,
                     .body = {item, item},
                     .min = min,
                     .max = max,
                     .greed = rx_parser_match(p, '?')   ? RX_LAZY
                              : rx_parser_match(p, '+') ? RX_POSSESSIVE
                                                        : RX_GREEDY};
}

// repeat := ('?' | '*' | '+' | braces) ['?' | '+'], its sign `c` is behind.
static void parse_repeat(RxParser *p, RxSeq *seq, uint32_t c, uint32_t flags)
{
    uint32_t min = c == '+', max = c == '?' ? 1 : RX_MANY;
    size_t here = rx_parser_tell(p);
    // A brace that is no count is a character, as in Python.
    if (c == '{' && !take_braces(p, &min, &max)) {
        add_char(p, seq, c, flags);
        return;
    }
    // Faults are placed at the sign, the braces included.
    size_t offset = rx_parser_tell(p) - here + 1;
    if (p->failed) {
        return;
    }
    // Lookarounds and groups may be repeated, even empty ones.
    // A verbose pattern's blanks make no node, so that "a +" repeats the a, as
    // in Python.
    if (seq->last == NULL || seq->last->kind == RX_NODE_AT) {
        rx_parser_fail(p, offset, "nothing to repeat");
    } else if (seq->last->kind == RX_NODE_REPEAT) {
        rx_parser_fail(p, offset, "multiple repeat");
    } else {
        wrap_last(p, seq, min, max);
    }
}

// --- sequences ---

// White space and comments of verbose patterns: true if `c` was such.
// Only unescaped characters come here: an escaped blank is a blank in verbose
// patterns too.
static bool skip_verbose(RxParser *p, uint32_t c, uint32_t flags)
{
    if (!(flags & REGEX_VERBOSE)) {
        return false;
    }
    if (c == '#') {
        bool escaped = false;
        // An escaped line end is part of the comment.
        for (; c != RX_END && (c != '\n' || escaped);) {
            c = rx_parser_take(p, &escaped);
        }
        return true;
    }
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// One token that is no escape.
// *flags changes where a group sets flags for the rest.
static void parse_plain(RxParser *p, RxSeq *seq, uint32_t c, uint32_t *flags,
                        bool first)
{
    switch (c) {
    case '.': (void)!rx_parser_node(p, seq, RX_NODE_ANY, *flags); break;
    case '^': add_place(p, seq, RX_PLACE_LINE_START, *flags); break;
    case '$': add_place(p, seq, RX_PLACE_LINE_END, *flags); break;
    case '[': rx_parse_set(p, seq, *flags); break;
    case '(': rx_parse_group(p, seq, flags, first); break;
    case '?':
    case '*':
    case '+':
    case '{': parse_repeat(p, seq, c, *flags); break;
    default: add_char(p, seq, c, *flags);
    }
}

// sequence := { atom [repeat] }
// Stops in front of `|`, `)` or the end, which the caller looks at. `top`: of
// the whole pattern and not of a group; `first`: its first way.
RxSeq rx_parse_sequence(RxParser *p, uint32_t flags, bool top, bool first)
{
    RxSeq seq = {NULL, NULL};
    if (!ctx_poll(p->ctx)) {
        rx_parser_broken(p);
        return seq;
    }
    if (!ctx_enter(p->ctx)) {
        p->fault->kind = REGEX_FAULT_DEEP;
        rx_parser_broken(p);
        return seq;
    }
    while (p->next != RX_END && !rx_parser_sees(p, '|') &&
           !rx_parser_sees(p, ')')) {
        bool escaped;
        uint32_t c = rx_parser_take(p, &escaped);
        if (escaped) {
            rx_parse_escape(p, &seq, c, flags);
        } else if (!skip_verbose(p, c, flags)) {
            // Flags may be set for the whole before anything else stands.
            parse_plain(p, &seq, c, &flags, top && first && seq.first == NULL);
        }
    }
    ctx_leave(p->ctx);
    return seq;
}

// Ways that are one character each are a set: it needs no trying one by one.
// False: it stays a branch. Flags must agree, for case is a matter of each
// item's.
static bool make_set(RxParser *p, RxNode *branch)
{
    // All of the ways, or the branch stays what it is.
    size_t count = 0;
    for (size_t i = 0; i < branch->count; i++) {
        const RxNode *node = branch->ways[i].first;
        if (node == NULL || node->next != NULL ||
            node->flags != branch->flags ||
            (node->kind != RX_NODE_CHAR && node->kind != RX_NODE_SET) ||
            node->negated) {
            return false;
        }
        count += node->kind == RX_NODE_SET ? node->count : 1;
    }
    // a|b|[c-e] is one set, which needs no entry for each way.
    RxItem *items = arena_new_array(p->arena, RxItem, count);
    if (items == NULL) {
        rx_parser_broken(p);
        return false;
    }
    branch->items = items;
    for (size_t i = 0; i < branch->count; i++) {
        const RxNode *node = branch->ways[i].first;
        if (node->kind == RX_NODE_SET) {
            memcpy(items, node->items, node->count * sizeof *items);
            items += node->count;
        } else {
            *items++ = (RxItem){.low = node->c, .high = node->c};
        }
    }
    branch->kind = RX_NODE_SET;
    branch->count = count;
    return true;
}

// ways := sequence { '|' sequence }
// The closing parenthesis is the caller's to take.
RxSeq rx_parse_ways(RxParser *p, uint32_t flags, bool top)
{
    VEC(RxSeq) ways = {0};
    do {
        bool first = ways.count == 0;
        // The whole pattern's flags may change while it is read.
        // A (?i) at the start holds for all ways.
        flags = top ? rx_parser_flags(p) : flags;
        RxSeq way = rx_parse_sequence(p, flags, top, first);
        if (p->failed || !vec_push(p->ctx, &ways, way)) {
            rx_parser_broken(p);
        }
    } while (rx_parser_match(p, '|'));
    // A single way is no branch.
    // On failure the sequence is empty, and nobody looks at it.
    RxSeq seq = {NULL, NULL};
    if (!p->failed && ways.count == 1) {
        seq = ways.items[0];
    } else if (!p->failed) {
        RxNode *branch = rx_parser_node(p, &seq, RX_NODE_BRANCH,
                                        top ? rx_parser_flags(p) : flags);
        // From the vector into the arena, where all nodes live.
        RxSeq *kept = arena_new_array(p->arena, RxSeq, ways.count);
        if (branch == NULL || kept == NULL) {
            rx_parser_broken(p);
        } else {
            memcpy(kept, ways.items, ways.count * sizeof *kept);
            branch->ways = kept;
            branch->count = ways.count;
            (void)make_set(p, branch);
        }
    }
    vec_free(p->ctx, &ways);
    return seq;
}
