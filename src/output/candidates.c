/*
 * A line a document, "name: [name, name]": those that it is paired with, in the order of their
 * names. Takes 8 bytes a pair beyond the result, as each is listed from both sides.
 */
#include <stdlib.h>
#include <string.h>

#include "writers.h"

tw_write_fn tw_write_candidates;

/* What each document is paired with: list[start[i]] up to list[start[i + 1]]. */
typedef struct partners {
    size_t *start;
    uint32_t *list;
} partners;

/* Counts first: start[i + 2] becomes the number of document i's partners. Filling moves
 * start[i + 1] from where they begin to where they end. */
static int find_partners(const twinset_result *result, size_t documents, partners *found)
{
    size_t pairs = result->run.pairs;
    found->start = tw_calloc(documents + 2, sizeof *found->start);
    found->list = tw_array(pairs, 2 * sizeof *found->list);
    if (!found->start || !found->list)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < pairs; i++) {
        const tw_listed_pair *listed = tw_result_listed(result, i);
        found->start[listed->a + 2]++;
        found->start[listed->b + 2]++;
    }
    for (size_t i = 2; i < documents + 2; i++)
        found->start[i] += found->start[i - 1];
    for (size_t i = 0; i < pairs; i++) {
        const tw_listed_pair *listed = tw_result_listed(result, i);
        found->list[found->start[listed->a + 1]++] = listed->b;
        found->list[found->start[listed->b + 1]++] = listed->a;
    }
    return TWINSET_OK;
}

static int by_number(const void *left, const void *right)
{
    const uint32_t *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

/* Whether a reader could take the name for something else than itself. */
static bool is_ambiguous(const char *name)
{
    const char *at = name;
    while ((unsigned char)*at >= ' ' && !strchr("\",[]\x7f", *at))
        at++;
    return *at || at == name;
}

static void put_name(tw_sink *sink, const char *name)
{
    if (is_ambiguous(name))
        tw_put_json_string(sink, name);
    else
        tw_put_text(sink, name);
}

int tw_write_candidates(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                        twinset_error *error)
{
    (void)style, (void)error;
    size_t documents = result->run.documents;
    partners found;
    int status = find_partners(result, documents, &found);
    for (size_t i = 0; i < documents && status == TWINSET_OK && sink->failure == 0; i++) {
        uint32_t *list = found.list + found.start[i];
        size_t count = found.start[i + 1] - found.start[i];
        qsort(list, count, sizeof *list, by_number);
        put_name(sink, tw_result_name(result, (uint32_t)i));
        tw_put_text(sink, ": [");
        for (size_t j = 0; j < count; j++) {
            tw_put_text(sink, j == 0 ? "" : ", ");
            put_name(sink, tw_result_name(result, list[j]));
        }
        tw_put_text(sink, "]\n");
    }
    tw_free(found.start);
    tw_free(found.list);
    return status;
}
