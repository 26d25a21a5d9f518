/* Where documents come from: adding sources, settling which are read, who is compared with
 * whom. */
#include "collection/corpus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/hash.h"
#include "common/options.h"
#include "input/members.h"

/* ---- the corpus itself */

static int read_stop_list(tw_corpus *corpus, twinset_error *error)
{
    const char *path = corpus->options.stop, *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new(NULL);
    if (!reader)
        return tw_nomem(error);
    int status = tw_read(reader, path, 64 << 20, &text, &length, &reason);
    if (status == TWINSET_OK)
        status = tw_stop_list_new(text, length, &corpus->options, &corpus->stop, error);
    else if (status == TWINSET_IO)
        status = tw_fail(error, status, "%s: cannot read the stop words: %s", path, reason);
    else
        status = tw_nomem(error);
    tw_reader_free(reader);
    return status;
}

static size_t count_lines(const char *lines)
{
    size_t count = lines && *lines;
    for (; lines && *lines; lines++)
        count += *lines == '\n';
    return count;
}

/* Takes the patterns of an option apart, into a copy of them. */
static char *split_patterns(const char *lines, char *copy, const char **patterns)
{
    if (!lines || !*lines)
        return copy;
    strcpy(copy, lines);
    for (char *at = copy; at; patterns++) {
        *patterns = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    return copy + strlen(lines) + 1;
}

static int make_walk_rules(tw_corpus *corpus, twinset_error *error)
{
    const twinset_options *options = &corpus->options;
    size_t include = count_lines(options->include), exclude = count_lines(options->exclude);
    size_t bytes = (options->include ? strlen(options->include) : 0) +
                   (options->exclude ? strlen(options->exclude) : 0) + 2;
    const char **patterns = tw_array(include + exclude, sizeof *patterns);
    corpus->patterns = tw_array(bytes, 1);
    corpus->walk = (tw_walk_rules){options->all, patterns, patterns + include, include, exclude};
    if (!patterns || !corpus->patterns)
        return tw_nomem(error);
    char *end = split_patterns(options->include, corpus->patterns, patterns);
    split_patterns(options->exclude, end, patterns + include);
    return TWINSET_OK;
}

static int find_language(tw_corpus *corpus, twinset_error *error)
{
    const char *name = corpus->options.lang;
    if (!name || strcmp(name, "auto") == 0)
        return TWINSET_OK;
    corpus->language = tw_language_named(name);
    if (corpus->language)
        return TWINSET_OK;
    tw_bytes names = {0};
    const tw_language *language;
    int status = TWINSET_OK;
    for (size_t i = 0; (language = tw_language_at(i)) && status == TWINSET_OK; i++)
        status = tw_bytes_printf(&names, "%s%s", i ? ", " : "", tw_language_name(language));
    if (status == TWINSET_OK)
        status = tw_fail(error, TWINSET_USAGE, "--lang: '%s' is not auto or one of %.*s", name,
                         (int)names.length, names.data);
    tw_bytes_free(&names);
    return status;
}

static int make_workers(tw_corpus *corpus, twinset_error *error)
{
    unsigned threads = corpus->options.threads;
    corpus->workers = tw_calloc(threads, sizeof *corpus->workers);
    if (!corpus->workers)
        return tw_nomem(error);
    for (unsigned i = 0; i < threads; i++) {
        tw_worker *worker = &corpus->workers[i];
        worker->corpus = corpus;
        tw_sketch_init(&worker->sketch, corpus->scheme);
        worker->side_document[0] = worker->side_document[1] = UINT32_MAX;
        worker->reader = tw_reader_new(&corpus->rules);
        worker->slots = tw_array(corpus->options.hashes, sizeof *worker->slots);
        if (!worker->reader || !worker->slots || tw_coder_new(&worker->coder) != TWINSET_OK ||
            tw_jsonl_new(corpus->options.text ? corpus->options.text : "text", corpus->options.id,
                         &worker->records) != TWINSET_OK)
            return tw_nomem(error);
        int status = tw_shingler_new(&corpus->options, corpus->stop, &worker->shingler, error);
        if (status != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

int tw_corpus_init(tw_corpus *corpus, const twinset_options *options, twinset_error *error)
{
    memset(corpus, 0, sizeof *corpus);
    pthread_mutex_init(&corpus->large, NULL);
    int status = tw_options_resolve(options, &corpus->options, error);
    if (options)
        corpus->given = *options;
    else
        twinset_options_init(&corpus->given);
    corpus->rules = (tw_convert_rules){
        .html_boilerplate = corpus->options.html_boilerplate,
        .mail_quotes = corpus->options.mail_quotes,
        .quotations = corpus->options.quotations,
        .is_program = tw_by_code(corpus) ? tw_names_program : NULL,
    };
    if (status == TWINSET_OK)
        status = make_walk_rules(corpus, error);
    if (status == TWINSET_OK)
        status = find_language(corpus, error);
    if (status == TWINSET_OK && corpus->options.stop)
        status = read_stop_list(corpus, error);
    if (status == TWINSET_OK)
        status = tw_scheme_new(&corpus->options, &corpus->scheme, error);
    if (status == TWINSET_OK)
        status = make_workers(corpus, error);
    return status;
}

static void free_worker(tw_worker *worker)
{
    tw_inside_close(&worker->inside);
    tw_reader_free(worker->reader);
    tw_jsonl_free(worker->records);
    tw_shingler_free(worker->shingler);
    tw_coder_free(worker->coder);
    tw_code_free(&worker->code);
    tw_bytes_free(&worker->program);
    tw_spans_free(&worker->omitted);
    tw_program_scratch_free(&worker->scratch_of_programs);
    tw_sketch_free(&worker->sketch);
    tw_bytes_free(&worker->bytes);
    tw_free(worker->slots);
    tw_free(worker->ids.data);
    tw_free(worker->values.data);
    tw_free(worker->scratch.data);
    tw_free(worker->side[0].data);
    tw_free(worker->side[1].data);
    tw_passage_free(&worker->passages);
}

static void free_source(tw_corpus *corpus, tw_source *source)
{
    if (!source->lent)
        tw_free((void *)(uintptr_t)source->text);
    if (source->file == &corpus->none)
        return;
    tw_free(source->file->skipped);
    tw_free(source->file);
}

static void close_files(tw_corpus *corpus)
{
    for (size_t i = 0; corpus->files && i < corpus->source_count; i++)
        if (corpus->files[i])
            close(corpus->files[i] - 1);
    tw_free(corpus->files);
    corpus->files = NULL;
}

static void forget_reading(tw_source *source)
{
    source->records = 0;
    source->file->start = source->file->bytes = 0;
}

/* All that a reading left behind. */
void tw_corpus_clear(tw_corpus *corpus)
{
    if (!corpus->was_read) /* or to add a million texts would take a million times as long */
        return;
    corpus->was_read = false;
    tw_corpus_forget_sets(corpus);
    close_files(corpus);
    tw_keys_free(corpus->keys);
    tw_spill_free(corpus->spool);
    tw_spill_free(corpus->texts);
    tw_free(corpus->fetched);
    tw_free(corpus->place);
    tw_free(corpus->groups);
    corpus->groups = NULL;
    corpus->group_capacity = 0;
    corpus->skip_count = corpus->given_skips;
    for (unsigned i = 0; corpus->workers && i < corpus->options.threads; i++)
        tw_inside_close(&corpus->workers[i].inside); /* the archive may be another next time */
    for (size_t i = 0; i < corpus->source_count; i++)
        forget_reading(&corpus->sources[i]);
    corpus->keys = NULL;
    corpus->spool = corpus->texts = NULL;
    corpus->fetched = NULL;
    corpus->place = NULL;
    corpus->fetched_count = corpus->count = 0;
    corpus->fetched_all = false;
    corpus->shingles = corpus->bytes = corpus->records = 0;
}

void tw_corpus_free(tw_corpus *corpus)
{
    tw_corpus_clear(corpus);
    for (unsigned i = 0; corpus->workers && i < corpus->options.threads; i++)
        free_worker(&corpus->workers[i]);
    for (size_t i = 0; i < corpus->source_count; i++)
        free_source(corpus, &corpus->sources[i]);
    tw_names_free(&corpus->names);
    tw_free(corpus->folders.data);
    tw_free(corpus->workers);
    tw_free(corpus->documents);
    tw_free(corpus->sources);
    tw_free(corpus->skips);
    tw_free(corpus->excluded);
    tw_free((void *)(uintptr_t)corpus->walk.include);
    tw_free(corpus->patterns);
    tw_scheme_free(corpus->scheme);
    tw_stop_list_free(corpus->stop);
    pthread_mutex_destroy(&corpus->large);
}

tw_loop tw_corpus_loop(const tw_corpus *corpus, const char *stage)
{
    const twinset_options *options = &corpus->options;
    return (tw_loop){options->threads, stage, options->progress, options->progress_context};
}

int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status)
{
    const char *changed = atomic_load(&corpus->changed);
    if (status == TWINSET_OK || (error && error->message[0]))
        return status;
    if (status == TWINSET_CANCELLED)
        return tw_fail(error, status, "interrupted");
    if (status == TWINSET_IO && changed)
        return tw_fail(error, status,
                       "%s: changed, or became unreadable, during the run; run again", changed);
    return status == TWINSET_NOMEM ? tw_nomem(error) : status;
}

/* ---- adding */

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
    free_source(corpus, &corpus->sources[--corpus->source_count]);
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

static int hold_text(tw_source *source, const char *text, size_t length)
{
    char *copy = tw_array(length, 1);
    if (!copy)
        return TWINSET_NOMEM;
    if (length)
        memcpy(copy, text, length);
    source->text = copy;
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

typedef struct adding {
    tw_corpus *corpus;
    twinset_role role;
    tw_finder *finder;
} adding;

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

static int add_skip(void *context, const char *path, const char *reason)
{
    tw_skipped skip = {.path = path, .reason = reason, .source = UINT32_MAX};
    return tw_corpus_skip(((adding *)context)->corpus, &skip);
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
    const char *path, *reason = NULL;
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

/* ---- preparing */

static const char *key_of(const tw_source *source)
{
    return source->path ? tw_path_key(source->path) : source->name;
}

/* The id that a list gives a file, by which it may come several times. */
static const char *id_of(const tw_source *source)
{
    return source->path && !source->file->inside && source->name != source->path ? source->name
                                                                                 : "";
}

/* Whether two are one: the file, of an archive the member, of a list the id. */
static int by_identity(const tw_source *x, const tw_source *y)
{
    int order = strcmp(key_of(x), key_of(y));
    if (order == 0)
        order = (x->file->inside != NULL) - (y->file->inside != NULL);
    if (order == 0)
        order = (x->file->member > y->file->member) - (x->file->member < y->file->member);
    return order ? order : strcmp(id_of(x), id_of(y));
}

/* Which role a document has that was added with two. */
static int precedence(twinset_role role)
{
    static const int order[] = {[TWINSET_ROLE_NEW] = 0,
                                [TWINSET_ROLE_OLD] = 1,
                                [TWINSET_ROLE_LIKE] = 2,
                                [TWINSET_ROLE_IGNORE] = 3};
    return order[role];
}

static int by_key(const void *left, const void *right)
{
    const tw_source *x = *(tw_source *const *)left, *y = *(tw_source *const *)right;
    int order = by_identity(x, y);
    if (order == 0)
        order = precedence(y->role) - precedence(x->role);
    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->file->group > y->file->group) - (x->file->group < y->file->group);
    return order ? order : (x > y) - (x < y);
}

/* Equal for two that are one. */
static uint64_t hash_identity(const tw_source *source)
{
    const char *key = key_of(source);
    return tw_hash_bytes(key, strlen(key)) + source->file->member;
}

/* Whether any two may be one; mostly they are not, and need not be sorted. */
static int look_for_repeated(const tw_corpus *corpus, bool *found)
{
    size_t count = corpus->source_count;
    uint64_t *hashes = tw_array(2 * count, sizeof *hashes);
    if (!hashes)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_identity(&corpus->sources[i]);
    *found = tw_sort_unique_u64(hashes, count, hashes + count) < count;
    tw_free(hashes);
    return TWINSET_OK;
}

/* A path may be added twice, a text must not. */
static int mark_sorted(tw_source **sorted, size_t count, twinset_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const tw_source *before = i ? sorted[i - 1] : NULL;
        sorted[i]->repeated = before && by_identity(before, sorted[i]) == 0;
        if (sorted[i]->repeated && !(before->path && sorted[i]->path))
            return tw_fail(error, TWINSET_USAGE, "two documents are named '%s'", sorted[i]->name);
    }
    return TWINSET_OK;
}

static int mark_repeated(tw_corpus *corpus, twinset_error *error)
{
    size_t count = corpus->source_count;
    tw_source **sorted = tw_array(count, sizeof *sorted);
    if (!sorted)
        return tw_nomem(error);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &corpus->sources[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, by_key);
    int status = mark_sorted(sorted, count, error);
    tw_free(sorted);
    return status;
}

void tw_corpus_choose_unit(tw_corpus *corpus)
{
    size_t programs = 0, all = 0;
    if (corpus->given.by != TWINSET_BY_AUTO)
        return;
    for (size_t i = 0; i < corpus->source_count; i++) {
        const tw_source *source = &corpus->sources[i];
        bool counts = source->role != TWINSET_ROLE_IGNORE && source->kind == TW_KIND_TEXT;
        all += counts;
        programs += counts && tw_names_program(tw_source_file(source));
    }
    int by = 2 * programs > all ? TWINSET_BY_CODE : TWINSET_BY_CHAR;
    if (by != corpus->options.by)
        tw_options_settle(&corpus->given, by, &corpus->options);
    corpus->rules.is_program = tw_by_code(corpus) ? tw_names_program : NULL;
}

int tw_corpus_prepare(tw_corpus *corpus, twinset_error *error)
{
    bool repeated;
    if (look_for_repeated(corpus, &repeated) != TWINSET_OK)
        return tw_nomem(error);
    int status = repeated ? mark_repeated(corpus, error) : TWINSET_OK;
    corpus->like = false;
    for (size_t i = 0; i < corpus->source_count; i++)
        corpus->like |=
            corpus->sources[i].role == TWINSET_ROLE_LIKE && !corpus->sources[i].repeated;
    return status;
}

static uint64_t group_of(const tw_corpus *corpus, uint32_t document)
{
    return corpus->groups ? corpus->groups[document]
                          : corpus->sources[corpus->documents[document].source].file->group;
}

bool tw_corpus_wanted(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_source *x = &corpus->sources[corpus->documents[a].source];
    const tw_source *y = &corpus->sources[corpus->documents[b].source];
    if (corpus->comparison)
        return true;
    bool one_folder = corpus->folders.count < 2 && (x->directly || y->directly);
    if (x->role == TWINSET_ROLE_OLD && y->role == TWINSET_ROLE_OLD)
        return false;
    if (corpus->like && x->role != TWINSET_ROLE_LIKE && y->role != TWINSET_ROLE_LIKE)
        return false;
    uint64_t group = group_of(corpus, a);
    return !group || group != group_of(corpus, b) || one_folder;
}

int tw_source_skip(tw_source *source, const char *reason)
{
    source->file->skipped = tw_strdup(reason);
    return source->file->skipped ? TWINSET_OK : TWINSET_NOMEM;
}
