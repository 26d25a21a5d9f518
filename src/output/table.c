/*
 * A scan for people: a heading, the pairs as an aligned table, the clusters, and what there
 * is to know about the run. The bar goes first where the width does not suffice, then the
 * middles of names.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/output.h"

enum {
    CLUSTERS_SHOWN = 20,
    MEMBERS_SHOWN = 12,
    NAME_COLUMNS = 8, /* at least, however narrow the terminal */
    ANY_WIDTH = 100,  /* for running text where none is given */
    GAP = 2,
    PERCENT = 6, /* "100.0%" */
    SIMILAR = 7, /* "similar", "jaccard", "cluster" */
    JACCARD = 7,
    CLUSTER = 7
};

typedef struct table {
    tw_sink *sink;
    const twinset_result *result;
    const twinset_style *style;
    const twinset_options *options;
    twinset_run run;
    size_t rows, clusters; /* shown */
    tw_labels labels;
    bool bar, jaccard;
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
        twinset_pair pair = twinset_result_pair(t->result, i);
        status = tw_labels_add(&t->labels, pair.a);
        if (status == TWINSET_OK)
            status = tw_labels_add(&t->labels, pair.b);
    }
    for (size_t i = 0; i < t->clusters && status == TWINSET_OK; i++) {
        twinset_cluster cluster = twinset_result_cluster(t->result, i);
        status = tw_labels_add(&t->labels, cluster.representative);
        for (size_t m = 0; m < smaller(cluster.size, MEMBERS_SHOWN) && status == TWINSET_OK; m++)
            status = tw_labels_add(&t->labels, cluster.members[m]);
    }
    return status == TWINSET_OK ? tw_labels_make(&t->labels) : status;
}

static const char *shown(const table *t, const char *name)
{
    return tw_labels_find(&t->labels, name)->shown;
}

static size_t shown_columns(const table *t, const char *name)
{
    const char *text = shown(t, name);
    return tw_columns(text, strlen(text));
}

static void measure(table *t)
{
    t->longest = t->cluster = 0;
    t->a = t->b = 1;
    for (size_t i = 0; i < t->rows; i++) {
        twinset_pair pair = twinset_result_pair(t->result, i);
        t->longest = larger(t->longest, strlen(tw_number_count(pair.longest).text));
        t->cluster = larger(t->cluster, strlen(tw_number_whole(pair.cluster).text));
        t->a = larger(t->a, shown_columns(t, pair.a));
        t->b = larger(t->b, shown_columns(t, pair.b));
    }
    /* The heading "cluster" reaches over the column of b, which must leave it room. */
    t->b = larger(t->b, 1 + CLUSTER);
}

static size_t longest_columns(const table *t)
{
    return t->longest + strlen(" ") + strlen(tw_unit(t->options)) + strlen("s");
}

/* Columns of a line without the names. */
static size_t other_columns(const table *t)
{
    size_t columns = SIMILAR + GAP + PERCENT + GAP + PERCENT + GAP + GAP + GAP;
    columns += t->bar ? 1 + TW_BAR : 0;
    columns += t->jaccard ? GAP + JACCARD : 0;
    columns += t->run.clusters > 0 ? GAP + t->cluster : 0;
    return columns + longest_columns(t);
}

/* The most columns that a name may take, so that the widest of both sides fit. */
static size_t name_limit(const table *t)
{
    size_t others = other_columns(t), narrow = smaller(t->a, t->b);
    size_t room = t->style->width > others ? t->style->width - others : 0;
    return larger(NAME_COLUMNS, narrow <= room / 2 ? room - narrow : room / 2);
}

static int lay_out(table *t)
{
    int status = add_labels(t);
    if (status != TWINSET_OK)
        return status;
    t->jaccard = t->options->measure != TWINSET_MEASURE_JACCARD;
    t->bar = true;
    measure(t);
    if (t->style->width == 0 || other_columns(t) + t->a + t->b <= t->style->width)
        return TWINSET_OK;
    t->bar = false;
    if (other_columns(t) + t->a + t->b <= t->style->width)
        return TWINSET_OK;
    status = tw_labels_fit(&t->labels, name_limit(t));
    measure(t);
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
    tw_put_spaces(sink, t->bar ? 1 + TW_BAR : 0);
    if (t->jaccard)
        put_right(sink, GAP + JACCARD, "jaccard");
    put_right(sink, GAP + PERCENT, "a in b");
    put_right(sink, GAP + PERCENT, "b in a");
    put_right(sink, GAP + longest_columns(t), "longest");
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
    if (t->bar) {
        tw_put(t->sink, " ", 1);
        tw_put_bar(t->sink, similarity);
    }
    tw_put_style(t->sink, t->style, TW_PLAIN);
}

