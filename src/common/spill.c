/*
 * Temporary files. Linux can make a file without a name (O_TMPFILE). Where the file system cannot,
 * the file has a name for the moment between two calls. A counter assigns the offsets, and any
 * thread writes at its own, so that there is nothing to lock.
 */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "memory.h"

struct tw_spill {
    int file;
    atomic_uint_least64_t end;
    char *folder;
};

static int fail(const char *verb, const char *folder, int reason, twinset_error *error)
{
    return tw_fail(error, TWINSET_IO,
                   "cannot %s temporary files in %s: %s; name another place with `tmp`", verb,
                   folder, tw_system_reason(reason));
}

static const char *default_folder(void)
{
    const char *chosen = getenv("TMPDIR");
    if (chosen && *chosen)
        return chosen;
    return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

/* Returns the file, or -1 with errno, or -2 where memory ran out. */
static int open_nameless(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    tw_bytes path = {0};
    if (tw_bytes_printf(&path, "%s/twinset-XXXXXX", folder) != TWINSET_OK)
        return -2;
    file = mkostemp(path.data, O_CLOEXEC);
    if (file >= 0)
        unlink(path.data);
    tw_bytes_free(&path);
    return file;
}

int tw_spill_check_folder(const char *folder, twinset_error *error)
{
    struct stat found;
    int reason = stat(folder, &found) != 0 ? errno : S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
    return reason ? fail("make", folder, reason, error) : TWINSET_OK;
}

int tw_spill_new(const char *folder, tw_spill **spill, twinset_error *error)
{
    *spill = NULL;
    if (!folder)
        folder = default_folder();
    tw_spill *made = tw_calloc(1, sizeof *made);
    if (!made || !(made->folder = tw_strdup(folder))) {
        tw_free(made);
        return tw_nomem(error);
    }
    made->file = open_nameless(folder);
    if (made->file < 0) {
        int status = made->file == -1 ? fail("make", folder, errno, error) : tw_nomem(error);
        tw_spill_free(made);
        return status;
    }
    *spill = made;
    return TWINSET_OK;
}

void tw_spill_free(tw_spill *spill)
{
    if (!spill)
        return;
    if (spill->file >= 0)
        close(spill->file);
    tw_free(spill->folder);
    tw_free(spill);
}

int tw_spill_append(tw_spill *spill, const void *bytes, size_t count, uint64_t *offset,
                    twinset_error *error)
{
    *offset = atomic_fetch_add(&spill->end, count);
    if (tw_write_at(spill->file, *offset, bytes, count))
        return TWINSET_OK;
    return fail("write", spill->folder, errno, error);
}

int tw_spill_read(const tw_spill *spill, uint64_t offset, void *bytes, size_t count,
                  twinset_error *error)
{
    size_t got;
    bool read = tw_read_at(spill->file, offset, bytes, count, &got);
    if (read && got == count)
        return TWINSET_OK;
    return fail("read", spill->folder, read ? EIO : errno, error);
}

int tw_spill_claim(tw_spill *spill, uint64_t offset, size_t count, twinset_error *error)
{
    int reason = posix_fallocate(spill->file, (off_t)offset, (off_t)count);
    return reason ? fail("write", spill->folder, reason, error) : TWINSET_OK;
}

int tw_spill_descriptor(const tw_spill *spill)
{
    return spill->file;
}

uint64_t tw_spill_bytes(const tw_spill *spill)
{
    return atomic_load(&spill->end);
}
