/*
 * What is kept of each cluster. Documents come in the order of preference; one is removed if
 * it resembles one that is kept, the most similar of these. So no document goes for a chain
 * of others, and of every removed one something like it stays.
 *
 * Identical documents are decided on as one. Time and memory grow with the documents that
 * are in clusters, but for 4 bytes a document for the while.
 */
#include <stdlib.h>
#include <string.h>

#include "prefer.h"

enum { NONE = UINT32_MAX };

/* A similar document, by its place. */
typedef struct link {
    uint32_t other;
    double similarity;
} link;

/* An original that is in a cluster. */
typedef struct decision {
    uint32_t original;
    uint32_t best; /* its document that goes before the others; NONE: not decided yet */
    uint32_t kept; /* the document that is kept for it: `best`, or another's */
    uint32_t turn; /* when it was decided on: the earlier goes before */
    double similarity;
} decision;

typedef struct deciding {
    tw_scan_run *scan;
    uint32_t *ordered; /* members of clusters, by preference */
    size_t count;      /* of them */
    uint32_t *at;      /* original to its place, or NONE */
    decision *places;
    size_t place_count;
    size_t *start; /* of a place's links, and one more for the end */
    link *links;
    uint32_t *stay; /* kept ones of the cluster in work, if it is large */
    size_t stay_count;
    size_t cut_short; /* documents that were not compared with all of those */
} deciding;

/* ---- who resembles whom */

static int number_places(deciding *decide)
{
    const tw_originals *originals = &decide->scan->search.originals;
    decide->at = tw_array(originals->count, sizeof *decide->at);
    decide->places = tw_array(decide->count, sizeof *decide->places);
    decide->start = tw_array(decide->count + 1, sizeof *decide->start);
    if (!decide->at || !decide->places || !decide->start)
        return TWINSET_NOMEM;
    memset(decide->at, 0xFF, originals->count * sizeof *decide->at);
    for (size_t i = 0; i < decide->count; i++) {
        uint32_t original = originals->of[decide->ordered[i]];
        if (decide->at[original] != NONE)
            continue;
        decide->at[original] = (uint32_t)decide->place_count;
        decide->places[decide->place_count++].original = original;
    }
    return TWINSET_OK;
}

/* Counts, and then adds, what two documents are to each other. */
static void count_links(deciding *decide, const tw_match *match)
{
    uint32_t a = decide->at[match->a], b = decide->at[match->b];
    if (a == NONE || b == NONE)
        return; /* both are old */
    decide->start[a]++;
    decide->start[b]++;
}

static void add_links(deciding *decide, const tw_match *match)
{
    uint32_t a = decide->at[match->a], b = decide->at[match->b];
    if (a == NONE || b == NONE)
        return;
    decide->links[--decide->start[a]] = (link){b, match->similarity};
    decide->links[--decide->start[b]] = (link){a, match->similarity};
}

static int make_links(deciding *decide)
{
    const tw_matches *matches = &decide->scan->search.matches;
    size_t count = decide->place_count;
    memset(decide->start, 0, (count + 1) * sizeof *decide->start);
    for (size_t i = 0; i < matches->count; i++)
        count_links(decide, &matches->data[i]);
    for (size_t i = 0; i < count; i++)
        decide->start[i + 1] += decide->start[i];
    decide->links = tw_array(decide->start[count], sizeof *decide->links);
    if (!decide->links)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < matches->count; i++)
        add_links(decide, &matches->data[i]);
    return TWINSET_OK;
}

/* ---- many of a kind: a document was compared with a few of those that it resembles, and
 * these may all be removed. So one that is to be kept is first compared with what is kept of
 * its cluster, those that most were removed for first. */

/* The second is at hand while the first changes. */
static int compare_places(const deciding *decide, size_t x, size_t y, double *similarity)
{
    tw_scan_run *scan = decide->scan;
    tw_match match;
    int status =
        tw_scan_compare(scan, 0, decide->places[x].original, decide->places[y].original, &match);
    bool similar = match.shared && match.similarity >= scan->options->threshold;
    *similarity = similar ? match.similarity : -1;
    return status;
}

static int look_around(deciding *decide, uint32_t index)
{
    decision *place = &decide->places[index];
    for (size_t i = 0; i < decide->stay_count && i < TW_MOST_LOOKS; i++) {
        uint32_t other = decide->stay[i];
        double similarity;
        int status = compare_places(decide, other, index, &similarity);
        if (status != TWINSET_OK)
            return status;
        if (similarity < 0)
            continue;
        place->kept = decide->places[other].best;
        place->similarity = similarity;
        decide->stay[i] = decide->stay[i / 2]; /* half the way to the front */
        decide->stay[i / 2] = other;
        return TWINSET_OK;
    }
    decide->cut_short += decide->stay_count > TW_MOST_LOOKS;
    return TWINSET_OK;
}

static int tell_cut_short(const deciding *decide)
{
    if (!decide->cut_short)
        return TWINSET_OK;
    return tw_result_note(decide->scan->result,
                          "%zu documents were kept after a look at %d of those kept of their "
                          "cluster: some may resemble another that is kept",
                          decide->cut_short, TW_MOST_LOOKS);
}

/* ---- deciding */

static bool is_kept(const decision *place)
{
    return place->best != NONE && place->best == place->kept;
}

