// The parser's escapes and sets.
#include <string.h>

#include "base/char_name.h"
#include "base/utf8.h"
#include "regex/rx_parser.h"

// --- escapes ---

// The value of a digit in this base, -1: it is none. ASCII digits alone: others
// are letters to a pattern.
static int digit_value(uint32_t c, int base)
{
    int value = c >= '0' && c <= '9'   ? (int)(c - '0')
                : c >= 'a' && c <= 'f' ? (int)(c - 'a') + 10
                : c >= 'A' && c <= 'F' ? (int)(c - 'A') + 10
                                       : 99;
    return value < base ? value : -1;
}

// Stops at the first token that is none. At most `most` digits; *value goes on
// from what it is. How many there were.
// An escaped character is never a digit: its backslash gives it another
// meaning.
static int rx_parse_digits(RxParser *p, int most, int base, uint32_t *value)
{
    int count = 0;
    while (count < most && !p->escaped && p->next != RX_END &&
           digit_value(p->next, base) >= 0) {
        *value = *value * (uint32_t)base +
                 (uint32_t)digit_value(rx_parser_take(p, NULL), base);
        count++;
    }
    return count;
}

// `text`, the escape as it stands from `start` to the token to come, `rest`.
// The escape is shown as it was written, backslash included.
// What was taken since `start` is shown; `rest` comes behind it in the text.
static void fail_escape(RxParser *p, const char *text, size_t start,
                        const char *rest)
{
    size_t end = rx_parser_tell(p);
    rx_parser_fail_text(p, end - start, text, (RxName){start, end}, rest,
                        RX_NOTHING);
}

// \xhh \uhhhh \Uhhhhhhhh, all digits of it. `digits` of them, neither more nor
// fewer.
// After a fault the value is of no use: the parser has failed and stops.
static uint32_t parse_hex(RxParser *p, int digits, size_t start)
{
    uint32_t value = 0;
    if (rx_parse_digits(p, digits, 16, &value) != digits) {
        fail_escape(p, "incomplete escape ", start, "");
    } else if (value > 0x10FFFF) {
        fail_escape(p, "bad escape ", start, "");
    }
    return value;
}

// {NAME} behind \N: one character, as no set or class could hold a sequence of
// them (it goes by unicodedata.lookup, then ord).
// Names are ASCII; a longer one than any, or with other characters, is not
// looked up.
static uint32_t parse_name(RxParser *p)
{
    if (!rx_parser_match(p, '{')) {
        rx_parser_fail(p, 0, "missing {");
        return 0;
    }
    RxName name = rx_parser_until(p, '}', "character name");
    char text[CHAR_NAME_SIZE];
    size_t length = name.end - name.start;
    bool fits = length < sizeof text;
    for (size_t i = 0; fits && i < length; i++) {
        uint32_t c = p->text[name.start + i];
        fits = c < 0x80;
        text[i] = (char)c;
    }
    uint32_t found[CHAR_SEQUENCE_SIZE] = {0};
    if (!fits || char_by_name(text, length, false, found) == 0) {
        rx_parser_fail_name(p, length + strlen("\\N{}"),
                            "undefined character name ", name, "");
    }
    return *found;
}

// An octal number that must fit a byte. A fault is noted, and the value does
// not matter any more.
// In bytes and in text alike: the limit is fixed.
static uint32_t check_octal(RxParser *p, uint32_t value, size_t start)
{
    if (value > 0377) {
        fail_escape(p, "octal escape value ", start,
                    " outside of range 0-0o377");
    }
    return value;
}

// The characters with a letter of their own; 0: none. '\b' is not among them:
// outside of sets it is a place.
static uint32_t simple_escape(uint32_t c)
{
    switch (c) {
    case 'a': return 7;
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return 0;
    }
}

// 0 if the letter is no class. Capitals are the contrary of small letters.
// One class is the sum of its characters; which these are depends on the flags
// and is settled by the compiler.
static RxClass class_escape(uint32_t c)
{
    switch (c) {
    case 'd': return RX_CLASS_DIGIT;
    case 's': return RX_CLASS_SPACE;
    case 'w': return RX_CLASS_WORD;
    case 'D': return RX_CLASS_NOT_DIGIT;
    case 'S': return RX_CLASS_NOT_SPACE;
    case 'W': return RX_CLASS_NOT_WORD;
    default: return 0;
    }
}

