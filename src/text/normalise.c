/*
 * Normalisation: UTF-8 of any quality to clean UTF-8 in one form.
 *
 * Runs of ASCII go through a table of 128 entries, about 1 ns a byte. Everything else is
 * decoded, decomposed, put in canonical order and composed again by utf8proc's tables,
 * in runs from one ASCII character before to the next ASCII character after: no ASCII
 * character is ever changed by what stands before it, so a run can be treated alone.
 */
#include <string.h>
#include <utf8proc.h>

#include "text/text.h"

enum {
    DROP = 0xFF,          /* in the ASCII table */
    REPLACEMENT = 0xFFFD, /* for what cannot be decoded */
    SOFT_HYPHEN = 0xAD,
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

/* The property White_Space, of which no table is at hand; it has not changed since 2002. */
static bool is_space(int32_t point)
{
    return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xA0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
           point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

/* Default_Ignorable_Code_Point. utf8proc leaves out those that are not assigned yet, but
 * they are as invisible as the others. */
static bool is_ignorable(int32_t point)
{
    return utf8proc_get_property(point)->ignorable || point == 0x2065 ||
           (point >= 0xFFF0 && point <= 0xFFF8) || (point >= 0xE0000 && point <= 0xE0FFF);
}

/* What stands for a character by the rules for punctuation and spaces; 0: nothing. NUL
 * itself does not come this far. */
static int32_t apply_rules(const tw_normaliser *normaliser, int32_t point)
{
    int rule = normaliser->options->punctuation;
    if (rule != TWINSET_PUNCTUATION_KEEP && is_punctuation(point))
        return rule == TWINSET_PUNCTUATION_SPACE ? ' ' : 0;
    return normaliser->spaces_as_one && is_space(point) ? ' ' : point;
}

void tw_normaliser_init(tw_normaliser *normaliser, const twinset_options *options)
{
    *normaliser = (tw_normaliser){.options = options};
    normaliser->spaces_as_one =
        options->spaces != TWINSET_SPACES_KEEP || options->by == TWINSET_BY_WORD;
    bool fold = options->letter_case == TWINSET_CASE_FOLD;
    for (int32_t c = 1; c < 128; c++) {
        int32_t point = apply_rules(normaliser, fold && c >= 'A' && c <= 'Z' ? c + 32 : c);
        normaliser->ascii[c] = point ? (unsigned char)point : DROP;
    }
}

void tw_normaliser_reset(tw_normaliser *normaliser)
{
    normaliser->after_return = normaliser->hidden_pending = false;
    normaliser->flags = 0;
}

void tw_normaliser_free(tw_normaliser *normaliser)
{
    tw_free(normaliser->points.data);
    tw_free(normaliser->folded.data);
}

/* ---- decoding */

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* Length of the broken sequence that text starts with: its longest part that could have
 * been the start of a good one, as Unicode recommends (one U+FFFD for each). */
static size_t broken_length(const unsigned char *text, size_t length)
{
    unsigned char lead = text[0], low = 0x80, high = 0xBF;
    size_t need = lead >= 0xC2 && lead <= 0xDF   ? 2
                  : lead >= 0xE0 && lead <= 0xEF ? 3
                  : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                 : 1;
    if (lead == 0xE0)
        low = 0xA0;
    if (lead == 0xED)
        high = 0x9F;
    if (lead == 0xF0)
        low = 0x90;
    if (lead == 0xF4)
        high = 0x8F;
    size_t good = 1;
    while (good < need && good < length && text[good] >= low && text[good] <= high) {
        low = 0x80;
        high = 0xBF;
        good++;
    }
    return good;
}

static size_t decode(const char *text, size_t length, int32_t *point)
{
    utf8proc_ssize_t got =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, point);
    if (got > 0)
        return (size_t)got;
    *point = -1;
    return broken_length((const unsigned char *)text, length);
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

/* ---- runs that are not ASCII */

static void put_point(tw_bytes *out, int32_t point)
{
    out->length += (size_t)utf8proc_encode_char(point, (utf8proc_uint8_t *)out->data + out->length);
}

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

/* Whether the character that text starts with belongs to a word. */
static bool word_follows(const char *text, size_t length)
{
    int32_t point;
    return length && decode(text, length, &point) && point >= 0 && tw_is_word(point);
}

/* Notes an invisible character inside a word; the next character may be in the next piece. */
static void note_hidden(tw_normaliser *normaliser, const char *text, size_t length)
{
    if (length == 0)
        normaliser->hidden_pending = true;
    else if (word_follows(text, length))
        normaliser->flags |= TWINSET_FLAG_HIDDEN_CHARACTERS;
}

/* Decodes a run and decomposes it, without invisible characters. `after` bytes follow the
 * run; they are only looked at. */
static int decompose_run(tw_normaliser *normaliser, const char *text, size_t length, size_t after)
{
    bool in_word = false;
    normaliser->points.count = 0;
    for (size_t i = 0; i < length;) {
        int32_t point;
        i += decode(text + i, length - i, &point);
        if (point < 0) {
            normaliser->flags |= TWINSET_FLAG_INVALID_UTF8;
            point = REPLACEMENT;
        }
        if (is_ignorable(point)) {
            if (in_word)
                note_hidden(normaliser, text + i, length + after - i);
            continue;
        }
        in_word = tw_is_word(point);
        int status = decompose(point, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE, &normaliser->points);
        if (status != TWINSET_OK)
            return status;
    }
    reorder(&normaliser->points);
    return TWINSET_OK;
}

/* Folds the decomposed run: marks must be in order by then, since one of them, the Greek
 * iota below, becomes a letter. */
static int fold_run(tw_normaliser *normaliser)
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

static int normalise_run(tw_normaliser *normaliser, const char *text, size_t length, size_t after,
                         tw_bytes *out)
{
    bool fold = normaliser->options->letter_case == TWINSET_CASE_FOLD;
    int status = decompose_run(normaliser, text, length, after);
    if (status == TWINSET_OK && fold)
        status = fold_run(normaliser);
    if (status != TWINSET_OK)
        return status;
    tw_points *points = fold ? &normaliser->folded : &normaliser->points;
    utf8proc_ssize_t composed = utf8proc_normalize_utf32(
        points->data, (utf8proc_ssize_t)points->count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    size_t count = composed > 0 ? (size_t)composed : 0;
    status = tw_bytes_reserve(out, 4 * count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        int32_t point = apply_rules(normaliser, points->data[i]);
        if (point)
            put_point(out, point);
    }
    return status;
}

/* ---- runs of ASCII */

/* Line ends become \n. This matters only where spaces stay as they are. */
static size_t put_line_end(tw_normaliser *normaliser, char c, char *out)
{
    bool second_half = c == '\n' && normaliser->after_return;
    normaliser->after_return = c == '\r';
    if (second_half)
        return 0;
    *out = normaliser->spaces_as_one ? ' ' : '\n';
    return 1;
}

static int normalise_ascii(tw_normaliser *normaliser, const char *text, size_t length,
                           tw_bytes *out)
{
    int status = tw_bytes_reserve(out, length);
    if (status != TWINSET_OK)
        return status;
    char *end = out->data + out->length;
    for (size_t i = 0; i < length; i++) {
        if (TW_UNLIKELY(text[i] == '\r' || text[i] == '\n')) {
            end += put_line_end(normaliser, text[i], end);
            continue;
        }
        unsigned char c = normaliser->ascii[(unsigned char)text[i]];
        *end = (char)c;
        end += c != DROP;
        normaliser->after_return = false;
    }
    out->length = (size_t)(end - out->data);
    return TWINSET_OK;
}

/* Such a character belongs to the run after it: there may be a mark that it composes with. */
static bool may_carry_mark(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c >= '<' && c <= '>');
}

static size_t ascii_length(const char *text, size_t length)
{
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (i < length && is_ascii(text[i]))
        i++;
    return i;
}

/* ---- pieces */

/* Characters that stay apart from what stands before them, whatever it is: no mark, no
 * part of a syllable, nothing that decomposes into one. A short list of the usual scripts
 * suffices; other places are simply not cut at. */
static bool starts_afresh(int32_t point)
{
    return point >= 0 &&
           ((point < 0x300 && point != SOFT_HYPHEN) || (point >= 0x0400 && point <= 0x0481) ||
            (point >= 0x05D0 && point <= 0x05EA) || (point >= 0x0620 && point <= 0x064A) ||
            (point >= 0x0E01 && point <= 0x0E30) || (point >= 0x3041 && point <= 0x3096) ||
            (point >= 0x30A1 && point <= 0x30FA) || (point >= 0x4E00 && point <= 0x9FFF) ||
            (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0x1F300 && point <= 0x1F64F));
}

size_t tw_normalise_cut(const char *text, size_t length, size_t wanted)
{
    if (length <= wanted)
        return length;
    for (size_t cut = wanted; cut < length; cut++) {
        int32_t point;
        if (is_ascii(text[cut]))
            return cut;
        if ((text[cut] & 0xC0) != 0x80 && decode(text + cut, length - cut, &point) &&
            starts_afresh(point))
            return cut;
    }
    return length;
}

int tw_normalise(tw_normaliser *normaliser, const char *text, size_t length, tw_bytes *out)
{
    int status = TWINSET_OK;
    if (normaliser->hidden_pending && word_follows(text, length))
        normaliser->flags |= TWINSET_FLAG_HIDDEN_CHARACTERS;
    normaliser->hidden_pending = false;
    for (size_t i = 0; i < length && status == TWINSET_OK;) {
        size_t ascii = ascii_length(text + i, length - i);
        if (i + ascii < length && ascii && may_carry_mark(text[i + ascii - 1]))
            ascii--;
        if (ascii)
            status = normalise_ascii(normaliser, text + i, ascii, out);
        i += ascii;
        if (i == length || status != TWINSET_OK)
            break;
        size_t run = 1;
        while (i + run < length && !is_ascii(text[i + run]))
            run++;
        normaliser->after_return = false;
        status = normalise_run(normaliser, text + i, run, length - i - run, out);
        i += run;
    }
    return status;
}
