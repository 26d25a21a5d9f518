/*
 * Ranks: the shingles that at least two documents have, numbered from the rarest to the commonest.
 * Prefix filters and rarity weights are both based on them.
 *
 * The range of ids is cut into slices, so that what is sorted, counted and looked up at a time fits
 * into the cache, and the threads share the work. Peak memory: 4 bytes for each shingle of a set,
 * 24 for each different shingle that is shared, and one slice of all sets for each thread.
 */
#include "exact_join.h"

#include <math.h>
#include <string.h>

/* To find a few ids of a set costs more than to sort a larger slice: sets of 64 ids for each slice,
 * instead of two or three, made the join of 10,000 texts of 600 bytes three times as fast. */
enum {
    MOST_SLICE_BITS = 8,
    SLICES = 1 << MOST_SLICE_BITS, /* at most */
    SLICES_A_THREAD = 4,           /* at least: those in work take 4 bytes for each shingle */
    IDS_OF_A_SET = 64,             /* in a slice */
};

/* A shingle that at least two documents have. */
typedef struct shared_shingle {
    uint64_t id;
    uint32_t documents; /* that have it, with their copies */
} shared_shingle;

/* The shared shingles whose ids have the same leading bits. */
typedef struct id_slice {
    shared_shingle *data; /* ascending */
    uint32_t *rank;       /* of each */
    size_t count, capacity;
} id_slice;

typedef struct builder {
    const tw_document_sets *docs;
    tw_shingle_ranks *ranks;
    uint32_t *having; /* documents that have each rank; only of programs */
    unsigned slice_bits;
    id_slice slices[SLICES]; /* of which 1 << slice_bits are used */
} builder;

static const uint32_t NO_RANK = UINT32_MAX;

/* ---- counting */

/* The index of the first id of a set that is not less than `id`. Ids are spread evenly, so the
 * first guess is off by a few at most. */
static size_t lower_bound(tw_set set, uint64_t id)
{
    size_t at = (size_t)((double)id / 18446744073709551616.0 * (double)set.count);
    while (at > 0 && set.ids[at - 1] >= id)
        at--;
    while (at < set.count && set.ids[at] < id)
        at++;
    return at;
}

/* The ids of a set that lie in a slice; `from` is the index of the first. */
static tw_set slice_of(const builder *build, tw_set set, size_t slice, size_t *from)
{
    unsigned bits = build->slice_bits;
    *from = lower_bound(set, (uint64_t)slice << (64 - bits));
    size_t to =
        (slice + 1) >> bits ? set.count : lower_bound(set, (uint64_t)(slice + 1) << (64 - bits));
    return (tw_set){set.ids + *from, to - *from};
}

/* Adds the ids that come more than once among sorted ids, with how often they do. */
static int count_repeated(id_slice *slice, const uint64_t *ids, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && ids[end] == ids[i];)
            end++;
        if (end - i == 1)
            continue;
        int status = TW_GROW(slice->data, slice->capacity, slice->count + 1);
        if (status != TWINSET_OK)
            return status;
        slice->data[slice->count++] = (shared_shingle){ids[i], (uint32_t)(end - i)};
    }
    return TWINSET_OK;
}

/* Adds the copies of a document to what its shingles were counted. */
static void add_copies(id_slice *slice, tw_set set, uint32_t copies)
{
    size_t at = 0;
    for (size_t i = 0; i < set.count; i++) {
        while (at < slice->count && slice->data[at].id < set.ids[i])
            at++;
        if (at < slice->count && slice->data[at].id == set.ids[i])
            slice->data[at].documents += copies - 1;
    }
}

/* Collects one slice of all sets into `all`; or, if `counted` is given, adds the copies of all
 * documents to what was counted of that slice. */
