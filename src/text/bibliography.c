/*
 * The list of sources: a line that is nothing but a heading such as References, and the entries
 * after it, up to the heading of an appendix. Entries are recognised by their years, pages,
 * initials and addresses. Each such sign outweighs a number of bytes of text. The list ends where
 * the balance of signs over text is highest, so that prose after it stays. Prose under such a
 * heading never reaches a positive balance.
 */
#include <string.h>

#include <utf8proc.h>

#include "omit_rules.h"

enum {
    WORTH = 160,          /* bytes of text that a sign outweighs */
    LONGEST_HEADING = 72, /* bytes of a heading, at most */
    MOST_BLANKS = 6,      /* in a heading */
    LONGEST_REST = 240,   /* bytes of an entry after its last sign, at most */
};

/* In lower case and without accents; everything between two words is one blank. */
static const char *const headings[] = {
    "references",
    "reference",
    "reference list",
    "list of references",
    "references cited",
    "references and notes",
    "notes and references",
    "bibliography",
    "annotated bibliography",
    "selected bibliography",
    "works cited",
    "work cited",
    "works consulted",
    "literature",
    "literature cited",
    "cited literature",
    "sources",
    "sources cited",
    "literatur",
    "literaturverzeichnis",
    "literaturangaben",
    "quellen",
    "quellenverzeichnis",
    "quellen und literatur",
    "bibliographie",
    "bibliografie",
    "references bibliographiques",
    "ouvrages cites",
    "referencias",
    "referencias bibliograficas",
    "bibliografia",
    "obras citadas",
    "literatuur",
    "literatuurlijst",
    "literatuuropgave",
    "bronnen",
    "bronnenlijst",
    "referenties",
    "riferimenti",
    "riferimenti bibliografici",
    "opere citate",
    "litteratur",
    "litteraturliste",
    "referenser",
    "kallor",
    "kilder",
    "kirjallisuus",
    "spis literatury",
    "seznam literatury",
    "список литературы",
    "литература",
    "参考文献",
};
static const char *const ends[] = {
    "appendix",
    "appendices",
    "annex",
    "annexes",
    "supplement",
    "supplementary",
    "anhang",
    "anlage",
    "anlagen",
    "annexe",
    "anexo",
    "anexos",
    "apendice",
    "apendices",
    "bijlage",
    "bijlagen",
    "appendice",
    "appendici",
    "allegato",
    "allegati",
    "bilaga",
    "liite",
    "acknowledgements",
    "acknowledgments",
    "danksagung",
    "remerciements",
    "agradecimientos",
    "dankwoord",
    "author",
    "authors",
    "about",
    "glossary",
    "glossar",
    "index",
    "erklarung",
    "eidesstattliche",
};

typedef struct list_line {
    size_t start, end; /* without the newline and blanks at either end */
    size_t next;       /* the start of the next line */
} list_line;

static list_line line_at(const char *text, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && text[end] != '\n' && text[end] != '\r')
        end++;
    list_line found = {at, end, end < length ? end + 1 : length};
    while (found.start < found.end && tw_is_gap(text[found.start]))
        found.start++;
    while (found.end > found.start && tw_is_gap(text[found.end - 1]))
        found.end--;
    return found;
}

/* ---- headings */

/* Writes a code point in lower case and without accents. Returns the number of bytes. */
static size_t put_letter(utf8proc_int32_t point, char *out)
{
    utf8proc_int32_t points[4];
    size_t size = 0;
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(
        point, points, 4,
        UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK | UTF8PROC_COMPAT, &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < 4; i++)
        size += (size_t)utf8proc_encode_char(points[i], (utf8proc_uint8_t *)out + size);
    return size;
}

static bool is_letter(utf8proc_int32_t point)
{
    utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

/* Writes the words of a short line, terminated, in the form of the list above. Numbers and marks of
 * a heading are dropped. */
static void spell(const char *text, list_line from, char out[4 * 4 * LONGEST_HEADING + 2])
{
    size_t length = 0;
    utf8proc_int32_t point;
    for (size_t at = from.start; at < from.end;) {
        utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                 (utf8proc_ssize_t)(from.end - at), &point);
        if (size > 0 && is_letter(point))
            length += put_letter(point, out + length);
        else if (length > 0 && out[length - 1] != ' ')
            out[length++] = ' ';
        at += size > 0 ? (size_t)size : 1;
    }
    length -= length > 0 && out[length - 1] == ' ';
    out[length] = '\0';
}

/* The words after a number in letters: "a references", "vii references". */
static const char *without_number(const char *words)
{
    size_t numerals = strspn(words, "ivxlc");
    if (numerals == 0)
        numerals = words[0] >= 'a' && words[0] <= 'z' && words[1] == ' ';
    return words[numerals] == ' ' ? words + numerals + 1 : words;
}

static bool is_one_of(const char *words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words, list[i]) == 0)
            return true;
    return false;
}

/* A quick test that most lines fail: by their length, or by the number of their blanks. */
static bool may_be_heading(const char *text, list_line at)
{
    size_t blanks = 0;
    if (at.end == at.start || at.end - at.start > LONGEST_HEADING)
        return false;
    for (size_t i = at.start; i < at.end && blanks <= MOST_BLANKS; i++)
        blanks += text[i] == ' ';
    return blanks <= MOST_BLANKS;
}

