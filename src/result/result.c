/* Results: filled by scan.c, read through the calls of twinset.h. */
#include "result.h"
#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int by_path(const void *left, const void *right)
{
    const twinset_skip *x = left, *y = right;
    int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->reason, y->reason);
}

/* A field that nobody has is likely to be misspelt. */
static int note_groups(twinset_result *result)
{
    const tw_corpus *corpus = result->corpus;
    const char *field = tw_group_field(&corpus->options);
    for (size_t i = 0; i < corpus->count && corpus->groups && field; i++)
        if (corpus->groups[i])
            return TWINSET_OK;
    return field
               ? tw_result_note(result, "--group %s: no document has such a field or column", field)
               : TWINSET_OK;
}

static int note_left_out(twinset_result *result)
{
    const tw_corpus *corpus = result->corpus;
    int status = TWINSET_OK;
    if (corpus->hidden)
        status =
            tw_result_note(result, "%zu hidden %s left out; --all takes %s in", corpus->hidden,
                           corpus->hidden == 1 ? "file or folder was" : "files or folders were",
                           corpus->hidden == 1 ? "it" : "them");
    if (corpus->left_out && status == TWINSET_OK)
        status =
            tw_result_note(result, "%zu %s left out by --include or --exclude", corpus->left_out,
                           corpus->left_out == 1 ? "file or folder was" : "files or folders were");
    return status;
}

/* What goes through in windows is not looked through for what could be left out. */
static int note_windows(twinset_result *result)
{
    const tw_corpus *corpus = result->corpus;
    size_t count = 0;
    const char *first = NULL;
    for (size_t i = 0; i < corpus->count && tw_omits(&corpus->options); i++)
        if (tw_corpus_reads_in_windows(corpus, (uint32_t)i) && count++ == 0)
            first = corpus->documents[i].name;
    if (!count)
        return TWINSET_OK;
    return tw_result_note(result,
                          "%zu %s too large to be read whole, such as %s: quotations and lists of "
                          "sources stay in; raise --memory",
                          count, count == 1 ? "document is" : "documents are", first);
}

int tw_result_finish(twinset_result *result)
{
    const tw_corpus *corpus = result->corpus;
    size_t flagged = 0;
    for (size_t i = 0; i < corpus->count; i++)
        flagged += corpus->documents[i].flags != 0;
    result->skips = tw_array(corpus->skip_count, sizeof *result->skips);
    result->flagged = tw_array(flagged, sizeof *result->flagged);
    result->names = tw_array(corpus->count, sizeof *result->names);
    if (!result->skips || !result->flagged || !result->names)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < corpus->skip_count; i++)
        result->skips[i] =
            (twinset_skip){corpus->skips[i].path, corpus->skips[i].reason, corpus->skips[i].empty};
    result->run.skipped = corpus->skip_count;
    result->run.missing = corpus->given_skips;
    if (corpus->skip_count)
        qsort(result->skips, corpus->skip_count, sizeof *result->skips, by_path);
    for (size_t i = 0; i < corpus->count; i++) {
        const tw_document *document = &corpus->documents[i];
        result->names[i] = document->name;
        if (document->flags)
            result->flagged[result->run.flagged++] = (twinset_flagged){
                document->name, document->flags, corpus->sources[document->source].file->encoding};
    }
    int status = note_groups(result);
    if (status == TWINSET_OK)
        status = note_windows(result);
    if (status != TWINSET_OK)
        return status;
    result->run.documents = corpus->count;
    result->run.records = corpus->records;
    result->run.bytes = corpus->bytes;
    result->run.shingles = corpus->shingles;
    return note_left_out(result);
}

void twinset_result_free(twinset_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->run.notes; i++)
        tw_free(result->notes[i]);
    tw_free(result->notes);
    tw_free(result->names);
    tw_free(result->pairs);
    tw_matches_free(&result->matches);
    tw_matches_free(&result->copies);
    tw_free(result->extents);
    tw_free(result->copy_extents);
    tw_revealing_free(result->revealing);
    tw_clusters_free(&result->clusters);
    tw_free(result->members);
    tw_free(result->removed);
    tw_free(result->cuts);
    tw_free(result->clustered);
    tw_free(result->flagged);
    tw_free(result->skips);
    twinset_passages_free(result->passages);
    tw_free(result);
}

