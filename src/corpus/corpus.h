/*
 * The corpus holds the documents of one run, each read once. It knows the name, the span and the
 * digest of each document and, if the plan asks for them, its set of shingles or the keys of its
 * signature. Once read it is frozen: the search does not change it. It takes 56 bytes a document,
 * plus the names and the sets or keys.
 *
 *   settings.c       the options, checked and completed
 *   analyser.c       a text to shingles and sets; signature.c: to signatures
 *   sources.c        the inputs that were added; roles.c: which are read, which are compared
 *   groups.c         the submission that each file belongs to
 *   read_sources.c   reads every source once, in chunks (chunk.c), by ingest.c and commit.c
 *   usable.c         whether enough of what was read could be used
 *   templates.c      the shingles of templates and common shingles, which are excluded
 *   submission.c     the files of a submission, joined to one document
 *   order.c          documents in the order of their names
 *   document_text.c  the text of a document, read again; fetch.c: from packed sources
 *   sets.c           the set of a document, held or made again
 *   keys.c           the keys of all documents, if they were not made while reading
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

/* What a document is named by. */
typedef enum tw_naming {
    TW_NAMED_BY_SOURCE,
    TW_NAMED_BY_LINE, /* FILE:LINE */
    TW_NAMED_BY_ID,
    TW_NAMED_BY_NUMBER,      /* an id that is a number of JSON */
    TW_NAMED_BY_FILE_AND_ID, /* FILE#ID, where documents of other files have that id */
} tw_naming;

typedef struct tw_document {
    const char *name; /* in the arena of the corpus or of the sources */
    uint64_t digest[2], tokens;
    uint64_t offset; /* of its record in the source, or of its text in store.texts */
    uint32_t length; /* of that record without its newline, or of that text; 0: read the source */
    uint32_t source;
    uint32_t line;        /* from 1; 0 for a source that is one document */
    uint16_t flags;       /* TWINSET_FLAG_* */
    bool is_blank;        /* all its shingles are excluded: it matches nothing */
    uint8_t naming : 3;   /* tw_naming */
    uint8_t language : 5; /* tw_language_index(), by view across alone */
} tw_document;

/* The documents, in the order of their names once all were read. */
typedef struct tw_documents {
    tw_document *data; /* in paged memory */
    size_t count, capacity;
    uint64_t *groups; /* by document; NULL: a document has the group of its source */
    size_t group_capacity;
    uint64_t **sets; /* by document: the number of its ids, then the ids; NULL: no sets are held */
    size_t set_capacity;
    uint32_t *read_order; /* documents as they were read; UINT32_MAX: left out; NULL: 0, 1, ... */
} tw_documents;

/* ---- sources, as they are read */

/* How a source is read; there may be millions, so this is small. */
typedef struct tw_source_state {
    uint8_t kind;     /* tw_input_kind */
    bool is_repeated; /* it was added before */
    bool is_packed;   /* it can be read only from start to end */
    bool is_spooled;  /* its bytes are in store.spool, and offsets are offsets there */
} tw_source_state;

/* What was read from a source that is not a text in memory. */
typedef struct tw_source_extent {
    uint64_t records; /* usable or not */
    uint64_t start, bytes;
    const char *encoding; /* the encoding that was guessed, or NULL */
} tw_source_extent;

/* The submission that a source belongs to; documents of one are not compared with each other. */
typedef struct tw_source_group {
    uint64_t id; /* 0: none */
    const char *name;
} tw_source_group;

/* ---- temporary files */

/* The offset of a document's record in the spool, copied there from a packed source. */
typedef struct tw_fetched_record {
    uint32_t document;
    uint64_t offset;
} tw_fetched_record;

typedef struct tw_corpus_store {
    tw_spill *spool;            /* copies of records that cannot be read at any offset */
    tw_spill *texts;            /* texts that were converted, such as that of a PDF */
    tw_fetched_record *fetched; /* ascending by document */
    size_t fetched_count;
    bool has_fetched_all;
    atomic_int *descriptors; /* by source, while there are few: an open file plus 1, or 0 */
} tw_corpus_store;

/* ---- the corpus */

typedef struct tw_corpus tw_corpus;

/* Bytes of a source that were read ahead. */
typedef struct tw_window {
    uint32_t source;
    uint64_t start; /* of the bytes */
    tw_bytes bytes;
    uint64_t end; /* of the record that was read last */
} tw_window;

/* The state of one thread that reads and compares documents. */
typedef struct tw_worker {
    tw_corpus *corpus;
    tw_analyser analyser;
    tw_reader *reader;
    tw_jsonl *records;
    tw_member_reader members; /* the reader of the last archive */
    tw_bytes bytes;           /* of a record, or of a part of a large file */
    tw_window window;
    tw_u64s side[2]; /* the last set for each side of a comparison */
    uint32_t side_document[2];
} tw_worker;

