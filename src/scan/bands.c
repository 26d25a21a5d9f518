/*
 * From band keys to matches: documents that share a key are candidates, and every candidate
 * is computed. Pairs come by their later document, so that the collection is gone through
 * once; what was computed is written to the journal now and then.
 */
#include <math.h>
#include <string.h>

#include "run.h"

enum {
    NUMBERED = 64 << 10,     /* documents that are numbered at a time */
    BATCH = 64 << 10,        /* pairs that are computed at a time */
    PACKED_BATCH_SHARE = 64, /* of memory, for packed sources: each batch reads them all */
    CANDIDATES_SHARE = 8,    /* of memory, for the pairs proposed */
    RECORDS_SHARE = 8,       /* of memory, for grouping keys */
};

typedef struct proposing {
    tw_scan_run *scan;
    uint32_t *number; /* of the original whose keys are at a place */
    uint64_t *pairs;  /* larger number, then smaller */
    size_t count, capacity;
    size_t *groups; /* where each larger number's pairs start */
    size_t group_count;
    uint8_t *met;  /* matches of each original with earlier ones, where few will do */
    uint64_t done; /* pairs up to here are in the journal */
    bool resumed;
} proposing;

/* ---- what the bands say */

/* Names a bucket over the limit; of many, the first few. */
static int note_hot(void *context, unsigned band, uint32_t first, size_t documents)
{
    enum { NAMED = 10 };
    tw_scan_run *scan = context;
    if (scan->search.hot_buckets++ >= NAMED)
        return TWINSET_OK;
    uint32_t document = tw_original_first(&scan->search.originals, first);
    return tw_result_note(scan->result, "band %u: a bucket of %zu documents, %s the first",
                          band + 1, documents, scan->corpus->documents.data[document].name);
}

static int tell_hot(tw_scan_run *scan)
{
    if (!scan->search.hot_buckets)
        return TWINSET_OK;
    scan->result->run.expected_recall = NAN; /* of pairs inside such a bucket, most are left out */
    return tw_result_note(scan->result,
                          "%zu %s of more than %u documents in all: each member was compared "
                          "with the first %d only; `max-bucket` changes this",
                          scan->search.hot_buckets,
                          scan->search.hot_buckets == 1 ? "bucket" : "buckets",
                          scan->options->max_bucket, TW_STAR);
}

/* What bands find of the pairs at the threshold. */
static int state_recall(tw_scan_run *scan)
{
    const twinset_tuning *tuning = &scan->tuning;
    twinset_run *run = &scan->result->run;
    run->bands = tuning->bands;
    run->rows = tuning->rows;
    bool known = scan->options->measure == TWINSET_MEASURE_JACCARD;
    run->expected_recall = known ? tuning->recall : NAN;
    if (known)
        return TWINSET_OK;
    return tw_result_note(
        scan->result, "lsh proposes pairs by their Jaccard similarity: how many pairs it misses "
                      "by another measure is not known; `method` exact misses none");
}

/* Of several documents of one text, the first stands for all. */
static int number_some(void *context, unsigned worker, size_t index)
{
    (void)worker;
    proposing *propose = context;
    const tw_scan_run *scan = propose->scan;
    const tw_corpus *corpus = scan->corpus;
    size_t from = index * NUMBERED, places = tw_key_store_count(corpus->keys.data);
    size_t to = places - from < NUMBERED ? places : from + NUMBERED;
    for (size_t i = from; i < to; i++) {
        uint32_t document =
            corpus->documents.read_order ? corpus->documents.read_order[i] : (uint32_t)i;
        bool counts = document != UINT32_MAX && !corpus->documents.data[document].is_blank;
        uint32_t original = counts ? scan->search.originals.of[document] : UINT32_MAX;
        bool first = counts && tw_original_first(&scan->search.originals, original) == document;
        propose->number[i] = first ? original : UINT32_MAX;
    }
    return TWINSET_OK;
}

static int number_places(proposing *propose)
{
    tw_loop loop = tw_settings_loop(propose->scan->corpus->settings, "matching");
    size_t places = tw_key_store_count(propose->scan->corpus->keys.data);
    propose->number = tw_array(places, sizeof *propose->number);
    if (!propose->number)
        return TWINSET_NOMEM;
    return tw_parallel(&loop, (places + NUMBERED - 1) / NUMBERED, number_some, propose);
}

