/*
 * How a run went, as one JSON object: what was found and left out, what the search may have
 * missed, time and bytes by stage. The only output that varies from run to run.
 */
#include <math.h>

#include "common.h"
#include "output.h"

enum { SIZES = 32 }; /* of clusters: 2, 3 to 4, 5 to 8, ... */

static void put_key(tw_sink *sink, const char *key)
{
    tw_put_text(sink, ",\n  ");
    tw_put_json(sink, key);
    tw_put_text(sink, ": ");
}

static void put_whole(tw_sink *sink, const char *before, uint64_t value)
{
    tw_put_text(sink, before);
    tw_put_text(sink, tw_number_whole(value).text);
}

static void put_real(tw_sink *sink, const char *before, double value)
{
    tw_put_text(sink, before);
    tw_put_text(sink, isnan(value) ? "null" : tw_number_real(value).text);
}

static void put_count(tw_sink *sink, const char *key, uint64_t value)
{
    put_key(sink, key);
    put_whole(sink, "", value);
}

/* Begins an element of a list, each on a line of its own. */
static void put_element(tw_sink *sink, size_t index)
{
    tw_put_text(sink, index == 0 ? "\n    " : ",\n    ");
}

static int put_parameters(tw_sink *sink, const twinset_result *result)
{
    tw_bytes parameters = {0};
    int status = tw_options_json(&result->options, &parameters);
    put_key(sink, "parameters");
    if (status == TWINSET_OK)
        tw_put(sink, parameters.data, parameters.length);
    tw_bytes_free(&parameters);
    return status;
}

static void put_skipped(tw_sink *sink, const twinset_result *result, size_t count)
{
    put_key(sink, "skipped");
    tw_put(sink, "[", 1);
    for (size_t i = 0; i < count && sink->failure == 0; i++) {
        twinset_skip skip = result->skips[i];
        put_element(sink, i);
        tw_put_text(sink, "{\"path\": ");
        tw_put_json(sink, skip.path);
        tw_put_text(sink, ", \"reason\": ");
        tw_put_sentence_json(sink, skip.reason);
        tw_put(sink, "}", 1);
    }
    tw_put_text(sink, count ? "\n  ]" : "]");
}

static void put_all_flagged(tw_sink *sink, const twinset_result *result, size_t count)
{
    put_key(sink, "flagged");
    tw_put(sink, "[", 1);
    for (size_t i = 0; i < count && sink->failure == 0; i++) {
        put_element(sink, i);
        tw_put_flagged(sink, result, i);
    }
    tw_put_text(sink, count ? "\n  ]" : "]");
}

static void put_notes(tw_sink *sink, const twinset_result *result, size_t count)
{
    put_key(sink, "notes");
    tw_put(sink, "[", 1);
    for (size_t i = 0; i < count; i++) {
        put_element(sink, i);
        tw_put_sentence_json(sink, result->notes[i]);
    }
    tw_put_text(sink, count ? "\n  ]" : "]");
}

static void put_sample(tw_sink *sink, const twinset_run *run)
{
    bool known = run->sample_pairs > 0;
    put_key(sink, "sample");
    if (run->sampled == 0) {
        tw_put_text(sink, "null");
        return;
    }
    put_whole(sink, "{\"documents\": ", run->sampled);
    put_whole(sink, ", \"pairs\": ", run->sample_pairs);
    put_whole(sink, ", \"found\": ", run->sample_found);
    put_real(sink,
             ", \"recall\": ", known ? (double)run->sample_found / (double)run->sample_pairs : NAN);
    tw_put(sink, "}", 1);
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

static void put_sizes(tw_sink *sink, const twinset_result *result, size_t count)
{
    uint64_t clusters[SIZES] = {0}, documents[SIZES] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t size = tw_result_cluster_at(result, i).size;
        clusters[class_of(size)]++;
        documents[class_of(size)] += size;
    }
    put_key(sink, "cluster_sizes");
    tw_put(sink, "[", 1);
    size_t written = 0;
    for (unsigned i = 0; i < SIZES; i++) {
        if (clusters[i] == 0)
            continue;
        put_element(sink, written++);
        put_whole(sink, "{\"from\": ", i == 0 ? 2 : ((uint64_t)1 << i) + 1);
        put_whole(sink, ", \"to\": ", (uint64_t)2 << i);
        put_whole(sink, ", \"clusters\": ", clusters[i]);
        put_whole(sink, ", \"documents\": ", documents[i]);
        tw_put(sink, "}", 1);
    }
    tw_put_text(sink, written ? "\n  ]" : "]");
}

