/*
 * Converts text in any encoding to UTF-8. UTF-8 itself is checked and copied at gigabytes a
 * second; the rest goes through iconv. Names mean what browsers and mail programs take them for:
 * "iso-8859-1" is what everybody writes for the code page of Windows, and a national standard
 * stands for the larger set that grew out of it. Only names of these tables reach iconv, which
 * would read options and paths out of others.
 */
#include "charset.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <utf8proc.h>

#include "common.h"
#include "convert.h"
#include "input.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* The first is assumed if nothing speaks for another. */
static const tw_charset CHARSETS[] = {
    {"WINDOWS-1252",
     "windows1252 cp1252 xcp1252 iso88591 iso885911987 isoir100 isolatin1 csisolatin1 latin1 l1 "
     "cp819 ibm819 ascii usascii ansix341968 iso646us us 7bit 8bit xunknown unknown8bit",
     TW_WRITING_LATIN},
    {"WINDOWS-1250", "windows1250 cp1250 xcp1250", TW_WRITING_LATIN},
    {"WINDOWS-1254", "windows1254 cp1254 xcp1254 iso88599 iso885991989 isoir148 latin5 l5",
     TW_WRITING_LATIN},
    {"WINDOWS-1257", "windows1257 cp1257 xcp1257", TW_WRITING_LATIN},
    {"WINDOWS-1258", "windows1258 cp1258 xcp1258", TW_WRITING_LATIN},
    {"ISO-8859-2", "iso88592 iso885921987 isoir101 csisolatin2 latin2 l2", TW_WRITING_LATIN},
    {"ISO-8859-3", "iso88593 iso885931988 isoir109 csisolatin3 latin3 l3", TW_WRITING_LATIN},
    {"ISO-8859-4", "iso88594 iso885941988 isoir110 csisolatin4 latin4 l4", TW_WRITING_LATIN},
    {"ISO-8859-10", "iso885910 isoir157 csisolatin6 latin6 l6", TW_WRITING_LATIN},
    {"ISO-8859-13", "iso885913", TW_WRITING_LATIN},
    {"ISO-8859-14", "iso885914", TW_WRITING_LATIN},
    {"ISO-8859-15", "iso885915 csisolatin9 latin9 l9", TW_WRITING_LATIN},
    {"ISO-8859-16", "iso885916", TW_WRITING_LATIN},
    {"IBM437", "ibm437 cp437 cspc8codepage437", TW_WRITING_LATIN},
    {"IBM850", "ibm850 cp850 cspc850multilingual", TW_WRITING_LATIN},
    {"IBM852", "ibm852 cp852 cspcp852", TW_WRITING_LATIN},
    {"MACINTOSH", "macintosh mac macroman xmacroman csmacintosh", TW_WRITING_LATIN},
    {"MAC-CENTRALEUROPE", "maccentraleurope xmacce", TW_WRITING_LATIN},
    {"VISCII", "viscii csviscii", TW_WRITING_LATIN},

    {"WINDOWS-1251", "windows1251 cp1251 xcp1251", TW_WRITING_OTHER},
    {"WINDOWS-1253", "windows1253 cp1253 xcp1253", TW_WRITING_OTHER},
    {"WINDOWS-1255", "windows1255 cp1255 xcp1255 iso88598i", TW_WRITING_OTHER},
    {"WINDOWS-1256", "windows1256 cp1256 xcp1256", TW_WRITING_OTHER},
    {"WINDOWS-874", "windows874 cp874 dos874 tis620 iso885911", TW_WRITING_OTHER},
    {"ISO-8859-5", "iso88595 iso885951988 isoir144 csisolatincyrillic cyrillic", TW_WRITING_OTHER},
    {"ISO-8859-6", "iso88596 iso885961987 isoir127 csisolatinarabic arabic ecma114 asmo708",
     TW_WRITING_OTHER},
    {"ISO-8859-7", "iso88597 iso885971987 isoir126 csisolatingreek greek greek8 ecma118 elot928",
     TW_WRITING_OTHER},
    {"ISO-8859-8", "iso88598 iso885981988 isoir138 csisolatinhebrew hebrew", TW_WRITING_OTHER},
    {"KOI8-R", "koi8r koi8 koi cskoi8r", TW_WRITING_OTHER},
    {"KOI8-U", "koi8u koi8ru", TW_WRITING_OTHER},
    {"IBM855", "ibm855 cp855 csibm855", TW_WRITING_OTHER},
    {"IBM866", "ibm866 cp866 866 csibm866", TW_WRITING_OTHER},
    {"MAC-CYRILLIC", "maccyrillic xmaccyrillic xmacukrainian", TW_WRITING_OTHER},

    {"GB18030",
     "gb18030 gbk xgbk gb2312 gb231280 csgb2312 csiso58gb231280 euccn cp936 ms936 "
     "windows936 chinese cngb",
     TW_WRITING_ASIAN},
    {"BIG5-HKSCS", "big5 big5hkscs cnbig5 xxbig5 csbig5 big5eten cp950 windows950",
     TW_WRITING_ASIAN},
    {"EUC-TW", "euctw xeuctw cseuctw", TW_WRITING_ASIAN},
    {"CP932", "shiftjis sjis xsjis mskanji csshiftjis windows31j cswindows31j cp932 ms932",
     TW_WRITING_ASIAN},
    {"EUC-JP-MS", "eucjp xeucjp cseucpkdfmtjapanese eucjpms", TW_WRITING_ASIAN},
    {"UHC",
     "euckr cseuckr uhc cp949 windows949 korean ksc5601 ksc56011987 ksc56011989 "
     "csksc56011987 isoir149",
     TW_WRITING_ASIAN},
    {"JOHAB", "johab", TW_WRITING_ASIAN},
    {"ISO-2022-JP", "iso2022jp csiso2022jp", TW_WRITING_ASIAN},
    {"ISO-2022-KR", "iso2022kr csiso2022kr", TW_WRITING_ASIAN},
    {"ISO-2022-CN", "iso2022cn csiso2022cn", TW_WRITING_ASIAN},
    {"UTF-7", "utf7 unicode11utf7 csunicode11utf7", TW_WRITING_LATIN},
};

