/*
 * Makes a page safe for gumbo, which is slow and takes memory without bound where elements are
 * open by the thousands: it looks at all of them for a tag, and with an unclosed <font> for
 * every character. So only what matters for the text passes. Of inline elements, those pass that
 * can hide text, and links. An end tag passes if its element is open. What gumbo has open is then
 * known here, within a small factor; summed over all bytes, the number of open elements must stay
 * below a multiple of the number of bytes. One pass, linear in time and memory.
 */
#include <gumbo.h>
#include <string.h>

#include "common.h"
#include "convert/html.h"
#include "convert/prose_writer.h"

enum {
    SKIPPED = 1,     /* the element is left out with all that is in it */
    DROPPED = 2,     /* the tag is left out, what is in the element stays */
    VOID = 4,        /* the element has no end tag */
    ENDS_ITSELF = 8, /* the next of its kind ends it: it is never nested directly in its like */
    INLINE = 16,     /* the tag passes if it has an attribute that matters */
    SCOPE = 32,      /* end tags in the element do not reach what is open around it */
};
/* The most elements that may be open, summed over all bytes. A usual page has 20 for each byte. */
static const uint64_t OPEN_PER_BYTE = 200, OPEN_IN_ALL = 1u << 30;
/* How many open elements an end tag looks at for its own. */
enum { REACH = 64 };

