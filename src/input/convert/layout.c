/*
 * Recovers the text that was laid out on pages.
 *
 * Headers, footers and page numbers are lines at the edge of a page that repeat on others, but for
 * their numbers. They go. A hyphen at the end of a line goes if the word without it occurs
 * elsewhere in the text, and stays if the word with it does. Otherwise it goes if the layout
 * hyphenates at all, which the other hyphens or their number show. Either way the halves of the
 * word are joined.
 *
 * The time is linear in the text, but for the search for a word among all; 8 bytes a word.
 */
#include "convert/layout.h"

#include <string.h>
#include <utf8proc.h>

#include "common.h"
#include "convert.h"

/* ---- pages: what repeats at their edges */

/* A line is at the edge if it is among the first two or last two of a page. A repeated one has its
 * like on a third of the pages, since left and right pages may have their own; so there are twelve
 * of them at most. */
enum { EDGE = 2, EDGES = 2 * EDGE, MOST_REPEATED = 3 * EDGES };

typedef struct span {
    const char *at, *end;
} span;

typedef struct repeated {
    uint64_t keys[MOST_REPEATED];
    bool seen[MOST_REPEATED];
    size_t count;
} repeated;

/* The next page. What follows the last form feed is one, too. */
static span next_page(const char *at, const char *end)
{
    const char *feed = memchr(at, '\f', (size_t)(end - at));
    return (span){at, feed ? feed : end};
}

static uint64_t hash_on(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3); /* FNV-1a */
}

static bool is_roman(span line)
{
    if (line.end - line.at > 8)
        return false;
    for (; line.at < line.end; line.at++)
        if (!strchr("ivxlc", *line.at))
            return false;
    return true;
}

static span without_space(span line)
{
    while (line.at < line.end && tw_is_white(*line.at))
        line.at++;
    while (line.at < line.end && tw_is_white(line.end[-1]))
        line.end--;
    return line;
}

/* A hash that is equal for lines that differ in numbers and white space alone; 0: the line is
 * empty. */
static uint64_t hash_line(span line)
{
    line = without_space(line);
    if (line.at == line.end)
        return 0;
    if (is_roman(line))
        return tw_mix64(hash_on(1, '0'));
    uint64_t hash = 1;
    unsigned char before = 0;
    for (; line.at < line.end; line.at++) {
        unsigned char byte = (unsigned char)*line.at;
        byte = tw_is_digit(byte) ? '0' : tw_is_white(byte) ? ' ' : byte;
        if (byte != before || (byte != '0' && byte != ' '))
            hash = hash_on(hash, byte);
        before = byte;
    }
    return tw_mix64(hash);
}

/* Finds the lines at the edges of a page that are not empty, in their order. */
static size_t find_edges(span page, span lines[EDGES])
{
    size_t count = 0, below = 0;
    const char *at = page.at, *end = page.end;
    for (const char *next; at < end && count < EDGE; at = next) {
        next = tw_next_line(at, end);
        if (hash_line((span){at, next}))
            lines[count++] = (span){at, next};
    }
    while (end > at && below < EDGE) {
        const char *start = end - 1;
        while (start > at && start[-1] != '\n')
            start--;
        if (hash_line((span){start, end}))
            lines[count + below++] = (span){start, end};
        end = start;
    }
    if (below == EDGE) {
        span last = lines[count];
        lines[count] = lines[count + 1];
        lines[count + 1] = last;
    }
    return count + below;
}

/* Keeps the keys that occur at least `least` times in a sorted array. */
static void keep_frequent(const uint64_t *keys, size_t count, size_t least, repeated *repeats)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && keys[next] == keys[i];)
            next++;
        if (next - i >= least)
            repeats->keys[repeats->count++] = keys[i];
    }
}

/* Collects the keys of all lines at edges, each once for a page. */
static int collect_keys(const tw_bytes *text, tw_u64s *keys, size_t *pages)
{
    const char *end = text->data + text->length;
    *pages = 0;
    for (const char *at = text->data; at < end; ++*pages) {
        span page = next_page(at, end), lines[EDGES];
        size_t first = keys->count, count = find_edges(page, lines);
        if (TW_GROW(keys->data, keys->capacity, first + EDGES) != TWINSET_OK)
            return TWINSET_NOMEM;
        for (size_t i = 0; i < count; i++) {
            uint64_t key = hash_line(lines[i]);
            size_t j = first;
            while (j < keys->count && keys->data[j] != key)
                j++;
            keys->data[j] = key;
            keys->count += j == keys->count;
        }
        at = page.end + (page.end < end);
    }
    return TWINSET_OK;
}