static const struct {
    const char *name, *labels;
} WIDE[] = {
    [TW_ENCODING_UTF8] = {"UTF-8", "utf8"},
    [TW_ENCODING_UTF16LE] = {"UTF-16LE", "utf16le utf16 ucs2 ucs2le iso10646ucs2 unicode"},
    [TW_ENCODING_UTF16BE] = {"UTF-16BE", "utf16be ucs2be unicodefffe"},
    [TW_ENCODING_UTF32LE] = {"UTF-32LE", "utf32le utf32 ucs4 ucs4le"},
    [TW_ENCODING_UTF32BE] = {"UTF-32BE", "utf32be ucs4be"},
};

/* ---- names */

/* A name without its case and punctuation. No label is longer. */
typedef struct plain_name {
    char text[32];
    size_t length;
} plain_name;

static plain_name simplify(const char *label)
{
    plain_name plain = {.length = 0};
    for (; *label; label++)
        if (tw_is_alnum(*label) && plain.length < sizeof plain.text)
            plain.text[plain.length++] = tw_to_lower(*label);
    return plain;
}

static bool is_among(plain_name plain, const char *labels)
{
    for (const char *at = labels; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        if (size == plain.length && memcmp(at, plain.text, size) == 0)
            return true;
        at += size;
    }
    return false;
}

const tw_charset *tw_charset_named(const char *label)
{
    plain_name plain = simplify(label);
    for (size_t i = 0; i < sizeof CHARSETS / sizeof *CHARSETS; i++)
        if (is_among(plain, CHARSETS[i].labels))
            return &CHARSETS[i];
    return NULL;
}

static tw_encoding wide_named(const char *label)
{
    plain_name plain = simplify(label);
    for (size_t i = 0; i < sizeof WIDE / sizeof *WIDE; i++)
        if (is_among(plain, WIDE[i].labels))
            return (tw_encoding)i;
    return TW_ENCODING_UTF8;
}

/* ---- converting */

static int from_wide(tw_encoding encoding, const char *bytes, size_t length, tw_converted *to)
{
    bool replaced = false;
    int status = tw_decode(encoding, bytes, length, &to->text, &replaced);
    if (replaced)
        to->flags |= TWINSET_FLAG_INVALID_UTF8;
    return status;
}

static int put_replacement(tw_converted *to)
{
    to->flags |= TWINSET_FLAG_INVALID_UTF8;
    return tw_bytes_append(&to->text, REPLACEMENT, strlen(REPLACEMENT));
}

/* Converts all bytes. After what cannot be decoded it goes on a byte later; a character that is
 * cut off ends the text. */
static int convert_all(iconv_t converter, const char *bytes, size_t length, tw_converted *to)
{
    char *in; /* iconv does not write there, although its declaration says so */
    memcpy(&in, &bytes, sizeof in);
    int status = TWINSET_OK;
    while (status == TWINSET_OK && length > 0) {
        status = tw_bytes_reserve(&to->text, length + length / 2 + 16);
        if (status != TWINSET_OK)
            break;
        char *out = to->text.data + to->text.length;
        size_t space = to->text.capacity - to->text.length;
        bool done = iconv(converter, &in, &length, &out, &space) != (size_t)-1;
        int reason = errno;
        to->text.length = to->text.capacity - space;
        if (done || reason == E2BIG)
            continue;
        status = put_replacement(to);
        length = reason == EILSEQ ? length - 1 : 0;
        in++;
    }
    return status;
}

