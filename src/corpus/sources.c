/* Turns the texts, files, folders and archives that a caller adds into sources, each with its
 * submission. */
#include "sources.h"

static const tw_source_file NO_FILE = {0};

/* ---- the list */

tw_sources *tw_sources_new(tw_arena *arena)
{
    tw_sources *sources = tw_calloc(1, sizeof *sources);
    if (!sources)
        return NULL;
    atomic_init(&sources->owners, 1);
    sources->arena = sources->texts = tw_arena_retain(arena);
    return sources;
}

tw_sources *tw_sources_new_paged(const tw_settings *settings)
{
    tw_paged *paged = tw_settings_paged(settings);
    tw_arena *texts = paged ? tw_arena_new(settings->arena) : NULL;
    tw_arena *arena = texts ? tw_arena_new_paged(texts, paged) : NULL;
    tw_sources *sources = arena ? tw_sources_new(arena) : NULL;
    if (sources)
        sources->texts = texts;
    tw_paged_release(paged); /* the arena keeps it, and the one of texts */
    tw_arena_release(texts);
    tw_arena_release(arena);
    return sources;
}

tw_sources *tw_sources_retain(tw_sources *sources)
{
    atomic_fetch_add(&sources->owners, 1);
    return sources;
}

void tw_sources_release(tw_sources *sources)
{
    if (!sources || atomic_fetch_sub(&sources->owners, 1) > 1)
        return;
    tw_paged *paged = tw_arena_paged(sources->arena);
    if (paged)
        tw_paged_free(paged, sources->data);
    else
        tw_free(sources->data);
    tw_free(sources->skips.data);
    tw_free(sources->lists);
    tw_arena_release(sources->arena);
    tw_free(sources);
}

/* Makes the list as long as needed: in paged memory where its names are. */
static int grow_sources(tw_sources *sources, size_t need)
{
    tw_paged *paged = tw_arena_paged(sources->arena);
    return paged ? TW_PAGED_GROW(paged, sources->data, sources->capacity, need)
                 : TW_GROW(sources->data, sources->capacity, need);
}

/* Copies the elements of a growing array; `from` may be empty. */
static int copy_array(void *to, size_t *capacity, const void *from, size_t count, size_t size)
{
    int status = tw_grow(to, capacity, count, size);
    if (status == TWINSET_OK && count)
        memcpy(*(void **)to, from, count * size);
    return status;
}

static int copy_lists(tw_sources *copy, const tw_sources *from)
{
    int status = grow_sources(copy, from->count);
    for (size_t i = 0; i < from->count && status == TWINSET_OK; i++)
        *tw_source_at(copy, i) = *tw_source_at(from, i);
    if (status == TWINSET_OK)
        status = copy_array(&copy->skips.data, &copy->skips.capacity, from->skips.data,
                            from->skips.count, sizeof *from->skips.data);
    if (status == TWINSET_OK)
        status = copy_array(&copy->lists, &copy->list_capacity, from->lists, from->list_count,
                            sizeof *from->lists);
    copy->texts = from->texts;
    copy->count = from->count;
    copy->file_count = from->file_count;
    copy->skips.count = from->skips.count;
    copy->list_count = from->list_count;
    copy->hidden = from->hidden;
    copy->excluded = from->excluded;
    copy->has_like_path = from->has_like_path;
    return status;
}

int tw_sources_own(tw_sources **sources)
{
    if (atomic_load(&(*sources)->owners) == 1)
        return TWINSET_OK;
    tw_sources *copy = tw_sources_new((*sources)->arena);
    int status = copy ? copy_lists(copy, *sources) : TWINSET_NOMEM;
    if (status != TWINSET_OK) {
        tw_sources_release(copy);
        return status;
    }
    tw_sources_release(*sources);
    *sources = copy;
    return TWINSET_OK;
}

int tw_skips_add(tw_skips *skips, const tw_skipped_input *skip)
{
    int status = TW_GROW(skips->data, skips->capacity, skips->count + 1);
    if (status == TWINSET_OK)
        skips->data[skips->count++] = *skip;
    return status;
}

