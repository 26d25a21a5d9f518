/* Passages of two documents as they are handed to those who show them. */
#ifndef TW_SHOWN_H
#define TW_SHOWN_H

#include "common.h"

/* A file of a document. */
typedef struct tw_shown_file {
    char *name; /* NULL: the document has but this one */
    char *text; /* terminated */
    size_t length;
} tw_shown_file;

typedef struct tw_shown_side {
    char *name; /* of the document */
    tw_shown_file *files;
    size_t file_count;
    twinset_span *left_out; /* in the order of the text */
    size_t left_out_count, left_out_capacity;
} tw_shown_side;

/* Made by tw_evidence_new(); all of it is its own. */
struct twinset_passages {
    tw_shown_side sides[2];
    twinset_passage *list;
    size_t count;
    twinset_stretch *stretches; /* of all passages */
    size_t stretch_count, stretch_capacity;
    twinset_rename *renames; /* the same */
    tw_bytes names;          /* that the renames point to */
    uint64_t among;          /* documents, that those with a passage are counted among */
    bool prose;              /* it is quoted; else lines of a program are shown */
    const char *token;       /* what it is made of: "token", "word", "char" */
};

#endif
