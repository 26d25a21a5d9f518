/* What becomes of the sources that were added: which are read, each once, by what documents are
 * compared, and who with whom. */
#include "corpus.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"

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
