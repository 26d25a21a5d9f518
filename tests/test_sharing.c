/*
 * The documents of an index that share a term with a text are those that a lookup of every term
 * finds, although most terms of a near copy are not looked up. Documents that share a run of words
 * are found by fingerprints.
 */
#include "testing.h"

#include <stdio.h>
#include <unistd.h>

#include "store.h"
#include "varint.h"

enum { DOCUMENTS = 100, FAMILY = 4, TEXT = 300, BATCHES = 4 };

/* ---- varints */

static void numbers_of_any_width_are_read_back(void **state)
{
    uint64_t random = test_seed(5);
    (void)state;
    for (unsigned bits = 0; bits <= 64; bits++) {
        unsigned char bytes[2 * TW_VARINT_BYTES];
        uint64_t value = bits ? random_below(&random, SIZE_MAX) >> (64 - bits) : 0, read;
        memset(bytes, bits % 2 ? 0xFF : 0, sizeof bytes);
        const unsigned char *after = tw_varint_write(bytes, value);
        for (const unsigned char *end = after; end <= bytes + sizeof bytes; end++) {
            assert_ptr_equal(tw_varint_read(bytes, end, &read), after);
            assert_int_equal(read, value);
            assert_ptr_equal(tw_varint_skip(bytes, end), after);
        }
        assert_null(tw_varint_read(bytes, after - 1, &read));
        assert_null(tw_varint_skip(bytes, after - 1));
    }
}

/* ---- an index of families of near copies */

static void make_text(uint64_t seed, size_t number, char text[TEXT])
{
    uint64_t letters = seed + number / FAMILY, changes = seed + number;
    for (size_t i = 0; i < TEXT - 1; i++)
        text[i] = (char)('a' + random_below(&letters, 26));
    text[TEXT - 1] = '\0';
    for (size_t i = 0; i < number % FAMILY; i++)
        text[random_below(&changes, TEXT - 1)] = '7';
}

/* Adds every n-th text as a batch, so that members of a family are in the same and in different
 * batches. */
static void add_batch(tw_index *index, uint64_t seed, size_t batch)
{
    twinset_index_document documents[DOCUMENTS];
    static char texts[DOCUMENTS][TEXT], ids[DOCUMENTS][16];
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    size_t count = 0;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        if (i * 7 / 3 % BATCHES != batch)
            continue;
        make_text(seed, i, texts[count]);
        snprintf(ids[count], sizeof ids[count], "d%zu", i);
        documents[count] = (twinset_index_document){.size = sizeof *documents,
                                                    .id = ids[count],
                                                    .text = texts[count],
                                                    .text_length = TEXT - 1};
        count++;
    }
    assert_ok(tw_index_add_texts(index, documents, count, &counts, &error), &error);
}

static void sort_numbers(tw_u64s *numbers)
{
    uint64_t *scratch = tw_array(numbers->count, sizeof *scratch);
    assert_non_null(scratch);
    numbers->count = tw_sort_unique_u64(numbers->data, numbers->count, scratch);
    tw_free(scratch);
}

/* Compares the documents that share a term with those that a lookup of each term finds. */
static void check_terms(tw_index *index, const tw_term *terms)
{
    tw_u64s found = {0}, expected = {0};
    twinset_error error = {""};
    assert_ok(tw_find_sharing(index, terms, &found, &error), &error);
    for (unsigned i = 1; i <= index->manifest.bands; i++)
        assert_ok(tw_lookup(index, terms[i], &expected, &error), &error);
    sort_numbers(&found);
    sort_numbers(&expected);
    assert_int_equal(found.count, expected.count);
    if (found.count)
        assert_memory_equal(found.data, expected.data, found.count * sizeof *found.data);
    tw_free(found.data);
    tw_free(expected.data);
}

