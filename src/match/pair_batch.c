/* Candidates of one worker on their way to the set of pairs: packed, and added in batches. */
#include "candidate_search.h"

enum { BATCH = 1 << 12 };

int tw_pair_batch_init(tw_pair_batch *batch, const tw_candidate_rules *rules, tw_number_set *pairs,
                       unsigned worker)
{
    *batch = (tw_pair_batch){.rules = rules, .pairs = pairs, .worker = worker};
    batch->packed = tw_array(BATCH, sizeof *batch->packed);
    return batch->packed ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_pair_batch_flush(tw_pair_batch *batch)
{
    if (batch->status == TWINSET_OK && batch->count > 0)
        batch->status = tw_number_set_add(batch->pairs, batch->worker, batch->packed, batch->count,
                                          &batch->error);
    batch->count = 0;
    return batch->status;
}

void tw_pair_batch_propose(tw_pair_batch *batch, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (batch->rules->wanted && !batch->rules->wanted(batch->rules->context, low, high))
        return;
    batch->packed[batch->count++] = (uint64_t)high << 32 | low;
    if (batch->count == BATCH)
        (void)tw_pair_batch_flush(batch);
}

void tw_pair_batch_free(tw_pair_batch *batch)
{
    tw_free(batch->packed);
}
