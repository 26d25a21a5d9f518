/*
 * Which blocks are the text of a page. Three kinds of evidence, from the surest on:
 *
 * 1. What elements are said to be: navigation, advertising, a footer; or the main text, which
 *    then is all there is. A saying that would take most of the page is not believed.
 * 2. Where the prose is: blocks of a dozen words or more with few links. The smallest box with
 *    most of it is the main one; before and after it, what is prose of some length or of one
 *    kind with the box belongs to it, and so does all between.
 * 3. Lists of links, notices of rights and cookies around the prose, and short blocks between
 *    things that were left out.
 *
 * Nothing is left out for being short alone, so that essays, lists and tables come out whole;
 * and where next to nothing would stay, everything does. Linear in the blocks and elements.
 */
#include "convert/html.h"

#include <string.h>

enum {
    PROSE_WORDS = 12,    /* of a block that counts as prose */
    PROSE_AT_LEAST = 40, /* of a page, to tell where it is */
    TEXT_AT_LEAST = 80,  /* words of prose that are text wherever they stand */
    ROW_WORDS = 60,      /* up to which a row of a table is one thing */
    LEFT_AT_LEAST = 25,  /* words that must stay */
    NOTICE_WORDS = 60,   /* of a notice, at most */
    RIGHTS_WORDS = 25,   /* of one without a link */
    SHORT_WORDS = 40,    /* of a run of short blocks, at most */
    LIST_LINKS = 3,      /* of a list of links, at least */
    SAID_TO_BE_TEXT = TW_HTML_MAIN | TW_HTML_ARTICLE,
};

/* Of the blocks that are still kept, before each and after the last. */
typedef struct sums {
    uint32_t words, linked, links, prose, headings;
} sums;

typedef struct selection {
    tw_html_page *page;
    sums *before; /* one more than there are blocks */
} selection;

static bool contains(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (tw_bytes_equal_ignoring_case(text + i, word, size))
            return true;
    return false;
}

/* Whether it speaks, in a few words, of rights; or, with a link, of cookies and the like. */
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

static void note_notices(const selection *on)
{
    for (size_t i = 0; i < on->page->block_count; i++)
        on->page->blocks[i].notice = is_notice(on->page, &on->page->blocks[i]);
}

/* Linked words count against a block: text has few, advertising and footers have some. */
static uint32_t prose_of(const tw_html_block *block)
{
    bool prose = block->words >= PROSE_WORDS && block->linked * 3ull <= block->words;
    return prose && !block->notice ? block->words - 2 * block->linked : 0;
}

static void sum_up(const selection *on)
{
    for (size_t i = 0; i < on->page->block_count; i++) {
        const tw_html_block *block = &on->page->blocks[i];
        sums *now = &on->before[i + 1];
        *now = on->before[i];
        if (!block->kept)
            continue;
        now->words += block->words;
        now->linked += block->linked;
        now->links += block->links;
        now->prose += prose_of(block);
        now->headings += block->heading > 0;
    }
}

static sums sums_of(const selection *on, size_t first, size_t end)
{
    const sums *a = &on->before[first], *b = &on->before[end];
    return (sums){b->words - a->words, b->linked - a->linked, b->links - a->links,
                  b->prose - a->prose, b->headings - a->headings};
}

static sums sums_of_part(const selection *on, const tw_html_part *part)
{
    return sums_of(on, part->first, part->end);
}

static sums sums_of_page(const selection *on)
{
    return sums_of_part(on, &on->page->parts[0]);
}

static void keep(const selection *on, size_t first, size_t end, bool kept)
{
    for (size_t i = first; i < end; i++)
        on->page->blocks[i].kept = kept;
}

/* ---- 1. what elements are said to be */

static bool is_aside(const selection *on, const tw_html_part *part, bool in_text)
{
    sums own = sums_of_part(on, part);
    if ((uint64_t)own.words * 2 > sums_of_page(on).words)
        return false;
    if (part->traits & TW_HTML_ASIDE)
        return true;
    return (part->traits & TW_HTML_HEADER) && !in_text && (own.links > 0 || own.headings == 0);
}

