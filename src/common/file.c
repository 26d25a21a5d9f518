/* pread() and pwrite() until all bytes are done; a signal does not end them. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool tw_read_at(int fd, uint64_t offset, void *bytes, size_t count, size_t *got)
{
    for (*got = 0; *got < count;) {
        ssize_t now = pread(fd, (char *)bytes + *got, count - *got, (off_t)(offset + *got));
        if (now < 0 && errno != EINTR)
            return false;
        if (now == 0)
            break;
        *got += now > 0 ? (size_t)now : 0;
    }
    return true;
}

bool tw_write_at(int fd, uint64_t offset, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = pwrite(fd, (const char *)bytes + done, count - done, (off_t)(offset + done));
        if (now == 0)
            errno = ENOSPC;
        if (now == 0 || (now < 0 && errno != EINTR))
            return false;
        done += now > 0 ? (size_t)now : 0;
    }
    return true;
}

bool tw_is_out_of_files(void)
{
    if (errno == EMFILE || errno == ENFILE)
        return true;
    int fd = open("/", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd < 0 && (errno == EMFILE || errno == ENFILE);
}
