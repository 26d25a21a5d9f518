/*
 * Finds the documents that share a term with a text. A near copy shares most of its terms with one
 * document. Once that document is found, its own terms are made, which costs as much as reading a
 * few chunks; a term that only known documents can have is not looked up any more. So a near copy
 * of 1 KB costs a few chunks in place of seventy.
 */
#include "store.h"

enum {
    LEARNED = 4,         /* documents of which terms are made, at most */
    LEAST_LEFT = 4,      /* terms that may be saved, or they are not made */
    BYTES_A_CHUNK = 200, /* of text: their terms are made in the time that a chunk takes */
};

typedef struct term_search {
    tw_index *index;
    const tw_term *terms;                   /* of the text */
    unsigned most[TW_INDEX_MOST_BANDS + 1]; /* documents that may have one, and are not found yet */
    uint64_t learned[LEARNED];
    unsigned learned_count;
    twinset_error *error;
} term_search;

static int count_most(term_search *search)
{
    unsigned bands = search->index->manifest.bands;
    int status = TWINSET_OK;
    for (unsigned i = 1; i <= bands; i++)
        tw_lookup_prefetch(search->index, search->terms[i]);
    for (unsigned i = 1; i <= bands && status == TWINSET_OK; i++)
        status = tw_lookup_most(search->index, search->terms[i], &search->most[i], search->error);
    return status;
}

/* Whether the terms of a document are worth making, as far as is known before it is read. */
static bool is_worth_reading(const term_search *search, uint64_t number, unsigned *left)
{
    *left = 0;
    for (unsigned i = 1; i <= search->index->manifest.bands; i++)
        *left += search->most[i] > 0 && search->most[i] < TW_MANY_DOCUMENTS;
    for (unsigned i = 0; i < search->learned_count; i++)
        if (search->learned[i] == number)
            return false;
    /* Programs may have other keys than when they were added: a grammar may be missing. */
    return search->learned_count < LEARNED && *left >= LEAST_LEFT &&
           !tw_compares_programs(search->index->settings);
}

/* Settles the terms of which a document is the last that may have them. */
static int learn_from(term_search *search, uint64_t number)
{
    tw_term terms[TW_INDEX_MOST_BANDS + 1];
    tw_stored_document record;
    unsigned left;
    if (!is_worth_reading(search, number, &left))
        return TWINSET_OK;
    search->learned[search->learned_count++] = number;
    int status = tw_read_document(search->index, number, &record, search->error);
    if (status == TWINSET_EMPTY)
        return tw_store_damaged(search->index, search->error, "document number %llu is lost",
                                (unsigned long long)number);
    if (status != TWINSET_OK || record.text_length > left * BYTES_A_CHUNK)
        return status;
    status = tw_record_terms(search->index, &record, terms, search->error);
    for (unsigned i = 1; i <= search->index->manifest.bands && status == TWINSET_OK; i++)
        if (search->most[i] > 0 && terms[i] == search->terms[i])
            search->most[i]--;
    return status;
}

int tw_find_sharing(tw_index *index, const tw_term *terms, tw_u64s *documents, twinset_error *error)
{
    term_search search = {.index = index, .terms = terms, .error = error};
    int status = count_most(&search);
    for (unsigned i = 1; i <= index->manifest.bands && status == TWINSET_OK; i++) {
        size_t before = documents->count;
        if (search.most[i] == 0)
            continue;
        status = tw_lookup(index, terms[i], documents, error);
        search.most[i] = 0;
        for (size_t j = before; j < documents->count && status == TWINSET_OK; j++)
            status = learn_from(&search, documents->data[j]);
    }
    return status;
}