static void put_largest(tw_sink *sink, const twinset_result *result, size_t count)
{
    put_key(sink, "largest_cluster");
    if (count == 0) {
        tw_put_text(sink, "null");
        return;
    }
    twinset_cluster largest = tw_result_cluster_at(result, 0);
    put_whole(sink, "{\"id\": ", largest.id);
    put_whole(sink, ", \"size\": ", largest.size);
    tw_put_text(sink, ", \"representative\": ");
    tw_put_json(sink, largest.representative);
    put_real(sink, ", \"min_similarity\": ", largest.min_similarity);
    tw_put(sink, "}", 1);
}

/* ---- the machine */

static void put_stages(tw_sink *sink, const twinset_result *result)
{
    size_t count = tw_result_stages(result);
    put_key(sink, "stages");
    tw_put(sink, "[", 1);
    for (size_t i = 0; i < count; i++) {
        const twinset_stage *stage = &result->stages[i];
        put_element(sink, i);
        tw_put_text(sink, "{\"name\": ");
        tw_put_json(sink, stage->name);
        put_real(sink, ", \"seconds\": ", round(stage->seconds * 1e6) / 1e6);
        put_whole(sink, ", \"bytes\": ", stage->bytes);
        tw_put(sink, "}", 1);
    }
    tw_put_text(sink, "\n  ]");
}

static void put_machine(tw_sink *sink, const twinset_result *result, const twinset_run *run)
{
    const twinset_options *options = &result->options;
    put_stages(sink, result);
    put_count(sink, "peak_memory_bytes", twinset_peak_memory());
    put_count(sink, "memory_bytes", options->memory_bytes);
    put_count(sink, "spilled_bytes", run->spilled_bytes);
    put_count(sink, "threads", options->threads);
    put_key(sink, "isa");
    tw_put_json(sink, tw_isa_name(tw_cpu_isa()));
}

/* ---- the whole */

static void put_search(tw_sink *sink, const twinset_run *run)
{
    char method[TW_OPTION_WORD_BYTES];
    put_key(sink, "method");
    tw_put_json(sink, tw_option_word("method", run->method, method));
    put_count(sink, "bands", run->bands);
    put_count(sink, "rows", run->rows);
    put_key(sink, "expected_recall");
    put_real(sink, "", run->expected_recall);
    put_sample(sink, run);
    put_count(sink, "candidates", run->candidates);
    put_count(sink, "verified", run->verified);
}

static void put_cleaned(tw_sink *sink, const twinset_clean_counts *cleaned)
{
    put_key(sink, "cleaned");
    put_whole(sink, "{\"read\": ", cleaned->read);
    put_whole(sink, ", \"kept\": ", cleaned->kept);
    put_whole(sink, ", \"removed\": ", cleaned->removed);
    put_whole(sink, ", \"skipped\": ", cleaned->skipped);
    tw_put(sink, "}", 1);
}

/* `cleaned` may be NULL. */
static int write_report(const twinset_result *result, const twinset_clean_counts *cleaned,
                        twinset_write_fn write, void *context, twinset_error *error)
{
    twinset_run run = result->run;
    tw_sink sink;
    tw_sink_init(&sink, write, context);
    tw_put_text(&sink, "{\n  \"version\": ");
    tw_put_json(&sink, TWINSET_VERSION);
    put_key(&sink, "command");
    tw_put_json(&sink, cleaned ? "dedup" : "scan");
    if (put_parameters(&sink, result) != TWINSET_OK)
        return tw_nomem(error);
    put_count(&sink, "records", run.records);
    put_count(&sink, "documents", run.documents);
    put_count(&sink, "bytes", run.bytes);
    put_count(&sink, "shingles", run.shingles);
    put_skipped(&sink, result, run.skipped);
    put_all_flagged(&sink, result, run.flagged);
    put_search(&sink, &run);
    if (!cleaned)
        put_count(&sink, "pairs", run.pairs);
    put_count(&sink, "clusters", run.clusters);
    put_sizes(&sink, result, run.clusters);
    put_largest(&sink, result, run.clusters);
    if (cleaned)
        put_cleaned(&sink, cleaned);
    put_notes(&sink, result, run.notes);
    put_machine(&sink, result, &run);
    tw_put_text(&sink, "\n}\n");
    return tw_sink_end(&sink, error);
}

int twinset_result_write_report(const twinset_result *result, const twinset_clean_counts *counts,
                                size_t counts_size, twinset_write_fn write, void *context,
                                twinset_error *error)
{
    twinset_clean_counts own = {0};
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    if (counts)
        tw_copy_struct(&own, sizeof own, counts, counts_size);
    return write_report(result, counts ? &own : NULL, write, context, error);
}
