/*
 * Shingles: the document goes through in pieces of 32 KiB, small enough that what each
 * step leaves for the next is still in the second-level cache. The last k-1 tokens of a
 * piece stay for the next.
 */
#include <string.h>

#include "text/shingle_id.h"
#include "text/text.h"

enum { PIECE = 32 << 10 };

struct tw_shingler {
    const twinset_options *options;
    tw_normaliser normaliser;
    tw_tokeniser tokeniser;
    tw_bytes normal;
    uint64_t *ids;
    size_t capacity;
};

int tw_shingler_new(const twinset_options *options, const tw_stop_list *stop,
                    tw_shingler **shingler, twinset_error *error)
{
    *shingler = tw_calloc(1, sizeof **shingler);
    if (!*shingler)
        return tw_nomem(error);
    (*shingler)->options = options;
    tw_normaliser_init(&(*shingler)->normaliser, options);
    tw_tokeniser_init(&(*shingler)->tokeniser, options, stop);
    return TWINSET_OK;
}

void tw_shingler_free(tw_shingler *shingler)
{
    if (!shingler)
        return;
    tw_normaliser_free(&shingler->normaliser);
    tw_tokeniser_free(&shingler->tokeniser);
    tw_bytes_free(&shingler->normal);
    tw_free(shingler->ids);
    tw_free(shingler);
}

/* Normalises the next piece and adds its tokens; tells how long it was. */
static int take_piece(tw_shingler *shingler, const char *text, size_t length, size_t *taken)
{
    *taken = tw_normalise_cut(text, length, PIECE);
    shingler->normal.length = 0;
    int status = tw_normalise(&shingler->normaliser, text, *taken, &shingler->normal);
    if (status != TWINSET_OK)
        return status;
    return tw_tokenise(&shingler->tokeniser, shingler->normal.data, shingler->normal.length,
                       *taken == length);
}

static void hash_windows(tw_shingles *batch, uint64_t *ids)
{
    if (!batch->start) {
        for (size_t i = 0; i < batch->count; i++)
            ids[i] = tw_shingle_id(batch->text + i, batch->k);
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        size_t length;
        const char *bytes = tw_shingle_bytes(batch, i, &length);
        ids[i] = tw_shingle_id(bytes, length);
    }
}

/* Two chains of multiplications over the ids: what two texts differ in by chance is one
 * of 2^128. */
static void digest_ids(tw_text_summary *summary, const uint64_t *ids, size_t count)
{
    uint64_t first = summary->digest[0], second = summary->digest[1];
    for (size_t i = 0; i < count; i++) {
        first = (first ^ ids[i]) * 0x9E3779B97F4A7C15u;
        first ^= first >> 32;
        second = (second + ids[i]) * 0xD6E8FEB86659FD93u;
        second ^= second >> 29;
    }
    summary->digest[0] = first;
    summary->digest[1] = second;
}

/* Hands over the shingles of the tokens at hand: all of k, or the only shorter one. */
static int give_batch(tw_shingler *shingler, size_t k, tw_shingles_fn sink, void *context,
                      tw_text_summary *summary)
{
    const tw_tokeniser *tokens = &shingler->tokeniser;
    tw_shingles batch = {
        .count = tokens->count - k + 1,
        .text = tokens->text.data,
        .start = tokens->single_bytes ? NULL : tokens->start,
        .k = k,
        .gap = shingler->options->by == TWINSET_BY_WORD,
    };
    int status = TW_GROW(shingler->ids, shingler->capacity, batch.count);
    if (status != TWINSET_OK)
        return status;
    hash_windows(&batch, shingler->ids);
    batch.ids = shingler->ids;
    digest_ids(summary, batch.ids, batch.count);
    summary->shingles += batch.count;
    return sink(context, &batch);
}

int tw_shingle(tw_shingler *shingler, const char *text, size_t length, tw_shingles_fn sink,
               void *context, tw_text_summary *summary)
{
    tw_tokeniser *tokens = &shingler->tokeniser;
    size_t k = shingler->options->k, kept = 0;
    *summary = (tw_text_summary){0};
    tw_normaliser_reset(&shingler->normaliser);
    tw_tokeniser_reset(tokens);
    for (size_t at = 0, taken; at < length; at += taken) {
        int status = take_piece(shingler, text + at, length - at, &taken);
        if (status == TWINSET_OK)
            status = tw_tokens_index(tokens);
        if (status != TWINSET_OK)
            return status;
        summary->tokens += tokens->count - kept;
        if (tokens->count >= k) {
            status = give_batch(shingler, k, sink, context, summary);
            if (status != TWINSET_OK)
                return status;
            tw_tokens_drop(tokens, k - 1);
        }
        kept = tokens->count;
    }
    summary->flags = shingler->normaliser.flags;
    if (summary->shingles || !summary->tokens)
        return TWINSET_OK;
    return give_batch(shingler, tokens->count, sink, context, summary);
}

int tw_append_ids(void *context, const tw_shingles *batch)
{
    tw_u64s *ids = context;
    int status = TW_GROW(ids->data, ids->capacity, ids->count + batch->count);
    if (status != TWINSET_OK)
        return status;
    memcpy(ids->data + ids->count, batch->ids, batch->count * sizeof *batch->ids);
    ids->count += batch->count;
    return TWINSET_OK;
}

int tw_shingler_text(tw_shingler *shingler, const char *text, size_t length, tw_bytes *out)
{
    tw_normaliser_reset(&shingler->normaliser);
    tw_tokeniser_reset(&shingler->tokeniser);
    for (size_t at = 0, taken; at < length; at += taken) {
        int status = take_piece(shingler, text + at, length - at, &taken);
        if (status != TWINSET_OK)
            return status;
    }
    return tw_bytes_append(out, shingler->tokeniser.text.data, shingler->tokeniser.text.length);
}
