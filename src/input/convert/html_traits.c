/*
 * What the elements of a page say they are for, by their roles and by the words in the names of
 * their classes and ids.
 */
#include <stdlib.h>
#include <string.h>

#include "convert/html.h"

/* Words that name what stands beside the text, sorted. */
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

enum { WORD_BYTES = 16 }; /* no word of the list is longer */

static int compare_word(const void *word, const void *entry)
{
    return strcmp(word, *(const char *const *)entry);
}

/* Takes the next word of a name, in small letters: words are separated by anything that is no
 * letter, and begin with a capital. Returns its length; 0: there is no more. */
static size_t next_word(const char **names, char word[WORD_BYTES])
{
    const char *at = *names;
    size_t length = 0;
    while (*at && !tw_is_letter(*at))
        at++;
    for (bool first = true; tw_is_letter(*at); at++, first = false) {
        if (tw_is_capital(*at) && !first && !tw_is_capital(at[-1]))
            break;
        if (length < WORD_BYTES - 1)
            word[length++] = tw_to_lower(*at);
    }
    word[length] = '\0';
    *names = at;
    return length;
}

/* What the words of a class or an id say. `names` may be NULL. */
static unsigned name_traits(const char *names)
{
    char word[WORD_BYTES];
    unsigned traits = 0;
    size_t count = 0;
    bool is_header = false;
    for (; names && next_word(&names, word) > 0; count++) {
        if (bsearch(word, ASIDE_WORDS, sizeof ASIDE_WORDS / sizeof *ASIDE_WORDS,
                    sizeof *ASIDE_WORDS, compare_word))
            traits |= TW_HTML_ASIDE;
        is_header |= strcmp(word, "header") == 0;
    }
    if (is_header) /* "entry-header" may hold the title */
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

/* Names are not asked where something surer says that this is the text. */
unsigned tw_html_traits(const GumboElement *element, unsigned traits_of_tag)
{
    unsigned traits = traits_of_tag | role_traits(tw_html_attribute(element, "role"));
    if (element->tag == GUMBO_TAG_BODY || (traits & (TW_HTML_MAIN | TW_HTML_ARTICLE)))
        return traits;
    return traits | name_traits(tw_html_attribute(element, "class")) |
           name_traits(tw_html_attribute(element, "id"));
}
