/*
 * What twinset.h leaves out: documents without a copy, the details of passages and runs, signatures
 * and sets of them, bands and rows, the steps of a scan for engines that spread documents over many
 * machines, and the options as data.
 *
 * The conventions are those of twinset.h: status and error, sizes of structs, lists, lifetimes,
 * threads.
 */
#ifndef TWINSET_ADVANCED_H
#define TWINSET_ADVANCED_H

#include "twinset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ a collection */

/* Adds a text without copying it: the text must stay as it is until the collection is freed. */
TWINSET_CHECKED int twinset_collection_borrow_text(twinset_collection *collection, const char *name,
                                                   const char *text, size_t length,
                                                   twinset_role role, twinset_error *error);

/* Takes the text of a document. Returns 0, or an errno value that ends the call with TWINSET_IO. */
typedef int (*twinset_text_fn)(void *context, const char *name, const char *text, size_t length);

/* Gives the texts of all documents as they are compared, in the order of their names. */
TWINSET_CHECKED int twinset_collection_texts(twinset_collection *collection, twinset_text_fn take,
                                             void *context, twinset_error *error);

/* Writes the signatures of all documents, in the order of their names, as TWINSET_FORMAT_JSONL
 * or _BINARY. */
TWINSET_CHECKED int twinset_collection_sketch(twinset_collection *collection, twinset_format format,
                                              twinset_write_fn write, void *context,
                                              twinset_error *error);

/* ---------------------------------------------------------- how a run went */

typedef struct twinset_stage {
    const char *name;
    double seconds;
    uint64_t bytes;        /* read, or written to temporary files */
    double cpu_seconds;    /* of all threads */
    double serial_seconds; /* of these, for work that one thread does alone */
} twinset_stage;

/* The stages of the run. Their seconds vary from run to run; nothing else in a result does. */
TWINSET_API size_t twinset_result_stages(const twinset_result *result);
TWINSET_CHECKED int twinset_result_stage(const twinset_result *result, size_t index,
                                         twinset_stage *stage, size_t size);

/* The most memory that the process has had so far, in bytes. */
TWINSET_API uint64_t twinset_peak_memory(void);

/* The options of a page of TWINSET_FORMAT_HTML. Set `size`, as in twinset_page page = {.size =
 * sizeof page}; zero in the other fields is the page that twinset_result_write() writes. */
typedef struct twinset_page {
    size_t size;         /* of the struct */
    const char *review;  /* decisions: the content of a file that a page saved; or NULL */
    int anonymise;       /* numbers in place of names; names are blacked out in texts, too */
    const char *a, *b;   /* names of two documents: the page has only their case; NULL: all pairs */
    uint64_t most_bytes; /* limit of the page, and no more than an eighth of the run's memory: as
                            many of the first pairs as fit are listed, and the first of these have
                            passages and texts; 0: 50 MB */
    size_t *pairs_with_texts; /* if not NULL, set to how many of the first pairs have texts */
    size_t *pairs_listed;     /* if not NULL, set to how many pairs the page lists */
} twinset_page;

TWINSET_CHECKED int twinset_result_write_page(const twinset_result *result,
                                              const twinset_page *page, twinset_write_fn write,
                                              void *context, twinset_error *error);
/* Writes the key to a page with `anonymise`, as JSON: the name that each number stands for. */
TWINSET_CHECKED int twinset_result_write_page_key(const twinset_result *result,
                                                  const twinset_page *page, twinset_write_fn write,
                                                  void *context, twinset_error *error);

/* Writes how a run went, as one JSON object (docs/format.md). `counts` is the sum of what
 * twinset_result_clean() counted, or NULL. */
TWINSET_CHECKED int twinset_result_write_report(const twinset_result *result,
                                                const twinset_clean_counts *counts,
                                                size_t counts_size, twinset_write_fn write,
                                                void *context, twinset_error *error);

/* Adds a file that the program itself reads, such as an index or an earlier result, to those that
 * the collection reads, so that no output replaces it. It is not compared, and need not exist. */