/* Leads a place to the most similar one that is kept. */
static void find_kept(const deciding *decide, size_t index)
{
    decision *place = &decide->places[index];
    const decision *kept = NULL;
    for (size_t i = decide->start[index]; i < decide->start[index + 1]; i++) {
        const link *found = &decide->links[i];
        const decision *other = &decide->places[found->other];
        if (!is_kept(other))
            continue;
        if (kept && (found->similarity < place->similarity ||
                     (found->similarity == place->similarity && other->turn > kept->turn)))
            continue;
        kept = other;
        place->kept = other->best;
        place->similarity = found->similarity;
    }
}

static int settle(deciding *decide, uint32_t index, uint32_t document, uint32_t turn)
{
    decision *place = &decide->places[index];
    bool old = tw_corpus_role(decide->scan->corpus, document) == TWINSET_ROLE_OLD;
    int status = TWINSET_OK;
    *place = (decision){place->original, document, document, turn, 1};
    if (!old)
        find_kept(decide, index);
    if (!old && is_kept(place))
        status = look_around(decide, index);
    return status;
}

/* The documents of one cluster, from `first` on among those by preference. In a small one all
 * were compared. */
static int decide_cluster(deciding *decide, uint32_t first, size_t count)
{
    const uint32_t *of = decide->scan->search.originals.of;
    int status = TWINSET_OK;
    decide->stay_count = 0;
    for (uint32_t i = first; i < first + count && status == TWINSET_OK; i++) {
        uint32_t index = decide->at[of[decide->ordered[i]]];
        if (decide->places[index].best != NONE)
            continue; /* a copy of one that was decided on */
        status = settle(decide, index, decide->ordered[i], i);
        if (count > TW_STAR && is_kept(&decide->places[index]))
            decide->stay[decide->stay_count++] = index;
    }
    return status;
}

static int decide_all(deciding *decide)
{
    const tw_clusters *clusters = &decide->scan->result->clusters;
    int status = TWINSET_OK;
    decide->stay = tw_array(clusters->count ? clusters->data[0].count : 0, sizeof *decide->stay);
    if (!decide->stay)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < decide->place_count; i++)
        decide->places[i].best = NONE;
    for (size_t i = 0; i < clusters->count && status == TWINSET_OK; i++)
        status = decide_cluster(decide, (uint32_t)clusters->data[i].start, clusters->data[i].count);
    return status;
}

/* ---- what comes out of it */

/* A removal with its place in the input, so that sorting does not have to look it up. */
typedef struct placed {
    tw_removal removal;
    uint32_t source;
    uint64_t offset;
} placed;

static int by_input(const void *left, const void *right)
{
    const placed *x = left, *y = right;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static size_t find_removed(const deciding *decide, placed *removed)
{
    const tw_corpus *corpus = decide->scan->corpus;
    size_t count = 0;
    for (size_t i = 0; i < decide->count; i++) {
        uint32_t document = decide->ordered[i];
        const tw_document *found = &corpus->documents.data[document];
        const decision *place =
            &decide->places[decide->at[decide->scan->search.originals.of[document]]];
        if (place->kept == document || tw_corpus_role(corpus, document) == TWINSET_ROLE_OLD)
            continue;
        removed[count++] = (placed){
            .removal = {document, place->kept, place->similarity},
            .source = found->source,
            .offset = found->offset,
        };
    }
    return count;
}

static int list_removed(deciding *decide)
{
    twinset_result *result = decide->scan->result;
    placed *removed = tw_array(decide->count, sizeof *removed);
    if (!removed)
        return TWINSET_NOMEM;
    size_t count = result->run.removed = find_removed(decide, removed);
    if (count)
        qsort(removed, count, sizeof *removed, by_input);
    result->decisions.removed = tw_array(count, sizeof *result->decisions.removed);
    for (size_t i = 0; i < count && result->decisions.removed; i++)
        result->decisions.removed[i] = removed[i].removal;
    tw_free(removed);
    return result->decisions.removed ? TWINSET_OK : TWINSET_NOMEM;
}

static int by_place(const void *left, const void *right)
{
    const tw_cut *x = left, *y = right;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int list_cuts(tw_scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    twinset_result *result = scan->result;
    result->decisions.cuts = tw_array(corpus->skips.count, sizeof *result->decisions.cuts);
    if (!result->decisions.cuts)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < corpus->skips.count; i++) {
        const tw_skipped *skip = &corpus->skips.data[i];
        if (skip->source != UINT32_MAX && !skip->is_empty)
            result->decisions.cuts[result->decisions.cut_count++] =
                (tw_cut){skip->source, skip->offset, skip->length};
    }
    if (result->decisions.cut_count)
        qsort(result->decisions.cuts, result->decisions.cut_count, sizeof *result->decisions.cuts,
              by_place);
    return TWINSET_OK;
}

int tw_scan_decide(tw_scan_run *scan, const char *keep)
{
    const tw_clusters *clusters = &scan->result->clusters;
    deciding decide = {.scan = scan};
    for (size_t i = 0; i < clusters->count; i++)
        decide.count += clusters->data[i].count;
    decide.ordered = tw_array(decide.count, sizeof *decide.ordered);
    int status = decide.ordered ? list_cuts(scan) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_prefer(scan->corpus, clusters, keep, decide.ordered, scan->error);
    if (status == TWINSET_OK)
        status = number_places(&decide);
    if (status == TWINSET_OK)
        status = make_links(&decide);
    if (status == TWINSET_OK)
        status = decide_all(&decide);
    if (status == TWINSET_OK)
        status = tell_cut_short(&decide);
    if (status == TWINSET_OK)
        status = list_removed(&decide);
    tw_free(decide.ordered);
    tw_free(decide.at);
    tw_free(decide.places);
    tw_free(decide.start);
    tw_free(decide.links);
    tw_free(decide.stay);
    return status;
}
