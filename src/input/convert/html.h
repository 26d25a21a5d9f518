/*
 * What the files of the HTML converter hand to each other. A page is a list of blocks, which are
 * the text that a reader sees, and a list of the elements that hold them.
 *
 *   html.c         the converter: which bytes are HTML, and in which encoding
 *   html_tidy.c    removes from the source what is no text, and makes it safe to parse
 *   html_tree.c    parses it with gumbo, in memory that is bounded
 *   html_blocks.c  walks the tree and makes the blocks
 *   html_style.c   which text nobody sees
 *   html_traits.c  what an element says it is for
 *   html_select.c  which blocks are the text of the page
 */
#ifndef TW_HTML_H
#define TW_HTML_H

#include <gumbo.h>

#include "common.h"

/* ---- pages */

typedef struct tw_html_block {
    size_t begin, end;     /* offsets in the text of the page, with the gap before the block */
    uint32_t words;        /* words that a reader sees */
    uint32_t linked_words; /* how many of them are in links */
    uint32_t links;        /* how many links begin in it */
    uint32_t row;          /* the table row it is in, counted from 1; 0: it is in none */
    uint8_t heading;       /* 1 to 6 for h1 to h6; 0: it is no heading */
    bool has_hidden;       /* some of its text is not to be seen, and was left out */
    bool is_notice;        /* it speaks of rights, cookies or the page; tw_html_select() sets it */
    bool kept;             /* it is text of the page */
} tw_html_block;

enum {
    TW_HTML_ASIDE = 1,   /* said to stand beside the text: navigation, advertising... */
    TW_HTML_HEADER = 2,  /* said to be a header, which stands beside the text if it has links */
    TW_HTML_MAIN = 4,    /* said to be the text */
    TW_HTML_ARTICLE = 8, /* said to be the text, more closely */
    TW_HTML_BOX = 16,    /* may hold the text of a page, such as div and td */
};

/* An element that matters for the choice of blocks. It holds the blocks from `first` up to `end`.
 * Parents come before their children; the first element is the whole page, and its own parent. */
typedef struct tw_html_element {
    uint32_t parent, first, end;
    uint32_t kind;     /* a hash of its tag and class; 0: it has no class */
    uint32_t way_down; /* the child that leads to the main box; tw_html_select() sets it */
    unsigned traits;   /* TW_HTML_* */
    bool dropped;
} tw_html_element;

typedef struct tw_html_page {
    tw_bytes text;
    tw_html_block *blocks;
    size_t block_count, block_capacity;
    tw_html_element *elements;
    size_t element_count, element_capacity;
} tw_html_page;

void tw_html_page_free(tw_html_page *page);

/* ---- from source to page */

/* Appends the source as gumbo can parse it in linear time and memory: without comments, scripts,
 * form controls and the like, and with only those attributes that matter. TWINSET_IO: elements
 * are nested too deeply for that. */
int tw_html_tidy(const char *source, size_t length, tw_bytes *tidy) TW_CHECKED;

/* A parsed page. Free it with tw_html_tree_free(). */
typedef struct tw_html_tree tw_html_tree;

/* Parses a tidied source of at most TW_HTML_LIMIT bytes, which must stay. TWINSET_IO: it makes
 * more elements than a page of its size has. */
int tw_html_parse(const tw_bytes *tidy, tw_html_tree **tree) TW_CHECKED;
#define TW_HTML_LIMIT ((size_t)1 << 30) /* gumbo counts in 32 bits */
const GumboNode *tw_html_root(const tw_html_tree *tree);
void tw_html_tree_free(tw_html_tree *tree);

/* Makes the blocks and elements of a page from its tree. Lines of quoted blocks begin with "> "
 * if `marks_quotations`. */
int tw_html_read_blocks(const GumboNode *root, bool marks_quotations,
                        tw_html_page *page) TW_CHECKED;

/* Clears `kept` of the blocks that are not the text of the page. */
int tw_html_select(tw_html_page *page) TW_CHECKED;

/* ---- what attributes say */

/* The value of an attribute; NULL: the element does not have it. */
static inline const char *tw_html_attribute(const GumboElement *element, const char *name)
{
    const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);
    return found ? found->value : NULL;
}

/* How text is displayed; children inherit it. */
enum {
    TW_HTML_HIDDEN = 1,    /* not displayed */
    TW_HTML_TRICK = 2,     /* displayed so that nobody sees it */
    TW_HTML_WHITE = 4,     /* white, if nothing behind it has another colour */
    TW_HTML_GROUND = 8,    /* the background has a colour */
    TW_HTML_MIDST = 16,    /* not displayed, and within text that is displayed */
    TW_HTML_LINKED = 32,   /* in a link */
    TW_HTML_VERBATIM = 64, /* keeps its white space */
    TW_HTML_FADED = 128,   /* transparent until a program shows it, or for ever */
    TW_HTML_NAMED = 256,   /* has a name, by which a style sheet may change it */
};

/* The display of an element's text, given that of its parent. `is_inline`: it flows in a line. */
unsigned tw_html_display(const GumboElement *element, unsigned inherited, bool is_inline);

/* What role, class and id say that an element is for: TW_HTML_*. */
unsigned tw_html_traits(const GumboElement *element, unsigned traits_of_tag);

#endif
