/*
 * Walks a folder: all names of a folder are read and sorted, the folder is closed, and only
 * then its entries are visited, depth first, on a stack of our own. So one descriptor is
 * enough for any depth, the order is the same everywhere, and memory holds the names of the
 * folders on the way down, not those of the whole tree. A tree too deep for the system's
 * path names ends where they end, with a reason.
 */
#include "input/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct listing {
    tw_bytes names;       /* each terminated */
    const char **entries; /* the same, sorted */
    size_t count, next;
    size_t path_length; /* of what stands before an entry's name */
} listing;

typedef struct walker {
    tw_finder *finder;
    twinset_error *error;
    tw_bytes path; /* of the entry at hand, terminated */
    listing *stack;
    size_t depth, capacity;
} walker;

/* Whether the name ends so; length is what is left of it without that. */
static bool takes_off(const char *name, size_t *length, const char *ending)
{
    size_t size = strlen(ending);
    if (*length < size || strncasecmp(name + *length - size, ending, size) != 0)
        return false;
    *length -= size;
    return true;
}

static bool takes_packing_off(const char *name, size_t *length)
{
    static const char *const packings[] = {".gz", ".zst", ".xz", ".bz2"};
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
        if (takes_off(name, length, packings[i]))
            return true;
    return false;
}

bool tw_name_is_packed(const char *path)
{
    size_t length = strlen(path);
    return takes_packing_off(path, &length);
}

static tw_input_kind kind_of(const char *path)
{
    size_t length = strlen(path);
    takes_packing_off(path, &length);
    bool lines = takes_off(path, &length, ".jsonl") || takes_off(path, &length, ".ndjson");
    return lines ? TW_KIND_JSONL : TW_KIND_TEXT;
}

static void listing_free(listing *folder)
{
    tw_bytes_free(&folder->names);
    tw_free(folder->entries);
}

/* Makes the path its first `keep` bytes and `name`. */
static int set_path(walker *walk, size_t keep, const char *name)
{
    walk->path.length = keep;
    if (tw_bytes_append(&walk->path, name, strlen(name) + 1) != TWINSET_OK)
        return tw_nomem(walk->error);
    walk->path.length--;
    return TWINSET_OK;
}

static int skip(walker *walk, const char *reason)
{
    return walk->finder->skip(walk->finder->context, walk->path.data, reason);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sort_entries(listing *folder)
{
    folder->entries = tw_array(folder->count, sizeof *folder->entries);
    if (!folder->entries)
        return TWINSET_NOMEM;
    const char *name = folder->names.data;
    for (size_t i = 0; i < folder->count; i++) {
        folder->entries[i] = name;
        name += strlen(name) + 1;
    }
    if (folder->count > 1)
        qsort(folder->entries, folder->count, sizeof *folder->entries, by_bytes);
    return TWINSET_OK;
}

/* On TWINSET_IO errno says why. */
static int read_entries(DIR *directory, listing *folder, size_t *hidden)
{
    struct dirent *entry;
    errno = 0;
    while ((entry = readdir(directory))) {
        const char *name = entry->d_name;
        if (name[0] != '.') {
            if (tw_bytes_append(&folder->names, name, strlen(name) + 1) != TWINSET_OK)
                return TWINSET_NOMEM;
            folder->count++;
        } else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            ++*hidden;
        }
        errno = 0;
    }
    return errno ? TWINSET_IO : sort_entries(folder);
}

/* What stands before the names of a folder's entries: its path and a slash, but "." is not
 * shown, and "/" has its slash. */
static int set_prefix(walker *walk, listing *folder)
{
    const char *path = walk->path.data;
    size_t length = walk->path.length;
    int status = TWINSET_OK;
    if (strcmp(path, ".") == 0)
        length = 0;
    else if (path[length - 1] != '/')
        status = set_path(walk, length++, "/");
    folder->path_length = length;
    return status;
}

/* Puts the folder at the path on the stack; an unreadable one is skipped. */
static int enter(walker *walk)
{
    if (TW_GROW(walk->stack, walk->capacity, walk->depth + 1) != TWINSET_OK)
        return tw_nomem(walk->error);
    DIR *directory = opendir(walk->path.data);
    if (!directory)
        return skip(walk, strerror(errno));
    listing folder = {0};
    int status = read_entries(directory, &folder, &walk->finder->hidden);
    int reason = errno;
    closedir(directory);
    if (status == TWINSET_OK) {
        walk->stack[walk->depth++] = folder;
        return set_prefix(walk, &walk->stack[walk->depth - 1]);
    }
    listing_free(&folder);
    return status == TWINSET_IO ? skip(walk, strerror(reason)) : tw_nomem(walk->error);
}

static int visit(walker *walk)
{
    const char *path = walk->path.data;
    struct stat file;
    if (lstat(path, &file) != 0)
        return skip(walk, strerror(errno));
    bool link = S_ISLNK(file.st_mode);
    if (link && stat(path, &file) != 0)
        return skip(walk, errno == ENOENT ? "symbolic link to nothing" : strerror(errno));
    if (S_ISDIR(file.st_mode))
        return link ? skip(walk, "symbolic link to a folder: not followed") : enter(walk);
    if (!S_ISREG(file.st_mode))
        return skip(walk, "not a regular file");

    tw_found found = {.path = path,
                      .root_length = walk->stack[0].path_length,
                      .size_bytes = (uint64_t)file.st_size,
                      .regular = true,
                      .kind = kind_of(path)};
    return walk->finder->document(walk->finder->context, &found);
}

static int walk_on(walker *walk)
{
    int status = TWINSET_OK;
    while (status == TWINSET_OK && walk->depth > 0) {
        listing *folder = &walk->stack[walk->depth - 1];
        if (folder->next == folder->count) {
            listing_free(folder);
            walk->depth--;
            continue;
        }
        status = set_path(walk, folder->path_length, folder->entries[folder->next++]);
        if (status == TWINSET_OK)
            status = visit(walk);
    }
    return status;
}

static int find_in_folder(tw_finder *finder, const char *path, twinset_error *error)
{
    walker walk = {.finder = finder, .error = error};
    int status = set_path(&walk, 0, path);
    while (status == TWINSET_OK && walk.path.length > 1 &&
           walk.path.data[walk.path.length - 1] == '/')
        walk.path.data[--walk.path.length] = '\0';
    if (status == TWINSET_OK)
        status = enter(&walk);
    if (status == TWINSET_OK)
        status = walk_on(&walk);
    while (walk.depth > 0)
        listing_free(&walk.stack[--walk.depth]);
    tw_free(walk.stack);
    tw_bytes_free(&walk.path);
    return status;
}

int tw_find_named(tw_finder *finder, const char *path, twinset_error *error)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return finder->skip(finder->context, path, strerror(errno));
    if (S_ISDIR(file.st_mode))
        return find_in_folder(finder, path, error);
    bool regular = S_ISREG(file.st_mode);
    tw_found found = {.path = path,
                      .size_bytes = regular ? (uint64_t)file.st_size : 0,
                      .regular = regular,
                      .named = true,
                      .kind = kind_of(path)};
    return finder->document(finder->context, &found);
}
