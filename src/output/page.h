/*
 * A result as one HTML page (docs/format.md#the-page). web/ makes its template, which is part of
 * the library and has two gaps, which are filled with blocks of data:
 *
 *   page.c           fills the template, within a limit for its size
 *   page_run.c       the blocks before the script: run, documents, pairs, clusters, removals
 *   page_removals.c  of a cleaning run: what was removed, which sources repeat each other
 *   page_growth.c    and how much along the collection
 *   page_passages.c  the passages of a pair, and who else has them
 *   page_texts.c     the blocks after it: the passages of pairs, the texts of documents, packed
 *   page_names.c     numbers in place of names, and the key to them
 *   page_layout.c    where the graph of clusters has its documents
 */
#ifndef TW_PAGE_H
#define TW_PAGE_H

#include "passages_text.h"
#include "twinset_advanced.h"

enum {
    TW_PAGE_BYTES = 50 << 20, /* of a page, where memory allows */
    TW_MOST_SHARING = 100,    /* documents that are counted for a passage */
    TW_MOST_REMOVALS = 10000, /* that are listed */
    TW_PAIRS_IN_GROUP = 8     /* whose passages are packed together: a third less than alone */
};

/* The template, made by web/build; page_template.c is written by the build. Empty: the build had
 * none. */
extern const unsigned char tw_page_template[];
extern const size_t tw_page_template_bytes;

/* A document on the page. */
typedef struct tw_shown_document {
    uint32_t document;
    uint8_t digest[20]; /* SHA-1 of its texts, one after the other; without any, of its name */
    tw_bytes *texts;    /* packed, by file */
    size_t text_count;
    bool is_packed; /* its texts were packed, or are about to be */
    bool has_text;  /* its texts are on the page */
} tw_shown_document;

enum { TW_IN_QUOTATION = 1, TW_IN_BIBLIOGRAPHY = 2 };

/* A passage, as the tables of the page need it. */
typedef struct tw_shown_passage {
    uint64_t tokens;
    uint64_t documents; /* that have it, of all; 0: unknown */
    uint32_t listed;    /* that have it, by the listed pairs; TW_MOST_SHARING at most */
    unsigned contexts;  /* TW_IN_* */
    uint32_t file[2];   /* of both documents: where it is, in bytes */
    uint64_t from[2], to[2];
} tw_shown_passage;

/* The passages of a pair. */
typedef struct tw_pair_block {
    tw_bytes text; /* as JSON, until it is packed; empty: none */
    tw_shown_passage *list;
    size_t count, capacity;
} tw_pair_block;

/* A page that is being written. */
typedef struct tw_page {
    tw_sink *sink;
    const twinset_result *result;
    const twinset_page *options;
    tw_shown_document *shown; /* ascending */
    size_t shown_count;
    tw_arena *arena; /* of strings without names; NULL: names are shown */
    tw_u64s words;   /* those to black out */
    tw_pair_block *blocks;
    size_t block_count;
    tw_bytes *groups;  /* passages of every TW_PAIRS_IN_GROUP pairs, packed */
    size_t all_pairs;  /* of the result, of which `result` has those that are listed */
    size_t pair_count; /* the first pairs, whose passages and texts are on the page */
    size_t *removals;  /* indices of those that are listed, ascending */
    size_t removal_count;
} tw_page;

/* Begins a block of data, and ends it. What is written between goes to the sink that is returned
 * through `json`; nothing in it ends the block early. */
tw_json tw_page_begin_block(tw_page *page, tw_sink *escaped, const char *id);
void tw_page_end_block(tw_page *page, tw_sink *escaped);

/* Returns the most bytes that a page may have. */
uint64_t tw_page_most_bytes(const tw_page *page);

/* The index of a document among the shown ones. */
size_t tw_page_index(const tw_page *page, uint32_t document);

/* Writes a digest as a member of a JSON object. */
void tw_json_digest(tw_json *json, const char *key, const uint8_t digest[20]);

/* How many groups there are of so many pairs. */
static inline size_t tw_page_groups(size_t pairs)
{
    return (pairs + TW_PAIRS_IN_GROUP - 1) / TW_PAIRS_IN_GROUP;
}

/* ---- page_run.c */
int tw_page_run(tw_page *page, twinset_error *error) TW_CHECKED;

/* ---- page_removals.c */

/* Chooses the removals that are listed. */
int tw_page_choose_removals(tw_page *page) TW_CHECKED;
void tw_page_removals(tw_page *page);
/* Writes which sources and hosts repeat each other, and how much was removed along the
 * collection. */
int tw_page_collection(tw_page *page) TW_CHECKED;

/* ---- page_growth.c */

/* Writes how much was removed along the collection: as it was read, and by time. */
int tw_page_growth(tw_json *json, const twinset_result *result) TW_CHECKED;

/* ---- page_passages.c */

/* Fills the block of a pair, not packed yet; other threads may fill those of others. `open` is the
 * thread's own; NULL: the result has no texts. */
int tw_page_find_passages(tw_page *page, size_t index, tw_open_texts *open,
                          twinset_error *error) TW_CHECKED;
/* Counts the documents that share each passage, by the listed pairs. */
int tw_page_count_sharing(tw_page *page) TW_CHECKED;

/* ---- page_texts.c */

/* Packs a text by zlib; *packed is to be freed by tw_bytes_free(). */
int tw_page_pack(const tw_bytes *text, tw_bytes *packed) TW_CHECKED;
/* Finds the passages of the first pairs, and packs the texts of their documents, until the page
 * reaches its limit. */
int tw_page_collect(tw_page *page, twinset_error *error) TW_CHECKED;
/* Writes the blocks of passages and texts. */
void tw_page_texts(tw_page *page);

/* ---- page_names.c */

/* Replaces the names in `own`, the page's copy of the result, and finds the words to black
 * out. */
int tw_page_anonymise(tw_page *page, twinset_result *own) TW_CHECKED;
/* Blacks out the words that name documents; does nothing where names are shown. */
void tw_page_mask(const tw_page *page, char *text, size_t length);
/* Writes which name each number stands for. */
int tw_page_write_key(const tw_page *page) TW_CHECKED;

/* ---- page_layout.c */

/* A point of the graph. */
typedef struct tw_point {
    float x, y;
} tw_point;

/* Places the members of all clusters, in the order of clusters.members. The same result has the
 * same points. */
int tw_page_points(const twinset_result *result, tw_point **points) TW_CHECKED;

#endif
