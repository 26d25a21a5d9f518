/* The parts of an index that only this folder sees. */
#ifndef TW_STORE_H
#define TW_STORE_H

#include "index.h"

#include <sqlite3.h>
#include <zstd.h>

enum {
    TW_INDEX_MOST_BANDS = 255,     /* 0 is the band of ids */
    TW_SEGMENT_CHUNKS = 256,       /* of a segment, at most */
    TW_POSTING_CHUNK_BYTES = 2000, /* eight chunks fill a page of 16,384 bytes */
    TW_BATCH_DOCUMENTS = 1 << 14,  /* of a batch, at most; 2^16 is the limit of a posting's sort */
    TW_BATCH_BYTES = 32 << 20,     /* of texts in a batch, about */
    TW_FAN_IN = 4,                 /* so many runs of one size are merged */
    TW_LONG_FAN_IN = 16,           /* in an addition of many batches, until it ends */
    TW_MERGED_AT_ONCE = 1 << 21,   /* postings that are merged in a transaction of its own */
};

/* ---- postings: a document has a key in a band */

/* Band and key as one number, by which postings are sorted. */
typedef uint64_t tw_term;
static inline tw_term tw_term_of(unsigned band, uint64_t key)
{
    return (uint64_t)band << TWINSET_INDEX_KEY_BITS | key;
}
/* The term of an id, in band 0. */
tw_term tw_term_of_id(const char *id);

typedef struct tw_posting {
    tw_term term;
    uint64_t document;
} tw_posting;

typedef struct tw_postings {
    tw_posting *data;
    size_t count, capacity;
} tw_postings;

int tw_postings_add(tw_postings *postings, tw_posting posting) TW_CHECKED;

/* A chunk while it is filled. */
typedef struct tw_posting_chunk {
    tw_bytes bytes; /* what comes after the header */
    tw_term first, last;
    uint64_t base; /* no document is below */
    uint32_t count;
} tw_posting_chunk;

/* Appends postings, ascending and not below the last, as long as there is room. Returns how many.
 */
size_t tw_posting_chunk_fill(tw_posting_chunk *chunk, const tw_posting *postings, size_t count,
                             int *status);
/* Writes the chunk, and empties the builder. */
int tw_posting_chunk_end(tw_posting_chunk *chunk, uint64_t id, tw_bytes *out) TW_CHECKED;
/* Appends the postings of a chunk. False: it is damaged. */
bool tw_posting_chunk_read(uint64_t id, const void *bytes, size_t length, tw_postings *postings,
                           int *status);
/* Appends the documents of a term to `documents`. False: the chunk is damaged. */
bool tw_posting_chunk_find(uint64_t id, const void *bytes, size_t length, tw_term term,
                           tw_u64s *documents, int *status);

/* ---- segments: chunks, with the first term of each and filters of terms */

typedef struct tw_segment {
    uint64_t id;
    tw_term first;
    uint64_t postings;
    uint32_t revision; /* grows when postings are removed */
} tw_segment;

/* Says of some terms that they are not in a set. */
typedef struct tw_filter {
    uint64_t *words; /* blocks of 8 */
    uint32_t blocks; /* 0: the set is empty */
} tw_filter;

/* What is known of a segment's chunks. */
typedef struct tw_segment_head {
    uint64_t id;
    uint32_t revision;
    bool knows_repeated; /* that of an older index does not */
    tw_filter filter;    /* of all terms */
    tw_filter repeated;  /* of those that have several postings */
    uint32_t chunk_count;
    tw_term first[TW_SEGMENT_CHUNKS];
    uint32_t counts[TW_SEGMENT_CHUNKS];
} tw_segment_head;

static inline uint64_t tw_posting_chunk_id(uint64_t segment, unsigned chunk)
{
    return segment * TW_SEGMENT_CHUNKS + chunk;
}

/* ---- runs */

typedef struct tw_run {
    tw_segment *segments; /* ascending by their first terms */
    size_t count, capacity;
    tw_term from; /* while it is merged: what is below is in the output already */
    uint64_t job; /* the merge that it takes part in; 0: none */
    bool is_output;
} tw_run;

/* ---- the manifest */

