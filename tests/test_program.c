/* Programs as blocks: tokens of one file or many are read as written; shingles of each view are as
 * defined. */
#define _XOPEN_SOURCE 700
#include <ctype.h>

#include "folder.h"
#include "program.h"
#include "shingle_id.h"
#include "testing.h"

enum { MOST = 40 };

static const char LETTERS[] = "abcAB";

/* The tokens of a text. The form of a word is the word in lower case. */
static tw_code code_of(const char *text)
{
    tw_code code = {0};
    uint32_t line = 1;
    for (size_t i = 0; text[i];) {
        line += text[i] == '\n';
        size_t length = strcspn(text + i, " \n");
        if (!length) {
            i++;
            continue;
        }
        assert_int_equal(TW_GROW(code.tokens, code.capacity, code.count + 1), TWINSET_OK);
        code.tokens[code.count++] =
            (tw_token){(uint32_t)i, (uint32_t)(i + length), line, TW_TOKEN_NAME};
        for (size_t end = i + length; i < end; i++) {
            char small = (char)tolower((unsigned char)text[i]);
            assert_int_equal(tw_bytes_append(&code.normal, &small, 1), TWINSET_OK);
        }
        assert_int_equal(tw_bytes_append(&code.normal, " ", 1), TWINSET_OK);
    }
    return code;
}

static tw_bytes write_text(const char *text, uint32_t source)
{
    tw_code code = code_of(text);
    tw_bytes block = {0};
    assert_int_equal(tw_program_write(&code, text, source, &block), TWINSET_OK);
    tw_free(code.tokens);
    tw_bytes_free(&code.normal);
    return block;
}

static void a_file_is_read_as_written(void **state)
{
    (void)state;
    tw_bytes block = write_text("a bc\n\nd", 7);
    tw_program program = tw_program_read(&block);
    assert_int_equal(program.file_count, 1);
    assert_int_equal(program.count, 3);
    assert_memory_equal(program.normal, "a bc d ", program.normal_length);
    assert_int_equal(program.tokens[2].line, 3);
    assert_int_equal(program.tokens[2].start, 6);
    assert_true(program.words[1] == tw_shingle_id("bc", 2));
    assert_int_equal(program.files[0].source, 7);
    tw_bytes_free(&block);
}

static void joined_files_are_read_as_written(void **state)
{
    static const char *const texts[] = {"a b c", "", "d e", "f"};
    tw_bytes blocks[COUNT(texts)], all = {0}, twice = {0};
    tw_program programs[COUNT(texts)];
    (void)state;
    for (uint32_t i = 0; i < COUNT(texts); i++) {
        blocks[i] = write_text(texts[i], i);
        programs[i] = tw_program_read(&blocks[i]);
    }
    assert_int_equal(tw_program_join(programs, COUNT(programs), &all), TWINSET_OK);
    tw_program program = tw_program_read(&all);
    assert_int_equal(program.file_count, 4);
    assert_int_equal(program.count, 6);
    assert_int_equal(program.normal_length, 12);
    assert_memory_equal(program.normal, "a b c d e f ", 12);
    static const uint32_t ends[] = {3, 3, 5, 6};
    for (size_t i = 0; i < COUNT(ends); i++)
        assert_int_equal(program.files[i].tokens, ends[i]);
    for (size_t i = 0; i < 6; i++)
        assert_true(program.words[i] == tw_shingle_id(program.normal + 2 * i, 1));
    /* A joined program can be joined with another. */
    tw_program both[] = {program, programs[0]};
    assert_int_equal(tw_program_join(both, 2, &twice), TWINSET_OK);
    program = tw_program_read(&twice);
    assert_int_equal(program.file_count, 5);
    assert_int_equal(program.files[4].tokens, 9);
    assert_int_equal(program.files[4].source, 0);
    for (size_t i = 0; i < COUNT(texts); i++)
        tw_bytes_free(&blocks[i]);
    tw_bytes_free(&all);
    tw_bytes_free(&twice);
}

/* ---- shingles */

