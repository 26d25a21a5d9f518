/* The common folder: errors, memory, sorting, threads, the choice of kernels. */
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "common.h"
#include "cpu.h"
#include "memory.h"

/* ---- errors */

static void errors_have_a_message(void **state)
{
    twinset_error error;
    char longer[2000];
    (void)state;
    assert_int_equal(tw_fail(&error, TWINSET_IO, "%s: %d", "file", 7), TWINSET_IO);
    assert_string_equal(error.message, "file: 7");
    assert_int_equal(tw_fail(NULL, TWINSET_USAGE, "nobody reads this"), TWINSET_USAGE);
    assert_int_equal(tw_nomem(&error), TWINSET_NOMEM);
    assert_non_null(strstr(error.message, "memory"));
    assert_int_equal(tw_nomem(NULL), TWINSET_NOMEM);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(tw_fail(&error, TWINSET_IO, "%s", longer), TWINSET_IO);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

/* ---- memory */

static void zero_bytes_can_be_allocated(void **state)
{
    void *memory[] = {tw_malloc(0),   tw_calloc(0, 8), tw_calloc(8, 0),
                      tw_array(0, 8), tw_array(8, 0),  tw_realloc(NULL, 0)};
    (void)state;
    for (size_t i = 0; i < COUNT(memory); i++) {
        assert_non_null(memory[i]);
        tw_free(memory[i]);
    }
    tw_free(NULL);
}

/* It is volatile so that no compiler sees the requested size. */
static volatile size_t largest = SIZE_MAX;

static void sizes_that_overflow_are_refused(void **state)
{
    size_t most = largest;
    (void)state;
    assert_null(tw_array(most, 2));
    assert_null(tw_array(most / 2 + 1, 2));
    assert_null(tw_array(2, most));
}

static void texts_are_copied(void **state)
{
    char text[] = "text";
    char *copy = tw_strdup(text);
    (void)state;
    assert_non_null(copy);
    text[0] = 'n';
    assert_string_equal(copy, "text");
    tw_free(copy);
}

static void arrays_grow_by_half(void **state)
{
    uint32_t *numbers = NULL;
    size_t capacity = 0, moves = 0;
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        assert_int_equal(TW_GROW(numbers, capacity, i + 1), 0);
        assert_true(capacity >= i + 1);
        assert_true(capacity == before || capacity >= before + before / 2);
        moves += capacity != before;
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(numbers[i], i);
    assert_in_range(moves, 1, 30);
    /* A large request is met at once; a request below the capacity changes nothing. */
    assert_int_equal(TW_GROW(numbers, capacity, 1000000), 0);
    assert_int_equal(capacity, 1000000);
    assert_int_equal(TW_GROW(numbers, capacity, 5), 0);
    assert_int_equal(capacity, 1000000);
    tw_free(numbers);
}

static void arrays_that_cannot_grow_are_unchanged(void **state)
{
    uint64_t *numbers = NULL;
    size_t capacity = 0, most = largest;
    const size_t needs[] = {most, most / 8 + 1, most - 8, most / 2};
    (void)state;
    assert_int_equal(TW_GROW(numbers, capacity, 20), 0);
    numbers[19] = 42;
    const uint64_t *before = numbers;
    const size_t capacity_before = capacity;
    for (size_t i = 0; i < COUNT(needs); i++) {
        assert_int_equal(TW_GROW(numbers, capacity, needs[i]), TWINSET_NOMEM);
        assert_ptr_equal(numbers, before);
        assert_int_equal(capacity, capacity_before);
    }
    assert_int_equal(numbers[19], 42);
    tw_free(numbers);
}

static void bytes_are_appended(void **state)
{
    tw_bytes bytes = {0};
    (void)state;
    assert_int_equal(tw_bytes_append(&bytes, NULL, 0), 0);
    assert_int_equal(bytes.length, 0);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(tw_bytes_append(&bytes, "ab", 2), 0);
        assert_int_equal(tw_bytes_printf(&bytes, "%d%%", i % 10), 0);
    }
    assert_int_equal(bytes.length, 4000);
    assert_memory_equal(bytes.data + 3996, "ab9%", 4);
    assert_int_equal(tw_bytes_reserve(&bytes, 100), 0);
    assert_true(bytes.capacity >= 4100);
    assert_int_equal(tw_bytes_reserve(&bytes, largest - 10), TWINSET_NOMEM);
    assert_int_equal(tw_bytes_reserve(&bytes, largest), TWINSET_NOMEM);
    assert_int_equal(bytes.length, 4000);
    tw_bytes_free(&bytes);
    assert_true(!bytes.data && !bytes.length && !bytes.capacity);
    tw_bytes_free(&bytes);
}

