/* Sorting in bounded memory: every entry is read once, in order, for all kinds of keys. */
#include "testing.h"

#include "memory.h"
#include "sorter.h"

enum { THREADS = 3, ENTRIES = 60000, WORKERS_MOST = 8 };

/* The entries that a visit has received. */
typedef struct visited {
    tw_entry last[WORKERS_MOST]; /* by worker */
    tw_entry *all;               /* by value */
    size_t count[WORKERS_MOST];
    size_t calls[WORKERS_MOST];
} visited;

static bool is_before(tw_entry a, tw_entry b)
{
    return a.key != b.key ? a.key < b.key : a.value < b.value;
}

static int take(void *context, unsigned worker, bool starts, const tw_entry *entries, size_t count)
{
    visited *visit = context;
    for (size_t i = 0; i < count; i++) {
        if (!starts || i > 0)
            assert_true(is_before(visit->last[worker], entries[i]));
        visit->last[worker] = entries[i];
        assert_int_equal(visit->all[entries[i].value].value, UINT64_MAX);
        visit->all[entries[i].value] = entries[i];
    }
    visit->count[worker] += count;
    visit->calls[worker]++;
    return TWINSET_OK;
}

typedef struct filling {
    tw_sorter *sorter;
    uint64_t (*key)(uint64_t number);
} filling;

static int add_entry(void *context, unsigned worker, size_t index)
{
    filling *fill = context;
    return tw_sorter_add(fill->sorter, worker, (tw_entry){fill->key(index), index});
}

static uint64_t random_key(uint64_t number)
{
    uint64_t state = number + 1;
    return (uint64_t)random_below(&state, SIZE_MAX);
}

static uint64_t equal_key(uint64_t number)
{
    return number & 0;
}

static uint64_t few_keys(uint64_t number)
{
    return number % 3 << 62;
}

static uint64_t small_key(uint64_t number)
{
    return number / 7 % 1000;
}

/* Sorts entries with these keys, and returns the number of calls of the visit. */
static size_t check_sorted(uint64_t (*key)(uint64_t number), unsigned key_bits, uint64_t memory)
{
    tw_loop loop = {.threads = THREADS};
    visited visit = {.all = tw_array(ENTRIES, sizeof *visit.all)};
    filling fill = {.key = key};
    twinset_error error;
    assert_non_null(visit.all);
    memset(visit.all, 0xFF, ENTRIES * sizeof *visit.all);
    assert_ok(tw_sorter_new(key_bits, memory, THREADS, NULL, &fill.sorter, &error), &error);
    assert_int_equal(tw_parallel(&loop, ENTRIES, add_entry, &fill), 0);
    assert_int_equal(tw_sorter_count(fill.sorter), ENTRIES);
    assert_ok(tw_sorter_visit(fill.sorter, &loop, take, &visit, &error), &error);
    tw_sorter_free(fill.sorter);
    size_t count = 0, calls = 0;
    for (unsigned i = 0; i < WORKERS_MOST; i++) {
        count += visit.count[i];
        calls += visit.calls[i];
    }
    assert_int_equal(count, ENTRIES);
    for (uint64_t i = 0; i < ENTRIES; i++)
        assert_int_equal(visit.all[i].key, key(i));
    tw_free(visit.all);
    return calls;
}

static void entries_are_sorted_in_memory(void **state)
{
    (void)state;
    assert_int_equal(check_sorted(random_key, 64, 64 << 20), 256);
    assert_int_equal(check_sorted(equal_key, 64, 64 << 20), 1);
    assert_int_equal(check_sorted(few_keys, 64, 64 << 20), 3);
    check_sorted(small_key, 10, 64 << 20);
}

/* With little memory, a partition is distributed again, down to the bits of values. */
static void entries_are_sorted_within_little_memory(void **state)
{
    (void)state;
    assert_int_equal(check_sorted(random_key, 64, 1 << 16), 256);
    assert_true(check_sorted(equal_key, 64, 1 << 16) > 10);
    assert_true(check_sorted(few_keys, 64, 1 << 16) > 10);
    check_sorted(small_key, 10, 1 << 16);
}

static void no_entries_are_sorted(void **state)
{
    (void)state;
    tw_loop loop = {.threads = 1};
    tw_sorter *sorter;
    twinset_error error;
    assert_ok(tw_sorter_new(64, 1 << 20, 1, NULL, &sorter, &error), &error);
    assert_ok(tw_sorter_visit(sorter, &loop, take, NULL, &error), &error);
    tw_sorter_free(sorter);
}

static void a_missing_folder_is_an_error(void **state)
{
    (void)state;
    tw_sorter *sorter;
    twinset_error error;
    int status = 0;
    tw_loop loop = {.threads = 1};
    visited visit = {0};
    assert_ok(tw_sorter_new(64, 1, 1, "/nonexistent", &sorter, &error), &error);
    for (uint64_t i = 0; i < ENTRIES && status == 0; i++)
        status = tw_sorter_add(sorter, 0, (tw_entry){random_key(i), i});
    assert_int_equal(status, TWINSET_IO);
    assert_int_equal(tw_sorter_visit(sorter, &loop, take, &visit, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "/nonexistent"));
    tw_sorter_free(sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted_in_memory),
        cmocka_unit_test(entries_are_sorted_within_little_memory),
        cmocka_unit_test(no_entries_are_sorted),
        cmocka_unit_test(a_missing_folder_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
