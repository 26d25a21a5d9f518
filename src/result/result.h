/*
 * A result is a value: rows, clusters, notes, names, and the texts that passages are found in. It
 * knows nothing of files, and stays what it is whatever happens to the collection that it came
 * from. Strings are in an arena that it shares by counting.
 */
#ifndef TW_RESULT_H
#define TW_RESULT_H

#include "common.h"
#include "kept.h"
#include "match.h"
#include "passages.h"

enum { TW_STAGES = 16 };

/* A pair of documents, by number, and the match that says what is known of it. */
typedef struct tw_listed {
    uint32_t a, b;
    uint32_t match;
    bool is_swapped; /* a is on the match's second side */
} tw_listed;

/* The pairs that are listed, run.pairs of them. */
typedef struct tw_pair_list {
    tw_listed *data;
    tw_matches matches, copies;        /* one list, the second after the first */
    tw_extent *extents, *copy_extents; /* of programs: what the passages of each match amount to */
    size_t copy_capacity;
} tw_pair_list;

/* What chance alone gives among programs. */
typedef struct tw_chance {
    tw_background background;
    double pairs; /* that there are; 0: the background is not known */
    bool is_all;  /* chance makes even identical programs: no pair is listed */
} tw_chance;

/* The one pair of a comparison. */
typedef struct tw_comparison {
    bool is_one; /* the result is that of a comparison */
    bool is_swapped;
    twinset_pair pair;
    twinset_passages *passages; /* NULL where the two are too large */
} tw_comparison;

/* A document that is removed from a collection, and the one that it is removed for. */
typedef struct tw_removal {
    uint32_t document, kept;
    double similarity;
} tw_removal;

/* What was skipped of a source: a span of its bytes, or, without a length, something that has
 * none. */
typedef struct tw_cut {
    uint32_t source;
    uint64_t offset, length;
} tw_cut;

/* What was decided about a cleaned collection, in the order of the input. */
typedef struct tw_decisions {
    tw_removal *removed; /* run.removed of them */
    tw_cut *cuts;        /* without those that are only empty */
    size_t cut_count;
    uint32_t *clustered; /* documents in clusters, listed when they are asked for */
    size_t clustered_count;
} tw_decisions;

struct tw_corpus;

struct twinset_result {
    twinset_run run;
    twinset_options options;
    tw_arena *arena;
    const char **names; /* of the documents */
    tw_pair_list pairs;
    tw_chance chance;
    tw_comparison comparison;
    tw_kept *kept; /* texts of the first pairs; NULL: none */
    tw_clusters clusters;
    const char **members; /* names, in the order of clusters.members */
    tw_decisions decisions;
    twinset_flagged_document *flagged;
    twinset_skip *skips;
    char **notes;
    size_t note_capacity;
    twinset_stage stages[TW_STAGES]; /* in the order of their beginning; the rest have no name */
    struct tw_corpus *corpus; /* that a cleaned collection is written from, or NULL; api/ releases
                                 it */
};

/* Frees all that a result holds, but for its corpus and itself. */
void tw_result_clear(twinset_result *result);

/* ---- filling it */

/* Adds a sentence. */
int tw_result_note(twinset_result *result, const char *format, ...) TW_PRINTF(2, 3) TW_CHECKED;
/* Closes the stage that began at `start`; returns the time now. */
double tw_result_stage(twinset_result *result, const char *name, double start);
/* Adds to a stage, which may have been there before. */
void tw_result_add_stage(twinset_result *result, const char *name, double seconds, uint64_t bytes);

/* ---- reading it; an index must be in range */

/* A match as users see it, without names and cluster; `is_swapped`: a is on its second side. */
twinset_pair tw_match_pair(const tw_match *match, bool is_swapped);
const tw_match *tw_result_match(const twinset_result *result, const tw_listed *pair);
twinset_pair tw_result_pair_at(const twinset_result *result, size_t index);
twinset_cluster tw_result_cluster_at(const twinset_result *result, size_t index);
twinset_removal tw_result_removal_at(const twinset_result *result, size_t index);
size_t tw_result_stages(const twinset_result *result);
/* Finds the passages of a pair; *passages is NULL where none are known: beyond the first pairs, or
 * where a document is too large. */
int tw_result_find_passages(const twinset_result *result, size_t index, twinset_passages **passages,
                            twinset_error *error) TW_CHECKED;

#endif
