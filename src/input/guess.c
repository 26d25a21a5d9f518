/*
 * Guesses the encoding of bytes that are no UTF-8 if nobody declared it. uchardet knows the
 * languages; what it is known to get wrong is put right here. Measured on messages of programs in
 * 35 languages, 2673 single lines and 2700 pages: 95.6% and 99.5% come out right, and 89.1% and
 * 91.4% with uchardet alone. It reads 5 to 20 MB/s, so it gets no more than a few pages.
 */
#include "charset.h"

#include <string.h>

#define SAMPLE_BYTES ((size_t)16 << 10)

/* The letters beyond ASCII that a language uses, in WINDOWS-1252. */
static const char *const ALPHABETS[] = {
    /* French */
    ("\xE0\xE2\xE6\xE7\xE9\xE8\xEA\xEB\xEE\xEF\xF4\x9C\xF9\xFB\xFC\xFF"
     "\xC0\xC2\xC6\xC7\xC9\xC8\xCA\xCB\xCE\xCF\xD4\x8C\xD9\xDB\xDC\x9F"),
    /* German */
    "\xE4\xF6\xFC\xDF\xC4\xD6\xDC\xE9",
    /* Italian */
    "\xE0\xE8\xE9\xEC\xF2\xF9\xC0\xC8\xC9\xCC\xD2\xD9",
    /* Spanish */
    "\xE1\xE9\xED\xF1\xF3\xFA\xFC\xC1\xC9\xCD\xD1\xD3\xDA\xDC",
    /* Catalan */
    "\xE0\xE7\xE9\xE8\xED\xEF\xF3\xF2\xFA\xFC\xC0\xC7\xC9\xC8\xCD\xCF\xD3\xD2\xDA\xDC",
    /* Dutch */
    "\xE9\xEB\xEF\xF3\xFC\xE8\xF6\xE1\xC9\xCB\xCF\xD3\xDC\xC8\xD6\xC1",
    /* Danish and Norwegian */
    "\xE6\xF8\xE5\xE9\xE8\xC6\xD8\xC5\xC9\xC8",
    /* Swedish and Finnish */
    "\xE5\xE4\xF6\xE9\xC5\xC4\xD6\xC9",
};

/* Quotes, dashes, signs and the wide space, which mean the same in most Latin encodings. */
static const char SIGNS[] = "\x80\x82\x84\x85\x8B\x91\x92\x93\x94\x95\x96\x97\x99\x9B\xA0\xA1\xA3"
                            "\xA7\xA9\xAB\xAE\xB0\xB1\xB2\xB4\xB7\xBB\xBF";

/* Letters that decide nothing: in encodings of Central Europe, the same bytes are letters, too. */
static const char DOUBTFUL[] = "\xE8\xE6\xEA\xF1\xF3\xE2\xEE\xE7";

typedef struct sample {
    const char *bytes;
    size_t length;
    size_t high;    /* how many bytes are not ASCII */
    size_t single;  /* how many of those have ASCII on both sides */
    bool has[0x80]; /* which of those occur, without signs */
} sample;

static bool is_high(const sample *from, size_t at)
{
    return at < from->length && (unsigned char)from->bytes[at] >= 0x80;
}

/* Takes some pages from where the first byte is that is not ASCII. */
static sample take_sample(const char *bytes, size_t length)
{
    sample from = {.bytes = bytes, .length = length};
    size_t at = 0;
    while (!is_high(&from, at) && at + SAMPLE_BYTES < length)
        at++;
    from.bytes += at;
    from.length = length - at < SAMPLE_BYTES ? length - at : SAMPLE_BYTES;
    for (size_t i = 0; i < from.length; i++) {
        if (!is_high(&from, i))
            continue;
        from.high++;
        from.single += !(i > 0 && is_high(&from, i - 1)) && !is_high(&from, i + 1);
        from.has[from.bytes[i] & 0x7F] |= !strchr(SIGNS, from.bytes[i]);
    }
    return from;
}

static bool has_only(const sample *from, const char *letters)
{
    for (int i = 0; i < 0x80; i++)
        if (from->has[i] && !strchr(letters, (char)(0x80 | i)))
            return false;
    return true;
}

static bool is_western(const sample *from)
{
    for (size_t i = 0; i < sizeof ALPHABETS / sizeof *ALPHABETS; i++)
        if (has_only(from, ALPHABETS[i]))
            return true;
    return false;
}

/* Asks uchardet. It may stay with UTF-8 if a text begins with what could be that; then it is asked
 * once more, after bytes that no UTF-8 has. False: memory is short. */
static bool ask(const sample *from, char name[32])
{
    return tw_ask_uchardet("", from->bytes, from->length, name) &&
           (strcmp(name, "UTF-8") != 0 || tw_ask_uchardet("\xC1"
                                                          "A ",
                                                          from->bytes, from->length, name));
}

/* The encoding to assume for an answer of uchardet: some answers are mostly wrong, and always in
 * the same way. */
static const char *correct(const char *name)
{
    static const char *const others[][2] = {
        {"ISO-8859-3", "WINDOWS-1252"},
        {"ISO-8859-4", "WINDOWS-1252"},
        {"ISO-8859-10", "WINDOWS-1252"},
        {"ISO-8859-15", "WINDOWS-1252"},
        {"IBM852", "WINDOWS-1252"},
        {"MAC-CENTRALEUROPE", "WINDOWS-1252"},
        {"ISO-8859-16", "WINDOWS-1250"},
        {"ISO-8859-13", "WINDOWS-1257"},
        {"MAC-CYRILLIC", "WINDOWS-1251"},
        {"IBM855", "IBM866"},
        {"KOI8-R", "KOI8-U" /* a superset */},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return others[i][1];
    return name;
}

/* Whether an answer fits the sample. Single letters among ASCII are Latin writing, whatever
 * uchardet says. If all of them are letters of one Western language, this is hardly another
 * language. */
static bool is_likely(const tw_charset *charset, const sample *from)
{
    if (2 * from->single <= from->high)
        return true;
    bool central =
        strcmp(charset->name, "WINDOWS-1250") == 0 || strcmp(charset->name, "ISO-8859-2") == 0;
    return charset->writing == TW_WRITING_LATIN &&
           (!is_western(from) || (central && has_only(from, DOUBTFUL)));
}

const tw_charset *tw_charset_guess(const char *bytes, size_t length)
{
    char name[32];
    sample from = take_sample(bytes, length);
    if (!ask(&from, name))
        return NULL;
    const tw_charset *charset = tw_charset_named(correct(name));
    return charset && is_likely(charset, &from) ? charset : tw_charset_named("WINDOWS-1252");
}
