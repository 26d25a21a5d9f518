/* Letters of other scripts that look like Latin ones. */
#ifndef TW_CONFUSABLES_H
#define TW_CONFUSABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

/* Replaces look-alike letters of other scripts by the Latin letters that they look like. `text` is
 * UTF-8. A letter is replaced in a word whose other letters are all Latin, and in a word of
 * look-alikes alone whose neighbours and most of the text are Latin.
 *
 * *undone is whether a word with Latin letters had any; *changed is whether `out` received a text
 * that differs. Otherwise `out` is untouched. A text without such letters costs one look at its
 * bytes, at gigabytes a second. */
int tw_undo_confusables(const char *text, size_t length, tw_bytes *out, bool *changed,
                        bool *undone) TW_CHECKED;

#endif
