/*
 * The corpus: documents on their way from input through text and sketch to match. It knows
 * where each one's text is, reads it once to find out what it is, and again when its set or
 * its signature is asked for. 64 bytes a document, its name, and what load.c holds.
 */
#ifndef TW_CORPUS_H
#define TW_CORPUS_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "common.h"
#include "input.h"
#include "match.h"
#include "sketch.h"
#include "text.h"

/* What is to be known of a source that lies outside. */
typedef struct tw_file {
    const char *inside;     /* its name in the archive that it is a member of, or NULL */
    uint32_t member;        /* its number there */
    const char *encoding;   /* that was guessed, or NULL */
    const char *time;       /* that a list gives it, or NULL */
    uint64_t group;         /* documents of one group are not compared; 0: of none */
    const char *submission; /* what that group is called, or NULL */
    size_t below;           /* where in the path its part below the folder walked starts */
    uint64_t start, bytes;  /* where its lines start, and how much of them was read */
    tw_reading told;        /* of a text that is held */
    char *skipped;          /* the reason why it could not be used, or NULL */
} tw_file;

/* A file of one document or of many records, a member of an archive, or a text in memory. There
 * may be millions of the last, so a source is small. */
typedef struct tw_source {
    const char *name; /* as results call it: its path, or the id that a list gives it */
    const char *path; /* of the file that it is, or is a member of; NULL: a text in memory */
    union {
        const char *text; /* held, because it cannot be read again, or NULL */
        char *copy;       /* the same where it is not lent */
    };
    uint64_t size_bytes;
    uint64_t records; /* read, usable or not */
    tw_file *file;    /* of a text in memory the corpus's `none` */
    twinset_role role;
    uint8_t named; /* TW_KIND_*, by its name */
    uint8_t kind;  /* the same, as it is read */
    bool lent;     /* the text is somebody else's */
    bool regular;  /* a file that can be read at any place and time */
    bool directly; /* in a folder that was named: a group only beside other folders */
    bool repeated; /* given before */
    bool packed;   /* can only be read from first to last */
    bool spooled;  /* what it said is in corpus->spool; offsets are there */
} tw_source;

typedef struct tw_document {
    const char *name; /* the corpus keeps it */
    uint64_t digest[2], tokens;
    uint64_t *set;   /* its size and then its ids, if it is held */
    uint64_t offset; /* of its record in the source, or of its text in corpus->texts */
    uint32_t length; /* of the record, without the newline, or of that text; 0: it is read
                        from the source */
    uint32_t source;
    uint32_t line; /* from 1; 0 for a source that is one document */
    uint8_t flags; /* TWINSET_FLAG_* */
    bool blank;    /* all of it is left out: it resembles nothing */
} tw_document;

/* What could not be used: a path, or a record with its place. */
typedef struct tw_skipped {
    const char *path, *reason;
    uint32_t source; /* UINT32_MAX: a path that is none */
    bool empty;      /* nothing is wrong with it, but there is nothing in it */
    uint64_t offset;
    uint64_t length; /* of the record with its newline, whether or not there is one */
} tw_skipped;

/* What one thread needs to read and to compare. */
typedef struct tw_worker {
    struct tw_corpus *corpus;
    tw_reader *reader;
    tw_jsonl *records;
    tw_shingler *shingler;
    tw_coder *coder;
    tw_code code;     /* the tokens of a text */
    tw_bytes program; /* the block made of them */
    tw_spans omitted; /* of a text of words */
    tw_program_scratch scratch_of_programs;
    tw_sketch sketch;
    tw_inside inside;
    tw_bytes bytes; /* of a record or a part of a file */
    tw_u64s ids, values, scratch;
    tw_u64s side[2]; /* sets or sequences that were asked for */
    uint32_t side_document[2];
    uint32_t *slots; /* of a signature */
} tw_worker;

/* Where a document's record lies that was copied from a packed source. */
typedef struct tw_fetched {
    uint32_t document;
    uint64_t offset; /* in corpus->spool */
} tw_fetched;

