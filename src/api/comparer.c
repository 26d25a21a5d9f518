/*
 * Two texts at a time, compared as a scan does it. A comparer is a corpus whose texts come and
 * go: document 0 is the second of a pair; the others are first ones, each at a place that its
 * bytes say. So what was made of a text is there when it comes again, at the price of a
 * fingerprint: 0.05 us for 1 KB.
 */
#include "scan.h"

#include <math.h>

enum {
    SECOND,        /* document, and source, of b */
    FIRST,         /* source of a, and the document that the places start from */
    PLACES = 1024, /* of first texts: more than a bucket has that all others meet */
    DOCUMENTS = FIRST + PLACES,
};

struct twinset_comparer {
    tw_corpus corpus;
    tw_views views;
    tw_scan_run scan;
    uint64_t (*bytes)[2]; /* of each document: what tells its text from every other */
};

static int check(const twinset_options *options, twinset_error *error)
{
    if (options->by == TWINSET_BY_CODE)
        return tw_fail(error, TWINSET_USAGE,
                       "programs are compared within their collection, not two at a time; take "
                       "--by char or word");
    if (options->measure == TWINSET_MEASURE_WEIGHTED)
        return tw_fail(error, TWINSET_USAGE,
                       "--measure weighted needs the whole collection, not two texts; take jaccard "
                       "or containment");
    if (options->common < 1)
        return tw_fail(error, TWINSET_USAGE,
                       "--common needs the whole collection, not two texts; leave it out");
    return TWINSET_OK;
}

static int make_documents(twinset_comparer *comparer)
{
    tw_corpus *corpus = &comparer->corpus;
    tw_originals *originals = &comparer->scan.originals;
    comparer->bytes = tw_calloc(DOCUMENTS, sizeof *comparer->bytes);
    corpus->sources = tw_calloc(FIRST + 1, sizeof *corpus->sources);
    corpus->documents = tw_calloc(DOCUMENTS, sizeof *corpus->documents);
    originals->start = tw_array(DOCUMENTS, sizeof *originals->start);
    originals->members = tw_array(DOCUMENTS, sizeof *originals->members);
    if (!comparer->bytes || !corpus->sources || !corpus->documents || !originals->start ||
        !originals->members)
        return TWINSET_NOMEM;
    corpus->source_count = FIRST + 1;
    for (uint32_t i = 0; i < corpus->source_count; i++) {
        corpus->sources[i].file = &corpus->none;
        corpus->sources[i].lent = true;
    }
    corpus->count = DOCUMENTS;
    for (uint32_t i = 0; i < DOCUMENTS; i++) {
        originals->start[i] = originals->members[i] = i;
        corpus->documents[i].name = i == SECOND ? "b" : "a";
        corpus->documents[i].source = i == SECOND ? SECOND : FIRST;
    }
    return TWINSET_OK;
}

int twinset_comparer_new(const twinset_options *options, twinset_comparer **comparer,
                         twinset_error *error)
{
    *comparer = tw_calloc(1, sizeof **comparer);
    if (!*comparer)
        return tw_nomem(error);
    tw_corpus *corpus = &(*comparer)->corpus;
    (*comparer)->scan = (tw_scan_run){
        .corpus = corpus,
        .options = &corpus->options,
        .details = true,
        .views = &(*comparer)->views,
    };
    int status = tw_corpus_init_alone(corpus, options, error);
    tw_views_init(&(*comparer)->views, corpus, 0, true);
    if (status == TWINSET_OK)
        status = check(&corpus->options, error);
    if (status == TWINSET_OK &&
        (tw_exclude_templates(corpus) != TWINSET_OK || make_documents(*comparer) != TWINSET_OK))
        status = tw_nomem(error);
    if (status != TWINSET_OK) {
        twinset_comparer_free(*comparer);
        *comparer = NULL;
    }
    return status;
}

void twinset_comparer_free(twinset_comparer *comparer)
{
    if (!comparer)
        return;
    tw_views_free(&comparer->views);
    tw_originals_free(&comparer->scan.originals);
    tw_corpus_free(&comparer->corpus);
    tw_free(comparer->bytes);
    tw_free(comparer);
}

/* ---- texts that come and go */

/* The text is the caller's, for the time of a call. */
static void lend(tw_corpus *corpus, uint32_t source, const char *text, size_t length)
{
    corpus->sources[source].text = text ? text : "";
    corpus->sources[source].size_bytes = length;
}

static void give_back(tw_corpus *corpus)
{
    corpus->sources[FIRST].text = corpus->sources[SECOND].text = NULL;
}

static uint32_t place_of(const uint64_t bytes[2])
{
    return FIRST + (uint32_t)(bytes[0] % PLACES);
}