typedef struct tw_manifest {
    uint64_t identity; /* a random number of this index */
    uint64_t batches;
    uint64_t next_document, next_segment, next_job;
    uint64_t documents, tokens, text_bytes;
    bool has_texts, has_fingerprints;
    unsigned bands, rows;
    tw_bytes parameters; /* options, a line each */
    tw_run *runs;
    size_t run_count, run_capacity;
} tw_manifest;

void tw_manifest_free(tw_manifest *manifest);
int tw_manifest_write(const tw_manifest *manifest, tw_bytes *out) TW_CHECKED;
/* False: the bytes are damaged, or of another version. */
bool tw_manifest_read(tw_manifest *manifest, const void *bytes, size_t length, int *status);
/* The version of the format: 2 with fingerprints, which programs of version 1 would not keep. */
unsigned tw_manifest_version(const tw_manifest *manifest);
uint64_t tw_run_postings(const tw_run *run);
/* Adds an empty run; NULL: out of memory. It is valid until runs are added or dropped. */
tw_run *tw_manifest_add_run(tw_manifest *manifest) TW_CHECKED;
/* Drops runs without segments that take part in no merge. */
void tw_manifest_drop_empty(tw_manifest *manifest);

/* ---- documents */

/* A document as the index keeps it. */
typedef struct tw_stored_document {
    uint64_t number;
    const char *id, *metadata; /* terminated; metadata "": none */
    uint64_t group;
    const char *group_name; /* "": it was given by a folder or a field of a record */
    bool is_number;
    unsigned flags;
    uint64_t digest[2], tokens, shingles;
    uint64_t text_length;
    const void *payload; /* packed text, or the slots of a signature */
    size_t payload_length;
} tw_stored_document;

/* Whether a stored document has the text of another. */
static inline bool tw_has_text_of(const tw_stored_document *record, const tw_document *document)
{
    return record->tokens == document->tokens &&
           memcmp(record->digest, document->digest, sizeof record->digest) == 0;
}

int tw_stored_document_write(const tw_stored_document *record, tw_bytes *out) TW_CHECKED;
/* The strings point into the bytes. False: they are damaged. */
bool tw_stored_document_read(uint64_t number, const void *bytes, size_t length,
                             tw_stored_document *record);

/* ---- the file */

enum {
    TW_SQL_BEGIN_READ,
    TW_SQL_BEGIN_WRITE,
    TW_SQL_COMMIT,
    TW_SQL_ROLLBACK,
    TW_SQL_GET_MANIFEST,
    TW_SQL_PUT_MANIFEST,
    TW_SQL_GET_DOCUMENT,
    TW_SQL_PUT_DOCUMENT,
    TW_SQL_DROP_DOCUMENT,
    TW_SQL_EACH_DOCUMENT,
    TW_SQL_GET_SEGMENT,
    TW_SQL_PUT_SEGMENT,
    TW_SQL_DROP_SEGMENT,
    TW_SQL_GET_CHUNK,
    TW_SQL_PUT_CHUNK,
    TW_SQL_DROP_CHUNKS,
    TW_SQL_EACH_CHUNK,
    TW_SQL_GET_CLUSTER,
    TW_SQL_PUT_CLUSTER,
    TW_SQL_DROP_CLUSTER,
    TW_SQL_EACH_CLUSTER,
    TW_SQL_CLUSTER_MEMBERS,
    TW_SQL_MOVE_CLUSTER,
    TW_SQL_COUNT
};

enum { TW_CACHED_SEGMENTS = 1 << 12, TW_MANY_DOCUMENTS = 1 << 16 };

/* Why documents were not added. */
typedef struct tw_index_skips {
    tw_arena *arena;
    twinset_skip *data;
    size_t count, capacity;
} tw_index_skips;

/* Makes a text's fingerprints: fingerprints.c. How rare words are: rarity.c. */
typedef struct tw_fingerprinter tw_fingerprinter;
typedef struct tw_rarity tw_rarity;

/* What a handle works with; each is made when it is first needed. */
typedef struct tw_index_tools {
    tw_analyser *analyser;
    tw_fingerprinter *fingerprinter;
    tw_rarity *rarity;
} tw_index_tools;

