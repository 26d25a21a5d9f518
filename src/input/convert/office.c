/*
 * The text of parts of XML in a zip. Parts are unpacked, parsed and thrown away piece by piece:
 * only text is held, in time that is linear in the unpacked XML. libxml2 reads no other file,
 * and stops at the first declaration of a document type, so that there are no entities to
 * expand; it refuses elements more than 256 deep. A start tag takes it time that is quadratic
 * in the number of attributes, so that must be watched as well.
 */
#define _GNU_SOURCE /* memmem */
#include "convert/office.h"

#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"

/* XML of a document, pictures left out: a shelf of books. */
#define MOST_XML_BYTES ((uint64_t)256000000)
/* Namespaces in scope count as well; the largest elements have some fifty. */
enum { MOST_ATTRIBUTES = 200, ATTRIBUTE_WORDS = 5, NAMESPACE_WORDS = 2 };

struct tw_office {
    const tw_office_format *format;
    void *own;
    xmlParserCtxtPtr parser;
    uint64_t limit_bytes, left_bytes; /* of text */
    unsigned flags;

    tw_archive *archive; /* the XML: what is left of a piece, then more of the member, */
    const char *piece;   /* or no more where this is NULL */
    size_t piece_length;

    tw_bytes texts[TW_OFFICE_PARTS], aside;
    tw_bytes *text;                       /* of the part */
    unsigned skips, hides, asides, spans; /* open elements: inside of one that is left out, or
                                             that no one sees; asides; with text */
    int status;                           /* of the first failure */
    tw_converted *to;
};

/* ---- for formats */

void *tw_office_own(const tw_office *office)
{
    return office->own;
}

unsigned tw_office_asides(const tw_office *office)
{
    return office->asides;
}

void tw_office_hide(tw_office *office)
{
    if (office->hides == 0)
        office->hides = 1;
}

const char *tw_office_value(const xmlChar **attributes, int count, const char *name, size_t *length)
{
    for (int i = 0; i < count; i++, attributes += ATTRIBUTE_WORDS) {
        if (strcmp((const char *)attributes[0], name) != 0)
            continue;
        *length = (size_t)(attributes[4] - attributes[3]);
        return (const char *)attributes[3];
    }
    return NULL;
}

bool tw_office_has(const xmlChar **attributes, int count, const char *name, const char *value)
{
    size_t length;
    const char *found = tw_office_value(attributes, count, name, &length);
    return found && (!value || (strlen(value) == length && memcmp(found, value, length) == 0));
}

/* ---- text */

static void fail(tw_office *office, int status)
{
    if (office->status == TWINSET_OK)
        office->status = status;
    xmlStopParser(office->parser);
}

static tw_bytes *output(tw_office *office)
{
    return office->asides ? &office->aside : office->text;
}

static bool is_blank(const char *text, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", *text))
        text++, length--;
    return length == 0;
}

void tw_office_add(tw_office *office, const char *text, size_t length)
{
    if (office->hides > 0) {
        if (!is_blank(text, length))
            office->flags |= TWINSET_FLAG_HIDDEN_TEXT;
        return;
    }
    if (length > office->left_bytes) {
        fail(office, tw_refuse_large(office->to, office->limit_bytes));
        return;
    }
    office->left_bytes -= length;
    if (tw_bytes_append(output(office), text, length) != TWINSET_OK)
        fail(office, TWINSET_NOMEM);
}

static void end_line(tw_office *office)
{
    const tw_bytes *out = output(office);
    if (out->length > 0 && out->data[out->length - 1] != '\n')
        tw_office_add(office, "\n", 1);
}

/* ---- elements */

static int by_name(const void *name, const void *rule)
{
    return strcmp(name, ((const tw_office_rule *)rule)->name);
}

