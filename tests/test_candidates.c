/*
 * From signatures to candidates: band keys, sets of pairs, and documents that agree in a band.
 * All are compared with brute force, for several amounts of memory and numbers of threads.
 */
#include "testing.h"

#include <signal.h>
#include <sys/resource.h>

#include "candidate_search.h"
#include "memory.h"

/* ---- keys */

/* The expected keys were computed by another program, by the definition in match.h. */
static void keys_are_as_defined(void **state)
{
    static const struct {
        unsigned rows;
        uint64_t keys[2];
    } vectors[] = {
        {1, {0xD4F5DD2D0D7A3364u, 0x0E94E39A3E76F901u}},
        {2, {0x192D547164F28526u, 0xA78B692D17F32DC1u}},
        {3, {0x4E299ED68AEF6149u, 0x531ECA88B769A17Fu}},
        {4, {0x74424031CCD70D64u, 0x2B5FC2648DF81BFAu}},
        {5, {0x928141CA1C2517A6u, 0xF4D330CD8B4E75D4u}},
        {12, {0x4C67C0F6A99B14A3u, 0x8BBE59AABA84FD98u}},
    };
    uint32_t slots[24];
    uint64_t keys[2];
    (void)state;
    for (uint32_t i = 0; i < COUNT(slots); i++)
        slots[i] = (i + 1) * 0x01234567u;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        tw_make_band_keys(slots, 2, vectors[i].rows, keys);
        assert_memory_equal(keys, vectors[i].keys, sizeof keys);
    }
    memset(slots, 0xFF, sizeof slots);
    tw_make_band_keys(slots, 1, 12, keys);
    assert_true(keys[0] == 0x22528D489454EF0Du);
}

/* Similar slots give keys that are spread evenly over the range, and all different. */
static void keys_are_well_mixed(void **state)
{
    enum { KEYS = 1 << 16, BINS = 256 };
    uint64_t *keys = malloc(KEYS * sizeof *keys), *scratch = malloc(KEYS * sizeof *keys);
    (void)state;
    for (unsigned rows = 1; rows <= 9; rows++) {
        unsigned high[BINS] = {0}, low[BINS] = {0};
        for (uint32_t i = 0; i < KEYS; i++) {
            uint32_t slots[9] = {0};
            slots[(i & 7) % rows] = i >> (rows > 7 ? 3 : 0);
            slots[rows - 1] += i << 16;
            tw_make_band_keys(slots, 1, rows, &keys[i]);
            high[keys[i] >> 56]++;
            low[keys[i] & 255]++;
        }
        for (unsigned bin = 0; bin < BINS; bin++) {
            assert_in_range(high[bin], 256 - 7 * 16, 256 + 7 * 16);
            assert_in_range(low[bin], 256 - 7 * 16, 256 + 7 * 16);
        }
        tw_sort_u64(keys, KEYS, scratch);
        for (uint32_t i = 1; i < KEYS; i++)
            assert_true(keys[i] != keys[i - 1]);
    }
    free(keys);
    free(scratch);
}

/* A distinct key for every band and document. */
static uint64_t key_at(unsigned band, size_t document)
{
    return tw_mix64((uint64_t)band << 40 | (document + 1));
}

static int fill_keys(tw_key_store *keys, unsigned bands, size_t documents, uint64_t *random,
                     twinset_error *error)
{
    int status = TWINSET_OK;
    for (size_t done = 0, now; done < documents && status == TWINSET_OK; done += now) {
        now = random_below(random, random_below(random, 10) ? 50 : 1000);
        now = now < documents - done ? now : documents - done;
        uint64_t *block = malloc((now * bands + 1) * sizeof *block);
        for (unsigned band = 0; band < bands; band++)
            for (size_t i = 0; i < now; i++)
                block[band * now + i] = key_at(band, done + i);
        status = tw_key_store_add(keys, block, now, error);
        free(block);
    }
    return status;
}

