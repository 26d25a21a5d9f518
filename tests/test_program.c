/* Programs as blocks: what goes in comes out, one file or many; shingles as their definition
 * says. */
#include "testing.h"
#include "text/program.h"
#include "text/shingle_id.h"

enum { MOST = 40 };

/* Tokens of a text whose words stand for themselves. */
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
        assert_int_equal(tw_bytes_append(&code.normal, text + i, length), TWINSET_OK);
        assert_int_equal(tw_bytes_append(&code.normal, " ", 1), TWINSET_OK);
        i += length;
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

static void one_file(void **state)
{
    (void)state;
    tw_bytes block = write_text("a bc\n\nd", 7);
    tw_program program = tw_program_of(&block);
    assert_int_equal(program.file_count, 1);
    assert_int_equal(program.count, 3);
    assert_memory_equal(program.normal, "a bc d ", program.normal_length);
    assert_int_equal(program.tokens[2].line, 3);
    assert_int_equal(program.tokens[2].start, 6);
    assert_true(program.words[1] == tw_shingle_id("bc", 2));
    assert_int_equal(program.files[0].source, 7);
    tw_bytes_free(&block);
}

static void joined(void **state)
{
    static const char *const texts[] = {"a b c", "", "d e", "f"};
    tw_bytes blocks[COUNT(texts)], all = {0}, twice = {0};
    tw_program parts[COUNT(texts)];
    (void)state;
    for (uint32_t i = 0; i < COUNT(texts); i++) {
        blocks[i] = write_text(texts[i], i);
        parts[i] = tw_program_of(&blocks[i]);
    }
    assert_int_equal(tw_program_join(parts, COUNT(parts), &all), TWINSET_OK);
    tw_program program = tw_program_of(&all);
    assert_int_equal(program.file_count, 4);
    assert_int_equal(program.count, 6);
    assert_int_equal(program.normal_length, 12);
    assert_memory_equal(program.normal, "a b c d e f ", 12);
    static const uint32_t ends[] = {3, 3, 5, 6};
    for (size_t i = 0; i < COUNT(ends); i++)
        assert_int_equal(program.files[i].tokens, ends[i]);
    for (size_t i = 0; i < 6; i++)
        assert_true(program.words[i] == tw_shingle_id(program.normal + 2 * i, 1));
    /* A joined program can be joined again. */
    tw_program both[] = {program, parts[0]};
    assert_int_equal(tw_program_join(both, 2, &twice), TWINSET_OK);
    program = tw_program_of(&twice);
    assert_int_equal(program.file_count, 5);
    assert_int_equal(program.files[4].tokens, 9);
    assert_int_equal(program.files[4].source, 0);
    for (size_t i = 0; i < COUNT(texts); i++)
        tw_bytes_free(&blocks[i]);
    tw_bytes_free(&all);
    tw_bytes_free(&twice);
}

/* ---- shingles */

typedef struct seen {
    char shingles[8 * MOST][8 * MOST];
    size_t lengths[8 * MOST], count;
} seen;

static int see(void *context, const tw_shingles *batch)
{
    seen *all = context;
    for (size_t i = 0; i < batch->count; i++) {
        const char *bytes = tw_shingle_bytes(batch, i, &all->lengths[all->count]);
        memcpy(all->shingles[all->count], bytes, all->lengths[all->count]);
        all->count++;
    }
    return TWINSET_OK;
}

/* Files of random one-letter tokens, joined, with the shingles that they must have. */
typedef struct sample {
    tw_bytes block;
    seen expected;
} sample;

static void expect_file(seen *expected, const char *text, size_t tokens, size_t k)
{
    size_t part = tokens < k ? tokens : k;
    for (size_t i = 0; tokens && i + part <= tokens; i++) {
        memcpy(expected->shingles[expected->count], text + 2 * i, 2 * part - 1);
        expected->lengths[expected->count++] = 2 * part - 1;
    }
}

