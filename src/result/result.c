#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

tw_clocks tw_result_stage(twinset_result *result, const char *name, tw_clocks start, uint64_t bytes)
{
    tw_clocks now = tw_read_clocks();
    size_t i = 0;
    while (i < TW_STAGES && result->stages[i].name && strcmp(result->stages[i].name, name) != 0)
        i++;
    if (i == TW_STAGES)
        return now;
    twinset_stage *stage = &result->stages[i];
    stage->name = name;
    stage->seconds += now.wall - start.wall;
    stage->bytes += bytes;
    stage->cpu_seconds += now.cpu - start.cpu;
    /* The clocks are read one after the other, and may differ by a few microseconds. */
    stage->serial_seconds =
        fmin(stage->serial_seconds + fmax(now.serial - start.serial, 0), stage->cpu_seconds);
    return now;
}

/* ---- freeing */

static void free_pairs(twinset_result *result)
{
    tw_pair_list *pairs = &result->pairs;
    if (result->arena) {
        tw_paged_free(tw_arena_paged(result->arena), pairs->data);
        tw_paged_free(tw_arena_paged(result->arena), pairs->extents);
    }
    tw_matches_free(&pairs->matches);
    tw_matches_free(&pairs->copies);
    tw_free(pairs->copy_extents);
}

void tw_result_clear(twinset_result *result)
{
    for (size_t i = 0; i < result->run.notes; i++)
        tw_free(result->notes[i]);
    tw_free(result->notes);
    tw_free(result->names);
    tw_free(result->numbers);
    tw_free(result->languages);
    free_pairs(result);
    twinset_passages_free(result->comparison.passages);
    tw_text_store_free(result->kept);
    tw_free(result->origins.data);
    tw_clusters_free(&result->clusters);
    tw_free(result->members);
    tw_free(result->decisions.removed);
    tw_free(result->decisions.cuts);
    tw_free(result->decisions.clustered);
    tw_span_list_free(&result->decisions.spans);
    tw_free(result->flagged);
    tw_free(result->skips);
    tw_arena_release(result->arena);
}

/* ---- pairs */

tw_listed_pair *tw_result_listed(const twinset_result *result, size_t index)
{
    tw_listed_pair *pair = &result->pairs.data[index];
    tw_paged_touch(tw_arena_paged(result->arena), pair, sizeof *pair);
    return pair;
}

tw_extent *tw_result_extent(const twinset_result *result, size_t match)
{
    tw_extent *extent = &result->pairs.extents[match];
    tw_paged_touch(tw_arena_paged(result->arena), extent, sizeof *extent);
    return extent;
}

const tw_match *tw_result_match(const twinset_result *result, const tw_listed_pair *pair)
{
    const tw_pair_list *pairs = &result->pairs;
    size_t index = pair->match, matches = pairs->matches.count;
    return index < matches ? tw_match_at(&pairs->matches, index)
                           : &pairs->copies.data[index - matches];
}

/* Rounds to about three digits, since math libraries differ in the last ones. */
static double round_figure(double number)
{
    int exponent;
    double fraction = frexp(number, &exponent);
    return ldexp(round(ldexp(fraction, 10)), exponent - 10);
}

/* Fills in the fields that come from passages. */
static void fill_extent(const twinset_result *result, const tw_listed_pair *listed,
                        twinset_pair *pair)
{
    const tw_pair_list *pairs = &result->pairs;
    size_t index = listed->match, matches = pairs->matches.count;
    const tw_extent *extent =
        index < matches ? tw_result_extent(result, index) : &pairs->copy_extents[index - matches];
    pair->passages = extent->passages;
    pair->passage_words = extent->tokens;
    if (extent->is_known) {
        pair->coverage_a = extent->coverage[listed->is_swapped];
        pair->coverage_b = extent->coverage[!listed->is_swapped];
    }
    if (extent->is_known && result->chance.passage_pairs > 0)
        pair->false_alarms =
            round_figure(tw_prose_false_alarms(extent->evidence, result->chance.passage_pairs));
    if (result->options.by != TWINSET_BY_CODE)
        return;
    pair->weighted = extent->weighted;
    if (result->chance.pairs > 0)
        pair->false_alarms = round_figure(tw_background_false_alarms(
            pair->similarity, tw_result_match(result, listed)->evidence, result->chance.pairs));
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
        .coverage_a = NAN,
        .coverage_b = NAN,
    };
}