static void check_keys(const tw_key_store *keys, unsigned bands, size_t documents)
{
    enum { MOST = 700 };
    uint64_t buffer[2 * MOST];
    assert_int_equal(tw_key_store_count(keys), documents);
    for (unsigned band = 0; band < bands; band++) {
        size_t first = 0, count;
        do {
            assert_int_equal(tw_key_store_read(keys, band, first, MOST, buffer, &count, NULL), 0);
            assert_true(count <= MOST);
            for (size_t i = 0; i < count; i++)
                assert_true(buffer[i] == key_at(band, first + i) >> 24 << 24);
            first += count;
        } while (count > 0);
        assert_int_equal(first, documents);
    }
}

static void keys_are_read_by_band(void **state)
{
    static const uint64_t memory[] = {0, 1, 10000, 100000, 1 << 20, 1 << 30};
    static const size_t documents[] = {0, 1, 63, 64, 65, 3000};
    uint64_t random = test_seed(5);
    (void)state;
    for (size_t m = 0; m < COUNT(memory); m++)
        for (size_t d = 0; d < COUNT(documents); d++)
            for (unsigned bands = 1; bands < 60; bands += 19) {
                tw_key_store *keys;
                twinset_error error;
                assert_int_equal(tw_key_store_new(bands, memory[m], NULL, &keys), TWINSET_OK);
                assert_ok(fill_keys(keys, bands, documents[d], &random, &error), &error);
                check_keys(keys, bands, documents[d]);
                uint64_t bytes = documents[d] * bands * 5;
                uint64_t block = 64 * bands * 5; /* the smallest block */
                assert_true(tw_key_store_spilled(keys) <= bytes);
                assert_true(bytes <= memory[m] / 2 ? tw_key_store_spilled(keys) == 0
                                                   : bytes - tw_key_store_spilled(keys) <=
                                                         (memory[m] > block ? memory[m] : block));
                tw_key_store_free(keys);
            }
    tw_key_store_free(NULL);
}

/* Keys are spilled if documents need their memory, even keys that are in memory already. */
static const tw_loop FOUR_THREADS = {.threads = 4, .stage = "testing"};

enum { CLAIMED_BANDS = 4, CLAIMED_DOCUMENTS = 30000, CLAIMED_AT_ONCE = 100 };

/* Stores keys for which room was made. */
static int put_keys(void *context, unsigned worker, size_t step)
{
    uint64_t block[CLAIMED_BANDS * CLAIMED_AT_ONCE];
    size_t first = step * CLAIMED_AT_ONCE;
    (void)worker;
    for (unsigned band = 0; band < CLAIMED_BANDS; band++)
        for (size_t i = 0; i < CLAIMED_AT_ONCE; i++)
            block[band * CLAIMED_AT_ONCE + i] = key_at(band, first + i);
    return tw_key_store_put(context, first, block, CLAIMED_AT_ONCE, NULL);
}

static void threads_store_keys_in_any_order(void **state)
{
    enum { BYTES = CLAIMED_BANDS * CLAIMED_DOCUMENTS * 5 };
    static const uint64_t memory[] = {1 << 14, 1 << 18, 1 << 24};
    (void)state;
    for (size_t m = 0; m < COUNT(memory); m++) {
        tw_key_store *keys;
        size_t first, steps = CLAIMED_DOCUMENTS / CLAIMED_AT_ONCE;
        assert_int_equal(tw_key_store_new(CLAIMED_BANDS, memory[m], NULL, &keys), TWINSET_OK);
        for (size_t i = 0; i < steps; i++) {
            assert_int_equal(tw_key_store_claim(keys, CLAIMED_AT_ONCE, &first), TWINSET_OK);
            assert_int_equal(first, i * CLAIMED_AT_ONCE);
        }
        assert_int_equal(tw_parallel(&FOUR_THREADS, steps, put_keys, keys), TWINSET_OK);
        assert_true((tw_key_store_spilled(keys) > 0) == (memory[m] < BYTES));
        check_keys(keys, CLAIMED_BANDS, CLAIMED_DOCUMENTS);
        tw_key_store_free(keys);
    }
}

