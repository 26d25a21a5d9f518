/*
 * Text: from the bytes of a document to its shingles.
 *
 *   omit.c          what is left out: quotations, lists of sources; omit.h
 *   normalise.c     bytes to clean UTF-8: case, compatibility forms, punctuation, spaces
 *   tokens.c        what of it is a token (a character or a word), without stop words
 *   shingle.c       every k tokens in a row
 *   window.c        as 64-bit numbers
 *   fingerprint.c   what tells one text from every other
 *   kernels.c       the way to the vector kernels in x86/ and arm/
 *
 * A document streams through in pieces, so memory does not grow with it. A tw_shingler is
 * the scratch of one thread.
 */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include <string.h>

#include "common.h"
#include "omit.h"
#include "window.h"

/* ---- stop words */

typedef struct tw_stop_list tw_stop_list;

/* Words one a line, normalised by the same rules as documents; `?` stands for any one
 * character, a line starting with # is a comment. Free with tw_stop_list_free(). */
int tw_stop_list_new(const char *text, size_t length, const twinset_options *options,
                     tw_stop_list **list, twinset_error *error) TW_CHECKED;
void tw_stop_list_free(tw_stop_list *list);
bool tw_stop_list_has(const tw_stop_list *list, const char *word, size_t length);

/* ---- normalise */

enum {
    TW_DROP = 0xFF,    /* in a table: nothing comes out */
    TW_CLUSTER = 1024, /* bytes of a letter and its marks that are seen as one, at most */
    TW_HELD = TW_CLUSTER + 4,
};

/* How ASCII goes through, and what is left over from the character before. */
typedef struct tw_ascii {
    unsigned char to[128]; /* what becomes of a character */
    bool squeeze;          /* of spaces in a row the first stays; else \r and \r\n become \n */
    bool after_space;      /* nothing but spaces since the last character that stayed */
    bool after_return;     /* the last character was a carriage return */
} tw_ascii;

/* The loops that see every byte, for one instruction set. */
typedef struct tw_text_kernels {
    /* Takes ASCII up to the first character that must be seen together with others. Writes at
     * `*out`, which it moves on, and up to TW_SLACK bytes past it. Returns the bytes taken. */
    size_t (*put_ascii)(tw_ascii *ascii, const char *text, size_t length, char **out);
    /* Where characters start, or by words what follows a space. Returns how many there are;
     * `start` has room for TW_SLACK more. */
    size_t (*find_starts)(const char *text, size_t length, bool words, size_t *start);
} tw_text_kernels;

extern const tw_text_kernels tw_text_portable, tw_text_avx2, tw_text_avx512, tw_text_neon;

/* Those to use. */
const tw_text_kernels *tw_text_kernels_now(void);

/* Code points. */
typedef struct tw_points {
    int32_t *data;
    size_t count, capacity;
} tw_points;

typedef struct tw_known tw_known; /* what becomes of one character, remembered */

typedef struct tw_normaliser {
    const twinset_options *options;
    int spaces; /* the rule that applies here */
    const tw_text_kernels *kernels;
    tw_ascii ascii;
    bool in_word;    /* the last visible character belongs to a word */
    bool hidden;     /* and an invisible one came after it */
    unsigned flags;  /* TWINSET_FLAG_* seen so far */
    tw_known *known; /* NULL until there is one */
    tw_points points, folded;
    tw_bytes rendered;
} tw_normaliser;

/* `stop`: words will be left out, so they must not run together. */
void tw_normaliser_init(tw_normaliser *normaliser, const twinset_options *options, bool stop);
void tw_normaliser_free(tw_normaliser *normaliser);
/* Starts the next document. */
void tw_normaliser_reset(tw_normaliser *normaliser);
/* Goes on behind something that was left out. */
void tw_normaliser_part(tw_normaliser *normaliser);
/* Appends the text of the tokens, by the rule for spaces; by words, it is words with a space
 * between. A space at the end counts only if more follows. `taken` tells how much of the
 * text could be settled without what follows: all where it is the `last` of a document, else
 * all but TW_HELD bytes at least. It does not matter how a document is cut. */
int tw_normalise(tw_normaliser *normaliser, const char *text, size_t length, bool last,
                 size_t *taken, tw_bytes *out) TW_CHECKED;

/* Such a character may compose with a mark after it. */
static inline bool tw_may_carry_mark(char c)
{
    return tw_is_alnum(c) || (c >= '<' && c <= '>');
}

/* ---- confusables.c */

/* Undoes look-alike letters of other scripts in a text that is UTF-8: in a word that has
 * Latin letters and no others, or in one that consists of look-alikes alone while its
 * neighbours and most of the text are Latin, each becomes the Latin letter it looks like.
 * *undone tells whether there were any in words with Latin letters; *changed, whether `out`
 * has a text that differs, else it is untouched. A text without such letters costs one look at its
 * bytes, at gigabytes a second. */
int tw_undo_confusables(const char *text, size_t length, tw_bytes *out, bool *changed,
                        bool *undone) TW_CHECKED;

/* Whether nobody sees the code point. */
bool tw_is_ignorable(int32_t point);

/* ---- tokens: characters as they follow each other, or words, each with a space after it */

/* A token that stands where something was left out, and is no part of any text: it is no
 * character. A shingle with one in it is none; all of these have one id, which counts in no set. */
#define TW_SEAM "\xEF\xB7\x90" /* U+FDD0 */
enum { TW_SEAM_LENGTH = sizeof TW_SEAM - 1, TW_SEAM_ID = 0 };

static inline bool tw_is_seam(const char *token, size_t length)
{
    return length == TW_SEAM_LENGTH && memcmp(token, TW_SEAM, TW_SEAM_LENGTH) == 0;
}

