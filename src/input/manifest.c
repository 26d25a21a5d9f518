/*
 * A manifest is a table that names documents and says more about each, as teachers' and courts'
 * tools export it. Its first line names the columns, in any order: path, and optionally id, label,
 * author and time; others are ignored. Fields are separated by commas, semicolons or tabs,
 * whichever the first line has most of, and quoted as RFC 4180 says. Paths are relative to the
 * folder of the manifest, so that both can be moved together. One pass; memory holds one row.
 */
#include "input.h"

#include <stdio.h>
#include <string.h>

enum { PATH, ID, LABEL, AUTHOR, TIME, COLUMNS };
static const char *const NAMES[COLUMNS] = {"path", "id", "label", "author", "time"};

#define NO_COLUMN SIZE_MAX

typedef struct manifest {
    tw_finder *finder;
    twinset_error *error;
    const char *name;      /* the path of the manifest */
    const char *at, *end;  /* what is left of its text */
    size_t line;           /* the number of the line that `at` is in */
    char separator;        /* what separates fields */
    size_t width;          /* how many columns it has */
    size_t which[COLUMNS]; /* which of them each column is, or NO_COLUMN */
    tw_bytes row;          /* the fields of a row, each terminated */
    size_t start[COLUMNS]; /* where the field of each column starts in `row` */
    const char *fault;     /* what is wrong with the row, or NULL */
    tw_bytes path;         /* scratch for paths */
} manifest;

/* ---- fields */

/* Appends what is between quotes to the row. Two quotes in a row are one, and do not end it. */
static int take_quoted(manifest *from)
{
    int status = TWINSET_OK;
    do {
        const char *start = ++from->at, *quote = memchr(start, '"', (size_t)(from->end - start));
        from->at = quote ? quote : from->end;
        for (const char *c = start; c < from->at; c++)
            from->line += *c == '\n';
        status = tw_bytes_append(&from->row, start, (size_t)(from->at - start));
        if (!quote) {
            from->fault = "a quote is not closed; what follows was not read";
            return status;
        }
        from->at++;
        if (from->at < from->end && *from->at == '"' && status == TWINSET_OK)
            status = tw_bytes_append(&from->row, "\"", 1);
    } while (status == TWINSET_OK && from->at < from->end && *from->at == '"');
    return status;
}

/* Appends the next field to the row, and moves past what ends it. */
static int take_field(manifest *from, bool *last)
{
    bool quoted = from->at < from->end && *from->at == '"';
    int status = quoted ? take_quoted(from) : TWINSET_OK;
    const char *start = from->at;
    while (from->at < from->end && *from->at != from->separator && *from->at != '\n')
        from->at++;
    *last = from->at == from->end || *from->at == '\n';
    size_t size = (size_t)(from->at - start);
    if (*last && size > 0 && start[size - 1] == '\r')
        size--;
    if (quoted && size > 0)
        from->fault = "text after a closing quote";
    from->line += *last;
    from->at += from->at < from->end;
    if (status == TWINSET_OK)
        status = tw_bytes_append(&from->row, start, size);
    return status == TWINSET_OK ? tw_bytes_append(&from->row, "", 1) : status;
}

/* ---- the first line */

static char find_separator(const char *at, const char *end)
{
    size_t commas = 0, semicolons = 0, tabs = 0;
    bool quoted = false;
    for (; at < end && (quoted || *at != '\n'); at++) {
        quoted ^= *at == '"';
        commas += !quoted && *at == ',';
        semicolons += !quoted && *at == ';';
        tabs += !quoted && *at == '\t';
    }
    if (tabs > commas && tabs >= semicolons)
        return '\t';
    return semicolons > commas ? ';' : ',';
}

static bool is_named(const char *field, const char *name)
{
    field += strspn(field, " ");
    size_t size = strlen(name);
    return tw_starts_ignoring_case(field, name) && field[size + strspn(field + size, " ")] == '\0';
}

