/*
 * A result is a value: rows, clusters, notes, names, and the texts that passages are found in. It
 * knows nothing of files, and does not change with the collection that it came from. Its strings
 * are in an arena that is shared by counting owners.
 */
#ifndef TW_RESULT_H
#define TW_RESULT_H

#include "common.h"
#include "match.h"
#include "passages.h"
#include "span_list.h"
#include "text_store.h"

enum { TW_STAGES = 16 };

/* A pair of documents, by index, and the index of its match, which has the figures. */
typedef struct tw_listed_pair {
    uint32_t a, b;
    uint32_t match;
    bool is_swapped; /* a is the second document of the match */
} tw_listed_pair;

/* The pairs that are listed, run.pairs of them. */
typedef struct tw_pair_list {
    tw_listed_pair *data;       /* in paged memory, that of the arena */
    tw_matches matches, copies; /* indices go through the first list, then the second */
    tw_extent *extents; /* by match: how much the passages cover, in paged memory; NULL: unknown */
    tw_extent *copy_extents; /* the same of copies, on the heap */
    size_t copy_capacity;
    bool has_passages; /* of prose: passages were looked for */
} tw_pair_list;

enum { TW_SIMILARITY_BARS = 50 };

/* How similar the pairs of a collection are, by those that were drawn. */
typedef struct tw_sampled_pairs {
    uint32_t count; /* of pairs that were drawn: all, or some by chance; 0: none */
    double all;     /* pairs that the run compares */
    double median;  /* half of the pairs are at most as similar */
    double upper;   /* nine of ten are */
    uint32_t bars[TW_SIMILARITY_BARS]; /* how many are in each of equal steps from 0 to 1 */
} tw_sampled_pairs;

/* What unrelated documents have in common. */
typedef struct tw_chance {
    double share;         /* of the smaller program, by weights, that half of the pairs share */
    double pairs;         /* of programs, the number compared; 0: chance is not known */
    double passage_pairs; /* of prose, the number of pairs among which passages were looked for */
    bool decides;         /* what chance explains is not listed, whatever its similarity */
    bool is_all;          /* chance explains even identical programs: no pair is listed */
    tw_sampled_pairs sample;
} tw_chance;

/* The one pair of a comparison. */
typedef struct tw_comparison {
    bool is_one; /* the result is that of a comparison */
    bool is_swapped;
    twinset_pair pair;
    twinset_passages *passages; /* NULL: the two are too large */
} tw_comparison;

/* A document that is removed from a collection, and the one that it is removed for. */
typedef struct tw_removal {
    uint32_t document, kept;
    double similarity;
} tw_removal;

/* A span of a source that was skipped; the length is 0 if the skipped input has no bytes of its
 * own. */
typedef struct tw_cut {
    uint32_t source;
    uint64_t offset, length;
    uint64_t line; /* from 1; 0: not known */
} tw_cut;

/* The decisions for a cleaned collection, in the order of the input. */
typedef struct tw_decisions {
    tw_removal *removed; /* run.removed of them */
    tw_cut *cuts;        /* without records that are only empty */
    size_t cut_count;
    uint32_t *clustered; /* documents in clusters, listed on demand */
    size_t clustered_count;
    tw_span_list spans; /* that an earlier document has, of documents that are not removed */
} tw_decisions;

/* What is known of a document beside its text: from a manifest, and from the role of its source. */
typedef struct tw_origin {
    uint32_t document;
    bool is_old;                       /* it is from an archive of earlier documents */
    const char *label, *author, *time; /* NULL: unknown; in the arena */
} tw_origin;

/* The documents of pairs of which something is known, ascending. */
typedef struct tw_origins {
    tw_origin *data;
    size_t count;
} tw_origins;

struct tw_corpus;

struct twinset_result {
    twinset_run run;
    twinset_options options;
    tw_arena *arena;
    const char **names; /* of the documents */
    uint64_t *numbers;  /* a bit for each document, if its name is a number; NULL: none is */
    uint8_t *languages; /* tw_language_index() of each document; NULL: not by view across */
    tw_pair_list pairs;
    tw_chance chance;
    tw_comparison comparison;
    tw_text_store *kept; /* texts of the first pairs; NULL: none */
    tw_origins origins;
    tw_clusters clusters;
    const char **members; /* names of the members, in the order of clusters.members */
    tw_decisions decisions;
    twinset_flagged_document *flagged;
    twinset_skip *skips;
    char **notes;
    size_t note_capacity;
    twinset_stage
        stages[TW_STAGES];    /* in the order in which they started; unused ones have no name */
    struct tw_corpus *corpus; /* the source of a cleaned collection, or NULL; api/ releases it */
};

/* Frees everything that a result holds, except its corpus and itself. */
void tw_result_clear(twinset_result *result);

/* ---- filling a result */

/* Adds a note. */
int tw_result_note(twinset_result *result, const char *format, ...) TW_PRINTF(2, 3) TW_CHECKED;
/* Ends the stage that started at `start`, and adds it if it is new; returns the current times. */
tw_clocks tw_result_stage(twinset_result *result, const char *name, tw_clocks start,
                          uint64_t bytes);

/* ---- reading a result; an index must be in range */

/* Returns a match as a pair for users, without names and cluster. With `is_swapped`, the pair's a
 * is the second document of the match. */
twinset_pair tw_match_pair(const tw_match *match, bool is_swapped);
/* A listed pair; it may be in paged memory. */
tw_listed_pair *tw_result_listed(const twinset_result *result, size_t index);
/* What the passages of a match amount to, where this is known; it may be in paged memory. */
tw_extent *tw_result_extent(const twinset_result *result, size_t match);
const tw_match *tw_result_match(const twinset_result *result, const tw_listed_pair *pair);
/* Returns the name of a document, which may be in a temporary file: use it, rather than to hold
 * many. */
const char *tw_result_name(const twinset_result *result, uint32_t document);
/* Whether the name of a document is an id that is a number in its JSON record. */
bool tw_result_name_is_number(const twinset_result *result, uint32_t document);
twinset_pair tw_result_pair_at(const twinset_result *result, size_t index);
/* Gets the indices of a pair's documents. */
void tw_result_pair_documents(const twinset_result *result, size_t index, uint32_t documents[2]);
twinset_cluster tw_result_cluster_at(const twinset_result *result, size_t index);
twinset_removal tw_result_removal_at(const twinset_result *result, size_t index);
size_t tw_result_stages(const twinset_result *result);
/* Returns what is known of a document beside its text, or NULL. */
const tw_origin *tw_result_origin(const twinset_result *result, uint32_t document);
/* Returns a number for the author of a document, the same for each of the author's documents. */
size_t tw_result_author_number(const twinset_result *result, const tw_origin *origin);
/* Finds the passages of a pair. *passages is NULL beyond the first pairs, or if a document is too
 * large. */
int tw_result_find_passages(const twinset_result *result, size_t index, twinset_passages **passages,
                            twinset_error *error) TW_CHECKED;

#endif