static const unsigned char TRAITS[GUMBO_TAG_LAST + 1] = {
    [GUMBO_TAG_SCRIPT] = SKIPPED,
    [GUMBO_TAG_STYLE] = SKIPPED,
    [GUMBO_TAG_TEMPLATE] = SKIPPED,
    [GUMBO_TAG_TITLE] = SKIPPED,
    [GUMBO_TAG_NOSCRIPT] = SKIPPED,
    [GUMBO_TAG_SELECT] = SKIPPED,
    [GUMBO_TAG_TEXTAREA] = SKIPPED,
    [GUMBO_TAG_BUTTON] = SKIPPED,
    [GUMBO_TAG_DATALIST] = SKIPPED,
    [GUMBO_TAG_IFRAME] = SKIPPED,
    [GUMBO_TAG_NOEMBED] = SKIPPED,
    [GUMBO_TAG_NOFRAMES] = SKIPPED,
    [GUMBO_TAG_SVG] = SKIPPED,
    [GUMBO_TAG_CANVAS] = SKIPPED,
    [GUMBO_TAG_AUDIO] = SKIPPED,
    [GUMBO_TAG_VIDEO] = SKIPPED,
    [GUMBO_TAG_HTML] = DROPPED,
    [GUMBO_TAG_HEAD] = DROPPED,
    [GUMBO_TAG_BASE] = DROPPED,
    [GUMBO_TAG_LINK] = DROPPED,
    [GUMBO_TAG_META] = DROPPED,
    [GUMBO_TAG_WBR] = DROPPED,
    [GUMBO_TAG_IMAGE] = DROPPED,
    [GUMBO_TAG_IMG] = DROPPED,
    [GUMBO_TAG_EMBED] = DROPPED,
    [GUMBO_TAG_PARAM] = DROPPED,
    [GUMBO_TAG_SOURCE] = DROPPED,
    [GUMBO_TAG_TRACK] = DROPPED,
    [GUMBO_TAG_AREA] = DROPPED,
    [GUMBO_TAG_COL] = DROPPED,
    [GUMBO_TAG_COLGROUP] = DROPPED,
    [GUMBO_TAG_INPUT] = DROPPED,
    [GUMBO_TAG_KEYGEN] = DROPPED,
    [GUMBO_TAG_MENUITEM] = DROPPED,
    [GUMBO_TAG_OPTION] = DROPPED,
    [GUMBO_TAG_OPTGROUP] = DROPPED,
    [GUMBO_TAG_BGSOUND] = DROPPED,
    [GUMBO_TAG_BASEFONT] = DROPPED,
    [GUMBO_TAG_FRAME] = DROPPED,
    [GUMBO_TAG_FRAMESET] = DROPPED,
    [GUMBO_TAG_ISINDEX] = DROPPED,
    [GUMBO_TAG_NEXTID] = DROPPED,
    [GUMBO_TAG_SPACER] = DROPPED,
    [GUMBO_TAG_XMP] = DROPPED,
    [GUMBO_TAG_PLAINTEXT] = DROPPED,
    [GUMBO_TAG_MATH] = DROPPED,
    [GUMBO_TAG_MI] = DROPPED,
    [GUMBO_TAG_MO] = DROPPED,
    [GUMBO_TAG_MN] = DROPPED,
    [GUMBO_TAG_MS] = DROPPED,
    [GUMBO_TAG_MTEXT] = DROPPED,
    [GUMBO_TAG_MGLYPH] = DROPPED,
    [GUMBO_TAG_MALIGNMARK] = DROPPED,
    [GUMBO_TAG_ANNOTATION_XML] = SKIPPED,
    [GUMBO_TAG_FOREIGNOBJECT] = DROPPED,
    [GUMBO_TAG_DESC] = DROPPED,
    [GUMBO_TAG_RUBY] = DROPPED,
    [GUMBO_TAG_RB] = DROPPED,
    [GUMBO_TAG_RT] = DROPPED,
    [GUMBO_TAG_RP] = DROPPED,
    [GUMBO_TAG_RTC] = DROPPED,
    [GUMBO_TAG_NOBR] = DROPPED,
    [GUMBO_TAG_OBJECT] = DROPPED,
    [GUMBO_TAG_APPLET] = DROPPED,
    [GUMBO_TAG_MARQUEE] = DROPPED,
    [GUMBO_TAG_UNKNOWN] = DROPPED,
    [GUMBO_TAG_BR] = VOID,
    [GUMBO_TAG_HR] = VOID,
    [GUMBO_TAG_BODY] = ENDS_ITSELF,
    [GUMBO_TAG_P] = ENDS_ITSELF,
    [GUMBO_TAG_LI] = ENDS_ITSELF,
    [GUMBO_TAG_DT] = ENDS_ITSELF,
    [GUMBO_TAG_DD] = ENDS_ITSELF,
    [GUMBO_TAG_TR] = ENDS_ITSELF,
    [GUMBO_TAG_TD] = ENDS_ITSELF,
    [GUMBO_TAG_TH] = ENDS_ITSELF,
    [GUMBO_TAG_TBODY] = ENDS_ITSELF,
    [GUMBO_TAG_THEAD] = ENDS_ITSELF,
    [GUMBO_TAG_TFOOT] = ENDS_ITSELF,
    [GUMBO_TAG_CAPTION] = ENDS_ITSELF,
    [GUMBO_TAG_TABLE] = SCOPE,
    [GUMBO_TAG_A] = INLINE,
    [GUMBO_TAG_EM] = INLINE,
    [GUMBO_TAG_STRONG] = INLINE,
    [GUMBO_TAG_SMALL] = INLINE,
    [GUMBO_TAG_S] = INLINE,
    [GUMBO_TAG_CITE] = INLINE,
    [GUMBO_TAG_Q] = INLINE,
    [GUMBO_TAG_DFN] = INLINE,
    [GUMBO_TAG_ABBR] = INLINE,
    [GUMBO_TAG_DATA] = INLINE,
    [GUMBO_TAG_TIME] = INLINE,
    [GUMBO_TAG_CODE] = INLINE,
    [GUMBO_TAG_VAR] = INLINE,
    [GUMBO_TAG_SAMP] = INLINE,
    [GUMBO_TAG_KBD] = INLINE,
    [GUMBO_TAG_SUB] = INLINE,
    [GUMBO_TAG_SUP] = INLINE,
    [GUMBO_TAG_I] = INLINE,
    [GUMBO_TAG_B] = INLINE,
    [GUMBO_TAG_U] = INLINE,
    [GUMBO_TAG_MARK] = INLINE,
    [GUMBO_TAG_BDI] = INLINE,
    [GUMBO_TAG_BDO] = INLINE,
    [GUMBO_TAG_SPAN] = INLINE,
    [GUMBO_TAG_INS] = INLINE,
    [GUMBO_TAG_DEL] = INLINE,
    [GUMBO_TAG_MAP] = INLINE,
    [GUMBO_TAG_LABEL] = INLINE,
    [GUMBO_TAG_OUTPUT] = INLINE,
    [GUMBO_TAG_PROGRESS] = INLINE,
    [GUMBO_TAG_METER] = INLINE,
    [GUMBO_TAG_ACRONYM] = INLINE,
    [GUMBO_TAG_STRIKE] = INLINE,
    [GUMBO_TAG_BIG] = INLINE,
    [GUMBO_TAG_BLINK] = INLINE,
    [GUMBO_TAG_FONT] = INLINE,
    [GUMBO_TAG_TT] = INLINE,
};

