/*
 * Runs of similar size are merged, four to one, so that a lookup meets few runs. A merge may take
 * long, so each batch does a little of it: it moves the lowest postings of the inputs to the
 * output, and the inputs are read from there on only. What was moved goes from the file in the
 * same batch.
 */
#include "store.h"

enum {
    FAN_IN = 4,
    LEVEL_POSTINGS = 4096, /* runs below are all of one size */
    MOST_INPUTS = 256,
};

/* ---- which runs */

static unsigned find_level(const tw_run *run)
{
    unsigned level = 0;
    for (uint64_t postings = tw_run_postings(run) / LEVEL_POSTINGS; postings > 0;
         postings /= FAN_IN)
        level++;
    return level;
}

/* Makes a merge of runs that take part in none, on one level or (`all`) on any. Returns 0, or the
 * number of the merge. */
static int begin_job(tw_index *index, unsigned level, bool all, uint64_t *job)
{
    tw_manifest *manifest = &index->manifest;
    size_t most = all ? MOST_INPUTS : FAN_IN, inputs = 0;
    *job = manifest->next_job++;
    for (size_t i = 0; i < manifest->run_count && inputs < most; i++) {
        tw_run *run = &manifest->runs[i];
        if (run->job == 0 && (all || find_level(run) == level)) {
            run->job = *job;
            inputs++;
        }
    }
    tw_run *output = tw_manifest_add_run(manifest);
    if (!output)
        return TWINSET_NOMEM;
    output->job = *job;
    output->is_output = true;
    return TWINSET_OK;
}

/* Begins the merges that are due. */
static int begin_due(tw_index *index)
{
    enum { LEVELS = 40 };
    size_t counts[LEVELS] = {0};
    int status = TWINSET_OK;
    uint64_t job;
    for (size_t i = 0; i < index->manifest.run_count; i++)
        if (index->manifest.runs[i].job == 0)
            counts[find_level(&index->manifest.runs[i])]++;
    for (unsigned level = 0; level < LEVELS && status == TWINSET_OK; level++)
        if (counts[level] >= FAN_IN)
            status = begin_job(index, level, false, &job);
    return status;
}

/* The merge with the fewest postings left; 0: there is none. */
static uint64_t choose_job(const tw_manifest *manifest)
{
    uint64_t best = 0, fewest = UINT64_MAX;
    for (size_t i = 0; i < manifest->run_count; i++) {
        uint64_t job = manifest->runs[i].job, left = 0;
        for (size_t j = 0; j < manifest->run_count; j++)
            if (manifest->runs[j].job == job && !manifest->runs[j].is_output)
                left += tw_run_postings(&manifest->runs[j]);
        if (job && left < fewest) {
            fewest = left;
            best = job;
        }
    }
    return best;
}

/* ---- reading an input */

typedef struct input_reader {
    size_t run; /* index in the manifest */
    size_t segment;
    uint32_t chunk, chunk_count;
    tw_postings postings; /* of the current chunk */
    size_t at;
    bool is_done;
} input_reader;

/* Loads chunks until there is a posting from `from` on. */
static int load_chunk(tw_index *index, input_reader *input, twinset_error *error)
{
    const tw_run *run = &index->manifest.runs[input->run];
    tw_segment_head *head;
    while (input->at >= input->postings.count) {
        if (input->chunk_count > 0 && input->chunk >= input->chunk_count) {
            input->segment++;
            input->chunk = input->chunk_count = 0;
        }
        if (input->segment >= run->count) {
            input->is_done = true;
            return TWINSET_OK;
        }
        const tw_segment *segment = &run->segments[input->segment];
        int status = tw_segment_head_get(index, segment, &head, error);
        if (status != TWINSET_OK)
            return status;
        input->chunk_count = head->chunk_count;
        /* A chunk that ends below `from` is passed over. */
        while (input->chunk + 1 < head->chunk_count && head->first[input->chunk + 1] < run->from)
            input->chunk++;
        input->postings.count = input->at = 0;
        status = tw_segment_chunk(index, segment, input->chunk++, &input->postings, error);
        if (status != TWINSET_OK)
            return status;
        while (input->at < input->postings.count &&
               input->postings.data[input->at].term < run->from)
            input->at++;
    }
    return TWINSET_OK;
}

static tw_posting current(const input_reader *input)
{
    return input->postings.data[input->at];
}

static bool is_before(tw_posting a, tw_posting b)
{
    return a.term != b.term ? a.term < b.term : a.document < b.document;
}

/* ---- a step of a merge */

typedef struct merge_step {
    tw_index *index;
    input_reader *inputs;
    size_t count;
    tw_segment_writer writer;
    uint64_t moved;
    twinset_error *error;
} merge_step;

static input_reader *find_lowest(const merge_step *step)
{
    input_reader *lowest = NULL;
    for (size_t i = 0; i < step->count; i++) {
        input_reader *input = &step->inputs[i];
        if (!input->is_done && (!lowest || is_before(current(input), current(lowest))))
            lowest = input;
    }
    return lowest;
}

