/* Stop words: the words that a user's list leaves out of every text. */
#ifndef TW_STOP_H
#define TW_STOP_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

typedef struct tw_stop_list tw_stop_list;

/* Reads a list of one word a line, and normalises the words by the rules for documents. `?` stands
 * for any one character; a line that starts with # is a comment. Free with tw_stop_list_free(). */
int tw_stop_list_new(const char *text, size_t length, const twinset_options *options,
                     tw_stop_list **list, twinset_error *error) TW_CHECKED;
void tw_stop_list_free(tw_stop_list *list);
bool tw_stop_list_has(const tw_stop_list *list, const char *word, size_t length);

#endif
