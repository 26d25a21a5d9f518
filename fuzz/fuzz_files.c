/*
 * A few files in a folder, read in one of three ways, scanned and written. The first bytes choose
 * the options. The rest, divided at record separators (0x1E), is the content of the files, except
 * the first section, which names the files of a list.
 *
 * Promises: similarities are from 0 to 1; files with equal bytes are always found, with 1.0;
 * clusters contain their representative; the output has equal bytes for 1 and 3 threads.
 */
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_FILES = 8, PATH_BYTES = 64, SEPARATOR = 0x1E };
enum { BY_FOLDER, BY_NAME, BY_LIST };

typedef struct section {
    const uint8_t *bytes;
    size_t length;
} section;

typedef struct fuzz_case {
    twinset_options options;
    int way;
    unsigned roles; /* two bits a file, if files are named */
    section list, files[MOST_FILES];
    size_t count;
} fuzz_case;

/* Two folders, so that the list is not found among the documents. */
static char root[32] = "/tmp/twinset-fuzz-XXXXXX";
static char folder[40], list_path[40];

/* ---- the folder */

static void file_path(size_t number, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%c", folder, (char)('a' + number));
}

static void remove_folder(void)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < MOST_FILES; i++) {
        file_path(i, path);
        unlink(path);
    }
    unlink(list_path);
    rmdir(folder);
    rmdir(root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    REQUIRE(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/docs", root);
    snprintf(list_path, sizeof list_path, "%s/list", root);
    REQUIRE(mkdir(folder, 0700) == 0);
    atexit(remove_folder);
    return 0;
}

/* Names become those of files in the folder, so that no list leads out of it. */
static void write_list(section list)
{
    FILE *file = fopen(list_path, "wb");
    REQUIRE(file);
    bool fresh = true;
    for (size_t i = 0; i < list.length; i++) {
        uint8_t c = list.bytes[i];
        if (fresh)
            fprintf(file, "%s/", folder);
        fresh = c == '\n';
        fputc(c == '/' || c == '.' ? '_' : c, file);
    }
    REQUIRE(fclose(file) == 0);
}

static void write_files(const fuzz_case *input)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < MOST_FILES; i++) {
        file_path(i, path);
        if (i >= input->count) {
            unlink(path);
            continue;
        }
        FILE *file = fopen(path, "wb");
        REQUIRE(file);
        fwrite(input->files[i].bytes, 1, input->files[i].length, file);
        REQUIRE(fclose(file) == 0);
    }
    write_list(input->list);
}

/* ---- from bytes to a case */

static section next_section(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, SEPARATOR, *size) : NULL;
    section found = {*data, end ? (size_t)(end - *data) : *size};
    size_t taken = found.length + (end != NULL);
    *data += taken;
    *size -= taken;
    return found;
}

static fuzz_case make_case(const uint8_t *data, size_t size)
{
    fuzz_case input = {0};
    twinset_options *options = &input.options;
    twinset_options_init(options, sizeof *options);
    uint8_t text = take_byte(&data, &size), search = take_byte(&data, &size);
    options->by = text & 1 ? TWINSET_BY_WORD : TWINSET_BY_CHAR;
    options->bag = text >> 1 & 1;
    options->measure = (text >> 2) % 3;
    options->k = 1 + (text >> 4);
    input.way = search % 3;
    options->method = (search >> 2) % 3;
    options->common = search & 16 ? 0.6 : 1;
    options->max_bucket = search & 32 ? 2 : 1000;
    options->hashes = 64;
    options->threshold = take_byte(&data, &size) / 255.0;
    input.roles = take_byte(&data, &size);
    input.roles |= (unsigned)take_byte(&data, &size) << 8;
    input.list = next_section(&data, &size);
    while (size && input.count < MOST_FILES)
        input.files[input.count++] = next_section(&data, &size);
    return input;
}

/* ---- scanning */

static twinset_role role_of(const fuzz_case *input, size_t file)
{
    return input->way == BY_NAME ? (twinset_role)(input->roles >> 2 * file & 3) : TWINSET_ROLE_NEW;
}

static void add(twinset_collection *collection, const char *path, twinset_role role)
{
    REQUIRE(twinset_collection_add_path(collection, path, role, NULL) == TWINSET_OK);
}

static void add_all(twinset_collection *collection, const fuzz_case *input)
{
    char path[PATH_BYTES];
    if (input->way == BY_FOLDER) {
        add(collection, folder, TWINSET_ROLE_NEW);
        return;
    }
    if (input->way == BY_LIST) {
        snprintf(path, sizeof path, "@%s", list_path);
        add(collection, path, TWINSET_ROLE_NEW);
        return;
    }
    for (size_t i = 0; i < input->count; i++) {
        file_path(i, path);
        add(collection, path, role_of(input, i));
    }
}

typedef struct written {
    char *bytes;
    size_t length;
} written;

static int append(void *context, const char *bytes, size_t count)
{
    written *out = context;
    out->bytes = realloc(out->bytes, out->length + count + 1);
    REQUIRE(out->bytes);
    memcpy(out->bytes + out->length, bytes, count);
    out->length += count;
    return 0;
}