struct twinset_index {
    sqlite3 *database;
    sqlite3_stmt *statements[TW_SQL_COUNT];
    char *path;
    unsigned flags;
    tw_arena *arena; /* strings of the options */
    twinset_options options;
    tw_settings *settings;
    tw_index_tools tools; /* by these settings */
    tw_manifest manifest; /* as of the transaction in progress, or the last one */
    bool is_loaded, is_writing;
    tw_segment_head **heads; /* by segment id modulo TW_CACHED_SEGMENTS */
    tw_index_skips skips;
    ZSTD_CCtx *packer;
    ZSTD_DCtx *unpacker;
    tw_bytes record, text; /* of the last document */
    uint64_t quota_bytes;
    uint64_t unmerged; /* bytes of the log since the last checkpoint */
};

/* ---- store.c */

/* Begins a transaction, and loads the manifest. Ends with tw_store_end(). */
int tw_store_begin(tw_index *index, bool is_writing, twinset_error *error) TW_CHECKED;
/* Commits if `status` is TWINSET_OK, otherwise rolls back; returns the status. */
int tw_store_end(tw_index *index, int status, twinset_error *error) TW_CHECKED;
/* Returns a statement, reset, to be bound and stepped. */
sqlite3_stmt *tw_store_statement(tw_index *index, int which);
/* Steps a statement that gives no rows. */
int tw_store_run(tw_index *index, sqlite3_stmt *statement, twinset_error *error) TW_CHECKED;
/* Gets the one blob that a statement finds; *bytes is NULL where there is none. It is valid until
 * the statement is reset. */
int tw_store_blob(tw_index *index, int which, uint64_t id, const void **bytes, size_t *length,
                  twinset_error *error) TW_CHECKED;
int tw_store_put(tw_index *index, int which, uint64_t id, const tw_bytes *bytes,
                 twinset_error *error) TW_CHECKED;
int tw_store_drop(tw_index *index, int which, uint64_t first, uint64_t last,
                  twinset_error *error) TW_CHECKED;
/* The status and the sentence for the last failure of SQLite. */
int tw_store_fail(tw_index *index, twinset_error *error);
/* Writes a sentence that says what is damaged, and what to do. */
void tw_write_damage(const tw_index *index, twinset_error *error, const char *format, ...)
    TW_PRINTF(3, 4);
/* TWINSET_IO, with that sentence. */
#define tw_store_damaged(index, error, ...)                                                        \
    (tw_write_damage((index), (error), __VA_ARGS__), TWINSET_IO)
/* Moves the log to the file; with `all`, waits for readers and truncates the log. */
int tw_store_checkpoint(tw_index *index, bool all);

/* ---- parameters.c */

/* Writes the options that an index keeps, with bands and rows. */
int tw_parameters_write(const twinset_options *options, tw_bytes *out) TW_CHECKED;
/* Sets the options that an index keeps to those of its manifest, and leaves the others. */
int tw_parameters_read(const tw_bytes *parameters, tw_arena *arena, twinset_options *options,
                       twinset_error *error) TW_CHECKED;
/* Whether texts are compared alike by the options of two indexes. */
bool tw_parameters_agree(const twinset_options *a, const twinset_options *b);
/* Chooses bands, rows and hashes for a new index, where the options leave them open. */
int tw_parameters_choose(twinset_options *options, twinset_error *error) TW_CHECKED;

/* ---- segment.c */

/* Writes segments of one run. */
typedef struct tw_segment_writer {
    tw_index *index;
    tw_run *run;
    tw_posting_chunk chunk;
    tw_segment_head head;
    tw_u64s terms; /* for the filter */
    tw_bytes bytes;
    twinset_error *error;
} tw_segment_writer;

/* Adds postings, ascending and not below those before. */
int tw_segment_add(tw_segment_writer *writer, const tw_posting *postings, size_t count) TW_CHECKED;
/* Ends the segment in progress; another may follow. */
int tw_segment_end(tw_segment_writer *writer) TW_CHECKED;
void tw_segment_writer_free(tw_segment_writer *writer);
/* Returns the head of a segment, repaired from its chunks if it is damaged. */
int tw_segment_head_get(tw_index *index, const tw_segment *segment, tw_segment_head **head,
                        twinset_error *error) TW_CHECKED;
/* Stores the head again after postings were removed. */
int tw_segment_head_put(tw_index *index, const tw_segment_head *head,
                        twinset_error *error) TW_CHECKED;
