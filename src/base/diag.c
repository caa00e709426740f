// How errors point at source, byte for byte.
//
// Columns are code points, as there. In a traceback the carets of an
// arithmetic expression are drawn under its operator alone, those of a
// subscript under its brackets, and the rest of it is marked `~`: a short
// scan over the text finds the place, since no parser is at hand down here.
#include "base/diag.h"

#include <string.h>

#include "base/utf8.h"

// The line as it is printed; offsets in the source are kept beside it for the
// carets.
typedef struct Line {
    const char *text; // without its indentation
    size_t length;    // to its end, with blanks there
    uint32_t start;   // offset of the text in the source
} Line;

// ASCII only: other blanks are printed as they are.
static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\f' || byte == '\n';
}

// False if there is no such line or nothing but blanks on it.
static bool find_line(const Source *source, uint32_t offset, Line *line)
{
    uint32_t number = source_place(source, offset).line;
    line->text = source_line(source, number, &line->length);
    if (line->text == NULL) {
        return false;
    }
    while (line->length > 0 && is_blank(line->text[0])) {
        line->text++;
        line->length--;
    }
    line->start = (uint32_t)(line->text - source->text);
    return line->length > 0;
}

// How tightly a binary operator binds; its length in *length. 0: none.
// Levels count up with the tightness; 7 is `**`, the only one that associates
// to the right. `<` alone is a comparison and has none.
static int operator_level(const char *text, size_t rest, size_t *length)
{
    // "**" and "//", "<<" and ">>".
    bool doubled = rest > 1 && text[1] == text[0];
    *length = 1;
    switch (text[0]) {
    case '|': return 1;
    case '^': return 2;
    case '&': return 3;
    // A comparison is no operator that is marked.
    case '<':
    case '>': *length = 2; return doubled ? 4 : 0;
    case '+':
    case '-': return 5;
    case '*': *length = doubled ? 2 : 1; return doubled ? 7 : 6;
    case '/': *length = doubled ? 2 : 1; return 6;
    case '%':
    case '@': return 6;
    default: return 0;
    }
}

// Names and numbers alike: which of them it is does not matter for operators.
static bool is_word(char byte)
{
    return (unsigned char)byte >= 0x80 || byte == '_' ||
           (byte >= '0' && byte <= '9') ||
           ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

// Behind the string that begins at `at`.
// A string that the line's end cuts off reaches to the end.
static size_t skip_string(const char *text, size_t length, size_t at)
{
    char quote = text[at];
    for (at++; at < length && text[at] != quote; at++) {
        at += text[at] == '\\';
    }
    return at < length ? at + 1 : length;
}

// Words that are operators and bind looser than arithmetic, and those that make
// the text a statement, which has no operator on top.
static bool is_keyword(const char *text, size_t length)
{
    static const char *const words[] = {
        "and",    "or",    "not",   "in",  "is",     "if",   "else",
        "lambda", "yield", "raise", "del", "assert", "from", "import"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            return true;
        }
    }
    return false;
}

// A run over the text of one expression, outside its brackets.
// Offsets are in the text of the expression.
typedef struct Anchor {
    size_t start, end; // what gets the carets
    int level;         // of the operator found; 0: none so far
    bool operand;      // an operand is complete: an operator may follow
    bool loose;        // something binds looser than arithmetic
    int depth;         // brackets open
    size_t open;       // the outermost bracket, opened last
} Anchor;

// The last operator of those that bind least is the top of the tree; of
// powers it is the first.
// A sign is told from an operator by whether an operand is complete.
static size_t take_operator(Anchor *anchor, const char *text, size_t length,
                            size_t at)
{
    size_t size;
    int level = operator_level(text + at, length - at, &size);
    bool binary = anchor->operand && level > 0;
    if (level == 0) {
        anchor->loose |= strchr("=!<>,:;", text[at]) != NULL;
    } else if (binary && (anchor->level == 0 || level < anchor->level ||
                          (level == anchor->level && level != 7))) {
        anchor->level = level;
        anchor->start = at;
        anchor->end = at + size;
    }
    // A point ends no operand: `1.` or `a.b` goes on behind it.
    anchor->operand = level == 0 && text[at] == '.';
    return at + size;
}