static int visit_slice(const builder *build, unsigned worker, size_t slice, tw_u64s *all,
                       id_slice *counted)
{
    const tw_document_sets *docs = build->docs;
    for (uint32_t doc = 0; doc < docs->count; doc++) {
        tw_set set;
        if (!docs->sizes[doc] || (counted && docs->copies[doc] == 1))
            continue;
        int status = docs->set(docs->context, worker, 0, doc, &set);
        if (status != TWINSET_OK)
            return status;
        size_t from;
        set = slice_of(build, set, slice, &from);
        if (counted) {
            add_copies(counted, set, docs->copies[doc]);
            continue;
        }
        status = TW_GROW(all->data, all->capacity, all->count + set.count);
        if (status != TWINSET_OK)
            return status;
        if (set.count)
            memcpy(all->data + all->count, set.ids, set.count * sizeof *set.ids);
        all->count += set.count;
    }
    return TWINSET_OK;
}

/* Finds the shared shingles of one slice. */
static int build_slice(void *context, unsigned worker, size_t index)
{
    builder *build = context;
    id_slice *slice = &build->slices[index];
    tw_u64s all = {0};
    uint64_t *scratch = NULL;
    int status = visit_slice(build, worker, index, &all, NULL);
    if (status == TWINSET_OK) {
        scratch = tw_array(all.count, sizeof *scratch);
        status = scratch ? TWINSET_OK : TWINSET_NOMEM;
    }
    if (status == TWINSET_OK) {
        tw_sort_u64(all.data, all.count, scratch);
        status = count_repeated(slice, all.data, all.count);
    }
    tw_free(scratch);
    tw_free(all.data);
    return status == TWINSET_OK ? visit_slice(build, worker, index, NULL, slice) : status;
}

/* ---- ranking */

/* The weight of a shingle that `having` documents have. It is a whole number, so that a sum does
 * not depend on the order of its terms. */
static uint32_t weight_of(const builder *build, uint64_t id, uint64_t having)
{
    if (build->docs->weight)
        return build->docs->weight(id, build->ranks->documents, having);
    return (uint32_t)llround(65536 * log1p((double)build->ranks->documents / (double)having));
}

/* The weight of a shingle that is no word. */
static uint32_t structure_of(uint64_t id, uint32_t weight)
{
    return tw_id_is_word(id) ? 0 : weight;
}

/* Ranks the shared shingles by the documents that have them, then by id: slices are in the order of
 * ids. `rank_at`, `keys` and `scratch` have an element for each shared shingle. */
static void assign_ranks(builder *build, uint32_t **rank_at, uint64_t *keys, uint64_t *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < SLICES; i++)
        for (size_t j = 0; j < build->slices[i].count; j++, count++) {
            rank_at[count] = &build->slices[i].rank[j];
            keys[count] = (uint64_t)build->slices[i].data[j].documents << 32 | count;
        }
    tw_sort_u64(keys, count, scratch);
    for (size_t rank = 0; rank < count; rank++)
        *rank_at[(uint32_t)keys[rank]] = (uint32_t)rank;
    for (size_t i = 0; i < SLICES; i++)
        for (size_t j = 0; j < build->slices[i].count; j++) {
            const id_slice *slice = &build->slices[i];
            build->ranks->weight[slice->rank[j]] =
                weight_of(build, slice->data[j].id, slice->data[j].documents);
            if (!build->having)
                continue;
            build->having[slice->rank[j]] = slice->data[j].documents;
            build->ranks->structure[slice->rank[j]] =
                structure_of(slice->data[j].id, build->ranks->weight[slice->rank[j]]);
        }
}

