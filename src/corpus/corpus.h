/*
 * The corpus: the documents of one run, each read once. For each document it knows where its text
 * is, what its text is called, a digest, and, as far as they were asked for, its set of shingles or
 * the keys of its signature. It is frozen once it was read: searching reads it and no more. 56
 * bytes a document, its name, and what sets or keys take.
 *
 *   settings.c    what the options mean
 *   analyser.c    a text to shingles, sets; signature.c: signatures
 *   sources.c     what was added; roles.c: which of it is read, and who is compared with whom
 *   read.c        the reading: every source once, in chunks (chunk.c), by ingest.c and commit.c
 *   templates.c   what templates and common shingles exclude
 *   submission.c  the files of a submission, joined to one document
 *   order.c       documents in the order of their names
 *   text.c        the text of a document, once more; fetch.c: out of packed sources
 *   sets.c        the set of a document, held or made again
 *   keys.c        the keys of all documents, where the reading could not make them
 */
#ifndef TW_CORPUS_H
#define TW_CORPUS_H

#include <pthread.h>

#include "analyser.h"
#include "common.h"
#include "input.h"
#include "match.h"
#include "sketch.h"
#include "sources.h"
#include "text.h"

/* ---- documents */

typedef struct tw_document {
    const char *name; /* in the arena of the corpus or of the sources */
    uint64_t digest[2], tokens;
    uint64_t offset; /* of its record in the source, or of its text in store.texts */
    uint32_t length; /* of the record, without the newline, or of that text; 0: it is read
                        from the source */
    uint32_t source;
    uint32_t line; /* from 1; 0 for a source that is one document */
    uint8_t flags; /* TWINSET_FLAG_* */
    bool is_blank; /* all of it is excluded: it resembles nothing */
} tw_document;

/* Documents in the order of their names, once they were read. */
typedef struct tw_documents {
    tw_document *data;
    size_t count, capacity;
    uint64_t *groups; /* of documents, where records have them; NULL: those of sources */
    size_t group_capacity;
    uint64_t **sets; /* of each document its count and then its ids; NULL: none is held */
    size_t set_capacity;
    uint32_t *read_order; /* numbers of the documents in the order they were read; UINT32_MAX: it
                             was left out. NULL: that order is the one of their names */
} tw_documents;

/* ---- sources, as they are read */

/* How a source is read; there may be millions, so this is small. */
typedef struct tw_source_state {
    uint8_t kind;     /* tw_input_kind */
    bool is_repeated; /* it was given before */
    bool is_packed;   /* it can only be read from first to last */
    bool is_spooled;  /* what it holds is in store.spool; offsets are those there */
} tw_source_state;

/* What was read of a source that is no text in memory. */
typedef struct tw_source_extent {
    uint64_t records; /* usable or not */
    uint64_t start, bytes;
    const char *encoding; /* that was guessed, or NULL */
} tw_source_extent;

/* ---- temporary files */

/* The offset of a document's record in the spool, copied there from a packed source. */
typedef struct tw_fetched {
    uint32_t document;
    uint64_t offset;
} tw_fetched;

typedef struct tw_text_store {
    tw_spill *spool;     /* copies of what cannot be read at any offset */
    tw_spill *texts;     /* of documents whose file holds something else, such as a PDF */
    tw_fetched *fetched; /* ascending by document */
    size_t fetched_count;
    bool has_fetched_all;
    atomic_int *descriptors; /* an open one of each source, + 1, while there are few sources */
} tw_text_store;

/* ---- the corpus */

typedef struct tw_corpus tw_corpus;

/* What one thread needs to read documents and to compare them. */
typedef struct tw_worker {
    tw_corpus *corpus;
    tw_analyser analyser;
    tw_reader *reader;
    tw_jsonl *records;
    tw_member_reader members; /* of the archive that was read last */
    tw_bytes bytes;           /* of a record or a chunk of a file */
    tw_u64s side[2];          /* sets that were asked for */
    uint32_t side_document[2];
} tw_worker;

typedef struct tw_key_list {
    tw_key_store *data; /* of each document in the order they were read, or NULL */
    unsigned bands, rows;
} tw_key_list;

typedef struct tw_held_sets {
    atomic_uint_fast64_t bytes;
    bool has_all; /* every document's set is held */
} tw_held_sets;

typedef struct tw_totals {
    uint64_t shingles; /* of all documents, with repetitions */
    uint64_t bytes;    /* of all sources, unpacked */
    uint64_t records;  /* usable or not */
} tw_totals;

