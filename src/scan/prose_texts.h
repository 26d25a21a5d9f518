/*
 * The documents of a collection of prose, word by word. All are held while memory allows, since a
 * document is compared with many others; otherwise its words are made each time they are needed.
 */
#ifndef TW_PROSE_TEXTS_H
#define TW_PROSE_TEXTS_H

#include "corpus.h"
#include "passages.h"

/* The words of a document, made for one worker. */
typedef struct tw_own_words {
    uint32_t document; /* UINT32_MAX: none */
    tw_prose_words words;
} tw_own_words;

typedef struct tw_prose_texts {
    tw_corpus *corpus;
    tw_sequence_rules rules;
    tw_u64s excluded;         /* the shingles of templates, which no passage has */
    tw_prose_words *held;     /* by document, or NULL */
    tw_own_words *own;        /* two for each worker */
    tw_stemmer **stemmers;    /* by worker */
    tw_passage_finder *found; /* by worker */
} tw_prose_texts;

/* Prepares to read the words of documents, and holds them all where memory allows. */
int tw_prose_texts_init(tw_prose_texts *texts, tw_corpus *corpus) TW_CHECKED;
/* Takes a zeroed struct, too. */
void tw_prose_texts_free(tw_prose_texts *texts);
/* Whether a document is too large to find passages in. */
bool tw_prose_text_is_too_large(const tw_corpus *corpus, uint32_t document);
/* Gives the words of a document; valid until this worker asks again for this side (0 or 1). */
int tw_prose_texts_get(tw_prose_texts *texts, unsigned worker, unsigned side, uint32_t document,
                       const tw_prose_words **words) TW_CHECKED;
/* Lists the shingles of the templates, ascending. */
int tw_list_template_shingles(tw_corpus *corpus, tw_u64s *ids) TW_CHECKED;

#endif