static int rank_shingles(builder *build)
{
    tw_shingle_ranks *ranks = build->ranks;
    bool enough = true;
    for (size_t i = 0; i < SLICES; i++) {
        id_slice *slice = &build->slices[i];
        ranks->shared += slice->count;
        slice->rank = tw_array(slice->count, sizeof *slice->rank);
        enough = enough && slice->rank;
    }
    uint32_t **rank_at = tw_array(ranks->shared, sizeof *rank_at);
    uint64_t *keys = tw_array(2 * ranks->shared, sizeof *keys);
    ranks->weight = tw_array(ranks->shared, sizeof *ranks->weight);
    enough = enough && rank_at && keys && ranks->weight && ranks->shared < NO_RANK;
    if (ranks->others) {
        build->having = tw_array(ranks->shared, sizeof *build->having);
        ranks->structure = tw_array(ranks->shared, sizeof *ranks->structure);
        enough = enough && build->having && ranks->structure;
    }
    if (enough)
        assign_ranks(build, rank_at, keys, keys + ranks->shared);
    tw_free(rank_at);
    tw_free(keys);
    return enough ? TWINSET_OK : TWINSET_NOMEM;
}

/* ---- documents */

/* A hash table from the ids of one slice to their ranks. */
typedef struct rank_table {
    uint64_t *ids;
    uint32_t *ranks; /* NO_RANK: the slot is free */
    size_t mask;
} rank_table;

static int fill_table(rank_table *table, const id_slice *slice)
{
    for (table->mask = 15; table->mask < 2 * slice->count;)
        table->mask = 2 * table->mask + 1;
    table->ids = tw_array(table->mask + 1, sizeof *table->ids);
    table->ranks = tw_array(table->mask + 1, sizeof *table->ranks);
    if (!table->ids || !table->ranks)
        return TWINSET_NOMEM;
    memset(table->ranks, 0xFF, (table->mask + 1) * sizeof *table->ranks);
    for (size_t i = 0; i < slice->count; i++) {
        size_t at = slice->data[i].id & table->mask;
        while (table->ranks[at] != NO_RANK)
            at = (at + 1) & table->mask;
        table->ids[at] = slice->data[i].id;
        table->ranks[at] = slice->rank[i];
    }
    return TWINSET_OK;
}

static uint32_t look_up(const rank_table *table, uint64_t id)
{
    size_t at = id & table->mask;
    while (table->ranks[at] != NO_RANK && table->ids[at] != id)
        at = (at + 1) & table->mask;
    return table->ranks[at];
}

/* Writes the rank of every shingle of a slice to its document's ranks, at its index in the set. */
static int rank_slice(void *context, unsigned worker, size_t index)
{
    builder *build = context;
    const tw_document_sets *docs = build->docs;
    rank_table table = {0};
    int status = fill_table(&table, &build->slices[index]);
    for (uint32_t doc = 0; doc < docs->count && status == TWINSET_OK; doc++) {
        tw_set set;
        size_t from;
        if (!docs->sizes[doc])
            continue;
        status = docs->set(docs->context, worker, 0, doc, &set);
        if (status != TWINSET_OK)
            break;
        set = slice_of(build, set, index, &from);
        uint32_t *out = build->ranks->ranks + build->ranks->start[doc] + from;
        for (size_t i = 0; i < set.count; i++)
            out[i] = look_up(&table, set.ids[i]);
    }
    tw_free(table.ids);
    tw_free(table.ranks);
    return status;
}