static int shingle(tw_corpus *corpus, uint32_t number, tw_shingles_fn sink, void *context)
{
    tw_document *document = &corpus->documents[number];
    const tw_source *source = &corpus->sources[document->source];
    tw_text_summary summary = {0};
    int status = tw_text_shingle(&corpus->workers[0], "", source->text, source->size_bytes,
                                 document->source, sink, context, &summary);
    document->tokens = summary.tokens;
    memcpy(document->digest, summary.digest, sizeof document->digest);
    return status;
}

/* The view of a text that is not known: its shingles, unless it is too large for that. */
static int look_through(twinset_comparer *comparer, uint32_t number, tw_view *view)
{
    tw_corpus *corpus = &comparer->corpus;
    int status = TWINSET_OK;
    if (tw_view_refuses(corpus, number)) /* by its bytes; tokens may be less */
        status = shingle(corpus, number, NULL, NULL);
    if (status != TWINSET_OK || tw_view_refuses(corpus, number))
        return status;
    view->sequence.count = 0;
    status = shingle(corpus, number, tw_append_ids, &view->sequence);
    view->has_sequence = status == TWINSET_OK;
    return status;
}

/* Makes a document of a text; *known: it was this one already. */
static int take(twinset_comparer *comparer, uint32_t number, const uint64_t bytes[2], bool *known)
{
    tw_corpus *corpus = &comparer->corpus;
    tw_document *document = &corpus->documents[number];
    tw_view *view;
    if (memcmp(comparer->bytes[number], bytes, sizeof comparer->bytes[number]) != 0) {
        tw_views_forget(&comparer->views, number);
        document->tokens = corpus->sources[document->source].size_bytes;
    }
    memcpy(comparer->bytes[number], bytes, sizeof comparer->bytes[number]);
    int status = TWINSET_OK;
    if (number == SECOND)
        view = tw_views_current(&comparer->views, number);
    else
        status = tw_views_other(&comparer->views, number, &view);
    *known = status == TWINSET_OK && view->has_sequence;
    if (status == TWINSET_OK && !*known)
        status = look_through(comparer, number, view);
    if (status != TWINSET_OK) /* half of it is made */
        memset(comparer->bytes[number], 0, sizeof comparer->bytes[number]);
    return status;
}

/* ---- two of them */

static bool are_identical(const tw_document *a, const tw_document *b)
{
    return a->tokens && a->tokens == b->tokens &&
           memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

static int look(twinset_comparer *comparer, const uint64_t a[2], const uint64_t b[2],
                tw_match *match)
{
    const tw_document *documents = comparer->corpus.documents;
    uint32_t first = place_of(a);
    bool knows_a, knows_b, similar;
    int status = take(comparer, SECOND, b, &knows_b);
    if (status == TWINSET_OK)
        status = take(comparer, first, a, &knows_a);
    if (status != TWINSET_OK)
        return status;
    comparer->views.once = !knows_a && !knows_b; /* as far as one can tell */
    status = tw_scan_look(&comparer->scan, 0, first, SECOND, true, match, &similar);
    if (status != TWINSET_OK || !are_identical(&documents[first], &documents[SECOND]))
        return status;
    /* As a scan has it of copies, however large they are, and whatever is left out. */
    match->similarity = 1;
    match->estimate = match->shared ? 1 : NAN;
    return tw_corpus_longest(&comparer->corpus, 0, SECOND, &match->longest);
}

static void fingerprint(const char *text, size_t length, uint64_t digest[2])
{
    tw_fingerprint print;
    tw_fingerprint_begin(&print);
    tw_fingerprint_add(&print, text, length);
    tw_fingerprint_end(&print, digest);
}

int twinset_comparer_texts(twinset_comparer *comparer, const char *a, size_t a_length,
                           const char *b, size_t b_length, twinset_pair *pair, twinset_error *error)
{
    tw_corpus *corpus = &comparer->corpus;
    uint64_t a_bytes[2], b_bytes[2];
    tw_match match;
    fingerprint(a, a_length, a_bytes);
    fingerprint(b, b_length, b_bytes);
    lend(corpus, FIRST, a, a_length);
    lend(corpus, SECOND, b, b_length);
    comparer->scan.error = error;
    if (error)
        error->message[0] = '\0';
    int status = look(comparer, a_bytes, b_bytes, &match);
    give_back(corpus);
    if (status != TWINSET_OK)
        return tw_corpus_fail(corpus, error, status);
    *pair = tw_match_pair(&match, false);
    if (!match.similarity) /* nothing is shared, maybe of nothing */
        pair->jaccard = pair->containment_a = pair->containment_b = 0;
    pair->a = "a";
    pair->b = "b";
    return TWINSET_OK;
}
