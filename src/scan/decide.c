/*
 * Decides what is kept of each cluster. Documents are decided on in the order of preference: a
 * document is removed if it matches a kept one, and the most similar kept document is named as the
 * reason. So a chain of matches removes nothing by itself, and every removed document has a match
 * that is kept.
 *
 * Identical documents share one decision. Time and memory grow with the number of documents in
 * clusters, plus 4 bytes a document while this runs.
 */
#include <stdlib.h>
#include <string.h>

#include "keep_order.h"

enum { NONE = UINT32_MAX };

/* A match of an original that is in a cluster. */
typedef struct link {
    uint32_t other; /* the index of the other's decision */
    double similarity;
} link;

/* What is decided on an original that is in a cluster. */
typedef struct decision {
    uint32_t original;
    uint32_t best; /* its preferred document; NONE: not decided yet */
    uint32_t kept; /* the document that is kept for it: `best`, or one of another original */
    uint32_t rank; /* in the order of preference: lower is preferred */
    double similarity;
} decision;

typedef struct removal_plan {
    tw_scan_run *scan;
    uint32_t *ordered;                /* members of clusters, by preference */
    size_t count;                     /* of them */
    _Atomic uint32_t *decision_index; /* by original: the index of its decision, or NONE */
    decision *decisions;              /* by index in `ordered`, of one document of each original */
    atomic_size_t *link_start;        /* by decision: the index of its first link; and the end */
    link *links;
    uint32_t *cluster_kept;        /* by cluster, if it is large: the decisions to keep */
    atomic_size_t partly_compared; /* documents that were not compared with all of these */
} removal_plan;

/* A large cluster in work. */
typedef struct cluster_work {
    unsigned worker;
    uint32_t *kept; /* decisions to keep so far, those that removed most towards the front */
    size_t kept_count;
} cluster_work;

/* ---- links between originals */

static int run_ranges(removal_plan *plan, size_t count, tw_range_fn body)
{
    tw_loop loop = tw_settings_loop(plan->scan->corpus->settings, "deciding");
    return tw_parallel_ranges(&loop, count, body, plan);
}

static uint32_t original_at(const removal_plan *plan, size_t index)
{
    return plan->scan->search.originals.of[plan->ordered[index]];
}

/* Takes the index of any document of an original for that of its decision. */
static int index_some_decisions(void *context, unsigned worker, size_t from, size_t to)
{
    removal_plan *plan = context;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        uint32_t original = original_at(plan, i);
        plan->decisions[i] = (decision){.original = original, .best = NONE};
        atomic_store_explicit(&plan->decision_index[original], (uint32_t)i, memory_order_relaxed);
    }
    return TWINSET_OK;
}

static uint32_t decision_of(const removal_plan *plan, uint32_t original)
{
    return atomic_load_explicit(&plan->decision_index[original], memory_order_relaxed);
}

static int index_decisions(removal_plan *plan)
{
    size_t originals = plan->scan->search.originals.count;
    plan->decision_index = tw_array(originals, sizeof *plan->decision_index);
    plan->decisions = tw_array(plan->count, sizeof *plan->decisions);
    plan->link_start = tw_calloc(plan->count + 1, sizeof *plan->link_start);
    if (!plan->decision_index || !plan->decisions || !plan->link_start)
        return TWINSET_NOMEM;
    memset(plan->decision_index, 0xFF, originals * sizeof *plan->decision_index);
    return run_ranges(plan, plan->count, index_some_decisions);
}

static link *link_at(const removal_plan *plan, size_t index)
{
    tw_paged_touch(tw_corpus_paged(plan->scan->corpus), &plan->links[index], sizeof *plan->links);
    return &plan->links[index];
}

/* Finds the decisions that a match links; false where both documents are old, as their match joins
 * no cluster. */
static bool find_linked(const removal_plan *plan, const tw_match *match, uint32_t *a, uint32_t *b)
{
    *a = decision_of(plan, match->a);
    *b = decision_of(plan, match->b);
    return *a != NONE && *b != NONE;
}

