/* Properties of single code points. */
#include "characters.h"

#include <utf8proc.h>

bool tw_is_word(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return true;
    default:
        return false;
    }
}

bool tw_is_blank(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
        return true;
    default:
        return false;
    }
}

/* utf8proc leaves out the code points that are not assigned yet, but they are as invisible as the
 * others. */
bool tw_is_ignorable(int32_t point)
{
    return utf8proc_get_property(point)->ignorable || point == 0x2065 ||
           (point >= 0xFFF0 && point <= 0xFFF8) || (point >= 0xE0000 && point <= 0xE0FFF);
}

bool tw_is_unspaced(int32_t point)
{
    return (point >= 0x0E01 && point <= 0x0E4E) ||   /* Thai */
           (point >= 0x3005 && point <= 0x3007) ||   /* Han iteration marks, zero */
           (point >= 0x3021 && point <= 0x3029) ||   /* Han numerals */
           (point >= 0x3041 && point <= 0x30FF) ||   /* Hiragana, Katakana */
           (point >= 0x31F0 && point <= 0x31FF) ||   /* Katakana extensions */
           (point >= 0x3400 && point <= 0x4DBF) ||   /* Han */
           (point >= 0x4E00 && point <= 0x9FFF) ||   /* Han */
           (point >= 0xF900 && point <= 0xFAFF) ||   /* Han, compatibility */
           (point >= 0xFF66 && point <= 0xFF9D) ||   /* half-width Katakana */
           (point >= 0x1AFF0 && point <= 0x1B16F) || /* Kana supplements */
           (point >= 0x20000 && point <= 0x323AF);   /* Han extensions */
}
