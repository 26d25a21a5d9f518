/*
 * The reading: every source goes through once, in parts. A part is some lines of a JSONL
 * file, or a few files or members of an archive that are one document each. Parts are read in
 * order, looked through in parallel, and their documents added in order. What each document
 * is - its digest, its length - is all that stays of it, beside what was wished for: its set,
 * or one key for each band of its signature. Only a text that took more to get at than to
 * read a file, such as that of a PDF, is kept, in a temporary file.
 *
 * Memory: some parts of a megabyte for each thread. Cost: about a microsecond for a record
 * of 600 bytes, most of it for its signature.
 */
#include <string.h>

#include "intake.h"

enum { FILES_A_PART = 16, MEMBERS_A_PART = 64 }; /* documents that are files */

typedef struct loading {
    tw_corpus *corpus;
    const tw_wish *wish;
    tw_intake intake;
    twinset_error *error;
    size_t next; /* the source to read from */
    uint64_t offset;
    tw_lines lines; /* of a packed source */
    bool opened;
    tw_inside inside; /* the archive in work */

    uint64_t line; /* of the source whose parts are committed */
    uint32_t committed;
    bool failed;         /* it could not be read on */
    tw_journal *journal; /* NULL: none is kept */
    tw_bytes frame;
    bool forgotten; /* what was held before it was known that not all can be */
} loading;

/* ---- the pipeline */

/* Keeps what cannot be read again. Its last line gets a newline there, which is not part of
 * the source: so every line in the spool ends. */
static int spool(loading *load, tw_source *source, tw_block *block)
{
    tw_spill *spill = load->corpus->spool;
    const tw_bytes *bytes = &block->bytes;
    uint64_t end;
    int status = tw_spill_append(spill, bytes->data, bytes->length, &block->offset, load->error);
    if (status == TWINSET_OK && bytes->data[bytes->length - 1] != '\n')
        status = tw_spill_append(spill, "\n", 1, &end, load->error);
    source->file->start = source->file->bytes ? source->file->start : block->offset;
    source->file->bytes += bytes->length;
    return status;
}

/* Lines of a packed source, which only one can read. */
static int next_of_stream(loading *load, tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    tw_source *source = &corpus->sources[load->next];
    const char *reason = NULL;
    int status = TWINSET_OK;
    if (!load->opened)
        status = tw_lines_open(source->path, tw_corpus_size_limit(corpus), &load->lines, &reason);
    load->opened = status == TWINSET_OK;
    while (status == TWINSET_OK && load->lines.offset < load->offset)
        status =
            tw_lines_next(&load->lines, TW_PART_BYTES, &part->block, &reason); /* read before */
    if (load->opened && status == TWINSET_OK)
        status = tw_lines_next(&load->lines, TW_PART_BYTES, &part->block, &reason);
    else if (!load->opened)
        part->block.bytes.length = part->block.dropped = 0;
    if (status == TWINSET_IO) {
        tw_part_fail(part, reason, NULL);
    } else if (status != TWINSET_OK) {
        return status;
    }
    part->read = true;
    part->last = part->failed[0] || (!part->block.bytes.length && !part->block.dropped);
    if (!source->spooled || !part->block.bytes.length)
        return TWINSET_OK;
    return spool(load, source, &part->block);
}

static void next_of_file(loading *load, tw_part *part)
{
    uint64_t size = load->corpus->sources[load->next].size_bytes, left = size - load->offset;
    part->block.offset = load->offset;
    part->end = left > TW_PART_BYTES ? load->offset + TW_PART_BYTES : size;
    part->last = part->end == size;
    load->offset = part->end;
}

static bool is_file(const tw_source *source)
{
    return source->kind == TW_KIND_TEXT && !source->file->inside;
}

/* What is converted takes its time and its memory, and ends a part. Of texts in memory it takes as
 * much as of lines. */
static void next_files(loading *load, tw_part *part)
{
    const tw_corpus *corpus = load->corpus;
    uint64_t files = 0, bytes = 0;
    bool slow = false;
    while (load->next < corpus->source_count && files < FILES_A_PART && bytes < TW_PART_BYTES &&
           !slow && is_file(&corpus->sources[load->next])) {
        const tw_source *source = &corpus->sources[load->next++];
        const char *path = source->path;
        slow = path && (tw_name_is_converted(path) || tw_name_is_packed(path));
        files += path != NULL;
        bytes += path ? 0 : source->size_bytes + 1;
        part->sources++;
    }
}

/* ---- members of archives, which only one can read, from first to last */

