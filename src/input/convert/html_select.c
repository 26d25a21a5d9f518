/*
 * Decides which blocks are the text of a page, by three kinds of evidence, the surest first:
 *
 * 1. What elements are said to be: navigation, advertising, a footer; or the main text, and then
 *    nothing else is text. A statement that would remove most of the page is not believed.
 * 2. Where the prose is: blocks of a dozen words or more with few links. The smallest box with
 *    most of it is the main one. Before and after it, prose of some length, and elements of the
 *    same kind as the box, belong to it, and so does everything between them.
 * 3. Lists of links, notices of rights and cookies around the prose, and short blocks between
 *    things that were left out.
 *
 * Nothing is left out for being short alone, so that essays, lists and tables come out whole.
 * Where next to nothing would stay, everything does. The time is linear in blocks and elements.
 */
#include "convert/html.h"

#include <string.h>

enum {
    PROSE_WORDS = 12,    /* words of a block of prose, at least */
    PROSE_AT_LEAST = 40, /* words of prose in a page; with fewer, it is not known where it is */
    TEXT_AT_LEAST = 80,  /* words of prose that are text wherever they stand */
    ROW_WORDS = 60,      /* words of a table row that is judged as one block, at most */
    LEFT_AT_LEAST = 25,  /* words that must stay */
    NOTICE_WORDS = 60,   /* words of a notice, at most */
    RIGHTS_WORDS = 25,   /* words of a notice without a link, at most */
    SHORT_WORDS = 40,    /* words of a run of short blocks, at most */
    LIST_LINKS = 3,      /* links of a list of links, at least */
    SAID_TO_BE_TEXT = TW_HTML_MAIN | TW_HTML_ARTICLE,
};

/* What a range of blocks has, counted over those that are still kept. */
typedef struct sums {
    uint32_t words, linked_words, links, prose, headings;
} sums;

typedef struct block_selection {
    tw_html_page *page;
    sums *before; /* what is before each block, and before the end */
} block_selection;

static bool contains(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (tw_bytes_equal_ignoring_case(text + i, word, size))
            return true;
    return false;
}

