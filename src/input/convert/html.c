/*
 * HTML and XHTML, parsed by gumbo: the text that a reader sees, less what is no part of it.
 * Parsing is some 20 MB/s. Gumbo takes a failed allocation badly and frees a tree by recursion,
 * so it gets memory that never fails, a longjmp() leads out of it instead, and all is freed at
 * once. A tidied page needs less than 64 bytes of memory for each of its own; what asks for
 * more multiplies elements, and is refused.
 *
 * The title of the page is not in its text: saved as plain text it would not be there either.
 * Text of no size, of no colour, or white where nothing says that the ground is not, is left
 * out and told; so is text that is not displayed in the midst of a block that is. Whole blocks
 * which are not displayed are what pages are made of: left out, and not worth a word.
 */
#include <gumbo.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "convert/html.h"
#include "convert/prose.h"

/* ---- gumbo's memory: pieces of large chunks, freed with them */

enum { CHUNK_BYTES = 256 << 10, MEMORY_PER_BYTE = 64, MEMORY_AT_LEAST = 4 << 20, ALIGNMENT = 16 };
#define SOURCE_LIMIT ((size_t)1 << 30) /* gumbo counts in 32 bits */

typedef struct chunk {
    struct chunk *next;
    _Alignas(ALIGNMENT) char bytes[];
} chunk;

typedef struct arena {
    chunk *chunks;
    size_t used, size;  /* of the first chunk */
    size_t taken, most; /* of all */
    int status;         /* why the parser was left */
    jmp_buf out;
} arena;

static void leave_parser(arena *in, int status)
{
    in->status = status;
    longjmp(in->out, 1);
}

static void *arena_alloc(void *context, size_t size)
{
    arena *in = context;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > in->size - in->used) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        if (room > in->most - in->taken)
            leave_parser(in, TWINSET_IO);
        chunk *added = tw_malloc(sizeof *added + room);
        if (!added)
            leave_parser(in, TWINSET_NOMEM);
        added->next = in->chunks;
        in->chunks = added;
        in->used = 0;
        in->size = room;
        in->taken += room;
    }
    void *memory = in->chunks->bytes + in->used;
    in->used += size;
    return memory;
}

static void arena_keep(void *context, void *memory)
{
    (void)context, (void)memory;
}

static void arena_free(arena *in)
{
    for (chunk *next, *at = in->chunks; at; at = next) {
        next = at->next;
        tw_free(at);
    }
}

/* The tree lives in the arena. NULL: in->status says why. */
static const GumboOutput *parse(arena *in, const tw_bytes *source)
{
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = arena_alloc;
    options.deallocator = arena_keep;
    options.userdata = in;
    options.max_errors = 0;
    if (setjmp(in->out))
        return NULL;
    return gumbo_parse_with_options(&options, source->data, source->length);
}

/* ---- styles */

enum {
    HIDDEN = 1,  /* not displayed */
    TRICK = 2,   /* displayed so that nobody sees it */
    WHITE = 4,   /* white, if nothing below it is of another colour */
    GROUND = 8,  /* the ground has a colour */
    TOLD = 16,   /* hidden in the midst of text */
    LINKED = 32, /* in a link */
    VERBATIM = 64,
    FADED = 128, /* displayed, but not before a program says so, or never */
    NAMED = 256, /* has a name for style sheets */
};

static bool is_white(const char *colour)
{
    static const char *const whites[] = {"white", "#fff", "rgb(255,255,255)", "rgb(255, 255, 255)"};
    for (size_t i = 0; i < sizeof whites / sizeof *whites; i++) {
        const char *rest = colour + strlen(whites[i]);
        if (tw_starts_ignoring_case(colour, whites[i]) &&
            (i != 1 || tw_starts_ignoring_case(rest, "fff") || !*rest ||
             !strchr("0123456789abcdefABCDEF", *rest)))
            return true;
    }
    return false;
}

