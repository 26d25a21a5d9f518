/*
 * Finds the submission that each file belongs to, by the folders and archives that the caller
 * named. This takes one pass over the sources, before anything is read.
 *
 *   one folder or archive is named       each sub-folder or archive in it is a submission, and a
 *                                        file directly in it stands alone
 *   several are named, as by class/ *    each of them is a submission; but where each has only
 *                                        sub-folders, and several, these are
 *   files alone are named                those of one folder are a submission
 *
 * A folder of role old is always one of several submissions, one of role like always a submission
 * itself. A file that is named beside folders belongs to the submission that it lies in.
 */
#include "corpus.h"

#include <stdlib.h>

/* The most programs of a submission, on average, that are taken for the work of one person. */
enum { MOST_PROGRAMS = 30 };

/* A span at the start of a location. */
typedef struct located_span {
    const char *location; /* "path", or "path!/member" */
    size_t length;
} located_span;

/* A folder or an archive of new documents that was named. */
typedef struct named_root {
    uint64_t id;
    uint64_t last_child;  /* the sub-folder or archive in it that was seen last, or 0 */
    size_t children;      /* of these, without those that are called as folders of a project are */
    bool has_direct_file; /* not in a sub-folder or an archive */
} named_root;

typedef struct group_finder {
    tw_corpus *corpus; /* NULL: folders are only surveyed */
    const tw_sources *sources;
    tw_bytes location; /* of the current source */
    named_root *roots;
    size_t root_count, root_capacity;
    bool has_folders;    /* a folder or an archive was named in any role */
    bool roots_are_work; /* each root is a submission */
    uint64_t last;       /* the id of the last submission, whose name is `last_name` */
    const char *last_name;
} group_finder;

static bool is_grouped(const tw_source *source)
{
    return source->path && source->kind == TW_INPUT_TEXT && source->role != TWINSET_ROLE_IGNORE;
}

static uint64_t hash_location(const char *location, size_t length)
{
    const char *key = tw_path_key(location);
    size_t dropped = (size_t)(key - location);
    return tw_group_of_name(key, length > dropped ? length - dropped : 0);
}

static int locate(group_finder *finder, const tw_source *source)
{
    const char *member = source->file->member_name;
    finder->location.length = 0;
    return tw_bytes_printf(&finder->location, "%s%s%s", source->path, member ? "!/" : "",
                           member ? member : "");
}

/* Whether a folder is called as the folders of a project often are. */
static bool is_project_folder(located_span span)
{
    static const char *const names[] = {"src",     "source", "lib",      "libs",   "test",  "tests",
                                        "include", "bin",    "examples", "docs",   "build", "app",
                                        "cmd",     "pkg",    "script",   "scripts"};
    const char *name = span.location + span.length;
    while (name > span.location && name[-1] != '/')
        name--;
    size_t length = (size_t)(span.location + span.length - name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* Returns the folder or archive below the one that was named; its length is 0 for a file directly
 * there. */
static located_span find_child(const group_finder *finder, const tw_source *source)
{
    const char *location = finder->location.data;
    const char *slash = strchr(location + source->file->named_length, '/');
    return (located_span){location, slash ? (size_t)(slash - location) : 0};
}

/* Finds a root, or adds it. Files of one follow each other. */
static int find_root(group_finder *finder, uint64_t id, named_root **root)
{
    for (size_t i = finder->root_count; i-- > 0;) {
        *root = &finder->roots[i];
        if ((*root)->id == id)
            return TWINSET_OK;
    }
    int status = TW_GROW(finder->roots, finder->root_capacity, finder->root_count + 1);
    if (status != TWINSET_OK)
        return status;
    *root = &finder->roots[finder->root_count++];
    **root = (named_root){.id = id};
    return TWINSET_OK;
}

/* Adds what a file says about the folder or archive that was named. */
static int look_at_root(group_finder *finder, const tw_source *source)
{
    named_root *root;
    finder->has_folders = true;
    if (source->role != TWINSET_ROLE_NEW)
        return TWINSET_OK;
    uint64_t id = hash_location(finder->location.data, source->file->named_length);
    int status = find_root(finder, id, &root);
    if (status != TWINSET_OK)
        return status;
    located_span child = find_child(finder, source);
    uint64_t child_id = child.length ? hash_location(child.location, child.length) : 0;
    root->has_direct_file |= !child.length;
    root->children += child_id && child_id != root->last_child && !is_project_folder(child);
    root->last_child = child_id;
    return TWINSET_OK;
}

static int find_roots(group_finder *finder)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < finder->sources->count && status == TWINSET_OK; i++) {
        const tw_source *source = tw_source_at(finder->sources, i);
        if (!is_grouped(source) || source->file->is_named)
            continue;
        status = locate(finder, source);
        if (status == TWINSET_OK)
            status = look_at_root(finder, source);
    }
    bool are_classes = true;
    for (size_t i = 0; i < finder->root_count; i++)
        are_classes &= !finder->roots[i].has_direct_file && finder->roots[i].children > 1;
    finder->roots_are_work = finder->root_count > 1 && !are_classes;
    return status;
}