static int find_repeated(const tw_bytes *text, repeated *repeats)
{
    tw_u64s keys = {0};
    size_t pages;
    int status = collect_keys(text, &keys, &pages);
    uint64_t *scratch = status == TWINSET_OK ? tw_array(keys.count, sizeof *scratch) : NULL;
    if (scratch) {
        size_t third = (pages + 2) / 3;
        tw_sort_u64(keys.data, keys.count, scratch);
        keep_frequent(keys.data, keys.count, third < 2 ? 2 : third, repeats);
    }
    tw_free(scratch);
    tw_free(keys.data);
    return scratch ? TWINSET_OK : TWINSET_NOMEM;
}

static bool has_digit(span line)
{
    while (line.at < line.end && !tw_is_digit(*line.at))
        line.at++;
    return line.at < line.end;
}

/* Whether the layout has added a line. The first of its kind stays, since it may be the title,
 * unless it has a number. */
static bool is_added(repeated *repeats, span line)
{
    uint64_t key = hash_line(line);
    for (size_t i = 0; i < repeats->count; i++)
        if (repeats->keys[i] == key) {
            bool first = !repeats->seen[i];
            repeats->seen[i] = true;
            return !first || has_digit(line) || is_roman(without_space(line));
        }
    return false;
}

/* Moves a span to the end of what is kept. */
static void keep(char **out, const char *from, const char *end)
{
    memmove(*out, from, (size_t)(end - from));
    *out += end - from;
}

/* Removes form feeds and repeated lines from the text, in its memory. */
static int drop_edges(tw_bytes *text)
{
    repeated repeats = {.count = 0};
    int status = find_repeated(text, &repeats);
    if (status != TWINSET_OK)
        return status;
    const char *end = text->data + text->length;
    char *out = text->data;
    for (const char *at = text->data; at < end;) {
        span page = next_page(at, end), lines[EDGES];
        size_t count = find_edges(page, lines);
        for (size_t i = 0; i < count; i++)
            if (is_added(&repeats, lines[i])) {
                keep(&out, at, lines[i].at);
                at = lines[i].end;
            }
        keep(&out, at, page.end);
        at = page.end + (page.end < end);
    }
    text->length = (size_t)(out - text->data);
    return TWINSET_OK;
}

/* ---- hyphens at the ends of lines */

/* If one line of 30 ends in a hyphen, the layout hyphenates. If it does not, only words break that
 * are spelled with one, in about one line of a hundred. */
enum { FEW_BREAKS = 3, LINES_A_BREAK = 30 };

/* A run of letters and digits, and of hyphens between them. */
typedef struct page_word {
    const char *at, *end;
    size_t hyphen;    /* how many bytes the hyphen behind it has; 0: there is none */
    const char *next; /* the line in which the word goes on, or NULL */
} page_word;

static size_t letter_size(const char *at, const char *end)
{
    if (at >= end)
        return 0;
    if ((unsigned char)*at < 0x80)
        return tw_is_alnum(*at) ? 1 : 0;
    utf8proc_int32_t letter;
    utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)at, end - at, &letter);
    if (size <= 0)
        return 0;
    utf8proc_category_t category = utf8proc_category(letter);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_MC ? (size_t)size : 0;
}

/* Whether a hyphen is soft, U+00AD, which only says that a word may break there. */
static bool is_soft(const char *hyphen)
{
    return *hyphen == '\xC2';
}

static size_t hyphen_size(const char *at, const char *end)
{
    static const char *const hyphens[] = {"-", "\xC2\xAD", "\xE2\x80\x90"};
    for (size_t i = 0; i < sizeof hyphens / sizeof *hyphens; i++) {
        size_t size = strlen(hyphens[i]);
        if ((size_t)(end - at) >= size && memcmp(at, hyphens[i], size) == 0)
            return size;
    }
    return 0;
}

static bool next_word(span *rest, page_word *w)
{
    const char *at = rest->at, *end = rest->end;
    while (at < end && letter_size(at, end) == 0)
        at++;
    w->at = at;
    do {
        for (size_t size; (size = letter_size(at, end)) > 0;)
            at += size;
        w->end = at;
        w->hyphen = hyphen_size(at, end);
        at += w->hyphen;
    } while (w->hyphen && letter_size(at, end) > 0);
    bool breaks = w->hyphen && at < end && *at == '\n' && letter_size(at + 1, end) > 0;
    w->next = breaks ? at + 1 : NULL;
    rest->at = at;
    return w->end > w->at;
}

