/*
 * Walks the tree of a page and makes the blocks of text that a reader sees, in one pass and on a
 * stack of its own. A block ends where an element begins or ends that does not flow in a line.
 */
#include <string.h>

#include "convert/html.h"
#include "convert/prose_writer.h"

/* ---- tags */

/* How an element flows: within a line, or on lines of its own with a gap of this kind. */
enum { INLINE, LINE, BLOCK, CELL, ROW, BREAK };

typedef struct tag_rule {
    unsigned char flow;   /* INLINE where nothing is said */
    unsigned char traits; /* TW_HTML_* */
    bool is_kept;         /* becomes a tw_html_element */
} tag_rule;

#define HOLDER(flow, traits)                                                                       \
    {                                                                                              \
        flow, traits, true                                                                         \
    }
static const tag_rule TAGS[GUMBO_TAG_LAST + 1] = {
    [GUMBO_TAG_ARTICLE] = HOLDER(BLOCK, TW_HTML_ARTICLE | TW_HTML_BOX),
    [GUMBO_TAG_MAIN] = HOLDER(BLOCK, TW_HTML_MAIN | TW_HTML_BOX),
    [GUMBO_TAG_SECTION] = HOLDER(BLOCK, TW_HTML_BOX),
    [GUMBO_TAG_BODY] = HOLDER(BLOCK, TW_HTML_BOX),
    [GUMBO_TAG_DIV] = HOLDER(LINE, TW_HTML_BOX),
    [GUMBO_TAG_CENTER] = HOLDER(LINE, TW_HTML_BOX),
    [GUMBO_TAG_TABLE] = HOLDER(BLOCK, TW_HTML_BOX),
    [GUMBO_TAG_TD] = HOLDER(CELL, TW_HTML_BOX),
    [GUMBO_TAG_TH] = HOLDER(CELL, 0),
    [GUMBO_TAG_NAV] = HOLDER(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_ASIDE] = HOLDER(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_FOOTER] = HOLDER(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_MENU] = HOLDER(BLOCK, TW_HTML_ASIDE),
    [GUMBO_TAG_HEADER] = HOLDER(BLOCK, TW_HTML_HEADER),
    [GUMBO_TAG_UL] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_OL] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_DL] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_DIR] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_BLOCKQUOTE] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_FIGURE] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_DETAILS] = HOLDER(BLOCK, 0),
    [GUMBO_TAG_FIELDSET] = HOLDER(BLOCK, 0),
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

static tw_gap gap_of(unsigned flow)
{
    return flow == BLOCK ? TW_GAP_BLOCK : flow == CELL ? TW_GAP_CELL : TW_GAP_LINE;
}

/* ---- the walk */

/* An element that the walk is in. */
typedef struct frame {
    const GumboNode *node;
    unsigned next_child;
    unsigned display; /* TW_HTML_HIDDEN and the like */
    uint32_t element; /* the index of the innermost tw_html_element */
} frame;

typedef struct tree_walker {
    tw_html_page *page;
    tw_prose prose;
    tw_html_block block; /* the one that grows */
    uint32_t row_count, row;
    bool after_break; /* a <br> was the last thing */
    frame *frames;
    size_t depth, capacity;
    int status;
} tree_walker;

/* Ends the block, and adds it to the page if there is anything of it. */
static void end_block(tree_walker *walk, tw_gap gap)
{
    tw_html_page *page = walk->page;
    tw_html_block *block = &walk->block;
    block->end = page->text.length;
    if (block->words > 0 || block->has_hidden) {
        if (TW_GROW(page->blocks, page->block_capacity, page->block_count + 1) != TWINSET_OK)
            walk->status = TWINSET_NOMEM;
        else
            page->blocks[page->block_count++] = *block;
    }
    *block = (tw_html_block){.begin = page->text.length, .row = walk->row, .kept = true};
    walk->after_break = false;
    tw_prose_gap(&walk->prose, gap);
}

/* Counts words. U+00A0 separates them, too. In scripts that have no spaces, a word is taken to be
 * two characters long. */
static uint32_t count_words(const char *text)
{
    uint32_t words = 0, wide = 0;
    for (bool after_space = true; *text; text++) {
        bool is_hard = text[0] == '\xC2' && text[1] == '\xA0';
        bool is_space = is_hard || tw_is_space(*text);
        words += after_space && !is_space;
        wide += (unsigned char)*text >= 0xE3 && (unsigned char)*text < 0xF0;
        after_space = is_space;
        text += is_hard;
    }
    return words + wide / 2;
}

static void take_text(tree_walker *walk, const char *text, unsigned display)
{
    uint32_t words = count_words(text);
    tw_html_block *block = &walk->block;
    if (display & (TW_HTML_HIDDEN | TW_HTML_TRICK)) {
        bool tricks = (display & TW_HTML_TRICK) || ((display & TW_HTML_MIDST) && block->words);
        block->has_hidden |= words > 0 && tricks;
        return;
    }
    block->words += words;
    block->linked_words += display & TW_HTML_LINKED ? words : 0;
    walk->after_break &= words == 0;
    if (display & TW_HTML_VERBATIM)
        tw_prose_add_verbatim(&walk->prose, text, strlen(text));
    else
        tw_prose_add(&walk->prose, text, strlen(text));
}

