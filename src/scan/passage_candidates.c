#include "passage_candidates.h"

#include <stdlib.h>
#include <string.h>

/* A pair is a candidate if a square of so many words of either document has so many word pairs of
 * both; or so many words of the one, whatever has them in the other, as of a summary. Chosen on PAN
 * 2013: docs/accuracy.md. */
enum {
    SQUARE_WORDS = 100,
    LEAST_IN_SQUARE = 5,
    LEAST_IN_STRETCH = 14,
    LEAST_SCORE = 16,    /* a score of 16 is the least of either */
    RUN_SCORE = 1 << 16, /* a run of equal words */
    MOST_SEEDS = 4096,   /* of a pair: one with more needs no count */
};

/* Candidates: so many, and so many for each document. */
enum { MOST_CANDIDATES = 1000, MOST_A_DOCUMENT = 16 };

/* In a collection of few documents, up to TW_SEED_DOCUMENTS of them may have a key that proposes
 * pairs, in others half as many: there are more keys. */
enum { FEW_DOCUMENTS = 1000 };

enum { DIGIT_BITS = 8 }; /* the least that a sorter takes */

/* The part of memory that the keys of boilerplate may take: one in so many. */
enum { COMMON_SHARE = 256 };

/* A stem is rare if this share of the documents has it, or few enough to be paired. */
enum { RARE_SHARE = 8 };
enum { SORT_SHARE = 8 }; /* of memory, for each of two lists that are sorted */

/* A square of two documents, and the word pairs in it. */
typedef struct square {
    uint64_t corner;
    uint32_t count;
} square;

/* Documents that have a key, and the first of them, each with the first word that has it. */
typedef struct sharers {
    size_t count;
    uint64_t first[TW_SEED_DOCUMENTS];
} sharers;

/* The scratch of one thread. */
typedef struct seed_worker {
    struct seed_search *search;
    unsigned number;
    tw_seed_maker maker;
    uint32_t original;  /* whose keys are being made, or that came last */
    tw_u64s sort[2];    /* working memory */
    uint64_t words;     /* of all documents so far */
    uint64_t most;      /* words of the longest document */
    uint64_t key;       /* of the group in work: a key, or a pair */
    sharers sharers[2]; /* of a key: documents that are not old, and old ones */
    size_t group_count; /* word pairs of a pair */
    uint64_t *group;    /* MOST_SEEDS values */
    bool has_run;       /* the pair shares a run of equal words */
    square *squares;    /* hash table */
    tw_boilerplates common;
    tw_passage_candidates found;
} seed_worker;

typedef struct seed_search {
    tw_scan_run *scan;
    tw_prose_texts *texts;
    tw_stem_counts *counts;
    tw_sorter *keys, *pairs;
    seed_worker *workers;
    unsigned bits;         /* of the number of an original */
    size_t most_documents; /* that may have a key which proposes pairs */
    size_t most_common;    /* keys of boilerplate that are held */
    bool wants_all;        /* all pairs are compared */
} seed_search;

/* ---- stems and keys */

static int get_words(seed_worker *self, uint32_t original, const tw_prose_words **words)
{
    seed_search *search = self->search;
    uint32_t document = tw_original_first(&search->scan->search.originals, original);
    *words = NULL;
    if (tw_prose_text_is_too_large(search->texts->corpus, document)) {
        atomic_store(&search->scan->unmeasured, true);
        return TWINSET_OK;
    }
    return tw_prose_texts_get(search->texts, self->number, 0, document, words);
}

static int count_stems(void *context, unsigned worker, size_t index)
{
    seed_search *search = context;
    seed_worker *self = &search->workers[worker];
    const tw_prose_words *words;
    int status = get_words(self, (uint32_t)index, &words);
    if (status != TWINSET_OK || !words)
        return status;
    size_t count = words->sequence.side.count;
    self->words += count;
    self->most = count > self->most ? count : self->most;
    return tw_stem_counts_add(search->counts, words->stems, count, self->sort);
}

static int add_key(void *context, uint64_t key, uint32_t word)
{
    const seed_worker *self = context;
    return tw_sorter_add(self->search->keys, self->number,
                         (tw_entry){key, (uint64_t)self->original << 32 | word});
}