static const tw_office_rule *rule_of(const tw_office *office, const xmlChar *name)
{
    return bsearch(name, office->format->rules, office->format->rule_count,
                   sizeof *office->format->rules, by_name);
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix,
                     const xmlChar *space, int space_count, const xmlChar **spaces, int count,
                     int default_count, const xmlChar **attributes)
{
    (void)prefix, (void)space, (void)space_count, (void)spaces, (void)default_count;
    tw_office *office = context;
    const tw_office_rule *rule = office->skips ? NULL : rule_of(office, name);
    if (office->skips > 0 || (rule && rule->meaning & TW_OFFICE_SKIP)) {
        office->skips++;
        return;
    }
    office->hides += office->hides > 0;
    if (!rule)
        return;
    if (rule->meaning & TW_OFFICE_ASIDE)
        office->asides++;
    if (rule->meaning & TW_OFFICE_BLOCK)
        end_line(office);
    if (rule->meaning & TW_OFFICE_TEXT)
        office->spans++;
    if (rule->start)
        rule->start(office, attributes, count);
    if (rule->insert)
        tw_office_add(office, rule->insert, strlen(rule->insert));
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *space)
{
    (void)prefix, (void)space;
    tw_office *office = context;
    if (office->skips > 0) {
        office->skips--;
        return;
    }
    const tw_office_rule *rule = rule_of(office, name);
    if (rule && rule->end)
        rule->end(office);
    if (rule && rule->meaning & TW_OFFICE_TEXT)
        office->spans--;
    if (rule && rule->meaning & (TW_OFFICE_BLOCK | TW_OFFICE_ASIDE))
        end_line(office);
    if (rule && rule->meaning & TW_OFFICE_ASIDE)
        office->asides--;
    office->hides -= office->hides > 0;
}

static void on_text(void *context, const xmlChar *text, int length)
{
    tw_office *office = context;
    if (office->spans > 0 && office->skips == 0)
        tw_office_add(office, (const char *)text, (size_t)length);
}

static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    tw_office *office = context;
    fail(office, tw_refuse(office->to, "declares a document type of its own"));
}

static void on_error(void *context, xmlErrorPtr error)
{
    (void)context, (void)error; /* else it would print */
}

/* ---- XML */

/* libxml2 asks for more. */
static int give(void *context, char *buffer, int room)
{
    tw_office *office = context;
    const char *reason;
    if (office->parser && (office->parser->maxatts > MOST_ATTRIBUTES * ATTRIBUTE_WORDS ||
                           office->parser->nsMax > MOST_ATTRIBUTES * NAMESPACE_WORDS)) {
        office->status = tw_refuse(office->to, "damaged: an element of too many attributes");
        return -1;
    }
    if (office->piece_length == 0 && office->archive) {
        int status =
            tw_archive_read_some(office->archive, &office->piece, &office->piece_length, &reason);
        if (status != TWINSET_OK) {
            tw_refuse(office->to, "%s", reason);
            office->status = status;
            return -1;
        }
    }
    size_t length = office->piece_length < (size_t)room ? office->piece_length : (size_t)room;
    memcpy(buffer, office->piece, length);
    office->piece += length;
    office->piece_length -= length;
    return (int)length;
}

/* What the parser came to. Its limit of bytes in names looks like memory that ran out. */
static int outcome(tw_office *office, const char *part)
{
    xmlParserCtxtPtr parser = office->parser;
    if (office->status != TWINSET_OK || parser->wellFormed)
        return office->status;
    if (parser->errNo == XML_ERR_NO_MEMORY &&
        xmlDictGetUsage(parser->dict) < XML_MAX_DICTIONARY_LIMIT / 2)
        return TWINSET_NOMEM;
    if (parser->nameNr > (int)xmlParserMaxDepth)
        return tw_refuse(office->to, "damaged: %s is nested too deeply", part);
    return tw_refuse(office->to, "damaged: %s is no XML, or cut off", part);
}

/* Appends the text of the part to office->text. */
static int parse(tw_office *office, const char *part)
{
    xmlSAXHandler handler = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = on_start,
        .endElementNs = on_end,
        .characters = on_text,
        .ignorableWhitespace = on_text,
        .internalSubset = on_document_type,
        .serror = on_error,
    };
    office->parser = NULL;
    office->skips = office->hides = office->asides = office->spans = 0;
    office->parser =
        xmlCreateIOParserCtxt(&handler, office, give, NULL, office, XML_CHAR_ENCODING_NONE);
    if (!office->parser)
        return office->status != TWINSET_OK ? office->status : TWINSET_NOMEM;
    xmlCtxtUseOptions(office->parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlParseDocument(office->parser);
    int status = outcome(office, part);
    xmlFreeParserCtxt(office->parser);
    if (status == TWINSET_OK && office->aside.length > 0)
        status = tw_bytes_append(office->text, office->aside.data, office->aside.length);
    office->aside.length = 0;
    return status;
}

