/*
 * Walks a folder. All names of a folder are read and sorted, the folder is closed, and only then
 * its entries are visited, depth first, with an explicit stack. So one descriptor is enough for any
 * depth, the order is the same everywhere, and memory holds the names of the folders on the way
 * down, not those of the whole tree. A tree that is too deep for the system's path names is left
 * out from there, with a reason.
 */
#include "input.h"
#include "kind.h"
#include "members.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The entries of a folder. */
typedef struct folder_listing {
    tw_bytes names;       /* each terminated */
    const char **entries; /* the names, sorted */
    size_t count, next;
    size_t path_length; /* the length of the path before an entry's name */
} folder_listing;

typedef struct folder_walker {
    tw_finder *finder;
    twinset_error *error;
    tw_bytes path; /* the path of the entry that is visited, terminated */
    folder_listing *stack;
    size_t depth, capacity;
} folder_walker;

static void listing_free(folder_listing *folder)
{
    tw_bytes_free(&folder->names);
    tw_free(folder->entries);
}

/* Sets the path to its first `keep` bytes and `name`. */
static int set_path(folder_walker *walk, size_t keep, const char *name)
{
    walk->path.length = keep;
    if (tw_bytes_append(&walk->path, name, strlen(name) + 1) != TWINSET_OK)
        return tw_nomem(walk->error);
    walk->path.length--;
    return TWINSET_OK;
}

static int skip(folder_walker *walk, const char *reason)
{
    return walk->finder->skip(walk->finder->context, walk->path.data, reason);
}

/* Skips the path for an errno; but where descriptors or memory ran out, the walk fails. */
static int skip_for_system(folder_walker *walk, int error)
{
    int status = tw_system_status(error);
    return status == TWINSET_IO ? skip(walk, tw_system_reason(error))
                                : tw_complete_error(walk->error, status);
}

static int compare_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sort_entries(folder_listing *folder)
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
        qsort(folder->entries, folder->count, sizeof *folder->entries, compare_bytes);
    return TWINSET_OK;
}

/* ---- what is left out */

static const tw_walk_rules USUAL_RULES = {.all = false};

static const tw_walk_rules *rules_of(const tw_finder *finder)
{
    return finder->rules ? finder->rules : &USUAL_RULES;
}

/* Whether programs fill folders of this name, with versions, packages or caches. */
static bool is_filled_by_programs(const char *name)
{
    static const char *const names[] = {"CVS", "_darcs", "node_modules", "__pycache__", "__MACOSX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool matches_any(const char *const *patterns, size_t count, const char *path, bool is_folder)
{
    for (size_t i = 0; i < count; i++)
        if (tw_path_matches(patterns[i], path, is_folder))
            return true;
    return false;
}

/* Whether an entry is left out, by its path below the folder that is walked. Counts it if so. A
 * file that holds files is like a folder: patterns to include are for what it holds. */
static bool leaves_out(tw_finder *finder, const char *below, bool is_folder)
{
    const tw_walk_rules *rules = rules_of(finder);
    const char *slash = strrchr(below, '/'), *name = slash ? slash + 1 : below;
    bool hidden = !rules->all && (name[0] == '.' || (is_folder && is_filled_by_programs(name)));
    bool excluded = matches_any(rules->exclude, rules->exclude_count, below, is_folder) ||
                    (!is_folder && rules->include_count > 0 && !tw_name_has_members(name) &&
                     !matches_any(rules->include, rules->include_count, below, false));
    finder->hidden += hidden;
    finder->excluded += !hidden && excluded;
    return hidden || excluded;
}

bool tw_finder_leaves_out(tw_finder *finder, const char *member)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(member, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - member);
        length -= length > 0 && slash[-1] == '!'; /* an archive in the archive */
        if (length >= sizeof folder)
            break;
        memcpy(folder, member, length);
        folder[length] = '\0';
        if (leaves_out(finder, folder, true))
            return true;
    }
    return leaves_out(finder, member, false);
}

/* ---- walking */

/* Reads the entries of a folder that are not hidden. On TWINSET_IO, errno says why. */
static int read_entries(DIR *directory, folder_listing *folder, tw_finder *finder)
{
    bool all = rules_of(finder)->all;
    struct dirent *entry;
    errno = 0;
    while ((entry = readdir(directory))) {
        const char *name = entry->d_name;
        bool hidden = name[0] == '.', itself = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (!hidden || (all && !itself)) {
            if (tw_bytes_append(&folder->names, name, strlen(name) + 1) != TWINSET_OK)
                return TWINSET_NOMEM;
            folder->count++;
        } else {
            finder->hidden += !itself;
        }
        errno = 0;
    }
    return errno ? TWINSET_IO : sort_entries(folder);
}

/* Sets what comes before the names of a folder's entries: its path and a slash. "." is not shown,
 * and "/" has its slash. */
static int set_prefix(folder_walker *walk, folder_listing *folder)
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

/* Puts the folder at the path on the stack; one that cannot be read is skipped. */
static int enter(folder_walker *walk)
{
    if (TW_GROW(walk->stack, walk->capacity, walk->depth + 1) != TWINSET_OK)
        return tw_nomem(walk->error);
    DIR *directory = opendir(walk->path.data);
    if (!directory)
        return skip_for_system(walk, errno);
    folder_listing folder = {0};
    int status = read_entries(directory, &folder, walk->finder);
    int reason = errno;
    closedir(directory);
    if (status == TWINSET_OK) {
        walk->stack[walk->depth++] = folder;
        return set_prefix(walk, &walk->stack[walk->depth - 1]);
    }
    listing_free(&folder);
    return status == TWINSET_IO ? skip_for_system(walk, reason) : tw_nomem(walk->error);
}