twinset_run twinset_result_run(const twinset_result *result)
{
    return result->run;
}

const tw_match *tw_result_match(const twinset_result *result, const tw_listed *pair)
{
    size_t index = pair->match, matches = result->matches.count;
    return index < matches ? &result->matches.data[index] : &result->copies.data[index - matches];
}

/* To three digits or so: libraries differ in the last ones. */
static double rounded(double number)
{
    int exponent;
    double part = frexp(number, &exponent);
    return ldexp(round(ldexp(part, 10)), exponent - 10);
}

/* Adds what is known of programs. */
static void fill_extent(const twinset_result *result, const tw_listed *listed, twinset_pair *pair)
{
    size_t index = listed->match, matches = result->matches.count;
    const tw_extent *extent =
        index < matches ? &result->extents[index] : &result->copy_extents[index - matches];
    pair->weighted = extent->weighted;
    if (result->chance_pairs > 0)
        pair->false_alarms = rounded(tw_background_false_alarms(
            &result->background, pair->similarity, result->chance_pairs));
    pair->overlap = extent->tokens;
    pair->longest_lines = extent->longest_lines[listed->swapped];
    pair->lines_a = listed->swapped ? extent->b_lines : extent->a_lines;
    pair->lines_b = listed->swapped ? extent->a_lines : extent->b_lines;
}

twinset_pair tw_match_pair(const tw_match *match, bool swapped)
{
    uint64_t a_count = swapped ? match->b_count : match->a_count;
    uint64_t b_count = swapped ? match->a_count : match->b_count;
    uint64_t all = a_count + b_count - match->shared;
    /* Identical is 1, even where all of both is left out. */
    bool blank = all == 0;
    return (twinset_pair){
        .similarity = match->similarity,
        .jaccard = blank ? 1 : (double)match->shared / (double)all,
        .containment_a = blank ? 1 : (double)match->shared / (double)a_count,
        .containment_b = blank ? 1 : (double)match->shared / (double)b_count,
        .shared = match->shared,
        .union_count = all,
        .estimate = match->estimate,
        .longest = match->longest,
        .weighted = NAN,
        .false_alarms = NAN,
    };
}

twinset_pair twinset_result_pair(const twinset_result *result, size_t index)
{
    if (result->comparison)
        return result->compared;
    const tw_listed *pair = &result->pairs[index];
    twinset_pair found = tw_match_pair(tw_result_match(result, pair), pair->swapped);
    found.a = result->names[pair->a];
    found.b = result->names[pair->b];
    found.cluster = result->clusters.of ? result->clusters.of[pair->a] + 1 : 0;
    if (result->extents)
        fill_extent(result, pair, &found);
    return found;
}

const char *tw_result_name(const twinset_result *result, uint32_t document)
{
    return result->names[document];
}

void tw_result_paired(const twinset_result *result, size_t index, uint32_t documents[2])
{
    documents[0] = result->pairs[index].a;
    documents[1] = result->pairs[index].b;
}

twinset_cluster twinset_result_cluster(const twinset_result *result, size_t index)
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

twinset_removed twinset_result_removed(const twinset_result *result, size_t index)
{
    const tw_removal *removal = &result->removed[index];
    return (twinset_removed){
        .id = result->names[removal->document],
        .kept = result->names[removal->kept],
        .similarity = removal->similarity,
        .cluster = result->clusters.of[removal->document] + 1,
    };
}

twinset_skip twinset_result_skip(const twinset_result *result, size_t index)
{
    return result->skips[index];
}

twinset_flagged twinset_result_flagged(const twinset_result *result, size_t index)
{
    return result->flagged[index];
}

const char *twinset_result_note(const twinset_result *result, size_t index)
{
    return result->notes[index];
}

const twinset_stage *twinset_result_stage(const twinset_result *result, size_t index)
{
    return index < TW_STAGES && result->stages[index].name ? &result->stages[index] : NULL;
}

const twinset_options *tw_result_options(const twinset_result *result)
{
    return &result->corpus->options;
}

unsigned tw_result_comparison(const twinset_result *result)
{
    return result->comparison;
}

bool tw_result_tells_nothing(const twinset_result *result)
{
    return result->chance_alone;
}

const twinset_passages *tw_result_passages(const twinset_result *result)
{
    return result->passages;
}
