/*
 * twinset - find the documents of a collection that resemble each other.
 *
 * The header has three parts; read on only as far as you need:
 *
 *   1. Simple     two texts in, their similarity out
 *   2. Handle     a collection of documents; scan it; walk or write the result
 *   3. Advanced   signatures, bands and rows, option tables, for other programs
 *
 * Conventions. Functions that can fail return 0 (TWINSET_OK) or another status, and
 * take a last argument `error` that may be NULL; on failure it holds a sentence that says
 * what, which file, and what to do. Nothing here prints, exits or keeps global state.
 * A handle belongs to one thread at a time; different handles may be used at once.
 * Text is UTF-8; what is not is read as U+FFFD and flagged. `_free` takes NULL.
 *
 * Results depend on the input, the options and the seed alone: not on the number of
 * threads, the machine, or the order in which documents were added. Only what does not fit
 * into the memory allowed is another matter: a document may be too large, and is skipped.
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

#define TWINSET_VERSION "0.1.0"

typedef enum twinset_status {
    TWINSET_OK = 0,
    TWINSET_NOMEM = 1,     /* an allocation failed, or a limit of memory does not suffice */
    TWINSET_USAGE = 2,     /* an option or argument that makes no sense */
    TWINSET_IO = 3,        /* a file could not be read or written */
    TWINSET_EMPTY = 4,     /* there is nothing to work on */
    TWINSET_CANCELLED = 5, /* the progress callback asked to stop */
} twinset_status;

typedef struct twinset_error {
    char message[1024];
} twinset_error;

/* The version of the library in use; TWINSET_VERSION is that of the header. */
TWINSET_API const char *twinset_version(void);

/* ---------------------------------------------------------------- options */

enum { TWINSET_BY_AUTO, TWINSET_BY_CHAR, TWINSET_BY_WORD, TWINSET_BY_CODE };
enum { TWINSET_VIEW_BOTH, TWINSET_VIEW_NORMALISED, TWINSET_VIEW_RAW };
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
enum { TWINSET_QUOTATIONS_KEEP, TWINSET_QUOTATIONS_DROP };
enum { TWINSET_BIBLIOGRAPHY_KEEP, TWINSET_BIBLIOGRAPHY_DROP };

/* A number that is chosen by what is compared: text, or programs. */
#define TWINSET_AUTO (-1.0)

/* Called now and then from the thread that made the call. A non-zero answer stops the
 * work, which then fails with TWINSET_CANCELLED. `total` is 0 where it is not known. */
typedef int (*twinset_progress_fn)(void *context, const char *stage, uint64_t done, uint64_t total);