typedef struct tw_key_list {
    tw_key_store *data; /* by document, in the order of reading; or NULL */
    unsigned bands, rows;
} tw_key_list;

typedef struct tw_held_sets {
    atomic_uint_fast64_t bytes;
    bool has_all; /* the sets of all documents are held */
} tw_held_sets;

typedef struct tw_totals {
    uint64_t shingles; /* of all documents, with repetitions */
    uint64_t bytes;    /* of all sources, unpacked */
    uint64_t records;  /* usable or not */
    uint64_t resumed;  /* bytes that were not read again, since a journal had their documents */
} tw_totals;

struct tw_corpus {
    atomic_uint owners;
    tw_settings *settings;
    tw_sources *sources;
    tw_arena *arena; /* names of records and skipped paths, in paged memory; keeps the sources'
                        arena alive */
    tw_source_state *states;
    tw_source_extent *extents; /* by file->number, in paged memory: use tw_file_extent() */
    tw_source_group *groups;   /* by file->number, where folders are submissions; or NULL */
    bool has_like;             /* only pairs with a document of role like are wanted */
    bool is_comparison;        /* all pairs are wanted, whatever the roles and groups */

    tw_documents documents;
    tw_corpus_store store;
    tw_key_list keys;
    tw_held_sets held;
    uint64_t *excluded_ids;
    tw_set excluded; /* the set in excluded_ids: they are left out of every document */
    tw_skips skips;
    tw_totals totals;

    tw_worker *workers;
    pthread_mutex_t large; /* held by the one thread that works on a large document */
    _Atomic(const char *)
        changed; /* the name of a document whose text had changed when it was read again */
};

/* Makes a corpus of the sources as they are now. With `is_comparison`, every source is one
 * document. It has one owner; release it with tw_corpus_release(). */
int tw_corpus_new(tw_settings *settings, tw_sources *sources, bool is_comparison,
                  tw_corpus **corpus, twinset_error *error) TW_CHECKED;
tw_corpus *tw_corpus_retain(tw_corpus *corpus);
/* Frees the corpus with its last owner. Takes NULL. */
void tw_corpus_release(tw_corpus *corpus);
/* Frees the sets and keys, which only matching needs. */
void tw_corpus_end_matching(tw_corpus *corpus);
/* Frees what only a search needs: workers, sets, keys and open files. Names, documents, sources and
 * texts in temporary files stay. */
void tw_corpus_end_search(tw_corpus *corpus);

/* Returns the unit that documents of these sources are compared by, TWINSET_BY_*. An automatic
 * choice takes them as programs if most are programs, by their names or first bytes. */
int tw_choose_unit(const tw_settings *settings, const tw_sources *sources, bool is_comparison);

/* Lists a path or a record as skipped; both strings are copied. */
int tw_corpus_skip(tw_corpus *corpus, const tw_skipped_input *skip) TW_CHECKED;
/* Adds a message to an error that has none; returns the status. */
int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status);

/* What has to be made of the documents while they are read. */
typedef struct tw_read_plan {
    bool holds_sets;        /* hold sets, as long as `most_shingles` and memory allow */
    uint64_t most_shingles; /* the total number of shingles up to which sets are held */
    unsigned bands, rows;   /* of keys; 0: none */
} tw_read_plan;

/* Reads all sources. Fills the documents, in the order of their names, each name once, and the sets
 * or keys of the plan; finds common shingles, which are excluded. Unreadable and empty inputs are
 * listed as skipped. With a journal (or NULL), continues where the run before this one ended. */
int tw_corpus_read(tw_corpus *corpus, const tw_read_plan *plan, tw_journal *journal,
                   twinset_error *error) TW_CHECKED;

/* ---- roles.c */

/* Makes the states of sources; free them with tw_free(). A source that was added in several roles
 * is read once, in the role with the highest precedence. TWINSET_USAGE: two texts have one name. */
int tw_source_states_new(const tw_sources *sources, bool is_comparison, tw_source_state **states,
                         twinset_error *error) TW_CHECKED;
/* Returns the group of a document, or 0. */
uint64_t tw_corpus_group(const tw_corpus *corpus, uint32_t document);
bool tw_corpus_has_groups(const tw_corpus *corpus);
/* Whether two documents are to be compared, by their roles, groups and languages. */
bool tw_corpus_wants(const tw_corpus *corpus, uint32_t a, uint32_t b);
/* Whether all pairs are to be compared, whatever the roles and groups are. */
bool tw_corpus_wants_all(const tw_corpus *corpus);