/* Moves postings until the budget is used and the next term begins. *next is that term, or
 * UINT64_MAX at the end. */
static int move_postings(merge_step *step, uint64_t budget, tw_term *next)
{
    tw_term last = UINT64_MAX;
    input_reader *lowest;
    int status = TWINSET_OK;
    while (status == TWINSET_OK && (lowest = find_lowest(step))) {
        tw_posting posting = current(lowest);
        if (step->moved >= budget && posting.term != last) {
            *next = posting.term;
            return TWINSET_OK;
        }
        status = tw_segment_add(&step->writer, posting);
        last = posting.term;
        step->moved++;
        lowest->at++;
        if (status == TWINSET_OK && lowest->at >= lowest->postings.count)
            status = load_chunk(step->index, lowest, step->error);
    }
    *next = UINT64_MAX;
    return status;
}

/* Removes the segments of an input that were moved as a whole. */
static int drop_moved(merge_step *step, const input_reader *input, tw_term next)
{
    tw_run *run = &step->index->manifest.runs[input->run];
    int status = TWINSET_OK;
    size_t moved = input->is_done ? run->count : input->segment;
    for (size_t i = 0; i < moved && status == TWINSET_OK; i++)
        status = tw_segment_drop(step->index, &run->segments[i], step->error);
    if (status != TWINSET_OK)
        return status;
    memmove(run->segments, run->segments + moved, (run->count - moved) * sizeof *run->segments);
    run->count -= moved;
    run->from = next;
    if (next == UINT64_MAX) {
        run->from = 0;
        run->job = 0;
    }
    return TWINSET_OK;
}

static int open_inputs(merge_step *step, uint64_t job, size_t *output)
{
    tw_manifest *manifest = &step->index->manifest;
    int status = TWINSET_OK;
    for (size_t i = 0; i < manifest->run_count && status == TWINSET_OK; i++) {
        if (manifest->runs[i].job != job)
            continue;
        if (manifest->runs[i].is_output) {
            *output = i;
            continue;
        }
        step->inputs[step->count] = (input_reader){.run = i};
        status = load_chunk(step->index, &step->inputs[step->count++], step->error);
    }
    return status;
}

/* Does about so much of a merge. */
static int advance_job(tw_index *index, uint64_t job, uint64_t budget, uint64_t *moved,
                       twinset_error *error)
{
    tw_manifest *manifest = &index->manifest;
    merge_step step = {.index = index, .error = error};
    tw_term next = UINT64_MAX;
    size_t output = SIZE_MAX;
    step.inputs = tw_calloc(manifest->run_count, sizeof *step.inputs);
    int status = step.inputs ? open_inputs(&step, job, &output) : TWINSET_NOMEM;
    if (status == TWINSET_OK && output == SIZE_MAX)
        status = tw_store_damaged(index, error, "a merge has no output");
    if (status == TWINSET_OK) {
        step.writer =
            (tw_segment_writer){.index = index, .run = &manifest->runs[output], .error = error};
        status = move_postings(&step, budget, &next);
    }
    if (status == TWINSET_OK)
        status = tw_segment_end(&step.writer);
    for (size_t i = 0; i < step.count && status == TWINSET_OK; i++)
        status = drop_moved(&step, &step.inputs[i], next);
    if (status == TWINSET_OK && next == UINT64_MAX) {
        manifest->runs[output].job = 0;
        manifest->runs[output].is_output = false;
    }
    *moved = step.moved;
    for (size_t i = 0; i < step.count; i++)
        tw_free(step.inputs[i].postings.data);
    tw_free(step.inputs);
    if (step.writer.index)
        tw_segment_writer_free(&step.writer);
    if (status == TWINSET_OK)
        tw_manifest_drop_empty(manifest);
    return tw_complete_error(error, status);
}

int tw_merge_some(tw_index *index, uint64_t budget, twinset_error *error)
{
    int status = begin_due(index);
    uint64_t job, moved, done = 0;
    while (status == TWINSET_OK && done < budget && (job = choose_job(&index->manifest))) {
        status = advance_job(index, job, budget - done, &moved, error);
        done += moved ? moved : 1;
        if (status == TWINSET_OK)
            status = begin_due(index);
    }
    return tw_complete_error(error, status);
}

int tw_merge_begin_all(tw_index *index, twinset_error *error)
{
    uint64_t job;
    if (begin_job(index, 0, true, &job) != TWINSET_OK)
        return tw_nomem(error);
    return TWINSET_OK;
}

int tw_write_run(tw_index *index, const uint64_t *postings, size_t count, uint64_t first,
                 twinset_error *error)
{
    tw_run *run = tw_manifest_add_run(&index->manifest);
    if (!run)
        return tw_nomem(error);
    tw_segment_writer writer = {.index = index, .run = run, .error = error};
    writer.chunk.base = first;
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_segment_add(&writer,
                                (tw_posting){postings[i] >> 16, first + (postings[i] & 0xffff)});
    if (status == TWINSET_OK)
        status = tw_segment_end(&writer);
    tw_segment_writer_free(&writer);
    return tw_complete_error(error, status);
}
