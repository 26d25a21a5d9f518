/* Documents are sorted by the digest of their text; each run of equal ones is an original. */
#include "collection/originals.h"

#include <stdlib.h>
#include <string.h>

typedef struct keyed {
    uint64_t digest[2], tokens;
    uint32_t document;
} keyed;

static bool same_text(const keyed *x, const keyed *y)
{
    return x->digest[0] == y->digest[0] && x->digest[1] == y->digest[1] && x->tokens == y->tokens;
}

static int by_text(const void *left, const void *right)
{
    const keyed *x = left, *y = right;
    for (int i = 0; i < 2; i++)
        if (x->digest[i] != y->digest[i])
            return x->digest[i] < y->digest[i] ? -1 : 1;
    if (x->tokens != y->tokens)
        return x->tokens < y->tokens ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* Leads every document to the first one of its text. */
static int find_first(const tw_corpus *corpus, uint32_t *first)
{
    keyed *all = tw_array(corpus->compared, sizeof *all);
    if (!all)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->compared; i++) {
        const tw_text_summary *summary = &corpus->documents[i].summary;
        all[i] = (keyed){{summary->digest[0], summary->digest[1]}, summary->tokens, i};
    }
    if (corpus->compared)
        qsort(all, corpus->compared, sizeof *all, by_text);
    for (size_t i = 0, run = 0; i < corpus->compared; i++) {
        if (!same_text(&all[i], &all[run]))
            run = i;
        first[all[i].document] = all[run].document;
    }
    tw_free(all);
    return TWINSET_OK;
}

/* Numbers the originals as their first documents come, and counts their copies. */
static void number_originals(tw_originals *originals, const tw_corpus *corpus)
{
    for (uint32_t i = 0; i < corpus->compared; i++) {
        uint32_t first = originals->of[i];
        if (first == i) {
            originals->sizes[originals->count] = corpus->documents[i].count;
            originals->copies[originals->count] = 0;
            originals->of[i] = (uint32_t)originals->count++;
        } else {
            originals->of[i] = originals->of[first];
        }
        originals->copies[originals->of[i]]++;
    }
}

static void list_members(tw_originals *originals, size_t documents)
{
    size_t end = 0;
    for (size_t i = 0; i < originals->count; i++) {
        originals->start[i] = end;
        end += originals->copies[i];
    }
    originals->start[originals->count] = end;
    memset(originals->copies, 0, originals->count * sizeof *originals->copies);
    for (uint32_t i = 0; i < documents; i++) {
        uint32_t original = originals->of[i];
        originals->members[originals->start[original] + originals->copies[original]++] = i;
    }
}

int tw_originals_init(tw_originals *originals, const tw_corpus *corpus)
{
    size_t count = corpus->compared;
    *originals = (tw_originals){
        .of = tw_array(count, sizeof *originals->of),
        .start = tw_array(count + 1, sizeof *originals->start),
        .members = tw_array(count, sizeof *originals->members),
        .copies = tw_array(count, sizeof *originals->copies),
        .sizes = tw_array(count, sizeof *originals->sizes),
    };
    if (!originals->of || !originals->start || !originals->members || !originals->copies ||
        !originals->sizes)
        return TWINSET_NOMEM;
    int status = find_first(corpus, originals->of);
    if (status != TWINSET_OK)
        return status;
    number_originals(originals, corpus);
    list_members(originals, count);
    return TWINSET_OK;
}

void tw_originals_free(tw_originals *originals)
{
    tw_free(originals->of);
    tw_free(originals->start);
    tw_free(originals->members);
    tw_free(originals->copies);
    tw_free(originals->sizes);
}
