/* From tokens to texts: the passages of two documents as they are told to a user. */
#ifndef TW_COLLECTION_EVIDENCE_H
#define TW_COLLECTION_EVIDENCE_H

#include "passages.h"

/* Where a token is in the text of its file. */
typedef struct tw_place {
    uint32_t start, end; /* bytes; `end` is past the last */
    uint32_t line;       /* of its first byte, from 1 */
} tw_place;

/* One of a document's files. */
typedef struct tw_evidence_file {
    const char *name; /* NULL: the document has but this one */
    const char *text;
    size_t length;
} tw_evidence_file;

typedef struct tw_evidence_side {
    const char *name;
    const tw_side *tokens; /* passages were found in these */
    const tw_place *places;
    const tw_evidence_file *files; /* one more than there are breaks between tokens */
} tw_evidence_side;

/* Tells of passages that were just found; nothing is borrowed. `token` is what they are made of:
 * "token" of programs, "word" or "char" of prose, a constant. `among`: see twinset_passages.
 * Freed with twinset_passages_free(). */
int tw_evidence_new(const tw_passages *found, const tw_evidence_side sides[2], const char *token,
                    uint64_t among, twinset_passages **passages) TW_CHECKED;

#endif