typedef struct tidy {
    const char *at, *end;
    tw_bytes *out;
    unsigned char *open; /* the tags of elements that passed and are open, outermost first */
    size_t depth, capacity;
    uint32_t open_of[GUMBO_TAG_LAST + 1];   /* how many elements of each tag are open */
    bool lacks_end_tag[GUMBO_TAG_LAST + 1]; /* none of its end tags follows */
    bool xml;                               /* <div/> ends itself, as <br/> does */
    uint64_t work, most_work;
} tidy;

typedef struct html_span {
    const char *data;
    size_t length;
} html_span;

static bool is_word(html_span text, const char *word)
{
    return strlen(word) == text.length &&
           tw_bytes_equal_ignoring_case(text.data, word, text.length);
}

static bool contains(html_span text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.length; i++)
        if (tw_bytes_equal_ignoring_case(text.data + i, word, length))
            return true;
    return false;
}

/* ---- tags */

typedef struct tag {
    html_span name;
    GumboTag kind;
    bool is_end; /* </name> */
    bool closed; /* <name/> */
} tag;

/* The name that gumbo gets to see. A form becomes a division, since gumbo moves text out of forms
 * where they end. */
static const char *tag_name(GumboTag kind)
{
    return kind == GUMBO_TAG_FORM ? "div" : gumbo_normalized_tagname(kind);
}

static bool ends_name(char c)
{
    return tw_is_space(c) || c == '/' || c == '>';
}

/* Which tag a name is. Gumbo knows no longer name, and would ask the locale which small letter a
 * capital has. */
static GumboTag kind_of(html_span name)
{
    enum { LONGEST = 32 };
    char small[LONGEST];
    if (name.length > LONGEST)
        return GUMBO_TAG_UNKNOWN;
    for (size_t i = 0; i < name.length; i++)
        small[i] = tw_to_lower(name.data[i]);
    return gumbo_tagn_enum(small, (unsigned)name.length);
}

/* Reads the name of a tag, from behind its "<". */
static void take_name(tidy *in, tag *it)
{
    it->is_end = *in->at == '/';
    in->at += it->is_end;
    it->name.data = in->at;
    while (in->at < in->end && !ends_name(*in->at))
        in->at++;
    it->name.length = (size_t)(in->at - it->name.data);
    it->kind = kind_of(it->name);
}

static html_span take_value(tidy *in)
{
    html_span value = {"", 0};
    while (in->at < in->end && tw_is_space(*in->at))
        in->at++;
    if (in->at == in->end || *in->at == '>')
        return value;
    char quote = *in->at == '"' || *in->at == '\'' ? *in->at++ : '\0';
    value.data = in->at;
    while (in->at < in->end && (quote ? *in->at != quote : !tw_is_space(*in->at) && *in->at != '>'))
        in->at++;
    value.length = (size_t)(in->at - value.data);
    in->at += quote && in->at < in->end;
    return value;
}

/* Reads the next attribute; false at the end of the tag. */
static bool take_attribute(tidy *in, tag *it, html_span *name, html_span *value)
{
    while (in->at < in->end && (tw_is_space(*in->at) || *in->at == '/')) {
        it->closed = *in->at == '/';
        in->at++;
    }
    if (in->at == in->end || *in->at == '>')
        return false;
    it->closed = false;
    name->data = in->at++;
    while (in->at < in->end && *in->at != '=' && !ends_name(*in->at))
        in->at++;
    name->length = (size_t)(in->at - name->data);
    while (in->at < in->end && tw_is_space(*in->at))
        in->at++;
    *value = (html_span){"", 0};
    if (in->at < in->end && *in->at == '=') {
        in->at++;
        *value = take_value(in);
    }
    return true;
}

/* Whether a style has a declaration that can hide text. */
static bool hides(html_span style)
{
    static const char *const words[] = {"display", "visibility", "font-size",
                                        "opacity", "color",      "background"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains(style, words[i]))
            return true;
    return false;
}

/* Whether an attribute names its element, for style sheets and for us. */
static bool is_name(html_span name)
{
    return is_word(name, "class") || is_word(name, "id") || is_word(name, "role");
}

/* Whether an attribute says something about the text. */
static bool matters(const tag *it, html_span name, html_span value)
{
    if (is_word(name, "style"))
        return hides(value);
    if (is_word(name, "hidden") || is_word(name, "bgcolor"))
        return true;
    if (it->kind == GUMBO_TAG_A && is_word(name, "href"))
        return true;
    if (it->kind == GUMBO_TAG_FONT && is_word(name, "color"))
        return contains(value, "white") || contains(value, "#f");
    return is_name(name);
}

