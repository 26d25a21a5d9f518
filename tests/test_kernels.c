/*
 * Kernels: every instruction set of this machine must give the bytes of the portable reference.
 * Texts, with the slack that kernels may read, end at a page that cannot be read.
 */
#define _DEFAULT_SOURCE
#include "testing.h"

#include <sys/mman.h>
#include <unistd.h>

#include "classic.h"
#include "cpu.h"
#include "match.h"
#include "memory.h"
#include "sha1.h"
#include "shingle_id.h"
#include "sketch.h"
#include "window.h"

enum { MOST_BYTES = 200 * 1000, MOST_HASHES = 65536 };

static void use(tw_isa isa)
{
    twinset_error error;
    assert_int_equal(setenv("TWINSET_ISA", tw_isa_name(isa), 1), 0);
    assert_ok(tw_cpu_check(&error), &error);
    assert_int_equal(tw_cpu_isa(), isa);
}

/* Loops over the instruction sets of this machine. */
#define FOR_ISAS(isa)                                                                              \
    for (tw_isa isa = TW_ISA_PORTABLE; isa < TW_ISAS; isa++)                                       \
        if (tw_cpu_has(isa))

/* ---- texts at the end of a page */

static char *page_end;

static int make_pages(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (MOST_BYTES / page + 2) * page;
    (void)state;
    char *pages =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + size, page, PROT_NONE) != 0)
        return -1;
    page_end = pages + size;
    return 0;
}

/* A text of so many bytes, followed by the slack and the unreadable page. */
static char *draw_text(uint64_t *random, size_t length)
{
    char *text = page_end - TW_SLACK - length;
    size_t kind = random_below(random, 5);
    size_t period = 1 + random_below(random, kind == 0 ? 50 : 5000);
    for (size_t i = 0; i < length; i++)
        if (kind <= 1 && i >= period)
            text[i] = text[i - period]; /* a periodic text */
        else if (kind == 2)
            text[i] = (char)random_below(random, 256);
        else
            text[i] = random_below(random, 6) ? (char)('a' + random_below(random, 20)) : ' ';
    memset(page_end - TW_SLACK, 'z', TW_SLACK);
    return text;
}

/* Draws a length, mostly a short one. */
static size_t draw_length(uint64_t *random)
{
    static const size_t limits[] = {4, 20, 80, 300, 1000, 3000, 10000, 40000, MOST_BYTES};
    return random_below(random, limits[random_below(random, COUNT(limits))]);
}

/* ---- windows */

static void windows_have_the_ids_of_shingles(void **state)
{
    static uint64_t ids[1001];
    uint64_t random = test_seed(1);
    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t k = 1 + random_below(&random, round % 8 ? 20 : 200);
        size_t count = random_below(&random, round % 4 ? 70 : 1000);
        const char *text = draw_text(&random, count + k - 1);
        FOR_ISAS(isa)
        {
            use(isa);
            memset(ids, 0xAB, sizeof ids);
            tw_window_ids(text, count, k, ids);
            for (size_t i = 0; i < count; i++)
                assert_true(ids[i] == tw_shingle_id(text + i, k));
            assert_true(ids[count] == UINT64_C(0xABABABABABABABAB));
        }
    }
}

/* Most tokens have one byte, or all have any length, with or without gaps between them. */
static void windows_of_tokens_have_the_ids_of_shingles(void **state)
{
    static uint64_t ids[501];
    static size_t start[1000];
    uint64_t random = test_seed(2);
    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t k = 1 + random_below(&random, 20), count = 1 + random_below(&random, 500);
        size_t gap = random_below(&random, 2), longest = 1 + random_below(&random, 12);
        size_t rare = 1 + random_below(&random, 40), length = 0;
        for (size_t i = 0; i < count + k; i++) {
            start[i] = length;
            length += gap + 1 + (random_below(&random, rare) ? 0 : random_below(&random, longest));
        }
        const char *text = draw_text(&random, start[count + k - 1] - gap);
        FOR_ISAS(isa)
        {
            use(isa);
            memset(ids, 0xAB, sizeof ids);
            tw_window_ids_at(text, start, count, k, gap, ids);
            for (size_t i = 0; i < count; i++)
                assert_true(ids[i] ==
                            tw_shingle_id(text + start[i], start[i + k] - gap - start[i]));
            assert_true(ids[count] == UINT64_C(0xABABABABABABABAB));
        }
    }
}

/* ---- digests */

/* Items end at the unreadable page, without slack. */
static void draw_items(uint64_t *random, size_t longest, const char **items, size_t *lengths,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lengths[i] = random_below(random, longest);
        items[i] = page_end - lengths[i] - (random_below(random, 4) ? random_below(random, 90) : 0);
    }
}

