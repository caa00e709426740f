// The parser's parentheses: captures, names, flags, lookaround, conditions.
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "regex/rx_parser.h"

enum {
    TYPE_FLAGS = REGEX_ASCII | REGEX_LOCALE | REGEX_UNICODE,
    GLOBAL_FLAGS = REGEX_DEBUG | REGEX_TEMPLATE
};

// --- names and numbers ---

// A name as the language has them. NFKC is not applied, as the module re does
// not.
static bool is_identifier(const RxParser *p, RxName name)
{
    for (size_t i = name.start; i < name.end; i++) {
        if (i == name.start ? !utf8_is_identifier_start(p->text[i])
                            : !utf8_is_identifier_part(p->text[i])) {
            return false;
        }
    }
    return name.end > name.start;
}

// In characters, as places are.
static size_t name_length(RxName name)
{
    return name.end - name.start;
}

// `extra`: how many characters stand between the name and the token to come.
// False: a fault is noted. `extra` moves the place that is told back to the
// name's start.
static bool check_name(RxParser *p, RxName name, size_t extra)
{
    if (!is_identifier(p, name)) {
        rx_parser_fail_name(p, name_length(name) + extra,
                            "bad character in group name ", name, "");
    }
    return !p->failed;
}

// The UTF-8 of a name, the arena's. NULL: memory is short, and the parse is
// over.
static char *name_text(RxParser *p, RxName name)
{
    char *text = arena_alloc(p->arena, name_length(name) * UTF8_MAX_BYTES + 1);
    if (text == NULL) {
        rx_parser_broken(p);
        return NULL;
    }
    size_t length = 0;
    for (size_t i = name.start; i < name.end; i++) {
        length += utf8_encode(p->text[i], text + length);
    }
    return text;
}

// The group of this name, 0: none. A pattern has few names, so they are
// searched in turn.
static uint32_t find_group(const RxParser *p, const char *name)
{
    for (uint32_t i = 1; i < p->groups.count; i++) {
        if (p->groups.items[i].name != NULL &&
            strcmp(p->groups.items[i].name, name) == 0) {
            return i;
        }
    }
    return 0;
}

// A reference into an open group would have no width and no end. Group 0, the
// whole, is never closed while the pattern is read.
static bool is_closed(const RxParser *p, uint32_t group)
{
    return group < p->groups.count && p->groups.items[group].closed;
}

// Inside a lookbehind the widths of its own groups are not settled.
// `behind_groups` is the number of groups when the outermost lookbehind began.
static void check_behind(RxParser *p, uint32_t group)
{
    if (p->behind_groups == SIZE_MAX) {
        return;
    }
    if (!is_closed(p, group)) {
        rx_parser_fail(p, 0, "cannot refer to an open group");
    } else if (group >= p->behind_groups) {
        rx_parser_fail(p, 0,
                       "cannot refer to group defined in the same "
                       "lookbehind subpattern");
    }
}

// By number or name: the caller has looked the group up. `offset`: how far the
// reference stands behind the place that a fault points at, in characters.
void rx_parse_back(RxParser *p, RxSeq *seq, uint32_t group, size_t offset,
                   uint32_t flags)
{
    if (!is_closed(p, group)) {
        rx_parser_fail(p, offset, "cannot refer to an open group");
        return;
    }
    check_behind(p, group);
    RxNode *node = rx_parser_node(p, seq, RX_NODE_BACK, flags);
    if (node != NULL) {
        node->group = group;
    }
}

// (?P=name), up to the '=' behind.
static void parse_named_back(RxParser *p, RxSeq *seq, uint32_t flags)
{
    RxName name = rx_parser_until(p, ')', "group name");
    if (!check_name(p, name, 1)) {
        return;
    }
    // Names are compared as UTF-8.
    char *text = name_text(p, name);
    uint32_t group = text == NULL ? 0 : find_group(p, text);
    if (group == 0) {
        // The place of the name itself.
        rx_parser_fail_name(p, name_length(name) + 1, "unknown group name ",
                            name, "");
        return;
    }
    rx_parse_back(p, seq, group, name_length(name) + 1, flags);
}

// --- flags ---

// The flag of a letter, 0: none has it. The letters of the module re; 't' is
// accepted and means nothing.
static uint32_t flag_of(uint32_t c)
{
    switch (c) {
    case 'i': return REGEX_IGNORECASE;
    case 'L': return REGEX_LOCALE;
    case 'm': return REGEX_MULTILINE;
    case 's': return REGEX_DOTALL;
    case 'x': return REGEX_VERBOSE;
    case 'a': return REGEX_ASCII;
    case 't': return REGEX_TEMPLATE;
    case 'u': return REGEX_UNICODE;
    default: return 0;
    }
}

