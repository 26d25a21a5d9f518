/*
 * Control groups of Linux: what a container may use. /proc/self/cgroup names the group of the
 * process in each hierarchy, /proc/self/mountinfo where the hierarchies are mounted, and from which
 * group on. A limit holds for all groups inside the one that has it, so the smallest counts, from
 * the group of the process up to the one that is mounted.
 */
#include "machine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct group_reader {
    const char *root;
    tw_cgroup_limits limits;
} group_reader;

/* Takes the limits of one group, a folder. */
typedef void (*take_fn)(group_reader *reader, const char *folder);

/* ---- files of a group */

/* Reads the first line of a file; false where there is none. */
static bool read_line(const char *folder, const char *name, char *line, int size)
{
    char path[2 * PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    bool is_read = file && fgets(line, size, file);
    if (file)
        fclose(file);
    return is_read;
}

static void lower_memory(group_reader *reader, const char *folder, const char *name)
{
    char line[64];
    if (!read_line(folder, name, line, sizeof line) || line[0] < '0' || line[0] > '9')
        return; /* "max" */
    uint64_t bytes = strtoull(line, NULL, 10);
    if (bytes > 0 && bytes < reader->limits.memory_bytes)
        reader->limits.memory_bytes = bytes;
}

static void lower_cores(group_reader *reader, long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return;
    long long cores = quota / period + (quota % period > 0);
    if (cores < reader->limits.cores)
        reader->limits.cores = (unsigned)cores;
}

static void take_unified(group_reader *reader, const char *folder)
{
    char line[64], *end;
    lower_memory(reader, folder, "memory.max");
    lower_memory(reader, folder, "memory.high");
    if (!read_line(folder, "cpu.max", line, sizeof line))
        return;
    long long quota = strtoll(line, &end, 10); /* 0 of "max" */
    lower_cores(reader, quota, strtoll(end, NULL, 10));
}

static void take_memory(group_reader *reader, const char *folder)
{
    lower_memory(reader, folder, "memory.limit_in_bytes");
}

static void take_cores(group_reader *reader, const char *folder)
{
    char quota[64], period[64];
    if (read_line(folder, "cpu.cfs_quota_us", quota, sizeof quota) &&
        read_line(folder, "cpu.cfs_period_us", period, sizeof period))
        lower_cores(reader, strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/* ---- where groups are */

/* Whether one of the words of a list with commas is `word`. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t size = strcspn(at, ",");
        if (size == length && memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

/* Terminates the word with this index, and returns it. Of several words the last is to be taken
 * first, since that cuts the line. */
static const char *take_word(char *line, unsigned index)
{
    for (; index > 0; index--)
        line += strcspn(line, " \n") + (line[strcspn(line, " \n")] == ' ');
    line[strcspn(line, " \n")] = '\0';
    return line;
}

/* Takes the limits of a group and of all that it is nested in, up to where its hierarchy is
 * mounted. `from` is the group that is mounted there. */
static void take_nested(group_reader *reader, const char *mount, const char *from,
                        const char *group, take_fn take)
{
    char folder[PATH_MAX];
    size_t shared = strcmp(from, "/") == 0 ? 0 : strlen(from);
    bool is_inside = strncmp(group, from, shared) == 0 && (!group[shared] || group[shared] == '/');
    int base = snprintf(folder, sizeof folder, "%s%s", reader->root, mount);
    int length = snprintf(folder, sizeof folder, "%s%s%s", reader->root, mount,
                          is_inside ? group + shared : "");
    if (length >= (int)sizeof folder)
        return;
    for (char *slash;; *slash = '\0') {
        take(reader, folder);
        slash = strrchr(folder, '/');
        if (!slash || slash - folder < base)
            return;
    }
}

/* Looks for the mount of a hierarchy, and takes the limits of a group there. A `controller` of NULL
 * is the hierarchy of version 2. */
static void take_group(group_reader *reader, const char *controller, const char *group,
                       take_fn take)
{
    char path[PATH_MAX], line[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", reader->root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *rest = strstr(line, " - ");
        if (!rest)
            continue;
        *rest = '\0';
        const char *options = take_word(rest + 3, 2), *type = take_word(rest + 3, 0);
        const char *mount = take_word(line, 4), *from = take_word(line, 3);
        bool is_meant = controller ? strcmp(type, "cgroup") == 0 && has_word(options, controller)
                                   : strcmp(type, "cgroup2") == 0;
        if (is_meant)
            take_nested(reader, mount, from, group, take);
    }
    if (file)
        fclose(file);
}

/* Takes the limits that a line of /proc/self/cgroup leads to: "NUMBER:CONTROLLERS:GROUP". */
static void take_line(group_reader *reader, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    controllers++;
    group[strcspn(group, "\n")] = '\0';
    if (!*controllers)
        take_group(reader, NULL, group, take_unified);
    if (has_word(controllers, "memory"))
        take_group(reader, "memory", group, take_memory);
    if (has_word(controllers, "cpu"))
        take_group(reader, "cpu", group, take_cores);
}

tw_cgroup_limits tw_read_cgroup_limits(const char *root)
{
    group_reader reader = {root, {UINT64_MAX, UINT32_MAX}};
    char path[PATH_MAX], line[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        take_line(&reader, line);
    if (file)
        fclose(file);
    return reader.limits;
}
