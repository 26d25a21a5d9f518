#include "text.h"

#include <math.h>

/* ---- words: frequent words are short, by Zipf's law */

static const char *const common[] = {
    "the",  "of",    "and",   "to",   "in",    "a",    "is",    "that", "for",  "it",   "as",
    "was",  "with",  "be",    "by",   "on",    "not",  "he",    "his",  "but",  "at",   "are",
    "this", "have",  "which", "from", "or",    "had",  "they",  "you",  "an",   "were", "her",
    "all",  "their", "we",    "one",  "there", "been", "would", "has",  "when", "who",  "will",
    "more", "no",    "if",    "out",  "so",    "said", "what",  "up",   "its",  "about"};

/* Words of lower-case letters that Unicode's folding does not change: no sharp s, no final sigma.
 */
static const char *const foreign[] = {
    "café",  "naïve",   "über",   "schön", "später", "année", "déjà",    "niño",
    "señor", "coração", "smörgå", "ångst", "fjörð",  "žena",  "čeština", "łódź",
    "tősgy", "iğne",    "привет", "мир",   "книга",  "город", "слово",   "λόγοι",
    "νερό",  "θάλασσα", "שלום",   "ספרים", "سلام",   "مدينة", "კარგი",   "երկիր"};

enum {
    COMMON = sizeof common / sizeof *common,
    FOREIGN = sizeof foreign / sizeof *foreign,
};

/* Makes a word of open syllables, with a consonant or two at the end. */
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

/* Adds a word to a set of hashes; false if it was there. */
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

/* Weights by the law of Zipf and Mandelbrot; foreign words share their fraction evenly. */
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

struct vocabulary *make_vocabulary(double unicode)
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

/* ---- sentences */

/* Adds a sentence of 5 to 24 words, sometimes with a comma or a quotation. */
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

void add_prose(struct text *text, const struct vocabulary *vocabulary, struct dice *dice,
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
