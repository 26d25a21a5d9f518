/* The words of prose, as tokens that passages are found in. */
#ifndef TW_WORDS_H
#define TW_WORDS_H

#include "code.h"
#include "omit.h"

/* Finds the words of a text, and marks those that the options leave out, as quotations or names of
 * sources. `omitted` is scratch memory. */
int tw_find_words(tw_coder *coder, const twinset_options *options, const char *text, size_t length,
                  tw_spans *omitted, tw_code *code) TW_CHECKED;

/* What stands before a word: passages rather begin and end where sentences do. */
typedef enum tw_word_edge {
    TW_EDGE_NONE,
    TW_EDGE_LINE,     /* the end of a line */
    TW_EDGE_SENTENCE, /* the end of a sentence, an empty line, or the end of the text */
} tw_word_edge;

/* Fills in what stands before each of `count` words, and after the last one. */
void tw_find_edges(const tw_token *words, size_t count, const char *text, uint8_t *edges);

#endif
