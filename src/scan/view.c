#include "view.h"

#include <string.h>

enum {
    KEPT = 4096,          /* views a worker keeps, by their documents' numbers */
    SHARE_OF_MEMORY = 16, /* that all workers' kept views may take */
    BYTES_A_SHINGLE = 64, /* of two views: sequences, sets, what sorting and passages need */
    SMALLEST = 1 << 16,   /* shingles that there is always room for */
};

void tw_views_init(tw_views *views, tw_corpus *corpus, unsigned worker, bool sequences)
{
    *views = (tw_views){
        .corpus = corpus,
        .worker = worker,
        .sequences = sequences,
        .indexed = UINT32_MAX,
    };
    views->current.document = UINT32_MAX;
}

static void empty_view(tw_view *view)
{
    tw_free(view->sequence.data);
    tw_free(view->sorted.data);
    tw_free(view->slots);
    *view = (tw_view){.document = UINT32_MAX};
}

static void empty_kept(tw_views *views)
{
    for (size_t i = 0; views->kept && i < KEPT; i++)
        empty_view(&views->kept[i]);
    views->bytes = 0;
}

void tw_views_free(tw_views *views)
{
    empty_view(&views->current);
    empty_kept(views);
    tw_tally_free(&views->tally);
    tw_free(views->kept);
    tw_free(views->shown[0].data);
    tw_free(views->shown[1].data);
    tw_passage_free(&views->index);
    tw_views_init(views, views->corpus, views->worker, views->sequences);
}

static uint64_t most_tokens(const tw_corpus *corpus)
{
    uint64_t most = corpus->options.memory_bytes / BYTES_A_SHINGLE;
    return most > SMALLEST ? most : SMALLEST;
}

bool tw_view_refuses(const tw_corpus *corpus, uint32_t document)
{
    return corpus->documents[document].tokens > most_tokens(corpus);
}

bool tw_views_enter_large(tw_views *views, uint32_t a, uint32_t b)
{
    tw_corpus *corpus = views->corpus;
    uint64_t tokens = corpus->documents[a].tokens + corpus->documents[b].tokens;
    bool large = tokens > most_tokens(corpus) / corpus->options.threads;
    if (large)
        pthread_mutex_lock(&corpus->large);
    return large;
}

void tw_views_leave_large(tw_views *views, bool large)
{
    if (!large)
        return;
    tw_worker *worker = &views->corpus->workers[views->worker];
    tw_views_free(views);
    tw_corpus_leave_large(views->corpus, worker, large);
}

static void start(tw_view *view, uint32_t document)
{
    view->document = document;
    view->has_sequence = view->has_set = view->has_slots = false;
}

tw_view *tw_views_current(tw_views *views, uint32_t document)
{
    if (views->current.document != document) {
        start(&views->current, document);
        views->indexed = UINT32_MAX;
    }
    return &views->current;
}

int tw_views_other(tw_views *views, uint32_t document, tw_view **found)
{
    uint64_t room = views->corpus->options.memory_bytes / SHARE_OF_MEMORY;
    if (!views->kept) {
        views->kept = tw_array(KEPT, sizeof *views->kept);
        if (!views->kept)
            return TWINSET_NOMEM;
        for (size_t i = 0; i < KEPT; i++)
            views->kept[i] = (tw_view){.document = UINT32_MAX};
    }
    tw_view *view = *found = &views->kept[document % KEPT];
    if (view->document == document)
        return TWINSET_OK;
    if (views->bytes > room / views->corpus->options.threads)
        empty_kept(views);
    /* Buffers stay with their place, and grow. */
    uint64_t bytes = 16 * views->corpus->documents[document].tokens +
                     views->corpus->options.hashes * sizeof *view->slots;
    if (bytes > view->bytes) {
        views->bytes += bytes - view->bytes;
        view->bytes = bytes;
    }
    start(view, document);
    return TWINSET_OK;
}

void tw_views_forget(tw_views *views, uint32_t document)
{
    tw_view *kept = views->kept ? &views->kept[document % KEPT] : NULL;
    if (views->current.document == document)
        views->current.document = UINT32_MAX;
    if (kept && kept->document == document)
        kept->document = UINT32_MAX;
}

int tw_view_sequence(tw_views *views, tw_view *view)
{
    if (view->has_sequence)
        return TWINSET_OK;
    view->sequence.count = 0;
    int status = tw_document_shingle(views->corpus, &views->corpus->workers[views->worker],
                                     view->document, tw_append_ids, &view->sequence);
    view->has_sequence = status == TWINSET_OK;
    return status;
}

static int copy_numbers(tw_u64s *to, const tw_u64s *from)
{
    int status = TW_GROW(to->data, to->capacity, from->count);
    if (status != TWINSET_OK)
        return status;
    if (from->count)
        memcpy(to->data, from->data, from->count * sizeof *to->data);
    to->count = from->count;
    return TWINSET_OK;
}

