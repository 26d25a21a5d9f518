/*
 * Normalisation: UTF-8 of any quality to the text of the tokens.
 *
 * ASCII goes through a table of 128 entries. Everything else is decoded, decomposed, put in
 * canonical order and composed again by utf8proc's tables, one cluster at a time: a
 * character and those after it that may combine with it. Most clusters are one character,
 * and what becomes of that is remembered; about 10 ns, against 300 to find out.
 */
#include <string.h>
#include <utf8proc.h>

#include "common.h"
#include "text.h"

enum {
    NOTHING = -1,         /* stands for a character that goes */
    REPLACEMENT = 0xFFFD, /* stands for what cannot be decoded */
    KNOWN = 4096,         /* characters remembered */
    SHORT = 10,           /* bytes of what becomes of one of them, at most */
};

/* Has room for a character of three bytes with a space on either side, and for most of what
 * compatibility forms stand for. */
struct tw_known {
    int32_t point;
    bool ignorable : 1, word : 1;
    bool afresh : 1; /* stays apart from what stands before it, whatever it is */
    bool has_space : 1;
    uint8_t length; /* past SHORT: has to be found out each time */
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

/* The property White_Space, of which no table is at hand; it has not changed since 2002. */
static bool is_space(int32_t point)
{
    return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xA0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
           point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

/* Default_Ignorable_Code_Point. utf8proc leaves out those that are not assigned yet, but
 * they are as invisible as the others. */
bool tw_is_ignorable(int32_t point)
{
    return utf8proc_get_property(point)->ignorable || point == 0x2065 ||
           (point >= 0xFFF0 && point <= 0xFFF8) || (point >= 0xE0000 && point <= 0xE0FFF);
}

/* What stands for a character by the rules for punctuation and spaces. Among words, whatever
 * else stands there is a space. */
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
    tw_ascii *ascii = &normaliser->ascii;
    ascii->squeeze = normaliser->spaces != TWINSET_SPACES_KEEP;
    for (int32_t c = 0; c < 128; c++) {
        int32_t point = apply_rules(normaliser, fold ? tw_to_lower((char)c) : c);
        ascii->to[c] = point == NOTHING ? TW_DROP : (unsigned char)point;
    }
    if (!ascii->squeeze)
        ascii->to['\r'] = '\n';
    tw_normaliser_reset(normaliser);
}

void tw_normaliser_part(tw_normaliser *normaliser)
{
    normaliser->ascii.after_space = true;
    normaliser->ascii.after_return = false;
    normaliser->in_word = normaliser->hidden = false;
}

void tw_normaliser_reset(tw_normaliser *normaliser)
{
    tw_normaliser_part(normaliser);
    normaliser->flags = 0;
}

void tw_normaliser_free(tw_normaliser *normaliser)
{
    tw_free(normaliser->known);
    tw_free(normaliser->points.data);
    tw_free(normaliser->folded.data);
    tw_bytes_free(&normaliser->rendered);
}

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* ---- decoding */

/* Reads one code point and returns its length in bytes. -1 stands for a broken sequence: its
 * longest part that could have been the start of a good one, as Unicode recommends. */
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
        high = 0; /* nothing makes it good */
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

size_t tw_utf8_next(const char *text, int32_t *point)
{
    const unsigned char *u = (const unsigned char *)text;
    if (u[0] < 0x80) {
        *point = u[0];
        return 1;
    }
    if (u[0] < 0xE0) {
        *point = (u[0] & 31) << 6 | (u[1] & 63);
        return 2;
    }
    if (u[0] < 0xF0) {
        *point = (u[0] & 15) << 12 | (u[1] & 63) << 6 | (u[2] & 63);
        return 3;
    }
    *point = (u[0] & 7) << 18 | (u[1] & 63) << 12 | (u[2] & 63) << 6 | (u[3] & 63);
    return 4;
}

/* ---- one cluster */

/* Appends the decomposition of one character. */
static int decompose(int32_t point, utf8proc_option_t options, tw_points *points)
{
    for (size_t need = 32;;) {
        int status = TW_GROW(points->data, points->capacity, points->count + need);
        if (status != TWINSET_OK)
            return status;
        size_t room = points->capacity - points->count;
        int boundary = 0;
        utf8proc_ssize_t got = utf8proc_decompose_char(point, points->data + points->count,
                                                       (utf8proc_ssize_t)room, options, &boundary);
        need = got > 0 ? (size_t)got : 0;
        if (need <= room) {
            points->count += need;
            return TWINSET_OK;
        }
    }
}

/* Marks on one letter may be typed in any order; canonical order is by class. A mark moves
 * past 30 others at most, the longest that Unicode's stream-safe text has: no file can
 * make this slow. */
static void reorder(tw_points *run)
{
    int32_t *points = run->data;
    for (size_t i = 1; i < run->count; i++) {
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

/* Folds the decomposed cluster: marks must be in order by then, since one of them, the
 * Greek iota below, becomes a letter. */
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

/* Composes the points and applies the rules; `rendered` is what comes out, but that spaces
 * are still to be squeezed. */
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

/* From decomposed points to what comes out. */
static int finish_points(tw_normaliser *normaliser)
{
    reorder(&normaliser->points);
    if (normaliser->options->letter_case != TWINSET_CASE_FOLD)
        return render(normaliser, &normaliser->points);
    int status = fold(normaliser);
    return status == TWINSET_OK ? render(normaliser, &normaliser->folded) : status;
}

/* ---- what is known of a character */

/* Whether nothing joins this point of a decomposition to what stands before it. Past the
 * first plane that is said of Han and pictures alone: the rules of rare scripts still grow. */
static bool is_base(int32_t point)
{
    const utf8proc_property_t *property = utf8proc_get_property(point);
    bool mark = property->category == UTF8PROC_CATEGORY_MN ||
                property->category == UTF8PROC_CATEGORY_MC ||
                property->category == UTF8PROC_CATEGORY_ME || property->combining_class;
    bool inner_jamo = (point >= 0x1160 && point <= 0x11FF) || (point >= 0xD7B0 && point <= 0xD7FF);
    return !mark && !inner_jamo && (point < 0x10000 || point >= 0x1F000);
}

static int find_out(tw_normaliser *normaliser, int32_t point, tw_known *known)
{
    bool folding = normaliser->options->letter_case == TWINSET_CASE_FOLD;
    tw_points *points = &normaliser->points;
    *known = (tw_known){.ignorable = tw_is_ignorable(point), .word = tw_is_word(point)};
    points->count = 0;
    int status = decompose(point, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE, points);
    if (status == TWINSET_OK)
        status = finish_points(normaliser);
    if (status != TWINSET_OK)
        return status;
    known->point = point;
    if (known->ignorable)
        return TWINSET_OK;
    known->afresh = is_base(point) && is_base(points->data[0]) &&
                    (!folding || is_base(normaliser->folded.data[0]));
    size_t length = normaliser->rendered.length;
    known->length = length <= SHORT ? (uint8_t)length : SHORT + 1;
    if (length <= SHORT)
        memcpy(known->bytes, normaliser->rendered.data, length);
    known->has_space = memchr(known->bytes, ' ', sizeof known->bytes) != NULL;
    return TWINSET_OK;
}

/* ---- clusters in a text */

/* What stands at a place in a text. */
typedef struct character {
    int32_t point;
    bool broken;           /* and U+FFFD stands for it */
    bool unclear;          /* it depends on what is still to come */
    size_t size;           /* in bytes */
    const tw_known *known; /* NULL for ASCII and where the text ends */
} character;

static inline int look_at(tw_normaliser *normaliser, const char *text, size_t length, bool last,
                          character *found)
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
    tw_known *known = &normaliser->known[found->point % KNOWN];
    found->known = known;
    return known->point == found->point ? TWINSET_OK : find_out(normaliser, found->point, known);
}

static inline bool joins(const character *next)
{
    return next->known && !next->known->afresh;
}

/* Notes invisible characters inside a word. */
static void see(tw_normaliser *normaliser, bool ignorable, bool word)
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

/* Decodes a cluster and decomposes it, without invisible characters. */
static int decompose_cluster(tw_normaliser *normaliser, const char *text, size_t length)
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
        see(normaliser, ignorable, tw_is_word(point));
        if (!ignorable)
            status = decompose(point, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE, &normaliser->points);
    }
    return status;
}

