/*
 * The words of documents, in their normal form and with their spans, by number. Documents that many
 * others are compared with word by word go to a temporary file, in blocks that can be read at any
 * word, so that one of a gigabyte costs no more than the words that are asked for.
 */
#ifndef TW_LOCATED_WORDS_H
#define TW_LOCATED_WORDS_H

#include "corpus.h"

/* A word of a document. The bytes are valid until the reader's next call. */
typedef struct tw_located_word {
    const char *text;
    size_t length;
    tw_span span; /* bytes of the document's text */
} tw_located_word;

typedef struct tw_located_words {
    tw_spill *spill;
    uint64_t *offsets; /* by document number: where the list of its blocks is, plus 1; 0: none */
} tw_located_words;

/* Makes an empty store for `documents` documents. Call tw_located_words_free() even after a
 * failure. */
int tw_located_words_init(tw_located_words *store, size_t documents, const char *tmp,
                          twinset_error *error) TW_CHECKED;
void tw_located_words_free(tw_located_words *store);

/* Reads the words of documents. It is the scratch of one thread. */
typedef struct tw_word_reader tw_word_reader;

/* `options` say what a word is; they and the store must outlive the reader. The store may be NULL
 * where words are passed and loaded, and not stored. Free with tw_word_reader_free(). */
int tw_word_reader_new(const twinset_options *options, tw_located_words *store,
                       tw_word_reader **reader, twinset_error *error) TW_CHECKED;
void tw_word_reader_free(tw_word_reader *reader);
/* Passes the words of a document to a sink, as shingles of one word. */
int tw_word_reader_pass(tw_word_reader *reader, tw_worker *worker, uint32_t document,
                        tw_shingles_fn sink, void *context, uint64_t *words) TW_CHECKED;
/* Puts the words of a document into the store, as that of this number. */
int tw_word_reader_store(tw_word_reader *reader, tw_worker *worker, uint32_t document,
                         uint32_t number, twinset_error *error) TW_CHECKED;
/* Passes the words of a text that is no document to a sink, as shingles of one word. */
int tw_word_reader_pass_text(tw_word_reader *reader, const char *text, size_t length,
                             tw_shingles_fn sink, void *context, uint64_t *words) TW_CHECKED;
/* Loads the words of a document that is not large, as the document in work. */
int tw_word_reader_load(tw_word_reader *reader, tw_worker *worker, uint32_t document) TW_CHECKED;
/* Loads the words of a text that is no document, as the document in work. */
int tw_word_reader_load_text(tw_word_reader *reader, const char *text, size_t length) TW_CHECKED;
/* The words of the document in work. */
size_t tw_word_reader_count(const tw_word_reader *reader);
/* Word `index` of the document in work. */
tw_located_word tw_word_reader_loaded(const tw_word_reader *reader, size_t index);
/* Word `index` of the stored document with this number; *exists is false past its last. */
int tw_word_reader_stored(tw_word_reader *reader, uint32_t number, uint64_t index, bool *exists,
                          tw_located_word *word, twinset_error *error) TW_CHECKED;

#endif