static int make_keys(void *context, unsigned worker, size_t index)
{
    seed_search *search = context;
    seed_worker *self = &search->workers[worker];
    const tw_prose_words *words;
    int status = get_words(self, (uint32_t)index, &words);
    self->original = (uint32_t)index;
    return status == TWINSET_OK && words ? tw_seed_keys_make(&self->maker, words) : status;
}

/* ---- pairs of the documents that share a key */

static bool is_old(const seed_worker *self, uint32_t original)
{
    const tw_scan_run *scan = self->search->scan;
    return tw_corpus_role(scan->corpus, tw_original_first(&scan->search.originals, original)) ==
           TWINSET_ROLE_OLD;
}

/* Adds the key whose documents end to what is boilerplate. */
static int keep_common(seed_worker *self)
{
    const sharers *new = &self->sharers[0], *old = &self->sharers[1];
    size_t documents = new->count + old->count, most = self->search->most_common;
    if (documents <= TW_SEED_DOCUMENTS || !tw_seed_key_is_run(self->key))
        return TWINSET_OK;
    uint64_t first = new->count ? new->first[0] : old->first[0];
    const tw_boilerplate_run run = {(uint32_t)(first >> 32), (uint32_t)first, documents};
    int status = tw_boilerplate_add(&self->common.of_any, self->key, &run, most);
    self->common.has_item |= old->count && old->count <= TW_SEED_DOCUMENTS;
    if (status == TWINSET_OK && old->count > TW_SEED_DOCUMENTS)
        status = tw_boilerplate_add(&self->common.of_old, self->key, &run, most);
    return status;
}

static int add_pair(seed_worker *self, uint64_t one, uint64_t other)
{
    uint64_t x = one < other ? one : other, y = one < other ? other : one;
    uint32_t a = (uint32_t)(x >> 32), b = (uint32_t)(y >> 32);
    if (!self->search->wants_all && !tw_scan_wants_pair(self->search->scan, a, b))
        return TWINSET_OK;
    uint64_t words = (x & INT32_MAX) << 32 | (y & INT32_MAX);
    if (tw_seed_key_is_run(self->key))
        words |= UINT64_C(1) << 63;
    return tw_sorter_add(self->search->pairs, self->number,
                         (tw_entry){(uint64_t)a << self->search->bits | b, words});
}

static int add_pairs(seed_worker *self, uint64_t one, const uint64_t *others, size_t count)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = add_pair(self, one, others[i]);
    return status;
}

/* Pairs documents with those after them. */
static int pair_all(seed_worker *self, const uint64_t *documents, size_t count)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = add_pairs(self, documents[i], documents + i + 1, count - i - 1);
    return status;
}

/* Ends the documents of a key. If they are many, but few of them are old, these are paired with the
 * first of the others: what is asked of them is whether they stand anywhere. */
static int end_key(seed_worker *self)
{
    sharers *new = &self->sharers[0], *old = &self->sharers[1];
    bool is_run = tw_seed_key_is_run(self->key);
    size_t most = is_run ? TW_SEED_DOCUMENTS : self->search->most_documents;
    bool is_few = new->count + old->count <= most;
    size_t others = new->count < TW_SEED_DOCUMENTS ? new->count : TW_SEED_DOCUMENTS;
    int status = keep_common(self);
    if (is_few && status == TWINSET_OK)
        status = pair_all(self, new->first, new->count);
    if (is_few && status == TWINSET_OK) /* what is old may have a copy that is not */
        status = pair_all(self, old->first, old->count);
    if (is_few || (is_run && old->count <= most))
        for (size_t i = 0; i < old->count && status == TWINSET_OK; i++)
            status = add_pairs(self, old->first[i], new->first, others);
    new->count = 0;
    old->count = 0;
    return status;
}

/* Groups the keys by document, with the first word that each has the key at. */
static int group_keys(void *context, unsigned worker, bool starts, const tw_entry *entries,
                      size_t count)
{
    seed_search *search = context;
    seed_worker *self = &search->workers[worker];
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        if ((starts && i == 0) || entries[i].key != self->key)
            status = end_key(self);
        uint32_t original = (uint32_t)(entries[i].value >> 32);
        self->key = entries[i].key;
        if (self->sharers[0].count + self->sharers[1].count && self->original == original)
            continue;
        sharers *documents = &self->sharers[is_old(self, original)];
        if (documents->count < TW_SEED_DOCUMENTS)
            documents->first[documents->count] = entries[i].value;
        documents->count++;
        self->original = original;
    }
    return status;
}

