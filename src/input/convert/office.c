/*
 * Reads the text of streams of XML in a zip. They are unpacked and parsed in chunks, so that memory
 * holds the text alone, in time that is linear in the unpacked XML. libxml2 reads no other file. It
 * stops at the first declaration of a document type, so that there are no entities to expand, and
 * refuses elements that are nested more than 256 deep. The time for a start tag is quadratic in the
 * number of attributes, so they are counted.
 */
#define _GNU_SOURCE /* memmem */
#include "convert/office.h"

#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"

/* The XML of a document without its pictures: this is a shelf of books. */
#define MOST_XML_BYTES ((uint64_t)256000000)
/* Namespaces in scope count as well. The largest elements have some fifty. */
enum { MOST_ATTRIBUTES = 200, ATTRIBUTE_WORDS = 5, NAMESPACE_WORDS = 2 };

struct tw_office {
    const tw_office_format *format;
    void *state;
    xmlParserCtxtPtr parser;
    uint64_t limit_bytes, left_bytes; /* how much text there may be, and may still come */
    unsigned flags;

    tw_archive *archive; /* where more of the XML comes from, or NULL */
    const char *chunk;   /* what was read of it and is not parsed yet */
    size_t chunk_length;

    tw_bytes texts[TW_OFFICE_STREAMS], aside;
    tw_bytes *text; /* that of the stream that is parsed */
    /* How many elements are open: in one that is left out; in one that nobody sees; of
     * TW_OFFICE_ASIDE; of TW_OFFICE_TEXT. */
    unsigned skips, hides, asides, texts_open;
    int status; /* the status of the first failure */
    tw_converted *to;
};

/* ---- for formats */

void *tw_office_state(const tw_office *office)
{
    return office->state;
}

unsigned tw_office_open_asides(const tw_office *office)
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

/* Where text goes. */
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

static int compare_name(const void *name, const void *rule)
{
    return strcmp(name, ((const tw_office_rule *)rule)->name);
}

static const tw_office_rule *rule_of(const tw_office *office, const xmlChar *name)
{
    return bsearch(name, office->format->rules, office->format->rule_count,
                   sizeof *office->format->rules, compare_name);
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
        office->texts_open++;
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
        office->texts_open--;
    if (rule && rule->meaning & (TW_OFFICE_BLOCK | TW_OFFICE_ASIDE))
        end_line(office);
    if (rule && rule->meaning & TW_OFFICE_ASIDE)
        office->asides--;
    office->hides -= office->hides > 0;
}

static void on_text(void *context, const xmlChar *text, int length)
{
    tw_office *office = context;
    if (office->texts_open > 0 && office->skips == 0)
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
    (void)context, (void)error; /* without this function it would print */
}

/* ---- XML */

/* Gives libxml2 more XML. */
static int give(void *context, char *buffer, int space)
{
    tw_office *office = context;
    const char *reason;
    if (office->parser && (office->parser->maxatts > MOST_ATTRIBUTES * ATTRIBUTE_WORDS ||
                           office->parser->nsMax > MOST_ATTRIBUTES * NAMESPACE_WORDS)) {
        office->status = tw_refuse(office->to, "damaged: an element of too many attributes");
        return -1;
    }
    if (office->chunk_length == 0 && office->archive) {
        int status =
            tw_archive_read_some(office->archive, &office->chunk, &office->chunk_length, &reason);
        if (status != TWINSET_OK) {
            tw_refuse(office->to, "%s", reason);
            office->status = status;
            return -1;
        }
    }
    size_t length = office->chunk_length < (size_t)space ? office->chunk_length : (size_t)space;
    memcpy(buffer, office->chunk, length);
    office->chunk += length;
    office->chunk_length -= length;
    return (int)length;
}

/* The status after parsing. A parser that has reached its limit of bytes in names says that memory
 * ran out. */
static int parsing_status(tw_office *office, const char *name)
{
    xmlParserCtxtPtr parser = office->parser;
    if (office->status != TWINSET_OK || parser->wellFormed)
        return office->status;
    if (parser->errNo == XML_ERR_NO_MEMORY &&
        xmlDictGetUsage(parser->dict) < XML_MAX_DICTIONARY_LIMIT / 2)
        return TWINSET_NOMEM;
    if (parser->nameNr > (int)xmlParserMaxDepth)
        return tw_refuse(office->to, "damaged: %s is nested too deeply", name);
    return tw_refuse(office->to, "damaged: %s is no XML, or cut off", name);
}

/* Appends the text of a stream to office->text. */
static int parse(tw_office *office, const char *name)
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
    office->skips = office->hides = office->asides = office->texts_open = 0;
    office->parser =
        xmlCreateIOParserCtxt(&handler, office, give, NULL, office, XML_CHAR_ENCODING_NONE);
    if (!office->parser)
        return office->status != TWINSET_OK ? office->status : TWINSET_NOMEM;
    xmlCtxtUseOptions(office->parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlParseDocument(office->parser);
    int status = parsing_status(office, name);
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

/* The index of the stream of this name, or TW_OFFICE_STREAMS. */
static size_t find_stream(const tw_office_format *format, const char *name)
{
    for (size_t i = 0; i < TW_OFFICE_STREAMS && format->streams[i]; i++)
        if (is_for(format->streams[i], name))
            return i;
    return TW_OFFICE_STREAMS;
}

static int read_streams(tw_office *office, bool *found)
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
        size_t stream = find_stream(office->format, member.name);
        if (stream == TW_OFFICE_STREAMS)
            continue;
        office->text = &office->texts[stream];
        *found |= stream == 0;
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
    status = read_streams(office, &found);
    tw_archive_close(office->archive);
    if (status == TWINSET_OK && !found)
        status = tw_refuse(office->to, "damaged: there is no %s in it", office->format->streams[0]);
    return status;
}

static bool starts_with(const tw_material *from, const char *start, size_t length)
{
    return from->length >= length && memcmp(from->bytes, start, length) == 0;
}

/* Refuses a file in the container of Word before 2007, which also holds encrypted documents. */
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
    office->chunk = from->length > 0 ? from->bytes : "";
    office->chunk_length = from->length;
    return parse(office, "it");
}

/* Both require that the first member of the zip is this one, and not packed. A zip begins with 30
 * bytes, of which two at 28 are the length of what is between the name and the content. */
bool tw_office_has_type(const char *head, size_t length, const char *type)
{
    static const char name[] = "mimetype";
    const size_t start = 30, name_length = sizeof name - 1, type_length = strlen(type);
    if (length < start + name_length || memcmp(head, "PK\3\4", 4) != 0 ||
        memcmp(head + start, name, name_length) != 0)
        return false;
    size_t extra = (unsigned char)head[28] | (size_t)(unsigned char)head[29] << 8;
    size_t offset = start + name_length + extra;
    return length >= offset + type_length && memcmp(head + offset, type, type_length) == 0;
}

int tw_office_convert(const tw_office_format *format, void *state, const tw_material *from,
                      tw_converted *to)
{
    tw_office office = {.format = format,
                        .state = state,
                        .limit_bytes = from->limit_bytes,
                        .left_bytes = from->limit_bytes,
                        .to = to};
    int status = read_any(&office, from);
    for (size_t i = 0; i < TW_OFFICE_STREAMS && status == TWINSET_OK; i++)
        status = tw_bytes_append(&to->text, office.texts[i].data, office.texts[i].length);
    if (status == TWINSET_OK)
        to->flags |= office.flags;
    for (size_t i = 0; i < TW_OFFICE_STREAMS; i++)
        tw_bytes_free(&office.texts[i]);
    tw_bytes_free(&office.aside);
    return status;
}