/* Reads an exponent such as "e-3", and passes it; 0: there is none. */
static int read_exponent(const char **text)
{
    enum { MOST = 400 }; /* beyond it, all numbers are 0 or infinite */
    const char *at = *text;
    bool begins = tw_to_lower(*at) == 'e', minus = begins && at[1] == '-';
    at += begins ? 1 + (minus || at[1] == '+') : 0;
    if (!begins || !tw_is_digit(*at))
        return 0;
    int exponent = 0;
    for (; tw_is_digit(*at); at++)
        exponent = exponent < MOST ? exponent * 10 + (*at - '0') : exponent;
    *text = at;
    return minus ? -exponent : exponent;
}

/* Reads a decimal number without a sign, and passes it; -1: there is none. The C library would read
 * it as the locale of the program writes numbers. Past 15 digits the result has a rounding
 * error, which makes no difference to what it is compared with. */
static double read_decimal(const char **text)
{
    const char *at = *text;
    double number = 0, scale = 1;
    size_t digits = 0;
    for (; tw_is_digit(*at); at++, digits++)
        number = number * 10 + (*at - '0');
    if (*at == '.')
        for (at++; tw_is_digit(*at); at++, digits++, scale *= 10)
            number = number * 10 + (*at - '0');
    if (digits == 0)
        return -1;
    int exponent = read_exponent(&at);
    for (; exponent > 0; exponent--)
        number *= 10;
    for (; exponent < 0; exponent++)
        scale *= 10;
    *text = at;
    return number > 0 ? number / scale : 0;
}

/* Whether a length or an opacity is too small to see. */
static bool is_nothing(const char *value)
{
    bool minus = *value == '-';
    value += minus || *value == '+';
    double number = read_decimal(&value);
    bool absolute = tw_starts_ignoring_case(value, "px") || tw_starts_ignoring_case(value, "pt");
    return number == 0 || (number > 0 && !minus && absolute && number <= 1);
}

static unsigned declaration_state(const char *name, const char *value)
{
    if (tw_starts_ignoring_case(name, "display"))
        return tw_starts_ignoring_case(value, "none") ? HIDDEN : 0;
    if (tw_starts_ignoring_case(name, "visibility"))
        return tw_starts_ignoring_case(value, "hidden") ||
                       tw_starts_ignoring_case(value, "collapse")
                   ? HIDDEN
                   : 0;
    if (tw_starts_ignoring_case(name, "font-size"))
        return is_nothing(value) ? TRICK : 0;
    if (tw_starts_ignoring_case(name, "opacity"))
        return is_nothing(value) ? FADED : 0;
    if (tw_starts_ignoring_case(name, "color"))
        return is_white(value) ? WHITE : tw_starts_ignoring_case(value, "transparent") ? TRICK : 0;
    if (tw_starts_ignoring_case(name, "background"))
        return is_white(value) || tw_starts_ignoring_case(value, "transparent") ||
                       tw_starts_ignoring_case(value, "none")
                   ? 0
                   : GROUND;
    return 0;
}

static unsigned style_state(const char *style)
{
    unsigned state = 0;
    while (*style) {
        style += strspn(style, " \t\r\n;");
        const char *name = style, *colon = style + strcspn(style, ":;");
        style = colon + strcspn(colon, ";");
        if (*colon == ':')
            state |= declaration_state(name, colon + 1 + strspn(colon + 1, " \t\r\n"));
    }
    return state;
}

static const char *attribute(const GumboElement *element, const char *name)
{
    const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);
    return found ? found->value : NULL;
}

/* ---- elements */

enum { INLINE, LINE, BLOCK, CELL, ROW, BREAK };

typedef struct kind {
    unsigned char flow; /* INLINE where nothing is said */
    unsigned char traits;
    bool part;
} kind;

#define PART(flow, traits)                                                                         \
    {                                                                                              \
        flow, traits, true                                                                         \
    }
