/*
 * Signatures: equal to those of other programs bit for bit; properties of every scheme (order,
 * repetition, union); and unbiased estimates.
 */
#include "testing.h"

#include <math.h>

#include "memory.h"
#include "sketch.h"
#include "text.h"

static const char *const SCHEMES[] = {"fss", "affine",      "modular",    "jenkins",
                                      "md5", "datasketch1", "datasketch2"};
enum { MOST_HASHES = 65536 };

/* ---- helpers that make signatures */

static twinset_sketcher *sketcher_with(const twinset_options *options)
{
    twinset_sketcher *sketcher;
    twinset_error error;
    assert_ok(twinset_sketcher_new(options, &sketcher, &error), &error);
    return sketcher;
}

static twinset_options scheme_options(size_t scheme, unsigned hashes, uint64_t seed)
{
    twinset_options options = options_with("");
    options.scheme = (int)scheme;
    options.hashes = hashes;
    options.seed = seed;
    return options;
}

static void sketch_text(const twinset_options *options, const char *text, size_t length,
                        uint32_t *slots)
{
    twinset_sketcher *sketcher = sketcher_with(options);
    twinset_error error;
    assert_ok(twinset_sketcher_text(sketcher, text, length, slots, &error), &error);
    twinset_sketcher_free(sketcher);
}

static void sketch_values(const twinset_options *options, const uint64_t *values, size_t count,
                          uint32_t *slots)
{
    twinset_sketcher *sketcher = sketcher_with(options);
    twinset_error error;
    assert_ok(twinset_sketcher_values(sketcher, values, count, slots, &error), &error);
    twinset_sketcher_free(sketcher);
}

static void assert_same(const uint32_t *a, const uint32_t *b, size_t hashes)
{
    assert_memory_equal(a, b, hashes * sizeof *a);
}

static void draw_values(uint64_t *random, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = tw_splitmix64(random);
}

/* ---- known signatures */

/* Rows 0 to 12 are the elements a to m; slot j is the smallest (c x + 1) mod 13. */
static void modular_gives_the_matrix_of_s0(void **state)
{
    static const struct {
        uint64_t members[7];
        size_t count;
        uint32_t slots[6];
    } sets[] = {
        {{0, 3, 6, 7, 10, 11}, 6, {1, 1, 1, 0, 0, 0}},
        {{2, 7, 8, 9, 11}, 5, {3, 2, 2, 0, 4, 0}},
        {{1, 3, 4, 5, 6, 11}, 6, {2, 0, 0, 0, 2, 2}},
        {{0, 2, 3, 8, 9, 11, 12}, 7, {0, 1, 1, 0, 1, 1}},
    };
    static const uint64_t a[6] = {1, 3, 5, 7, 9, 11}, b[6] = {1, 1, 1, 1, 1, 1};
    twinset_options options = options_with("scheme=modular hashes=6");
    twinset_sketcher *sketcher = sketcher_with(&options);
    (void)state;
    assert_int_equal(twinset_sketcher_set_functions(sketcher, a, b, 13, NULL), 0);
    for (size_t i = 0; i < COUNT(sets); i++) {
        uint32_t slots[6];
        assert_int_equal(
            twinset_sketcher_values(sketcher, sets[i].members, sets[i].count, slots, NULL), 0);
        assert_same(slots, sets[i].slots, 6);
    }
    twinset_sketcher_free(sketcher);
}

static const char *const TEXTS[] = {
    "The quick brown fox jumps over the lazy dog.",
    "ΚΑΛΗΜΈΡΑ κόσμε,  今天天气 😀 Straße",
    "To be or not to be that is the question",
    "Hello",
};

typedef struct known_signature {
    unsigned text;
    const char *settings;
    uint32_t first[4];
    uint64_t sum; /* of all slots, each multiplied by its number from 1 */
} known_signature;

static void check_known_text(const char *text, const known_signature *known, const char *scheme)
{
    static uint32_t slots[256];
    twinset_options options = options_with(known->settings);
    uint64_t sum = 0;
    if (scheme)
        assert_int_equal(twinset_options_set(&options, "scheme", scheme, NULL), 0);
    sketch_text(&options, text, strlen(text), slots);
    assert_same(slots, known->first, 4);
    for (size_t slot = 0; slot < options.hashes; slot++)
        sum += (slot + 1) * slots[slot];
    assert_true(sum == known->sum);
}

static void check_known(const known_signature *known, size_t count, const char *scheme)
{
    for (size_t i = 0; i < count; i++)
        check_known_text(TEXTS[known[i].text], &known[i], scheme);
}

