/* Finds one record of a file of JSON lines, which a caller named by its line, FILE:12, or by its
 * id, FILE#ID. This reads the file up to that line, or all of it for an id, which may occur twice.
 */
#include "sources.h"

typedef struct record_finder {
    const char *id; /* NULL: the line is wanted */
    uint64_t wanted_line;
    uint64_t line; /* the last that was read, from 1 */
    tw_jsonl *parser;
    uint64_t found; /* the line of the record; 0: none was found yet */
    tw_bytes *text;
    const char *reason; /* why it cannot be used, or NULL; lives as long as the parser */
    uint64_t second;    /* another line with the id, or 0 */
} record_finder;

static bool is_wanted(const record_finder *finder, const tw_record *record)
{
    if (!finder->id)
        return finder->line == finder->wanted_line;
    return record->id && strlen(finder->id) == record->id_length &&
           memcmp(finder->id, record->id, record->id_length) == 0;
}

/* Looks at a line, which ends with a newline or at the end of the file. */
static int look_at(record_finder *finder, const char *line, size_t length)
{
    tw_record record;
    finder->line++;
    if (!finder->id && finder->line != finder->wanted_line)
        return TWINSET_OK;
    int status = tw_jsonl_record(finder->parser, line, length, &record);
    if (status != TWINSET_OK || !is_wanted(finder, &record))
        return status;
    if (finder->found) {
        finder->second = finder->line;
        return TWINSET_OK;
    }
    finder->found = finder->line;
    finder->reason = record.reason;
    return record.reason ? TWINSET_OK
                         : tw_bytes_append(finder->text, record.text, record.text_length);
}

static bool is_done(const record_finder *finder)
{
    return finder->second || finder->reason || (finder->found && !finder->id);
}

static int look_at_batch(record_finder *finder, const tw_line_batch *batch)
{
    const char *line = batch->bytes.data, *end = line + batch->bytes.length;
    int status = TWINSET_OK;
    while (line < end && status == TWINSET_OK && !is_done(finder)) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        status = look_at(finder, line, length);
        line += length + 1;
    }
    finder->line += batch->dropped > 0; /* it is too long to be read */
    return status;
}

static int look_at_file(record_finder *finder, const char *path, uint64_t limit,
                        const char **reason)
{
    enum { BATCH_BYTES = 1 << 20 };
    tw_lines lines;
    tw_line_batch batch = {0};
    int status = tw_lines_open(path, limit, &lines, reason);
    if (status != TWINSET_OK)
        return status;
    do {
        status = tw_lines_next(&lines, BATCH_BYTES, &batch, reason);
        if (status == TWINSET_OK)
            status = look_at_batch(finder, &batch);
    } while (status == TWINSET_OK && !is_done(finder) && (batch.bytes.length || batch.dropped));
    tw_lines_close(&lines);
    tw_bytes_free(&batch.bytes);
    return status;
}

/* Returns why the record that was looked for cannot be used, or NULL. */
static const char *find_reason(const record_finder *finder, tw_bytes *sentence)
{
    int status = TWINSET_OK;
    sentence->length = 0;
    if (finder->second)
        status =
            tw_bytes_printf(sentence,
                            "lines %llu and %llu have this id; name one of them by its line, "
                            "FILE:%llu",
                            (unsigned long long)finder->found, (unsigned long long)finder->second,
                            (unsigned long long)finder->found);
    else if (finder->reason)
        status = tw_bytes_printf(sentence, "%s", finder->reason);
    else if (!finder->found && finder->id)
        status = tw_bytes_printf(sentence, "no record of the file has this id");
    else if (!finder->found)
        status =
            tw_bytes_printf(sentence, "the file has %llu lines", (unsigned long long)finder->line);
    else
        return NULL;
    return status == TWINSET_OK ? sentence->data : "no such record";
}

int tw_find_record(const tw_settings *settings, const char *path, const char *record,
                   tw_bytes *text, tw_bytes *sentence, const char **reason)
{
    const twinset_options *options = &settings->options;
    record_finder finder = {.text = text};
    if (record[0] == '#')
        finder.id = record + 1;
    else
        for (const char *digit = record + 1; *digit; digit++)
            finder.wanted_line = 10 * finder.wanted_line + (uint64_t)(*digit - '0');
    int status = tw_jsonl_new(options->text ? options->text : "text", options->id, &finder.parser);
    if (status != TWINSET_OK)
        return status;
    *reason = NULL;
    status = look_at_file(&finder, path, tw_size_limit(settings), reason);
    if (status == TWINSET_OK)
        *reason = find_reason(&finder, sentence);
    tw_jsonl_free(finder.parser);
    return status == TWINSET_OK && *reason ? TWINSET_IO : status;
}
