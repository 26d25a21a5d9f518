/*
 * Makes a collection of documents of which it is known how much they resemble each other.
 *
 * A document is a function of the seed and its number: a copy is made by writing its original
 * again and editing it, so nothing is held, and the similarity of any two can be told later
 * (--pairs) without reading the collection. Similarities are counted on the shingles themselves,
 * by code that shares nothing with twinset. One core writes 110 MB a second, truth included.
 *
 * Numbers go: originals, copies, the hot bucket, the huge document. The lines of the output are
 * in an order shuffled by the seed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: bench/generate [OPTION]...\n"
    "\n"
    "Writes JSON lines {\"id\": ..., \"text\": ...} in which some documents are near-copies of\n"
    "others. The same options give the same bytes.\n"
    "\n"
    "  --documents N     how many in all (1000)\n"
    "  --bytes N         mean length of a text (600)\n"
    "  --share X         part of them that are copies of others (0.1)\n"
    "  --unicode X       part of the words that are not ASCII (0)\n"
    "  --hot N           N of them differ from one another in a word or two (0)\n"
    "  --huge BYTES      one of them is this long (0: none)\n"
    "  --seed N          (1)\n"
    "  --in-order        originals first, then copies; else shuffled\n"
    "  --output FILE     where to write (-: standard output)\n"
    "  --truth FILE      a tab-separated line for each copy: copy, original, edit,\n"
    "                    similarity by 9 characters, by 5 words\n"
    "  --pairs FILE      no output, but lines as in --truth, without the edit, for the pairs\n"
    "                    of ids that FILE names, one a line, parted by a tab (-: standard input)\n";

struct settings {
    uint64_t documents, bytes, hot, huge, seed;
    double share, unicode;
    bool in_order;
    const char *output, *truth, *pairs;
    uint64_t originals, copies; // follow from the others
};

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "bench/generate: %s%s%s\n", what, which ? " " : "", which ? which : "");
    exit(2);
}

static void *allocate(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes);
    if (!memory)
        fail("out of memory", NULL);
    return memory;
}

// ---- chance

// splitmix64: a state may be any number, so a document's number can be its seed.
struct dice {
    uint64_t state;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint64_t roll(struct dice *dice)
{
    return mix(dice->state += 0x9e3779b97f4a7c15);
}

static uint64_t below(struct dice *dice, uint64_t limit)
{
    return (unsigned __int128)roll(dice) * limit >> 64;
}

static double fraction(struct dice *dice)
{
    return (double)(roll(dice) >> 11) * 0x1p-53;
}

static struct dice dice_for(const struct settings *settings, uint64_t number, uint64_t purpose)
{
    return (struct dice){mix(settings->seed + mix(number) + (purpose << 56))};
}

// A permutation of the numbers below count: Feistel rounds on the least even number of bits that
// hold them, repeated until the result is one of them.
static uint64_t permute(uint64_t number, uint64_t count, uint64_t seed)
{
    int half = 1;
    while (half < 32 && (count - 1) >> (2 * half))
        half++;
    uint64_t mask = (1ull << half) - 1;
    do {
        uint64_t left = number >> half, right = number & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (mix(seed + right + (round << 40)) & mask);
            left = right;
            right = next;
        }
        number = left << half | right;
    } while (number >= count);
    return number;
}

// ---- words: frequent ones short, by Zipf's law

enum { WORDS = 1 << 15, WORD_BYTES = 15 };

struct word {
    char text[WORD_BYTES]; // copied whole
    uint8_t bytes;
};

// Walker's alias table: a word is drawn by one multiplication and one comparison.
struct vocabulary {
    struct word words[WORDS];
    uint32_t keep[WORDS];
    uint16_t alias[WORDS];
};

static const char *const common[] = {
    "the",  "of",    "and",   "to",   "in",    "a",    "is",    "that", "for",  "it",   "as",
    "was",  "with",  "be",    "by",   "on",    "not",  "he",    "his",  "but",  "at",   "are",
    "this", "have",  "which", "from", "or",    "had",  "they",  "you",  "an",   "were", "her",
    "all",  "their", "we",    "one",  "there", "been", "would", "has",  "when", "who",  "will",
    "more", "no",    "if",    "out",  "so",    "said", "what",  "up",   "its",  "about"};

// Lower case, letters alone, and not changed by Unicode's folding: no sharp s, no final sigma.
static const char *const foreign[] = {
    "café",  "naïve",   "über",   "schön", "später", "année", "déjà",    "niño",
    "señor", "coração", "smörgå", "ångst", "fjörð",  "žena",  "čeština", "łódź",
    "tősgy", "iğne",    "привет", "мир",   "книга",  "город", "слово",   "λόγοι",
    "νερό",  "θάλασσα", "שלום",   "ספרים", "سلام",   "مدينة", "კარგი",   "երկիր"};

enum {
    COMMON = sizeof common / sizeof *common,
    FOREIGN = sizeof foreign / sizeof *foreign,
};

// Open syllables, and a consonant or two at the end.
static struct word make_word(struct dice *dice, int syllables)
{
    static const char onsets[][3] = {"b", "c", "d", "f", "g", "h",  "l",  "m",  "n",  "p",
                                     "r", "s", "t", "v", "w", "r",  "l",  "n",  "t",  "s",
                                     "d", "m", "",  "k", "j", "br", "ch", "st", "th", "pr"};
    static const char vowels[][3] = {"a", "e", "i", "o", "u", "a",  "e",  "i",
                                     "o", "e", "a", "e", "i", "ea", "ou", "ie"};
    static const char endings[][4] = {"",  "",  "",  "e", "n",  "r",  "s",  "t",
                                      "l", "d", "m", "y", "ng", "nt", "st", "ck"};
    char text[40] = "";
    for (int i = 0; i < syllables; i++) {
        strcat(text, onsets[below(dice, sizeof onsets / sizeof *onsets)]);
        strcat(text, vowels[below(dice, sizeof vowels / sizeof *vowels)]);
    }
    strcat(text, endings[below(dice, sizeof endings / sizeof *endings)]);
    struct word word = {.bytes = strnlen(text, WORD_BYTES)};
    memcpy(word.text, text, word.bytes);
    return word;
}

static struct word known_word(const char *text)
{
    struct word word = {.bytes = strlen(text)};
    memcpy(word.text, text, word.bytes);
    return word;
}

// Adds a word to a set of hashes; false if it was there.
static bool add_new(uint64_t *seen, size_t slots, const struct word *word)
{
    uint64_t hash = 1;
    for (int i = 0; i < word->bytes; i++)
        hash = mix(hash + (uint8_t)word->text[i]);
    size_t slot = hash % slots;
    for (; seen[slot]; slot = (slot + 1) % slots)
        if (seen[slot] == hash)
            return false;
    seen[slot] = hash;
    return true;
}

static void make_words(struct vocabulary *vocabulary)
{
    struct dice dice = {7};
    static uint64_t seen[4 * WORDS];
    for (int i = 0; i < WORDS; i++) {
        struct word *word = &vocabulary->words[i];
        int longest = i < 500 ? 2 : i < 4000 ? 3 : 4;
        do {
            if (i < COMMON)
                *word = known_word(common[i]);
            else if (i >= WORDS - FOREIGN)
                *word = known_word(foreign[i - (WORDS - FOREIGN)]);
            else
                *word = make_word(&dice, longest / 2 + below(&dice, longest - longest / 2 + 1));
        } while (!add_new(seen, sizeof seen / sizeof *seen, word));
    }
}

// Zipf-Mandelbrot for the words of rank r; foreign words share their part evenly.
static void weigh_words(double *weights, double unicode)
{
    int ranked = WORDS - FOREIGN;
    double sum = 0;
    for (int i = 0; i < ranked; i++)
        sum += weights[i] = pow(i + 2.7, -1.05);
    for (int i = 0; i < ranked; i++)
        weights[i] *= (1 - unicode) / sum;
    for (int i = ranked; i < WORDS; i++)
        weights[i] = unicode / FOREIGN;
}

static struct vocabulary *make_vocabulary(double unicode)
{
    struct vocabulary *vocabulary = allocate(NULL, sizeof *vocabulary);
    static double weights[WORDS];
    static int poor[WORDS], rich[WORDS];
    int poors = 0, riches = 0;

    make_words(vocabulary);
    weigh_words(weights, unicode);
    for (int i = 0; i < WORDS; i++) {
        weights[i] *= WORDS;
        vocabulary->alias[i] = i;
        vocabulary->keep[i] = UINT32_MAX;
        if (weights[i] < 1)
            poor[poors++] = i;
        else
            rich[riches++] = i;
    }
    while (poors && riches) {
        int few = poor[--poors], many = rich[riches - 1];
        vocabulary->keep[few] = weights[few] * UINT32_MAX;
        vocabulary->alias[few] = many;
        weights[many] -= 1 - weights[few];
        if (weights[many] < 1) {
            riches--;
            poor[poors++] = many;
        }
    }
    return vocabulary;
}

static const struct word *draw_word(const struct vocabulary *vocabulary, struct dice *dice)
{
    uint64_t bits = roll(dice);
    uint32_t i = bits >> 32 & (WORDS - 1);
    return &vocabulary->words[(uint32_t)bits <= vocabulary->keep[i] ? i : vocabulary->alias[i]];
}

// ---- texts

struct text {
    char *bytes;
    size_t count, room;
};

static void reserve(struct text *text, size_t more)
{
    if (text->room - text->count >= more)
        return;
    text->room = 2 * text->room + more;
    text->bytes = allocate(text->bytes, text->room);
}

static void add(struct text *text, const char *bytes, size_t count)
{
    reserve(text, count);
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

static void add_word(struct text *text, const struct word *word, bool capital)
{
    reserve(text, WORD_BYTES);
    char *to = text->bytes + text->count;
    memcpy(to, word->text, WORD_BYTES);
    if (capital && *to >= 'a' && *to <= 'z')
        *to += 'A' - 'a';
    text->count += word->bytes;
}

// A sentence of 5 to 24 words, some with a comma, some with a quotation.
static void add_sentence(struct text *text, const struct vocabulary *vocabulary, struct dice *dice,
                         size_t end)
{
    uint64_t bits = roll(dice);
    unsigned words = 5 + bits % 20, comma = 2 + (bits >> 8) % 16;
    unsigned quoted = bits >> 16 & 7 ? words : (bits >> 24) % words;
    for (unsigned i = 0; i < words && (i == 0 || text->count + 1 < end); i++) {
        if (i > 0)
            add(text, i == comma ? ", " : " ", i == comma ? 2 : 1);
        if (i == quoted)
            add(text, "\"", 1);
        add_word(text, draw_word(vocabulary, dice), i == 0);
        if (i == quoted)
            add(text, "\"", 1);
    }
    add(text, &"........?..!...."[bits >> 32 & 15], 1);
}

// Adds sentences in paragraphs, about so many bytes.
static void add_prose(struct text *text, const struct vocabulary *vocabulary, struct dice *dice,
                      size_t bytes)
{
    size_t start = text->count, end = start + bytes;
    while (text->count + 1 < end) {
        bool goes_on = below(dice, 4);
        if (text->count > start)
            add(text, goes_on ? " " : "\n\n", goes_on ? 1 : 2);
        add_sentence(text, vocabulary, dice, end);
    }
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte & 0x80);
}

// ---- edits: from one text to another, so that they have about the similarity asked for

struct edit {
    const struct vocabulary *vocabulary;
    struct dice dice;
    double similarity;
    uint64_t seed;
};

// What n new bytes leave of the similarity: old / (old + n).
static size_t bytes_to_add(const struct text *from, double similarity)
{
    return 2 + from->count * (1 - similarity) / similarity;
}

static void insert(struct edit *edit, const struct text *from, struct text *to)
{
    size_t at = below(&edit->dice, from->count);
    while (at > 0 && from->bytes[at - 1] != ' ')
        at--;
    add(to, from->bytes, at);
    add_prose(to, edit->vocabulary, &edit->dice, bytes_to_add(from, edit->similarity));
    add(to, " ", 1);
    add(to, from->bytes + at, from->count - at);
}

static void append(struct edit *edit, const struct text *from, struct text *to)
{
    add(to, from->bytes, from->count);
    add(to, "\n\n", 2);
    add_prose(to, edit->vocabulary, &edit->dice, bytes_to_add(from, edit->similarity));
}

// As many texts of one site do, many copies start with the same words.
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
    // A part s of the shingles survives, similarity = s / (2 - s); a shingle touches about 2.3
    // words, and a word drawn anew is often the same.
    double survive = 2 * edit->similarity / (1 + edit->similarity);
    double part = 1 - pow(survive, 1 / 2.3);
    replace_words(edit, from, to, 1 + part * count_words(from));
}

// Ends the piece at i: with its paragraph, or with any sentence.
static bool ends_piece(const struct text *text, size_t i, bool sentences)
{
    return i + 1 == text->count || text->bytes[i + 1] == '\n' ||
           (sentences && text->bytes[i + 1] == ' ' && strchr(".?!", text->bytes[i]));
}

// Shuffles paragraphs; where that would change too little, sentences.
static void shuffle(struct edit *edit, const struct text *from, struct text *to)
{
    enum { MOST = 1000 };
    size_t starts[MOST], lengths[MOST], pieces = 0, start = 0;
    bool sentences = edit->similarity < 0.85 || !memmem(from->bytes, from->count, "\n\n", 2);
    for (size_t i = 0; i < from->count && pieces < MOST; i++) {
        if (from->bytes[i] == '\n' || !ends_piece(from, i, sentences))
            continue;
        starts[pieces] = start;
        lengths[pieces] = pieces + 1 == MOST ? from->count - start : i + 1 - start;
        pieces++;
        for (start = i + 1; start < from->count && strchr(" \n", from->bytes[start]);)
            start++;
    }
    for (size_t i = pieces; i > 0; i--) {
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

// ---- documents

struct maker {
    const struct settings *settings;
    const struct vocabulary *vocabulary;
    struct text scratch;
};

struct origin {
    const char *edit; // NULL: an original
    uint64_t original;
};

// Log-normal lengths around the mean, within a factor of eight.
static size_t draw_length(const struct settings *settings, struct dice *dice)
{
    const double spread = 0.6;
    double normal = sqrt(-2 * log(1 - fraction(dice))) * cos(6.283185307179586 * fraction(dice));
    double length = exp(spread * normal - spread * spread / 2);
    return settings->bytes * fmin(fmax(length, 0.125), 8);
}

static void write_original(const struct maker *maker, uint64_t number, struct text *to)
{
    struct dice dice = dice_for(maker->settings, number, 0);
    size_t bytes = draw_length(maker->settings, &dice);
    to->count = 0;
    add_prose(to, maker->vocabulary, &dice, bytes);
}

// Nearly half of the copies are meant to be between .8 and .9, where missing one is easiest.
static double draw_similarity(struct dice *dice)
{
    double kind = fraction(dice), where = fraction(dice);
    return kind < 0.15 ? 0.5 + 0.3 * where : kind < 0.6 ? 0.8 + 0.1 * where : 0.9 + 0.1 * where;
}

// Squaring makes some documents more popular: at ten million one has 160 copies.
static struct origin write_copy(struct maker *maker, uint64_t number, struct text *to)
{
    static const struct {
        const char *name;
        void (*run)(struct edit *edit, const struct text *from, struct text *to);
    } edits[] = {{"insert", insert},   {"append", append},     {"replace", replace},
                 {"shuffle", shuffle}, {"header", put_header}, {"exact", copy}};
    const struct settings *settings = maker->settings;
    struct edit edit = {maker->vocabulary, dice_for(settings, number, 1), 1, settings->seed};
    double place = fraction(&edit.dice);
    struct origin origin = {.original = place * place * settings->originals};
    uint64_t kind = below(&edit.dice, 11) / 2;

    edit.similarity = draw_similarity(&edit.dice);
    origin.edit = edits[kind].name;
    write_original(maker, origin.original, &maker->scratch);
    to->count = 0;
    edits[kind].run(&edit, &maker->scratch, to);
    return origin;
}

// The first is the original of the others, which differ from it in one or two words.
static struct origin write_hot(struct maker *maker, uint64_t number, struct text *to)
{
    uint64_t first = maker->settings->originals + maker->settings->copies;
    struct edit edit = {maker->vocabulary, dice_for(maker->settings, number, 1), 1, 0};
    write_original(maker, first, &maker->scratch);
    to->count = 0;
    if (number == first) {
        copy(&edit, &maker->scratch, to);
        return (struct origin){0};
    }
    replace_words(&edit, &maker->scratch, to, 1 + number % 2);
    return (struct origin){"hot", first};
}

static struct origin write_document(struct maker *maker, uint64_t number, struct text *to)
{
    const struct settings *settings = maker->settings;
    if (number >= settings->originals + settings->copies)
        return write_hot(maker, number, to);
    if (number >= settings->originals)
        return write_copy(maker, number, to);
    write_original(maker, number, to);
    return (struct origin){0};
}

static bool is_huge(const struct settings *settings, uint64_t number)
{
    return settings->huge && number == settings->documents - 1;
}

// ---- similarity

// A normalised text in characters or words: unit i is the bytes from starts[i] to starts[i + 1].
struct units {
    struct text text;
    uint32_t *starts;
    size_t count, room;
};

static void start_unit(struct units *units)
{
    if (units->count + 2 > units->room) {
        units->room = 2 * units->room + 1024;
        units->starts = allocate(units->starts, units->room * sizeof *units->starts);
    }
    units->starts[units->count++] = units->text.count;
}

static void end_units(struct units *units)
{
    start_unit(units);
    units->count--;
}

static void add_byte(struct units *units, char byte)
{
    char lower = byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
    add(&units->text, &lower, 1);
}

// Lower case, runs of spaces made one, none at the ends. Nothing else changes what is written here.
static void split_characters(struct units *units, const struct text *text)
{
    bool space = false;
    units->text.count = units->count = 0;
    for (size_t i = 0; i < text->count; i++) {
        char byte = text->bytes[i];
        if (byte == ' ' || byte == '\n') {
            space = units->count > 0;
            continue;
        }
        if (space) {
            start_unit(units);
            add_byte(units, ' ');
            space = false;
        }
        if ((byte & 0xc0) != 0x80)
            start_unit(units);
        add_byte(units, byte);
    }
    end_units(units);
}

static void split_words(struct units *units, const struct text *text)
{
    units->text.count = units->count = 0;
    for (size_t i = 0; i < text->count; i++) {
        if (!is_letter(text->bytes[i]))
            continue;
        if (i == 0 || !is_letter(text->bytes[i - 1]))
            start_unit(units);
        add_byte(units, text->bytes[i]);
        if (i + 1 == text->count || !is_letter(text->bytes[i + 1]))
            add_byte(units, ' ');
    }
    end_units(units);
}

struct shingle {
    const char *bytes;
    uint32_t length;
    enum { NOWHERE, IN_FIRST, IN_SECOND, IN_BOTH } found;
};

struct table {
    struct shingle *slots;
    size_t count, room;
};

static size_t count_shingles(const struct units *units, size_t k)
{
    return units->count < k ? units->count > 0 : units->count - k + 1;
}

static struct shingle get_shingle(const struct units *units, size_t i, size_t k)
{
    size_t last = i + k < units->count ? i + k : units->count;
    return (struct shingle){.bytes = units->text.bytes + units->starts[i],
                            .length = units->starts[last] - units->starts[i]};
}

static uint64_t hash_shingle(const struct shingle *shingle)
{
    uint64_t hash = shingle->length, part;
    uint32_t i = 0;
    for (; i + sizeof part <= shingle->length; i += sizeof part) {
        memcpy(&part, shingle->bytes + i, sizeof part);
        hash = mix(hash ^ part);
    }
    for (part = 0; i < shingle->length; i++)
        part = part << 8 | (uint8_t)shingle->bytes[i];
    return mix(hash ^ part);
}

// The slot of a shingle, which is empty if it was not there.
static struct shingle *find_slot(const struct table *table, const struct shingle *shingle)
{
    size_t i = hash_shingle(shingle) & (table->count - 1);
    for (; table->slots[i].found; i = (i + 1) & (table->count - 1))
        if (table->slots[i].length == shingle->length &&
            !memcmp(table->slots[i].bytes, shingle->bytes, shingle->length))
            break;
    return &table->slots[i];
}

static void clear_table(struct table *table, size_t shingles)
{
    for (table->count = 64; table->count < 2 * shingles;)
        table->count *= 2;
    if (table->count > table->room) {
        table->room = table->count;
        table->slots = allocate(table->slots, table->room * sizeof *table->slots);
    }
    memset(table->slots, 0, table->count * sizeof *table->slots);
}

static double jaccard(struct table *table, const struct units *a, const struct units *b, size_t k)
{
    size_t a_count = count_shingles(a, k), b_count = count_shingles(b, k);
    size_t shared = 0, all = 0;
    clear_table(table, a_count + b_count);
    for (size_t i = 0; i < a_count + b_count; i++) {
        bool first = i < a_count;
        struct shingle shingle = first ? get_shingle(a, i, k) : get_shingle(b, i - a_count, k);
        struct shingle *slot = find_slot(table, &shingle);
        if (!slot->found) {
            *slot = shingle;
            slot->found = first ? IN_FIRST : IN_SECOND;
            all++;
        } else if (slot->found == IN_FIRST && !first) {
            slot->found = IN_BOTH;
            shared++;
        }
    }
    return all ? (double)shared / all : 0;
}

struct scorer {
    struct table table;
    struct units a, b;
};

static void print_similarities(struct scorer *scorer, const struct text *a, const struct text *b,
                               FILE *to)
{
    split_characters(&scorer->a, a);
    split_characters(&scorer->b, b);
    double by_characters = jaccard(&scorer->table, &scorer->a, &scorer->b, 9);
    split_words(&scorer->a, a);
    split_words(&scorer->b, b);
    double by_words = jaccard(&scorer->table, &scorer->a, &scorer->b, 5);
    fprintf(to, "\t%.15g\t%.15g\n", by_characters, by_words);
}

// ---- files

#define ID "d%08" PRIu64

static FILE *open_file(const char *path, const char *mode)
{
    if (!strcmp(path, "-"))
        return *mode == 'r' ? stdin : stdout;
    FILE *file = fopen(path, mode);
    if (!file)
        fail(strerror(errno), path);
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    return file;
}

static void close_file(FILE *file, const char *path)
{
    if (fflush(file) || ferror(file) || fclose(file))
        fail("could not be written:", path);
}

static void write_string(struct text *line, const struct text *text, FILE *to)
{
    line->count = 0;
    reserve(line, 2 * text->count);
    for (size_t i = 0; i < text->count; i++) {
        char byte = text->bytes[i];
        if (byte == '"' || byte == '\n')
            line->bytes[line->count++] = '\\';
        line->bytes[line->count++] = byte == '\n' ? 'n' : byte;
    }
    fwrite(line->bytes, 1, line->count, to);
}

// Writes the huge document a part at a time.
static void write_huge(struct maker *maker, uint64_t number, struct text *text, struct text *line,
                       FILE *to)
{
    struct dice dice = dice_for(maker->settings, number, 0);
    for (uint64_t left = maker->settings->huge; left > 0;) {
        text->count = 0;
        add_prose(text, maker->vocabulary, &dice, left < 100000 ? left : 100000);
        add(text, "\n\n", 2);
        write_string(line, text, to);
        left -= text->count < left ? text->count : left;
    }
}

static void write_collection(struct maker *maker, FILE *output, FILE *truth)
{
    const struct settings *settings = maker->settings;
    struct text text = {0}, line = {0};
    struct scorer scorer = {0};
    if (truth)
        fputs("copy\toriginal\tedit\tjaccard\tjaccard_words\n", truth);
    for (uint64_t i = 0; i < settings->documents; i++) {
        uint64_t number =
            settings->in_order ? i : permute(i, settings->documents, mix(settings->seed));
        fprintf(output, "{\"id\": \"" ID "\", \"text\": \"", number);
        if (is_huge(settings, number)) {
            write_huge(maker, number, &text, &line, output);
        } else {
            struct origin origin = write_document(maker, number, &text);
            write_string(&line, &text, output);
            if (origin.edit && truth) {
                fprintf(truth, ID "\t" ID "\t%s", number, origin.original, origin.edit);
                print_similarities(&scorer, &text, &maker->scratch, truth);
            }
        }
        fputs("\"}\n", output);
    }
}

static void score_pairs(struct maker *maker, FILE *pairs)
{
    struct text a = {0}, b = {0};
    struct scorer scorer = {0};
    uint64_t first, second, last = maker->settings->documents - (maker->settings->huge > 0);
    char line[200];
    fputs("a\tb\tjaccard\tjaccard_words\n", stdout);
    while (fgets(line, sizeof line, pairs)) {
        if (sscanf(line, "d%" SCNu64 "\td%" SCNu64, &first, &second) != 2 || first >= last ||
            second >= last)
            fail("not a pair of this collection's ids:", line);
        write_document(maker, first, &a);
        write_document(maker, second, &b);
        printf(ID "\t" ID, first, second);
        print_similarities(&scorer, &a, &b, stdout);
    }
}

// ---- the command

static double number_in(const char *text, double least, double most)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= least && number <= most))
        fail("not a number that is possible here:", text);
    return number;
}

static struct settings read_settings(int argc, char **argv)
{
    struct settings chosen = {
        .documents = 1000, .bytes = 600, .share = 0.1, .seed = 1, .output = "-"};
    const struct {
        uint64_t *whole;
        double *part, least, most;
        const char **path;
    } places[] = {{.whole = &chosen.documents, .least = 1, .most = 1e11},
                  {.whole = &chosen.bytes, .least = 40, .most = 1e9},
                  {.part = &chosen.share, .most = 0.9},
                  {.part = &chosen.unicode, .most = 0.9},
                  {.whole = &chosen.hot, .most = 1e11},
                  {.whole = &chosen.huge, .most = 1e15},
                  {.whole = &chosen.seed, .most = 1e15},
                  {.path = &chosen.output},
                  {.path = &chosen.truth},
                  {.path = &chosen.pairs}};
    enum { PLACES = sizeof places / sizeof *places, IN_ORDER = PLACES, HELP };
    const struct option options[] = {{"documents", 1, NULL, 0},
                                     {"bytes", 1, NULL, 1},
                                     {"share", 1, NULL, 2},
                                     {"unicode", 1, NULL, 3},
                                     {"hot", 1, NULL, 4},
                                     {"huge", 1, NULL, 5},
                                     {"seed", 1, NULL, 6},
                                     {"output", 1, NULL, 7},
                                     {"truth", 1, NULL, 8},
                                     {"pairs", 1, NULL, 9},
                                     {"in-order", 0, NULL, IN_ORDER},
                                     {"help", 0, NULL, HELP},
                                     {0}};
    for (int i; (i = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (i == '?')
            exit(2);
        if (i == HELP)
            exit(fputs(usage, stdout) < 0);
        if (i == IN_ORDER)
            chosen.in_order = true;
        else if (places[i].path)
            *places[i].path = optarg;
        else if (places[i].part)
            *places[i].part = number_in(optarg, places[i].least, places[i].most);
        else
            *places[i].whole = number_in(optarg, places[i].least, places[i].most);
    }
    if (optind < argc)
        fail("what is meant by", argv[optind]);
    return chosen;
}

static void divide(struct settings *settings)
{
    uint64_t special = settings->hot + (settings->huge > 0);
    if (special > settings->documents)
        fail("--hot and --huge are part of --documents, which must be more", NULL);
    settings->copies = settings->share * (settings->documents - special);
    settings->originals = settings->documents - special - settings->copies;
}

int main(int argc, char **argv)
{
    struct settings settings = read_settings(argc, argv);
    divide(&settings);
    struct maker maker = {.settings = &settings, .vocabulary = make_vocabulary(settings.unicode)};
    if (settings.pairs) {
        score_pairs(&maker, open_file(settings.pairs, "r"));
        close_file(stdout, "standard output");
        return 0;
    }
    FILE *output = open_file(settings.output, "w");
    FILE *truth = settings.truth ? open_file(settings.truth, "w") : NULL;
    write_collection(&maker, output, truth);
    close_file(output, settings.output);
    if (truth)
        close_file(truth, settings.truth);
    return 0;
}