/* Printed by datasketch 1.10.0: MinHash(hashes, seed), update() with each shingle. */
static void datasketch1_signatures_are_those_of_the_package(void **state)
{
    static const known_signature known[] = {
        {3, "case=keep hashes=4", {734825475, 960773806, 359816889, 342714745}, 5106682734u},
        {0, "k=5 hashes=4 seed=1", {84766837, 11034845, 44059036, 77871413}, 550499287u},
        {0, "k=5 hashes=4 seed=42", {7289099, 74520796, 80687685, 169077073}, 1074702038u},
        {0,
         "k=5 hashes=4 seed=4294967295",
         {103111268, 114099693, 188979763, 312037560},
         2146400183u},
        {0, "k=5 hashes=128 seed=0", {99156610, 126878373, 10422201, 87253452}, 792290826369u},
        {0, "k=5 hashes=256 seed=7", {329574955, 39465369, 305906872, 67701698}, 3737539471702u},
        {1, "k=3 hashes=4 seed=1", {114420360, 143976168, 85165025, 59606783}, 896294903u},
        {1, "k=3 hashes=256 seed=7", {152131862, 21585110, 131976955, 99003250}, 4534658030474u},
        {1,
         "k=3 hashes=100 seed=123456789",
         {48483837, 381997679, 31378068, 161504150},
         878203903984u},
        {2, "by=word k=2 hashes=4 seed=1", {51128894, 44837167, 427960374, 609391910}, 3862251990u},
        {2,
         "by=word k=2 hashes=128 seed=0",
         {784094198, 254886058, 1268492428, 510084557},
         4239427501765u},
    };
    (void)state;
    check_known(known, COUNT(known), "datasketch1");
}

/* Printed by datasketch 2.0.0: MinHash(hashes, seed), update() with each shingle. */
static void datasketch2_signatures_are_those_of_the_package(void **state)
{
    static const known_signature known[] = {
        {0, "k=5 hashes=4 seed=1", {39240964, 286951028, 164593837, 238435309}, 2060665767u},
        {0, "k=5 hashes=4 seed=42", {33932198, 29881017, 23604593, 46392487}, 350077959u},
        {0,
         "k=5 hashes=4 seed=4294967295",
         {211762010, 160208916, 84104058, 54163613},
         1001146468u},
        {0, "k=5 hashes=128 seed=0", {44579665, 2221479, 13207596, 10689571}, 900077083338u},
        {0, "k=5 hashes=256 seed=7", {222375867, 62279153, 268621356, 137903812}, 3518672476940u},
        {1, "k=3 hashes=4 seed=1", {91659664, 180733342, 168002970, 337109929}, 2305574974u},
        {1, "k=3 hashes=256 seed=7", {6637702, 1704627, 53790432, 246324035}, 4881424826426u},
        {1,
         "k=3 hashes=100 seed=123456789",
         {112508132, 21265379, 313483698, 185237032},
         724661666363u},
        {2,
         "by=word k=2 hashes=4 seed=1",
         {573371462, 908025991, 387390922, 310336844},
         4792943586u},
        {2,
         "by=word k=2 hashes=128 seed=0",
         {52233424, 890773621, 732214185, 296765530},
         4097284116153u},
    };
    (void)state;
    check_known(known, COUNT(known), "datasketch2");
}

/* Other programs store signatures, so they must never change. These were computed by a separate
 * program in Python, written from the description of each scheme. */
static const known_signature OWN[] = {
    {0,
     "scheme=fss k=5 hashes=100 seed=1",
     {2162883158u, 2171062493u, 117719040, 1988349120},
     9070360568637u},
    {0,
     "scheme=fss k=5 hashes=7 seed=42",
     {340362628, 102891468, 353224000, 284741796},
     5336115276u},
    {0,
     "scheme=fss shingle-hash=murmur3 k=5 hashes=16 seed=1",
     {72286944, 1110537808, 376664496, 2165217642u},
     128184246978u},
    {0,
     "scheme=fss shingle-hash=md5 k=5 hashes=256 seed=3",
     {2187518819u, 2179717707u, 2239919723u, 2198524231u},
     65367588124861u},
    {0,
     "scheme=affine k=5 hashes=100 seed=1",
     {125597017, 90811698, 95906905, 191776760},
     553232620991u},
    {0,
     "scheme=affine k=5 hashes=7 seed=42",
     {249025389, 39963170, 113775939, 247669592},
     1854370614u},
    {0,
     "scheme=affine shingle-hash=murmur3 k=5 hashes=16 seed=1",
     {39884467, 60010092, 26345395, 259594867},
     16318345481u},
    {0,
     "scheme=affine shingle-hash=md5 k=5 hashes=256 seed=3",
     {216783675, 182996225, 291463348, 237254621},
     3558780900727u},
    {0,
     "scheme=modular k=5 hashes=100 seed=1",
     {184539390, 5729150, 9410097, 16723703},
     234189918943u},
    {0, "scheme=modular k=5 hashes=7 seed=42", {5366875, 433916, 57795517, 96057698}, 1391990459u},
    {0,
     "scheme=modular shingle-hash=murmur3 k=5 hashes=16 seed=1",
     {4794224, 27211643, 38502279, 17594377},
     6378965847u},
    {0,
     "scheme=modular shingle-hash=md5 k=5 hashes=256 seed=3",
     {20764959, 129256812, 7929053, 25840833},
     1475797431318u},
    {0,
     "scheme=jenkins k=5 hashes=100 seed=1",
     {118990216, 375713332, 151374609, 66141007},
     459307473189u},
    {0,
     "scheme=jenkins k=5 hashes=7 seed=42",
     {13138595, 62502938, 196343899, 13037865},
     4373263477u},
    {0,
     "scheme=jenkins shingle-hash=murmur3 k=5 hashes=16 seed=1",
     {47598135, 2009122, 36512713, 13206669},
     10654352084u},
    {0,
     "scheme=jenkins shingle-hash=md5 k=5 hashes=256 seed=3",
     {28211111, 115513163, 62426423, 163522921},
     2953921422891u},
    {0,
     "scheme=md5 k=5 hashes=100 seed=1",
     {41583363, 138596307, 37892942, 355020599},
     448827642323u},
    {0,
     "scheme=md5 k=5 hashes=7 seed=42",
     {28843828, 322756480, 310413349, 287920632},
     3375854702u},
    {0,
     "scheme=md5 shingle-hash=murmur3 k=5 hashes=16 seed=1",
     {54146833, 78861117, 119807520, 35121995},
     18951191533u},
    {0,
     "scheme=md5 shingle-hash=md5 k=5 hashes=256 seed=3",
     {42087650, 148023931, 591290767, 340072994},
     3568507482940u},
};

