/* The signatures of all documents, some at a time, so that memory stays small and they come in
 * order. */
#include "scan.h"

enum { AT_ONCE = 256 };

typedef struct sketching {
    tw_corpus *corpus;
    tw_profiles *profiles; /* by worker */
    size_t first;
    uint32_t *slots;
    uint64_t counts[AT_ONCE];
    twinset_error *error; /* of the one thread that works on a large document */
} sketching;

static int sketch_one(void *context, unsigned worker, size_t index)
{
    sketching *sketch = context;
    tw_corpus *corpus = sketch->corpus;
    uint32_t document = (uint32_t)(sketch->first + index);
    size_t hashes = corpus->settings->options.hashes;
    int status = tw_count_shingles(&sketch->profiles[worker], document, &sketch->counts[index],
                                   sketch->error);
    if (status != TWINSET_OK)
        return status;
    return tw_document_signature(&corpus->workers[worker], document,
                                 sketch->slots + index * hashes);
}

static int sketch_all(sketching *sketch, tw_signature_fn take, void *context)
{
    const tw_documents *documents = &sketch->corpus->documents;
    size_t hashes = sketch->corpus->settings->options.hashes;
    tw_loop loop = tw_settings_loop(sketch->corpus->settings, "sketching");
    int status = TWINSET_OK;
    for (; sketch->first < documents->count && status == TWINSET_OK; sketch->first += AT_ONCE) {
        size_t left = documents->count - sketch->first, count = left < AT_ONCE ? left : AT_ONCE;
        status = tw_parallel(&loop, count, sketch_one, sketch);
        for (size_t i = 0; i < count && status == TWINSET_OK; i++)
            status = take(context, documents->data[sketch->first + i].name, sketch->counts[i],
                          sketch->slots + i * hashes);
    }
    return status;
}

int tw_sketch_corpus(tw_corpus *corpus, tw_signature_fn take, void *context, twinset_error *error)
{
    const twinset_options *options = &corpus->settings->options;
    sketching sketch = {
        .corpus = corpus,
        .profiles = tw_calloc(options->threads, sizeof *sketch.profiles),
        .slots = tw_array(AT_ONCE * (size_t)options->hashes, sizeof *sketch.slots),
        .error = error,
    };
    int status = sketch.profiles && sketch.slots ? TWINSET_OK : TWINSET_NOMEM;
    for (unsigned i = 0; i < options->threads && status == TWINSET_OK; i++) {
        tw_profile_source source = tw_worker_profiles(&corpus->workers[i]);
        tw_profiles_init(&sketch.profiles[i], &source, false);
    }
    if (status == TWINSET_OK)
        status = sketch_all(&sketch, take, context);
    for (unsigned i = 0; sketch.profiles && status != TWINSET_NOMEM && i < options->threads; i++)
        tw_profiles_free(&sketch.profiles[i]);
    tw_free(sketch.profiles);
    tw_free(sketch.slots);
    return status;
}
