/* What a scan leaves behind. Names are borrowed from the corpus. */
#ifndef TW_RESULT_H
#define TW_RESULT_H

#include "corpus.h"
#include "match.h"

enum { TW_STAGES = 16 };

/* What the passages of a match amount to, where documents are programs. */
typedef struct tw_extent {
    uint32_t tokens;           /* in all passages */
    uint32_t longest;          /* in the one with most */
    uint32_t longest_lines[2]; /* lines of that, in a and in b */
    uint32_t a_lines, b_lines; /* that have a token of a passage */
    double weighted;           /* similarity by weights; NaN where they are not known */
} tw_extent;

/* A pair of documents, by number, and the match that says what is known of it. */
typedef struct tw_listed {
    uint32_t a, b;
    uint32_t match;
    bool swapped; /* a is on the match's second side */
} tw_listed;

/* A document that is removed from a collection, and the one that it is removed for. */
typedef struct tw_removal {
    uint32_t document, kept;
    double similarity;
} tw_removal;

/* What was skipped of a source: a range of its bytes, or, without a length, something that
 * cannot be pointed at. */
typedef struct tw_cut {
    uint32_t source;
    uint64_t offset, length;
} tw_cut;

typedef struct tw_revealing tw_revealing;

struct twinset_result {
    tw_corpus *corpus;
    twinset_run run;
    const char **names; /* of the documents */
    tw_listed *pairs;
    tw_matches matches, copies;        /* one list, the second after the first */
    tw_extent *extents, *copy_extents; /* of programs: the same */
    size_t copy_capacity;
    tw_background background; /* of programs */
    bool chance_alone;        /* chance makes even identical programs: none is listed */
    double chance_pairs;      /* pairs that there are; 0: the background is not known */
    tw_revealing *revealing;  /* what passages of all pairs need */
    tw_clusters clusters;
    const char **members; /* names, in the order of clusters.members */
    twinset_flagged *flagged;
    twinset_skip *skips;
    char **notes;
    size_t note_capacity;
    twinset_stage stages[TW_STAGES + 1]; /* ends with a NULL name */
    unsigned comparison;
    twinset_pair compared;      /* of a comparison */
    twinset_passages *passages; /* the same; NULL where the two are too large */

    /* Of a cleaned collection, by source and offset. */
    tw_removal *removed; /* run.removed of them */
    tw_cut *cuts;        /* without those that are only empty */
    size_t cut_count;
    uint32_t *clustered; /* documents in clusters, made when they are asked for */
    size_t clustered_count;
};

/* reveal.c */
tw_revealing *tw_revealing_new(void) TW_CHECKED;
void tw_revealing_free(tw_revealing *revealing);

/* Adds a sentence. */
int tw_result_note(twinset_result *result, const char *format, ...) TW_PRINTF(2, 3) TW_CHECKED;
/* Closes the stage that began at `start`; returns the time now. */
double tw_result_stage(twinset_result *result, const char *name, double start);
/* Adds to a stage, which may have been there before. */
void tw_result_add_stage(twinset_result *result, const char *name, double seconds, uint64_t bytes);
const tw_match *tw_result_match(const twinset_result *result, const tw_listed *pair);
/* A match as users see it, without names and cluster; `swapped`: a is on its second side. */
twinset_pair tw_match_pair(const tw_match *match, bool swapped);
/* Lists what the corpus skipped and flagged. */
int tw_result_finish(twinset_result *result) TW_CHECKED;

/* ---- what the writers know of a result beyond twinset.h */

const twinset_options *tw_result_options(const twinset_result *result);
/* 1 when the result comes from twinset_collection_compare(). */
unsigned tw_result_comparison(const twinset_result *result);
/* The documents in the order of their names, and the two of a pair by their number there; not
 * for a comparison. */
const char *tw_result_name(const twinset_result *result, uint32_t document);
void tw_result_paired(const twinset_result *result, size_t index, uint32_t documents[2]);
/* Whether pairs are not listed since chance alone makes as many. */
bool tw_result_tells_nothing(const twinset_result *result);
/* All shared passages of a comparison that has them; else NULL. */
const twinset_passages *tw_result_passages(const twinset_result *result);

#endif