TWINSET_CHECKED int twinset_collection_protect(twinset_collection *collection, const char *path,
                                               twinset_error *error);

/* In twinset_result_records(), a record that was skipped and is not kept. */
#define TWINSET_RECORD_SKIPPED UINT32_MAX

/* Gives the decisions about `count` records of an input of JSON lines, from line `first` on,
 * counted from 0, for programs that write the kept records themselves. removals[i] is 0 for a
 * record that is kept, TWINSET_RECORD_SKIPPED, or 1 more than the index for
 * twinset_result_removal(). clusters[i] is the number of its cluster, or 0; `clusters` may be NULL.
 * The result is one of twinset_collection_dedup(). */
TWINSET_CHECKED int twinset_result_records(twinset_result *result, size_t input, uint64_t first,
                                           size_t count, uint32_t *removals, uint32_t *clusters,
                                           twinset_error *error);

/* ----------------------------------------------------- passages in detail */

/* A name in a, and the other name that b has in its place. */
typedef struct twinset_rename {
    const char *a, *b;
    size_t count; /* how often the two stand at the same position of the passage */
} twinset_rename;

/* The names of a passage that are others in b, most frequent first. */
TWINSET_API size_t twinset_passages_renames(const twinset_passages *passages, size_t index);
TWINSET_CHECKED int twinset_passages_rename(const twinset_passages *passages, size_t index,
                                            size_t rename_index, twinset_rename *rename,
                                            size_t size);

/* Where consecutive tokens of one line begin and end, in bytes of their file's text, and the
 * line. This struct stays as it is. */
typedef struct twinset_token_span {
    size_t start, end, line;
} twinset_token_span;

/* Consecutive tokens, on one line of either document, that match one by one. */
typedef struct twinset_aligned_span {
    twinset_token_span a, b;
    int differs; /* they are written differently: other names or values */
} twinset_aligned_span;

/* The spans of a passage that match, in the order of both texts; its other text is padding. */
TWINSET_API size_t twinset_passages_aligned_spans(const twinset_passages *passages, size_t index);
TWINSET_CHECKED int twinset_passages_aligned_span(const twinset_passages *passages, size_t index,
                                                  size_t span_index, twinset_aligned_span *span,
                                                  size_t size);

/* The spans of a (side 0) or b (side 1) that were left out of the comparison: templates, and what
 * many documents have. */
TWINSET_API size_t twinset_passages_excluded_spans(const twinset_passages *passages, int side);
TWINSET_CHECKED int twinset_passages_excluded_span(const twinset_passages *passages, int side,
                                                   size_t index, twinset_span *span, size_t size);

/* The files of a document, one unless it is a submission of several, and the text of each, with
 * a NUL behind it. `length` may be NULL. */
TWINSET_API size_t twinset_passages_texts(const twinset_passages *passages, int side);
TWINSET_API const char *twinset_passages_text(const twinset_passages *passages, int side,
                                              size_t file_index, size_t *length);

/* ---------------------------------------------------------------------- JSON */

/* Writes JSON as the library does, for programs that write more than a result: the same numbers,
 * strings and passages. twinset_json_end() reports mistakes, such as a list that is still open. */
typedef struct twinset_json twinset_json;

TWINSET_CHECKED int twinset_json_new(twinset_write_fn write, void *context, twinset_json **json,
                                     twinset_error *error);
TWINSET_API void twinset_json_free(twinset_json *json);
/* Writes what is left. TWINSET_IO: a write failed. TWINSET_USAGE: an object or a list is still
 * open, was closed twice, or is more than twelve levels deep. */
TWINSET_CHECKED int twinset_json_end(twinset_json *json, twinset_error *error);

/* Open an object or a list, and close the innermost one. `key` is the name of a member of an
 * object; NULL for an element of a list, and for the outermost value. */
TWINSET_API void twinset_json_object(twinset_json *json, const char *key);
TWINSET_API void twinset_json_list(twinset_json *json, const char *key);
TWINSET_API void twinset_json_close(twinset_json *json);

/* A string of `length` bytes with a NUL behind them. Bytes that are not UTF-8 become \udcXX, and
 * NULL becomes null. */
