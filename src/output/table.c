/*
 * Writes a scan for people: a heading, the pairs as an aligned table, the clusters, and notes on
 * the run. Where the width does not suffice, the bar goes first, then the fronts of names, then the
 * columns in the middle.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "writers.h"

tw_write_fn tw_write_table;

enum {
    CLUSTERS_SHOWN = 20,
    MEMBERS_SHOWN = 12,
    ANY_WIDTH = 100, /* for lists where none is given */
    INDENT = 4,      /* of what belongs to a cluster */
    GAP = 2,
    PERCENT = 6, /* "100.0%" */
    SIMILAR = 7, /* "similar", "jaccard", "cluster" */
    JACCARD = 7, /* "jaccard", or "chance" */
    CLUSTER = 7
};

/* What a line holds beside the similarity, the names and the cluster. */
typedef struct layout {
    bool bar, longest, shares;
    size_t names; /* columns that names must get; fewer only if they need no more */
} layout;

/* The first that fits is taken. */
static const layout layouts[] = {
    {true, true, true, SIZE_MAX},
    {false, true, true, 14},
    {false, false, true, 14},
    {false, false, false, 8},
};
/* Where passages were looked for, they stay longest. */
static const layout passage_layouts[] = {
    {true, true, true, SIZE_MAX},
    {false, true, true, 14},
    {false, true, false, 14},
    {false, false, false, 8},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static const char most_typical[] = "most typical ";

typedef struct table {
    tw_sink *sink;
    const twinset_result *result;
    const twinset_style *style;
    const twinset_options *options;
    twinset_run run;
    size_t rows, clusters; /* shown */
    uint32_t cluster_ids[CLUSTERS_SHOWN];
    tw_labels labels;
    const layout *layout, *last_layout;
    bool passages;                 /* are shown, in place of the longest one */
    bool jaccard;                  /* is shown, beside another measure */
    bool chance;                   /* is, in place of it: pairs to be expected by chance alone */
    size_t longest, a, b, cluster; /* columns of the columns */
} table;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- layout */

static int add_labels(table *t)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < t->rows && status == TWINSET_OK; i++) {
        twinset_pair pair = tw_result_pair_at(t->result, i);
        status = tw_labels_add(&t->labels, pair.a);
        if (status == TWINSET_OK)
            status = tw_labels_add(&t->labels, pair.b);
    }
    for (size_t i = 0; i < t->clusters && status == TWINSET_OK; i++) {
        twinset_cluster cluster = tw_result_cluster_at(t->result, t->cluster_ids[i] - 1);
        status = tw_labels_add(&t->labels, cluster.representative);
        for (size_t m = 0; m < smaller(cluster.size, MEMBERS_SHOWN) && status == TWINSET_OK; m++)
            status = tw_labels_add(&t->labels, cluster.members[m]);
    }
    return status == TWINSET_OK ? tw_labels_make(&t->labels) : status;
}

static const char *shown(const table *t, const char *name)
{
    return tw_labels_shown(&t->labels, name);
}

static size_t shown_columns(const table *t, const char *name)
{
    const char *text = shown(t, name);
    return tw_columns(text, strlen(text));
}

typedef struct passages_phrase {
    char text[2 * sizeof(tw_phrase) + sizeof " in "];
} passages_phrase;

/* "312 words in 2 passages"; nothing where there is none. */
static passages_phrase passages_of(const twinset_pair *pair)
{
    passages_phrase phrase = {""};
    if (pair->passages)
        snprintf(phrase.text, sizeof phrase.text, "%s in %s",
                 tw_counted(pair->passage_words, "word").text,
                 tw_counted(pair->passages, "passage").text);
    return phrase;
}

static void measure(table *t)
{
    t->longest = t->cluster = 0;
    t->a = t->b = 1;
    for (size_t i = 0; i < t->rows; i++) {
        twinset_pair pair = tw_result_pair_at(t->result, i);
        t->longest = larger(t->longest, t->passages ? strlen(passages_of(&pair).text)
                                                    : strlen(tw_number_count(pair.longest).text));
        t->cluster = larger(t->cluster, strlen(tw_number_whole(pair.cluster).text));
        t->a = larger(t->a, shown_columns(t, pair.a));
        t->b = larger(t->b, shown_columns(t, pair.b));
    }
    /* The heading "cluster" reaches over the column of b, which must be wide enough for it. */
    t->b = larger(t->b, 1 + CLUSTER);
}

