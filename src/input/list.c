/*
 * "@list": a file that names the documents, one path a line. It is read like a document,
 * so that a list saved by a Windows editor, with a byte order mark, works as well.
 */
#include "input/input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Some forty million paths; an endless stream must end somewhere. */
#define LIST_LIMIT_BYTES ((uint64_t)4 << 30)

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t")] == '\0';
}

/* `line` is scratch: paths must be terminated, and lines are not. */
static int find_lines(tw_finder *finder, const char *text, size_t length, tw_bytes *line,
                      twinset_error *error)
{
    const char *end = text + length;
    int status = TWINSET_OK;
    while (status == TWINSET_OK && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        line->length = 0;
        if (tw_bytes_reserve(line, size + 1) != TWINSET_OK)
            return tw_nomem(error);
        memcpy(line->data, text, size);
        if (size > 0 && line->data[size - 1] == '\r')
            size--;
        line->data[size] = '\0';
        if (!is_blank(line->data))
            status = tw_find_named(finder, line->data, error);
        text = stop ? stop + 1 : end;
    }
    return status;
}

static int find_list(tw_finder *finder, const char *path, twinset_error *error)
{
    const char *name = path + 1, *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new();
    if (!reader)
        return tw_nomem(error);
    int status = strcmp(name, "-") == 0
                     ? tw_read_fd(reader, STDIN_FILENO, LIST_LIMIT_BYTES, &text, &length, &reason)
                     : tw_read(reader, name, LIST_LIMIT_BYTES, &text, &length, &reason);
    if (status == TWINSET_OK) {
        tw_bytes line = {0};
        status = find_lines(finder, text, length, &line, error);
        tw_bytes_free(&line);
    } else if (status == TWINSET_NOMEM) {
        status = tw_nomem(error);
    } else {
        char why[192];
        snprintf(why, sizeof why, "cannot read the list: %s", reason);
        status = finder->skip(finder->context, path, why);
    }
    tw_reader_free(reader);
    return status;
}

int tw_find(tw_finder *finder, const char *path, twinset_error *error)
{
    return path[0] == '@' ? find_list(finder, path, error) : tw_find_named(finder, path, error);
}
