/*
 * Writes what is left of a source. Its lines are read once more, in blocks; of each the
 * records that were removed or skipped are cut out, the rest is written in order. Blocks of
 * a plain file are read and cut in parallel, those of a packed one are unpacked by one
 * thread at a time. Memory: some blocks of a megabyte for each thread.
 */
#define _GNU_SOURCE /* qsort_r */
#include "clean.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "output.h"

enum { BLOCK = 1 << 20 };

/* ---- what is known of a source: parts of lists that are in its order */

typedef struct cleaning {
    tw_corpus *corpus;
    const twinset_result *result;
    const tw_source *source;
    tw_source_state state;
    uint32_t number; /* of the source */
    const tw_cleaning *how;
    twinset_error *error;
    int fd; /* to read from at any place; -1: lines of a packed source */
    tw_lines lines;
    bool ended;
    uint64_t next, end; /* of what is to be read */
    tw_pack *pack;
    uint64_t records, bytes; /* written */
} cleaning;

/* Whether an element of a list comes before a place. */
typedef bool (*before_fn)(const twinset_result *result, size_t index, uint32_t source,
                          uint64_t offset);

static bool document_before(const tw_corpus *corpus, uint32_t index, uint32_t source,
                            uint64_t offset)
{
    const tw_document *document = &corpus->documents.data[index];
    return document->source != source ? document->source < source : document->offset < offset;
}

static bool removed_before(const twinset_result *result, size_t index, uint32_t source,
                           uint64_t offset)
{
    return document_before(result->corpus, result->decisions.removed[index].document, source,
                           offset);
}

static bool clustered_before(const twinset_result *result, size_t index, uint32_t source,
                             uint64_t offset)
{
    return document_before(result->corpus, result->decisions.clustered[index], source, offset);
}

static bool cut_before(const twinset_result *result, size_t index, uint32_t source, uint64_t offset)
{
    const tw_cut *cut = &result->decisions.cuts[index];
    return cut->source != source ? cut->source < source : cut->offset < offset;
}

/* The first of a list at or after a place. */
static size_t first_from(const twinset_result *result, size_t count, before_fn before,
                         uint32_t source, uint64_t offset)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before(result, middle, source, offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int by_input(const void *left, const void *right, void *context)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return tw_is_read_before(context, x, y) ? -1 : tw_is_read_before(context, y, x);
}

/* Documents of clusters, in the order of the input, for annotations. */
static int list_clustered(tw_corpus *corpus, twinset_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->clusters.count; i++)
        count += result->clusters.data[i].count;
    if (result->decisions.clustered)
        return TWINSET_OK;
    result->decisions.clustered_count = count;
    result->decisions.clustered = tw_array(count, sizeof *result->decisions.clustered);
    if (!result->decisions.clustered)
        return TWINSET_NOMEM;
    if (count) {
        memcpy(result->decisions.clustered, result->clusters.members,
               count * sizeof *result->decisions.clustered);
        qsort_r(result->decisions.clustered, count, sizeof *result->decisions.clustered, by_input,
                corpus);
    }
    return TWINSET_OK;
}

/* ---- blocks of lines */

typedef struct piece {
    tw_block block;
    uint64_t from, to; /* of the source, where it is not read yet */
    tw_bytes out;
    uint64_t records;
} piece;

/* Where the lists stand. */
typedef struct cursor {
    size_t removed, cut, clustered;
} cursor;

static cursor cursor_at(const cleaning *clean, uint64_t offset)
{
    const twinset_result *result = clean->result;
    return (cursor){
        .removed = first_from(result, result->run.removed, removed_before, clean->number, offset),
        .cut = first_from(result, result->decisions.cut_count, cut_before, clean->number, offset),
        .clustered = first_from(result, result->decisions.clustered_count, clustered_before,
                                clean->number, offset),
    };
}

static uint64_t count_records(const tw_bytes *bytes)
{
    uint64_t count = 0;
    for (size_t at = 0; at < bytes->length;) {
        const char *line = bytes->data + at, *newline = memchr(line, '\n', bytes->length - at);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - at;
        count += !tw_line_is_blank(line, length);
        at += length + 1;
    }
    return count;
}

/* Of several threads that find it out, one gets to say so. */
static int changed(const cleaning *clean)
{
    atomic_store(&clean->corpus->changed, clean->source->name);
    return TWINSET_IO;
}