static size_t longest_columns(const table *t)
{
    if (t->passages)
        return larger(t->longest, strlen("passages"));
    return t->longest + strlen(" ") + strlen(tw_unit(t->options)) + strlen("s");
}

/* Columns of a line without the names. */
static size_t other_columns(const table *t)
{
    size_t columns = SIMILAR + GAP + GAP;
    columns += t->layout->bar ? 1 + TW_BAR : 0;
    columns += t->layout->shares ? GAP + PERCENT + GAP + PERCENT : 0;
    columns += t->layout->shares && (t->jaccard || t->chance) ? GAP + JACCARD : 0;
    columns += t->layout->longest ? GAP + longest_columns(t) : 0;
    return columns + (t->run.clusters > 0 ? GAP + t->cluster : 0);
}

static bool fits(const table *t)
{
    return other_columns(t) + t->a + t->b <= t->style->width;
}

/* The most columns that a name may take, so that the widest of both sides fit. */
static size_t name_limit(const table *t)
{
    size_t others = other_columns(t), narrow = smaller(t->a, t->b);
    size_t free_columns = t->style->width > others ? t->style->width - others : 0;
    return narrow <= free_columns / 2 ? free_columns - narrow : free_columns / 2;
}

/* Cuts the names for the layout, if that leaves enough of them. Names that need no cut there
 * may still be too wide for a cluster's lines. */
static int fit_names(table *t, bool *done)
{
    size_t aside = 2 * INDENT + strlen(most_typical), limit = name_limit(t);
    if (fits(t))
        limit = t->style->width > aside ? t->style->width - aside : 0;
    else if (limit < t->layout->names && t->layout != t->last_layout)
        return TWINSET_OK;
    int status = tw_labels_fit(&t->labels, larger(limit, t->last_layout->names));
    measure(t);
    *done = fits(t) || t->layout == t->last_layout;
    return status;
}

/* Whether a pair is listed for its passages alone; such pairs come last. */
static bool lists_passages(const table *t)
{
    return t->result->pairs.has_passages && t->run.pairs &&
           tw_result_pair_at(t->result, t->run.pairs - 1).similarity < t->options->threshold;
}

static int lay_out(table *t)
{
    bool done = t->style->width == 0;
    int status = add_labels(t);
    if (status != TWINSET_OK)
        return status;
    t->passages = lists_passages(t);
    t->chance = !t->result->pairs.has_passages && t->rows &&
                !isnan(tw_result_pair_at(t->result, 0).false_alarms);
    t->jaccard = !t->chance && t->options->measure != TWINSET_MEASURE_JACCARD;
    t->layout = t->passages ? passage_layouts : layouts;
    t->last_layout = t->layout + LAYOUTS - 1;
    measure(t);
    size_t a = t->a, b = t->b;
    while (!done && status == TWINSET_OK) {
        t->a = a;
        t->b = b;
        status = fit_names(t, &done);
        t->layout += !done;
    }
    return status;
}

/* ---- pairs */

static void put_right(tw_sink *sink, size_t columns, const char *text)
{
    size_t length = strlen(text);
    tw_put_spaces(sink, columns > length ? columns - length : 0);
    tw_put_text(sink, text);
}

static void put_left(tw_sink *sink, size_t columns, const char *text)
{
    size_t used = tw_columns(text, strlen(text));
    tw_put_text(sink, text);
    tw_put_spaces(sink, columns > used ? columns - used : 0);
}

static void put_headings(const table *t)
{
    tw_sink *sink = t->sink;
    tw_put_style(sink, t->style, TW_DIM);
    tw_put_text(sink, "similar");
    tw_put_spaces(sink, t->layout->bar ? 1 + TW_BAR : 0);
    if (t->layout->shares) {
        if (t->jaccard || t->chance)
            put_right(sink, GAP + JACCARD, t->jaccard ? "jaccard" : "chance");
        put_right(sink, GAP + PERCENT, "a in b");
        put_right(sink, GAP + PERCENT, "b in a");
    }
    if (t->layout->longest)
        put_right(sink, GAP + longest_columns(t), t->passages ? "passages" : "longest");
    tw_put_spaces(sink, GAP);
    put_left(sink, t->a, "a");
    tw_put_spaces(sink, GAP);
    tw_put_text(sink, "b");
    if (t->run.clusters > 0)
        put_right(sink, t->b - 1 + GAP + t->cluster, "cluster");
    tw_put_style(sink, t->style, TW_PLAIN);
    tw_put(sink, "\n", 1);
}

