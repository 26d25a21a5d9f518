/*
 * HTML: the text of a page. Pages are random prose in random templates. Their texts are compared
 * by the definition of Jaccard similarity on shingles of nine characters.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include "common.h"
#include "convert.h"
#include "cpu_time.h"
#include "dice.h"
#include "locales.h"
#include "memory.h"

/* ---- converting */

static tw_converted convert_bytes(const char *bytes, size_t length, int boilerplate, int *status)
{
    tw_convert_rules rules = {.html_boilerplate = boilerplate};
    tw_material from = {"page.html", bytes, length, 100 << 20, &rules};
    tw_converted to = {.flags = 0};
    *status = tw_convert_html.convert(&from, &to);
    return to;
}

/* The text, terminated by NUL. The caller frees it. */
static char *text_of(const char *page, int boilerplate, unsigned *flags)
{
    int status;
    tw_converted to = convert_bytes(page, strlen(page), boilerplate, &status);
    if (status != TWINSET_OK)
        fail_msg("status %d: %s", status, to.reason);
    assert_int_equal(tw_bytes_append(&to.text, "", 1), 0);
    if (flags)
        *flags = to.flags;
    return to.text.data;
}

static void assert_text(const char *page, const char *expected)
{
    char *text = text_of(page, TWINSET_BOILERPLATE_DROP, NULL);
    assert_string_equal(text, expected);
    tw_free(text);
}

static void assert_all_text(const char *page, const char *expected)
{
    char *text = text_of(page, TWINSET_BOILERPLATE_KEEP, NULL);
    assert_string_equal(text, expected);
    tw_free(text);
}

/* ---- text of pages */

static void blocks_are_separated(void **state)
{
    (void)state;
    assert_text("<h1>A</h1><p>one <b>t</b>wo<p>three<div>four</div>five",
                "A\n\none two\n\nthree\n\nfour\nfive");
    assert_text("<p>one<br>two<br/>three", "one\ntwo\nthree");
    assert_text("<ul><li>one<li>two</ul>", "one\ntwo");
    assert_text("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td");
    assert_text("a\n  b\t c", "a b c");
    assert_text("<pre>a\n  b</pre>c", "a\n  b\n\nc");
    assert_text("x<i>y</i>z<span>!</span>", "xyz!");
    assert_text("", "");
    assert_text("plain", "plain");
}

static void scripts_and_styles_are_no_text(void **state)
{
    (void)state;
    assert_text("<title>T</title><style>s</style><script>if (a<b) '</p>'</script>text", "text");
    assert_text("a<!-- b --> c<!-- > -->", "a c");
    assert_text("<noscript>n</noscript>a<template><p>t</p></template>b", "ab");
    assert_text("<img alt='x'>a<select><option>o</select><textarea>t</textarea>b", "ab");
    assert_text("<svg><text>s</text></svg>a<button>press</button>", "a");
    assert_text("a<!-- never ended", "a");
    assert_text("a<script>never ended", "a");
    assert_text("a<svg>b", "ab");
    assert_text("a <b", "a");
    assert_text("a < b &lt; c <3 d", "a < b < c <3 d");
}

static void entities_become_characters(void **state)
{
    (void)state;
    assert_text("caf&eacute; &#8212; &amp; &#x41;&nbsp;B", "caf\xC3\xA9 \xE2\x80\x94 & A\xC2\xA0"
                                                           "B");
    assert_text("<p title='a>b' class=\"x\">c", "c");
    assert_text("<a href=x>a<a href=y>b<a name=z>c", "abc");
}

static void xhtml_is_read(void **state)
{
    (void)state;
    assert_text("<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/>"
                "<script src='x'/></head><body><a id='x'/><p>one<br/>two</p><div/></body></html>",
                "one\ntwo");
}

