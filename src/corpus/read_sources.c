/*
 * Reads every source once, in chunks. Chunks are read in order, analysed in parallel, and their
 * documents added in order. Only the digest and the length of a document are kept, and what the
 * plan asks for: its set, or one key for each band of its signature. A text that had to be
 * converted, such as that of a PDF, is kept in a temporary file.
 *
 * Memory: some chunks of a megabyte for each thread. Cost: about a microsecond for a record of 600
 * bytes, most of it for its signature.
 */
#include "commit.h"

enum { FILES_A_CHUNK = 16, MEMBERS_A_CHUNK = 64 }; /* files or members in a chunk, at most */

/* ---- lines */

/* Copies a batch that cannot be read again to the spool. Its last line gets a newline if it has
 * none, so that every line in the spool ends with one. */
static int spool_batch(tw_reading_run *read, uint32_t source, tw_line_batch *batch)
{
    tw_spill *spill = read->corpus->store.spool;
    tw_source_extent *extent =
        tw_file_extent(read->corpus, tw_source_at(read->corpus->sources, source));
    const tw_bytes *bytes = &batch->bytes;
    uint64_t end;
    int status = tw_spill_append(spill, bytes->data, bytes->length, &batch->offset, read->error);
    if (status == TWINSET_OK && bytes->data[bytes->length - 1] != '\n')
        status = tw_spill_append(spill, "\n", 1, &end, read->error);
    extent->start = extent->bytes ? extent->start : batch->offset;
    extent->bytes += bytes->length;
    return status;
}

/* Fills a batch from a packed source, after the lines that the journal has. */
static int read_batch(tw_reading_run *read, tw_line_batch *batch, const char **reason)
{
    const tw_corpus *corpus = read->corpus;
    const char *path = tw_source_at(corpus->sources, read->next)->path;
    int status = TWINSET_OK;
    if (!read->is_open)
        status = tw_lines_open(path, tw_size_limit(corpus->settings), &read->lines, reason);
    read->is_open = status == TWINSET_OK;
    if (!read->is_open)
        batch->bytes.length = batch->dropped = 0;
    while (status == TWINSET_OK && read->lines.offset < read->offset)
        status = tw_lines_next(&read->lines, tw_chunk_bytes(corpus->settings), batch, reason);
    return status == TWINSET_OK
               ? tw_lines_next(&read->lines, tw_chunk_bytes(corpus->settings), batch, reason)
               : status;
}

/* Reads lines of a packed source into the chunk, which only one thread can do. */
static int read_packed_lines(tw_reading_run *read, tw_chunk *chunk)
{
    tw_chunk_input *in = &chunk->in;
    const char *reason = NULL;
    int status = read_batch(read, &in->batch, &reason);
    if (status == TWINSET_IO)
        tw_chunk_fail(chunk, reason, NULL);
    else if (status != TWINSET_OK)
        return status;
    in->is_read = true;
    in->is_last = in->failed[0] || (!in->batch.bytes.length && !in->batch.dropped);
    if (!read->corpus->states[read->next].is_spooled || !in->batch.bytes.length)
        return TWINSET_OK;
    return spool_batch(read, in->source, &in->batch);
}

/* Sets the span of the lines of a plain file, which the analysis reads. */
static void plan_lines(tw_reading_run *read, tw_chunk_input *in)
{
    uint64_t size = tw_source_at(read->corpus->sources, read->next)->size_bytes;
    uint64_t left = size - read->offset, bytes = tw_chunk_bytes(read->corpus->settings);
    in->batch.offset = read->offset;
    in->end = left > bytes ? read->offset + bytes : size;
    in->is_last = in->end == size;
    read->offset = in->end;
}

static int add_lines(tw_reading_run *read, tw_chunk *chunk)
{
    int status = TWINSET_OK;
    if (read->corpus->states[read->next].is_packed)
        status = read_packed_lines(read, chunk);
    else
        plan_lines(read, &chunk->in);
    if (chunk->in.is_last) {
        read->next++;
        read->offset = 0;
        if (read->is_open)
            tw_lines_close(&read->lines);
        read->is_open = false;
    }
    return status;
}

/* ---- files */

static bool is_file(const tw_corpus *corpus, size_t source)
{
    return corpus->states[source].kind == TW_INPUT_TEXT &&
           !tw_source_at(corpus->sources, source)->file->member_name;
}

