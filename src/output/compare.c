/* A comparison of two documents for people: what they share, in words, and an excerpt. */
#include <math.h>
#include <string.h>

#include "passages_text.h"

tw_write_fn tw_write_comparison;

enum {
    INDENT = 13,      /* "containment  " */
    ANY_WIDTH = 80,   /* where none is given */
    SENTENCE = 23,    /* "100.0% of  is found in " */
    MIN_COLUMNS = 16, /* of a name or an excerpt, however narrow the terminal */
};

typedef struct comparison_view {
    tw_sink *sink;
    const twinset_result *result;
    const twinset_style *style;
    const twinset_options *options;
    twinset_pair pair;
    size_t width;
    tw_labels labels;
} comparison_view;

static int add_labels(comparison_view *v)
{
    int status = tw_labels_add(&v->labels, v->pair.a);
    if (status == TWINSET_OK)
        status = tw_labels_add(&v->labels, v->pair.b);
    if (status == TWINSET_OK)
        status = tw_labels_make(&v->labels);
    if (status != TWINSET_OK || v->style->width == 0)
        return status;
    size_t free_columns = v->width > INDENT + SENTENCE ? (v->width - INDENT - SENTENCE) / 2 : 0;
    return tw_labels_fit(&v->labels, free_columns > MIN_COLUMNS ? free_columns : MIN_COLUMNS);
}

static int put_name(const comparison_view *v, const char *name)
{
    tw_bytes visible = {0};
    int status = tw_append_name(&visible, name);
    tw_flow flow = {.sink = v->sink, .width = v->style->width};
    tw_put_style(v->sink, v->style, TW_BOLD);
    tw_flow_path(&flow, visible.data, visible.length);
    tw_put_style(v->sink, v->style, TW_PLAIN);
    tw_put(v->sink, "\n", 1);
    tw_bytes_free(&visible);
    return status;
}

static void put_topic(const comparison_view *v, const char *topic)
{
    tw_put_style(v->sink, v->style, TW_DIM);
    tw_put_text(v->sink, topic);
    tw_put_style(v->sink, v->style, TW_PLAIN);
    tw_put_spaces(v->sink, INDENT - strlen(topic));
}

static void put_share(const comparison_view *v, const char *topic, double share)
{
    tw_number percent = tw_number_percent(share);
    put_topic(v, topic);
    tw_put_spaces(v->sink, strlen("100.0%") - strlen(percent.text));
    tw_put_text(v->sink, percent.text);
    tw_put(v->sink, " ", 1);
}

static void put_similarity(const comparison_view *v)
{
    char measure[TW_OPTION_WORD_BYTES];
    put_share(v, "similarity", v->pair.similarity);
    tw_put_style(v->sink, v->style, tw_strength(v->pair.similarity));
    tw_put_bar(v->sink, v->style, v->pair.similarity);
    tw_put_style(v->sink, v->style, TW_PLAIN);
    tw_put_text(v->sink, " by ");
    tw_put_text(v->sink, tw_option_word("measure", v->options->measure, measure));
    tw_put(v->sink, "\n", 1);
}

static void put_jaccard(const comparison_view *v)
{
    put_share(v, "jaccard", v->pair.jaccard);
    tw_put_text(v->sink, tw_number_count(v->pair.shared).text);
    tw_put_text(v->sink, " of ");
    tw_put_text(v->sink, tw_counted(v->pair.union_count, "shingle").text);
    tw_put_text(v->sink, " shared\n");
}

static void put_containment(const comparison_view *v, const char *topic, double share,
                            const char *name, const char *other)
{
    const size_t begin = INDENT + strlen("100.0% ");
    tw_flow flow = {.sink = v->sink, .width = v->style->width, .indent = begin, .used = begin};
    put_share(v, topic, share);
    tw_flow_label(&flow, "of ", tw_labels_shown(&v->labels, name), "");
    tw_flow_label(&flow, "is found in ", tw_labels_shown(&v->labels, other), "");
    tw_put(v->sink, "\n", 1);
}

static void put_estimate(const comparison_view *v)
{
    if (isnan(v->pair.estimate))
        return;
    put_share(v, "estimate", v->pair.estimate);
    tw_put_text(v->sink, "of ");
    tw_put_text(v->sink, tw_counted(v->options->hashes, "hash value").text);
    tw_put_text(v->sink, " agree\n");
}

/* ---- passages */

static void put_longest(const comparison_view *v)
{
    bool code = v->options->by == TWINSET_BY_CODE;   /* what was put in between does not count */
    if (!code && v->pair.shared && !v->pair.longest) /* too large to measure: a note says so */
        return;
    put_topic(v, "longest");
    tw_put_text(v->sink, tw_counted(v->pair.longest, tw_unit(v->options)).text);
    tw_put_text(v->sink, code ? " in one passage\n" : " in a row that both have\n");
}

/* Passages, with what they come to. */
static int put_passages(const comparison_view *v)
{
    const twinset_passages *passages = v->result->comparison.passages;
    uint64_t tokens = 0;
    if (!passages || !passages->count)
        return TWINSET_OK;
    for (size_t i = 0; i < passages->count; i++)
        tokens += passages->list[i].tokens;
    put_topic(v, "passages");
    tw_put_text(v->sink, tw_counted(tokens, passages->token).text);
    tw_put_text(v->sink, " in ");
    tw_put_text(v->sink, tw_counted(passages->count, "passage").text);
    tw_put_text(v->sink, " that both have\n\n");
    return tw_write_passages(v->sink, passages, v->style);
}

static int put_comparison(comparison_view *v)
{
    int status = add_labels(v);
    if (status == TWINSET_OK)
        status = put_name(v, v->pair.a);
    if (status == TWINSET_OK)
        status = put_name(v, v->pair.b);
    if (status != TWINSET_OK)
        return status;
    tw_put(v->sink, "\n", 1);
    put_similarity(v);
    put_jaccard(v);
    put_containment(v, "containment", v->pair.containment_a, v->pair.a, v->pair.b);
    put_containment(v, "", v->pair.containment_b, v->pair.b, v->pair.a);
    put_estimate(v);
    put_longest(v);
    status = put_passages(v);
    tw_put_footnote(v->sink, v->result, v->style);
    return status;
}

int tw_write_comparison(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                        twinset_error *error)
{
    (void)error;
    comparison_view v = {.sink = sink, .result = result, .style = style};
    v.labels.ascii = style->ascii;
    v.options = &result->options;
    v.pair = tw_result_pair_at(result, 0);
    v.width = style->width > 0 ? style->width : ANY_WIDTH;
    int status = put_comparison(&v);
    tw_labels_free(&v.labels);
    return status;
}
