#include "file_identity.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "twinset.h"

/* ---- one file */

static void set_identity(tw_file_identity *identity, const struct stat *file)
{
    identity->device = (uint64_t)file->st_dev;
    identity->inode = (uint64_t)file->st_ino;
}

/* Cuts a path before its last component and returns where that begins. "" and "." name one folder,
 * and "/" stays. */
static size_t cut_last_component(char *path)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    size_t folder = end;
    while (folder > 1 && path[folder - 1] == '/')
        folder--;
    path[folder] = '\0';
    return end;
}

/* Identifies a file that does not exist by the nearest folder that does. */
static bool identify_by_folder(tw_file_identity *identity)
{
    char folder[PATH_MAX];
    struct stat file;
    size_t length = strlen(identity->path);
    if (length == 0 || length >= sizeof folder)
        return false;
    memcpy(folder, identity->path, length + 1);
    for (;;) {
        size_t below = cut_last_component(folder);
        if (stat(folder[0] ? folder : ".", &file) == 0) {
            set_identity(identity, &file);
            identity->below = identity->path + below;
            return S_ISDIR(file.st_mode);
        }
        if (errno != ENOENT || below == 0)
            return false;
    }
}

bool tw_identify_file(const char *path, tw_file_identity *identity)
{
    struct stat file;
    *identity = (tw_file_identity){.path = path};
    if (stat(path, &file) != 0)
        return errno == ENOENT && identify_by_folder(identity);
    set_identity(identity, &file);
    return S_ISREG(file.st_mode);
}

/* ---- two files */

/* The next component of a path, and its length, which is 0 at the end; "." and "" are none. */
static size_t next_component(const char **path)
{
    for (;;) {
        *path += strspn(*path, "/");
        size_t length = strcspn(*path, "/");
        if (length != 1 || **path != '.')
            return length;
        ++*path;
    }
}

static int compare_below(const char *a, const char *b)
{
    for (;;) {
        size_t a_length = next_component(&a), b_length = next_component(&b);
        size_t shorter = a_length < b_length ? a_length : b_length;
        int order = memcmp(a, b, shorter);
        if (order == 0 && a_length != b_length)
            order = a_length < b_length ? -1 : 1;
        if (order != 0 || shorter == 0)
            return order;
        a += a_length;
        b += b_length;
    }
}

int tw_compare_files(const tw_file_identity *a, const tw_file_identity *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    if (!a->below || !b->below)
        return (a->below != NULL) - (b->below != NULL);
    return compare_below(a->below, b->below);
}

/* ---- lists */

int tw_file_set_add(tw_file_set *files, const char *path)
{
    tw_file_identity identity;
    if (!tw_identify_file(path, &identity))
        return TWINSET_OK;
    int status = TW_GROW(files->data, files->capacity, files->count + 1);
    if (status == TWINSET_OK)
        files->data[files->count++] = identity;
    return status;
}

static int by_file_then_path(const void *left, const void *right)
{
    const tw_file_identity *a = left, *b = right;
    int order = tw_compare_files(a, b);
    return order != 0 ? order : strcmp(a->path, b->path);
}

void tw_file_set_sort(tw_file_set *files)
{
    if (files->count > 1)
        qsort(files->data, files->count, sizeof *files->data, by_file_then_path);
}

const tw_file_identity *tw_file_set_find(const tw_file_set *files, const tw_file_identity *file)
{
    size_t low = 0, high = files->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tw_compare_files(&files->data[middle], file) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < files->count && tw_compare_files(&files->data[low], file) == 0;
    return found ? &files->data[low] : NULL;
}

void tw_file_set_free(tw_file_set *files)
{
    tw_free(files->data);
    *files = (tw_file_set){0};
}
