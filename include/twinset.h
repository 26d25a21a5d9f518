/*
 * twinset - find the documents of a collection that resemble each other.
 *
 * A program that lists the similar essays of a folder:
 *
 *     #include <stdio.h>
 *     #include <twinset.h>
 *
 *     int main(void)
 *     {
 *         twinset_collection *essays = NULL;
 *         twinset_result *result = NULL;
 *         twinset_pair pair;
 *         twinset_error error;
 *         int status = twinset_collection_new(NULL, &essays, &error);
 *         if (status == TWINSET_OK)
 *             status = twinset_collection_add_path(essays, "samples/essays", TWINSET_ROLE_NEW,
 *                                                  &error);
 *         if (status == TWINSET_OK)
 *             status = twinset_collection_scan(essays, &result, &error);
 *         if (status != TWINSET_OK)
 *             fprintf(stderr, "%s\n", error.message);
 *         for (size_t i = 0; twinset_result_pair(result, i, &pair, sizeof pair) == TWINSET_OK; i++)
 *             printf("%.3f  %s  %s\n", pair.similarity, pair.a, pair.b);
 *         twinset_result_free(result);
 *         twinset_collection_free(essays);
 *         return status;
 *     }
 *
 * This header has what most programs need: compare two texts, scan or clean a collection, read
 * and write the result. twinset_advanced.h has the rest: signatures, bands and rows, the steps
 * of a scan for engines on many machines, the options as data. twinset_index.h has indexes.
 *
 * Status. A function that can fail returns an int: 0 (TWINSET_OK) or another twinset_status. Many
 * take a last argument `error`, which may be NULL; on failure it holds a sentence that says what
 * went wrong, with which file, and what to do. A required argument that is NULL, or an index past
 * the end, is TWINSET_USAGE; a function that returns a pointer or a count then returns NULL or 0.
 * The library never prints, exits or aborts. Its sentences (errors, notes, reasons) name an option
 * in backquotes, "raise `memory`"; twinset_spell_options() turns that into --memory.
 *
 * Structs. Later versions may add fields at the end of a struct. So a function that fills a struct
 * takes its size from the caller, as in the example, and fills no more than that; fields that the
 * library does not know become 0. Options and styles have their size in their first field.
 *
 * Lists. A function with a plural name returns a count. Its singular gives the element at an index,
 * from 0, or TWINSET_USAGE past the last, so that a loop needs no count. Where a type has the
 * singular name already, the functions end in _count and _at.
 *
 * Lifetimes. What `_new` and the runs of a collection give is freed by the `_free` of its type,
 * which takes NULL. A result is a value: it stays valid after its collection was changed or freed,
 * and writing it reads none of the user's files. Strings and arrays that a function gives belong to
 * its handle, and live as long. Strings in options are borrowed: they must live as long as the
 * handles that are made with the options. All other arguments are copied, unless a function says
 * otherwise.
 *
 * Threads. A handle may be used by one thread at a time, and different handles by different threads
 * at once. twinset_collection_scan(), _dedup(), _compare(), _sketch() and _texts() and
 * twinset_result_clean() start up to options.threads - 1 threads, which end before the call
 * returns; no other call starts any. Callbacks run in the thread that made the call.
 *
 * Results depend only on the input, the options and the seed: not on the number of threads, the
 * machine, the locale, or the order in which documents were added. The limit of memory matters only
 * if a single document is too large for it; that one is skipped. Text is UTF-8; other bytes are
 * read as U+FFFD, and flagged.
 *
 * The end of this header says what the library uses of its process: environment, child processes,
 * standard input, signals.
 */
#ifndef TWINSET_H
#define TWINSET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TWINSET_API __attribute__((visibility("default")))
#define TWINSET_CHECKED __attribute__((visibility("default"), warn_unused_result))
#else
#define TWINSET_API
#define TWINSET_CHECKED
#endif

/* ---------------------------------------------------------------- version */

#define TWINSET_VERSION "0.1.0"
#define TWINSET_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch */

/* The version of the library in use; the macros above are the version of the header. */
TWINSET_API const char *twinset_version(void);
TWINSET_API int twinset_version_number(void);