const char *tw_result_name(const twinset_result *result, uint32_t document)
{
    const char *name = result->names[document];
    tw_paged *paged = tw_arena_paged(result->arena);
    if (tw_paged_has_file(paged))
        tw_paged_touch(paged, name, strlen(name));
    return name;
}

bool tw_result_name_is_number(const twinset_result *result, uint32_t document)
{
    return result->numbers && result->numbers[document / 64] >> document % 64 & 1;
}

twinset_pair tw_result_pair_at(const twinset_result *result, size_t index)
{
    if (result->comparison.is_one)
        return result->comparison.pair;
    const tw_listed_pair *pair = tw_result_listed(result, index);
    twinset_pair found = tw_match_pair(tw_result_match(result, pair), pair->is_swapped);
    found.a = tw_result_name(result, pair->a);
    found.b = tw_result_name(result, pair->b);
    found.a_is_number = tw_result_name_is_number(result, pair->a);
    found.b_is_number = tw_result_name_is_number(result, pair->b);
    if (result->languages) {
        found.language_a = tw_language_name_at(result->languages[pair->a]);
        found.language_b = tw_language_name_at(result->languages[pair->b]);
    }
    const uint32_t *clusters = result->clusters.of;
    if (clusters && clusters[pair->a] == clusters[pair->b])
        found.cluster = clusters[pair->a] + 1;
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
        .representative = tw_result_name(result, cluster->representative),
        .min_similarity = cluster->min_similarity,
    };
}

twinset_removal tw_result_removal_at(const twinset_result *result, size_t index)
{
    const tw_removal *removal = &result->decisions.removed[index];
    return (twinset_removal){
        .name = tw_result_name(result, removal->document),
        .kept = tw_result_name(result, removal->kept),
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

void tw_result_pair_documents(const twinset_result *result, size_t index, uint32_t documents[2])
{
    bool is_one = result->comparison.is_one;
    uint32_t second = is_one ? result->run.documents > 1 : tw_result_listed(result, index)->b;
    uint32_t first = is_one ? 0 : tw_result_listed(result, index)->a;
    bool is_swapped = is_one && result->comparison.is_swapped;
    documents[0] = is_swapped ? second : first;
    documents[1] = is_swapped ? first : second;
}

int tw_result_find_passages(const twinset_result *result, size_t index, twinset_passages **passages,
                            twinset_error *error)
{
    uint32_t documents[2];
    *passages = NULL;
    if (index >= TWINSET_PAIRS_WITH_PASSAGES) /* even if its documents were kept for another pair */
        return TWINSET_OK;
    tw_result_pair_documents(result, index, documents);
    return tw_text_store_passages(result->kept, documents[0], documents[1], passages, error);
}

/* ---- origins */

static int by_document(const void *left, const void *right)
{
    const tw_origin *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

const tw_origin *tw_result_origin(const twinset_result *result, uint32_t document)
{
    tw_origin key = {.document = document};
    const tw_origins *origins = &result->origins;
    return origins->count ? bsearch(&key, origins->data, origins->count, sizeof key, by_document)
                          : NULL;
}

size_t tw_result_author_number(const twinset_result *result, const tw_origin *origin)
{
    const tw_origin *first = result->origins.data;
    while (!first->author || strcmp(first->author, origin->author) != 0)
        first++;
    return (size_t)(first - result->origins.data) + 1;
}