/* Always start from twinset_options_init(); then set what you want to differ. */
typedef struct twinset_options {
    /* Text: what two documents are compared by. */
    int by;           /* TWINSET_BY_*: characters, words or the tokens of programs; auto: programs
                         where most of the files that are scanned or compared are such by name,
                         else characters */
    unsigned k;       /* shingle length, 1 to 64; 0: 9 characters, 5 words, 8 tokens */
    const char *lang; /* of programs, such as "python"; NULL or "auto": each one's own; borrowed */
    int view;         /* TWINSET_VIEW_*: of programs, tokens in normal form with the words as
                         they are written beside them, or one of the two views alone */
    int letter_case;  /* TWINSET_CASE_*: NFKC and full case folding, or NFC alone */
    int spaces;       /* TWINSET_SPACES_* */
    int punctuation;  /* TWINSET_PUNCTUATION_* */
    const char *stop; /* file of words to leave out, or NULL; borrowed */
    int quotations;   /* TWINSET_QUOTATIONS_*: what a text quotes */
    int bibliography; /* TWINSET_BIBLIOGRAPHY_*: the list of its sources */

    /* Similarity. */
    double threshold;  /* pairs from here up are reported; 0: all that share a shingle;
                          TWINSET_AUTO: 0.5; of programs 0.35, or what
                          chance suggests (docs/programs.md) */
    int measure;       /* TWINSET_MEASURE_*: what `similarity` means; auto: weighted for
                          programs, else Jaccard */
    int bag;           /* non-zero: count repeated shingles */
    double common;     /* leave out shingles in more than this share of the documents; 1: none;
                          TWINSET_AUTO: 1; of 20 programs or more, 0.9 */
    const char *group; /* submissions, whose documents are not compared with each other: "dir",
                          one for each sub-folder; or the field of records, or the column of a
                          list, whose value they share; NULL or "none": no such thing; borrowed */

    /* How pairs are found. */
    int method;          /* TWINSET_METHOD_* */
    unsigned hashes;     /* slots of a signature, 1 to 65536 */
    int scheme;          /* TWINSET_SCHEME_* */
    int shingle_hash;    /* TWINSET_SHINGLE_HASH_*: what the signature is made from */
    uint64_t seed;       /* of the signature's hash functions */
    int prefer;          /* TWINSET_PREFER_*: how bands and rows are chosen */
    double recall;       /* wanted at the threshold, with TWINSET_PREFER_RECALL */
    unsigned bands;      /* 0: chosen */
    unsigned rows;       /* 0: chosen */
    unsigned max_bucket; /* larger buckets propose stars, not all pairs; 0: no limit */

    unsigned sample; /* documents compared with all others, to measure the recall */

    /* Input. Fields of fields are named with dots; strings are borrowed. */
    const char *text;     /* field of a JSON record that holds its text; NULL: "text" */
    const char *id;       /* field that names it; NULL: "id" where a record has it */
    int all;              /* non-zero: hidden files and folders, too */
    const char *include;  /* of the files in folders and archives, only those that match one of
                             these patterns, one a line; NULL: all */
    const char *exclude;  /* none that match one of these */
    uint64_t max_size;    /* what an archive may unpack to */
    int html_boilerplate; /* TWINSET_BOILERPLATE_*: navigation, advertising and the like */
    int mail_quotes;      /* TWINSET_QUOTES_*: what a mail quotes of others */

    /* Machine. Threads change no result; less memory may make `auto` take lsh. */
    unsigned threads;       /* 0: all cores */
    uint64_t memory_bytes;  /* 0: a quarter of the machine */
    const char *tmp;        /* folder for temporary files; NULL: $TMPDIR, or /var/tmp */
    const char *checkpoint; /* folder to go on from if a run is cut short, or NULL; borrowed */

    twinset_progress_fn progress; /* or NULL */
    void *progress_context;
} twinset_options;

TWINSET_API void twinset_options_init(twinset_options *options);

/* Sets one option by its command-line name and text: ("threshold", "0.8"). A string
 * option keeps a pointer to `value`. */
TWINSET_CHECKED int twinset_options_set(twinset_options *options, const char *name,
                                        const char *value, twinset_error *error);

/* ------------------------------------------------------------- 1. simple */

/* What is known of two documents, by their shingles. */
typedef struct twinset_pair {
    const char *a, *b;    /* names; in a result a < b, byte by byte */
    double similarity;    /* by the chosen measure */
    double jaccard;       /* shared / union */
    double containment_a; /* share of a's shingles found in b */
    double containment_b;
    uint64_t shared;
    uint64_t union_count;
    double estimate;  /* agreement of the signatures; NaN where none was made */
    uint64_t longest; /* characters or words in the longest passage that both have */
    uint32_t cluster; /* number of the pair's cluster, from 1; 0 where there is none */

    /* Of programs alone; what is not known is NaN or 0. */
    double weighted;        /* Jaccard by weights: rare shingles count more */
    uint64_t overlap;       /* tokens in all passages that both have */
    uint64_t longest_lines; /* lines of the longest passage, in a */
    uint64_t lines_a;       /* lines with a passage */
    uint64_t lines_b;
    double false_alarms; /* pairs of this similarity or more to expect among programs that
                            have nothing to do with each other */
} twinset_pair;