#ifdef TW_FAULTS
static void allocations_fail_on_request(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < 5; allowed++) {
        void *memory[5];
        uint64_t *numbers = NULL;
        size_t capacity = 0;
        tw_faults_after(allowed);
        memory[0] = tw_malloc(8);
        memory[1] = tw_calloc(2, 8);
        memory[2] = tw_realloc(NULL, 8);
        memory[3] = tw_array(2, 8);
        memory[4] = tw_strdup("text");
        int grown = TW_GROW(numbers, capacity, 1);
        tw_faults_after(-1);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(memory[i] != NULL, i < allowed);
            tw_free(memory[i]);
        }
        assert_int_equal(grown, TWINSET_NOMEM);
        assert_null(numbers);
    }
    void *after = tw_malloc(8);
    assert_non_null(after);
    tw_free(after);
}
#endif

/* ---- sorting */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

typedef enum order {
    RANDOM,
    EQUAL,
    TWO_VALUES,
    FEW_VALUES,
    ASCENDING,
    DESCENDING,
    LOW_BITS,
    HIGH_BITS,
    ONE_BYTE,
    FAR_APART,
    LIKE_PAIRS,
    ORDERS
} order;

static uint64_t number_of(order kind, size_t i, size_t count, uint64_t *random)
{
    uint64_t number = tw_splitmix64(random);
    switch (kind) {
    case EQUAL:
        return 0x123456789ABCDEF0u;
    case TWO_VALUES:
        return number & 1 ? UINT64_MAX : 0;
    case FEW_VALUES:
        return tw_mix64(number % 10);
    case ASCENDING:
        return i;
    case DESCENDING:
        return (uint64_t)(count - i) << 20;
    case LOW_BITS:
        return number & 0xFFF;
    case HIGH_BITS:
        return number & 0xFFF0000000000000u;
    case ONE_BYTE:
        return 0xAB00000000000001u | (number & 0xFF) << 24;
    case FAR_APART: /* each range is much denser than the range before it */
        return number >> tw_splitmix64(random) % 64;
    case LIKE_PAIRS:
        return (number & 0xFFF) << 32 | (number >> 32 & 0xFFFFFF);
    default:
        return number;
    }
}

