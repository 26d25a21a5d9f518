/*
 * The corpus: documents on their way from input through text and sketch to match. It knows
 * where each one's text is, and makes its set and its signature.
 */
#ifndef TW_CORPUS_H
#define TW_CORPUS_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/common.h"
#include "input/input.h"
#include "match/match.h"
#include "sketch/sketch.h"
#include "text/text.h"

typedef struct tw_document {
    const char *name; /* the corpus keeps it */
    char *text;       /* held, because it cannot be read again; NULL: read from the file `name` */
    size_t text_length;
    uint64_t size_bytes;
    uint64_t group; /* documents of one group are not compared; 0: of none */
    bool directly;  /* in a folder that was named: a group only beside other folders */
    twinset_role role;
    bool from_path;
    char *skipped; /* the reason why it could not be used, or NULL */
    tw_text_summary summary;
    uint64_t *ids; /* its set, if it is held */
    size_t count;
} tw_document;

typedef struct tw_skipped {
    const char *path;
    char *reason;
} tw_skipped;

/* What one thread needs to read and to compare. */
typedef struct tw_worker {
    const struct tw_corpus *corpus;
    tw_reader *reader;
    tw_shingler *shingler;
    tw_sketch sketch;
    tw_u64s ids, values, scratch;
    tw_u64s side[2]; /* sets or sequences that were asked for */
    uint32_t side_document[2];
    tw_passage_index passages; /* of the document in `indexed` */
    uint32_t indexed;
} tw_worker;

typedef struct tw_corpus {
    twinset_options options; /* resolved */
    tw_stop_list *stop;
    tw_scheme *scheme;
    tw_document *documents;
    size_t count, capacity;
    size_t compared; /* after tw_corpus_prepare(): these come first, by name */
    tw_u64s folders; /* of new documents that were named, by hash */
    bool like;       /* only pairs with a document like this are wanted */
    bool comparison; /* all pairs are wanted, whatever the roles and groups */
    char **names;    /* of all documents and skipped paths there ever were */
    size_t name_count, name_capacity;
    tw_skipped *skips;
    size_t skip_count, skip_capacity;
    size_t hidden;
    uint64_t *excluded; /* ids that count in no document, ascending */
    size_t excluded_count;
    tw_worker *workers;
    pthread_mutex_t large; /* held by the one thread that reads a large document */
    atomic_uint_fast64_t held_bytes;
    _Atomic(const char *) changed; /* name of a document that was another when read again */
} tw_corpus;

int tw_corpus_init(tw_corpus *corpus, const twinset_options *options,
                   twinset_error *error) TW_CHECKED;
void tw_corpus_free(tw_corpus *corpus);

int tw_corpus_add_text(tw_corpus *corpus, const char *name, const char *text, size_t length,
                       twinset_role role, twinset_error *error) TW_CHECKED;
int tw_corpus_add_path(tw_corpus *corpus, const char *path, twinset_role role,
                       twinset_error *error) TW_CHECKED;
int tw_corpus_skip(tw_corpus *corpus, const char *path, const char *reason) TW_CHECKED;

/* Sorts the documents by name, templates last, each name once. */
int tw_corpus_prepare(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
/* Makes every set, without what templates and --common leave out, and holds those that fit
 * into memory. Documents that turn out unreadable or empty are listed as skipped and leave
 * the corpus. */
int tw_corpus_load(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
bool tw_corpus_holds_all(const tw_corpus *corpus);

/* The set of a document; valid until this worker asks again for this side (0 or 1). */
int tw_corpus_set(tw_corpus *corpus, unsigned worker, unsigned side, uint32_t document,
                  tw_set *set) TW_CHECKED;
/* Its shingles in the order of the text, appended; those left out are numbers that no other
 * document has. */
int tw_corpus_sequence(tw_corpus *corpus, unsigned worker, uint32_t document,
                       tw_u64s *sequence) TW_CHECKED;
/* Tokens in a run of so many of its shingles: a text shorter than k is one shingle. */
uint64_t tw_corpus_tokens_in(const tw_corpus *corpus, uint32_t document, size_t shingles);
/* Tokens in its longest passage without anything that is left out. */
int tw_corpus_longest(tw_corpus *corpus, unsigned worker, uint32_t document,
                      uint64_t *tokens) TW_CHECKED;
int tw_corpus_signature(tw_corpus *corpus, unsigned worker, uint32_t document,
                        uint32_t *slots) TW_CHECKED;
/* The text it is compared by, appended. */
int tw_corpus_text(tw_corpus *corpus, uint32_t document, tw_bytes *out) TW_CHECKED;

/* A path without what says nothing: "./a" and "a" are one file. */
const char *tw_path_key(const char *path);
/* Whether the two are to be compared at all. */
bool tw_corpus_wanted(const tw_corpus *corpus, uint32_t a, uint32_t b);
tw_loop tw_corpus_loop(const tw_corpus *corpus, const char *stage);
/* Says what a status means that came without a message; returns it. */
int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status);

/* ---- between the files of this folder */

/* What a worker's signature is made from, between tw_sketch_begin() and tw_sketch_end(): a
 * sink for shingles, after which a bag must be finished; or a set, where the scheme takes
 * ids. */
int tw_signature_batch(void *worker, const tw_shingles *batch) TW_CHECKED;
int tw_signature_finish_bag(tw_worker *worker) TW_CHECKED;
int tw_signature_set(tw_worker *worker, tw_set set) TW_CHECKED;

/* Whether an id is among those that are left out. */
bool tw_corpus_excludes(const tw_corpus *corpus, uint64_t id);
/* Bytes that a document may have. */
uint64_t tw_corpus_size_limit(const tw_corpus *corpus);
/* Sends a document's shingles to a sink. With a reason: the document cannot be used. */
int tw_corpus_shingle(tw_corpus *corpus, tw_worker *worker, const tw_document *document,
                      tw_shingles_fn sink, void *context, tw_text_summary *summary,
                      const char **reason) TW_CHECKED;
int tw_document_skip(tw_document *document, const char *reason) TW_CHECKED;
/* Moves skipped documents from a range to the list of skipped ones. */
int tw_corpus_drop_skipped(tw_corpus *corpus, size_t from, size_t to) TW_CHECKED;
/* Both add to the ids that are excluded; for the second, the sets must have been made. */
int tw_exclude_templates(tw_corpus *corpus) TW_CHECKED;
int tw_exclude_common(tw_corpus *corpus) TW_CHECKED;

/* Turns all ids of a text into its set: sorted, each once; with `bag` the second, third...
 * occurrence of an id becomes an id of its own. `excluded` ones go. */
int tw_make_set(tw_u64s *ids, tw_u64s *scratch, bool bag, const uint64_t *excluded,
                size_t excluded_count) TW_CHECKED;

#endif