/* Compares two texts: exact similarity and estimate. `options` may be NULL; threshold and
 * the choice of a method play no part. The pair's names are "a" and "b". */
TWINSET_CHECKED int twinset_compare(const char *a, size_t a_length, const char *b, size_t b_length,
                                    const twinset_options *options, twinset_pair *pair,
                                    twinset_error *error);

/* ------------------------------------------------------------- 2. handle */

typedef struct twinset_collection twinset_collection;
typedef struct twinset_result twinset_result;

/* What a document is to the others. */
typedef enum twinset_role {
    TWINSET_ROLE_NEW,    /* compared with all others */
    TWINSET_ROLE_OLD,    /* archive: compared with the new, not with other old ones */
    TWINSET_ROLE_LIKE,   /* once there is one, only its pairs are reported */
    TWINSET_ROLE_IGNORE, /* template: its shingles are left out of all documents */
} twinset_role;

/* Makes an empty collection, to be freed with twinset_collection_free(). The options are
 * copied. */
TWINSET_CHECKED int twinset_collection_new(const twinset_options *options,
                                           twinset_collection **collection, twinset_error *error);
TWINSET_API void twinset_collection_free(twinset_collection *collection);

/* Adds a text that lies in memory; it is copied. `name` must not have been added before. Without
 * a text (NULL) it becomes a skipped input. */
TWINSET_CHECKED int twinset_collection_add_text(twinset_collection *collection, const char *name,
                                                const char *text, size_t length, twinset_role role,
                                                twinset_error *error);

/* The same without a copy: the text must stay as it is until the collection is freed. */
TWINSET_CHECKED int twinset_collection_lend_text(twinset_collection *collection, const char *name,
                                                 const char *text, size_t length, twinset_role role,
                                                 twinset_error *error);

/* Adds a file, every document below a folder, or, for "@list", the paths that the file
 * `list` names, one a line; a path that does not exist may have wildcards. Of files named
 * .jsonl or .ndjson, also with .gz, .zst, .xz or .bz2, and of "-" for standard input, each
 * line is a document. A path that cannot be read becomes a skipped input and not an error. A
 * path that was added before is not added again (its role may become LIKE). */
TWINSET_CHECKED int twinset_collection_add_path(twinset_collection *collection, const char *path,
                                                twinset_role role, twinset_error *error);

/* Finds the similar pairs and their clusters. Free the result with twinset_result_free(),
 * before its collection, whose names it borrows. TWINSET_EMPTY where no document is left. */
TWINSET_CHECKED int twinset_collection_scan(twinset_collection *collection, twinset_result **result,
                                            twinset_error *error);

/* The same to clean a collection: of documents that resemble each other one is kept. A
 * document is removed only for one that is kept and that it resembles. `keep` says which goes
 * before: "first" (NULL: that) in the order of the input, "longest", "newest", or the name of
 * a field, whose largest value does; among equals, the first. Old documents are always kept.
 * The result has clusters, but no pairs. */
TWINSET_CHECKED int twinset_collection_dedup(twinset_collection *collection, const char *keep,
                                             twinset_result **result, twinset_error *error);

/* Compares the collection's only two documents, in the order they were added: one pair,
 * whatever its similarity. */
TWINSET_CHECKED int twinset_collection_compare(twinset_collection *collection,
                                               twinset_result **result, twinset_error *error);
TWINSET_API void twinset_result_free(twinset_result *result);

typedef struct twinset_cluster {
    uint32_t id; /* from 1, largest cluster first */
    size_t size;
    const char *const *members;
    const char *representative; /* the member that most resembles the others */
    double min_similarity;      /* of any two members; over 1,000 members: of any member
                                   and the representative */
} twinset_cluster;

typedef struct twinset_skip {
    const char *path;
    const char *reason;
    int empty; /* there is no text in it: it stays in a cleaned collection */
} twinset_skip;