static void keys_are_spilled_to_leave_memory_to_documents(void **state)
{
    enum { BANDS = 4, DOCUMENTS = 30000 };
    uint64_t random = test_seed(6), bytes = (uint64_t)DOCUMENTS * BANDS * 5;
    tw_key_store *keys;
    twinset_error error = {""};
    (void)state;
    assert_int_equal(tw_key_store_new(BANDS, 1 << 20, NULL, &keys), TWINSET_OK);
    assert_ok(fill_keys(keys, BANDS, DOCUMENTS / 4, &random, &error), &error);
    assert_int_equal(tw_key_store_spilled(keys), 0);
    tw_key_store_free(keys);
    assert_int_equal(tw_key_store_new(BANDS, 1 << 20, NULL, &keys), TWINSET_OK);
    assert_ok(fill_keys(keys, BANDS, DOCUMENTS, &random, &error), &error);
    assert_true(bytes - tw_key_store_spilled(keys) < (1 << 20) / 4);
    check_keys(keys, BANDS, DOCUMENTS);
    tw_key_store_free(keys);
}

/* ---- sets of numbers */

enum { MOST_ADDED = 3000 };

typedef enum numbers_kind { ANYWHERE, FEW_DIFFERENT, LIKE_PAIRS, RISING, ENDS, KINDS } numbers_kind;

static uint64_t number_of(numbers_kind kind, size_t i, size_t count)
{
    uint64_t random = tw_mix64(i + 1);
    switch (kind) {
    case FEW_DIFFERENT:
        return tw_mix64(1 + random % (count / 20 + 1));
    case LIKE_PAIRS:
        return (random % 300 + 1) << 32 | (random >> 32) % (random % 300 + 1);
    case RISING:
        return i / 3;
    case ENDS:
        return random % 3 == 0 ? random % 5 : UINT64_MAX - random % 7;
    default:
        return random;
    }
}

typedef struct adding {
    tw_number_set *set;
    numbers_kind kind;
    size_t count;
} adding;

/* Adds one chunk of the numbers; chunks come in any order. */
static int add_chunk(void *context, unsigned worker, size_t index)
{
    const adding *all = context;
    uint64_t numbers[MOST_ADDED];
    uint64_t random = index;
    size_t first = index * MOST_ADDED, count = all->count - first;
    count = count < MOST_ADDED ? count : MOST_ADDED;
    for (size_t i = 0; i < count; i++)
        numbers[i] = number_of(all->kind, first + i, all->count);
    for (size_t done = 0, now; done < count; done += now) {
        now = random_below(&random, count) + 1;
        now = now < count - done ? now : count - done;
        int status = tw_number_set_add(all->set, worker, numbers + done, now, NULL);
        if (status != TWINSET_OK)
            return status;
    }
    return tw_number_set_add(all->set, worker, NULL, 0, NULL);
}

static int add_numbers(tw_number_set *set, numbers_kind kind, size_t count, unsigned threads)
{
    adding all = {set, kind, count};
    tw_loop loop = {.threads = threads, .stage = "adding"};
    return tw_parallel(&loop, (count + MOST_ADDED - 1) / MOST_ADDED, add_chunk, &all);
}

static void check_numbers(tw_number_set *set, numbers_kind kind, size_t count, size_t capacity)
{
    uint64_t *expected = malloc((count + 1) * sizeof *expected);
    uint64_t *found = malloc((capacity + count + 1) * sizeof *found);
    for (size_t i = 0; i < count; i++)
        expected[i] = number_of(kind, i, count);
    size_t different = tw_sort_unique_u64(expected, count, found), got = 0, now;
    do {
        assert_int_equal(tw_number_set_next(set, found + got, capacity, &now, NULL), TWINSET_OK);
        assert_true(now <= capacity);
        got += now;
        assert_true(got <= different);
    } while (now > 0);
    assert_int_equal(got, different);
    assert_true(tw_number_set_most(set) >= different);
    assert_true(memcmp(found, expected, got * sizeof *found) == 0);
    assert_int_equal(tw_number_set_next(set, found, capacity, &now, NULL), TWINSET_OK);
    assert_int_equal(now, 0);
    free(expected);
    free(found);
}

