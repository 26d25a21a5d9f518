/* The public handle that sketches one text at a time, for programs that keep documents and
 * signatures themselves. */
#include "corpus.h"
#include "text.h"

struct twinset_sketcher {
    tw_settings *settings;
    tw_set excluded;
    tw_analyser analyser;
};

static int init_sketcher(twinset_sketcher *sketcher, const twinset_options *options,
                         twinset_error *error)
{
    int status = tw_settings_new_single(options, &sketcher->settings, error);
    if (status != TWINSET_OK)
        return status;
    sketcher->excluded = tw_settings_excluded(sketcher->settings);
    return tw_analyser_init(&sketcher->analyser, sketcher->settings, &sketcher->excluded, error);
}

int twinset_sketcher_new(const twinset_options *options, twinset_sketcher **sketcher,
                         twinset_error *error)
{
    tw_error_clear(error);
    if (!sketcher)
        return tw_missing(error, "sketcher");
    *sketcher = tw_calloc(1, sizeof **sketcher);
    if (!*sketcher)
        return tw_nomem(error);
    int status = init_sketcher(*sketcher, options, error);
    if (status != TWINSET_OK) {
        twinset_sketcher_free(*sketcher);
        *sketcher = NULL;
    }
    return tw_complete_error(error, status);
}

void twinset_sketcher_free(twinset_sketcher *sketcher)
{
    if (!sketcher)
        return;
    tw_analyser_free(&sketcher->analyser);
    tw_settings_release(sketcher->settings);
    tw_free(sketcher);
}

unsigned twinset_sketcher_hashes(const twinset_sketcher *sketcher)
{
    return sketcher ? sketcher->settings->options.hashes : 0;
}

/* ---- hash functions */

int twinset_sketcher_set_functions(twinset_sketcher *sketcher, const uint64_t *a, const uint64_t *b,
                                   uint64_t p, twinset_error *error)
{
    if (!sketcher || !a || !b)
        return tw_missing(error, !sketcher ? "sketcher" : !a ? "a" : "b");
    return tw_scheme_set_functions(sketcher->settings->scheme, a, b, p, error);
}

int twinset_sketcher_functions(const twinset_sketcher *sketcher, uint64_t *a, uint64_t *b,
                               twinset_error *error)
{
    if (!sketcher || !a || !b)
        return tw_missing(error, !sketcher ? "sketcher" : !a ? "a" : "b");
    const tw_scheme *scheme = sketcher->settings->scheme;
    int status = tw_scheme_check_linear(scheme, error);
    if (status != TWINSET_OK)
        return status;
    memcpy(a, scheme->a, scheme->hashes * sizeof *a);
    memcpy(b, scheme->b, scheme->hashes * sizeof *b);
    return TWINSET_OK;
}

/* ---- signatures */

/* Checks the arguments of a function that fills an array from `count` elements, which may be 0. */
static int check_arguments(const twinset_sketcher *sketcher, const void *from, size_t count,
                           const void *to, const char *to_name, twinset_error *error)
{
    if (!sketcher)
        return tw_missing(error, "sketcher");
    if (!from && count)
        return tw_fail(error, TWINSET_USAGE, "the input is NULL, but has %zu elements", count);
    return to ? TWINSET_OK : tw_missing(error, to_name);
}

static int sketch_text(tw_analyser *analyser, const char *text, size_t length, uint32_t *slots,
                       tw_text_summary *summary)
{
    tw_signature_begin(analyser, slots);
    int status =
        tw_analyse_text(analyser, "", text, length, 0, tw_signature_batch, analyser, summary);
    int ended = tw_signature_end(analyser);
    return status == TWINSET_OK ? ended : status;
}

int twinset_sketcher_text(twinset_sketcher *sketcher, const char *text, size_t length,
                          uint32_t *slots, twinset_error *error)
{
    int status = check_arguments(sketcher, text, length, slots, "slots", error);
    if (status != TWINSET_OK)
        return status;
    tw_text_summary summary = {0};
    status = sketch_text(&sketcher->analyser, text, length, slots, &summary);
    return status == TWINSET_OK ? status : tw_nomem(error);
}

int twinset_sketcher_document(twinset_sketcher *sketcher, const char *text, size_t length,
                              unsigned bands, unsigned rows, uint64_t *keys,
                              twinset_document *document, size_t document_size,
                              twinset_error *error)
{
    tw_text_summary summary = {0};
    int status = check_arguments(sketcher, text, length, keys, "keys", error);
    if (status != TWINSET_OK || !document)
        return document ? status : tw_missing(error, "document");
    tw_analyser *analyser = &sketcher->analyser;
    unsigned hashes = sketcher->settings->options.hashes;
    if (!rows || bands > hashes / rows)
        return tw_fail(error, TWINSET_USAGE, "a signature of %u hashes has no %u bands of %u rows",
                       hashes, bands, rows);
    status = sketch_text(analyser, text, length, analyser->slots, &summary);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    tw_make_band_keys(analyser->slots, bands, rows, keys);
    for (unsigned band = 0; band < bands; band++)
        keys[band] >>= 64 - TWINSET_KEY_BITS; /* as the key store of match/ has them */
    const twinset_document found = {
        .digest = {summary.digest[0], summary.digest[1]},
        .tokens = summary.tokens,
        .all_excluded = tw_signature_is_blank(analyser, analyser->slots),
        .flags = summary.flags,
    };
    return tw_copy_struct(document, document_size, &found, sizeof found);
}