static int read_member(loading *load, uint32_t index, tw_part *part, tw_piece *piece)
{
    const tw_corpus *corpus = load->corpus;
    const tw_source *source = &corpus->sources[index];
    tw_bytes *bytes = &part->block.bytes;
    const char *reason;
    *piece = (tw_piece){.start = bytes->length};
    if (tw_is_passed_over(source))
        return TWINSET_OK;
    int status =
        tw_inside_read(&load->inside, source->path, source->file->member, corpus->options.max_size,
                       tw_corpus_size_limit(corpus), bytes, &reason);
    piece->length = bytes->length - piece->start;
    piece->failed = status == TWINSET_IO;
    return piece->failed ? tw_part_problem(part, (tw_problem){.source = index}, reason) : status;
}

/* Whether the next source is in the same archive; its members share a path. */
static bool is_member_of(const loading *load, const char *archive)
{
    const tw_corpus *corpus = load->corpus;
    return load->next < corpus->source_count && corpus->sources[load->next].file->inside &&
           corpus->sources[load->next].path == archive;
}

static int next_members(loading *load, tw_part *part)
{
    const tw_corpus *corpus = load->corpus;
    const char *archive = corpus->sources[load->next].path;
    int status = TW_GROW(part->pieces, part->piece_capacity, MEMBERS_A_PART);
    part->read = true;
    part->block.bytes.length = 0;
    while (status == TWINSET_OK && is_member_of(load, archive) && part->sources < MEMBERS_A_PART &&
           part->block.bytes.length < TW_PART_BYTES)
        status = read_member(load, (uint32_t)load->next++, part, &part->pieces[part->sources++]);
    return status;
}

/* ---- the next part */

static bool passes(const tw_source *source)
{
    return source->kind == TW_KIND_JSONL && tw_is_passed_over(source);
}

static int read_next(void *context, void *item, bool *end)
{
    loading *load = context;
    tw_part *part = item;
    const tw_corpus *corpus = load->corpus;
    while (load->next < corpus->source_count && passes(&corpus->sources[load->next]))
        load->next++;
    tw_part_reset(part);
    *end = load->next == corpus->source_count;
    part->source = (uint32_t)load->next;
    if (*end)
        return TWINSET_OK;
    const tw_source *source = &corpus->sources[load->next];
    int status = TWINSET_OK;
    part->lines = source->kind == TW_KIND_JSONL;
    part->sources = 0;
    if (source->file->inside)
        return next_members(load, part);
    if (!part->lines) {
        next_files(load, part);
        return TWINSET_OK;
    }
    if (source->packed)
        status = next_of_stream(load, part);
    else
        next_of_file(load, part);
    if (part->last) {
        load->next++;
        load->offset = 0;
        if (load->opened)
            tw_lines_close(&load->lines);
        load->opened = false;
    }
    return status;
}

static int read_and_mark(void *context, void *item, bool *end)
{
    loading *load = context;
    tw_part *part = item;
    int status = read_next(load, part, end);
    part->next[0] = load->next;
    part->next[1] = load->opened ? load->lines.offset : load->offset;
    return status;
}

static int process(void *context, unsigned worker, void *item)
{
    return tw_intake_part(&((loading *)context)->intake, worker, item);
}

/* ---- adding what a part had */

/* Sets are of no use once not all can be held: the memory is for what comes. */
static void forget_sets(loading *load, tw_part *part)
{
    if (!load->wish->sets || atomic_load(&load->intake.holding))
        return;
    if (!load->forgotten) {
        tw_corpus_forget_sets(load->corpus);
        tw_memory_trim();
    }
    load->forgotten = true;
    for (size_t i = 0; i < part->count; i++) {
        tw_free(part->documents[i].set);
        part->documents[i].set = NULL;
    }
}

/* Moves texts that came by way of the journal to where they stay. */
static int commit_texts(loading *load, tw_part *part)
{
    uint64_t start = 0;
    if (!part->texts.length)
        return TWINSET_OK;
    int status = tw_intake_spill(&load->intake, part->texts.data, part->texts.length, &start);
    for (size_t i = 0; i < part->count; i++)
        part->documents[i].offset += part->documents[i].length ? start : 0;
    return status;
}

/* The name of a document: a record's own, or its place; else that of its source. */
static int name_document(loading *load, tw_document *document, const char *id)
{
    tw_corpus *corpus = load->corpus;
    tw_source *source = &corpus->sources[document->source];
    size_t length = strlen(id);
    document->name = source->name;
    if (!document->line)
        return length ? tw_names_keep(&corpus->names, id, length, &source->file->encoding)
                      : TWINSET_OK;
    uint64_t line = load->line + document->line;
    document->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    return length ? tw_names_keep(&corpus->names, id, length, &document->name)
                  : tw_names_place(&corpus->names, document->name, line, &document->name);
}