static void put_details(const table *t, const twinset_pair *pair)
{
    tw_sink *sink = t->sink;
    tw_put_style(sink, t->style, TW_DIM);
    if (t->jaccard)
        put_right(sink, GAP + JACCARD, tw_number_percent(pair->jaccard).text);
    put_right(sink, GAP + PERCENT, tw_number_percent(pair->containment_a).text);
    put_right(sink, GAP + PERCENT, tw_number_percent(pair->containment_b).text);
    put_right(sink, GAP + t->longest, tw_number_count(pair->longest).text);
    tw_put(sink, " ", 1);
    tw_put_text(sink, tw_unit(t->options));
    tw_put_text(sink, pair->longest == 1 ? " " : "s");
    tw_put_style(sink, t->style, TW_PLAIN);
}

static void put_pair(const table *t, const twinset_pair *pair)
{
    put_similarity(t, pair->similarity);
    put_details(t, pair);
    tw_put_spaces(t->sink, GAP);
    put_left(t->sink, t->a, shown(t, pair->a));
    tw_put_spaces(t->sink, GAP);
    if (t->run.clusters > 0) {
        put_left(t->sink, t->b, shown(t, pair->b));
        put_right(t->sink, GAP + t->cluster, tw_number_whole(pair->cluster).text);
    } else {
        tw_put_text(t->sink, shown(t, pair->b));
    }
    tw_put(t->sink, "\n", 1);
}

static void put_pairs(const table *t)
{
    if (t->labels.folder.length > 0) {
        tw_put_text(t->sink, "in ");
        tw_put(t->sink, t->labels.folder.data, t->labels.folder.length);
        tw_put(t->sink, "\n", 1);
    }
    tw_put(t->sink, "\n", 1);
    put_headings(t);
    for (size_t i = 0; i < t->rows && t->sink->failure == 0; i++) {
        twinset_pair pair = twinset_result_pair(t->result, i);
        put_pair(t, &pair);
    }
    if (t->rows < t->run.pairs) {
        tw_put_text(t->sink, "\xe2\x80\xa6 and ");
        tw_put_text(t->sink, tw_number_count(t->run.pairs - t->rows).text);
        tw_put_text(t->sink, " more; --format csv lists them all\n");
    }
}

/* ---- clusters */

static void put_members(const table *t, const twinset_cluster *cluster)
{
    static const char indent[] = "\n    ";
    size_t width = t->style->width > 0 ? t->style->width : ANY_WIDTH;
    size_t count = smaller(cluster->size, MEMBERS_SHOWN), used = width;
    for (size_t i = 0; i < count; i++) {
        size_t columns = shown_columns(t, cluster->members[i]) + strlen(", ");
        if (used + columns > width) {
            tw_put_style(t->sink, t->style, TW_PLAIN);
            tw_put_text(t->sink, indent);
            tw_put_style(t->sink, t->style, TW_DIM);
            used = strlen(indent) - 1;
        }
        tw_put_text(t->sink, shown(t, cluster->members[i]));
        tw_put_text(t->sink, i + 1 < cluster->size ? ", " : "");
        used += columns;
    }
    if (count < cluster->size) {
        tw_put_text(t->sink, "\xe2\x80\xa6 and ");
        tw_put_text(t->sink, tw_number_count(cluster->size - count).text);
        tw_put_text(t->sink, " more");
    }
    tw_put_style(t->sink, t->style, TW_PLAIN);
    tw_put(t->sink, "\n", 1);
}