int tw_view_set(tw_views *views, tw_view *view)
{
    tw_corpus *corpus = views->corpus;
    const uint64_t *held = corpus->documents[view->document].set;
    if (view->has_set)
        return TWINSET_OK;
    view->has_set = held != NULL;
    if (held) {
        view->set = (tw_set){held + 1, held[0]};
        return TWINSET_OK;
    }
    int status = tw_view_sequence(views, view);
    if (status == TWINSET_OK && views->sequences)
        status = copy_numbers(&view->sorted, &view->sequence);
    if (status != TWINSET_OK)
        return status;
    if (!views->sequences) { /* they may as well be sorted where they are */
        tw_u64s empty = view->sorted;
        view->sorted = view->sequence;
        view->sequence = empty;
        view->has_sequence = false;
    }
    status = tw_corpus_make_set(corpus, &corpus->workers[views->worker], &view->sorted);
    view->set = (tw_set){view->sorted.data, view->sorted.count};
    view->has_set = status == TWINSET_OK;
    return status;
}

static bool takes_tally(const tw_views *views, const tw_view *view)
{
    const tw_corpus *corpus = views->corpus;
    const tw_document *document = &corpus->documents[view->document];
    return !view->has_set && !document->set && document->tokens <= TW_MOST_TALLIED &&
           !corpus->options.bag && !corpus->excluded_count;
}

static int tally(tw_views *views, tw_view *a, tw_view *b, tw_match *match)
{
    int status = tw_view_sequence(views, a);
    if (status == TWINSET_OK)
        status = tw_view_sequence(views, b);
    if (status != TWINSET_OK)
        return status;
    return tw_tally_overlap(&views->tally, (tw_set){a->sequence.data, a->sequence.count},
                            (tw_set){b->sequence.data, b->sequence.count}, match);
}

int tw_views_overlap(tw_views *views, tw_view *a, tw_view *b, tw_match *match)
{
    if (views->once && takes_tally(views, a) && takes_tally(views, b))
        return tally(views, a, b, match);
    int status = tw_view_set(views, a);
    if (status == TWINSET_OK)
        status = tw_view_set(views, b);
    if (status != TWINSET_OK)
        return status;
    match->a_count = a->set.count;
    match->b_count = b->set.count;
    match->shared = tw_intersect(a->set.ids, a->set.count, b->set.ids, b->set.count);
    return TWINSET_OK;
}

int tw_view_slots(tw_views *views, tw_view *view)
{
    tw_corpus *corpus = views->corpus;
    if (view->has_slots)
        return TWINSET_OK;
    if (!view->slots)
        view->slots = tw_array(corpus->options.hashes, sizeof *view->slots);
    if (!view->slots)
        return TWINSET_NOMEM;
    tw_worker *worker = &corpus->workers[views->worker];
    int status;
    if (!corpus->documents[view->document].set && tw_signature_takes_sequence(corpus)) {
        /* The ids are needed for the set as well. */
        status = tw_view_sequence(views, view);
        tw_sketch_begin(&worker->sketch, view->slots);
        if (status == TWINSET_OK)
            status = tw_signature_set(worker, (tw_set){view->sequence.data, view->sequence.count});
        tw_sketch_end(&worker->sketch);
    } else {
        status = tw_corpus_signature(corpus, views->worker, view->document, view->slots);
    }
    view->has_slots = status == TWINSET_OK;
    return status;
}

/* Shingles that are left out are no part of a passage. */
static int shown(tw_views *views, tw_view *view, tw_u64s *copy, tw_set *out)
{
    int status = tw_view_sequence(views, view);
    *out = (tw_set){view->sequence.data, view->sequence.count};
    if (status != TWINSET_OK || !views->corpus->excluded_count)
        return status;
    status = copy_numbers(copy, &view->sequence);
    if (status != TWINSET_OK)
        return status;
    tw_corpus_hide_excluded(views->corpus, view->document, copy);
    out->ids = copy->data;
    return TWINSET_OK;
}

int tw_views_longest(tw_views *views, tw_view *other, uint64_t *tokens)
{
    tw_view *current = &views->current;
    tw_set sequence;
    tw_passage passage = {0};
    int status = TWINSET_OK;
    if (views->indexed != current->document) {
        views->indexed = UINT32_MAX;
        status = shown(views, current, &views->shown[0], &sequence);
        if (status == TWINSET_OK)
            status = tw_passage_build(&views->index, sequence.ids, sequence.count);
        views->indexed = status == TWINSET_OK ? current->document : UINT32_MAX;
    }
    if (status == TWINSET_OK)
        status = shown(views, other, &views->shown[1], &sequence);
    if (status == TWINSET_OK)
        status = tw_passage_find(&views->index, sequence.ids, sequence.count, &passage);
    *tokens = tw_corpus_tokens_in(views->corpus, other->document, passage.length);
    return status;
}