static int commit_groups(tw_corpus *corpus, const tw_part *part)
{
    if (!part->groups.count)
        return TWINSET_OK;
    int status =
        TW_GROW(corpus->groups, corpus->group_capacity, corpus->count + part->groups.count);
    if (status == TWINSET_OK)
        memcpy(corpus->groups + corpus->count, part->groups.data,
               part->groups.count * sizeof *corpus->groups);
    return status;
}

static int commit_documents(loading *load, tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    const char *id = part->ids.data;
    if (corpus->count + part->count >= UINT32_MAX)
        return tw_fail(load->error, TWINSET_USAGE, "more than 4,294,967,294 documents");
    int status = TW_GROW(corpus->documents, corpus->capacity, corpus->count + part->count);
    for (size_t i = 0; i < part->count && status == TWINSET_OK; i++) {
        tw_document *document = &corpus->documents[corpus->count++];
        *document = part->documents[i];
        part->documents[i].set = NULL; /* it is the corpus's now */
        status = name_document(load, document, id);
        id += strlen(id) + 1;
    }
    return status;
}

static int commit_problems(loading *load, const tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    int status = TWINSET_OK;
    for (size_t i = 0; i < part->problem_count && status == TWINSET_OK; i++) {
        const tw_problem *found = &part->problems[i];
        tw_skipped skip = {
            .path = corpus->sources[found->source].name,
            .reason = part->reasons.data + found->reason,
            .source = found->source,
            .empty = found->empty,
            .offset = found->offset,
            .length = found->length,
        };
        if (part->lines)
            status =
                tw_names_place(&corpus->names, skip.path, load->line + found->line + 1, &skip.path);
        if (status == TWINSET_OK)
            status = tw_corpus_skip(corpus, &skip);
    }
    return status;
}

/* A source that could not be read to its end. */
static int commit_failure(loading *load, const tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    tw_skipped skip = {
        .path = corpus->sources[part->source].name,
        .reason = part->failed,
        .source = part->source,
    };
    corpus->records++;
    corpus->sources[part->source].records++;
    int status = TWINSET_OK;
    if (load->line + part->line_count)
        status = tw_names_place(&corpus->names, skip.path, load->line + part->line_count + 1,
                                &skip.path);
    return status == TWINSET_OK ? tw_corpus_skip(corpus, &skip) : status;
}

/* Counts what came from each source. */
static void commit_counts(loading *load, const tw_part *part)
{
    tw_source *sources = load->corpus->sources;
    if (part->lines) {
        sources[part->source].records += part->records;
        if (!sources[part->source].spooled)
            sources[part->source].file->bytes += part->bytes;
        return;
    }
    for (size_t i = 0; i < part->count; i++)
        sources[part->documents[i].source].records++;
    for (size_t i = 0; i < part->problem_count; i++)
        sources[part->problems[i].source].records++;
}

static int commit_part(loading *load, tw_part *part)
{
    if (part->source != load->committed) {
        load->line = 0;
        load->failed = false;
    }
    load->committed = part->source;
    if (load->failed) /* nobody knows the numbers of these lines */
        return TWINSET_OK;
    load->failed = part->failed[0];
    forget_sets(load, part);
    int status = part->lines ? TWINSET_OK : commit_texts(load, part);
    if (status == TWINSET_OK)
        status = commit_groups(load->corpus, part);
    if (status == TWINSET_OK)
        status = commit_documents(load, part);
    if (status == TWINSET_OK)
        status = commit_problems(load, part);
    if (status == TWINSET_OK && part->failed[0])
        status = commit_failure(load, part);
    if (status == TWINSET_OK && part->keys.count)
        status = tw_keys_add(load->corpus->keys, part->keys.data, part->count, load->error);
    commit_counts(load, part);
    load->line += part->line_count;
    load->corpus->records += part->records;
    load->corpus->shingles += part->shingles;
    load->corpus->bytes += part->bytes;
    atomic_fetch_add(&load->intake.done, part->bytes);
    return status;
}

static int commit(void *context, void *item)
{
    loading *load = context;
    int status = TWINSET_OK;
    if (load->journal) {
        load->frame.length = 0;
        status = tw_part_write(item, &load->frame);
        if (status == TWINSET_OK)
            status = tw_journal_add(load->journal, &load->frame, load->error);
    }
    return status == TWINSET_OK ? commit_part(load, item) : status;
}

/* Goes on where the last run was. */
static int replay(loading *load)
{
    tw_part part;
    bool found = true;
    uint64_t next[2] = {0, 0};
    int status = TWINSET_OK;
    while (status == TWINSET_OK && found) {
        status = tw_journal_next(load->journal, &load->frame, &found, load->error);
        if (status != TWINSET_OK || !found)
            break;
        tw_part_of_frame(&load->frame, &part);
        memcpy(next, part.next, sizeof next);
        tw_intake_count(&load->intake, part.shingles);
        status = commit_part(load, &part);
    }
    load->next = (size_t)next[0];
    load->offset = next[1];
    return status;
}

