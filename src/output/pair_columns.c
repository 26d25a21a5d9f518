/* The columns of a pair, which all formats for programs write in one order. */
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
