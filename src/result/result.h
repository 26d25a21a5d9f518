/*
 * A result is a value: rows, clusters, notes, names, and the texts that passages are found in. It
 * knows nothing of files, and does not change with the collection that it came from. Its strings
 * are in an arena that is shared by counting owners.
 */
#ifndef TW_RESULT_H
#define TW_RESULT_H

#include "common.h"
#include "kept.h"
#include "match.h"
#include "passages.h"

enum { TW_STAGES = 16 };

/* A pair of documents, by index, and the index of its match, which has the figures. */
typedef struct tw_listed {
    uint32_t a, b;
    uint32_t match;
    bool is_swapped; /* a is the second document of the match */
} tw_listed;

/* The pairs that are listed, run.pairs of them. */
typedef struct tw_pair_list {
    tw_listed *data;
    tw_matches matches, copies;        /* indices go through the first list, then the second */
    tw_extent *extents, *copy_extents; /* of programs, by match: how much the passages cover */
    size_t copy_capacity;
} tw_pair_list;

/* The similarity of unrelated programs. */
typedef struct tw_chance {
    tw_background background;
    double pairs; /* the number of pairs compared; 0: the background is not known */
    bool is_all;  /* chance explains even identical programs: no pair is listed */
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
} tw_cut;

/* The decisions for a cleaned collection, in the order of the input. */
typedef struct tw_decisions {
    tw_removal *removed; /* run.removed of them */
    tw_cut *cuts;        /* without records that are only empty */
    size_t cut_count;
    uint32_t *clustered; /* documents in clusters, listed on demand */
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
/* Ends the stage that started at `start`; returns the current time. */
double tw_result_stage(twinset_result *result, const char *name, double start);
/* Adds seconds and bytes to a stage, and adds the stage if it is new. */
void tw_result_add_stage(twinset_result *result, const char *name, double seconds, uint64_t bytes);

/* ---- reading a result; an index must be in range */

/* Returns a match as a pair for users, without names and cluster. With `is_swapped`, the pair's a
 * is the second document of the match. */
twinset_pair tw_match_pair(const tw_match *match, bool is_swapped);
const tw_match *tw_result_match(const twinset_result *result, const tw_listed *pair);
twinset_pair tw_result_pair_at(const twinset_result *result, size_t index);
twinset_cluster tw_result_cluster_at(const twinset_result *result, size_t index);
twinset_removal tw_result_removal_at(const twinset_result *result, size_t index);
size_t tw_result_stages(const twinset_result *result);
/* Finds the passages of a pair. *passages is NULL beyond the first pairs, or if a document is too
 * large. */
int tw_result_find_passages(const twinset_result *result, size_t index, twinset_passages **passages,
                            twinset_error *error) TW_CHECKED;

#endif
