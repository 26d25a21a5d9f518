#include "result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- filling */

int tw_result_note(twinset_result *result, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int status = TW_GROW(result->notes, result->note_capacity, result->run.notes + 1);
    char *copy = status == TWINSET_OK ? tw_strdup(text) : NULL;
    if (!copy)
        return TWINSET_NOMEM;
    result->notes[result->run.notes++] = copy;
    return TWINSET_OK;
}

void tw_result_add_stage(twinset_result *result, const char *name, double seconds, uint64_t bytes)
{
    size_t i = 0;
    while (i < TW_STAGES && result->stages[i].name && strcmp(result->stages[i].name, name) != 0)
        i++;
    if (i == TW_STAGES)
        return;
    result->stages[i].name = name;
    result->stages[i].seconds += seconds;
    result->stages[i].bytes += bytes;
}

double tw_result_stage(twinset_result *result, const char *name, double start)
{
    double now = tw_now();
    tw_result_add_stage(result, name, now - start, 0);
    return now;
}

/* ---- freeing */

static void free_pairs(tw_pair_list *pairs)
{
    tw_free(pairs->data);
    tw_matches_free(&pairs->matches);
    tw_matches_free(&pairs->copies);
    tw_free(pairs->extents);
    tw_free(pairs->copy_extents);
}

void tw_result_clear(twinset_result *result)
{
    for (size_t i = 0; i < result->run.notes; i++)
        tw_free(result->notes[i]);
    tw_free(result->notes);
    tw_free(result->names);
    free_pairs(&result->pairs);
    twinset_passages_free(result->comparison.passages);
    tw_kept_free(result->kept);
    tw_clusters_free(&result->clusters);
    tw_free(result->members);
    tw_free(result->decisions.removed);
    tw_free(result->decisions.cuts);
    tw_free(result->decisions.clustered);
    tw_free(result->flagged);
    tw_free(result->skips);
    tw_arena_release(result->arena);
}

/* ---- pairs */

const tw_match *tw_result_match(const twinset_result *result, const tw_listed *pair)
{
    const tw_pair_list *pairs = &result->pairs;
    size_t index = pair->match, matches = pairs->matches.count;
    return index < matches ? &pairs->matches.data[index] : &pairs->copies.data[index - matches];
}

/* Rounds to about three digits, since math libraries differ in the last ones. */
static double round_figure(double number)
{
    int exponent;
    double fraction = frexp(number, &exponent);
    return ldexp(round(ldexp(fraction, 10)), exponent - 10);
}

/* Fills in the fields that only pairs of programs have. */
static void fill_extent(const twinset_result *result, const tw_listed *listed, twinset_pair *pair)
{
    const tw_pair_list *pairs = &result->pairs;
    size_t index = listed->match, matches = pairs->matches.count;
    const tw_extent *extent =
        index < matches ? &pairs->extents[index] : &pairs->copy_extents[index - matches];
    pair->weighted = extent->weighted;
    if (result->chance.pairs > 0)
        pair->false_alarms = round_figure(tw_background_false_alarms(
            &result->chance.background, pair->similarity, result->chance.pairs));
    pair->overlap = extent->tokens;
    pair->longest_lines = extent->longest_lines[listed->is_swapped];
    pair->lines_a = listed->is_swapped ? extent->b_lines : extent->a_lines;
    pair->lines_b = listed->is_swapped ? extent->a_lines : extent->b_lines;
}

twinset_pair tw_match_pair(const tw_match *match, bool is_swapped)
{
    uint64_t a_count = is_swapped ? match->b_count : match->a_count;
    uint64_t b_count = is_swapped ? match->a_count : match->b_count;
    uint64_t union_count = a_count + b_count - match->shared;
    /* Identical documents have similarity 1, even if all their shingles are excluded. */
    bool is_blank = union_count == 0;
    return (twinset_pair){
        .similarity = match->similarity,
        .jaccard = is_blank ? 1 : (double)match->shared / (double)union_count,
        .containment_a = is_blank ? 1 : (double)match->shared / (double)a_count,
        .containment_b = is_blank ? 1 : (double)match->shared / (double)b_count,
        .shared = match->shared,
        .union_count = union_count,
        .estimate = match->estimate,
        .longest = match->longest,
        .weighted = NAN,
        .false_alarms = NAN,
    };
}

twinset_pair tw_result_pair_at(const twinset_result *result, size_t index)
{
    if (result->comparison.is_one)
        return result->comparison.pair;
    const tw_listed *pair = &result->pairs.data[index];
    twinset_pair found = tw_match_pair(tw_result_match(result, pair), pair->is_swapped);
    found.a = result->names[pair->a];
    found.b = result->names[pair->b];
    found.cluster = result->clusters.of ? result->clusters.of[pair->a] + 1 : 0;
    if (result->pairs.extents)
        fill_extent(result, pair, &found);
    return found;
}

/* ---- clusters, removals, stages, passages */

twinset_cluster tw_result_cluster_at(const twinset_result *result, size_t index)
{
    const tw_cluster *cluster = &result->clusters.data[index];
    return (twinset_cluster){
        .id = (uint32_t)index + 1,
        .size = cluster->count,
        .members = result->members + cluster->start,
        .representative = result->names[cluster->representative],
        .min_similarity = cluster->min_similarity,
    };
}

twinset_removal tw_result_removal_at(const twinset_result *result, size_t index)
{
    const tw_removal *removal = &result->decisions.removed[index];
    return (twinset_removal){
        .name = result->names[removal->document],
        .kept = result->names[removal->kept],
        .similarity = removal->similarity,
        .cluster = result->clusters.of[removal->document] + 1,
    };
}

size_t tw_result_stages(const twinset_result *result)
{
    size_t count = 0;
    while (count < TW_STAGES && result->stages[count].name)
        count++;
    return count;
}

int tw_result_find_passages(const twinset_result *result, size_t index, twinset_passages **passages,
                            twinset_error *error)
{
    uint32_t documents[2] = {0, result->run.documents > 1};
    *passages = NULL;
    if (index >= TWINSET_PAIRS_WITH_PASSAGES) /* even if its documents were kept for another pair */
        return TWINSET_OK;
    if (result->comparison.is_one && result->comparison.is_swapped) {
        documents[0] = documents[1];
        documents[1] = 0;
    } else if (!result->comparison.is_one) {
        documents[0] = result->pairs.data[index].a;
        documents[1] = result->pairs.data[index].b;
    }
    return tw_kept_passages(result->kept, documents[0], documents[1], passages, error);
}
