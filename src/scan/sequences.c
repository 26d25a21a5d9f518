#include "sequences.h"

enum { MEMORY_SHARE = 8 };

bool tw_sequence_is_too_large(const tw_corpus *corpus, uint32_t document)
{
    enum { TOKEN_BYTES = 1024, SMALLEST = 1 << 14 /* tokens that there is always memory for */ };
    uint64_t most = corpus->settings->options.memory_bytes / TOKEN_BYTES;
    return tw_document_at(corpus, document)->tokens > (most > SMALLEST ? most : SMALLEST);
}

static int fill_sequence(const tw_sequences *sequences, unsigned number, uint32_t document,
                         tw_sequence *sequence)
{
    tw_worker *worker = &sequences->corpus->workers[number];
    tw_program program;
    int status = tw_document_program(worker, document, &program);
    if (status != TWINSET_OK)
        return status;
    return tw_sequence_fill(sequence, &program, &sequences->rules,
                            &worker->analyser.program_scratch.starts);
}

/* ---- holding sequences in memory */

typedef struct hold_request {
    const tw_sequences *sequences;
    const bool *wanted;
} hold_request;

static int hold_one(void *context, unsigned worker, size_t index)
{
    const hold_request *request = context;
    if (!request->wanted[index])
        return TWINSET_OK;
    return fill_sequence(request->sequences, worker, (uint32_t)index,
                         &request->sequences->held[index]);
}

static int hold_all(tw_sequences *sequences, const bool *wanted)
{
    const tw_corpus *corpus = sequences->corpus;
    hold_request request = {sequences, wanted};
    size_t count = corpus->documents.count;
    uint64_t bytes = count * sizeof *sequences->held;
    for (size_t i = 0; i < count; i++)
        bytes += wanted[i] ? tw_document_at(corpus, i)->tokens * TW_SEQUENCE_TOKEN_BYTES : 0;
    if (bytes > corpus->settings->options.memory_bytes / MEMORY_SHARE)
        return TWINSET_OK;
    sequences->held = tw_calloc(count, sizeof *sequences->held);
    if (!sequences->held)
        return TWINSET_NOMEM;
    tw_loop loop = tw_settings_loop(corpus->settings, "passages");
    return tw_parallel(&loop, count, hold_one, &request);
}

int tw_sequences_init(tw_sequences *sequences, tw_corpus *corpus, const bool *wanted)
{
    size_t threads = corpus->settings->options.threads;
    *sequences = (tw_sequences){
        .corpus = corpus,
        .rules = tw_sequence_rules_of(&corpus->settings->options, corpus->excluded),
        .own = tw_calloc(2 * threads, sizeof *sequences->own),
        .found = tw_calloc(threads, sizeof *sequences->found),
    };
    if (!sequences->own || !sequences->found)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < 2 * threads; i++)
        sequences->own[i].document = UINT32_MAX;
    return hold_all(sequences, wanted);
}

void tw_sequences_free(tw_sequences *sequences)
{
    if (!sequences->corpus) /* it was never initialised */
        return;
    size_t threads = sequences->corpus->settings->options.threads;
    for (size_t i = 0; sequences->held && i < sequences->corpus->documents.count; i++)
        tw_sequence_free(&sequences->held[i]);
    for (size_t i = 0; sequences->own && i < 2 * threads; i++)
        tw_sequence_free(&sequences->own[i].sequence);
    for (size_t i = 0; sequences->found && i < threads; i++)
        tw_passage_finder_free(&sequences->found[i]);
    tw_free(sequences->held);
    tw_free(sequences->own);
    tw_free(sequences->found);
    *sequences = (tw_sequences){0};
}

int tw_sequences_get(tw_sequences *sequences, unsigned worker, unsigned side, uint32_t document,
                     const tw_sequence **sequence)
{
    tw_own_sequence *own = &sequences->own[2 * worker + side];
    *sequence = sequences->held ? &sequences->held[document] : &own->sequence;
    if (sequences->held || own->document == document)
        return TWINSET_OK;
    own->document = UINT32_MAX;
    int status = fill_sequence(sequences, worker, document, &own->sequence);
    own->document = status == TWINSET_OK ? document : UINT32_MAX;
    return status;
}
