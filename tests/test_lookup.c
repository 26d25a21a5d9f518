/*
 * The LSH index: every answer is compared with a search through a list of all signatures.
 */
#include "testing.h"

#include "memory.h"

enum { MOST = 3000, MOST_BYTES = 160 };

/* ---- the list */

typedef struct entry {
    unsigned char bytes[MOST_BYTES];
    uint32_t number;
} entry;

/* All signatures, in the order in which they were added. */
typedef struct list {
    entry entries[MOST];
    size_t count;
    unsigned bands;
    size_t band_bytes;
} list;

static bool agrees(const list *all, const entry *candidate, const unsigned char *bytes,
                   unsigned bands)
{
    for (unsigned band = 0; band < bands; band++) {
        size_t start = band * all->band_bytes;
        if (memcmp(candidate->bytes + start, bytes + start, all->band_bytes) == 0)
            return true;
    }
    return false;
}

static void check_query(twinset_lsh *lsh, const list *all, const unsigned char *bytes,
                        unsigned bands)
{
    const uint32_t *found;
    size_t count, expected = 0;
    assert_int_equal(twinset_lsh_query(lsh, bytes, bands, &found, &count, NULL), TWINSET_OK);
    unsigned asked = bands && bands < all->bands ? bands : all->bands;
    for (size_t i = 0; i < all->count; i++)
        if (agrees(all, &all->entries[i], bytes, asked)) {
            assert_true(expected < count);
            assert_int_equal(found[expected++], all->entries[i].number);
        }
    assert_int_equal(count, expected);
}

/* Draws bytes of few values, so that bands agree, or differ only in the first or the last byte. */
static void draw_signature(uint64_t *random, const list *all, size_t kinds, unsigned char *bytes)
{
    for (unsigned band = 0; band < all->bands; band++) {
        unsigned char *start = bytes + band * all->band_bytes;
        memset(start, 'x', all->band_bytes);
        start[random_below(random, 2) ? 0 : all->band_bytes - 1] =
            (unsigned char)random_below(random, kinds);
    }
}

static void add(twinset_lsh *lsh, list *all, const unsigned char *bytes)
{
    entry *added = &all->entries[all->count++];
    memcpy(added->bytes, bytes, MOST_BYTES);
    assert_int_equal(twinset_lsh_add(lsh, bytes, &added->number, NULL), TWINSET_OK);
    assert_true(added->number < MOST);
}

static void remove_signature(twinset_lsh *lsh, list *all, size_t index)
{
    assert_int_equal(twinset_lsh_remove(lsh, all->entries[index].number, NULL), TWINSET_OK);
    all->count--;
    memmove(&all->entries[index], &all->entries[index + 1],
            (all->count - index) * sizeof *all->entries);
}

static void check_signatures(const twinset_lsh *lsh, const list *all)
{
    assert_int_equal(twinset_lsh_count(lsh), all->count);
    for (size_t i = 0; i < all->count; i++)
        assert_memory_equal(twinset_lsh_signature(lsh, all->entries[i].number),
                            all->entries[i].bytes, all->bands * all->band_bytes);
}

/* Adds and removes signatures, so that tables double and buckets move to other slots. */
static void check_changes(uint64_t *random, list *all)
{
    static unsigned char bytes[MOST_BYTES];
    twinset_lsh *lsh;
    size_t kinds = 1 + random_below(random, 255);
    all->count = 0;
    assert_int_equal(twinset_lsh_new(all->bands, all->band_bytes, &lsh, NULL), TWINSET_OK);
    for (size_t step = 0; step < MOST; step++) {
        bool grows = step % 600 < 400 || !all->count;
        draw_signature(random, all, kinds, bytes);
        if (grows && all->count < 500)
            add(lsh, all, bytes);
        else
            remove_signature(lsh, all, random_below(random, all->count));
        if (step % 8 == 0)
            check_query(lsh, all, bytes, (unsigned)random_below(random, all->bands + 2));
    }
    check_signatures(lsh, all);
    while (all->count)
        remove_signature(lsh, all, all->count - 1);
    check_query(lsh, all, bytes, 0);
    twinset_lsh_free(lsh);
}

static void answers_are_those_of_a_list(void **state)
{
    static list all;
    static const size_t lengths[] = {1, 2, 7, 15, 16, 17, 31, 32};
    uint64_t random = test_seed(1);
    (void)state;
    for (int round = 0; round < 40; round++) {
        all.bands = 1 + (unsigned)random_below(&random, 5);
        all.band_bytes = lengths[random_below(&random, COUNT(lengths))];
        check_changes(&random, &all);
    }
}