// "unknown flag" for a letter, else what is missing there. The place is that of
// the letter: one or two characters back.
static void fail_flag(RxParser *p, uint32_t c, bool escaped,
                      const char *missing)
{
    if (c == RX_END) {
        rx_parser_fail(p, 0, "%s", missing);
        return;
    }
    bool letter =
        !escaped && c != '_' && !rx_is_digit(c) && utf8_is_identifier_start(c);
    rx_parser_fail(p, 1 + (size_t)escaped, "%s",
                   letter ? "unknown flag" : missing);
}

// Letters to switch on; `c`, the first one, is behind. The sign behind them.
// Faults are noted, and the reading goes on: the first fault stays.
static uint32_t take_flags_on(RxParser *p, uint32_t c, uint32_t *on)
{
    bool escaped = false;
    for (;;) {
        // The first letter was looked at by the caller.
        uint32_t flag = flag_of(c);
        if (p->is_text && c == 'L') {
            rx_parser_fail(p, 0,
                           "bad inline flags: cannot use 'L' flag with "
                           "a str pattern");
        } else if (!p->is_text && c == 'u') {
            rx_parser_fail(p, 0,
                           "bad inline flags: cannot use 'u' flag with "
                           "a bytes pattern");
        }
        *on |= flag;
        // Of ASCII, LOCALE and UNICODE one alone can hold.
        if ((flag & TYPE_FLAGS) && (*on & TYPE_FLAGS) != flag) {
            rx_parser_fail(p, 0,
                           "bad inline flags: flags 'a', 'u' and 'L' "
                           "are incompatible");
        }
        // A sign ends the letters; which one decides what follows.
        c = rx_parser_take(p, &escaped);
        if (!escaped && (c == ')' || c == '-' || c == ':')) {
            return c;
        }
        if (escaped || flag_of(c) == 0) {
            fail_flag(p, c, escaped, "missing -, : or )");
            return ':';
        }
    }
}

// Letters to switch off, behind '-', up to the ':' behind them. At least one
// letter must stand there.
static void take_flags_off(RxParser *p, uint32_t *off)
{
    bool escaped;
    const char *missing = "missing flag";
    for (;;) {
        uint32_t c = rx_parser_take(p, &escaped);
        if (c == ':' && !escaped && *off != 0) {
            return;
        }
        uint32_t flag = escaped ? 0 : flag_of(c);
        if (flag == 0) {
            fail_flag(p, c, escaped, missing);
            return;
        }
        if (flag & TYPE_FLAGS) {
            rx_parser_fail(p, 0,
                           "bad inline flags: cannot turn off flags "
                           "'a', 'u' and 'L'");
            return;
        }
        *off |= flag;
        missing = "missing :";
    }
}

// True if they were for the whole pattern: "(?im)"; else *flags are those
// inside of the group. (?aiLmsux-imsx:…): letters that are on, then letters
// that are off.
static bool parse_flags(RxParser *p, uint32_t c, uint32_t *flags)
{
    uint32_t on = 0, off = 0;
    uint32_t sign = c == '-' ? '-' : take_flags_on(p, c, &on);
    // (?im) is for the whole pattern.
    if (sign == ')') {
        p->flags |= on;
        return true;
    }
    if (on & GLOBAL_FLAGS) {
        rx_parser_fail(p, 1, "bad inline flags: cannot turn on global flag");
    }
    // "(?-i:…)" has letters to switch off alone.
    if (sign == '-') {
        take_flags_off(p, &off);
    }
    if (off & GLOBAL_FLAGS) {
        rx_parser_fail(p, 1, "bad inline flags: cannot turn off global flag");
    } else if (on & off) {
        rx_parser_fail(p, 1, "bad inline flags: flag turned on and off");
    }
    // One kind of classes replaces the other.
    if (on & TYPE_FLAGS) {
        *flags &= ~(uint32_t)TYPE_FLAGS;
    }
    *flags = (*flags | on) & ~off;
    return false;
}

// --- kinds of groups ---

// The ')' of what began at `start`. The fault points at the opening
// parenthesis, whatever stands in between.
static void expect_close(RxParser *p, size_t start)
{
    if (!rx_parser_match(p, ')')) {
        rx_parser_fail(p, rx_parser_tell(p) - start,
                       "missing ), unterminated subpattern");
    }
}

