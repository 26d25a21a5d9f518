/* The blocks of the report that stand before its script: all that the first page needs. */
#include "page.h"

#include <math.h>
#include <stdio.h>

/* ---- the run */

static void write_background(tw_json *json, const twinset_result *result)
{
    if (!(result->chance.pairs > 0)) {
        tw_json_null(json, "background");
        return;
    }
    tw_json_object(json, "background", TW_JSON_INLINE);
    tw_json_real(json, "median", result->chance.usual);
    tw_json_real(json, "pairs", result->chance.pairs);
    tw_json_whole(json, "sampled", result->chance.sampled);
    tw_json_list(json, "bars", TW_JSON_INLINE);
    for (size_t i = 0; i < TW_CHANCE_BARS; i++)
        tw_json_whole(json, NULL, result->chance.bars[i]);
    tw_json_close(json);
    tw_json_close(json);
}

static const char *kind_of(const twinset_result *result)
{
    if (result->comparison.is_one)
        return "compare";
    return result->decisions.removed ? "dedup" : "scan";
}

static void write_run(tw_report *report)
{
    const twinset_result *result = report->result;
    const twinset_run *run = &result->run;
    char method[TW_OPTION_WORD_BYTES], few[128];
    tw_sink escaped;
    snprintf(few, sizeof few, "the first %s of %s pairs are on this page; `format` csv lists all",
             tw_number_count(run->pairs).text, tw_number_count(report->all_pairs).text);
    tw_json json = tw_report_begin_block(report, &escaped, "run");
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_string(&json, "version", TWINSET_VERSION);
    tw_json_string(&json, "kind", kind_of(result));
    tw_json_options(&json, "parameters", &result->options);
    tw_json_string(&json, "method", tw_option_word("method", run->method, method));
    tw_json_whole(&json, "bands", run->bands);
    tw_json_whole(&json, "rows", run->rows);
    tw_json_whole(&json, "documents", run->documents);
    tw_json_whole(&json, "records", run->records);
    tw_json_skips(&json, result);
    tw_json_flagged(&json, result);
    tw_json_notes(&json, result, run->pairs < report->all_pairs ? few : NULL);
    tw_json_whole(&json, "candidates", run->candidates);
    tw_json_whole(&json, "verified", run->verified);
    tw_json_real(&json, "expected_recall", run->expected_recall);
    tw_json_string(&json, "unit", tw_unit(&result->options));
    tw_json_bool(&json, "programs", result->options.by == TWINSET_BY_CODE);
    write_background(&json, result);
    tw_json_whole(&json, "pairs", run->pairs);
    tw_json_whole(&json, "pairs_with_passages", report->pair_count);
    tw_json_bool(&json, "anonymised", report->page->anonymise);
    tw_json_bool(&json, "case", report->page->a != NULL);
    tw_json_whole(&json, "removed", run->removed);
    tw_json_close(&json);
    tw_report_end_block(report, &escaped);
}

/* ---- documents */

/* Writes the files of a document. */
static int write_files(tw_json *json, const tw_report *report, uint32_t document,
                       twinset_error *error)
{
    const tw_text_store *kept = report->result->kept;
    size_t count = tw_text_store_count(kept, document);
    int status = TWINSET_OK;
    tw_json_list(json, "files", TW_JSON_INLINE);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const char *name = NULL;
        tw_bytes text = {0}, shown = {0};
        status = tw_text_store_read(kept, document, i, &name, &text, error);
        if (status == TWINSET_OK && name)
            status = tw_bytes_append(&shown, name, strlen(name) + 1);
        if (status == TWINSET_OK && name)
            tw_report_mask(report, shown.data, shown.length - 1);
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_string(json, "name", shown.data);
        tw_json_whole(json, "bytes", text.length);
        tw_json_close(json);
        tw_bytes_free(&text);
        tw_bytes_free(&shown);
    }
    tw_json_close(json);
    return status;
}

/* Writes what a manifest and the roles of sources say of a document. Authors and labels may be
 * names, and are numbered where names are taken out. */
static void write_origin(tw_json *json, const tw_report *report, uint32_t document)
{
    const tw_origin *origin = tw_result_origin(report->result, document);
    if (!origin)
        return;
    if (origin->author && report->page->anonymise)
        tw_json_whole(json, "author", tw_result_author_number(report->result, origin));
    else if (origin->author)
        tw_json_string(json, "author", origin->author);
    if (origin->label && !report->page->anonymise)
        tw_json_string(json, "label", origin->label);
    if (origin->time)
        tw_json_string(json, "time", origin->time);
    if (origin->is_old)
        tw_json_bool(json, "old", true);
}

static int write_documents(tw_report *report, twinset_error *error)
{
    int status = TWINSET_OK;
    tw_sink escaped;
    tw_json json = tw_report_begin_block(report, &escaped, "documents");
    tw_json_list(&json, NULL, TW_JSON_LINES);
    for (size_t i = 0; i < report->shown_count && status == TWINSET_OK; i++) {
        tw_json_object(&json, NULL, TW_JSON_INLINE);
        tw_json_string(&json, "name", report->result->names[report->shown[i].document]);
        tw_json_digest(&json, "digest", report->shown[i].digest);
        write_origin(&json, report, report->shown[i].document);
        status = write_files(&json, report, report->shown[i].document, error);
        tw_json_close(&json);
    }
    tw_json_close(&json);
    tw_report_end_block(report, &escaped);
    return status;
}