enum {
    TWINSET_FLAG_INVALID_UTF8 = 1,      /* bytes that are no characters were read as U+FFFD */
    TWINSET_FLAG_HIDDEN_CHARACTERS = 2, /* zero-width ones and the like stood inside words */
    TWINSET_FLAG_HOMOGLYPHS = 4,        /* letters of another script in words of Latin ones */
    TWINSET_FLAG_HIDDEN_TEXT = 8,       /* text that no reader would see was left out */
    TWINSET_FLAG_ENCODING = 16,         /* its encoding was guessed: `encoding` */
    TWINSET_FLAG_UNPARSED = 32,         /* so much of a program does not parse that its tokens
                                           may be wrong */
    TWINSET_FLAG_LEXED = 128,           /* a program was not parsed: its grammar could not be
                                           loaded, or it is too large or too deep for it */
    TWINSET_FLAG_MOSTLY_QUOTED = 64,    /* most was left out as quotations or list of sources */
};

/* A document that was read, with something to know about it. */
typedef struct twinset_flagged {
    const char *path;
    unsigned flags;       /* TWINSET_FLAG_* */
    const char *encoding; /* that was guessed, such as "WINDOWS-1252", or NULL */
} twinset_flagged;

typedef struct twinset_run {
    size_t documents;       /* compared; neither skipped nor ignored */
    size_t pairs, clusters; /* in the result */
    size_t skipped, flagged, notes;
    size_t missing;         /* of what was skipped, paths that nothing was read from */
    int method;             /* the one taken: TWINSET_METHOD_LSH or _EXACT */
    unsigned bands, rows;   /* 0 with TWINSET_METHOD_EXACT */
    uint64_t candidates;    /* pairs proposed */
    uint64_t verified;      /* of these, computed exactly */
    double expected_recall; /* of pairs at the threshold; NaN where it is not known */
    uint64_t records;       /* read, usable or not */
    uint64_t bytes;         /* of input, unpacked */
    uint64_t shingles;      /* with repetitions */
    uint64_t spilled_bytes; /* written to temporary files */
    uint64_t sampled;       /* documents compared with all others */
    uint64_t sample_pairs;  /* pairs from the threshold up that these are part of */
    uint64_t sample_found;  /* of these, found by the search as well */
    size_t removed;         /* documents, of a cleaned collection */
} twinset_run;

typedef struct twinset_stage {
    const char *name;
    double seconds;
    uint64_t bytes; /* read, or written to temporary files */
} twinset_stage;

/* Each of these borrows from the result. An index must be below the count in the run. */
TWINSET_API twinset_run twinset_result_run(const twinset_result *result);
TWINSET_API twinset_pair twinset_result_pair(const twinset_result *result, size_t index);
TWINSET_API twinset_cluster twinset_result_cluster(const twinset_result *result, size_t index);
TWINSET_API twinset_skip twinset_result_skip(const twinset_result *result, size_t index);
TWINSET_API twinset_flagged twinset_result_flagged(const twinset_result *result, size_t index);
/* Sentences a person should read: large buckets, what a method cannot promise. */
TWINSET_API const char *twinset_result_note(const twinset_result *result, size_t index);
/* Seconds by stage, the only thing that varies from run to run; NULL past the last. */
TWINSET_API const twinset_stage *twinset_result_stage(const twinset_result *result, size_t index);

/* ---- what two documents have in common, passage by passage */

/* What was done to a passage; none of it: it is verbatim. */
enum {
    TWINSET_PASSAGE_RENAMED = 1,   /* names became others, one for each: `renames` */
    TWINSET_PASSAGE_EDITED = 2,    /* a few names or values are others */
    TWINSET_PASSAGE_ALIKE = 4,     /* many are, and follow no rule: it is only built the same */
    TWINSET_PASSAGE_REORDERED = 8, /* it was moved past others of the same files */
    TWINSET_PASSAGE_PADDED = 16,   /* something was put in, taken out or changed inside it */
};

