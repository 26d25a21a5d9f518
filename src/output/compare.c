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
    PASSAGE_LINES = 3
};

typedef struct page {
    tw_sink *sink;
    const twinset_result *result;
    const twinset_style *style;
    const twinset_options *options;
    twinset_pair pair;
    size_t width;
    tw_labels labels;
} page;

static int add_labels(page *p)
{
    int status = tw_labels_add(&p->labels, p->pair.a);
    if (status == TWINSET_OK)
        status = tw_labels_add(&p->labels, p->pair.b);
    if (status == TWINSET_OK)
        status = tw_labels_make(&p->labels);
    if (status != TWINSET_OK || p->style->width == 0)
        return status;
    size_t free_columns = p->width > INDENT + SENTENCE ? (p->width - INDENT - SENTENCE) / 2 : 0;
    return tw_labels_fit(&p->labels, free_columns > MIN_COLUMNS ? free_columns : MIN_COLUMNS);
}

static int put_name(const page *p, const char *name)
{
    tw_bytes visible = {0};
    int status = tw_append_name(&visible, name);
    tw_flow flow = {.sink = p->sink, .width = p->style->width};
    tw_put_style(p->sink, p->style, TW_BOLD);
    tw_flow_path(&flow, visible.data, visible.length);
    tw_put_style(p->sink, p->style, TW_PLAIN);
    tw_put(p->sink, "\n", 1);
    tw_bytes_free(&visible);
    return status;
}

static void put_topic(const page *p, const char *topic)
{
    tw_put_style(p->sink, p->style, TW_DIM);
    tw_put_text(p->sink, topic);
    tw_put_style(p->sink, p->style, TW_PLAIN);
    tw_put_spaces(p->sink, INDENT - strlen(topic));
}

static void put_share(const page *p, const char *topic, double share)
{
    tw_number percent = tw_number_percent(share);
    put_topic(p, topic);
    tw_put_spaces(p->sink, strlen("100.0%") - strlen(percent.text));
    tw_put_text(p->sink, percent.text);
    tw_put(p->sink, " ", 1);
}

static void put_similarity(const page *p)
{
    char measure[TW_OPTION_WORD_BYTES];
    put_share(p, "similarity", p->pair.similarity);
    tw_put_style(p->sink, p->style, tw_strength(p->pair.similarity));
    tw_put_bar(p->sink, p->style, p->pair.similarity);
    tw_put_style(p->sink, p->style, TW_PLAIN);
    tw_put_text(p->sink, " by ");
    tw_put_text(p->sink, tw_option_word("measure", p->options->measure, measure));
    tw_put(p->sink, "\n", 1);
}

static void put_jaccard(const page *p)
{
    put_share(p, "jaccard", p->pair.jaccard);
    tw_put_text(p->sink, tw_number_count(p->pair.shared).text);
    tw_put_text(p->sink, " of ");
    tw_put_text(p->sink, tw_counted(p->pair.union_count, "shingle").text);
    tw_put_text(p->sink, " shared\n");
}

static void put_containment(const page *p, const char *topic, double share, const char *name,
                            const char *other)
{
    const size_t begin = INDENT + strlen("100.0% ");
    tw_flow flow = {.sink = p->sink, .width = p->style->width, .indent = begin, .used = begin};
    put_share(p, topic, share);
    tw_flow_label(&flow, "of ", tw_labels_find(&p->labels, name)->shown, "");
    tw_flow_label(&flow, "is found in ", tw_labels_find(&p->labels, other)->shown, "");
    tw_put(p->sink, "\n", 1);
}

static void put_estimate(const page *p)
{
    if (isnan(p->pair.estimate))
        return;
    put_share(p, "estimate", p->pair.estimate);
    tw_put_text(p->sink, "of ");
    tw_put_text(p->sink, tw_counted(p->options->hashes, "hash value").text);
    tw_put_text(p->sink, " agree\n");
}

/* ---- passages */

static void put_longest(const page *p)
{
    bool code = p->options->by == TWINSET_BY_CODE;   /* what was put in between does not count */
    if (!code && p->pair.shared && !p->pair.longest) /* too large to measure: a note says so */
        return;
    put_topic(p, "longest");
    tw_put_text(p->sink, tw_counted(p->pair.longest, tw_unit(p->options)).text);
    tw_put_text(p->sink, code ? " in one passage\n" : " in a row that both have\n");
}

/* Passages, with what they come to. */
static int put_passages(const page *p)
{
    const twinset_passages *passages = p->result->comparison.passages;
    uint64_t tokens = 0;
    if (!passages || !passages->count)
        return TWINSET_OK;
    for (size_t i = 0; i < passages->count; i++)
        tokens += passages->list[i].tokens;
    put_topic(p, "passages");
    tw_put_text(p->sink, tw_counted(tokens, passages->token).text);
    tw_put_text(p->sink, " in ");
    tw_put_text(p->sink, tw_counted(passages->count, "passage").text);
    tw_put_text(p->sink, " that both have\n\n");
    return tw_write_passages(p->sink, passages, p->style);
}

static int put_page(page *p)
{
    int status = add_labels(p);
    if (status == TWINSET_OK)
        status = put_name(p, p->pair.a);
    if (status == TWINSET_OK)
        status = put_name(p, p->pair.b);
    if (status != TWINSET_OK)
        return status;
    tw_put(p->sink, "\n", 1);
    put_similarity(p);
    put_jaccard(p);
    put_containment(p, "containment", p->pair.containment_a, p->pair.a, p->pair.b);
    put_containment(p, "", p->pair.containment_b, p->pair.b, p->pair.a);
    put_estimate(p);
    put_longest(p);
    status = put_passages(p);
    tw_put_footnote(p->sink, p->result, p->style);
    return status;
}

int tw_write_comparison(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                        twinset_error *error)
{
    (void)error;
    page p = {.sink = sink, .result = result, .style = style};
    p.labels.ascii = style->ascii;
    p.options = &result->options;
    p.pair = tw_result_pair_at(result, 0);
    p.width = style->width > 0 ? style->width : ANY_WIDTH;
    int status = put_page(&p);
    tw_labels_free(&p.labels);
    return status;
}
