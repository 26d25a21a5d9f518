#include "drawn_pairs.h"

#include <math.h>

/* Adds two documents, if the run compares them. */
static void add_pair(const tw_scan_run *scan, tw_drawn_pairs *drawn, uint32_t a, uint32_t b)
{
    if (a != b && tw_corpus_wants(scan->corpus, a, b))
        drawn->data[drawn->count++] =
            (tw_drawn_pair){.x = scan->search.originals.of[a], .y = scan->search.originals.of[b]};
}

static void add_all_pairs(const tw_scan_run *scan, tw_drawn_pairs *drawn)
{
    for (size_t i = 0; i < drawn->document_count; i++)
        for (size_t j = i + 1; j < drawn->document_count; j++)
            add_pair(scan, drawn, drawn->documents[i], drawn->documents[j]);
}

/* Every document is drawn equally often as the first of a pair. */
static void add_random_pairs(const tw_scan_run *scan, tw_drawn_pairs *drawn)
{
    uint64_t state = scan->options->seed;
    for (size_t i = 0; i < drawn->most; i++)
        add_pair(scan, drawn, drawn->documents[i % drawn->document_count],
                 drawn->documents[tw_splitmix64(&state) % drawn->document_count]);
}

static bool is_blank(const tw_scan_run *scan, uint32_t document)
{
    return scan->search.sizes ? !scan->search.sizes[scan->search.originals.of[document]]
                              : tw_document_at(scan->corpus, document)->is_blank;
}

int tw_draw_pairs(tw_scan_run *scan, size_t most, tw_drawn_pairs *drawn)
{
    const tw_corpus *corpus = scan->corpus;
    *drawn = (tw_drawn_pairs){
        .documents = tw_array(corpus->documents.count, sizeof *drawn->documents),
        .data = tw_array(most, sizeof *drawn->data),
        .most = most,
        .figures = tw_array(most, sizeof *drawn->figures),
    };
    if (!drawn->documents || !drawn->data || !drawn->figures)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count; i++)
        if (!is_blank(scan, i))
            drawn->documents[drawn->document_count++] = i;
    if (drawn->document_count < TW_LEAST_DRAWN)
        return TWINSET_OK;
    double documents = (double)drawn->document_count, all = 0.5 * documents * (documents - 1),
           tried = fmin(all, (double)most);
    if (all <= (double)most)
        add_all_pairs(scan, drawn);
    else
        add_random_pairs(scan, drawn);
    drawn->wanted = all * (double)drawn->count / tried;
    return TWINSET_OK;
}

void tw_drawn_pairs_free(tw_drawn_pairs *drawn)
{
    tw_free(drawn->documents);
    tw_free(drawn->data);
    tw_free(drawn->figures);
}

void tw_drawn_pairs_describe(tw_drawn_pairs *drawn, tw_sampled_pairs *sampled)
{
    size_t tenth = drawn->count / 10;
    for (size_t i = 0; i < drawn->count; i++) {
        double bar = fmin(fmax(drawn->figures[i], 0) * TW_SIMILARITY_BARS, TW_SIMILARITY_BARS - 1);
        sampled->bars[(size_t)bar]++;
    }
    sampled->median = tw_background_fit(drawn->figures, drawn->count);
    sampled->upper = drawn->count ? drawn->figures[drawn->count - 1 - tenth] : 0;
    sampled->count = (uint32_t)drawn->count;
}