static void put_similarity(const table *t, double similarity)
{
    tw_put_style(t->sink, t->style, tw_strength(similarity));
    put_right(t->sink, SIMILAR, tw_number_percent(similarity).text);
    if (t->layout->bar) {
        tw_put(t->sink, " ", 1);
        tw_put_bar(t->sink, t->style, similarity);
    }
    tw_put_style(t->sink, t->style, TW_PLAIN);
}

static void put_chance(const table *t, double expected)
{
    tw_number number =
        expected < 10 ? tw_number_rounded(expected, 2) : tw_number_fixed(expected, 0);
    put_right(t->sink, GAP + JACCARD, expected < 0.001 ? "<0.001" : number.text);
}

static void put_shares(const table *t, const twinset_pair *pair)
{
    if (t->chance)
        put_chance(t, pair->false_alarms);
    else if (t->jaccard)
        put_right(t->sink, GAP + JACCARD, tw_number_percent(pair->jaccard).text);
    bool covers = t->passages && !isnan(pair->coverage_a);
    double a = covers ? pair->coverage_a : pair->containment_a;
    double b = covers ? pair->coverage_b : pair->containment_b;
    put_right(t->sink, GAP + PERCENT, tw_number_percent(a).text);
    put_right(t->sink, GAP + PERCENT, tw_number_percent(b).text);
}

/* A similar pair shares a shingle: a passage of no length was not measured. */
static void put_longest(const table *t, uint64_t longest)
{
    if (!longest) {
        put_right(t->sink, GAP + longest_columns(t), "-");
        return;
    }
    put_right(t->sink, GAP + t->longest, tw_number_count(longest).text);
    tw_put(t->sink, " ", 1);
    tw_put_text(t->sink, tw_unit(t->options));
    tw_put_text(t->sink, longest == 1 ? " " : "s");
}

static void put_pair(const table *t, const twinset_pair *pair)
{
    put_similarity(t, pair->similarity);
    tw_put_style(t->sink, t->style, TW_DIM);
    if (t->layout->shares)
        put_shares(t, pair);
    if (t->layout->longest && t->passages)
        put_right(t->sink, GAP + longest_columns(t), passages_of(pair).text);
    else if (t->layout->longest)
        put_longest(t, pair->longest);
    tw_put_style(t->sink, t->style, TW_PLAIN);
    tw_put_spaces(t->sink, GAP);
    put_left(t->sink, t->a, shown(t, pair->a));
    tw_put_spaces(t->sink, GAP);
    if (t->run.clusters > 0) {
        put_left(t->sink, t->b, shown(t, pair->b));
        put_right(t->sink, GAP + t->cluster,
                  pair->cluster ? tw_number_whole(pair->cluster).text : "-");
    } else {
        tw_put_text(t->sink, shown(t, pair->b));
    }
    tw_put(t->sink, "\n", 1);
}

static void put_folder(const table *t)
{
    tw_flow flow = {.sink = t->sink, .width = t->style->width, .indent = strlen("in ")};
    tw_flow_text(&flow, "in");
    tw_flow_path(&flow, t->labels.folder.data, t->labels.folder.length);
    tw_put(t->sink, "\n", 1);
}

static void put_pairs(const table *t)
{
    char text[128];
    if (t->labels.folder.length > 0)
        put_folder(t);
    tw_put(t->sink, "\n", 1);
    put_headings(t);
    for (size_t i = 0; i < t->rows && t->sink->failure == 0; i++) {
        twinset_pair pair = tw_result_pair_at(t->result, i);
        put_pair(t, &pair);
    }
    if (t->rows < t->run.pairs) {
        snprintf(text, sizeof text, "%s and %s more; --format csv lists them all",
                 tw_ellipsis(t->style->ascii), tw_number_count(t->run.pairs - t->rows).text);
        tw_put_sentence(t->sink, t->style, text);
    }
}

