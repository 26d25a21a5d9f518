/* Finds the shingles that are excluded from all documents: those of templates, common ones, and
 * those across an omitted span. */
#include "reading.h"

#include <math.h>

/* Makes a list of ids, in any order, the set of excluded ids, and takes ownership of it. */
static int set_excluded(tw_corpus *corpus, tw_u64s *ids)
{
    tw_u64s scratch = {0};
    int status = tw_make_set(ids, &scratch, false, (tw_set){0});
    tw_free(scratch.data);
    tw_free(corpus->excluded_ids);
    corpus->excluded_ids = ids->data;
    corpus->excluded = (tw_set){ids->data, ids->count};
    return status;
}

/* ---- templates of records */

typedef struct template_visit {
    tw_corpus *corpus;
    const tw_source *source;
    tw_template_fn take;
    void *context;
    bool is_reporting; /* list lines that are not records as skipped */
    uint64_t number;   /* of the line, from 1 */
} template_visit;

static int skip_line(const template_visit *visit, const char *reason)
{
    tw_corpus *corpus = visit->corpus;
    tw_skipped_input skip = {.reason = reason, .source = TW_NO_SOURCE};
    if (!visit->is_reporting)
        return TWINSET_OK;
    int status = tw_arena_line_name(corpus->arena, visit->source->name, visit->number, &skip.path);
    return status == TWINSET_OK ? tw_corpus_skip(corpus, &skip) : status;
}

static int visit_line(const template_visit *visit, const char *line, size_t length)
{
    tw_worker *worker = &visit->corpus->workers[0];
    tw_record record;
    if (tw_line_is_blank(line, length))
        return TWINSET_OK;
    int status = tw_jsonl_record(worker->records, line, length, &record);
    if (status != TWINSET_OK)
        return status;
    if (record.reason)
        return skip_line(visit, record.reason);
    return visit->take(visit->context, worker, record.text, record.text_length);
}

static int visit_batch(template_visit *visit, const tw_line_batch *batch)
{
    const tw_bytes *bytes = &batch->bytes;
    int status = TWINSET_OK;
    for (size_t offset = 0; offset < bytes->length && status == TWINSET_OK; visit->number++) {
        const char *line = bytes->data + offset;
        const char *newline = memchr(line, '\n', bytes->length - offset);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - offset;
        status = visit_line(visit, line, length);
        offset += length + (newline != NULL);
    }
    if (status == TWINSET_OK && batch->dropped)
        status = skip_line(visit, "the line is too long; raise `memory`");
    visit->number += batch->dropped > 0;
    return status;
}

/* Passes the text of each record of a template to `take`. */
static int visit_records(template_visit *visit, const char **reason)
{
    uint64_t limit = tw_size_limit(visit->corpus->settings);
    tw_lines lines;
    tw_line_batch batch = {0};
    int status = tw_lines_open(visit->source->path, limit, &lines, reason);
    if (status != TWINSET_OK)
        return status;
    do {
        status = tw_lines_next(&lines, 1 << 20, &batch, reason);
        if (status == TWINSET_OK)
            status = visit_batch(visit, &batch);
    } while (status == TWINSET_OK && (batch.bytes.length || batch.dropped));
    tw_bytes_free(&batch.bytes);
    tw_lines_close(&lines);
    return status;
}

static bool is_template(const tw_corpus *corpus, size_t source)
{
    return tw_source_at(corpus->sources, source)->role == TWINSET_ROLE_IGNORE &&
           !corpus->states[source].is_repeated;
}

/* ---- the texts of templates */

static int visit_template(tw_corpus *corpus, uint32_t index, tw_template_fn take, void *context)
{
    const tw_source *source = tw_source_at(corpus->sources, index);
    template_visit visit = {.corpus = corpus, .source = source, .take = take, .context = context};
    tw_worker *worker = &corpus->workers[0];
    tw_source_text text = {0};
    const char *reason = tw_source_reason(source);
    bool is_lines = corpus->states[index].kind == TW_INPUT_JSONL;
    if (reason || (is_lines && !source->is_regular) ||
        (!is_lines && tw_source_is_large(corpus, source)))
        return TWINSET_OK;
    if (is_lines)
        return visit_records(&visit, &reason);
    int status = tw_source_read_text(worker, index, &text, &reason);
    return status == TWINSET_OK ? take(context, worker, text.text, text.length) : status;
}