/* The memory of what grows with the documents. */
static inline tw_paged *tw_corpus_paged(const tw_corpus *corpus)
{
    return tw_arena_paged(corpus->arena);
}

/* What was read from a source that is a file. */
static inline tw_source_extent *tw_file_extent(const tw_corpus *corpus, const tw_source *source)
{
    tw_source_extent *extent = &corpus->extents[source->file->number];
    tw_paged_touch(tw_corpus_paged(corpus), extent, sizeof *extent);
    return extent;
}

/* Returns a document. What it points to stays valid, but should not be used for long: documents may
 * be in a temporary file. */
static inline tw_document *tw_document_at(const tw_corpus *corpus, uint32_t document)
{
    tw_document *found = &corpus->documents.data[document];
    tw_paged_touch(tw_corpus_paged(corpus), found, sizeof *found);
    return found;
}

static inline const tw_source *tw_source_of(const tw_corpus *corpus, uint32_t document)
{
    return tw_source_at(corpus->sources, tw_document_at(corpus, document)->source);
}

static inline twinset_role tw_corpus_role(const tw_corpus *corpus, uint32_t document)
{
    return (twinset_role)tw_source_of(corpus, document)->role;
}

/* Whether a source gives no documents: it is repeated, or a template. */
static inline bool tw_is_passed_over(const tw_corpus *corpus, size_t source)
{
    return corpus->states[source].is_repeated ||
           tw_source_at(corpus->sources, source)->role == TWINSET_ROLE_IGNORE;
}

/* Whether a document was read before another. */
static inline bool tw_is_read_before(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_document *x = tw_document_at(corpus, a), *y = tw_document_at(corpus, b);
    return x->source != y->source ? x->source < y->source : x->offset < y->offset;
}

/* ---- groups.c */

/* What the folders and archives of new documents look like. */
typedef struct tw_folder_survey {
    size_t texts, programs;
    size_t folders;     /* or archives, that texts are in */
    size_t submissions; /* of these, those that programs are in */
    bool is_class;      /* there is a folder or an archive for each person */
} tw_folder_survey;

/* Looks at the folders and archives of new documents. There is one for each person where programs
 * are in at least two of them and none beside them, at most 30 in each on average, and where none
 * is called as the folders of a project are. */
int tw_survey_folders(const tw_sources *sources, tw_folder_survey *survey) TW_CHECKED;

/* Whether a class hands in programs, although other texts may lie beside them: there is a folder or
 * an archive for each person, programs are in most of these, and a quarter of the texts. */
static inline bool tw_class_hands_in_programs(const tw_folder_survey *survey)
{
    return survey->is_class && 2 * survey->submissions > survey->folders &&
           4 * survey->programs >= survey->texts;
}

/* Finds the submissions of all sources, by folders and archives. */
int tw_corpus_group_by_folder(tw_corpus *corpus) TW_CHECKED;

/* One side of a comparison: the sources from `first` up to `end`, and what they were added by. */
typedef struct tw_side {
    const char *name;
    size_t first, end;
} tw_side;

/* Makes each side of a comparison one document, if there are folders or archives of programs.
 * TWINSET_USAGE: texts of several files, or files that both sides have. */
int tw_corpus_take_sides(tw_corpus *corpus, const tw_side sides[2],
                         twinset_error *error) TW_CHECKED;

/* Returns the unit of a comparison. An automatic choice also takes folders and archives as programs
 * if both sides have programs, whatever else lies beside them: as text, they cannot be compared. */
int tw_choose_unit_of_sides(const tw_settings *settings, const tw_sources *sources,
                            const tw_side sides[2]);

/* Returns the name of the document that a side became. */
const char *tw_corpus_side_name(const tw_corpus *corpus, const tw_side *side);

tw_source_group tw_corpus_source_group(const tw_corpus *corpus, const tw_source *source);

/* ---- fetch.c */

/* Copies the records of these documents out of packed sources, so that they can be read in any
 * order. It may drop those of an earlier call. Does nothing once all were fetched. */
int tw_corpus_fetch(tw_corpus *corpus, const uint32_t *documents, size_t count,
                    twinset_error *error) TW_CHECKED;
