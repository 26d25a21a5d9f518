#include "documents.h"

#include <math.h>

/* ---- edits: turn a text into another of about the wanted similarity */

struct edit {
    const struct vocabulary *vocabulary;
    struct dice dice;
    double similarity;
    uint64_t seed;
};

/* After adding n bytes the similarity is old / (old + n). */
static size_t bytes_to_add(const struct text *from, double similarity)
{
    return 2 + from->count * (1 - similarity) / similarity;
}

static void insert(struct edit *edit, const struct text *from, struct text *to)
{
    size_t offset = below(&edit->dice, from->count);
    while (offset > 0 && from->bytes[offset - 1] != ' ')
        offset--;
    add(to, from->bytes, offset);
    add_prose(to, edit->vocabulary, &edit->dice, bytes_to_add(from, edit->similarity));
    add(to, " ", 1);
    add(to, from->bytes + offset, from->count - offset);
}

static void append(struct edit *edit, const struct text *from, struct text *to)
{
    add(to, from->bytes, from->count);
    add(to, "\n\n", 2);
    add_prose(to, edit->vocabulary, &edit->dice, bytes_to_add(from, edit->similarity));
}

/* Many copies start with the same words, as many texts of a site do. */
static void put_header(struct edit *edit, const struct text *from, struct text *to)
{
    struct dice site = {mix(edit->seed + below(&edit->dice, 50))};
    add_prose(to, edit->vocabulary, &site, bytes_to_add(from, edit->similarity));
    add(to, "\n\n", 2);
    add(to, from->bytes, from->count);
}

static size_t count_words(const struct text *text)
{
    size_t words = 0;
    for (size_t i = 0; i < text->count; i++)
        words += is_letter(text->bytes[i]) && (i == 0 || !is_letter(text->bytes[i - 1]));
    return words;
}

static void replace_words(struct edit *edit, const struct text *from, struct text *to,
                          size_t replaced)
{
    size_t left = count_words(from);
    for (size_t i = 0, end; i < from->count; i = end) {
        bool is_word = is_letter(from->bytes[i]);
        for (end = i; end < from->count && is_letter(from->bytes[end]) == is_word;)
            end++;
        if (is_word && below(&edit->dice, left--) < replaced) {
            add_word(to, draw_word(edit->vocabulary, &edit->dice), from->bytes[i] < 'a');
            replaced--;
        } else {
            add(to, from->bytes + i, end - i);
        }
    }
}

static void replace(struct edit *edit, const struct text *from, struct text *to)
{
    /* If a fraction s of the shingles survives, similarity = s / (2 - s). A shingle overlaps about
     * 2.3 words, and a new word is often equal to the old one. */
    double survive = 2 * edit->similarity / (1 + edit->similarity);
    double share = 1 - pow(survive, 1 / 2.3);
    replace_words(edit, from, to, 1 + share * count_words(from));
}

/* Whether a section ends at i: with its paragraph, or with any sentence. */
static bool ends_section(const struct text *text, size_t i, bool sentences)
{
    return i + 1 == text->count || text->bytes[i + 1] == '\n' ||
           (sentences && text->bytes[i + 1] == ' ' && strchr(".?!", text->bytes[i]));
}

/* Shuffles paragraphs, or sentences if paragraphs would change too little. */
static void shuffle(struct edit *edit, const struct text *from, struct text *to)
{
    enum { MOST = 1000 };
    size_t starts[MOST], lengths[MOST], sections = 0, start = 0;
    bool sentences = edit->similarity < 0.85 || !memmem(from->bytes, from->count, "\n\n", 2);
    for (size_t i = 0; i < from->count && sections < MOST; i++) {
        if (from->bytes[i] == '\n' || !ends_section(from, i, sentences))
            continue;
        starts[sections] = start;
        lengths[sections] = sections + 1 == MOST ? from->count - start : i + 1 - start;
        sections++;
        for (start = i + 1; start < from->count && strchr(" \n", from->bytes[start]);)
            start++;
    }
    for (size_t i = sections; i > 0; i--) {
        size_t chosen = below(&edit->dice, i);
        add(to, from->bytes + starts[chosen], lengths[chosen]);
        if (i > 1)
            add(to, sentences ? " " : "\n\n", sentences ? 1 : 2);
        starts[chosen] = starts[i - 1];
        lengths[chosen] = lengths[i - 1];
    }
}