static void items_have_the_digests_of_the_reference(void **state)
{
    enum { MOST_ITEMS = 70 };
    const char *items[MOST_ITEMS];
    size_t lengths[MOST_ITEMS];
    uint32_t words[MOST_ITEMS + 1];
    uint64_t random = test_seed(8);
    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t count = random_below(&random, MOST_ITEMS + 1);
        for (char *byte = page_end - 256; byte < page_end; byte++)
            *byte = (char)random_below(&random, 256);
        draw_items(&random, round % 4 ? TW_SHA1_SHORT + 1 : 130, items, lengths, count);
        FOR_ISAS(isa)
        {
            use(isa);
            memset(words, 0xAB, sizeof words);
            tw_sha1_words(items, lengths, count, words);
            assert_int_equal(words[count], 0xABABABAB);
            for (size_t i = 0; i < count; i++) {
                uint8_t digest[20];
                tw_sha1(items[i], lengths[i], digest);
                assert_int_equal(words[i], digest[0] | digest[1] << 8 | digest[2] << 16 |
                                               (uint32_t)digest[3] << 24);
            }
        }
    }
}

/* ---- signatures */

static tw_scheme *make_scheme(int kind, unsigned hashes, uint64_t seed)
{
    twinset_options options = options_with("");
    tw_scheme *scheme;
    options.scheme = kind;
    options.hashes = hashes;
    options.seed = seed;
    assert_int_equal(tw_scheme_new(&options, &scheme, NULL), 0);
    return scheme;
}

static tw_scheme *draw_scheme(uint64_t *random, int kind)
{
    static const unsigned numbers[] = {1,   2,   3,   7,   16,  100, 127, 128,  128,
                                       129, 256, 256, 256, 257, 500, 512, 1000, 4096};
    unsigned hashes = numbers[random_below(random, kind ? 12 : COUNT(numbers))];
    return make_scheme(kind, hashes, random_below(random, 3) ? 1 : tw_splitmix64(random) >> 32);
}

static size_t draw_chunk(uint64_t *random, size_t left)
{
    size_t chunk = random_below(random, 2) ? left : 1 + random_below(random, left);
    return chunk > 40 && random_below(random, 2) ? chunk / 40 : chunk;
}

static void sketch_windows(tw_sketch *sketch, uint64_t *random, const char *text, size_t count,
                           size_t k, uint32_t *slots)
{
    tw_sketch_begin(sketch, slots);
    for (size_t start = 0, chunk; start < count; start += chunk) {
        chunk = draw_chunk(random, count - start);
        assert_int_equal(tw_sketch_windows(sketch, text + start, chunk, k), 0);
    }
    tw_sketch_end(sketch);
}

static void sketch_values(tw_sketch *sketch, uint64_t *random, const uint64_t *values, size_t count,
                          uint32_t *slots)
{
    tw_sketch_begin(sketch, slots);
    for (size_t start = 0, chunk; start < count; start += chunk) {
        chunk = draw_chunk(random, count - start);
        assert_int_equal(tw_sketch_add(sketch, values + start, chunk), 0);
    }
    tw_sketch_end(sketch);
}

static void assert_slots(const tw_scheme *scheme, const uint32_t *slots, const uint32_t *expected,
                         tw_isa isa, size_t count)
{
    for (size_t i = 0; i < scheme->hashes; i++)
        if (slots[i] != expected[i])
            fail_msg("%s: slot %zu of %zu is %u and should be %u; %zu shingles, %s",
                     tw_isa_name(isa), i, scheme->hashes, slots[i], expected[i], count,
                     scheme->a ? "a classical scheme" : "fss");
}

/* Sketches a text as windows and as values, in chunks of any size, and again in the memory of the
 * document before it. */
static void check_text(const tw_scheme *scheme, uint64_t *random, size_t length)
{
    static uint32_t expected[MOST_HASHES], slots[MOST_HASHES];
    static uint64_t values[MOST_BYTES];
    size_t k = 1 + random_below(random, random_below(random, 4) ? 12 : 80);
    size_t count = 1 + length;
    const char *text = draw_text(random, k + length);
    tw_sketch sketch;
    for (size_t i = 0; i < count; i++)
        values[i] = tw_scheme_value(scheme, tw_shingle_id(text + i, k), text + i, k);
    use(TW_ISA_PORTABLE);
    tw_sketch_init(&sketch, scheme);
    tw_sketch_begin(&sketch, expected);
    assert_int_equal(tw_sketch_add(&sketch, values, count), 0);
    tw_sketch_end(&sketch);
    FOR_ISAS(isa)
    {
        use(isa);
        sketch_windows(&sketch, random, text, count, k, slots);
        assert_slots(scheme, slots, expected, isa, count);
        sketch_values(&sketch, random, values, count, slots);
        assert_slots(scheme, slots, expected, isa, count);
    }
    tw_sketch_free(&sketch);
}

