/*
 * Finds matches by band keys: documents that share a key are candidates, and every candidate is
 * verified. Pairs are sorted by their later document, so that one pass over the collection verifies
 * them all. The journal gets a frame after each batch.
 */
#include <math.h>
#include <string.h>

#include "run.h"

enum {
    LEAST_BATCH = 64 << 10, /* pairs that are verified at a time, at least */
    MOST_BATCH = 1 << 20,
    BATCH_SHARE = 8,      /* of memory, for these pairs */
    CANDIDATES_SHARE = 8, /* of memory, for the candidates */
    RECORDS_SHARE = 8,    /* of memory, for grouping documents by key */
};

typedef struct candidate_stream {
    tw_scan_run *scan;
    uint32_t *original_by_document; /* UINT32_MAX: none; while rows are mapped */
    uint32_t *original_by_row; /* the original of each row of the key store; UINT32_MAX: none */
    uint64_t *pairs; /* the batch in work: larger original in the high half, smaller in the low */
    size_t count, capacity;
    size_t *groups; /* the index of the first pair of each larger original */
    size_t group_count, group_capacity;
    size_t tile;            /* originals whose profiles a thread can keep */
    uint32_t *match_counts; /* by original: its matches with earlier ones; NULL: all are wanted */
    uint32_t most_matches;  /* of an original with earlier ones, where they are counted */
    tw_shared_matches found;
    uint64_t last_done; /* the last pair that the journal has */
    bool is_resumed;
} candidate_stream;

/* ---- candidates */

/* Notes a bucket over the limit by name, up to a few of them. */
static int note_hot_bucket(void *context, unsigned band, uint32_t first, size_t documents)
{
    enum { NAMED = 10 };
    tw_scan_run *scan = context;
    if (scan->search.hot_buckets++ >= NAMED)
        return TWINSET_OK;
    uint32_t document = tw_original_first(&scan->search.originals, first);
    return tw_result_note(scan->result, "band %u: a bucket of %zu documents, %s the first",
                          band + 1, documents, tw_document_at(scan->corpus, document)->name);
}

static int note_hot_buckets(tw_scan_run *scan)
{
    if (!scan->search.hot_buckets)
        return TWINSET_OK;
    scan->result->run.expected_recall = NAN; /* most pairs of such a bucket are not compared */
    return tw_result_note(scan->result,
                          "%zu %s of more than %u documents in all: each member was compared "
                          "with the first %d only; `max-bucket` changes this",
                          scan->search.hot_buckets,
                          scan->search.hot_buckets == 1 ? "bucket" : "buckets",
                          scan->options->max_bucket, TW_STAR);
}

/* Sets the share of the pairs at the threshold that bands find, where it is known. */
static int set_expected_recall(tw_scan_run *scan)
{
    const twinset_tuning *tuning = &scan->tuning;
    twinset_run *run = &scan->result->run;
    run->bands = tuning->bands;
    run->rows = tuning->rows;
    bool is_known = scan->options->measure == TWINSET_MEASURE_JACCARD;
    run->expected_recall = is_known ? tuning->recall : NAN;
    if (is_known)
        return TWINSET_OK;
    return tw_result_note(
        scan->result, "lsh proposes pairs by their Jaccard similarity: how many pairs it misses "
                      "by another measure is not known; `method` exact misses none");
}

/* Notes the originals of some documents, which lie in memory one after the other. Only the first
 * document of an original is compared. */
static int number_documents(void *context, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    candidate_stream *stream = context;
    const tw_originals *originals = &stream->scan->search.originals;
    for (size_t i = from; i < to; i++) {
        uint32_t document = (uint32_t)i, original = originals->of[i];
        bool is_compared = tw_original_first(originals, original) == document &&
                           !tw_document_at(stream->scan->corpus, document)->is_blank;
        stream->original_by_document[i] = is_compared ? original : UINT32_MAX;
    }
    return TWINSET_OK;
}

static int map_some_rows(void *context, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    candidate_stream *stream = context;
    const uint32_t *read_order = stream->scan->corpus->documents.read_order;
    for (size_t i = from; i < to; i++) {
        uint32_t document = read_order ? read_order[i] : (uint32_t)i;
        stream->original_by_row[i] =
            document == UINT32_MAX ? UINT32_MAX : stream->original_by_document[document];
    }
    return TWINSET_OK;
}