/* The next removed document of the source, or NULL. */
static const tw_document *removed_at(const cleaning *clean, size_t index)
{
    const twinset_result *result = clean->result;
    if (index == result->run.removed)
        return NULL;
    const tw_document *document =
        &clean->corpus->documents.data[result->decisions.removed[index].document];
    return document->source == clean->number ? document : NULL;
}

static const tw_cut *cut_at(const cleaning *clean, size_t index)
{
    const twinset_result *result = clean->result;
    bool more = index < result->decisions.cut_count &&
                result->decisions.cuts[index].source == clean->number;
    return more ? &result->decisions.cuts[index] : NULL;
}

/* The next range to leave out, if it starts before `end`. */
static bool next_cut(const cleaning *clean, cursor *at, uint64_t end, uint64_t *from, uint64_t *to)
{
    const tw_document *removed = removed_at(clean, at->removed);
    const tw_cut *cut = cut_at(clean, at->cut);
    bool skipped = cut && (!removed || cut->offset <= removed->offset);
    if (!cut && !removed)
        return false;
    *from = skipped ? cut->offset : removed->offset;
    *to = *from + (skipped ? cut->length : (uint64_t)removed->length + 1);
    at->cut += skipped;
    at->removed += !skipped;
    return *from < end;
}

static bool starts_line(const tw_bytes *bytes, size_t at)
{
    return at == 0 || at == bytes->length || bytes->data[at - 1] == '\n';
}

/* Moves what stays to the front. */
static int cut_lines(const cleaning *clean, piece *part)
{
    tw_bytes *bytes = &part->block.bytes;
    uint64_t start = part->block.offset, end = start + bytes->length, from, to;
    cursor at = cursor_at(clean, start);
    size_t kept = 0, done = 0;
    while (next_cut(clean, &at, end, &from, &to)) {
        size_t first = (size_t)(from - start), last = (size_t)((to < end ? to : end) - start);
        if (first < done || !starts_line(bytes, first) || !starts_line(bytes, last))
            return changed(clean);
        memmove(bytes->data + kept, bytes->data + done, first - done);
        kept += first - done;
        done = last;
    }
    memmove(bytes->data + kept, bytes->data + done, bytes->length - done);
    bytes->length = kept + (bytes->length - done);
    part->records = count_records(bytes);
    return TWINSET_OK;
}

/* Whether the record at an offset was skipped. */
static bool was_skipped(const cleaning *clean, cursor *at, uint64_t offset)
{
    const tw_cut *cut = cut_at(clean, at->cut);
    while (cut && (cut->offset < offset || cut->length == 0))
        cut = cut_at(clean, ++at->cut);
    return cut && cut->offset == offset;
}

static tw_annotation annotation_for(const cleaning *clean, cursor *at, uint64_t offset)
{
    const twinset_result *result = clean->result;
    size_t count = result->decisions.clustered_count;
    while (at->clustered < count && clustered_before(result, at->clustered, clean->number, offset))
        at->clustered++;
    if (at->clustered == count ||
        !clustered_before(result, at->clustered, clean->number, offset + 1))
        return (tw_annotation){0};
    tw_annotation note = {.cluster =
                              result->clusters.of[result->decisions.clustered[at->clustered]] + 1};
    const tw_document *removed = removed_at(clean, at->removed);
    while (removed && removed->offset < offset)
        removed = removed_at(clean, ++at->removed);
    if (removed && removed->offset == offset) {
        note.kept = result->names[result->decisions.removed[at->removed].kept];
        note.similarity = result->decisions.removed[at->removed].similarity;
    }
    return note;
}

static int annotate_lines(const cleaning *clean, piece *part)
{
    const tw_bytes *bytes = &part->block.bytes;
    cursor lists = cursor_at(clean, part->block.offset);
    int status = TWINSET_OK;
    part->out.length = 0;
    for (size_t at = 0, next; at < bytes->length && status == TWINSET_OK; at = next) {
        const char *line = bytes->data + at, *newline = memchr(line, '\n', bytes->length - at);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - at;
        uint64_t offset = part->block.offset + at;
        next = at + length + (newline != NULL);
        if (was_skipped(clean, &lists, offset))
            continue;
        if (!tw_line_is_blank(line, length)) {
            tw_annotation note = annotation_for(clean, &lists, offset);
            status = tw_annotate(line, length, &note, &part->out);
            line += length;
        }
        if (status == TWINSET_OK)
            status = tw_bytes_append(&part->out, line, (size_t)(bytes->data + next - line));
    }
    part->records = count_records(&part->out);
    return status == TWINSET_IO ? changed(clean) : status;
}

