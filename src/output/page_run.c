/* The blocks of the page that stand before its script: all that is shown first. */
#include "page.h"

#include <math.h>
#include <stdio.h>

/* ---- the run */

static void write_background(tw_json *json, const tw_sampled_pairs *sample)
{
    if (!(sample->all > 0)) {
        tw_json_null(json, "background");
        return;
    }
    tw_json_object(json, "background", TW_JSON_INLINE);
    tw_json_real(json, "median", sample->median);
    tw_json_real(json, "upper", sample->upper);
    tw_json_real(json, "pairs", sample->all);
    tw_json_whole(json, "sampled", sample->count);
    tw_json_list(json, "bars", TW_JSON_INLINE);
    for (size_t i = 0; i < TW_SIMILARITY_BARS; i++)
        tw_json_whole(json, NULL, sample->bars[i]);
    tw_json_close(json);
    tw_json_close(json);
}

static const char *kind_of(const twinset_result *result)
{
    if (result->comparison.is_one)
        return "compare";
    return result->decisions.removed ? "dedup" : "scan";
}

static void write_run(tw_page *page)
{
    const twinset_result *result = page->result;
    const twinset_run *run = &result->run;
    char method[TW_OPTION_WORD_BYTES], few[128];
    tw_sink escaped;
    snprintf(few, sizeof few, "the first %s of %s pairs are on this page; `format` csv lists all",
             tw_number_count(run->pairs).text, tw_number_count(page->all_pairs).text);
    tw_json json = tw_page_begin_block(page, &escaped, "run");
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
    tw_json_notes(&json, result, run->pairs < page->all_pairs ? few : NULL);
    tw_json_whole(&json, "candidates", run->candidates);
    tw_json_whole(&json, "verified", run->verified);
    tw_json_real(&json, "expected_recall", run->expected_recall);
    tw_json_string(&json, "unit", tw_unit(&result->options));
    tw_json_bool(&json, "programs", result->options.by == TWINSET_BY_CODE);
    write_background(&json, &result->chance.sample);
    tw_json_whole(&json, "pairs", run->pairs);
    tw_json_whole(&json, "pairs_with_passages", page->pair_count);
    tw_json_bool(&json, "anonymised", page->options->anonymise);
    tw_json_bool(&json, "case", page->options->a != NULL);
    tw_json_whole(&json, "removed", run->removed);
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
}

/* ---- documents */