/* Adds a source, as a text in memory; the caller fills in the rest. */
static int add_source(tw_sources *sources, const char *name, twinset_role role, tw_source **source)
{
    const char *kept;
    int status = grow_sources(sources, sources->count + 1);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(sources->arena, name, &kept);
    if (status != TWINSET_OK)
        return status;
    *source = tw_source_at(sources, sources->count++);
    **source = (tw_source){.name = kept, .role = (uint8_t)role, .file = &NO_FILE};
    return TWINSET_OK;
}

/* Adds a source that is a file or a member of one. */
static int add_file_source(tw_sources *sources, const char *name, twinset_role role,
                           tw_source **source, tw_source_file **file)
{
    int status = add_source(sources, name, role, source);
    if (status != TWINSET_OK)
        return status;
    *file = tw_arena_alloc(sources->arena, sizeof **file);
    if (!*file) {
        sources->count--;
        return TWINSET_NOMEM;
    }
    **file = (tw_source_file){.number = sources->file_count++};
    (*source)->file = *file;
    return TWINSET_OK;
}

static void drop_last_file(tw_sources *sources)
{
    sources->count--;
    sources->file_count--;
}

/* ---- texts in memory */

static int copy_text(tw_sources *sources, tw_source *source, const char *text, size_t length)
{
    source->size_bytes = length;
    return tw_arena_copy(sources->texts, text, length, &source->text);
}

int tw_sources_add_text(tw_sources *sources, const char *name, const char *text, size_t length,
                        bool borrowed, twinset_role role)
{
    tw_source *source;
    int status = add_source(sources, name, role, &source);
    if (status != TWINSET_OK || !text)
        return status;
    if (borrowed) {
        source->text = text;
        source->size_bytes = length;
        return TWINSET_OK;
    }
    status = copy_text(sources, source, text, length);
    if (status != TWINSET_OK)
        sources->count--;
    return status;
}

int tw_sources_add_identified(tw_sources *sources, const char *name, const char *text,
                              size_t length, const tw_text_identity *identity, twinset_role role)
{
    int status = tw_sources_add_text(sources, name, text, length, false, role);
    if (status != TWINSET_OK || (!identity->group && !identity->is_number))
        return status;
    tw_source_file *file = tw_arena_alloc(sources->arena, sizeof *file);
    if (!file)
        return TWINSET_NOMEM;
    *file = (tw_source_file){.group = identity->group, .is_number = identity->is_number};
    tw_source_at(sources, sources->count - 1)->file = file;
    return TWINSET_OK;
}

/* ---- submissions */

const char *tw_path_key(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/';)
            path++;
    return path;
}

uint64_t tw_group_of_name(const char *name, size_t length)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < length; i++)
        hash = tw_mix64(hash ^ (unsigned char)name[i]);
    return hash | !hash;
}

/* Returns the value of a manifest entry in the column of this name, or NULL. */
static const char *get_listed_group(const tw_manifest_entry *columns, const char *name)
{
    return !name                         ? NULL
           : strcmp(name, "author") == 0 ? columns->author
           : strcmp(name, "label") == 0  ? columns->label
           : strcmp(name, "id") == 0     ? columns->id
           : strcmp(name, "time") == 0   ? columns->time
                                         : NULL;
}

/* ---- adding paths */

typedef struct source_adder {
    tw_sources *sources;
    const tw_settings *settings;
    twinset_role role;
    tw_finder *finder;
    const char *path; /* as the caller gave it */
} source_adder;

/* Fills in the size and the submission of a file, and what a manifest says of it. */
static int fill_description(const source_adder *adder, const tw_input_source *found,
                            tw_source *source, tw_source_file *file)
{
    tw_arena *arena = adder->sources->arena;
    const char *group = get_listed_group(&found->manifest, tw_group_field(adder->settings));
    source->size_bytes = found->size_bytes;
    file->is_named = found->named;
    file->named_length = found->root_length;
    int status = TWINSET_OK;
    if (group) {
        file->group = tw_group_of_name(group, strlen(group));
        status = tw_arena_strdup(arena, group, &file->submission);
    }
    if (status == TWINSET_OK)
        status = tw_arena_strdup(arena, found->manifest.label, &file->label);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(arena, found->manifest.author, &file->author);
    return status == TWINSET_OK ? tw_arena_strdup(arena, found->manifest.time, &file->time)
                                : status;
}