/* Maps the rows of the key store to their originals. */
static int map_rows(candidate_stream *stream)
{
    const tw_corpus *corpus = stream->scan->corpus;
    tw_loop loop = tw_settings_loop(corpus->settings, "matching");
    size_t rows = tw_key_store_count(corpus->keys.data);
    stream->original_by_document =
        tw_array(corpus->documents.count, sizeof *stream->original_by_document);
    stream->original_by_row = tw_array(rows, sizeof *stream->original_by_row);
    bool is_ready = stream->original_by_document && stream->original_by_row;
    int status = is_ready ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_parallel_ranges(&loop, corpus->documents.count, number_documents, stream);
    if (status == TWINSET_OK)
        status = tw_parallel_ranges(&loop, rows, map_some_rows, stream);
    tw_free(stream->original_by_document);
    return status;
}

static int collect_candidates(candidate_stream *stream, tw_number_set *runs)
{
    tw_scan_run *scan = stream->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "matching");
    tw_candidate_rules rules = {
        .keys = scan->corpus->keys.data,
        .number = stream->original_by_row,
        .bands = scan->tuning.bands,
        .max_bucket = scan->options->max_bucket,
        .star = TW_STAR,
        .memory_bytes = tw_memory_share(scan->options, RECORDS_SHARE),
        .wanted = tw_corpus_wants_all(scan->corpus) ? NULL : tw_scan_wants_pair,
        .hot = note_hot_bucket,
        .context = scan,
    };
    int status = tw_find_candidates(&rules, &loop, runs, scan->error);
    if (status == TWINSET_OK)
        status = tw_number_set_sort(runs, &loop, scan->error);
    scan->result->run.spilled_bytes +=
        tw_key_store_spilled(scan->corpus->keys.data) + tw_number_set_spilled(runs);
    /* The keys are not needed any more, and verification needs the memory. */
    tw_key_store_free(scan->corpus->keys.data);
    scan->corpus->keys.data = NULL;
    tw_free(stream->original_by_row);
    stream->original_by_row = NULL;
    return status;
}

/* ---- verification */

/* Copies the documents of a batch out of packed sources, so that they can be read in any order. */
static int fetch_documents(candidate_stream *stream)
{
    tw_scan_run *scan = stream->scan;
    uint32_t *documents = tw_array(2 * stream->count, sizeof *documents);
    uint8_t *seen = tw_calloc(scan->search.originals.count / 8 + 1, 1);
    int status = documents && seen ? TWINSET_OK : TWINSET_NOMEM;
    size_t count = 0;
    for (size_t i = 0; i < 2 * stream->count && status == TWINSET_OK; i++) {
        uint64_t pair = stream->pairs[i / 2];
        uint32_t original = (uint32_t)(i % 2 ? pair >> 32 : pair);
        if (!(seen[original / 8] >> original % 8 & 1))
            documents[count++] = tw_original_first(&scan->search.originals, original);
        seen[original / 8] |= (uint8_t)(1 << original % 8);
    }
    if (status == TWINSET_OK)
        status = tw_corpus_fetch(scan->corpus, documents, count, scan->error);
    tw_free(documents);
    tw_free(seen);
    return status;
}

static size_t end_of_group(const candidate_stream *stream, size_t group)
{
    return group + 1 < stream->group_count ? stream->groups[group + 1] : stream->count;
}

/* Moves the matches of a worker to those of the run, if there are many. */
static int share_found(candidate_stream *stream, unsigned worker)
{
    return tw_share_matches(&stream->found, &stream->scan->search.found[worker],
                            TW_MATCHES_AT_ONCE);
}

/* Verifies the pairs of one document with earlier ones, as long as it has few matches, where
 * few are wanted. */
static int verify_group(void *context, unsigned worker, size_t index)
{
    candidate_stream *stream = context;
    const tw_matches *found = &stream->scan->search.found[worker];
    size_t end = end_of_group(stream, index);
    uint32_t later = (uint32_t)(stream->pairs[stream->groups[index]] >> 32);
    int status = TWINSET_OK;
    stream->scan->comparers[worker].profiles.is_single = end - stream->groups[index] == 1;
    for (size_t i = stream->groups[index]; i < end && status == TWINSET_OK; i++) {
        size_t before = found->count;
        if (stream->match_counts && stream->match_counts[later] >= stream->most_matches)
            break;
        status = tw_scan_verify(stream->scan, worker, (uint32_t)stream->pairs[i], later, true);
        if (stream->match_counts)
            stream->match_counts[later] += (uint32_t)(found->count - before);
    }
    return status == TWINSET_OK ? share_found(stream, worker) : status;
}

