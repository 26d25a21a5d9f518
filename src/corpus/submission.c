/*
 * Joins the files of a submission to one document, if documents are programs and have groups: what
 * matters is who copied, not in which file. The tokens of the files were kept when they were read.
 */
#define _GNU_SOURCE /* qsort_r */
#include "reading.h"

#include <stdlib.h>

bool tw_joins_submissions(const tw_corpus *corpus)
{
    return tw_compares_programs(corpus->settings) &&
           (corpus->groups || tw_group_field(corpus->settings));
}

/* Returns the group that a document is joined into; 0: it stays a document of its own. */
static uint64_t find_group(const tw_corpus *corpus, const tw_document *document)
{
    const tw_source *source = tw_source_at(corpus->sources, document->source);
    return document->line ? 0 : tw_corpus_source_group(corpus, source).id;
}

/* Sorts documents without a group first, then by group, then by name, since an archive may have
 * files in any order. */
static int by_group(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    uint64_t a = find_group(corpus, tw_document_at(corpus, x));
    uint64_t b = find_group(corpus, tw_document_at(corpus, y));
    if (a != b)
        return a < b ? -1 : 1;
    int order = strcmp(tw_document_at(corpus, x)->name, tw_document_at(corpus, y)->name);
    return order ? order : (x > y) - (x < y);
}

typedef struct submission_joiner {
    tw_corpus *corpus;
    tw_bytes blocks; /* of the members, each at a multiple of 8 bytes */
    tw_bytes joined;
    tw_program *programs; /* the members */
    size_t capacity;
    tw_document *documents; /* the joined documents, and their groups if records have groups */
    uint64_t *groups;
    size_t count;
    twinset_error *error;
} submission_joiner;

/* Reads the members' blocks, one after the other. */
static int read_members(submission_joiner *joiner, const uint32_t *members, size_t count)
{
    const tw_corpus *corpus = joiner->corpus;
    joiner->blocks.length = 0;
    int status = TW_GROW(joiner->programs, joiner->capacity, count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const tw_document *document = tw_document_at(corpus, members[i]);
        size_t offset = joiner->blocks.length, length = (document->length + 7u) / 8 * 8;
        status = tw_bytes_reserve(&joiner->blocks, length);
        if (status == TWINSET_OK)
            status = tw_spill_read(corpus->store.texts, document->offset,
                                   joiner->blocks.data + offset, document->length, joiner->error);
        joiner->blocks.length += length;
    }
    size_t offset = 0;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        size_t length = tw_document_at(corpus, members[i])->length;
        tw_bytes block = {joiner->blocks.data + offset, length, length};
        joiner->programs[i] = tw_program_read(&block);
        offset += (length + 7) / 8 * 8;
    }
    return status;
}

static int store_joined(submission_joiner *joiner, tw_document *document)
{
    tw_corpus *corpus = joiner->corpus;
    if (joiner->joined.length > UINT32_MAX)
        return tw_fail(joiner->error, TWINSET_NOMEM,
                       "%s: more than 4 GB of tokens in one submission; leave files out with "
                       "`exclude`",
                       document->name);
    document->length = (uint32_t)joiner->joined.length;
    return tw_spill_append(corpus->store.texts, joiner->joined.data, joiner->joined.length,
                           &document->offset, joiner->error);
}

/* Makes the document of a submission: it has the flags of all members, and a source of role like if
 * a member has one. */
static tw_document begin_submission(const tw_corpus *corpus, const uint32_t *members, size_t count)
{
    tw_document document = *tw_document_at(corpus, members[0]);
    document.name =
        tw_corpus_source_group(corpus, tw_source_at(corpus->sources, document.source)).name;
    document.naming = TW_NAMED_BY_SOURCE;
    for (size_t i = 1; i < count; i++) {
        const tw_document *member = tw_document_at(corpus, members[i]);
        document.flags |= member->flags;
        if (member->language != document.language)
            document.language = TW_SEVERAL_LANGUAGES;
        if (tw_corpus_role(corpus, members[i]) == TWINSET_ROLE_LIKE)
            document.source = member->source;
    }
    return document;
}

static int join_members(submission_joiner *joiner, const uint32_t *members, size_t count,
                        tw_document *document)
{
    tw_analyser *analyser = &joiner->corpus->workers[0].analyser;
    const twinset_options *options = &joiner->corpus->settings->options;
    tw_text_summary summary;
    *document = begin_submission(joiner->corpus, members, count);
    if (count == 1)
        return TWINSET_OK;
    int status = read_members(joiner, members, count);
    if (status == TWINSET_OK)
        status = tw_program_join(joiner->programs, count, &joiner->joined);
    if (status == TWINSET_OK)
        status = store_joined(joiner, document);
    if (status != TWINSET_OK)
        return status;
    tw_program program = tw_program_read(&joiner->joined);
    status =
        tw_program_shingle(&program, options, &analyser->program_scratch, NULL, NULL, &summary);
    memcpy(document->digest, summary.digest, sizeof document->digest);
    document->tokens = summary.tokens;
    return status;
}

static int join_submissions(submission_joiner *joiner, const uint32_t *order)
{
    tw_corpus *corpus = joiner->corpus;
    int status = TWINSET_OK;
    for (size_t i = 0, end; i < corpus->documents.count && status == TWINSET_OK; i = end) {
        uint64_t group = find_group(corpus, tw_document_at(corpus, order[i]));
        end = i + 1;
        while (group && end < corpus->documents.count &&
               find_group(corpus, tw_document_at(corpus, order[end])) == group)
            end++;
        if (group)
            status = join_members(joiner, order + i, end - i, &joiner->documents[joiner->count]);
        else
            joiner->documents[joiner->count] = *tw_document_at(corpus, order[i]);
        if (joiner->groups)
            joiner->groups[joiner->count] = corpus->documents.groups[order[i]];
        joiner->count++;
    }
    return status;
}

int tw_corpus_join_submissions(tw_corpus *corpus, twinset_error *error)
{
    submission_joiner joiner = {
        .corpus = corpus,
        .documents = tw_paged_alloc(tw_corpus_paged(corpus),
                                    corpus->documents.count * sizeof *joiner.documents),
        .groups = corpus->documents.groups
                      ? tw_array(corpus->documents.count, sizeof *joiner.groups)
                      : NULL,
        .error = error,
    };
    uint32_t *order = tw_array(corpus->documents.count, sizeof *order);
    bool is_ready = order && joiner.documents && (joiner.groups || !corpus->documents.groups);
    int status = is_ready ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++)
        order[i] = i;
    if (status == TWINSET_OK && corpus->documents.count) {
        qsort_r(order, corpus->documents.count, sizeof *order, by_group, corpus);
        status = join_submissions(&joiner, order);
    }
    tw_free(order);
    tw_bytes_free(&joiner.blocks);
    tw_bytes_free(&joiner.joined);
    tw_free(joiner.programs);
    if (status != TWINSET_OK) {
        tw_paged_free(tw_corpus_paged(corpus), joiner.documents);
        tw_free(joiner.groups);
        return status;
    }
    tw_paged_free(tw_corpus_paged(corpus), corpus->documents.data);
    tw_free(corpus->documents.groups);
    corpus->documents.data = joiner.documents;
    corpus->documents.groups = joiner.groups;
    corpus->documents.capacity = corpus->documents.group_capacity = corpus->documents.count;
    corpus->documents.count = joiner.count;
    return TWINSET_OK;
}
