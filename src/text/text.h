/*
 * Text: from the bytes of a document to its shingles.
 *
 *   normalise.c   bytes to clean UTF-8: case, compatibility forms, punctuation, spaces
 *   tokens.c      clean text to tokens (characters or words), without stop words
 *   shingle.c     every k tokens in a row, as 64-bit numbers
 *
 * A document streams through in pieces, so scratch memory does not grow with it, but for
 * texts without a place to cut at. A tw_shingler is the scratch of one thread.
 */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include "common/common.h"

/* ---- stop words */

typedef struct tw_stop_list tw_stop_list;

/* Words one a line, normalised by the same rules as documents; `?` stands for any one
 * character, a line starting with # is a comment. Free with tw_stop_list_free(). */
int tw_stop_list_new(const char *text, size_t length, const twinset_options *options,
                     tw_stop_list **list, twinset_error *error) TW_CHECKED;
void tw_stop_list_free(tw_stop_list *list);
bool tw_stop_list_has(const tw_stop_list *list, const char *word, size_t length);

/* ---- normalise: state that crosses from one piece of a document to the next */

/* Code points. */
typedef struct tw_points {
    int32_t *data;
    size_t count, capacity;
} tw_points;

typedef struct tw_normaliser {
    const twinset_options *options;
    bool spaces_as_one;       /* every white space becomes U+0020 */
    unsigned char ascii[128]; /* what becomes of an ASCII character; DROP: nothing */
    bool after_return;        /* the last character was a carriage return */
    bool hidden_pending;      /* an invisible character ended the piece, after a word */
    unsigned flags;           /* TWINSET_FLAG_* seen so far */
    tw_points points, folded; /* scratch: a run that is not ASCII */
} tw_normaliser;

void tw_normaliser_init(tw_normaliser *normaliser, const twinset_options *options);
void tw_normaliser_free(tw_normaliser *normaliser);
/* Starts the next document. */
void tw_normaliser_reset(tw_normaliser *normaliser);
/* How much of `text` can be normalised without looking past it: the first place from
 * `wanted` bytes on where it may be cut, or all of it. */
size_t tw_normalise_cut(const char *text, size_t length, size_t wanted);
/* Appends the normal form, in which each white space still stands for itself. */
int tw_normalise(tw_normaliser *normaliser, const char *text, size_t length,
                 tw_bytes *out) TW_CHECKED;

/* ---- tokens: characters as they follow each other, or words with one space between */

typedef struct tw_tokeniser {
    const twinset_options *options;
    const tw_stop_list *stop; /* or NULL */
    bool started, space_pending;
    tw_bytes word; /* of which the end has not been seen yet */
    tw_bytes text; /* what was found and not yet dropped */
    size_t *start; /* of each token in the text, and one more for the end */
    size_t count;  /* tokens in the text; tw_tokens_index() brings it up to date */
    size_t capacity;
    bool single_bytes; /* every token is one byte; `start` is not filled */
} tw_tokeniser;

void tw_tokeniser_init(tw_tokeniser *tokeniser, const twinset_options *options,
                       const tw_stop_list *stop);
void tw_tokeniser_free(tw_tokeniser *tokeniser);
void tw_tokeniser_reset(tw_tokeniser *tokeniser);
/* Takes the next piece of normal text; `last` ends the document. */
int tw_tokenise(tw_tokeniser *tokeniser, const char *normal, size_t length, bool last) TW_CHECKED;
/* Counts the tokens in the text and finds their starts. */
int tw_tokens_index(tw_tokeniser *tokeniser) TW_CHECKED;
/* Keeps only the last `keep` tokens. */
void tw_tokens_drop(tw_tokeniser *tokeniser, size_t keep);

/* Reads one code point of valid UTF-8, and returns its length in bytes. */
size_t tw_utf8_next(const char *text, int32_t *point);
/* Letters, marks and digits: what words are made of. */
bool tw_is_word(int32_t point);
/* Han, Kana and Thai, whose words are not told apart by spaces. */
bool tw_is_unspaced(int32_t point);

/* ---- shingles */

typedef struct tw_shingler tw_shingler;

/* A batch of shingles in the order of the text. */
typedef struct tw_shingles {
    const uint64_t *ids;
    size_t count;
    const char *text;
    const size_t *start; /* of tokens; NULL: every token is one byte */
    size_t k;            /* tokens in a shingle */
    size_t gap;          /* bytes between two tokens */
} tw_shingles;

static inline const char *tw_shingle_bytes(const tw_shingles *batch, size_t i, size_t *length)
{
    if (!batch->start) {
        *length = batch->k;
        return batch->text + i;
    }
    *length = batch->start[i + batch->k] - batch->gap - batch->start[i];
    return batch->text + batch->start[i];
}

typedef int (*tw_shingles_fn)(void *context, const tw_shingles *batch);

/* A sink that appends the ids to a tw_u64s. */
int tw_append_ids(void *ids, const tw_shingles *batch) TW_CHECKED;

/* What is known of a text once it went through. */
typedef struct tw_text_summary {
    uint64_t tokens;
    uint64_t shingles;  /* with repetitions */
    uint64_t digest[2]; /* equal for equal normal texts, and for no others */
    unsigned flags;
} tw_text_summary;

/* `options` must be resolved and, like `stop` (may be NULL), outlive the shingler. */
int tw_shingler_new(const twinset_options *options, const tw_stop_list *stop,
                    tw_shingler **shingler, twinset_error *error) TW_CHECKED;
void tw_shingler_free(tw_shingler *shingler);

/* Hands all shingles of a text to `sink`, batch by batch. */
int tw_shingle(tw_shingler *shingler, const char *text, size_t length, tw_shingles_fn sink,
               void *context, tw_text_summary *summary) TW_CHECKED;

/* The tokens' text as a whole, appended: what the shingles are cut from. */
int tw_shingler_text(tw_shingler *shingler, const char *text, size_t length,
                     tw_bytes *out) TW_CHECKED;

#endif