// (?=…) (?!…) (?<=…) (?<!…), up to the first sign, `c`, behind. A lookbehind's
// body must have a fixed width, which the compiler checks.
static void parse_look(RxParser *p, RxSeq *seq, uint32_t c, size_t start,
                       uint32_t flags)
{
    bool behind = c == '<', outermost = p->behind_groups == SIZE_MAX;
    if (behind) {
        bool escaped;
        size_t at = rx_parser_tell(p);
        c = rx_parser_take(p, &escaped);
        if (c == RX_END) {
            rx_parser_fail(p, 0, "unexpected end of pattern");
        } else if (escaped || (c != '=' && c != '!')) {
            rx_parser_fail_text(p, 3 + (size_t)escaped, "unknown extension ?<",
                                (RxName){at, rx_parser_tell(p)}, "",
                                RX_NOTHING);
        }
        // Groups from here on are the lookbehind's own.
        if (outermost) {
            // An inner one changes nothing: the outermost decides.
            p->behind_groups = p->groups.count;
        }
    }
    RxSeq body = rx_parse_ways(p, flags, false);
    if (behind && outermost) {
        p->behind_groups = SIZE_MAX;
    }
    expect_close(p, start);
    RxNode *node = rx_parser_node(p, seq, RX_NODE_LOOK, flags);
    if (node != NULL) {
        node->body = body;
        node->behind = behind;
        node->negated = c == '!';
    }
}

// The number that a condition names; 0 with a fault. Those that are not there
// yet must come.
static uint32_t condition_number(RxParser *p, RxName name)
{
    uint64_t number = 0;
    for (size_t i = name.start; i < name.end; i++) {
        if (!rx_is_digit(p->text[i])) {
            rx_parser_fail_name(p, name_length(name) + 1,
                                "bad character in group name ", name, "");
            return 0;
        }
        number = number * 10 + (p->text[i] - '0');
        // Digits beyond that do not matter; the product must not overflow.
        number = number > RX_MANY ? RX_MANY : number;
    }
    // Group 0 is the whole, which never took part yet.
    if (number == 0) {
        rx_parser_fail(p, name_length(name) + 1, "bad group number");
    } else if (number >= RX_MAX_GROUPS) {
        rx_parser_fail_text(p, name_length(name) + 1,
                            "invalid group reference ", name, "", RX_NOTHING);
    } else {
        // A group may follow its condition, so that it is checked at the end of
        // the pattern.
        RxLater later = {.group = (uint32_t)number,
                         .position = rx_parser_tell(p) - name_length(name) - 1};
        if (!vec_push(p->ctx, &p->later, later)) {
            rx_parser_broken(p);
        }
    }
    return (uint32_t)number;
}

// (?(name)yes|no), up to the second '(' behind. Without an else the other way
// is the empty one.
static void parse_if(RxParser *p, RxSeq *seq, size_t start, uint32_t flags)
{
    RxName name = rx_parser_until(p, ')', "group name");
    uint32_t group;
    if (!p->failed && is_identifier(p, name)) {
        char *text = name_text(p, name);
        // Unlike a number, a name must be known by now.
        group = text == NULL ? 0 : find_group(p, text);
        if (group == 0) {
            rx_parser_fail_name(p, name_length(name) + 1, "unknown group name ",
                                name, "");
        }
    } else {
        group = p->failed ? 0 : condition_number(p, name);
    }
    if (!p->failed) {
        check_behind(p, group);
    }
    RxNode *node = rx_parser_node(p, seq, RX_NODE_IF, flags);
    if (node == NULL) {
        return;
    }
    node->group = group;
    // Up to the '|': a condition has no further ways.
    node->body = rx_parse_sequence(p, flags, false, false);
    if (rx_parser_match(p, '|')) {
        node->has_else = true;
        node->other = rx_parse_sequence(p, flags, false, false);
        if (rx_parser_sees(p, '|')) {
            rx_parser_fail(p, 0,
                           "conditional backref with more than two branches");
        }
    }
    expect_close(p, start);
}

// The number of a new group; 0: there are too many, or memory is short. Numbers
// go by opening parentheses from 1 on.
static uint32_t open_group(RxParser *p, RxName name)
{
    // The number is known before the name is checked: the words name it.
    size_t count = p->groups.count;
    char *text = name.end > name.start ? name_text(p, name) : NULL;
    uint32_t before = text == NULL ? 0 : find_group(p, text);
    if (before != 0) {
        char rest[64];
        snprintf(rest, sizeof rest, " as group %zu; was group %u", count,
                 before);
        rx_parser_fail_name(p, name_length(name) + 1,
                            "redefinition of group name ", name, rest);
        return 0;
    }
    if (p->failed || count >= RX_MAX_GROUPS ||
        !vec_push(p->ctx, &p->groups, ((RxGroup){.name = text}))) {
        rx_parser_broken(p);
        return 0;
    }
    return (uint32_t)count;
}

