/*
 * What the documents of a file are: the whole file, its lines, or the files in it. The name decides
 * where it says something, as notes.txt and crawl.jsonl.gz do. Otherwise the first bytes decide,
 * unpacked if they are packed, which costs opening the file once more. What bytes look like is
 * judged by strict rules, since a text that is taken apart by mistake is lost as a text.
 */
#include "kind.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "convert.h"
#include "input.h"

/* How many bytes at the start of a file are looked at, and how many if its first line is longer. */
enum { HEAD_BYTES = 64 << 10, LONG_HEAD_BYTES = 4 << 20 };

/* ---- names */

/* Takes an ending off the length of a name; false: it does not end so. */
static bool strip_ending(const char *name, size_t *length, const char *ending)
{
    if (!tw_ends_ignoring_case(name, *length, ending))
        return false;
    *length -= strlen(ending);
    return true;
}

/* Whether a name ends in one of these ways, and has something before it. */
static bool ends_in(const char *name, size_t length, const char *const *endings)
{
    for (; *endings; endings++)
        if (length > strlen(*endings) && tw_ends_ignoring_case(name, length, *endings))
            return true;
    return false;
}

bool tw_strip_packing(const char *name, size_t *length)
{
    static const char *const packings[] = {".gz", ".zst", ".xz", ".bz2"};
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
        if (strip_ending(name, length, packings[i]))
            return true;
    return false;
}

bool tw_name_is_packed(const char *path)
{
    size_t length = strlen(path);
    return tw_strip_packing(path, &length);
}

/* Whether a name is that of a table: .csv, .tsv. */
static bool is_table_name(const char *name)
{
    static const char *const endings[] = {".csv", ".tsv", NULL};
    size_t length = strlen(name);
    tw_strip_packing(name, &length);
    return ends_in(name, length, endings);
}

bool tw_input_kind_by_name(const char *path, tw_input_kind *kind)
{
    static const char *const archives[] = {".zip",  ".tar",     ".tar.gz", ".tgz",
                                           ".txz",  ".tar.xz",  ".tzst",   ".tar.zst",
                                           ".tbz2", ".tar.bz2", ".7z",     NULL};
    static const char *const mbox[] = {".mbox", NULL}, *const warc[] = {".warc", NULL},
                             *const lines[] = {".jsonl", ".ndjson", NULL};
    size_t length = strlen(path), unpacked = length;
    tw_strip_packing(path, &unpacked);
    *kind = ends_in(path, length, archives)                            ? TW_INPUT_ARCHIVE
            : ends_in(path, unpacked, mbox)                            ? TW_INPUT_MBOX
            : ends_in(path, unpacked, warc)                            ? TW_INPUT_WARC
            : ends_in(path, unpacked, lines) || strcmp(path, "-") == 0 ? TW_INPUT_JSONL
                                                                       : TW_INPUT_TEXT;
    return *kind != TW_INPUT_TEXT || is_table_name(path);
}

bool tw_name_has_members(const char *name)
{
    tw_input_kind kind;
    return tw_input_kind_by_name(name, &kind) && tw_kind_has_members(kind);
}

/* ---- first bytes */

typedef struct text_span {
    const char *at, *end;
} text_span;

/* Takes the next line that is not blank; false: there is none. *is_whole: a newline follows it. */
static bool take_line(text_span *text, text_span *line, bool *is_whole)
{
    while (text->at < text->end && tw_is_white(*text->at))
        text->at++;
    const char *newline =
        text->at < text->end ? memchr(text->at, '\n', (size_t)(text->end - text->at)) : NULL;
    *is_whole = newline != NULL;
    *line = (text_span){text->at, newline ? newline : text->end};
    while (line->end > line->at && tw_is_white(line->end[-1]))
        line->end--;
    text->at = newline ? newline + 1 : text->end;
    return line->at < line->end;
}

/* Whether a line starts as an object of JSON does. */
static bool starts_object(text_span line)
{
    const char *at = line.at + 1;
    if (line.at == line.end || *line.at != '{')
        return false;
    while (at < line.end && tw_is_white(*at))
        at++;
    return at < line.end && (*at == '"' || *at == '}');
}

static bool is_object(text_span line)
{
    return starts_object(line) && line.end[-1] == '}';
}

/* Whether a line has the field that holds texts: "text" and a colon. */
static bool has_field(text_span line, const char *field)
{
    const char *dot = field ? strrchr(field, '.') : NULL, *name = dot ? dot + 1 : field;
    size_t length = name ? strlen(name) : 0;
    for (const char *at = line.at; length > 0 && (size_t)(line.end - at) > length + 2; at++) {
        at = memchr(at, '"', (size_t)(line.end - at) - length - 2);
        if (!at)
            return false;
        if (memcmp(at + 1, name, length) == 0 && at[length + 1] == '"')
            return true;
    }
    return false;
}

/* Whether lines are objects: the first two, or the only one if it has the field that holds texts.
 */
static bool looks_like_records(text_span text, const char *field)
{
    text_span first, second;
    bool is_whole, is_second_whole;
    if (!take_line(&text, &first, &is_whole) || !is_object(first))
        return false;
    if (!take_line(&text, &second, &is_second_whole))
        return has_field(first, field);
    return is_second_whole ? is_object(second) : starts_object(second);
}

static bool starts_with(text_span text, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(text.end - text.at) >= length && memcmp(text.at, with, length) == 0;
}

/* Whether a line is a header, "Name: value". */
static bool is_header(text_span line)
{
    const char *at = line.at;
    while (at < line.end && (tw_is_alnum(*at) || *at == '-'))
        at++;
    return at > line.at && at < line.end && *at == ':';
}