/* Returns the submission of a source, by the location that was found for it. Its length is 0 if
 * there is none. */
static located_span find_span(const group_finder *finder, const tw_source *source)
{
    const tw_source_file *file = source->file;
    const char *location = finder->location.data, *slash;
    located_span span = {location, 0};
    bool is_whole = source->role == TWINSET_ROLE_LIKE ||
                    (source->role == TWINSET_ROLE_NEW && finder->roots_are_work);
    if (file->is_named)
        slash = finder->has_folders ? NULL : strrchr(location, '/');
    else if (is_whole)
        slash = location + file->named_length;
    else
        slash = strchr(location + file->named_length, '/');
    span.length = slash ? (size_t)(slash - location) : 0;
    while (span.length > 1 && strchr("/!", location[span.length - 1])) /* "a.zip!/" is "a.zip" */
        span.length--;
    return span;
}

/* ---- a folder for each person */

static bool has_programs(const tw_sources *sources, const tw_side *side)
{
    for (size_t i = side->first; i < side->end; i++)
        if (tw_source_is_program(tw_source_at(sources, i)))
            return true;
    return false;
}

static int survey_texts(group_finder *finder, tw_folder_survey *survey)
{
    uint64_t last_folder = 0, last = 0;
    size_t loose = 0; /* programs that are in no submission */
    bool is_project = false;
    int status = find_roots(finder);
    for (size_t i = 0; i < finder->sources->count && status == TWINSET_OK; i++) {
        const tw_source *source = tw_source_at(finder->sources, i);
        if (!is_grouped(source) || source->role != TWINSET_ROLE_NEW)
            continue;
        status = locate(finder, source);
        if (status != TWINSET_OK)
            break;
        located_span span = find_span(finder, source);
        uint64_t id = span.length ? hash_location(span.location, span.length) : 0;
        survey->texts++;
        survey->folders += id && id != last_folder;
        last_folder = id ? id : last_folder;
        if (!tw_source_is_program(source))
            continue;
        survey->programs++;
        loose += !span.length || source->file->is_named;
        is_project |= span.length && is_project_folder(span);
        survey->submissions += id && id != last;
        last = id ? id : last;
    }
    survey->is_class = survey->submissions > 1 && !loose && !is_project &&
                       survey->programs / survey->submissions <= MOST_PROGRAMS;
    return status;
}

int tw_survey_folders(const tw_sources *sources, tw_folder_survey *survey)
{
    group_finder finder = {.sources = sources};
    *survey = (tw_folder_survey){0};
    tw_side all = {.end = sources->count};
    int status = has_programs(sources, &all) ? survey_texts(&finder, survey) : TWINSET_OK;
    tw_bytes_free(&finder.location);
    tw_free(finder.roots);
    return status;
}

/* ---- the group of each source */

static int set_group(group_finder *finder, const tw_source *source, located_span span)
{
    tw_source_group *group = &finder->corpus->groups[source->file->number];
    if (!span.length)
        return TWINSET_OK;
    uint64_t id = hash_location(span.location, span.length);
    int status = TWINSET_OK;
    if (id != finder->last)
        status =
            tw_arena_copy(finder->corpus->arena, span.location, span.length, &finder->last_name);
    finder->last = status == TWINSET_OK ? id : 0;
    *group = (tw_source_group){finder->last, finder->last_name};
    return status;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *x = left, *y = right;
    return (*x > *y) - (*x < *y);
}

/* Returns the span of the submission that a file lies in, if there is one. */
static located_span find_surrounding(const tw_u64s *ids, const char *location)
{
    located_span span = {location, strlen(location)};
    while (span.length > 0) {
        while (span.length > 0 && location[span.length - 1] != '/')
            span.length--;
        while (span.length > 0 && strchr("/!", location[span.length - 1]))
            span.length--;
        uint64_t id = hash_location(location, span.length);
        if (span.length && bsearch(&id, ids->data, ids->count, sizeof id, by_number))
            break;
    }
    return span;
}

/* Lists the submissions that were found, sorted. */
static int list_ids(const tw_corpus *corpus, tw_u64s *ids)
{
    int status = TW_GROW(ids->data, ids->capacity, 2 * (size_t)corpus->sources->file_count);
    if (status != TWINSET_OK)
        return status;
    for (uint32_t i = 0; i < corpus->sources->file_count; i++)
        if (corpus->groups[i].id)
            ids->data[ids->count++] = corpus->groups[i].id;
    ids->count = tw_sort_unique_u64(ids->data, ids->count, ids->data + ids->count);
    return TWINSET_OK;
}

