/* What the table of a scan and the page of a comparison look like in common. */
#include "output/output.h"

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

void tw_put_bar(tw_sink *sink, double share)
{
    /* U+2588 to U+258F: a full cell, then seven eighths down to one. */
    const unsigned all = 8 * TW_BAR;
    unsigned eighths = share >= 1 ? all : share > 0 ? (unsigned)(share * all) : 0;
    for (unsigned cell = 0; cell < TW_BAR; cell++) {
        unsigned filled = eighths < 8 ? eighths : 8;
        if (filled > 0)
            tw_put(sink, (const char[]){'\xe2', '\x96', (char)(0x90 - filled)}, 3);
        else
            tw_put(sink, " ", 1);
        eighths -= filled;
    }
}

void tw_put_counted(tw_sink *sink, uint64_t count, const char *noun)
{
    tw_put_text(sink, tw_number_count(count).text);
    tw_put(sink, " ", 1);
    tw_put_text(sink, noun);
    if (count != 1)
        tw_put(sink, "s", 1);
}

const char *tw_unit(const twinset_options *options)
{
    return options->by == TWINSET_BY_WORD ? "word" : "char";
}

void tw_put_footnote(tw_sink *sink, const twinset_result *result)
{
    twinset_run run = twinset_result_run(result);
    if (run.skipped + run.flagged == 0)
        return;
    tw_put(sink, "\n", 1);
    if (run.skipped > 0) {
        tw_put_counted(sink, run.skipped, "input");
        tw_put_text(sink, " skipped");
    }
    tw_put_text(sink, run.skipped > 0 && run.flagged > 0 ? ", " : "");
    if (run.flagged > 0) {
        tw_put_counted(sink, run.flagged, "document");
        tw_put_text(sink, " flagged");
    }
    tw_put_text(sink, "; --format json has the names.\n");
}
