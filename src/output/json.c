/*
 * Results as JSON: one object with all of it, or an object a line for the pairs alone.
 * The object is laid out so that a person may look at it and a line-based tool at its pairs.
 */
#include <math.h>

#include "common.h"
#include "evidence.h"

static void put_key(tw_sink *sink, const char *key)
{
    tw_put_json(sink, key);
    tw_put(sink, ": ", 2);
}

static void put_whole(tw_sink *sink, uint64_t value)
{
    tw_put_text(sink, tw_number_whole(value).text);
}

static void put_real(tw_sink *sink, double value)
{
    tw_put_text(sink, isnan(value) ? "null" : tw_number_real(value).text);
}

/* What both documents have, for as many pairs as a person may look at. */
static int put_passages(tw_sink *sink, const twinset_result *result, size_t index,
                        twinset_error *error)
{
    const twinset_passages *shown = result->comparison.passages;
    twinset_passages *found = NULL;
    int status = TWINSET_OK;
    if (index < TWINSET_PAIRS_WITH_PASSAGES && !result->comparison.is_one)
        status = tw_result_find_passages(result, index, &found, error);
    shown = found ? found : shown;
    tw_put_text(sink, ", \"passages\": ");
    if (shown)
        tw_put_passages(sink, shown);
    else
        tw_put_text(sink, "null");
    twinset_passages_free(found);
    return status;
}

static void put_fields(tw_sink *sink, const twinset_pair *pair, size_t fields)
{
    for (const tw_field *field = tw_fields; field < tw_fields + fields; field++) {
        tw_put_text(sink, field == tw_fields ? "" : ", ");
        put_key(sink, field->name);
        if (field->kind == TW_KIND_NAME)
            tw_put_json(sink, tw_field_name(field, pair));
        else
            tw_put_field(sink, field, pair, "null");
    }
}

static void put_object(tw_sink *sink, const twinset_pair *pair, size_t fields)
{
    tw_put(sink, "{", 1);
    put_fields(sink, pair, fields);
    tw_put(sink, "}\n", 2);
}

void tw_put_object(tw_sink *sink, const twinset_pair *pair)
{
    put_object(sink, pair, TW_FIELDS_OF_TEXT);
}

static int put_pairs(tw_sink *sink, const twinset_result *result, size_t count,
                     twinset_error *error)
{
    int status = TWINSET_OK;
    tw_put_text(sink, "  \"pairs\": [");
    for (size_t i = 0; i < count && sink->failure == 0 && status == TWINSET_OK; i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        tw_put_text(sink, i == 0 ? "\n    {" : ",\n    {");
        put_fields(sink, &pair, tw_field_count(result));
        status = put_passages(sink, result, i, error);
        tw_put(sink, "}", 1);
    }
    tw_put_text(sink, count ? "\n  ]" : "]");
    return status;
}

static void put_cluster(tw_sink *sink, const twinset_result *result, size_t index)
{
    twinset_cluster cluster = tw_result_cluster_at(result, index);
    tw_put_text(sink, "{\"id\": ");
    put_whole(sink, cluster.id);
    tw_put_text(sink, ", \"size\": ");
    put_whole(sink, cluster.size);
    tw_put_text(sink, ", \"members\": [");
    for (size_t i = 0; i < cluster.size; i++) {
        tw_put_text(sink, i == 0 ? "" : ", ");
        tw_put_json(sink, cluster.members[i]);
    }
    tw_put_text(sink, "], \"representative\": ");
    tw_put_json(sink, cluster.representative);
    tw_put_text(sink, ", \"min_similarity\": ");
    put_real(sink, cluster.min_similarity);
    tw_put(sink, "}", 1);
}

static void put_skip(tw_sink *sink, const twinset_result *result, size_t index)
{
    twinset_skip skip = result->skips[index];
    tw_put_text(sink, "{\"path\": ");
    tw_put_json(sink, skip.path);
    tw_put_text(sink, ", \"reason\": ");
    tw_put_sentence_json(sink, skip.reason);
    tw_put(sink, "}", 1);
}

static void put_flags(tw_sink *sink, unsigned flags)
{
    static const char *const names[] = {
        "invalid-utf8",     "hidden-characters", "homoglyphs",    "hidden-text",
        "encoding-guessed", "unparsed",          "mostly-quoted", "lexed"};
    const char *before = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(flags >> i & 1))
            continue;
        tw_put_text(sink, before);
        tw_put_json(sink, names[i]);
        before = ", ";
    }
}