/* A part of a document's text. */
typedef struct twinset_span {
    const char *file;             /* of a submission of several; else NULL */
    size_t number;                /* of that file in its document, from 0 */
    size_t start, end;            /* bytes of that file's text; `end` is past the last */
    size_t first_line, last_line; /* from 1 */
} twinset_span;

/* A name of a, and what it is in b. */
typedef struct twinset_rename {
    const char *a, *b;
    size_t count; /* of times that they meet */
} twinset_rename;

/* Where tokens begin and end, and the line of the first. */
typedef struct twinset_place {
    size_t start, end, line;
} twinset_place;

/* Tokens that stand together on one line of either document, and match one by one. */
typedef struct twinset_stretch {
    twinset_place a, b;
    int differs; /* they are written differently: other names or values */
} twinset_stretch;

typedef struct twinset_passage {
    twinset_span a, b;
    uint64_t tokens;               /* that match; words of prose */
    unsigned kinds;                /* TWINSET_PASSAGE_* */
    uint64_t documents;            /* that have its rarest part; 0: not known */
    const twinset_rename *renames; /* most frequent first */
    size_t rename_count;
    const twinset_stretch *stretches; /* in the order of both texts; the rest of it is padding */
    size_t stretch_count;
} twinset_passage;

/* The passages of a pair, in the order of a; no token is in two of them. */
typedef struct twinset_passages twinset_passages;

/* Those of a pair of a scan, found when they are asked for; the collection must be as it was.
 * *passages is NULL where the documents are too large for it. Freed with
 * twinset_passages_free(). */
TWINSET_CHECKED int twinset_result_passages(const twinset_result *result, size_t index,
                                            twinset_passages **passages, twinset_error *error);
TWINSET_API void twinset_passages_free(twinset_passages *passages);
TWINSET_API size_t twinset_passages_count(const twinset_passages *passages);
TWINSET_API twinset_passage twinset_passages_at(const twinset_passages *passages, size_t index);
/* Parts of a (side 0) or b (1) that were left out: templates, and what many documents have. */
TWINSET_API size_t twinset_passages_left_out(const twinset_passages *passages, int side,
                                             const twinset_span **spans);
/* The text of a document's file; NULL past the last. */
TWINSET_API const char *twinset_passages_text(const twinset_passages *passages, int side,
                                              size_t number, size_t *length);

/* The most memory that the process has had so far, in bytes. */
TWINSET_API uint64_t twinset_peak_memory(void);

/* The inputs added so far: files, templates among them, and the names of texts. */
TWINSET_API size_t twinset_collection_inputs(const twinset_collection *collection);
TWINSET_API const char *twinset_collection_input(const twinset_collection *collection,
                                                 size_t index);

/* What was skipped so far, for those who have no result. */
TWINSET_API size_t twinset_collection_skipped(const twinset_collection *collection);
TWINSET_API twinset_skip twinset_collection_skip(const twinset_collection *collection,
                                                 size_t index);

/* Takes the text of a document; answers 0, or an errno value that ends it with TWINSET_IO. */
typedef int (*twinset_text_fn)(void *context, const char *name, const char *text, size_t length);

/* The texts of all documents as they are compared, in the order of their names. */
TWINSET_CHECKED int twinset_collection_texts(twinset_collection *collection, twinset_text_fn take,
                                             void *context, twinset_error *error);

typedef enum twinset_format {
    TWINSET_FORMAT_TABLE, /* for people */
    TWINSET_FORMAT_CSV,
    TWINSET_FORMAT_TSV,
    TWINSET_FORMAT_JSON, /* with the passages of the first TWINSET_PAIRS_WITH_PASSAGES pairs */
    TWINSET_FORMAT_JSONL,
    TWINSET_FORMAT_BINARY,     /* signatures only; docs/format.md */
    TWINSET_FORMAT_CANDIDATES, /* of a scan: a line a document, with those it is paired with */
} twinset_format;

enum { TWINSET_PAIRS_WITH_PASSAGES = 10000 };

