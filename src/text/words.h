/* The words of prose, as tokens that passages are found in. */
#ifndef TW_WORDS_H
#define TW_WORDS_H

#include "code.h"
#include "omit.h"

/* Finds the words of a text, and marks those that the options leave out, as quotations or names of
 * sources. `omitted` is scratch memory. */
int tw_find_words(tw_coder *coder, const twinset_options *options, const char *text, size_t length,
                  tw_spans *omitted, tw_code *code) TW_CHECKED;

#endif
