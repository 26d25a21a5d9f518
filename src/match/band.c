/*
 * Candidates. For each band, documents are grouped by a hash of their slots in it; those
 * that really agree form a bucket, and the pairs of a bucket are candidates. A pair that
 * was proposed by an earlier band is not proposed again: whether it was is seen from the
 * signatures, so no set of pairs is kept. Memory is 16 bytes a document and thread; the
 * cost, about 30 ns a document and band, and what the pairs cost.
 *
 * A bucket over the limit proposes each member with its first few only, so the pairs stay
 * linear in the documents.
 */
#include <string.h>

#include "common/digest.h"
#include "match/match.h"

enum { BATCH = 1 << 16 };

/* What a document was to a bucket over the limit. */
enum { NOT_HOT, HOT, HOT_CENTRE };

typedef struct band_run {
    const tw_docs *docs;
    const tw_banding *banding;
    unsigned first_band;
    uint64_t *records; /* for each band in work: hash of slots and document, twice the room */
    size_t *record_count;
    uint8_t *hot; /* documents x bands; NULL while no bucket was over the limit */
    tw_pair *batch;
    size_t batch_count;
    uint32_t *members, *others; /* of the bucket in work */
    tw_pairs_fn pairs;
    tw_hot_fn tell_hot;
    void *context;
} band_run;

static const uint32_t *slots_of(const band_run *run, uint32_t doc, unsigned band)
{
    return run->banding->slots + doc * run->banding->hashes + (size_t)band * run->banding->rows;
}

static bool agree(const band_run *run, uint32_t a, uint32_t b, unsigned band)
{
    return memcmp(slots_of(run, a, band), slots_of(run, b, band),
                  run->banding->rows * sizeof(uint32_t)) == 0;
}

/* ---- grouping */

static uint32_t hash_band(const uint32_t *slots, unsigned rows)
{
    uint64_t hash = rows;
    for (unsigned i = 0; i < rows; i++)
        hash = tw_mix64(hash ^ slots[i]);
    return (uint32_t)(hash >> 32);
}

/* Sorts the documents by the hash of their slots in one band; equal ones stay by number. */
static int sort_band(void *context, unsigned worker, size_t index)
{
    (void)worker;
    band_run *run = context;
    size_t documents = run->docs->count, count = 0;
    uint64_t *records = run->records + 2 * documents * index;
    for (uint32_t doc = 0; doc < documents; doc++) {
        const uint32_t *slots = slots_of(run, doc, run->first_band + (unsigned)index);
        if (run->docs->sizes[doc])
            records[count++] = (uint64_t)hash_band(slots, run->banding->rows) << 32 | doc;
    }
    tw_sort_u64(records, count, records + documents);
    run->record_count[index] = count;
    return TWINSET_OK;
}

/* ---- proposing */

static int flush(band_run *run)
{
    size_t count = run->batch_count;
    run->batch_count = 0;
    return count ? run->pairs(run->context, run->batch, count) : TWINSET_OK;
}

/* Whether an earlier band proposed the pair: they agree there, and the bucket was small or
 * one of them was among its first. */
static bool proposed_before(const band_run *run, uint32_t a, uint32_t b, unsigned band)
{
    for (unsigned earlier = 0; earlier < band; earlier++) {
        if (!agree(run, a, b, earlier))
            continue;
        if (!run->hot)
            return true;
        const uint8_t *hot = run->hot + (size_t)earlier * run->docs->count;
        if (hot[a] == NOT_HOT || hot[a] == HOT_CENTRE || hot[b] == HOT_CENTRE)
            return true;
    }
    return false;
}

static int propose(band_run *run, uint32_t a, uint32_t b, unsigned band)
{
    if (!run->docs->wanted(run->docs->context, a, b) || proposed_before(run, a, b, band))
        return TWINSET_OK;
    run->batch[run->batch_count++] = (tw_pair){a, b};
    return run->batch_count == BATCH ? flush(run) : TWINSET_OK;
}