int twinset_sketcher_values(twinset_sketcher *sketcher, const uint64_t *values, size_t count,
                            uint32_t *slots, twinset_error *error)
{
    int status = check_arguments(sketcher, values, count, slots, "slots", error);
    if (status != TWINSET_OK)
        return status;
    tw_sketch *sketch = &sketcher->analyser.sketch;
    tw_u64s *values_copy = &sketcher->analyser.values;
    status = TW_GROW(values_copy->data, values_copy->capacity, count);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    for (size_t i = 0; i < count; i++)
        values_copy->data[i] = tw_scheme_external_value(sketcher->settings->scheme, values[i]);
    tw_sketch_begin(sketch, slots);
    status = tw_sketch_add(sketch, values_copy->data, count);
    tw_sketch_end(sketch);
    return status == TWINSET_OK ? status : tw_nomem(error);
}

int twinset_sketcher_items(twinset_sketcher *sketcher, const char *const *items,
                           const size_t *lengths, size_t count, uint32_t *slots,
                           twinset_error *error)
{
    enum { BATCH_ITEMS = 1024 }; /* their values stay in the first-level cache */
    int status =
        check_arguments(sketcher, items && lengths ? items : NULL, count, slots, "slots", error);
    if (status != TWINSET_OK)
        return status;
    const tw_scheme *scheme = sketcher->settings->scheme;
    tw_sketch *sketch = &sketcher->analyser.sketch;
    bool takes_ids = tw_scheme_takes_ids(scheme);
    uint64_t values[BATCH_ITEMS];
    tw_sketch_begin(sketch, slots);
    for (size_t start = 0, batch; start < count && status == TWINSET_OK; start += batch) {
        batch = count - start < BATCH_ITEMS ? count - start : BATCH_ITEMS;
        for (size_t i = 0; i < batch; i++)
            values[i] = takes_ids ? tw_shingle_id(items[start + i], lengths[start + i]) : 0;
        tw_scheme_values(scheme, items + start, lengths + start, batch, values);
        status = tw_sketch_add(sketch, values, batch);
    }
    tw_sketch_end(sketch);
    return status == TWINSET_OK ? status : tw_nomem(error);
}

/* ---- normal texts and shingles */

int twinset_normalise(const char *text, size_t length, const twinset_options *options,
                      char **normal, size_t *normal_length, twinset_error *error)
{
    twinset_sketcher *sketcher;
    if ((!text && length) || !normal || !normal_length)
        return tw_missing(error, !normal ? "normal" : !normal_length ? "normal_length" : "text");
    int status = twinset_sketcher_new(options, &sketcher, error);
    if (status != TWINSET_OK)
        return status;
    tw_bytes out = {0};
    status = tw_analyse_normal_text(&sketcher->analyser, text, length, &out);
    twinset_sketcher_free(sketcher);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&out, "", 1);
    if (status != TWINSET_OK) {
        tw_bytes_free(&out);
        return tw_nomem(error);
    }
    *normal = out.data;
    *normal_length = out.length - 1;
    return TWINSET_OK;
}

int twinset_shingles(const char *text, size_t length, const twinset_options *options,
                     uint64_t **hashes, size_t *count, twinset_error *error)
{
    twinset_sketcher *sketcher;
    if ((!text && length) || !hashes || !count)
        return tw_missing(error, !hashes ? "hashes" : !count ? "count" : "text");
    int status = twinset_sketcher_new(options, &sketcher, error);
    if (status != TWINSET_OK)
        return status;
    tw_analyser *analyser = &sketcher->analyser;
    tw_text_summary summary;
    tw_u64s shingles = {0};
    status = TW_GROW(shingles.data, shingles.capacity, 1);
    if (status == TWINSET_OK)
        status = tw_analyse_text(analyser, "", text, length, 0, tw_append_ids, &shingles, &summary);
    if (status == TWINSET_OK)
        status = tw_analyse_set(analyser, &shingles);
    twinset_sketcher_free(sketcher);
    if (status != TWINSET_OK) {
        tw_free(shingles.data);
        return tw_nomem(error);
    }
    *hashes = shingles.data;
    *count = shingles.count;
    return TWINSET_OK;
}
