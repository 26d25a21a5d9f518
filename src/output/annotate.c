/*
 * What was decided about a record, as fields at its end; all else of the line stays as it
 * is, byte for byte. Fields of an earlier annotation go.
 */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <string.h>

#include "json_line.h"
#include "writers.h"

static bool is_ours(const char *key, size_t length)
{
    static const char *const names[] = {"\"twinset_cluster\"", "\"twinset_keep\"",
                                        "\"twinset_kept\"", "\"twinset_similarity\"",
                                        "\"twinset_spans\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], key, length) == 0)
            return true;
    return false;
}

/* Appends an object up to its closing brace, without our fields. */
static int append_others(const char *line, const char *brace, tw_bytes *out)
{
    bool has_mark = brace - line > 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0;
    /* The end of the last field so far, where a comma is. */
    const char *end = tw_json_skip_space(has_mark ? line + 3 : line, brace) + 1;
    int status = tw_bytes_append(out, line, (size_t)(end - line));
    bool first = true;
    for (const char *at = tw_json_skip_space(end, brace); at < brace && status == TWINSET_OK;) {
        const char *from = end, *key = at;
        at = tw_json_skip_string(key, brace);
        bool ours = is_ours(key, (size_t)(at - key));
        at = tw_json_skip_space(at, brace);
        end = tw_json_skip_space(
            tw_json_skip_value(tw_json_skip_space(at + (at < brace), brace), brace), brace);
        at = tw_json_skip_space(end + (end < brace), brace);
        if (ours)
            continue;
        from = first ? key : from; /* without the comma of one that went before it */
        first = false;
        status = tw_bytes_append(out, from, (size_t)(end - from));
    }
    return status;
}

/* ---- ours */

void tw_json_spans(tw_json *json, const char *key, const tw_repeated_span *spans, size_t count,
                   const twinset_result *result)
{
    tw_json_list(json, key, TW_JSON_INLINE);
    for (size_t i = 0; i < count; i++) {
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_whole(json, "start", spans[i].start);
        tw_json_whole(json, "end", spans[i].end);
        tw_json_whole(json, "words", spans[i].words);
        tw_json_name(json, "first", tw_result_name(result, (uint32_t)spans[i].first),
                     tw_result_name_is_number(result, (uint32_t)spans[i].first));
        tw_json_whole(json, "first_start", spans[i].first_start);
        tw_json_whole(json, "first_end", spans[i].first_end);
        tw_json_close(json);
    }
    tw_json_close(json);
}

/* Appends our fields and the closing brace. */
static int append_ours(const tw_annotation *note, bool has_others, tw_bytes *out)
{
    tw_sink sink;
    tw_sink_init_bytes(&sink, out);
    tw_json json = tw_json_continue_object(&sink, has_others);
    if (note->cluster)
        tw_json_whole(&json, "twinset_cluster", note->cluster);
    else
        tw_json_null(&json, "twinset_cluster");
    tw_json_bool(&json, "twinset_keep", !note->kept);
    tw_json_name(&json, "twinset_kept", note->kept, note->kept_is_number);
    tw_json_real(&json, "twinset_similarity", note->kept ? note->similarity : NAN);
    if (note->has_spans)
        tw_json_spans(&json, "twinset_spans", note->spans, note->span_count, note->result);
    tw_json_close(&json);
    return tw_sink_end_bytes(&sink);
}

int tw_annotate(const char *line, size_t length, const tw_annotation *note, tw_bytes *out)
{
    size_t brace = length, start = out->length;
    while (brace > 0 && line[brace - 1] != '}')
        brace--;
    if (brace-- == 0)
        return TWINSET_IO;
    bool before = memmem(line, length, "\"twinset_", strlen("\"twinset_"));
    int status =
        before ? append_others(line, line + brace, out) : tw_bytes_append(out, line, brace);
    if (status != TWINSET_OK)
        return status;
    size_t last = out->length;
    while (last > start && tw_is_white(out->data[last - 1]))
        last--;
    if (last == start)
        return TWINSET_IO;
    status = append_ours(note, out->data[last - 1] != '{', out);
    return status == TWINSET_OK ? tw_bytes_append(out, line + brace + 1, length - brace - 1)
                                : status;
}