static int add_skip(void *context, const char *path, const char *reason)
{
    const source_adder *adder = context;
    tw_arena *arena = adder->sources->arena;
    tw_skipped_input skip = {.source = TW_NO_SOURCE};
    int status = tw_arena_strdup(arena, path, &skip.path);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(arena, reason, &skip.reason);
    return status == TWINSET_OK ? tw_skips_add(&adder->sources->skips, &skip) : status;
}

static size_t count_added(const tw_sources *sources)
{
    return sources->count + sources->skips.count;
}

/* ---- members of archives */

/* Fills in a member. An archive that was named counts as a folder that was named. `name` is
 * "a.zip!/dir/file". */
static int fill_member(const source_adder *adder, const tw_input_source *archive,
                       const tw_member *member, const char *name, tw_source *source,
                       tw_source_file *file)
{
    int status = tw_arena_strdup(adder->sources->arena, member->name, &file->member_name);
    tw_input_source found = {
        .path = name,
        .size_bytes = member->size_bytes,
        .named = archive->member != NULL,
        .root_length = archive->named ? strlen(source->path) + 2 : archive->root_length,
        .manifest = archive->manifest,
    };
    return status == TWINSET_OK ? fill_description(adder, &found, source, file) : status;
}

static int add_member(source_adder *adder, const tw_input_source *archive, const char *path,
                      uint32_t number, const tw_member *member, const char *name)
{
    const char *id = archive->member ? archive->manifest.id : NULL;
    tw_source *source;
    tw_source_file *file;
    if (member->reason)
        return add_skip(adder, name, member->reason);
    tw_input_kind kind;
    if (tw_input_kind_by_name(member->name, &kind) && kind == TW_INPUT_JSONL &&
        adder->settings->options.input != TWINSET_INPUT_TEXT)
        return add_skip(adder, name, "JSON lines in an archive are not read; unpack it");
    int status = add_file_source(adder->sources, id ? id : name, adder->role, &source, &file);
    if (status != TWINSET_OK)
        return status;
    source->path = path;
    file->member = number;
    file->container = (uint8_t)archive->kind;
    status = fill_member(adder, archive, member, name, source, file);
    if (status != TWINSET_OK)
        drop_last_file(adder->sources);
    return status;
}

/* Adds all members that the rules do not leave out, or the one that a manifest names. */
static int add_each_member(source_adder *adder, const tw_input_source *found, const char *path,
                           tw_members *members, tw_bytes *name, const char **reason)
{
    tw_member member;
    for (uint32_t i = 0;; i++) {
        int status = tw_members_next(members, &member, reason);
        if (status != TWINSET_OK || !member.name)
            return status;
        if (found->member ? strcmp(found->member, member.name) != 0
                          : tw_finder_leaves_out(adder->finder, member.name))
            continue;
        name->length = 0;
        status = tw_bytes_printf(name, "%s!/%s", path, member.name);
        if (status == TWINSET_OK)
            status = add_member(adder, found, path, i, &member, name->data);
        if (status != TWINSET_OK)
            return status;
    }
}

/* Lists an archive as skipped, since it has no document, or not the one that a manifest names. */
static int skip_archive(source_adder *adder, const tw_input_source *found, tw_bytes *name)
{
    if (!found->member)
        return add_skip(adder, found->path, "no documents in it");
    name->length = 0;
    int status = tw_bytes_printf(name, "%s!/%s", found->path, found->member);
    return status == TWINSET_OK ? add_skip(adder, name->data, "no such file in the archive")
                                : status;
}

static int add_archive(source_adder *adder, const tw_input_source *found)
{
    tw_members *members;
    tw_bytes name = {0};
    const char *path, *reason = "";
    size_t before = count_added(adder->sources);
    int status = tw_arena_strdup(adder->sources->arena, found->path, &path);
    if (status == TWINSET_OK)
        status = tw_members_open(path, found->kind, adder->settings->options.max_size, &members,
                                 &reason);
    if (status != TWINSET_OK)
        return status == TWINSET_IO ? add_skip(adder, found->path, reason) : status;
    status = add_each_member(adder, found, path, members, &name, &reason);
    if (status == TWINSET_IO)
        status = add_skip(adder, found->path, reason);
    else if (status == TWINSET_OK && count_added(adder->sources) == before)
        status = skip_archive(adder, found, &name);
    tw_members_close(members);
    tw_bytes_free(&name);
    return status;
}

