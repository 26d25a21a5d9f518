/*
 * twinset's index: a collection that stays. It answers "have we seen this before?" without reading
 * the old documents again.
 *
 * An index is one file. It holds the options that its documents are compared by, and for each
 * document its id, its metadata, a digest, the keys of its signature, and its text. A query
 * proposes candidates by their keys, and compares their texts as a scan does.
 *
 * The conventions are those of twinset.h: status and error, sizes of structs, lifetimes.
 *
 * Threads and processes. A handle may be used by one thread at a time. Any number of handles, in
 * any number of threads and processes, may have one index open: readers never wait, and see the
 * index as it was when their call began; writers take turns, and wait for each other up to
 * TWINSET_INDEX_WAIT_SECONDS. A server opens a read-only handle for each thread that asks, and one
 * handle for the thread that writes. The file must lie on a local disk. A handle must not be taken
 * through fork().
 *
 * Durability. A call that changes an index is one batch: when it returns TWINSET_OK the batch is on
 * the disk; otherwise nothing of it is in the index. An exception is twinset_index_add(), which
 * writes large collections in several batches; its counts say what is in the index. Damage
 * is noticed when it is met, and twinset_index_verify() looks for it everywhere.
 */
#ifndef TWINSET_INDEX_H
#define TWINSET_INDEX_H

#include "twinset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct twinset_index twinset_index;

enum {
    TWINSET_INDEX_READ_ONLY = 1, /* the index must exist, and is not changed */
    TWINSET_INDEX_CREATE = 2,    /* it is created where there is none */
    TWINSET_INDEX_NO_TEXT = 4,   /* a new index keeps no texts: its answers are estimates */
};

enum { TWINSET_INDEX_WAIT_SECONDS = 60, TWINSET_INDEX_VERSION = 2, TWINSET_INDEX_KEY_BITS = 32 };

/* ------------------------------------------------------- opening, closing */

/* Opens an index; `flags` are TWINSET_INDEX_*. A new one keeps those of the options that texts are
 * compared by: those that twinset_option_at() says it keeps, such as by, k, scheme, bands and rows,
 * and the threshold that the latter are chosen for. With `min_passage`, of any length, it keeps
 * fingerprints of passages as well. For an index that exists, `options` may be NULL; an option that
 * the index keeps must be as in the index, or have its default: otherwise it is TWINSET_USAGE. Of
 * the others, threads, memory_bytes, tmp and progress are used. Close the index with
 * twinset_index_close(). */
TWINSET_CHECKED int twinset_index_open(const char *path, const twinset_options *options,
                                       unsigned flags, twinset_index **index, twinset_error *error);
/* Writes what is in the log to the file, and frees the handle. Takes NULL. A failure loses
 * nothing: the log stays. */
TWINSET_API void twinset_index_close(twinset_index *index);

/* The options that the index was created with, for a collection that is added or asked about:
 * twinset_options_init() first, then this, then threads, memory and the like. Strings live as long
 * as the index. */
TWINSET_CHECKED int twinset_index_options(const twinset_index *index, twinset_options *options,
                                          size_t size, twinset_error *error);

/* ---------------------------------------------------------------- adding */

typedef struct twinset_index_counts {
    uint64_t added;
    uint64_t known;   /* were in the index already: nothing was changed */
    uint64_t skipped; /* could not be read, are empty, or the index has another text by the id */
    uint64_t removed;
    uint64_t unknown; /* ids to remove that the index does not have */
} twinset_index_counts;

/* A document of an index, or one to be added. Of the latter, `size` to `metadata` count. */
typedef struct twinset_index_document {
    size_t size; /* of the struct */
    const char *id;
    const char *text; /* NULL: the index keeps no texts */
    size_t text_length;
    const char *group;    /* documents of one group are not compared with each other, or NULL */
    const char *metadata; /* of the caller, by convention a JSON object; or NULL */
    int is_number;        /* the id is a number in its JSON record */
    uint64_t number;      /* of the document in the index: later ones have larger numbers */
    uint64_t digest[2];   /* of the text as it is compared */
    uint64_t tokens;      /* characters or words */
    unsigned flags;       /* TWINSET_FLAG_* */
} twinset_index_document;