/* Appends what the converter holds back, waiting for a mark to compose with. */
static int convert_rest(iconv_t converter, tw_converted *to)
{
    enum { MOST_BYTES = 16 };
    int status = tw_bytes_reserve(&to->text, MOST_BYTES);
    if (status == TWINSET_OK) {
        char *out = to->text.data + to->text.length;
        size_t space = MOST_BYTES;
        iconv(converter, NULL, NULL, &out, &space);
        to->text.length += MOST_BYTES - space;
    }
    return status;
}

static int from_charset(const tw_charset *charset, const char *bytes, size_t length,
                        tw_converted *to)
{
    iconv_t converter = iconv_open("UTF-8", charset->name);
    if ((intptr_t)converter == -1)
        return errno == ENOMEM        ? TWINSET_NOMEM
               : tw_is_out_of_files() ? TWINSET_LIMIT
                                      : tw_refuse(to, "cannot be decoded here: %s", charset->name);
    int status = convert_all(converter, bytes, length, to);
    if (status == TWINSET_OK)
        status = convert_rest(converter, to);
    iconv_close(converter);
    return status;
}

/* ---- UTF-8 */

static size_t ascii_length(const char *text, size_t length)
{
    size_t i = 0;
    for (uint64_t word; i + 8 <= length; i += 8) {
        memcpy(&word, text + i, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (i < length && (unsigned char)text[i] < 0x80)
        i++;
    return i;
}

/* The length of the character that the text starts with, or of the bytes that are none. */
static size_t measure_character(const char *text, size_t length, bool *broken)
{
    int32_t point;
    utf8proc_ssize_t size =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, &point);
    *broken = size <= 0;
    if (!*broken)
        return (size_t)size;
    size_t end = 1;
    while (end < length && end < 4 && (text[end] & 0xC0) == 0x80)
        end++;
    return end;
}

/* Whether this is UTF-8 but for a damage here or there, which the text stage copes with. In any
 * other encoding, fewer bytes happen to be right than wrong. */
static bool is_nearly_utf8(const char *text, size_t length)
{
    size_t good = 0, bad = 0;
    for (size_t at = ascii_length(text, length); at < length;) {
        bool broken;
        at += measure_character(text + at, length - at, &broken);
        good += !broken;
        bad += broken;
        at += ascii_length(text + at, length - at);
    }
    return good >= 2 * bad;
}

/* ---- which encoding it is */

/* Notes that the encoding is a guess. */
static void note_guess(const char *encoding, tw_converted *to)
{
    to->flags |= TWINSET_FLAG_ENCODING;
    to->encoding = encoding;
}

static int from_guessed(const char *bytes, size_t length, tw_converted *to)
{
    const tw_charset *charset = tw_charset_guess(bytes, length);
    if (!charset)
        return TWINSET_NOMEM;
    note_guess(charset->name, to);
    return from_charset(charset, bytes, length, to);
}

static int from_undeclared(const char *bytes, size_t length, tw_converted *to)
{
    tw_encoding wide = tw_encoding_guess(bytes, length);
    if (wide != TW_ENCODING_UTF8) {
        note_guess(WIDE[wide].name, to);
        return from_wide(wide, bytes, length, to);
    }
    return tw_is_utf8(bytes, length) || is_nearly_utf8(bytes, length)
               ? tw_bytes_append(&to->text, bytes, length)
               : from_guessed(bytes, length, to);
}

/* Some programs declare the usual code page for every text, also for UTF-8. And a page that
 * declares in ASCII that it is UTF-16 is not. */
static int from_declared(const char *bytes, size_t length, const char *name, tw_converted *to)
{
    const tw_charset *charset = tw_charset_named(name);
    tw_encoding wide = wide_named(name);
    bool usual = charset == &CHARSETS[0] || wide != TW_ENCODING_UTF8;
    if (usual ? tw_is_utf8(bytes, length) : !charset)
        return from_undeclared(bytes, length, to);
    return charset ? from_charset(charset, bytes, length, to) : from_wide(wide, bytes, length, to);
}

int tw_to_utf8(const char *bytes, size_t length, const char *declared, tw_converted *to)
{
    size_t mark;
    tw_encoding encoding = tw_encoding_detect(bytes, length, &mark);
    if (encoding != TW_ENCODING_UTF8)
        return from_wide(encoding, bytes + mark, length - mark, to);
    if (mark)
        return tw_bytes_append(&to->text, bytes + mark, length - mark);
    return declared ? from_declared(bytes, length, declared, to)
                    : from_undeclared(bytes, length, to);
}