/* ---- files and folders */

/* Reads a pipe into memory, since it can be read only once. */
static int hold_stream(const source_adder *adder, tw_source *source, tw_source_file *file)
{
    const char *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new(&adder->settings->rules);
    if (!reader)
        return TWINSET_NOMEM;
    const char *path = strcmp(source->path, "-") == 0 ? "/dev/stdin" : source->path;
    int status = tw_read(reader, path, tw_size_limit(adder->settings), &text, &length, &reason);
    if (status == TWINSET_OK) {
        file->reading = tw_reader_origin(reader);
        file->reading.made = false; /* its text stays in memory */
        status = copy_text(adder->sources, source, text, length);
    } else if (status == TWINSET_IO) {
        status = tw_arena_strdup(adder->sources->arena, reason, &file->skipped);
    }
    tw_reader_free(reader);
    return status;
}

static int fill_file(const source_adder *adder, const tw_input_source *found, tw_source *source,
                     tw_source_file *file)
{
    const char *slash = found->named ? strrchr(found->path, '/') : NULL;
    file->is_option_file = adder->role != TWINSET_ROLE_NEW && strcmp(found->path, adder->path) == 0;
    file->root_length = slash ? (size_t)(slash - found->path) + 1 : found->root_length;
    source->kind = (uint8_t)found->kind;
    source->is_regular = found->regular;
    source->is_program = found->is_program;
    source->path = source->name;
    int status = TWINSET_OK;
    if (found->manifest.id)
        status = tw_arena_strdup(adder->sources->arena, found->path, &source->path);
    if (status == TWINSET_OK)
        status = fill_description(adder, found, source, file);
    if (found->kind == TW_INPUT_TEXT && !found->regular && status == TWINSET_OK)
        status = hold_stream(adder, source, file);
    return status;
}

static int add_file(source_adder *adder, const tw_input_source *found)
{
    tw_source *source;
    tw_source_file *file;
    const char *id = found->manifest.id;
    int status =
        add_file_source(adder->sources, id ? id : found->path, adder->role, &source, &file);
    if (status != TWINSET_OK)
        return status;
    status = fill_file(adder, found, source, file);
    if (status != TWINSET_OK)
        drop_last_file(adder->sources);
    return status;
}

/* Keeps the text of a record in memory. */
static int fill_record(const source_adder *adder, const tw_input_source *found, tw_source *source,
                       tw_source_file *file)
{
    tw_arena *arena = adder->sources->arena;
    tw_bytes text = {0}, sentence = {0};
    const char *reason = "";
    file->is_record = true;
    file->is_option_file =
        adder->role != TWINSET_ROLE_NEW && strcmp(source->name, adder->path) == 0;
    int status = fill_description(adder, found, source, file);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(arena, found->path, &source->path);
    if (status == TWINSET_OK)
        status =
            tw_find_record(adder->settings, found->path, found->member, &text, &sentence, &reason);
    if (status == TWINSET_OK)
        status = copy_text(adder->sources, source, text.data ? text.data : "", text.length);
    else if (status == TWINSET_IO)
        status = tw_arena_strdup(arena, reason, &file->skipped);
    tw_bytes_free(&text);
    tw_bytes_free(&sentence);
    return status;
}

/* Adds one record of a file of JSON lines as a document, named as the user wrote it. */
static int add_record(source_adder *adder, const tw_input_source *found)
{
    tw_source *source;
    tw_source_file *file;
    tw_bytes name = {0};
    int status = tw_bytes_printf(&name, "%s%s", found->path, found->member);
    if (status == TWINSET_OK)
        status = add_file_source(adder->sources, name.data, adder->role, &source, &file);
    tw_bytes_free(&name);
    if (status != TWINSET_OK)
        return status;
    status = fill_record(adder, found, source, file);
    if (status != TWINSET_OK)
        drop_last_file(adder->sources);
    return status;
}

