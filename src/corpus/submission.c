/*
 * Submissions: where documents are programs and stand in groups, the files of a group become one
 * document, since what matters is who copied and not in which file. Their tokens were kept when
 * they were read; here they are joined, once.
 */
#define _GNU_SOURCE /* qsort_r */
#include "reading.h"

#include <stdlib.h>

bool tw_joins_submissions(const tw_corpus *corpus)
{
    return tw_compares_programs(corpus->settings) &&
           strcmp(corpus->settings->options.group, "none") != 0;
}

/* The group that a document goes into; 0: it stays by itself. */
static uint64_t group_of(const tw_corpus *corpus, const tw_document *document)
{
    const tw_sources *sources = corpus->sources;
    const tw_source *source = &sources->data[document->source];
    bool alone = document->line || (source->is_top_level && sources->folders.count < 2);
    return alone || !source->file->submission ? 0 : source->file->group;
}

/* Those by themselves first, then group by group, each by the names of its files: an archive may
 * have them in any order. */
static int by_group(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    uint64_t a = group_of(corpus, &corpus->documents.data[x]);
    uint64_t b = group_of(corpus, &corpus->documents.data[y]);
    if (a != b)
        return a < b ? -1 : 1;
    int order = strcmp(corpus->documents.data[x].name, corpus->documents.data[y].name);
    return order ? order : (x > y) - (x < y);
}

typedef struct joining {
    tw_corpus *corpus;
    tw_bytes blocks; /* of the members, each at a multiple of 8 bytes */
    tw_bytes joined;
    tw_program *programs; /* the members */
    size_t capacity;
    tw_document *documents; /* that come out of it, and their groups where records have some */
    uint64_t *groups;
    size_t count;
    twinset_error *error;
} joining;

/* Reads the members' blocks, one after the other. */
static int read_members(joining *join, const uint32_t *members, size_t count)
{
    const tw_corpus *corpus = join->corpus;
    join->blocks.length = 0;
    int status = TW_GROW(join->programs, join->capacity, count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const tw_document *document = &corpus->documents.data[members[i]];
        size_t at = join->blocks.length, length = (document->length + 7u) / 8 * 8;
        status = tw_bytes_reserve(&join->blocks, length);
        if (status == TWINSET_OK)
            status = tw_spill_read(corpus->store.texts, document->offset, join->blocks.data + at,
                                   document->length, join->error);
        join->blocks.length += length;
    }
    size_t at = 0;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        size_t length = corpus->documents.data[members[i]].length;
        tw_bytes block = {join->blocks.data + at, length, length};
        join->programs[i] = tw_program_read(&block);
        at += (length + 7) / 8 * 8;
    }
    return status;
}

static int keep_joined(joining *join, tw_document *document)
{
    tw_corpus *corpus = join->corpus;
    if (join->joined.length > UINT32_MAX)
        return tw_fail(join->error, TWINSET_NOMEM,
                       "%s: more than 4 GB of tokens in one submission; leave files out with "
                       "`exclude`",
                       document->name);
    document->length = (uint32_t)join->joined.length;
    return tw_spill_append(corpus->store.texts, join->joined.data, join->joined.length,
                           &document->offset, join->error);
}

/* The document that stands for all members: of their roles, the one that goes before. */
static tw_document begin_submission(const tw_corpus *corpus, const uint32_t *members, size_t count)
{
    tw_document document = corpus->documents.data[members[0]];
    document.name = corpus->sources->data[document.source].file->submission;
    for (size_t i = 1; i < count; i++) {
        const tw_document *member = &corpus->documents.data[members[i]];
        document.flags |= member->flags;
        if (tw_corpus_role(corpus, members[i]) == TWINSET_ROLE_LIKE)
            document.source = member->source;
    }
    return document;
}

static int join_members(joining *join, const uint32_t *members, size_t count, tw_document *document)
{
    tw_analyser *analyser = &join->corpus->workers[0].analyser;
    const twinset_options *options = &join->corpus->settings->options;
    tw_text_summary summary;
    *document = begin_submission(join->corpus, members, count);
    if (count == 1)
        return TWINSET_OK;
    int status = read_members(join, members, count);
    if (status == TWINSET_OK)
        status = tw_program_join(join->programs, count, &join->joined);
    if (status == TWINSET_OK)
        status = keep_joined(join, document);
    if (status != TWINSET_OK)
        return status;
    tw_program program = tw_program_read(&join->joined);
    status = tw_program_shingle(&program, options->view, options->k, &analyser->program_scratch,
                                NULL, NULL, &summary);
    memcpy(document->digest, summary.digest, sizeof document->digest);
    document->tokens = summary.tokens;
    return status;
}

static int join_all(joining *join, const uint32_t *order)
{
    tw_corpus *corpus = join->corpus;
    int status = TWINSET_OK;
    for (size_t i = 0, end; i < corpus->documents.count && status == TWINSET_OK; i = end) {
        uint64_t group = group_of(corpus, &corpus->documents.data[order[i]]);
        end = i + 1;
        while (group && end < corpus->documents.count &&
               group_of(corpus, &corpus->documents.data[order[end]]) == group)
            end++;
        if (group)
            status = join_members(join, order + i, end - i, &join->documents[join->count]);
        else
            join->documents[join->count] = corpus->documents.data[order[i]];
        if (join->groups)
            join->groups[join->count] = corpus->documents.groups[order[i]];
        join->count++;
    }
    return status;
}

int tw_corpus_join_submissions(tw_corpus *corpus, twinset_error *error)
{
    joining join = {
        .corpus = corpus,
        .documents = tw_array(corpus->documents.count, sizeof *join.documents),
        .groups = corpus->documents.groups ? tw_array(corpus->documents.count, sizeof *join.groups)
                                           : NULL,
        .error = error,
    };
    uint32_t *order = tw_array(corpus->documents.count, sizeof *order);
    bool ready = order && join.documents && (join.groups || !corpus->documents.groups);
    int status = ready ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++)
        order[i] = i;
    if (status == TWINSET_OK && corpus->documents.count) {
        qsort_r(order, corpus->documents.count, sizeof *order, by_group, corpus);
        status = join_all(&join, order);
    }
    tw_free(order);
    tw_bytes_free(&join.blocks);
    tw_bytes_free(&join.joined);
    tw_free(join.programs);
    if (status != TWINSET_OK) {
        tw_free(join.documents);
        tw_free(join.groups);
        return status;
    }
    tw_free(corpus->documents.data);
    tw_free(corpus->documents.groups);
    corpus->documents.data = join.documents;
    corpus->documents.groups = join.groups;
    corpus->documents.capacity = corpus->documents.group_capacity = corpus->documents.count;
    corpus->documents.count = join.count;
    return TWINSET_OK;
}
