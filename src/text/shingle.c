/*
 * Shingles: a document goes through in chunks of 32 KiB, small enough that what each step hands to
 * the next is still in the L2 cache. Bytes whose meaning depends on what follows are carried over
 * to the next chunk, and so are the last k-1 tokens.
 */
#include "shingle.h"

#include <string.h>

#include "confusables.h"
#include "normalise.h"
#include "omit.h"
#include "text_digest.h"
#include "tokens.h"
#include "window.h"

/* Bytes of text that are taken at once, and of tokens that the sink gets at once, at least. */
enum { CHUNK = 32 << 10, BATCH = CHUNK / 2 };

struct tw_shingler {
    const twinset_options *options;
    tw_normaliser normaliser;
    tw_tokens tokens;
    tw_bytes undone; /* the text without its look-alikes */
    tw_spans excluded;
    tw_bytes carried; /* bytes of the last chunk for the next one */
    /* The current document. */
    tw_shingles_fn sink;
    void *context;
    tw_bytes *copy;                 /* of the tokens' text, or NULL */
    size_t full;                    /* length of the tokens' text at which the sink gets them */
    uint64_t count;                 /* shingles so far */
    bool seams;                     /* something was left out */
    tw_text_digest digest, omitted; /* of the tokens, and of what was left out */
};

twinset_options tw_word_options(const twinset_options *options)
{
    twinset_options words = *options;
    words.by = TWINSET_BY_WORD;
    words.k = 1;
    words.stop = NULL;
    words.punctuation = TWINSET_PUNCTUATION_KEEP;
    words.quotations = words.bibliography = 0;
    return words;
}

int tw_shingler_new(const twinset_options *options, const tw_stop_list *stop,
                    tw_shingler **shingler, twinset_error *error)
{
    *shingler = tw_calloc(1, sizeof **shingler);
    if (!*shingler)
        return tw_nomem(error);
    (*shingler)->options = options;
    tw_normaliser_init(&(*shingler)->normaliser, options, stop != NULL);
    tw_tokens_init(&(*shingler)->tokens, options, stop);
    return TWINSET_OK;
}

void tw_shingler_free(tw_shingler *shingler)
{
    if (!shingler)
        return;
    tw_normaliser_free(&shingler->normaliser);
    tw_tokens_free(&shingler->tokens);
    tw_bytes_free(&shingler->carried);
    tw_bytes_free(&shingler->undone);
    tw_spans_free(&shingler->excluded);
    tw_free(shingler);
}

/* ---- batches */

static void hash_windows(const tw_shingles *batch, uint64_t *ids)
{
    if (batch->start)
        tw_window_ids_at(batch->text, batch->start, batch->count, batch->k, batch->gap, ids);
    else
        tw_window_ids(batch->text, batch->count, batch->k, ids);
}

/* Sends the shingles of the current run of tokens to the sink: all of k, or the only shorter one.
 */
static int send_batch(tw_shingler *shingler, size_t k)
{
    const tw_tokens *tokens = &shingler->tokens;
    tw_shingles batch = {
        .count = tokens->count - k + 1,
        .text = tokens->text.data + tokens->at,
        .start = tokens->single_bytes ? NULL : tokens->start,
        .k = k,
        .gap = shingler->options->by == TWINSET_BY_WORD,
        .seams = shingler->seams,
    };
    return shingler->sink(shingler->context, &batch);
}

/* Sends the shingles of all settled tokens to the sink, and keeps the last k-1 tokens. */
static int send_settled(tw_shingler *shingler)
{
    tw_tokens *tokens = &shingler->tokens;
    size_t k = shingler->options->k;
    int status;
    do {
        status = tw_tokens_find_run(tokens, k);
        if (status != TWINSET_OK || tokens->count < k)
            return status;
        if (shingler->sink)
            status = send_batch(shingler, k);
        shingler->count += tokens->count - k + 1;
    } while (tw_tokens_pass_run(tokens, k - 1) && status == TWINSET_OK);
    return status;
}

/* Settles what can be settled of the text so far, and sends its shingles. */
static int settle(tw_shingler *shingler, bool last)
{
    tw_tokens *tokens = &shingler->tokens;
    size_t before = tokens->settled;
    int status = tw_tokens_settle(tokens, last);
    if (status != TWINSET_OK)
        return status;
    const char *text = tokens->text.data + before;
    tw_text_digest_add(&shingler->digest, text, tokens->settled - before);
    if (shingler->copy)
        status = tw_bytes_append(shingler->copy, text, tokens->settled - before);
    return status == TWINSET_OK ? send_settled(shingler) : status;
}