// The inside of a group that holds a subpattern, and its end. `outer` are the
// flags around the group, `inner` those inside of it.
static void parse_body(RxParser *p, RxSeq *seq, RxNodeKind kind, bool captures,
                       RxName name, size_t start, uint32_t outer,
                       uint32_t inner)
{
    uint32_t group = captures ? open_group(p, name) : 0;
    RxSeq body = rx_parse_ways(p, inner, false);
    expect_close(p, start);
    if (p->failed) {
        return;
    }
    // References to it may come from here on.
    if (group != 0) {
        // A lookbehind needs the width of groups that it refers to.
        p->groups.items[group].width = rx_tree_width(&body, &p->groups);
        p->groups.items[group].closed = true;
    }
    RxNode *node = rx_parser_node(p, seq, kind, outer);
    if (node != NULL) {
        node->body = body;
        node->group = group;
    }
}

// (?P…, behind the 'P'. True if it is a named group, whose name is *name. The
// forms that the module re had first and other engines have taken over.
static bool parse_python(RxParser *p, RxSeq *seq, RxName *name, uint32_t flags)
{
    if (rx_parser_match(p, '<')) {
        *name = rx_parser_until(p, '>', "group name");
        return check_name(p, *name, 1);
    }
    if (rx_parser_match(p, '=')) {
        parse_named_back(p, seq, flags);
        return false;
    }
    size_t at = rx_parser_tell(p);
    if (rx_parser_take(p, NULL) == RX_END) {
        rx_parser_fail(p, 0, "unexpected end of pattern");
    } else {
        size_t end = rx_parser_tell(p);
        rx_parser_fail_text(p, end - at + 2, "unknown extension ?P",
                            (RxName){at, end}, "", RX_NOTHING);
    }
    return false;
}

// (?#…) A backslash does not escape the ')', which ends it in any case:
// `escaped` is what the tokens say.
static void skip_comment(RxParser *p, size_t start)
{
    bool escaped;
    do {
        if (p->next == RX_END) {
            rx_parser_fail(p, rx_parser_tell(p) - start,
                           "missing ), unterminated comment");
            return;
        }
    } while (rx_parser_take(p, &escaped) != ')' || escaped);
}

// (?im) and (?i-m:…) `first`: nothing of the pattern stands in front, which
// global flags need since Python 3.11.
static void parse_flag_group(RxParser *p, RxSeq *seq, uint32_t c, size_t start,
                             uint32_t *flags, bool first)
{
    uint32_t inner = *flags;
    if (!parse_flags(p, c, &inner)) {
        // Flags that change nothing still make a group of their own.
        parse_body(p, seq, RX_NODE_GROUP, false, RX_NOTHING, start, *flags,
                   inner);
        return;
    }
    if (!first) {
        rx_parser_fail(p, rx_parser_tell(p) - start,
                       "global flags not at the start of the expression");
    }
    // The rest of this sequence is read with them too.
    *flags = rx_parser_flags(p);
}

// What follows "(?". An unknown one is told with the characters that began it.
static void parse_extension(RxParser *p, RxSeq *seq, size_t start,
                            uint32_t *flags, bool first)
{
    // Empty: a group without a name.
    RxName name = {0, 0};
    bool escaped;
    size_t at = rx_parser_tell(p);
    uint32_t c = rx_parser_take(p, &escaped);
    if (c == RX_END) {
        rx_parser_fail(p, 0, "unexpected end of pattern");
    } else if (escaped) {
        rx_parser_fail_text(p, 3, "unknown extension ?", (RxName){at, at + 2},
                            "", RX_NOTHING);
    } else if (c == 'P') {
        if (parse_python(p, seq, &name, *flags)) {
            parse_body(p, seq, RX_NODE_GROUP, true, name, start, *flags,
                       *flags);
        }
    } else if (c == ':' || c == '>') {
        parse_body(p, seq, c == ':' ? RX_NODE_GROUP : RX_NODE_ATOMIC, false,
                   name, start, *flags, *flags);
    } else if (c == '#') {
        skip_comment(p, start);
    } else if (c == '=' || c == '!' || c == '<') {
        parse_look(p, seq, c, start, *flags);
    } else if (c == '(') {
        parse_if(p, seq, start, *flags);
    } else if (c == '-' || flag_of(c) != 0) {
        parse_flag_group(p, seq, c, start, flags, first);
    } else {
        rx_parser_fail_text(p, 2, "unknown extension ?", (RxName){at, at + 1},
                            "", RX_NOTHING);
    }
}

// group := '(' ['?' extension] ways ')', behind the '(' A plain group captures;
// what else there is begins with '?'.
void rx_parse_group(RxParser *p, RxSeq *seq, uint32_t *flags, bool first)
{
    size_t start = rx_parser_tell(p) - 1;
    if (rx_parser_match(p, '?')) {
        parse_extension(p, seq, start, flags, first);
    } else {
        parse_body(p, seq, RX_NODE_GROUP, true, RX_NOTHING, start, *flags,
                   *flags);
    }
}