static void texts_have_the_signatures_of_the_reference(void **state)
{
    uint64_t random = test_seed(3);
    (void)state;
    for (int round = 0; round < (is_long_run() ? 600 : 60); round++) {
        int kind = round % 10 ? 0 : (int)random_below(&random, TWINSET_SCHEME_DATASKETCH2 + 1);
        size_t longest = kind == TWINSET_SCHEME_MD5 ? 200 : kind ? 2000 : MOST_BYTES / 2;
        tw_scheme *scheme = draw_scheme(&random, kind);
        check_text(scheme, &random, draw_length(&random) % longest);
        tw_scheme_free(scheme);
    }
    tw_scheme *large = make_scheme(TWINSET_SCHEME_FSS, MOST_HASHES, 1);
    check_text(large, &random, 20 * 1000);
    tw_scheme_free(large);
}

/* Draws values by kind: values that leave half of the bins empty, too many to keep; the largest and
 * the smallest; values near the ends of bins; values in the last bins. */
static uint64_t draw_odd(uint64_t *random, size_t hashes, int kind)
{
    uint64_t value = tw_splitmix64(random);
    switch (kind) {
    case 0:
        return value >> 1;
    case 1:
        return value % 3 - 1;
    case 2:
        return random_below(random, hashes + 1) * (UINT64_MAX / hashes) + (value >> 30) -
               (UINT64_C(1) << 33);
    default:
        return value | ~(UINT64_MAX >> value % 40);
    }
}

static void odd_values_have_the_signatures_of_the_reference(void **state)
{
    static uint32_t expected[MOST_HASHES], slots[MOST_HASHES];
    static uint64_t values[40000];
    uint64_t random = test_seed(4);
    (void)state;
    for (int round = 0; round < 300; round++) {
        tw_scheme *scheme = draw_scheme(&random, TWINSET_SCHEME_FSS);
        size_t count = random_below(&random, round % 10 ? 600 : COUNT(values));
        tw_sketch sketch;
        for (size_t i = 0; i < count; i++)
            values[i] = draw_odd(&random, scheme->hashes, round % 4);
        use(TW_ISA_PORTABLE);
        tw_sketch_init(&sketch, scheme);
        sketch_values(&sketch, &random, values, count, expected);
        FOR_ISAS(isa)
        {
            use(isa);
            sketch_values(&sketch, &random, values, count, slots);
            assert_slots(scheme, slots, expected, isa, count);
        }
        tw_sketch_free(&sketch);
        tw_scheme_free(scheme);
    }
}

/* The function as numpy computes it, in 64 bits. */
static uint32_t datasketch1(uint64_t a, uint64_t b, uint64_t x)
{
    return (uint32_t)((a * x + b) % ((UINT64_C(1) << 61) - 1));
}

/* Draws sums near multiples of 2^61, 2^61 - 1 and 2^32, where a carry could be lost. */
static uint64_t draw_sum(uint64_t *random)
{
    uint64_t sum = tw_splitmix64(random);
    uint64_t near = random_below(random, 24) - 12;
    switch (random_below(random, 4)) {
    case 0:
        return (sum >> 61 << 61) + near;
    case 1:
        return (sum >> 61) * ((UINT64_C(1) << 61) - 1) + near;
    case 2:
        return (sum >> 32 << 32) + near;
    default:
        return sum;
    }
}

/* Draws values that are close, equal or random. */
static void draw_values(uint64_t *random, bool wide, size_t count, uint64_t *values)
{
    uint64_t base = tw_splitmix64(random) >> (wide ? 0 : 33);
    uint64_t within = random_below(random, 2) ? 1 + random_below(random, 40) : 0;
    for (size_t i = 0; i < count; i++)
        values[i] =
            within ? base + random_below(random, within) : tw_splitmix64(random) >> (wide ? 0 : 32);
}