/* How a table looks; zero for plain text of any width. */
typedef struct twinset_style {
    int colour;     /* ANSI colours */
    unsigned width; /* columns; 0: as wide as it needs */
    size_t rows;    /* pairs at most, the rest counted; 0: all */
    int ascii;      /* no characters beyond ASCII but those of names */
} twinset_style;

/* Takes the bytes; answers 0, or an errno value that ends the writing with TWINSET_IO. */
typedef int (*twinset_write_fn)(void *context, const char *bytes, size_t count);

/* `style` may be NULL. */
TWINSET_CHECKED int twinset_result_write(const twinset_result *result, twinset_format format,
                                         const twinset_style *style, twinset_write_fn write,
                                         void *context, twinset_error *error);

/* ---- what is left of a cleaned collection: needs a result of twinset_collection_dedup() */

/* A document that was removed. */
typedef struct twinset_removed {
    const char *id;    /* its name */
    const char *kept;  /* the name of the one that it was removed for */
    double similarity; /* of these two */
    uint32_t cluster;
} twinset_removed;

/* In the order of the input; the index must be below the run's `removed`. */
TWINSET_API twinset_removed twinset_result_removed(const twinset_result *result, size_t index);

/* All of them as JSON, an object a line. */
TWINSET_CHECKED int twinset_result_write_removed(const twinset_result *result,
                                                 twinset_write_fn write, void *context,
                                                 twinset_error *error);

/* Prepares for writing, once all inputs are added. `apart`: each input goes to a file of its
 * own, and no two may have one name below their folders; otherwise all go one after the
 * other, which only lines can. Lines alone can be annotated, too. *count: inputs to write. */
TWINSET_CHECKED int twinset_collection_outputs(twinset_collection *collection, int apart,
                                               int annotate, size_t *count, twinset_error *error);
/* The name for what is left of an input: its path below the folder that was given, or its
 * own name without folders. NULL for what is not to be written: archives, templates, what
 * was given before. */
TWINSET_API const char *twinset_collection_output(const twinset_collection *collection,
                                                  size_t input);

/* Records of an input. */
typedef struct twinset_cleaned {
    uint64_t read, kept, removed, skipped;
} twinset_cleaned;

/* Writes what is kept of an input, unchanged, in its order, and packed as the end of `name`
 * says (.gz, .zst, .xz, .bz2; NULL: as that of the input does). With `annotate` all its
 * records, each with the fields twinset_cluster, twinset_keep, twinset_kept and
 * twinset_similarity at its end. `write` is called at least once, maybe with nothing, unless
 * the input is one document that is not kept. What is kept is counted as it is written: if
 * it does not make up what was read, together with what was removed or skipped, that is an
 * error. `counts` may be NULL. */
TWINSET_CHECKED int twinset_collection_clean(twinset_collection *collection, twinset_result *result,
                                             size_t input, const char *name, int annotate,
                                             twinset_write_fn write, void *context,
                                             twinset_cleaned *counts, twinset_error *error);

/* How a run went, as one JSON object (docs/format.md). `cleaned`: all that was written, or
 * NULL. */
TWINSET_CHECKED int twinset_result_write_report(const twinset_result *result,
                                                const twinset_cleaned *cleaned,
                                                twinset_write_fn write, void *context,
                                                twinset_error *error);

/* ----------------------------------------------------------- 3. advanced */

/* Signatures. A sketcher holds the hash functions and the scratch memory of one thread. */
typedef struct twinset_sketcher twinset_sketcher;

TWINSET_CHECKED int twinset_sketcher_new(const twinset_options *options,
                                         twinset_sketcher **sketcher, twinset_error *error);
TWINSET_API void twinset_sketcher_free(twinset_sketcher *sketcher);

/* The functions of the slots in place of those that the seed gave, options->hashes of them:
 * slot i becomes the smallest of (a[i] x + b[i]) mod p with the modular scheme (p from 2 to
 * 2^32 - 1), mod 2^32 with affine and datasketch2, and ((a[i] x + b[i]) mod 2^64) mod (2^61 - 1)
 * mod 2^32 with datasketch1. Other schemes have none. `p` is for the modular scheme alone. */