/* ------------------------------------------------------ status and errors */

typedef enum twinset_status {
    TWINSET_OK = 0,
    TWINSET_NOMEM = 1,     /* an allocation failed, or a limit of memory does not suffice */
    TWINSET_USAGE = 2,     /* an option or argument that makes no sense */
    TWINSET_IO = 3,        /* a file could not be read or written */
    TWINSET_EMPTY = 4,     /* there is nothing to work on */
    TWINSET_CANCELLED = 5, /* by the progress callback, or twinset_collection_cancel() */
    TWINSET_LIMIT = 6,     /* the system allows no more open files, threads or processes */
} twinset_status;

/* The size of this struct stays as it is. */
typedef struct twinset_error {
    char message[1024];
} twinset_error;

/* ---------------------------------------------------------------- options */

/* What a run does and how. NULL stands for the defaults wherever a function takes options. The
 * fields are at the end of this header. */
typedef struct twinset_options twinset_options;

/* Sets every option to its default: twinset_options_init(&options, sizeof options). */
TWINSET_API void twinset_options_init(twinset_options *options, size_t size);

/* Sets one option by its command-line name and text: ("threshold", "0.8"). A string
 * option keeps a pointer to `value`. */
TWINSET_CHECKED int twinset_options_set(twinset_options *options, const char *name,
                                        const char *value, twinset_error *error);

/* --------------------------------------------------------------- two texts */

/* How similar two documents are, by their shingles. */
typedef struct twinset_pair {
    const char *a, *b;    /* names; in a result a < b, byte by byte */
    double similarity;    /* by the chosen measure */
    double jaccard;       /* shared / union */
    double containment_a; /* share of a's shingles found in b */
    double containment_b;
    uint64_t shared;
    uint64_t union_count;
    double estimate;  /* agreement of the signatures; NaN: none were made */
    uint64_t longest; /* characters or words in the longest passage that both have */
    uint32_t cluster; /* number of the pair's cluster, from 1; 0: it has none */

    /* Of programs only; NaN or 0: not known. */
    double weighted;        /* Jaccard by weights: rare shingles count more */
    uint64_t overlap;       /* tokens in all passages that both have */
    uint64_t longest_lines; /* lines of the longest passage, in a */
    uint64_t lines_a;       /* lines with a passage */
    uint64_t lines_b;
    double false_alarms;          /* how many pairs of unrelated programs are expected to be so
                                     similar by chance; of prose, whose passages were looked for:
                                     to share so much by chance */
    int a_is_number, b_is_number; /* the name is an id that is a number in its JSON record */

    /* The passages that both have, if they were looked for. */
    uint64_t passages;      /* their number */
    uint64_t passage_words; /* words in all of them; of programs, tokens */
    double coverage_a;      /* the share of a's words that are in passages; NaN: not looked for */
    double coverage_b;
    const char *language_a, *language_b; /* of a result with TWINSET_VIEW_ACROSS; otherwise NULL */
} twinset_pair;

/* Compares two texts: exact similarity and estimate. `options` may be NULL; their threshold and
 * method have no effect. The names of the pair are "a" and "b". */
TWINSET_CHECKED int twinset_compare(const char *a, size_t a_length, const char *b, size_t b_length,
                                    const twinset_options *options, twinset_pair *pair,
                                    size_t pair_size, twinset_error *error);

/* ------------------------------------------------------------ a collection */

typedef struct twinset_collection twinset_collection;
typedef struct twinset_result twinset_result;

/* Which pairs a document is part of. */
typedef enum twinset_role {
    TWINSET_ROLE_NEW,    /* compared with all others */
    TWINSET_ROLE_OLD,    /* archive: compared with the new, not with other old ones */
    TWINSET_ROLE_LIKE,   /* once there is one, only its pairs are reported */
    TWINSET_ROLE_IGNORE, /* template: its shingles are left out of all documents */
} twinset_role;

/* Makes an empty collection, to be freed with twinset_collection_free(). `options` is copied, and
 * may be NULL. */
TWINSET_CHECKED int twinset_collection_new(const twinset_options *options,
                                           twinset_collection **collection, twinset_error *error);