static bool is_heading(const char *text, list_line at)
{
    char words[4 * 4 * LONGEST_HEADING + 2];
    if (!may_be_heading(text, at) ||
        tw_is_digit(text[at.end - 1])) /* a line of a table of contents */
        return false;
    spell(text, at, words);
    return is_one_of(without_number(words), headings, sizeof headings / sizeof *headings);
}

/* ---- entries */

/* Whether a number is a year, or pages such as 12-34. *at moves past the number. */
static bool take_entry_number(const char *text, size_t end, size_t *at)
{
    size_t start = *at;
    while (*at < end && tw_is_digit(text[*at]))
        ++*at;
    size_t digits = *at - start;
    bool year = digits == 4 && (memcmp(text + start, "20", 2) == 0 ||
                                (text[start] == '1' && text[start + 1] >= '5'));
    if (year)
        return true;
    size_t dash = end - *at >= 3 && memcmp(text + *at, "–", 3) == 0 ? 3 : 0;
    dash = *at < end && text[*at] == '-' ? 1 : dash;
    if (!dash || digits > 5 || *at + dash >= end || !tw_is_digit(text[*at + dash]))
        return false;
    for (*at += dash; *at < end && tw_is_digit(text[*at]);)
        ++*at;
    return true;
}

/* Whether a word is one that entries have, or an initial. *at moves past its letters. */
static bool take_entry_word(const char *text, size_t end, size_t *at)
{
    static const char *const words[] = {
        "pp",        "vol",        "eds",        "ed",          "doi",       "isbn",
        "issn",      "http",       "https",      "www",         "journal",   "press",
        "hrsg",      "verlag",     "arxiv",      "trans",       "retrieved", "accessed",
        "abgerufen", "university", "conference", "proceedings",
    };
    char word[16];
    size_t start = *at, length = 0;
    for (; *at < end && tw_is_letter(text[*at]); ++*at)
        if (length < sizeof word - 1)
            word[length++] = tw_to_lower(text[*at]);
    word[length] = '\0';
    bool dotted = *at < end && text[*at] == '.';
    if (*at - start == 1)
        return dotted && tw_is_capital(text[start]);
    return *at - start < sizeof word && is_one_of(word, words, sizeof words / sizeof *words);
}

static size_t count_signs(const char *text, list_line of)
{
    size_t signs = of.start < of.end && text[of.start] == '['; /* [1], [Smith 2001] */
    for (size_t at = of.start; at < of.end;) {
        if (tw_is_digit(text[at]))
            signs += take_entry_number(text, of.end, &at);
        else if (tw_is_letter(text[at]))
            signs += take_entry_word(text, of.end, &at);
        else
            at++;
    }
    return signs;
}

/* ---- the list */

/* Whether a line after an empty one is the heading of something else: one of the list, or one with
 * a number. */
static bool is_end(const char *text, list_line before, list_line at)
{
    char words[4 * 4 * LONGEST_HEADING + 2];
    if (!may_be_heading(text, at) || before.end > before.start)
        return false;
    spell(text, at, words);
    if (tw_is_digit(text[at.start]))
        return *words && count_signs(text, at) == 0;
    words[strcspn(words, " ")] = '\0';
    return is_one_of(words, ends, sizeof ends / sizeof *ends);
}

/* The end of the paragraph that a line is in, or of as many of its lines as LONGEST_REST allows. */
static size_t rest_of_entry(const char *text, size_t length, list_line last)
{
    list_line at = last;
    size_t end = last.end;
    while (at.next < length) {
        at = line_at(text, length, at.next);
        if (at.end == at.start || at.end - last.end > LONGEST_REST)
            break;
        end = at.end;
    }
    return end;
}

/* The end of the list that follows a heading, or the end of the heading if there is none. *next is
 * the offset at which the search for further headings goes on. */
static size_t end_of_list(const char *text, size_t length, list_line heading, size_t *next)
{
    list_line best = heading, at = heading;
    int64_t balance = 0, highest = 0;
    *next = heading.next;
    while (at.next < length) {
        list_line before = at;
        at = line_at(text, length, at.next);
        if (is_heading(text, at) || is_end(text, before, at))
            break;
        balance += (int64_t)(WORTH * count_signs(text, at)) - (int64_t)(at.end - at.start);
        if (balance > highest) {
            highest = balance;
            best = at;
        }
        *next = at.next;
    }
    return best.start == heading.start ? heading.end : rest_of_entry(text, *next, best);
}

int tw_bibliography_find(const char *text, size_t length, tw_spans *spans)
{
    int status = TWINSET_OK;
    for (size_t next = 0; next < length && status == TWINSET_OK;) {
        list_line at = line_at(text, length, next);
        next = at.next;
        if (!is_heading(text, at))
            continue;
        size_t end = end_of_list(text, length, at, &next);
        if (end > at.end)
            status = tw_spans_add(spans, at.start, end);
    }
    return status;
}
