/*
 * Pairs of prose that share passages, whether or not they are similar as a whole: the candidates of
 * passage_candidates.h, compared by passages/prose.h. Those are listed that chance does not
 * explain. How rare words are is taken from the whole collection.
 */
#ifndef TW_SHARED_PASSAGES_H
#define TW_SHARED_PASSAGES_H

#include "passage_candidates.h"

struct tw_shared_passages {
    tw_prose_texts texts;
    tw_stem_counts counts;
    tw_prose_rules rules;
    tw_passage_candidates candidates;
    tw_boilerplates boilerplate;
    tw_boilerplate_words *boilerplate_words; /* by worker; NULL: boilerplate counts, too */
    tw_extent *extents;                      /* by candidate */
    bool measures_similar;                   /* the passages of similar pairs are looked for, too */
};

#endif
