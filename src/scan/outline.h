/*
 * Documents token by token, as passages are found in them: programs by their tokens, other
 * documents by their words. 29 bytes a token. Many are held at once while there is room, since
 * a document is compared with many others; else they are made as often as they are needed.
 */
#ifndef TW_OUTLINE_H
#define TW_OUTLINE_H

#include "passages.h"
#include "result.h"

typedef struct tw_outline {
    uint32_t document; /* UINT32_MAX: none */
    tw_side side;
    uint32_t *lines; /* of each token */
    char *memory;
    size_t capacity;
} tw_outline;

typedef struct tw_outlines {
    tw_corpus *corpus;
    tw_outline *held;         /* by document, or NULL */
    tw_outline *own;          /* two for each worker */
    tw_passages *found;       /* by worker */
    const tw_u64s *templates; /* borrowed, of prose: what is no passage; or NULL */
} tw_outlines;

/* Whether a document has more tokens than memory allows to look for passages in: these take some
 * hundred bytes a token. */
bool tw_outline_refuses(const tw_corpus *corpus, uint32_t document);

/* Words of a passage of prose; a shingle has as many. */
enum { TW_PASSAGE_WORDS = 5 };

/* Holds those of the documents that are wanted, where memory allows it for all of them; `wanted`
 * may be NULL. */
int tw_outlines_init(tw_outlines *outlines, tw_corpus *corpus, const bool *wanted) TW_CHECKED;
void tw_outlines_free(tw_outlines *outlines);
/* The outline of a document; valid until this worker asks again for this side (0 or 1). */
int tw_outlines_get(tw_outlines *outlines, unsigned worker, unsigned side, uint32_t document,
                    const tw_outline **outline) TW_CHECKED;
/* The shingles of templates of prose, ascending, for outlines->templates; into any list. */
int tw_outline_templates(tw_corpus *corpus, tw_u64s *templates) TW_CHECKED;
/* The rules for such passages, without frequencies. */
tw_shared_rules tw_outline_rules(const tw_corpus *corpus);

/* Puts the pieces in the order of b. */
tw_extent tw_outline_extent(tw_passages *passages, const tw_outline *a, const tw_outline *b);

#endif