/* ---- candidates */

/* The most values that a stretch of SQUARE_WORDS has, of ascending ones. */
static uint32_t count_in_stretch(const uint64_t *values, size_t count, unsigned shift)
{
    uint32_t most = 0;
    for (size_t first = 0, i = 0; i < count; i++) {
        while ((values[i] >> shift) - (values[first] >> shift) > SQUARE_WORDS)
            first++;
        most = i - first + 1 > most ? (uint32_t)(i - first + 1) : most;
    }
    return most;
}

/* Adds one to a square, and returns how many it has then. */
static uint32_t add_to_square(square *squares, size_t mask, uint64_t corner)
{
    size_t at = (size_t)tw_fold_product(corner ^ 0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u) & mask;
    while (squares[at].count && squares[at].corner != corner)
        at = (at + 1) & mask;
    squares[at].corner = corner;
    return ++squares[at].count;
}

/* The most word pairs that a square has. Squares overlap by half, so that what is within half a
 * square is in one of them. */
static uint32_t count_in_square(seed_worker *self)
{
    enum { HALF = SQUARE_WORDS / 2 };
    uint32_t most = 0;
    size_t size = 16;
    while (size < 8 * self->group_count)
        size *= 2;
    memset(self->squares, 0, size * sizeof *self->squares);
    for (size_t i = 0; i < self->group_count; i++) {
        uint64_t a = (self->group[i] >> 32) / HALF, b = (self->group[i] & UINT32_MAX) / HALF;
        for (unsigned corner = 0; corner < 4; corner++) {
            uint32_t count = add_to_square(self->squares, size - 1,
                                           (a + (corner & 1)) << 32 | (b + (corner >> 1)));
            most = count > most ? count : most;
        }
    }
    return most;
}

static uint32_t score_pair(seed_worker *self)
{
    size_t count = self->group_count;
    if (self->has_run || count > MOST_SEEDS)
        return RUN_SCORE;
    if (count < LEAST_IN_SQUARE)
        return 0;
    uint32_t joint = count_in_square(self), a = count_in_stretch(self->group, count, 32);
    for (size_t i = 0; i < count; i++)
        self->sort[0].data[i] = self->group[i] & UINT32_MAX;
    tw_sort_u64(self->sort[0].data, count, self->sort[1].data);
    uint32_t b = count_in_stretch(self->sort[0].data, count, 0), stretch = a > b ? a : b;
    joint = LEAST_SCORE * joint / LEAST_IN_SQUARE;
    stretch = LEAST_SCORE * stretch / LEAST_IN_STRETCH;
    return joint > stretch ? joint : stretch;
}

static int end_pair(seed_worker *self)
{
    uint32_t score = self->group_count || self->has_run ? score_pair(self) : 0;
    tw_passage_candidates *found = &self->found;
    self->group_count = 0;
    self->has_run = false;
    if (score < LEAST_SCORE)
        return TWINSET_OK;
    int status = TW_GROW(found->data, found->capacity, found->count + 1);
    unsigned bits = self->search->bits;
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    if (status == TWINSET_OK)
        found->data[found->count++] = (tw_passage_candidate){(uint32_t)(self->key >> bits),
                                                             (uint32_t)self->key & mask, score};
    return status;
}

/* Groups what documents share by their pair. */
static int group_pairs(void *context, unsigned worker, bool starts, const tw_entry *entries,
                       size_t count)
{
    seed_search *search = context;
    seed_worker *self = &search->workers[worker];
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        if ((starts && i == 0) || entries[i].key != self->key)
            status = end_pair(self);
        self->key = entries[i].key;
        if (entries[i].value >> 63) {
            self->has_run = true;
            continue;
        }
        if (self->group_count < MOST_SEEDS)
            self->group[self->group_count] = entries[i].value;
        self->group_count++;
    }
    return status;
}

/* ---- the list */

