/*
 * Tokens that are left out: no shingle has them, since every shingle over them belongs to a
 * template or is too common. They may lie in a passage, but do not count. Linear in the tokens.
 */
#include "passage_stages.h"

#include <string.h>

/* Whether more tokens begin no shingle than those at the ends of files, which never do. */
static bool leaves_out_any(const tw_token_sequence *tokens, size_t k)
{
    size_t without = 0, at_ends = 0, start = 0;
    for (size_t i = 0; i < tokens->count; i++)
        without += !tokens->ids[i];
    for (size_t file = 0; file <= tokens->break_count; file++) {
        size_t end = file < tokens->break_count ? tokens->breaks[file] : tokens->count;
        at_ends += end - start < k ? end - start : k;
        at_ends -= end > start;
        start = end;
    }
    return without > at_ends;
}

static void mark(const tw_token_sequence *tokens, size_t k, uint8_t *excluded)
{
    size_t covered = 0, file = 0; /* shingles so far reach to before token `covered` */
    for (size_t i = 0; i < tokens->count; i++) {
        if (file < tokens->break_count && tokens->breaks[file] == i) {
            covered = i;
            file++;
        }
        if (tokens->ids[i])
            covered = i + k;
        excluded[i] = i >= covered;
    }
}

int tw_excluded_mark(const tw_passage_search *search, bool identical)
{
    const tw_token_sequence *a = search->a, *b = search->b;
    tw_passage_finder *out = search->out;
    size_t tokens = a->count + b->count, k = search->rules->k;
    if (TW_GROW(out->excluded, out->excluded_capacity, tokens + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    out->a_count = a->count;
    memset(out->excluded, 0, tokens);
    if (!identical && leaves_out_any(a, k))
        mark(a, k, out->excluded);
    if (!identical && leaves_out_any(b, k))
        mark(b, k, out->excluded + a->count);
    return TWINSET_OK;
}

const uint8_t *tw_passage_finder_excluded(const tw_passage_finder *finder, unsigned side)
{
    return finder->excluded + (side ? finder->a_count : 0);
}

uint32_t tw_excluded_count_others(const tw_passage_search *search, const tw_token_run *run)
{
    const uint8_t *a = search->out->excluded + run->a;
    const uint8_t *b = search->out->excluded + search->a->count + run->b;
    uint32_t tokens = 0;
    for (uint32_t t = 0; t < run->count; t++)
        tokens += !(a[t] | b[t]);
    return tokens;
}