/* Every byte of a band counts, including the first and the last. */
static void one_byte_distinguishes_bands(void **state)
{
    unsigned char bytes[MOST_BYTES] = {0};
    (void)state;
    for (size_t length = 1; length <= 100; length++) {
        twinset_lsh *lsh;
        uint32_t number;
        const uint32_t *found;
        size_t count;
        memset(bytes, 0, sizeof bytes);
        assert_int_equal(twinset_lsh_new(1, length, &lsh, NULL), TWINSET_OK);
        assert_int_equal(twinset_lsh_add(lsh, bytes, &number, NULL), TWINSET_OK);
        for (size_t i = 0; i < length; i++) {
            bytes[i] = 1;
            assert_int_equal(twinset_lsh_query(lsh, bytes, 0, &found, &count, NULL), TWINSET_OK);
            assert_int_equal(count, 0);
            bytes[i] = 0;
        }
        bytes[length] = 1; /* follows the signature */
        assert_int_equal(twinset_lsh_query(lsh, bytes, 0, &found, &count, NULL), TWINSET_OK);
        assert_int_equal(count, 1);
        twinset_lsh_free(lsh);
    }
}

/* A bucket has a quarter of a million signatures. To remove one takes no longer than to add it. */
static void large_buckets_can_be_emptied(void **state)
{
    enum { COUNT_IN_BUCKET = SANITIZED ? 20000 : 250000 };
    uint32_t signature[2] = {7, 0}, number;
    const uint32_t *found;
    size_t count;
    twinset_lsh *lsh;
    (void)state;
    assert_int_equal(twinset_lsh_new(2, sizeof *signature, &lsh, NULL), TWINSET_OK);
    for (uint32_t i = 0; i < COUNT_IN_BUCKET; i++) {
        signature[1] = i;
        assert_int_equal(twinset_lsh_add(lsh, signature, &number, NULL), TWINSET_OK);
        assert_int_equal(number, i);
    }
    for (uint32_t i = 0; i < COUNT_IN_BUCKET; i += 2)
        assert_int_equal(twinset_lsh_remove(lsh, i, NULL), TWINSET_OK);
    signature[1] = UINT32_MAX;
    assert_int_equal(twinset_lsh_query(lsh, signature, 0, &found, &count, NULL), TWINSET_OK);
    assert_int_equal(count, COUNT_IN_BUCKET / 2);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(found[i], 2 * i + 1);
    twinset_lsh_free(lsh);
}

static void free_numbers_are_used_again(void **state)
{
    uint32_t signature = 1, number;
    const uint32_t *found;
    size_t count;
    twinset_lsh *lsh;
    (void)state;
    assert_int_equal(twinset_lsh_new(1, sizeof signature, &lsh, NULL), TWINSET_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(twinset_lsh_add(lsh, &signature, &number, NULL), TWINSET_OK);
    assert_int_equal(twinset_lsh_remove(lsh, 2, NULL), TWINSET_OK);
    assert_int_equal(twinset_lsh_remove(lsh, 0, NULL), TWINSET_OK);
    static const uint32_t next[] = {0, 2, 4}, order[] = {1, 3, 0, 2, 4};
    for (size_t i = 0; i < COUNT(next); i++) {
        assert_int_equal(twinset_lsh_add(lsh, &signature, &number, NULL), TWINSET_OK);
        assert_int_equal(number, next[i]);
    }
    assert_int_equal(twinset_lsh_query(lsh, &signature, 0, &found, &count, NULL), TWINSET_OK);
    assert_int_equal(count, COUNT(order));
    assert_memory_equal(found, order, sizeof order);
    twinset_lsh_free(lsh);
}

static void empty_bands_are_refused(void **state)
{
    static const struct {
        unsigned bands;
        size_t bytes;
    } wrong[] = {{0, 4}, {4, 0}, {16, SIZE_MAX / 8}};
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        twinset_error error = {""};
        twinset_lsh *lsh;
        assert_int_equal(twinset_lsh_new(wrong[i].bands, wrong[i].bytes, &lsh, &error),
                         TWINSET_USAGE);
        assert_null(lsh);
        assert_non_null(strstr(error.message, "bands"));
    }
    twinset_lsh_free(NULL);
}

#ifdef TW_FAULTS
/* A signature that could not be added is not found. */
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    int status = TWINSET_NOMEM;
    for (long long allocations = 0; status != TWINSET_OK; allocations++) {
        uint32_t number;
        size_t count = 0;
        const uint32_t *found;
        twinset_lsh *lsh;
        tw_faults_after(allocations);
        status = twinset_lsh_new(2, 1, &lsh, NULL);
        for (unsigned i = 0; i < 100 && status == TWINSET_OK; i++) {
            unsigned char signature[2] = {(unsigned char)i, (unsigned char)(i / 2)};
            status = twinset_lsh_add(lsh, signature, &number, NULL);
            count += status == TWINSET_OK;
        }
        if (lsh)
            assert_int_equal(twinset_lsh_count(lsh), count);
        if (status == TWINSET_OK)
            status = twinset_lsh_query(lsh, "\5\2", 0, &found, &count, NULL);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        if (status == TWINSET_OK)
            assert_int_equal(count, 2);
        twinset_lsh_free(lsh);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_list),
        cmocka_unit_test(one_byte_distinguishes_bands),
        cmocka_unit_test(large_buckets_can_be_emptied),
        cmocka_unit_test(free_numbers_are_used_again),
        cmocka_unit_test(empty_bands_are_refused),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