TWINSET_API void twinset_collection_free(twinset_collection *collection);

/* Asks the call in progress to stop, or, if there is none, the next one that reads: it fails with
 * TWINSET_CANCELLED within a fraction of a second, even while it waits for input. Only this call
 * may be made while another is in progress, from any thread and from a signal handler. */
TWINSET_API void twinset_collection_cancel(twinset_collection *collection);

/* Adds a text in memory, which is copied. `name` must not have been added before. A text of NULL
 * becomes a skipped input. */
TWINSET_CHECKED int twinset_collection_add_text(twinset_collection *collection, const char *name,
                                                const char *text, size_t length, twinset_role role,
                                                twinset_error *error);

/* Adds a file, all files below a folder, or, for "@list", the paths that the file `list` names, one
 * a line. A path that does not exist may have wildcards. Each line is a document in files named
 * .jsonl or .ndjson, also with .gz, .zst, .xz or .bz2 after that, and in standard input, "-". A
 * path that cannot be read becomes a skipped input, and is no error. A path that was added before
 * is not added again (its role may become LIKE). */
TWINSET_CHECKED int twinset_collection_add_path(twinset_collection *collection, const char *path,
                                                twinset_role role, twinset_error *error);

/* Finds the similar pairs and their clusters. Free the result with twinset_result_free().
 * TWINSET_EMPTY: there is no document that can be compared. */
TWINSET_CHECKED int twinset_collection_scan(twinset_collection *collection, twinset_result **result,
                                            twinset_error *error);

/* Chooses what to keep of documents that resemble each other. A document is removed only for one
 * that is kept and that it resembles. `keep` says which of two is kept: "first" (or NULL) in
 * the order of the input, "longest", "newest", or the name of a field, for the one with the
 * largest value; among equals, the first. Old documents are always kept. The result has
 * clusters and removals, but no pairs. Free it with twinset_result_free(). */
TWINSET_CHECKED int twinset_collection_dedup(twinset_collection *collection, const char *keep,
                                             twinset_result **result, twinset_error *error);

/* Compares the only two texts or paths that were added, each as one document: one pair, whatever
 * its similarity. Free the result with twinset_result_free(). */
TWINSET_CHECKED int twinset_collection_compare(twinset_collection *collection,
                                               twinset_result **result, twinset_error *error);

/* The inputs added so far: the paths of files, templates among them, and the names of texts. */
TWINSET_API size_t twinset_collection_inputs(const twinset_collection *collection);
TWINSET_API const char *twinset_collection_input(const twinset_collection *collection,
                                                 size_t index);

/* Whether a path names a file that the collection reads: a document, an archive, a template, a list
 * of paths, the file of stop words. Files are compared by device and inode, so that links and other
 * spellings of a path are recognised. Standard input counts if it is a file. The call costs a
 * system call for each file that was added. */
TWINSET_API int twinset_collection_reads(const twinset_collection *collection, const char *path);
/* Checks the paths of all files that a program is about to write, best before a run. TWINSET_USAGE,
 * with a sentence that names both: the collection reads one of them, or two of them are one file,
 * whether or not it exists yet. Devices, such as /dev/null, and pipes may be named twice. */
TWINSET_CHECKED int twinset_collection_check_outputs(const twinset_collection *collection,
                                                     const char *const *paths, size_t count,
                                                     twinset_error *error);

/* An input, or a document in it, that was not compared. */
typedef struct twinset_skip {
    const char *path;
    const char *reason;
    int empty; /* it has no text; a cleaned collection keeps it */
} twinset_skip;

/* The inputs that were skipped so far, for programs that have no result. The list may change with
 * the next call that takes the collection. */
TWINSET_API size_t twinset_collection_skips(const twinset_collection *collection);
TWINSET_CHECKED int twinset_collection_skip(const twinset_collection *collection, size_t index,
                                            twinset_skip *skip, size_t size);

/* ---------------------------------------------------------------- a result */

TWINSET_API void twinset_result_free(twinset_result *result);

