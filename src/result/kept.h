/*
 * What a result keeps of the documents in its first pairs: their texts, in memory or, where they
 * are many, in a temporary file without a name, and what finding passages needs beside them.
 * Passages of such a pair can be found at any time, whatever happened to the collection or its
 * files.
 */
#ifndef TW_KEPT_H
#define TW_KEPT_H

#include "match.h"
#include "passages.h"

typedef struct tw_kept tw_kept;

/* Makes an empty store. `excluded`: shingles that are no part of a passage, ascending; the list is
 * taken over and left empty. Freed with tw_kept_free(). */
int tw_kept_new(const twinset_options *options, tw_u64s *excluded, tw_kept **kept) TW_CHECKED;
void tw_kept_free(tw_kept *kept);
/* Takes over how many of so many documents have each shared shingle; the list is left empty. */
void tw_kept_set_counts(tw_kept *kept, tw_shingle_counts *counts, size_t documents);

/* Adds a document; they come in ascending order. Of a program, `block` has its tokens, and the text
 * of each of its files follows; of prose it is NULL, and one text follows. `copies`: documents that
 * are identical to it, itself included. The name must live as long as the store. */
int tw_kept_add(tw_kept *kept, uint32_t document, const char *name, const tw_bytes *block,
                uint32_t copies, twinset_error *error) TW_CHECKED;
/* Adds a text of the document that was added last. */
int tw_kept_add_text(tw_kept *kept, const char *name, const char *text, size_t length,
                     twinset_error *error) TW_CHECKED;

/* Finds the passages of two documents; *passages is NULL where one of them was not kept. Freed with
 * twinset_passages_free(). */
int tw_kept_passages(tw_kept *kept, uint32_t a, uint32_t b, twinset_passages **passages,
                     twinset_error *error) TW_CHECKED;

#endif