static void html_is_recognised(void **state)
{
    (void)state;
    static const char *const pages[] = {
        "<!DOCTYPE html>\n<title>",
        " \n<!doctype HTML PUBLIC 'a'><!-- b -->",
        "<html>",
        "<HTML lang=en>",
        "<html/>",
        "<!-- a > b --><html >",
        "<?xml version='1.0'?>\n<!DOCTYPE html><p>",
        "\xEF\xBB\xBF<html>",
    };
    static const char *const others[] = {
        "",
        "<",
        "html",
        "<html",
        "<htmlx>",
        "<html: a text on it",
        "<p>",
        "<!-- <html>",
        "<!-- a > <html>",
        "<!--",
        "<?xml",
        "<?xml?><svg>",
        "text <html>",
        "<!DOCTYPE html> is the first line",
        "<!DOCTYPE html>",
        "<!DOCTYPE htmlx><p>",
    };
    for (size_t i = 0; i < COUNT(pages); i++)
        assert_true(tw_convert_html.looks_like(pages[i], strlen(pages[i])));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(tw_convert_html.looks_like(others[i], strlen(others[i])));
}

/* ---- hidden text */

static unsigned flags_of(const char *page, const char *expected)
{
    unsigned flags;
    char *text = text_of(page, TWINSET_BOILERPLATE_DROP, &flags);
    assert_string_equal(text, expected);
    tw_free(text);
    return flags;
}

static void hidden_text_is_flagged(void **state)
{
    (void)state;
    static const char *const flagged[] = {
        "<p>one <span style='display:none'>x</span>two",
        "<p>one <span hidden>x</span>two",
        "<p>one <font color=white>x</font>two",
        "<p>one <span style='color: #FFF'>x</span>two",
        "<p>one <b style='font-size:0'>x</b>two",
        "<p>one <b style='FONT-SIZE: 0.5px'>x</b>two",
        "<p>one <i style='opacity:0'>x</i>two",
        "<div style='opacity:0'><p>one <i style='opacity:0'>x</i>two</div>",
        "<p>one <i style='color:transparent'>x</i>two",
        "<p>one <i style='visibility:hidden'>x</i>two",
        "<p>one two<p style='color:white'>x",
        "<p>one <b style='font-size:0'>x<b>y</b>z</b>two",
    };
    for (size_t i = 0; i < COUNT(flagged); i++)
        assert_int_equal(flags_of(flagged[i], "one two"), TWINSET_FLAG_HIDDEN_TEXT);
    static const char *const not_told[] = {
        "<p>one two<div style='display:none'>x</div>",
        "<div hidden><p>x</div>one two",
        "<p>one two<p style='visibility:hidden'>x",
        "<p>one <span style='display:none'> </span>two",
    };
    for (size_t i = 0; i < COUNT(not_told); i++)
        assert_int_equal(flags_of(not_told[i], "one two"), 0);
}

static void visible_text_is_not_flagged(void **state)
{
    (void)state;
    static const char *const pages[] = {
        "<p>one <span style='color:#fff;background:#000'>two</span>",
        "<table bgcolor=navy><td>one <font color=white>two</font></table>",
        "<p>one <a href=x class=b style='color:#fff'>two</a>",
        "<p>one <span class=dark style='color:white'>two</span>",
        "<p>one <span style='font-size:1em;opacity:.9;display:inline'>two</span>",
        "<p>one <span style='color:#fffacd'>two</span>",
        "<div class=hero><p>one <span style='color:white'>two</span></div>",
        "<div id=a><p style='color:white'>one two</div>",
        "<p style='opacity:0'>one two",
        "<div style='opacity: 0'><p>one <b>two</b></div>",
        "<p>one <span style='color:#ff0000'>two</span>",
    };
    for (size_t i = 0; i < COUNT(pages); i++)
        assert_int_equal(flags_of(pages[i], "one two"), 0);
}

/* ---- random prose */

static void put(tw_bytes *page, const char *text)
{
    assert_int_equal(tw_bytes_append(page, text, strlen(text)), 0);
}

/* Words of two to four syllables, so that texts share next to no shingles. */
static void put_word(tw_bytes *page, dice *from)
{
    static const char *const consonants[] = {"b", "d", "f", "g", "k", "l",  "m",  "n",
                                             "p", "r", "s", "t", "v", "st", "tr", "pl"};
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "ai", "ou", "ea"};
    for (size_t i = 2 + below(from, 3); i > 0; i--) {
        put(page, consonants[below(from, COUNT(consonants))]);
        put(page, vowels[below(from, COUNT(vowels))]);
    }
}