TWINSET_API void twinset_json_string(twinset_json *json, const char *key, const char *text,
                                     size_t length);
TWINSET_API void twinset_json_whole(twinset_json *json, const char *key, uint64_t value);
/* NaN becomes null. */
TWINSET_API void twinset_json_real(twinset_json *json, const char *key, double value);
TWINSET_API void twinset_json_bool(twinset_json *json, const char *key, int value);
/* A value that is JSON already. */
TWINSET_API void twinset_json_raw(twinset_json *json, const char *key, const char *value,
                                  size_t length);
/* A list as TWINSET_FORMAT_JSON has it; NULL becomes null. */
TWINSET_API void twinset_json_passages(twinset_json *json, const char *key,
                                       const twinset_passages *passages);

/* ---------------------------------------------------------------- signatures */

/* A sketcher holds the hash functions and the scratch memory of one thread. */
typedef struct twinset_sketcher twinset_sketcher;

TWINSET_CHECKED int twinset_sketcher_new(const twinset_options *options,
                                         twinset_sketcher **sketcher, twinset_error *error);
TWINSET_API void twinset_sketcher_free(twinset_sketcher *sketcher);

/* Replaces the hash functions that the seed gave, one for each slot: slot i becomes the
 * smallest of (a[i] x + b[i]) mod p with the modular scheme (p from 2 to 2^32 - 1), mod 2^32 with
 * affine and datasketch2, and ((a[i] x + b[i]) mod 2^64) mod (2^61 - 1) mod 2^32 with
 * datasketch1. Other schemes have none. `p` is for the modular scheme alone. */
TWINSET_CHECKED int twinset_sketcher_set_functions(twinset_sketcher *sketcher, const uint64_t *a,
                                                   const uint64_t *b, uint64_t p,
                                                   twinset_error *error);
/* Gives the functions in use, of the same schemes: a number for each slot. */
TWINSET_CHECKED int twinset_sketcher_functions(const twinset_sketcher *sketcher, uint64_t *a,
                                               uint64_t *b, twinset_error *error);

/* The number of slots of the sketcher's signatures: options->hashes, or its default. */
TWINSET_API unsigned twinset_sketcher_hashes(const twinset_sketcher *sketcher);

/* Fills as many slots as twinset_sketcher_hashes() says with the signature of a text. A text
 * without shingles gives the empty signature, every slot UINT32_MAX. */
TWINSET_CHECKED int twinset_sketcher_text(twinset_sketcher *sketcher, const char *text,
                                          size_t length, uint32_t *slots, twinset_error *error);

/* Fills the slots with the signature of a set of numbers that stand for shingles already. */
TWINSET_CHECKED int twinset_sketcher_values(twinset_sketcher *sketcher, const uint64_t *values,
                                            size_t count, uint32_t *slots, twinset_error *error);

/* Fills the slots with the signature of a set of byte strings, each of them a shingle as it is. */
TWINSET_CHECKED int twinset_sketcher_items(twinset_sketcher *sketcher, const char *const *items,
                                           const size_t *lengths, size_t count, uint32_t *slots,
                                           twinset_error *error);

/* Makes `into` the signature of the union. Works for every scheme, if both were made with
 * the same options. NULL changes nothing. */
TWINSET_API void twinset_signature_merge(uint32_t *into, const uint32_t *from, size_t hashes);

/* Share of slots that agree: the estimated Jaccard similarity. 0 for an empty signature, and for
 * NULL. */
TWINSET_API double twinset_signature_estimate(const uint32_t *a, const uint32_t *b, size_t hashes);

/* --------------------------------------------------- a set of signatures */

/* A growing set of signatures, to be asked for those that agree with another in a band: the same
 * bytes at the same offset. A signature is `bands` times `band_bytes` bytes, of any kind. */
typedef struct twinset_lsh twinset_lsh;

TWINSET_CHECKED int twinset_lsh_new(unsigned bands, size_t band_bytes, twinset_lsh **lsh,
                                    twinset_error *error);