/* b is chosen so that value i gives the sum in slot i. */
static void sums_at_the_edge_have_the_slots_of_the_reference(void **state)
{
    enum { MOST_VALUES = 200, HASHES = 200 };
    uint64_t values[MOST_VALUES], random = test_seed(9);
    uint32_t slots[HASHES];
    tw_scheme *scheme = make_scheme(TWINSET_SCHEME_DATASKETCH1, HASHES, 1);
    (void)state;
    for (int round = 0; round < 1000; round++) {
        size_t count = 1 + random_below(&random, round % 2 ? MOST_VALUES : 3);
        bool wide = round % 10 == 0;
        draw_values(&random, wide, count, values);
        for (size_t i = 0; i < HASHES; i++) {
            scheme->a[i] = tw_splitmix64(&random) >> random_below(&random, 64);
            scheme->b[i] = draw_sum(&random) - scheme->a[i] * values[i % count];
        }
        FOR_ISAS(isa)
        {
            use(isa);
            memset(slots, 0xFF, sizeof slots);
            tw_classic_add(scheme, values, count, slots);
            for (size_t i = 0; i < HASHES; i++) {
                uint32_t least = UINT32_MAX;
                for (size_t j = 0; j < count; j++) {
                    uint32_t slot = datasketch1(scheme->a[i], scheme->b[i], values[j]);
                    least = slot < least ? slot : least;
                }
                assert_int_equal(slots[i], least);
            }
        }
    }
    tw_scheme_free(scheme);
}

static void agreeing_slots_are_counted_as_by_the_reference(void **state)
{
    static uint32_t a[300], b[300];
    uint64_t random = test_seed(5);
    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t hashes = random_below(&random, COUNT(a)), agree = 0;
        for (size_t i = 0; i < hashes; i++) {
            a[i] = random_below(&random, 4) ? (uint32_t)random_below(&random, 3) : UINT32_MAX;
            b[i] = random_below(&random, 2) ? a[i] : (uint32_t)random_below(&random, 3);
            agree += a[i] == b[i] && a[i] != UINT32_MAX;
        }
        FOR_ISAS(isa)
        {
            use(isa);
            assert_int_equal(tw_agreeing_slots(a, b, hashes), agree);
        }
    }
}

#ifdef TW_FAULTS
/* The first document allocates tables, values that pass the filter, and values that are kept. */
static void failed_allocations_are_reported(void **state)
{
    static const size_t lengths[] = {3000, 50};
    (void)state;
    FOR_ISAS(isa)
    {
        uint64_t random = test_seed(7);
        tw_scheme *scheme = draw_scheme(&random, TWINSET_SCHEME_FSS);
        int status = TWINSET_NOMEM;
        use(isa);
        for (int allowed = 0; status != TWINSET_OK; allowed++) {
            static uint32_t slots[MOST_HASHES];
            tw_sketch sketch;
            tw_sketch_init(&sketch, scheme);
            status = TWINSET_OK;
            for (size_t i = 0; i < COUNT(lengths) && status == TWINSET_OK; i++) {
                const char *text = draw_text(&random, lengths[i]);
                tw_sketch_begin(&sketch, slots);
                tw_faults_after(allowed);
                status = tw_sketch_windows(&sketch, text, lengths[i] - 8, 9);
                tw_faults_after(-1);
                tw_sketch_end(&sketch);
            }
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            tw_sketch_free(&sketch);
        }
        tw_scheme_free(scheme);
    }
}
#endif

/* ---- sets */

/* Draws distinct ascending numbers, close together or far apart. */
static size_t draw_set(uint64_t *random, uint64_t *ids, size_t limit)
{
    size_t count = random_below(random, limit), gap = 1 + random_below(random, 4);
    uint64_t id = random_below(random, 3) ? 0 : UINT64_MAX - 8 * limit;
    for (size_t i = 0; i < count; i++)
        ids[i] = id += 1 + random_below(random, gap) * random_below(random, 2);
    return count;
}

static void sets_share_as_many_ids_as_by_the_reference(void **state)
{
    static uint64_t a[3000], b[3000];
    uint64_t random = test_seed(6);
    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t a_count = draw_set(&random, a, round % 50 ? 100 : COUNT(a));
        size_t b_count = draw_set(&random, b, round % 20 ? 100 : COUNT(b));
        use(TW_ISA_PORTABLE);
        size_t shared = tw_intersect(a, a_count, b, b_count);
        FOR_ISAS(isa)
        {
            use(isa);
            assert_int_equal(tw_intersect(a, a_count, b, b_count), shared);
            assert_int_equal(tw_intersect(b, b_count, a, a_count), shared);
            assert_int_equal(tw_intersect(a, a_count, a, a_count), a_count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_have_the_ids_of_shingles),
        cmocka_unit_test(windows_of_tokens_have_the_ids_of_shingles),
        cmocka_unit_test(items_have_the_digests_of_the_reference),
        cmocka_unit_test(texts_have_the_signatures_of_the_reference),
        cmocka_unit_test(odd_values_have_the_signatures_of_the_reference),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
        cmocka_unit_test(sums_at_the_edge_have_the_slots_of_the_reference),
        cmocka_unit_test(agreeing_slots_are_counted_as_by_the_reference),
        cmocka_unit_test(sets_share_as_many_ids_as_by_the_reference),
    };

    return cmocka_run_group_tests(tests, make_pages, NULL);
}
