/* What the table of a scan and the page of a comparison share: colours, bars, running text. */
#include <stdio.h>
#include <string.h>

#include "writers.h"

void tw_put_style(tw_sink *sink, const twinset_style *style, const char *rendition)
{
    if (!style->colour)
        return;
    tw_put_text(sink, "\x1b[");
    tw_put_text(sink, rendition);
    tw_put_text(sink, "m");
}

const char *tw_strength(double similarity)
{
    return similarity >= 0.9 ? TW_RED : similarity >= 0.7 ? TW_YELLOW : TW_PLAIN;
}

const char *tw_ellipsis(bool ascii)
{
    return ascii ? "..." : "\xe2\x80\xa6";
}

void tw_put_bar(tw_sink *sink, const twinset_style *style, double share)
{
    /* U+2588 to U+258F: a full cell, then seven eighths down to one. In ASCII a cell counts
     * from its half. */
    const unsigned all = 8 * TW_BAR;
    unsigned eighths = share >= 1 ? all : share > 0 ? (unsigned)(share * all) : 0;
    for (unsigned cell = 0; cell < TW_BAR; cell++) {
        unsigned filled = eighths < 8 ? eighths : 8;
        if (style->ascii)
            tw_put(sink, filled >= 4 ? "#" : " ", 1);
        else if (filled > 0)
            tw_put(sink, (const char[]){'\xe2', '\x96', (char)(0x90 - filled)}, 3);
        else
            tw_put(sink, " ", 1);
        eighths -= filled;
    }
}

tw_phrase tw_counted(uint64_t count, const char *noun)
{
    tw_phrase phrase;
    snprintf(phrase.text, sizeof phrase.text, "%s %s%s", tw_number_count(count).text, noun,
             count == 1 ? "" : "s");
    return phrase;
}

const char *tw_unit(const twinset_options *options)
{
    return options->by == TWINSET_BY_CODE   ? "token"
           : options->by == TWINSET_BY_WORD ? "word"
                                            : "char";
}

void tw_put_footnote(tw_sink *sink, const twinset_result *result, const twinset_style *style)
{
    twinset_run run = result->run;
    char text[256];
    if (run.skipped + run.flagged == 0)
        return;
    snprintf(text, sizeof text, "%s%s%s%s%s; --format json has the names.",
             run.skipped > 0 ? tw_counted(run.skipped, "input").text : "",
             run.skipped > 0 ? " skipped" : "", run.skipped > 0 && run.flagged > 0 ? ", " : "",
             run.flagged > 0 ? tw_counted(run.flagged, "document").text : "",
             run.flagged > 0 ? " flagged" : "");
    tw_put(sink, "\n", 1);
    tw_put_sentence(sink, style, text);
}

/* ---- running text */

void tw_flow_break(tw_flow *flow)
{
    tw_put(flow->sink, "\n", 1);
    tw_put_spaces(flow->sink, flow->indent);
    flow->used = flow->indent;
    flow->gap = false;
}

static void put_word(tw_flow *flow, const char *before, const char *text, size_t length,
                     const char *after)
{
    size_t columns = strlen(before) + tw_columns(text, length) + strlen(after);
    if (flow->gap && flow->width > 0 && flow->used + 1 + columns > flow->width)
        tw_flow_break(flow);
    tw_put_spaces(flow->sink, flow->gap);
    tw_put_text(flow->sink, before);
    tw_put(flow->sink, text, length);
    tw_put_text(flow->sink, after);
    flow->used += flow->gap + columns;
    flow->gap = true;
}

void tw_flow_text(tw_flow *flow, const char *text)
{
    for (size_t length; *(text += strspn(text, " ")); text += length) {
        length = strcspn(text, " ");
        put_word(flow, "", text, length, "");
    }
}

void tw_flow_label(tw_flow *flow, const char *before, const char *label, const char *after)
{
    put_word(flow, before, label, strlen(label), after);
}

void tw_flow_path(tw_flow *flow, const char *path, size_t length)
{
    tw_put_spaces(flow->sink, flow->gap);
    flow->used += flow->gap;
    /* A wide character needs two columns. */
    while (flow->width > flow->indent + 1 && flow->used + tw_columns(path, length) > flow->width) {
        size_t free_columns = flow->width > flow->used ? flow->width - flow->used : 0;
        size_t bytes = tw_head(path, length, free_columns);
        tw_put(flow->sink, path, bytes);
        path += bytes;
        length -= bytes;
        tw_flow_break(flow);
    }
    tw_put(flow->sink, path, length);
    flow->used += tw_columns(path, length);
    flow->gap = true;
}

void tw_put_sentence(tw_sink *sink, const twinset_style *style, const char *text)
{
    tw_flow flow = {.sink = sink, .width = style->width};
    tw_flow_text(&flow, text);
    tw_put(sink, "\n", 1);
}
