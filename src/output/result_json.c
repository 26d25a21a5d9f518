/*
 * Results as JSON: one object with all of it, or an object a line for the pairs alone.
 * The object is laid out so that a person may look at it and a line-based tool at its pairs.
 */
#include "passages_text.h"

tw_write_fn tw_write_json, tw_write_jsonl;
tw_write_pair_fn tw_write_jsonl_pair;

/* ---- pairs */

/* Writes the passages of a pair, for as many pairs as a person may look at. */
static int write_passages(tw_json *json, const twinset_result *result, size_t index,
                          twinset_error *error)
{
    const twinset_passages *shown = result->comparison.passages;
    twinset_passages *found = NULL;
    int status = TWINSET_OK;
    if (index < TWINSET_PAIRS_WITH_PASSAGES && !result->comparison.is_one)
        status = tw_result_find_passages(result, index, &found, error);
    shown = found ? found : shown;
    if (shown)
        tw_json_passages(json, "passages", shown);
    else
        tw_json_null(json, "passages");
    if (shown && shown->rare.count)
        tw_json_rare_words(json, "only_both", shown);
    twinset_passages_free(found);
    return status;
}

/* Writes the columns of a pair. With `lists_passages` their list follows, in place of their
 * number. */
static void write_columns(tw_json *json, const twinset_pair *pair, size_t count,
                          bool lists_passages)
{
    for (const tw_pair_column *column = tw_pair_columns; column < tw_pair_columns + count; column++)
        if (!lists_passages || column->offset != offsetof(twinset_pair, passages))
            tw_json_pair_column(json, column, pair);
}

static void write_pair_line(tw_sink *sink, const twinset_pair *pair, size_t columns)
{
    tw_json json = tw_json_new(sink);
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    write_columns(&json, pair, columns, false);
    tw_json_close(&json);
    tw_json_end_line(&json);
}

void tw_write_jsonl_pair(tw_sink *sink, const twinset_pair *pair)
{
    if (pair)
        write_pair_line(sink, pair, TW_COLUMNS_OF_TEXT);
}

static int write_pairs(tw_json *json, const twinset_result *result, twinset_error *error)
{
    int status = TWINSET_OK;
    tw_json_list(json, "pairs", TW_JSON_LINES);
    for (size_t i = 0; i < result->run.pairs && json->sink->failure == 0 && status == TWINSET_OK;
         i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        tw_json_object(json, NULL, TW_JSON_INLINE);
        write_columns(json, &pair, tw_count_pair_columns(result), true);
        status = write_passages(json, result, i, error);
        tw_json_close(json);
    }
    tw_json_close(json);
    return status;
}

/* ---- clusters */

static void write_cluster(tw_json *json, const twinset_result *result, size_t index)
{
    twinset_cluster cluster = tw_result_cluster_at(result, index);
    const tw_cluster *documents = &result->clusters.data[index];
    const uint32_t *members = result->clusters.members + documents->start;
    tw_json_object(json, NULL, TW_JSON_INLINE);
    tw_json_whole(json, "id", cluster.id);
    tw_json_whole(json, "size", cluster.size);
    tw_json_list(json, "members", TW_JSON_INLINE);
    for (size_t i = 0; i < cluster.size; i++)
        tw_json_name(json, NULL, tw_result_name(result, members[i]),
                     tw_result_name_is_number(result, members[i]));
    tw_json_close(json);
    tw_json_name(json, "representative", cluster.representative,
                 tw_result_name_is_number(result, documents->representative));
    tw_json_real(json, "min_similarity", cluster.min_similarity);
    tw_json_close(json);
}

static void write_clusters(tw_json *json, const twinset_result *result)
{
    tw_json_list(json, "clusters", TW_JSON_LINES);
    for (size_t i = 0; i < result->run.clusters && json->sink->failure == 0; i++)
        write_cluster(json, result, i);
    tw_json_close(json);
}

/* ---- the run, and what it says of documents */

void tw_json_skips(tw_json *json, const twinset_result *result)
{
    tw_json_list(json, "skipped", TW_JSON_LINES);
    for (size_t i = 0; i < result->run.skipped && json->sink->failure == 0; i++) {
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_string(json, "path", result->skips[i].path);
        tw_json_sentence(json, "reason", result->skips[i].reason);
        tw_json_close(json);
    }
    tw_json_close(json);
}

static void write_flags(tw_json *json, unsigned flags)
{
    static const char *const names[] = {
        "invalid-utf8", "hidden-characters", "homoglyphs", "hidden-text", "encoding-guessed",
        "unparsed",     "mostly-quoted",     "lexed",      "controls",    "undivided"};
    tw_json_list(json, "flags", TW_JSON_INLINE);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags >> i & 1)
            tw_json_string(json, NULL, names[i]);
    tw_json_close(json);
}

void tw_json_flagged(tw_json *json, const twinset_result *result)
{
    tw_json_list(json, "flagged", TW_JSON_LINES);
    for (size_t i = 0; i < result->run.flagged && json->sink->failure == 0; i++) {
        const twinset_flagged_document *flagged = &result->flagged[i];
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_string(json, "path", flagged->path);
        write_flags(json, flagged->flags);
        if (flagged->encoding)
            tw_json_string(json, "encoding", flagged->encoding);
        tw_json_close(json);
    }
    tw_json_close(json);
}

void tw_json_notes(tw_json *json, const twinset_result *result, const char *more)
{
    tw_json_list(json, "notes", TW_JSON_LINES);
    for (size_t i = 0; i < result->run.notes; i++)
        tw_json_sentence(json, NULL, result->notes[i]);
    if (more)
        tw_json_string(json, NULL, more);
    tw_json_close(json);
}

static void write_run(tw_json *json, const twinset_result *result)
{
    const twinset_run *run = &result->run;
    char method[TW_OPTION_WORD_BYTES];
    bool is_cut = run->pairs > TWINSET_PAIRS_WITH_PASSAGES;
    tw_json_object(json, "run", TW_JSON_LINES);
    tw_json_string(json, "version", TWINSET_VERSION);
    tw_json_options(json, "parameters", &result->options);
    tw_json_string(json, "method", tw_option_word("method", run->method, method));
    tw_json_whole(json, "bands", run->bands);
    tw_json_whole(json, "rows", run->rows);
    tw_json_whole(json, "documents", run->documents);
    tw_json_skips(json, result);
    tw_json_flagged(json, result);
    tw_json_notes(json, result, is_cut ? "only the first 10,000 pairs have passages here" : NULL);
    tw_json_whole(json, "pairs", run->found_pairs);
    tw_json_whole(json, "candidates", run->candidates);
    tw_json_whole(json, "verified", run->verified);
    tw_json_real(json, "expected_recall", run->expected_recall);
    tw_json_close(json);
}

/* ---- the whole */

int tw_write_json(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                  twinset_error *error)
{
    (void)style;
    tw_json json = tw_json_new(sink);
    tw_json_object(&json, NULL, TW_JSON_LINES);
    write_run(&json, result);
    int status = write_pairs(&json, result, error);
    write_clusters(&json, result);
    tw_json_close(&json);
    tw_json_end_line(&json);
    return status;
}

int tw_write_jsonl(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                   twinset_error *error)
{
    (void)style, (void)error;
    size_t pairs = result->run.pairs;
    for (size_t i = 0; i < pairs && sink->failure == 0; i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        write_pair_line(sink, &pair, tw_count_pair_columns(result));
    }
    return TWINSET_OK;
}
