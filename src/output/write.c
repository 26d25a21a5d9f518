/* A result in the format asked for, and what all formats for programs write of a pair. */
#include <math.h>

#include "output.h"

#define FIELD(name, kind, member)                                                                  \
    {                                                                                              \
        name, kind, offsetof(twinset_pair, member)                                                 \
    }

const tw_field tw_fields[TW_FIELDS] = {
    FIELD("a", TW_KIND_NAME, a),
    FIELD("b", TW_KIND_NAME, b),
    FIELD("similarity", TW_KIND_SHARE, similarity),
    FIELD("jaccard", TW_KIND_SHARE, jaccard),
    FIELD("containment_a", TW_KIND_SHARE, containment_a),
    FIELD("containment_b", TW_KIND_SHARE, containment_b),
    FIELD("shared", TW_KIND_COUNT, shared),
    FIELD("union", TW_KIND_COUNT, union_count),
    FIELD("estimate", TW_KIND_SHARE, estimate),
    FIELD("longest", TW_KIND_COUNT, longest),
    FIELD("cluster", TW_KIND_CLUSTER, cluster),
    FIELD("weighted", TW_KIND_SHARE, weighted),
    FIELD("overlap", TW_KIND_COUNT, overlap),
    FIELD("longest_lines", TW_KIND_COUNT, longest_lines),
    FIELD("lines_a", TW_KIND_COUNT, lines_a),
    FIELD("lines_b", TW_KIND_COUNT, lines_b),
    FIELD("false_alarms", TW_KIND_SHARE, false_alarms),
};

size_t tw_field_count(const twinset_result *result)
{
    return result->options.by == TWINSET_BY_CODE ? TW_FIELDS : TW_FIELDS_OF_TEXT;
}

static const void *member(const tw_field *field, const twinset_pair *pair)
{
    return (const char *)pair + field->offset;
}

const char *tw_field_name(const tw_field *field, const twinset_pair *pair)
{
    return *(const char *const *)member(field, pair);
}

void tw_put_field(tw_sink *sink, const tw_field *field, const twinset_pair *pair)
{
    if (field->kind == TW_KIND_SHARE) {
        double share = *(const double *)member(field, pair);
        tw_put_text(sink, isnan(share) ? "" : tw_number_real(share).text);
    } else if (field->kind == TW_KIND_COUNT) {
        tw_put_text(sink, tw_number_whole(*(const uint64_t *)member(field, pair)).text);
    } else {
        tw_put_text(sink, tw_number_whole(*(const uint32_t *)member(field, pair)).text);
    }
}

void tw_json_field(tw_json *json, const tw_field *field, const twinset_pair *pair)
{
    const void *value = member(field, pair);
    switch (field->kind) {
    case TW_KIND_NAME:
        tw_json_string(json, field->name, *(const char *const *)value);
        break;
    case TW_KIND_SHARE:
        tw_json_real(json, field->name, *(const double *)value);
        break;
    case TW_KIND_COUNT:
        tw_json_whole(json, field->name, *(const uint64_t *)value);
        break;
    case TW_KIND_CLUSTER:
        tw_json_whole(json, field->name, *(const uint32_t *)value);
        break;
    }
}

/* What a caller gave, as far as its version of the struct goes. */
static int copy_style(const twinset_style *given, twinset_style *own, twinset_error *error)
{
    if (given && given->size < sizeof given->size)
        return tw_fail(error, TWINSET_USAGE,
                       "the style has no size: set style.size to sizeof style");
    return given ? tw_copy_struct(own, sizeof *own, given, given->size) : TWINSET_OK;
}

int twinset_result_write(const twinset_result *result, twinset_format format,
                         const twinset_style *style, twinset_write_fn write, void *context,
                         twinset_error *error)
{
    twinset_style own = {0};
    tw_sink sink;
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = copy_style(style, &own, error);
    if (status != TWINSET_OK)
        return status;
    style = &own;
    tw_sink_init(&sink, write, context);
    switch (format) {
    case TWINSET_FORMAT_TABLE:
        status = result->comparison.is_one ? tw_write_comparison(&sink, result, style)
                                           : tw_write_table(&sink, result, style);
        break;
    case TWINSET_FORMAT_CSV:
        tw_write_csv(&sink, result);
        break;
    case TWINSET_FORMAT_TSV:
        tw_write_tsv(&sink, result);
        break;
    case TWINSET_FORMAT_JSON:
        status = tw_write_json(&sink, result, error);
        break;
    case TWINSET_FORMAT_JSONL:
        tw_write_jsonl(&sink, result);
        break;
    case TWINSET_FORMAT_CANDIDATES:
        if (result->comparison.is_one)
            return tw_fail(error, TWINSET_USAGE, "candidates are what a scan finds");
        status = tw_write_candidates(&sink, result);
        break;
    default:
        return tw_fail(error, TWINSET_USAGE,
                       "pairs are written as table, csv, tsv, json, jsonl or candidates; the "
                       "binary format is for signatures");
    }
    if (status == TWINSET_OK)
        return tw_sink_end(&sink, error);
    return status == TWINSET_NOMEM ? tw_nomem(error) : status;
}

int twinset_pair_write(const twinset_pair *given, size_t pair_size, twinset_format format,
                       twinset_write_fn write, void *context, twinset_error *error)
{
    twinset_pair own = {0};
    const twinset_pair *pair = given ? &own : NULL;
    tw_sink sink;
    if (!write)
        return tw_missing(error, "write");
    if (given)
        tw_copy_struct(&own, sizeof own, given, pair_size);
    if (pair && (!pair->a || !pair->b))
        return tw_missing(error, pair->a ? "pair->b" : "pair->a");
    tw_sink_init(&sink, write, context);
    if (format == TWINSET_FORMAT_CSV || format == TWINSET_FORMAT_TSV)
        tw_put_values(&sink, pair, format == TWINSET_FORMAT_CSV ? "," : "\t");
    else if (format != TWINSET_FORMAT_JSONL)
        return tw_fail(error, TWINSET_USAGE, "a pair alone is written as csv, tsv or jsonl");
    else if (pair)
        tw_put_object(&sink, pair);
    return tw_sink_end(&sink, error);
}