/* Counts the two links of each match. */
static int count_links(void *context, unsigned worker, size_t from, size_t to)
{
    removal_plan *plan = context;
    uint32_t a, b;
    (void)worker;
    for (size_t i = from; i < to; i++)
        if (find_linked(plan, tw_match_at(&plan->scan->search.matches, i), &a, &b)) {
            atomic_fetch_add_explicit(&plan->link_start[a], 1, memory_order_relaxed);
            atomic_fetch_add_explicit(&plan->link_start[b], 1, memory_order_relaxed);
        }
    return TWINSET_OK;
}

static void add_link(removal_plan *plan, uint32_t from, uint32_t to, double similarity)
{
    size_t at = atomic_fetch_sub_explicit(&plan->link_start[from], 1, memory_order_relaxed) - 1;
    *link_at(plan, at) = (link){to, similarity};
}

/* Adds the two links of each match. The links of a decision come in any order. */
static int add_links(void *context, unsigned worker, size_t from, size_t to)
{
    removal_plan *plan = context;
    uint32_t a, b;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const tw_match *match = tw_match_at(&plan->scan->search.matches, i);
        if (find_linked(plan, match, &a, &b)) {
            add_link(plan, a, b, match->similarity);
            add_link(plan, b, a, match->similarity);
        }
    }
    return TWINSET_OK;
}

static int make_links(removal_plan *plan)
{
    size_t matches = plan->scan->search.matches.count, end = 0;
    int status = run_ranges(plan, matches, count_links);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i <= plan->count; i++)
        plan->link_start[i] = end += plan->link_start[i];
    plan->links = tw_paged_alloc(tw_corpus_paged(plan->scan->corpus), end * sizeof *plan->links);
    return plan->links ? run_ranges(plan, matches, add_links) : TWINSET_NOMEM;
}

/* ---- large clusters: a document was compared with a few of its candidates only, and these may all
 * be removed. So before a document is kept, it is compared with the kept documents of its cluster,
 * starting with those that removed most. */

/* Compares two originals; a similarity of -1 says that they do not match. The profile of the second
 * is held while the first changes. */
static int compare_originals(const removal_plan *plan, unsigned worker, size_t x, size_t y,
                             double *similarity)
{
    tw_scan_run *scan = plan->scan;
    tw_match match;
    int status = tw_scan_compare(scan, worker, plan->decisions[x].original,
                                 plan->decisions[y].original, &match);
    bool is_similar = match.shared && match.similarity >= scan->options->threshold;
    *similarity = is_similar ? match.similarity : -1;
    return status;
}

/* Compares an original with the kept ones of its cluster until one matches, and removes it then. */
static int compare_with_kept(removal_plan *plan, cluster_work *work, uint32_t index)
{
    decision *current = &plan->decisions[index];
    for (size_t i = 0; i < work->kept_count && i < TW_MOST_COMPARISONS; i++) {
        uint32_t other = work->kept[i];
        double similarity;
        int status = compare_originals(plan, work->worker, other, index, &similarity);
        if (status != TWINSET_OK)
            return status;
        if (similarity < 0)
            continue;
        current->kept = plan->decisions[other].best;
        current->similarity = similarity;
        work->kept[i] = work->kept[i / 2]; /* moves half the way to the front */
        work->kept[i / 2] = other;
        return TWINSET_OK;
    }
    if (work->kept_count > TW_MOST_COMPARISONS)
        atomic_fetch_add(&plan->partly_compared, 1);
    return TWINSET_OK;
}

static int note_partly_compared(const removal_plan *plan)
{
    size_t partly_compared = atomic_load(&plan->partly_compared);
    if (!partly_compared)
        return TWINSET_OK;
    return tw_result_note(plan->scan->result,
                          "%zu documents were kept after a look at %d of those kept of their "
                          "cluster: some may resemble another that is kept",
                          partly_compared, TW_MOST_COMPARISONS);
}

/* ---- deciding */

static bool is_kept(const decision *current)
{
    return current->best != NONE && current->best == current->kept;
}