static const unsigned THREADS[] = {1, 2, 7};

static void numbers_are_read_in_order(void **state)
{
    static const uint64_t memory[] = {0, 300000, 3000000, (uint64_t)1 << 32};
    static const size_t counts[] = {0, 1, 1023, 1024, 5000, 300000};
    size_t spilled = 0;
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t m = 0; m < COUNT(memory); m++)
            for (size_t c = 0; c < COUNT(counts); c++) {
                tw_number_set *set;
                unsigned threads = THREADS[(m + c) % COUNT(THREADS)];
                assert_int_equal(tw_number_set_new(memory[m], NULL, &set), TWINSET_OK);
                assert_int_equal(add_numbers(set, (numbers_kind)kind, counts[c], threads), 0);
                assert_int_equal(tw_number_set_sort(set, &FOUR_THREADS, NULL), TWINSET_OK);
                assert_in_range(tw_number_set_most(set), 0, counts[c]);
                check_numbers(set, (numbers_kind)kind, counts[c], c % 2 ? 1000 : 100000);
                tw_number_set_rewind(set);
                check_numbers(set, (numbers_kind)kind, counts[c], 1000);
                spilled += tw_number_set_spilled(set) > 0;
                assert_true(counts[c] * 16 > memory[m] || tw_number_set_spilled(set) == 0);
                tw_number_set_free(set);
            }
    assert_in_range(spilled, 10, 80);
    tw_number_set_free(NULL);
}

/* ---- candidates */

enum { STAR = 3, MOST_DOCUMENTS = 3000, MOST_BANDS = 6, MOST_HOT = 4000 };

typedef struct collection {
    size_t documents;
    unsigned bands;
    uint64_t (*keys)[MOST_DOCUMENTS]; /* by band */
    uint32_t number[MOST_DOCUMENTS];
    bool has_unwanted;
    size_t pair_count, hot_count; /* found by brute force */
    size_t hot_read;              /* buckets reported so far */
    struct {
        unsigned band;
        uint32_t first;
        size_t documents;
    } hot[MOST_HOT];
} collection;

/* A key whose bucket may have any size. Some keys differ only in the first, or only in the last, of
 * the 40 bits that count. */
static uint64_t random_key(uint64_t *random, size_t documents)
{
    static const uint64_t alike[] = {0, 1, 2, ((uint64_t)1 << 40) - 1, (uint64_t)1 << 39, 1 << 8};
    size_t kind = random_below(random, 100);
    if (kind < 10)
        return alike[random_below(random, COUNT(alike))] << 24;
    if (kind < 15)
        return 0x1234567890ABCDEFu >> 24 << 24;
    uint64_t key =
        tw_mix64(kind < 60 ? 1 + random_below(random, documents) : tw_splitmix64(random));
    return key >> 24 << 24;
}

static void random_collection(collection *all, uint64_t *random, size_t documents)
{
    all->documents = documents;
    all->bands = 1 + (unsigned)random_below(random, MOST_BANDS);
    all->has_unwanted = random_below(random, 2);
    for (unsigned band = 0; band < all->bands; band++)
        for (size_t i = 0; i < documents; i++)
            all->keys[band][i] = random_key(random, documents);
    for (uint32_t i = 0; i < documents; i++) /* a shuffle */
        all->number[i] = i;
    for (size_t i = documents; i-- > 1;) {
        size_t other = random_below(random, i + 1);
        uint32_t number = all->number[i];
        all->number[i] = all->number[other];
        all->number[other] = number;
    }
    for (size_t i = 0; i < documents; i++)
        if (random_below(random, 10) == 0)
            all->number[i] = UINT32_MAX;
}

static bool is_wanted(const void *context, uint32_t a, uint32_t b)
{
    assert_true(a < b);
    return !((const collection *)context)->has_unwanted || (a + b) % 3 != 0;
}

