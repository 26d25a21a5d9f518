/* How words are cut out of a text: what goes with them. */
#ifndef TW_CUT_H
#define TW_CUT_H

#include "omit.h"

/* The end of a cut that begins before the word at `start` and ends behind the word at `end`. What
 * follows goes as well, up to the next word or to the end of the white space before it, whichever
 * comes first. *needs_space says that two words would become one without a space between them. The
 * text may be the start of a longer one. */
size_t tw_cut_end(const char *text, size_t length, size_t start, size_t end, bool *needs_space);

#endif