/* Keeps the ranks of a document's shared shingles, ascending, and adds up its weights. */
static int rank_document(void *context, unsigned worker, size_t doc)
{
    builder *build = context;
    const tw_document_sets *docs = build->docs;
    tw_shingle_ranks *ranks = build->ranks;
    tw_set set = {0};
    size_t size = docs->sizes[doc], count = 0;
    uint32_t *mine = ranks->ranks + ranks->start[doc];
    uint64_t weight = 0, lonely = 0, others = 0, structure = 0;
    int status = size ? docs->set(docs->context, worker, 0, (uint32_t)doc, &set) : TWINSET_OK;
    if (status != TWINSET_OK)
        return status;
    uint64_t *found = tw_array(2 * size, sizeof *found);
    if (!found)
        return TWINSET_NOMEM;
    /* Without weights of their own, shingles that no other document has all weigh the same. */
    uint32_t usual = docs->weight ? 0 : weight_of(build, 0, docs->copies[doc]);
    for (size_t i = 0; i < size; i++) {
        if (mine[i] == NO_RANK) {
            uint32_t own = docs->weight ? weight_of(build, set.ids[i], docs->copies[doc]) : usual;
            lonely += own;
            structure += structure_of(set.ids[i], own);
            continue;
        }
        found[count++] = mine[i];
        weight += ranks->weight[mine[i]];
        if (!build->having)
            continue;
        others += (uint64_t)ranks->weight[mine[i]] * (build->having[mine[i]] - 1);
        structure += ranks->structure[mine[i]];
    }
    tw_sort_u64(found, count, found + size);
    for (size_t i = 0; i < count; i++)
        mine[i] = (uint32_t)found[i];
    tw_free(found);
    ranks->lonely[doc] = size - count;
    ranks->lonely_weight[doc] = lonely;
    ranks->total_weight[doc] = weight + lonely;
    if (ranks->others) {
        ranks->others[doc] = others + lonely * (docs->copies[doc] - 1);
        ranks->own_structure[doc] = structure;
    }
    return TWINSET_OK;
}

/* Moves the ranks of all documents together, over those of shingles that are not shared. */
static void close_gaps(tw_shingle_ranks *ranks, const tw_document_sets *docs)
{
    size_t end = 0;
    for (size_t doc = 0; doc < docs->count; doc++) {
        size_t count = docs->sizes[doc] - ranks->lonely[doc];
        if (count)
            memmove(ranks->ranks + end, ranks->ranks + ranks->start[doc],
                    count * sizeof *ranks->ranks);
        ranks->start[doc] = end;
        end += count;
    }
    ranks->start[docs->count] = end;
}

static void average_weights(tw_shingle_ranks *ranks, const tw_document_sets *docs)
{
    uint64_t sum = 0;
    for (size_t doc = 0; doc < docs->count; doc++)
        sum += docs->copies[doc] * ranks->total_weight[doc];
    ranks->mean_weight = ranks->documents ? (double)sum / (double)ranks->documents : 0;
}

/* Keeps how many documents have each shared shingle; the slices are in the order of ids. */
static int keep_counts(const builder *build)
{
    tw_shingle_counts *counts = &build->ranks->counts;
    counts->ids = tw_array(build->ranks->shared, sizeof *counts->ids);
    counts->counts = tw_array(build->ranks->shared, sizeof *counts->counts);
    if (!counts->ids || !counts->counts)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < SLICES; i++)
        for (size_t j = 0; j < build->slices[i].count; j++) {
            counts->ids[counts->count] = build->slices[i].data[j].id;
            counts->counts[counts->count++] = build->slices[i].data[j].documents;
        }
    return TWINSET_OK;
}

void tw_shingle_counts_free(tw_shingle_counts *counts)
{
    tw_free(counts->ids);
    tw_free(counts->counts);
    *counts = (tw_shingle_counts){0};
}

tw_shingle_counts *tw_shingle_ranks_counts(tw_shingle_ranks *ranks)
{
    return &ranks->counts;
}