/* Checks that buckets over the limit are reported as brute force found them. */
static int check_hot(void *context, unsigned band, uint32_t first, size_t documents)
{
    collection *all = context;
    size_t i = all->hot_read++;
    assert_true(i < all->hot_count);
    assert_int_equal(all->hot[i].band, band);
    assert_int_equal(all->hot[i].first, first);
    assert_int_equal(all->hot[i].documents, documents);
    return TWINSET_OK;
}

static tw_key_store *keys_of(const collection *all, uint64_t memory_bytes)
{
    tw_key_store *keys;
    assert_int_equal(tw_key_store_new(all->bands, memory_bytes, NULL, &keys), TWINSET_OK);
    for (size_t i = 0; i < all->documents; i++) {
        uint64_t block[MOST_BANDS];
        for (unsigned band = 0; band < all->bands; band++)
            block[band] = all->keys[band][i];
        assert_int_equal(tw_key_store_add(keys, block, 1, NULL), TWINSET_OK);
    }
    return keys;
}

static tw_candidate_rules rules_of(collection *all, unsigned max_bucket, bool shuffled)
{
    return (tw_candidate_rules){.number = shuffled ? all->number : NULL,
                                .bands = all->bands,
                                .max_bucket = max_bucket,
                                .star = STAR,
                                .wanted = is_wanted,
                                .hot = check_hot,
                                .context = all};
}

/* Finds the index of each document in the key store; UINT32_MAX: it is not compared. */
static void find_indexes(const collection *all, const tw_candidate_rules *rules, uint32_t *indexes)
{
    memset(indexes, 0xFF, all->documents * sizeof *indexes);
    for (uint32_t i = 0; i < all->documents; i++)
        if (!rules->number)
            indexes[i] = i;
        else if (rules->number[i] != UINT32_MAX)
            indexes[rules->number[i]] = i;
}

/* Lists the documents of a bucket, ascending, from `first` on. */
static size_t bucket_of(const collection *all, const uint32_t *indexes, unsigned band,
                        uint32_t first, uint32_t *members)
{
    size_t count = 0;
    uint64_t key = all->keys[band][indexes[first]];
    for (uint32_t doc = first; doc < all->documents; doc++)
        if (indexes[doc] != UINT32_MAX && all->keys[band][indexes[doc]] == key)
            members[count++] = doc;
    return count;
}

/* Marks the pairs that the rules propose in a table of all pairs. */
static uint8_t *brute_force_pairs(collection *all, const tw_candidate_rules *rules)
{
    static uint32_t indexes[MOST_DOCUMENTS], members[MOST_DOCUMENTS];
    uint8_t *table = calloc(all->documents * all->documents + 1, 1);
    find_indexes(all, rules, indexes);
    all->hot_count = all->hot_read = 0;
    for (unsigned band = 0; band < all->bands; band++) {
        static bool seen[MOST_DOCUMENTS];
        memset(seen, 0, sizeof seen);
        for (uint32_t first = 0; first < all->documents; first++) {
            if (indexes[first] == UINT32_MAX || seen[first])
                continue;
            size_t count = bucket_of(all, indexes, band, first, members), centres = count;
            if (rules->max_bucket && count > rules->max_bucket) {
                assert_true(all->hot_count < MOST_HOT);
                all->hot[all->hot_count].band = band;
                all->hot[all->hot_count].first = first;
                all->hot[all->hot_count++].documents = count;
                centres = STAR;
            }
            for (size_t i = 0; i < count; i++) {
                seen[members[i]] = true;
                for (size_t j = i + 1; j < count && i < centres; j++)
                    table[members[j] * all->documents + members[i]] =
                        is_wanted(all, members[i], members[j]);
            }
        }
    }
    all->pair_count = 0;
    for (size_t i = 0; i < all->documents * all->documents; i++)
        all->pair_count += table[i];
    return table;
}

