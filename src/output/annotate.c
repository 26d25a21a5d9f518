/*
 * What was decided about a record, as fields at its end; all else of the line stays as it
 * is, byte for byte. Fields of an earlier annotation go.
 */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <string.h>

#include "output.h"

/* ---- JSON that was valid when it was read; if it changed, no step goes past the end */

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static const char *skip_value(const char *at, const char *end)
{
    size_t depth = 0;
    do {
        char c = at < end ? *at : ' ';
        if (c == '"') {
            at = skip_string(at, end);
            continue;
        }
        depth += is_one_of(c, "{[");
        depth -= depth > 0 && is_one_of(c, "}]");
        for (at++; at < end && !is_one_of(c, "{}[]") && !is_one_of(*at, "\"{}[], \t\r");)
            at++;
    } while (depth > 0 && at < end);
    return at < end ? at : end;
}

static bool is_ours(const char *key, size_t length)
{
    static const char *const names[] = {"\"twinset_cluster\"", "\"twinset_keep\"",
                                        "\"twinset_kept\"", "\"twinset_similarity\""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], key, length) == 0)
            return true;
    return false;
}

/* Appends an object up to its closing brace, without our fields. */
static int append_others(const char *line, const char *brace, tw_bytes *out)
{
    const char *end = skip_space(line, brace) + 1; /* of the last field, where a comma is */
    int status = tw_bytes_append(out, line, (size_t)(end - line));
    bool first = true;
    for (const char *at = skip_space(end, brace); at < brace && status == TWINSET_OK;) {
        const char *from = end, *key = at;
        at = skip_string(key, brace);
        bool ours = is_ours(key, (size_t)(at - key));
        at = skip_space(at, brace);
        end = skip_space(skip_value(skip_space(at + (at < brace), brace), brace), brace);
        at = skip_space(end + (end < brace), brace);
        if (ours)
            continue;
        from = first ? key : from; /* without the comma of one that went before it */
        first = false;
        status = tw_bytes_append(out, from, (size_t)(end - from));
    }
    return status;
}

/* ---- ours */

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
    tw_json_string(&json, "twinset_kept", note->kept);
    tw_json_real(&json, "twinset_similarity", note->kept ? note->similarity : NAN);
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
    while (last > start && is_one_of(out->data[last - 1], " \t\r"))
        last--;
    if (last == start)
        return TWINSET_IO;
    status = append_ours(note, out->data[last - 1] != '{', out);
    return status == TWINSET_OK ? tw_bytes_append(out, line + brace + 1, length - brace - 1)
                                : status;
}