/* Finds the most similar match that is kept; of equals, the preferred one. */
static void find_most_similar_kept(const removal_plan *plan, size_t index)
{
    decision *current = &plan->decisions[index];
    const decision *kept = NULL;
    for (size_t i = plan->link_start[index]; i < plan->link_start[index + 1]; i++) {
        const link *found = link_at(plan, i);
        const decision *other = &plan->decisions[found->other];
        if (!is_kept(other))
            continue;
        if (kept && (found->similarity < current->similarity ||
                     (found->similarity == current->similarity && other->rank > kept->rank)))
            continue;
        kept = other;
        current->kept = other->best;
        current->similarity = found->similarity;
    }
}

static int decide_original(removal_plan *plan, cluster_work *work, uint32_t index,
                           uint32_t document, uint32_t rank)
{
    decision *current = &plan->decisions[index];
    bool is_old = tw_corpus_role(plan->scan->corpus, document) == TWINSET_ROLE_OLD;
    int status = TWINSET_OK;
    *current = (decision){current->original, document, document, rank, 1};
    if (!is_old)
        find_most_similar_kept(plan, index);
    if (!is_old && is_kept(current))
        status = compare_with_kept(plan, work, index);
    return status;
}

/* Decides on the documents of one cluster, in the order of preference. In a small cluster all pairs
 * were compared already. */
static int decide_cluster(void *context, unsigned worker, size_t number)
{
    removal_plan *plan = context;
    const tw_cluster *cluster = &plan->scan->result->clusters.data[number];
    cluster_work work = {.worker = worker, .kept = plan->cluster_kept + cluster->start};
    size_t end = cluster->start + cluster->count;
    int status = TWINSET_OK;
    for (size_t i = cluster->start; i < end && status == TWINSET_OK; i++) {
        uint32_t index = decision_of(plan, original_at(plan, i));
        if (plan->decisions[index].best != NONE)
            continue; /* its text was decided on already */
        status = decide_original(plan, &work, index, plan->ordered[i], (uint32_t)i);
        if (cluster->count > TW_STAR && is_kept(&plan->decisions[index]))
            work.kept[work.kept_count++] = index;
    }
    return status;
}

static int decide_all(removal_plan *plan)
{
    const tw_clusters *clusters = &plan->scan->result->clusters;
    tw_loop loop = tw_settings_loop(plan->scan->corpus->settings, "deciding");
    plan->cluster_kept = tw_array(plan->count, sizeof *plan->cluster_kept);
    if (!plan->cluster_kept)
        return TWINSET_NOMEM;
    /* Where documents are not compared with all others, one text may be in several clusters, and
     * the first of these decides. */
    if (!tw_corpus_wants_all(plan->scan->corpus))
        loop.threads = 1;
    return tw_parallel(&loop, clusters->count, decide_cluster, plan);
}

/* ---- the lists of what is removed */

/* A removal with its source and offset, which it is sorted by. */
typedef struct located_removal {
    tw_removal removal;
    uint32_t source;
    uint64_t offset;
} located_removal;

static int by_input(const void *left, const void *right, void *context)
{
    const located_removal *x = left, *y = right;
    (void)context;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The removals that are found, in any order. */
typedef struct removal_list {
    const removal_plan *plan;
    located_removal *found;
    atomic_size_t count;
} removal_list;

static void add_removals(removal_list *list, const located_removal *found, size_t count)
{
    located_removal *to = list->found + atomic_fetch_add(&list->count, count);
    if (!count)
        return;
    tw_paged_touch(tw_corpus_paged(list->plan->scan->corpus), to, count * sizeof *to);
    memcpy(to, found, count * sizeof *to);
}

static int find_removed(void *context, unsigned worker, size_t from, size_t to)
{
    enum { AT_ONCE = 64 };
    removal_list *list = context;
    const removal_plan *plan = list->plan;
    const tw_corpus *corpus = plan->scan->corpus;
    located_removal removed[AT_ONCE];
    size_t count = 0;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        uint32_t document = plan->ordered[i];
        const tw_document *found = tw_document_at(corpus, document);
        const decision *current = &plan->decisions[decision_of(plan, original_at(plan, i))];
        if (current->kept == document || tw_corpus_role(corpus, document) == TWINSET_ROLE_OLD)
            continue;
        removed[count++] = (located_removal){
            .removal = {document, current->kept, current->similarity},
            .source = found->source,
            .offset = found->offset,
        };
        if (count == AT_ONCE) {
            add_removals(list, removed, count);
            count = 0;
        }
    }
    add_removals(list, removed, count);
    return TWINSET_OK;
}