typedef struct tw_tokens {
    const twinset_options *options;
    const tw_stop_list *stop; /* or NULL */
    tw_bytes text;            /* tw_normalise() appends to it */
    size_t settled;           /* bytes of it that are tokens for sure */
    bool started;             /* there was a token before these, or is among them */
    /* A stretch of them. */
    size_t at, end;    /* bytes of the text */
    bool single_bytes; /* every token is one byte; `start` is not filled */
    size_t count;
    size_t *start; /* of each token in the stretch, and one more for the end */
    size_t capacity;
} tw_tokens;

void tw_tokens_init(tw_tokens *tokens, const twinset_options *options, const tw_stop_list *stop);
void tw_tokens_free(tw_tokens *tokens);
void tw_tokens_reset(tw_tokens *tokens);
/* Appends a seam to the text so far, which is complete up to here. */
int tw_tokens_part(tw_tokens *tokens) TW_CHECKED;
/* Finds the tokens in the text so far; `last`: nothing follows. */
int tw_tokens_settle(tw_tokens *tokens, bool last) TW_CHECKED;
/* Looks at a stretch of them, all single bytes where many are. It has k tokens at least if
 * there are so many left. */
int tw_tokens_look(tw_tokens *tokens, size_t k) TW_CHECKED;
/* Passes by all tokens of the stretch but `keep`; tells whether any follow. */
bool tw_tokens_pass(tw_tokens *tokens, size_t keep);
/* Forgets what was passed by. */
void tw_tokens_drop(tw_tokens *tokens);

/* Reads one code point of valid UTF-8, and returns its length in bytes. */
size_t tw_utf8_next(const char *text, int32_t *point);
/* Letters, marks and digits: what words are made of. */
bool tw_is_word(int32_t point);
/* Spaces of any kind, and control characters. */
bool tw_is_blank(int32_t point);
/* Han, Kana and Thai, whose words are not told apart by spaces. */
bool tw_is_unspaced(int32_t point);

/* ---- fingerprints */

/* 128 bits that are equal for equal texts and, but for a chance of 2^-128, no others.
 * A text may be added in pieces of any size. */
typedef struct tw_fingerprint {
    uint64_t lanes[8];
    uint64_t length; /* bytes so far; those past the last full block are in the tail */
    char tail[64];
} tw_fingerprint;

void tw_fingerprint_begin(tw_fingerprint *fingerprint);
void tw_fingerprint_add(tw_fingerprint *fingerprint, const char *text, size_t length);
void tw_fingerprint_end(tw_fingerprint *fingerprint, uint64_t digest[2]);

/* ---- shingles */

typedef struct tw_shingler tw_shingler;

/* A batch of shingles in the order of the text. */
typedef struct tw_shingles {
    size_t count;
    const char *text;    /* TW_SLACK bytes after it may be read */
    const size_t *start; /* of tokens; NULL: every token is one byte */
    size_t k;            /* tokens in a shingle */
    size_t gap;          /* bytes between two tokens */
    uint8_t kind;        /* TW_SHINGLE_*, which the last bit of ids tells but for those of text */
    bool seams;          /* there may be some among the tokens */
} tw_shingles;

enum { TW_SHINGLE_TEXT, TW_SHINGLE_TOKENS, TW_SHINGLE_WORD };

/* The id of a shingle of this kind. */
static inline uint64_t tw_id_of_kind(uint64_t id, unsigned kind)
{
    return kind == TW_SHINGLE_TEXT ? id : (id & ~UINT64_C(1)) | (kind == TW_SHINGLE_WORD);
}

/* Whether the id is that of a word of a program, and not of its tokens in a row. */
static inline bool tw_id_is_word(uint64_t id)
{
    return id & 1;
}

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

/* A sink that appends the ids to a tw_u64s; TW_SEAM_ID for what is no shingle. */
int tw_append_ids(void *ids, const tw_shingles *batch) TW_CHECKED;

/* What is known of a text once it went through. */
typedef struct tw_text_summary {
    uint64_t tokens;
    uint64_t digest[2]; /* equal for equal texts of tokens with the same parts left out, and for
                           no others */
    unsigned flags;
} tw_text_summary;

/* Shingles of so many tokens, with repetitions. */
static inline uint64_t tw_shingle_count(uint64_t tokens, size_t k)
{
    return tokens < k ? tokens > 0 : tokens - k + 1;
}

/* `options` must be resolved and, like `stop` (may be NULL), outlive the shingler. */
int tw_shingler_new(const twinset_options *options, const tw_stop_list *stop,
                    tw_shingler **shingler, twinset_error *error) TW_CHECKED;
void tw_shingler_free(tw_shingler *shingler);

/* A document in pieces, cut anywhere: begin, feed as often as need be, end. Its shingles go
 * to `sink` (may be NULL) batch by batch. */
int tw_shingle_begin(tw_shingler *shingler, tw_shingles_fn sink, void *context) TW_CHECKED;
int tw_shingle_feed(tw_shingler *shingler, const char *text, size_t length) TW_CHECKED;
int tw_shingle_end(tw_shingler *shingler, tw_text_summary *summary) TW_CHECKED;

/* The same for a document that is there as a whole. */
int tw_shingle(tw_shingler *shingler, const char *text, size_t length, tw_shingles_fn sink,
               void *context, tw_text_summary *summary) TW_CHECKED;

/* The tokens' text as a whole, appended: what the shingles are cut from. */
int tw_shingler_text(tw_shingler *shingler, const char *text, size_t length,
                     tw_bytes *out) TW_CHECKED;

/* ---- the rest of the folder */
#include "code.h"
#include "program.h"
#include "shingle_id.h"

#endif
