/*
 * Runs of similar size are merged, four to one or more, so that a lookup meets few runs. A merge
 * may take long, so each batch does a little of it: it moves the lowest postings of the inputs to
 * the output, and the inputs are read from there on only. What was moved goes from the file in the
 * same batch. A long addition lets more runs come together before it merges them, and merges what
 * is left at its end: so most postings are moved once.
 */
#include "store.h"

#include <limits.h>

enum {
    LEVEL_FACTOR = 4,
    LEVEL_POSTINGS = 4096, /* runs below are all of one size */
    MOST_INPUTS = 256,
    /* Moved at a time, some segments: the pages that they leave are filled again while they are in
     * memory. */
    STEP_POSTINGS = 1 << 18,
    PENDING_POSTINGS = 256, /* written at a time */
};

/* ---- which runs */

static unsigned find_level(const tw_run *run)
{
    unsigned level = 0;
    for (uint64_t postings = tw_run_postings(run) / LEVEL_POSTINGS; postings > 0;
         postings /= LEVEL_FACTOR)
        level++;
    return level;
}

/* Makes a merge of the runs up to a level that take part in none. */
static int begin_job(tw_index *index, unsigned level)
{
    tw_manifest *manifest = &index->manifest;
    size_t inputs = 0;
    uint64_t job = manifest->next_job++;
    for (size_t i = 0; i < manifest->run_count && inputs < MOST_INPUTS; i++) {
        tw_run *run = &manifest->runs[i];
        if (run->job == 0 && find_level(run) <= level) {
            run->job = job;
            inputs++;
        }
    }
    tw_run *output = tw_manifest_add_run(manifest);
    if (!output)
        return TWINSET_NOMEM;
    output->job = job;
    output->is_output = true;
    return TWINSET_OK;
}