/* Appends bytes in which spaces are still to be squeezed. */
static int put_bytes(tw_normaliser *normaliser, const char *bytes, size_t length, tw_bytes *out)
{
    tw_ascii *ascii = &normaliser->ascii;
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

static int put_cluster(tw_normaliser *normaliser, const char *text, size_t length, tw_bytes *out)
{
    int status = decompose_cluster(normaliser, text, length);
    if (status == TWINSET_OK)
        status = finish_points(normaliser);
    if (status != TWINSET_OK)
        return status;
    return put_bytes(normaliser, normaliser->rendered.data, normaliser->rendered.length, out);
}

/* Puts a character that nothing joins. */
static int put_alone(tw_normaliser *normaliser, const character *one, const char *text,
                     tw_bytes *out)
{
    const tw_known *known = one->known;
    if (!known) {
        char to = (char)normaliser->ascii.to[one->point];
        see(normaliser, false, tw_is_alnum(*text));
        return put_bytes(normaliser, &to, (unsigned char)to != TW_DROP, out);
    }
    /* The next character may have taken its place in the table. */
    if (known->point != one->point || known->length > SHORT)
        return put_cluster(normaliser, text, one->size, out);
    if (one->broken)
        normaliser->flags |= TWINSET_FLAG_INVALID_UTF8;
    see(normaliser, known->ignorable, known->word);
    if (known->has_space || out->capacity - out->length < SHORT)
        return put_bytes(normaliser, known->bytes, known->length, out);
    memcpy(out->data + out->length, known->bytes, SHORT);
    out->length += known->length;
    if (known->length)
        normaliser->ascii.after_space = false;
    normaliser->ascii.after_return = false;
    return TWINSET_OK;
}

/* Whether ASCII is but a letter before the next cluster, as in `été`. */
static bool carries_on(const char *text, size_t length)
{
    return length > 1 && tw_may_carry_mark(text[0]) && !is_ascii(text[1]);
}

/* Takes clusters as long as ASCII does not come between, or until the end of one is still to
 * come. One that goes on for too long, with no end of marks, is cut. */
static int take_clusters(tw_normaliser *normaliser, const char *text, size_t length, bool last,
                         size_t *taken, tw_bytes *out)
{
    character one, other, *first = &one, *next = &other;
    *taken = 0;
    if (!normaliser->known)
        normaliser->known = tw_calloc(KNOWN, sizeof *normaliser->known);
    if (!normaliser->known)
        return TWINSET_NOMEM;
    int status = look_at(normaliser, text, length, last, first);
    while (status == TWINSET_OK && !first->unclear) {
        const char *cluster = text + *taken;
        size_t left = length - *taken, end = first->size;
        for (;; end += next->size) {
            status = look_at(normaliser, cluster + end, left - end, last, next);
            if (status != TWINSET_OK || next->unclear || !joins(next) || end >= TW_CLUSTER)
                break;
        }
        if (status != TWINSET_OK || (next->unclear && end < TW_CLUSTER))
            break;
        if (end == first->size)
            status = put_alone(normaliser, first, cluster, out);
        else
            status = put_cluster(normaliser, cluster, end, out);
        *taken += end;
        if (!next->known && !carries_on(text + *taken, length - *taken))
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
        see(normaliser, false, tw_is_alnum(*text));
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
    /* What follows may be a mark on the last letter. */
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
        status = take_clusters(normaliser, text + *taken, length - *taken, last, &size, out);
        *taken += size;
        if (!size)
            return status;
    }
    return status;
}