/* What is inside the text is said to be text, too; parents come first. */
static void drop_asides(const selection *on)
{
    tw_html_page *page = on->page;
    for (size_t i = 1; i < page->part_count; i++) {
        tw_html_part *part = &page->parts[i];
        const tw_html_part *parent = &page->parts[part->parent];
        part->dropped = parent->dropped || is_aside(on, part, parent->traits & SAID_TO_BE_TEXT);
        if (part->dropped && !parent->dropped)
            keep(on, part->first, part->end, false);
        part->traits |= parent->traits & SAID_TO_BE_TEXT;
    }
    sum_up(on);
}

/* Whether this is an outermost part of what is said to be so. */
static bool is_root(const tw_html_page *page, const tw_html_part *part, unsigned trait)
{
    return (part->traits & trait) && !(page->parts[part->parent].traits & trait);
}

static sums sums_of_trait(const selection *on, unsigned trait)
{
    const tw_html_page *page = on->page;
    sums all = {0};
    for (size_t i = 1; i < page->part_count; i++)
        if (is_root(page, &page->parts[i], trait)) {
            sums own = sums_of_part(on, &page->parts[i]);
            all.words += own.words;
            all.prose += own.prose;
        }
    return all;
}

/* A title may stand before the text: the last heading of the first order, if the text from
 * `first` to `end` has none itself. */
static void keep_title(const selection *on, size_t first, size_t end)
{
    tw_html_block *blocks = on->page->blocks;
    size_t title = first;
    for (size_t i = first; i < end; i++)
        if (blocks[i].kept && blocks[i].heading == 1)
            return;
    while (title > 0 && !(blocks[title - 1].heading == 1 && blocks[title - 1].links == 0 &&
                          sums_of(on, title - 1, title).headings))
        title--;
    if (title > 0)
        blocks[title - 1].kept = true;
}

/* Leaves what is said to be the text alone, if that holds enough; tells whether it did. */
static bool take_main(const selection *on)
{
    tw_html_page *page = on->page;
    sums all = sums_of_page(on), chosen = sums_of_trait(on, TW_HTML_ARTICLE);
    sums main = sums_of_trait(on, TW_HTML_MAIN);
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
    for (size_t i = 1; i < page->part_count; i++)
        if (is_root(page, &page->parts[i], trait)) {
            begin = begin < page->parts[i].first ? begin : page->parts[i].first;
            keep(on, end, page->parts[i].first, false);
            end = page->parts[i].end;
        }
    keep(on, end, page->block_count, false);
    keep_title(on, begin, end);
    sum_up(on);
    return true;
}

/* ---- 2. where the prose is */

/* The smallest box with more than half of the prose, and of all that is not linked; such boxes
 * lie in each other. */
static uint32_t main_box(const selection *on)
{
    const tw_html_page *page = on->page;
    sums all = sums_of_page(on);
    uint32_t found = 0;
    for (size_t i = 1; i < page->part_count; i++) {
        const tw_html_part *part = &page->parts[i];
        sums own = sums_of_part(on, part);
        if ((part->traits & TW_HTML_BOX) && part->end - part->first >= 2 &&
            own.prose * 2ull > all.prose &&
            (own.words - own.linked) * 2ull > all.words - all.linked)
            found = (uint32_t)i;
    }
    return found;
}

/* Whether a part beside the way to the box, whose sibling `way` is on it, is text as well. */
static bool is_more_text(const selection *on, const tw_html_part *part, const tw_html_part *way)
{
    sums own = sums_of_part(on, part), main = sums_of_part(on, way);
    if (part->name && part->name == way->name && own.linked * 3ull <= own.words)
        return own.prose > 0;
    return own.linked * 8ull <= own.words &&
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

/* Blocks that lie beside the way without a part of their own. */
static void extend_by_blocks(const selection *on, range *text, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const tw_html_block *block = &on->page->blocks[i];
        if (block->kept && prose_of(block) > 0 && block->links == 0)
            extend(text, i, i + 1);
    }
}

/* The blocks from the first to the last that are text. */
static range text_around(const selection *on, uint32_t box)
{
    tw_html_part *parts = on->page->parts;
    range text = {parts[box].first, parts[box].end};
    size_t done = 0;
    for (uint32_t part = box; part != 0; part = parts[part].parent)
        parts[parts[part].parent].way = part;
    for (uint32_t i = 1; i < on->page->part_count; i++) {
        uint32_t way = parts[parts[i].parent].way;
        if (way == 0 || (way == i && i != box))
            continue;
        extend_by_blocks(on, &text, done, parts[i].first);
        if (i != box && is_more_text(on, &parts[i], &parts[way]))
            extend(&text, parts[i].first, parts[i].end);
        done = parts[i].end;
    }
    extend_by_blocks(on, &text, done, on->page->block_count);
    return text;
}