/* Adds texts as one batch. A document whose id and text the index has is known. One with a known id
 * and another text is skipped, as is one without tokens; twinset_index_skip() says why. */
TWINSET_CHECKED int twinset_index_add_texts(twinset_index *index,
                                            const twinset_index_document *documents, size_t count,
                                            twinset_index_counts *counts, size_t counts_size,
                                            twinset_error *error);
/* Adds the documents of a collection. Its options must be those of twinset_index_options(), except
 * options that do not change how texts are compared. With the option `group`, the value of that
 * field is the group of a document. Inputs that cannot be read are in the collection's skips. */
TWINSET_CHECKED int twinset_index_add(twinset_index *index, twinset_collection *collection,
                                      twinset_index_counts *counts, size_t counts_size,
                                      twinset_error *error);
/* Asks about the documents of a collection, as twinset_index_query() does, and adds them as
 * twinset_index_add() does; the pairs found join clusters that the index keeps. */
TWINSET_CHECKED int twinset_index_add_find(twinset_index *index, twinset_collection *collection,
                                           twinset_result **result, twinset_index_counts *counts,
                                           size_t counts_size, twinset_error *error);
/* Prepares a collection, once all its inputs are added, for twinset_collection_dedup(): the
 * documents of the index that may resemble one of its own are added to it as old ones. A document
 * of the index is named by its id, or by INDEX#ID where the collection has one by that name. */
TWINSET_CHECKED int twinset_index_add_old(twinset_index *index, twinset_collection *collection,
                                          twinset_error *error);
/* Adds the documents of a collection that a result of twinset_collection_dedup() keeps. */
TWINSET_CHECKED int twinset_index_add_kept(twinset_index *index, twinset_collection *collection,
                                           const twinset_result *result,
                                           twinset_index_counts *counts, size_t counts_size,
                                           twinset_error *error);
/* The documents that the last call that adds has skipped because of what the index has. */
TWINSET_CHECKED int twinset_index_skip(const twinset_index *index, size_t number,
                                       twinset_skip *skip, size_t size);

/* ---------------------------------------------------------------- asking */

/* Finds the documents of the index that resemble those of a collection: the pairs that
 * twinset_collection_scan() finds if the latter have the role TWINSET_ROLE_LIKE and the documents
 * of the index are new. `threshold`, `top`, `method`, `min_passage`, `threads`, `memory` and
 * `group` are those of the collection; its other options must be as for twinset_index_add(). A
 * document of the index that has the id and the text of one in the collection is the same document,
 * and is not compared with it; one that has the id and another text is named INDEX#ID.
 *
 * Method exact compares with every document of the index. Method lsh proposes candidates by bands,
 * and gives what a scan by lsh with as many hashes, bands and rows gives. Method auto is exact for
 * a small index (TWINSET_INDEX_EXACT_TOKENS) and for programs; otherwise candidates come from
 * bands, and are listed as the exact method lists them.
 *
 * With `min_passage`, every document is compared, unless the index has fingerprints of passages and
 * the method is not exact. Then fingerprints lead to the documents that share 15 words in a row
 * which no more than 32 documents have, a sample of the index decides what chance explains, and a
 * passage that is only in other words is not found. Free the result with twinset_result_free(). */
TWINSET_CHECKED int twinset_index_query(twinset_index *index, twinset_collection *collection,
                                        twinset_result **result, twinset_error *error);
enum { TWINSET_INDEX_EXACT_TOKENS = 4 << 20 };

/* Gives a document by its id. TWINSET_EMPTY: there is none. The strings are valid until the next
 * call with this handle. */
TWINSET_CHECKED int twinset_index_get(twinset_index *index, const char *id,
                                      twinset_index_document *document, size_t size,
                                      twinset_error *error);

/* Takes a document. Returns 0, or an errno value that ends the call with TWINSET_IO. */
typedef int (*twinset_index_document_fn)(void *context, const twinset_index_document *document);
/* Gives all documents whose id matches a pattern with * and ? (NULL: all), in the order in which
 * they were added. */
