/*
 * Removes documents: their rows, and their postings from the chunks that have them, so that nothing
 * waits for a later merge. SQLite overwrites what it frees; the log is emptied afterwards.
 */
#include "store.h"

#include <stdlib.h>

typedef struct removal {
    tw_index *index;
    tw_postings postings; /* to be removed, ascending */
    tw_postings chunk;    /* of the chunk in work */
    tw_bytes bytes;
    tw_posting_chunk builder;
    uint64_t removed; /* postings, without those that a merge has moved already */
    bool by_document; /* remove all postings of the documents, wherever they are */
    const uint64_t *numbers;
    size_t count;
    twinset_error *error;
} removal;

static int by_term(const void *left, const void *right)
{
    const tw_posting *x = left, *y = right;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

static int by_number(const void *left, const void *right)
{
    uint64_t x = *(const uint64_t *)left, y = *(const uint64_t *)right;
    return x < y ? -1 : x > y;
}

static bool is_removed(const removal *job, const tw_posting *posting)
{
    if (job->by_document)
        return bsearch(&posting->document, job->numbers, job->count, sizeof *job->numbers,
                       by_number) != NULL;
    return bsearch(posting, job->postings.data, job->postings.count, sizeof *posting, by_term) !=
           NULL;
}

/* Whether a posting to be removed may lie from one term to another, both included. */
static bool concerns(const removal *job, tw_term from, tw_term to)
{
    size_t low = 0, high = job->postings.count;
    if (job->by_document)
        return true;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (job->postings.data[middle].term < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < job->postings.count && job->postings.data[low].term <= to;
}

/* Writes a chunk without the postings that go. */
static int rewrite_chunk(removal *job, const tw_run *run, tw_segment *segment,
                         tw_segment_head *head, uint32_t chunk)
{
    tw_postings *kept = &job->chunk;
    uint32_t left = 0;
    int status;
    kept->count = 0;
    status = tw_segment_chunk(job->index, segment, chunk, kept, job->error);
    for (size_t i = 0; i < kept->count && status == TWINSET_OK; i++) {
        if (is_removed(job, &kept->data[i]))
            job->removed += kept->data[i].term >= run->from;
        else
            kept->data[left++] = kept->data[i];
    }
    if (status != TWINSET_OK || left == kept->count)
        return status;
    job->builder.base = left ? UINT64_MAX : 0; /* the lowest document, so that no chunk grows */
    for (uint32_t i = 0; i < left; i++)
        if (kept->data[i].document < job->builder.base)
            job->builder.base = kept->data[i].document;
    bool fits = tw_posting_chunk_fill(&job->builder, kept->data, left, &status) == left;
    if (status == TWINSET_OK && !fits)
        status = tw_store_damaged(job->index, job->error, "chunk %u of segment %llu is too long",
                                  chunk, (unsigned long long)segment->id);
    uint64_t id = tw_posting_chunk_id(segment->id, chunk);
    if (status == TWINSET_OK)
        status = tw_posting_chunk_end(&job->builder, id, &job->bytes);
    if (status == TWINSET_OK)
        status = tw_store_put(job->index, TW_SQL_PUT_CHUNK, id, &job->bytes, job->error);
    segment->postings -= kept->count - left;
    head->counts[chunk] = left;
    return status;
}

static int purge_segment(removal *job, const tw_run *run, tw_segment *segment)
{
    tw_segment_head *head;
    uint64_t before = segment->postings;
    int status = tw_segment_head_get(job->index, segment, &head, job->error);
    for (uint32_t i = 0; status == TWINSET_OK && i < head->chunk_count; i++) {
        tw_term end = i + 1 < head->chunk_count ? head->first[i + 1] : UINT64_MAX;
        if (concerns(job, head->first[i], end))
            status = rewrite_chunk(job, run, segment, head, i);
    }
    if (status != TWINSET_OK || segment->postings == before)
        return status;
    if (segment->postings == 0)
        return tw_segment_drop(job->index, segment, job->error);
    head->revision = ++segment->revision;
    return tw_segment_head_put(job->index, head, job->error);
}

static int purge_run(removal *job, tw_run *run)
{
    size_t kept = 0;
    int status = TWINSET_OK;
    for (size_t i = 0; i < run->count && status == TWINSET_OK; i++) {
        tw_term end = i + 1 < run->count ? run->segments[i + 1].first : UINT64_MAX;
        if (concerns(job, run->segments[i].first, end))
            status = purge_segment(job, run, &run->segments[i]);
        if (run->segments[i].postings)
            run->segments[kept++] = run->segments[i];
    }
    if (status == TWINSET_OK)
        run->count = kept;
    return status;
}

static int purge_all(removal *job)
{
    tw_manifest *manifest = &job->index->manifest;
    int status = TWINSET_OK;
    job->removed = 0;
    for (size_t i = 0; i < manifest->run_count && status == TWINSET_OK; i++)
        status = purge_run(job, &manifest->runs[i]);
    return status;
}

/* Lists the fingerprints of the document whose text was unpacked last. */
static int list_fingerprints(removal *job, uint64_t number)
{
    const tw_bytes *text = &job->index->text;
    const tw_u64s *terms;
    int status = tw_index_fingerprints(job->index, text->data, text->length, &terms, job->error);
    for (size_t i = 0; status == TWINSET_OK && i < terms->count; i++)
        status = tw_postings_add(&job->postings, (tw_posting){terms->data[i], number});
    return status;
}

/* Lists the postings of a document, and removes its row. */
static int remove_record(removal *job, uint64_t number)
{
    tw_index *index = job->index;
    tw_term terms[TW_INDEX_MOST_BANDS + 1];
    tw_stored_document record;
    int status = tw_read_document(index, number, &record, job->error);
    if (status == TWINSET_EMPTY)
        return tw_store_damaged(index, job->error, "document number %llu is lost",
                                (unsigned long long)number);
    if (status == TWINSET_OK)
        status = tw_record_terms(index, &record, terms, job->error);
    for (unsigned i = 0; i <= index->manifest.bands && status == TWINSET_OK; i++)
        status = tw_postings_add(&job->postings, (tw_posting){terms[i], number});
    if (status == TWINSET_OK)
        status = list_fingerprints(job, number);
    if (status == TWINSET_OK)
        status = tw_store_drop(index, TW_SQL_DROP_DOCUMENT, number, number, job->error);
    index->manifest.documents--;
    index->manifest.tokens -= record.tokens;
    index->manifest.text_bytes -= record.text_length;
    return status;
}

/* Removes the postings. Should a text give other keys than it gave when it was added, every chunk
 * is looked through. */
static int remove_postings(removal *job)
{
    if (job->postings.count)
        qsort(job->postings.data, job->postings.count, sizeof *job->postings.data, by_term);
    int status = purge_all(job);
    if (status == TWINSET_OK && job->removed != job->postings.count) {
        job->by_document = true;
        status = purge_all(job);
    }
    return status;
}

/* Removes documents by number in the transaction in progress; ascending, each once. */
static int remove_numbers(tw_index *index, const uint64_t *numbers, size_t count,
                          twinset_error *error)
{
    removal job = {.index = index, .numbers = numbers, .count = count, .error = error};
    int status = tw_cluster_leave(index, numbers, count, error);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = remove_record(&job, numbers[i]);
    if (status == TWINSET_OK)
        status = remove_postings(&job);
    if (status == TWINSET_OK)
        tw_manifest_drop_empty(&index->manifest);
    tw_free(job.postings.data);
    tw_free(job.chunk.data);
    tw_bytes_free(&job.bytes);
    tw_bytes_free(&job.builder.bytes);
    return tw_complete_error(error, status);
}

/* ---- by id, by pattern, by group */

/* Sorts the numbers, removes the documents and ends the transaction. */
static int finish(tw_index *index, tw_u64s *numbers, twinset_index_counts *counts, int status,
                  twinset_error *error)
{
    uint64_t *scratch = tw_array(numbers->count, sizeof *scratch);
    if (status == TWINSET_OK && !scratch)
        status = tw_nomem(error);
    if (status == TWINSET_OK)
        numbers->count = tw_sort_unique_u64(numbers->data, numbers->count, scratch);
    bool is_changed = status == TWINSET_OK && numbers->count > 0;
    if (is_changed)
        status = remove_numbers(index, numbers->data, numbers->count, error);
    else
        index->is_writing = false;
    status = tw_store_end(index, status, error);
    if (status == TWINSET_OK && is_changed) {
        counts->removed += numbers->count;
        tw_store_checkpoint(index, true);
    }
    tw_free(scratch);
    tw_free(numbers->data);
    return status;
}

int tw_index_remove(tw_index *index, const char *const *ids, size_t count,
                    twinset_index_counts *counts, twinset_error *error)
{
    tw_u64s numbers = {0};
    tw_stored_document record;
    uint64_t number, unknown = 0;
    int status = tw_store_begin(index, true, error);
    if (status != TWINSET_OK)
        return status;
    if (TW_GROW(numbers.data, numbers.capacity, count + 1) != TWINSET_OK)
        status = tw_nomem(error);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        status = tw_find_id(index, ids[i], &number, &record, error);
        if (status == TWINSET_OK && number)
            numbers.data[numbers.count++] = number;
        unknown += status == TWINSET_OK && !number;
    }
    status = finish(index, &numbers, counts, status, error);
    if (status == TWINSET_OK)
        counts->unknown += unknown;
    return status;
}

typedef struct filter {
    const char *pattern;
    uint64_t group; /* 0: any */
    tw_u64s numbers;
} filter;

static int filter_record(tw_index *index, const tw_stored_document *record, void *context,
                         twinset_error *error)
{
    filter *wanted = context;
    (void)index;
    if (!tw_id_matches(wanted->pattern, record->id) ||
        (wanted->group && wanted->group != record->group))
        return TWINSET_OK;
    tw_u64s *numbers = &wanted->numbers;
    if (TW_GROW(numbers->data, numbers->capacity, numbers->count + 1) != TWINSET_OK)
        return tw_nomem(error);
    numbers->data[numbers->count++] = record->number;
    return TWINSET_OK;
}

int tw_index_remove_matching(tw_index *index, const char *pattern, const char *group,
                             twinset_index_counts *counts, twinset_error *error)
{
    filter wanted = {.pattern = pattern,
                     .group = group ? tw_group_of_name(group, strlen(group)) : 0};
    int status = tw_store_begin(index, true, error);
    if (status != TWINSET_OK)
        return status;
    status = tw_each_document(index, filter_record, &wanted, error);
    sqlite3_reset(index->statements[TW_SQL_EACH_DOCUMENT]);
    return finish(index, &wanted.numbers, counts, status, error);
}