/* Writes the files of a document. */
static int write_files(tw_json *json, const tw_page *page, uint32_t document, twinset_error *error)
{
    const tw_text_store *kept = page->result->kept;
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
            tw_page_mask(page, shown.data, shown.length - 1);
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
static void write_origin(tw_json *json, const tw_page *page, uint32_t document)
{
    const tw_origin *origin = tw_result_origin(page->result, document);
    if (!origin)
        return;
    if (origin->author && page->options->anonymise)
        tw_json_whole(json, "author", tw_result_author_number(page->result, origin));
    else if (origin->author)
        tw_json_string(json, "author", origin->author);
    if (origin->label && !page->options->anonymise)
        tw_json_string(json, "label", origin->label);
    if (origin->time)
        tw_json_string(json, "time", origin->time);
    if (origin->is_old)
        tw_json_bool(json, "old", true);
}

static int write_documents(tw_page *page, twinset_error *error)
{
    int status = TWINSET_OK;
    tw_sink escaped;
    tw_json json = tw_page_begin_block(page, &escaped, "documents");
    tw_json_list(&json, NULL, TW_JSON_LINES);
    for (size_t i = 0; i < page->shown_count && status == TWINSET_OK; i++) {
        tw_json_object(&json, NULL, TW_JSON_INLINE);
        tw_json_string(&json, "name", page->result->names[page->shown[i].document]);
        tw_json_digest(&json, "digest", page->shown[i].digest);
        write_origin(&json, page, page->shown[i].document);
        status = write_files(&json, page, page->shown[i].document, error);
        tw_json_close(&json);
    }
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
    return status;
}

/* ---- pairs */

static void write_row(tw_json *json, tw_page *page, size_t index, size_t columns)
{
    twinset_pair pair = tw_result_pair_at(page->result, index);
    uint32_t documents[2];
    tw_result_pair_documents(page->result, index, documents);
    tw_json_list(json, NULL, TW_JSON_INLINE);
    tw_json_whole(json, NULL, tw_page_index(page, documents[0]));
    tw_json_whole(json, NULL, tw_page_index(page, documents[1]));
    for (size_t i = 2; i < columns; i++) {
        tw_pair_column column = tw_pair_columns[i];
        column.name = NULL;
        tw_json_pair_column(json, &column, &pair);
    }
    tw_json_close(json);
}

/* Writes a list of each pair's passages, with one figure of each; null where there are none. */
static void write_lists(tw_json *json, const tw_page *page, const char *key,
                        uint64_t (*figure)(const tw_shown_passage *))
{
    tw_json_list(json, key, TW_JSON_LINES);
    for (size_t i = 0; i < page->pair_count && page->sink->failure == 0; i++) {
        const tw_pair_block *block = &page->blocks[i];
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

static void write_pairs(tw_page *page)
{
    size_t pairs = page->result->run.pairs, columns = tw_count_pair_columns(page->result);
    tw_sink escaped;
    tw_json json = tw_page_begin_block(page, &escaped, "pairs");
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_list(&json, "columns", TW_JSON_INLINE);
    for (size_t i = 0; i < columns; i++)
        tw_json_string(&json, NULL, tw_pair_columns[i].name);
    tw_json_close(&json);
    tw_json_list(&json, "rows", TW_JSON_LINES);
    for (size_t i = 0; i < pairs && page->sink->failure == 0; i++)
        write_row(&json, page, i, columns);
    tw_json_close(&json);
    write_lists(&json, page, "lengths", tokens_of);
    write_lists(&json, page, "documents", documents_of);
    write_lists(&json, page, "listed", listed_of);
    write_lists(&json, page, "contexts", contexts_of);
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
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

static void write_cluster(tw_json *json, const tw_page *page, size_t index, const tw_point *points)
{
    const tw_clusters *clusters = &page->result->clusters;
    const tw_cluster *cluster = &clusters->data[index];
    tw_json_object(json, NULL, TW_JSON_INLINE);
    tw_json_whole(json, "id", index + 1);
    tw_json_list(json, "members", TW_JSON_INLINE);
    for (size_t i = 0; i < cluster->count; i++)
        tw_json_whole(json, NULL, tw_page_index(page, clusters->members[cluster->start + i]));
    tw_json_close(json);
    tw_json_whole(json, "representative", tw_page_index(page, cluster->representative));
    tw_json_real(json, "min_similarity", cluster->min_similarity);
    write_points(json, "x", points + cluster->start, cluster->count, false);
    write_points(json, "y", points + cluster->start, cluster->count, true);
    tw_json_close(json);
}

static int write_clusters(tw_page *page)
{
    tw_point *points;
    tw_sink escaped;
    int status = tw_page_points(page->result, &points);
    if (status != TWINSET_OK)
        return status;
    tw_json json = tw_page_begin_block(page, &escaped, "clusters");
    tw_json_list(&json, NULL, TW_JSON_LINES);
    for (size_t i = 0; i < page->result->clusters.count && page->sink->failure == 0; i++)
        write_cluster(&json, page, i, points);
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
    tw_free(points);
    return TWINSET_OK;
}

/* Writes the decisions that were made before. */
static void write_review(tw_page *page)
{
    tw_sink escaped;
    tw_page_begin_block(page, &escaped, "review");
    tw_put_text(&escaped, page->options->review);
    tw_page_end_block(page, &escaped);
}

int tw_page_run(tw_page *page, twinset_error *error)
{
    write_run(page);
    if (page->options->review && !page->options->anonymise) /* its notes may have names */
        write_review(page);
    int status = write_documents(page, error);
    if (status != TWINSET_OK)
        return status;
    write_pairs(page);
    if (!page->result->decisions.removed)
        return write_clusters(page);
    tw_page_removals(page);
    return tw_page_collection(page);
}