static void own_signatures_do_not_change(void **state)
{
    (void)state;
    check_known(OWN, COUNT(OWN), NULL);
}

/* The smallest values of a long text, here "0 1 2 ... 29999", depend on the low half of bits. */
static void own_signatures_of_long_texts_do_not_change(void **state)
{
    static const known_signature known[] = {
        {0, "k=9 hashes=16", {22709, 16595, 472630, 7779}, 21926124},
        {0, "k=9 hashes=100 seed=7", {412224, 912384, 1003456, 608448}, 6978570230u},
    };
    tw_bytes text = {0};
    (void)state;
    for (int i = 0; i < 30000; i++)
        assert_int_equal(tw_bytes_printf(&text, "%d ", i), 0);
    assert_int_equal(tw_bytes_append(&text, "", 1), 0);
    for (size_t i = 0; i < COUNT(known); i++)
        check_known_text(text.data, &known[i], "fss");
    tw_bytes_free(&text);
}

/* With a = 1 and b = 0 a slot is the smallest of the shingles' numbers. */
static void murmur3_shingles_are_numbers_of_31_bits(void **state)
{
    static const char text[] = "abcdefgh";
    static const uint64_t a = 1, b = 0;
    twinset_options options = options_with("scheme=modular shingle-hash=murmur3 hashes=1 k=3");
    twinset_sketcher *sketcher = sketcher_with(&options);
    uint32_t slot, smallest = UINT32_MAX;
    (void)state;
    assert_int_equal(twinset_sketcher_set_functions(sketcher, &a, &b, 4294967291u, NULL), 0);
    assert_int_equal(twinset_sketcher_text(sketcher, LITERAL(text), &slot, NULL), 0);
    for (size_t i = 0; i + 3 <= strlen(text); i++) {
        uint32_t number = tw_murmur3_32(text + i, 3, 0) & 0x7FFFFFFF;
        smallest = number < smallest ? number : smallest;
    }
    assert_int_equal(slot, smallest);
    twinset_sketcher_free(sketcher);
}

static void functions_are_checked(void **state)
{
    static const uint64_t numbers[4] = {1, 2, 3, 4};
    static const uint64_t wrong[] = {0, 1, UINT64_C(1) << 32, UINT64_MAX};
    uint64_t a[4], b[4];
    (void)state;
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = scheme_options(scheme, 4, 1);
        twinset_sketcher *sketcher = sketcher_with(&options);
        twinset_error error = {""};
        bool modular = scheme == TWINSET_SCHEME_MODULAR;
        bool none = scheme == TWINSET_SCHEME_FSS || scheme == TWINSET_SCHEME_JENKINS ||
                    scheme == TWINSET_SCHEME_MD5;
        int expected = none ? TWINSET_USAGE : TWINSET_OK;
        assert_int_equal(twinset_sketcher_functions(sketcher, a, b, &error), expected);
        assert_int_equal(twinset_sketcher_set_functions(sketcher, numbers, numbers, 101, &error),
                         expected);
        assert_true(!none || strstr(error.message, "functions"));
        for (size_t i = 0; i < COUNT(wrong); i++)
            assert_int_equal(
                twinset_sketcher_set_functions(sketcher, numbers, numbers, wrong[i], &error),
                modular ? TWINSET_USAGE : expected);
        assert_int_equal(twinset_sketcher_functions(sketcher, a, b, NULL), expected);
        if (!none) {
            assert_memory_equal(a, numbers, sizeof numbers);
            assert_memory_equal(b, numbers, sizeof numbers);
        }
        twinset_sketcher_free(sketcher);
    }
}

/* The functions of a seed are set in a sketcher of another seed. */
static void functions_can_be_copied_to_another_sketcher(void **state)
{
    enum { HASHES = 200 };
    static const size_t schemes[] = {TWINSET_SCHEME_AFFINE, TWINSET_SCHEME_MODULAR,
                                     TWINSET_SCHEME_DATASKETCH1, TWINSET_SCHEME_DATASKETCH2};
    static const uint64_t modulus = 2147483659; /* of the modular scheme */
    uint64_t a[HASHES], b[HASHES];
    (void)state;
    for (size_t i = 0; i < COUNT(schemes); i++) {
        twinset_options from = scheme_options(schemes[i], HASHES, 1);
        twinset_options to = scheme_options(schemes[i], HASHES, 2);
        twinset_sketcher *sketcher = sketcher_with(&from), *other = sketcher_with(&to);
        uint32_t expected[HASHES], slots[HASHES];
        assert_int_equal(twinset_sketcher_functions(sketcher, a, b, NULL), TWINSET_OK);
        assert_int_equal(twinset_sketcher_set_functions(other, a, b, modulus, NULL), TWINSET_OK);
        assert_int_equal(twinset_sketcher_text(sketcher, LITERAL("some text"), expected, NULL), 0);
        assert_int_equal(twinset_sketcher_text(other, LITERAL("some text"), slots, NULL), 0);
        assert_same(slots, expected, HASHES);
        twinset_sketcher_free(sketcher);
        twinset_sketcher_free(other);
    }
}