TWINSET_API void twinset_lsh_free(twinset_lsh *lsh);

/* Adds a copy of a signature. *number is its number from now on: the last that became free, or
 * the next from 0 on. */
TWINSET_CHECKED int twinset_lsh_add(twinset_lsh *lsh, const void *signature, uint32_t *number,
                                    twinset_error *error);
/* Removes a signature; its number becomes free. TWINSET_USAGE where the number is not in use. */
TWINSET_CHECKED int twinset_lsh_remove(twinset_lsh *lsh, uint32_t number, twinset_error *error);

/* The numbers of those that agree with a signature in at least one of its first `bands` bands (0:
 * of all), each once, in the order they were added. *found is valid until the next call. */
TWINSET_CHECKED int twinset_lsh_query(twinset_lsh *lsh, const void *signature, unsigned bands,
                                      const uint32_t **found, size_t *count, twinset_error *error);

/* The signature of a number, valid until one is added or removed; NULL for a number that is not
 * in use. */
TWINSET_API const void *twinset_lsh_signature(const twinset_lsh *lsh, uint32_t number);
TWINSET_API size_t twinset_lsh_count(const twinset_lsh *lsh);

/* -------------------------------------------------- texts and their shingles */

/* The text as it is compared, and its shingles' 64-bit hashes, sorted, each once (with
 * options->bag, once for every occurrence). Both are freed with twinset_free(). */
TWINSET_CHECKED int twinset_normalise(const char *text, size_t length,
                                      const twinset_options *options, char **normal,
                                      size_t *normal_length, twinset_error *error);
TWINSET_CHECKED int twinset_shingles(const char *text, size_t length,
                                     const twinset_options *options, uint64_t **hashes,
                                     size_t *count, twinset_error *error);
TWINSET_API void twinset_free(void *memory);

/* ----------------------------------------------------------- bands and rows */

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
                                 size_t size, twinset_error *error);

/* The bands and rows that the rule of the options chooses from, fewest bands first; none if the
 * options are not valid. */
TWINSET_API size_t twinset_tune_choices(const twinset_options *options);
TWINSET_CHECKED int twinset_tune_choice(const twinset_options *options, size_t index,
                                        twinset_tuning *tuning, size_t size);

/* ------------------------------------- the steps of a scan, on many machines */

/* For engines that spread documents over many machines, a scan by lsh is four steps: a text
 * becomes keys, documents that share one become candidates, two texts a pair, a pair a line.
 * docs/cluster.md says what has to happen in between. */

/* The facts of a document that its text gives. */
typedef struct twinset_document {
    uint64_t digest[2]; /* of the text as it is compared: documents of one digest and as many
                           tokens are identical */
    uint64_t tokens;    /* characters or words; 0: it is empty, and resembles nothing */
    int all_excluded;   /* all of it is left out: it resembles only identical documents */
    unsigned flags;     /* TWINSET_FLAG_* */
} twinset_document;

enum { TWINSET_KEY_BITS = 40 };

/* Reads a text once. `keys` gets a number of TWINSET_KEY_BITS bits for each band of its signature,
 * which must have bands times rows slots; twinset_tune() chooses them. Documents are candidates
 * where they have the same key in the same band. */
TWINSET_CHECKED int twinset_sketcher_document(twinset_sketcher *sketcher, const char *text,
                                              size_t length, unsigned bands, unsigned rows,
                                              uint64_t *keys, twinset_document *document,
                                              size_t document_size, twinset_error *error);

/* Compares texts, two at a time, by characters or words, and by Jaccard similarity or
 * containment. Holds the scratch memory of one thread. */
typedef struct twinset_comparer twinset_comparer;

TWINSET_CHECKED int twinset_comparer_new(const twinset_options *options,
                                         twinset_comparer **comparer, twinset_error *error);
TWINSET_API void twinset_comparer_free(twinset_comparer *comparer);

/* Compares two texts as a scan by lsh does. Below the threshold, the estimate is NaN and the
 * longest passage 0. The comparer recognises texts that it has seen: the last `b` and about a
 * thousand `a` cost less the next time, so pass a text that is compared with many others as `a`.
 * The names of the pair are "a" and "b", and it has no cluster. */