/* Whether the bytes of a head are not damaged. */
bool tw_segment_head_is_sound(const tw_segment *segment, const void *bytes, size_t length);
bool tw_filter_may_have(const tw_filter *filter, tw_term term);
/* Has the processor fetch what tw_filter_may_have() looks at, where the head is in memory. */
void tw_filter_prefetch(const tw_index *index, const tw_segment *segment, tw_term term);
/* Removes a segment with its chunks. */
int tw_segment_drop(tw_index *index, const tw_segment *segment, twinset_error *error) TW_CHECKED;
/* Appends the postings of a chunk. */
int tw_segment_chunk(tw_index *index, const tw_segment *segment, unsigned chunk,
                     tw_postings *postings, twinset_error *error) TW_CHECKED;
/* Forgets all heads in memory. */
void tw_heads_forget(tw_index *index);
/* Forgets the heads of segments that the manifest no longer has. */
void tw_heads_forget_dropped(tw_index *index);
void tw_heads_free(tw_index *index);

/* ---- lookup.c */

/* Has the processor fetch the filters that a lookup asks first. They lie all over memory: asked one
 * after the other, they cost a fifth of a query. */
void tw_lookup_prefetch(const tw_index *index, tw_term term);
/* Gives the most documents that may have a key, by filters alone; TW_MANY_DOCUMENTS or more: they
 * do not say. */
int tw_lookup_most(tw_index *index, tw_term term, unsigned *most, twinset_error *error) TW_CHECKED;
/* Appends the documents that have a key; each may come several times. */
int tw_lookup(tw_index *index, tw_term term, tw_u64s *documents, twinset_error *error) TW_CHECKED;
/* Appends the documents that have a key, as tw_lookup() does, but stops after more than `most`. */
int tw_lookup_some(tw_index *index, tw_term term, size_t most, tw_u64s *documents,
                   twinset_error *error) TW_CHECKED;
/* Reads a document; its strings are valid until the next is read. TWINSET_EMPTY without a sentence:
 * there is none. */
int tw_read_document(tw_index *index, uint64_t number, tw_stored_document *record,
                     twinset_error *error) TW_CHECKED;
/* Finds a document by its id. *number is 0 where there is none; otherwise it was read. */
int tw_find_id(tw_index *index, const char *id, uint64_t *number, tw_stored_document *record,
               twinset_error *error) TW_CHECKED;
/* Unpacks the text of a record into index->text, with a NUL behind it. */
int tw_unpack_text(tw_index *index, const tw_stored_document *record,
                   twinset_error *error) TW_CHECKED;

/* Takes a document; its strings are valid for the call. */
typedef int (*tw_stored_document_fn)(tw_index *index, const tw_stored_document *record,
                                     void *context, twinset_error *error);
/* Gives all documents to `take`, in the order of their numbers. */
int tw_each_document(tw_index *index, tw_stored_document_fn take, void *context,
                     twinset_error *error) TW_CHECKED;
/* Whether an id matches a pattern with * and ?; NULL matches all. */
bool tw_id_matches(const char *pattern, const char *id);

/* ---- find_candidates.c */

/* Appends the documents that share a term with a text, the id aside; each may come several times.
 * `terms` has those of the text, by band. */
int tw_find_sharing(tw_index *index, const tw_term *terms, tw_u64s *documents,
                    twinset_error *error) TW_CHECKED;

/* ---- fingerprints.c */

/* Makes the scratch of one thread. Free with tw_fingerprinter_free(), which takes NULL. */
int tw_fingerprinter_new(const tw_index *index, tw_fingerprinter **fingerprinter,
                         twinset_error *error) TW_CHECKED;
void tw_fingerprinter_free(tw_fingerprinter *fingerprinter);
/* Gives the terms of a text's fingerprints, ascending, each once; valid until the next call. */
int tw_make_fingerprints(tw_fingerprinter *fingerprinter, const char *text, size_t length,
                         const tw_u64s **terms) TW_CHECKED;
/* Gives the terms of a text's fingerprints by the fingerprinter of the index; none where the index
 * keeps no fingerprints. */
int tw_index_fingerprints(tw_index *index, const char *text, size_t length, const tw_u64s **terms,
                          twinset_error *error) TW_CHECKED;
/* Appends the documents that share one of these terms, but for terms that more than `most` have;
 * each may come several times. */
int tw_find_sharing_passage(tw_index *index, const tw_u64s *terms, size_t most, tw_u64s *documents,
                            twinset_error *error) TW_CHECKED;

/* ---- rarity.c */