// Inside brackets words are passed over; only what is outside them decides.
static size_t take_word(Anchor *anchor, const char *text, size_t length,
                        size_t at)
{
    size_t end = at;
    while (end < length && is_word(text[end])) {
        end++;
    }
    if (anchor->depth == 0) {
        anchor->loose |= is_keyword(text + at, end - at);
        anchor->operand = true;
    }
    return end;
}

static bool is_constant(const char *text, size_t length)
{
    static const char *const words[] = {"None", "True", "False"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            return true;
        }
    }
    return false;
}

// A closed bracket is an operand or the end of one. The scan need not match
// kinds of brackets, because the text was parsed before.
static size_t take_bracket(Anchor *anchor, const char *text, size_t at)
{
    if (strchr("([{", text[at]) != NULL) {
        if (anchor->depth++ == 0) {
            anchor->open = at;
        }
    } else if (--anchor->depth == 0) {
        anchor->operand = true;
    }
    return at + 1;
}

// Walks the text once; what it finds is in *anchor. False: nothing that is
// marked, such as a call or a comparison.
static bool scan(const char *text, size_t length, Anchor *anchor)
{
    size_t at = 0;
    while (at < length) {
        char byte = text[at];
        if (byte == '"' || byte == '\'') {
            at = skip_string(text, length, at);
            // A text is an operand like a name.
            anchor->operand |= anchor->depth == 0;
        } else if (is_word(byte)) {
            at = take_word(anchor, text, length, at);
        } else if (strchr("()[]{}", byte) != NULL) {
            at = take_bracket(anchor, text, at);
        } else if (anchor->depth > 0 || is_blank(byte)) {
            at++;
        } else {
            at = take_operator(anchor, text, length, at);
        }
    }
    // A sign in front binds looser than a power, a subscript or a call.
    bool sign = length > 0 && strchr("+-~", text[0]) != NULL;
    if (anchor->loose || length == 0 || (sign && anchor->level % 7 == 0)) {
        return false;
    }
    // Without an operator it may be a subscript, whose brackets are marked
    // then.
    return anchor->level > 0 ||
           (text[length - 1] == ']' && anchor->open > 0 && anchor->operand);
}

// Whether the bracket that begins the text ends it, and holds neither a comma
// of its own nor a generator: then it only groups.
static bool is_group(const char *text, size_t length)
{
    if (length < 3 || text[0] != '(' || text[length - 1] != ')') {
        return false;
    }
    int depth = 0;
    for (size_t at = 0; at < length;) {
        char byte = text[at];
        if (byte == '"' || byte == '\'') {
            at = skip_string(text, length, at);
            continue;
        }
        depth += strchr("([{", byte) != NULL;
        depth -= strchr(")]}", byte) != NULL;
        if ((depth == 0 && at + 1 < length) ||
            (depth == 1 &&
             (byte == ',' || strncmp(text + at, " for ", 5) == 0))) {
            return false;
        }
        at++;
    }
    return true;
}

// Takes off blanks, and the brackets that only group: nodes of the tree know
// nothing of either. [*from, *to) is within `text`.
static void strip_group(const char *text, size_t *from, size_t *to)
{
    for (;;) {
        while (*from < *to && is_blank(text[*from])) {
            ++*from;
        }
        while (*from < *to && is_blank(text[*to - 1])) {
            --*to;
        }
        if (!is_group(text + *from, *to - *from)) {
            return;
        }
        ++*from;
        --*to;
    }
}

// Between the operands it marks the first byte that is no blank and, blank or
// not its operator's, the next one: a bracket counts as such.
static void mark_operator(const char *text, size_t length, Anchor *anchor)
{
    size_t first = 0, left = anchor->start, right = anchor->end, end = length;
    strip_group(text, &first, &left);
    strip_group(text, &right, &end);
    while (left < right && is_blank(text[left])) {
        left++;
    }
    anchor->start = left;
    anchor->end = left + 1;
    anchor->end += left + 1 < right && !is_blank(text[left + 1]);
}