typedef struct twinset_run {
    size_t documents;       /* compared; neither skipped nor ignored */
    size_t pairs, clusters; /* in the result; found_pairs below counts what `top` leaves out */
    size_t skipped, flagged, notes;
    size_t missing;                      /* skipped paths from which nothing was read */
    int method;                          /* the one used: TWINSET_METHOD_LSH or _EXACT */
    unsigned bands, rows;                /* 0 with TWINSET_METHOD_EXACT */
    uint64_t candidates, verified;       /* pairs proposed; of these, computed exactly */
    double expected_recall;              /* of pairs at the threshold; NaN: not known */
    uint64_t records, bytes;             /* read, usable or not; bytes of input, unpacked */
    uint64_t shingles;                   /* with repetitions */
    uint64_t spilled_bytes;              /* written to temporary files */
    uint64_t sampled;                    /* documents compared with all others */
    uint64_t sample_pairs, sample_found; /* their similar pairs; of these, found by the search */
    size_t removed;                      /* documents, of a cleaned collection */
    size_t found_pairs;                  /* similar pairs, listed or not */
    uint64_t resumed_bytes;    /* of input, that an earlier run had read and a checkpoint kept */
    uint64_t words, cut_words; /* of kept documents, if spans are cut; of these, in such spans */
    uint64_t cut_spans, cut_records; /* spans that an earlier document has; documents with some */
} twinset_run;

/* How the run went, in numbers. */
TWINSET_CHECKED int twinset_result_run(const twinset_result *result, twinset_run *run, size_t size);

/* The similar pairs: highest similarity first, then by the names. */
TWINSET_API size_t twinset_result_pairs(const twinset_result *result);
TWINSET_CHECKED int twinset_result_pair(const twinset_result *result, size_t index,
                                        twinset_pair *pair, size_t size);

typedef struct twinset_cluster {
    uint32_t id; /* from 1, largest cluster first */
    size_t size;
    const char *const *members; /* `size` names */
    const char *representative; /* the member that most resembles the others */
    double min_similarity;      /* of any two members; over 1,000 members: of any member
                                   and the representative */
} twinset_cluster;

/* Documents that similar pairs join, largest cluster first. */
TWINSET_API size_t twinset_result_clusters(const twinset_result *result);
TWINSET_CHECKED int twinset_result_cluster(const twinset_result *result, size_t index,
                                           twinset_cluster *cluster, size_t size);

/* The inputs that were skipped, in the order of the paths. */
TWINSET_API size_t twinset_result_skips(const twinset_result *result);
TWINSET_CHECKED int twinset_result_skip(const twinset_result *result, size_t index,
                                        twinset_skip *skip, size_t size);

enum {
    TWINSET_FLAG_INVALID_UTF8 = 1,      /* bytes that are no characters were read as U+FFFD */
    TWINSET_FLAG_HIDDEN_CHARACTERS = 2, /* there were invisible characters within words */
    TWINSET_FLAG_HOMOGLYPHS = 4,        /* words of Latin letters had letters of other scripts */
    TWINSET_FLAG_HIDDEN_TEXT = 8,       /* text that no reader would see was left out */
    TWINSET_FLAG_ENCODING = 16,         /* its encoding, in `encoding`, was guessed */
    TWINSET_FLAG_UNPARSED = 32,         /* a program parses badly: its tokens may be wrong */
    TWINSET_FLAG_LEXED = 128,        /* a program was not parsed: no grammar, too large, too deep */
    TWINSET_FLAG_MOSTLY_QUOTED = 64, /* most was left out as quotations or list of sources */
    TWINSET_FLAG_CONTROLS = 256,     /* it has NUL bytes or other control characters */
    TWINSET_FLAG_UNDIVIDED = 512,    /* rows, records or messages were read as one text */
};

/* A document that was compared, but not entirely as it is. */
typedef struct twinset_flagged_document {
    const char *path;
    unsigned flags;       /* TWINSET_FLAG_* */
    const char *encoding; /* that was guessed, such as "WINDOWS-1252", or NULL */
} twinset_flagged_document;

/* In the order of the names. */
TWINSET_API size_t twinset_result_flagged_documents(const twinset_result *result);
TWINSET_CHECKED int twinset_result_flagged_document(const twinset_result *result, size_t index,
                                                    twinset_flagged_document *document,
                                                    size_t size);

