/*
 * One text at a time, for programs that keep documents and signatures themselves. A
 * sketcher is a corpus without documents: its one worker does the work.
 */
#include "corpus.h"
#include "text.h"

struct twinset_sketcher {
    tw_corpus corpus;
};

int twinset_sketcher_new(const twinset_options *options, twinset_sketcher **sketcher,
                         twinset_error *error)
{
    *sketcher = tw_calloc(1, sizeof **sketcher);
    if (!*sketcher)
        return tw_nomem(error);
    int status = tw_corpus_init_alone(&(*sketcher)->corpus, options, error);
    if (status == TWINSET_OK && tw_exclude_templates(&(*sketcher)->corpus) != TWINSET_OK)
        status = tw_nomem(error);
    if (status != TWINSET_OK) {
        twinset_sketcher_free(*sketcher);
        *sketcher = NULL;
    }
    return status;
}

void twinset_sketcher_free(twinset_sketcher *sketcher)
{
    if (!sketcher)
        return;
    tw_corpus_free(&sketcher->corpus);
    tw_free(sketcher);
}

/* ---- functions */

static int check_functions(const tw_scheme *scheme, twinset_error *error)
{
    switch (scheme->kind) {
    case TWINSET_SCHEME_AFFINE:
    case TWINSET_SCHEME_MODULAR:
    case TWINSET_SCHEME_DATASKETCH1:
    case TWINSET_SCHEME_DATASKETCH2:
        return TWINSET_OK;
    default:
        return tw_fail(error, TWINSET_USAGE,
                       "only the schemes affine, modular, datasketch1 and datasketch2 have "
                       "functions a x + b");
    }
}

int twinset_sketcher_set_functions(twinset_sketcher *sketcher, const uint64_t *a, const uint64_t *b,
                                   uint64_t p, twinset_error *error)
{
    tw_scheme *scheme = sketcher->corpus.scheme;
    bool modular = scheme->kind == TWINSET_SCHEME_MODULAR;
    int status = check_functions(scheme, error);
    if (status != TWINSET_OK)
        return status;
    if (modular && (p < 2 || p > UINT32_MAX))
        return tw_fail(error, TWINSET_USAGE, "p is %llu, but must be from 2 to 4294967295",
                       (unsigned long long)p);
    for (size_t i = 0; i < scheme->hashes; i++) {
        scheme->a[i] = modular ? a[i] % p : a[i];
        scheme->b[i] = modular ? b[i] % p : b[i];
    }
    scheme->p = p;
    return TWINSET_OK;
}

int twinset_sketcher_functions(const twinset_sketcher *sketcher, uint64_t *a, uint64_t *b,
                               twinset_error *error)
{
    const tw_scheme *scheme = sketcher->corpus.scheme;
    int status = check_functions(scheme, error);
    if (status != TWINSET_OK)
        return status;
    memcpy(a, scheme->a, scheme->hashes * sizeof *a);
    memcpy(b, scheme->b, scheme->hashes * sizeof *b);
    return TWINSET_OK;
}

/* ---- signatures */

static int sketch_text(tw_corpus *corpus, const char *text, size_t length, tw_text_summary *summary)
{
    tw_worker *worker = &corpus->workers[0];
    worker->values.count = 0;
    int status = tw_text_shingle(worker, "", text, length, 0, tw_signature_batch, worker, summary);
    if (status != TWINSET_OK || !corpus->options.bag)
        return status;
    return tw_signature_finish_bag(worker);
}

int twinset_sketcher_text(twinset_sketcher *sketcher, const char *text, size_t length,
                          uint32_t *slots, twinset_error *error)
{
    tw_corpus *corpus = &sketcher->corpus;
    tw_sketch *sketch = &corpus->workers[0].sketch;
    tw_text_summary summary = {0};
    tw_sketch_begin(sketch, slots);
    int status = sketch_text(corpus, text, length, &summary);
    tw_sketch_end(sketch);
    return status == TWINSET_OK ? status : tw_nomem(error);
}