static void compare_pairs(tw_number_set *pairs, const uint8_t *table, const collection *all)
{
    static uint64_t found[10000];
    size_t total = 0, count;
    do {
        assert_int_equal(tw_number_set_next(pairs, found, COUNT(found), &count, NULL), TWINSET_OK);
        for (size_t i = 0; i < count; i++)
            assert_true(table[(found[i] >> 32) * all->documents + (uint32_t)found[i]]);
        total += count;
    } while (count > 0);
    assert_int_equal(total, all->pair_count);
}

static void check_candidates(collection *all, tw_candidate_rules *rules, uint64_t keys_memory)
{
    static const uint64_t memory[] = {0, 30000, 100000, 1 << 20, 1 << 30};
    uint8_t *table = brute_force_pairs(all, rules);
    tw_key_store *keys = keys_of(all, keys_memory);
    rules->keys = keys;
    for (size_t m = 0; m < COUNT(memory); m++)
        for (size_t t = 0; t < COUNT(THREADS); t++) {
            tw_number_set *pairs;
            tw_loop loop = {.threads = THREADS[t], .stage = "testing"};
            twinset_error error;
            rules->memory_bytes = memory[m];
            assert_int_equal(tw_number_set_new(1 << 24, NULL, &pairs), TWINSET_OK);
            assert_ok(tw_find_candidates(rules, &loop, pairs, &error), &error);
            assert_ok(tw_number_set_sort(pairs, &loop, &error), &error);
            compare_pairs(pairs, table, all);
            assert_int_equal(all->hot_read, all->hot_count);
            all->hot_read = 0;
            tw_number_set_free(pairs);
        }
    tw_key_store_free(keys);
    free(table);
}

static collection *new_collection(void)
{
    collection *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->keys = calloc(MOST_BANDS, sizeof *all->keys);
    assert_non_null(all->keys);
    return all;
}

static void free_collection(collection *all)
{
    free(all->keys);
    free(all);
}

static void candidates_equal_brute_force(void **state)
{
    static const size_t documents[] = {0, 1, 2, 30, 200, 1200, MOST_DOCUMENTS};
    static const unsigned limits[] = {0, 1, 2, 10, 100, MOST_DOCUMENTS};
    uint64_t random = test_seed(11);
    collection *all = new_collection();
    (void)state;
    for (size_t d = 0; d < COUNT(documents) - (SANITIZED ? 1 : 0); d++)
        for (size_t l = 0; l < COUNT(limits); l++) {
            random_collection(all, &random, documents[d]);
            tw_candidate_rules rules = rules_of(all, limits[l], l % 2);
            check_candidates(all, &rules, l % 3 ? (uint64_t)1 << 30 : 0);
        }
    free_collection(all);
}

/* All documents in one bucket: pairs stay linear, whatever the memory. */
static void one_bucket_of_all_documents(void **state)
{
    enum { DOCUMENTS = SANITIZED ? 20000 : 200000 };
    (void)state;
    for (int round = 0; round < 4; round++) {
        collection *all = new_collection();
        tw_key_store *keys;
        tw_number_set *pairs;
        tw_loop loop = {.threads = 2, .stage = "testing"};
        tw_candidate_rules rules = rules_of(all, 1000, false);
        uint64_t *block = malloc(DOCUMENTS * sizeof *block), found[1000];
        size_t count, total = 0;
        for (size_t i = 0; i < DOCUMENTS; i++)
            block[i] = 0x1234567890ABCDEFu;
        assert_int_equal(tw_key_store_new(1, (uint64_t)1 << 30, NULL, &keys), TWINSET_OK);
        assert_int_equal(tw_key_store_add(keys, block, DOCUMENTS, NULL), TWINSET_OK);
        assert_int_equal(tw_number_set_new(1 << 20, NULL, &pairs), TWINSET_OK);
        all->hot_count = 1;
        all->hot[0].documents = DOCUMENTS;
        rules.keys = keys;
        rules.bands = 1;
        rules.memory_bytes = (uint64_t)1 << (10 * round);
        assert_int_equal(tw_find_candidates(&rules, &loop, pairs, NULL), TWINSET_OK);
        assert_int_equal(tw_number_set_sort(pairs, &loop, NULL), TWINSET_OK);
        do {
            assert_int_equal(tw_number_set_next(pairs, found, COUNT(found), &count, NULL), 0);
            for (size_t i = 0; i < count; i++)
                assert_true((uint32_t)found[i] < STAR && (uint32_t)found[i] < found[i] >> 32);
            total += count;
        } while (count > 0);
        assert_int_equal(total, STAR * (DOCUMENTS - 1) - STAR * (STAR - 1) / 2);
        assert_int_equal(all->hot_read, 1);
        tw_number_set_free(pairs);
        tw_key_store_free(keys);
        free(block);
        free_collection(all);
    }
}

