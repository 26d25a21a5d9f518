/* A temporary folder for a test or a group of tests, removed at the end. */
#ifndef FOLDER_H
#define FOLDER_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* It is static in a header because each test program has one folder. */
static char test_folder[PATH_MAX];

static inline int enter_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/twinset-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(test_folder) && chdir(test_folder) == 0 ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static inline int leave_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 ? nftw(test_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) : -1;
}

#endif
