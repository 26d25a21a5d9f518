/*
 * Runs of words that very many documents of a collection have: a licence, a page that all quote.
 * They propose no pair of documents, a note names the one that most documents have, and their words
 * are no evidence for a pair that other words propose. Such a pair is often one of two documents
 * with the same word before or after what all quote.
 */
#ifndef TW_BOILERPLATE_H
#define TW_BOILERPLATE_H

#include "passages.h"
#include "run.h"

/* Such a run, in the first document that has it. */
typedef struct tw_boilerplate_run {
    uint32_t original, word;
    size_t documents;
} tw_boilerplate_run;

/* The runs that a thread, or a collection, has found. Zero to begin with. */
typedef struct tw_boilerplate {
    size_t count;
    tw_boilerplate_run most; /* the one that most documents have */
    tw_u64s keys, scratch;   /* of tw_seed_keys_make(): ascending once they are merged */
} tw_boilerplate;

/* A pair with an old document, such as the text of a task, has its own boilerplate: only runs that
 * very many old documents have. So a task is found although very many new documents quote it. */
typedef struct tw_boilerplates {
    tw_boilerplate of_any, of_old;
    bool has_item; /* a run of `of_any` is in an old document, and does propose its pairs */
} tw_boilerplates;

/* Adds a run by its key. Of more than `most_keys` keys the smallest stay, whatever the order in
 * which they come. */
int tw_boilerplate_add(tw_boilerplate *runs, uint64_t key, const tw_boilerplate_run *run,
                       size_t most_keys) TW_CHECKED;
/* Adds the runs that another thread has found. */
int tw_boilerplate_merge(tw_boilerplate *runs, const tw_boilerplate *others,
                         size_t most_keys) TW_CHECKED;
void tw_boilerplate_free(tw_boilerplate *runs);

/* Notes how many documents have the most frequent run, and its first words. */
int tw_note_boilerplate(tw_scan_run *scan, const tw_boilerplates *found) TW_CHECKED;

/* Finds the words of two texts that are boilerplate: the scratch of one thread, zero to begin
 * with. */
typedef struct tw_boilerplate_words {
    tw_winnower *winnower;
    uint8_t *marks[2]; /* by word of each text: whether it is boilerplate */
    size_t capacity[2];
} tw_boilerplate_words;

/* The evidence of passages of two texts, without that of boilerplate, in bits. A passage loses the
 * share of its words that are boilerplate in the text where they are more. */
int tw_evidence_without_boilerplate(tw_boilerplate_words *scratch, const tw_boilerplate *runs,
                                    const tw_prose_words *const texts[2],
                                    const tw_passage_finder *found, double *evidence) TW_CHECKED;
void tw_boilerplate_words_free(tw_boilerplate_words *scratch);

#endif
