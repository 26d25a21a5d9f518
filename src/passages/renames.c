/*
 * Renames: which name of a became which name of b.
 *
 * Pairs of names that are aligned with each other are counted. The most frequent pair is accepted
 * first, and neither of its names is accepted in another pair. Where the accepted pairs explain
 * what is written differently, the passage was renamed; otherwise it was edited, if the rest is
 * small, or the two are merely alike. n log n.
 */
#include "passage_stages.h"

#include <string.h>

static const uint32_t NONE = UINT32_MAX;

/* Two documents, and what was counted in the runs of a passage. */
typedef struct name_comparison {
    const tw_token_sequence *a, *b;
    size_t tokens, different, explained;
    size_t mask; /* of the table of names of either document */
} name_comparison;

static bool is_same_pair(const name_comparison *c, const tw_rename *x, const tw_rename *y)
{
    return c->a->words[x->a] == c->a->words[y->a] && c->b->words[x->b] == c->b->words[y->b];
}

/* Lists the pairs of aligned names, and counts the tokens that are written differently. */
static int collect_names(tw_rename_counter *counter, name_comparison *c, const tw_token_run *runs,
                         size_t count)
{
    counter->pair_count = 0;
    for (size_t r = 0; r < count; r++) {
        c->tokens += runs[r].count;
        for (uint32_t t = 0; t < runs[r].count; t++) {
            uint32_t i = runs[r].a + t, j = runs[r].b + t;
            c->different += c->a->words[i] != c->b->words[j];
            if (!c->a->names || !c->b->names || !c->a->names[i] || !c->b->names[j])
                continue;
            size_t need = counter->pair_count + 1;
            if (TW_GROW(counter->pairs, counter->pair_capacity, need) != TWINSET_OK)
                return TWINSET_NOMEM;
            counter->pairs[counter->pair_count++] = (tw_rename){i, j, 1};
        }
    }
    return TWINSET_OK;
}

static int reserve(tw_rename_counter *counter, name_comparison *c)
{
    for (c->mask = 15; c->mask < 2 * counter->pair_count;)
        c->mask = 2 * c->mask + 1;
    int status = TW_GROW(counter->keys, counter->key_capacity, 2 * counter->pair_count);
    if (status == TWINSET_OK)
        status = TW_GROW(counter->table, counter->table_capacity, 2 * (c->mask + 1));
    return status;
}

/* Leaves a key for each different pair of names, the most frequent first, and returns how many
 * there are. Two pairs may have one hash by chance: then one of them counts as several. */
static size_t count_pairs(tw_rename_counter *counter, const name_comparison *c)
{
    tw_rename *all = counter->pairs;
    uint64_t *keys = counter->keys, *scratch = keys + counter->pair_count;
    for (size_t i = 0; i < counter->pair_count; i++) {
        uint64_t hash = tw_mix64(c->a->words[all[i].a]) + c->b->words[all[i].b];
        keys[i] = (tw_mix64(hash) & ~(uint64_t)UINT32_MAX) | i;
    }
    tw_sort_u64(keys, counter->pair_count, scratch);
    size_t pairs = 0;
    for (size_t i = 0; i < counter->pair_count; i++) {
        tw_rename *last = pairs ? &all[(uint32_t)keys[pairs - 1]] : NULL;
        if (last && is_same_pair(c, last, &all[(uint32_t)keys[i]]))
            last->count++;
        else
            keys[pairs++] = keys[i];
    }
    for (size_t i = 0; i < pairs; i++) {
        uint32_t first = (uint32_t)keys[i];
        keys[i] = (uint64_t)(UINT32_MAX - all[first].count) << 32 | first;
    }
    tw_sort_u64(keys, pairs, scratch);
    return pairs;
}

/* The entry of a pair's name of a, or of b, among the accepted names, or the free one where it
 * belongs. */
static uint32_t *find_entry(const tw_rename_counter *counter, const name_comparison *c,
                            const tw_rename *pair, bool in_b)
{
    const uint64_t *words = in_b ? c->b->words : c->a->words;
    uint32_t *table = counter->table + in_b * (c->mask + 1);
    uint64_t word = words[in_b ? pair->b : pair->a];
    size_t at = tw_mix64(word) & c->mask;
    for (; table[at] != NONE; at = (at + 1) & c->mask) {
        const tw_rename *other = &counter->pairs[table[at]];
        if (words[in_b ? other->b : other->a] == word)
            break;
    }
    return &table[at];
}

/* Accepts each pair of which neither name was accepted before; those whose names differ are added
 * to the list. */
static int accept_pairs(tw_rename_counter *counter, name_comparison *c, size_t pairs,
                        tw_renames *renames)
{
    memset(counter->table, 0xFF, 2 * (c->mask + 1) * sizeof *counter->table);
    for (size_t i = 0; i < pairs; i++) {
        uint32_t index = (uint32_t)counter->keys[i];
        const tw_rename *pair = &counter->pairs[index];
        uint32_t *in_a = find_entry(counter, c, pair, false);
        uint32_t *in_b = find_entry(counter, c, pair, true);
        if (*in_a != NONE || *in_b != NONE)
            continue;
        *in_a = *in_b = index;
        if (c->a->words[pair->a] == c->b->words[pair->b])
            continue;
        if (TW_GROW(renames->data, renames->capacity, renames->count + 1) != TWINSET_OK)
            return TWINSET_NOMEM;
        renames->data[renames->count++] = *pair;
        c->explained += pair->count;
    }
    return TWINSET_OK;
}

/* A passage was renamed if renames explain three quarters of what differs, or at least half of it
 * with a rest of at most an eighth of all tokens. */
static unsigned kind_of(const name_comparison *c)
{
    size_t rest = c->different - c->explained;
    bool is_small = 8 * rest <= c->tokens;
    if (4 * rest <= c->different || (is_small && rest <= c->explained))
        return TWINSET_PASSAGE_RENAMED;
    return is_small ? TWINSET_PASSAGE_EDITED : TWINSET_PASSAGE_ALIKE;
}

int tw_rename_counter_find(tw_rename_counter *counter, const tw_token_sequence *a,
                           const tw_token_sequence *b, const tw_token_run *runs, size_t count,
                           tw_renames *renames, unsigned *kind)
{
    name_comparison c = {.a = a, .b = b};
    size_t first = renames->count;
    *kind = 0;
    if (!a->words || !b->words)
        return TWINSET_OK;
    int status = collect_names(counter, &c, runs, count);
    if (status != TWINSET_OK || !c.different)
        return status;
    if (counter->pair_count)
        status = reserve(counter, &c);
    if (counter->pair_count && status == TWINSET_OK)
        status = accept_pairs(counter, &c, count_pairs(counter, &c), renames);
    *kind = kind_of(&c);
    if (*kind != TWINSET_PASSAGE_RENAMED)
        renames->count = first;
    return status;
}

void tw_rename_counter_free(tw_rename_counter *counter)
{
    tw_free(counter->pairs);
    tw_free(counter->keys);
    tw_free(counter->table);
}