/* ---- the whole */

static uint64_t bytes_done(void *context)
{
    return atomic_load(&((loading *)context)->intake.done);
}

static int run_pipeline(loading *load)
{
    tw_corpus *corpus = load->corpus;
    static const tw_pipeline_steps steps = {read_and_mark, process, commit, bytes_done};
    tw_loop loop = tw_corpus_loop(corpus, "reading");
    size_t count = 2 * (size_t)loop.threads;
    uint64_t total = 0;
    for (size_t i = 0; i < corpus->source_count; i++)
        total += corpus->sources[i].packed ? 0 : corpus->sources[i].size_bytes;
    load->intake.loop = &loop;
    load->intake.total = total;
    void **parts = tw_calloc(count, sizeof *parts);
    int status = parts ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        parts[i] = tw_calloc(1, sizeof(tw_part));
        status = parts[i] ? TWINSET_OK : TWINSET_NOMEM;
    }
    if (status == TWINSET_OK)
        status = tw_pipeline(&loop, &steps, parts, count, total, load);
    load->intake.loop = NULL;
    for (size_t i = 0; parts && i < count; i++)
        tw_part_free(parts[i]);
    tw_free(parts);
    return status;
}

/* What is needed before the first byte is read. */
static int prepare(loading *load)
{
    tw_corpus *corpus = load->corpus;
    uint64_t memory = corpus->options.memory_bytes;
    bool spool = false;
    int status = TWINSET_OK;
    for (size_t i = 0; i < corpus->source_count; i++)
        spool |= corpus->sources[i].packed;
    corpus->files = tw_calloc(corpus->source_count, sizeof *corpus->files);
    if (!corpus->files)
        return TWINSET_NOMEM;
    if (spool)
        status = tw_spill_new(corpus->options.tmp, &corpus->spool, load->error);
    if (status == TWINSET_OK && load->wish->bands)
        status = tw_keys_new(load->wish->bands, memory / 8 * 3, corpus->options.tmp, &corpus->keys);
    corpus->bands = load->wish->bands;
    corpus->rows = load->wish->rows;
    return status;
}

/* What was read before has no sets: they are made if all the others are there. So are those
 * that were made before it was known what is common. */
static int settle_sets(loading *load)
{
    tw_corpus *corpus = load->corpus;
    bool hold = load->wish->sets && atomic_load(&load->intake.holding);
    int status = TWINSET_OK;
    if (tw_excludes_common(corpus))
        status = tw_exclude_common(corpus, load->error);
    if (!hold)
        tw_corpus_forget_sets(corpus);
    return status == TWINSET_OK && hold ? tw_corpus_load_sets(corpus, load->error) : status;
}

int tw_corpus_load(tw_corpus *corpus, const tw_wish *wish, tw_journal *journal,
                   twinset_error *error)
{
    /* What is asked of submissions, their files do not have. */
    static const tw_wish nothing = {.shingles = UINT64_MAX};
    bool gathers = tw_gathers(corpus);
    loading load = {
        .corpus = corpus,
        .wish = gathers ? &nothing : wish,
        .intake = {.corpus = corpus,
                   .wish = gathers ? &nothing : wish,
                   .journalled = journal != NULL},
        .journal = journal,
        .error = error,
    };
    uint64_t room = corpus->options.memory_bytes / 2 / sizeof(uint64_t);
    load.intake.most_ids = room < wish->shingles ? room : wish->shingles;
    atomic_init(&load.intake.holding, wish->sets);
    pthread_mutex_init(&load.intake.spilling, NULL);
    tw_corpus_clear(corpus);
    corpus->was_read = true;
    int status = tw_exclude_templates(corpus);
    if (status == TWINSET_OK)
        status = prepare(&load);
    if (status == TWINSET_OK && journal)
        status = replay(&load);
    if (status == TWINSET_OK)
        status = run_pipeline(&load);
    if (status == TWINSET_OK && gathers)
        status = tw_corpus_gather(corpus, error);
    if (status == TWINSET_OK)
        status = tw_corpus_order(corpus);
    load.wish = wish;
    if (status == TWINSET_OK)
        status = settle_sets(&load);
    if (load.opened)
        tw_lines_close(&load.lines);
    if (load.intake.error.message[0] && error && !error->message[0])
        *error = load.intake.error;
    tw_inside_close(&load.inside);
    pthread_mutex_destroy(&load.intake.spilling);
    tw_bytes_free(&load.frame);
    return tw_corpus_fail(corpus, error, status);
}
