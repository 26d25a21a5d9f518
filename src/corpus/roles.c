/* Decides which sources are read, each once, what documents are compared by, and which pairs are
 * compared. */
#include "corpus.h"

#include <stdlib.h>

/* ---- sources that were added twice */

static const char *get_key(const tw_source *source)
{
    return source->path ? tw_path_key(source->path) : source->name;
}

/* Returns the id that a manifest gives a file, which it may list several times; "" if there is
 * none. */
static const char *get_listed_id(const tw_source *source)
{
    bool is_listed = source->path && !source->file->member_name && source->name != source->path;
    return is_listed ? source->name : "";
}

/* Compares the identities of two sources, 0 if they are one: the same file, the same member of an
 * archive, the same id of a manifest. */
static int by_identity(const tw_source *x, const tw_source *y)
{
    int order = strcmp(get_key(x), get_key(y));
    if (order == 0)
        order = (x->file->member_name != NULL) - (y->file->member_name != NULL);
    if (order == 0)
        order = (x->file->member > y->file->member) - (x->file->member < y->file->member);
    return order ? order : strcmp(get_listed_id(x), get_listed_id(y));
}

/* Ranks the roles: a source that was added in two has the one with the higher rank. */
static int rank_role(uint8_t role)
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
        order = rank_role(y->role) - rank_role(x->role);
    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->file->group > y->file->group) - (x->file->group < y->file->group);
    if (order == 0) /* found in a folder, and in one below it: the latter was meant */
        order = (x->file->named_length < y->file->named_length) -
                (x->file->named_length > y->file->named_length);
    return order ? order : (x > y) - (x < y);
}

/* Hashes the identity of a source; equal for two sources that are one. */
static uint64_t hash_identity(const tw_source *source)
{
    const char *key = get_key(source);
    return tw_hash_bytes(key, strlen(key)) + source->file->member;
}

/* Finds out whether any two sources may be one. Mostly none are, which saves sorting them. */
static int find_repeated(const tw_sources *sources, bool *found)
{
    size_t count = sources->count;
    uint64_t *hashes = tw_array(2 * count, sizeof *hashes);
    if (!hashes)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash_identity(tw_source_at(sources, i));
    *found = tw_sort_unique_u64(hashes, count, hashes + count) < count;
    tw_free(hashes);
    return TWINSET_OK;
}

/* Marks repeated sources. A path may be added twice, a text must not. */
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
        sorted[i] = tw_source_at(sources, i);
    if (count)
        qsort(sorted, count, sizeof *sorted, by_precedence);
    int status = mark_sorted(sources, sorted, states, error);
    tw_free(sorted);
    return status;
}

/* Returns how a source is read. In a comparison any file is one document. */
static tw_source_state make_state(const tw_source *source, bool is_comparison)
{
    bool is_text = is_comparison || source->file->member_name;
    tw_source_state state = {.kind = is_text ? (uint8_t)TW_INPUT_TEXT : source->kind};
    bool is_lines = state.kind == TW_INPUT_JSONL;
    state.is_spooled = is_lines && !source->is_regular;
    state.is_packed = state.is_spooled || (is_lines && tw_file_is_packed(source->path));
    return state;
}

int tw_source_states_new(const tw_sources *sources, bool is_comparison, tw_source_state **states,
                         twinset_error *error)
{
    bool may_repeat;
    *states = tw_array(sources->count, sizeof **states);
    if (!*states || find_repeated(sources, &may_repeat) != TWINSET_OK)
        return tw_nomem(error);
    for (size_t i = 0; i < sources->count; i++) {
        (*states)[i] = make_state(tw_source_at(sources, i), is_comparison);
        tw_source_touch(sources, tw_source_at(sources, i));
    }
    return may_repeat ? mark_repeated(sources, *states, error) : TWINSET_OK;
}

/* ---- the unit of comparison */

int tw_choose_unit(const tw_settings *settings, const tw_sources *sources, bool is_comparison)
{
    size_t program_count = 0, document_count = 0;
    if (settings->given.by != TWINSET_BY_AUTO)
        return settings->given.by;
    for (size_t i = 0; i < sources->count; i++) {
        const tw_source *source = tw_source_at(sources, i);
        bool is_counted =
            source->role != TWINSET_ROLE_IGNORE && (is_comparison || source->kind == TW_INPUT_TEXT);
        document_count += is_counted;
        program_count += is_counted && tw_source_is_program(source);
    }
    return 2 * program_count > document_count ? TWINSET_BY_CODE : TWINSET_BY_CHAR;
}

/* ---- groups */

uint64_t tw_corpus_group(const tw_corpus *corpus, uint32_t document)
{
    return corpus->documents.groups
               ? corpus->documents.groups[document]
               : tw_corpus_source_group(corpus, tw_source_of(corpus, document)).id;
}

bool tw_corpus_has_groups(const tw_corpus *corpus)
{
    for (uint32_t i = 0; i < corpus->documents.count; i++)
        if (tw_corpus_group(corpus, i))
            return true;
    return false;
}

/* ---- wanted pairs */

bool tw_corpus_wants(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_source *x = tw_source_of(corpus, a), *y = tw_source_of(corpus, b);
    if (corpus->is_comparison)
        return true;
    if (x->role == TWINSET_ROLE_OLD && y->role == TWINSET_ROLE_OLD)
        return false;
    if (corpus->has_like && x->role != TWINSET_ROLE_LIKE && y->role != TWINSET_ROLE_LIKE)
        return false;
    if (tw_compares_languages(corpus->settings) &&
        !tw_languages_differ(tw_document_at(corpus, a)->language,
                             tw_document_at(corpus, b)->language))
        return false;
    uint64_t group = tw_corpus_group(corpus, a);
    return !group || group != tw_corpus_group(corpus, b);
}

bool tw_corpus_wants_all(const tw_corpus *corpus)
{
    if (corpus->documents.groups || tw_compares_languages(corpus->settings))
        return false;
    for (size_t i = 0; i < corpus->sources->count; i++) {
        const tw_source *source = tw_source_at(corpus->sources, i);
        if (source->role == TWINSET_ROLE_OLD || source->role == TWINSET_ROLE_LIKE ||
            tw_corpus_source_group(corpus, source).id)
            return false;
    }
    return true;
}