/* ---- a document */

int tw_shingle_begin(tw_shingler *shingler, tw_shingles_fn sink, void *context)
{
    tw_normaliser_reset(&shingler->normaliser);
    tw_tokens_reset(&shingler->tokens);
    tw_text_digest_begin(&shingler->digest);
    tw_text_digest_begin(&shingler->omitted);
    shingler->sink = sink;
    shingler->context = context;
    shingler->copy = NULL;
    shingler->carried.length = 0;
    shingler->count = 0;
    shingler->seams = false;
    shingler->full = BATCH;
    return tw_bytes_reserve(&shingler->tokens.text, CHUNK + TW_SLACK);
}

/* Normalises what it can of the text. *taken is how many bytes that is. */
static int take(tw_shingler *shingler, const char *text, size_t length, bool last, size_t *taken)
{
    tw_tokens *tokens = &shingler->tokens;
    int status = tw_normalise(&shingler->normaliser, text, length, last, taken, &tokens->text);
    if (status != TWINSET_OK || tokens->text.length < shingler->full)
        return status;
    status = settle(shingler, false);
    tw_tokens_drop_passed(tokens);
    shingler->full = tokens->text.length + BATCH;
    return status;
}

/* Takes the carried bytes together with as much of the text as settles them. */
static int take_carried(tw_shingler *shingler, const char *text, size_t length, size_t *taken)
{
    tw_bytes *carried = &shingler->carried;
    size_t before = carried->length, more = length < TW_HELD_BYTES ? length : TW_HELD_BYTES,
           done = 0;
    int status = tw_bytes_append(carried, text, more);
    if (status == TWINSET_OK)
        status = take(shingler, carried->data, carried->length, false, &done);
    carried->length -= done;
    if (done >= before) {
        *taken = done - before;
        carried->length = 0;
        return status;
    }
    *taken = more;
    memmove(carried->data, carried->data + done, carried->length);
    return status;
}

static int take_all(tw_shingler *shingler, const char *text, size_t length, bool last)
{
    int status = TWINSET_OK;
    for (size_t taken; length && status == TWINSET_OK; text += taken, length -= taken) {
        size_t chunk = length < CHUNK ? length : CHUNK;
        taken = 0;
        if (shingler->carried.length) {
            status = take_carried(shingler, text, length, &taken);
            continue;
        }
        status = take(shingler, text, chunk, last && chunk == length, &taken);
        if (chunk == length && status == TWINSET_OK)
            return tw_bytes_append(&shingler->carried, text + taken, length - taken);
    }
    return status;
}

/* Takes the text between the spans that are left out, with a seam for each span. */
static int take_between_omissions(tw_shingler *shingler, const char *text, size_t length)
{
    const tw_spans *spans = &shingler->excluded;
    size_t at = 0, omitted = 0;
    int status = tw_omissions_find(shingler->options, text, length, &shingler->excluded);
    shingler->seams = spans->count > 0;
    for (size_t i = 0; i < spans->count && status == TWINSET_OK; i++) {
        tw_span span = spans->data[i];
        status = take_all(shingler, text + at, span.start - at, true);
        if (status == TWINSET_OK)
            status = tw_tokens_add_seam(&shingler->tokens);
        tw_normaliser_resume(&shingler->normaliser);
        tw_text_digest_add(&shingler->omitted, text + span.start, span.end - span.start);
        omitted += span.end - span.start;
        at = span.end;
    }
    if (omitted > length / 2)
        shingler->normaliser.flags |= TWINSET_FLAG_MOSTLY_QUOTED;
    return status == TWINSET_OK ? take_all(shingler, text + at, length - at, true) : status;
}

/* Takes a whole document, in which look-alikes can be judged by the words around them. */
static int take_document(tw_shingler *shingler, const char *text, size_t length)
{
    bool changed, undone;
    shingler->undone.length = 0;
    int status = tw_undo_confusables(text, length, &shingler->undone, &changed, &undone);
    if (undone)
        shingler->normaliser.flags |= TWINSET_FLAG_HOMOGLYPHS;
    if (status != TWINSET_OK)
        return status;
    if (changed) {
        text = shingler->undone.data;
        length = shingler->undone.length;
    }
    return tw_options_omit_text(shingler->options) ? take_between_omissions(shingler, text, length)
                                                   : take_all(shingler, text, length, true);
}

