/* Shingles: every k tokens in a row of a document, in batches. */
#ifndef TW_SHINGLE_H
#define TW_SHINGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "stop.h"

/* The id of a shingle across a seam, where something was left out. It belongs into no set. */
enum { TW_SEAM_ID = 0 };

/* What a shingle is made of. For programs the last bit of the id distinguishes the two kinds. */
enum {
    TW_SHINGLE_TEXT,   /* characters or words of a text */
    TW_SHINGLE_TOKENS, /* tokens of a program in a row */
    TW_SHINGLE_REPEAT, /* a further occurrence of such tokens in a file */
    TW_SHINGLE_WORD,   /* one word of a program */
};

/* The id for a shingle of this kind. */
static inline uint64_t tw_id_with_kind(uint64_t id, unsigned kind)
{
    return kind == TW_SHINGLE_TEXT ? id : (id & ~UINT64_C(1)) | (kind == TW_SHINGLE_WORD);
}

/* Whether the id of a program's shingle is that of a word, and not of tokens in a row. */
static inline bool tw_id_is_word(uint64_t id)
{
    return id & 1;
}

/* A batch of shingles, in the order of the text. */
typedef struct tw_shingles {
    size_t count;
    const char *text;    /* TW_SLACK bytes after it are readable */
    const size_t *start; /* offsets of the tokens; NULL: every token is one byte */
    size_t k;            /* tokens in a shingle */
    size_t gap;          /* bytes between two tokens */
    uint8_t kind;        /* TW_SHINGLE_* */
    bool seams;          /* some of the tokens may be seams */
} tw_shingles;

/* The bytes of the shingle with this index in its batch. */
static inline const char *tw_shingle_bytes(const tw_shingles *batch, size_t i, size_t *length)
{
    if (!batch->start) {
        *length = batch->k;
        return batch->text + i;
    }
    *length = batch->start[i + batch->k] - batch->gap - batch->start[i];
    return batch->text + batch->start[i];
}

/* Receives the shingles of a document batch by batch. */
typedef int (*tw_shingles_fn)(void *context, const tw_shingles *batch);

/* A sink that appends the ids of all shingles to the tw_u64s `ids`, TW_SEAM_ID for those across a
 * seam. */
int tw_append_ids(void *ids, const tw_shingles *batch) TW_CHECKED;

/* What is known of a text after its last byte. */
typedef struct tw_text_summary {
    uint64_t tokens;
    uint64_t digest[2]; /* equal for texts of equal tokens with equal spans left out, and for no
                           others */
    unsigned flags;     /* TWINSET_FLAG_* */
    uint8_t language;   /* tw_language_index(), by view across alone */
} tw_text_summary;

/* The number of shingles of `tokens` tokens, repeated ones included. Fewer than k tokens are one
 * shingle. */
static inline uint64_t tw_shingle_count(uint64_t tokens, size_t k)
{
    return tokens < k ? tokens > 0 : tokens - k + 1;
}

/* The options by which shingles are single words: those that `by` word takes, all of them, in the
 * case that the options ask for. */
twinset_options tw_word_options(const twinset_options *options);

/* The scratch of one thread. */
typedef struct tw_shingler tw_shingler;

/* `options` must be resolved. They and `stop`, which may be NULL, must outlive the shingler. Free
 * with tw_shingler_free(). */
int tw_shingler_new(const twinset_options *options, const tw_stop_list *stop,
                    tw_shingler **shingler, twinset_error *error) TW_CHECKED;
void tw_shingler_free(tw_shingler *shingler);

/* Sends the shingles of a document to `sink`, which may be NULL. */
int tw_shingle(tw_shingler *shingler, const char *text, size_t length, tw_shingles_fn sink,
               void *context, tw_text_summary *summary) TW_CHECKED;

/* Sends the shingles of a document that comes in chunks, cut anywhere: begin, feed as often as
 * needed, end. Look-alike letters stay and nothing is left out, since both need the whole text. */
int tw_shingle_begin(tw_shingler *shingler, tw_shingles_fn sink, void *context) TW_CHECKED;
int tw_shingle_feed(tw_shingler *shingler, const char *text, size_t length) TW_CHECKED;
int tw_shingle_end(tw_shingler *shingler, tw_text_summary *summary) TW_CHECKED;

/* Appends the text of all tokens of a document, which its shingles are cut from. */
int tw_shingler_token_text(tw_shingler *shingler, const char *text, size_t length,
                           tw_bytes *out) TW_CHECKED;

#endif