/* Removing repetitions from numbers in any order gives each of the sorted numbers once. */
static void check_unique(uint64_t *numbers, const uint64_t *sorted, size_t count, uint64_t *scratch,
                         uint64_t *random)
{
    size_t kept = 0;
    for (size_t i = count; i-- > 1;) {
        size_t other = random_below(random, i + 1);
        uint64_t number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
    size_t found = tw_sort_unique_u64(numbers, count, scratch);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            assert_true(kept < found && numbers[kept++] == sorted[i]);
    assert_int_equal(kept, found);
}

static void check_sort(order kind, size_t count, uint64_t *random)
{
    uint64_t *numbers = malloc((count + 1) * sizeof *numbers);
    uint64_t *expected = malloc((count + 1) * sizeof *expected);
    uint64_t *scratch = malloc((count + 1) * sizeof *scratch);
    assert_true(numbers && expected && scratch);
    for (size_t i = 0; i < count; i++)
        expected[i] = numbers[i] = number_of(kind, i, count, random);
    /* A guard value after each array. */
    numbers[count] = scratch[count] = 7;
    qsort(expected, count, sizeof *expected, compare_numbers);
    tw_sort_u64(numbers, count, scratch);
    assert_true(memcmp(numbers, expected, count * sizeof *numbers) == 0);
    assert_true(numbers[count] == 7 && scratch[count] == 7);
    check_unique(numbers, expected, count, scratch, random);
    free(numbers);
    free(expected);
    free(scratch);
}

static void check_parallel_sort(order kind, size_t count, unsigned threads, uint64_t *random)
{
    uint64_t *numbers = malloc((2 * count + 1) * sizeof *numbers);
    uint64_t *expected = malloc((2 * count + 1) * sizeof *expected);
    tw_loop loop = {.threads = threads};
    assert_true(numbers && expected);
    for (size_t i = 0; i < count; i++)
        expected[i] = numbers[i] = number_of(kind, i, count, random);
    tw_sort_u64(expected, count, expected + count);
    assert_int_equal(tw_parallel_sort_u64(&loop, numbers, count, numbers + count), TWINSET_OK);
    assert_true(memcmp(numbers, expected, count * sizeof *numbers) == 0);
    free(numbers);
    free(expected);
}

static void numbers_are_sorted(void **state)
{
    uint64_t random = test_seed(1);
    (void)state;
    for (int kind = 0; kind < ORDERS; kind++) {
        for (size_t count = 0; count <= 1000; count += count < 70 ? 1 : 31)
            check_sort((order)kind, count, &random);
        check_sort((order)kind, 1000, &random);
    }
    for (int kind = 0; kind < ORDERS; kind++)
        check_sort((order)kind, kind == RANDOM ? 1000000 : 100000, &random);
}

/* Three words, of which the first is sorted by. */
typedef struct triple {
    uint64_t key, copy, more;
} triple;

static int compare_triples(const void *left, const void *right, void *context)
{
    const triple *x = left, *y = right;
    (void)context;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void elements_are_sorted_on_threads(void **state)
{
    enum { MOST = 200003 };
    uint64_t random = test_seed(1);
    triple *triples = malloc(MOST * sizeof *triples);
    uint64_t *expected = malloc(MOST * sizeof *expected);
    (void)state;
    assert_true(triples && expected);
    for (size_t count = 0; count <= MOST; count += count < 2 ? 1 : MOST / 3)
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            tw_loop loop = {.threads = threads};
            for (size_t i = 0; i < count; i++) {
                expected[i] = number_of(RANDOM, i, count, &random) << 20 | i;
                triples[i] = (triple){expected[i], ~expected[i], 7};
            }
            qsort(expected, count, sizeof *expected, compare_numbers);
            assert_int_equal(
                tw_parallel_sort(&loop, triples, count, sizeof *triples, compare_triples, NULL),
                TWINSET_OK);
            for (size_t i = 0; i < count; i++)
                assert_true(triples[i].key == expected[i] && triples[i].copy == ~expected[i] &&
                            triples[i].more == 7);
        }
    free(triples);
    free(expected);
}

static void numbers_are_sorted_on_threads(void **state)
{
    uint64_t random = test_seed(1);
    (void)state;
    for (int kind = 0; kind < ORDERS; kind++)
        for (size_t count = 0; count <= 100000; count += count < 2 ? 1 : 33333)
            check_parallel_sort((order)kind, count, 1 + (unsigned)count % 4, &random);
}

/* ---- threads */

enum { MOST_ITEMS = 10000, MOST_THREADS = 7 };

typedef struct loop_record {
    unsigned threads;
    atomic_uint visits[MOST_ITEMS];
    atomic_uint busy[MOST_THREADS]; /* a worker's scratch belongs to one call at a time */
    atomic_bool wrong;
    size_t fail_from; /* this index and all after it fail */
    atomic_size_t first_failed, ran;
    pthread_t caller;
    unsigned reports, reports_left;
    uint64_t last_done;
} loop_record;

static loop_record *new_record(unsigned threads)
{
    loop_record *record = calloc(1, sizeof *record);
    assert_non_null(record);
    record->threads = threads;
    record->fail_from = SIZE_MAX;
    atomic_store(&record->first_failed, SIZE_MAX);
    record->caller = pthread_self();
    return record;
}

/* A status that identifies its index. */
static int status_of(size_t index)
{
    return 100 + (int)index;
}

static int visit(void *context, unsigned worker, size_t index)
{
    loop_record *record = context;
    if (worker >= record->threads || atomic_fetch_add(&record->busy[worker], 1) != 0)
        atomic_store(&record->wrong, true);
    if ((worker == 0) != (pthread_equal(pthread_self(), record->caller) != 0))
        atomic_store(&record->wrong, true);
    atomic_fetch_add(&record->visits[index], 1);
    atomic_fetch_add(&record->ran, 1);
    atomic_fetch_sub(&record->busy[worker % MOST_THREADS], 1);
    if (index < record->fail_from)
        return TWINSET_OK;
    size_t first = atomic_load(&record->first_failed);
    while (index < first && !atomic_compare_exchange_weak(&record->first_failed, &first, index)) {
    }
    return status_of(index);
}

static const unsigned THREADS[] = {1, 2, 7};

static void every_index_is_visited_once(void **state)
{
    static const size_t counts[] = {0, 1, 2, 6, 7, 8, 100, 1000, MOST_ITEMS};
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            loop_record *record = new_record(THREADS[t]);
            tw_loop loop = {.threads = THREADS[t], .stage = "visiting"};
            assert_int_equal(tw_parallel(&loop, counts[c], visit, record), 0);
            for (size_t i = 0; i < MOST_ITEMS; i++)
                assert_int_equal(record->visits[i], i < counts[c]);
            assert_false(record->wrong);
            free(record);
        }
}