static void put_words(tw_bytes *page, dice *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put(page, i % 9 == 8 ? ", " : " ");
        put_word(page, from);
    }
}

static void put_sentences(tw_bytes *page, dice *from, size_t words)
{
    while (words > 0) {
        size_t length = 6 + below(from, 12);
        length = length < words ? length : words;
        put_words(page, from, length);
        put(page, words > length ? ". " : ".");
        words -= length;
    }
}

static void put_terminator(tw_bytes *page)
{
    assert_int_equal(tw_bytes_append(page, "", 1), 0);
}

/* ---- templates: the page around a text. Template and text have dice of their own */

typedef struct template
{
    dice from;
    int layout;
    int paragraphs; /* how paragraphs are marked up */
}
template;

enum { SEMANTIC, CLASSES, SOUP, TABLES, FLAT, LAYOUTS };
enum { BY_P, BY_BREAKS, BY_DIVS, PARAGRAPHS };

static void put_links(tw_bytes *page, dice *from, size_t count, const char *before,
                      const char *after)
{
    for (size_t i = 0; i < count; i++) {
        put(page, before);
        put(page, "<a href=\"/x\">");
        put_words(page, from, 1 + below(from, 3));
        put(page, "</a>");
        put(page, after);
    }
}

static void put_list(tw_bytes *page, dice *from, size_t count)
{
    put(page, "<ul>");
    put_links(page, from, count, "<li>", "</li>\n");
    put(page, "</ul>");
}

static void put_navigation(tw_bytes *page, dice *from)
{
    if (chance(from, 50))
        put_list(page, from, 4 + below(from, 30));
    else
        put_links(page, from, 3 + below(from, 8), " ", chance(from, 50) ? " |" : "");
}

static void put_advertisement(tw_bytes *page, dice *from)
{
    put(page, "<p>");
    put_sentences(page, from, 8 + below(from, 22));
    put(page, " <a href='/buy'>");
    put_words(page, from, 2 + below(from, 3));
    put(page, "</a></p>");
}

static void put_cookie_text(tw_bytes *page, dice *from)
{
    put(page, "<p>We use cookies so that ");
    put_sentences(page, from, 15 + below(from, 20));
    put(page, " <a href='/privacy'>More</a></p>");
}

static void put_footer(tw_bytes *page, dice *from)
{
    put_links(page, from, 3 + below(from, 12), "", " | ");
    put(page, "<p>\xC2\xA9 2024 ");
    put_words(page, from, 2);
    put(page, ". All rights reserved.</p>");
    if (chance(from, 40)) {
        put(page, "<p>");
        put_sentences(page, from, 20 + below(from, 20));
        put(page, " <a href=x>");
        put_words(page, from, 8);
        put(page, "</a></p>");
    }
}

/* Writes the text: a title and paragraphs of 20 to 90 words. */
static void put_text(tw_bytes *page, dice *from, int paragraphs)
{
    static const char *const begin[] = {"<p>", "", "<div class='t'>"};
    static const char *const end[] = {"</p>\n", "<br><br>\n", "</div>\n"};
    put(page, paragraphs == BY_BREAKS ? "" : "<h1>");
    put_words(page, from, 3 + below(from, 5));
    put(page, paragraphs == BY_BREAKS ? "<br><br>" : "</h1>\n");
    for (size_t i = 5 + below(from, 6); i > 0; i--) {
        put(page, begin[paragraphs]);
        put_sentences(page, from, 20 + below(from, 70));
        put(page, end[paragraphs]);
    }
}

static void put_semantic(tw_bytes *page, template *like, dice *text)
{
    dice *from = &like->from;
    bool article = chance(from, 50);
    put(page, "<header><a href=/>");
    put_words(page, from, 2);
    put(page, "</a><nav>");
    put_navigation(page, from);
    put(page, "</nav></header>");
    put(page, article ? "<article>" : chance(from, 50) ? "<main>" : "<div role=main>");
    put_text(page, text, like->paragraphs);
    if (chance(from, 50)) {
        put(page, "<aside>");
        put_advertisement(page, from);
        put(page, "</aside>");
    }
    put(page, article ? "</article>" : "</main></div>");
    put(page, "<aside>");
    put_advertisement(page, from);
    put_list(page, from, 5);
    put(page, "</aside><footer>");
    put_footer(page, from);
    put(page, "</footer><div class='cookie-consent'>");
    put_cookie_text(page, from);
    put(page, "</div>");
}