static int refuse_hot(void *context, unsigned band, uint32_t first, size_t documents)
{
    (void)context, (void)band, (void)first, (void)documents;
    return TWINSET_EMPTY;
}

static int refuse_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    assert_string_equal(stage, "testing");
    assert_true(done <= total);
    return 1;
}

static void callbacks_can_stop_the_search(void **state)
{
    uint64_t random = 5;
    collection *all = new_collection();
    tw_number_set *pairs;
    tw_loop loop = {.threads = 1, .stage = "testing"};
    (void)state;
    random_collection(all, &random, 1000);
    tw_candidate_rules rules = rules_of(all, 2, true);
    tw_key_store *keys = keys_of(all, 1 << 20);
    rules.keys = keys;
    rules.hot = refuse_hot;
    assert_int_equal(tw_number_set_new(1 << 20, NULL, &pairs), TWINSET_OK);
    assert_int_equal(tw_find_candidates(&rules, &loop, pairs, NULL), TWINSET_EMPTY);
    loop.progress = refuse_progress;
    assert_int_equal(tw_find_candidates(&rules, &loop, pairs, NULL), TWINSET_CANCELLED);
    tw_number_set_free(pairs);
    tw_key_store_free(keys);
    free_collection(all);
}

/* ---- faults */

static void a_missing_folder_is_an_error(void **state)
{
    uint64_t random = 1;
    twinset_error error = {""};
    tw_key_store *keys;
    (void)state;
    assert_int_equal(tw_key_store_new(3, 0, "/no/such/folder", &keys), TWINSET_OK);
    assert_int_equal(fill_keys(keys, 3, 1000, &random, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "/no/such/folder"));
    tw_key_store_free(keys);

    tw_number_set *set;
    assert_int_equal(tw_number_set_new(0, "/no/such/folder", &set), TWINSET_OK);
    assert_int_equal(add_numbers(set, ANYWHERE, 10000, 2), TWINSET_IO);
    tw_number_set_free(set);
    uint64_t number = 1;
    assert_int_equal(tw_number_set_new(0, "/no/such/folder", &set), TWINSET_OK);
    assert_int_equal(tw_number_set_add(set, 0, &number, 1, &error), TWINSET_OK);
    *error.message = '\0';
    assert_int_equal(tw_number_set_sort(set, &FOUR_THREADS, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "/no/such/folder"));
    tw_number_set_free(set);
}

/* The disk has space for a megabyte. Whichever thread fails, the caller gets the error. */
static void a_full_disk_is_an_error(void **state)
{
    enum { DOCUMENTS = 1000 };
    struct rlimit before, small;
    collection *all = new_collection();
    tw_loop loop = {.threads = 2, .stage = "testing"};
    twinset_error error = {""};
    tw_key_store *keys;
    tw_number_set *pairs;
    (void)state;
    all->bands = 4;
    all->documents = DOCUMENTS;
    tw_candidate_rules rules = rules_of(all, 0, false);
    rules.keys = keys = keys_of(all, 1 << 20); /* all in one bucket */
    void (*usual)(int) = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &small);
    assert_int_equal(tw_number_set_new(0, "/tmp", &pairs), TWINSET_OK);
    assert_int_equal(tw_find_candidates(&rules, &loop, pairs, &error), TWINSET_IO);
    assert_string_equal(error.message, "cannot write temporary files in /tmp: File too large; name "
                                       "another place with `tmp`");
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, usual);
    tw_number_set_free(pairs);
    tw_key_store_free(keys);
    free_collection(all);
}