/* Leaves the text alone, with the headings right before it. */
static void take_box(const selection *on)
{
    tw_html_block *blocks = on->page->blocks;
    uint32_t box = main_box(on);
    if (sums_of_page(on).prose < PROSE_AT_LEAST || box == 0)
        return;
    range text = text_around(on, box);
    while (text.first > 0 && blocks[text.first - 1].heading && blocks[text.first - 1].links == 0)
        text.first--;
    keep(on, 0, text.first, false);
    keep(on, text.end, on->page->block_count, false);
    keep_title(on, text.first, text.end);
    sum_up(on);
}

/* ---- 3. links, notices, neighbours */

static bool is_list_of_links(const selection *on, sums own)
{
    return own.links >= LIST_LINKS && own.linked * 2ull > own.words &&
           own.words * 2ull <= sums_of_page(on).words;
}

/* Where a row of a table ends that starts with this block, if it is one of short cells;
 * else the next block. */
static size_t unit_end(const selection *on, size_t first)
{
    const tw_html_page *page = on->page;
    uint32_t row = page->blocks[first].row;
    size_t end = first + 1;
    while (row && end < page->block_count && page->blocks[end].row == row)
        end++;
    return sums_of(on, first, end).words <= ROW_WORDS ? end : first + 1;
}

static void drop_lists_of_links(const selection *on)
{
    tw_html_page *page = on->page;
    for (size_t i = 1; i < page->part_count; i++) {
        tw_html_part *part = &page->parts[i];
        sums own = sums_of_part(on, part);
        bool inside = page->parts[part->parent].dropped;
        part->dropped = inside || (own.prose == 0 && is_list_of_links(on, own));
        if (part->dropped && !inside)
            keep(on, part->first, part->end, false);
    }
    for (size_t i = 0, end; i < page->block_count; i = end) {
        end = unit_end(on, i);
        if (is_list_of_links(on, sums_of(on, i, end)))
            keep(on, i, end, false);
    }
    sum_up(on);
}

/* Notices stand before all prose, or after nearly all of it; there, what has links or is short
 * goes with them. */
static void drop_notices(const selection *on)
{
    tw_html_page *page = on->page;
    uint64_t all = sums_of_page(on).prose;
    bool ends = false;
    for (size_t i = 0; i < page->block_count; i++) {
        tw_html_block *block = &page->blocks[i];
        bool first = on->before[i].prose == 0;
        bool last = !first && (all - on->before[i + 1].prose) * 5 <= all;
        bool notice = (first || last) && block->kept && block->notice && block->heading != 1;
        if (notice || (ends && (block->links > 0 || block->words < PROSE_WORDS)))
            block->kept = false;
        ends |= notice && last;
    }
    sum_up(on);
}

/* Short blocks stay or go with what is around them: they go where all of it went, or where
 * that and the edge of the page are on their sides. */
static void drop_short_runs(const selection *on)
{
    const tw_html_page *page = on->page;
    bool wall = false; /* something was left out before the run */
    for (size_t i = 0, end; i < page->block_count; i = end + 1) {
        for (end = i; end < page->block_count && page->blocks[end].kept;)
            end++;
        sums run = sums_of(on, i, end);
        bool open = end == page->block_count && !wall;
        if (!open && run.prose == 0 && run.words <= SHORT_WORDS)
            keep(on, i, end, false);
        wall = true;
    }
}

/* ---- all of it */

static bool is_next_to_nothing(sums left, sums all)
{
    return left.words < LEFT_AT_LEAST ||
           (left.words * 10ull < all.words && left.prose < 2 * LEFT_AT_LEAST);
}

int tw_html_select(tw_html_page *page)
{
    selection on = {page, tw_calloc(page->block_count + 1, sizeof *on.before)};
    if (!on.before)
        return TWINSET_NOMEM;
    note_notices(&on);
    sum_up(&on);
    sums all = sums_of_page(&on);
    drop_asides(&on);
    if (!take_main(&on))
        take_box(&on);
    drop_lists_of_links(&on);
    drop_notices(&on);
    drop_short_runs(&on);
    sum_up(&on);
    if (is_next_to_nothing(sums_of_page(&on), all))
        keep(&on, 0, page->block_count, true);
    tw_free(on.before);
    return TWINSET_OK;
}