typedef struct tw_corpus {
    twinset_options options;     /* resolved */
    twinset_options given;       /* as they were before */
    const tw_language *language; /* of all programs; NULL: each one's own */
    tw_convert_rules rules;
    tw_walk_rules walk;
    char *patterns;            /* of the walk, one after the other */
    const char **pattern_list; /* where each begins */
    tw_stop_list *stop;
    tw_scheme *scheme;
    tw_names names; /* of all documents and skipped paths there ever were */
    tw_source *sources;
    size_t source_count, source_capacity;
    tw_file none;      /* nothing, for all texts in memory */
    bool was_read;     /* there may be something to be cleared */
    atomic_int *files; /* an open descriptor of each source, + 1, while there are few */
    tw_u64s folders;   /* of new documents that were named, by hash */
    bool like;         /* only pairs with a document like this are wanted */
    bool comparison;   /* all pairs are wanted, whatever the roles and groups */

    /* What was read. */
    tw_document *documents; /* by name */
    size_t count, capacity;
    uint64_t shingles; /* of all documents, with repetitions */
    uint64_t bytes;    /* of all sources, unpacked */
    uint64_t records;  /* seen, whether they could be used or not */
    uint32_t *place;   /* documents in the order they were read: their numbers; NULL: the same */
    uint64_t *groups;  /* of documents, where records have them; NULL: those of sources */
    size_t group_capacity;
    tw_keys *keys;        /* of each document in the order they were read, or NULL */
    unsigned bands, rows; /* that they were made for */
    bool holds_all;       /* every document's set is held */
    tw_spill *spool;      /* copies of what cannot be read at any place */
    tw_spill *texts;      /* of documents whose file holds something else, such as a PDF */
    tw_fetched *fetched;  /* by document */
    size_t fetched_count;
    bool fetched_all;

    tw_skipped *skips;
    size_t skip_count, skip_capacity;
    size_t given_skips;      /* of these, known before anything was read */
    size_t hidden, left_out; /* files and folders: by rule, by pattern */
    uint64_t *excluded;      /* ids that count in no document, ascending */
    size_t excluded_count;
    tw_worker *workers;
    pthread_mutex_t large; /* held by the one thread that works on a large document */
    atomic_uint_fast64_t held_bytes;
    _Atomic(const char *) changed; /* name of a document that was another when read again */
} tw_corpus;

int tw_corpus_init(tw_corpus *corpus, const twinset_options *options,
                   twinset_error *error) TW_CHECKED;
/* The same for one thread, whatever the options say. */
int tw_corpus_init_alone(tw_corpus *corpus, const twinset_options *options,
                         twinset_error *error) TW_CHECKED;
void tw_corpus_free(tw_corpus *corpus);

/* A text that is lent is not copied. */
int tw_corpus_add_text(tw_corpus *corpus, const char *name, const char *text, size_t length,
                       bool lent, twinset_role role, twinset_error *error) TW_CHECKED;
int tw_corpus_add_path(tw_corpus *corpus, const char *path, twinset_role role,
                       twinset_error *error) TW_CHECKED;
/* Adds to the list of what could not be used. */
int tw_corpus_skip(tw_corpus *corpus, const tw_skipped *skip) TW_CHECKED;

/* Decides what documents are compared by, if that is left open: programs, where most of them
 * are such by their names. */
void tw_corpus_choose_unit(tw_corpus *corpus);

/* What a reading has to make beside the documents. */
typedef struct tw_wish {
    bool sets;            /* hold the sets, as long as `shingles` and memory allow */
    uint64_t shingles;    /* of all documents together, up to which sets are worth it */
    unsigned bands, rows; /* keys for so many bands; 0: none */
} tw_wish;

/* Reads all sources: fills the documents, by name, each name once, and what was wished for;
 * finds out what is common, and so left out. What turns out unreadable or empty is listed as
 * skipped. With a journal (or NULL), goes on where the run before it was. */
int tw_corpus_load(tw_corpus *corpus, const tw_wish *wish, tw_journal *journal,
                   twinset_error *error) TW_CHECKED;
/* Copies the records of these documents out of packed sources, so that they can be read; those
 * of an earlier call may go. Does nothing once all were fetched. */
int tw_corpus_fetch(tw_corpus *corpus, const uint32_t *documents, size_t count,
                    twinset_error *error) TW_CHECKED;