/* Whether a block speaks, in a few words, of rights; or, with a link, of cookies and the like. */
static bool is_notice(const tw_html_page *page, const tw_html_block *block)
{
    static const char *const words[] = {
        "\xC2\xA9",  "copyright", "all rights reserved", "cookie",  "privacy", "terms of",
        "advertise", "sponsored", "newsletter",          "sign up", "log in",  "javascript",
    };
    enum { RIGHTS = 3, ALL = sizeof words / sizeof *words };
    size_t count = block->words > NOTICE_WORDS ? 0 : block->links > 0 ? ALL : RIGHTS;
    if (block->links == 0 && block->words > RIGHTS_WORDS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (contains(page->text.data + block->begin, block->end - block->begin, words[i]))
            return true;
    return false;
}

static void mark_notices(const block_selection *in)
{
    for (size_t i = 0; i < in->page->block_count; i++)
        in->page->blocks[i].is_notice = is_notice(in->page, &in->page->blocks[i]);
}

/* The words of prose in a block. Linked words count against it: text has few of them, advertising
 * and footers have some. */
static uint32_t prose_of(const tw_html_block *block)
{
    bool prose = block->words >= PROSE_WORDS && block->linked_words * 3ull <= block->words;
    return prose && !block->is_notice ? block->words - 2 * block->linked_words : 0;
}

/* Computes the sums anew, after blocks were dropped. */
static void sum_up(const block_selection *in)
{
    for (size_t i = 0; i < in->page->block_count; i++) {
        const tw_html_block *block = &in->page->blocks[i];
        sums *now = &in->before[i + 1];
        *now = in->before[i];
        if (!block->kept)
            continue;
        now->words += block->words;
        now->linked_words += block->linked_words;
        now->links += block->links;
        now->prose += prose_of(block);
        now->headings += block->heading > 0;
    }
}

static sums sums_of(const block_selection *in, size_t first, size_t end)
{
    const sums *a = &in->before[first], *b = &in->before[end];
    return (sums){b->words - a->words, b->linked_words - a->linked_words, b->links - a->links,
                  b->prose - a->prose, b->headings - a->headings};
}

static sums sums_of_element(const block_selection *in, const tw_html_element *element)
{
    return sums_of(in, element->first, element->end);
}

static sums sums_of_page(const block_selection *in)
{
    return sums_of_element(in, &in->page->elements[0]);
}

static void keep(const block_selection *in, size_t first, size_t end, bool kept)
{
    for (size_t i = first; i < end; i++)
        in->page->blocks[i].kept = kept;
}

/* ---- 1. what elements are said to be */

static bool is_aside(const block_selection *in, const tw_html_element *element, bool in_text)
{
    sums own = sums_of_element(in, element);
    if ((uint64_t)own.words * 2 > sums_of_page(in).words)
        return false;
    if (element->traits & TW_HTML_ASIDE)
        return true;
    return (element->traits & TW_HTML_HEADER) && !in_text && (own.links > 0 || own.headings == 0);
}

/* Drops what is said to stand beside the text. An element in the text is text, too, which is
 * known in time, since parents come first. */
static void drop_asides(const block_selection *in)
{
    tw_html_page *page = in->page;
    for (size_t i = 1; i < page->element_count; i++) {
        tw_html_element *element = &page->elements[i];
        const tw_html_element *parent = &page->elements[element->parent];
        element->dropped =
            parent->dropped || is_aside(in, element, parent->traits & SAID_TO_BE_TEXT);
        if (element->dropped && !parent->dropped)
            keep(in, element->first, element->end, false);
        element->traits |= parent->traits & SAID_TO_BE_TEXT;
    }
    sum_up(in);
}

/* Whether an element has a trait that its parent does not have. */
static bool is_root(const tw_html_page *page, const tw_html_element *element, unsigned trait)
{
    return (element->traits & trait) && !(page->elements[element->parent].traits & trait);
}

static sums sums_of_trait(const block_selection *in, unsigned trait)
{
    const tw_html_page *page = in->page;
    sums all = {0};
    for (size_t i = 1; i < page->element_count; i++)
        if (is_root(page, &page->elements[i], trait)) {
            sums own = sums_of_element(in, &page->elements[i]);
            all.words += own.words;
            all.prose += own.prose;
        }
    return all;
}

/* Keeps the title of a text from `first` to `end` that has no h1 itself: the last h1 before it. */
static void keep_title(const block_selection *in, size_t first, size_t end)
{
    tw_html_block *blocks = in->page->blocks;
    size_t title = first;
    for (size_t i = first; i < end; i++)
        if (blocks[i].kept && blocks[i].heading == 1)
            return;
    while (title > 0 && !(blocks[title - 1].heading == 1 && blocks[title - 1].links == 0 &&
                          sums_of(in, title - 1, title).headings))
        title--;
    if (title > 0)
        blocks[title - 1].kept = true;
}

/* Drops all but what is said to be the text, if that holds enough; returns whether it did. */
static bool take_main(const block_selection *in)
{
    tw_html_page *page = in->page;
    sums all = sums_of_page(in), chosen = sums_of_trait(in, TW_HTML_ARTICLE);
    sums main = sums_of_trait(in, TW_HTML_MAIN);
    unsigned trait = TW_HTML_ARTICLE;
    if ((uint64_t)chosen.prose * 2 < main.prose || chosen.words == 0) {
        trait = TW_HTML_MAIN;
        chosen = main;
    }
    bool most = (uint64_t)chosen.words * 2 >= all.words;
    bool prose = chosen.prose >= PROSE_AT_LEAST && (uint64_t)chosen.prose * 5 >= all.prose * 2ull;
    if (chosen.words < LEFT_AT_LEAST || !(most || prose))
        return false;
    size_t begin = page->block_count, end = 0;
    for (size_t i = 1; i < page->element_count; i++)
        if (is_root(page, &page->elements[i], trait)) {
            begin = begin < page->elements[i].first ? begin : page->elements[i].first;
            keep(in, end, page->elements[i].first, false);
            end = page->elements[i].end;
        }
    keep(in, end, page->block_count, false);
    keep_title(in, begin, end);
    sum_up(in);
    return true;
}

/* ---- 2. where the prose is */

/* The smallest box with more than half of the prose, and of all words outside links; 0: there is
 * none. Such boxes are nested in each other, so the last is the smallest. */
static uint32_t find_main_box(const block_selection *in)
{
    const tw_html_page *page = in->page;
    sums all = sums_of_page(in);
    uint32_t found = 0;
    for (size_t i = 1; i < page->element_count; i++) {
        const tw_html_element *element = &page->elements[i];
        sums own = sums_of_element(in, element);
        if ((element->traits & TW_HTML_BOX) && element->end - element->first >= 2 &&
            own.prose * 2ull > all.prose &&
            (own.words - own.linked_words) * 2ull > all.words - all.linked_words)
            found = (uint32_t)i;
    }
    return found;
}

/* Whether an element beside the main box is text as well. `sibling` holds the box. */
static bool is_more_text(const block_selection *in, const tw_html_element *element,
                         const tw_html_element *sibling)
{
    sums own = sums_of_element(in, element), main = sums_of_element(in, sibling);
    if (element->kind && element->kind == sibling->kind && own.linked_words * 3ull <= own.words)
        return own.prose > 0;
    return own.linked_words * 8ull <= own.words &&
           (own.prose >= TEXT_AT_LEAST ||
            (own.prose >= PROSE_AT_LEAST && own.prose * 4ull >= main.prose));
}

typedef struct range {
    size_t first, end;
} range;

static void extend(range *text, size_t first, size_t end)
{
    text->first = first < text->first ? first : text->first;
    text->end = end > text->end ? end : text->end;
}

/* Extends the text to blocks of prose that are in no element of their own. */
static void extend_by_blocks(const block_selection *in, range *text, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const tw_html_block *block = &in->page->blocks[i];
        if (block->kept && prose_of(block) > 0 && block->links == 0)
            extend(text, i, i + 1);
    }
}

