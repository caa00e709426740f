// Names of characters: every one of them is found again by its name.
#include <criterion/criterion.h>
#include <string.h>

#include "base/char_name.h"

Test(char_name, every_name_leads_back)
{
    size_t named = 0;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char name[CHAR_NAME_SIZE];
        if (!char_name(c, name)) {
            continue;
        }
        uint32_t found[CHAR_SEQUENCE_SIZE];
        named++;
        cr_assert_eq(char_by_name(name, strlen(name), false, found), 1, "%s",
                     name);
        cr_assert_eq(found[0], c, "%s", name);
    }
    cr_assert_gt(named, 130000);
}

Test(char_name, a_sequence_is_found_only_if_wanted)
{
    static const char name[] = "KEYCAP DIGIT ONE";
    uint32_t found[CHAR_SEQUENCE_SIZE];
    cr_assert_eq(char_by_name(name, strlen(name), false, found), 0);
    cr_assert_eq(char_by_name(name, strlen(name), true, found), 3);
    cr_assert_eq(found[0], '1');
    cr_assert_eq(found[2], 0x20E3);
}

Test(char_name, what_has_no_name_is_not_found)
{
    char name[CHAR_NAME_SIZE];
    uint32_t found[CHAR_SEQUENCE_SIZE];
    cr_assert_not(char_name(0, name));
    cr_assert_not(char_name(0x1F6DC, name)); // newer than Unicode 14
    cr_assert_eq(char_by_name("", 0, true, found), 0);
    cr_assert_eq(char_by_name("CJK UNIFIED IDEOGRAPH-", 22, true, found), 0);
    cr_assert_eq(char_by_name("HANGUL SYLLABLE ", 16, true, found), 0);
}
