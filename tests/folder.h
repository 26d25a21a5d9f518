/* A temporary folder for a test or a group of tests, removed at the end, and files in it. */
#ifndef FOLDER_H
#define FOLDER_H

#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Writes a file. False if it cannot be written. */
static inline bool write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    bool good = file && (length == 0 || fwrite(bytes, 1, length, file) == length);
    return file && fclose(file) == 0 && good;
}

static inline bool write_file(const char *path, const char *text)
{
    return write_bytes(path, text, strlen(text));
}

#endif