static const kind KINDS[GUMBO_TAG_LAST + 1] = {
    [GUMBO_TAG_ARTICLE] = PART(BLOCK, TW_HTML_ARTICLE | TW_HTML_BOX),
    [GUMBO_TAG_MAIN] = PART(BLOCK, TW_HTML_MAIN | TW_HTML_BOX),
    [GUMBO_TAG_SECTION] = PART(BLOCK, TW_HTML_BOX),
    [GUMBO_TAG_BODY] = PART(BLOCK, TW_HTML_BOX),
    [GUMBO_TAG_DIV] = PART(LINE, TW_HTML_BOX),
    [GUMBO_TAG_CENTER] = PART(LINE, TW_HTML_BOX),
    [GUMBO_TAG_TABLE] = PART(BLOCK, TW_HTML_BOX),
    [GUMBO_TAG_TD] = PART(CELL, TW_HTML_BOX),
    [GUMBO_TAG_TH] = PART(CELL, 0),
    [GUMBO_TAG_NAV] = PART(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_ASIDE] = PART(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_FOOTER] = PART(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_MENU] = PART(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_HEADER] = PART(BLOCK, TW_HTML_HEADER),
    [GUMBO_TAG_UL] = PART(BLOCK, 0),
    [GUMBO_TAG_OL] = PART(BLOCK, 0),
    [GUMBO_TAG_DL] = PART(BLOCK, 0),
    [GUMBO_TAG_DIR] = PART(BLOCK, 0),
    [GUMBO_TAG_BLOCKQUOTE] = PART(BLOCK, 0),
    [GUMBO_TAG_FIGURE] = PART(BLOCK, 0),
    [GUMBO_TAG_DETAILS] = PART(BLOCK, 0),
    [GUMBO_TAG_FIELDSET] = PART(BLOCK, 0),
    [GUMBO_TAG_HGROUP] = {LINE, 0, false},
    [GUMBO_TAG_H1] = {BLOCK, 0, false},
    [GUMBO_TAG_H2] = {BLOCK, 0, false},
    [GUMBO_TAG_H3] = {BLOCK, 0, false},
    [GUMBO_TAG_H4] = {BLOCK, 0, false},
    [GUMBO_TAG_H5] = {BLOCK, 0, false},
    [GUMBO_TAG_H6] = {BLOCK, 0, false},
    [GUMBO_TAG_P] = {BLOCK, 0, false},
    [GUMBO_TAG_PRE] = {BLOCK, 0, false},
    [GUMBO_TAG_LISTING] = {BLOCK, 0, false},
    [GUMBO_TAG_HR] = {BLOCK, 0, false},
    [GUMBO_TAG_ADDRESS] = {LINE, 0, false},
    [GUMBO_TAG_LI] = {LINE, 0, false},
    [GUMBO_TAG_DT] = {LINE, 0, false},
    [GUMBO_TAG_DD] = {LINE, 0, false},
    [GUMBO_TAG_FIGCAPTION] = {LINE, 0, false},
    [GUMBO_TAG_CAPTION] = {LINE, 0, false},
    [GUMBO_TAG_LEGEND] = {LINE, 0, false},
    [GUMBO_TAG_SUMMARY] = {LINE, 0, false},
    [GUMBO_TAG_MULTICOL] = {LINE, 0, false},
    [GUMBO_TAG_TBODY] = {LINE, 0, false},
    [GUMBO_TAG_THEAD] = {LINE, 0, false},
    [GUMBO_TAG_TFOOT] = {LINE, 0, false},
    [GUMBO_TAG_TR] = {ROW, 0, false},
    [GUMBO_TAG_BR] = {BREAK, 0, false},
};

/* Words of names that say what an element is for, in order. */
static const char *const ASIDE_WORDS[] = {
    "ad",       "adbox",         "ads",         "adsbygoogle", "adsense",
    "advert",   "advertisement", "advertising", "advertorial", "adverts",
    "banner",   "banners",       "breadcrumb",  "breadcrumbs", "byline",
    "comments", "consent",       "cookie",      "cookies",     "copyright",
    "credits",  "crumbs",        "disclaimer",  "disqus",      "dropdown",
    "foot",     "footer",        "gdpr",        "legal",       "login",
    "masthead", "menu",          "menubar",     "meta",        "modal",
    "nav",      "navbar",        "navigation",  "navlinks",    "newsletter",
    "outbrain", "pager",         "pagination",  "popup",       "promo",
    "promoted", "promotion",     "related",     "search",      "searchbox",
    "share",    "sharing",       "sidebar",     "sidenav",     "signup",
    "sitemap",  "skip",          "social",      "sponsor",     "sponsored",
    "sponsors", "subscribe",     "taboola",     "tags",        "teaser",
    "teasers",  "toc",           "toolbar",     "topbar",      "trending",
    "widget",   "widgets",
};