/* Writes an attribute with the quotes that its value does not have; nothing, if it has both. */
static int write_attribute(tw_bytes *out, html_span name, html_span value)
{
    char quote = memchr(value.data, '"', value.length) ? '\'' : '"';
    if (memchr(value.data, quote, value.length))
        return TWINSET_OK;
    int status = tw_bytes_reserve(out, name.length + value.length + 4);
    if (status != TWINSET_OK)
        return status;
    char *to = out->data + out->length;
    *to++ = ' ';
    memcpy(to, name.data, name.length);
    to += name.length;
    *to++ = '=';
    *to++ = quote;
    memcpy(to, value.data, value.length);
    to[value.length] = quote;
    out->length += name.length + value.length + 4;
    return TWINSET_OK;
}

/* Reads all attributes, and writes those that matter. *is_reason: one of them, other than a name,
 * is a reason to let the element pass. */
static int take_attributes(tidy *in, tag *it, bool *is_reason)
{
    html_span name, value;
    int status = TWINSET_OK;
    while (status == TWINSET_OK && take_attribute(in, it, &name, &value)) {
        if (it->is_end || (TRAITS[it->kind] & (SKIPPED | DROPPED)) || !matters(it, name, value))
            continue;
        *is_reason |= !is_name(name);
        if (it->kind == GUMBO_TAG_A && is_word(name, "href"))
            value.length = 0;
        status = write_attribute(in->out, name, value);
    }
    in->at += in->at < in->end; /* past the ">" */
    return status;
}

/* ---- open elements */

