/* Pairs on their way to the set of candidates: packed, and handed on in batches. */
#include "band.h"

enum { BATCH = 1 << 12 };

int tw_proposer_init(tw_proposer *out, const tw_candidate_rules *rules, tw_runs *pairs,
                     unsigned worker)
{
    *out = (tw_proposer){.rules = rules, .pairs = pairs, .worker = worker};
    out->batch = tw_array(BATCH, sizeof *out->batch);
    return out->batch ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_proposer_flush(tw_proposer *out)
{
    if (out->status == TWINSET_OK && out->count > 0)
        out->status = tw_runs_add(out->pairs, out->worker, out->batch, out->count, &out->error);
    out->count = 0;
    return out->status;
}

void tw_propose(tw_proposer *out, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (out->rules->wanted && !out->rules->wanted(out->rules->context, low, high))
        return;
    out->batch[out->count++] = (uint64_t)high << 32 | low;
    if (out->count == BATCH)
        (void)tw_proposer_flush(out);
}

void tw_proposer_free(tw_proposer *out)
{
    tw_free(out->batch);
}