struct tw_corpus {
    atomic_uint owners;
    tw_settings *settings;
    tw_sources *sources;
    tw_arena *arena; /* names of records and skipped paths; keeps that of the sources alive */
    tw_source_state *states;
    tw_source_extent *extents; /* by file->number */
    bool has_like;             /* only pairs with a document asked about are wanted */
    bool is_comparison;        /* all pairs are wanted, whatever the roles and groups */

    tw_documents documents;
    tw_text_store store;
    tw_key_list keys;
    tw_held_sets held;
    uint64_t *excluded_ids;
    tw_set excluded; /* these: ids that count in no document */
    tw_skips skips;
    tw_totals totals;

    tw_worker *workers;
    pthread_mutex_t large;         /* held by the one thread that works on a large document */
    _Atomic(const char *) changed; /* name of a document that was another when read again */
};

/* Takes the sources as they are now. With `is_comparison`, sources are one document each. One
 * owner; released with tw_corpus_release(). */
int tw_corpus_new(tw_settings *settings, tw_sources *sources, bool is_comparison,
                  tw_corpus **corpus, twinset_error *error) TW_CHECKED;
tw_corpus *tw_corpus_retain(tw_corpus *corpus);
/* Frees the corpus with its last owner. Takes NULL. */
void tw_corpus_release(tw_corpus *corpus);
/* Frees all that only a search needs: workers, sets, keys, open files. Names, documents, sources
 * and texts in temporary files stay. */
void tw_corpus_end_search(tw_corpus *corpus);

/* What documents of these sources are compared by, where that is left open: programs, where most of
 * them are such by their names. */
int tw_choose_unit(const tw_settings *settings, const tw_sources *sources, bool is_comparison);

/* Lists a path or a record as skipped; both strings are copied. */
int tw_corpus_skip(tw_corpus *corpus, const tw_skipped *skip) TW_CHECKED;
/* Completes an error that came without a sentence; returns the status. */
int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status);

/* What a reading has to make beside the documents. */
typedef struct tw_read_plan {
    bool holds_sets;        /* as long as `most_shingles` and memory allow */
    uint64_t most_shingles; /* of all documents together, up to which sets are worth it */
    unsigned bands, rows;   /* of keys; 0: none */
} tw_read_plan;

/* Reads all sources: fills the documents, in the order of their names, each name once, and what
 * was planned; finds what is common, and so excluded. What turns out unreadable or empty is listed
 * as skipped. With a journal (or NULL), goes on where the run before it ended. */
int tw_corpus_read(tw_corpus *corpus, const tw_read_plan *plan, tw_journal *journal,
                   twinset_error *error) TW_CHECKED;

/* ---- roles.c */

/* Makes the states of sources, to be freed with tw_free(): each source is read once, in the role
 * that goes before. TWINSET_USAGE for two texts of one name. */
int tw_source_states_new(const tw_sources *sources, bool is_comparison, tw_source_state **states,
                         twinset_error *error) TW_CHECKED;
/* Whether the two are to be compared at all. */
bool tw_corpus_wants(const tw_corpus *corpus, uint32_t a, uint32_t b);
/* Whether no two documents are kept apart by role or group. */
bool tw_corpus_wants_all(const tw_corpus *corpus);

static inline const tw_source *tw_source_of(const tw_corpus *corpus, uint32_t document)
{
    return &corpus->sources->data[corpus->documents.data[document].source];
}

static inline twinset_role tw_corpus_role(const tw_corpus *corpus, uint32_t document)
{
    return (twinset_role)tw_source_of(corpus, document)->role;
}

/* Whether a source is not read, or not for its documents. */
static inline bool tw_is_passed_over(const tw_corpus *corpus, size_t source)
{
    return corpus->states[source].is_repeated ||
           corpus->sources->data[source].role == TWINSET_ROLE_IGNORE;
}

/* Whether a document was read before another. */
static inline bool tw_is_read_before(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_document *x = &corpus->documents.data[a], *y = &corpus->documents.data[b];
    return x->source != y->source ? x->source < y->source : x->offset < y->offset;
}

/* ---- fetch.c */

/* Copies the records of these documents out of packed sources, so that they can be read; those of
 * an earlier call may go. Does nothing once all were fetched. */
int tw_corpus_fetch(tw_corpus *corpus, const uint32_t *documents, size_t count,
                    twinset_error *error) TW_CHECKED;