/* numpy computes for numbers over 32 bits: ((a x + b) mod 2^64) mod (2^61 - 1). */
static void datasketch1_takes_numbers_of_64_bits(void **state)
{
    static const uint64_t a[2] = {3, UINT64_C(1) << 60}, b[2] = {5, 7};
    static const uint64_t x = (UINT64_C(1) << 62) + 11;
    twinset_options options = options_with("scheme=datasketch1 hashes=2");
    twinset_sketcher *sketcher = sketcher_with(&options);
    uint32_t slots[2];
    (void)state;
    assert_int_equal(twinset_sketcher_set_functions(sketcher, a, b, 0, NULL), 0);
    assert_int_equal(twinset_sketcher_values(sketcher, &x, 1, slots, NULL), 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(slots[i], (uint32_t)((a[i] * x + b[i]) % ((UINT64_C(1) << 61) - 1)));
    twinset_sketcher_free(sketcher);
}

/* The shingles of a text as single items. */
static void items_are_shingles(void **state)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";
    enum { K = 5, ITEMS = sizeof text - K, HASHES = 70 };
    const char *items[ITEMS];
    size_t lengths[ITEMS];
    (void)state;
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] = text + i;
        lengths[i] = K;
    }
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++)
        for (int hash = TWINSET_SHINGLE_HASH_DEFAULT; hash <= TWINSET_SHINGLE_HASH_MD5; hash++) {
            if (hash && scheme >= TWINSET_SCHEME_DATASKETCH1)
                break; /* its shingles have a hash of their own */
            twinset_options options = scheme_options(scheme, HASHES, 1);
            uint32_t slots[HASHES], expected[HASHES];
            options.k = K;
            options.shingle_hash = hash;
            twinset_sketcher *sketcher = sketcher_with(&options);
            assert_int_equal(twinset_sketcher_text(sketcher, LITERAL(text), expected, NULL), 0);
            assert_int_equal(twinset_sketcher_items(sketcher, items, lengths, ITEMS, slots, NULL),
                             0);
            assert_same(slots, expected, HASHES);
            assert_int_equal(twinset_sketcher_items(sketcher, NULL, NULL, 0, slots, NULL), 0);
            memset(expected, 0xFF, sizeof expected);
            assert_same(slots, expected, HASHES);
            twinset_sketcher_free(sketcher);
        }
}

/* More items than are processed together, among them long ones. */
static void many_items_merge(void **state)
{
    enum { ITEMS = 5000, LONGEST = 100, HASHES = 64 };
    static char bytes[ITEMS + LONGEST];
    static const char *items[ITEMS];
    static size_t lengths[ITEMS];
    uint64_t random = test_seed(11);
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)random_below(&random, 256);
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] = bytes + i;
        lengths[i] = random_below(&random, i % 50 ? 20 : LONGEST);
    }
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = scheme_options(scheme, HASHES, 1);
        twinset_sketcher *sketcher = sketcher_with(&options);
        uint32_t all[HASHES], merged[HASHES], single[HASHES];
        size_t count = scheme == TWINSET_SCHEME_MD5 ? 500 : ITEMS;
        memset(merged, 0xFF, sizeof merged);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(
                twinset_sketcher_items(sketcher, items + i, lengths + i, 1, single, NULL), 0);
            twinset_signature_merge(merged, single, HASHES);
        }
        assert_int_equal(twinset_sketcher_items(sketcher, items, lengths, count, all, NULL), 0);
        assert_same(all, merged, HASHES);
        twinset_sketcher_free(sketcher);
    }
}

/* ---- properties of every scheme */

static void an_empty_set_has_the_empty_signature(void **state)
{
    uint32_t empty[64], slots[64], other[64];
    (void)state;
    memset(empty, 0xFF, sizeof empty);
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = scheme_options(scheme, 64, 5);
        sketch_text(&options, LITERAL(" \n\t "), slots);
        assert_same(slots, empty, 64);
        sketch_values(&options, NULL, 0, slots);
        assert_same(slots, empty, 64);
        assert_true(twinset_signature_estimate(slots, empty, 64) == 0);
        sketch_text(&options, LITERAL("not empty"), slots);
        memcpy(other, slots, sizeof slots);
        assert_true(twinset_signature_estimate(slots, empty, 64) == 0);
        assert_true(twinset_signature_estimate(slots, other, 64) == 1);
        twinset_signature_merge(slots, empty, 64);
        assert_same(slots, other, 64);
        twinset_signature_merge(empty, slots, 64);
        assert_same(empty, other, 64);
        memset(empty, 0xFF, sizeof empty);
    }
}

static void the_estimate_is_the_share_of_equal_slots(void **state)
{
    static const uint32_t a[4] = {1, 2, 3, UINT32_MAX}, b[4] = {1, 5, 3, UINT32_MAX};
    (void)state;
    assert_true(twinset_signature_estimate(a, b, 4) == 0.5);
    assert_true(twinset_signature_estimate(a, b, 1) == 1);
    assert_true(twinset_signature_estimate(a, b, 2) == 0.5);
    assert_true(twinset_signature_estimate(a, b, 0) == 0);
}