/* Adds some files to a chunk. A file that is converted takes time and memory, and ends the chunk.
 * Texts in memory are added up to the size of a chunk of lines. */
static void add_files(tw_reading_run *read, tw_chunk_input *in)
{
    const tw_sources *sources = read->corpus->sources;
    uint64_t files = 0, bytes = 0, most = tw_chunk_bytes(read->corpus->settings);
    bool is_slow = false;
    while (read->next < sources->count && files < FILES_A_CHUNK && bytes < most && !is_slow &&
           is_file(read->corpus, read->next)) {
        const tw_source *source = tw_source_at(sources, read->next++);
        const char *path = source->path;
        tw_source_touch(sources, source);
        is_slow = path && (tw_name_is_converted(path) || tw_name_is_packed(path));
        files += path != NULL;
        bytes += path ? 0 : source->size_bytes + 1;
        in->sources++;
    }
}

/* ---- members of archives, which one thread reads from first to last */

static int read_member(tw_reading_run *read, uint32_t index, tw_chunk *chunk,
                       tw_chunk_member *member)
{
    const tw_corpus *corpus = read->corpus;
    const tw_source *source = tw_source_at(corpus->sources, index);
    tw_bytes *bytes = &chunk->in.batch.bytes;
    const char *reason;
    *member = (tw_chunk_member){.start = bytes->length};
    tw_source_touch(corpus->sources, source);
    if (tw_is_passed_over(corpus, index))
        return TWINSET_OK;
    int status = tw_member_reader_read(&read->members, source->path, source->file->container,
                                       source->file->member, corpus->settings->options.max_size,
                                       tw_size_limit(corpus->settings), bytes, &reason);
    member->length = bytes->length - member->start;
    member->has_failed = status == TWINSET_IO;
    return member->has_failed ? tw_chunk_add_problem(chunk, (tw_problem){.source = index}, reason)
                              : status;
}

/* Closes the last archive. The list of its members may have taken much memory, in small pieces that
 * would not go back to the system by themselves. */
static void end_members(tw_reading_run *read)
{
    if (!read->members.members)
        return;
    tw_member_reader_close(&read->members);
    tw_memory_trim();
}

/* Whether the next source is in the same archive; members of one share its path. */
static bool is_member_of(const tw_reading_run *read, const char *archive)
{
    const tw_sources *sources = read->corpus->sources;
    return read->next < sources->count && tw_source_at(sources, read->next)->file->member_name &&
           tw_source_at(sources, read->next)->path == archive;
}

static int add_members(tw_reading_run *read, tw_chunk *chunk)
{
    tw_chunk_input *in = &chunk->in;
    const char *archive = tw_source_at(read->corpus->sources, read->next)->path;
    int status = TW_GROW(in->members, in->member_capacity, MEMBERS_A_CHUNK);
    in->is_read = true;
    in->batch.bytes.length = 0;
    while (status == TWINSET_OK && is_member_of(read, archive) && in->sources < MEMBERS_A_CHUNK &&
           in->batch.bytes.length < tw_chunk_bytes(read->corpus->settings)) {
        tw_chunk_member *member = &in->members[in->sources++];
        status = read_member(read, (uint32_t)read->next++, chunk, member);
    }
    return status;
}

/* ---- the next chunk */

static bool is_skipped(const tw_corpus *corpus, size_t source)
{
    return corpus->states[source].kind == TW_INPUT_JSONL && tw_is_passed_over(corpus, source);
}

static int fill_chunk(tw_reading_run *read, tw_chunk *chunk, bool *end)
{
    const tw_corpus *corpus = read->corpus;
    const tw_sources *sources = corpus->sources;
    while (read->next < sources->count && is_skipped(corpus, read->next))
        read->next++;
    tw_chunk_reset(chunk);
    *end = read->next == sources->count;
    chunk->in.source = (uint32_t)read->next;
    chunk->in.sources = 0;
    if (*end)
        return TWINSET_OK;
    chunk->in.is_lines = corpus->states[read->next].kind == TW_INPUT_JSONL;
    if (tw_source_at(sources, read->next)->file->member_name)
        return add_members(read, chunk);
    if (chunk->in.is_lines)
        return add_lines(read, chunk);
    add_files(read, &chunk->in);
    return TWINSET_OK;
}