static int by_pair(const void *left, const void *right)
{
    const tw_passage_candidate *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int by_score(const void *left, const void *right)
{
    const tw_passage_candidate *x = left, *y = right;
    return x->score != y->score ? (x->score > y->score ? -1 : 1) : by_pair(left, right);
}

/* Gathers the candidates of all workers, and keeps the best ones if there are too many. */
static int gather(seed_search *search, tw_passage_candidates *all)
{
    unsigned threads = search->scan->options->threads;
    size_t most = MOST_CANDIDATES + MOST_A_DOCUMENT * search->scan->search.originals.count;
    int status = TWINSET_OK;
    for (unsigned i = 0; i < threads && status == TWINSET_OK; i++) {
        const tw_passage_candidates *found = &search->workers[i].found;
        status = TW_GROW(all->data, all->capacity, all->count + found->count);
        if (status == TWINSET_OK && found->count)
            memcpy(all->data + all->count, found->data, found->count * sizeof *found->data);
        all->count += status == TWINSET_OK ? found->count : 0;
    }
    if (status != TWINSET_OK || !all->count)
        return status;
    size_t found = all->count;
    if (found > most) {
        qsort(all->data, found, sizeof *all->data, by_score);
        all->count = most;
    }
    qsort(all->data, all->count, sizeof *all->data, by_pair);
    if (found <= most)
        return TWINSET_OK;
    return tw_result_note(search->scan->result,
                          "%s pairs may share passages; the %s with most in common were looked at",
                          tw_number_count(found).text, tw_number_count(most).text);
}

/* ---- the stages */

static int init_search(seed_search *search, tw_scan_run *scan, tw_prose_texts *texts,
                       tw_stem_counts *counts)
{
    unsigned threads = scan->options->threads;
    size_t originals = scan->search.originals.count;
    *search = (seed_search){
        .scan = scan,
        .texts = texts,
        .counts = counts,
        .bits = DIGIT_BITS,
        .most_documents = originals <= FEW_DOCUMENTS ? TW_SEED_DOCUMENTS : TW_SEED_DOCUMENTS / 2,
        .most_common = tw_memory_share(scan->options, COMMON_SHARE) / sizeof(uint64_t),
        .wants_all = tw_corpus_wants_all(scan->corpus),
    };
    while (originals >> search->bits)
        search->bits++;
    search->workers = tw_calloc(threads, sizeof *search->workers);
    if (!search->workers)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < threads; i++)
        search->workers[i] = (seed_worker){.search = search, .number = i};
    return TWINSET_OK;
}

static void free_search(seed_search *search)
{
    for (unsigned i = 0; search->workers && i < search->scan->options->threads; i++) {
        seed_worker *self = &search->workers[i];
        tw_winnower_free(self->maker.winnower);
        for (unsigned j = 0; j < 2; j++)
            tw_free(self->sort[j].data);
        tw_free(self->group);
        tw_free(self->squares);
        tw_free(self->found.data);
        tw_boilerplate_free(&self->common.of_any);
        tw_boilerplate_free(&self->common.of_old);
    }
    tw_free(search->workers);
    tw_sorter_free(search->keys);
    tw_sorter_free(search->pairs);
}

/* Says so where no document is long enough to have a passage of the least length asked for. */
static int note_short_documents(const seed_search *search)
{
    tw_scan_run *scan = search->scan;
    unsigned least = scan->options->min_passage;
    uint64_t most = 0;
    for (unsigned i = 0; i < scan->options->threads; i++)
        most = search->workers[i].most > most ? search->workers[i].most : most;
    if (least == TWINSET_OFF || most >= least || atomic_load(&scan->unmeasured))
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "no passage was looked for: the longest document has %llu words, and "
                          "`min-passage` is %u",
                          (unsigned long long)most, least);
}

/* Returns about how many words the documents have. This depends on their texts alone, and not on
 * the files that have them, since the sizes of the tables of counts show in the evidence. */
static uint64_t estimate_words(const tw_scan_run *scan)
{
    const tw_documents *documents = &scan->corpus->documents;
    uint64_t tokens = 0;
    for (size_t i = 0; i < documents->count; i++)
        tokens += tw_document_at(scan->corpus, i)->tokens;
    return scan->options->by == TWINSET_BY_WORD ? tokens : tokens / 4;
}

