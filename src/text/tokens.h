/* Tokens: characters in a row, or words with a space after each. */
#ifndef TW_TOKENS_H
#define TW_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common.h"
#include "stop.h"

/* A seam is the token that marks where a span was left out. It is U+FDD0, which is no character, so
 * that no text has it. */
#define TW_SEAM "\xEF\xB7\x90"
enum { TW_SEAM_LENGTH = sizeof TW_SEAM - 1 };

/* The longest word, in bytes. What is longer is no word of any language, and is split: otherwise
 * memory would have to hold all of it. */
enum { TW_LONGEST_WORD = 64 << 10 };

static inline bool tw_is_seam(const char *token, size_t length)
{
    return length == TW_SEAM_LENGTH && memcmp(token, TW_SEAM, TW_SEAM_LENGTH) == 0;
}

typedef struct tw_tokens {
    const twinset_options *options;
    const tw_stop_list *stop; /* or NULL */
    tw_bytes text;            /* tw_normalise() appends to it */
    size_t settled;           /* bytes of it that no later text can change */
    bool started;             /* the document had a token so far */
    /* The current run of tokens. */
    size_t at, end;    /* bytes of the text */
    bool single_bytes; /* every token is one byte; `start` is not filled */
    size_t count;
    size_t *start; /* of each token, from `at`, and one more for the end */
    size_t capacity;
} tw_tokens;

void tw_tokens_init(tw_tokens *tokens, const twinset_options *options, const tw_stop_list *stop);
void tw_tokens_free(tw_tokens *tokens);
/* Starts the next document. */
void tw_tokens_reset(tw_tokens *tokens);
/* Appends a seam to the text so far, which is complete up to here. */
int tw_tokens_add_seam(tw_tokens *tokens) TW_CHECKED;
/* Settles as much of the text so far as can be; `last`: no more text follows. */
int tw_tokens_settle(tw_tokens *tokens, bool last) TW_CHECKED;
/* Finds the next run of tokens. Long spans of ASCII are a run of their own, of single bytes.
 * A run has k tokens at least, unless fewer are left. */
int tw_tokens_find_run(tw_tokens *tokens, size_t k) TW_CHECKED;
/* Moves past all tokens of the run but the last `keep`. Returns whether the settled text has more
 * tokens after the run. */
bool tw_tokens_pass_run(tw_tokens *tokens, size_t keep);
/* Removes from the text what was moved past. */
void tw_tokens_drop_passed(tw_tokens *tokens);

#endif