static int read_chunk(void *context, void *item, bool *end)
{
    tw_reading_run *read = context;
    tw_chunk *chunk = item;
    int status = fill_chunk(read, chunk, end);
    chunk->in.next[0] = read->next;
    chunk->in.next[1] = read->is_open ? read->lines.offset : read->offset;
    return status;
}

static int analyse_chunk(void *context, unsigned worker, void *item)
{
    return tw_ingest_chunk(&((tw_reading_run *)context)->ingest, worker, item);
}

static int journal_and_commit(void *context, void *item)
{
    tw_reading_run *read = context;
    int status = TWINSET_OK;
    if (read->journal) {
        read->frame.length = 0;
        status = tw_chunk_write(item, &read->frame);
        if (status == TWINSET_OK)
            status = tw_journal_add(read->journal, &read->frame, read->error);
    }
    return status == TWINSET_OK ? tw_commit_chunk(read, item) : status;
}

static int finish_chunk(void *context, unsigned worker, void *item)
{
    (void)worker;
    return tw_finish_chunk(context, item);
}

/* ---- resuming from a journal */

static size_t count_strings(const tw_bytes *strings)
{
    size_t count = 0;
    for (size_t i = 0; i < strings->length; i++)
        count += strings->data[i] == '\0';
    return count;
}

/* Whether a chunk of the journal is consistent with this corpus. */
static bool is_valid(const tw_reading_run *read, const tw_chunk *chunk)
{
    const tw_chunk_output *out = &chunk->out;
    size_t sources = read->corpus->sources->count;
    bool is_consistent = chunk->in.source < sources && chunk->in.next[0] <= sources &&
                         count_strings(&out->names) == out->count &&
                         out->keys.count == out->count * read->plan->bands &&
                         (out->groups.count == 0 || out->groups.count == out->count) &&
                         (out->reasons.length == 0 || !out->reasons.data[out->reasons.length - 1]);
    for (size_t i = 0; i < out->count; i++)
        is_consistent &= out->documents[i].source < sources;
    for (size_t i = 0; i < out->problem_count; i++)
        is_consistent &=
            out->problems[i].source < sources && out->problems[i].reason < out->reasons.length;
    return is_consistent;
}

static int replay_frame(tw_reading_run *read, tw_chunk *chunk)
{
    int status = tw_chunk_read(&read->frame, chunk);
    if (status == TWINSET_IO || (status == TWINSET_OK && !is_valid(read, chunk)))
        return tw_journal_fail(read->journal, read->error);
    if (status != TWINSET_OK)
        return status;
    read->next = (size_t)chunk->in.next[0];
    read->offset = chunk->in.next[1];
    tw_ingest_count(&read->ingest, chunk->out.totals.shingles);
    status = tw_commit_chunk(read, chunk);
    return status == TWINSET_OK ? tw_finish_chunk(read, chunk) : status;
}

static int replay_journal(tw_reading_run *read)
{
    tw_chunk chunk = {0};
    bool found = true;
    int status = TWINSET_OK;
    while (status == TWINSET_OK && found) {
        status = tw_journal_next(read->journal, &read->frame, &found, read->error);
        if (status == TWINSET_OK && found)
            status = replay_frame(read, &chunk);
    }
    tw_chunk_clear(&chunk);
    read->corpus->totals.resumed = read->corpus->totals.bytes;
    return status;
}

/* ---- reading all sources */

static uint64_t get_bytes_done(void *context)
{
    return atomic_load(&((tw_reading_run *)context)->ingest.done);
}

static uint64_t count_total_bytes(const tw_corpus *corpus)
{
    uint64_t total = 0;
    for (size_t i = 0; i < corpus->sources->count; i++)
        total += corpus->states[i].is_packed ? 0 : tw_source_at(corpus->sources, i)->size_bytes;
    return total;
}

