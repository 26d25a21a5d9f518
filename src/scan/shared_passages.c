#include "shared_passages.h"

#include <math.h>

/* Bytes of a collection up to which passages are looked for without being asked for: some ten
 * seconds on two cores. */
static const uint64_t MOST_UNASKED = 128 << 20;
/* Passages of similar pairs are looked for unasked where the texts of both documents, over all
 * pairs, have at most this many bytes. */
static const uint64_t MOST_UNASKED_PAIRS = UINT64_C(1) << 30;

/* ---- whether to look */

/* Whether a run looks for passages of prose: it lists pairs, and is asked to, or neither a
 * threshold nor one document to compare with is given. */
static bool wants_passages(const tw_scan_run *scan)
{
    /* A query of an index gives what a scan with `like` gives: passages where they are asked for.
     * Spark and Beam give what a scan with `method` lsh gives. */
    bool is_automatic = !scan->options->min_passage && !scan->corpus->has_like &&
                        scan->options->method == TWINSET_METHOD_AUTO &&
                        scan->corpus->settings->given.threshold == TWINSET_AUTO;
    return scan->wants_pairs && scan->wants_details && !scan->corpus->is_comparison &&
           !tw_compares_programs(scan->corpus->settings) &&
           (is_automatic || tw_wants_passages(scan->options));
}

/* Whether a collection is too large to look for passages that nobody asked for. */
static bool is_too_large(const tw_scan_run *scan)
{
    return !tw_wants_passages(scan->options) && scan->result->run.bytes > MOST_UNASKED;
}

/* ---- one pair */

static int search_pair(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                       tw_extent *extent)
{
    tw_shared_passages *shared = scan->listing.shared;
    tw_prose_texts *texts = &shared->texts;
    const tw_prose_words *x, *y;
    *extent = (tw_extent){.weighted = NAN};
    if (tw_prose_text_is_too_large(scan->corpus, a) ||
        tw_prose_text_is_too_large(scan->corpus, b)) {
        atomic_store(&scan->unmeasured, true);
        return TWINSET_OK;
    }
    int status = tw_prose_texts_get(texts, worker, 0, a, &x);
    if (status == TWINSET_OK)
        status = tw_prose_texts_get(texts, worker, 1, b, &y);
    if (status == TWINSET_OK)
        status = tw_prose_search(&texts->found[worker], x, y, &shared->rules);
    if (status != TWINSET_OK)
        return status;
    const tw_passage_finder *found = &texts->found[worker];
    *extent = tw_measure_passages(found, x->sequence.side.count, y->sequence.side.count);
    extent->weighted = NAN;
    if (!shared->boilerplate_words || !found->count)
        return TWINSET_OK;
    const tw_prose_words *const words[2] = {x, y};
    bool is_old = tw_corpus_role(scan->corpus, a) == TWINSET_ROLE_OLD ||
                  tw_corpus_role(scan->corpus, b) == TWINSET_ROLE_OLD;
    return tw_evidence_without_boilerplate(&shared->boilerplate_words[worker],
                                           is_old ? &shared->boilerplate.of_old
                                                  : &shared->boilerplate.of_any,
                                           words, found, &extent->evidence);
}

static bool is_beyond_chance(const tw_scan_run *scan, const tw_extent *extent)
{
    return extent->passages && extent->evidence >= TW_LEAST_EVIDENCE &&
           tw_prose_false_alarms(extent->evidence, scan->result->chance.passage_pairs) < 1;
}

/* ---- candidates */

/* What the passages of a candidate amount to. */
static tw_extent *extent_of(const tw_scan_run *scan, size_t candidate)
{
    tw_extent *extent = &scan->listing.shared->extents[candidate];
    tw_paged_touch(tw_corpus_paged(scan->corpus), extent, sizeof *extent);
    return extent;
}

static int verify_candidate(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    tw_shared_passages *shared = scan->listing.shared;
    const tw_passage_candidate *candidate = &shared->candidates.data[index];
    tw_extent *extent = extent_of(scan, index);
    tw_match match;
    int status = search_pair(scan, worker, tw_original_first(&scan->search.originals, candidate->a),
                             tw_original_first(&scan->search.originals, candidate->b), extent);
    if (status != TWINSET_OK || !is_beyond_chance(scan, extent) ||
        tw_matches_find(&scan->search.matches, candidate->a, candidate->b))
        return status;
    status = tw_scan_compare(scan, worker, candidate->a, candidate->b, &match);
    return status == TWINSET_OK ? tw_matches_add(&scan->search.found[worker], &match) : status;
}

