/*
 * Writes the files of results. A regular file is written without a name in the folder of the final
 * one, synced and then named: so nobody sees half a result, and nothing is left of it whatever ends
 * the process. If the file system needs a name, the file has a temporary one. A device or pipe is
 * written to directly.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- paths */

char *join_path(const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    bool needs_slash = length > 0 && folder[length - 1] != '/';
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s%s%s", folder, needs_slash ? "/" : "", name);
    return path;
}

static bool make_space(cli_path_list *list)
{
    size_t capacity = list->capacity * 2 + 4;
    if (list->count < list->capacity)
        return true;
    char **paths = realloc(list->paths, capacity * sizeof *paths);
    if (paths == NULL)
        return false;
    list->paths = paths;
    list->capacity = capacity;
    return true;
}

int path_list_add(cli_path_list *list, const char *folder, const char *name, twinset_error *error)
{
    char *path = make_space(list) ? join_path(folder, name) : NULL;
    if (path == NULL)
        return fail(error, TWINSET_NOMEM, "out of memory");
    list->paths[list->count++] = path;
    return 0;
}

void path_list_free(cli_path_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (cli_path_list){0};
}

/* ---- files */

int output_error(const cli_output *out, twinset_error *error)
{
    return fail(error, TWINSET_IO, "cannot write %s: %s", out->name, strerror(out->failed));
}

/* Remembers the first failure; some calls leave errno as it was. */
static void remember_failure(cli_output *out)
{
    if (out->failed == 0)
        out->failed = errno != 0 ? errno : EIO;
}

/* "folder/name" becomes "folder/.name.XXXXXX", with the first bytes of a long name: most systems
 * allow 255. */
static char *make_temporary_name(const char *path)
{
    enum { NAME_BYTES = 200 };
    const char *slash = strrchr(path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    size_t size = strlen(path) + sizeof "..XXXXXX";
    char *name = malloc(size);
    if (name != NULL)
        snprintf(name, size, "%.*s.%.*s.XXXXXX", (int)folder, path, NAME_BYTES, path + folder);
    return name;
}

static mode_t get_new_file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens a file without a name in the folder of the final one; returns a descriptor or -1. The file
 * gets its name through /proc. */
static int open_nameless(const cli_output *out)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX];
    const char *slash = strrchr(out->final, '/');
    int length = slash == NULL ? 0 : slash == out->final ? 1 : (int)(slash - out->final);
    if (access("/proc/self/fd", X_OK) != 0 || length >= PATH_MAX)
        return -1;
    snprintf(folder, sizeof folder, "%.*s", length != 0 ? length : 1,
             length != 0 ? out->final : ".");
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#else
    (void)out;
    return -1;
#endif
}

/* Opens the unfinished file; returns a descriptor, or -1 and sets errno. */
static int open_temporary(cli_output *out, mode_t mode)
{
    out->temporary = make_temporary_name(out->final);
    if (out->temporary == NULL)
        return -1;
    int fd = open_nameless(out);
    out->is_nameless = fd >= 0;
    if (fd < 0)
        fd = mkstemp(out->temporary);
    if (fd < 0) {
        free(out->temporary);
        out->temporary = NULL;
        return -1;
    }
    if (!out->is_nameless)
        signals_guard(out->temporary);
    return fchmod(fd, mode) == 0 ? fd : (close(fd), -1);
}

/* Gives a nameless file its temporary name. It is renamed later, since a link cannot replace an
 * existing file. */
static bool name_file(cli_output *out)
{
    char path[64];
    size_t length = strlen(out->temporary);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(out->stream));
    for (unsigned try = 0; try < 1000; try++) {
        snprintf(out->temporary + length - 6, 7, "%06u",
                 ((unsigned)getpid() * 1000 + try) % 1000000);
        if (linkat(AT_FDCWD, path, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0) {
            out->is_nameless = false;
            signals_guard(out->temporary);
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    return false;
}

/* Opens a path for writing; returns a descriptor, or -1 and sets errno. */
static int open_path(cli_output *out, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0) {
        if (errno != ENOENT)
            return -1;
        out->final = strdup(path);
        return out->final != NULL ? open_temporary(out, get_new_file_mode()) : -1;
    }
    if (!S_ISREG(file.st_mode))
        return open(path, O_WRONLY | O_CLOEXEC);
    if (access(path, W_OK) != 0)
        return -1;
    /* A symbolic link stays: the file that it points to is replaced. */
    out->final = realpath(path, NULL);
    return out->final != NULL ? open_temporary(out, file.st_mode & 0777) : -1;
}

int output_open(cli_output *out, const char *path, twinset_error *error)
{
    *out = (cli_output){.stream = stdout, .name = "standard output"};
    if (path == NULL)
        return 0;
    *out = (cli_output){.name = path};
    int fd = open_path(out, path);
    if (fd >= 0)
        out->stream = fdopen(fd, "w");
    if (out->stream != NULL)
        return 0;
    remember_failure(out);
    if (fd >= 0)
        close(fd);
    int status = output_error(out, error);
    output_discard(out);
    return status;
}

static bool write_bytes(cli_output *out, const char *bytes, size_t count)
{
    if (out->temporary != NULL)
        return output_write_large(out, bytes, count);
    return fwrite(bytes, 1, count, out->stream) == count;
}

int output_write(void *context, const char *bytes, size_t count)
{
    cli_output *out = context;
    errno = 0;
    if (signals_caught())
        out->failed = EINTR;
    else if (out->failed == 0 && !write_bytes(out, bytes, count))
        remember_failure(out);
    out->written += count;
    return out->failed;
}

void output_printf(cli_output *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    errno = 0;
    if (out->failed == 0 &&
        (!output_end_blocks(out) || vfprintf(out->stream, format, arguments) < 0))
        remember_failure(out);
    va_end(arguments);
}

/* Syncs a file; a file system that cannot sync is not a failure. */
static bool sync_file(FILE *stream)
{
    return fsync(fileno(stream)) == 0 || errno == EINVAL || errno == ENOTSUP;
}

int output_close(cli_output *out, twinset_error *error)
{
    errno = 0;
    if ((out->failed == 0 && !output_end_blocks(out)) || fflush(out->stream) != 0 ||
        (out->temporary != NULL && !out->skips_sync && !sync_file(out->stream)))
        remember_failure(out);
    if (signals_caught())
        out->failed = EINTR;
    if (out->failed == 0 && out->temporary != NULL && out->is_nameless && !name_file(out))
        remember_failure(out);
    if (fclose(out->stream) != 0)
        remember_failure(out);
    out->stream = NULL;
    if (out->failed == 0 && out->temporary != NULL) {
        if (rename(out->temporary, out->final) == 0) {
            signals_release(out->temporary);
            free(out->temporary);
            out->temporary = NULL;
        } else {
            remember_failure(out);
        }
    }
    int status = out->failed != 0 ? output_error(out, error) : 0;
    output_discard(out);
    return status;
}

void output_discard(cli_output *out)
{
    output_drop_blocks(out);
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->temporary != NULL && !out->is_nameless) {
        unlink(out->temporary);
        signals_release(out->temporary);
    }
    free(out->temporary);
    free(out->final);
    out->stream = NULL;
    out->temporary = out->final = NULL;
}

int output_give_up(const cli_output *out, const twinset_error *error)
{
    if (out->failed == EPIPE)
        signals_die_of_pipe();
    say("%s", error->message);
    return EXIT_FAILED;
}