static int collect(proposing *propose, tw_number_set *runs)
{
    tw_scan_run *scan = propose->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "matching");
    tw_candidate_rules rules = {
        .keys = scan->corpus->keys.data,
        .number = propose->number,
        .bands = scan->tuning.bands,
        .max_bucket = scan->options->max_bucket,
        .star = TW_STAR,
        .memory_bytes = scan->options->memory_bytes / RECORDS_SHARE,
        .wanted = tw_corpus_wants_all(scan->corpus) ? NULL : tw_scan_wants,
        .hot = note_hot,
        .context = scan,
    };
    int status = tw_find_candidates(&rules, &loop, runs, scan->error);
    if (status == TWINSET_OK)
        status = tw_number_set_sort(runs, scan->error);
    scan->result->run.spilled_bytes +=
        tw_key_store_spilled(scan->corpus->keys.data) + tw_number_set_spilled(runs);
    /* Their work is done: the memory is for what comes. */
    tw_key_store_free(scan->corpus->keys.data);
    scan->corpus->keys.data = NULL;
    tw_free(propose->number);
    propose->number = NULL;
    return status;
}

/* ---- computing them */

/* Documents of packed sources are copied out of them before they are looked at. */
static int fetch(proposing *propose)
{
    tw_scan_run *scan = propose->scan;
    uint32_t *documents = tw_array(2 * propose->count, sizeof *documents);
    uint8_t *seen = tw_calloc(scan->search.originals.count / 8 + 1, 1);
    int status = documents && seen ? TWINSET_OK : TWINSET_NOMEM;
    size_t count = 0;
    for (size_t i = 0; i < 2 * propose->count && status == TWINSET_OK; i++) {
        uint64_t pair = propose->pairs[i / 2];
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

/* The pairs of one document with earlier ones. Where a collection is to be cleaned, it need
 * not meet all of those that it resembles: a few are enough to find one that is kept. */
static int verify_group(void *context, unsigned worker, size_t index)
{
    proposing *propose = context;
    const tw_matches *found = &propose->scan->search.found[worker];
    size_t end = index + 1 < propose->group_count ? propose->groups[index + 1] : propose->count;
    uint32_t later = (uint32_t)(propose->pairs[propose->groups[index]] >> 32);
    int status = TWINSET_OK;
    propose->scan->comparers[worker].profiles.is_single = end - propose->groups[index] == 1;
    for (size_t i = propose->groups[index]; i < end && status == TWINSET_OK; i++) {
        size_t before = found->count;
        if (propose->met && propose->met[later] >= TW_STAR)
            break;
        status = tw_scan_verify(propose->scan, worker, (uint32_t)propose->pairs[i], later, true);
        if (propose->met)
            propose->met[later] += (uint8_t)(found->count - before);
    }
    return status;
}

/* ---- the journal: of each batch the last pair, how many were computed so far, and the matches
 * among them */

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

static int fill_frame(const proposing *propose, size_t first_match, tw_bytes *frame)
{
    const tw_scan_run *scan = propose->scan;
    const tw_matches *matches = &scan->search.matches;
    int status = tw_put_u64(frame, propose->pairs[propose->count - 1]);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, scan->result->run.candidates);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, scan->search.verified);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, matches->count - first_match);
    for (size_t i = first_match; i < matches->count && status == TWINSET_OK; i++)
        status = put_match(&matches->data[i], frame);
    return status;
}

static int write_frame(const proposing *propose, size_t first_match)
{
    tw_bytes frame = {0};
    int status = fill_frame(propose, first_match, &frame);
    if (status == TWINSET_OK)
        status = tw_journal_add(propose->scan->journal, &frame, propose->scan->error);
    tw_bytes_free(&frame);
    return status;
}

static int replay_frame(proposing *propose, const tw_bytes *frame)
{
    tw_scan_run *scan = propose->scan;
    tw_field_reader fields = {frame->data, frame->data + frame->length, false};
    int status = TWINSET_OK;
    propose->done = tw_get_u64(&fields);
    scan->result->run.candidates = tw_get_u64(&fields);
    atomic_store(&scan->search.verified, tw_get_u64(&fields));
    size_t count = tw_get_count(&fields, MATCH_BYTES);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_match match = get_match(&fields);
        if (match.a >= match.b || match.b >= scan->search.originals.count)
            return tw_journal_fail(scan->journal, scan->error);
        status = tw_matches_add(&scan->search.matches, &match);
        if (propose->met)
            propose->met[match.b]++;
    }
    propose->resumed = true;
    bool damaged = fields.failed || fields.at != fields.end;
    return status == TWINSET_OK && damaged ? tw_journal_fail(scan->journal, scan->error) : status;
}

static int replay(proposing *propose)
{
    tw_scan_run *scan = propose->scan;
    tw_bytes frame = {0};
    bool found = scan->journal != NULL;
    int status = TWINSET_OK;
    while (found && status == TWINSET_OK) {
        status = tw_journal_next(scan->journal, &frame, &found, scan->error);
        if (status == TWINSET_OK && found)
            status = replay_frame(propose, &frame);
    }
    tw_bytes_free(&frame);
    return status;
}