static int verify_candidates(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "passages");
    tw_shared_passages *shared = scan->listing.shared;
    size_t count = shared->candidates.count;
    shared->extents =
        tw_paged_alloc(tw_corpus_paged(scan->corpus), (count + 1) * sizeof *shared->extents);
    if (!shared->extents)
        return TWINSET_NOMEM;
    int status = tw_parallel(&loop, count, verify_candidate, scan);
    scan->search.matches.most = 0;
    if (status == TWINSET_OK)
        status =
            tw_matches_append(&scan->search.matches, scan->search.found, scan->options->threads);
    return status == TWINSET_OK ? tw_matches_sort(&scan->search.matches, NULL) : status;
}

/* ---- old documents, such as the items of a test */

/* Whether nothing could be said of an old document even if all of it were copied: it is shorter
 * than a passage, or made of words that chance explains. */
static int is_too_short(tw_scan_run *scan, uint32_t document, bool *is_short)
{
    tw_shared_passages *shared = scan->listing.shared;
    const tw_prose_words *words;
    *is_short = false;
    if (tw_prose_text_is_too_large(scan->corpus, document))
        return TWINSET_OK;
    int status = tw_prose_texts_get(&shared->texts, 0, 0, document, &words);
    if (status != TWINSET_OK)
        return status;
    const tw_extent whole = {
        .passages = words->sequence.side.count >= shared->rules.least,
        .evidence = tw_prose_evidence_of_copy(words, &shared->rules),
    };
    *is_short = !is_beyond_chance(scan, &whole);
    return TWINSET_OK;
}

/* Notes how many old documents are too short to tell, and names the first. */
static int note_short_old(tw_scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    uint32_t first = 0;
    size_t old = 0, count = 0;
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++) {
        bool is_short;
        if (tw_corpus_role(corpus, i) != TWINSET_ROLE_OLD)
            continue;
        status = is_too_short(scan, i, &is_short);
        old++;
        first = is_short && !count ? i : first;
        count += is_short;
    }
    if (status != TWINSET_OK || !count)
        return status;
    return tw_result_note(scan->result,
                          "%zu of %zu old documents are too short, or too commonplace, to tell by "
                          "passages, for example %s",
                          count, old, scan->result->names[first]);
}

/* Sets the rules by which passages are found, and among how many pairs they are looked for. */
static void set_rules(tw_scan_run *scan)
{
    tw_prose_rules *rules = &scan->listing.shared->rules;
    double documents = (double)scan->search.originals.count;
    if (scan->selected_from) {
        documents = (double)scan->selected_from->documents;
        *rules = scan->selected_from->rarity;
    }
    rules->least = tw_wants_passages(scan->options) ? scan->options->min_passage : 0;
    scan->result->chance.passage_pairs = documents * (documents - 1) / 2;
}

/* Prepares to leave out the evidence of boilerplate. A question about one document does not: the
 * others of a collection may lie in an index, of which only those are read that may answer. */