/* Calls `check` for each scheme with sets of several sizes, the last larger than fss keeps. */
typedef void (*set_check)(const twinset_options *options, uint64_t *values, size_t count,
                          uint64_t *random);

static void for_schemes_and_sizes(set_check check, uint64_t seed)
{
    static const size_t sizes[] = {1, 2, 7, 100, 3000, 40000};
    uint64_t *values = malloc(2 * sizes[COUNT(sizes) - 1] * sizeof *values);
    uint64_t random = test_seed(seed);
    assert_non_null(values);
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++)
        for (size_t i = 0; i < COUNT(sizes); i++) {
            if (scheme == TWINSET_SCHEME_MD5 && sizes[i] > 3000)
                continue;
            twinset_options options = scheme_options(scheme, 20, 1 + random_below(&random, 3));
            draw_values(&random, values, sizes[i]);
            check(&options, values, sizes[i], &random);
        }
    free(values);
}

static void check_order(const twinset_options *options, uint64_t *values, size_t count,
                        uint64_t *random)
{
    uint32_t once[20], again[20];
    sketch_values(options, values, count, once);
    memcpy(values + count, values, count * sizeof *values);
    for (size_t i = 2 * count - 1; i > 0; i--) {
        size_t j = random_below(random, i + 1);
        uint64_t value = values[i];
        values[i] = values[j];
        values[j] = value;
    }
    sketch_values(options, values, 2 * count, again);
    assert_same(once, again, 20);
}

static void order_and_repetition_do_not_matter(void **state)
{
    (void)state;
    for_schemes_and_sizes(check_order, 3);
}

static void check_union(const twinset_options *options, uint64_t *values, size_t count,
                        uint64_t *random)
{
    uint32_t whole[20], left[20], right[20];
    size_t overlap = random_below(random, count + 1);
    size_t middle = random_below(random, count + 1 - overlap);
    sketch_values(options, values, count, whole);
    sketch_values(options, values, middle + overlap, left);
    sketch_values(options, values + middle, count - middle, right);
    twinset_signature_merge(left, right, 20);
    assert_same(left, whole, 20);
}

static void merged_signatures_are_those_of_the_union(void **state)
{
    (void)state;
    for_schemes_and_sizes(check_union, 4);
}

/* Many merges of single members: the hardest case for rounds that fill empty bins. */
static void a_signature_can_be_merged_from_single_members(void **state)
{
    uint64_t values[40], random = test_seed(5);
    (void)state;
    draw_values(&random, values, COUNT(values));
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = scheme_options(scheme, 100, 9);
        uint32_t whole[100], merged[100], single[100];
        sketch_values(&options, values, COUNT(values), whole);
        memset(merged, 0xFF, sizeof merged);
        for (size_t i = 0; i < COUNT(values); i++) {
            sketch_values(&options, values + i, 1, single);
            twinset_signature_merge(merged, single, 100);
        }
        assert_same(merged, whole, 100);
    }
}

/* A sketch takes values in chunks of any size. */
static void check_chunks(const twinset_options *options, uint64_t *values, size_t count,
                         uint64_t *random)
{
    uint32_t whole[20], chunked[20];
    tw_scheme *scheme;
    tw_sketch sketch;
    assert_int_equal(tw_scheme_new(options, &scheme, NULL), 0);
    tw_sketch_init(&sketch, scheme);
    tw_sketch_begin(&sketch, whole);
    assert_int_equal(tw_sketch_add(&sketch, values, count), 0);
    tw_sketch_end(&sketch);
    tw_sketch_begin(&sketch, chunked);
    for (size_t start = 0, chunk; start < count; start += chunk) {
        chunk = 1 + random_below(random, count - start < 5000 ? count - start : 5000);
        assert_int_equal(tw_sketch_add(&sketch, values + start, chunk), 0);
    }
    assert_int_equal(tw_sketch_add(&sketch, values, 0), 0);
    tw_sketch_end(&sketch);
    assert_same(whole, chunked, 20);
    tw_sketch_free(&sketch);
    tw_scheme_free(scheme);
}

static void values_may_be_added_in_chunks(void **state)
{
    (void)state;
    for_schemes_and_sizes(check_chunks, 6);
}

/* A text in several chunks has the signature of all its shingles. */
static void chunks_of_a_text_do_not_change_signatures(void **state)
{
    enum { LENGTH = 100 * 1000, HASHES = 32 };
    char *text = malloc(LENGTH);
    uint64_t random = test_seed(7);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = random_below(&random, 6) ? (char)('a' + random_below(&random, 20)) : ' ';
    for (int scheme = 0; scheme < TWINSET_SCHEME_MD5; scheme++) {
        twinset_options options = options_with("by=word k=2");
        uint32_t slots[HASHES], expected[HASHES];
        uint64_t *ids;
        size_t count;
        tw_scheme *functions;
        tw_sketch sketch;
        options.scheme = scheme;
        options.hashes = HASHES;
        sketch_text(&options, text, LENGTH, slots);
        assert_int_equal(twinset_shingles(text, LENGTH, &options, &ids, &count, NULL), 0);
        assert_int_equal(tw_scheme_new(&options, &functions, NULL), 0);
        assert_true(tw_scheme_takes_ids(functions));
        for (size_t i = 0; i < count; i++)
            ids[i] = tw_scheme_value(functions, ids[i], NULL, 0);
        tw_sketch_init(&sketch, functions);
        tw_sketch_begin(&sketch, expected);
        assert_int_equal(tw_sketch_add(&sketch, ids, count), 0);
        tw_sketch_end(&sketch);
        assert_same(slots, expected, HASHES);
        tw_sketch_free(&sketch);
        tw_scheme_free(functions);
        twinset_free(ids);
    }
    free(text);
}