typedef struct shingle_list {
    char shingles[8 * MOST][8 * MOST];
    size_t lengths[8 * MOST], count;
    uint8_t kinds[8 * MOST];
    size_t words, repeats; /* numbers of shingles of these kinds */
} shingle_list;

static int collect_shingles(void *context, const tw_shingles *batch)
{
    shingle_list *all = context;
    for (size_t i = 0; i < batch->count; i++) {
        const char *bytes = tw_shingle_bytes(batch, i, &all->lengths[all->count]);
        memcpy(all->shingles[all->count], bytes, all->lengths[all->count]);
        all->kinds[all->count++] = batch->kind;
    }
    assert_int_not_equal(batch->kind, TW_SHINGLE_TEXT);
    all->words += batch->kind == TW_SHINGLE_WORD ? batch->count : 0;
    all->repeats += batch->kind == TW_SHINGLE_REPEAT ? batch->count : 0;
    return TWINSET_OK;
}

/* Joined files of random one-letter tokens, and the shingles that they must have. */
typedef struct sample {
    tw_bytes block;
    shingle_list expected;
} sample;

static void expect_file(shingle_list *expected, int view, const char *text, size_t tokens, size_t k)
{
    size_t width = tokens < k ? tokens : k;
    bool raw = view == TWINSET_VIEW_RAW;
    for (size_t i = 0; tokens && i + width <= tokens; i++) {
        char *shingle = expected->shingles[expected->count];
        expected->lengths[expected->count++] = raw ? width * sizeof(uint64_t) : 2 * width - 1;
        for (size_t j = 0; j < width; j++) {
            uint64_t hash = tw_shingle_id(text + 2 * (i + j), 1);
            if (raw)
                memcpy(shingle + j * sizeof hash, &hash, sizeof hash);
            else
                snprintf(shingle + 2 * j, 3, "%c ", tolower((unsigned char)text[2 * (i + j)]));
        }
    }
}

static void make_sample(uint64_t *state, int view, size_t k, sample *made)
{
    size_t files = 1 + random_below(state, 3);
    tw_bytes blocks[3];
    tw_program programs[3];
    *made = (sample){0};
    for (uint32_t i = 0; i < files; i++) {
        char text[2 * MOST + 1] = "";
        size_t tokens = random_below(state, MOST);
        for (size_t j = 0; j < tokens; j++) {
            text[2 * j] = LETTERS[random_below(state, sizeof LETTERS - 1)];
            text[2 * j + 1] = ' ';
        }
        text[2 * tokens] = '\0';
        blocks[i] = write_text(text, i);
        programs[i] = tw_program_read(&blocks[i]);
        expect_file(&made->expected, view, text, tokens, k);
    }
    assert_int_equal(tw_program_join(programs, files, &made->block), TWINSET_OK);
    for (size_t i = 0; i < files; i++)
        tw_bytes_free(&blocks[i]);
}

/* Counts the first, second, fourth... occurrences of each letter. */
static size_t count_word_shingles(const tw_program *program)
{
    size_t count = 0, from = 0;
    for (size_t file = 0; file < program->file_count; file++) {
        size_t to = program->files[file].tokens;
        for (const char *letter = LETTERS; *letter; letter++) {
            size_t times = 0;
            for (size_t i = from; i < to; i++)
                times += program->words[i] == tw_shingle_id(letter, 1);
            for (; times; times /= 2)
                count++;
        }
        from = to;
    }
    return count;
}

static void no_shingle_crosses_files(void **state)
{
    uint64_t random = test_seed(6);
    tw_program_scratch scratch = {0};
    static shingle_list found;
    static sample made;
    (void)state;
    for (int round = 0; round < 500; round++) {
        size_t k = 1 + random_below(&random, 8);
        int view = round % 3;
        const twinset_options options = {.view = view, .k = k};
        tw_text_summary summary;
        make_sample(&random, view, k, &made);
        tw_program program = tw_program_read(&made.block);
        found.count = found.words = found.repeats = 0;
        assert_int_equal(
            tw_program_shingle(&program, &options, &scratch, collect_shingles, &found, &summary),
            TWINSET_OK);
        assert_int_equal(summary.tokens, program.count);
        assert_int_equal(found.words,
                         view == TWINSET_VIEW_BOTH ? count_word_shingles(&program) : 0);
        assert_int_equal(found.count, made.expected.count + found.words + found.repeats);
        for (size_t i = 0, at = 0; i < found.count; i++) { /* those of tokens, in order */
            if (found.kinds[i] != TW_SHINGLE_TOKENS)
                continue;
            assert_int_equal(found.lengths[i], made.expected.lengths[at]);
            assert_memory_equal(found.shingles[i], made.expected.shingles[at], found.lengths[i]);
            at++;
        }
        tw_bytes_free(&made.block);
    }
    tw_program_scratch_free(&scratch);
}

