/* Passages as JSON, for those who show them in their own way. */
#include <string.h>

#include "passages_text.h"

static void write_range(tw_json *json, const char *key, size_t from, size_t to)
{
    tw_json_list(json, key, TW_JSON_INLINE);
    tw_json_whole(json, NULL, from);
    tw_json_whole(json, NULL, to);
    tw_json_close(json);
}

static void write_span(tw_json *json, const char *key, const twinset_span *span)
{
    tw_json_object(json, key, TW_JSON_INLINE);
    if (span->file)
        tw_json_string(json, "file", span->file);
    write_range(json, "lines", span->first_line, span->last_line);
    write_range(json, "bytes", span->start, span->end);
    tw_json_close(json);
}

static void write_kinds(tw_json *json, unsigned kinds)
{
    size_t last = 0;
    tw_json_list(json, "kinds", TW_JSON_INLINE);
    for (const char *name; (name = tw_next_kind(kinds, &last));)
        tw_json_string(json, NULL, name);
    tw_json_close(json);
}

static void write_renames(tw_json *json, const tw_located_passage *passage)
{
    tw_json_list(json, "names", TW_JSON_INLINE);
    for (size_t i = 0; i < passage->rename_count; i++) {
        const twinset_rename *rename = &passage->renames[i];
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_string(json, "a", rename->a);
        tw_json_string(json, "b", rename->b);
        tw_json_whole(json, "count", rename->count);
        tw_json_close(json);
    }
    tw_json_close(json);
}

/* Writes a count; 0 stands for one that is not known. */
static void write_known(tw_json *json, const char *key, uint64_t count)
{
    if (count > 0)
        tw_json_whole(json, key, count);
    else
        tw_json_null(json, key);
}

void tw_json_passage_members(tw_json *json, const tw_located_passage *passage, uint64_t among)
{
    write_span(json, "a", &passage->a);
    write_span(json, "b", &passage->b);
    tw_json_whole(json, "tokens", passage->tokens);
    write_kinds(json, passage->kinds);
    write_renames(json, passage);
    write_known(json, "documents", passage->documents);
    write_known(json, "among", among);
    if (passage->rarity > 0) /* of prose alone */
        tw_json_real(json, "rarity", passage->rarity);
}

/* The kind of a word: a string has quotes around it. */
static const char *kind_of(const tw_rare_word *rare)
{
    if (rare->is_name)
        return "name";
    return strpbrk(rare->word, "\"'`") ? "string" : "number";
}

void tw_json_rare_words(tw_json *json, const char *key, const twinset_passages *passages)
{
    tw_json_list(json, key, TW_JSON_INLINE);
    for (size_t i = 0; i < passages->rare.count && json->sink->failure == 0; i++) {
        const tw_rare_word *rare = &passages->rare.list[i];
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_string(json, "word", rare->word);
        tw_json_string(json, "kind", kind_of(rare));
        write_span(json, "a", &rare->a);
        write_span(json, "b", &rare->b);
        tw_json_close(json);
    }
    tw_json_close(json);
}

void tw_json_passages(tw_json *json, const char *key, const twinset_passages *passages)
{
    tw_json_list(json, key, TW_JSON_INLINE);
    for (size_t i = 0; i < passages->count && json->sink->failure == 0; i++) {
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_passage_members(json, &passages->list[i], passages->among);
        tw_json_close(json);
    }
    tw_json_close(json);
}