/* Says what the columns mean, for those who see the table for the first time. */
static void put_legend(const table *t)
{
    static const char *const similar[] = {
        [TWINSET_MEASURE_JACCARD] = "similar: what both have, of all that either has.",
        [TWINSET_MEASURE_CONTAINMENT] = "similar: how much of the shorter is also in the other.",
        [TWINSET_MEASURE_WEIGHTED] =
            "similar: what both have, of all that either has; rare parts count more.",
    };
    tw_flow flow = {.sink = t->sink, .width = t->style->width};
    tw_put(t->sink, "\n", 1);
    tw_put_style(t->sink, t->style, TW_DIM);
    tw_flow_text(&flow, similar[t->options->measure]);
    if (t->layout->shares && t->jaccard)
        tw_flow_text(&flow, "jaccard: the same, with all parts counting alike.");
    if (t->layout->shares && t->chance)
        tw_flow_text(&flow, "chance: pairs this similar to expect among unrelated programs.");
    if (t->layout->shares)
        tw_flow_text(&flow, t->passages ? "a in b: how much of a is in passages that b has, too."
                                        : "a in b: how much of a is also in b.");
    if (t->layout->longest)
        tw_flow_text(&flow, t->passages
                                ? "passages: what both say, word for word or in other words."
                                : "longest: the longest passage that both have.");
    tw_flow_text(&flow, "cluster: documents that similar pairs join have one number.");
    tw_put_style(t->sink, t->style, TW_PLAIN);
    tw_put(t->sink, "\n", 1);
}

/* ---- clusters */

/* Shows a cluster, unless it is shown already, or there are enough with lower numbers. */
static void show_cluster(table *t, uint32_t id)
{
    size_t at = 0;
    while (at < t->clusters && t->cluster_ids[at] < id)
        at++;
    if (at == CLUSTERS_SHOWN || (at < t->clusters && t->cluster_ids[at] == id))
        return;
    t->clusters = smaller(t->clusters + 1, CLUSTERS_SHOWN);
    memmove(&t->cluster_ids[at + 1], &t->cluster_ids[at],
            (t->clusters - 1 - at) * sizeof *t->cluster_ids);
    t->cluster_ids[at] = id;
}

/* Chooses the largest clusters; where `top` leaves pairs out, of those that the listed pairs are
 * in. */
static void choose_clusters(table *t)
{
    if (t->run.pairs < t->run.found_pairs)
        for (size_t i = 0; i < t->run.pairs; i++) {
            uint32_t id = tw_result_pair_at(t->result, i).cluster;
            if (id)
                show_cluster(t, id);
        }
    else
        for (uint32_t id = 1; id <= t->run.clusters && id <= CLUSTERS_SHOWN; id++)
            show_cluster(t, id);
}

static void put_members(const table *t, const twinset_cluster *cluster)
{
    tw_flow flow = {.sink = t->sink, .indent = INDENT, .used = INDENT};
    size_t count = smaller(cluster->size, MEMBERS_SHOWN);
    char text[64];
    flow.width = t->style->width > 0 ? t->style->width : ANY_WIDTH;
    tw_put_spaces(t->sink, INDENT);
    tw_put_style(t->sink, t->style, TW_DIM);
    for (size_t i = 0; i < count; i++)
        tw_flow_label(&flow, "", shown(t, cluster->members[i]), i + 1 < cluster->size ? "," : "");
    if (count < cluster->size) {
        snprintf(text, sizeof text, "and %s more", tw_number_count(cluster->size - count).text);
        tw_flow_label(&flow, "", text, "");
    }
    tw_put_style(t->sink, t->style, TW_PLAIN);
    tw_put(t->sink, "\n", 1);
}

static void put_cluster(const table *t, const twinset_cluster *cluster)
{
    tw_sink *sink = t->sink;
    tw_number id = tw_number_whole(cluster->id);
    tw_flow flow = {.sink = sink, .width = t->style->width, .indent = 2 * INDENT, .gap = true};
    char text[160];
    tw_put_style(sink, t->style, TW_BOLD);
    tw_put_text(sink, "cluster ");
    tw_put_text(sink, id.text);
    tw_put_style(sink, t->style, TW_PLAIN);
    tw_put_text(sink, ":");
    flow.used = strlen("cluster ") + strlen(id.text) + strlen(":");
    snprintf(text, sizeof text, "%s, lowest similarity %s,",
             tw_counted(cluster->size, "document").text,
             tw_number_percent(cluster->min_similarity).text);
    tw_flow_text(&flow, text);
    tw_flow_label(&flow, most_typical, shown(t, cluster->representative), "");
    tw_put(sink, "\n", 1);
    put_members(t, cluster);
}

static void put_clusters(const table *t)
{
    char text[128];
    if (t->clusters > 0)
        tw_put(t->sink, "\n", 1);
    for (size_t i = 0; i < t->clusters; i++) {
        twinset_cluster cluster = tw_result_cluster_at(t->result, t->cluster_ids[i] - 1);
        put_cluster(t, &cluster);
    }
    if (t->clusters < t->run.clusters) {
        snprintf(text, sizeof text, "%s and %s; --format json lists them all",
                 tw_ellipsis(t->style->ascii),
                 tw_counted(t->run.clusters - t->clusters, "more cluster").text);
        tw_put_sentence(t->sink, t->style, text);
    }
}

