/*
 * Passages in the texts of their documents: tokens become bytes and lines of files, hashes of names
 * become names. Linear in the two texts.
 */
#ifndef TW_LOCATE_H
#define TW_LOCATE_H

#include "passages.h"
#include "sequence.h"

/* ---- what goes in */

/* Where a token is in the text of its file. */
typedef struct tw_token_location {
    uint32_t start, end; /* bytes; `end` is past the last */
    uint32_t line;       /* of its first byte, from 1 */
} tw_token_location;

/* A file of a document. */
typedef struct tw_tokenised_file {
    const char *name; /* NULL: it is the only one of its document */
    const char *text;
    size_t length;
} tw_tokenised_file;

/* A document in which passages were found, with its texts. All is borrowed. */
typedef struct tw_tokenised_document {
    const char *name;
    const tw_token_sequence *tokens;
    const tw_token_location *locations; /* of each token */
    const tw_tokenised_file *files;     /* one more than the tokens have breaks */
} tw_tokenised_document;

/* ---- what comes out */

typedef struct tw_located_file {
    char *name; /* NULL: it is the only one of its document */
    char *text; /* terminated */
    size_t length;
} tw_located_file;

typedef struct tw_located_document {
    char *name; /* of the document */
    tw_located_file *files;
    size_t file_count;
    twinset_span *excluded; /* ascending */
    size_t excluded_count, excluded_capacity;
} tw_located_document;

typedef struct tw_located_passage {
    twinset_span a, b;
    uint64_t tokens;               /* of its runs; words of prose */
    unsigned kinds;                /* TWINSET_PASSAGE_* */
    uint64_t documents;            /* that have its rarest shingle; 0: unknown */
    double rarity;                 /* of prose, in bits */
    const twinset_rename *renames; /* most frequent first */
    size_t rename_count;
    const twinset_aligned_span *spans; /* ascending in both texts */
    size_t span_count;
} tw_located_passage;

/* A name, a number or a string that two programs share and no third document has, where each has it
 * first. */
typedef struct tw_rare_word {
    char *word;
    twinset_span a, b;
    bool is_name;
} tw_rare_word;

typedef struct tw_rare_words {
    tw_rare_word *list; /* the longest first */
    size_t count;
} tw_rare_words;

/* The passages of two documents. It owns all that it points to, texts included. */
struct twinset_passages {
    tw_located_document sides[2];
    tw_located_passage *list;
    size_t count;
    twinset_aligned_span *spans; /* of all passages, passage after passage */
    size_t span_count, span_capacity;
    twinset_rename *renames; /* of all passages, passage after passage */
    tw_bytes names;          /* the strings that the renames point to */
    tw_rare_words rare;      /* of programs, where it is known how many documents have a word */
    tw_extent extent;        /* what the passages amount to, without lines */
    uint64_t among;          /* the documents that `documents` of a passage are counted among */
    bool prose;              /* passages are shown as quotations, not as lines of a program */
    const char *token;       /* what passages consist of: "token", "word", "char" */
};

/* Locates the passages of the finder's latest search in the texts of both documents. `token` is a
 * constant: "token" for programs, "word" or "char" for prose. `among` as in twinset_passages. Freed
 * by twinset_passages_free(). */
int tw_passages_locate(const tw_passage_finder *found, const tw_tokenised_document sides[2],
                       const char *token, uint64_t among, twinset_passages **passages) TW_CHECKED;

/* ---- rare_words.c */

/* A program with its files, for which names and texts are known. */
typedef struct tw_worded_program {
    const tw_program *program;
    const tw_located_file *files;
} tw_worded_program;

/* Finds a few words that two programs share and no third document has, by rules->documents. */
int tw_find_rare_words(const tw_worded_program sides[2], const tw_passage_finder_rules *rules,
                       tw_rare_words *found) TW_CHECKED;

#endif
