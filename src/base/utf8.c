// UTF-8 by code points.
//
// Invariant: utf8_decode never reads past `length`, refuses overlong forms and
// everything above U+10FFFF, and accepts encoded surrogates: callers that must
// refuse those ask utf8_validate.
#include "base/utf8.h"

#include <string.h>

#include <utf8proc.h>

#include "base/char_class.h"

// Bytes a lead byte announces, 0 for a byte that cannot lead.
// 0xF5 and above would lead beyond U+10FFFF.
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    // Bytes that go on a sequence, and leads of overlong two-byte forms.
    if (lead < 0xC2) {
        return 0;
    }
    if (lead < 0xE0) {
        return 2;
    }
    if (lead < 0xF0) {
        return 3;
    }
    return lead < 0xF5 ? 4 : 0;
}

// `least` is the smallest value for each length: below it the form is
// overlong.
// The number of bytes; 0: no valid form, and *codepoint is as it was.
size_t utf8_decode(const char *text, size_t length, uint32_t *codepoint)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t needed = sequence_length(bytes[0]);
    if (needed == 0 || needed > length) {
        return 0;
    }
    if (needed == 1) {
        *codepoint = bytes[0];
        return 1;
    }
    // The bits of the lead byte behind its marker.
    uint32_t value = bytes[0] & (0x7Fu >> needed);
    for (size_t i = 1; i < needed; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < least[needed] || value > 0x10FFFF) {
        return 0;
    }
    *codepoint = value;
    return needed;
}

// No test of the value: surrogates are wanted, and the upper limit is the
// caller's to keep.
// The number of bytes.
size_t utf8_encode(uint32_t codepoint, char *out)
{
    if (codepoint < 0x80) {
        out[0] = (char)codepoint;
        return 1;
    }
    if (codepoint < 0x800) {
        out[0] = (char)(0xC0 | codepoint >> 6);
        out[1] = (char)(0x80 | (codepoint & 0x3F));
        return 2;
    }
    if (codepoint < 0x10000) {
        out[0] = (char)(0xE0 | codepoint >> 12);
        out[1] = (char)(0x80 | (codepoint >> 6 & 0x3F));
        out[2] = (char)(0x80 | (codepoint & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | codepoint >> 18);
    out[1] = (char)(0x80 | (codepoint >> 12 & 0x3F));
    out[2] = (char)(0x80 | (codepoint >> 6 & 0x3F));
    out[3] = (char)(0x80 | (codepoint & 0x3F));
    return 4;
}

// Texts are valid, so it is enough to count the bytes that begin a character.
// In code points.
size_t utf8_count(const char *text, size_t length)
{
    // Eight bytes at a time: bit 0 of each byte of `inner` says that it goes
    // on a sequence (10xxxxxx); the product adds the eight up.
    const uint64_t ones = 0x0101010101010101u;
    size_t count = length, i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, sizeof word);
        uint64_t inner = (word >> 7) & (~word >> 6) & ones;
        count -= (size_t)(inner * ones >> 56);
    }
    for (; i < length; i++) {
        count -= ((unsigned char)text[i] & 0xC0) == 0x80;
    }
    return count;
}

// Linear; who needs many offsets walks the text instead. A word that has no
// more first bytes than are wanted is skipped at once, as in utf8_count.
// The length of the text, where it has fewer code points.
size_t utf8_offset(const char *text, size_t length, size_t index)
{
    const uint64_t ones = 0x0101010101010101u;
    size_t offset = 0;
    while (offset + 8 <= length) {
        uint64_t word;
        memcpy(&word, text + offset, sizeof word);
        uint64_t inner = (word >> 7) & (~word >> 6) & ones;
        size_t first = 8 - (size_t)(inner * ones >> 56);
        if (first > index) {
            break;
        }
        index -= first;
        offset += 8;
    }
    while (offset < length) {
        if (((unsigned char)text[offset] & 0xC0) != 0x80 && index-- == 0) {
            return offset;
        }
        offset++;
    }
    return length;
}