/* Sentences that the user should read: large buckets, limits of the method. */
TWINSET_API size_t twinset_result_notes(const twinset_result *result);
TWINSET_API const char *twinset_result_note(const twinset_result *result, size_t index);

/* A document that dedup removed. */
typedef struct twinset_removal {
    const char *name;  /* of the document */
    const char *kept;  /* the name of the one that it was removed for */
    double similarity; /* of these two */
    uint32_t cluster;  /* number of their cluster, from 1 */
} twinset_removal;

/* In the order of the input. */
TWINSET_API size_t twinset_result_removals(const twinset_result *result);
TWINSET_CHECKED int twinset_result_removal(const twinset_result *result, size_t index,
                                           twinset_removal *removal, size_t size);

/* ---- passages: the text that two documents share */

/* What was done to a passage; 0: it is verbatim. */
enum {
    TWINSET_PASSAGE_RENAMED = 1,      /* names are replaced, each by one other name */
    TWINSET_PASSAGE_EDITED = 2,       /* a few names or values differ */
    TWINSET_PASSAGE_ALIKE = 4,        /* many differ, without a rule: only the structure is equal */
    TWINSET_PASSAGE_REORDERED = 8,    /* it was moved past others of the same files */
    TWINSET_PASSAGE_PADDED = 16,      /* tokens were inserted, removed or changed within it */
    TWINSET_PASSAGE_PARAPHRASED = 32, /* of prose: said in other words, or in another order */
    TWINSET_PASSAGE_SUMMARY = 64,     /* of prose: few words that say what many say */
};

typedef struct twinset_passage {
    uint64_t tokens;    /* that both have; words of prose */
    unsigned kinds;     /* TWINSET_PASSAGE_* */
    uint64_t documents; /* that have its rarest shingle; 0: not known */
    double rarity;      /* of prose: bits of evidence against chance; 0: not known */
} twinset_passage;

/* Consecutive text of a document. */
typedef struct twinset_span {
    const char *file;             /* of a submission of several files; otherwise NULL */
    size_t file_index;            /* of that file in its document, from 0 */
    size_t start, end;            /* bytes of that file's text; `end` is past the last */
    size_t first_line, last_line; /* from 1 */
} twinset_span;

/* The passages of a pair, in the order of a. No token is in two of them, except in summaries. */
typedef struct twinset_passages twinset_passages;

/* A scan has the passages of its first TWINSET_PAIRS_WITH_PASSAGES pairs; *passages is NULL for
 * later pairs, and if a document is too large. They outlive the result; free them with
 * twinset_passages_free(). */
enum { TWINSET_PAIRS_WITH_PASSAGES = 10000 };
TWINSET_CHECKED int twinset_result_passages(const twinset_result *result, size_t pair,
                                            twinset_passages **passages, twinset_error *error);
TWINSET_API void twinset_passages_free(twinset_passages *passages);

TWINSET_API size_t twinset_passages_count(const twinset_passages *passages);
TWINSET_CHECKED int twinset_passages_at(const twinset_passages *passages, size_t index,
                                        twinset_passage *passage, size_t size);
/* Where a passage is in a (side 0) or in b (side 1). */
TWINSET_CHECKED int twinset_passages_span(const twinset_passages *passages, size_t index, int side,
                                          twinset_span *span, size_t size);

/* ------------------------------------------------------- writing a result */

typedef enum twinset_format {
    TWINSET_FORMAT_TABLE, /* for people */
    TWINSET_FORMAT_CSV,
    TWINSET_FORMAT_TSV,
    TWINSET_FORMAT_JSON, /* with the passages of the first TWINSET_PAIRS_WITH_PASSAGES pairs */
    TWINSET_FORMAT_JSONL,
    TWINSET_FORMAT_BINARY,      /* signatures only; docs/format.md */
    TWINSET_FORMAT_CANDIDATES,  /* of a scan: a line a document, with those it is paired with */
    TWINSET_FORMAT_HTML,        /* a page to look at in a browser; docs/format.md */
    TWINSET_FORMAT_SARIF,       /* passages at their lines, for code reviews; docs/format.md */
    TWINSET_FORMAT_CODEQUALITY, /* passages at their lines, as GitLab reads them */
} twinset_format;