int twinset_sketcher_document(twinset_sketcher *sketcher, const char *text, size_t length,
                              unsigned bands, unsigned rows, uint64_t *keys,
                              twinset_document *document, twinset_error *error)
{
    tw_corpus *corpus = &sketcher->corpus;
    tw_worker *worker = &corpus->workers[0];
    tw_text_summary summary = {0};
    if (!rows || bands > corpus->options.hashes / rows)
        return tw_fail(error, TWINSET_USAGE, "a signature of %u hashes has no %u bands of %u rows",
                       corpus->options.hashes, bands, rows);
    tw_sketch_begin(&worker->sketch, worker->slots);
    int status = sketch_text(corpus, text, length, &summary);
    tw_sketch_end(&worker->sketch);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    tw_band_keys(worker->slots, bands, rows, keys);
    for (unsigned band = 0; band < bands; band++)
        keys[band] >>= 64 - TWINSET_KEY_BITS; /* as match/keys.c keeps them */
    *document = (twinset_document){
        .digest = {summary.digest[0], summary.digest[1]},
        .tokens = summary.tokens,
        .blank = tw_signature_is_blank(corpus, worker->slots),
        .flags = summary.flags,
    };
    return TWINSET_OK;
}

int twinset_sketcher_values(twinset_sketcher *sketcher, const uint64_t *values, size_t count,
                            uint32_t *slots, twinset_error *error)
{
    tw_worker *worker = &sketcher->corpus.workers[0];
    int status = TW_GROW(worker->values.data, worker->values.capacity, count);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    for (size_t i = 0; i < count; i++)
        worker->values.data[i] = tw_scheme_foreign(sketcher->corpus.scheme, values[i]);
    tw_sketch_begin(&worker->sketch, slots);
    status = tw_sketch_add(&worker->sketch, worker->values.data, count);
    tw_sketch_end(&worker->sketch);
    return status == TWINSET_OK ? status : tw_nomem(error);
}

int twinset_sketcher_items(twinset_sketcher *sketcher, const char *const *items,
                           const size_t *lengths, size_t count, uint32_t *slots,
                           twinset_error *error)
{
    enum { AT_ONCE = 1024 }; /* stay in the nearest cache */
    const tw_scheme *scheme = sketcher->corpus.scheme;
    tw_sketch *sketch = &sketcher->corpus.workers[0].sketch;
    bool ids = tw_scheme_takes_ids(scheme);
    uint64_t values[AT_ONCE];
    int status = TWINSET_OK;
    tw_sketch_begin(sketch, slots);
    for (size_t at = 0, some; at < count && status == TWINSET_OK; at += some) {
        some = count - at < AT_ONCE ? count - at : AT_ONCE;
        for (size_t i = 0; i < some; i++)
            values[i] = ids ? tw_shingle_id(items[at + i], lengths[at + i]) : 0;
        tw_scheme_values(scheme, items + at, lengths + at, some, values);
        status = tw_sketch_add(sketch, values, some);
    }
    tw_sketch_end(sketch);
    return status == TWINSET_OK ? status : tw_nomem(error);
}

/* ---- what is behind a signature */

int twinset_normalise(const char *text, size_t length, const twinset_options *options,
                      char **normal, size_t *normal_length, twinset_error *error)
{
    twinset_sketcher *sketcher;
    int status = twinset_sketcher_new(options, &sketcher, error);
    if (status != TWINSET_OK)
        return status;
    tw_bytes out = {0};
    status = tw_text_normal(&sketcher->corpus.workers[0], text, length, &out);
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
    int status = twinset_sketcher_new(options, &sketcher, error);
    if (status != TWINSET_OK)
        return status;
    tw_worker *worker = &sketcher->corpus.workers[0];
    tw_text_summary summary;
    tw_u64s ids = {0};
    status = TW_GROW(ids.data, ids.capacity, 1);
    if (status == TWINSET_OK)
        status = tw_text_shingle(worker, "", text, length, 0, tw_append_ids, &ids, &summary);
    if (status == TWINSET_OK)
        status = tw_corpus_make_set(&sketcher->corpus, worker, &ids);
    twinset_sketcher_free(sketcher);
    if (status != TWINSET_OK) {
        tw_free(ids.data);
        return tw_nomem(error);
    }
    *hashes = ids.data;
    *count = ids.count;
    return TWINSET_OK;
}
