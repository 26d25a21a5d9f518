/*
 * Normalisation: UTF-8 of any quality to the text of the tokens.
 *
 * ASCII goes through a table of 128 entries. Everything else is decoded, decomposed, put in
 * canonical order and composed again by utf8proc's tables, one sequence at a time: a character and
 * those after it that may combine with it. Most sequences are one character, whose result is
 * cached: a character takes about 10 ns from the cache, and 300 otherwise.
 */
#include "normalise.h"

#include <string.h>

#include <utf8proc.h>

#include "characters.h"
#include "window.h"

enum {
    NOTHING = -1,         /* replaces a character that is dropped */
    REPLACEMENT = 0xFFFD, /* replaces bytes that cannot be decoded */
    CACHE_SIZE = 4096,    /* characters in the cache */
    SHORT = 10,           /* bytes of a result that fits into the cache, at most */
};

/* What one character becomes. The bytes hold a character of three bytes with a space on either
 * side, and the expansions of most compatibility forms. */
struct tw_cached_character {
    int32_t point;
    bool ignorable : 1, word : 1;
    bool starts : 1; /* it combines with no character before it */
    bool has_space : 1;
    uint8_t length; /* above SHORT: the bytes do not fit, and are computed each time */
    char bytes[SHORT];
};

/* ---- rules for one character */

static bool is_punctuation(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
        return true;
    default:
        return false;
    }
}

/* The property White_Space, for which utf8proc has no table. It has not changed since 2002. */
static bool is_space(int32_t point)
{
    return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xA0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
           point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

/* The character, or what replaces it by the rules for punctuation and spaces. For words,
 * everything that is no word becomes a space. */
static int32_t apply_rules(const tw_normaliser *normaliser, int32_t point)
{
    int rule = normaliser->options->punctuation;
    if (rule != TWINSET_PUNCTUATION_KEEP && is_punctuation(point)) {
        if (rule == TWINSET_PUNCTUATION_DROP)
            return NOTHING;
        point = ' ';
    }
    if (normaliser->options->by == TWINSET_BY_WORD)
        return tw_is_word(point) ? point : ' ';
    if (normaliser->spaces == TWINSET_SPACES_KEEP || !is_space(point))
        return point;
    return normaliser->spaces == TWINSET_SPACES_DROP ? NOTHING : ' ';
}

void tw_normaliser_init(tw_normaliser *normaliser, const twinset_options *options, bool stop)
{
    *normaliser = (tw_normaliser){
        .options = options, .spaces = options->spaces, .kernels = tw_text_kernels_now()};
    bool words = options->by == TWINSET_BY_WORD;
    if (words || (stop && options->spaces == TWINSET_SPACES_DROP))
        normaliser->spaces = TWINSET_SPACES_SQUEEZE;
    bool fold = options->letter_case == TWINSET_CASE_FOLD;
    tw_ascii_filter *ascii = &normaliser->ascii;
    ascii->squeeze = normaliser->spaces != TWINSET_SPACES_KEEP;
    for (int32_t c = 0; c < 128; c++) {
        int32_t point = apply_rules(normaliser, fold ? tw_to_lower((char)c) : c);
        ascii->to[c] = point == NOTHING ? TW_DROP : (unsigned char)point;
    }
    if (!ascii->squeeze)
        ascii->to['\r'] = '\n';
    tw_normaliser_reset(normaliser);
}

void tw_normaliser_resume(tw_normaliser *normaliser)
{
    normaliser->ascii.after_space = true;
    normaliser->ascii.after_return = false;
    normaliser->in_word = normaliser->hidden = false;
}

void tw_normaliser_reset(tw_normaliser *normaliser)
{
    tw_normaliser_resume(normaliser);
    normaliser->flags = 0;
}

void tw_normaliser_free(tw_normaliser *normaliser)
{
    tw_free(normaliser->cache);
    tw_free(normaliser->points.data);
    tw_free(normaliser->folded.data);
    tw_bytes_free(&normaliser->rendered);
}

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* ---- decoding */

/* Reads one code point and returns its length in bytes. The point is NOTHING for broken bytes: the
 * longest run of them that could start a valid code point, as Unicode recommends. */
static size_t decode(const char *text, size_t length, int32_t *point)
{
    const unsigned char *u = (const unsigned char *)text;
    unsigned char lead = u[0], low = 0x80, high = 0xBF;
    size_t need = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, good = 1;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    else if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4)
        high = 0; /* no byte after it is valid */
    while (good < need && good < length && u[good] >= low && u[good] <= high) {
        low = 0x80;
        high = 0xBF;
        good++;
    }
    if (good == need)
        return tw_utf8_next(text, point);
    *point = NOTHING;
    return good;
}