/* Sets the groups of files that were named beside folders. */
static int group_named_files(group_finder *finder)
{
    tw_u64s ids = {0};
    int status = list_ids(finder->corpus, &ids);
    for (size_t i = 0; i < finder->sources->count && status == TWINSET_OK; i++) {
        const tw_source *source = tw_source_at(finder->sources, i);
        if (!is_grouped(source) || !source->file->is_named)
            continue;
        status = locate(finder, source);
        if (status == TWINSET_OK)
            status = set_group(finder, source, find_surrounding(&ids, finder->location.data));
    }
    tw_free(ids.data);
    return status;
}

static int group_sources(group_finder *finder)
{
    int status = find_roots(finder);
    for (size_t i = 0; i < finder->sources->count && status == TWINSET_OK; i++) {
        const tw_source *source = tw_source_at(finder->sources, i);
        if (!is_grouped(source))
            continue;
        status = locate(finder, source);
        if (status == TWINSET_OK)
            status = set_group(finder, source, find_span(finder, source));
    }
    return status == TWINSET_OK && finder->has_folders ? group_named_files(finder) : status;
}

int tw_corpus_group_by_folder(tw_corpus *corpus)
{
    group_finder finder = {.corpus = corpus, .sources = corpus->sources};
    corpus->groups = tw_calloc(corpus->sources->file_count, sizeof *corpus->groups);
    int status = corpus->groups ? group_sources(&finder) : TWINSET_NOMEM;
    tw_bytes_free(&finder.location);
    tw_free(finder.roots);
    return status;
}

/* ---- the two sides of a comparison */

/* Refuses what a comparison cannot take. A side that was given twice is read once. */
static int check_sides(const tw_corpus *corpus, const tw_side sides[2], twinset_error *error)
{
    bool is_one = strcmp(tw_path_key(sides[0].name), tw_path_key(sides[1].name)) == 0;
    for (int i = 0; i < 2; i++) {
        size_t count = sides[i].end - sides[i].first;
        if (count > 1 && !tw_compares_programs(corpus->settings))
            return tw_fail(error, TWINSET_USAGE,
                           "%s has %zu texts, and two texts are compared: name one of them, or "
                           "scan the folder",
                           sides[i].name, count);
        for (size_t j = sides[i].first; j < sides[i].end && !is_one; j++)
            if (corpus->states[j].is_repeated)
                return tw_fail(error, TWINSET_USAGE,
                               "%s is on both sides: compare takes two "
                               "folders that have no file in common",
                               tw_source_at(corpus->sources, j)->name);
    }
    return TWINSET_OK;
}

int tw_choose_unit_of_sides(const tw_settings *settings, const tw_sources *sources,
                            const tw_side sides[2])
{
    bool has_several = sides[0].end - sides[0].first > 1 || sides[1].end - sides[1].first > 1;
    int by = tw_choose_unit(settings, sources, true);
    if (settings->given.by == TWINSET_BY_AUTO && has_several && has_programs(sources, &sides[0]) &&
        has_programs(sources, &sides[1]))
        by = TWINSET_BY_CODE;
    return by;
}

/* Whether a source is a file that was found in a folder or an archive. */
static bool is_found_file(const tw_source *source)
{
    return source->path && !source->file->is_named;
}

int tw_corpus_take_sides(tw_corpus *corpus, const tw_side sides[2], twinset_error *error)
{
    const tw_sources *sources = corpus->sources;
    int status = check_sides(corpus, sides, error);
    bool are_folders = false;
    for (int i = 0; i < 2; i++)
        are_folders |= is_found_file(tw_source_at(sources, sides[i].first));
    if (status != TWINSET_OK || !are_folders || !tw_compares_programs(corpus->settings))
        return status;
    corpus->groups = tw_calloc(corpus->sources->file_count, sizeof *corpus->groups);
    if (!corpus->groups)
        return tw_nomem(error);
    for (int i = 0; i < 2; i++)
        for (size_t j = sides[i].first; j < sides[i].end; j++)
            if (tw_source_at(sources, j)->path)
                corpus->groups[tw_source_at(sources, j)->file->number] =
                    (tw_source_group){(uint64_t)i + 1, sides[i].name};
    return TWINSET_OK;
}

const char *tw_corpus_side_name(const tw_corpus *corpus, const tw_side *side)
{
    const tw_source *source = tw_source_at(corpus->sources, side->first);
    return corpus->groups && source->path ? side->name : source->name;
}

tw_source_group tw_corpus_source_group(const tw_corpus *corpus, const tw_source *source)
{
    tw_source_touch(corpus->sources, source);
    if (!corpus->groups)
        return (tw_source_group){source->file->group, source->file->submission};
    return source->path ? corpus->groups[source->file->number] : (tw_source_group){0};
}