static int by_word(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

/* Takes the next word of a name: letters, parted by anything else or by a capital. */
static size_t next_word(const char **names, char word[16])
{
    const char *at = *names;
    size_t length = 0;
    while (*at && !tw_is_letter(*at))
        at++;
    for (bool first = true; tw_is_letter(*at); at++, first = false) {
        bool capital = *at < 'a';
        if (capital && !first && at[-1] >= 'a')
            break;
        if (length < 15)
            word[length++] = (char)(*at | 0x20);
    }
    word[length] = '\0';
    *names = at;
    return length;
}

/* What the words of a class or id say. */
static unsigned named_traits(const char *names)
{
    char word[16];
    unsigned traits = 0;
    size_t count = 0;
    bool header = false;
    for (; names && next_word(&names, word) > 0; count++) {
        if (bsearch(word, ASIDE_WORDS, sizeof ASIDE_WORDS / sizeof *ASIDE_WORDS,
                    sizeof *ASIDE_WORDS, by_word))
            traits |= TW_HTML_ASIDE;
        header |= strcmp(word, "header") == 0;
    }
    if (header) /* "entry-header" may have the title */
        traits |= count == 1 ? TW_HTML_ASIDE : TW_HTML_HEADER;
    return traits;
}

static unsigned role_traits(const char *role)
{
    static const struct {
        const char *role;
        unsigned traits;
    } roles[] = {
        {"main", TW_HTML_MAIN},           {"article", TW_HTML_ARTICLE},
        {"navigation", TW_HTML_ASIDE},    {"banner", TW_HTML_HEADER},
        {"menu", TW_HTML_ASIDE},          {"contentinfo", TW_HTML_ASIDE},
        {"complementary", TW_HTML_ASIDE}, {"search", TW_HTML_ASIDE},
        {"form", TW_HTML_ASIDE},          {"dialog", TW_HTML_ASIDE},
        {"alertdialog", TW_HTML_ASIDE},
    };
    for (size_t i = 0; role && i < sizeof roles / sizeof *roles; i++)
        if (tw_equal_ignoring_case(role, roles[i].role))
            return roles[i].traits;
    return 0;
}

static unsigned part_traits(const GumboElement *element)
{
    unsigned traits = KINDS[element->tag].traits | role_traits(attribute(element, "role"));
    if (element->tag != GUMBO_TAG_BODY && !(traits & (TW_HTML_MAIN | TW_HTML_ARTICLE)))
        traits |=
            named_traits(attribute(element, "class")) | named_traits(attribute(element, "id"));
    return traits;
}

static uint32_t part_name(const GumboElement *element)
{
    const char *at = attribute(element, "class");
    uint32_t hash = at ? element->tag + 1u : 0;
    for (; at && *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x01000193u;
    return hash;
}

/* ---- from the tree to blocks */

typedef struct frame {
    const GumboNode *node;
    unsigned next; /* child to visit */
    unsigned state;
    uint32_t part;
} frame;

typedef struct walker {
    tw_html_page *page;
    tw_prose prose;
    tw_html_block block; /* that grows */
    uint32_t rows, row;
    bool broken; /* a <br> was the last thing */
    frame *frames;
    size_t depth, capacity;
    int status;
} walker;

/* Ends the block, if there is anything of it. */
static void end_block(walker *on, tw_gap gap)
{
    tw_html_page *page = on->page;
    tw_html_block *block = &on->block;
    block->end = page->text.length;
    if (block->words > 0 || block->hidden) {
        if (TW_GROW(page->blocks, page->block_capacity, page->block_count + 1) != TWINSET_OK)
            on->status = TWINSET_NOMEM;
        else
            page->blocks[page->block_count++] = *block;
    }
    *block = (tw_html_block){.begin = page->text.length, .row = on->row, .kept = true};
    on->broken = false;
    tw_prose_gap(&on->prose, gap);
}

/* Words of scripts that have no spaces are taken to be two characters long. U+00A0
 * parts words, too. */
static uint32_t count_words(const char *text)
{
    uint32_t words = 0, wide = 0;
    for (bool space = true; *text; text++) {
        bool hard = text[0] == '\xC2' && text[1] == '\xA0', now = hard || tw_is_space(*text);
        words += space && !now;
        wide += (unsigned char)*text >= 0xE3 && (unsigned char)*text < 0xF0;
        space = now;
        text += hard;
    }
    return words + wide / 2;
}

static void take_text(walker *on, const char *text, unsigned state)
{
    uint32_t words = count_words(text);
    if (state & (HIDDEN | TRICK)) {
        /* Text that is not displayed must stand in the midst of some that is. */
        on->block.hidden |= words > 0 && ((state & TRICK) || ((state & TOLD) && on->block.words));
        return;
    }
    on->block.words += words;
    on->block.linked += state & LINKED ? words : 0;
    on->broken &= words == 0;
    if (state & VERBATIM)
        tw_prose_add_verbatim(&on->prose, text, strlen(text));
    else
        tw_prose_add(&on->prose, text, strlen(text));
}

static unsigned element_state(const GumboElement *element, unsigned state)
{
    const char *style = attribute(element, "style"), *colour = attribute(element, "color");
    const char *ground = attribute(element, "bgcolor");
    bool flows = KINDS[element->tag].flow == INLINE;
    unsigned own = style ? style_state(style) : 0;
    if (colour && is_white(colour))
        own |= WHITE;
    if (attribute(element, "hidden"))
        own |= HIDDEN;
    if (ground && !is_white(ground))
        own |= GROUND;
    if (attribute(element, "class") || attribute(element, "id"))
        own |= NAMED;
    /* A style sheet may give a ground to what has a name, and so to all in it. */
    if ((own & WHITE) && !((own | state) & (GROUND | LINKED | NAMED)))
        own |= TRICK;
    /* Programs let whole blocks fade in. */
    if ((own & FADED) && flows)
        own |= TRICK;
    if ((own & HIDDEN) && !(state & HIDDEN) && flows)
        own |= TOLD;
    if (element->tag == GUMBO_TAG_A && attribute(element, "href"))
        own |= LINKED;
    if (element->tag == GUMBO_TAG_PRE || element->tag == GUMBO_TAG_LISTING)
        own |= VERBATIM;
    return state | own;
}

static void begin_part(walker *on, const GumboElement *element, frame *now)
{
    tw_html_page *page = on->page;
    if (TW_GROW(page->parts, page->part_capacity, page->part_count + 1) != TWINSET_OK) {
        on->status = TWINSET_NOMEM;
        return;
    }
    page->parts[page->part_count] = (tw_html_part){
        .parent = now->part,
        .first = (uint32_t)page->block_count,
        .name = part_name(element),
        .traits = part_traits(element),
    };
    now->part = (uint32_t)page->part_count++;
}

static tw_gap gap_of(unsigned flow)
{
    return flow == BLOCK ? TW_GAP_BLOCK : flow == CELL ? TW_GAP_CELL : TW_GAP_LINE;
}

static void take_break(walker *on)
{
    if (on->broken)
        end_block(on, TW_GAP_BLOCK);
    else
        tw_prose_gap(&on->prose, TW_GAP_LINE);
    on->broken = true;
}

static void begin_element(walker *on, const GumboElement *element, frame *now)
{
    const kind *its = &KINDS[element->tag];
    bool was_linked = now->state & LINKED;
    now->state = element_state(element, now->state);
    if (its->flow == BREAK) {
        take_break(on);
        return;
    }
    if (its->flow != INLINE)
        end_block(on, gap_of(its->flow));
    on->prose.quoted += element->tag == GUMBO_TAG_BLOCKQUOTE;
    if (its->flow == ROW)
        on->row = ++on->rows;
    if (its->flow == CELL || its->flow == ROW)
        on->block.row = on->row;
    if (its->part)
        begin_part(on, element, now);
    if (element->tag >= GUMBO_TAG_H1 && element->tag <= GUMBO_TAG_H6)
        on->block.heading = (uint8_t)(element->tag - GUMBO_TAG_H1 + 1);
    on->block.links += !was_linked && (now->state & LINKED);
}

static void end_element(walker *on, const frame *now)
{
    const kind *its = &KINDS[now->node->v.element.tag];
    if (its->flow == INLINE || its->flow == BREAK)
        return;
    if (its->flow == ROW || now->node->v.element.tag == GUMBO_TAG_TABLE)
        on->row = 0;
    end_block(on, gap_of(its->flow));
    on->prose.quoted -= now->node->v.element.tag == GUMBO_TAG_BLOCKQUOTE;
    if (its->part)
        on->page->parts[now->part].end = (uint32_t)on->page->block_count;
}

static void push(walker *on, const GumboNode *node, unsigned state, uint32_t part)
{
    if (TW_GROW(on->frames, on->capacity, on->depth + 1) != TWINSET_OK) {
        on->status = TWINSET_NOMEM;
        return;
    }
    frame *added = &on->frames[on->depth++];
    *added = (frame){.node = node, .state = state, .part = part};
    begin_element(on, &node->v.element, added);
}

static void visit(walker *on, frame *now)
{
    const GumboNode *child = now->node->v.element.children.data[now->next++];
    if (child->type == GUMBO_NODE_ELEMENT)
        push(on, child, now->state, now->part);
    else if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_WHITESPACE ||
             child->type == GUMBO_NODE_CDATA)
        take_text(on, child->v.text.text, now->state);
}

/* Makes the blocks and parts of a page. */
static int read_blocks(tw_html_page *page, const GumboNode *root, bool marks_quotes)
{
    walker on = {
        .page = page,
        .prose = {.text = &page->text, .marks_quotes = marks_quotes},
        .block.kept = true,
    };
    if (TW_GROW(page->parts, page->part_capacity, 1) != TWINSET_OK ||
        tw_bytes_reserve(&page->text, 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    page->parts[page->part_count++] = (tw_html_part){.traits = TW_HTML_BOX};
    push(&on, root, 0, 0);
    while (on.depth > 0 && on.status == TWINSET_OK) {
        frame *top = &on.frames[on.depth - 1];
        if (top->next < top->node->v.element.children.length) {
            visit(&on, top);
        } else {
            end_element(&on, top);
            on.depth--;
        }
    }
    end_block(&on, TW_GAP_NONE);
    page->parts[0].end = (uint32_t)page->block_count;
    tw_free(on.frames);
    return on.status != TWINSET_OK ? on.status : on.prose.status;
}

static void page_free(tw_html_page *page)
{
    tw_bytes_free(&page->text);
    tw_free(page->blocks);
    tw_free(page->parts);
}

/* ---- the encoding that the page declares, in its first bytes */

enum { DECLARATION_BYTES = 4096, NAME_BYTES = 40 };

/* What stands behind `word` = , in quotes or without. */
static bool value_after(const char *at, const char *end, const char *word, char name[NAME_BYTES])
{
    at += strlen(word);
    while (at < end && tw_is_space(*at))
        at++;
    if (at == end || *at++ != '=')
        return false;
    while (at < end && (tw_is_space(*at) || *at == '"' || *at == '\''))
        at++;
    size_t length = 0;
    while (at < end && length + 1 < NAME_BYTES && (tw_is_alnum(*at) || strchr("-_:.+", *at)))
        name[length++] = *at++;
    name[length] = '\0';
    return length > 0;
}

static bool find_charset(const char *bytes, size_t length, char name[NAME_BYTES])
{
    const char *end = bytes + (length < DECLARATION_BYTES ? length : DECLARATION_BYTES);
    bool xml = length > 5 && memcmp(bytes, "<?xml", 5) == 0, meta = false;
    for (const char *at = bytes; at < end; at++) {
        size_t left = (size_t)(end - at);
        if (*at == '>')
            xml = meta = false;
        else if (left > 5 && tw_starts_ignoring_case(at, "<meta"))
            meta = true;
        else if ((meta && left > 7 && tw_starts_ignoring_case(at, "charset") &&
                  value_after(at, end, "charset", name)) ||
                 (xml && left > 8 && tw_starts_ignoring_case(at, "encoding") &&
                  value_after(at, end, "encoding", name)))
            return !tw_starts_ignoring_case(name, "utf-16"); /* or it could not have been read */
    }
    return false;
}

/* ---- the converter */

static int write_blocks(const tw_html_page *page, const tw_material *from, tw_converted *to)
{
    size_t start = to->text.length;
    for (size_t i = 0; i < page->block_count; i++) {
        const tw_html_block *block = &page->blocks[i];
        if (!block->kept)
            continue;
        const char *text = page->text.data + block->begin;
        size_t length = block->end - block->begin;
        while (to->text.length == start && length > 0 && tw_is_space(*text))
            text++, length--;
        if (length > 0 && tw_bytes_append(&to->text, text, length) != TWINSET_OK)
            return TWINSET_NOMEM;
        if (block->hidden)
            to->flags |= TWINSET_FLAG_HIDDEN_TEXT;
    }
    tw_prose prose = {.text = &to->text, .start = start};
    return tw_prose_end(&prose, from, to);
}

static int convert_tree(const tw_material *from, const GumboNode *root, tw_converted *to)
{
    tw_html_page page = {0};
    int status = read_blocks(&page, root, tw_marks_quotes(from));
    if (status == TWINSET_OK &&
        !(from->rules && from->rules->html_boilerplate == TWINSET_BOILERPLATE_KEEP))
        status = tw_html_select(&page);
    if (status == TWINSET_OK)
        status = write_blocks(&page, from, to);
    page_free(&page);
    return status;
}

static int convert_tidy(const tw_material *from, const tw_bytes *source, tw_converted *to)
{
    arena in = {.most = MEMORY_AT_LEAST + source->length * MEMORY_PER_BYTE};
    const GumboOutput *output = parse(&in, source);
    int status = output ? convert_tree(from, output->root, to)
                 : in.status == TWINSET_IO
                     ? tw_refuse(to, "damaged: too many elements are never closed")
                     : TWINSET_NOMEM;
    arena_free(&in);
    return status;
}

static int convert(const tw_material *from, tw_converted *to)
{
    char charset[NAME_BYTES];
    tw_bytes source = {0}, tidy = {0};
    bool declared = find_charset(from->bytes, from->length, charset);
    int status = from->length > SOURCE_LIMIT
                     ? tw_refuse(to, "HTML of more than 1 GB")
                     : tw_prose_decode(from, declared ? charset : NULL, &source, to);
    if (status == TWINSET_OK) {
        status = tw_html_tidy(source.data, source.length, &tidy);
        if (status == TWINSET_IO)
            status = tw_refuse(to, "HTML that is nested too deeply");
    }
    tw_bytes_free(&source);
    if (status == TWINSET_OK)
        status = convert_tidy(from, &tidy, to);
    tw_bytes_free(&tidy);
    return status;
}

#define UTF8_MARK "\xEF\xBB\xBF"

static bool begins(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) >= strlen(word) && tw_starts_ignoring_case(at, word);
}

/* The place after the mark that ends something, then white space; the end: there is none. */
static const char *pass(const char *at, const char *end, const char *mark)
{
    while (at < end && !begins(at, end, mark))
        at++;
    at = at < end ? at + strlen(mark) : end;
    while (at < end && tw_is_space(*at))
        at++;
    return at;
}

/* Whether these bytes begin so, after white space and comments. A text on HTML may as well
 * begin with its first line, but no tag follows then. */
static bool looks_like(const char *head, size_t length)
{
    const char *end = head + length,
               *at = pass(head, end, begins(head, end, UTF8_MARK) ? UTF8_MARK : "");
    while (begins(at, end, "<!--") || begins(at, end, "<?xml"))
        at = pass(at, end, at[1] == '!' ? "-->" : ">");
    if (begins(at, end, "<!doctype html") && end - at > 14 &&
        (tw_is_space(at[14]) || at[14] == '>')) {
        at = pass(at, end, ">");
        return at < end && *at == '<';
    }
    return begins(at, end, "<html") && end - at > 5 &&
           (tw_is_space(at[5]) || at[5] == '>' || at[5] == '/');
}

const tw_converter tw_convert_html = {
    .kind = "html",
    .endings = "html htm xhtml xht",
    .looks_like = looks_like,
    .convert = convert,
};