/* ---- one sequence */

/* Appends the decomposition of one character. */
static int decompose(int32_t point, utf8proc_option_t options, tw_points *points)
{
    for (size_t need = 32;;) {
        int status = TW_GROW(points->data, points->capacity, points->count + need);
        if (status != TWINSET_OK)
            return status;
        size_t free_count = points->capacity - points->count;
        int boundary = 0;
        utf8proc_ssize_t got = utf8proc_decompose_char(
            point, points->data + points->count, (utf8proc_ssize_t)free_count, options, &boundary);
        need = got > 0 ? (size_t)got : 0;
        if (need <= free_count) {
            points->count += need;
            return TWINSET_OK;
        }
    }
}

/* How characters are decomposed before their marks are put in order: where case is folded,
 * compatible forms as well, since some of those are marks (U+FF9F). */
static utf8proc_option_t decomposition_of(const tw_normaliser *normaliser)
{
    bool is_folding = normaliser->options->letter_case == TWINSET_CASE_FOLD;
    return UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | (is_folding ? UTF8PROC_COMPAT : 0);
}

/* Puts marks into canonical order, which is by class: those on one letter may be typed in any
 * order. A mark moves past 30 others at most, the limit of Unicode's stream-safe text, so that no
 * file can make this slow. */
static void reorder(tw_points *sequence)
{
    int32_t *points = sequence->data;
    for (size_t i = 1; i < sequence->count; i++) {
        int32_t point = points[i];
        int class = utf8proc_get_property(point)->combining_class;
        size_t at = i;
        while (class && at > 0 && i - at < 30 &&
               utf8proc_get_property(points[at - 1])->combining_class > class) {
            points[at] = points[at - 1];
            at--;
        }
        points[at] = point;
    }
}

/* Folds the case of the decomposed sequence. Its marks must be in order, since one of them, the
 * Greek iota below a letter, becomes a letter. */
static int fold(tw_normaliser *normaliser)
{
    tw_points *folded = &normaliser->folded;
    folded->count = 0;
    for (size_t i = 0; i < normaliser->points.count; i++) {
        int status = decompose(
            normaliser->points.data[i],
            UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD, folded);
        if (status != TWINSET_OK)
            return status;
    }
    reorder(folded);
    return TWINSET_OK;
}

static void put_point(tw_bytes *out, int32_t point)
{
    out->length += (size_t)utf8proc_encode_char(point, (utf8proc_uint8_t *)out->data + out->length);
}

/* Composes the points and applies the rules. The result is in `rendered`; spaces in it are still
 * to be squeezed. */