/* The index of the first pair of a group whose smaller original is not below `from`. */
static size_t find_pair(const candidate_stream *stream, size_t group, uint64_t from)
{
    size_t low = stream->groups[group], high = end_of_group(stream, group);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uint32_t)stream->pairs[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Verifies the pairs of the batch whose smaller original is in a tile. In a large family each
 * document meets hundreds of others. Group after group, their profiles would be made again for each
 * pair; those of a tile are kept. */
static int verify_tile(void *context, unsigned worker, size_t index)
{
    candidate_stream *stream = context;
    int status = TWINSET_OK;
    stream->scan->comparers[worker].profiles.is_single = false;
    for (size_t group = 0; group < stream->group_count && status == TWINSET_OK; group++) {
        size_t end = find_pair(stream, group, (index + 1) * (uint64_t)stream->tile);
        size_t i = find_pair(stream, group, index * (uint64_t)stream->tile);
        for (; i < end && status == TWINSET_OK; i++)
            status = tw_scan_verify(stream->scan, worker, (uint32_t)stream->pairs[i],
                                    (uint32_t)(stream->pairs[i] >> 32), true);
        if (status == TWINSET_OK)
            status = share_found(stream, worker);
    }
    return status;
}

/* Verifies the batch by tiles if that makes fewer profiles. Document after document it is up to one
 * for each pair; by tiles it is one for each original, and one for each group in each tile. */
static int verify_pairs(candidate_stream *stream)
{
    const tw_scan_run *scan = stream->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "verifying");
    size_t originals = scan->search.originals.count;
    size_t tiles = (originals + stream->tile - 1) / stream->tile;
    bool is_dense =
        !stream->match_counts && 2 * (originals + stream->group_count * tiles) < stream->count;
    return is_dense ? tw_parallel(&loop, tiles, verify_tile, stream)
                    : tw_parallel(&loop, stream->group_count, verify_group, stream);
}

/* ---- the journal: a frame for each batch, with its last pair, the counts so far and its
 * matches */

enum { MATCH_BYTES = 2 * 4 + 4 * 8 + 2 * 8 };

static int put_match(const tw_match *match, tw_bytes *frame)
{
    int status = tw_put_u32(frame, match->a);
    if (status == TWINSET_OK)
        status = tw_put_u32(frame, match->b);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, match->a_count);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, match->b_count);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, match->shared);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, match->longest);
    if (status == TWINSET_OK)
        status = tw_put_real(frame, match->similarity);
    return status == TWINSET_OK ? tw_put_real(frame, match->estimate) : status;
}

static tw_match get_match(tw_field_reader *fields)
{
    tw_match match = {0};
    match.a = tw_get_u32(fields);
    match.b = tw_get_u32(fields);
    match.a_count = tw_get_u64(fields);
    match.b_count = tw_get_u64(fields);
    match.shared = tw_get_u64(fields);
    match.longest = tw_get_u64(fields);
    match.similarity = tw_get_real(fields);
    match.estimate = tw_get_real(fields);
    return match;
}

static int fill_frame(const candidate_stream *stream, size_t first_match, tw_bytes *frame)
{
    const tw_scan_run *scan = stream->scan;
    const tw_matches *matches = &scan->search.matches;
    int status = tw_put_u64(frame, stream->pairs[stream->count - 1]);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, scan->result->run.candidates);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, scan->search.verified);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, matches->count - first_match);
    for (size_t i = first_match; i < matches->count && status == TWINSET_OK; i++)
        status = put_match(tw_match_at(matches, i), frame);
    return status;
}

static int write_frame(const candidate_stream *stream, size_t first_match)
{
    tw_bytes frame = {0};
    int status = fill_frame(stream, first_match, &frame);
    if (status == TWINSET_OK)
        status = tw_journal_add(stream->scan->journal, &frame, stream->scan->error);
    tw_bytes_free(&frame);
    return status;
}

static int replay_frame(candidate_stream *stream, const tw_bytes *frame)
{
    tw_scan_run *scan = stream->scan;
    tw_field_reader fields = {frame->data, frame->data + frame->length, false};
    int status = TWINSET_OK;
    stream->last_done = tw_get_u64(&fields);
    scan->result->run.candidates = tw_get_u64(&fields);
    atomic_store(&scan->search.verified, tw_get_u64(&fields));
    size_t count = tw_get_count(&fields, MATCH_BYTES);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_match match = get_match(&fields);
        if (match.a >= match.b || match.b >= scan->search.originals.count)
            return tw_journal_fail(scan->journal, scan->error);
        status = tw_matches_add(&scan->search.matches, &match);
        if (stream->match_counts)
            stream->match_counts[match.b]++;
    }
    stream->is_resumed = true;
    bool is_damaged = fields.failed || fields.at != fields.end;
    return status == TWINSET_OK && is_damaged ? tw_journal_fail(scan->journal, scan->error)
                                              : status;
}