static void the_lowest_failure_is_returned(void **state)
{
    static const size_t fail_from[] = {0, 1, 63, 64, 5000, MOST_ITEMS - 1};
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++)
        for (size_t f = 0; f < COUNT(fail_from); f++)
            for (int again = 0; again < 5; again++) {
                loop_record *record = new_record(THREADS[t]);
                tw_loop loop = {.threads = THREADS[t], .stage = "failing"};
                record->fail_from = fail_from[f];
                int status = tw_parallel(&loop, MOST_ITEMS, visit, record);
                assert_int_equal(status, status_of(record->first_failed));
                assert_false(record->wrong);
                for (size_t i = 0; i < MOST_ITEMS; i++)
                    assert_true(record->visits[i] <= 1);
                /* A single thread stops at the failure. */
                if (THREADS[t] == 1) {
                    assert_int_equal(record->first_failed, fail_from[f]);
                    assert_int_equal(record->ran, fail_from[f] + 1);
                }
                free(record);
            }
}

static void sleep_ms(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* It is slow enough for the calling thread to report progress. */
static int visit_slowly(void *context, unsigned worker, size_t index)
{
    sleep_ms(1);
    return visit(context, worker, index);
}

static int watch(void *context, const char *stage, uint64_t done, uint64_t total)
{
    loop_record *record = context;
    if (strcmp(stage, "watched") != 0 || total == 0 || done > total || done < record->last_done ||
        !pthread_equal(pthread_self(), record->caller))
        record->wrong = true;
    record->last_done = done;
    record->reports++;
    return record->reports_left && --record->reports_left == 0;
}

static void progress_can_cancel(void **state)
{
    enum { ITEMS = 3000 };
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++)
        for (unsigned after = 1; after <= 3; after += 2) {
            loop_record *record = new_record(THREADS[t]);
            tw_loop loop = {THREADS[t], "watched", watch, record, NULL};
            record->reports_left = after;
            assert_int_equal(tw_parallel(&loop, ITEMS, visit_slowly, record), TWINSET_CANCELLED);
            assert_int_equal(record->reports, after);
            assert_true(record->ran < ITEMS);
            assert_false(record->wrong);
            free(record);
        }
}

static void progress_is_reported_in_intervals(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++) {
        loop_record *record = new_record(THREADS[t]);
        tw_loop loop = {THREADS[t], "watched", watch, record, NULL};
        double start = tw_now();
        assert_int_equal(tw_parallel(&loop, 100, visit_slowly, record), 0);
        double seconds = tw_now() - start;
        assert_in_range(record->reports, 1, (uintmax_t)(seconds * 50) + 2);
        assert_int_equal(record->ran, 100);
        assert_false(record->wrong);
        free(record);
    }
}

static int nested_loop(void *context, unsigned worker, size_t index)
{
    atomic_size_t *sum = context;
    (void)worker;
    atomic_fetch_add(sum, index);
    return TWINSET_OK;
}