static void put_div(tw_bytes *page, const char *name)
{
    put(page, "<div class='");
    put(page, name);
    put(page, "'>");
}

/* Writes a page of divisions whose classes name their purpose. */
static void put_classes(tw_bytes *page, template *like, dice *text)
{
    static const char *const menus[] = {"navbar", "main-menu", "topNav", "nav nav-pills", "menu"};
    static const char *const sides[] = {"sidebar", "right-sidebar col", "widget-area widget"};
    static const char *const ads[] = {"ad", "ads-box", "advertisement", "promo", "sponsored-post"};
    static const char *const feet[] = {"footer", "site-footer", "pageFooter"};
    dice *from = &like->from;
    put(page, "<div id='page'>");
    put_div(page, menus[below(from, COUNT(menus))]);
    put_navigation(page, from);
    put(page, "</div>");
    put_div(page, ads[below(from, COUNT(ads))]);
    put_advertisement(page, from);
    put(page, "</div><div class='content'>");
    put_text(page, text, like->paragraphs);
    put_div(page, ads[below(from, COUNT(ads))]);
    put_sentences(page, from, 30);
    put(page, "</div></div>");
    put_div(page, sides[below(from, COUNT(sides))]);
    put_advertisement(page, from);
    put_sentences(page, from, 40);
    put(page, "</div>");
    put_div(page, feet[below(from, COUNT(feet))]);
    put_footer(page, from);
    put(page, "</div></div>");
}

/* Writes a page of divisions whose classes do not name their purpose. */
static void put_soup(tw_bytes *page, template *like, dice *text)
{
    dice *from = &like->from;
    size_t depth = 1 + below(from, 5);
    for (size_t i = 0; i < depth; i++)
        put(page, "<div>");
    put(page, "<div class=a1>");
    put_navigation(page, from);
    put(page, "</div>");
    if (chance(from, 50)) {
        put(page, "<div class=b7>");
        put_advertisement(page, from);
        put(page, "</div>");
    }
    put(page, "<div class=c3><div class=c4>");
    put_text(page, text, like->paragraphs);
    put(page, "</div></div><div class=d2>");
    put_list(page, from, 5 + below(from, 40));
    put_advertisement(page, from);
    put(page, "</div><div>");
    put_footer(page, from);
    put(page, "</div>");
    for (size_t i = 0; i < depth; i++)
        put(page, "</div>");
    put(page, "<div class=z9>");
    put_cookie_text(page, from);
    put(page, "</div>");
}

/* Writes a page with a layout by tables. */
static void put_tables(tw_bytes *page, template *like, dice *text)
{
    dice *from = &like->from;
    put(page, "<TABLE width=100%><TR><TD colspan=3 bgcolor=#336699><FONT size=5>");
    put_words(page, from, 3);
    put(page, "</FONT></TD></TR><TR><TD width=150 valign=top>");
    put_links(page, from, 5 + below(from, 20), "", "<br>\n");
    put(page, "</TD><TD valign=top>");
    put_text(page, text, like->paragraphs);
    put(page, "</TD><TD width=120>");
    put_advertisement(page, from);
    put(page, "</TD></TR><TR><TD colspan=3 align=center><FONT size=1>");
    put_footer(page, from);
    put(page, "</FONT></TD></TR></TABLE>");
}

/* Writes a page with only a line of links before and after the text. */
static void put_flat(tw_bytes *page, template *like, dice *text)
{
    dice *from = &like->from;
    put(page, "<p>");
    put_links(page, from, 3 + below(from, 9), " ", " |");
    put(page, "</p><hr>");
    put_text(page, text, like->paragraphs);
    put(page, "<hr>");
    put_footer(page, from);
}

