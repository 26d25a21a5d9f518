/* What is added: texts, files, folders and members of archives become sources, each with the
 * submission that it belongs to. Nothing is read yet but what can be read only once. */
#include "corpus.h"

#include <string.h>

#include "common.h"
#include "input.h"

/* ---- sources */

void tw_source_free(const tw_corpus *corpus, tw_source *source)
{
    if (!source->lent)
        tw_free(source->copy);
    if (source->file == &corpus->none)
        return;
    tw_free(source->file->skipped);
    tw_free(source->file);
}

int tw_source_skip(tw_source *source, const char *reason)
{
    source->file->skipped = tw_strdup(reason);
    return source->file->skipped ? TWINSET_OK : TWINSET_NOMEM;
}

/* Names live as long as the corpus: results of several runs may borrow them. */
static int keep_name(tw_corpus *corpus, const char *name, const char **kept)
{
    return tw_names_keep(&corpus->names, name, strlen(name), kept);
}

int tw_corpus_skip(tw_corpus *corpus, const tw_skipped *skip)
{
    tw_skipped kept = *skip;
    int status = TW_GROW(corpus->skips, corpus->skip_capacity, corpus->skip_count + 1);
    if (status == TWINSET_OK)
        status = keep_name(corpus, skip->path, &kept.path);
    if (status == TWINSET_OK)
        status = keep_name(corpus, skip->reason, &kept.reason);
    if (status == TWINSET_OK)
        corpus->skips[corpus->skip_count++] = kept;
    return status;
}

static int add_source(tw_corpus *corpus, const char *name, twinset_role role, tw_source **source)
{
    const char *kept;
    int status = TW_GROW(corpus->sources, corpus->source_capacity, corpus->source_count + 1);
    if (status == TWINSET_OK)
        status = keep_name(corpus, name, &kept);
    if (status != TWINSET_OK)
        return status;
    *source = &corpus->sources[corpus->source_count++];
    **source = (tw_source){.name = kept, .role = role, .file = &corpus->none};
    return TWINSET_OK;
}

static void drop_last_source(tw_corpus *corpus)
{
    tw_source_free(corpus, &corpus->sources[--corpus->source_count]);
}

/* One that is more than a text in memory. */
static int add_outside(tw_corpus *corpus, const char *name, twinset_role role, tw_source **source)
{
    int status = add_source(corpus, name, role, source);
    tw_file *file = status == TWINSET_OK ? tw_calloc(1, sizeof *file) : NULL;
    if (file)
        (*source)->file = file;
    else if (status == TWINSET_OK)
        drop_last_source(corpus);
    return file ? TWINSET_OK : TWINSET_NOMEM;
}

/* ---- texts in memory */

static int hold_text(tw_source *source, const char *text, size_t length)
{
    char *copy = tw_array(length, 1);
    if (!copy)
        return TWINSET_NOMEM;
    if (length)
        memcpy(copy, text, length);
    source->copy = copy;
    source->size_bytes = length;
    return TWINSET_OK;
}

int tw_corpus_add_text(tw_corpus *corpus, const char *name, const char *text, size_t length,
                       bool lent, twinset_role role, twinset_error *error)
{
    tw_source *source;
    tw_corpus_clear(corpus);
    int status = add_source(corpus, name, role, &source);
    if (status == TWINSET_OK && text && lent) {
        source->text = text;
        source->size_bytes = length;
        source->lent = true;
    } else if (status == TWINSET_OK && text) {
        status = hold_text(source, text, length);
        if (status != TWINSET_OK)
            drop_last_source(corpus);
    }
    return tw_corpus_fail(corpus, error, status);
}

/* ---- the submissions that they belong to */

const char *tw_path_key(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/';)
            path++;
    return path;
}

/* Never 0, which is no group. */
uint64_t tw_group_of_name(const char *name, size_t length)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < length; i++)
        hash = tw_mix64(hash ^ (unsigned char)name[i]);
    return hash | !hash;
}

static uint64_t hash_path(const char *path, const char *end)
{
    const char *key = tw_path_key(path);
    return tw_group_of_name(key, key < end ? (size_t)(end - key) : 0);
}

/* The submission a file belongs to: the sub-folder of the folder that was walked, or the
 * folder that it lies in directly. Of none: 0. */