// The items of a tuple of constants, -1: it is something else. Its own brackets
// are those of depth 1.
static int64_t count_items(const char *text, size_t length)
{
    int depth = 0;
    int64_t count = 0;
    bool open = false; // an item has begun
    for (size_t at = 0; at < length;) {
        char byte = text[at];
        size_t end = at + 1;
        if (byte == '"' || byte == '\'') {
            end = skip_string(text, length, at);
        } else if (is_word(byte)) {
            while (end < length && is_word(text[end])) {
                end++;
            }
            // A prefix belongs to the text behind it.
            bool prefix =
                byte != 'f' && (text[end] == '"' || text[end] == '\'');
            if ((byte < '0' || byte > '9') && !prefix &&
                !is_constant(text + at, end - at)) {
                return -1;
            }
        } else if (strchr("(),.- \n", byte) == NULL) {
            return -1;
        }
        depth += byte == '(';
        depth -= byte == ')';
        if (depth == 1 && byte == ',') {
            count++;
            open = false;
        } else if (depth > 0 && !is_blank(byte) && at > 0) {
            open = true;
        }
        at = end;
    }
    return length > 1 && text[0] == '(' ? count + open : -1;
}

// The length of a constant that has items: a text, bytes or a tuple. -1: it is
// none. Texts with escapes and several side by side are let pass.
static int64_t constant_length(const char *text, size_t length)
{
    size_t quote = length > 1 && (text[0] == 'b' || text[0] == 'r') ? 1 : 0;
    if (length > 1 && (text[quote] == '\'' || text[quote] == '"')) {
        return skip_string(text, length, quote) == length &&
                       memchr(text, '\\', length) == NULL
                   ? (int64_t)utf8_count(text + quote, length - quote) - 2
                   : -1;
    }
    return count_items(text, length);
}

// Whether a constant index into a constant can be computed: that is done before
// one looks for something to mark.
static bool is_folded(const char *value, size_t length, const char *index,
                      size_t index_length)
{
    int64_t count = constant_length(value, length), number = 0;
    bool negative = index_length > 0 && index[0] == '-';
    if (is_constant(index, index_length) && index[0] != 'N') {
        return (index[0] == 'T') < count;
    }
    for (size_t i = negative; i < index_length; i++) {
        if (index[i] < '0' || index[i] > '9' || number > count) {
            return false;
        }
        number = number * 10 + (index[i] - '0');
    }
    return index_length > negative &&
           (negative ? number <= count : number < count);
}

// From the end of the value to the byte behind the index, be that the bracket
// or not. False: a constant.
static bool mark_subscript(const char *text, size_t length, Anchor *anchor)
{
    size_t first = 0, left = anchor->open;
    size_t from = anchor->open + 1, to = length - 1;
    strip_group(text, &first, &left);
    strip_group(text, &from, &to);
    if (is_folded(text + first, left - first, text + from, to - from)) {
        return false;
    }
    anchor->start = left;
    anchor->end = to + 1;
    return true;
}

// Finds the part of an expression that stands for what it does. False for
// anything but binary operators and subscripts: only those are marked. `loose`
// operators outside brackets end the matter.
static bool find_anchor(const char *text, size_t length, Anchor *anchor)
{
    if (!scan(text, length, anchor)) {
        return false;
    }
    if (anchor->level == 0) {
        return mark_subscript(text, length, anchor);
    }
    mark_operator(text, length, anchor);
    return true;
}

bool diag_operands(const char *text, size_t length, Span *left, Span *right)
{
    Anchor anchor = {0};
    if (!scan(text, length, &anchor) || anchor.level == 0) {
        return false;
    }
    size_t first = 0, end = length;
    strip_group(text, &first, &anchor.start);
    strip_group(text, &anchor.end, &end);
    *left = (Span){(uint32_t)first, (uint32_t)anchor.start};
    *right = (Span){(uint32_t)anchor.end, (uint32_t)end};
    return true;
}

// At least one caret, also for an empty span such as the end of a line.
static void add_carets(StrBuf *out, const char *text, size_t length,
                       bool anchored)
{
    Anchor anchor = {0};
    if (!anchored || !find_anchor(text, length, &anchor)) {
        size_t count = utf8_count(text, length);
        strbuf_pad(out, '^', count > 0 ? count : 1);
        return;
    }
    strbuf_pad(out, '~', utf8_count(text, anchor.start));
    strbuf_pad(out, '^',
               utf8_count(text + anchor.start, anchor.end - anchor.start));
    strbuf_pad(out, '~', utf8_count(text + anchor.end, length - anchor.end));
}

