/* What the documents of a file are, by its name and by its first bytes. */
#ifndef TW_KIND_H
#define TW_KIND_H

#include "common.h"

/* What the documents of a file are. */
typedef enum tw_input_kind {
    TW_INPUT_TEXT,  /* the file is one */
    TW_INPUT_JSONL, /* its lines: .jsonl and .ndjson, also with .gz, .zst, .xz or .bz2 after it, in
                       any case; and standard input */
    TW_INPUT_ARCHIVE, /* the files in it: .zip, .tar, .7z and their like; members.h */
    TW_INPUT_MBOX,    /* its messages: .mbox */
    TW_INPUT_WARC,    /* the pages of a web crawl: .warc */
} tw_input_kind;

/* Whether the documents of a file are files in it. */
static inline bool tw_kind_has_members(tw_input_kind kind)
{
    return kind >= TW_INPUT_ARCHIVE;
}

typedef struct tw_walk_rules tw_walk_rules;     /* input.h */
typedef struct tw_input_source tw_input_source; /* input.h */

/* Gives the kind that a name says. Returns false if it says nothing: *kind is TW_INPUT_TEXT then.
 */
bool tw_input_kind_by_name(const char *path, tw_input_kind *kind);
/* Fills in the kind of a file that was found: the one that the rules choose, or its name says, or
 * its bytes look like; in the last case also whether these are a program. TWINSET_NOMEM. */
int tw_find_input_kind(const tw_walk_rules *rules, tw_input_source *found) TW_CHECKED;

/* Whether a file that is read as one text holds several: rows, records or messages. */
bool tw_is_undivided(const char *name, const char *head, size_t length);

#endif