/* A line is repeated a million times, far more than fss keeps. */
static void a_repeated_line_has_the_signature_of_the_line(void **state)
{
    enum { TIMES = 60 * 1000 };
    static const char line[] = "all work and no play ";
    char *text = malloc(TIMES * (sizeof line - 1));
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(text + i * (sizeof line - 1), line, sizeof line - 1);
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = scheme_options(scheme, scheme ? 2 : 128, 1);
        uint32_t few[128], many[128];
        size_t times = scheme < TWINSET_SCHEME_MD5 ? TIMES : TIMES / 100;
        sketch_text(&options, text, 3 * (sizeof line - 1), few);
        sketch_text(&options, text, times * (sizeof line - 1), many);
        assert_same(few, many, options.hashes);
    }
    free(text);
}

static void the_seed_matters(void **state)
{
    (void)state;
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        uint32_t slots[5][64];
        static const uint64_t seeds[4] = {0, 1, 2, 4294967295u};
        if (scheme == TWINSET_SCHEME_MD5)
            continue; /* its functions do not depend on the seed */
        for (size_t i = 0; i < COUNT(seeds); i++) {
            twinset_options options = scheme_options(scheme, 64, seeds[i]);
            sketch_text(&options, TEXTS[0], strlen(TEXTS[0]), slots[i]);
            for (size_t j = 0; j < i; j++)
                assert_true(twinset_signature_estimate(slots[i], slots[j], 64) < 0.1);
            sketch_text(&options, TEXTS[0], strlen(TEXTS[0]), slots[4]);
            assert_same(slots[i], slots[4], 64);
        }
    }
}

static void any_number_of_hashes_works(void **state)
{
    static const unsigned numbers[] = {1, 2, 3, 100, 225, 256, 1000, MOST_HASHES};
    static uint32_t a[MOST_HASHES], b[MOST_HASHES];
    uint64_t values[30], random = test_seed(9);
    (void)state;
    draw_values(&random, values, COUNT(values));
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++)
        for (size_t i = 0; i < COUNT(numbers) - SANITIZED; i++) {
            if (scheme == TWINSET_SCHEME_MD5 && numbers[i] > 1000)
                continue;
            twinset_options options = scheme_options(scheme, numbers[i], 1);
            sketch_values(&options, values, 20, a);
            sketch_values(&options, values + 10, 20, b);
            for (size_t slot = 0; slot < numbers[i]; slot++)
                assert_true(a[slot] != UINT32_MAX && b[slot] != UINT32_MAX);
            double estimate = twinset_signature_estimate(a, b, numbers[i]);
            assert_true(numbers[i] < 100 || fabs(estimate - 1. / 3) < 0.15);
        }
}

/* ---- bags, and signatures from files and from memory */

static void bags_are_estimated_as_bags(void **state)
{
    (void)state;
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = options_with("k=1 bag=1 hashes=400");
        static uint32_t a[400], b[400];
        options.scheme = (int)scheme;
        sketch_text(&options, LITERAL("aaaabbbbcccc"), a);
        sketch_text(&options, LITERAL("aaaaaaaabbbbbbbbcccccccc"), b);
        assert_true(fabs(twinset_signature_estimate(a, b, 400) - 0.5) < 0.1);
        options.bag = 0;
        sketch_text(&options, LITERAL("aaaabbbbcccc"), a);
        sketch_text(&options, LITERAL("cbacba"), b);
        assert_same(a, b, 400);
    }
}

static int collect(void *context, const char *bytes, size_t count)
{
    return tw_bytes_append(context, bytes, count);
}

/* Reads the slots of a line such as {..., "signature": [1, 2]}. */
static void read_slots(const char *line, size_t hashes, uint32_t *slots)
{
    const char *slot_text = strstr(line, "\"signature\": [");
    assert_non_null(slot_text);
    slot_text = strchr(slot_text, '[');
    for (size_t i = 0; i < hashes; i++) {
        char *end;
        slots[i] = (uint32_t)strtoul(slot_text + 1, &end, 10);
        assert_true(*end == ',' || (*end == ']' && i + 1 == hashes));
        slot_text = end;
    }
}

static void sketch_in_collection(const twinset_options *options, const char *text, size_t length,
                                 uint32_t *slots)
{
    twinset_collection *collection;
    twinset_error error;
    tw_bytes line = {0};
    assert_ok(twinset_collection_new(options, &collection, &error), &error);
    assert_ok(
        twinset_collection_add_text(collection, "one", text, length, TWINSET_ROLE_NEW, &error),
        &error);
    assert_ok(twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL, collect, &line, &error),
              &error);
    assert_int_equal(tw_bytes_append(&line, "", 1), 0);
    read_slots(line.data, options->hashes, slots);
    tw_bytes_free(&line);
    twinset_collection_free(collection);
}