/* Counts the repeated shingles of a program that has the tokens of `row` so many times, each time
 * before `between` tokens that occur once. */
static size_t count_repeats(const char *row, size_t times, size_t between, bool bag)
{
    const twinset_options options = {.view = TWINSET_VIEW_RAW, .k = 4, .bag = bag};
    char text[4096];
    size_t length = 0;
    tw_program_scratch scratch = {0};
    tw_text_summary summary;
    static shingle_list found;
    for (size_t i = 0; i < times; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", row);
        for (size_t j = 0; j < between; j++) /* a token is one character */
            length += (size_t)snprintf(text + length, sizeof text - length, "%c ",
                                       (char)(0x80 + i * between + j));
    }
    tw_bytes block = write_text(text, 0);
    tw_program program = tw_program_read(&block);
    found = (shingle_list){0};
    assert_int_equal(
        tw_program_shingle(&program, &options, &scratch, collect_shingles, &found, &summary),
        TWINSET_OK);
    tw_bytes_free(&block);
    tw_program_scratch_free(&scratch);
    return found.repeats;
}

static void distant_shingles_count_as_repeats(void **state)
{
    (void)state;
    assert_int_equal(count_repeats("{ N , I } , ", 25, 0, false), 0); /* a table of constants */
    assert_int_equal(count_repeats("a b c d ", 1, 28, false), 0);
    assert_int_equal(count_repeats("a b c d ", 2, 27, false), 0);
    assert_int_equal(count_repeats("a b c d ", 2, 28, false),
                     1); /* begins 32 tokens after the first */
    assert_int_equal(count_repeats("a b c d ", 3, 28, false), 1);
    assert_int_equal(count_repeats("a b c d ", 4, 28, false), 2); /* the second and the fourth */
    assert_int_equal(count_repeats("a b c d e ", 4, 28, false), 4);
    assert_int_equal(count_repeats("a b c d e ", 4, 28, true), 0); /* a bag has them all */
}

static void digest_of(const char *first, const char *second, uint64_t digest[2])
{
    tw_bytes blocks[2] = {write_text(first, 0), write_text(second, 1)}, all = {0};
    tw_program programs[2] = {tw_program_read(&blocks[0]), tw_program_read(&blocks[1])};
    tw_program_scratch scratch = {0};
    tw_text_summary summary;
    assert_int_equal(tw_program_join(programs, *second ? 2 : 1, &all), TWINSET_OK);
    tw_program program = tw_program_read(&all);
    const twinset_options options = {.view = TWINSET_VIEW_BOTH, .k = 3};
    assert_int_equal(tw_program_shingle(&program, &options, &scratch, NULL, NULL, &summary),
                     TWINSET_OK);
    memcpy(digest, summary.digest, sizeof summary.digest);
    tw_bytes_free(&blocks[0]);
    tw_bytes_free(&blocks[1]);
    tw_bytes_free(&all);
    tw_program_scratch_free(&scratch);
}

static void different_programs_have_different_digests(void **state)
{
    uint64_t whole[2], reformatted[2], split[2], other[2];
    (void)state;
    digest_of("a b c d", "", whole);
    digest_of("a\nb   c d\n", "", reformatted);
    digest_of("a b", "c d", split);
    digest_of("a b c", "d", other);
    assert_memory_equal(whole, reformatted, sizeof whole);
    assert_memory_not_equal(whole, split, sizeof whole);
    assert_memory_not_equal(other, split, sizeof whole);
}

/* ---- by the public calls */