// By decoding, so that the two agree on what is valid, surrogates apart.
// `surrogates`: encoded ones are let through. *bad is the offset of the first
// byte of what is wrong.
bool utf8_validate(const char *text, size_t length, bool surrogates,
                   size_t *bad)
{
    size_t offset = 0;
    while (offset < length) {
        // Eight ASCII bytes at once: most texts are nothing else.
        uint64_t word;
        while (offset + sizeof word <= length) {
            memcpy(&word, text + offset, sizeof word);
            if ((word & 0x8080808080808080u) != 0) {
                break;
            }
            offset += sizeof word;
        }
        if (offset == length) {
            break;
        }
        uint32_t codepoint;
        size_t taken = utf8_decode(text + offset, length - offset, &codepoint);
        bool surrogate =
            taken == 3 && codepoint >= 0xD800 && codepoint <= 0xDFFF;
        if (taken == 0 || (surrogate && !surrogates)) {
            *bad = offset;
            return false;
        }
        offset += taken;
    }
    return true;
}

// The shortcut before anything that needs Unicode's tables.
// Eight bytes at a time; nothing ends the loop early, since most texts are
// ASCII to their end.
bool utf8_is_ascii(const char *text, size_t length)
{
    uint64_t seen = 0, word;
    size_t i = 0;
    for (; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        seen |= word;
    }
    for (; i < length; i++) {
        seen |= (unsigned char)text[i];
    }
    return (seen & 0x8080808080808080u) == 0;
}

// By utf8proc's tables and not by wcwidth, which depends on the locale. What
// every keyboard types needs no table: a prompt that meets nothing else never
// has their 200 KB in memory.
// 0 for marks that join what stands before, 2 for wide characters.
int utf8_width(uint32_t codepoint)
{
    if (codepoint >= ' ' && codepoint < 0x7F) {
        return 1;
    }
    return utf8proc_charwidth((utf8proc_int32_t)codepoint);
}

// Other_ID_Start and Other_ID_Continue of Unicode: characters that once
// counted as letters or digits and keep counting in identifiers.
static bool is_other_start(uint32_t codepoint)
{
    return codepoint == 0x1885 || codepoint == 0x1886 || codepoint == 0x2118 ||
           codepoint == 0x212E || codepoint == 0x309B || codepoint == 0x309C;
}

// Only what is_other_start has not passed already.
static bool is_other_part(uint32_t codepoint)
{
    return codepoint == 0xB7 || codepoint == 0x387 || codepoint == 0x19DA ||
           (codepoint >= 0x1369 && codepoint <= 0x1371);
}

// Unicode's ID_Start by categories. Beyond ASCII.
static bool may_start(uint32_t codepoint)
{
    switch (char_category(codepoint)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL: return true;
    default: return is_other_start(codepoint);
    }
}

// XID_Start, plus the underscore.
bool utf8_is_identifier_start(uint32_t codepoint)
{
    if (codepoint < 0x80) {
        return (codepoint | 0x20) - 'a' < 26u || codepoint == '_';
    }
    return may_start(codepoint) && !char_is(CHAR_NO_NAME_START, codepoint);
}

// The characters that Unicode keeps for stability come last, as they are rare.
bool utf8_is_identifier_part(uint32_t codepoint)
{
    if (codepoint < 0x80) {
        return utf8_is_identifier_start(codepoint) || codepoint - '0' < 10u;
    }
    if (may_start(codepoint)) {
        return !char_is(CHAR_NO_NAME_PART, codepoint);
    }
    switch (char_category(codepoint)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC: return true;
    default: return is_other_part(codepoint);
    }
}

// str.isprintable: the blank is the only separator among the printable ones.
// repr and messages escape the rest.
bool utf8_is_printable(uint32_t codepoint)
{
    if (codepoint < 0x80) {
        return codepoint >= 0x20 && codepoint < 0x7F;
    }
    switch (char_category(codepoint)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS: return false;
    default: return true;
    }
}