static int render(tw_normaliser *normaliser, tw_points *points)
{
    tw_bytes *out = &normaliser->rendered;
    utf8proc_ssize_t composed = utf8proc_normalize_utf32(
        points->data, (utf8proc_ssize_t)points->count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    size_t count = composed > 0 ? (size_t)composed : 0;
    bool words = normaliser->options->by == TWINSET_BY_WORD;
    out->length = 0;
    int status = tw_bytes_reserve(out, 6 * count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        int32_t point = apply_rules(normaliser, points->data[i]);
        if (point == NOTHING)
            continue;
        bool alone = words && tw_is_unspaced(point);
        if (alone)
            put_point(out, ' ');
        put_point(out, point);
        if (alone)
            put_point(out, ' ');
    }
    return status;
}

/* Renders the decomposed points. */
static int render_points(tw_normaliser *normaliser)
{
    reorder(&normaliser->points);
    if (normaliser->options->letter_case != TWINSET_CASE_FOLD)
        return render(normaliser, &normaliser->points);
    int status = fold(normaliser);
    return status == TWINSET_OK ? render(normaliser, &normaliser->folded) : status;
}

/* ---- the cache of characters */

/* Whether this point of a decomposition combines with no character before it. Beyond the first
 * plane this holds for Han and pictures alone, since the rules of rare scripts still grow. */
static bool is_base(int32_t point)
{
    const utf8proc_property_t *property = utf8proc_get_property(point);
    bool mark = property->category == UTF8PROC_CATEGORY_MN ||
                property->category == UTF8PROC_CATEGORY_MC ||
                property->category == UTF8PROC_CATEGORY_ME || property->combining_class;
    bool inner_jamo = (point >= 0x1160 && point <= 0x11FF) || (point >= 0xD7B0 && point <= 0xD7FF);
    return !mark && !inner_jamo && (point < 0x10000 || point >= 0x1F000);
}

static int fill_cache(tw_normaliser *normaliser, int32_t point, tw_cached_character *entry)
{
    bool folding = normaliser->options->letter_case == TWINSET_CASE_FOLD;
    tw_points *points = &normaliser->points;
    *entry = (tw_cached_character){.ignorable = tw_is_ignorable(point), .word = tw_is_word(point)};
    points->count = 0;
    int status = decompose(point, decomposition_of(normaliser), points);
    if (status == TWINSET_OK)
        status = render_points(normaliser);
    if (status != TWINSET_OK)
        return status;
    entry->point = point;
    if (entry->ignorable)
        return TWINSET_OK;
    entry->starts = is_base(point) && is_base(points->data[0]) &&
                    (!folding || is_base(normaliser->folded.data[0]));
    size_t length = normaliser->rendered.length;
    entry->length = length <= SHORT ? (uint8_t)length : SHORT + 1;
    if (length <= SHORT)
        memcpy(entry->bytes, normaliser->rendered.data, length);
    entry->has_space = memchr(entry->bytes, ' ', sizeof entry->bytes) != NULL;
    return TWINSET_OK;
}

/* ---- the sequences of a text */

/* The character at an offset of a text. */
typedef struct character {
    int32_t point;
    bool broken;                       /* it cannot be decoded, and U+FFFD replaces it */
    bool unclear;                      /* it depends on bytes that are still to come */
    size_t size;                       /* in bytes */
    const tw_cached_character *cached; /* NULL for ASCII and at the end of the text */
} character;

static inline int read_character(tw_normaliser *normaliser, const char *text, size_t length,
                                 bool last, character *found)
{
    *found = (character){.unclear = !length && !last};
    if (!length)
        return TWINSET_OK;
    found->size = decode(text, length, &found->point);
    if (is_ascii(*text))
        return TWINSET_OK;
    if (found->point == NOTHING) {
        found->point = REPLACEMENT;
        found->broken = true;
        found->unclear = found->size == length && !last;
    }
    tw_cached_character *cached = &normaliser->cache[found->point % CACHE_SIZE];
    found->cached = cached;
    return cached->point == found->point ? TWINSET_OK
                                         : fill_cache(normaliser, found->point, cached);
}

static inline bool joins_sequence(const character *next)
{
    return next->cached && !next->cached->starts;
}

/* Notes a character, to flag invisible ones within a word. */
static void note_character(tw_normaliser *normaliser, bool ignorable, bool word)
{
    if (ignorable) {
        normaliser->hidden = normaliser->in_word;
        return;
    }
    if (normaliser->hidden && word)
        normaliser->flags |= TWINSET_FLAG_HIDDEN_CHARACTERS;
    normaliser->hidden = false;
    normaliser->in_word = word;
}

/* Decodes a sequence and decomposes it, without invisible characters. */
static int decompose_sequence(tw_normaliser *normaliser, const char *text, size_t length)
{
    int status = TWINSET_OK;
    normaliser->points.count = 0;
    for (size_t i = 0; i < length && status == TWINSET_OK;) {
        int32_t point;
        i += decode(text + i, length - i, &point);
        if (point == NOTHING) {
            normaliser->flags |= TWINSET_FLAG_INVALID_UTF8;
            point = REPLACEMENT;
        }
        bool ignorable = tw_is_ignorable(point);
        note_character(normaliser, ignorable, tw_is_word(point));
        if (!ignorable)
            status = decompose(point, decomposition_of(normaliser), &normaliser->points);
    }
    return status;
}

/* Appends bytes, and squeezes spaces if the rule says so. */
static int put_bytes(tw_normaliser *normaliser, const char *bytes, size_t length, tw_bytes *out)
{
    tw_ascii_filter *ascii = &normaliser->ascii;
    int status = tw_bytes_reserve(out, length);
    for (size_t i = 0; i < length && status == TWINSET_OK; i++) {
        bool space = bytes[i] == ' ';
        if (space && ascii->squeeze && ascii->after_space)
            continue;
        out->data[out->length++] = bytes[i];
        ascii->after_space = space;
    }
    ascii->after_return = false;
    return status;
}

static int put_sequence(tw_normaliser *normaliser, const char *text, size_t length, tw_bytes *out)
{
    int status = decompose_sequence(normaliser, text, length);
    if (status == TWINSET_OK)
        status = render_points(normaliser);
    if (status != TWINSET_OK)
        return status;
    return put_bytes(normaliser, normaliser->rendered.data, normaliser->rendered.length, out);
}

/* Appends a character that no other joins. */
static int put_single(tw_normaliser *normaliser, const character *one, const char *text,
                      tw_bytes *out)
{
    const tw_cached_character *cached = one->cached;
    if (!cached) {
        char to = (char)normaliser->ascii.to[one->point];
        note_character(normaliser, false, tw_is_alnum(*text));
        return put_bytes(normaliser, &to, (unsigned char)to != TW_DROP, out);
    }
    /* The next character may have replaced it in the cache. */
    if (cached->point != one->point || cached->length > SHORT)
        return put_sequence(normaliser, text, one->size, out);
    if (one->broken)
        normaliser->flags |= TWINSET_FLAG_INVALID_UTF8;
    note_character(normaliser, cached->ignorable, cached->word);
    if (cached->has_space || out->capacity - out->length < SHORT)
        return put_bytes(normaliser, cached->bytes, cached->length, out);
    memcpy(out->data + out->length, cached->bytes, SHORT);
    out->length += cached->length;
    if (cached->length)
        normaliser->ascii.after_space = false;
    normaliser->ascii.after_return = false;
    return TWINSET_OK;
}

/* Whether the text goes on with one ASCII letter and then a character beyond ASCII, as in `été`. */
static bool is_short_ascii(const char *text, size_t length)
{
    return length > 1 && tw_may_carry_mark(text[0]) && !is_ascii(text[1]);
}

/* Takes sequences up to the next stretch of ASCII, or to a sequence whose end is still to come. A
 * sequence of too many marks is cut. */
static int take_sequences(tw_normaliser *normaliser, const char *text, size_t length, bool last,
                          size_t *taken, tw_bytes *out)
{
    character one, other, *first = &one, *next = &other;
    *taken = 0;
    if (!normaliser->cache)
        normaliser->cache = tw_calloc(CACHE_SIZE, sizeof *normaliser->cache);
    if (!normaliser->cache)
        return TWINSET_NOMEM;
    int status = read_character(normaliser, text, length, last, first);
    while (status == TWINSET_OK && !first->unclear) {
        const char *sequence = text + *taken;
        size_t left = length - *taken, end = first->size;
        for (;; end += next->size) {
            status = read_character(normaliser, sequence + end, left - end, last, next);
            if (status != TWINSET_OK || next->unclear || !joins_sequence(next) ||
                end >= TW_SEQUENCE_BYTES)
                break;
        }
        if (status != TWINSET_OK || (next->unclear && end < TW_SEQUENCE_BYTES))
            break;
        if (end == first->size)
            status = put_single(normaliser, first, sequence, out);
        else
            status = put_sequence(normaliser, sequence, end, out);
        *taken += end;
        if (!next->cached && !is_short_ascii(text + *taken, length - *taken))
            break;
        character *swap = first;
        first = next;
        next = swap;
    }
    return status;
}

/* ---- texts */

static int take_ascii(tw_normaliser *normaliser, const char *text, size_t length, size_t *taken,
                      tw_bytes *out)
{
    int status = tw_bytes_reserve(out, length + TW_SLACK);
    if (status != TWINSET_OK)
        return status;
    if (normaliser->hidden && length && is_ascii(*text))
        note_character(normaliser, false, tw_is_alnum(*text));
    char *end = out->data + out->length;
    *taken = normaliser->kernels->put_ascii(&normaliser->ascii, text, length, &end);
    out->length = (size_t)(end - out->data);
    if (*taken)
        normaliser->in_word = false;
    return TWINSET_OK;
}

int tw_normalise(tw_normaliser *normaliser, const char *text, size_t length, bool last,
                 size_t *taken, tw_bytes *out)
{
    /* The next chunk may start with a mark on the last letter. */
    bool hold = !last && length && tw_may_carry_mark(text[length - 1]);
    size_t end = hold ? length - 1 : length, size;
    int status = TWINSET_OK;
    *taken = 0;
    while (*taken < end && status == TWINSET_OK) {
        status = take_ascii(normaliser, text + *taken, end - *taken, &size, out);
        if (status != TWINSET_OK)
            return status;
        *taken += size;
        if (*taken == end)
            return TWINSET_OK;
        status = take_sequences(normaliser, text + *taken, length - *taken, last, &size, out);
        *taken += size;
        if (!size)
            return status;
    }
    return status;
}