static int add_found(void *context, const tw_input_source *found)
{
    bool is_archive = tw_kind_has_members(found->kind);
    if (found->kind == TW_INPUT_JSONL && found->member)
        return add_record(context, found);
    if (is_archive && !found->regular)
        return add_skip(context, found->path, "an archive must be a file");
    return is_archive ? add_archive(context, found) : add_file(context, found);
}

int tw_sources_add_list(tw_sources *sources, const char *path)
{
    int status = TW_GROW(sources->lists, sources->list_capacity, sources->list_count + 1);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(sources->arena, strcmp(path, "-") == 0 ? "/dev/stdin" : path,
                                 &sources->lists[sources->list_count]);
    sources->list_count += status == TWINSET_OK;
    return status;
}

/* Fails if a path that an option names was skipped itself: what would be compared without it is
 * not what was asked for. */
static int check_option_path(const source_adder *adder, const char *path, size_t first_skip,
                             twinset_error *error)
{
    const tw_skips *skips = &adder->sources->skips;
    for (size_t i = first_skip; i < skips->count && adder->role != TWINSET_ROLE_NEW; i++)
        if (strcmp(skips->data[i].path, path) == 0)
            return tw_fail(error, TWINSET_IO, "`%s`: %s: %s", tw_role_option(adder->role), path,
                           skips->data[i].reason);
    return TWINSET_OK;
}

const char *tw_role_option(twinset_role role)
{
    static const char *const names[] = {[TWINSET_ROLE_NEW] = "",
                                        [TWINSET_ROLE_OLD] = "old",
                                        [TWINSET_ROLE_LIKE] = "like",
                                        [TWINSET_ROLE_IGNORE] = "ignore"};
    return names[role];
}

int tw_sources_add_path(tw_sources *sources, const tw_settings *settings, const char *path,
                        twinset_role role, twinset_error *error)
{
    tw_finder finder = {.document = add_found, .skip = add_skip, .rules = &settings->walk};
    source_adder adder = {sources, settings, role, &finder, path};
    finder.context = &adder;
    size_t before = count_added(sources), first_skip = sources->skips.count;
    sources->has_like_path |= role == TWINSET_ROLE_LIKE;
    int status = path[0] == '@' ? tw_sources_add_list(sources, path + 1) : TWINSET_OK;
    if (status == TWINSET_OK)
        status = tw_find(&finder, path, error);
    sources->hidden += finder.hidden;
    sources->excluded += finder.excluded;
    if (status == TWINSET_OK)
        status = check_option_path(&adder, path, first_skip, error);
    if (status == TWINSET_OK && count_added(sources) == before)
        status = add_skip(&adder, path, "no documents in it");
    return tw_paged_fail(tw_arena_paged(sources->arena), error, status);
}

/* ---- the files that are read */

/* Visits what was skipped before it became a source, such as an archive without documents. Names
 * that are no paths, and files that do not exist, were not read. */
static int visit_skipped(const tw_sources *sources, int (*visit)(void *, const char *),
                         void *context)
{
    tw_file_identity file;
    int answer = 0;
    for (size_t i = 0; i < sources->skips.count && answer == 0; i++) {
        const tw_skipped_input *skip = &sources->skips.data[i];
        if (skip->source == TW_NO_SOURCE && tw_identify_file(skip->path, &file) && !file.below)
            answer = visit(context, skip->path);
    }
    return answer;
}

int tw_sources_visit_files(const tw_sources *sources, int (*visit)(void *context, const char *path),
                           void *context)
{
    const char *last = NULL;
    int answer = 0;
    for (size_t i = 0; i < sources->count && answer == 0; i++) {
        const char *path = tw_source_at(sources, i)->path;
        if (path && path != last)
            answer = visit(context, strcmp(path, "-") == 0 ? "/dev/stdin" : path);
        last = path;
    }
    for (size_t i = 0; i < sources->list_count && answer == 0; i++)
        answer = visit(context, sources->lists[i]);
    return answer != 0 ? answer : visit_skipped(sources, visit, context);
}