int tw_corpus_fetch_all(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* Bytes of text, and shingles, that one thread may take into memory at once. */
uint64_t tw_corpus_size_limit(const tw_corpus *corpus);

/* The set of a document; valid until this worker asks again for this side (0 or 1). */
int tw_corpus_set(tw_corpus *corpus, unsigned worker, unsigned side, uint32_t document,
                  tw_set *set) TW_CHECKED;
/* Its shingles in the order of the text, appended; those left out are numbers that no other
 * document has. */
int tw_corpus_sequence(tw_corpus *corpus, unsigned worker, uint32_t document,
                       tw_u64s *sequence) TW_CHECKED;
/* Does so for a sequence that is there. */
void tw_corpus_hide_excluded(const tw_corpus *corpus, uint32_t document, tw_u64s *sequence);
/* Tokens in a run of so many of its shingles: a text shorter than k is one shingle. */
uint64_t tw_corpus_tokens_in(const tw_corpus *corpus, uint32_t document, size_t shingles);
/* Tokens in its longest passage without anything that is left out. */
int tw_corpus_longest(tw_corpus *corpus, unsigned worker, uint32_t document,
                      uint64_t *tokens) TW_CHECKED;
int tw_corpus_signature(tw_corpus *corpus, unsigned worker, uint32_t document,
                        uint32_t *slots) TW_CHECKED;
/* Makes the keys of all documents, where the reading did not. */
int tw_corpus_make_keys(tw_corpus *corpus, unsigned bands, unsigned rows,
                        twinset_error *error) TW_CHECKED;
/* Whether it is too large to be had as a whole. */
bool tw_corpus_reads_in_windows(const tw_corpus *corpus, uint32_t document);
/* The text it is compared by, appended; its record must have been fetched. */
int tw_corpus_text(tw_corpus *corpus, uint32_t document, tw_bytes *out) TW_CHECKED;

static inline twinset_role tw_corpus_role(const tw_corpus *corpus, uint32_t document)
{
    return corpus->sources[corpus->documents[document].source].role;
}

/* Whether a document was read before another. */
static inline bool tw_reads_before(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_document *x = &corpus->documents[a], *y = &corpus->documents[b];
    return x->source != y->source ? x->source < y->source : x->offset < y->offset;
}

/* Whether submissions are folders, and the field or column that says them; or neither. */
static inline bool tw_groups_are_folders(const twinset_options *options)
{
    return strcmp(options->group, "dir") == 0;
}

static inline const char *tw_group_field(const twinset_options *options)
{
    bool none = tw_groups_are_folders(options) || strcmp(options->group, "none") == 0;
    return none ? NULL : options->group;
}

uint64_t tw_group_of_name(const char *name, size_t length);

/* A path without what says nothing: "./a" and "a" are one file. */
const char *tw_path_key(const char *path);
/* Whether the two are to be compared at all. */
bool tw_corpus_wanted(const tw_corpus *corpus, uint32_t a, uint32_t b);
tw_loop tw_corpus_loop(const tw_corpus *corpus, const char *stage);
/* Says what a status means that came without a message; returns it. */
int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status);

/* ---- between the files of this folder */

/* Forgets all that a reading left behind. */
void tw_corpus_clear(tw_corpus *corpus);
/* Puts the documents that were read in the order of their names, each name once. */
int tw_corpus_order(tw_corpus *corpus) TW_CHECKED;

/* add.c */

/* What a source holds; its place in the corpus remains. */
void tw_source_free(const tw_corpus *corpus, tw_source *source);
int tw_source_skip(tw_source *source, const char *reason) TW_CHECKED;
/* Why it cannot be used, as far as that is known before it is read; or NULL. */
static inline const char *tw_source_reason(const tw_source *source)
{
    return source->path || source->text ? source->file->skipped : "null";
}
/* Has every source read record by record, or as the one document that it is. */
void tw_corpus_read_whole(tw_corpus *corpus, bool whole);