int tw_corpus_fetch_all(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* ---- text.c: the bytes and the text of documents, as often as they are needed */

/* The text of a source that is one document, and how it was come by; it lives until the worker's
 * next. `raw`, where it is set, are the bytes of a member; otherwise they are read. */
typedef struct tw_source_text {
    const tw_bytes *raw;
    const char *text;
    size_t length;
    tw_text_origin reading;
} tw_source_text;

/* A descriptor for reading a source at any offset, to be given back with tw_source_close(). -1:
 * errno says why there is none. */
int tw_source_open(tw_corpus *corpus, uint32_t source);
void tw_source_close(tw_corpus *corpus, uint32_t source, int fd);
/* TWINSET_IO with a reason: it cannot be used. */
int tw_source_read_text(tw_worker *worker, uint32_t source, tw_source_text *text,
                        const char **reason) TW_CHECKED;
/* Whether a source goes through in windows. What must be converted cannot. */
bool tw_source_is_large(const tw_corpus *corpus, const tw_source *source);
/* Sends the shingles of a source that is one document to a sink. TWINSET_IO with a reason: it
 * cannot be used. */
int tw_source_shingle(tw_worker *worker, uint32_t source, tw_shingles_fn sink, void *context,
                      tw_text_summary *summary, const char **reason) TW_CHECKED;

/* Sends the shingles of a document to a sink; its text must not have changed. */
int tw_document_shingle(tw_worker *worker, uint32_t document, tw_shingles_fn sink,
                        void *context) TW_CHECKED;
/* The text of a document as it was read, unless it is large; it lives until the worker's next. */
int tw_document_text(tw_worker *worker, uint32_t document, tw_source_text *text) TW_CHECKED;
/* The record of a document, in the worker's bytes, with TW_JSON_PADDING after it. */
int tw_document_record(tw_worker *worker, uint32_t document) TW_CHECKED;
/* A document's tokens, or the words of one that is no program. They live in the analyser until its
 * next use. */
int tw_document_program(tw_worker *worker, uint32_t document, tw_program *program) TW_CHECKED;
/* The text that the tokens of one of a document's files were found in; it lives until the worker's
 * next. The program stays. TWINSET_IO where the text is no longer what it was. */
int tw_document_file(tw_worker *worker, uint32_t document, const tw_program *program, size_t file,
                     tw_source_text *text) TW_CHECKED;
/* Appends the text that a document is compared by. */
int tw_document_normal_text(tw_worker *worker, uint32_t document, tw_bytes *out) TW_CHECKED;
/* Whether a document is too large to be had as a whole. */
bool tw_document_is_large(const tw_corpus *corpus, uint32_t document);

/* ---- sets.c */

/* The set of a document; valid until this worker asks again for this side (0 or 1). */
int tw_document_set(tw_worker *worker, unsigned side, uint32_t document, tw_set *set) TW_CHECKED;
/* The set that is held of a document; no ids: none is. */
static inline tw_set tw_document_held_set(const tw_corpus *corpus, uint32_t document)
{
    const uint64_t *set = corpus->documents.sets ? corpus->documents.sets[document] : NULL;
    return set ? (tw_set){set + 1, set[0]} : (tw_set){NULL, 0};
}
/* Tokens in the longest passage of a document without anything that is excluded. */
int tw_document_longest(tw_worker *worker, uint32_t document, uint64_t *tokens) TW_CHECKED;
int tw_document_signature(tw_worker *worker, uint32_t document, uint32_t *slots) TW_CHECKED;
/* Replaces the ids of a sequence that are excluded by ids that no other document has. */
void tw_hide_excluded(tw_set excluded, uint32_t document, tw_u64s *sequence);
/* Large documents pass one at a time, or memory would grow with the threads. */
bool tw_corpus_enter_large(tw_corpus *corpus, uint64_t size);
void tw_corpus_leave_large(tw_worker *worker, bool is_large);

/* ---- keys.c */

/* Makes the keys of all documents, where the reading did not. */
int tw_corpus_make_keys(tw_corpus *corpus, unsigned bands, unsigned rows,
                        twinset_error *error) TW_CHECKED;

/* ---- templates.c */

/* Takes the text of a template, with the first worker. */
typedef int (*tw_template_fn)(void *context, tw_worker *worker, const char *text, size_t length);
/* Hands over the text of every template that can be read as a whole, of a template of records that
 * of each record. What cannot be read excludes nothing; the reading has listed it as skipped. */
int tw_corpus_visit_templates(tw_corpus *corpus, tw_template_fn take, void *context) TW_CHECKED;

#endif