/* A hash of the tag and the class, by which elements of one kind are recognised. */
static uint32_t hash_kind(const GumboElement *element)
{
    const char *at = tw_html_attribute(element, "class");
    uint32_t hash = at ? element->tag + 1u : 0;
    for (; at && *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x01000193u;
    return hash;
}

static void add_element(tree_walker *walk, const GumboElement *element, frame *now)
{
    tw_html_page *page = walk->page;
    if (TW_GROW(page->elements, page->element_capacity, page->element_count + 1) != TWINSET_OK) {
        walk->status = TWINSET_NOMEM;
        return;
    }
    page->elements[page->element_count] = (tw_html_element){
        .parent = now->element,
        .first = (uint32_t)page->block_count,
        .kind = hash_kind(element),
        .traits = tw_html_traits(element, TAGS[element->tag].traits),
    };
    now->element = (uint32_t)page->element_count++;
}

/* One <br> ends a line, two in a row a block. */
static void take_break(tree_walker *walk)
{
    if (walk->after_break)
        end_block(walk, TW_GAP_BLOCK);
    else
        tw_prose_gap(&walk->prose, TW_GAP_LINE);
    walk->after_break = true;
}

static void begin_element(tree_walker *walk, const GumboElement *element, frame *now)
{
    const tag_rule *rule = &TAGS[element->tag];
    bool was_linked = now->display & TW_HTML_LINKED;
    now->display = tw_html_display(element, now->display, rule->flow == INLINE);
    if (rule->flow == BREAK) {
        take_break(walk);
        return;
    }
    if (rule->flow != INLINE)
        end_block(walk, gap_of(rule->flow));
    walk->prose.quoted += element->tag == GUMBO_TAG_BLOCKQUOTE;
    if (rule->flow == ROW)
        walk->row = ++walk->row_count;
    if (rule->flow == CELL || rule->flow == ROW)
        walk->block.row = walk->row;
    if (rule->is_kept)
        add_element(walk, element, now);
    if (element->tag >= GUMBO_TAG_H1 && element->tag <= GUMBO_TAG_H6)
        walk->block.heading = (uint8_t)(element->tag - GUMBO_TAG_H1 + 1);
    walk->block.links += !was_linked && (now->display & TW_HTML_LINKED);
}

static void end_element(tree_walker *walk, const frame *now)
{
    GumboTag tag = now->node->v.element.tag;
    const tag_rule *rule = &TAGS[tag];
    if (rule->flow == INLINE || rule->flow == BREAK)
        return;
    if (rule->flow == ROW || tag == GUMBO_TAG_TABLE)
        walk->row = 0;
    end_block(walk, gap_of(rule->flow));
    walk->prose.quoted -= tag == GUMBO_TAG_BLOCKQUOTE;
    if (rule->is_kept)
        walk->page->elements[now->element].end = (uint32_t)walk->page->block_count;
}

static void push(tree_walker *walk, const GumboNode *node, unsigned display, uint32_t element)
{
    if (TW_GROW(walk->frames, walk->capacity, walk->depth + 1) != TWINSET_OK) {
        walk->status = TWINSET_NOMEM;
        return;
    }
    frame *added = &walk->frames[walk->depth++];
    *added = (frame){.node = node, .display = display, .element = element};
    begin_element(walk, &node->v.element, added);
}

static void visit_child(tree_walker *walk, frame *now)
{
    const GumboNode *child = now->node->v.element.children.data[now->next_child++];
    if (child->type == GUMBO_NODE_ELEMENT)
        push(walk, child, now->display, now->element);
    else if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_WHITESPACE ||
             child->type == GUMBO_NODE_CDATA)
        take_text(walk, child->v.text.text, now->display);
}

int tw_html_read_blocks(const GumboNode *root, bool marks_quotations, tw_html_page *page)
{
    tree_walker walk = {
        .page = page,
        .prose = {.text = &page->text, .marks_quotations = marks_quotations},
        .block.kept = true,
    };
    if (TW_GROW(page->elements, page->element_capacity, 1) != TWINSET_OK ||
        tw_bytes_reserve(&page->text, 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    page->elements[page->element_count++] = (tw_html_element){.traits = TW_HTML_BOX};
    push(&walk, root, 0, 0);
    while (walk.depth > 0 && walk.status == TWINSET_OK) {
        frame *top = &walk.frames[walk.depth - 1];
        if (top->next_child < top->node->v.element.children.length) {
            visit_child(&walk, top);
        } else {
            end_element(&walk, top);
            walk.depth--;
        }
    }
    end_block(&walk, TW_GAP_NONE);
    page->elements[0].end = (uint32_t)page->block_count;
    tw_free(walk.frames);
    return walk.status != TWINSET_OK ? walk.status : walk.prose.status;
}

void tw_html_page_free(tw_html_page *page)
{
    tw_bytes_free(&page->text);
    tw_free(page->blocks);
    tw_free(page->elements);
}