// ASCII letters are kept for escapes to come: unknown ones are faults.
// The bit 0x20 is all that parts small letters from capitals in ASCII.
static bool is_letter(uint32_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

// The escapes that mean one character both in sets and outside, but for those
// of octal digits. Anything that is no letter stands for itself. `c` is behind
// the backslash, which stands at `start`; \u and \U only mean something in
// strs.
static uint32_t parse_char_escape(RxParser *p, uint32_t c, size_t start)
{
    if (simple_escape(c) != 0) {
        return simple_escape(c);
    }
    if (c == 'x') {
        return parse_hex(p, 2, start);
    }
    if (p->is_text && (c == 'u' || c == 'U')) {
        return parse_hex(p, c == 'u' ? 4 : 8, start);
    }
    if (p->is_text && c == 'N') {
        return parse_name(p);
    }
    if (is_letter(c)) {
        fail_escape(p, "bad escape ", start, "");
    }
    return c;
}

// A place, as it is written by a letter; false: no letter of a place. Places
// take no character.
// Inside of a set these letters are something else, or a fault.
static bool place_escape(uint32_t c, RxPlace *place)
{
    switch (c) {
    case 'A': *place = RX_PLACE_START; return true;
    case 'b': *place = RX_PLACE_BOUNDARY; return true;
    case 'B': *place = RX_PLACE_INSIDE; return true;
    case 'Z': *place = RX_PLACE_END; return true;
    default: return false;
    }
}

// Escaped, so that it means itself whatever it is. Case and dots are no matter
// here: flags are the compiler's.
// No memory: the parser is marked as broken by rx_parser_node.
static void add_char(RxParser *p, RxSeq *seq, uint32_t c, uint32_t flags)
{
    RxNode *node = rx_parser_node(p, seq, RX_NODE_CHAR, flags);
    if (node != NULL) {
        node->c = c;
    }
}

// \1 to \99 are groups, but three octal digits are a character. The module's
// rule: \0 and three octal digits are characters, all else is a reference.
// `c` is 1 to 9, and has been taken.
static void parse_number(RxParser *p, RxSeq *seq, uint32_t c, size_t start,
                         uint32_t flags)
{
    uint32_t group = c - '0';
    // Two digits are a group; the third decides for a character.
    if (!p->escaped && rx_is_digit(p->next)) {
        uint32_t second = rx_parser_take(p, NULL);
        if (rx_is_octal(c) && rx_is_octal(second) && !p->escaped &&
            rx_is_octal(p->next)) {
            uint32_t value = ((c - '0') * 8 + second - '0') * 8 +
                             (rx_parser_take(p, NULL) - '0');
            add_char(p, seq, check_octal(p, value, start), flags);
            return;
        }
        group = group * 10 + second - '0';
    }
    // Faults are placed at the backslash.
    // From the backslash to what was read last.
    size_t length = rx_parser_tell(p) - start;
    if (group >= p->groups.count) {
        rx_parser_fail(p, length - 1, "invalid group reference %u", group);
    } else {
        rx_parse_back(p, seq, group, length, flags);
    }
}

// Classes first, then places, then numbers, then characters. `c` is the
// character behind the backslash, which has been taken.
// Appends one node to `seq`, or leaves the parser failed.
void rx_parse_escape(RxParser *p, RxSeq *seq, uint32_t c, uint32_t flags)
{
    size_t start = rx_parser_tell(p) - 2;
    RxPlace place;
    RxClass class = class_escape(c);
    if (class != 0) {
        RxNode *node = rx_parser_node(p, seq, RX_NODE_SET, flags);
        // A class is a set of one item.
        RxItem *item = arena_new(p->arena, RxItem);
        if (node == NULL || item == NULL) {
            rx_parser_broken(p);
            return;
        }
        item->class = class;
        node->items = item;
        node->count = 1;
    } else if (place_escape(c, &place)) {
        RxNode *node = rx_parser_node(p, seq, RX_NODE_AT, flags);
        if (node != NULL) {
            node->place = (uint8_t)place;
        }
    } else if (c == '0') {
        // \0 and up to two octal digits more.
        uint32_t value = 0;
        (void)rx_parse_digits(p, 2, 8, &value);
        add_char(p, seq, value, flags);
    } else if (rx_is_digit(c)) {
        parse_number(p, seq, c, start, flags);
    } else {
        add_char(p, seq, parse_char_escape(p, c, start), flags);
    }
}

// --- sets ---

// An escape inside of a set, behind its character `c`. In a set \b is a
// backspace, and digits never refer to groups.
// Octal numbers may begin with any octal digit here, for there is nothing else
// that they could mean.
static RxItem parse_set_escape(RxParser *p, uint32_t c, size_t start)
{
    RxItem item = {.class = class_escape(c)};
    if (item.class == 0) {
        uint32_t value = c - '0';
        if (c == 'b') {
            value = '\b';
        } else if (rx_is_octal(c)) {
            (void)rx_parse_digits(p, 2, 8, &value);
            value = check_octal(p, value, start);
        } else if (rx_is_digit(c)) {
            fail_escape(p, "bad escape ", start, "");
        } else {
            value = parse_char_escape(p, c, start);
        }
        item.low = item.high = value;
    }
    return item;
}

// One character or class; `c` is behind, it began at `start`.
// A class as one item of a set is fine; as an end of a range it is not.
static RxItem parse_item(RxParser *p, uint32_t c, bool escaped, size_t start)
{
    return escaped ? parse_set_escape(p, c, start)
                   : (RxItem){.low = c, .high = c};
}

// What other languages read as an operation on sets. What stands there means
// itself.
// Only a doubled sign is suspicious: "--", "&&", "~~", "||".
static void warn_of_operator(RxParser *p, uint32_t c)
{
    const char *text = c == '-'   ? "Possible set difference"
                       : c == '&' ? "Possible set intersection"
                       : c == '~' ? "Possible set symmetric difference"
                       : c == '|' ? "Possible set union"
                                  : NULL;
    if (text != NULL && rx_parser_sees(p, c)) {
        rx_parser_warn(p, text, rx_parser_tell(p) - 1);
    }
}

// Behind "low-": the end of the range, and the range. `low` began at `start`.
// The fault names both ends as they were written.
// The dash has been taken. After a fault what is returned is not used.
static RxItem parse_range(RxParser *p, RxItem low, size_t start)
{
    size_t at = rx_parser_tell(p);
    bool escaped;
    uint32_t c = rx_parser_take(p, &escaped);
    if (c == '-' && !escaped) {
        rx_parser_warn(p, "Possible set difference", rx_parser_tell(p) - 2);
    }
    RxItem high = parse_item(p, c, escaped, at);
    // A class has no place in the order of characters.
    if (low.class != 0 || high.class != 0 || high.low < low.low) {
        // An escape shows as its two characters, however long it is.
        size_t first = p->text[start] == '\\' ? 2 : 1;
        size_t second = escaped ? 2 : 1;
        rx_parser_fail_text(p, first + 1 + second, "bad character range ",
                            (RxName){start, start + first}, "-",
                            (RxName){at, at + second});
    }
    high.low = low.low;
    return high;
}

// set := '[' ['^'] item { item } ']'; `]` as the first stands for itself. The
// closing bracket is taken. A fault ends the reading at once.
// `here` is where the set began, for faults. The vector is the caller's to
// free.
static void parse_items(RxParser *p, RxItems *items, size_t here)
{
    for (;;) {
        size_t start = rx_parser_tell(p);
        bool escaped;
        uint32_t c = rx_parser_take(p, &escaped);
        if (c == RX_END) {
            rx_parser_fail(p, rx_parser_tell(p) - here,
                           "unterminated character set");
            return;
        }
        // As the first item a bracket means itself.
        if (c == ']' && !escaped && items->count > 0) {
            return;
        }
        if (!escaped && items->count > 0) {
            warn_of_operator(p, c);
        }
        RxItem item = parse_item(p, c, escaped, start);
        // A dash before the bracket, or first, means itself.
        bool ended = false, dash = rx_parser_match(p, '-');
        if (dash && p->next == RX_END) {
            rx_parser_fail(p, rx_parser_tell(p) - here,
                           "unterminated character set");
        } else if (dash && rx_parser_match(p, ']')) {
            ended = true;
        } else if (dash) {
            item = parse_range(p, item, start);
        }
        if (p->failed || !vec_push(p->ctx, items, item) ||
            (ended &&
             !vec_push(p->ctx, items, ((RxItem){.low = '-', .high = '-'})))) {
            rx_parser_broken(p);
            return;
        }
        if (ended) {
            return;
        }
    }
}

// One character in a set stays a set: the compiler knows no difference. `items`
// is filled in the heap first, since its length is not known.
// The opening bracket has been taken.
void rx_parse_set(RxParser *p, RxSeq *seq, uint32_t flags)
{
    size_t here = rx_parser_tell(p) - 1;
    if (rx_parser_sees(p, '[')) {
        rx_parser_warn(p, "Possible nested set", rx_parser_tell(p));
    }
    // A bracket right behind means itself.
    bool negated = rx_parser_match(p, '^');
    RxItems items = {0};
    parse_items(p, &items, here);
    RxNode *node = rx_parser_node(p, seq, RX_NODE_SET, flags);
    if (node != NULL && !p->failed) {
        node->items = arena_new_array(p->arena, RxItem, items.count);
        if (node->items == NULL) {
            rx_parser_broken(p);
        } else {
            for (size_t i = 0; i < items.count; i++) {
                node->items[i] = items.items[i];
            }
            node->count = items.count;
            node->negated = negated;
        }
    }
    vec_free(p->ctx, &items);
}
