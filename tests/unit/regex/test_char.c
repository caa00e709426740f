// Characters as patterns see them: steps over UTF-8, classes, case.
#include <criterion/criterion.h>
#include <string.h>

#include "regex/rx_char.h"

// The smallest and largest character of each length.
static const struct {
    const char *text;
    uint32_t point;
} widths[] = {{"\x01", 0x1},
              {"\x7F", 0x7F},
              {"\xC2\x80", 0x80},
              {"\xDF\xBF", 0x7FF},
              {"\xE0\xA0\x80", 0x800},
              {"\xEF\xBF\xBF", 0xFFFF},
              {"\xF0\x90\x80\x80", 0x10000},
              {"\xF4\x8F\xBF\xBF", 0x10FFFF}};

enum { WIDTHS = sizeof widths / sizeof widths[0] };

Test(rx_char, a_character_is_read_forwards_and_backwards)
{
    char text[64] = "";
    for (int i = 0; i < WIDTHS; i++) {
        strcat(text, widths[i].text);
    }
    const char *at = text;
    for (int i = 0; i < WIDTHS; i++) {
        uint32_t c;
        size_t size = rx_char_at(at, false, &c);
        cr_assert_eq(c, widths[i].point);
        cr_assert_eq(size, strlen(widths[i].text));
        cr_assert_eq(rx_char_before(at + size, false), at);
        at += size;
    }
    cr_assert_eq(*at, '\0');
}

Test(rx_char, a_narrow_text_has_a_character_a_byte)
{
    const char *text = "\xC2\x80";
    uint32_t c;
    cr_assert_eq(rx_char_at(text, true, &c), 1);
    cr_assert_eq(c, 0xC2);
    cr_assert_eq(rx_char_before(text + 2, true), text + 1);
}

// Who is like another has it alike, too, and both are lower case.
Test(rx_char, being_alike_is_mutual)
{
    int found = 0;
    for (uint32_t c = 0; c < 0x110000; c++) {
        uint32_t alike[2], back[2];
        int count = rx_char_alike(c, alike);
        cr_assert_leq(count, 2);
        for (int i = 0; i < count; i++) {
            int others = rx_char_alike(alike[i], back);
            cr_assert(others > 0 &&
                          (back[0] == c || (others == 2 && back[1] == c)),
                      "U+%04X and U+%04X", c, alike[i]);
            cr_assert_eq(rx_char_lower(alike[i], RX_FOLD_UNICODE), alike[i]);
        }
        found += count > 0;
    }
    cr_assert_gt(found, 40);
}

Test(rx_char, ascii_folds_and_classes_end_at_128)
{
    cr_assert_eq(rx_char_lower('A', RX_FOLD_ASCII), 'a');
    cr_assert_eq(rx_char_lower(0xC4, RX_FOLD_ASCII), 0xC4);
    cr_assert_eq(rx_char_lower(0xC4, RX_FOLD_UNICODE), 0xE4);
    cr_assert_eq(rx_char_lower('A', RX_FOLD_NONE), 'A');
    cr_assert(rx_char_is(0xE4, RX_CLASS_WORD, true));
    cr_assert_not(rx_char_is(0xE4, RX_CLASS_WORD, false));
    cr_assert(rx_char_is(0x663, RX_CLASS_DIGIT, true)); // ARABIC-INDIC THREE
    cr_assert_not(rx_char_is(0x663, RX_CLASS_DIGIT, false));
    cr_assert(rx_char_is(0x2003, RX_CLASS_SPACE, true)); // EM SPACE
    cr_assert_not(rx_char_is(0x2003, RX_CLASS_SPACE, false));
}
