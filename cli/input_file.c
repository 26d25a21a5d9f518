/*
 * Reads the files that the command itself needs; documents are read by the library.
 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>

/* Reads on, into memory that doubles, until the file ends or has more than `most_bytes`. Returns 0
 * or an errno. */
static int read_all(FILE *file, size_t most_bytes, char **text)
{
    size_t length = 0, capacity = 0;
    errno = 0;
    do {
        size_t wanted = capacity == 0 ? 1 << 16 : 2 * capacity;
        char *grown = realloc(*text, wanted);
        if (grown == NULL)
            return ENOMEM;
        *text = grown;
        capacity = wanted;
        length += fread(*text + length, 1, capacity - 1 - length, file);
        if (ferror(file))
            return errno != 0 ? errno : EIO;
        if (length > most_bytes)
            return EFBIG;
    } while (!feof(file));
    (*text)[length] = '\0';
    return 0;
}

int read_file(const char *path, size_t most_bytes, char **text)
{
    *text = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return errno;
    int failed = read_all(file, most_bytes, text);
    fclose(file);
    if (failed != 0) {
        free(*text);
        *text = NULL;
    }
    return failed;
}
