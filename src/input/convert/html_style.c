/*
 * Which text of a page nobody sees, by the styles and attributes of its elements. Text of no size,
 * of no colour, or white where nothing says that the ground is not, is a trick. Text that is not
 * displayed is one if it stands in the midst of text that is; whole blocks which are not
 * displayed are what pages are made of, and no trick. Style sheets are not read.
 */
#include <string.h>

#include "convert/html.h"

/* ---- values */

static bool is_white(const char *colour)
{
    static const char *const whites[] = {"white", "rgb(255,255,255)", "rgb(255, 255, 255)"};
    for (size_t i = 0; i < sizeof whites / sizeof *whites; i++)
        if (tw_starts_ignoring_case(colour, whites[i]))
            return true;
    if (!tw_starts_ignoring_case(colour, "#fff"))
        return false;
    const char *rest = colour + strlen("#fff");
    return tw_starts_ignoring_case(rest, "fff") || !*rest ||
           !strchr("0123456789abcdefABCDEF", *rest);
}

/* Reads an exponent such as "e-3" and moves past it; 0: there is none. */
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

/* Reads a decimal number without a sign and moves past it; -1: there is none. The C library would
 * read it as the locale of the program writes numbers. Past 15 digits the result has a rounding
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

static bool is_one_of(const char *value, const char *first, const char *second)
{
    return tw_starts_ignoring_case(value, first) || tw_starts_ignoring_case(value, second);
}

/* ---- declarations */

static unsigned declaration_display(const char *name, const char *value)
{
    if (tw_starts_ignoring_case(name, "display"))
        return tw_starts_ignoring_case(value, "none") ? TW_HTML_HIDDEN : 0;
    if (tw_starts_ignoring_case(name, "visibility"))
        return is_one_of(value, "hidden", "collapse") ? TW_HTML_HIDDEN : 0;
    if (tw_starts_ignoring_case(name, "font-size"))
        return is_nothing(value) ? TW_HTML_TRICK : 0;
    if (tw_starts_ignoring_case(name, "opacity"))
        return is_nothing(value) ? TW_HTML_FADED : 0;
    if (tw_starts_ignoring_case(name, "color") && is_white(value))
        return TW_HTML_WHITE;
    if (tw_starts_ignoring_case(name, "color"))
        return tw_starts_ignoring_case(value, "transparent") ? TW_HTML_TRICK : 0;
    if (tw_starts_ignoring_case(name, "background"))
        return is_white(value) || is_one_of(value, "transparent", "none") ? 0 : TW_HTML_GROUND;
    return 0;
}

/* What all declarations of a style say together. */
static unsigned style_display(const char *style)
{
    unsigned display = 0;
    while (*style) {
        style += strspn(style, " \t\r\n;");
        const char *name = style, *colon = style + strcspn(style, ":;");
        style = colon + strcspn(colon, ";");
        if (*colon == ':')
            display |= declaration_display(name, colon + 1 + strspn(colon + 1, " \t\r\n"));
    }
    return display;
}

/* What the attributes of an element say, without its parent. */
static unsigned own_display(const GumboElement *element)
{
    const char *style = tw_html_attribute(element, "style");
    const char *colour = tw_html_attribute(element, "color");
    const char *ground = tw_html_attribute(element, "bgcolor");
    unsigned own = style ? style_display(style) : 0;
    if (colour && is_white(colour))
        own |= TW_HTML_WHITE;
    if (tw_html_attribute(element, "hidden"))
        own |= TW_HTML_HIDDEN;
    if (ground && !is_white(ground))
        own |= TW_HTML_GROUND;
    if (tw_html_attribute(element, "class") || tw_html_attribute(element, "id"))
        own |= TW_HTML_NAMED;
    if (element->tag == GUMBO_TAG_A && tw_html_attribute(element, "href"))
        own |= TW_HTML_LINKED;
    if (element->tag == GUMBO_TAG_PRE || element->tag == GUMBO_TAG_LISTING)
        own |= TW_HTML_VERBATIM;
    return own;
}

unsigned tw_html_display(const GumboElement *element, unsigned inherited, bool is_inline)
{
    unsigned own = own_display(element), was_linked = inherited & TW_HTML_LINKED;
    /* A style sheet may give a ground to what has a name, and so to all that is in it. */
    if ((own & TW_HTML_WHITE) && !was_linked &&
        !((own | inherited) & (TW_HTML_GROUND | TW_HTML_NAMED)))
        own |= TW_HTML_TRICK;
    /* Programs let whole blocks fade in. */
    if ((own & TW_HTML_FADED) && is_inline)
        own |= TW_HTML_TRICK;
    if ((own & TW_HTML_HIDDEN) && !(inherited & TW_HTML_HIDDEN) && is_inline)
        own |= TW_HTML_MIDST;
    return inherited | own;
}
