/*
 * Fingerprints of passages, by winnowing (passages/winnow.h): two texts that share TW_SEED_RUN
 * words in a row share one. They are terms of a band after those of the signature, about one for
 * four words, and lead to documents that share a passage and little else. An index without them
 * finds these only by reading all texts.
 */
#include "store.h"

struct tw_fingerprinter {
    twinset_options words;
    tw_shingler *shingler;
    tw_winnower *winnower;
    unsigned band;
    tw_u64s terms, scratch; /* of the last text */
};

int tw_fingerprinter_new(const tw_index *index, tw_fingerprinter **fingerprinter,
                         twinset_error *error)
{
    tw_fingerprinter *made = *fingerprinter = tw_calloc(1, sizeof *made);
    if (!made)
        return tw_nomem(error);
    made->words = tw_word_options(&index->settings->options);
    made->band = index->manifest.bands + 1;
    int status = tw_shingler_new(&made->words, NULL, &made->shingler, error);
    if (status == TWINSET_OK)
        status = tw_winnower_new(TW_SEED_RUN, &made->winnower);
    if (status != TWINSET_OK) {
        tw_fingerprinter_free(made);
        *fingerprinter = NULL;
    }
    return tw_complete_error(error, status);
}

void tw_fingerprinter_free(tw_fingerprinter *fingerprinter)
{
    if (!fingerprinter)
        return;
    tw_shingler_free(fingerprinter->shingler);
    tw_winnower_free(fingerprinter->winnower);
    tw_free(fingerprinter->terms.data);
    tw_free(fingerprinter->scratch.data);
    tw_free(fingerprinter);
}

static int add_run(void *context, const tw_word_run *run)
{
    tw_fingerprinter *self = context;
    tw_u64s *terms = &self->terms;
    if (TW_GROW(terms->data, terms->capacity, terms->count + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    terms->data[terms->count++] =
        tw_term_of(self->band, run->minimum >> (64 - TWINSET_INDEX_KEY_BITS));
    return TWINSET_OK;
}

int tw_make_fingerprints(tw_fingerprinter *self, const char *text, size_t length,
                         const tw_u64s **terms)
{
    tw_text_summary summary = {0};
    *terms = &self->terms;
    self->terms.count = 0;
    tw_winnower_begin(self->winnower, false, add_run, self);
    int status = tw_shingle(self->shingler, text, length, tw_winnow, self->winnower, &summary);
    if (status == TWINSET_OK)
        status = TW_GROW(self->scratch.data, self->scratch.capacity, self->terms.count + 1);
    if (status == TWINSET_OK && self->terms.count)
        self->terms.count =
            tw_sort_unique_u64(self->terms.data, self->terms.count, self->scratch.data);
    return status;
}

int tw_index_fingerprints(tw_index *index, const char *text, size_t length, const tw_u64s **terms,
                          twinset_error *error)
{
    static const tw_u64s none;
    *terms = &none;
    if (!index->manifest.has_fingerprints)
        return TWINSET_OK;
    int status = TWINSET_OK;
    if (!index->tools.fingerprinter)
        status = tw_fingerprinter_new(index, &index->tools.fingerprinter, error);
    if (status == TWINSET_OK)
        status = tw_make_fingerprints(index->tools.fingerprinter, text, length, terms);
    return tw_complete_error(error, status);
}

int tw_find_sharing_passage(tw_index *index, const tw_u64s *terms, size_t most, tw_u64s *documents,
                            twinset_error *error)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < terms->count && status == TWINSET_OK; i++) {
        size_t before = documents->count;
        status = tw_lookup_some(index, terms->data[i], most, documents, error);
        if (documents->count - before > most)
            documents->count = before;
    }
    return status;
}