/* Gives rules by which evidence is judged in this index, in a transaction; valid until the next
 * call. */
int tw_index_rarity(tw_index *index, tw_prose_rules *rules, twinset_error *error) TW_CHECKED;
/* Takes NULL. */
void tw_rarity_free(tw_rarity *rarity);

/* ---- merge.c */

/* Writes postings, sorted, as a new run. The lower 16 bits of each are its document, counted from
 * `first`, the others its term. */
int tw_write_run(tw_index *index, const uint64_t *postings, size_t count, uint64_t first,
                 twinset_error *error) TW_CHECKED;
/* Merges runs where `fan_in` or more of one size are there, and goes on with the merges that were
 * begun: as many postings as the budget says, from which they are taken. */
int tw_merge_some(tw_index *index, size_t fan_in, uint64_t *budget,
                  twinset_error *error) TW_CHECKED;
/* Merges as tw_merge_some() does, in transactions of its own, so that others can write. */
int tw_merge_left(tw_index *index, uint64_t budget, twinset_error *error) TW_CHECKED;
/* Begins a merge of all runs that take part in none. */
int tw_merge_begin_all(tw_index *index, twinset_error *error) TW_CHECKED;

/* ---- add.c */

/* Reads the text of a document of a corpus, as the index keeps it; valid until the worker reads the
 * next. */
int tw_indexed_text(tw_worker *worker, uint32_t document, tw_source_text *text) TW_CHECKED;

/* ---- texts.c */

/* Adds documents as one batch. `identities`, or NULL, has their groups. */
int tw_index_add_documents(tw_index *index, const twinset_index_document *documents, size_t count,
                           const tw_text_identity *identities, twinset_index_counts *counts,
                           twinset_error *error) TW_CHECKED;
/* Notes why a document is not added; the reason must live on. */
int tw_index_note_skip(tw_index *index, const char *id, const char *reason) TW_CHECKED;
void tw_index_forget_skips(tw_index *index);

/* ---- joined_clusters.c */

/* Takes documents out of their clusters, which may fall apart. */
int tw_cluster_leave(tw_index *index, const uint64_t *numbers, size_t count,
                     twinset_error *error) TW_CHECKED;
int tw_cluster_count(tw_index *index, uint64_t *documents, twinset_error *error) TW_CHECKED;

/* ---- group_notes.c */

/* Documents of an index that were compared, with a group and without. */
typedef struct tw_group_count {
    uint64_t with, without;
} tw_group_count;

/* TWINSET_USAGE: documents are added with a field for their groups, and none of them has it. */
int tw_index_check_group(const tw_corpus *corpus, twinset_error *error) TW_CHECKED;
void tw_count_group(tw_group_count *count, const tw_stored_document *record);
/* Notes where documents that are asked about have groups and those of the index do not, or the
 * other way round. */
int tw_note_compared_groups(const tw_index *index, const tw_corpus *corpus,
                            const tw_group_count *count, twinset_result *result) TW_CHECKED;

/* ---- query.c */

/* Returns the document that is asked about by a name, or NULL. */
const tw_document *tw_find_asked(const tw_corpus *corpus, const char *name);
/* Names a document of the index in a result: by its id, or INDEX#ID beside a document of that id
 * that is asked about, or NULL. */
int tw_name_beside(const tw_index *index, const tw_document *asked, const char *id,
                   tw_bytes *name) TW_CHECKED;

/* ---- estimate.c */

/* Fills a result by signatures alone, in the transaction in progress. */
int tw_estimate_corpus(tw_index *index, tw_corpus *corpus, twinset_result *result,
                       twinset_error *error) TW_CHECKED;

/* ---- terms.c */

/* Makes index->tools.analyser, unless it is there. */
int tw_index_analyser(tw_index *index, twinset_error *error) TW_CHECKED;
/* Makes the terms of a text: that of its id, and those of its band keys. terms has room for
 * bands + 1. `slots`, or NULL, gets the signature. */
int tw_make_terms(tw_analyser *analyser, const char *id, const char *text, size_t length,
                  unsigned bands, unsigned rows, tw_term *terms, uint32_t *slots,
                  uint64_t *shingles) TW_CHECKED;
/* Makes those of a record, as they were made when it was added. */
int tw_record_terms(tw_index *index, const tw_stored_document *record, tw_term *terms,
                    twinset_error *error) TW_CHECKED;

#endif