static int mark_hot(band_run *run, const uint32_t *members, size_t count, unsigned band)
{
    size_t documents = run->docs->count;
    if (!run->hot)
        run->hot = tw_calloc(documents * run->banding->bands, 1);
    if (!run->hot)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++)
        run->hot[band * documents + members[i]] = i < run->banding->star ? HOT_CENTRE : HOT;
    return run->tell_hot(run->context, band, members[0], count);
}

static int propose_bucket(band_run *run, const uint32_t *members, size_t count, unsigned band)
{
    size_t centres = count;
    if (run->banding->max_bucket && count > run->banding->max_bucket) {
        int status = mark_hot(run, members, count, band);
        if (status != TWINSET_OK)
            return status;
        centres = run->banding->star;
    }
    for (size_t i = 0; i < centres; i++)
        for (size_t j = i + 1; j < count; j++) {
            int status = propose(run, members[i], members[j], band);
            if (status != TWINSET_OK)
                return status;
        }
    return TWINSET_OK;
}

/* Splits documents of one hash into those that agree with the first, and the others. */
static int propose_run(band_run *run, const uint64_t *records, size_t count, unsigned band)
{
    for (size_t i = 0; i < count; i++)
        run->members[i] = (uint32_t)records[i];
    while (count > 1) {
        size_t same = 1, other = 0;
        for (size_t i = 1; i < count; i++) {
            if (agree(run, run->members[0], run->members[i], band))
                run->members[same++] = run->members[i];
            else
                run->others[other++] = run->members[i];
        }
        int status = propose_bucket(run, run->members, same, band);
        if (status != TWINSET_OK)
            return status;
        memcpy(run->members, run->others, other * sizeof *run->members);
        count = other;
    }
    return TWINSET_OK;
}

static int propose_band(band_run *run, unsigned index)
{
    const uint64_t *records = run->records + 2 * run->docs->count * index;
    size_t count = run->record_count[index];
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && records[end] >> 32 == records[i] >> 32;)
            end++;
        int status = TWINSET_OK;
        if (end - i > 1)
            status = propose_run(run, records + i, end - i, run->first_band + index);
        if (status != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

/* As many bands at a time as there are threads: sorted side by side, proposed in turn. */
static int run_bands(band_run *run, const tw_loop *loop)
{
    unsigned bands = run->banding->bands;
    tw_loop quiet = *loop;
    quiet.progress = NULL;
    for (; run->first_band < bands; run->first_band += loop->threads) {
        unsigned left = bands - run->first_band, now = left < loop->threads ? left : loop->threads;
        if (loop->progress &&
            loop->progress(loop->progress_context, loop->stage, run->first_band, bands))
            return TWINSET_CANCELLED;
        int status = tw_parallel(&quiet, now, sort_band, run);
        for (unsigned i = 0; i < now && status == TWINSET_OK; i++)
            status = propose_band(run, i);
        if (status != TWINSET_OK)
            return status;
    }
    return flush(run);
}

int tw_band(const tw_docs *docs, const tw_banding *banding, const tw_loop *loop, tw_pairs_fn pairs,
            tw_hot_fn hot, void *context)
{
    size_t documents = docs->count;
    band_run run = {
        .docs = docs,
        .banding = banding,
        .records = tw_array(2 * documents * loop->threads, sizeof *run.records),
        .record_count = tw_array(loop->threads, sizeof *run.record_count),
        .batch = tw_array(BATCH, sizeof *run.batch),
        .members = tw_array(documents, sizeof *run.members),
        .others = tw_array(documents, sizeof *run.others),
        .pairs = pairs,
        .tell_hot = hot,
        .context = context,
    };
    int status = TWINSET_NOMEM;
    if (run.records && run.record_count && run.batch && run.members && run.others)
        status = run_bands(&run, loop);
    tw_free(run.records);
    tw_free(run.record_count);
    tw_free(run.batch);
    tw_free(run.members);
    tw_free(run.others);
    tw_free(run.hot);
    return status;
}
