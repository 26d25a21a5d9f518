/*
 * A line a document, "name: [name, name]": those that it is paired with, in the order of their
 * names. Each pair is listed from both sides; the list is sorted in an eighth of the memory, and on
 * disk where it does not fit.
 */
#include <string.h>

#include "writers.h"

tw_write_fn tw_write_candidates;

enum { MEMORY_SHARE = 8, READ_AT_ONCE = 1024 };

/* Pairs, a document in the high half and one of its partners in the low; ascending. */
typedef struct partner_list {
    tw_number_set *set;
    uint64_t next[READ_AT_ONCE];
    size_t at, count;
} partner_list;

static int list_partners(const twinset_result *result, tw_number_set *set, twinset_error *error)
{
    const tw_loop alone = {.threads = 1};
    int status = TWINSET_OK;
    for (size_t i = 0; i < result->run.pairs && status == TWINSET_OK; i++) {
        const tw_listed_pair *listed = tw_result_listed(result, i);
        uint64_t a = listed->a, b = listed->b, sides[] = {a << 32 | b, b << 32 | a};
        status = tw_number_set_add(set, 0, sides, 2, error);
    }
    return status == TWINSET_OK ? tw_number_set_sort(set, &alone, error) : status;
}

/* Finds out whether the next partner is one of this document. */
static int find_next(partner_list *list, uint64_t document, bool *is_found, twinset_error *error)
{
    int status = TWINSET_OK;
    if (list->at == list->count) {
        status = tw_number_set_next(list->set, list->next, READ_AT_ONCE, &list->count, error);
        list->at = 0;
    }
    *is_found =
        status == TWINSET_OK && list->at < list->count && list->next[list->at] >> 32 == document;
    return status;
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

static int put_document(tw_sink *sink, const twinset_result *result, partner_list *list,
                        uint32_t document, twinset_error *error)
{
    const char *before = "";
    bool is_found;
    int status;
    put_name(sink, tw_result_name(result, document));
    tw_put_text(sink, ": [");
    while ((status = find_next(list, document, &is_found, error)) == TWINSET_OK && is_found) {
        tw_put_text(sink, before);
        put_name(sink, tw_result_name(result, (uint32_t)list->next[list->at++]));
        before = ", ";
    }
    tw_put_text(sink, "]\n");
    return status;
}

int tw_write_candidates(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                        twinset_error *error)
{
    const twinset_options *options = &result->options;
    partner_list list = {0};
    (void)style;
    int status = tw_number_set_new(tw_memory_share(options, MEMORY_SHARE), options->tmp, &list.set);
    if (status == TWINSET_OK)
        status = list_partners(result, list.set, error);
    for (uint32_t i = 0; i < result->run.documents && status == TWINSET_OK && sink->failure == 0;
         i++)
        status = put_document(sink, result, &list, i, error);
    tw_number_set_free(list.set);
    return status;
}
