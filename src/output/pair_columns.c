/* The columns of a pair, which all formats for programs write in one order. */
#include <math.h>

#include "writers.h"

#define COLUMN(name, kind, member)                                                                 \
    {                                                                                              \
        name, kind, offsetof(twinset_pair, member)                                                 \
    }

const tw_pair_column tw_pair_columns[TW_PAIR_COLUMNS] = {
    COLUMN("a", TW_COLUMN_NAME, a),
    COLUMN("b", TW_COLUMN_NAME, b),
    COLUMN("similarity", TW_COLUMN_SHARE, similarity),
    COLUMN("jaccard", TW_COLUMN_SHARE, jaccard),
    COLUMN("containment_a", TW_COLUMN_SHARE, containment_a),
    COLUMN("containment_b", TW_COLUMN_SHARE, containment_b),
    COLUMN("shared", TW_COLUMN_COUNT, shared),
    COLUMN("union", TW_COLUMN_COUNT, union_count),
    COLUMN("estimate", TW_COLUMN_SHARE, estimate),
    COLUMN("longest", TW_COLUMN_COUNT, longest),
    COLUMN("cluster", TW_COLUMN_CLUSTER, cluster),
    COLUMN("passages", TW_COLUMN_PASSAGES, passages),
    COLUMN("passage_words", TW_COLUMN_PASSAGES, passage_words),
    COLUMN("coverage_a", TW_COLUMN_SHARE, coverage_a),
    COLUMN("coverage_b", TW_COLUMN_SHARE, coverage_b),
    COLUMN("false_alarms", TW_COLUMN_SHARE, false_alarms),
    COLUMN("weighted", TW_COLUMN_SHARE, weighted),
    COLUMN("overlap", TW_COLUMN_COUNT, overlap),
    COLUMN("longest_lines", TW_COLUMN_COUNT, longest_lines),
    COLUMN("lines_a", TW_COLUMN_COUNT, lines_a),
    COLUMN("lines_b", TW_COLUMN_COUNT, lines_b),
    COLUMN("language_a", TW_COLUMN_LANGUAGE, language_a),
    COLUMN("language_b", TW_COLUMN_LANGUAGE, language_b),
};

size_t tw_count_pair_columns(const twinset_result *result)
{
    if (result->options.by == TWINSET_BY_CODE)
        return result->options.view == TWINSET_VIEW_ACROSS ? TW_PAIR_COLUMNS
                                                           : TW_COLUMNS_OF_PROGRAMS;
    return result->pairs.has_passages ? TW_COLUMNS_WITH_PASSAGES : TW_COLUMNS_OF_TEXT;
}

static const void *member(const tw_pair_column *column, const twinset_pair *pair)
{
    return (const char *)pair + column->offset;
}

const char *tw_pair_column_name(const tw_pair_column *column, const twinset_pair *pair)
{
    return *(const char *const *)member(column, pair);
}

/* Whether a column has a value: passages may not have been looked for. */
static bool has_value(const tw_pair_column *column, const twinset_pair *pair)
{
    return column->kind != TW_COLUMN_PASSAGES || !isnan(pair->coverage_a);
}

void tw_put_pair_column(tw_sink *sink, const tw_pair_column *column, const twinset_pair *pair)
{
    if (!has_value(column, pair))
        return;
    if (column->kind == TW_COLUMN_SHARE) {
        double share = *(const double *)member(column, pair);
        tw_put_text(sink, isnan(share) ? "" : tw_number_real(share).text);
    } else if (column->kind == TW_COLUMN_COUNT || column->kind == TW_COLUMN_PASSAGES) {
        tw_put_text(sink, tw_number_whole(*(const uint64_t *)member(column, pair)).text);
    } else if (column->kind == TW_COLUMN_LANGUAGE) {
        tw_put_text(sink, *(const char *const *)member(column, pair));
    } else {
        tw_put_text(sink, tw_number_whole(*(const uint32_t *)member(column, pair)).text);
    }
}

void tw_json_pair_column(tw_json *json, const tw_pair_column *column, const twinset_pair *pair)
{
    const void *value = member(column, pair);
    switch (column->kind) {
    case TW_COLUMN_NAME:
        tw_json_name(json, column->name, *(const char *const *)value,
                     column->offset == offsetof(twinset_pair, a) ? pair->a_is_number
                                                                 : pair->b_is_number);
        break;
    case TW_COLUMN_SHARE:
        tw_json_real(json, column->name, *(const double *)value);
        break;
    case TW_COLUMN_PASSAGES:
        if (!has_value(column, pair)) {
            tw_json_null(json, column->name);
            break;
        }
        /* fallthrough */
    case TW_COLUMN_COUNT:
        tw_json_whole(json, column->name, *(const uint64_t *)value);
        break;
    case TW_COLUMN_CLUSTER:
        tw_json_whole(json, column->name, *(const uint32_t *)value);
        break;
    case TW_COLUMN_LANGUAGE:
        tw_json_string(json, column->name, *(const char *const *)value);
        break;
    }
}