static void a_text_has_equal_signatures_alone_and_in_a_collection(void **state)
{
    static const char text[] = "to be, or not to be: to be to be to be or not, or not to be";
    (void)state;
    for (int bag = 0; bag < 2; bag++)
        for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++)
            for (int hash = 0; hash < (scheme < TWINSET_SCHEME_DATASKETCH1 ? 3 : 1); hash++) {
                twinset_options options = scheme_options(scheme, 50, 1);
                uint32_t alone[50], together[50];
                options.k = 3;
                options.bag = bag;
                options.shingle_hash = hash;
                sketch_text(&options, LITERAL(text), alone);
                sketch_in_collection(&options, LITERAL(text), together);
                if (memcmp(alone, together, sizeof alone) != 0)
                    fail_msg("scheme %s, shingle hash %d, bag %d", SCHEMES[scheme], hash, bag);
            }
}

/* ---- estimates */

/* Errors of an estimator over many trials. */
typedef struct errors {
    size_t count;
    double sum, squares, theory; /* theory: sum of the variances of classical signatures */
} errors;

static void add_error(errors *all, double estimate, double jaccard, unsigned hashes)
{
    double error = estimate - jaccard;
    all->count++;
    all->sum += error;
    all->squares += error * error;
    all->theory += jaccard * (1 - jaccard) / hashes;
}

/* The mean error in standard errors. */
static double bias(const errors *all)
{
    double n = (double)all->count, mean = all->sum / n;
    double variance = (all->squares - n * mean * mean) / (n - 1);
    return mean / sqrt((variance > 0 ? variance : all->theory / n) / n);
}

static double rmse_ratio(const errors *all)
{
    return sqrt(all->squares / all->theory);
}

/* The standard deviation of the ratio of n errors to the expected ones is about 1/sqrt(2n). */
static double largest_ratio(const errors *all)
{
    return 1 + 3 / sqrt(2 * (double)all->count);
}

/* Draws two sets of `size` random values. They share as many values as are nearest to the wanted
 * Jaccard similarity: the last of a and the first of b. Returns the true similarity. */
static double draw_sets(uint64_t *random, size_t size, double wanted, uint64_t *values, size_t *b)
{
    size_t shared = (size_t)(2 * (double)size * wanted / (1 + wanted) + 0.5);
    draw_values(random, values, 2 * size - shared);
    *b = size - shared;
    return (double)shared / (double)(2 * size - shared);
}

typedef struct effort {
    unsigned hashes;
    size_t trials[4]; /* for each size of set */
} effort;

static const size_t SET_SIZES[4] = {20, 100, 1000, 10000};
static const double WANTED[4] = {.2, .5, .8, .95};

static errors measure(size_t scheme, unsigned hashes, size_t trials, size_t size, double wanted,
                      uint64_t *random)
{
    static uint64_t values[20000];
    static uint32_t a[128], b[128];
    errors all = {0, 0, 0, 0};
    for (size_t trial = 0; trial < trials; trial++) {
        size_t second;
        double jaccard = draw_sets(random, size, wanted, values, &second);
        twinset_options options = scheme_options(scheme, hashes, tw_splitmix64(random) >> 32);
        twinset_sketcher *sketcher = sketcher_with(&options);
        assert_int_equal(twinset_sketcher_values(sketcher, values, size, a, NULL), 0);
        assert_int_equal(twinset_sketcher_values(sketcher, values + second, size, b, NULL), 0);
        add_error(&all, twinset_signature_estimate(a, b, hashes), jaccard, hashes);
        twinset_sketcher_free(sketcher);
    }
    return all;
}

/*
 * There are 112 cells of scheme, size and similarity. By chance alone, one of them is over 3
 * standard errors in every fourth run, so the seed is fixed. With another seed, a single cell just
 * over the limit means nothing; the same cell over it with several seeds means a bias. Of the seeds
 * 1 to 7, the first two have different cells at 3.1 to 3.2.
 */
static void estimates_have_no_bias(void **state)
{
    static const effort efforts[] = {
        {128, {1000, 1000, 800, 200}}, /* fss */
        {32, {400, 400, 150, 20}},     {32, {400, 400, 150, 20}},
        {32, {400, 400, 150, 20}},     {8, {100, 50, 20, 8}}, /* md5 */
        {32, {400, 400, 150, 20}},     {32, {400, 400, 150, 20}},
    };
    uint64_t random = test_seed(3);
    bool good = true;
    (void)state;
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++)
        for (size_t size = 0; size < COUNT(SET_SIZES); size++)
            for (size_t wanted = 0; wanted < COUNT(WANTED); wanted++) {
                errors all = measure(scheme, efforts[scheme].hashes, efforts[scheme].trials[size],
                                     SET_SIZES[size], WANTED[wanted], &random);
                bool fss = scheme == TWINSET_SCHEME_FSS;
                if (fabs(bias(&all)) <= 3 && (!fss || rmse_ratio(&all) <= largest_ratio(&all)))
                    continue;
                good = false;
                print_error("%s, sets of %zu, J near %.2f: bias %+.2f standard errors, "
                            "RMSE %.3f of the classical\n",
                            SCHEMES[scheme], SET_SIZES[size], WANTED[wanted], bias(&all),
                            rmse_ratio(&all));
            }
    assert_true(good);
}

/* Words that count up: neighbours differ little, as in tables and lists. */
typedef struct counting {
    const char *digits;
    size_t digit_count;
} counting;

static void count_words(const counting *kind, uint64_t from, size_t count, char *text)
{
    size_t base = strlen(kind->digits), width = kind->digit_count + 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = from + i;
        for (size_t digit = kind->digit_count; digit-- > 0; number /= base)
            text[width * i + digit] = kind->digits[number % base];
        text[width * i + kind->digit_count] = ' ';
    }
}