/* How a table looks. Set `size`, as in twinset_style style = {.size = sizeof style}; zero in the
 * other fields is plain text of any width. */
typedef struct twinset_style {
    size_t size;    /* of the struct */
    int colour;     /* ANSI colours */
    unsigned width; /* columns; 0: as wide as it needs */
    size_t rows;    /* pairs at most, the rest counted; 0: all */
    int ascii;      /* no characters beyond ASCII but those of names */
    int legend;     /* explain the columns of a table of pairs below it */
} twinset_style;

/* Takes bytes of the output. Returns 0, or an errno value that ends the writing with TWINSET_IO. */
typedef int (*twinset_write_fn)(void *context, const char *bytes, size_t count);

/* Writes a result. `style` may be NULL, for plain text. Sentences in the output name options as the
 * command does, --memory, whatever program writes it. */
TWINSET_CHECKED int twinset_result_write(const twinset_result *result, twinset_format format,
                                         const twinset_style *style, twinset_write_fn write,
                                         void *context, twinset_error *error);

/* Writes the removals as JSON, an object a line: id, kept, similarity, cluster. */
TWINSET_CHECKED int twinset_result_write_removed(const twinset_result *result,
                                                 twinset_write_fn write, void *context,
                                                 twinset_error *error);

/* ----------------------------------------------------- cleaned collections */

/* Prepares for cleaning, once all inputs are added and before twinset_collection_dedup(). With
 * `separate_files`, each input is written to a file of its own, and no two may have one name below
 * their folders. Otherwise all are written to one file; several inputs must then be files of JSON
 * lines, and so must inputs to `annotate`. *count is the number of inputs to write. */
TWINSET_CHECKED int twinset_collection_outputs(twinset_collection *collection, int separate_files,
                                               int annotate, size_t *count, twinset_error *error);
/* The name for the cleaned file of an input: its path below the folder that was added, or its own
 * name without folders. NULL: it is not written, since its role is not TWINSET_ROLE_NEW, or since
 * it was added before. */
TWINSET_API const char *twinset_collection_output(const twinset_collection *collection,
                                                  size_t input);

/* Records of cleaned inputs. */
typedef struct twinset_clean_counts {
    uint64_t read, kept, removed, skipped;
} twinset_clean_counts;

/* Writes what is kept of an input, unchanged and in its order. The result is one of
 * twinset_collection_dedup(); this is the only call that reads the files again.
 *
 * `name` is the name of one file for all inputs, compressed as its ending says (.gz, .zst, .xz,
 * .bz2), in which a newline ends each input but the last. NULL: the input has a file of its own,
 * compressed as the input is. With `annotate` all records are written, each with the fields
 * twinset_cluster, twinset_keep, twinset_kept and twinset_similarity at its end.
 *
 * `write` is called at least once, maybe with no bytes, unless the input is one document that is
 * not kept. The call fails if the records that are written, removed and skipped are not all that
 * were read. `counts` may be NULL. */
TWINSET_CHECKED int twinset_result_clean(twinset_result *result, size_t input, const char *name,
                                         int annotate, twinset_write_fn write, void *context,
                                         twinset_clean_counts *counts, size_t counts_size,
                                         twinset_error *error);

/* ------------------------------------------------- reference: the options */

