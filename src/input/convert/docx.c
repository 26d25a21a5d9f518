/*
 * Word documents: the body, then footnotes and endnotes. Left out are what was deleted while
 * changes were tracked, the instructions of fields, headers and footers, comments; and runs that
 * nobody sees, because they are hidden or white. White letters on a shade are an honest heading.
 * What shades a table or a box is written elsewhere, so white letters in these are kept.
 */
#include <string.h>

#include "convert/office.h"
#include "input.h"

typedef struct docx {
    bool in_run;
    bool vanished, white, marked; /* what is known of the run */
    bool shaded;                  /* the paragraph is */
    bool background;              /* the page has a colour */
    unsigned tables;              /* how many are open */
} docx;

static docx *state_of(const tw_office *office)
{
    return tw_office_state(office);
}

/* Whether a switch is on, which it is unless its value says otherwise. */
static bool is_on(const xmlChar **attributes, int count)
{
    return !tw_office_has(attributes, count, "val", "0") &&
           !tw_office_has(attributes, count, "val", "false") &&
           !tw_office_has(attributes, count, "val", "off");
}

/* Whether an attribute has a colour other than white. */
static bool is_coloured(const xmlChar **attributes, int count, const char *name)
{
    return tw_office_has(attributes, count, name, NULL) &&
           !tw_office_has(attributes, count, name, "auto") &&
           !tw_office_has(attributes, count, name, "none") &&
           !tw_office_has(attributes, count, name, "white") &&
           !tw_office_has(attributes, count, name, "FFFFFF") &&
           !tw_office_has(attributes, count, name, "ffffff");
}

static void start_background(tw_office *office, const xmlChar **attributes, int count)
{
    state_of(office)->background = is_coloured(attributes, count, "color");
}

static void start_paragraph(tw_office *office, const xmlChar **attributes, int count)
{
    (void)attributes, (void)count;
    state_of(office)->shaded = false;
}

static void end_run(tw_office *office)
{
    docx *state = state_of(office);
    state->in_run = state->vanished = state->white = state->marked = false;
}

static void start_run(tw_office *office, const xmlChar **attributes, int count)
{
    (void)attributes, (void)count;
    end_run(office);
    state_of(office)->in_run = true;
}

static void start_vanish(tw_office *office, const xmlChar **attributes, int count)
{
    state_of(office)->vanished = is_on(attributes, count);
}

static void start_color(tw_office *office, const xmlChar **attributes, int count)
{
    state_of(office)->white = tw_office_has(attributes, count, "val", "FFFFFF") ||
                              tw_office_has(attributes, count, "val", "ffffff");
}

static void start_highlight(tw_office *office, const xmlChar **attributes, int count)
{
    state_of(office)->marked |= is_coloured(attributes, count, "val");
}

static void start_shading(tw_office *office, const xmlChar **attributes, int count)
{
    docx *state = state_of(office);
    if (is_coloured(attributes, count, "fill"))
        *(state->in_run ? &state->marked : &state->shaded) = true;
}

static void start_table(tw_office *office, const xmlChar **attributes, int count)
{
    (void)attributes, (void)count;
    state_of(office)->tables++;
}

static void end_table(tw_office *office)
{
    state_of(office)->tables--;
}

static void start_text(tw_office *office, const xmlChar **attributes, int count)
{
    (void)attributes, (void)count;
    const docx *state = state_of(office);
    bool invisible = state->white && !state->marked && !state->shaded && !state->background &&
                     state->tables == 0 && tw_office_open_asides(office) == 0;
    if (state->vanished || invisible)
        tw_office_hide(office);
}

static const tw_office_rule rules[] = {
    {"Fallback", TW_OFFICE_SKIP, NULL, NULL, NULL}, /* repeats a text box for old programs */
    {"background", 0, NULL, start_background, NULL},
    {"br", 0, "\n", NULL, NULL},
    {"color", 0, NULL, start_color, NULL},
    {"cr", 0, "\n", NULL, NULL},
    {"del", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"highlight", 0, NULL, start_highlight, NULL},
    {"moveFrom", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"noBreakHyphen", 0, "\xE2\x80\x91", NULL, NULL},
    {"p", TW_OFFICE_BLOCK, NULL, start_paragraph, NULL},
    {"pPrChange", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"ptab", 0, "\t", NULL, NULL},
    {"r", 0, NULL, start_run, end_run},
    {"rPrChange", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"rt", TW_OFFICE_SKIP, NULL, NULL, NULL}, /* how to pronounce the text below it */
    {"shd", 0, NULL, start_shading, NULL},
    {"t", TW_OFFICE_TEXT, NULL, start_text, NULL},
    {"tab", 0, "\t", NULL, NULL},
    {"tabs", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"tbl", 0, NULL, start_table, end_table},
    {"txbxContent", TW_OFFICE_ASIDE, NULL, NULL, NULL},
    {"vanish", 0, NULL, start_vanish, NULL},
};

static const tw_office_format format = {
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    /* Word in a browser writes document2.xml. */
    .streams = {"word/document*.xml", "word/footnotes.xml", "word/endnotes.xml"},
};

static int convert(const tw_material *from, tw_converted *to)
{
    docx state = {0};
    return tw_office_convert(&format, &state, from, to);
}

const tw_converter tw_convert_docx = {
    .kind = "docx", .endings = "docx docm dotx", .convert = convert};

/* People give this name to documents of any kind. HTML and RTF are recognised by their start, and
 * do not come here. */
static int convert_doc(const tw_material *from, tw_converted *to)
{
    static const char *const starts[] = {"PK\x03\x04", "\xD0\xCF\x11\xE0"};
    for (size_t i = 0; i < 2; i++)
        if (from->length >= 4 && memcmp(from->bytes, starts[i], 4) == 0)
            return convert(from, to);
    if (tw_is_binary(from->bytes, from->length))
        return tw_refuse(to, "binary file");
    size_t start = to->text.length;
    int status = tw_to_utf8(from->bytes, from->length, NULL, to);
    if (status == TWINSET_OK && to->text.length - start > from->limit_bytes)
        return tw_refuse_large(to, from->limit_bytes);
    return status;
}

const tw_converter tw_convert_doc = {.kind = "doc", .endings = "doc", .convert = convert_doc};