/* Whether text starts with the line before a message, which has a time of day, and a header. */
static bool looks_like_mbox(text_span text)
{
    text_span line;
    bool is_whole, has_time = false;
    if (!take_line(&text, &line, &is_whole) || !is_whole || !starts_with(line, "From "))
        return false;
    for (const char *at = line.at + 6; at + 2 < line.end; at++)
        has_time |= *at == ':' && tw_is_digit(at[-1]) && tw_is_digit(at[1]) && tw_is_digit(at[2]);
    return has_time && take_line(&text, &line, &is_whole) && is_header(line);
}

/* Whether bytes are those of an archive, and not of an office document or a book, which are zip
 * files as well. */
static bool looks_like_archive(const char *head, size_t length)
{
    static const char *const documents[] = {"[Content_Types].xml", "mimetype", "_rels/"};
    enum { TAR_MAGIC = 257, ZIP_NAME = 30 };
    text_span text = {head, head + length};
    if (starts_with(text, "7z\xBC\xAF\x27\x1C"))
        return true;
    if (length > TAR_MAGIC && starts_with((text_span){head + TAR_MAGIC, text.end}, "ustar"))
        return true;
    if (!starts_with(text, "PK\3\4") || length <= ZIP_NAME)
        return false;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (starts_with((text_span){head + ZIP_NAME, text.end}, documents[i]))
            return false;
    return true;
}

/* Returns the kind that the first bytes of a file, unpacked, look like. `text_field` names the
 * field of texts, which decides on a single record, or is NULL. */
static tw_input_kind kind_by_bytes(const char *head, size_t length, const char *text_field)
{
    text_span text = {head, head + length};
    if (starts_with(text, "\xEF\xBB\xBF"))
        text.at += 3;
    if (starts_with(text, "WARC/1.") || starts_with(text, "WARC/0."))
        return TW_INPUT_WARC;
    if (looks_like_mbox(text))
        return TW_INPUT_MBOX;
    if (looks_like_records(text, text_field))
        return TW_INPUT_JSONL;
    return looks_like_archive(head, length) ? TW_INPUT_ARCHIVE : TW_INPUT_TEXT;
}

bool tw_is_undivided(const char *name, const char *head, size_t length)
{
    text_span text = {head, head + length}, line;
    bool is_whole;
    if (is_table_name(name) || kind_by_bytes(head, length, NULL) != TW_INPUT_TEXT)
        return true;
    if (!take_line(&text, &line, &is_whole) || *line.at != '[')
        return false;
    text.at = line.at + 1;
    return take_line(&text, &line, &is_whole) && *line.at == '{'; /* a list of objects */
}

/* ---- files */

bool tw_file_is_packed(const char *path)
{
    char head[TW_MAGIC_BYTES];
    if (tw_name_is_packed(path))
        return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    ssize_t length = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return length > 0 && tw_is_packed(head, (size_t)length);
}

/* Reads the first bytes of a file, unpacked, up to and with its second line if that can be. A file
 * that cannot be read has none: reading it will say why. */
static int read_head(const char *path, tw_bytes *head)
{
    tw_stream *stream;
    const char *reason;
    size_t got = 0;
    int status = tw_stream_open(path, &stream, &reason);
    if (status != TWINSET_OK)
        return status == TWINSET_IO ? TWINSET_OK : status;
    for (size_t want = HEAD_BYTES; want <= LONG_HEAD_BYTES; want *= 4) {
        status = tw_bytes_reserve(head, want - head->length);
        if (status == TWINSET_OK)
            status = tw_stream_read(stream, head->data + head->length, want - head->length, &got,
                                    &reason);
        head->length += status == TWINSET_OK ? got : 0;
        if (status != TWINSET_OK || head->length < want || head->data[0] != '{' ||
            memchr(head->data, '\n', head->length))
            break;
    }
    tw_stream_close(stream);
    return status == TWINSET_IO ? TWINSET_OK : status;
}

/* Decides by the first bytes of a file. What a converter knows is one document. */
static int decide_by_bytes(const tw_walk_rules *rules, tw_input_source *found)
{
    tw_bytes head = {0};
    int status = read_head(found->path, &head);
    if (status == TWINSET_OK && head.length > 0 &&
        !tw_converter_for(found->path, head.data, head.length)) {
        found->kind = kind_by_bytes(head.data, head.length, rules->text_field);
        found->is_program = found->kind == TW_INPUT_TEXT && rules->is_program &&
                            rules->is_program(head.data, head.length);
    }
    tw_bytes_free(&head);
    return status;
}

int tw_find_input_kind(const tw_walk_rules *rules, tw_input_source *found)
{
    static const tw_input_kind chosen[] = {
        [TWINSET_INPUT_TEXT] = TW_INPUT_TEXT,       [TWINSET_INPUT_JSONL] = TW_INPUT_JSONL,
        [TWINSET_INPUT_ARCHIVE] = TW_INPUT_ARCHIVE, [TWINSET_INPUT_MBOX] = TW_INPUT_MBOX,
        [TWINSET_INPUT_WARC] = TW_INPUT_WARC,
    };
    if (rules->input != TWINSET_INPUT_AUTO) {
        found->kind = chosen[rules->input];
        return TWINSET_OK;
    }
    bool is_decided = tw_input_kind_by_name(found->path, &found->kind) ||
                      tw_name_is_converted(found->path) ||
                      (rules->is_known_name && rules->is_known_name(found->path));
    return is_decided || !found->regular ? TWINSET_OK : decide_by_bytes(rules, found);
}
