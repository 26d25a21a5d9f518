/* Which sources are read, each once; by what documents are compared, and who with whom. */
#include "corpus.h"

#include <stdlib.h>

/* ---- sources that were given twice */

static const char *key_of(const tw_source *source)
{
    return source->path ? tw_path_key(source->path) : source->name;
}

/* The id that a list gives a file, which it may list several times. */
static const char *listed_id(const tw_source *source)
{
    bool is_listed = source->path && !source->file->member_name && source->name != source->path;
    return is_listed ? source->name : "";
}

/* Whether two sources are one: the same file, the same member of an archive, the same id of a
 * list. */
static int by_identity(const tw_source *x, const tw_source *y)
{
    int order = strcmp(key_of(x), key_of(y));
    if (order == 0)
        order = (x->file->member_name != NULL) - (y->file->member_name != NULL);
    if (order == 0)
        order = (x->file->member > y->file->member) - (x->file->member < y->file->member);
    return order ? order : strcmp(listed_id(x), listed_id(y));
}

/* Which role counts for a source that was added in two. */
static int precedence(uint8_t role)
{
    static const int order[] = {[TWINSET_ROLE_NEW] = 0,
                                [TWINSET_ROLE_OLD] = 1,
                                [TWINSET_ROLE_LIKE] = 2,
                                [TWINSET_ROLE_IGNORE] = 3};
    return order[role];
}

static int by_precedence(const void *left, const void *right)
{
    const tw_source *x = *(const tw_source *const *)left, *y = *(const tw_source *const *)right;
    int order = by_identity(x, y);
    if (order == 0)
        order = precedence(y->role) - precedence(x->role);
    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->file->group > y->file->group) - (x->file->group < y->file->group);
    return order ? order : (x > y) - (x < y);
}

/* Equal for two sources that are one. */
static uint64_t hash_identity(const tw_source *source)
{
    const char *key = key_of(source);
    return tw_hash_bytes(key, strlen(key)) + source->file->member;
}

/* Whether any two sources may be one. Mostly none are, and need not be sorted. */
static int look_for_repeated(const tw_sources *sources, bool *found)
{
    size_t count = sources->count;
    uint64_t *hashes = tw_array(2 * count, sizeof *hashes);
    if (!hashes)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_identity(&sources->data[i]);
    *found = tw_sort_unique_u64(hashes, count, hashes + count) < count;
    tw_free(hashes);
    return TWINSET_OK;
}

/* A path may be added twice, a text must not. */
static int mark_sorted(const tw_sources *sources, const tw_source **sorted, tw_source_state *states,
                       twinset_error *error)
{
    for (size_t i = 0; i < sources->count; i++) {
        const tw_source *before = i ? sorted[i - 1] : NULL;
        tw_source_state *state = &states[sorted[i] - sources->data];
        state->is_repeated = before && by_identity(before, sorted[i]) == 0;
        if (state->is_repeated && !(before->path && sorted[i]->path))
            return tw_fail(error, TWINSET_USAGE, "two documents are named '%s'", sorted[i]->name);
    }
    return TWINSET_OK;
}

static int mark_repeated(const tw_sources *sources, tw_source_state *states, twinset_error *error)
{
    size_t count = sources->count;
    const tw_source **sorted = tw_array(count, sizeof *sorted);
    if (!sorted)
        return tw_nomem(error);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &sources->data[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, by_precedence);
    int status = mark_sorted(sources, sorted, states, error);
    tw_free(sorted);
    return status;
}

/* How a source is read. One document of a comparison may be any file. */
static tw_source_state state_of(const tw_source *source, bool is_comparison)
{
    bool is_text = is_comparison || source->file->member_name;
    tw_source_state state = {.kind = is_text ? (uint8_t)TW_INPUT_TEXT : source->kind};
    bool is_lines = state.kind == TW_INPUT_JSONL;
    state.is_spooled = is_lines && !source->is_regular;
    state.is_packed = state.is_spooled || (is_lines && tw_name_is_packed(source->path));
    return state;
}

int tw_source_states_new(const tw_sources *sources, bool is_comparison, tw_source_state **states,
                         twinset_error *error)
{
    bool repeated;
    *states = tw_array(sources->count, sizeof **states);
    if (!*states || look_for_repeated(sources, &repeated) != TWINSET_OK)
        return tw_nomem(error);
    for (size_t i = 0; i < sources->count; i++)
        (*states)[i] = state_of(&sources->data[i], is_comparison);
    return repeated ? mark_repeated(sources, *states, error) : TWINSET_OK;
}

/* ---- what documents are compared by */

int tw_choose_unit(const tw_settings *settings, const tw_sources *sources, bool is_comparison)
{
    size_t programs = 0, all = 0;
    if (settings->given.by != TWINSET_BY_AUTO)
        return settings->given.by;
    for (size_t i = 0; i < sources->count; i++) {
        const tw_source *source = &sources->data[i];
        bool counts =
            source->role != TWINSET_ROLE_IGNORE && (is_comparison || source->kind == TW_INPUT_TEXT);
        all += counts;
        programs += counts && tw_is_program_path(tw_source_file_name(source));
    }
    return 2 * programs > all ? TWINSET_BY_CODE : TWINSET_BY_CHAR;
}

/* ---- who is compared with whom */

static uint64_t group_of(const tw_corpus *corpus, uint32_t document)
{
    return corpus->documents.groups ? corpus->documents.groups[document]
                                    : tw_source_of(corpus, document)->file->group;
}

bool tw_corpus_wants(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_source *x = tw_source_of(corpus, a), *y = tw_source_of(corpus, b);
    if (corpus->is_comparison)
        return true;
    bool one_folder = corpus->sources->folders.count < 2 && (x->is_top_level || y->is_top_level);
    if (x->role == TWINSET_ROLE_OLD && y->role == TWINSET_ROLE_OLD)
        return false;
    if (corpus->has_like && x->role != TWINSET_ROLE_LIKE && y->role != TWINSET_ROLE_LIKE)
        return false;
    uint64_t group = group_of(corpus, a);
    return !group || group != group_of(corpus, b) || one_folder;
}

bool tw_corpus_wants_all(const tw_corpus *corpus)
{
    if (corpus->documents.groups)
        return false;
    for (size_t i = 0; i < corpus->sources->count; i++) {
        const tw_source *source = &corpus->sources->data[i];
        if (source->role == TWINSET_ROLE_OLD || source->role == TWINSET_ROLE_LIKE ||
            source->file->group)
            return false;
    }
    return true;
}