/* ---- pairs */

static void write_row(tw_json *json, tw_report *report, size_t index, size_t columns)
{
    twinset_pair pair = tw_result_pair_at(report->result, index);
    uint32_t documents[2];
    tw_result_pair_documents(report->result, index, documents);
    tw_json_list(json, NULL, TW_JSON_INLINE);
    tw_json_whole(json, NULL, tw_report_index(report, documents[0]));
    tw_json_whole(json, NULL, tw_report_index(report, documents[1]));
    for (size_t i = 2; i < columns; i++) {
        tw_pair_column column = tw_pair_columns[i];
        column.name = NULL;
        tw_json_pair_column(json, &column, &pair);
    }
    tw_json_close(json);
}

/* Writes a list of each pair's passages, with one figure of each; null where there are none. */
static void write_lists(tw_json *json, const tw_report *report, const char *key,
                        uint64_t (*figure)(const tw_shown_passage *))
{
    tw_json_list(json, key, TW_JSON_LINES);
    for (size_t i = 0; i < report->pair_count && report->sink->failure == 0; i++) {
        const tw_pair_block *block = &report->blocks[i];
        tw_json_list(json, NULL, TW_JSON_INLINE);
        for (size_t p = 0; p < block->count; p++)
            tw_json_whole(json, NULL, figure(&block->list[p]));
        tw_json_close(json);
    }
    tw_json_close(json);
}

static uint64_t tokens_of(const tw_shown_passage *passage)
{
    return passage->tokens;
}

static uint64_t documents_of(const tw_shown_passage *passage)
{
    return passage->documents;
}

static uint64_t listed_of(const tw_shown_passage *passage)
{
    return passage->listed;
}

static uint64_t contexts_of(const tw_shown_passage *passage)
{
    return passage->contexts;
}

static void write_pairs(tw_report *report)
{
    size_t pairs = report->result->run.pairs, columns = tw_count_pair_columns(report->result);
    tw_sink escaped;
    tw_json json = tw_report_begin_block(report, &escaped, "pairs");
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_list(&json, "columns", TW_JSON_INLINE);
    for (size_t i = 0; i < columns; i++)
        tw_json_string(&json, NULL, tw_pair_columns[i].name);
    tw_json_close(&json);
    tw_json_list(&json, "rows", TW_JSON_LINES);
    for (size_t i = 0; i < pairs && report->sink->failure == 0; i++)
        write_row(&json, report, i, columns);
    tw_json_close(&json);
    write_lists(&json, report, "lengths", tokens_of);
    write_lists(&json, report, "documents", documents_of);
    write_lists(&json, report, "listed", listed_of);
    write_lists(&json, report, "contexts", contexts_of);
    tw_json_close(&json);
    tw_report_end_block(report, &escaped);
}

/* ---- clusters */

static void write_points(tw_json *json, const char *key, const tw_point *points, size_t count,
                         bool is_y)
{
    tw_json_list(json, key, TW_JSON_INLINE);
    for (size_t i = 0; i < count; i++)
        tw_json_real(json, NULL, round((double)(is_y ? points[i].y : points[i].x) * 100) / 100);
    tw_json_close(json);
}

static void write_cluster(tw_json *json, const tw_report *report, size_t index,
                          const tw_point *points)
{
    const tw_clusters *clusters = &report->result->clusters;
    const tw_cluster *cluster = &clusters->data[index];
    tw_json_object(json, NULL, TW_JSON_INLINE);
    tw_json_whole(json, "id", index + 1);
    tw_json_list(json, "members", TW_JSON_INLINE);
    for (size_t i = 0; i < cluster->count; i++)
        tw_json_whole(json, NULL, tw_report_index(report, clusters->members[cluster->start + i]));
    tw_json_close(json);
    tw_json_whole(json, "representative", tw_report_index(report, cluster->representative));
    tw_json_real(json, "min_similarity", cluster->min_similarity);
    write_points(json, "x", points + cluster->start, cluster->count, false);
    write_points(json, "y", points + cluster->start, cluster->count, true);
    tw_json_close(json);
}

static int write_clusters(tw_report *report)
{
    tw_point *points;
    tw_sink escaped;
    int status = tw_report_points(report->result, &points);
    if (status != TWINSET_OK)
        return status;
    tw_json json = tw_report_begin_block(report, &escaped, "clusters");
    tw_json_list(&json, NULL, TW_JSON_LINES);
    for (size_t i = 0; i < report->result->clusters.count && report->sink->failure == 0; i++)
        write_cluster(&json, report, i, points);
    tw_json_close(&json);
    tw_report_end_block(report, &escaped);
    tw_free(points);
    return TWINSET_OK;
}

/* Writes the decisions that were made before. */
static void write_review(tw_report *report)
{
    tw_sink escaped;
    tw_report_begin_block(report, &escaped, "review");
    tw_put_text(&escaped, report->page->review);
    tw_report_end_block(report, &escaped);
}

int tw_report_run(tw_report *report, twinset_error *error)
{
    write_run(report);
    if (report->page->review && !report->page->anonymise) /* its notes may have names */
        write_review(report);
    int status = write_documents(report, error);
    if (status != TWINSET_OK)
        return status;
    write_pairs(report);
    if (!report->result->decisions.removed)
        return write_clusters(report);
    tw_report_removals(report);
    return tw_report_collection(report);
}