TWINSET_CHECKED int twinset_index_dump(twinset_index *index, const char *pattern,
                                       twinset_index_document_fn take, void *context,
                                       twinset_error *error);
/* Takes the upper TWINSET_INDEX_KEY_BITS bits of a key, of a band from 0 on, and the number of its
 * document. */
typedef int (*twinset_index_key_fn)(void *context, unsigned band, uint64_t key, uint64_t document);
/* Gives the keys of all documents, ascending by band, key and document in each of several
 * sequences. */
TWINSET_CHECKED int twinset_index_dump_keys(twinset_index *index, twinset_index_key_fn take,
                                            void *context, twinset_error *error);

/* Takes the ids of a cluster, in the order of their numbers. */
typedef int (*twinset_index_cluster_fn)(void *context, const char *const *ids, size_t count);
/* Gives the clusters that twinset_index_add_find() made, largest first. */
TWINSET_CHECKED int twinset_index_clusters(twinset_index *index, twinset_index_cluster_fn take,
                                           void *context, twinset_error *error);

/* -------------------------------------------------------------- removing */

/* Removes documents by their ids, as one batch. Nothing of them stays in the file. */
TWINSET_CHECKED int twinset_index_remove(twinset_index *index, const char *const *ids, size_t count,
                                         twinset_index_counts *counts, size_t counts_size,
                                         twinset_error *error);
/* Removes the documents whose id matches a pattern with * and ?, and whose group is `group`. One of
 * the two may be NULL, and does not count then. */
TWINSET_CHECKED int twinset_index_remove_matching(twinset_index *index, const char *pattern,
                                                  const char *group, twinset_index_counts *counts,
                                                  size_t counts_size, twinset_error *error);

/* ------------------------------------------------------------ maintenance */

typedef struct twinset_index_stat {
    uint64_t documents;
    uint64_t tokens;         /* of all documents: characters or words */
    uint64_t text_bytes;     /* of all texts, not packed */
    uint64_t file_bytes;     /* of the index and its log */
    uint64_t batches;        /* that changed the index since it was created */
    uint64_t runs, segments; /* sorted runs of keys; what they consist of */
    uint64_t postings;       /* keys, and one for each id */
    uint64_t clustered;      /* documents in clusters */
    unsigned version;        /* of the format */
    unsigned bands, rows;
    double threshold; /* that bands and rows were chosen for */
    int has_texts;
    int has_fingerprints; /* of passages */
} twinset_index_stat;

TWINSET_CHECKED int twinset_index_stat_get(twinset_index *index, twinset_index_stat *stat,
                                           size_t size, twinset_error *error);

/* Takes a sentence that says what is wrong. Returns as other callbacks do. */
typedef int (*twinset_index_problem_fn)(void *context, const char *problem);
/* Reads all of an index, and checks that it is consistent. TWINSET_OK: nothing is wrong.
 * TWINSET_IO: each problem went to `take`, which may be NULL. */
TWINSET_CHECKED int twinset_index_verify(twinset_index *index, twinset_index_problem_fn take,
                                         void *context, uint64_t *documents, twinset_error *error);
/* Merges all runs into one, and makes the file as small as it can be. Others may read meanwhile. */
TWINSET_CHECKED int twinset_index_optimize(twinset_index *index, twinset_error *error);
/* Copies an index, while others may read and write it, to a file that must not exist. */
TWINSET_CHECKED int twinset_index_backup(twinset_index *index, const char *path,
                                         twinset_error *error);
/* Adds the documents of another index, which must have the same options. */
TWINSET_CHECKED int twinset_index_merge(twinset_index *index, const char *path,
                                        twinset_index_counts *counts, size_t counts_size,
                                        twinset_error *error);
/* Bounds the bytes of the file and its log: a batch that would go beyond fails with TWINSET_LIMIT,
 * and nothing is changed. It holds for this handle. 0: no bound. */
TWINSET_CHECKED int twinset_index_set_quota(twinset_index *index, uint64_t bytes,
                                            twinset_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TWINSET_INDEX_H */