static int prepare_boilerplate(tw_scan_run *scan)
{
    tw_shared_passages *shared = scan->listing.shared;
    if (!shared->boilerplate.of_any.count || scan->corpus->has_like || scan->selected_from)
        return TWINSET_OK;
    shared->boilerplate_words =
        tw_calloc(scan->options->threads, sizeof *shared->boilerplate_words);
    return shared->boilerplate_words ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_scan_find_passages(tw_scan_run *scan)
{
    if (!wants_passages(scan))
        return TWINSET_OK;
    if (is_too_large(scan))
        return tw_result_note(scan->result,
                              "passages were not looked for in more than %lluM of text; "
                              "`min-passage` looks for them",
                              (unsigned long long)(MOST_UNASKED >> 20));
    tw_shared_passages *shared = scan->listing.shared = tw_calloc(1, sizeof *shared);
    if (!shared)
        return TWINSET_NOMEM;
    scan->result->pairs.has_passages = true;
    int status = tw_corpus_fetch_all(scan->corpus, scan->error);
    if (status == TWINSET_OK)
        status = tw_prose_texts_init(&shared->texts, scan->corpus);
    if (status == TWINSET_OK)
        status = tw_count_stems(scan, &shared->texts, &shared->counts, &shared->rules);
    set_rules(scan);
    if (status == TWINSET_OK)
        status = tw_find_passage_candidates(scan, &shared->texts, &shared->counts,
                                            &shared->candidates, &shared->boilerplate);
    if (status == TWINSET_OK)
        status = prepare_boilerplate(scan);
    if (status == TWINSET_OK)
        status = verify_candidates(scan);
    return status == TWINSET_OK ? note_short_old(scan) : status;
}

void tw_shared_passages_free(tw_shared_passages *shared)
{
    if (!shared)
        return;
    tw_stem_counts_free(&shared->counts);
    tw_free(shared->candidates.data);
    tw_boilerplate_free(&shared->boilerplate.of_any);
    tw_boilerplate_free(&shared->boilerplate.of_old);
    if (shared->texts.corpus) {
        tw_paged_free(tw_corpus_paged(shared->texts.corpus), shared->extents);
        unsigned threads = shared->texts.corpus->settings->options.threads;
        for (unsigned i = 0; shared->boilerplate_words && i < threads; i++)
            tw_boilerplate_words_free(&shared->boilerplate_words[i]);
    }
    tw_free(shared->boilerplate_words);
    tw_prose_texts_free(&shared->texts);
    tw_free(shared);
}

/* ---- what is listed */

/* The extent of a candidate; NULL: it is none. */
static const tw_extent *find_candidate(const tw_scan_run *scan, uint32_t a, uint32_t b)
{
    const tw_shared_passages *shared = scan->listing.shared;
    size_t low = 0, high = shared->candidates.count;
    uint64_t wanted = (uint64_t)a << 32 | b;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const tw_passage_candidate *found = &shared->candidates.data[middle];
        uint64_t pair = (uint64_t)found->a << 32 | found->b;
        if (pair == wanted)
            return extent_of(scan, middle);
        if (pair < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int measure_match(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    const tw_originals *originals = &scan->search.originals;
    const tw_match *match = tw_match_at(&scan->search.matches, index);
    tw_extent *extent = tw_result_extent(scan->result, index);
    const tw_extent *known = find_candidate(scan, match->a, match->b);
    *extent = known ? *known : (tw_extent){.weighted = NAN};
    if (known || !scan->listing.shared->measures_similar || !tw_scan_lists(scan, index))
        return TWINSET_OK;
    return search_pair(scan, worker, tw_original_first(originals, match->a),
                       tw_original_first(originals, match->b), extent);
}

/* Decides whether the passages of similar pairs are looked for: not where nobody asked for them,
 * and the pairs are too many. */
static int choose_measured(tw_scan_run *scan)
{
    const tw_totals *totals = &scan->corpus->totals;
    double shingles = 0;
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        const tw_match *match = tw_match_at(&scan->search.matches, i);
        if (tw_scan_lists(scan, i))
            shingles += (double)(match->a_count + match->b_count);
    }
    double bytes =
        shingles * (double)totals->bytes / (double)(totals->shingles | !totals->shingles);
    bool measures = tw_wants_passages(scan->options) || bytes <= (double)MOST_UNASKED_PAIRS;
    scan->listing.shared->measures_similar = measures;
    if (measures)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "passages were not looked for in the similar pairs, which have more than "
                          "%lluM of text in all; `min-passage` looks for them",
                          (unsigned long long)(MOST_UNASKED_PAIRS >> 20));
}

int tw_scan_measure_prose(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "passages");
    size_t count = scan->search.matches.count;
    scan->result->pairs.extents = tw_paged_alloc(tw_corpus_paged(scan->corpus),
                                                 (count + 1) * sizeof *scan->result->pairs.extents);
    int status = scan->result->pairs.extents ? choose_measured(scan) : TWINSET_NOMEM;
    return status == TWINSET_OK ? tw_parallel(&loop, count, measure_match, scan) : status;
}

int tw_scan_measure_prose_copy(tw_scan_run *scan, uint32_t document)
{
    tw_pair_list *pairs = &scan->result->pairs;
    int status = TW_GROW(pairs->copy_extents, pairs->copy_capacity, pairs->copies.count + 1);
    return status == TWINSET_OK
               ? search_pair(scan, 0, document, document, &pairs->copy_extents[pairs->copies.count])
               : status;
}