static int find_group(tw_corpus *corpus, tw_source *source, const tw_found *found)
{
    const char *below = found->path + (found->named ? 0 : found->root_length);
    const char *slash = found->named ? strrchr(below, '/') : strchr(below, '/');
    source->directly = !found->named && !slash;
    const char *end = slash ? slash : below;
    bool of_none = found->named && end <= tw_path_key(found->path);
    if (of_none)
        return TWINSET_OK;
    source->file->group = hash_path(found->path, end);
    size_t length = (size_t)(end - found->path);
    while (length > 1 && strchr("/!", found->path[length - 1])) /* "a.zip!/" is that of a.zip */
        length--;
    return tw_names_keep(&corpus->names, found->path, length, &source->file->submission);
}

/* Counts the folders of new documents that were named, each once. */
static int count_folder(tw_corpus *corpus, const tw_found *found)
{
    uint64_t folder = hash_path(found->path, found->path + found->root_length);
    for (size_t i = corpus->folders.count; i-- > 0;)
        if (corpus->folders.data[i] == folder)
            return TWINSET_OK;
    int status = TW_GROW(corpus->folders.data, corpus->folders.capacity, corpus->folders.count + 1);
    if (status == TWINSET_OK)
        corpus->folders.data[corpus->folders.count++] = folder;
    return status;
}

/* The submission that a list says. */
static const char *told_group(const tw_told *told, const char *column)
{
    return !column                         ? NULL
           : strcmp(column, "author") == 0 ? told->author
           : strcmp(column, "label") == 0  ? told->label
           : strcmp(column, "id") == 0     ? told->id
           : strcmp(column, "time") == 0   ? told->time
                                           : NULL;
}

static int place_source(tw_corpus *corpus, tw_source *source, const tw_found *found)
{
    const char *group = told_group(&found->told, tw_group_field(&corpus->options));
    source->size_bytes = found->size_bytes;
    int status = TWINSET_OK;
    if (tw_groups_are_folders(&corpus->options) && source->named == TW_KIND_TEXT)
        status = find_group(corpus, source, found);
    if (group && status == TWINSET_OK) {
        source->file->group = tw_group_of_name(group, strlen(group));
        status = keep_name(corpus, group, &source->file->submission);
    }
    return found->told.time && status == TWINSET_OK
               ? keep_name(corpus, found->told.time, &source->file->time)
               : status;
}

/* ---- members of archives */

typedef struct adding {
    tw_corpus *corpus;
    twinset_role role;
    tw_finder *finder;
} adding;

static int add_skip(void *context, const char *path, const char *reason)
{
    tw_skipped skip = {.path = path, .reason = reason, .source = UINT32_MAX};
    return tw_corpus_skip(((adding *)context)->corpus, &skip);
}

/* `place` is where it lies: "a.zip!/dir/file". An archive is a folder: of those that were
 * named, or, in one of these, a submission. */
static int add_member(adding *add, const tw_found *archive, const char *path, uint32_t number,
                      const tw_member *member, const char *place)
{
    tw_corpus *corpus = add->corpus;
    const char *id = archive->member ? archive->told.id : NULL;
    tw_source *source;
    if (member->reason)
        return add_skip(add, place, member->reason);
    if (tw_kind_of(member->name) == TW_KIND_JSONL)
        return add_skip(add, place, "JSON lines in an archive are not read; unpack it");
    int status = add_outside(corpus, id ? id : place, add->role, &source);
    if (status != TWINSET_OK)
        return status;
    source->path = path;
    source->file->member = number;
    status = keep_name(corpus, member->name, &source->file->inside);
    tw_found found = {.path = place,
                      .size_bytes = member->size_bytes,
                      .root_length = archive->named ? strlen(path) + 2 : archive->root_length,
                      .told = archive->told};
    if (status == TWINSET_OK)
        status = place_source(corpus, source, &found);
    if (status == TWINSET_OK && add->role == TWINSET_ROLE_NEW)
        status = count_folder(corpus, &found);
    if (status != TWINSET_OK)
        drop_last_source(corpus);
    return status;
}

/* All members that the rules take, or the one that is asked for. */
static int add_each(adding *add, const tw_found *found, const char *path, tw_members *members,
                    tw_bytes *place, const char **reason)
{
    tw_member member;
    for (uint32_t i = 0;; i++) {
        int status = tw_members_next(members, &member, reason);
        if (status != TWINSET_OK || !member.name)
            return status;
        if (found->member ? strcmp(found->member, member.name) != 0
                          : tw_find_leaves_out(add->finder, member.name))
            continue;
        place->length = 0;
        status = tw_bytes_printf(place, "%s!/%s", path, member.name);
        if (status == TWINSET_OK)
            status = add_member(add, found, path, i, &member, place->data);
        if (status != TWINSET_OK)
            return status;
    }
}