/* ---- sentences */

/* Counts the pairs that are similar as a whole; they come first. */
static size_t count_similar(const table *t)
{
    size_t low = 0, high = t->run.pairs;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tw_result_pair_at(t->result, middle).similarity >= t->options->threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_heading(const table *t)
{
    tw_flow flow = {.sink = t->sink, .width = t->style->width};
    char text[256], others[64] = "";
    size_t similar = t->passages ? count_similar(t) : t->run.found_pairs;
    if (t->passages)
        snprintf(others, sizeof others, " and %s with common passages",
                 tw_number_count(t->run.found_pairs - similar).text);
    else if (t->result->languages)
        snprintf(others, sizeof others, " across languages");
    int length = snprintf(
        text, sizeof text, "%s%s in %s, %s", tw_counted(similar, "similar pair").text, others,
        tw_counted(t->run.documents, "document").text, tw_counted(t->run.clusters, "cluster").text);
    if (t->run.pairs < t->run.found_pairs)
        snprintf(text + length, sizeof text - (size_t)length,
                 "; the %s most similar:", tw_number_count(t->run.pairs).text);
    tw_put_style(t->sink, t->style, TW_BOLD);
    tw_flow_text(&flow, text);
    tw_put_style(t->sink, t->style, TW_PLAIN);
    tw_put(t->sink, "\n", 1);
}

/* 0.5: "50%", 0.825: "82.5%", with no more digits than were given. */
static tw_number threshold_percent(double threshold)
{
    tw_number number;
    unsigned millionths = (unsigned)lround(threshold * 1e6);
    int length = snprintf(number.text, sizeof number.text, "%u.%04u", millionths / 10000,
                          millionths % 10000);
    while (number.text[length - 1] == '0')
        length--;
    length -= number.text[length - 1] == '.';
    memcpy(number.text + length, "%", 2);
    return number;
}

static void put_no_pair(const table *t)
{
    double threshold = t->options->threshold;
    tw_phrase documents = tw_counted(t->run.documents, "document");
    char text[256];
    if (t->run.documents < 2)
        snprintf(text, sizeof text, "Only one document: there is nothing to compare it with.");
    else if (t->result->chance.is_all)
        snprintf(text, sizeof text,
                 "%s, too short to tell copies from coincidence. Use -t 0.5 to see those that are "
                 "alike.",
                 documents.text);
    else if (t->result->chance.decides)
        snprintf(text, sizeof text,
                 "No pair in %s is beyond chance. Use -t 0.3 to see those that may be chance.",
                 documents.text);
    else if (threshold > 0)
        snprintf(text, sizeof text, "No pair at %s or more in %s. Use -t %s.",
                 threshold_percent(threshold).text, documents.text,
                 threshold > 0.3 ? "0.3 to see less similar ones"
                                 : "0 to see every pair that shares anything");
    else
        snprintf(text, sizeof text,
                 "No two of %s share anything. A smaller -k finds what is shorter.",
                 documents.text);
    tw_put_sentence(t->sink, t->style, text);
}

static void put_recall(const table *t)
{
    char text[128];
    if (t->run.method != TWINSET_METHOD_LSH)
        return;
    if (isnan(t->run.expected_recall))
        snprintf(text, sizeof text,
                 "Found by lsh: the share of the pairs that it finds is not known.");
    else
        snprintf(text, sizeof text,
                 "Found by lsh: expected to find at least %s of the pairs at the threshold.",
                 tw_number_percent(t->run.expected_recall).text);
    tw_put(t->sink, "\n", 1);
    tw_put_sentence(t->sink, t->style, text);
}

int tw_write_table(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                   twinset_error *error)
{
    (void)error;
    table t = {.sink = sink, .result = result, .style = style};
    t.labels.ascii = style->ascii;
    t.labels.is_uncut = style->width == 0;
    t.options = &result->options;
    t.run = result->run;
    t.rows = style->rows > 0 ? smaller(style->rows, t.run.pairs) : t.run.pairs;
    choose_clusters(&t);
    int status = lay_out(&t);
    if (status == TWINSET_OK) {
        if (t.run.pairs > 0) {
            put_heading(&t);
            put_pairs(&t);
            if (style->legend)
                put_legend(&t);
            put_clusters(&t);
        } else {
            put_no_pair(&t);
        }
        put_recall(&t);
        tw_put_footnote(sink, result, style);
    }
    tw_labels_free(&t.labels);
    return status;
}
