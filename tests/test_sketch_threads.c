/*
 * Sketchers in several threads, each with a handle of its own, by every scheme. ThreadSanitizer
 * runs this file, and not the statistics of test_sketch.c, which would take it minutes.
 */
#include "testing.h"

#include <pthread.h>

enum { SCHEMES = TWINSET_SCHEME_DATASKETCH2 + 1 };
static const char TEXT[] = "A text that is long enough for some dozens of shingles, but no longer.";

typedef struct lone_sketch {
    size_t scheme;
    int status;
    uint32_t slots[64];
} lone_sketch;

static void *sketch_in_thread(void *context)
{
    lone_sketch *lone = context;
    twinset_options options;
    twinset_sketcher *sketcher;
    twinset_options_init(&options, sizeof options);
    options.scheme = (int)lone->scheme;
    options.hashes = COUNT(lone->slots);
    lone->status = twinset_sketcher_new(&options, &sketcher, NULL);
    for (int i = 0; i < 20 && lone->status == TWINSET_OK; i++)
        lone->status = twinset_sketcher_text(sketcher, TEXT, sizeof TEXT - 1, lone->slots, NULL);
    twinset_sketcher_free(sketcher);
    return NULL;
}

static void threads_may_sketch_at_once(void **state)
{
    lone_sketch lone[2 * SCHEMES];
    pthread_t threads[COUNT(lone)];
    (void)state;
    for (size_t i = 0; i < COUNT(lone); i++) {
        lone[i].scheme = i / 2;
        assert_int_equal(pthread_create(&threads[i], NULL, sketch_in_thread, &lone[i]), 0);
    }
    for (size_t i = 0; i < COUNT(lone); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(lone[i].status, TWINSET_OK);
    }
    for (size_t i = 0; i < COUNT(lone); i += 2)
        assert_memory_equal(lone[i].slots, lone[i + 1].slots, sizeof lone[i].slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_sketch_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