/* Leaves out what the journal has. */
static void skip_done(proposing *propose)
{
    size_t kept = 0;
    for (size_t i = 0; i < propose->count && propose->resumed; i++)
        if (propose->pairs[i] > propose->done)
            propose->pairs[kept++] = propose->pairs[i];
    propose->count = propose->resumed ? kept : propose->count;
}

/* Matches are what was asked for: there is nowhere else to put them. */
static int check_room(const tw_scan_run *scan)
{
    enum { LEAST_ROOM = 16 << 20 };
    uint64_t half = scan->options->memory_bytes / 2, room = half > LEAST_ROOM ? half : LEAST_ROOM;
    if (scan->search.matches.count * (sizeof(tw_match) + sizeof(tw_listed)) <= room)
        return TWINSET_OK;
    return tw_fail(scan->error, TWINSET_NOMEM,
                   "more than %zu similar pairs do not fit into `memory` %lluM; raise it or "
                   "`threshold`, or lower `max-bucket`",
                   scan->search.matches.count,
                   (unsigned long long)(scan->options->memory_bytes >> 20));
}

static int verify_batch(proposing *propose)
{
    tw_scan_run *scan = propose->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "verifying");
    size_t first_match = scan->search.matches.count;
    propose->group_count = 0;
    for (size_t i = 0; i < propose->count; i++)
        if (!i || propose->pairs[i] >> 32 != propose->pairs[i - 1] >> 32)
            propose->groups[propose->group_count++] = i;
    int status = scan->corpus->store.spool ? fetch(propose) : TWINSET_OK;
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, propose->group_count, verify_group, propose);
    scan->result->run.candidates += propose->count;
    if (status == TWINSET_OK)
        status =
            tw_matches_append(&scan->search.matches, scan->search.found, scan->options->threads);
    if (status == TWINSET_OK)
        status = check_room(scan);
    return status == TWINSET_OK && scan->journal ? write_frame(propose, first_match) : status;
}

static int verify_all(proposing *propose, tw_number_set *runs)
{
    tw_scan_run *scan = propose->scan;
    uint64_t room = scan->options->memory_bytes / PACKED_BATCH_SHARE / sizeof *propose->pairs;
    propose->capacity = scan->corpus->store.spool && room > BATCH ? (size_t)room : BATCH;
    propose->pairs = tw_array(propose->capacity, sizeof *propose->pairs);
    propose->groups = tw_array(propose->capacity, sizeof *propose->groups);
    if (!scan->wants_details)
        propose->met = tw_calloc(scan->search.originals.count, sizeof *propose->met);
    bool ready = propose->pairs && propose->groups && (propose->met || scan->wants_details);
    int status = ready ? replay(propose) : TWINSET_NOMEM;
    while (status == TWINSET_OK) {
        status = tw_number_set_next(runs, propose->pairs, propose->capacity, &propose->count,
                                    scan->error);
        if (status != TWINSET_OK || propose->count == 0)
            break;
        skip_done(propose);
        if (propose->count)
            status = verify_batch(propose);
    }
    for (unsigned i = 0; i < scan->options->threads; i++)
        scan->comparers[i].profiles.is_single = false;
    tw_free(propose->pairs);
    tw_free(propose->groups);
    tw_free(propose->met);
    return status;
}

int tw_scan_bands(tw_scan_run *scan)
{
    proposing propose = {.scan = scan};
    tw_number_set *runs = NULL;
    int status = state_recall(scan);
    if (status == TWINSET_OK && !scan->corpus->keys.data)
        status =
            tw_corpus_make_keys(scan->corpus, scan->tuning.bands, scan->tuning.rows, scan->error);
    if (status == TWINSET_OK)
        status = number_places(&propose);
    if (status == TWINSET_OK)
        status = tw_number_set_new(scan->options->memory_bytes / CANDIDATES_SHARE,
                                   scan->options->tmp, &runs);
    if (status == TWINSET_OK)
        status = collect(&propose, runs);
    double time = tw_now();
    tw_result_stage(scan->result, "propose", scan->started);
    tw_result_add_stage(scan->result, "propose", 0, scan->result->run.spilled_bytes);
    if (status == TWINSET_OK)
        status = verify_all(&propose, runs);
    tw_result_stage(scan->result, "verify", time);
    if (status == TWINSET_OK)
        tw_matches_sort(&scan->search.matches);
    scan->result->run.verified = scan->search.verified;
    tw_free(propose.number);
    tw_number_set_free(runs);
    return status == TWINSET_OK ? tell_hot(scan) : status;
}
