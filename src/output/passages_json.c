/* Passages as JSON, for those who show them in their own way. */
#include "evidence.h"

static void put_range(tw_sink *sink, const char *key, size_t from, size_t to)
{
    tw_put_text(sink, key);
    tw_put_text(sink, tw_number_whole(from).text);
    tw_put(sink, ", ", 2);
    tw_put_text(sink, tw_number_whole(to).text);
    tw_put(sink, "]", 1);
}

static void put_span(tw_sink *sink, const twinset_span *span)
{
    tw_put(sink, "{", 1);
    if (span->file) {
        tw_put_text(sink, "\"file\": ");
        tw_put_json(sink, span->file);
        tw_put(sink, ", ", 2);
    }
    put_range(sink, "\"lines\": [", span->first_line, span->last_line);
    put_range(sink, ", \"bytes\": [", span->start, span->end);
    tw_put(sink, "}", 1);
}

static void put_renames(tw_sink *sink, const tw_located_passage *passage)
{
    for (size_t i = 0; i < passage->rename_count; i++) {
        const twinset_rename *rename = &passage->renames[i];
        tw_put_text(sink, i == 0 ? "{\"a\": " : ", {\"a\": ");
        tw_put_json(sink, rename->a);
        tw_put_text(sink, ", \"b\": ");
        tw_put_json(sink, rename->b);
        tw_put_text(sink, ", \"count\": ");
        tw_put_text(sink, tw_number_whole(rename->count).text);
        tw_put(sink, "}", 1);
    }
}

/* 0: it is not known. */
static void put_known(tw_sink *sink, uint64_t count)
{
    tw_put_text(sink, count ? tw_number_whole(count).text : "null");
}

static void put_passage(tw_sink *sink, const tw_located_passage *passage, uint64_t among)
{
    tw_put_text(sink, "{\"a\": ");
    put_span(sink, &passage->a);
    tw_put_text(sink, ", \"b\": ");
    put_span(sink, &passage->b);
    tw_put_text(sink, ", \"tokens\": ");
    tw_put_text(sink, tw_number_whole(passage->tokens).text);
    tw_put_text(sink, ", \"kinds\": [");
    tw_put_kinds(sink, passage->kinds);
    tw_put_text(sink, "], \"names\": [");
    put_renames(sink, passage);
    tw_put_text(sink, "], \"documents\": ");
    put_known(sink, passage->documents);
    tw_put_text(sink, ", \"among\": ");
    put_known(sink, among);
    tw_put(sink, "}", 1);
}

void tw_put_passages(tw_sink *sink, const twinset_passages *passages)
{
    tw_put(sink, "[", 1);
    for (size_t i = 0; i < passages->count && sink->failure == 0; i++) {
        tw_put_text(sink, i == 0 ? "" : ", ");
        put_passage(sink, &passages->list[i], passages->among);
    }
    tw_put(sink, "]", 1);
}