static void make_sample(uint64_t *state, size_t k, sample *made)
{
    size_t files = 1 + random_below(state, 3);
    tw_bytes blocks[3];
    tw_program parts[3];
    *made = (sample){0};
    for (uint32_t i = 0; i < files; i++) {
        char text[2 * MOST + 1] = "";
        size_t tokens = random_below(state, MOST);
        for (size_t j = 0; j < tokens; j++) {
            text[2 * j] = (char)('a' + random_below(state, 3));
            text[2 * j + 1] = ' ';
        }
        text[2 * tokens] = '\0';
        blocks[i] = write_text(text, i);
        parts[i] = tw_program_of(&blocks[i]);
        expect_file(&made->expected, text, tokens, k);
    }
    assert_int_equal(tw_program_join(parts, files, &made->block), TWINSET_OK);
    for (size_t i = 0; i < files; i++)
        tw_bytes_free(&blocks[i]);
}

/* The first, second, fourth... time that a letter comes. */
static size_t count_word_shingles(const tw_program *program)
{
    size_t count = 0, from = 0;
    for (size_t file = 0; file < program->file_count; file++) {
        size_t to = program->files[file].tokens;
        for (char letter = 'a'; letter <= 'c'; letter++) {
            size_t times = 0;
            for (size_t i = from; i < to; i++)
                times += program->normal[2 * i] == letter;
            for (; times; times /= 2)
                count++;
        }
        from = to;
    }
    return count;
}

static void shingles_stay_inside_files(void **state)
{
    uint64_t random = test_seed(6);
    tw_program_scratch scratch = {0};
    static seen found;
    static sample made;
    (void)state;
    for (int round = 0; round < 500; round++) {
        size_t k = 1 + random_below(&random, 8);
        tw_text_summary summary;
        make_sample(&random, k, &made);
        tw_program program = tw_program_of(&made.block);
        found.count = 0;
        assert_int_equal(tw_program_shingle(&program, k, &scratch, see, &found, &summary),
                         TWINSET_OK);
        assert_int_equal(summary.tokens, program.count);
        assert_int_equal(found.count, made.expected.count + count_word_shingles(&program));
        for (size_t i = 0; i < made.expected.count; i++) {
            assert_int_equal(found.lengths[i], made.expected.lengths[i]);
            assert_memory_equal(found.shingles[i], made.expected.shingles[i], found.lengths[i]);
        }
        tw_bytes_free(&made.block);
    }
    tw_program_scratch_free(&scratch);
}

static void digest_of(const char *first, const char *second, uint64_t digest[2])
{
    tw_bytes blocks[2] = {write_text(first, 0), write_text(second, 1)}, all = {0};
    tw_program parts[2] = {tw_program_of(&blocks[0]), tw_program_of(&blocks[1])};
    tw_program_scratch scratch = {0};
    tw_text_summary summary;
    assert_int_equal(tw_program_join(parts, *second ? 2 : 1, &all), TWINSET_OK);
    tw_program program = tw_program_of(&all);
    assert_int_equal(tw_program_shingle(&program, 3, &scratch, NULL, NULL, &summary), TWINSET_OK);
    memcpy(digest, summary.digest, sizeof summary.digest);
    tw_bytes_free(&blocks[0]);
    tw_bytes_free(&blocks[1]);
    tw_bytes_free(&all);
    tw_program_scratch_free(&scratch);
}

static void digests_tell_programs_apart(void **state)
{
    uint64_t whole[2], same[2], split[2], other[2];
    (void)state;
    digest_of("a b c d", "", whole);
    digest_of("a\nb   c d\n", "", same);
    digest_of("a b", "c d", split);
    digest_of("a b c", "d", other);
    assert_memory_equal(whole, same, sizeof whole);
    assert_memory_not_equal(whole, split, sizeof whole);
    assert_memory_not_equal(other, split, sizeof whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_file),
        cmocka_unit_test(joined),
        cmocka_unit_test(shingles_stay_inside_files),
        cmocka_unit_test(digests_tell_programs_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
