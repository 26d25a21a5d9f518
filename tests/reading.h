/* Reads paths into one text: the documents of a collection, and then what it skipped. */
#ifndef READING_H
#define READING_H

#include "results.h"
#include "scanning.h"
#include "testing.h"

static inline int take_document(void *context, const char *name, const char *text, size_t length)
{
    static const char between[] = ": ", end[] = "\n";
    int failure = text_buffer_write(context, name, strlen(name));
    if (!failure)
        failure = text_buffer_write(context, between, strlen(between));
    if (!failure)
        failure = text_buffer_write(context, text, length);
    return failure ? failure : text_buffer_write(context, end, strlen(end));
}

/* A collection of paths. */
static inline twinset_collection *collect_paths(const char *const *paths, size_t count,
                                                const twinset_options *options)
{
    twinset_collection *collection;
    twinset_error error;
    assert_ok(twinset_collection_new(options, &collection, &error), &error);
    for (size_t i = 0; i < count; i++)
        assert_ok(twinset_collection_add_path(collection, paths[i], TWINSET_ROLE_NEW, &error),
                  &error);
    return collection;
}

/* "NAME: TEXT" for each document, "NAME! REASON" for what was skipped, a line each. To be
 * freed. */
static inline char *read_paths(const char *const *paths, size_t count,
                               const twinset_options *options)
{
    twinset_collection *collection = collect_paths(paths, count, options);
    twinset_error error;
    text_buffer out = {0};
    int status = twinset_collection_texts(collection, take_document, &out, &error);
    if (status != TWINSET_EMPTY) /* where nothing is left, what was skipped says why */
        assert_ok(status, &error);
    for (size_t i = 0; i < twinset_collection_skips(collection); i++) {
        twinset_skip skip = collection_skip_at(collection, i);
        char line[512];
        int length = snprintf(line, sizeof line, "%s! %s\n", skip.path, skip.reason);
        assert_int_equal(text_buffer_write(&out, line, (size_t)length), 0);
    }
    twinset_collection_free(collection);
    return out.text;
}

static inline void assert_reads_by(const char *path, const twinset_options *options,
                                   const char *expected)
{
    char *found = read_paths(&path, 1, options);
    assert_non_null(found);
    assert_string_equal(found, expected);
    free(found);
}

static inline void assert_reads(const char *path, const char *settings, const char *expected)
{
    twinset_options options = options_with(settings);
    assert_reads_by(path, &options, expected);
}

#endif