static int outer_loop(void *context, unsigned worker, size_t index)
{
    tw_loop loop = {.threads = 2, .stage = "inside"};
    (void)worker;
    (void)index;
    return tw_parallel(&loop, 100, nested_loop, context);
}

static void loops_may_be_nested(void **state)
{
    atomic_size_t sum = 0;
    tw_loop loop = {.threads = 3, .stage = "outside"};
    (void)state;
    assert_int_equal(tw_parallel(&loop, 20, outer_loop, &sum), 0);
    assert_int_equal(sum, 20 * 4950);
}

/* ---- the pipeline */

typedef struct pipeline_item {
    size_t number;
    uint64_t value;
    bool is_committed;
} pipeline_item;

typedef struct pipeline_record {
    size_t count; /* items to be read */
    size_t fail_read, fail_commit, fail_finish;
    size_t fail_from; /* processing fails from there on */
    unsigned threads, slow_percent;
    size_t read, committed;
    atomic_size_t finished;
    atomic_uint reading, committing, under_way, most_under_way;
    atomic_uint busy[MOST_THREADS];
    atomic_bool wrong;
    pthread_t caller;
    unsigned reports, reports_left;
    uint64_t last_done;
} pipeline_record;

static int read_number(void *context, void *item, bool *end)
{
    pipeline_record *record = context;
    pipeline_item *next = item;
    if (atomic_fetch_add(&record->reading, 1) != 0)
        atomic_store(&record->wrong, true);
    next->number = record->read++;
    *end = next->number == record->count;
    bool fails = next->number == record->fail_read;
    unsigned now = *end || fails ? 0 : atomic_fetch_add(&record->under_way, 1) + 1;
    unsigned most = atomic_load(&record->most_under_way);
    while (now > most && !atomic_compare_exchange_weak(&record->most_under_way, &most, now)) {
    }
    atomic_fetch_sub(&record->reading, 1);
    return fails ? status_of(next->number) : TWINSET_OK;
}

static int process_number(void *context, unsigned worker, void *item)
{
    pipeline_record *record = context;
    pipeline_item *own = item;
    if (worker >= record->threads || atomic_fetch_add(&record->busy[worker], 1) != 0 ||
        (worker == 0) != (pthread_equal(pthread_self(), record->caller) != 0))
        atomic_store(&record->wrong, true);
    own->value = tw_mix64(own->number + 1);
    if (own->value % 100 < record->slow_percent)
        sleep_ms(1);
    atomic_fetch_sub(&record->busy[worker % MOST_THREADS], 1);
    return own->number >= record->fail_from ? 1000 + status_of(own->number) : TWINSET_OK;
}

static int commit_number(void *context, void *item)
{
    pipeline_record *record = context;
    pipeline_item *own = item;
    if (atomic_fetch_add(&record->committing, 1) != 0 || own->number != record->committed ||
        own->value != tw_mix64(own->number + 1))
        atomic_store(&record->wrong, true);
    own->is_committed = true;
    atomic_fetch_sub(&record->committing, 1);
    if (own->number == record->fail_commit)
        return 2000 + status_of(own->number);
    record->committed++;
    return TWINSET_OK;
}

static int finish_number(void *context, unsigned worker, void *item)
{
    pipeline_record *record = context;
    pipeline_item *own = item;
    if (worker >= record->threads || atomic_fetch_add(&record->busy[worker], 1) != 0 ||
        !own->is_committed)
        atomic_store(&record->wrong, true);
    own->is_committed = false;
    if (own->value % 100 < record->slow_percent)
        sleep_ms(1);
    atomic_fetch_sub(&record->under_way, 1);
    atomic_fetch_sub(&record->busy[worker % MOST_THREADS], 1);
    atomic_fetch_add(&record->finished, 1);
    return own->number == record->fail_finish ? 3000 + status_of(own->number) : TWINSET_OK;
}

static uint64_t numbers_done(void *context)
{
    return 10 * ((pipeline_record *)context)->committed;
}

static int watch_pipeline(void *context, const char *stage, uint64_t done, uint64_t total)
{
    pipeline_record *record = context;
    if (strcmp(stage, "watched") != 0 || total != 77 || done < record->last_done || done % 10 ||
        !pthread_equal(pthread_self(), record->caller))
        record->wrong = true;
    record->last_done = done;
    record->reports++;
    return record->reports_left && --record->reports_left == 0;
}