/* ---- the zip */

/* Whether a pattern is for this name; its *, if it has one, stands for any bytes but a slash. */
static bool is_for(const char *pattern, const char *name)
{
    size_t length = strlen(name), before = strcspn(pattern, "*");
    if (pattern[before] == '\0')
        return strcmp(pattern, name) == 0;
    size_t after = strlen(pattern + before + 1);
    return length >= before + after && memcmp(pattern, name, before) == 0 &&
           strcmp(pattern + before + 1, name + length - after) == 0 &&
           !memchr(name + before, '/', length - after - before);
}

/* The number of a part, or TW_OFFICE_PARTS. */
static size_t part_of(const tw_office_format *format, const char *name)
{
    for (size_t i = 0; i < TW_OFFICE_PARTS && format->parts[i]; i++)
        if (is_for(format->parts[i], name))
            return i;
    return TW_OFFICE_PARTS;
}

static int read_parts(tw_office *office, bool *found)
{
    tw_member member;
    const char *reason;
    for (;;) {
        int status = tw_archive_next(office->archive, &member, &reason);
        if (status != TWINSET_OK) {
            tw_refuse(office->to, "%s", reason);
            return status;
        }
        if (!member.name)
            return TWINSET_OK;
        size_t part = part_of(office->format, member.name);
        if (part == TW_OFFICE_PARTS)
            continue;
        office->text = &office->texts[part];
        *found |= part == 0;
        status = parse(office, member.name);
        if (status != TWINSET_OK)
            return status;
    }
}

static int read_zip(tw_office *office, const tw_material *from)
{
    const char *reason;
    bool found = false;
    int status = tw_archive_open(NULL, from->bytes, from->length, MOST_XML_BYTES, NULL,
                                 &office->archive, &reason);
    if (status != TWINSET_OK) {
        tw_refuse(office->to, "%s", reason);
        return status;
    }
    status = read_parts(office, &found);
    tw_archive_close(office->archive);
    if (status == TWINSET_OK && !found)
        status = tw_refuse(office->to, "damaged: there is no %s in it", office->format->parts[0]);
    return status;
}

static bool starts_with(const tw_material *from, const char *start, size_t length)
{
    return from->length >= length && memcmp(from->bytes, start, length) == 0;
}

/* Word keeps encrypted documents in the container that it had before 2007. */
static int refuse_container(const tw_material *from, tw_converted *to)
{
    static const char name[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e";
    if (memmem(from->bytes, from->length, name, sizeof name - 1))
        return tw_refuse(to, "encrypted");
    return tw_refuse(to, "a file of Word 97 to 2003: save it as .docx");
}

static int read_any(tw_office *office, const tw_material *from)
{
    if (starts_with(from, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8))
        return refuse_container(from, office->to);
    if (!office->format->flat || starts_with(from, "PK", 2))
        return read_zip(office, from);
    office->text = &office->texts[0];
    office->piece = from->length > 0 ? from->bytes : "";
    office->piece_length = from->length;
    return parse(office, "it");
}

int tw_office_convert(const tw_office_format *format, void *own, const tw_material *from,
                      tw_converted *to)
{
    tw_office office = {.format = format,
                        .own = own,
                        .limit_bytes = from->limit_bytes,
                        .left_bytes = from->limit_bytes,
                        .to = to};
    int status = read_any(&office, from);
    for (size_t i = 0; i < TW_OFFICE_PARTS && status == TWINSET_OK; i++)
        status = tw_bytes_append(&to->text, office.texts[i].data, office.texts[i].length);
    if (status == TWINSET_OK)
        to->flags |= office.flags;
    for (size_t i = 0; i < TW_OFFICE_PARTS; i++)
        tw_bytes_free(&office.texts[i]);
    tw_bytes_free(&office.aside);
    return status;
}