static void put_page(tw_bytes *page, template like, dice text)
{
    static void (*const layouts[])(tw_bytes *, template *, dice *) = {
        put_semantic, put_classes, put_soup, put_tables, put_flat};
    put(page, "<!DOCTYPE html><html><head><title>");
    put_words(page, &like.from, 3);
    put(page, "</title><script>var a = '<p>no text</p>';</script></head><body>");
    layouts[like.layout](page, &like, &text);
    put(page, "</body></html>");
    put_terminator(page);
}

static template new_template(dice *from)
{
    return (template){{roll(from)}, (int)below(from, LAYOUTS), (int)below(from, PARAGRAPHS)};
}

/* ---- shingles of nine characters, white space squeezed */

enum { K = 9 };

typedef struct shingles {
    uint64_t *ids;
    size_t count;
} shingles;

static shingles shingles_of(char *text)
{
    size_t length = 0;
    for (const char *c = text; *c; c++) {
        bool space = *c == ' ' || *c == '\n' || *c == '\t';
        if (!space || (length > 0 && text[length - 1] != ' '))
            text[length++] = space ? ' ' : *c;
    }
    shingles set = {calloc(length + 1, 2 * sizeof *set.ids), 0};
    assert_non_null(set.ids);
    for (size_t i = 0; i + K <= length; i++) {
        uint64_t hash = 0, low = 0;
        memcpy(&low, text + i, 8);
        hash = low * 0x9E3779B97F4A7C15u + (unsigned char)text[i + 8];
        set.ids[set.count++] = tw_splitmix64(&hash);
    }
    set.count = tw_sort_unique_u64(set.ids, set.count, set.ids + length + 1);
    return set;
}

static double similarity(const shingles *a, const shingles *b)
{
    size_t i = 0, j = 0, shared = 0;
    while (i < a->count && j < b->count) {
        uint64_t x = a->ids[i], y = b->ids[j];
        shared += x == y;
        i += x <= y;
        j += y <= x;
    }
    size_t all = a->count + b->count - shared;
    return all ? (double)shared / (double)all : 1;
}

static shingles shingles_of_page(template like, dice text)
{
    tw_bytes page = {0};
    put_page(&page, like, text);
    char *out = text_of(page.data, TWINSET_BOILERPLATE_DROP, NULL);
    shingles set = shingles_of(out);
    tw_free(out);
    tw_bytes_free(&page);
    return set;
}

enum { PAGES = SANITIZED ? 60 : 200 };

static void free_sets(shingles sets[PAGES])
{
    for (size_t i = 0; i < PAGES; i++)
        free(sets[i].ids);
}

/* Checks the two sets that are least similar, and shows their pages on a failure. */
static void assert_all_alike(shingles sets[PAGES], const template *templates)
{
    double least = 1;
    size_t a = 0, b = 0;
    for (size_t i = 0; i < PAGES; i++)
        for (size_t j = 0; j < i; j++) {
            double s = similarity(&sets[i], &sets[j]);
            if (s < least) {
                least = s;
                a = i;
                b = j;
            }
        }
    print_message("           least similarity %.3f\n", least);
    if (least < .9)
        fail_msg("similarity %.3f of layouts %d/%d and %d/%d", least, templates[a].layout,
                 templates[a].paragraphs, templates[b].layout, templates[b].paragraphs);
}

static void one_text_is_found_in_many_templates(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t round = 0; round < (SANITIZED ? 1 : 2); round++) {
        template templates[PAGES];
        shingles sets[PAGES];
        dice text = {roll(&from)};
        for (size_t i = 0; i < PAGES; i++) {
            templates[i] = new_template(&from);
            sets[i] = shingles_of_page(templates[i], text);
        }
        assert_all_alike(sets, templates);
        free_sets(sets);
    }
}

static void many_texts_in_one_template_stay_distinct(void **state)
{
    (void)state;
    dice from = new_dice();
    double most = 0;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        shingles sets[PAGES];
        template like = {{roll(&from)}, layout, (int)below(&from, PARAGRAPHS)};
        for (size_t i = 0; i < PAGES; i++)
            sets[i] = shingles_of_page(like, (dice){roll(&from)});
        /* All pairs of one layout, and pairs of a quarter of the pages of other layouts. */
        for (size_t i = 0; i < (layout == SOUP ? PAGES : PAGES / 4); i++)
            for (size_t j = 0; j < i; j++) {
                double s = similarity(&sets[i], &sets[j]);
                most = s > most ? s : most;
            }
        free_sets(sets);
    }
    print_message("           greatest similarity %.3f\n", most);
    assert_true(most <= .3);
}

