/*
 * The texts that a result keeps of the documents in its first pairs: in memory, or in a temporary
 * file without a name if they are large; and what else is needed to find passages. So the passages
 * of such a pair can be found even if the collection or its files have changed.
 */
#ifndef TW_TEXT_STORE_H
#define TW_TEXT_STORE_H

#include "match.h"
#include "passages.h"

typedef struct tw_text_store tw_text_store;

/* Makes an empty store; free it with tw_text_store_free(). `excluded` are the shingles that
 * passages leave out, ascending; the store takes ownership, and the list is empty afterwards. */
int tw_text_store_new(const twinset_options *options, tw_u64s *excluded,
                      tw_text_store **kept) TW_CHECKED;
void tw_text_store_free(tw_text_store *kept);
/* Sets how many of `documents` documents have each shared shingle. The store takes ownership, and
 * the list is empty afterwards. */
void tw_text_store_set_counts(tw_text_store *kept, tw_shingle_counts *counts, size_t documents);

/* Adds a document; add them in ascending order. For a program, `block` has its tokens; add the text
 * of each of its files next. For prose it is NULL; add its one text next. `copies` is the number of
 * identical documents, this one included. The name must live as long as the store. */
int tw_text_store_add(tw_text_store *kept, uint32_t document, const char *name,
                      const tw_bytes *block, uint32_t copies, twinset_error *error) TW_CHECKED;
/* Adds a text of the last document. */
int tw_text_store_add_text(tw_text_store *kept, const char *name, const char *text, size_t length,
                           twinset_error *error) TW_CHECKED;

/* Returns how many texts of a document there are; 0: it was not kept. */
size_t tw_text_store_count(const tw_text_store *kept, uint32_t document);
/* Appends a text of a document to `bytes`. *name is the name of its file; NULL: it is the only
 * one. */
int tw_text_store_read(const tw_text_store *kept, uint32_t document, size_t index,
                       const char **name, tw_bytes *bytes, twinset_error *error) TW_CHECKED;

/* Finds the passages of two documents; free them with twinset_passages_free(). *passages is NULL if
 * one of the two was not kept. */
int tw_text_store_passages(tw_text_store *kept, uint32_t a, uint32_t b, twinset_passages **passages,
                           twinset_error *error) TW_CHECKED;

/* Documents of a store that stay open from one pair to the next, read and split into tokens: for
 * one thread that finds the passages of many pairs. They are closed when they take more than so
 * many bytes. The store must stay; free them with tw_open_texts_free(), which takes NULL. */
typedef struct tw_open_texts tw_open_texts;

int tw_open_texts_new(tw_text_store *kept, uint64_t most_bytes, tw_open_texts **open) TW_CHECKED;
void tw_open_texts_free(tw_open_texts *open);
/* As tw_text_store_passages(). */
int tw_open_texts_passages(tw_open_texts *open, uint32_t a, uint32_t b, twinset_passages **passages,
                           twinset_error *error) TW_CHECKED;

#endif