static int replay_journal(candidate_stream *stream)
{
    tw_scan_run *scan = stream->scan;
    tw_bytes frame = {0};
    bool found = scan->journal != NULL;
    int status = TWINSET_OK;
    while (found && status == TWINSET_OK) {
        status = tw_journal_next(scan->journal, &frame, &found, scan->error);
        if (status == TWINSET_OK && found)
            status = replay_frame(stream, &frame);
    }
    tw_bytes_free(&frame);
    return status;
}

/* Removes the pairs from the batch that the journal has. */
static void skip_done(candidate_stream *stream)
{
    size_t kept = 0;
    for (size_t i = 0; i < stream->count && stream->is_resumed; i++)
        if (stream->pairs[i] > stream->last_done)
            stream->pairs[kept++] = stream->pairs[i];
    stream->count = stream->is_resumed ? kept : stream->count;
}

/* Finds where the pairs of each larger original begin. */
static int find_groups(candidate_stream *stream)
{
    int status = TWINSET_OK;
    stream->group_count = 0;
    for (size_t i = 0; i < stream->count && status == TWINSET_OK; i++)
        if (!i || stream->pairs[i] >> 32 != stream->pairs[i - 1] >> 32) {
            status = TW_GROW(stream->groups, stream->group_capacity, stream->group_count + 1);
            if (status == TWINSET_OK)
                stream->groups[stream->group_count++] = i;
        }
    return status;
}

static int verify_batch(candidate_stream *stream)
{
    tw_scan_run *scan = stream->scan;
    size_t first_match = scan->search.matches.count;
    int status = find_groups(stream);
    if (status == TWINSET_OK && scan->corpus->store.spool)
        status = fetch_documents(stream);
    if (status == TWINSET_OK)
        status = verify_pairs(stream);
    scan->result->run.candidates += stream->count;
    if (status == TWINSET_OK)
        status =
            tw_matches_append(&scan->search.matches, scan->search.found, scan->options->threads);
    return status == TWINSET_OK && scan->journal ? write_frame(stream, first_match) : status;
}

/* Counts the candidates, and the documents that have earlier ones; does not if these are few. */
static int count_candidates(candidate_stream *stream, tw_number_set *runs, uint64_t *candidates,
                            uint64_t *documents)
{
    uint64_t last = UINT64_MAX;
    size_t count = 1;
    int status = TWINSET_OK;
    if (tw_number_set_most(runs) <= TW_MANY_CANDIDATES)
        return TWINSET_OK;
    while (count > 0 && status == TWINSET_OK) {
        status =
            tw_number_set_next(runs, stream->pairs, stream->capacity, &count, stream->scan->error);
        for (size_t i = 0; i < count; i++) {
            *documents += stream->pairs[i] >> 32 != last;
            last = stream->pairs[i] >> 32;
        }
        *candidates += count;
    }
    tw_number_set_rewind(runs);
    return status;
}

/* Limits the matches of a document with earlier ones where all would be too many: of a run that
 * cleans a collection, as a few are enough to find one that is kept; and of one with very many
 * candidates, whose pairs nobody can read. */
static int limit_matches(candidate_stream *stream, tw_number_set *runs)
{
    const tw_scan_run *scan = stream->scan;
    uint64_t candidates = 0, documents = 0;
    int status = TWINSET_OK;
    stream->most_matches = TW_STAR;
    if (scan->wants_pairs && scan->options->max_bucket)
        status = count_candidates(stream, runs, &candidates, &documents);
    uint64_t few = TW_MANY_FOR_EACH * documents;
    few = few > TW_MANY_CANDIDATES ? few : TW_MANY_CANDIDATES;
    if (status != TWINSET_OK || (scan->wants_pairs && candidates <= few))
        return status;
    if (scan->wants_pairs)
        stream->most_matches = (uint32_t)(few / documents);
    stream->match_counts = tw_calloc(scan->search.originals.count, sizeof *stream->match_counts);
    return stream->match_counts ? TWINSET_OK : TWINSET_NOMEM;
}

