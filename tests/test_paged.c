/* Paged memory: numbers are read as written, from the heap or the file; sorting; a full disk. */
#define _GNU_SOURCE
#include "testing.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "memory.h"
#include "paged.h"

enum { COUNT = 400000 }; /* 3.2 MB of numbers, of which 1 MB is in memory */

static int by_number(const void *left, const void *right, void *context)
{
    const uint64_t *x = left, *y = right;
    (void)context;
    return *x < *y ? -1 : *x > *y;
}

static uint64_t *fill(tw_paged *paged, size_t *capacity)
{
    uint64_t *numbers = NULL;
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(TW_PAGED_GROW(paged, numbers, *capacity, i + 1), TWINSET_OK);
        tw_paged_touch(paged, &numbers[i], sizeof *numbers);
        numbers[i] = i * 0x9E3779B97F4A7C15u;
    }
    return numbers;
}

static void check(uint64_t memory_bytes, bool has_file)
{
    tw_paged *paged = tw_paged_new(memory_bytes, memory_bytes, NULL);
    size_t capacity = 0;
    uint64_t *numbers = fill(paged, &capacity);
    assert_int_equal(tw_paged_has_file(paged), has_file);
    assert_int_equal(tw_paged_spilled(paged) > 0, has_file);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(numbers[i] == i * 0x9E3779B97F4A7C15u);
    assert_int_equal(tw_paged_sort(paged, &numbers, COUNT, sizeof *numbers, by_number, NULL),
                     TWINSET_OK);
    for (size_t i = 1; i < COUNT; i++)
        assert_true(numbers[i - 1] < numbers[i]);
    tw_paged_free(paged, numbers);
    tw_paged_free(paged, NULL);
    tw_paged_release(paged);
}

static void numbers_are_sorted_on_the_heap(void **state)
{
    (void)state;
    check(64 << 20, false);
}

/* If twice its size does not fit, an array grows to the memory that is left. Memory that it gives
 * back is available to the next array. */
static void an_array_grows_to_the_memory_that_is_left(void **state)
{
    (void)state;
    tw_paged *paged = tw_paged_new(8 << 20, 1 << 20, NULL);
    size_t capacity = 0, half = (4 << 20) / sizeof(uint64_t);
    uint64_t *numbers = NULL;
    assert_int_equal(TW_PAGED_GROW(paged, numbers, capacity, half), TWINSET_OK);
    memset(numbers, 1, half * sizeof *numbers);
    assert_int_equal(TW_PAGED_GROW(paged, numbers, capacity, half + half / 2), TWINSET_OK);
    assert_false(tw_paged_has_file(paged));
    TW_PAGED_TRIM(paged, numbers, capacity, half);
    assert_int_equal(capacity, half);
    assert_true(numbers[half - 1] == 0x0101010101010101u);
    void *other = tw_paged_alloc(paged, 3 << 20);
    assert_non_null(other);
    assert_false(tw_paged_has_file(paged));
    tw_paged_free(paged, other);
    tw_paged_free(paged, numbers);
    tw_paged_release(paged);
}

static void numbers_are_sorted_in_the_file(void **state)
{
    (void)state;
    check(1 << 20, true);
}

/* Touches windows of 64 KB of the memory in a scattered order, and writes to each. */
static void touch_windows(tw_paged *paged, char *memory, size_t windows, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        char *window = memory + i * 7919 % windows * (64 << 10);
        tw_paged_touch(paged, window, 1);
        *window = (char)i;
    }
}

static long count_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* The number of file pages that this process has in memory. */
static long count_file_pages(void)
{
    long size, resident, shared = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld %ld", &size, &resident, &shared), 3);
    fclose(file);
    return shared;
}

/* Windows that are used repeatedly stay in memory, as long as they fit. */
static void few_windows_are_not_dropped(void **state)
{
    (void)state;
    enum { WINDOWS = 100, TIMES = 20000 };
    tw_paged *paged = tw_paged_new(8 << 20, 8 << 20, NULL);
    char *memory = tw_paged_alloc(paged, 16 << 20);
    assert_non_null(memory);
    assert_true(tw_paged_has_file(paged));
    long before = count_faults();
    touch_windows(paged, memory, WINDOWS, TIMES);
    assert_true(count_faults() - before < 20 * WINDOWS);
    tw_paged_release(paged);
}

static void many_windows_are_dropped(void **state)
{
    (void)state;
    enum { WINDOWS = 256, PAGES_OF_TWO_MB = 512 };
    uint64_t resident;
    tw_paged *paged = tw_paged_new(1 << 20, 1 << 20, NULL);
    char *memory = tw_paged_alloc(paged, (size_t)WINDOWS << 16);
    assert_non_null(memory);
    assert_true(tw_paged_is_in_file(paged, memory, &resident));
    assert_int_equal(resident, 1 << 20);
    for (size_t i = 0; i + 1 < WINDOWS; i++) {
        tw_paged_touch(paged, memory + (i << 16), 1 << 16);
        memset(memory + (i << 16), 1, 1 << 16);
    }
    long before = count_file_pages();
    tw_paged_release(paged);
    assert_true(before - count_file_pages() < PAGES_OF_TWO_MB);
}

/* A line of text, say, that is sorted by a number. */
typedef struct wide {
    uint64_t number;
    char rest[504];
} wide;

static int by_number_and_count(const void *left, const void *right, void *context)
{
    long *most = context;
    static unsigned calls;
    if (calls++ % 1024 == 0) {
        long pages = count_file_pages();
        *most = pages > *most ? pages : *most;
    }
    return by_number(left, right, NULL);
}

/* However many runs are sorted, only a few are merged at once, as each keeps a window in memory. */
static void few_windows_are_resident_while_runs_are_merged(void **state)
{
    (void)state;
    enum { WIDE = 1 << 16, PAGES = 900 }; /* 32 MB: 64 runs of half a megabyte */
    tw_paged *paged = tw_paged_new(1 << 20, 1 << 20, NULL);
    wide *list = tw_paged_alloc(paged, WIDE * sizeof *list);
    long before = count_file_pages(), most = 0;
    assert_non_null(list);
    for (uint64_t i = 0; i < WIDE; i++) {
        tw_paged_touch(paged, &list[i], sizeof *list);
        list[i].number = i * 0x9E3779B97F4A7C15u;
    }
    assert_int_equal(tw_paged_sort(paged, &list, WIDE, sizeof *list, by_number_and_count, &most),
                     TWINSET_OK);
    assert_true(most - before < PAGES);
    for (size_t i = 1; i < WIDE; i++)
        assert_true(list[i - 1].number < list[i].number);
    tw_paged_free(paged, list);
    tw_paged_release(paged);
}

/* A full disk is an error with a message, not a signal when a page is written. */
static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct rlimit usual;
    getrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, usual.rlim_max});
    tw_paged *paged = tw_paged_new(1 << 20, 1 << 20, NULL);
    void *memory = tw_paged_alloc(paged, 8 << 20);
    setrlimit(RLIMIT_FSIZE, &usual);
    twinset_error error = {""};
    assert_null(memory);
    assert_int_equal(tw_paged_fail(paged, &error, TWINSET_NOMEM), TWINSET_IO);
    assert_non_null(strstr(error.message, "temporary files"));
    tw_paged_release(paged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted_on_the_heap),
        cmocka_unit_test(an_array_grows_to_the_memory_that_is_left),
        cmocka_unit_test(numbers_are_sorted_in_the_file),
        cmocka_unit_test(few_windows_are_not_dropped),
        cmocka_unit_test(many_windows_are_dropped),
        cmocka_unit_test(few_windows_are_resident_while_runs_are_merged),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
