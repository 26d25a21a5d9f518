/*
 * What the files of the HTML converter hand each other: a page as the blocks of text that a
 * reader sees, one after the other, and the elements that hold them.
 *
 *   html_tidy.c    the source, less what is no text, and safe to be parsed
 *   html.c         parses it, and makes the blocks
 *   html_select.c  which of them are the text of the page
 */
#ifndef TW_HTML_H
#define TW_HTML_H

#include "common.h"

typedef struct tw_html_block {
    size_t begin, end; /* in the text of the page, the gap before it included */
    uint32_t words;
    uint32_t linked; /* of these */
    uint32_t links;
    uint32_t row;    /* of a table, counted from 1; 0: none */
    uint8_t heading; /* 1 to 6; 0: none */
    bool hidden;     /* something of it is not to be seen, and was left out */
    bool notice;     /* speaks of rights, cookies or the page: set by tw_html_select() */
    bool kept;
} tw_html_block;

enum {
    TW_HTML_ASIDE = 1,   /* said to be something beside the text: navigation, advertising... */
    TW_HTML_HEADER = 2,  /* so, if it has links */
    TW_HTML_MAIN = 4,    /* said to be the text */
    TW_HTML_ARTICLE = 8, /* the same, more closely */
    TW_HTML_BOX = 16,    /* may hold the text of a page, such as div and td */
};

/* An element: of the blocks, those from `first` up to `end`. Parents come first; the first
 * part is the whole page, and its own parent. */
typedef struct tw_html_part {
    uint32_t parent, first, end;
    uint32_t name; /* of its kind and class, as a number; 0: it has no class */
    uint32_t way;  /* of its parts, the one that leads to the main box: for tw_html_select() */
    unsigned traits;
    bool dropped;
} tw_html_part;

typedef struct tw_html_page {
    tw_bytes text;
    tw_html_block *blocks;
    size_t block_count, block_capacity;
    tw_html_part *parts;
    size_t part_count, part_capacity;
} tw_html_page;

/* The source, as gumbo can parse it in linear time and memory: without comments, scripts,
 * form controls and the like, and with the attributes that matter alone. TWINSET_IO: it is
 * nested too deeply for that. */
int tw_html_tidy(const char *source, size_t length, tw_bytes *tidy) TW_CHECKED;

/* Clears `kept` of the blocks that are not the text of the page. */
int tw_html_select(tw_html_page *page) TW_CHECKED;

#endif