static int push(tidy *in, GumboTag kind)
{
    if (TW_GROW(in->open, in->capacity, in->depth + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    in->open[in->depth++] = (unsigned char)kind;
    in->open_of[kind]++;
    return TWINSET_OK;
}

/* Closes the innermost open element of a kind, and with a table all that is in it. False: none is
 * open, or it is too far away. */
static bool pop(tidy *in, GumboTag kind)
{
    size_t least = in->depth > REACH ? in->depth - REACH : 0, at = in->depth;
    while (at > least && in->open[at - 1] != kind && !(TRAITS[in->open[at - 1]] & SCOPE))
        at--;
    if (at == least || in->open[at - 1] != kind)
        return false;
    size_t above = in->depth - at;
    if (TRAITS[kind] & SCOPE) {
        for (; in->depth > at; in->depth--)
            in->open_of[in->open[in->depth - 1]]--;
        above = 0;
    }
    memmove(in->open + at - 1, in->open + at, above);
    in->depth--;
    in->open_of[kind]--;
    return true;
}

/* ---- the pass */

static bool is_end_tag(const char *at, const char *end, html_span name)
{
    return (size_t)(end - at) >= name.length + 2 && at[1] == '/' &&
           tw_bytes_equal_ignoring_case(at + 2, name.data, name.length) &&
           (at + 2 + name.length == end || ends_name(at[2 + name.length]));
}

/* Moves to the end tag of an element that is left out. Without one, the element is not left out,
 * but for scripts and style sheets, which go on to the end of the page. */
static void skip_content(tidy *in, const tag *it)
{
    bool needs_none = it->kind == GUMBO_TAG_SCRIPT || it->kind == GUMBO_TAG_STYLE;
    const char *at = in->lacks_end_tag[it->kind] ? NULL : in->at;
    while (at && (at = memchr(at, '<', (size_t)(in->end - at))) &&
           !is_end_tag(at, in->end, it->name))
        at++;
    in->lacks_end_tag[it->kind] = !at;
    if (at || needs_none)
        in->at = at ? at : in->end;
}

/* Completes a start tag of which name and attributes were written from `before` on, or takes it
 * back. */
static int write_start(tidy *in, const tag *it, bool is_reason, size_t before)
{
    unsigned traits = TRAITS[it->kind];
    bool closed = it->closed && in->xml && !(traits & VOID);
    if ((traits & INLINE) && ((!is_reason && in->open_of[it->kind] == 0) || closed)) {
        in->out->length = before;
        return TWINSET_OK;
    }
    int status = tw_bytes_append(in->out, ">", 1);
    if (status == TWINSET_OK && closed)
        return tw_bytes_printf(in->out, "</%s>", tag_name(it->kind));
    if (status == TWINSET_OK && !(traits & (VOID | ENDS_ITSELF)))
        status = push(in, it->kind);
    return status;
}

static int write_end(tidy *in, const tag *it)
{
    if (TRAITS[it->kind] & VOID)
        return TWINSET_OK;
    if (!(TRAITS[it->kind] & ENDS_ITSELF) && !pop(in, it->kind))
        return TWINSET_OK;
    return tw_bytes_printf(in->out, "</%s>", tag_name(it->kind));
}

/* Elements to leave out that gumbo does not know. */
static bool is_skipped_name(html_span name)
{
    return is_word(name, "dialog") || is_word(name, "annotation");
}

/* Writes a start tag up to its name. A link ends the one before it. */
static int write_name(tidy *in, const tag *it, size_t *before)
{
    int status = TWINSET_OK;
    if (it->kind == GUMBO_TAG_A && in->open_of[GUMBO_TAG_A] > 0 && pop(in, GUMBO_TAG_A))
        status = tw_bytes_append(in->out, "</a>", 4);
    *before = in->out->length;
    if (status == TWINSET_OK)
        status = tw_bytes_printf(in->out, "<%s%s", tag_name(it->kind),
                                 it->kind == GUMBO_TAG_FORM ? " role=form" : "");
    return status;
}

static int take_tag(tidy *in)
{
    tag it = {.closed = false};
    bool is_reason = false;
    size_t before = 0;
    take_name(in, &it);
    unsigned traits = TRAITS[it.kind];
    int status = TWINSET_OK;
    if (!it.is_end && !(traits & (SKIPPED | DROPPED)))
        status = write_name(in, &it, &before);
    if (status == TWINSET_OK)
        status = take_attributes(in, &it, &is_reason);
    if (status != TWINSET_OK)
        return status;
    if ((traits & SKIPPED) || is_skipped_name(it.name)) {
        if (!it.is_end && !(it.closed && in->xml))
            skip_content(in, &it);
        return TWINSET_OK;
    }
    if (traits & DROPPED) /* custom elements, with a hyphen, are mostly blocks */
        return memchr(it.name.data, '-', it.name.length) ? tw_bytes_append(in->out, "\n", 1)
                                                         : TWINSET_OK;
    return it.is_end ? write_end(in, &it) : write_start(in, &it, is_reason, before);
}

/* Skips <!-- -->, <!...> and <?...>; one without an end goes on to the end of the page. */
static void skip_declaration(tidy *in)
{
    const char *at = in->at;
    bool comment = in->end - at >= 3 && memcmp(at, "!--", 3) == 0;
    if (comment)
        for (at += 1; (at = memchr(at, '>', (size_t)(in->end - at))) &&
                      (at - in->at < 3 || at[-1] != '-' || at[-2] != '-');)
            at++;
    else
        at = memchr(at, '>', (size_t)(in->end - at));
    in->at = at ? at + 1 : in->end;
}

/* Takes what begins with a "<"; one that begins nothing is text. */
static int take_markup(tidy *in)
{
    size_t left = (size_t)(in->end - in->at);
    const char *next = in->at + 1;
    if (left >= 2 &&
        (tw_is_letter(*next) || (*next == '/' && left >= 3 && tw_is_letter(next[1])))) {
        in->at++;
        return take_tag(in);
    }
    if (left >= 2 && (*next == '!' || *next == '?' || *next == '/')) {
        in->at++;
        skip_declaration(in);
        return TWINSET_OK;
    }
    in->at++;
    return tw_bytes_append(in->out, "&lt;", 4);
}

static int take_all(tidy *in)
{
    while (in->at < in->end) {
        const char *from = in->at, *mark = memchr(from, '<', (size_t)(in->end - from));
        size_t length = (size_t)((mark ? mark : in->end) - from);
        if (tw_bytes_append(in->out, from, length) != TWINSET_OK)
            return TWINSET_NOMEM;
        in->at += length;
        if (mark && take_markup(in) != TWINSET_OK)
            return TWINSET_NOMEM;
        in->work += (uint64_t)(in->at - from) * in->depth;
        if (in->work > in->most_work)
            return TWINSET_IO;
    }
    return TWINSET_OK;
}

int tw_html_tidy(const char *source, size_t length, tw_bytes *out)
{
    html_span head = {source, length < 1024 ? length : 1024};
    tidy in = {.at = source,
               .end = source + length,
               .out = out,
               .xml = contains(head, "<?xml") || contains(head, "//www.w3.org/1999/xhtml"),
               .most_work = OPEN_IN_ALL + OPEN_PER_BYTE * length};
    int status = tw_bytes_reserve(out, length + 1);
    if (status == TWINSET_OK)
        status = take_all(&in);
    tw_free(in.open);
    return status;
}