/* prepare.c: settles which sources are read: each once, in the role that goes before */
int tw_corpus_prepare(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* source.c: the bytes and the text of documents, as often as they are needed */

/* A descriptor for reading at any place; give it back with tw_source_close(). -1: errno says
 * why there is none. */
int tw_source_open(tw_corpus *corpus, uint32_t source);
void tw_source_close(tw_corpus *corpus, uint32_t source, int fd);
/* Reads a part of a source into `bytes`, as far as there is one. */
int tw_source_read(tw_corpus *corpus, uint32_t source, uint64_t offset, size_t length,
                   tw_bytes *bytes, const char **reason) TW_CHECKED;
/* The text of a source that is one document, and how it was come by; it dies with the worker's
 * next. With a reason, it cannot be used. One that is `raw`, the bytes of a member, is
 * interpreted, else they are read. */
typedef struct tw_source_text {
    const tw_bytes *raw;
    const char *text;
    size_t length;
    tw_reading told;
} tw_source_text;

int tw_source_text_of(tw_corpus *corpus, tw_worker *worker, const tw_source *source,
                      tw_source_text *text, const char **reason) TW_CHECKED;
/* Whether it has to go through in windows. What must be converted cannot. */
bool tw_source_is_large(const tw_corpus *corpus, const tw_source *source);
/* Sends the shingles of a source that is one document to a sink. TWINSET_IO with a reason: it
 * cannot be used. */
int tw_source_shingle(tw_corpus *corpus, tw_worker *worker, const tw_source *source,
                      tw_shingles_fn sink, void *context, tw_text_summary *summary,
                      const char **reason) TW_CHECKED;
/* The same for a document that was read before; it must not have changed. */
int tw_document_shingle(tw_corpus *corpus, tw_worker *worker, uint32_t document,
                        tw_shingles_fn sink, void *context) TW_CHECKED;
/* The record of such a document, in the worker's bytes, with TW_JSON_PADDING after it. */
int tw_document_record(tw_corpus *corpus, tw_worker *worker, uint32_t document) TW_CHECKED;

/* Sends the shingles of a text to a sink. The name says the language of a program, whose block
 * is then the worker's. */
int tw_text_shingle(tw_worker *worker, const char *name, const char *text, size_t length,
                    uint32_t source, tw_shingles_fn sink, void *context,
                    tw_text_summary *summary) TW_CHECKED;
/* The text that its shingles are cut from, appended. */
int tw_text_normal(tw_worker *worker, const char *text, size_t length, tw_bytes *out) TW_CHECKED;
/* What a language is told by: the name of the file. */
static inline const char *tw_source_file(const tw_source *source)
{
    return source->file->inside ? source->file->inside : source->path ? source->path : source->name;
}

/* submission.c */

/* Whether documents are programs; whether those of a submission are one. */
static inline bool tw_by_code(const tw_corpus *corpus)
{
    return corpus->options.by == TWINSET_BY_CODE;
}

bool tw_gathers(const tw_corpus *corpus);
/* Makes the documents of each submission one, named like it. */
int tw_corpus_gather(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
/* A document's tokens, or the words of one that is no program. They die with the worker's next. */
int tw_document_program(tw_corpus *corpus, tw_worker *worker, uint32_t document,
                        tw_program *program) TW_CHECKED;

/* The same for a text of no document. */
int tw_text_program(tw_worker *worker, const char *text, size_t length,
                    tw_program *program) TW_CHECKED;
/* The text that the tokens of a document's file were found in; it dies with the worker's next. The
 * program stays. TWINSET_IO where the text is no longer what it was. */
int tw_document_file(tw_corpus *corpus, tw_worker *worker, uint32_t document,
                     const tw_program *program, size_t file, tw_source_text *text) TW_CHECKED;

/* signature.c: what a worker's signature is made from, between tw_sketch_begin() and
 * tw_sketch_end(): a sink for shingles, after which a bag must be finished; or a set, where
 * the scheme takes ids. */
int tw_signature_batch(void *worker, const tw_shingles *batch) TW_CHECKED;
int tw_signature_finish_bag(tw_worker *worker) TW_CHECKED;
int tw_signature_set(tw_worker *worker, tw_set set) TW_CHECKED;
/* Whether all ids of a text, as they come, make the same signature as its set. */
bool tw_signature_takes_sequence(const tw_corpus *corpus);
/* Whether it is that of a document of which all is left out. */
bool tw_signature_is_blank(const tw_corpus *corpus, const uint32_t *slots);

/* sets.c */

/* The first place in an ascending list that is no less than an id; whether it has the id. */
size_t tw_lower_bound(const uint64_t *sorted, size_t count, uint64_t id);
bool tw_contains(const uint64_t *sorted, size_t count, uint64_t id);
/* Whether an id is among those that are left out. */
bool tw_corpus_excludes(const tw_corpus *corpus, uint64_t id);
/* Turns all ids of a text into its set: sorted, each once; with `bag` the second, third...
 * occurrence of an id becomes an id of its own. `excluded` ones go. */
int tw_make_set(tw_u64s *ids, tw_u64s *scratch, bool bag, const uint64_t *excluded,
                size_t excluded_count) TW_CHECKED;
int tw_corpus_make_set(tw_corpus *corpus, tw_worker *worker, tw_u64s *ids) TW_CHECKED;
/* Holds a set for a document, if memory allows. */
int tw_corpus_hold(tw_corpus *corpus, tw_document *document, const tw_u64s *ids) TW_CHECKED;
void tw_corpus_forget_sets(tw_corpus *corpus);
/* Reads again what is not held, and holds it. */
int tw_corpus_load_sets(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
/* Frees what a buffer has beyond the usual. */
void tw_give_back(tw_u64s *numbers);
/* Large documents pass one at a time, or memory would grow with the threads. */
bool tw_corpus_enter_large(tw_corpus *corpus, uint64_t size);
void tw_corpus_leave_large(tw_corpus *corpus, tw_worker *worker, bool large);

/* exclude.c: both add to the ids that are excluded; for the second, the documents must have
 * been read. */
int tw_exclude_templates(tw_corpus *corpus) TW_CHECKED;
/* Takes the text of a template, in the first worker's hands. */
typedef int (*tw_template_fn)(void *context, tw_worker *worker, const char *text, size_t length);
/* Hands over each record of a template of records; `tell` lists those that are none as skipped. */
int tw_template_records(tw_corpus *corpus, const tw_source *source, bool tell, tw_template_fn take,
                        void *context, const char **reason) TW_CHECKED;
int tw_exclude_common(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
/* Whether that is to be done. */
bool tw_excludes_common(const tw_corpus *corpus);

#endif