/* Checks the terms of every document, alone and mixed with those of the document before it. */
static void check_all(tw_index *index, uint64_t *random)
{
    tw_term terms[TW_INDEX_MOST_BANDS + 1], last[TW_INDEX_MOST_BANDS + 1] = {0};
    twinset_error error = {""};
    tw_stored_document record;
    assert_ok(tw_store_begin(index, false, &error), &error);
    for (uint64_t number = 1; number < index->manifest.next_document; number++) {
        int status = tw_read_document(index, number, &record, &error);
        if (status == TWINSET_EMPTY)
            continue;
        assert_ok(status, &error);
        assert_ok(tw_record_terms(index, &record, terms, &error), &error);
        check_terms(index, terms);
        for (unsigned i = 1; i <= index->manifest.bands; i++) {
            tw_term own = terms[i];
            terms[i] = random_below(random, 3) ? own : last[i];
            last[i] = own;
        }
        check_terms(index, terms);
    }
    assert_ok(tw_store_end(index, TWINSET_OK, &error), &error);
}

/* Writes heads of the older format, without a filter of repeated terms. */
static void make_heads_older(tw_index *index)
{
    twinset_error error = {""};
    tw_segment_head *head;
    assert_ok(tw_store_begin(index, true, &error), &error);
    for (size_t i = 0; i < index->manifest.run_count; i++)
        for (size_t j = 0; j < index->manifest.runs[i].count; j++) {
            const tw_segment *segment = &index->manifest.runs[i].segments[j];
            assert_ok(tw_segment_head_get(index, segment, &head, &error), &error);
            assert_true(head->knows_repeated);
            head->knows_repeated = false;
            assert_ok(tw_segment_head_put(index, head, &error), &error);
        }
    tw_heads_forget(index);
    assert_ok(tw_store_end(index, TWINSET_OK, &error), &error);
    assert_ok(tw_index_verify(index, NULL, NULL, &(uint64_t){0}, &error), &error);
}

static void documents_that_share_terms_are_found(void **state)
{
    uint64_t seed = test_seed(5), random = seed;
    twinset_error error = {""};
    twinset_index_counts counts = {0};
    tw_index *index;
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/twinset-sharing-%d.twx", (int)getpid());
    unlink(path);
    assert_ok(tw_index_open(path, NULL, TWINSET_INDEX_CREATE, &index, &error), &error);
    for (size_t batch = 0; batch < BATCHES; batch++)
        add_batch(index, seed, batch);
    check_all(index, &random);
    assert_ok(tw_index_remove_matching(index, "d?3", NULL, &counts, &error), &error);
    assert_int_equal(counts.removed, 9);
    check_all(index, &random);
    make_heads_older(index);
    check_all(index, &random);
    assert_ok(tw_index_optimize(index, &error), &error);
    check_all(index, &random);
    tw_index_close(index);
    unlink(path);
}

/* ---- passages */

enum { ESSAYS = 60, OWN = 20, ESSAY = 2000 };

static void append_words(char *text, uint64_t seed, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char *to = text + strlen(text);
        for (unsigned letter = 0; letter < 6; letter++)
            *to++ = (char)('a' + random_below(&seed, 26));
        *to++ = ' ';
        *to = '\0';
    }
}

/* Adds an essay: words of its own, a run that it shares with the one beside it, more of its own,
 * and a run that all have. */
static void add_essay(tw_index *index, uint64_t seed, unsigned number)
{
    char text[ESSAY] = "", id[16];
    append_words(text, seed + 1000 + number, OWN);
    append_words(text, seed + number / 2, TW_SEED_RUN);
    append_words(text, seed + 2000 + number, OWN);
    append_words(text, seed + 3000, TW_SEED_RUN);
    snprintf(id, sizeof id, "e%02u", number);
    twinset_index_document essay = {
        .size = sizeof essay, .id = id, .text = text, .text_length = strlen(text)};
    twinset_index_counts counts = {0};
    twinset_error error = {""};
    assert_ok(tw_index_add_texts(index, &essay, 1, &counts, &error), &error);
    assert_int_equal(counts.added, 1);
}

