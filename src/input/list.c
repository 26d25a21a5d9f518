/*
 * Names that stand for others. "@list" is a file that names documents, one path a line, relative
 * to the working directory. It is read like a document, so that a list works that an editor on
 * Windows saved with a byte order mark. A list with columns is a manifest. "-" is standard input.
 * Wildcards are for shells that do not expand them, or expand only so many.
 */
#include "input.h"

#include <glob.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Some forty million paths. A stream without an end must be refused at last. */
#define LIST_LIMIT_BYTES ((uint64_t)4 << 30)

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t")] == '\0';
}

/* Finds what each line names. `line` is scratch, since paths must be terminated and lines are not.
 */
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

/* Takes the bytes of a list if its encoding was guessed: names of files are bytes, which decoding
 * would change. */
static void take_bytes(const tw_reader *reader, const char **text, size_t *length)
{
    tw_text_origin origin = tw_reader_origin(reader);
    if (!origin.encoding && strcmp(origin.kind, "text") == 0)
        return;
    *text = tw_reader_raw(reader)->data;
    *length = tw_reader_raw(reader)->length;
}

static bool is_manifest(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending &&
           (tw_equal_ignoring_case(ending, ".csv") || tw_equal_ignoring_case(ending, ".tsv"));
}

static int find_list(tw_finder *finder, const char *path, twinset_error *error)
{
    const char *name = path + 1, *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new(NULL);
    if (!reader)
        return tw_nomem(error);
    int status = strcmp(name, "-") == 0
                     ? tw_read_fd(reader, STDIN_FILENO, LIST_LIMIT_BYTES, &text, &length, &reason)
                     : tw_read(reader, name, LIST_LIMIT_BYTES, &text, &length, &reason);
    if (status == TWINSET_OK && is_manifest(name)) {
        status = tw_find_manifest(finder, path, text, length, error);
    } else if (status == TWINSET_OK) {
        tw_bytes line = {0};
        take_bytes(reader, &text, &length);
        status = find_lines(finder, text, length, &line, error);
        tw_bytes_free(&line);
    } else if (status != TWINSET_IO) {
        status = tw_complete_error(error, status);
    } else {
        char why[192];
        snprintf(why, sizeof why, "cannot read the list: %s", reason);
        status = finder->skip(finder->context, path, why);
    }
    tw_reader_free(reader);
    return status;
}

static int compare_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Expands wildcards. What a ? and a range stand for depends on the locale, which is UTF-8 here
 * whatever the program has set. */
static int expand(const char *pattern, glob_t *matches)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK | LC_COLLATE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = uselocale(utf8);
    int answer = glob(pattern, GLOB_NOSORT, NULL, matches);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    return answer;
}

static int find_matches(tw_finder *finder, const char *pattern, twinset_error *error)
{
    glob_t matches = {0};
    int status = TWINSET_OK;
    switch (expand(pattern, &matches)) {
    case 0:
        qsort(matches.gl_pathv, matches.gl_pathc, sizeof *matches.gl_pathv, compare_bytes);
        for (size_t i = 0; i < matches.gl_pathc && status == TWINSET_OK; i++)
            status = tw_find_named(finder, matches.gl_pathv[i], error);
        break;
    case GLOB_NOSPACE:
        status = tw_nomem(error);
        break;
    default:
        if (tw_is_out_of_files()) {
            status = tw_complete_error(error, TWINSET_LIMIT);
            break;
        }
        status = finder->skip(finder->context, pattern, "no file matches");
    }
    globfree(&matches);
    return status;
}

static int find_standard_input(tw_finder *finder)
{
    bool is_text = finder->rules && finder->rules->input == TWINSET_INPUT_TEXT;
    tw_input_source found = {
        .path = "-", .named = true, .kind = is_text ? TW_INPUT_TEXT : TW_INPUT_JSONL};
    return finder->document(finder->context, &found);
}

int tw_find(tw_finder *finder, const char *path, twinset_error *error)
{
    struct stat file;
    if (path[0] == '@')
        return find_list(finder, path, error);
    if (strcmp(path, "-") == 0)
        return find_standard_input(finder);
    if (strpbrk(path, "*?[") && lstat(path, &file) != 0)
        return find_matches(finder, path, error);
    return tw_find_named(finder, path, error);
}