TWINSET_CHECKED int twinset_comparer_texts(twinset_comparer *comparer, const char *a,
                                           size_t a_length, const char *b, size_t b_length,
                                           twinset_pair *pair, size_t pair_size,
                                           twinset_error *error);

/* Writes a pair of texts as a line of TWINSET_FORMAT_CSV, _TSV or _JSONL, the one that
 * twinset_result_write() writes. Without a pair (NULL): the headings, of which JSONL has none. */
TWINSET_CHECKED int twinset_pair_write(const twinset_pair *pair, size_t pair_size,
                                       twinset_format format, twinset_write_fn write, void *context,
                                       twinset_error *error);

/* ------------------------- the steps that cut repeated spans, on many machines */

/* `min_passage` of twinset_collection_dedup() in steps. Texts that share a run of so many words
 * share a fingerprint; runs with a shared fingerprint are hashed; each run that an earlier text has
 * is compared with its first copy, word by word. docs/cluster.md says what has to happen in
 * between. Holds the scratch memory of one thread; what a call gives is valid until the next. */
typedef struct twinset_span_finder twinset_span_finder;

TWINSET_CHECKED int twinset_span_finder_new(const twinset_options *options,
                                            twinset_span_finder **finder, twinset_error *error);
TWINSET_API void twinset_span_finder_free(twinset_span_finder *finder);

/* The fingerprints of a text, ascending, each once; none where it is shorter than a run. */
TWINSET_CHECKED int twinset_span_finder_fingerprints(twinset_span_finder *finder, const char *text,
                                                     size_t length, const uint64_t **fingerprints,
                                                     size_t *count, twinset_error *error);

/* A run of `min_passage` words. This struct stays as it is. */
typedef struct twinset_word_run {
    uint64_t hash; /* of its words */
    uint64_t word; /* the number of its first, from 0 */
} twinset_word_run;

/* The runs of a text that have one of some fingerprints, which ascend, in the order of its words.
 */
TWINSET_CHECKED int twinset_span_finder_runs(twinset_span_finder *finder, const char *text,
                                             size_t length, const uint64_t *fingerprints,
                                             size_t fingerprint_count,
                                             const twinset_word_run **runs, size_t *count,
                                             twinset_error *error);

/* Reads the text that the calls after this one are about, and counts its words. */
TWINSET_CHECKED int twinset_span_finder_load(twinset_span_finder *finder, const char *text,
                                             size_t length, uint64_t *words, twinset_error *error);

/* `count` words of the text from `word` on, or as many as it has, in bytes that
 * twinset_span_finder_verify() reads on any machine. */
TWINSET_CHECKED int twinset_span_finder_excerpt(twinset_span_finder *finder, uint64_t word,
                                                uint64_t count, const void **bytes, size_t *length,
                                                twinset_error *error);

/* Runs in a row, from `word` on, and the first of all texts that has them, by its number: from
 * `first_word` on. This struct stays as it is. */
typedef struct twinset_copied_runs {
    uint64_t word, count, first, first_word;
} twinset_copied_runs;

/* Words of another text, by its number. This struct stays as it is. */
typedef struct twinset_excerpt {
    uint64_t first;
    const void *bytes;
    size_t length;
} twinset_excerpt;

/* A span of a text that an earlier one has, in bytes and words of the text, and where it is in that
 * one. This struct stays as it is. */
typedef struct twinset_repeated_span {
    uint64_t start, end; /* from its first word to behind its last */
    uint64_t first_start, first_end;
    uint64_t word, words; /* the number of its first word, from 0, and how many there are */
    uint64_t first;       /* the number of the text that has it first */
} twinset_repeated_span;

/* The spans of the text, which was loaded, by its runs that an earlier text has, in the order of
 * its words. The excerpts, in any order, need not have more of a first text than what begins with
 * such a run and has as many words as follow in the runs without a gap. *covered counts the words
 * in spans: where they are all of the text, nothing else is in it. */