static const section *section_of(const fuzz_case *input, const char *name)
{
    size_t number = (size_t)(name[strlen(name) - 1] - 'a');
    REQUIRE(number < input->count);
    return &input->files[number];
}

static bool have_equal_bytes(const section *a, const section *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static bool is_fraction(double value)
{
    return value >= 0 && value <= 1;
}

static void check_pair(const twinset_pair *pair, double threshold)
{
    REQUIRE(strcmp(pair->a, pair->b) < 0);
    REQUIRE(is_fraction(pair->similarity) && pair->similarity >= threshold);
    REQUIRE(is_fraction(pair->jaccard));
    REQUIRE(is_fraction(pair->containment_a) && is_fraction(pair->containment_b));
    REQUIRE(pair->shared <= pair->union_count && pair->cluster > 0);
}

/* Whether a pair is listed before another: by similarity, then names; no pair twice. */
static bool is_before(const twinset_pair *x, const twinset_pair *y)
{
    int a = strcmp(x->a, y->a), b = strcmp(x->b, y->b);
    return x->similarity > y->similarity ||
           (x->similarity == y->similarity && (a < 0 || (a == 0 && b < 0)));
}

/* Returns the number of pairs with equal bytes. */
static size_t check_pairs(const fuzz_case *input, const twinset_result *result)
{
    size_t twins = 0;
    twinset_pair pair, last;
    for (size_t i = 0; twinset_result_pair(result, i, &pair, sizeof pair) == TWINSET_OK; i++) {
        check_pair(&pair, input->options.threshold);
        REQUIRE(i == 0 || is_before(&last, &pair));
        last = pair;
        if (have_equal_bytes(section_of(input, pair.a), section_of(input, pair.b))) {
            REQUIRE(pair.similarity == 1 && pair.jaccard == 1);
            twins++;
        }
    }
    return twins;
}

static void check_clusters(const twinset_result *result)
{
    twinset_cluster cluster;
    for (size_t i = 0; twinset_result_cluster(result, i, &cluster, sizeof cluster) == TWINSET_OK;
         i++) {
        bool found = false;
        for (size_t j = 0; j < cluster.size; j++)
            found |= strcmp(cluster.members[j], cluster.representative) == 0;
        REQUIRE(found && cluster.size > 1 && is_fraction(cluster.min_similarity));
    }
}

static bool is_wanted(const fuzz_case *input, size_t a, size_t b)
{
    twinset_role x = role_of(input, a), y = role_of(input, b);
    bool like = false;
    for (size_t i = 0; i < input->count; i++)
        like |= role_of(input, i) == TWINSET_ROLE_LIKE;
    if (x == TWINSET_ROLE_IGNORE || y == TWINSET_ROLE_IGNORE)
        return false;
    if (like)
        return x == TWINSET_ROLE_LIKE || y == TWINSET_ROLE_LIKE;
    return x == TWINSET_ROLE_NEW || y == TWINSET_ROLE_NEW;
}

/* The number of pairs with equal bytes that must be found among files that were not skipped. */
static size_t expect_twins(const fuzz_case *input, const twinset_result *result)
{
    bool skipped[MOST_FILES] = {false};
    size_t twins = 0;
    twinset_skip skip;
    for (size_t i = 0; twinset_result_skip(result, i, &skip, sizeof skip) == TWINSET_OK; i++)
        skipped[section_of(input, skip.path) - input->files] = true;
    for (size_t i = 0; i < input->count; i++)
        for (size_t j = i + 1; j < input->count; j++)
            twins += !skipped[i] && !skipped[j] && is_wanted(input, i, j) &&
                     have_equal_bytes(&input->files[i], &input->files[j]);
    return twins;
}

static void write_all(const twinset_result *result, written *out)
{
    static const twinset_style style = {.size = sizeof style, .width = 60, .rows = 3};
    for (int format = TWINSET_FORMAT_TABLE; format <= TWINSET_FORMAT_JSONL; format++)
        REQUIRE(twinset_result_write(result, (twinset_format)format, &style, append, out, NULL) ==
                TWINSET_OK);
    REQUIRE(is_utf8(out->bytes, out->length));
}

static written scan(const fuzz_case *input, unsigned threads)
{
    twinset_options options = input->options;
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    twinset_error error = {""};
    written out = {0};
    options.threads = threads;
    int status = twinset_collection_new(&options, &collection, &error);
    if (status == TWINSET_OK) {
        add_all(collection, input);
        status = twinset_collection_scan(collection, &result, &error);
    }
    if (status == TWINSET_OK) {
        size_t twins = check_pairs(input, result);
        REQUIRE(input->way == BY_LIST || twins == expect_twins(input, result));
        check_clusters(result);
        write_all(result, &out);
    } else {
        /* TWINSET_IO: a document to ask about (LIKE) is no text. */
        REQUIRE(status == TWINSET_EMPTY || status == TWINSET_USAGE || status == TWINSET_IO);
        REQUIRE(error.message[0] && !result);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_case input = make_case(data, size);
    write_files(&input);
    written alone = scan(&input, 1), together = scan(&input, 3);
    REQUIRE(alone.length == together.length);
    REQUIRE(alone.length == 0 || memcmp(alone.bytes, together.bytes, alone.length) == 0);
    free(alone.bytes);
    free(together.bytes);
    return 0;
}