TWINSET_CHECKED int twinset_sketcher_set_functions(twinset_sketcher *sketcher, const uint64_t *a,
                                                   const uint64_t *b, uint64_t p,
                                                   twinset_error *error);
/* Those in use, of the same schemes. */
TWINSET_CHECKED int twinset_sketcher_functions(const twinset_sketcher *sketcher, uint64_t *a,
                                               uint64_t *b, twinset_error *error);

/* Fills options->hashes slots. A text without shingles gives the empty signature, every
 * slot UINT32_MAX. */
TWINSET_CHECKED int twinset_sketcher_text(twinset_sketcher *sketcher, const char *text,
                                          size_t length, uint32_t *slots, twinset_error *error);

/* The same for a set of numbers that stand for shingles already. */
TWINSET_CHECKED int twinset_sketcher_values(twinset_sketcher *sketcher, const uint64_t *values,
                                            size_t count, uint32_t *slots, twinset_error *error);

/* The same for a set of byte strings, each of them a shingle as it is. */
TWINSET_CHECKED int twinset_sketcher_items(twinset_sketcher *sketcher, const char *const *items,
                                           const size_t *lengths, size_t count, uint32_t *slots,
                                           twinset_error *error);

/* Makes `into` the signature of the union. Works for every scheme, if both were made with
 * the same options. */
TWINSET_API void twinset_signature_merge(uint32_t *into, const uint32_t *from, size_t hashes);

/* Share of slots that agree: the estimated Jaccard similarity. 0 for an empty signature. */
TWINSET_API double twinset_signature_estimate(const uint32_t *a, const uint32_t *b, size_t hashes);

/* The signatures of all documents of a collection, in order of their names, as
 * TWINSET_FORMAT_JSONL or _BINARY. */
TWINSET_CHECKED int twinset_collection_sketch(twinset_collection *collection, twinset_format format,
                                              twinset_write_fn write, void *context,
                                              twinset_error *error);

/* A growing set of signatures, to be asked for those that agree in a band: the same bytes at the
 * same place. A signature is `bands` times `band_bytes` bytes, of any kind. */
typedef struct twinset_lsh twinset_lsh;

TWINSET_CHECKED int twinset_lsh_new(unsigned bands, size_t band_bytes, twinset_lsh **lsh,
                                    twinset_error *error);
TWINSET_API void twinset_lsh_free(twinset_lsh *lsh);

/* Adds a copy of a signature. *number is its number from now on: the last that became free, or
 * the next from 0 on. */
TWINSET_CHECKED int twinset_lsh_add(twinset_lsh *lsh, const void *signature, uint32_t *number,
                                    twinset_error *error);
/* The number must be in use; it becomes free. */
TWINSET_API void twinset_lsh_remove(twinset_lsh *lsh, uint32_t number);

/* The numbers of those that agree with a signature in at least one of its first `bands` bands (0:
 * of all), each once, in the order they were added. *found is valid until the next call. */
TWINSET_CHECKED int twinset_lsh_query(twinset_lsh *lsh, const void *signature, unsigned bands,
                                      const uint32_t **found, size_t *count, twinset_error *error);

/* The signature of a number in use; valid until one is added or removed. */
TWINSET_API const void *twinset_lsh_signature(const twinset_lsh *lsh, uint32_t number);
TWINSET_API size_t twinset_lsh_count(const twinset_lsh *lsh);

/* The text as it is compared, and its shingles' 64-bit hashes, sorted, each once (with
 * options->bag, once for every occurrence). Both are freed with twinset_free(). */
TWINSET_CHECKED int twinset_normalise(const char *text, size_t length,
                                      const twinset_options *options, char **normal,
                                      size_t *normal_length, twinset_error *error);
TWINSET_CHECKED int twinset_shingles(const char *text, size_t length,
                                     const twinset_options *options, uint64_t **hashes,
                                     size_t *count, twinset_error *error);