enum { TWINSET_BY_AUTO, TWINSET_BY_CHAR, TWINSET_BY_WORD, TWINSET_BY_CODE };
enum { TWINSET_VIEW_BOTH, TWINSET_VIEW_NORMALISED, TWINSET_VIEW_RAW, TWINSET_VIEW_ACROSS };
enum { TWINSET_CASE_FOLD, TWINSET_CASE_KEEP };
enum { TWINSET_SPACES_SQUEEZE, TWINSET_SPACES_KEEP, TWINSET_SPACES_DROP };
enum { TWINSET_PUNCTUATION_KEEP, TWINSET_PUNCTUATION_SPACE, TWINSET_PUNCTUATION_DROP };
enum {
    TWINSET_MEASURE_AUTO,
    TWINSET_MEASURE_JACCARD,
    TWINSET_MEASURE_CONTAINMENT,
    TWINSET_MEASURE_WEIGHTED
};
enum { TWINSET_METHOD_AUTO, TWINSET_METHOD_LSH, TWINSET_METHOD_EXACT };
enum {
    TWINSET_SCHEME_FSS,
    TWINSET_SCHEME_AFFINE,
    TWINSET_SCHEME_MODULAR,
    TWINSET_SCHEME_JENKINS,
    TWINSET_SCHEME_MD5,
    TWINSET_SCHEME_DATASKETCH1,
    TWINSET_SCHEME_DATASKETCH2
};
enum { TWINSET_SHINGLE_HASH_DEFAULT, TWINSET_SHINGLE_HASH_MURMUR3, TWINSET_SHINGLE_HASH_MD5 };
enum {
    TWINSET_PREFER_RECALL,
    TWINSET_PREFER_ACCURACY,
    TWINSET_PREFER_SPEED,
    TWINSET_PREFER_NEAREST
};
enum { TWINSET_BOILERPLATE_DROP, TWINSET_BOILERPLATE_KEEP };
enum { TWINSET_QUOTES_KEEP, TWINSET_QUOTES_DROP };
enum {
    TWINSET_INPUT_AUTO,    /* by the name of each file, or its first bytes */
    TWINSET_INPUT_TEXT,    /* a file is one document */
    TWINSET_INPUT_JSONL,   /* a line is a record of JSON */
    TWINSET_INPUT_ARCHIVE, /* each file in it is one */
    TWINSET_INPUT_MBOX,    /* each message in it is one */
    TWINSET_INPUT_WARC     /* each page in it is one */
};
enum { TWINSET_QUOTATIONS_KEEP, TWINSET_QUOTATIONS_DROP };
enum { TWINSET_BIBLIOGRAPHY_KEEP, TWINSET_BIBLIOGRAPHY_DROP };

/* A number that is chosen by what is compared: text, or programs. */
#define TWINSET_AUTO (-1.0)
/* For options that can be switched off. */
#define TWINSET_OFF 4294967295u

/* Called from time to time, in the thread that made the call. A return value other than 0 stops the
 * call, which then fails with TWINSET_CANCELLED. `total` is 0 if it is not known. */
typedef int (*twinset_progress_fn)(void *context, const char *stage, uint64_t done, uint64_t total);

/* Call twinset_options_init(), and then set the fields that are to differ from the defaults. */
struct twinset_options {
    size_t size; /* of the struct, set by twinset_options_init() */

    /* Text: what two documents are compared by. */
    int by;           /* TWINSET_BY_*: characters, words or the tokens of programs; auto: programs
                         if most files are programs by their names, otherwise characters */
    unsigned k;       /* shingle length, 1 to 64; 0: 9 characters, 5 words, 8 tokens (6 across
                         languages) */
    const char *lang; /* of programs, such as "python"; NULL or "auto": recognised for each */
    int view;         /* TWINSET_VIEW_*: programs are compared by their tokens in normal form, by
                         their words as written, or by both; or, only across languages, by what
                         languages have in common */
    int letter_case;  /* TWINSET_CASE_*: NFKC and full case folding, or only NFC */
    int spaces;       /* TWINSET_SPACES_* */
    int punctuation;  /* TWINSET_PUNCTUATION_* */
    const char *stop; /* file of words to leave out, or NULL */
    int quotations;   /* TWINSET_QUOTATIONS_*: what a text quotes */
    int bibliography; /* TWINSET_BIBLIOGRAPHY_*: the list of its sources */

    /* Similarity. */
    double threshold;  /* the least similarity of a reported pair; 0: all that share a shingle;
                          TWINSET_AUTO: 0.5, for twinset_collection_dedup() 0.8; for programs, pairs
                          that chance does not explain (docs/programs.md) */
    int measure;       /* TWINSET_MEASURE_*: what `similarity` means; auto: weighted for
                          programs, otherwise Jaccard */
    int bag;           /* non-zero: count repeated shingles */
    double common;     /* leave out shingles in more than this share of the documents; 1: none;
                          TWINSET_AUTO: 1; of 20 programs or more, 0.9 */
    const char *group; /* submissions, whose documents are not compared with each other: "dir",
                          one for each sub-folder; or the field of records, or the column of a
                          list, whose value they share; "none": each document is alone; NULL or
                          "auto": "dir" for programs where there is a folder for each person */