/* The seed is the default, so only the hash of shingles mixes the values. */
static errors measure_lists(const char *settings, const counting *kind, uint64_t *random)
{
    enum { WORDS = 1000 };
    static char text[2 * WORDS * 8];
    static uint32_t a[128], b[128];
    size_t width = kind->digit_count + 1;
    twinset_options options = options_with(settings);
    options.hashes = COUNT(a);
    twinset_sketcher *sketcher = sketcher_with(&options);
    errors all = {0, 0, 0, 0};
    for (int trial = 0; trial < 50; trial++) {
        size_t shift = 50 + random_below(random, 600);
        const char *second = text + width * shift;
        count_words(kind, random_below(random, 400000), WORDS + shift, text);
        assert_int_equal(twinset_sketcher_text(sketcher, text, width * WORDS, a, NULL), 0);
        assert_int_equal(twinset_sketcher_text(sketcher, second, width * WORDS, b, NULL), 0);
        add_error(&all, twinset_signature_estimate(a, b, COUNT(a)),
                  (double)(WORDS - shift) / (double)(WORDS + shift), COUNT(a));
    }
    twinset_sketcher_free(sketcher);
    return all;
}

static void lists_of_similar_words_are_estimated_like_others(void **state)
{
    static const char *const settings[] = {"by=word k=1", "by=word k=1 scheme=affine",
                                           "by=word k=1 scheme=modular",
                                           "by=word k=1 scheme=jenkins"};
    static const counting kinds[] = {
        {"0123456789", 6}, {"abcdefghijklmnopqrstuvwxyz", 4}, {"abcdefghijklmnopqrstuvwxyz", 6}};
    uint64_t random = test_seed(8);
    bool good = true;
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        for (size_t i = 0; i < COUNT(kinds); i++) {
            errors all = measure_lists(settings[s], &kinds[i], &random);
            if (fabs(bias(&all)) <= 3 && rmse_ratio(&all) <= largest_ratio(&all))
                continue;
            good = false;
            print_error("%s, words of %zu of %s: bias %+.2f standard errors, RMSE %.3f of the "
                        "classical\n",
                        settings[s], kinds[i].digit_count, kinds[i].digits, bias(&all),
                        rmse_ratio(&all));
        }
    assert_true(good);
}

/* ---- memory */

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    uint64_t values[100] = {0};
    uint32_t slots[16];
    const char *item = "item";
    size_t length = strlen(item);
    (void)state;
    for (size_t scheme = 0; scheme < COUNT(SCHEMES); scheme++) {
        twinset_options options = scheme_options(scheme, 16, 1);
        int status = TWINSET_NOMEM;
        options.bag = scheme % 2;
        for (int allowed = 0; status != TWINSET_OK; allowed++) {
            twinset_sketcher *sketcher;
            twinset_error error = {""};
            tw_faults_after(allowed);
            status = twinset_sketcher_new(&options, &sketcher, &error);
            if (status == TWINSET_OK)
                status =
                    twinset_sketcher_text(sketcher, LITERAL("some text or other"), slots, &error);
            if (status == TWINSET_OK)
                status = twinset_sketcher_values(sketcher, values, 100, slots, &error);
            if (status == TWINSET_OK)
                status = twinset_sketcher_items(sketcher, &item, &length, 1, slots, &error);
            tw_faults_after(-1);
            if (status != TWINSET_OK) {
                assert_int_equal(status, TWINSET_NOMEM);
                assert_non_null(strstr(error.message, "memory"));
            }
            twinset_sketcher_free(sketcher);
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modular_gives_the_matrix_of_s0),
        cmocka_unit_test(datasketch1_signatures_are_those_of_the_package),
        cmocka_unit_test(datasketch2_signatures_are_those_of_the_package),
        cmocka_unit_test(own_signatures_do_not_change),
        cmocka_unit_test(own_signatures_of_long_texts_do_not_change),
        cmocka_unit_test(murmur3_shingles_are_numbers_of_31_bits),
        cmocka_unit_test(functions_are_checked),
        cmocka_unit_test(functions_can_be_copied_to_another_sketcher),
        cmocka_unit_test(datasketch1_takes_numbers_of_64_bits),
        cmocka_unit_test(items_are_shingles),
        cmocka_unit_test(many_items_merge),
        cmocka_unit_test(an_empty_set_has_the_empty_signature),
        cmocka_unit_test(the_estimate_is_the_share_of_equal_slots),
        cmocka_unit_test(order_and_repetition_do_not_matter),
        cmocka_unit_test(merged_signatures_are_those_of_the_union),
        cmocka_unit_test(a_signature_can_be_merged_from_single_members),
        cmocka_unit_test(values_may_be_added_in_chunks),
        cmocka_unit_test(chunks_of_a_text_do_not_change_signatures),
        cmocka_unit_test(a_repeated_line_has_the_signature_of_the_line),
        cmocka_unit_test(the_seed_matters),
        cmocka_unit_test(any_number_of_hashes_works),
        cmocka_unit_test(bags_are_estimated_as_bags),
        cmocka_unit_test(a_text_has_equal_signatures_alone_and_in_a_collection),
        cmocka_unit_test(estimates_have_no_bias),
        cmocka_unit_test(lists_of_similar_words_are_estimated_like_others),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