static int read_header(manifest *from)
{
    int status = TWINSET_OK;
    for (int i = 0; i < COLUMNS; i++)
        from->which[i] = NO_COLUMN;
    from->separator = find_separator(from->at, from->end);
    for (bool last = false; !last && status == TWINSET_OK; from->width++) {
        from->row.length = 0;
        status = take_field(from, &last);
        for (int i = 0; i < COLUMNS && status == TWINSET_OK; i++)
            if (from->which[i] == NO_COLUMN && is_named(from->row.data, NAMES[i]))
                from->which[i] = from->width;
    }
    return status;
}

/* ---- rows */

/* Reads a row; *width is how many fields it has. */
static int read_row(manifest *from, size_t *width)
{
    int status = TWINSET_OK;
    from->row.length = 0;
    from->fault = NULL;
    *width = 0;
    for (bool last = false; !last && status == TWINSET_OK; ++*width) {
        for (int i = 0; i < COLUMNS; i++)
            if (from->which[i] == *width)
                from->start[i] = from->row.length;
        status = take_field(from, &last);
    }
    return status;
}

/* The field of a column; NULL: there is no such column, or nothing in it. */
static const char *field_of(const manifest *from, int column)
{
    bool has = from->which[column] != NO_COLUMN && from->row.data[from->start[column]];
    return has ? from->row.data + from->start[column] : NULL;
}

static int find_row(manifest *from)
{
    const char *path = field_of(from, PATH), *slash = strrchr(from->name, '/');
    size_t folder = slash && path[0] != '/' ? (size_t)(slash + 1 - from->name) : 0;
    from->path.length = 0;
    int status = tw_bytes_append(&from->path, from->name, folder);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&from->path, path, strlen(path) + 1);
    if (status != TWINSET_OK)
        return tw_nomem(from->error);
    from->finder->manifest = (tw_manifest_entry){.id = field_of(from, ID),
                                                 .label = field_of(from, LABEL),
                                                 .author = field_of(from, AUTHOR),
                                                 .time = field_of(from, TIME)};
    status = tw_find_named(from->finder, from->path.data, from->error);
    from->finder->manifest = (tw_manifest_entry){.id = NULL};
    return status;
}

static int skip_row(manifest *from, size_t line, const char *reason)
{
    from->path.length = 0;
    if (tw_bytes_printf(&from->path, "%s:%zu", from->name, line) != TWINSET_OK)
        return tw_nomem(from->error);
    return from->finder->skip(from->finder->context, from->path.data, reason);
}

static int take_row(manifest *from)
{
    size_t line = from->line, width;
    char reason[64];
    if (read_row(from, &width) != TWINSET_OK)
        return tw_nomem(from->error);
    if (from->fault)
        return skip_row(from, line, from->fault);
    if (width == 1 && from->row.data[strspn(from->row.data, " \t")] == '\0')
        return TWINSET_OK;
    snprintf(reason, sizeof reason, "%zu field%s, where the first line has %zu", width,
             width == 1 ? "" : "s", from->width);
    if (width != from->width)
        return skip_row(from, line, reason);
    return field_of(from, PATH) ? find_row(from) : skip_row(from, line, "no path");
}

int tw_find_manifest(tw_finder *finder, const char *list, const char *text, size_t length,
                     twinset_error *error)
{
    manifest from = {.finder = finder,
                     .error = error,
                     .name = list + 1,
                     .at = text,
                     .end = text + length,
                     .line = 1};
    int status = read_header(&from);
    if (status != TWINSET_OK)
        status = tw_nomem(error);
    else if (from.which[PATH] == NO_COLUMN)
        status = finder->skip(finder->context, list, "its first line names no column \"path\"");
    else
        while (status == TWINSET_OK && from.at < from.end)
            status = take_row(&from);
    tw_bytes_free(&from.row);
    tw_bytes_free(&from.path);
    return status;
}