int tw_count_stems(tw_scan_run *scan, tw_prose_texts *texts, tw_stem_counts *counts,
                   tw_prose_rules *rules)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "words");
    seed_search search;
    uint64_t words = 0;
    int status = tw_stem_counts_init(counts, estimate_words(scan));
    if (status == TWINSET_OK)
        status = init_search(&search, scan, texts, counts);
    if (status != TWINSET_OK)
        return status;
    status = tw_parallel(&loop, scan->search.originals.count, count_stems, &search);
    for (unsigned i = 0; i < scan->options->threads; i++)
        words += search.workers[i].words;
    if (status == TWINSET_OK)
        status = note_short_documents(&search);
    free_search(&search);
    size_t documents = scan->search.originals.count;
    *rules = (tw_prose_rules){
        .documents = tw_stem_count,
        .context = counts,
        .document_count = documents,
        .document_words = documents ? (double)words / (double)documents : 0,
    };
    return status;
}

static int prepare_worker(seed_search *search, seed_worker *self)
{
    size_t documents = search->scan->search.originals.count, rare = documents / RARE_SHARE;
    self->maker = (tw_seed_maker){
        .counts = search->counts,
        .most_documents = (uint32_t)(rare > TW_SEED_DOCUMENTS ? rare : TW_SEED_DOCUMENTS),
        .take = add_key,
        .context = self,
    };
    self->group = tw_array(MOST_SEEDS, sizeof *self->group);
    self->squares = tw_array(8 * MOST_SEEDS, sizeof *self->squares);
    int status = self->group && self->squares ? TWINSET_OK : TWINSET_NOMEM;
    for (unsigned i = 0; i < 2 && status == TWINSET_OK; i++)
        status = TW_GROW(self->sort[i].data, self->sort[i].capacity, MOST_SEEDS);
    return status == TWINSET_OK ? tw_winnower_new(TW_SEED_RUN, &self->maker.winnower) : status;
}

/* Ends the last group of each worker by `end`. */
static int end_groups(seed_search *search, int (*end)(seed_worker *self))
{
    int status = TWINSET_OK;
    for (unsigned i = 0; i < search->scan->options->threads && status == TWINSET_OK; i++)
        status = end(&search->workers[i]);
    return status;
}

static int find_pairs(seed_search *search)
{
    tw_scan_run *scan = search->scan;
    const twinset_options *options = scan->options;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "passages");
    int status = tw_sorter_new(64, tw_memory_share(options, SORT_SHARE), options->threads,
                               options->tmp, &search->keys, scan->error);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, scan->search.originals.count, make_keys, search);
    if (status == TWINSET_OK)
        status = tw_sorter_new(2 * search->bits, tw_memory_share(options, SORT_SHARE),
                               options->threads, options->tmp, &search->pairs, scan->error);
    if (status == TWINSET_OK)
        status = tw_sorter_visit(search->keys, &loop, group_keys, search, scan->error);
    if (status == TWINSET_OK)
        status = end_groups(search, end_key);
    tw_sorter_free(search->keys);
    search->keys = NULL;
    if (status == TWINSET_OK)
        status = tw_sorter_visit(search->pairs, &loop, group_pairs, search, scan->error);
    return status == TWINSET_OK ? end_groups(search, end_pair) : status;
}

/* Gathers the boilerplate that all workers have found, and notes it. */
static int gather_common(seed_search *search, tw_boilerplates *common)
{
    tw_scan_run *scan = search->scan;
    size_t most = search->most_common;
    int status = TWINSET_OK;
    for (unsigned i = 0; i < scan->options->threads && status == TWINSET_OK; i++) {
        const tw_boilerplates *others = &search->workers[i].common;
        common->has_item |= others->has_item;
        status = tw_boilerplate_merge(&common->of_any, &others->of_any, most);
        if (status == TWINSET_OK)
            status = tw_boilerplate_merge(&common->of_old, &others->of_old, most);
    }
    return status == TWINSET_OK ? tw_note_boilerplate(scan, common) : status;
}

int tw_find_passage_candidates(tw_scan_run *scan, tw_prose_texts *texts, tw_stem_counts *counts,
                               tw_passage_candidates *candidates, tw_boilerplates *common)
{
    seed_search search;
    int status = init_search(&search, scan, texts, counts);
    for (unsigned i = 0; i < scan->options->threads && status == TWINSET_OK; i++)
        status = prepare_worker(&search, &search.workers[i]);
    if (status == TWINSET_OK)
        status = find_pairs(&search);
    if (status == TWINSET_OK)
        status = gather(&search, candidates);
    if (status == TWINSET_OK)
        status = gather_common(&search, common);
    free_search(&search);
    return status;
}
