/*
 * How a run went, as one JSON object: what was found and what was left out, what the search may
 * have missed, time and bytes by stage. The only output that varies from run to run.
 */
#include <math.h>

#include "writers.h"

enum { SIZES = 32 }; /* of clusters: 2, 3 to 4, 5 to 8, ... */

/* ---- the search */

static void write_sample(tw_json *json, const twinset_run *run)
{
    bool known = run->sample_pairs > 0;
    if (run->sampled == 0) {
        tw_json_null(json, "sample");
        return;
    }
    tw_json_object(json, "sample", TW_JSON_INLINE);
    tw_json_whole(json, "documents", run->sampled);
    tw_json_whole(json, "pairs", run->sample_pairs);
    tw_json_whole(json, "found", run->sample_found);
    tw_json_real(json, "recall",
                 known ? (double)run->sample_found / (double)run->sample_pairs : NAN);
    tw_json_close(json);
}

static void write_search(tw_json *json, const twinset_run *run)
{
    char method[TW_OPTION_WORD_BYTES];
    tw_json_string(json, "method", tw_option_word("method", run->method, method));
    tw_json_whole(json, "bands", run->bands);
    tw_json_whole(json, "rows", run->rows);
    tw_json_real(json, "expected_recall", run->expected_recall);
    write_sample(json, run);
    tw_json_whole(json, "candidates", run->candidates);
    tw_json_whole(json, "verified", run->verified);
}

/* ---- clusters */

/* 0 for 2, 1 for 3 and 4, 2 for 5 to 8. */
static unsigned class_of(size_t size)
{
    unsigned class = 0;
    while (class + 1 < SIZES && (size_t)2 << class < size)
        class ++;
    return class;
}

static void write_sizes(tw_json *json, const twinset_result *result)
{
    uint64_t clusters[SIZES] = {0}, documents[SIZES] = {0};
    for (size_t i = 0; i < result->run.clusters; i++) {
        size_t size = tw_result_cluster_at(result, i).size;
        clusters[class_of(size)]++;
        documents[class_of(size)] += size;
    }
    tw_json_list(json, "cluster_sizes", TW_JSON_LINES);
    for (unsigned i = 0; i < SIZES; i++) {
        if (clusters[i] == 0)
            continue;
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_whole(json, "from", i == 0 ? 2 : ((uint64_t)1 << i) + 1);
        tw_json_whole(json, "to", (uint64_t)2 << i);
        tw_json_whole(json, "clusters", clusters[i]);
        tw_json_whole(json, "documents", documents[i]);
        tw_json_close(json);
    }
    tw_json_close(json);
}

static void write_largest(tw_json *json, const twinset_result *result)
{
    if (result->run.clusters == 0) {
        tw_json_null(json, "largest_cluster");
        return;
    }
    twinset_cluster largest = tw_result_cluster_at(result, 0);
    tw_json_object(json, "largest_cluster", TW_JSON_INLINE);
    tw_json_whole(json, "id", largest.id);
    tw_json_whole(json, "size", largest.size);
    tw_json_string(json, "representative", largest.representative);
    tw_json_real(json, "min_similarity", largest.min_similarity);
    tw_json_close(json);
}

/* ---- the machine */

static void write_stages(tw_json *json, const twinset_result *result)
{
    size_t count = tw_result_stages(result);
    tw_json_list(json, "stages", TW_JSON_LINES);
    for (size_t i = 0; i < count; i++) {
        const twinset_stage *stage = &result->stages[i];
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_string(json, "name", stage->name);
        tw_json_real(json, "seconds", round(stage->seconds * 1e6) / 1e6);
        tw_json_whole(json, "bytes", stage->bytes);
        tw_json_real(json, "cpu_seconds", round(stage->cpu_seconds * 1e6) / 1e6);
        tw_json_real(json, "serial_seconds", round(stage->serial_seconds * 1e6) / 1e6);
        tw_json_close(json);
    }
    tw_json_close(json);
}

static void write_machine(tw_json *json, const twinset_result *result)
{
    const twinset_options *options = &result->options;
    write_stages(json, result);
    tw_json_whole(json, "peak_memory_bytes", twinset_peak_memory());
    tw_json_whole(json, "memory_bytes", options->memory_bytes);
    tw_json_whole(json, "spilled_bytes", result->run.spilled_bytes);
    tw_json_whole(json, "threads", options->threads);
    tw_json_string(json, "isa", tw_isa_name(tw_cpu_isa()));
}

/* ---- the whole */

static void write_cleaned(tw_json *json, const twinset_clean_counts *cleaned)
{
    tw_json_object(json, "cleaned", TW_JSON_INLINE);
    tw_json_whole(json, "read", cleaned->read);
    tw_json_whole(json, "kept", cleaned->kept);
    tw_json_whole(json, "removed", cleaned->removed);
    tw_json_whole(json, "skipped", cleaned->skipped);
    tw_json_close(json);
}

static void write_clusters(tw_json *json, const twinset_result *result)
{
    tw_json_whole(json, "clusters", result->run.clusters);
    write_sizes(json, result);
    write_largest(json, result);
}

/* `cleaned` may be NULL. */
static void write_report(tw_json *json, const twinset_result *result,
                         const twinset_clean_counts *cleaned)
{
    const twinset_run *run = &result->run;
    tw_json_object(json, NULL, TW_JSON_LINES);
    tw_json_string(json, "version", TWINSET_VERSION);
    tw_json_string(json, "command", cleaned ? "dedup" : "scan");
    tw_json_options(json, "parameters", &result->options);
    tw_json_whole(json, "records", run->records);
    tw_json_whole(json, "documents", run->documents);
    tw_json_whole(json, "bytes", run->bytes);
    tw_json_whole(json, "resumed_bytes", run->resumed_bytes);
    tw_json_whole(json, "shingles", run->shingles);
    tw_json_skips(json, result);
    tw_json_flagged(json, result);
    write_search(json, run);
    if (!cleaned)
        tw_json_whole(json, "pairs", run->found_pairs);
    write_clusters(json, result);
    if (cleaned)
        write_cleaned(json, cleaned);
    tw_json_notes(json, result, NULL);
    write_machine(json, result);
    tw_json_close(json);
    tw_json_end_line(json);
}

int twinset_result_write_report(const twinset_result *result, const twinset_clean_counts *counts,
                                size_t counts_size, twinset_write_fn write, void *context,
                                twinset_error *error)
{
    twinset_clean_counts own = {0};
    tw_sink sink;
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    if (counts)
        tw_copy_struct(&own, sizeof own, counts, counts_size);
    tw_sink_init(&sink, write, context);
    tw_json json = tw_json_new(&sink);
    write_report(&json, result, counts ? &own : NULL);
    return tw_sink_end(&sink, error);
}
