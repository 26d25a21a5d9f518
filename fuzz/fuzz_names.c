/*
 * Any bytes as a pattern and a path, or as a manifest; the first byte chooses. Promises: a path
 * without special characters matches itself, and `**` matches all; documents of a manifest are
 * named with its folder in front, and its unusable rows have a line and a reason.
 */
#include <stdbool.h>

#include "fuzz.h"
#include "input.h"

static char *copy_string(const uint8_t *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    REQUIRE(copy);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

static void try_pattern(const uint8_t *data, size_t size, bool is_folder)
{
    const uint8_t *zero = memchr(data, 0, size);
    size_t length = zero ? (size_t)(zero - data) : size / 2;
    size_t path_start = zero ? length + 1 : length;
    char *pattern = copy_string(data, length),
         *path = copy_string(data + path_start, size - path_start);
    tw_path_matches(pattern, path, is_folder);
    if (!strpbrk(path, "*?[\\") && *path && *path != '/' && path[strlen(path) - 1] != '/')
        REQUIRE(strlen(path) > 4096 || tw_path_matches(path, path, is_folder));
    if (*path && path[strlen(path) - 1] != '/')
        REQUIRE(strlen(path) > 4096 || tw_path_matches("**", path, is_folder));
    free(pattern);
    free(path);
}

/* Stops at the first document, because a row may name the root folder of the machine. */
static int take_document(void *context, const tw_input_source *what)
{
    (void)context;
    REQUIRE(what->path[0] == '/');
    return TWINSET_CANCELLED;
}

static int take_skip(void *context, const char *path, const char *reason)
{
    ++*(size_t *)context;
    REQUIRE(reason[0] && strlen(path) > 0);
    REQUIRE(path[0] == '/' || path[0] == '@' || strncmp(path, "no-such-folder/", 15) == 0);
    return TWINSET_OK;
}

static void try_manifest(const uint8_t *data, size_t size)
{
    size_t skips = 0;
    char *text = copy_string(data, size);
    tw_finder finder = {.document = take_document, .skip = take_skip, .context = &skips};
    int status = tw_find_manifest(&finder, "@no-such-folder/list.csv", text, size, NULL);
    REQUIRE(status == TWINSET_OK || status == TWINSET_CANCELLED);
    REQUIRE(!finder.manifest.id && !finder.manifest.label && !finder.manifest.author &&
            !finder.manifest.time);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t way = take_byte(&data, &size);
    if (way & 1)
        try_manifest(data, size);
    else
        try_pattern(data, size, way & 2);
    return 0;
}