int tw_corpus_fetch_all(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* ---- document_text.c: reads the bytes and the text of documents, as often as they are needed */

/* The text of a source that is one document, and where it comes from; valid until the worker reads
 * the next. `raw` may be set to the bytes of a member, which are read otherwise. */
typedef struct tw_source_text {
    const tw_bytes *raw;
    const char *text;
    size_t length;
    tw_text_origin reading;
} tw_source_text;

/* Opens a source for reading at any offset; close it with tw_source_close(). Returns -1 and sets
 * errno on failure. */
int tw_source_open(tw_corpus *corpus, uint32_t source);
void tw_source_close(tw_corpus *corpus, uint32_t source, int fd);
/* Reads the text of a source that is one document. TWINSET_IO with a reason: it cannot be used. */
int tw_source_read_text(tw_worker *worker, uint32_t source, tw_source_text *text,
                        const char **reason) TW_CHECKED;
/* Whether a source is so large that it is read in windows, which a file that must be converted
 * never is. */
bool tw_source_is_large(const tw_corpus *corpus, const tw_source *source);
/* Sends the shingles of a source that is one document to a sink. TWINSET_IO with a reason: it
 * cannot be used. */
int tw_source_shingle(tw_worker *worker, uint32_t source, tw_shingles_fn sink, void *context,
                      tw_text_summary *summary, const char **reason) TW_CHECKED;

/* Sends the shingles of a document to a sink; its text must not have changed. */
int tw_document_shingle(tw_worker *worker, uint32_t document, tw_shingles_fn sink,
                        void *context) TW_CHECKED;
/* Gives the text of a document that is not large; valid until the worker reads the next. */
int tw_document_text(tw_worker *worker, uint32_t document, tw_source_text *text) TW_CHECKED;
/* Takes a text, or some of it. */
typedef int (*tw_text_fn)(void *context, const char *text, size_t length);
/* Gives the text of a document to `take`: whole, or in windows if it is large. */
int tw_document_feed(tw_worker *worker, uint32_t document, tw_text_fn take,
                     void *context) TW_CHECKED;
/* Reads the record of a document into the worker's bytes, with TW_JSON_PADDING after it. */
int tw_document_record(tw_worker *worker, uint32_t document) TW_CHECKED;
/* Gives the tokens of a program, or the words of prose. They live in the analyser until its next
 * use. */
int tw_document_program(tw_worker *worker, uint32_t document, tw_program *program) TW_CHECKED;
/* Gives the text of one of a document's files, which its tokens point into; valid until the worker
 * reads the next. The program stays valid. TWINSET_IO: the text has changed. */
int tw_document_file(tw_worker *worker, uint32_t document, const tw_program *program, size_t file,
                     tw_source_text *text) TW_CHECKED;
/* Appends the normal text of a document, which its shingles are cut from. */
int tw_document_normal_text(tw_worker *worker, uint32_t document, tw_bytes *out) TW_CHECKED;
/* Whether a document is too large to be read as a whole. */
bool tw_document_is_large(const tw_corpus *corpus, uint32_t document);

/* ---- sets.c */

/* Gives the set of a document; valid until this worker asks again for this side (0 or 1). */
int tw_document_set(tw_worker *worker, unsigned side, uint32_t document, tw_set *set) TW_CHECKED;
/* Returns the set of a document that is in memory; without ids if there is none. */
static inline tw_set tw_document_held_set(const tw_corpus *corpus, uint32_t document)
{
    const uint64_t *set = corpus->documents.sets ? corpus->documents.sets[document] : NULL;
    return set ? (tw_set){set + 1, set[0]} : (tw_set){NULL, 0};
}
/* Frees all sets that are held; they are made again where they are asked for. */
void tw_corpus_forget_sets(tw_corpus *corpus);
/* Counts the tokens in the longest run of a document without excluded shingles. */
int tw_document_longest(tw_worker *worker, uint32_t document, uint64_t *tokens) TW_CHECKED;
int tw_document_signature(tw_worker *worker, uint32_t document, uint32_t *slots) TW_CHECKED;
/* Replaces the excluded ids of a sequence by ids that no other document has. */
void tw_hide_excluded(tw_set excluded, uint32_t document, tw_u64s *sequence);
/* Call these around work on a document of `size` bytes. If it is large, enter takes a lock, so that
 * memory does not grow with the threads, and returns true; leave then unlocks. */
bool tw_corpus_enter_large(tw_corpus *corpus, uint64_t size);
void tw_corpus_leave_large(tw_worker *worker, bool is_large);

/* ---- keys.c */

/* Makes the keys of all documents, if they were not made while reading. */
int tw_corpus_make_keys(tw_corpus *corpus, unsigned bands, unsigned rows,
                        twinset_error *error) TW_CHECKED;

/* ---- templates.c */

/* Takes the text of a template, with the first worker. */
typedef int (*tw_template_fn)(void *context, tw_worker *worker, const char *text, size_t length);
/* Passes the text of every template to `take`, or of each record of a template of records. A
 * template that is too large or cannot be read is passed over; the reading has listed it as
 * skipped. */
int tw_corpus_visit_templates(tw_corpus *corpus, tw_template_fn take, void *context) TW_CHECKED;

#endif