/* Finds the blocks from the first to the last that are text, given the main box. It looks at the
 * siblings of the box, and of all that hold it. */
static range find_text_around(const block_selection *in, uint32_t box)
{
    tw_html_element *elements = in->page->elements;
    range text = {elements[box].first, elements[box].end};
    size_t done = 0;
    for (uint32_t element = box; element != 0; element = elements[element].parent)
        elements[elements[element].parent].way_down = element;
    for (uint32_t i = 1; i < in->page->element_count; i++) {
        uint32_t sibling = elements[elements[i].parent].way_down;
        if (sibling == 0 || (sibling == i && i != box))
            continue;
        extend_by_blocks(in, &text, done, elements[i].first);
        if (i != box && is_more_text(in, &elements[i], &elements[sibling]))
            extend(&text, elements[i].first, elements[i].end);
        done = elements[i].end;
    }
    extend_by_blocks(in, &text, done, in->page->block_count);
    return text;
}

/* Drops all but the text around the main box, with the headings right before it. */
static void take_box(const block_selection *in)
{
    tw_html_block *blocks = in->page->blocks;
    uint32_t box = find_main_box(in);
    if (sums_of_page(in).prose < PROSE_AT_LEAST || box == 0)
        return;
    range text = find_text_around(in, box);
    while (text.first > 0 && blocks[text.first - 1].heading && blocks[text.first - 1].links == 0)
        text.first--;
    keep(in, 0, text.first, false);
    keep(in, text.end, in->page->block_count, false);
    keep_title(in, text.first, text.end);
    sum_up(in);
}