int tw_corpus_visit_templates(tw_corpus *corpus, tw_template_fn take, void *context)
{
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < corpus->sources->count && status == TWINSET_OK; i++) {
        if (is_template(corpus, i))
            status = visit_template(corpus, i, take, context);
        status = status == TWINSET_IO ? TWINSET_OK : status;
    }
    return status;
}

/* ---- the shingles of templates */

/* The ids of templates, as they are gathered. */
typedef struct template_ids {
    tw_u64s ids;
    size_t most; /* that fit into memory beside all else that a run holds */
} template_ids;

enum { TEMPLATES_SHARE = 4 }; /* of memory */

static int append_template_ids(void *context, const tw_shingles *batch)
{
    template_ids *found = context;
    int status = tw_append_ids(&found->ids, batch);
    return status == TWINSET_OK && found->ids.count > found->most ? TWINSET_NOMEM : status;
}

static int shingle_text(void *context, tw_worker *worker, const char *text, size_t length)
{
    tw_text_summary summary;
    return tw_analyse_text(&worker->analyser, "", text, length, 0, append_template_ids, context,
                           &summary);
}

static int shingle_template(tw_corpus *corpus, uint32_t index, template_ids *found)
{
    const tw_source *source = tw_source_at(corpus->sources, index);
    template_visit visit = {corpus, source, shingle_text, found, true, 1};
    tw_text_summary summary = {0};
    const char *reason = tw_source_reason(source);
    bool is_empty = !source->path && !source->text;
    bool is_lines = corpus->states[index].kind == TW_INPUT_JSONL;
    size_t before = found->ids.count;
    int status = TWINSET_IO;
    if (!reason && is_lines)
        status = visit_records(&visit, &reason);
    else if (!reason)
        status = tw_source_shingle(&corpus->workers[0], index, append_template_ids, found, &summary,
                                   &reason);
    if (status == TWINSET_OK && !is_lines && found->ids.count == before) {
        reason = TW_EMPTY_TEXT;
        is_empty = true;
    } else if (status != TWINSET_IO) {
        return status;
    }
    return tw_corpus_skip(
        corpus, &(tw_skipped_input){
                    .path = source->name, .reason = reason, .source = index, .is_empty = is_empty});
}

/* Adds the id that all shingles across an omitted span have. */
static int add_seam(tw_u64s *ids)
{
    int status = TW_GROW(ids->data, ids->capacity, 1);
    if (status == TWINSET_OK)
        ids->data[ids->count++] = TW_SEAM_ID;
    return status;
}

/* Says how much memory templates need that do not fit; the bytes of plain text are as many as its
 * shingles. */
static int refuse_templates(const tw_corpus *corpus, twinset_error *error)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < corpus->sources->count; i++)
        bytes += is_template(corpus, i) ? tw_source_at(corpus->sources, i)->size_bytes : 0;
    return tw_fail(error, TWINSET_NOMEM,
                   "the shingles of the templates do not fit into `memory` %lluM; they need about "
                   "%lluM",
                   (unsigned long long)(corpus->settings->options.memory_bytes >> 20),
                   (unsigned long long)(bytes * sizeof(uint64_t) * TEMPLATES_SHARE >> 20) + 17);
}

int tw_exclude_templates(tw_corpus *corpus, twinset_error *error)
{
    enum { LEAST_IDS = 1 << 20 }; /* a quarter of the least memory */
    uint64_t most = tw_memory_share(&corpus->settings->options, TEMPLATES_SHARE) / sizeof(uint64_t);
    template_ids found = {.most = most > LEAST_IDS ? (size_t)most : LEAST_IDS};
    int status = TWINSET_OK;
    if (tw_options_omit_text(&corpus->settings->options))
        status = add_seam(&found.ids);
    for (uint32_t i = 0; i < corpus->sources->count && status == TWINSET_OK; i++)
        if (is_template(corpus, i))
            status = shingle_template(corpus, i, &found);
    if (status == TWINSET_OK)
        return set_excluded(corpus, &found.ids);
    if (status == TWINSET_NOMEM && found.ids.count > found.most)
        status = refuse_templates(corpus, error);
    tw_free(found.ids.data);
    return status;
}

/* ---- common shingles */

/* Two passes over the sets find the common shingles without a table of all shingles. The first
 * counts shingles by some bits of their ids, which never gives too low a count; the second collects
 * those over the limit, and counts them exactly. */
enum { COUNTERS = 1 << 22 };

typedef struct common_search {
    tw_corpus *corpus;
    atomic_uint *counters;
    double limit;
    tw_u64s *found; /* by worker */
} common_search;