void tw_put_flagged(tw_sink *sink, const twinset_result *result, size_t index)
{
    twinset_flagged_document flagged = result->flagged[index];
    tw_put_text(sink, "{\"path\": ");
    tw_put_json(sink, flagged.path);
    tw_put_text(sink, ", \"flags\": [");
    put_flags(sink, flagged.flags);
    tw_put_text(sink, "]");
    if (flagged.encoding) {
        tw_put_text(sink, ", \"encoding\": ");
        tw_put_json(sink, flagged.encoding);
    }
    tw_put_text(sink, "}");
}

/* The notes of the run, and then what is to be said of this format. */
static void put_note(tw_sink *sink, const twinset_result *result, size_t index)
{
    tw_put_sentence_json(sink, index < result->run.notes
                                   ? result->notes[index]
                                   : "only the first 10,000 pairs have passages here");
}

/* "key": [ one element a line ] */
static void put_list(tw_sink *sink, const char *indent, const char *key,
                     void (*put_element)(tw_sink *, const twinset_result *, size_t),
                     const twinset_result *result, size_t count)
{
    tw_put_text(sink, indent);
    put_key(sink, key);
    tw_put(sink, "[", 1);
    for (size_t i = 0; i < count && sink->failure == 0; i++) {
        tw_put_text(sink, i == 0 ? "\n  " : ",\n  ");
        tw_put_text(sink, indent);
        put_element(sink, result, i);
    }
    if (count > 0) {
        tw_put(sink, "\n", 1);
        tw_put_text(sink, indent);
    }
    tw_put(sink, "]", 1);
}

static void put_run_list(tw_sink *sink, const char *key,
                         void (*put_element)(tw_sink *, const twinset_result *, size_t),
                         const twinset_result *result, size_t count)
{
    put_list(sink, "    ", key, put_element, result, count);
    tw_put(sink, ",\n", 2);
}

static void put_run_number(tw_sink *sink, const char *key, uint64_t value)
{
    tw_put_text(sink, "    ");
    put_key(sink, key);
    put_whole(sink, value);
    tw_put(sink, ",\n", 2);
}

static int put_run(tw_sink *sink, const twinset_result *result, const twinset_run *run)
{
    tw_bytes parameters = {0};
    char method[TW_OPTION_WORD_BYTES];
    if (tw_options_json(&result->options, &parameters) != TWINSET_OK) {
        tw_bytes_free(&parameters);
        return TWINSET_NOMEM;
    }
    tw_put_text(sink, "  \"run\": {\n    \"version\": ");
    tw_put_json(sink, twinset_version());
    tw_put_text(sink, ",\n    \"parameters\": ");
    tw_put(sink, parameters.data, parameters.length);
    tw_bytes_free(&parameters);
    tw_put_text(sink, ",\n    \"method\": ");
    tw_put_json(sink, tw_option_word("method", run->method, method));
    tw_put(sink, ",\n", 2);
    put_run_number(sink, "bands", run->bands);
    put_run_number(sink, "rows", run->rows);
    put_run_number(sink, "documents", run->documents);
    put_run_list(sink, "skipped", put_skip, result, run->skipped);
    put_run_list(sink, "flagged", tw_put_flagged, result, run->flagged);
    put_run_list(sink, "notes", put_note, result,
                 run->notes + (run->pairs > TWINSET_PAIRS_WITH_PASSAGES));
    put_run_number(sink, "candidates", run->candidates);
    put_run_number(sink, "verified", run->verified);
    tw_put_text(sink, "    \"expected_recall\": ");
    put_real(sink, run->expected_recall);
    tw_put_text(sink, "\n  }");
    return TWINSET_OK;
}

int tw_write_json(tw_sink *sink, const twinset_result *result, twinset_error *error)
{
    twinset_run run = result->run;
    tw_put(sink, "{\n", 2);
    int status = put_run(sink, result, &run);
    if (status != TWINSET_OK)
        return status;
    tw_put(sink, ",\n", 2);
    status = put_pairs(sink, result, run.pairs, error);
    tw_put(sink, ",\n", 2);
    put_list(sink, "  ", "clusters", put_cluster, result, run.clusters);
    tw_put(sink, "\n}\n", 3);
    return status;
}

void tw_write_jsonl(tw_sink *sink, const twinset_result *result)
{
    size_t pairs = result->run.pairs;
    for (size_t i = 0; i < pairs && sink->failure == 0; i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        put_object(sink, &pair, tw_field_count(result));
    }
}
