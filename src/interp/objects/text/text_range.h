// What the methods of str and of bytes share: searching, replacing, stripping
// and splitting over a range of bytes.
//
// Positions are bytes. That is right for UTF-8 as well, since no code point's
// bytes begin within those of another; what asks for code points or Unicode's
// classes is str's own affair.
#ifndef DUET_INTERP_OBJECTS_TEXT_TEXT_RANGE_H
#define DUET_INTERP_OBJECTS_TEXT_TEXT_RANGE_H

#include "interp/objects/containers/obj_list.h"

// Bytes that are only read; need not end with a NUL.
typedef struct TextRange {
    const char *text;
    size_t length;
} TextRange;

// A set of bytes, a bit each.
typedef struct TextSet {
    uint64_t bits[4];
} TextSet;

// What is white space below 128: str has the separators 28 to 31 besides.
extern const TextSet text_str_spaces, text_bytes_spaces;

enum { TEXT_NONE = -1, TEXT_FAILED = -2 };

// Makes a part of a split into the value that the list takes. Owned, or
// VALUE_FAIL.
typedef Value TextPart(Vm *vm, const char *start, size_t length);

// How a text is split, and where the parts go.
typedef struct TextSplit {
    Vm *vm;
    List *list;
    TextPart *part;
    const TextSet *spaces; // between words
    int64_t limit;         // splits at most; negative: all
} TextSplit;

// The first place of `part` in [at, end), which is searched in windows with a
// poll between. NULL: there is none, or Ctrl-C, which then is pending.
const char *text_search(Ctx *ctx, const char *at, const char *end,
                        TextRange part);
// The offset of the first or last place of `part` in text[from, to), TEXT_NONE,
// or TEXT_FAILED (Ctrl-C).
int64_t text_find(Ctx *ctx, const char *text, size_t from, size_t to,
                  TextRange part, bool last);
// How often `part`, which is not empty, occurs without overlap; TEXT_FAILED.
int64_t text_count(Ctx *ctx, const char *text, size_t from, size_t to,
                   TextRange part);
// Appends the text with `limit` places (negative: all) of `from`, which is not
// empty, replaced. False: there is none, and nothing was appended; or Ctrl-C,
// which then is pending.
bool text_replace(StrBuf *out, TextRange text, TextRange from, TextRange to,
                  int64_t limit);
// Narrows the range by the bytes of the set at its ends. False: Ctrl-C.
MUST_CHECK bool text_strip(Ctx *ctx, TextRange *range, const TextSet *set,
                           bool left, bool right);
// Fills the list; from the end (rsplit) its parts stand the wrong way round.
// False: failed.
MUST_CHECK bool text_split_at(const TextSplit *split, TextRange text,
                              TextRange sep);
MUST_CHECK bool text_rsplit_at(const TextSplit *split, TextRange text,
                               TextRange sep);
MUST_CHECK bool text_split_words(const TextSplit *split, TextRange text);
MUST_CHECK bool text_rsplit_words(const TextSplit *split, TextRange text);
// Fills a list by the arguments of a method, as the four above do.
typedef bool TextSplitFill(Vm *vm, List *list, Value *args, bool from_end);
// split or rsplit of a type: a new list, in the order of the text.
MUST_CHECK Value text_split_method(Vm *vm, Value *args, bool from_end,
                                   TextSplitFill *fill);

// The set of the bytes of a range.
static inline TextSet text_set(TextRange range)
{
    TextSet set = {{0}};
    for (size_t i = 0; i < range.length; i++) {
        unsigned char byte = (unsigned char)range.text[i];
        set.bits[byte >> 6] |= (uint64_t)1 << (byte & 63);
    }
    return set;
}

static inline bool text_has(const TextSet *set, char c)
{
    unsigned char byte = (unsigned char)c;
    return set->bits[byte >> 6] >> (byte & 63) & 1;
}

#endif