static int count_document(void *context, unsigned worker, size_t index)
{
    common_search *search = context;
    tw_set set = {0};
    int status = tw_document_set(&search->corpus->workers[worker], 0, (uint32_t)index, &set);
    for (size_t i = 0; i < set.count && status == TWINSET_OK; i++)
        atomic_fetch_add_explicit(&search->counters[set.ids[i] % COUNTERS], 1,
                                  memory_order_relaxed);
    return status;
}

static int collect_document(void *context, unsigned worker, size_t index)
{
    common_search *search = context;
    tw_u64s *found = &search->found[worker];
    tw_set set = {0};
    int status = tw_document_set(&search->corpus->workers[worker], 0, (uint32_t)index, &set);
    if (status == TWINSET_OK)
        status = TW_GROW(found->data, found->capacity, found->count + set.count);
    for (size_t i = 0; i < set.count && status == TWINSET_OK; i++)
        if (atomic_load_explicit(&search->counters[set.ids[i] % COUNTERS], memory_order_relaxed) >
            search->limit)
            found->data[found->count++] = set.ids[i];
    return status;
}

/* Appends the ids that all workers found. */
static int join_found(const common_search *search, tw_u64s *ids)
{
    int status = TWINSET_OK;
    unsigned threads = search->corpus->settings->options.threads;
    for (unsigned i = 0; i < threads && status == TWINSET_OK; i++) {
        const tw_u64s *found = &search->found[i];
        status = TW_GROW(ids->data, ids->capacity, ids->count + found->count);
        if (status == TWINSET_OK && found->count)
            memcpy(ids->data + ids->count, found->data, found->count * sizeof *ids->data);
        ids->count += status == TWINSET_OK ? found->count : 0;
    }
    return status;
}

/* Keeps the ids that occur more often than the limit, each once. */
static int keep_common(tw_u64s *ids, double limit)
{
    uint64_t *scratch = tw_array(ids->count, sizeof *scratch);
    if (!scratch)
        return TWINSET_NOMEM;
    tw_sort_u64(ids->data, ids->count, scratch);
    tw_free(scratch);
    size_t kept = 0;
    for (size_t i = 0, end; i < ids->count; i = end) {
        for (end = i + 1; end < ids->count && ids->data[end] == ids->data[i];)
            end++;
        if ((double)(end - i) > limit)
            ids->data[kept++] = ids->data[i];
    }
    ids->count = kept;
    return TWINSET_OK;
}

/* Excludes the common ids, in addition to those that are excluded already. */
static int exclude_found(const common_search *search)
{
    tw_set excluded = search->corpus->excluded;
    tw_u64s ids = {0};
    int status = join_found(search, &ids);
    if (status == TWINSET_OK)
        status = keep_common(&ids, search->limit);
    if (status == TWINSET_OK)
        status = TW_GROW(ids.data, ids.capacity, ids.count + excluded.count);
    if (status != TWINSET_OK) {
        tw_free(ids.data);
        return status;
    }
    if (excluded.count)
        memcpy(ids.data + ids.count, excluded.ids, excluded.count * sizeof *ids.data);
    ids.count += excluded.count;
    return set_excluded(search->corpus, &ids);
}

/* The default share does not apply to a few documents, which may all be copies of each other. */
bool tw_excludes_common(const tw_corpus *corpus)
{
    enum { FEW = 20 };
    return corpus->settings->options.common < 1 &&
           (corpus->settings->given.common != TWINSET_AUTO || corpus->documents.count >= FEW);
}

static int search_common(common_search *search, twinset_error *error)
{
    tw_corpus *corpus = search->corpus;
    tw_loop loop = tw_settings_loop(corpus->settings, "counting");
    int status = tw_corpus_fetch_all(corpus, error);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->documents.count, count_document, search);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->documents.count, collect_document, search);
    return status == TWINSET_OK ? exclude_found(search) : status;
}

int tw_exclude_common(tw_corpus *corpus, twinset_error *error)
{
    const twinset_options *options = &corpus->settings->options;
    common_search search = {
        .corpus = corpus,
        .counters = tw_calloc(COUNTERS, sizeof *search.counters),
        .limit = floor(options->common * (double)corpus->documents.count + 1e-6),
        .found = tw_calloc(options->threads, sizeof *search.found),
    };
    int status = search.counters && search.found ? search_common(&search, error) : TWINSET_NOMEM;
    tw_corpus_forget_sets(corpus);
    for (unsigned i = 0; search.found && i < options->threads; i++)
        tw_free(search.found[i].data);
    tw_free(search.found);
    tw_free(search.counters);
    return status;
}