/* Notes that documents with many matches are listed with the first few. */
static int note_limit(const candidate_stream *stream)
{
    tw_scan_run *scan = stream->scan;
    size_t limited = 0;
    for (size_t i = 0;
         scan->wants_pairs && stream->match_counts && i < scan->search.originals.count; i++)
        limited += stream->match_counts[i] >= stream->most_matches;
    if (!limited)
        return TWINSET_OK;
    scan->result->run.expected_recall = NAN;
    return tw_result_note(scan->result,
                          "there are very many similar pairs: %s documents are listed with the "
                          "first %u before them that they resemble; `max-bucket` 0 lists all",
                          tw_number_count(limited).text, stream->most_matches);
}

static int make_batch(candidate_stream *stream)
{
    const tw_scan_run *scan = stream->scan;
    size_t documents = scan->corpus->documents.count;
    uint64_t fitting = tw_memory_share(scan->options, BATCH_SHARE) / sizeof *stream->pairs;
    stream->capacity = fitting < LEAST_BATCH  ? LEAST_BATCH
                       : fitting > MOST_BATCH ? MOST_BATCH
                                              : (size_t)fitting;
    stream->tile = tw_profiles_fitting(&scan->comparers[0].profiles,
                                       scan->corpus->totals.shingles / (documents | !documents));
    stream->pairs = tw_array(stream->capacity, sizeof *stream->pairs);
    return stream->pairs ? TWINSET_OK : TWINSET_NOMEM;
}

/* Copies all documents out of packed sources if they are small, so that not each batch reads these
 * again. */
static int fetch_small(tw_scan_run *scan)
{
    return scan->corpus->totals.bytes <= scan->options->memory_bytes
               ? tw_corpus_fetch_all(scan->corpus, scan->error)
               : TWINSET_OK;
}

static int verify_all(candidate_stream *stream, tw_number_set *runs)
{
    tw_scan_run *scan = stream->scan;
    int status = make_batch(stream);
    if (status == TWINSET_OK)
        status = limit_matches(stream, runs);
    if (status == TWINSET_OK)
        status = fetch_small(scan);
    if (status == TWINSET_OK)
        status = replay_journal(stream);
    while (status == TWINSET_OK) {
        status =
            tw_number_set_next(runs, stream->pairs, stream->capacity, &stream->count, scan->error);
        if (status != TWINSET_OK || stream->count == 0)
            break;
        skip_done(stream);
        if (stream->count)
            status = verify_batch(stream);
    }
    if (status == TWINSET_OK)
        status = note_limit(stream);
    for (unsigned i = 0; i < scan->options->threads; i++)
        scan->comparers[i].profiles.is_single = false;
    tw_free(stream->pairs);
    tw_free(stream->groups);
    tw_free(stream->match_counts);
    return status;
}

int tw_scan_search_bands(tw_scan_run *scan)
{
    candidate_stream stream = {
        .scan = scan,
        .found = {PTHREAD_MUTEX_INITIALIZER, &scan->search.matches},
    };
    tw_number_set *runs = NULL;
    int status = set_expected_recall(scan);
    if (status == TWINSET_OK && !scan->corpus->keys.data)
        status =
            tw_corpus_make_keys(scan->corpus, scan->tuning.bands, scan->tuning.rows, scan->error);
    if (status == TWINSET_OK)
        status = map_rows(&stream);
    if (status == TWINSET_OK)
        status = tw_number_set_new(tw_memory_share(scan->options, CANDIDATES_SHARE),
                                   scan->options->tmp, &runs);
    if (status == TWINSET_OK)
        status = collect_candidates(&stream, runs);
    scan->started =
        tw_result_stage(scan->result, "propose", scan->started, scan->result->run.spilled_bytes);
    if (status == TWINSET_OK)
        status = verify_all(&stream, runs);
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "verifying");
    if (status == TWINSET_OK) /* the memory of a batch is free now */
        status = tw_matches_sort(&scan->search.matches, &loop);
    scan->started = tw_result_stage(scan->result, "verify", scan->started, 0);
    scan->result->run.spilled_bytes += tw_paged_spilled(tw_corpus_paged(scan->corpus));
    scan->result->run.verified = scan->search.verified;
    pthread_mutex_destroy(&stream.found.lock);
    tw_free(stream.original_by_row);
    tw_number_set_free(runs);
    return status == TWINSET_OK ? note_hot_buckets(scan) : status;
}