static int allocate(builder *build)
{
    tw_shingle_ranks *ranks = build->ranks;
    const tw_document_sets *docs = build->docs;
    size_t total = 0;
    ranks->start = tw_array(docs->count + 1, sizeof *ranks->start);
    ranks->lonely = tw_array(docs->count, sizeof *ranks->lonely);
    ranks->lonely_weight = tw_array(docs->count, sizeof *ranks->lonely_weight);
    ranks->total_weight = tw_array(docs->count, sizeof *ranks->total_weight);
    ranks->others = docs->weight ? tw_array(docs->count, sizeof *ranks->others) : NULL;
    ranks->own_structure =
        docs->weight ? tw_array(docs->count, sizeof *ranks->own_structure) : NULL;
    ranks->usual = docs->weight ? tw_array(docs->count, sizeof *ranks->usual) : NULL;
    if (!ranks->start || !ranks->lonely || !ranks->lonely_weight || !ranks->total_weight ||
        (docs->weight && (!ranks->others || !ranks->own_structure || !ranks->usual)))
        return TWINSET_NOMEM;
    for (size_t doc = 0; doc < docs->count; doc++) {
        ranks->start[doc] = total;
        total += docs->sizes[doc];
        ranks->documents += docs->copies[doc];
        if (ranks->usual)
            ranks->usual[doc] = 1;
    }
    ranks->ranks = tw_array(total, sizeof *ranks->ranks);
    return ranks->ranks ? TWINSET_OK : TWINSET_NOMEM;
}

/* Chooses the number of slices by the size of the sets; it changes no rank. */
static unsigned choose_slice_bits(const tw_document_sets *docs, unsigned threads)
{
    uint64_t total = 0, least = (uint64_t)SLICES_A_THREAD * threads;
    for (size_t doc = 0; doc < docs->count; doc++)
        total += docs->sizes[doc];
    unsigned bits = 1;
    while (bits < MOST_SLICE_BITS &&
           ((1u << bits) < least || (docs->count * IDS_OF_A_SET) << bits < total))
        bits++;
    return bits;
}

int tw_shingle_ranks_new(const tw_document_sets *docs, const tw_loop *loop, tw_shingle_ranks **out)
{
    builder *build = tw_calloc(1, sizeof *build);
    tw_shingle_ranks *ranks = tw_calloc(1, sizeof *ranks);
    int status = build && ranks ? TWINSET_OK : TWINSET_NOMEM;
    if (status != TWINSET_OK)
        goto cleanup;
    build->docs = docs;
    build->ranks = ranks;
    build->slice_bits = choose_slice_bits(docs, loop->threads);
    status = allocate(build);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, (size_t)1 << build->slice_bits, build_slice, build);
    if (status == TWINSET_OK)
        status = rank_shingles(build);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, (size_t)1 << build->slice_bits, rank_slice, build);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, docs->count, rank_document, build);
    if (status == TWINSET_OK && docs->keeps_counts)
        status = keep_counts(build);
    if (status == TWINSET_OK) {
        close_gaps(ranks, docs);
        average_weights(ranks, docs);
        *out = ranks;
        ranks = NULL;
    }
cleanup:
    for (size_t i = 0; build && i < SLICES; i++) {
        tw_free(build->slices[i].data);
        tw_free(build->slices[i].rank);
    }
    tw_free(build ? build->having : NULL);
    tw_free(build);
    tw_shingle_ranks_free(ranks);
    return status;
}

void tw_shingle_ranks_free(tw_shingle_ranks *ranks)
{
    if (!ranks)
        return;
    tw_free(ranks->start);
    tw_free(ranks->ranks);
    tw_free(ranks->lonely);
    tw_free(ranks->weight);
    tw_free(ranks->lonely_weight);
    tw_free(ranks->total_weight);
    tw_free(ranks->structure);
    tw_free(ranks->own_structure);
    tw_free(ranks->others);
    tw_free(ranks->usual);
    tw_shingle_counts_free(&ranks->counts);
    tw_free(ranks);
}

tw_overlap tw_shingle_ranks_overlap(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b)
{
    size_t i = ranks->start[a], j = ranks->start[b], i_end = ranks->start[a + 1],
           j_end = ranks->start[b + 1];
    tw_overlap overlap = {0};
    while (i < i_end && j < j_end) {
        uint32_t x = ranks->ranks[i], y = ranks->ranks[j];
        if (x == y) {
            overlap.count++;
            overlap.weight += ranks->weight[x];
        }
        i += x <= y;
        j += y <= x;
    }
    return overlap;
}
