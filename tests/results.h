/* Reads records of a result by value. An index out of range fails the test. */
#ifndef RESULTS_H
#define RESULTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "twinset_advanced.h"

static inline twinset_run run_of(const twinset_result *result)
{
    twinset_run run;
    assert_int_equal(twinset_result_run(result, &run, sizeof run), TWINSET_OK);
    return run;
}

static inline twinset_pair pair_at(const twinset_result *result, size_t index)
{
    twinset_pair pair;
    assert_int_equal(twinset_result_pair(result, index, &pair, sizeof pair), TWINSET_OK);
    return pair;
}

static inline twinset_cluster cluster_at(const twinset_result *result, size_t index)
{
    twinset_cluster cluster;
    assert_int_equal(twinset_result_cluster(result, index, &cluster, sizeof cluster), TWINSET_OK);
    return cluster;
}

static inline twinset_skip skip_at(const twinset_result *result, size_t index)
{
    twinset_skip skip;
    assert_int_equal(twinset_result_skip(result, index, &skip, sizeof skip), TWINSET_OK);
    return skip;
}

static inline twinset_skip collection_skip_at(const twinset_collection *collection, size_t index)
{
    twinset_skip skip;
    assert_int_equal(twinset_collection_skip(collection, index, &skip, sizeof skip), TWINSET_OK);
    return skip;
}

/* Whether a note has these words. */
static inline bool has_note(const twinset_result *result, const char *words)
{
    for (size_t i = 0; i < twinset_result_notes(result); i++)
        if (strstr(twinset_result_note(result, i), words))
            return true;
    return false;
}

#endif
