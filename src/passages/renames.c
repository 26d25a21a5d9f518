/*
 * Names that became others: which name of a stands for which of b.
 *
 * Names that meet are counted; the pair that meets most often is taken first, and then neither
 * takes part in another. Where this explains what is written differently, the passage was renamed;
 * otherwise it was edited, if that is little, or the two only look alike. n log n.
 */
#include <string.h>

#include "common.h"
#include "passages.h"

static const uint32_t NONE = UINT32_MAX;

/* Two documents, and what was counted of a passage. */
typedef struct reading {
    const tw_side *a, *b;
    size_t tokens, differ, explained;
    size_t mask;
} reading;

static bool same(const reading *r, const tw_rename *x, const tw_rename *y)
{
    return r->a->words[x->a] == r->a->words[y->a] && r->b->words[x->b] == r->b->words[y->b];
}

/* Lists the names that meet, and counts the tokens that differ. */
static int collect(tw_renames *renames, reading *r, const tw_piece *pieces, size_t count)
{
    renames->met_count = 0;
    for (size_t p = 0; p < count; p++) {
        r->tokens += pieces[p].count;
        for (uint32_t t = 0; t < pieces[p].count; t++) {
            uint32_t i = pieces[p].a + t, j = pieces[p].b + t;
            r->differ += r->a->words[i] != r->b->words[j];
            if (!r->a->names || !r->b->names || !r->a->names[i] || !r->b->names[j])
                continue;
            size_t need = renames->met_count + 1;
            if (TW_GROW(renames->met, renames->met_capacity, need) != TWINSET_OK)
                return TWINSET_NOMEM;
            renames->met[renames->met_count++] = (tw_rename){i, j, 1};
        }
    }
    return TWINSET_OK;
}

static int make_room(tw_renames *renames, reading *r)
{
    for (r->mask = 15; r->mask < 2 * renames->met_count;)
        r->mask = 2 * r->mask + 1;
    int status = TW_GROW(renames->keys, renames->key_capacity, 2 * renames->met_count);
    if (status == TWINSET_OK)
        status = TW_GROW(renames->table, renames->table_capacity, 2 * (r->mask + 1));
    return status;
}

/* Leaves a key for each different pair, the one that meets most often first. Two hashes may be the
 * same by chance: then one pair counts as several. */
static size_t count_pairs(tw_renames *renames, const reading *r)
{
    tw_rename *met = renames->met;
    uint64_t *keys = renames->keys, *scratch = keys + renames->met_count;
    for (size_t i = 0; i < renames->met_count; i++) {
        uint64_t hash = tw_mix64(r->a->words[met[i].a]) + r->b->words[met[i].b];
        keys[i] = (tw_mix64(hash) & ~(uint64_t)UINT32_MAX) | i;
    }
    tw_sort_u64(keys, renames->met_count, scratch);
    size_t pairs = 0;
    for (size_t i = 0; i < renames->met_count; i++) {
        tw_rename *last = pairs ? &met[(uint32_t)keys[pairs - 1]] : NULL;
        if (last && same(r, last, &met[(uint32_t)keys[i]]))
            last->count++;
        else
            keys[pairs++] = keys[i];
    }
    for (size_t i = 0; i < pairs; i++) {
        uint32_t first = (uint32_t)keys[i];
        keys[i] = (uint64_t)(UINT32_MAX - met[first].count) << 32 | first;
    }
    tw_sort_u64(keys, pairs, scratch);
    return pairs;
}

/* Where a name of a, or of b, is among those taken, or its free place. */
static uint32_t *place_of(const tw_renames *renames, const reading *r, const tw_rename *pair,
                          bool in_b)
{
    const uint64_t *words = in_b ? r->b->words : r->a->words;
    uint32_t *table = renames->table + in_b * (r->mask + 1);
    uint64_t word = words[in_b ? pair->b : pair->a];
    size_t at = tw_mix64(word) & r->mask;
    for (; table[at] != NONE; at = (at + 1) & r->mask) {
        const tw_rename *other = &renames->met[table[at]];
        if (words[in_b ? other->b : other->a] == word)
            break;
    }
    return &table[at];
}

/* Takes pairs while both names are free; those that differ are added to the list. */
static int assign(tw_renames *renames, reading *r, size_t pairs)
{
    memset(renames->table, 0xFF, 2 * (r->mask + 1) * sizeof *renames->table);
    for (size_t i = 0; i < pairs; i++) {
        uint32_t number = (uint32_t)renames->keys[i];
        const tw_rename *pair = &renames->met[number];
        uint32_t *in_a = place_of(renames, r, pair, false);
        uint32_t *in_b = place_of(renames, r, pair, true);
        if (*in_a != NONE || *in_b != NONE)
            continue;
        *in_a = *in_b = number;
        if (r->a->words[pair->a] == r->b->words[pair->b])
            continue;
        if (TW_GROW(renames->data, renames->capacity, renames->count + 1) != TWINSET_OK)
            return TWINSET_NOMEM;
        renames->data[renames->count++] = *pair;
        r->explained += pair->count;
    }
    return TWINSET_OK;
}

/* A quarter of what differs may be by chance, or an eighth of all tokens, if more has a rule. */
static unsigned kind_of(const reading *r)
{
    size_t rest = r->differ - r->explained;
    bool little = 8 * rest <= r->tokens;
    if (4 * rest <= r->differ || (little && rest <= r->explained))
        return TW_PASSAGE_RENAMED;
    return little ? TW_PASSAGE_EDITED : TW_PASSAGE_ALIKE;
}

int tw_renames_find(tw_renames *renames, const tw_side *a, const tw_side *b, const tw_piece *pieces,
                    size_t count, unsigned *kind)
{
    reading r = {.a = a, .b = b};
    size_t first = renames->count;
    *kind = 0;
    if (!a->words || !b->words)
        return TWINSET_OK;
    int status = collect(renames, &r, pieces, count);
    if (status != TWINSET_OK || !r.differ)
        return status;
    if (renames->met_count)
        status = make_room(renames, &r);
    if (renames->met_count && status == TWINSET_OK)
        status = assign(renames, &r, count_pairs(renames, &r));
    *kind = kind_of(&r);
    if (*kind != TW_PASSAGE_RENAMED)
        renames->count = first;
    return status;
}

void tw_renames_free(tw_renames *renames)
{
    tw_free(renames->data);
    tw_free(renames->met);
    tw_free(renames->keys);
    tw_free(renames->table);
}