TWINSET_API void twinset_free(void *memory);

/* Bands and rows. */
typedef struct twinset_tuning {
    unsigned hashes;
    double threshold;
    unsigned bands, rows;
    double knee;            /* (1/bands)^(1/rows): where the S-curve is steepest */
    double recall;          /* probability that a pair at the threshold is a candidate */
    double false_positives; /* area under the curve below the threshold */
    double false_negatives; /* area over the curve above it */
} twinset_tuning;

/* Probability that two documents of similarity s meet in a band. */
TWINSET_API double twinset_candidate_probability(unsigned bands, unsigned rows, double s);

/* The choice for these options. */
TWINSET_CHECKED int twinset_tune(const twinset_options *options, twinset_tuning *tuning,
                                 twinset_error *error);

/* All that the rule in force chooses from, fewest bands first: writes up to `capacity`
 * tunings and returns how many there are. */
TWINSET_API size_t twinset_tune_walk(const twinset_options *options, twinset_tuning *walk,
                                     size_t capacity);

/* ---- the steps of a scan by lsh, for programs that spread documents over many machines: a
 * text becomes keys, documents that share one become candidates, two texts a pair, a pair a
 * line. docs/cluster.md says what has to happen in between. */

/* What is known of a document once its text was looked through. */
typedef struct twinset_document {
    uint64_t digest[2]; /* of the text as it is compared: documents of one digest and as many
                           tokens are identical */
    uint64_t tokens;    /* characters or words; 0: it is empty, and resembles nothing */
    int blank;          /* all of it is left out: it resembles only what is identical */
    unsigned flags;     /* TWINSET_FLAG_* */
} twinset_document;

enum { TWINSET_KEY_BITS = 40 };

/* Looks through a text once. `keys` gets a number of so many bits for each band of its
 * signature, which must have bands times rows slots; twinset_tune() chooses them. Documents are
 * candidates where they have the same key in the same band. */
TWINSET_CHECKED int twinset_sketcher_document(twinset_sketcher *sketcher, const char *text,
                                              size_t length, unsigned bands, unsigned rows,
                                              uint64_t *keys, twinset_document *document,
                                              twinset_error *error);

/* Compares texts, two at a time, by characters or words, and by Jaccard similarity or
 * containment. Holds the scratch memory of one thread. */
typedef struct twinset_comparer twinset_comparer;

TWINSET_CHECKED int twinset_comparer_new(const twinset_options *options,
                                         twinset_comparer **comparer, twinset_error *error);
TWINSET_API void twinset_comparer_free(twinset_comparer *comparer);

/* What a scan by lsh says of two documents. Below the threshold, the estimate is NaN and the
 * longest passage 0. Texts are known again by what they say: the last `b` and many an `a` cost
 * less the next time, so of texts that all meet, let `a` be the ones that meet most. The pair's
 * names are "a" and "b", and it has no cluster. */
TWINSET_CHECKED int twinset_comparer_texts(twinset_comparer *comparer, const char *a,
                                           size_t a_length, const char *b, size_t b_length,
                                           twinset_pair *pair, twinset_error *error);

/* Writes a pair of texts as a line of TWINSET_FORMAT_CSV, _TSV or _JSONL, the same that
 * twinset_result_write() writes. Without a pair (NULL): the headings, of which JSONL has none. */
TWINSET_CHECKED int twinset_pair_write(const twinset_pair *pair, twinset_format format,
                                       twinset_write_fn write, void *context, twinset_error *error);

/* The options as data, for programs that show or parse them. */
typedef struct twinset_option_info {
    const char *name;     /* "threshold" */
    char letter;          /* 't', or 0 */
    const char *argument; /* "X", "char|word", or NULL for a switch */
    const char *topic;    /* heading that it stands under */
    const char *help;     /* one or two sentences */
} twinset_option_info;

/* NULL past the last. */
TWINSET_API const twinset_option_info *twinset_option_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif /* TWINSET_H */
