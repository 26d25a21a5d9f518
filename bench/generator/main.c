/*
 * Makes a collection of documents with known similarities.
 *
 * A document is a function of the seed and its number (documents.h), so the similarity of any two
 * can be listed later (--pairs) without reading the collection. One core writes 110 MB a second,
 * truth included. The lines of the output are in an order shuffled by the seed.
 */
#include <errno.h>
#include <getopt.h>

#include "truth.h"

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
    struct collection collection;
    double share, unicode;
    bool in_order;
    const char *output, *truth, *pairs;
};

/* ---- files */

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

/* Writes the huge document in chunks. */
static void write_huge(struct maker *maker, uint64_t number, struct text *text, struct text *line,
                       FILE *to)
{
    struct dice dice = dice_for(maker->collection, number, 0);
    for (uint64_t left = maker->collection->huge; left > 0;) {
        text->count = 0;
        add_prose(text, maker->vocabulary, &dice, left < 100000 ? left : 100000);
        add(text, "\n\n", 2);
        write_string(line, text, to);
        left -= text->count < left ? text->count : left;
    }
}

/* A permutation of the numbers below count: Feistel rounds on the least even number of bits that
 * hold them, repeated until the result is one of them. */
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

static void write_collection(struct maker *maker, bool in_order, FILE *output, FILE *truth)
{
    const struct collection *collection = maker->collection;
    struct text text = {0}, line = {0};
    struct scorer scorer = {0};
    if (truth)
        fputs("copy\toriginal\tedit\tjaccard\tjaccard_words\n", truth);
    for (uint64_t i = 0; i < collection->documents; i++) {
        uint64_t number = in_order ? i : permute(i, collection->documents, mix(collection->seed));
        fprintf(output, "{\"id\": \"" ID "\", \"text\": \"", number);
        if (is_huge(collection, number)) {
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

/* ---- the command */

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
        .collection = {.documents = 1000, .bytes = 600, .seed = 1}, .share = 0.1, .output = "-"};
    const struct {
        uint64_t *number;
        double *fraction_, least, most;
        const char **path;
    } arguments[] = {{.number = &chosen.collection.documents, .least = 1, .most = 1e11},
                     {.number = &chosen.collection.bytes, .least = 40, .most = 1e9},
                     {.fraction_ = &chosen.share, .most = 0.9},
                     {.fraction_ = &chosen.unicode, .most = 0.9},
                     {.number = &chosen.collection.hot, .most = 1e11},
                     {.number = &chosen.collection.huge, .most = 1e15},
                     {.number = &chosen.collection.seed, .most = 1e15},
                     {.path = &chosen.output},
                     {.path = &chosen.truth},
                     {.path = &chosen.pairs}};
    enum { ARGUMENTS = sizeof arguments / sizeof *arguments, IN_ORDER = ARGUMENTS, HELP };
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
        else if (arguments[i].path)
            *arguments[i].path = optarg;
        else if (arguments[i].fraction_)
            *arguments[i].fraction_ = number_in(optarg, arguments[i].least, arguments[i].most);
        else
            *arguments[i].number = number_in(optarg, arguments[i].least, arguments[i].most);
    }
    if (optind < argc)
        fail("what is meant by", argv[optind]);
    return chosen;
}

static void divide(struct settings *settings)
{
    struct collection *collection = &settings->collection;
    uint64_t special = collection->hot + (collection->huge > 0);
    if (special > collection->documents)
        fail("--hot and --huge are part of --documents, which must be more", NULL);
    collection->copies = settings->share * (collection->documents - special);
    collection->originals = collection->documents - special - collection->copies;
}

int main(int argc, char **argv)
{
    struct settings settings = read_settings(argc, argv);
    divide(&settings);
    struct maker maker = {.collection = &settings.collection,
                          .vocabulary = make_vocabulary(settings.unicode)};
    if (settings.pairs) {
        score_pairs(&maker, open_file(settings.pairs, "r"));
        close_file(stdout, "standard output");
        return 0;
    }
    FILE *output = open_file(settings.output, "w");
    FILE *truth = settings.truth ? open_file(settings.truth, "w") : NULL;
    write_collection(&maker, settings.in_order, output, truth);
    close_file(output, settings.output);
    if (truth)
        close_file(truth, settings.truth);
    return 0;
}