/* Each layout alone: the text must be whole, with almost nothing else. */
static void each_layout_gives_its_text(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t round = 0; round < 150; round++) {
        template like = new_template(&from);
        dice text = {roll(&from)};
        tw_bytes alone = {0};
        put_text(&alone, &(dice){text.state}, like.paragraphs);
        put_terminator(&alone);
        char *plain = text_of(alone.data, TWINSET_BOILERPLATE_KEEP, NULL);
        shingles whole = shingles_of(plain), page = shingles_of_page(like, text);
        double s = similarity(&whole, &page);
        if (s < .94)
            fail_msg("similarity %.3f of layout %d/%d", s, like.layout, like.paragraphs);
        free(whole.ids);
        free(page.ids);
        tw_free(plain);
        tw_bytes_free(&alone);
    }
}

/* ---- pages that are all text */

static void assert_whole(const tw_bytes *page)
{
    char *all = text_of(page->data, TWINSET_BOILERPLATE_KEEP, NULL);
    assert_text(page->data, all);
    tw_free(all);
}

static void put_items(tw_bytes *page, dice *from, const char *before, const char *after,
                      size_t most)
{
    for (size_t i = 3 + below(from, 40); i > 0; i--) {
        put(page, before);
        put_words(page, from, 1 + below(from, most));
        put(page, after);
    }
}

static void plain_pages_are_kept_whole(void **state)
{
    (void)state;
    static const char *const marks[][2] = {{"<p>", "</p>"},
                                           {"<p>", ""},
                                           {"<li>", ""},
                                           {"<tr><td>", "</td><td>x</td></tr>"},
                                           {"", "<br>"},
                                           {"<h2>", "</h2>"},
                                           {"<dt>a<dd>", ""},
                                           {"<div>", "</div>"},
                                           {"<p><a href=x>", "</a>"},
                                           {"<li><a href=x>", "</a>"}};
    dice from = new_dice();
    for (size_t round = 0; round < 300; round++) {
        tw_bytes page = {0};
        size_t i = below(&from, COUNT(marks));
        put(&page, chance(&from, 50) ? "<h1>Title of it</h1>" : "");
        put(&page, i == 3 ? "<table>" : i == 2 || i == 9 ? "<ul>" : "");
        put_items(&page, &from, marks[i][0], marks[i][1], chance(&from, 50) ? 4 : 60);
        put_terminator(&page);
        assert_whole(&page);
        tw_bytes_free(&page);
    }
}

static void marked_asides_are_left_out(void **state)
{
    (void)state;
    static const char text[] =
        "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty and so on until there are more than enough.";
    static const char *const beside[] = {
        "<nav>Home and more</nav>%s",
        "%s<footer>Imprint</footer>",
        "<div role=navigation>Home</div>%s",
        "<div id=header>Site</div>%s",
        "%s<div class='social share-buttons'>Tell others</div>",
        "<div class='MainNav'>Home</div>%s",
        "<ul class=breadcrumbs><li>a<li>b</ul>%s",
        "<form>Name <input></form>%s",
        "<ul><li><a href=x>a</a><li><a href=x>b</a><li><a href=x>c</a></ul>%s",
        "<p><a href=x>a</a> | <a href=x>b</a> | <a href=x>c</a></p>%s",
        "%s<p>Copyright 2001 by someone</p>",
        "<body class='has-sidebar nav'><div class='page-with-menu'>%s</div>",
        "<form>%s</form>",
    };
    for (size_t i = 0; i < COUNT(beside); i++) {
        char page[1000];
        snprintf(page, sizeof page, beside[i], text);
        assert_text(page, text);
    }
}

