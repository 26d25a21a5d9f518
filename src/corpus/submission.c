/*
 * Submissions: where documents are programs and stand in groups, the files of a group become
 * one document, since what matters is who copied and not in which file. Their tokens were kept
 * when they were read; here they are put together, once.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

bool tw_gathers(const tw_corpus *corpus)
{
    return tw_by_code(corpus) && strcmp(corpus->options.group, "none") != 0;
}

/* The group that a document goes into; 0: it stays by itself. */
static uint64_t group_of(const tw_corpus *corpus, const tw_document *document)
{
    const tw_source *source = &corpus->sources[document->source];
    bool alone = document->line || (source->directly && corpus->folders.count < 2);
    return alone || !source->file->submission ? 0 : source->file->group;
}

/* Those by themselves first, then group by group, each by the names of its files: an archive may
 * have them in any order. */
static int by_group(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    uint64_t a = group_of(corpus, &corpus->documents[x]);
    uint64_t b = group_of(corpus, &corpus->documents[y]);
    if (a != b)
        return a < b ? -1 : 1;
    int order = strcmp(corpus->documents[x].name, corpus->documents[y].name);
    return order ? order : (x > y) - (x < y);
}

typedef struct gathering {
    tw_corpus *corpus;
    tw_bytes blocks; /* of the members, each at a multiple of 8 bytes */
    tw_bytes joined;
    tw_program *parts;
    size_t capacity;
    tw_document *documents; /* that come out of it, and their groups where records have some */
    uint64_t *groups;
    size_t count;
    twinset_error *error;
} gathering;

/* Reads the members' blocks, one after the other. */
static int read_members(gathering *gather, const uint32_t *members, size_t count)
{
    const tw_corpus *corpus = gather->corpus;
    gather->blocks.length = 0;
    int status = TW_GROW(gather->parts, gather->capacity, count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const tw_document *document = &corpus->documents[members[i]];
        size_t at = gather->blocks.length, length = (document->length + 7u) / 8 * 8;
        status = tw_bytes_reserve(&gather->blocks, length);
        if (status == TWINSET_OK)
            status = tw_spill_read(corpus->texts, document->offset, gather->blocks.data + at,
                                   document->length, gather->error);
        gather->blocks.length += length;
    }
    size_t at = 0;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        size_t length = corpus->documents[members[i]].length;
        tw_bytes block = {gather->blocks.data + at, length, length};
        gather->parts[i] = tw_program_of(&block);
        at += (length + 7) / 8 * 8;
    }
    return status;
}

static int keep_joined(gathering *gather, tw_document *document)
{
    tw_corpus *corpus = gather->corpus;
    if (gather->joined.length > UINT32_MAX)
        return tw_fail(gather->error, TWINSET_NOMEM,
                       "%s: more than 4 GB of tokens in one submission; leave files out with "
                       "--exclude",
                       document->name);
    document->length = (uint32_t)gather->joined.length;
    return tw_spill_append(corpus->texts, gather->joined.data, gather->joined.length,
                           &document->offset, gather->error);
}

/* The document that stands for all members: of their roles, the one that goes before. */
static tw_document begin_submission(const tw_corpus *corpus, const uint32_t *members, size_t count)
{
    tw_document document = corpus->documents[members[0]];
    document.name = corpus->sources[document.source].file->submission;
    for (size_t i = 1; i < count; i++) {
        const tw_document *member = &corpus->documents[members[i]];
        document.flags |= member->flags;
        if (tw_corpus_role(corpus, members[i]) == TWINSET_ROLE_LIKE)
            document.source = member->source;
    }
    return document;
}

static int join_members(gathering *gather, const uint32_t *members, size_t count,
                        tw_document *document)
{
    tw_worker *worker = &gather->corpus->workers[0];
    const twinset_options *options = &gather->corpus->options;
    tw_text_summary summary;
    *document = begin_submission(gather->corpus, members, count);
    if (count == 1)
        return TWINSET_OK;
    int status = read_members(gather, members, count);
    if (status == TWINSET_OK)
        status = tw_program_join(gather->parts, count, &gather->joined);
    if (status == TWINSET_OK)
        status = keep_joined(gather, document);
    if (status != TWINSET_OK)
        return status;
    tw_program program = tw_program_of(&gather->joined);
    status = tw_program_shingle(&program, options->view, options->k, &worker->scratch_of_programs,
                                NULL, NULL, &summary);
    memcpy(document->digest, summary.digest, sizeof document->digest);
    document->tokens = summary.tokens;
    return status;
}

static int gather_all(gathering *gather, const uint32_t *order)
{
    tw_corpus *corpus = gather->corpus;
    int status = TWINSET_OK;
    for (size_t i = 0, end; i < corpus->count && status == TWINSET_OK; i = end) {
        uint64_t group = group_of(corpus, &corpus->documents[order[i]]);
        end = i + 1;
        while (group && end < corpus->count &&
               group_of(corpus, &corpus->documents[order[end]]) == group)
            end++;
        if (group)
            status = join_members(gather, order + i, end - i, &gather->documents[gather->count]);
        else
            gather->documents[gather->count] = corpus->documents[order[i]];
        if (gather->groups)
            gather->groups[gather->count] = corpus->groups[order[i]];
        gather->count++;
    }
    return status;
}

int tw_corpus_gather(tw_corpus *corpus, twinset_error *error)
{
    gathering gather = {
        .corpus = corpus,
        .documents = tw_array(corpus->count, sizeof *gather.documents),
        .groups = corpus->groups ? tw_array(corpus->count, sizeof *gather.groups) : NULL,
        .error = error,
    };
    uint32_t *order = tw_array(corpus->count, sizeof *order);
    bool ready = order && gather.documents && (gather.groups || !corpus->groups);
    int status = ready ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->count && status == TWINSET_OK; i++)
        order[i] = i;
    if (status == TWINSET_OK && corpus->count) {
        qsort_r(order, corpus->count, sizeof *order, by_group, corpus);
        status = gather_all(&gather, order);
    }
    tw_free(order);
    tw_bytes_free(&gather.blocks);
    tw_bytes_free(&gather.joined);
    tw_free(gather.parts);
    if (status != TWINSET_OK) {
        tw_free(gather.documents);
        tw_free(gather.groups);
        return status;
    }
    tw_free(corpus->documents);
    tw_free(corpus->groups);
    corpus->documents = gather.documents;
    corpus->groups = gather.groups;
    corpus->capacity = corpus->group_capacity = corpus->count;
    corpus->count = gather.count;
    return TWINSET_OK;
}