static pipeline_record new_pipeline(size_t count, unsigned threads)
{
    return (pipeline_record){.count = count,
                             .fail_read = SIZE_MAX,
                             .fail_from = SIZE_MAX,
                             .fail_commit = SIZE_MAX,
                             .fail_finish = SIZE_MAX,
                             .threads = threads,
                             .caller = pthread_self()};
}

static int run_pipeline(pipeline_record *record, size_t item_count, twinset_progress_fn progress)
{
    static const tw_pipeline_steps steps = {read_number, process_number, commit_number,
                                            numbers_done, finish_number};
    pipeline_item items[4 * MOST_THREADS] = {0};
    void *addresses[4 * MOST_THREADS];
    for (size_t i = 0; i < item_count; i++)
        addresses[i] = &items[i];
    tw_loop loop = {record->threads, "watched", progress, record, NULL};
    int status = tw_pipeline(&loop, &steps, addresses, item_count, 77, record);
    size_t in_use = item_count < 2 * record->threads ? item_count : 2 * record->threads;
    assert_false(record->wrong);
    assert_true(record->most_under_way <= in_use);
    assert_int_equal(record->finished, record->committed);
    return status;
}

static void a_pipeline_keeps_the_order(void **state)
{
    static const size_t counts[] = {0, 1, 2, 13, 14, 15, 2000};
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++)
        for (size_t c = 0; c < COUNT(counts); c++)
            for (size_t items = THREADS[t]; items <= 3 * THREADS[t]; items += THREADS[t]) {
                pipeline_record record = new_pipeline(counts[c], THREADS[t]);
                record.slow_percent = counts[c] < 100 ? 20 : 1;
                assert_int_equal(run_pipeline(&record, items, NULL), TWINSET_OK);
                assert_int_equal(record.committed, counts[c]);
                assert_int_equal(record.read, counts[c] + 1);
            }
}

/* Later failures do not count, even if they happen first. */
static void the_first_failure_in_order_is_returned(void **state)
{
    uint64_t random = test_seed(3);
    (void)state;
    for (int round = 0; round < 600; round++) {
        unsigned threads = THREADS[round % COUNT(THREADS)];
        pipeline_record record = new_pipeline(60, threads);
        record.slow_percent = 3;
        record.fail_read = random_below(&random, 80);
        record.fail_from = random_below(&random, 80);
        record.fail_commit = random_below(&random, 80);
        size_t first = record.count;
        int expected = TWINSET_OK;
        if (record.fail_commit < first)
            expected = 2000 + status_of(first = record.fail_commit);
        if (record.fail_from <= first && record.fail_from < record.count)
            expected = 1000 + status_of(first = record.fail_from);
        if (record.fail_read <= first)
            expected = status_of(first = record.fail_read);
        assert_int_equal(run_pipeline(&record, 2 * threads, NULL), expected);
        assert_int_equal(record.committed, first);
    }
}

static void a_pipeline_ends_where_finishing_fails(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++)
        for (size_t at = 0; at < 60; at += 7) {
            pipeline_record record = new_pipeline(60, THREADS[t]);
            record.slow_percent = 20;
            record.fail_finish = at;
            assert_int_equal(run_pipeline(&record, 2 * THREADS[t], NULL), 3000 + status_of(at));
            assert_in_range(record.committed, at + 1, at + 2 * THREADS[t]);
        }
}

static void a_pipeline_can_be_cancelled(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(THREADS); t++)
        for (unsigned after = 0; after <= 3; after++) {
            pipeline_record record = new_pipeline(after ? 100000 : 100, THREADS[t]);
            record.slow_percent = 100;
            record.reports_left = after;
            assert_int_equal(run_pipeline(&record, 2 * THREADS[t], watch_pipeline),
                             after ? TWINSET_CANCELLED : TWINSET_OK);
            assert_true(record.reports > 0 && (!after || record.reports == after));
            assert_true(record.committed < 100000);
        }
}