/* Whether text of this font size is hidden in a browser. */
static bool is_hidden(const char *size)
{
    char page[128];
    unsigned flags;
    snprintf(page, sizeof page, "<p>one <b style='font-size:%s'>x</b>two", size);
    char *text = text_of(page, TWINSET_BOILERPLATE_DROP, &flags);
    bool hidden = strcmp(text, "one two") == 0;
    assert_int_equal(hidden, (flags & TWINSET_FLAG_HIDDEN_TEXT) != 0);
    assert_true(hidden || strcmp(text, "one xtwo") == 0);
    tw_free(text);
    return hidden;
}

static void check_lengths(void)
{
    static const char *const hidden[] = {
        "0",     "0px",    "0em", "00.000", ".0",   "-0",       "+0",
        "0.5px", ".5pt",   "1px", "1.0pt",  "1PX",  "01px",     "10e-1px",
        "1e0px", "1E-9px", "0e5", "0.9px",  "1.px", "1e-500px", "0%",
    };
    static const char *const shown[] = {
        "1.01px", "1.5px", "2px",     "10px", "1em",     "0.5em",    ".5rem", "-1px",
        "-0.5px", "1e1px", "1e400px", "px",   ".",       "",         "e",     ".px",
        "1",      "small", "1e-1",    "12",   "11e-1px", "infinity",
    };
    for (size_t i = 0; i < COUNT(hidden); i++)
        if (!is_hidden(hidden[i]))
            fail_msg("%s is shown", hidden[i]);
    for (size_t i = 0; i < COUNT(shown); i++)
        if (is_hidden(shown[i]))
            fail_msg("%s is hidden", shown[i]);
}

static void lengths_have_units_and_decimals(void **state)
{
    (void)state;
    check_lengths();
}

/* In Turkish, "I" is not the capital of "i"; in German, the decimal separator is a comma. */
static void the_locale_does_not_matter(void **state)
{
    static const char *const languages[] = {"de_DE", "tr_TR"};
    (void)state;
    for (size_t i = 0; i < COUNT(languages); i++) {
        if (!enter_locale(languages[i])) {
            print_message("           no localedef, or no %s for it\n", languages[i]);
            skip();
        }
        check_lengths();
        assert_text("<DIV><SCRIPT>x</SCRIPT><LI>one</LI><I ID=a STYLE='VISIBILITY:HIDDEN'>y</I>",
                    "one");
        leave_locale();
    }
}

static void usual_hidden_elements_are_not_flagged(void **state)
{
    (void)state;
    assert_int_equal(
        flags_of("<nav>menu <span style='display:none'>more</span></nav><p>One two three four "
                 "five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                 "seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three "
                 "twenty-four twenty-five.",
                 "One two three four five six seven eight nine ten eleven twelve thirteen "
                 "fourteen fifteen sixteen seventeen eighteen nineteen twenty twenty-one "
                 "twenty-two twenty-three twenty-four twenty-five."),
        0);
}

static void boilerplate_is_kept_on_demand(void **state)
{
    (void)state;
    assert_all_text("<nav>Home</nav><p>text</p><footer>end</footer>", "Home\n\ntext\n\nend");
}

/* ---- hostile pages */

static void put_many(tw_bytes *page, const char *unit, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(page, unit);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const units[] = {"<div>",
                                        "<div><table><tr><td>",
                                        "<ul><li>",
                                        "<b style='color:red'>",
                                        "<blockquote><p>x",
                                        "<font color=#f0f0f0><p>"};
    for (size_t i = 0; i < COUNT(units); i++) {
        tw_bytes page = {0};
        int status;
        put_many(&page, units[i], 100000);
        tw_converted to = convert_bytes(page.data, page.length, 0, &status);
        assert_int_equal(status, TWINSET_IO);
        assert_true(strlen(to.reason) > 10);
        tw_bytes_free(&to.text);
        tw_bytes_free(&page);
    }
}

