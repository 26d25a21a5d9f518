/*
 * How rare words are in an index, from a sample of its documents: what chance explains of a shared
 * passage is judged by it. The sample is the documents whose ids have the lowest hashes, so that it
 * depends on what is in the index alone, and changes seldom when documents come and go. A word
 * counts as no rarer than one of 50,000 (passages/prose_rarity.c), which some hundred pages show.
 * It takes some 30 ms of CPU time for documents of a kilobyte, once for each handle.
 */
#include "store.h"

#include <stdlib.h>

enum {
    SAMPLE_DOCUMENTS = 1024,
    LEAST_DOCUMENTS = 64,
    SAMPLE_BYTES = 4 << 20, /* of texts; no more documents than the least are read beyond that */
};

struct tw_rarity {
    tw_u64s sample; /* the numbers of its documents, by the hashes of their ids */
    tw_stem_counts counts;
    tw_prose_rules rules;
};

void tw_rarity_free(tw_rarity *rarity)
{
    if (!rarity)
        return;
    tw_free(rarity->sample.data);
    tw_stem_counts_free(&rarity->counts);
    tw_free(rarity);
}

/* ---- the sample */

static int by_term(const void *left, const void *right)
{
    const tw_posting *x = left, *y = right;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* Appends the first ids of a run, by their hashes. */
static int read_first_ids(tw_index *index, const tw_run *run, tw_postings *postings,
                          twinset_error *error)
{
    const tw_term end = tw_term_of(1, 0);
    size_t before = postings->count;
    int status = TWINSET_OK;
    for (size_t i = 0; i < run->count && status == TWINSET_OK; i++) {
        tw_segment_head *head;
        status = tw_segment_head_get(index, &run->segments[i], &head, error);
        for (uint32_t chunk = 0; status == TWINSET_OK && chunk < head->chunk_count; chunk++) {
            size_t kept = postings->count;
            if (head->first[chunk] >= end || kept - before >= SAMPLE_DOCUMENTS)
                return TWINSET_OK;
            status = tw_segment_chunk(index, &run->segments[i], chunk, postings, error);
            for (size_t j = kept; j < postings->count; j++)
                if (postings->data[j].term >= run->from && postings->data[j].term < end)
                    postings->data[kept++] = postings->data[j];
            postings->count = kept;
        }
    }
    return status;
}

static int choose_sample(tw_index *index, tw_u64s *sample, twinset_error *error)
{
    const tw_manifest *manifest = &index->manifest;
    tw_postings postings = {0};
    int status = TW_GROW(sample->data, sample->capacity, SAMPLE_DOCUMENTS);
    for (size_t i = 0; i < manifest->run_count && status == TWINSET_OK; i++)
        status = read_first_ids(index, &manifest->runs[i], &postings, error);
    if (status == TWINSET_OK && postings.count)
        qsort(postings.data, postings.count, sizeof *postings.data, by_term);
    for (size_t i = 0;
         i < postings.count && sample->count < SAMPLE_DOCUMENTS && status == TWINSET_OK; i++)
        sample->data[sample->count++] = postings.data[i].document;
    tw_free(postings.data);
    return tw_complete_error(error, status);
}

/* ---- its words */

/* What the words of the sample are counted with. */
typedef struct word_counter {
    tw_rarity *rarity;
    tw_stemmer *stemmer;
    tw_sequence_rules rules;
    tw_prose_words words;
    tw_u64s scratch[2];
    uint64_t bytes, all; /* of texts; words */
} word_counter;

static int count_document(tw_index *index, word_counter *counter, uint64_t number,
                          twinset_error *error)
{
    tw_stored_document record;
    tw_program program;
    int status = tw_read_document(index, number, &record, error);
    if (status == TWINSET_EMPTY)
        return tw_store_damaged(index, error, "document number %llu is lost",
                                (unsigned long long)number);
    if (status == TWINSET_OK)
        status = tw_unpack_text(index, &record, error);
    if (status == TWINSET_OK)
        status = tw_analyse_tokens(index->tools.analyser, record.id, index->text.data,
                                   index->text.length, 0, &program);
    if (status == TWINSET_OK)
        status =
            tw_prose_words_fill(&counter->words, &program, index->text.data, &counter->rules,
                                counter->stemmer, &index->tools.analyser->program_scratch.starts);
    size_t count = counter->words.sequence.side.count;
    counter->bytes += index->text.length;
    counter->all += count;
    return status == TWINSET_OK ? tw_stem_counts_add(&counter->rarity->counts, counter->words.stems,
                                                     count, counter->scratch)
                                : status;
}

static int count_sample(tw_index *index, tw_rarity *rarity, twinset_error *error)
{
    word_counter counter = {.rarity = rarity,
                            .rules = tw_sequence_rules_of(&index->settings->options, (tw_set){0})};
    size_t documents = 0;
    int status = tw_stemmer_new(&counter.stemmer);
    if (status == TWINSET_OK)
        status = tw_stem_counts_init(&rarity->counts, SAMPLE_BYTES / 4);
    for (; documents < rarity->sample.count && status == TWINSET_OK; documents++) {
        if (documents >= LEAST_DOCUMENTS && counter.bytes >= SAMPLE_BYTES)
            break;
        status = count_document(index, &counter, rarity->sample.data[documents], error);
    }
    rarity->rules = (tw_prose_rules){
        .documents = tw_stem_count,
        .context = &rarity->counts,
        .document_count = documents,
        .document_words = documents ? (double)counter.all / (double)documents : 0,
    };
    tw_stemmer_free(counter.stemmer);
    tw_prose_words_free(&counter.words);
    for (unsigned i = 0; i < 2; i++)
        tw_free(counter.scratch[i].data);
    return tw_complete_error(error, status);
}

/* ---- the interface */

static bool is_same_sample(const tw_u64s *x, const tw_u64s *y)
{
    return x->count == y->count &&
           (x->count == 0 || memcmp(x->data, y->data, x->count * sizeof *x->data) == 0);
}

int tw_index_rarity(tw_index *index, tw_prose_rules *rules, twinset_error *error)
{
    tw_rarity *made = tw_calloc(1, sizeof *made);
    if (!made)
        return tw_nomem(error);
    int status = tw_index_analyser(index, error);
    if (status == TWINSET_OK)
        status = choose_sample(index, &made->sample, error);
    if (status == TWINSET_OK && index->tools.rarity &&
        is_same_sample(&index->tools.rarity->sample, &made->sample)) {
        tw_rarity_free(made);
        *rules = index->tools.rarity->rules;
        return TWINSET_OK;
    }
    if (status == TWINSET_OK)
        status = count_sample(index, made, error);
    if (status != TWINSET_OK) {
        tw_rarity_free(made);
        return status;
    }
    tw_rarity_free(index->tools.rarity);
    index->tools.rarity = made;
    *rules = made->rules;
    return TWINSET_OK;
}