static const char FIRST[] = "int main(void) { return n + 1; }\n";
static const char NORMAL[] = "int I ( void ) { return I + N ; }";
static const char WRITTEN[] = "int main ( void ) { return n + 1 ; }";

static twinset_options options_of(int view)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.by = TWINSET_BY_CODE;
    options.lang = "c";
    options.view = view;
    options.k = 4;
    return options;
}

static void texts_have_normal_forms_and_shingles(void **state)
{
    static const char renamed[] = "int start(void) { return m + 2; } // another\n";
    (void)state;
    for (int view = TWINSET_VIEW_BOTH; view <= TWINSET_VIEW_RAW; view++) {
        twinset_options options = options_of(view);
        twinset_pair pair;
        uint64_t *hashes;
        size_t length, count;
        char *normal;
        assert_int_equal(twinset_normalise(FIRST, strlen(FIRST), &options, &normal, &length, NULL),
                         TWINSET_OK);
        assert_string_equal(normal, view == TWINSET_VIEW_RAW ? WRITTEN : NORMAL);
        assert_int_equal(length, strlen(normal));
        twinset_free(normal);
        assert_int_equal(twinset_shingles(FIRST, strlen(FIRST), &options, &hashes, &count, NULL),
                         TWINSET_OK);
        /* 12 tokens; 7 words: int main void return n + 1. */
        assert_int_equal(count, view == TWINSET_VIEW_BOTH ? 9 + 7 : 9);
        twinset_free(hashes);
        assert_int_equal(twinset_compare(FIRST, strlen(FIRST), renamed, strlen(renamed), &options,
                                         &pair, sizeof pair, NULL),
                         TWINSET_OK);
        static const unsigned shared[] = {9 + 4, 9, 2};
        assert_int_equal(pair.shared, shared[view]);
    }
}

typedef struct text_list {
    char text[1000];
} text_list;

static int take_text(void *context, const char *name, const char *text, size_t length)
{
    text_list *all = context;
    size_t used = strlen(all->text);
    snprintf(all->text + used, sizeof all->text - used, "%s: %.*s\n", name, (int)length, text);
    return 0;
}

/* The text of a submission is the texts of its files, one after the other. */
static void texts_of_submissions_are_joined(void **state)
{
    (void)state;
    assert_int_equal(mkdir("all", 0700) | mkdir("all/ann", 0700) | mkdir("all/bob", 0700), 0);
    assert_true(write_file("all/ann/a.c", FIRST));
    assert_true(write_file("all/ann/b.c", "x = \"a b\";\n"));
    assert_true(write_file("all/bob/a.c", "y;\n"));
    static const char normal[] = "all/ann: int I ( void ) { return I + N ; } I = S ;\n"
                                 "all/bob: I ;\n";
    static const char *const expected[] = {
        [TWINSET_VIEW_BOTH] = normal,
        [TWINSET_VIEW_NORMALISED] = normal,
        [TWINSET_VIEW_RAW] = "all/ann: int main ( void ) { return n + 1 ; } x = \"a b\" ;\n"
                             "all/bob: y ;\n",
    };
    for (int view = TWINSET_VIEW_BOTH; view <= TWINSET_VIEW_RAW; view++) {
        twinset_options options = options_of(view);
        twinset_collection *collection;
        text_list all = {""};
        options.group = "dir";
        assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
        assert_int_equal(twinset_collection_add_path(collection, "all", TWINSET_ROLE_NEW, NULL),
                         TWINSET_OK);
        assert_int_equal(twinset_collection_texts(collection, take_text, &all, NULL), TWINSET_OK);
        assert_string_equal(all.text, expected[view]);
        twinset_collection_free(collection);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_as_written),
        cmocka_unit_test(joined_files_are_read_as_written),
        cmocka_unit_test(no_shingle_crosses_files),
        cmocka_unit_test(distant_shingles_count_as_repeats),
        cmocka_unit_test(different_programs_have_different_digests),
        cmocka_unit_test(texts_have_normal_forms_and_shingles),
        cmocka_unit_test_setup_teardown(texts_of_submissions_are_joined, enter_folder,
                                        leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