/* Gumbo without limits takes minutes for some of these. */
static void time_and_memory_are_bounded(void **state)
{
    (void)state;
    static const char *const units[] = {
        "<",
        "</",
        "<!--",
        "<a ",
        "<b>",
        "<b><p>",
        "<a href=x>",
        "<i id=1><u>",
        "<p>",
        "<svg>",
        "<select>",
        "</div>",
        "<table>x",
        "<div x='",
        "&",
        "<!",
        "<td></div>",
        "<div></p></div>",
        "<li><a href=x>x",
        "<h1>",
        "<font color=white>",
        "\xFF",
        "<textarea>",
        "<template>",
        "<x-y>",
        "<form>",
        "<table><b style='color:white'>",
        "<div><select></div></select>",
        "<div><table></div></table>",
    };
    for (size_t i = 0; i < COUNT(units); i++) {
        tw_bytes page = {0};
        int status;
        put_many(&page, units[i], SANITIZED ? 20000 : 100000);
        double before = cpu_seconds();
        tw_converted to = convert_bytes(page.data, page.length, 0, &status);
        double took = cpu_seconds() - before;
        assert_true(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
        if (took > 3)
            fail_msg("%s: %.1f s", units[i], took);
        tw_bytes_free(&to.text);
        tw_bytes_free(&page);
    }
}

static const char SMALL[] =
    "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>t</title><style>p { }</style></head>"
    "<body class=x><nav><ul><li><a href='/'>Home</a></ul></nav><!-- c --><h1>One</h1><p>two <b "
    "style=\"font-size:0\">three</b> &eacute; four<br>five<table><tr><td>six<td>seven</table>"
    "<script>x</script><div id=footer>&copy;</div></body></html>";

static void truncated_and_changed_pages_give_text_or_a_reason(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t length = 0; length < sizeof SMALL; length++)
        for (size_t round = 0; round < 8; round++) {
            int status;
            char *copy = malloc(length + 1); /* so that tools see overruns */
            assert_non_null(copy);
            memcpy(copy, SMALL, length);
            for (size_t flips = round; flips > 0 && length > 0; flips--)
                copy[below(&from, length)] = (char)roll(&from);
            char *exact = realloc(copy, length ? length : 1);
            tw_converted to = convert_bytes(exact, length, 0, &status);
            assert_int_equal(status, TWINSET_OK);
            tw_bytes_free(&to.text);
            free(exact);
        }
}

static void text_over_the_limit_is_refused(void **state)
{
    (void)state;
    tw_material from = {.name = "a.html", .bytes = "<p>12345", .length = 8, .limit_bytes = 4};
    tw_converted to = {.flags = 0};
    assert_int_equal(tw_convert_html.convert(&from, &to), TWINSET_IO);
    assert_true(to.reason[0]);
    tw_bytes_free(&to.text);
}

static void the_failure_of_any_allocation_is_reported(void **state)
{
    (void)state;
#ifdef TW_FAULTS
    int status = TWINSET_NOMEM;
    for (long long allocations = 0; status != TWINSET_OK; allocations++) {
        assert_true(allocations < 1000);
        tw_faults_after(allocations);
        tw_converted to = convert_bytes(SMALL, sizeof SMALL - 1, 0, &status);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        tw_bytes_free(&to.text);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_separated),
        cmocka_unit_test(scripts_and_styles_are_no_text),
        cmocka_unit_test(entities_become_characters),
        cmocka_unit_test(xhtml_is_read),
        cmocka_unit_test(html_is_recognised),
        cmocka_unit_test(hidden_text_is_flagged),
        cmocka_unit_test(visible_text_is_not_flagged),
        cmocka_unit_test(lengths_have_units_and_decimals),
        cmocka_unit_test(usual_hidden_elements_are_not_flagged),
        cmocka_unit_test(each_layout_gives_its_text),
        cmocka_unit_test(one_text_is_found_in_many_templates),
        cmocka_unit_test(many_texts_in_one_template_stay_distinct),
        cmocka_unit_test(plain_pages_are_kept_whole),
        cmocka_unit_test(marked_asides_are_left_out),
        cmocka_unit_test(boilerplate_is_kept_on_demand),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(time_and_memory_are_bounded),
        cmocka_unit_test(truncated_and_changed_pages_give_text_or_a_reason),
        cmocka_unit_test(text_over_the_limit_is_refused),
        cmocka_unit_test(the_failure_of_any_allocation_is_reported),
        cmocka_unit_test_setup_teardown(the_locale_does_not_matter, enter_folder, leave_folder),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