#ifdef TW_FAULTS
typedef int (*use_fn)(twinset_error *error);

static int ignore_hot(void *context, unsigned band, uint32_t first, size_t documents)
{
    (void)context, (void)band, (void)first, (void)documents;
    return TWINSET_OK;
}

static int use_keys(twinset_error *error)
{
    uint64_t random = 1;
    tw_key_store *keys;
    if (tw_key_store_new(3, 20000, "/tmp", &keys) != TWINSET_OK)
        return TWINSET_NOMEM;
    int status = fill_keys(keys, 3, 3000, &random, error);
    if (status == TWINSET_OK)
        check_keys(keys, 3, 3000);
    tw_key_store_free(keys);
    return status;
}

static int use_number_set(twinset_error *error)
{
    tw_number_set *set;
    if (tw_number_set_new(100000, "/tmp", &set) != TWINSET_OK)
        return TWINSET_NOMEM;
    int status = add_numbers(set, LIKE_PAIRS, 30000, 1);
    if (status == TWINSET_OK)
        status = tw_number_set_sort(set, &FOUR_THREADS, error);
    size_t count = 0;
    do {
        uint64_t numbers[100];
        if (status == TWINSET_OK)
            status = tw_number_set_next(set, numbers, COUNT(numbers), &count, error);
    } while (status == TWINSET_OK && count > 0);
    tw_number_set_free(set);
    return status;
}

static int use_candidates(twinset_error *error)
{
    uint64_t random = 5;
    collection *all = new_collection();
    tw_number_set *pairs = NULL;
    tw_key_store *keys = NULL;
    uint64_t block[3] = {0};
    tw_loop loop = {.threads = 1, .stage = "testing"};
    tw_candidate_rules rules = rules_of(all, 200, false);
    rules.bands = 3;
    rules.memory_bytes = 40000;
    rules.hot = ignore_hot;
    int status = tw_key_store_new(3, 1 << 20, "/tmp", &keys);
    if (status == TWINSET_OK)
        status = tw_number_set_new(10000, "/tmp", &pairs);
    for (size_t i = 0; i < 4000 && status == TWINSET_OK; i++) {
        block[1] = tw_splitmix64(&random) | 1;
        block[2] = tw_splitmix64(&random) % 1000;
        status = tw_key_store_add(keys, block, 1, error);
    }
    rules.keys = keys;
    if (status == TWINSET_OK)
        status = tw_find_candidates(&rules, &loop, pairs, error);
    if (status == TWINSET_OK)
        status = tw_number_set_sort(pairs, &loop, error);
    tw_number_set_free(pairs);
    tw_key_store_free(keys);
    free_collection(all);
    return status;
}

static void short_memory_is_an_error(void **state)
{
    static const use_fn uses[] = {use_keys, use_number_set, use_candidates};
    (void)state;
    for (size_t i = 0; i < COUNT(uses); i++) {
        int status = TWINSET_NOMEM;
        for (long long allowed = 0; status != TWINSET_OK; allowed++) {
            tw_faults_after(allowed);
            twinset_error error = {""};
            status = uses[i](allowed % 2 ? &error : NULL);
            tw_faults_after(-1);
            if (status != TWINSET_OK && status != TWINSET_NOMEM)
                fail_msg("status %d after %lld allocations", status, allowed);
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_as_defined),
        cmocka_unit_test(keys_are_well_mixed),
        cmocka_unit_test(keys_are_read_by_band),
        cmocka_unit_test(threads_store_keys_in_any_order),
        cmocka_unit_test(keys_are_spilled_to_leave_memory_to_documents),
        cmocka_unit_test(numbers_are_read_in_order),
        cmocka_unit_test(candidates_equal_brute_force),
        cmocka_unit_test(one_bucket_of_all_documents),
        cmocka_unit_test(callbacks_can_stop_the_search),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(a_full_disk_is_an_error),
#ifdef TW_FAULTS
        cmocka_unit_test(short_memory_is_an_error),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