int tw_shingle_feed(tw_shingler *shingler, const char *text, size_t length)
{
    return take_all(shingler, text, length, false);
}

/* Texts with different spans left out get different digests. */
static void end_digest(tw_shingler *shingler, uint64_t digest[2])
{
    uint64_t omitted[2];
    tw_text_digest_end(&shingler->digest, digest);
    if (!shingler->seams)
        return;
    tw_text_digest_end(&shingler->omitted, omitted);
    digest[0] ^= tw_mix64(omitted[0]);
    digest[1] ^= tw_mix64(omitted[1]);
}

int tw_shingle_end(tw_shingler *shingler, tw_text_summary *summary)
{
    tw_bytes *carried = &shingler->carried;
    size_t taken;
    int status = TWINSET_OK;
    if (carried->length)
        status = tw_normalise(&shingler->normaliser, carried->data, carried->length, true, &taken,
                              &shingler->tokens.text);
    if (status == TWINSET_OK)
        status = settle(shingler, true);
    if (status != TWINSET_OK)
        return status;
    *summary = (tw_text_summary){.tokens = shingler->count + shingler->options->k - 1,
                                 .flags = shingler->normaliser.flags};
    end_digest(shingler, summary->digest);
    if (shingler->count)
        return TWINSET_OK;
    summary->tokens = shingler->tokens.count;
    if (!summary->tokens || !shingler->sink)
        return TWINSET_OK;
    return send_batch(shingler, shingler->tokens.count);
}

int tw_shingle(tw_shingler *shingler, const char *text, size_t length, tw_shingles_fn sink,
               void *context, tw_text_summary *summary)
{
    int status = tw_shingle_begin(shingler, sink, context);
    if (status == TWINSET_OK)
        status = take_document(shingler, text, length);
    return status == TWINSET_OK ? tw_shingle_end(shingler, summary) : status;
}

/* Sets the ids of windows with a seam in them, which are no shingles. */
static void mark_seams(const tw_shingles *batch, uint64_t *ids)
{
    const size_t *start = batch->start;
    size_t k = batch->k, after_seam = 0; /* the index after the last seam */
    for (size_t i = 0; i < batch->count + k - 1; i++) {
        if (tw_is_seam(batch->text + start[i], start[i + 1] - batch->gap - start[i]))
            after_seam = i + 1;
        if (i + 1 >= k && after_seam > i + 1 - k)
            ids[i + 1 - k] = TW_SEAM_ID;
    }
}

int tw_append_ids(void *context, const tw_shingles *batch)
{
    tw_u64s *ids = context;
    int status = TW_GROW(ids->data, ids->capacity, ids->count + batch->count);
    if (status != TWINSET_OK)
        return status;
    uint64_t *added = ids->data + ids->count;
    hash_windows(batch, added);
    for (size_t i = 0; i < batch->count && batch->kind != TW_SHINGLE_TEXT; i++)
        added[i] = tw_id_with_kind(added[i], batch->kind);
    if (batch->seams && batch->start)
        mark_seams(batch, added);
    ids->count += batch->count;
    return TWINSET_OK;
}

/* Replaces seams by line breaks, which are one token as well. */
static void show_seams(tw_bytes *text, size_t from)
{
    size_t to = from;
    for (size_t at = from; at < text->length; to++) {
        bool seam =
            text->length - at >= TW_SEAM_LENGTH && tw_is_seam(text->data + at, TW_SEAM_LENGTH);
        text->data[to] = seam ? '\n' : text->data[at];
        at += seam ? TW_SEAM_LENGTH : 1;
    }
    text->length = to;
}

int tw_shingler_token_text(tw_shingler *shingler, const char *text, size_t length, tw_bytes *out)
{
    tw_text_summary summary;
    size_t before = out->length;
    int status = tw_shingle_begin(shingler, NULL, NULL);
    shingler->copy = out;
    if (status == TWINSET_OK)
        status = take_document(shingler, text, length);
    if (status == TWINSET_OK)
        status = tw_shingle_end(shingler, &summary);
    if (status == TWINSET_OK && summary.tokens && shingler->options->by == TWINSET_BY_WORD)
        out->length--; /* the space after the last word */
    if (status == TWINSET_OK && shingler->seams)
        show_seams(out, before);
    return status;
}