/* Sorts the removals on all threads, or, where they are in a file, within little memory. */
static int sort_removed(const removal_plan *plan, located_removal **removed, size_t count)
{
    enum { SORT_SHARE = 32 };
    tw_paged *paged = tw_corpus_paged(plan->scan->corpus);
    tw_loop loop = tw_settings_loop(plan->scan->corpus->settings, "deciding");
    uint64_t resident;
    if (tw_paged_is_in_file(paged, *removed, &resident))
        return tw_paged_sort(paged, removed, count, sizeof **removed, by_input, NULL);
    if (count > tw_memory_share(plan->scan->options, SORT_SHARE) / sizeof **removed)
        loop.threads = 1; /* more would take as much memory again */
    return tw_parallel_sort(&loop, *removed, count, sizeof **removed, by_input, NULL);
}

static int list_removed(removal_plan *plan)
{
    twinset_result *result = plan->scan->result;
    tw_paged *paged = tw_corpus_paged(plan->scan->corpus);
    located_removal *removed = tw_paged_alloc(paged, plan->count * sizeof *removed);
    removal_list list = {.plan = plan, .found = removed};
    if (!removed)
        return TWINSET_NOMEM;
    tw_loop loop = tw_settings_loop(plan->scan->corpus->settings, "deciding");
    int status = tw_parallel_ranges(&loop, plan->count, find_removed, &list);
    size_t count = result->run.removed = list.count;
    if (status == TWINSET_OK)
        status = sort_removed(plan, &removed, count);
    result->decisions.removed = tw_array(count, sizeof *result->decisions.removed);
    if (!result->decisions.removed)
        status = TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_paged_touch(paged, &removed[i], sizeof *removed);
        result->decisions.removed[i] = removed[i].removal;
    }
    tw_paged_free(paged, removed);
    return status;
}

static int by_offset(const void *left, const void *right)
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
        const tw_skipped_input *skip = &corpus->skips.data[i];
        if (skip->source != TW_NO_SOURCE && !skip->is_empty)
            result->decisions.cuts[result->decisions.cut_count++] =
                (tw_cut){skip->source, skip->offset, skip->length, skip->line};
    }
    if (result->decisions.cut_count)
        qsort(result->decisions.cuts, result->decisions.cut_count, sizeof *result->decisions.cuts,
              by_offset);
    return TWINSET_OK;
}

int tw_scan_decide_removals(tw_scan_run *scan, const char *keep)
{
    const tw_clusters *clusters = &scan->result->clusters;
    removal_plan plan = {.scan = scan};
    for (size_t i = 0; i < clusters->count; i++)
        plan.count += clusters->data[i].count;
    bool has_values = true;
    plan.ordered = tw_array(plan.count, sizeof *plan.ordered);
    int status = plan.ordered ? list_cuts(scan) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_sort_by_preference(scan->corpus, clusters, keep, plan.ordered, &has_values,
                                       scan->error);
    if (status == TWINSET_OK && !has_values)
        status = tw_result_note(
            scan->result, "`keep` %s: no similar record has that field; the first was kept", keep);
    if (status == TWINSET_OK)
        status = index_decisions(&plan);
    if (status == TWINSET_OK)
        status = make_links(&plan);
    if (status == TWINSET_OK)
        status = decide_all(&plan);
    if (status == TWINSET_OK)
        status = note_partly_compared(&plan);
    if (status == TWINSET_OK)
        status = list_removed(&plan);
    tw_free(plan.ordered);
    tw_free(plan.decision_index);
    tw_free(plan.decisions);
    tw_free(plan.link_start);
    tw_paged_free(tw_corpus_paged(scan->corpus), plan.links);
    tw_free(plan.cluster_kept);
    return status;
}
