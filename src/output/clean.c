/*
 * Writes what is kept of a source. Its lines are read once more, in blocks of a megabyte; records
 * that were removed or skipped are cut out of each block, and the rest is written in order. Blocks
 * of a plain file are read and cut in parallel; a packed file is unpacked by one thread at a time.
 * A packed output is packed in parallel, too (pack.h). Memory holds two blocks for each thread.
 */
#include "clean.h"

#include <stdlib.h>
#include <string.h>

#include "clean_document.h"
#include "input.h"
#include "json_line.h"
#include "pack.h"
#include "writers.h"

enum { BLOCK = 1 << 20 };

/* ---- what is known of a source: ranges of lists that are in the order of the input */

typedef struct cleaning {
    tw_corpus *corpus;
    const twinset_result *result;
    const tw_source *source;
    tw_source_state state;
    uint32_t number; /* of the source */
    const tw_cleaning *how;
    twinset_error *error;
    int fd; /* to read from at any offset; -1: lines of a packed source */
    tw_lines lines;
    bool ended;
    uint64_t start, next, end; /* of what is to be read */
    tw_pack *pack;
    bool is_first, is_last;  /* of the sources that are written into one file */
    char last_byte;          /* that was written */
    uint64_t records, bytes; /* written */
} cleaning;

/* Whether an element of a list comes before an offset of a source. */
typedef bool (*before_fn)(const twinset_result *result, size_t index, uint32_t source,
                          uint64_t offset);

