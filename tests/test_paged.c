/* Paged memory: what was written comes back, from the heap or the file; sorting; a disk that is
 * full. */
#define _GNU_SOURCE
#include "testing.h"

#include <signal.h>
#include <sys/resource.h>

#include "memory.h"
#include "paged.h"

enum { COUNT = 400000 }; /* 3.2 MB of numbers, of which one is held */

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
    tw_paged *paged = tw_paged_new(memory_bytes, NULL);
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

static void numbers_on_the_heap(void **state)
{
    (void)state;
    check(64 << 20, false);
}

static void numbers_in_the_file(void **state)
{
    (void)state;
    check(1 << 20, true);
}

/* No disk space is an error with a sentence, not a signal when a page is written. */
static void a_full_disk(void **state)
{
    (void)state;
    struct rlimit usual;
    getrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, usual.rlim_max});
    tw_paged *paged = tw_paged_new(1 << 20, NULL);
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
        cmocka_unit_test(numbers_on_the_heap),
        cmocka_unit_test(numbers_in_the_file),
        cmocka_unit_test(a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