static void put_cluster(const table *t, const twinset_cluster *cluster)
{
    tw_sink *sink = t->sink;
    tw_put_style(sink, t->style, TW_BOLD);
    tw_put_text(sink, "cluster ");
    tw_put_text(sink, tw_number_whole(cluster->id).text);
    tw_put_style(sink, t->style, TW_PLAIN);
    tw_put_text(sink, ": ");
    tw_put_counted(sink, cluster->size, "document");
    tw_put_text(sink, ", lowest similarity ");
    tw_put_text(sink, tw_number_percent(cluster->min_similarity).text);
    tw_put_text(sink, ", most typical ");
    tw_put_text(sink, shown(t, cluster->representative));
    put_members(t, cluster);
}

static void put_clusters(const table *t)
{
    if (t->clusters > 0)
        tw_put(t->sink, "\n", 1);
    for (size_t i = 0; i < t->clusters; i++) {
        twinset_cluster cluster = twinset_result_cluster(t->result, i);
        put_cluster(t, &cluster);
    }
    if (t->clusters < t->run.clusters) {
        tw_put_text(t->sink, "\xe2\x80\xa6 and ");
        tw_put_counted(t->sink, t->run.clusters - t->clusters, "more cluster");
        tw_put_text(t->sink, "; --format json lists them all\n");
    }
}

/* ---- sentences */

static void put_heading(const table *t)
{
    tw_put_style(t->sink, t->style, TW_BOLD);
    tw_put_counted(t->sink, t->run.pairs, "similar pair");
    tw_put_text(t->sink, " in ");
    tw_put_counted(t->sink, t->run.documents, "document");
    tw_put_text(t->sink, ", ");
    tw_put_counted(t->sink, t->run.clusters, "cluster");
    tw_put_style(t->sink, t->style, TW_PLAIN);
    tw_put(t->sink, "\n", 1);
}

/* 0.5: "50%", 0.825: "82.5%", with no more digits than were given. */
static void put_threshold(const table *t)
{
    char text[32];
    unsigned parts = (unsigned)lround(t->options->threshold * 1e6);
    int length = snprintf(text, sizeof text, "%u.%04u", parts / 10000, parts % 10000);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    tw_put(t->sink, text, (size_t)length);
    tw_put(t->sink, "%", 1);
}

static void put_no_pair(const table *t)
{
    double threshold = t->options->threshold;
    if (t->run.documents < 2) {
        tw_put_text(t->sink, "Only one document: there is nothing to compare it with.\n");
    } else if (threshold > 0) {
        tw_put_text(t->sink, "No pair at ");
        put_threshold(t);
        tw_put_text(t->sink, " or more in ");
        tw_put_counted(t->sink, t->run.documents, "document");
        tw_put_text(t->sink, threshold > 0.3
                                 ? ". With -t 0.3 weaker likenesses show.\n"
                                 : ". With -t 0 every pair that shares anything shows.\n");
    } else {
        tw_put_text(t->sink, "No two of ");
        tw_put_counted(t->sink, t->run.documents, "document");
        tw_put_text(t->sink, " share anything. A smaller -k finds shorter likenesses.\n");
    }
}

static void put_recall(const table *t)
{
    if (t->run.method != TWINSET_METHOD_LSH)
        return;
    if (isnan(t->run.expected_recall)) {
        tw_put_text(t->sink,
                    "\nFound by lsh: the share of the pairs that it finds is not known.\n");
    } else {
        tw_put_text(t->sink, "\nFound by lsh: expected to find at least ");
        tw_put_text(t->sink, tw_number_percent(t->run.expected_recall).text);
        tw_put_text(t->sink, " of the pairs at the threshold.\n");
    }
}

int tw_write_table(tw_sink *sink, const twinset_result *result, const twinset_style *style)
{
    table t = {.sink = sink, .result = result, .style = style};
    t.options = tw_result_options(result);
    t.run = twinset_result_run(result);
    t.rows = style->rows > 0 ? smaller(style->rows, t.run.pairs) : t.run.pairs;
    t.clusters = smaller(t.run.clusters, CLUSTERS_SHOWN);
    int status = lay_out(&t);
    if (status == TWINSET_OK) {
        if (t.run.pairs > 0) {
            put_heading(&t);
            put_pairs(&t);
            put_clusters(&t);
        } else {
            put_no_pair(&t);
        }
        put_recall(&t);
        tw_put_footnote(sink, result);
    }
    tw_labels_free(&t.labels);
    return status;
}
