/*
 * OpenDocument texts: the body, then notes and what is in frames. Left out are what was deleted
 * while changes were tracked, comments, headers and footers; and what nobody sees, in sections
 * that are not shown, or in a style of this document that is hidden or white. White on a
 * background of its own, in a table or in a frame is an honest heading.
 */
#define _GNU_SOURCE /* memmem */
#include "convert/office.h"

#include <string.h>

#include "archive.h"
#include "common.h"

/* Documents have dozens of styles, of which one or two hide text; no more than this many are kept.
 */
enum { MOST_HIDING = 64, NAME_BYTES = 64, MOST_SPACES = 64 };

typedef struct style {
    char name[NAME_BYTES]; /* "" if it is longer */
    bool hidden, white, background;
} style;

typedef struct odt {
    style styles[MOST_HIDING]; /* those that hide text */
    size_t style_count;
    style style;     /* the one that is open */
    unsigned tables; /* how many are open */
} odt;

static odt *state_of(const tw_office *office)
{
    return tw_office_state(office);
}

/* ---- styles */

static void start_style(tw_office *office, const xmlChar **attributes, int count)
{
    size_t length;
    const char *name = tw_office_value(attributes, count, "name", &length);
    style *open = &state_of(office)->style;
    *open = (style){0};
    if (name && length < NAME_BYTES)
        memcpy(open->name, name, length);
}

static void start_properties(tw_office *office, const xmlChar **attributes, int count)
{
    style *open = &state_of(office)->style;
    open->hidden |= tw_office_has(attributes, count, "display", "none");
    open->white |= tw_office_has(attributes, count, "color", "#ffffff");
    open->background |= tw_office_has(attributes, count, "background-color", NULL) &&
                        !tw_office_has(attributes, count, "background-color", "transparent") &&
                        !tw_office_has(attributes, count, "background-color", "#ffffff");
}

static void end_style(tw_office *office)
{
    odt *state = state_of(office);
    const style *open = &state->style;
    bool hides = open->hidden || (open->white && !open->background);
    if (hides && open->name[0] && state->style_count < MOST_HIDING)
        state->styles[state->style_count++] = *open;
}

static const style *find_hiding_style(const odt *state, const char *name, size_t length)
{
    for (size_t i = 0; i < state->style_count; i++)
        if (strlen(state->styles[i].name) == length &&
            memcmp(state->styles[i].name, name, length) == 0)
            return &state->styles[i];
    return NULL;
}

/* ---- text */

static void start_styled(tw_office *office, const xmlChar **attributes, int count)
{
    size_t length;
    const odt *state = state_of(office);
    const char *name = tw_office_value(attributes, count, "style-name", &length);
    const style *hides = name ? find_hiding_style(state, name, length) : NULL;
    bool framed = state->tables > 0 || tw_office_open_asides(office) > 0;
    if (hides && (hides->hidden || !framed))
        tw_office_hide(office);
}

static void start_section(tw_office *office, const xmlChar **attributes, int count)
{
    if (tw_office_has(attributes, count, "display", "none"))
        tw_office_hide(office);
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

static void start_spaces(tw_office *office, const xmlChar **attributes, int count)
{
    static const char spaces[] = "                                                                ";
    size_t length = 0, number = 0;
    const char *digits = tw_office_value(attributes, count, "c", &length);
    for (size_t i = 0; i < length && tw_is_digit(digits[i]); i++)
        number = number < MOST_SPACES ? number * 10 + (size_t)(digits[i] - '0') : MOST_SPACES;
    number = !digits ? 1 : number < MOST_SPACES ? number : MOST_SPACES;
    tw_office_add(office, spaces, number);
}

static const tw_office_rule rules[] = {
    {"annotation", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"binary-data", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"custom-shape", TW_OFFICE_ASIDE, NULL, NULL, NULL},
    {"desc", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"h", TW_OFFICE_BLOCK | TW_OFFICE_TEXT, NULL, start_styled, NULL},
    {"line-break", 0, "\n", NULL, NULL},
    {"master-styles", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"note", TW_OFFICE_ASIDE, NULL, NULL, NULL},
    {"note-citation", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"number", TW_OFFICE_SKIP, NULL, NULL, NULL}, /* of a heading or list, as programs count */
    {"p", TW_OFFICE_BLOCK | TW_OFFICE_TEXT, NULL, start_styled, NULL},
    {"paragraph-properties", 0, NULL, start_properties, NULL},
    {"ruby-text", TW_OFFICE_SKIP, NULL, NULL, NULL}, /* how to pronounce what is below it */
    {"s", 0, NULL, start_spaces, NULL},
    {"section", 0, NULL, start_section, NULL},
    {"span", 0, NULL, start_styled, NULL},
    {"style", 0, NULL, start_style, end_style},
    {"tab", 0, "\t", NULL, NULL},
    {"table", 0, NULL, start_table, end_table},
    {"text-box", TW_OFFICE_ASIDE, NULL, NULL, NULL},
    {"text-properties", 0, NULL, start_properties, NULL},
    {"title", TW_OFFICE_SKIP, NULL, NULL, NULL},
    {"tracked-changes", TW_OFFICE_SKIP, NULL, NULL, NULL},
};

static const tw_office_format format = {
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .streams = {"content.xml"},
    .flat = true,
};

/* ---- the file */

enum { MOST_MANIFEST_BYTES = 1 << 20 };

static int find_encryption(tw_archive *archive, bool *encrypted)
{
    tw_member member;
    const char *reason;
    tw_bytes manifest = {0};
    int status = tw_archive_next(archive, &member, &reason);
    while (status == TWINSET_OK && member.name && strcmp(member.name, "META-INF/manifest.xml") != 0)
        status = tw_archive_next(archive, &member, &reason);
    if (status == TWINSET_OK && member.name)
        status = tw_archive_read(archive, MOST_MANIFEST_BYTES, &manifest, &reason);
    *encrypted = status == TWINSET_OK && manifest.length > 0 &&
                 memmem(manifest.data, manifest.length, "encryption-data", 15);
    tw_bytes_free(&manifest);
    return status;
}

/* Whether a document is encrypted. Its streams are encrypted one by one, and only the manifest says
 * so. */
static bool is_encrypted(const tw_material *from)
{
    bool encrypted = false;
    tw_archive *archive;
    const char *reason;
    if (tw_archive_open(NULL, from->bytes, from->length, MOST_MANIFEST_BYTES, NULL, &archive,
                        &reason) != TWINSET_OK)
        return false;
    int status = find_encryption(archive, &encrypted);
    tw_archive_close(archive);
    return status == TWINSET_OK && encrypted;
}

static int convert(const tw_material *from, tw_converted *to)
{
    odt state = {.style_count = 0};
    int status = tw_office_convert(&format, &state, from, to);
    if (status == TWINSET_IO && is_encrypted(from))
        return tw_refuse(to, "encrypted");
    return status;
}

static bool looks_like(const char *head, size_t length)
{
    return tw_office_has_type(head, length, "application/vnd.oasis.opendocument.text");
}

const tw_converter tw_convert_odt = {
    .kind = "odt", .endings = "odt ott fodt", .looks_like = looks_like, .convert = convert};