/* ---- the pipeline */

static int next_of_stream(cleaning *clean, piece *part)
{
    const char *reason;
    int status = tw_lines_next(&clean->lines, BLOCK, &part->block, &reason);
    clean->ended = status == TWINSET_IO || (!part->block.bytes.length && !part->block.dropped);
    /* Where a stream broke off before it does so again; where it ended is looked at later. */
    return status == TWINSET_IO ? TWINSET_OK : status;
}

static int read_next(void *context, void *item, bool *end)
{
    cleaning *clean = context;
    piece *part = item;
    *end = clean->fd < 0 ? clean->ended : clean->next == clean->end;
    if (*end)
        return TWINSET_OK;
    if (clean->fd < 0)
        return next_of_stream(clean, part);
    part->from = clean->next;
    part->to = clean->end - clean->next > BLOCK ? clean->next + BLOCK : clean->end;
    clean->next = part->to;
    return TWINSET_OK;
}

static int process(void *context, unsigned worker, void *item)
{
    const cleaning *clean = context;
    piece *part = item;
    tw_bytes *bytes = &part->block.bytes;
    const char *reason;
    (void)worker;
    if (clean->fd >= 0) {
        int status =
            tw_lines_between(clean->fd, part->from, part->to,
                             tw_size_limit(clean->corpus->settings), &part->block, &reason);
        if (status != TWINSET_OK)
            return status == TWINSET_IO ? changed(clean) : status;
        if (part->block.offset + bytes->length > clean->end)
            bytes->length = (size_t)(clean->end - part->block.offset); /* it has grown */
    }
    return clean->how->annotate ? annotate_lines(clean, part) : cut_lines(clean, part);
}

static int commit(void *context, void *item)
{
    cleaning *clean = context;
    piece *part = item;
    const tw_bytes *bytes = clean->how->annotate ? &part->out : &part->block.bytes;
    clean->records += part->records;
    clean->bytes += bytes->length;
    return tw_pack_write(clean->pack, bytes->data, bytes->length, clean->error);
}

static void free_piece(piece *part)
{
    tw_bytes_free(&part->block.bytes);
    tw_bytes_free(&part->out);
    tw_free(part);
}

static int run_pipeline(cleaning *clean)
{
    static const tw_pipeline_steps steps = {read_next, process, commit, NULL};
    tw_loop loop = tw_settings_loop(clean->corpus->settings, "writing");
    size_t count = 2 * (size_t)loop.threads;
    uint64_t total = clean->fd < 0 ? 0 : (clean->end - clean->next + BLOCK - 1) / BLOCK;
    void **pieces = tw_calloc(count, sizeof *pieces);
    int status = pieces ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        pieces[i] = tw_calloc(1, sizeof(piece));
        status = pieces[i] ? TWINSET_OK : TWINSET_NOMEM;
    }
    if (status == TWINSET_OK)
        status = tw_pipeline(&loop, &steps, pieces, count, total, clean);
    for (size_t i = 0; pieces && i < count; i++)
        if (pieces[i])
            free_piece(pieces[i]);
    tw_free(pieces);
    return status;
}

static int write_stream(cleaning *clean, uint64_t bytes)
{
    const char *reason;
    clean->fd = -1;
    int status = tw_lines_open(clean->source->path, tw_size_limit(clean->corpus->settings),
                               &clean->lines, &reason);
    if (status != TWINSET_OK)
        return status == TWINSET_IO ? changed(clean) : status;
    status = run_pipeline(clean);
    if (status == TWINSET_OK && clean->lines.offset != bytes)
        status = changed(clean);
    tw_lines_close(&clean->lines);
    return status;
}

static int write_lines(cleaning *clean)
{
    const tw_source_extent *extent = &clean->corpus->extents[clean->source->file->number];
    bool is_spooled = clean->state.is_spooled;
    if (extent->bytes == 0)
        return TWINSET_OK;
    if (clean->state.is_packed && !is_spooled)
        return write_stream(clean, extent->bytes);
    clean->next = extent->start;
    clean->end = extent->start + extent->bytes;
    clean->fd = is_spooled ? tw_spill_descriptor(clean->corpus->store.spool)
                           : tw_source_open(clean->corpus, clean->number);
    if (clean->fd < 0)
        return changed(clean);
    int status = run_pipeline(clean);
    if (!is_spooled)
        tw_source_close(clean->corpus, clean->number, clean->fd);
    return status;
}