/* ---- 3. links, notices, neighbours */

static bool is_list_of_links(const block_selection *in, sums own)
{
    return own.links >= LIST_LINKS && own.linked_words * 2ull > own.words &&
           own.words * 2ull <= sums_of_page(in).words;
}

/* The end of what is judged as one: a table row of short cells that starts with this block, and
 * otherwise the block alone. */
static size_t find_unit_end(const block_selection *in, size_t first)
{
    const tw_html_page *page = in->page;
    uint32_t row = page->blocks[first].row;
    size_t end = first + 1;
    while (row && end < page->block_count && page->blocks[end].row == row)
        end++;
    return sums_of(in, first, end).words <= ROW_WORDS ? end : first + 1;
}

static void drop_lists_of_links(const block_selection *in)
{
    tw_html_page *page = in->page;
    for (size_t i = 1; i < page->element_count; i++) {
        tw_html_element *element = &page->elements[i];
        sums own = sums_of_element(in, element);
        bool in_dropped = page->elements[element->parent].dropped;
        element->dropped = in_dropped || (own.prose == 0 && is_list_of_links(in, own));
        if (element->dropped && !in_dropped)
            keep(in, element->first, element->end, false);
    }
    for (size_t i = 0, end; i < page->block_count; i = end) {
        end = find_unit_end(in, i);
        if (is_list_of_links(in, sums_of(in, i, end)))
            keep(in, i, end, false);
    }
    sum_up(in);
}

/* Drops notices that stand before all prose, or after nearly all of it. What follows such a last
 * one goes with it if it has links or is short. */
static void drop_notices(const block_selection *in)
{
    tw_html_page *page = in->page;
    uint64_t all = sums_of_page(in).prose;
    bool ends = false;
    for (size_t i = 0; i < page->block_count; i++) {
        tw_html_block *block = &page->blocks[i];
        bool first = in->before[i].prose == 0;
        bool last = !first && (all - in->before[i + 1].prose) * 5 <= all;
        bool notice = (first || last) && block->kept && block->is_notice && block->heading != 1;
        if (notice || (ends && (block->links > 0 || block->words < PROSE_WORDS)))
            block->kept = false;
        ends |= notice && last;
    }
    sum_up(in);
}

/* Drops runs of short blocks between things that were dropped, or between one and the edge of the
 * page. */
static void drop_short_runs(const block_selection *in)
{
    const tw_html_page *page = in->page;
    bool after_dropped = false;
    for (size_t i = 0, end; i < page->block_count; i = end + 1) {
        for (end = i; end < page->block_count && page->blocks[end].kept;)
            end++;
        sums run = sums_of(in, i, end);
        bool is_whole_page = end == page->block_count && !after_dropped;
        if (!is_whole_page && run.prose == 0 && run.words <= SHORT_WORDS)
            keep(in, i, end, false);
        after_dropped = true;
    }
}

/* ---- the selection */

static bool is_next_to_nothing(sums left, sums all)
{
    return left.words < LEFT_AT_LEAST ||
           (left.words * 10ull < all.words && left.prose < 2 * LEFT_AT_LEAST);
}

int tw_html_select(tw_html_page *page)
{
    block_selection in = {page, tw_calloc(page->block_count + 1, sizeof *in.before)};
    if (!in.before)
        return TWINSET_NOMEM;
    mark_notices(&in);
    sum_up(&in);
    sums all = sums_of_page(&in);
    drop_asides(&in);
    if (!take_main(&in))
        take_box(&in);
    drop_lists_of_links(&in);
    drop_notices(&in);
    drop_short_runs(&in);
    sum_up(&in);
    if (is_next_to_nothing(sums_of_page(&in), all))
        keep(&in, 0, page->block_count, true);
    tw_free(in.before);
    return TWINSET_OK;
}