/* Counts the documents that share a fingerprint with one that the index has. */
static size_t count_sharing(tw_index *index, const char *id, size_t most)
{
    tw_u64s found = {0};
    const tw_u64s *terms;
    tw_stored_document record;
    uint64_t number;
    twinset_error error = {""};
    assert_ok(tw_store_begin(index, false, &error), &error);
    assert_ok(tw_find_id(index, id, &number, &record, &error), &error);
    assert_ok(tw_unpack_text(index, &record, &error), &error);
    assert_ok(tw_index_fingerprints(index, index->text.data, index->text.length, &terms, &error),
              &error);
    assert_ok(tw_find_sharing_passage(index, terms, most, &found, &error), &error);
    assert_ok(tw_store_end(index, TWINSET_OK, &error), &error);
    sort_numbers(&found);
    size_t count = found.count;
    tw_free(found.data);
    return count;
}

static tw_index *open_essays(const char *path, unsigned flags)
{
    tw_index *index;
    twinset_error error = {""};
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.min_passage = 20;
    assert_ok(tw_index_open(path, &options, flags, &index, &error), &error);
    return index;
}

/* Counts the heads of segments in memory. */
static size_t count_heads(const tw_index *index)
{
    size_t count = 0;
    for (size_t i = 0; i < TW_CACHED_SEGMENTS; i++)
        count += index->heads[i] != NULL;
    return count;
}

static void essays_that_share_fingerprints_are_found(void **state)
{
    uint64_t seed = test_seed(5), documents;
    twinset_error error = {""};
    twinset_index_counts counts = {0};
    tw_prose_rules rules, again;
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/twinset-essays-%d.twx", (int)getpid());
    unlink(path);
    tw_index *index = open_essays(path, TWINSET_INDEX_CREATE);
    tw_index *reader = open_essays(path, TWINSET_INDEX_READ_ONLY);
    for (unsigned i = 0; i < ESSAYS; i++) {
        add_essay(index, seed, i);
        assert_int_equal(count_sharing(reader, "e00", TW_SEED_DOCUMENTS),
                         i < TW_SEED_DOCUMENTS ? i + 1 : 2);
        assert_true(count_heads(reader) <= 4 * reader->manifest.run_count);
        assert_true(count_heads(index) <= 4 * index->manifest.run_count);
    }
    assert_int_equal(count_sharing(reader, "e07", SIZE_MAX), ESSAYS);
    assert_int_equal(tw_manifest_version(&reader->manifest), 2);

    assert_ok(tw_store_begin(reader, false, &error), &error);
    assert_ok(tw_index_rarity(reader, &rules, &error), &error);
    assert_int_equal(rules.document_count, ESSAYS);
    assert_true(rules.document_words == 2 * OWN + 2 * TW_SEED_RUN);
    assert_ok(tw_index_rarity(reader, &again, &error), &error);
    assert_ptr_equal(again.context, rules.context); /* not counted again */
    assert_ok(tw_store_end(reader, TWINSET_OK, &error), &error);

    assert_ok(tw_index_remove_matching(index, "e?6", NULL, &counts, &error), &error);
    assert_int_equal(counts.removed, ESSAYS / 10);
    assert_int_equal(count_sharing(reader, "e07", TW_SEED_DOCUMENTS), 1);
    assert_ok(tw_index_verify(reader, NULL, NULL, &documents, &error), &error);
    assert_int_equal(documents, ESSAYS - ESSAYS / 10);
    assert_ok(tw_index_optimize(index, &error), &error);
    assert_int_equal(count_sharing(reader, "e09", TW_SEED_DOCUMENTS), 2);
    tw_index_close(reader);
    tw_index_close(index);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_any_width_are_read_back),
        cmocka_unit_test(documents_that_share_terms_are_found),
        cmocka_unit_test(essays_that_share_fingerprints_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