TWINSET_CHECKED int
twinset_span_finder_verify(twinset_span_finder *finder, const twinset_copied_runs *runs,
                           size_t count, const twinset_excerpt *excerpts, size_t excerpt_count,
                           const twinset_repeated_span **spans, size_t *span_count,
                           uint64_t *covered, twinset_error *error);

/* A text without its spans, or, with the name of a field, a line of JSON without those of the
 * string in that field. Free with twinset_free(). */
TWINSET_CHECKED int twinset_cut_spans(const char *text, size_t length, const char *field,
                                      const twinset_repeated_span *spans, size_t count, char **cut,
                                      size_t *cut_length, twinset_error *error);

/* The spans that twinset_collection_dedup() cuts, for programs that write the kept documents
 * themselves: how many documents have spans, and the spans of one, in the order of the input.
 * `first` is a number for twinset_result_cut_source(). *name lives as long as the result; *spans is
 * freed with twinset_free(). */
TWINSET_API size_t twinset_result_cuts(const twinset_result *result);
TWINSET_CHECKED int twinset_result_cut(const twinset_result *result, size_t index,
                                       const char **name, twinset_repeated_span **spans,
                                       size_t *count, twinset_error *error);
/* The name of the document that has a span first; NULL for another number. */
TWINSET_API const char *twinset_result_cut_source(const twinset_result *result, uint64_t first);

/* ------------------------------------------- the options and formats as data */

/* An option, for programs that show or parse them. */
typedef struct twinset_option_info {
    const char *name;     /* "threshold" */
    char letter;          /* 't', or 0 */
    const char *argument; /* "X", "char|word", or NULL for a switch */
    const char *topic;    /* heading that it stands under */
    const char *help;     /* one or two sentences */
    const char *commands; /* words with a space between them: the commands that take it, of "scan
                             compare dedup tune sketch cat index"; "spread" if the steps of a scan
                             on many machines take it; and last "kept" if an index keeps it, so that
                             no call on the index may choose another */
} twinset_option_info;

TWINSET_API size_t twinset_option_count(void);
TWINSET_CHECKED int twinset_option_at(size_t index, twinset_option_info *info, size_t size);

/* What can be written in a format. */
enum {
    TWINSET_FORMAT_OF_SCAN = 1,       /* twinset_result_write(), of a scan */
    TWINSET_FORMAT_OF_COMPARISON = 2, /* twinset_result_write(), of two documents */
    TWINSET_FORMAT_OF_PAIR = 4,       /* twinset_pair_write() */
    TWINSET_FORMAT_OF_SIGNATURES = 8, /* twinset_collection_sketch() */
};

/* A format, for programs that show or parse their names. */
typedef struct twinset_format_info {
    const char *name; /* "csv" */
    twinset_format format;
    unsigned uses; /* TWINSET_FORMAT_OF_* */
} twinset_format_info;

TWINSET_API size_t twinset_format_count(void);
TWINSET_CHECKED int twinset_format_at(size_t index, twinset_format_info *info, size_t size);

/* Turns the options that a sentence of the library names in backquotes into those of a command
 * line: `memory` into --memory, `k` into -k. Works in place, as no name gets longer; other words
 * in backquotes stay. Returns `text`, which may be NULL. */
TWINSET_API char *twinset_spell_options(char *text);

/* ------------------------------------------------------- the rules as data */

/* A default, a limit or a list on which command, library and packages agree: how many members of a
 * large bucket are compared with all others, which words `keep` takes, which formats there are. */
typedef struct twinset_rule_info {
    const char *name;  /* "dedup-threshold", "keep" */
    const char *value; /* "0.8", "first|longest|newest" */
    const char *help;  /* a sentence */
} twinset_rule_info;

TWINSET_API size_t twinset_rules(void);
TWINSET_CHECKED int twinset_rule(size_t index, twinset_rule_info *rule, size_t size);
/* The value of the rule with this name; NULL: there is none. */
TWINSET_API const char *twinset_rule_value(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* TWINSET_ADVANCED_H */