/* Whether the hyphen at a break may be the layout's. */
static bool may_go(const page_word *w, const char *end)
{
    utf8proc_int32_t letter = -1;
    utf8proc_iterate((const utf8proc_uint8_t *)w->next, end - w->next, &letter);
    return is_soft(w->end) || (!tw_is_digit(w->end[-1]) && utf8proc_islower(letter));
}

static uint64_t hash_word(uint64_t hash, const page_word *w)
{
    for (const char *at = w->at; at < w->end;) {
        size_t hyphen = hyphen_size(at, w->end);
        if (hyphen == 0)
            hash = hash_on(hash, (unsigned char)tw_to_lower(*at));
        else if (!is_soft(at))
            hash = hash_on(hash, '-');
        at += hyphen ? hyphen : 1;
    }
    return hash;
}

typedef struct dictionary {
    tw_u64s words;   /* hashes, sorted */
    bool hyphenates; /* the layout does, as a rule */
} dictionary;

static size_t count_lines(span text)
{
    size_t lines = 0;
    for (; text.at < text.end; text.at = tw_next_line(text.at, text.end))
        lines++;
    return lines;
}

static int collect_words(span text, tw_u64s *words)
{
    for (page_word w; next_word(&text, &w);) {
        if (w.next)
            continue;
        if (TW_GROW(words->data, words->capacity, words->count + 1) != TWINSET_OK)
            return TWINSET_NOMEM;
        words->data[words->count++] = hash_word(1, &w);
    }
    if (words->count == 0)
        return TWINSET_OK;
    uint64_t *scratch = tw_array(words->count, sizeof *scratch);
    if (!scratch)
        return TWINSET_NOMEM;
    words->count = tw_sort_unique_u64(words->data, words->count, scratch);
    tw_free(scratch);
    return TWINSET_OK;
}

static bool has_word(const tw_u64s *words, uint64_t hash)
{
    size_t first = 0, count = words->count;
    while (count > 1) {
        size_t half = count / 2;
        first += words->data[first + half] <= hash ? half : 0;
        count -= half;
    }
    return count == 1 && words->data[first] == hash;
}

/* What the text says about the hyphen at a break. */
typedef enum evidence { UNKNOWN, SPELLED_WITH, SPELLED_WITHOUT } evidence;

static evidence look_up(const dictionary *known, const page_word *w, const char *end)
{
    span rest = {w->next, end};
    page_word second;
    if (!may_go(w, end) || !next_word(&rest, &second))
        return SPELLED_WITH;
    uint64_t first = hash_word(1, w);
    if (is_soft(w->end) || has_word(&known->words, hash_word(first, &second)))
        return SPELLED_WITHOUT;
    return has_word(&known->words, hash_word(hash_on(first, '-'), &second)) ? SPELLED_WITH
                                                                            : UNKNOWN;
}

/* Whether the layout hyphenates, by the words that are known, and otherwise by how many break. */
static bool hyphenates(const dictionary *known, span text)
{
    size_t found[SPELLED_WITHOUT + 1] = {0}, lines = count_lines(text);
    for (page_word w; next_word(&text, &w);)
        if (w.next && may_go(&w, text.end))
            found[look_up(known, &w, text.end)]++;
    if (found[SPELLED_WITH] != found[SPELLED_WITHOUT])
        return found[SPELLED_WITHOUT] > found[SPELLED_WITH];
    return found[UNKNOWN] >= FEW_BREAKS && found[UNKNOWN] * LINES_A_BREAK >= lines;
}

static int join_words(span text, const dictionary *known, tw_bytes *out)
{
    const char *done = text.at, *end = text.end;
    int status = TWINSET_OK;
    for (page_word w; status == TWINSET_OK && next_word(&text, &w);) {
        if (!w.next)
            continue;
        evidence found = look_up(known, &w, end);
        bool drops = found == SPELLED_WITHOUT || (found == UNKNOWN && known->hyphenates);
        const char *stop = drops ? w.end : w.end + w.hyphen;
        status = tw_bytes_append(out, done, (size_t)(stop - done));
        done = w.next;
    }
    return status == TWINSET_OK ? tw_bytes_append(out, done, (size_t)(end - done)) : status;
}

int tw_undo_layout(tw_bytes *pages, tw_bytes *text)
{
    int status = pages->length > 0 ? drop_edges(pages) : TWINSET_OK;
    if (status != TWINSET_OK || pages->length == 0)
        return status;
    span whole = {pages->data, pages->data + pages->length};
    dictionary known = {.hyphenates = false};
    status = collect_words(whole, &known.words);
    if (status == TWINSET_OK) {
        known.hyphenates = hyphenates(&known, whole);
        status = join_words(whole, &known, text);
    }
    tw_free(known.words.data);
    return status;
}