// A span that goes on behind this line is cut at its end, and gets no anchor
// then, since only a part of the expression can be seen.
static void caret_line(StrBuf *out, const Line *line, Span span, int indent,
                       bool always)
{
    uint32_t end = line->start + (uint32_t)line->length;
    uint32_t start = span.start > line->start ? span.start - line->start : 0;
    bool inside = span.end <= end;
    uint32_t stop = (inside ? span.end : end) - line->start;
    while (!inside && stop > start && is_blank(line->text[stop - 1])) {
        stop--;
    }
    stop = stop > start ? stop : start;
    // Beyond the text there are only blanks and the line end, of one byte
    // each.
    uint32_t known = stop < line->length ? stop : (uint32_t)line->length;
    uint32_t first = start < known ? start : known;
    Anchor anchor = {0};
    bool anchored = !always && inside &&
                    find_anchor(line->text + first, known - first, &anchor);
    if (!always && !anchored && first == 0 && known == line->length) {
        return;
    }
    strbuf_pad(out, ' ',
               (size_t)indent + utf8_count(line->text, first) +
                   (start - first));
    add_carets(out, line->text + first, known - first, anchored);
    strbuf_putc(out, '\n');
}

// A blank line would show carets under nothing, so it is left out whole.
void diag_source_line(StrBuf *out, const Source *source, Span span, int indent,
                      bool carets, bool always)
{
    Line line;
    if (!find_line(source, span.start, &line)) {
        return;
    }
    strbuf_pad(out, ' ', (size_t)indent);
    strbuf_add(out, line.text, line.length);
    strbuf_putc(out, '\n');
    if (carets) {
        caret_line(out, &line, span, indent, always);
    }
}

// Without a newline, since a traceback goes on with the function's name.
void diag_file_line(StrBuf *out, const Source *source, Span span)
{
    strbuf_printf(out, "  File \"%s\", line %u", source->name,
                  source_place(source, span.start).line);
}

// The costs and limits are fixed: longer names and larger sets of candidates
// get no advice.
enum { MOVE_COST = 2, CASE_COST = 1, MAX_NAME = 40, MAX_CANDIDATES = 750 };

static int substitution_cost(char a, char b)
{
    if (a == b) {
        return 0;
    }
    char low_a = (char)(a >= 'A' && a <= 'Z' ? a | 0x20 : a);
    char low_b = (char)(b >= 'A' && b <= 'Z' ? b | 0x20 : b);
    return low_a == low_b ? CASE_COST : MOVE_COST;
}

// No <sys/param.h>: its MIN is a macro that evaluates twice.
static int least(int a, int b)
{
    return a < b ? a : b;
}

// Levenshtein's distance, one row at a time, without the ends in common.
// Insertions and deletions cost a move; the row is that of `b`, in place.
// Names beyond MAX_NAME count as too far.
int diag_distance(const char *a, const char *b, int limit)
{
    int row[MAX_NAME + 1];
    // What both begin or end with costs nothing and is left out.
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    size_t rows = strlen(a), columns = strlen(b);
    while (rows > 0 && columns > 0 && a[rows - 1] == b[columns - 1]) {
        rows--;
        columns--;
    }
    if (rows > MAX_NAME || columns > MAX_NAME) {
        return limit + 1;
    }
    for (size_t j = 0; j <= columns; j++) {
        // Of the empty prefix: all insertions.
        row[j] = (int)j * MOVE_COST;
    }
    for (size_t i = 0; i < rows; i++) {
        // One row of the table is kept; `diagonal` is what the row above had
        // one to the left.
        int diagonal = row[0];
        row[0] += MOVE_COST;
        for (size_t j = 0; j < columns; j++) {
            int above = row[j + 1];
            int best = diagonal + substitution_cost(a[i], b[j]);
            best = least(best, least(above, row[j]) + MOVE_COST);
            diagonal = above;
            row[j + 1] = best;
        }
    }
    return row[columns] <= limit ? row[columns] : limit + 1;
}

// The limit falls with every better candidate, so of two equally near ones the
// first wins. The name itself is passed over: it is what was not found.
const char *diag_suggest(const char *name, const char *const *candidates,
                         size_t count)
{
    size_t length = strlen(name);
    const char *best = NULL;
    int best_distance = INT32_MAX;
    if (count > MAX_CANDIDATES || length > MAX_NAME) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(candidates[i], name) == 0) {
            continue;
        }
        // No more than a third of the characters may differ.
        size_t both = length + strlen(candidates[i]) + 3;
        int limit = least((int)(both * MOVE_COST / 6), best_distance - 1);
        int distance = diag_distance(name, candidates[i], limit);
        if (distance <= limit && distance < best_distance) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