static void copy(struct edit *edit, const struct text *from, struct text *to)
{
    (void)edit;
    add(to, from->bytes, from->count);
}

/* ---- documents */

struct dice dice_for(const struct collection *collection, uint64_t number, uint64_t purpose)
{
    return (struct dice){mix(collection->seed + mix(number) + (purpose << 56))};
}

/* Log-normal lengths around the mean, within a factor of eight. */
static size_t draw_length(const struct collection *collection, struct dice *dice)
{
    const double spread = 0.6;
    double normal = sqrt(-2 * log(1 - fraction(dice))) * cos(6.283185307179586 * fraction(dice));
    double length = exp(spread * normal - spread * spread / 2);
    return collection->bytes * fmin(fmax(length, 0.125), 8);
}

static void write_original(const struct maker *maker, uint64_t number, struct text *to)
{
    struct dice dice = dice_for(maker->collection, number, 0);
    size_t bytes = draw_length(maker->collection, &dice);
    to->count = 0;
    add_prose(to, maker->vocabulary, &dice, bytes);
}

/* Nearly half of the copies have similarities between .8 and .9, where they are easiest to miss. */
static double draw_similarity(struct dice *dice)
{
    double kind = fraction(dice), where = fraction(dice);
    return kind < 0.15 ? 0.5 + 0.3 * where : kind < 0.6 ? 0.8 + 0.1 * where : 0.9 + 0.1 * where;
}

/* Squaring makes some documents more popular: of ten million, one has 160 copies. */
static struct origin write_copy(struct maker *maker, uint64_t number, struct text *to)
{
    static const struct {
        const char *name;
        void (*run)(struct edit *edit, const struct text *from, struct text *to);
    } edits[] = {{"insert", insert},   {"append", append},     {"replace", replace},
                 {"shuffle", shuffle}, {"header", put_header}, {"exact", copy}};
    const struct collection *collection = maker->collection;
    struct edit edit = {maker->vocabulary, dice_for(collection, number, 1), 1, collection->seed};
    double popularity = fraction(&edit.dice);
    struct origin origin = {.original = popularity * popularity * collection->originals};
    uint64_t kind = below(&edit.dice, 11) / 2;

    edit.similarity = draw_similarity(&edit.dice);
    origin.edit = edits[kind].name;
    write_original(maker, origin.original, &maker->scratch);
    to->count = 0;
    edits[kind].run(&edit, &maker->scratch, to);
    return origin;
}

/* The first document of the bucket is the original of the others, which differ from it in one or
 * two words. */
static struct origin write_hot(struct maker *maker, uint64_t number, struct text *to)
{
    uint64_t first = maker->collection->originals + maker->collection->copies;
    struct edit edit = {maker->vocabulary, dice_for(maker->collection, number, 1), 1, 0};
    write_original(maker, first, &maker->scratch);
    to->count = 0;
    if (number == first) {
        copy(&edit, &maker->scratch, to);
        return (struct origin){0};
    }
    replace_words(&edit, &maker->scratch, to, 1 + number % 2);
    return (struct origin){"hot", first};
}

struct origin write_document(struct maker *maker, uint64_t number, struct text *to)
{
    const struct collection *collection = maker->collection;
    if (number >= collection->originals + collection->copies)
        return write_hot(maker, number, to);
    if (number >= collection->originals)
        return write_copy(maker, number, to);
    write_original(maker, number, to);
    return (struct origin){0};
}