static bool document_before(const tw_corpus *corpus, uint32_t index, uint32_t source,
                            uint64_t offset)
{
    const tw_document *document = tw_document_at(corpus, index);
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

static bool spans_before(const twinset_result *result, size_t index, uint32_t source,
                         uint64_t offset)
{
    return document_before(result->corpus, result->decisions.spans.data[index].document, source,
                           offset);
}

static bool cut_before(const twinset_result *result, size_t index, uint32_t source, uint64_t offset)
{
    const tw_cut *cut = &result->decisions.cuts[index];
    return cut->source != source ? cut->source < source : cut->offset < offset;
}

/* The index of the first element of a list at or after an offset. */
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

/* ---- batches of lines */

typedef struct batch_work {
    tw_line_batch batch;
    uint64_t from, to; /* of the source, where it is not read yet */
    tw_bytes out;
    tw_bytes spans, text; /* of the record in work */
    tw_bytes member;      /* what is kept, packed */
    uint64_t records;
} batch_work;

/* How far each list is used up. */
typedef struct list_cursor {
    size_t removed, cut, clustered, spans;
} list_cursor;

static list_cursor cursor_at(const cleaning *clean, uint64_t offset)
{
    const twinset_result *result = clean->result;
    return (list_cursor){
        .removed = first_from(result, result->run.removed, removed_before, clean->number, offset),
        .cut = first_from(result, result->decisions.cut_count, cut_before, clean->number, offset),
        .clustered = first_from(result, result->decisions.clustered_count, clustered_before,
                                clean->number, offset),
        .spans =
            first_from(result, result->decisions.spans.count, spans_before, clean->number, offset),
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

/* Remembers that the source has changed since it was read; several threads may find out at once. */
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
        tw_document_at(clean->corpus, result->decisions.removed[index].document);
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
static bool next_cut(const cleaning *clean, list_cursor *at, uint64_t end, uint64_t *from,
                     uint64_t *to)
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

/* Cuts out what was removed or skipped, and moves the rest to the front. */
static int cut_lines(const cleaning *clean, batch_work *work)
{
    tw_bytes *bytes = &work->batch.bytes;
    uint64_t start = work->batch.offset, end = start + bytes->length, from, to;
    list_cursor at = cursor_at(clean, start);
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
    work->records = count_records(bytes);
    return TWINSET_OK;
}

/* Whether the record at an offset was skipped. */
static bool was_skipped(const cleaning *clean, list_cursor *at, uint64_t offset)
{
    const tw_cut *cut = cut_at(clean, at->cut);
    while (cut && (cut->offset < offset || cut->length == 0))
        cut = cut_at(clean, ++at->cut);
    return cut && cut->offset == offset;
}

/* Whether the record at an offset was removed; at->removed is its index then. */
static bool was_removed(const cleaning *clean, list_cursor *at, uint64_t offset)
{
    const tw_document *removed = removed_at(clean, at->removed);
    while (removed && removed->offset < offset)
        removed = removed_at(clean, ++at->removed);
    return removed && removed->offset == offset;
}

/* Reads the spans of the record at an offset that an earlier one has; *count is 0 without any. */
static int read_spans(const cleaning *clean, list_cursor *at, uint64_t offset, batch_work *work,
                      const tw_repeated_span **spans, size_t *count)
{
    const twinset_result *result = clean->result;
    const tw_span_list *list = &result->decisions.spans;
    *count = 0;
    while (at->spans < list->count && spans_before(result, at->spans, clean->number, offset))
        at->spans++;
    if (at->spans == list->count || !spans_before(result, at->spans, clean->number, offset + 1))
        return TWINSET_OK;
    *count = list->data[at->spans].count;
    return tw_span_list_read(list, at->spans, &work->spans, spans, clean->error);
}

static uint32_t cluster_at(const cleaning *clean, list_cursor *at, uint64_t offset)
{
    const twinset_result *result = clean->result;
    size_t count = result->decisions.clustered_count;
    while (at->clustered < count && clustered_before(result, at->clustered, clean->number, offset))
        at->clustered++;
    if (at->clustered == count ||
        !clustered_before(result, at->clustered, clean->number, offset + 1))
        return 0;
    return result->clusters.of[result->decisions.clustered[at->clustered]] + 1;
}

static int annotate_record(const cleaning *clean, list_cursor *at, uint64_t offset,
                           batch_work *work, const char *line, size_t length)
{
    const twinset_result *result = clean->result;
    tw_annotation note = {
        .cluster = cluster_at(clean, at, offset),
        .has_spans = tw_wants_passages(&result->options),
        .result = result,
    };
    int status = read_spans(clean, at, offset, work, &note.spans, &note.span_count);
    if (status == TWINSET_OK && was_removed(clean, at, offset)) {
        uint32_t kept = result->decisions.removed[at->removed].kept;
        note.kept = tw_result_name(result, kept);
        note.kept_is_number = tw_result_name_is_number(result, kept);
        note.similarity = result->decisions.removed[at->removed].similarity;
    }
    return status == TWINSET_OK ? tw_annotate(line, length, &note, &work->out) : status;
}

/* Appends a record without the spans that an earlier one has. */
static int cut_record(const cleaning *clean, list_cursor *at, uint64_t offset, batch_work *work,
                      const char *line, size_t length)
{
    const char *field = clean->corpus->settings->options.text;
    const tw_repeated_span *spans;
    size_t count;
    int status = read_spans(clean, at, offset, work, &spans, &count);
    if (status != TWINSET_OK)
        return status;
    if (!count)
        return tw_bytes_append(&work->out, line, length);
    return tw_json_cut_line(line, length, field ? field : "text", spans, count, &work->text,
                            &work->out);
}

/* Writes lines anew, with annotations or without spans. */
static int rewrite_lines(const cleaning *clean, batch_work *work)
{
    const tw_bytes *bytes = &work->batch.bytes;
    list_cursor lists = cursor_at(clean, work->batch.offset);
    int status = TWINSET_OK;
    work->out.length = 0;
    for (size_t at = 0, next; at < bytes->length && status == TWINSET_OK; at = next) {
        const char *line = bytes->data + at, *newline = memchr(line, '\n', bytes->length - at);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - at;
        uint64_t offset = work->batch.offset + at;
        next = at + length + (newline != NULL);
        bool annotate = clean->how->annotate;
        if (was_skipped(clean, &lists, offset) || (!annotate && was_removed(clean, &lists, offset)))
            continue;
        if (!tw_line_is_blank(line, length)) {
            status = (annotate ? annotate_record : cut_record)(clean, &lists, offset, work, line,
                                                               length);
            line += length;
        }
        if (status == TWINSET_OK)
            status = tw_bytes_append(&work->out, line, (size_t)(bytes->data + next - line));
    }
    work->records = count_records(&work->out);
    return status == TWINSET_IO ? changed(clean) : status;
}

/* ---- the pipeline */

/* Whether lines are written anew, instead of whole lines being left out. */
static bool is_rewritten(const cleaning *clean)
{
    return clean->how->annotate || clean->result->decisions.spans.count;
}

static int next_of_stream(cleaning *clean, batch_work *work)
{
    const char *reason;
    int status = tw_lines_next(&clean->lines, BLOCK, &work->batch, &reason);
    clean->ended = status == TWINSET_IO || (!work->batch.bytes.length && !work->batch.dropped);
    /* A stream that was damaged before is so again; write_stream() checks where it ended. */
    return status == TWINSET_IO ? TWINSET_OK : status;
}

static int read_next(void *context, void *item, bool *end)
{
    cleaning *clean = context;
    batch_work *work = item;
    *end = clean->fd < 0 ? clean->ended : clean->next == clean->end;
    if (*end)
        return TWINSET_OK;
    if (clean->fd < 0)
        return next_of_stream(clean, work);
    work->from = clean->next;
    work->to = clean->end - clean->next > BLOCK ? clean->next + BLOCK : clean->end;
    clean->next = work->to;
    return TWINSET_OK;
}

/* Reads the lines of a block, and keeps what is to be kept of them. */
static int cut_block(const cleaning *clean, batch_work *work)
{
    tw_bytes *bytes = &work->batch.bytes;
    const char *reason;
    if (clean->fd >= 0) {
        int status =
            tw_lines_between(clean->fd, work->from, work->to,
                             tw_size_limit(clean->corpus->settings), &work->batch, &reason);
        if (status != TWINSET_OK)
            return status == TWINSET_IO ? changed(clean) : status;
        if (work->batch.offset + bytes->length > clean->end)
            bytes->length = (size_t)(clean->end - work->batch.offset); /* it has grown */
    }
    return is_rewritten(clean) ? rewrite_lines(clean, work) : cut_lines(clean, work);
}

/* What a block has to write. A byte order mark may only stand at the start of a file. */
static tw_bytes kept_of(const cleaning *clean, const batch_work *work)
{
    tw_bytes kept = is_rewritten(clean) ? work->out : work->batch.bytes;
    if (work->batch.offset == clean->start && !clean->is_first && kept.length >= 3 &&
        memcmp(kept.data, "\xEF\xBB\xBF", 3) == 0) {
        kept.data += 3;
        kept.length -= 3;
    }
    return kept;
}

static int process(void *context, unsigned worker, void *item)
{
    const cleaning *clean = context;
    batch_work *work = item;
    (void)worker;
    int status = cut_block(clean, work);
    tw_bytes kept = kept_of(clean, work);
    return status == TWINSET_OK ? tw_pack_member(clean->pack, &kept, &work->member) : status;
}

static int commit(void *context, void *item)
{
    cleaning *clean = context;
    batch_work *work = item;
    tw_bytes kept = kept_of(clean, work);
    clean->records += work->records;
    clean->bytes += kept.length;
    if (kept.length > 0)
        clean->last_byte = kept.data[kept.length - 1];
    return tw_pack_write_block(clean->pack, &kept, &work->member, clean->error);
}

static void free_work(batch_work *work)
{
    tw_bytes_free(&work->batch.bytes);
    tw_bytes_free(&work->out);
    tw_bytes_free(&work->spans);
    tw_bytes_free(&work->text);
    tw_bytes_free(&work->member);
    tw_free(work);
}

static int run_pipeline(cleaning *clean)
{
    static const tw_pipeline_steps steps = {
        .read = read_next, .process = process, .commit = commit};
    tw_loop loop = tw_settings_loop(clean->corpus->settings, "writing");
    size_t count = 2 * (size_t)loop.threads;
    uint64_t total = clean->fd < 0 ? 0 : (clean->end - clean->next + BLOCK - 1) / BLOCK;
    void **items = tw_calloc(count, sizeof *items);
    int status = items ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        items[i] = tw_calloc(1, sizeof(batch_work));
        status = items[i] ? TWINSET_OK : TWINSET_NOMEM;
    }
    if (status == TWINSET_OK)
        status = tw_pipeline(&loop, &steps, items, count, total, clean);
    for (size_t i = 0; items && i < count; i++)
        if (items[i])
            free_work(items[i]);
    tw_free(items);
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
    const tw_source_extent *extent = tw_file_extent(clean->corpus, clean->source);
    bool is_spooled = clean->state.is_spooled;
    if (extent->bytes == 0)
        return TWINSET_OK;
    if (clean->state.is_packed && !is_spooled)
        return write_stream(clean, extent->bytes);
    clean->start = clean->next = extent->start;
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

static int put_bytes(void *context, const char *bytes, size_t length)
{
    cleaning *clean = context;
    clean->bytes += length;
    return tw_pack_write(clean->pack, bytes, length, clean->error);
}

/* Writes a document without the spans that an earlier one has. */
static int write_document(cleaning *clean)
{
    const tw_source *source = clean->source;
    const twinset_result *result = clean->result;
    const tw_span_list *list = &result->decisions.spans;
    const tw_repeated_span *spans = NULL;
    size_t at = cursor_at(clean, 0).spans, count = 0;
    tw_bytes buffer = {0};
    int status = TWINSET_OK;
    clean->records = 1;
    if (at < list->count && spans_before(result, at, clean->number + 1, 0)) {
        count = list->data[at].count;
        status = tw_span_list_read(list, at, &buffer, &spans, clean->error);
    }
    if (status == TWINSET_OK)
        status = tw_clean_document(source, spans, count, put_bytes, clean);
    tw_bytes_free(&buffer);
    bool is_changed = status == TWINSET_OK && !count && clean->bytes != source->size_bytes;
    return is_changed || (status == TWINSET_IO && !source->text) ? changed(clean) : status;
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
        status = tw_fail_to_write(clean->error, "the result", failure);
    if (status == TWINSET_OK)
        status = clean->state.kind == TW_INPUT_JSONL ? write_lines(clean) : write_document(clean);
    if (status == TWINSET_OK && !clean->is_last && clean->bytes > 0 && clean->last_byte != '\n')
        status = tw_pack_write(clean->pack, "\n", 1, clean->error);
    if (status == TWINSET_OK)
        status = tw_pack_end(clean->pack, clean->error);
    tw_pack_free(clean->pack);
    return status;
}

/* Records that were read of a source; a text in memory is one. */
static uint64_t count_read(const cleaning *clean)
{
    return clean->source->path ? tw_file_extent(clean->corpus, clean->source)->records : 1;
}

/* Finds out whether other sources go into the same file, before and after this one. */
static void find_neighbours(cleaning *clean)
{
    const tw_sources *sources = clean->corpus->sources;
    bool is_merged = clean->how->name != NULL;
    clean->is_first = clean->is_last = true;
    for (uint32_t i = clean->number; i-- > 0 && clean->is_first && is_merged;)
        clean->is_first = !tw_clean_name(tw_source_at(sources, i), &clean->corpus->states[i]);
    for (uint32_t i = clean->number + 1; i < sources->count && clean->is_last && is_merged; i++)
        clean->is_last = !tw_clean_name(tw_source_at(sources, i), &clean->corpus->states[i]);
}

int tw_clean(twinset_result *result, uint32_t number, const tw_cleaning *how,
             twinset_clean_counts *counts, twinset_error *error)
{
    tw_corpus *corpus = result->corpus;
    cleaning clean = {
        .corpus = corpus,
        .result = result,
        .source = tw_source_at(corpus->sources, number),
        .state = corpus->states[number],
        .number = number,
        .how = how,
        .error = error,
    };
    tw_clocks started = tw_read_clocks();
    find_neighbours(&clean);
    bool is_lines = clean.state.kind == TW_INPUT_JSONL;
    counts->read = count_read(&clean);
    counts->removed = count_of(&clean, result->run.removed, removed_before);
    counts->skipped = count_of(&clean, result->decisions.cut_count, cut_before);
    int status = how->annotate ? tw_list_clustered(result) : TWINSET_OK;
    if (status == TWINSET_OK && (is_lines || counts->removed + counts->skipped == 0))
        status = write_all(&clean);
    counts->kept = clean.records - (how->annotate ? counts->removed : 0);
    if (status == TWINSET_OK)
        status = check(&clean, counts);
    tw_result_stage(result, "write", started, clean.bytes);
    return tw_corpus_fail(corpus, error, status);
}
