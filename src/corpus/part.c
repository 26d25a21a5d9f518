#include "part.h"

#include <stdio.h>
#include <string.h>

void tw_part_reset(tw_part *part)
{
    part->count = part->problem_count = part->keys.count = part->groups.count = 0;
    part->ids.length = part->reasons.length = part->texts.length = 0;
    part->line_count = part->records = part->shingles = part->bytes = 0;
    part->failed[0] = '\0';
    part->read = part->last = false;
    if (part->block.bytes.capacity > 4 * TW_PART_BYTES) /* a long line was in it */
        tw_bytes_free(&part->block.bytes);
    if (part->texts.capacity > 4 * TW_PART_BYTES)
        tw_bytes_free(&part->texts);
}

void tw_part_free(tw_part *part)
{
    if (!part)
        return;
    tw_bytes_free(&part->block.bytes);
    tw_free(part->pieces);
    tw_bytes_free(&part->ids);
    tw_bytes_free(&part->texts);
    tw_bytes_free(&part->reasons);
    for (size_t i = 0; i < part->count; i++)
        tw_free(part->documents[i].set);
    tw_free(part->documents);
    tw_free(part->problems);
    tw_free(part->keys.data);
    tw_free(part->turned.data);
    tw_free(part->groups.data);
    tw_free(part);
}

void tw_part_fail(tw_part *part, const char *what, const char *why)
{
    snprintf(part->failed, sizeof part->failed, "%s%s%s", what, why ? ": " : "", why ? why : "");
}

int tw_part_problem(tw_part *part, tw_problem problem, const char *reason)
{
    int status = TW_GROW(part->problems, part->problem_capacity, part->problem_count + 1);
    if (status != TWINSET_OK)
        return status;
    problem.line = part->line_count;
    problem.reason = part->reasons.length;
    part->problems[part->problem_count++] = problem;
    return tw_bytes_append(&part->reasons, reason, strlen(reason) + 1);
}

/* From keys by document to keys by band. */
int tw_part_turn_keys(tw_part *part, unsigned bands)
{
    int status = TW_GROW(part->turned.data, part->turned.capacity, part->keys.count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < part->keys.count / bands; i++)
        for (unsigned band = 0; band < bands; band++)
            part->turned.data[band * part->count + i] = part->keys.data[i * bands + band];
    tw_u64s keys = part->keys;
    part->keys = part->turned;
    part->keys.count = keys.count;
    part->turned = keys;
    return TWINSET_OK;
}

/* ---- frames of the journal */

typedef struct frame {
    uint64_t next[2], line_count, records, shingles, bytes;
    uint64_t count, problems, ids, texts, reasons, keys, groups;
    uint32_t source, lines;
    char failed[sizeof((tw_part *)NULL)->failed];
} frame;

int tw_part_write(const tw_part *part, tw_bytes *out)
{
    frame head = {
        .next = {part->next[0], part->next[1]},
        .line_count = part->line_count,
        .records = part->records,
        .shingles = part->shingles,
        .bytes = part->bytes,
        .count = part->count,
        .problems = part->problem_count,
        .ids = part->ids.length,
        .texts = part->texts.length,
        .reasons = part->reasons.length,
        .keys = part->keys.count,
        .groups = part->groups.count,
        .source = part->source,
        .lines = part->lines,
    };
    memcpy(head.failed, part->failed, sizeof head.failed);
    int status = tw_bytes_append(out, &head, sizeof head);
    for (size_t i = 0; i < part->count && status == TWINSET_OK; i++) {
        tw_document document = part->documents[i];
        document.set = NULL; /* to be made again */
        status = tw_bytes_append(out, &document, sizeof document);
    }
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, part->problems, part->problem_count * sizeof(tw_problem));
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, part->keys.data, part->keys.count * sizeof(uint64_t));
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, part->groups.data, part->groups.count * sizeof(uint64_t));
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, part->ids.data, part->ids.length);
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, part->texts.data, part->texts.length);
    return status == TWINSET_OK ? tw_bytes_append(out, part->reasons.data, part->reasons.length)
                                : status;
}

void tw_part_of_frame(const tw_bytes *bytes, tw_part *part)
{
    frame head;
    memcpy(&head, bytes->data, sizeof head);
    char *at = bytes->data + sizeof head;
    memset(part, 0, sizeof *part);
    memcpy(part->next, head.next, sizeof part->next);
    part->line_count = head.line_count;
    part->records = head.records;
    part->shingles = head.shingles;
    part->bytes = head.bytes;
    part->source = head.source;
    part->lines = head.lines;
    part->count = head.count;
    part->documents = (tw_document *)(void *)at;
    at += head.count * sizeof(tw_document);
    part->problem_count = head.problems;
    part->problems = (tw_problem *)(void *)at;
    at += head.problems * sizeof(tw_problem);
    part->keys = (tw_u64s){(uint64_t *)(void *)at, head.keys, head.keys};
    at += head.keys * sizeof(uint64_t);
    part->groups = (tw_u64s){(uint64_t *)(void *)at, head.groups, head.groups};
    at += head.groups * sizeof(uint64_t);
    part->ids = (tw_bytes){at, head.ids, head.ids};
    at += head.ids;
    part->texts = (tw_bytes){at, head.texts, head.texts};
    at += head.texts;
    part->reasons = (tw_bytes){at, head.reasons, head.reasons};
    memcpy(part->failed, head.failed, sizeof part->failed);
}
