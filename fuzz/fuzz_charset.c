/*
 * Any bytes in any encoding, declared or not, and look-alikes in the converted text. Promises: the
 * result is UTF-8, with at most four bytes and a character for each byte of input; UTF-8 does not
 * change; a guess is reported. Replacing look-alikes never lengthens a text, does not change ASCII,
 * and changes nothing the second time.
 */
#include "confusables.h"
#include "convert.h"
#include "fuzz.h"

static const char *const LABELS[] = {
    NULL,           "utf-8",        "us-ascii",     "gb18030",  "big5",        "shift_jis",
    "euc-jp",       "euc-kr",       "iso-2022-jp",  "euc-tw",   "iso-2022-kr", "iso-2022-cn",
    "utf-7",        "windows-1255", "windows-1258", "utf-16le", "utf-16be",    "utf-32",
    "windows-1252", "koi8-r",       "johab",        "viscii",   "macintosh",   "ibm866",
};
enum { COUNT = sizeof LABELS / sizeof *LABELS };

static int is_ascii(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80)
            return 0;
    return 1;
}

static void try_confusables(const char *text, size_t length)
{
    tw_bytes once = {0}, twice = {0};
    bool changed, undone, again, undone_again;
    REQUIRE(tw_undo_confusables(text, length, &once, &changed, &undone) == TWINSET_OK);
    REQUIRE(changed || (!undone && once.length == 0));
    if (changed) {
        REQUIRE(!is_ascii(text, length) && once.length < length);
        REQUIRE(tw_undo_confusables(once.data, once.length, &twice, &again, &undone_again) ==
                TWINSET_OK);
        REQUIRE(!undone_again);
    }
    tw_bytes_free(&once);
    tw_bytes_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *declared = LABELS[take_byte(&data, &size) % COUNT];
    const char *bytes = (const char *)data;
    tw_converted to = {0};
    REQUIRE(tw_to_utf8(bytes, size, declared, &to) == TWINSET_OK);
    /* Damaged UTF-8 does not change, except for a byte order mark. */
    REQUIRE(to.text.length <= size || is_utf8(to.text.data, to.text.length));
    REQUIRE(to.text.length <= 4 * size + 16);
    REQUIRE(tw_is_utf8(bytes, size) == (bool)is_utf8(bytes, size));
    REQUIRE((to.encoding != NULL) == ((to.flags & TWINSET_FLAG_ENCODING) != 0));
    if (!declared && !memchr(data, 0, size) && is_utf8(bytes, size)) {
        size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        REQUIRE(to.text.length == size - mark && !to.flags);
    }
    try_confusables(to.text.data, to.text.length);
    try_confusables(bytes, size);
    tw_bytes_free(&to.text);
    return 0;
}