/* Begins the merges that are due: of so many runs on a level, with all that are smaller. */
static int begin_due(tw_index *index, size_t fan_in)
{
    enum { LEVELS = 40 };
    size_t counts[LEVELS] = {0};
    for (size_t i = 0; i < index->manifest.run_count; i++)
        if (index->manifest.runs[i].job == 0)
            counts[find_level(&index->manifest.runs[i])]++;
    for (unsigned level = LEVELS; level-- > 0;)
        if (counts[level] >= fan_in)
            return begin_job(index, level);
    return TWINSET_OK;
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

/* ---- which input is next */

static const tw_posting AFTER_ALL = {UINT64_MAX, UINT64_MAX};

typedef struct contestant {
    tw_posting posting; /* that an input is at */
    uint64_t input;
} contestant;

/* The inputs play for the lowest posting. Below node i are the nodes 2i and 2i + 1, down to a leaf
 * for each input; a node keeps the loser of its match. So an input that goes on plays those that
 * lost to it, of which each is known before the match below it ends: half the time that a tree
 * of winners takes. */
typedef struct tournament {
    size_t leaves;
    contestant winner;
    contestant losers[MOST_INPUTS];
} tournament;

static inline bool is_before(tw_posting a, tw_posting b)
{
    return (a.term < b.term) | ((a.term == b.term) & (a.document < b.document));
}

/* Swaps two numbers if `mask` has all bits, and none of them if it has none. */
static inline void swap_if(uint64_t mask, uint64_t *a, uint64_t *b)
{
    uint64_t difference = (*a ^ *b) & mask;
    *a ^= difference;
    *b ^= difference;
}

/* Plays a match, after which `winner` has the lower posting. A branch here would be mispredicted
 * every other time. */
static inline void play(contestant *winner, contestant *loser)
{
    uint64_t mask = -(uint64_t)is_before(loser->posting, winner->posting);
    swap_if(mask, &winner->posting.term, &loser->posting.term);
    swap_if(mask, &winner->posting.document, &loser->posting.document);
    swap_if(mask, &winner->input, &loser->input);
}

/* Plays the matches of a node and of those below it; returns the winner. */
static contestant play_all(tournament *self, const contestant *inputs, size_t count, size_t node)
{
    if (node >= self->leaves)
        return node - self->leaves < count ? inputs[node - self->leaves]
                                           : (contestant){.posting = AFTER_ALL};
    contestant winner = play_all(self, inputs, count, 2 * node);
    self->losers[node] = play_all(self, inputs, count, 2 * node + 1);
    play(&winner, &self->losers[node]);
    return winner;
}

static void tournament_begin(tournament *self, const contestant *inputs, size_t count)
{
    self->leaves = 1;
    while (self->leaves < count)
        self->leaves *= 2;
    self->winner = play_all(self, inputs, count, 1);
}

/* The input that has won goes on to its next posting. */
static void tournament_go_on(tournament *self, tw_posting next)
{
    contestant winner = {next, self->winner.input};
    for (size_t node = (self->leaves + winner.input) / 2; node > 0; node /= 2)
        play(&winner, &self->losers[node]);
    self->winner = winner;
}

/* ---- a step of a merge */

typedef struct merge_step {
    tw_index *index;
    input_reader *inputs;
    size_t count;
    tournament lowest;
    tw_segment_writer writer;
    tw_posting pending[PENDING_POSTINGS]; /* to be written */
    size_t pending_count;
    uint64_t moved;
    twinset_error *error;
} merge_step;

static tw_posting current(const input_reader *input)
{
    return input->is_done ? AFTER_ALL : input->postings.data[input->at];
}

static int write_pending(merge_step *step)
{
    size_t count = step->pending_count;
    step->pending_count = 0;
    return tw_segment_add(&step->writer, step->pending, count);
}

/* Moves postings until the budget is used and the next term begins. *next is that term, or
 * UINT64_MAX at the end. */
static int move_postings(merge_step *step, uint64_t budget, tw_term *next)
{
    tw_term last = UINT64_MAX;
    int status = TWINSET_OK;
    for (;;) {
        tw_posting posting = step->lowest.winner.posting;
        input_reader *input = &step->inputs[step->lowest.winner.input];
        *next = posting.term;
        if (posting.term == UINT64_MAX || (step->moved >= budget && posting.term != last))
            return write_pending(step);
        step->pending[step->pending_count++] = posting;
        last = posting.term;
        step->moved++;
        if (step->pending_count == PENDING_POSTINGS)
            status = write_pending(step);
        if (++input->at >= input->postings.count && status == TWINSET_OK)
            status = load_chunk(step->index, input, step->error);
        if (status != TWINSET_OK)
            return status;
        tournament_go_on(&step->lowest, current(input));
    }
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
    contestant first[MOST_INPUTS];
    for (size_t i = 0; i < step->count && status == TWINSET_OK; i++)
        first[i] = (contestant){current(&step->inputs[i]), i};
    if (status == TWINSET_OK)
        tournament_begin(&step->lowest, first, step->count);
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

int tw_merge_some(tw_index *index, size_t fan_in, uint64_t *budget, twinset_error *error)
{
    int status = begin_due(index, fan_in);
    uint64_t job, moved;
    while (status == TWINSET_OK && *budget > 0 && (job = choose_job(&index->manifest))) {
        status = advance_job(index, job, *budget < STEP_POSTINGS ? *budget : STEP_POSTINGS, &moved,
                             error);
        moved = moved ? moved : 1;
        *budget -= moved < *budget ? moved : *budget;
        if (status == TWINSET_OK)
            status = begin_due(index, fan_in);
    }
    return tw_complete_error(error, status);
}

/* Merges in one transaction; *left is what of the budget was not needed. */
static int merge_in_transaction(tw_index *index, uint64_t budget, uint64_t *left,
                                twinset_error *error)
{
    int status = tw_store_begin(index, true, error);
    *left = budget;
    if (status != TWINSET_OK)
        return status;
    status = tw_merge_some(index, TW_FAN_IN, left, error);
    if (status == TWINSET_OK && *left == budget)
        index->is_writing = false; /* nothing has changed */
    return tw_store_end(index, status, error);
}

int tw_merge_left(tw_index *index, uint64_t budget, twinset_error *error)
{
    int status = TWINSET_OK;
    uint64_t left = 0;
    while (status == TWINSET_OK && budget > 0 && left == 0) {
        uint64_t some = budget < TW_MERGED_AT_ONCE ? budget : TW_MERGED_AT_ONCE;
        status = merge_in_transaction(index, some, &left, error);
        budget -= some;
    }
    return status;
}

int tw_merge_begin_all(tw_index *index, twinset_error *error)
{
    return begin_job(index, UINT_MAX) == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
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
    tw_posting pending[PENDING_POSTINGS];
    for (size_t i = 0; i < count && status == TWINSET_OK;) {
        size_t n = 0;
        for (; n < PENDING_POSTINGS && i < count; n++, i++)
            pending[n] = (tw_posting){postings[i] >> 16, first + (postings[i] & 0xffff)};
        status = tw_segment_add(&writer, pending, n);
    }
    if (status == TWINSET_OK)
        status = tw_segment_end(&writer);
    tw_segment_writer_free(&writer);
    return tw_complete_error(error, status);
}