static int add_nothing(adding *add, const tw_found *found, tw_bytes *place)
{
    if (!found->member)
        return add_skip(add, found->path, "no documents in it");
    place->length = 0;
    int status = tw_bytes_printf(place, "%s!/%s", found->path, found->member);
    return status == TWINSET_OK ? add_skip(add, place->data, "no such file in the archive")
                                : status;
}

static int add_members(adding *add, const tw_found *found)
{
    tw_corpus *corpus = add->corpus;
    tw_members *members;
    tw_bytes place = {0};
    const char *path, *reason = "";
    size_t before = corpus->source_count + corpus->skip_count;
    int status = keep_name(corpus, found->path, &path);
    if (status == TWINSET_OK)
        status = tw_members_open(path, corpus->options.max_size, &members, &reason);
    if (status != TWINSET_OK)
        return status == TWINSET_IO ? add_skip(add, found->path, reason) : status;
    status = add_each(add, found, path, members, &place, &reason);
    if (status == TWINSET_IO)
        status = add_skip(add, found->path, reason);
    else if (status == TWINSET_OK && corpus->source_count + corpus->skip_count == before)
        status = add_nothing(add, found, &place);
    tw_members_close(members);
    tw_bytes_free(&place);
    return status;
}

/* ---- files and folders */

/* A pipe can be read but once. */
static int hold_stream(tw_corpus *corpus, tw_source *source)
{
    const char *text, *reason;
    size_t length;
    int status = tw_read(corpus->workers[0].reader, source->path, tw_corpus_size_limit(corpus),
                         &text, &length, &reason);
    if (status != TWINSET_OK)
        return status == TWINSET_IO ? tw_source_skip(source, reason) : status;
    source->file->told = tw_reader_told(corpus->workers[0].reader);
    return hold_text(source, text, length);
}

static void settle_kind(tw_source *source, bool whole)
{
    if (source->file->inside)
        return;
    source->kind = whole ? (uint8_t)TW_KIND_TEXT : source->named;
    bool lines = source->kind == TW_KIND_JSONL;
    source->spooled = lines && !source->regular;
    source->packed = source->spooled || (lines && tw_name_is_packed(source->path));
}

void tw_corpus_read_whole(tw_corpus *corpus, bool whole)
{
    for (size_t i = 0; i < corpus->source_count; i++)
        settle_kind(&corpus->sources[i], whole);
}

static int add_file(adding *add, const tw_found *found)
{
    tw_corpus *corpus = add->corpus;
    tw_source *source;
    const char *id = found->told.id;
    int status = add_outside(corpus, id ? id : found->path, add->role, &source);
    if (status != TWINSET_OK)
        return status;
    source->path = source->name;
    if (id)
        status = keep_name(corpus, found->path, &source->path);
    source->named = (uint8_t)found->kind;
    source->regular = found->regular;
    settle_kind(source, false);
    const char *slash = found->named ? strrchr(found->path, '/') : NULL;
    source->file->below = slash ? (size_t)(slash - found->path) + 1 : found->root_length;
    if (status == TWINSET_OK)
        status = place_source(corpus, source, found);
    if (!found->named && add->role == TWINSET_ROLE_NEW && status == TWINSET_OK)
        status = count_folder(corpus, found);
    if (found->kind == TW_KIND_TEXT && !found->regular && status == TWINSET_OK)
        status = hold_stream(corpus, source);
    if (status != TWINSET_OK)
        drop_last_source(corpus);
    return status;
}

static int add_found(void *context, const tw_found *found)
{
    bool archive = found->kind == TW_KIND_MEMBERS;
    if (archive && !found->regular)
        return add_skip(context, found->path, "an archive must be a file");
    return archive ? add_members(context, found) : add_file(context, found);
}

int tw_corpus_add_path(tw_corpus *corpus, const char *path, twinset_role role, twinset_error *error)
{
    tw_finder finder = {.document = add_found, .skip = add_skip, .rules = &corpus->walk};
    adding add = {corpus, role, &finder};
    finder.context = &add;
    tw_corpus_clear(corpus);
    size_t before = corpus->source_count + corpus->skip_count;
    int status = tw_find(&finder, path, error);
    corpus->hidden += finder.hidden;
    corpus->left_out += finder.excluded;
    if (status == TWINSET_OK && corpus->source_count + corpus->skip_count == before)
        status = add_skip(&add, path, "no documents in it");
    corpus->given_skips = corpus->skip_count;
    return tw_corpus_fail(corpus, error, status);
}