/* Whether the file at the path is a journal of this run: were it read, the next run would find
 * other inputs and could not go on. */
static bool is_own_journal(const folder_walker *walk)
{
    static const char ending[] = ".journal";
    const char *folder = rules_of(walk->finder)->checkpoint;
    size_t length = walk->path.length, tail = sizeof ending - 1;
    return folder && length > tail && memcmp(walk->path.data + length - tail, ending, tail) == 0 &&
           tw_is_journal(folder, walk->path.data);
}

/* Visits the entry at the path. */
static int visit(folder_walker *walk)
{
    const char *path = walk->path.data;
    struct stat file;
    if (lstat(path, &file) != 0)
        return skip_for_system(walk, errno);
    if (leaves_out(walk->finder, walk->path.data + walk->stack[0].path_length,
                   S_ISDIR(file.st_mode)))
        return TWINSET_OK;
    bool link = S_ISLNK(file.st_mode);
    if (link && stat(path, &file) != 0)
        return errno == ENOENT ? skip(walk, "symbolic link to nothing")
                               : skip_for_system(walk, errno);
    if (S_ISDIR(file.st_mode))
        return link ? skip(walk, "symbolic link to a folder: not followed") : enter(walk);
    if (!S_ISREG(file.st_mode))
        return skip(walk, "not a regular file");
    if (is_own_journal(walk))
        return TWINSET_OK;

    tw_input_source found = {.path = path,
                             .root_length = walk->stack[0].path_length,
                             .size_bytes = (uint64_t)file.st_size,
                             .regular = true,
                             .manifest = walk->finder->manifest};
    found.manifest.id = NULL;
    if (tw_find_input_kind(rules_of(walk->finder), &found) != TWINSET_OK)
        return tw_nomem(walk->error);
    return walk->finder->document(walk->finder->context, &found);
}

static int walk_on(folder_walker *walk)
{
    int status = TWINSET_OK;
    while (status == TWINSET_OK && walk->depth > 0) {
        folder_listing *folder = &walk->stack[walk->depth - 1];
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
    folder_walker walk = {.finder = finder, .error = error};
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

/* Finds a file in an archive: "a.zip!/dir/file". `mark` is the "!"; `failure` is the errno of the
 * path as a whole. */
static int find_member(tw_finder *finder, const char *path, const char *mark, int failure,
                       twinset_error *error)
{
    struct stat file;
    size_t length = (size_t)(mark - path);
    char *archive = tw_malloc(length + 1);
    if (!archive)
        return tw_nomem(error);
    memcpy(archive, path, length);
    archive[length] = '\0';
    tw_input_source found = {.path = archive,
                             .regular = true,
                             .named = true,
                             .member = mark + 2,
                             .manifest = finder->manifest};
    bool is_there = stat(archive, &file) == 0 && S_ISREG(file.st_mode);
    int status = is_there ? tw_find_input_kind(rules_of(finder), &found) : TWINSET_OK;
    if (status != TWINSET_OK)
        status = tw_nomem(error);
    else if (is_there && tw_kind_has_members(found.kind))
        status = finder->document(finder->context, &found);
    else
        status = finder->skip(finder->context, path, tw_system_reason(failure));
    tw_free(archive);
    return status;
}

/* Whether the first `length` bytes of a path are a regular file. */
static bool is_file(const char *path, size_t length)
{
    char start[PATH_MAX];
    struct stat file;
    if (length == 0 || length >= sizeof start)
        return false;
    memcpy(start, path, length);
    start[length] = '\0';
    return stat(start, &file) == 0 && S_ISREG(file.st_mode);
}

/* Returns where the name of a record begins in FILE:12 or FILE#ID, if FILE exists; otherwise
 * NULL. */
static const char *find_record_mark(const char *path)
{
    const char *colon = strrchr(path, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (digits > 0 && digits < 19 && !colon[1 + digits] && is_file(path, (size_t)(colon - path)))
        return colon;
    for (const char *hash = strchr(path, '#'); hash; hash = strchr(hash + 1, '#'))
        if (hash[1] && is_file(path, (size_t)(hash - path)))
            return hash;
    return NULL;
}

/* Finds a record of a file of JSON lines, whose name begins at `mark`. */
static int find_record(tw_finder *finder, const char *path, const char *mark)
{
    char file[PATH_MAX];
    size_t length = (size_t)(mark - path);
    memcpy(file, path, length); /* is_file() has seen that it fits */
    file[length] = '\0';
    tw_input_source found = {.path = file,
                             .named = true,
                             .kind = TW_INPUT_JSONL,
                             .member = mark,
                             .manifest = finder->manifest};
    return finder->document(finder->context, &found);
}

/* Finds what a path stands for that is not the path of a file. */
static int find_in_file(tw_finder *finder, const char *path, int failure, twinset_error *error)
{
    const char *mark = strstr(path, "!/"), *record = find_record_mark(path);
    if (record)
        return find_record(finder, path, record);
    return mark ? find_member(finder, path, mark, failure, error)
                : finder->skip(finder->context, path, tw_system_reason(failure));
}

int tw_find_named(tw_finder *finder, const char *path, twinset_error *error)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return find_in_file(finder, path, errno, error);
    if (S_ISDIR(file.st_mode))
        return find_in_folder(finder, path, error);
    bool regular = S_ISREG(file.st_mode);
    tw_input_source found = {.path = path,
                             .size_bytes = regular ? (uint64_t)file.st_size : 0,
                             .regular = regular,
                             .named = true,
                             .manifest = finder->manifest};
    if (tw_find_input_kind(rules_of(finder), &found) != TWINSET_OK)
        return tw_nomem(error);
    return finder->document(finder->context, &found);
}