static int run_pipeline(tw_reading_run *read)
{
    static const tw_pipeline_steps steps = {.read = read_chunk,
                                            .process = analyse_chunk,
                                            .commit = journal_and_commit,
                                            .done = get_bytes_done,
                                            .finish = finish_chunk};
    tw_loop loop = tw_settings_loop(read->corpus->settings, "reading");
    size_t count = 2 * (size_t)loop.threads;
    uint64_t total = count_total_bytes(read->corpus);
    read->ingest.loop = &loop;
    read->ingest.total = total;
    tw_chunk *chunks = tw_calloc(count, sizeof *chunks);
    void **items = tw_array(count, sizeof *items);
    int status = chunks && items ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        items[i] = &chunks[i];
    if (status == TWINSET_OK)
        status = tw_pipeline(&loop, &steps, items, count, total, read);
    read->ingest.loop = NULL;
    for (size_t i = 0; chunks && i < count; i++)
        tw_chunk_clear(&chunks[i]);
    tw_free(chunks);
    tw_free(items);
    return status;
}

/* Makes the spool and the key store, if they are needed. */
static int prepare_stores(tw_reading_run *read)
{
    tw_corpus *corpus = read->corpus;
    const twinset_options *options = &corpus->settings->options;
    bool needs_spool = false;
    int status = TWINSET_OK;
    for (size_t i = 0; i < corpus->sources->count; i++)
        needs_spool |= corpus->states[i].is_packed;
    if (needs_spool)
        status = tw_spill_new(options->tmp, &corpus->store.spool, read->error);
    corpus->keys.bands = read->plan->bands;
    corpus->keys.rows = read->plan->rows;
    if (status == TWINSET_OK && read->plan->bands)
        status = tw_key_store_new(read->plan->bands, tw_memory_share(options, 4), options->tmp,
                                  &corpus->keys.data);
    return status;
}

/* Excludes common shingles, and then makes the sets that are missing: those of documents from the
 * journal, and those that the exclusion dropped. */
static int complete_sets(tw_reading_run *read, const tw_read_plan *plan)
{
    tw_corpus *corpus = read->corpus;
    bool holds_sets = plan->holds_sets && atomic_load(&read->ingest.is_holding);
    int status = TWINSET_OK;
    if (tw_excludes_common(corpus))
        status = tw_exclude_common(corpus, read->error);
    if (!holds_sets)
        tw_corpus_forget_sets(corpus);
    return status == TWINSET_OK && holds_sets ? tw_corpus_hold_sets(corpus, read->error) : status;
}

static int read_documents(tw_reading_run *read)
{
    tw_corpus *corpus = read->corpus;
    int status = tw_exclude_templates(corpus, read->error);
    if (status == TWINSET_OK)
        status = prepare_stores(read);
    if (status == TWINSET_OK && read->journal)
        status = replay_journal(read);
    if (status == TWINSET_OK)
        status = run_pipeline(read);
    end_members(read);
    if (status == TWINSET_OK && tw_joins_submissions(corpus))
        status = tw_corpus_join_submissions(corpus, read->error);
    return status == TWINSET_OK ? tw_corpus_order(corpus) : status;
}

int tw_corpus_read(tw_corpus *corpus, const tw_read_plan *plan, tw_journal *journal,
                   twinset_error *error)
{
    /* Sets and keys are those of whole submissions, not of their files. */
    static const tw_read_plan empty_plan = {.most_shingles = UINT64_MAX};
    const tw_read_plan *file_plan = tw_joins_submissions(corpus) ? &empty_plan : plan;
    tw_reading_run read = {
        .corpus = corpus,
        .plan = file_plan,
        .ingest = {.corpus = corpus, .plan = file_plan, .is_journalled = journal != NULL},
        .journal = journal,
        .error = error,
    };
    uint64_t most = tw_held_sets_limit(corpus) / sizeof(uint64_t);
    read.ingest.most_ids = most < plan->most_shingles ? most : plan->most_shingles;
    atomic_init(&read.ingest.is_holding, plan->holds_sets);
    pthread_mutex_init(&read.ingest.spilling, NULL);
    pthread_rwlock_init(&read.growing, NULL);
    int status = read_documents(&read);
    if (status == TWINSET_OK)
        status = tw_corpus_check_input(corpus, error);
    if (status == TWINSET_OK)
        status = complete_sets(&read, plan);
    if (read.is_open)
        tw_lines_close(&read.lines);
    if (read.ingest.error.message[0] && error && !error->message[0])
        *error = read.ingest.error;
    if (read.finish_error.message[0] && error && !error->message[0])
        *error = read.finish_error;
    pthread_rwlock_destroy(&read.growing);
    pthread_mutex_destroy(&read.ingest.spilling);
    tw_bytes_free(&read.frame);
    return tw_corpus_fail(corpus, error, status);
}
