#include "new_index.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

bool new_index_is_absent(const char *path)
{
    struct stat file;
    return lstat(path, &file) != 0;
}

/* Whether the index has had no batch but the one that created it. */
static bool is_untouched(twinset_index *index)
{
    twinset_index_stat stat;
    return twinset_index_stat_get(index, &stat, sizeof stat, NULL) == 0 && stat.batches <= 1;
}

/* The log goes with the last handle. Where there is one, another program has opened the index. */
void new_index_discard(twinset_index **index, const char *path)
{
    char log[PATH_MAX];
    if (*index == NULL || !is_untouched(*index))
        return;
    twinset_index_close(*index);
    *index = NULL;
    if (snprintf(log, sizeof log, "%s-wal", path) < (int)sizeof log && new_index_is_absent(log))
        unlink(path);
}