/* ---- a source that is one document */

static int copy_file(cleaning *clean)
{
    tw_bytes bytes = {0};
    int fd = open(clean->source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY), status = TWINSET_OK;
    if (fd < 0)
        return changed(clean);
    if (tw_bytes_reserve(&bytes, BLOCK) != TWINSET_OK)
        status = TWINSET_NOMEM;
    while (status == TWINSET_OK) {
        ssize_t got = read(fd, bytes.data, BLOCK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            status = got < 0 ? changed(clean) : TWINSET_OK;
            break;
        }
        clean->bytes += (uint64_t)got;
        status = tw_pack_write(clean->pack, bytes.data, (size_t)got, clean->error);
    }
    close(fd);
    tw_bytes_free(&bytes);
    if (status == TWINSET_OK && clean->bytes != clean->source->size_bytes)
        status = changed(clean);
    return status;
}

static int write_document(cleaning *clean)
{
    const tw_source *source = clean->source;
    clean->records = 1;
    if (!source->text)
        return copy_file(clean);
    clean->bytes = source->size_bytes;
    return tw_pack_write(clean->pack, source->text, source->size_bytes, clean->error);
}

/* ---- the whole */

/* How many of a list are of this source. */
static uint64_t count_of(const cleaning *clean, size_t count, before_fn before)
{
    return first_from(clean->result, count, before, clean->number + 1, 0) -
           first_from(clean->result, count, before, clean->number, 0);
}

static int check(const cleaning *clean, const twinset_clean_counts *counts)
{
    if (counts->kept + counts->removed + counts->skipped == counts->read)
        return TWINSET_OK;
    return tw_fail(clean->error, TWINSET_IO,
                   "%s: %llu records were read, but %llu kept, %llu removed and %llu skipped: it "
                   "has changed during the run, or twinset is wrong",
                   clean->source->name, (unsigned long long)counts->read,
                   (unsigned long long)counts->kept, (unsigned long long)counts->removed,
                   (unsigned long long)counts->skipped);
}

/* What says how to pack: a document is not packed for its own name, as it was not unpacked. */
static const char *packing(const cleaning *clean)
{
    bool as_input = clean->state.is_packed && !clean->state.is_spooled;
    return clean->how->name ? clean->how->name : as_input ? clean->source->name : "";
}

static int write_all(cleaning *clean)
{
    const tw_cleaning *how = clean->how;
    int status = tw_pack_new(packing(clean), clean->corpus->settings->options.threads, how->write,
                             how->context, &clean->pack, clean->error);
    if (status != TWINSET_OK)
        return status;
    int failure = how->write(how->context, "", 0);
    if (failure)
        status =
            tw_fail(clean->error, TWINSET_IO, "cannot write the result: %s", strerror(failure));
    if (status == TWINSET_OK)
        status = clean->state.kind == TW_INPUT_JSONL ? write_lines(clean) : write_document(clean);
    if (status == TWINSET_OK)
        status = tw_pack_end(clean->pack, clean->error);
    tw_pack_free(clean->pack);
    return status;
}

/* Records that were read of a source; a text in memory is one. */
static uint64_t count_read(const cleaning *clean)
{
    return clean->source->path ? clean->corpus->extents[clean->source->file->number].records : 1;
}

int tw_clean(twinset_result *result, uint32_t number, const tw_cleaning *how,
             twinset_clean_counts *counts, twinset_error *error)
{
    tw_corpus *corpus = result->corpus;
    cleaning clean = {
        .corpus = corpus,
        .result = result,
        .source = &corpus->sources->data[number],
        .state = corpus->states[number],
        .number = number,
        .how = how,
        .error = error,
    };
    double started = tw_now();
    bool is_lines = clean.state.kind == TW_INPUT_JSONL;
    counts->read = count_read(&clean);
    counts->removed = count_of(&clean, result->run.removed, removed_before);
    counts->skipped = count_of(&clean, result->decisions.cut_count, cut_before);
    int status = how->annotate ? list_clustered(corpus, result) : TWINSET_OK;
    if (status == TWINSET_OK && (is_lines || counts->removed + counts->skipped == 0))
        status = write_all(&clean);
    counts->kept = clean.records - (how->annotate ? counts->removed : 0);
    if (status == TWINSET_OK)
        status = check(&clean, counts);
    tw_result_add_stage(result, "write", tw_now() - started, clean.bytes);
    return tw_corpus_fail(corpus, error, status);
}