static void the_machine_has_cores_and_memory(void **state)
{
    double before = tw_now();
    (void)state;
    assert_in_range(tw_cores(), 1, 100000);
    assert_true(tw_machine_memory() > 1 << 20);
    sleep_ms(2);
    assert_true(tw_now() - before > 0.001 && tw_now() - before < 60);
}

/* ---- kernels */

static int restore_isa(void **state)
{
    (void)state;
    return unsetenv("TWINSET_ISA");
}

static void kernels_can_be_limited_to_an_instruction_set(void **state)
{
    twinset_sketcher *sketcher;
    uint32_t usual[64], held[64];
    twinset_options options = options_with("hashes=64");
    twinset_error error = {""};
    (void)state;
    for (int isa = -1; isa < TW_ISAS; isa++) {
        if (isa >= 0 && !tw_cpu_has((tw_isa)isa))
            continue;
        if (isa >= 0)
            setenv("TWINSET_ISA", tw_isa_name((tw_isa)isa), 1);
        else
            unsetenv("TWINSET_ISA");
        assert_int_equal(tw_cpu_check(&error), 0);
        assert_true(isa < 0 || (int)tw_cpu_isa() == isa);
        assert_int_equal(twinset_sketcher_new(&options, &sketcher, &error), 0);
        assert_int_equal(twinset_sketcher_text(sketcher, LITERAL("the same bytes whatever runs"),
                                               isa < 0 ? usual : held, &error),
                         0);
        twinset_sketcher_free(sketcher);
        assert_true(isa < 0 || memcmp(usual, held, sizeof usual) == 0);
    }
}

static void assert_isa_refused(const char *name_given)
{
    twinset_collection *collection;
    twinset_sketcher *sketcher;
    twinset_error error = {""};
    char name[64];
    tw_isa before = tw_cpu_isa();
    setenv("TWINSET_ISA", name_given, 1);
    snprintf(name, sizeof name, "TWINSET_ISA=%s", name_given);
    assert_int_equal(tw_cpu_check(&error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, name));
    assert_int_equal(tw_cpu_check(NULL), TWINSET_USAGE);
    assert_int_equal(twinset_sketcher_new(NULL, &sketcher, &error), TWINSET_USAGE);
    assert_int_equal(twinset_collection_new(NULL, &collection, &error), TWINSET_USAGE);
    assert_true(!sketcher && !collection);
    assert_int_equal(tw_cpu_isa(), before);
}

static void unknown_instruction_sets_are_refused(void **state)
{
    static const char *const unknown[] = {"", "AVX2", "sse9", "Portable", "portable,avx2"};
    (void)state;
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_isa_refused(unknown[i]);
    assert_true(tw_cpu_has(TW_ISA_PORTABLE));
    for (int isa = 0; isa < TW_ISAS; isa++)
        if (!tw_cpu_has((tw_isa)isa))
            assert_isa_refused(tw_isa_name((tw_isa)isa));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_a_message),
        cmocka_unit_test(zero_bytes_can_be_allocated),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(arrays_grow_by_half),
        cmocka_unit_test(arrays_that_cannot_grow_are_unchanged),
        cmocka_unit_test(bytes_are_appended),
#ifdef TW_FAULTS
        cmocka_unit_test(allocations_fail_on_request),
#endif
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(numbers_are_sorted_on_threads),
        cmocka_unit_test(elements_are_sorted_on_threads),
        cmocka_unit_test(every_index_is_visited_once),
        cmocka_unit_test(the_lowest_failure_is_returned),
        cmocka_unit_test(progress_can_cancel),
        cmocka_unit_test(progress_is_reported_in_intervals),
        cmocka_unit_test(loops_may_be_nested),
        cmocka_unit_test(a_pipeline_keeps_the_order),
        cmocka_unit_test(the_first_failure_in_order_is_returned),
        cmocka_unit_test(a_pipeline_ends_where_finishing_fails),
        cmocka_unit_test(a_pipeline_can_be_cancelled),
        cmocka_unit_test(the_machine_has_cores_and_memory),
        cmocka_unit_test_teardown(kernels_can_be_limited_to_an_instruction_set, restore_isa),
        cmocka_unit_test_teardown(unknown_instruction_sets_are_refused, restore_isa),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
