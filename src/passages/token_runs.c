/* Lists of token runs, the files that runs are in, and the buffers by which stages sort them. */
#include "passage_stages.h"

size_t tw_token_file(const tw_token_sequence *tokens, uint32_t token)
{
    size_t low = 0, high = tokens->break_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tokens->breaks[middle] <= token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t tw_token_file_end(const tw_token_sequence *tokens, uint32_t token)
{
    size_t file = tw_token_file(tokens, token);
    return file < tokens->break_count ? tokens->breaks[file] : (uint32_t)tokens->count;
}

int tw_token_runs_add(tw_token_runs *runs, tw_token_run run)
{
    int status = TW_GROW(runs->data, runs->capacity, runs->count + 1);
    if (status == TWINSET_OK)
        runs->data[runs->count++] = run;
    return status;
}

int tw_sort_buffers_reserve(tw_sort_buffers *buffers, size_t count)
{
    int status = TW_GROW(buffers->keys, buffers->key_capacity, count);
    if (status == TWINSET_OK)
        status = TW_GROW(buffers->sorted, buffers->sorted_capacity, 2 * count);
    if (status == TWINSET_OK)
        status = TW_GROW(buffers->numbers, buffers->number_capacity, 4 * count + 1);
    return status;
}

void tw_sort_buffers_free(tw_sort_buffers *buffers)
{
    tw_free(buffers->keys);
    tw_free(buffers->sorted);
    tw_free(buffers->numbers);
}