    /* How pairs are found. */
    int method;          /* TWINSET_METHOD_* */
    unsigned hashes;     /* slots of a signature, 1 to 65536; 0: 256, or, to find pairs, as many as
                            reach the recall at the least cost */
    int scheme;          /* TWINSET_SCHEME_* */
    int shingle_hash;    /* TWINSET_SHINGLE_HASH_*: what the signature is made from */
    uint64_t seed;       /* of the signature's hash functions */
    int prefer;          /* TWINSET_PREFER_*: how bands and rows are chosen */
    double recall;       /* required at the threshold, with TWINSET_PREFER_RECALL */
    unsigned bands;      /* 0: chosen automatically */
    unsigned rows;       /* 0: chosen automatically */
    unsigned max_bucket; /* larger buckets propose stars, not all pairs; 0: no limit */
    unsigned sample;     /* documents compared with all others, to measure the recall */

    /* Input. Nested fields are named with dots. */
    const char *text;     /* field of a JSON record that holds its text; NULL: "text" */
    const char *id;       /* field that names it; NULL: "id" where a record has it */
    int all;              /* non-zero: hidden files and folders, too */
    const char *include;  /* patterns, one a line: only files in folders and archives that match one
                             are read; NULL: all are */
    const char *exclude;  /* patterns, one a line: files that match one are not read */
    uint64_t max_size;    /* bytes that an archive may unpack to */
    int html_boilerplate; /* TWINSET_BOILERPLATE_*: navigation, advertising and the like */
    int mail_quotes;      /* TWINSET_QUOTES_*: the quoted lines of a mail */

    /* Machine. Threads change no result; less memory may make the method `auto` choose lsh. */
    unsigned threads;       /* 0: all cores */
    uint64_t memory_bytes;  /* 0: a quarter of the machine, or of its control group */
    const char *tmp;        /* folder for temporary files; NULL: $TMPDIR, or /var/tmp */
    const char *checkpoint; /* folder to continue from if a run is cut short, or NULL */

    twinset_progress_fn progress; /* or NULL */
    void *progress_context;

    unsigned top;         /* list only so many pairs, the most similar ones; 0: all */
    unsigned min_passage; /* the fewest words of a passage for which a scan of prose lists a pair.
                             0: chosen by the texts, unless a threshold or a document in
                             TWINSET_ROLE_LIKE is given; TWINSET_OFF: passages list no pair. For
                             dedup: the fewest words of a span that is cut because an earlier record
                             has it; 0 or TWINSET_OFF: nothing is cut */
    int input;            /* TWINSET_INPUT_*: what the documents of a file are */
    double max_skipped;   /* the share of the input that may be skipped, 0 to 1 */
};

/* ------------------------------------------------- reference: the process
 *
 * Environment. Temporary files are in the folder that options.tmp names, otherwise in TMPDIR,
 * otherwise in /var/tmp or /tmp. They have no names and vanish with the process. TWINSET_ISA
 * (portable, avx2, avx512 or neon) restricts the library to an instruction set; one that the
 * machine does not have is TWINSET_USAGE. TWINSET_GRAMMARS is the folder of the grammars of
 * programming languages, otherwise they are beside the library. A grammar is a shared library that
 * is loaded with the first program of its language, and stays loaded. PATH is searched for
 * pdftotext. The locale has no effect.
 *
 * Child processes. Each PDF document starts `pdftotext`, with an environment of its own, limits
 * on its time and memory, and default signals; the library waits for this child by its id. Without
 * pdftotext, PDF documents are skipped inputs.
 *
 * Standard input is read only if the path "-" (documents, a JSON object a line) or "@-" (a list of
 * paths) is added, and then to its end.
 *
 * Signals. The library sets no handlers and changes no signal mask. A progress callback that
 * returns non-zero stops a run.
 */

#ifdef __cplusplus
}
#endif

#endif /* TWINSET_H */
