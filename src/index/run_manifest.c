/* The manifest: one row that says what an index holds. Every batch writes it anew, so that a batch
 * is in the index whole or not at all. */
#include "store.h"
#include "varint.h"

#define TW_MAGIC 0x5844495445534E54u /* "TNSETIDX" as bytes */

static void free_runs(tw_manifest *manifest)
{
    for (size_t i = 0; i < manifest->run_count; i++)
        tw_free(manifest->runs[i].segments);
    tw_free(manifest->runs);
    manifest->runs = NULL;
    manifest->run_count = manifest->run_capacity = 0;
}

void tw_manifest_free(tw_manifest *manifest)
{
    free_runs(manifest);
    tw_bytes_free(&manifest->parameters);
    *manifest = (tw_manifest){0};
}

uint64_t tw_run_postings(const tw_run *run)
{
    uint64_t postings = 0;
    for (size_t i = 0; i < run->count; i++)
        postings += run->segments[i].postings;
    return postings;
}

tw_run *tw_manifest_add_run(tw_manifest *manifest)
{
    if (TW_GROW(manifest->runs, manifest->run_capacity, manifest->run_count + 1) != TWINSET_OK)
        return NULL;
    tw_run *run = &manifest->runs[manifest->run_count++];
    *run = (tw_run){0};
    return run;
}

void tw_manifest_drop_empty(tw_manifest *manifest)
{
    size_t kept = 0;
    for (size_t i = 0; i < manifest->run_count; i++) {
        if (manifest->runs[i].count || manifest->runs[i].job)
            manifest->runs[kept++] = manifest->runs[i];
        else
            tw_free(manifest->runs[i].segments);
    }
    manifest->run_count = kept;
}

/* ---- as bytes */

/* What an index keeps beside the keys of signatures, as bits. */
enum { KEEPS_TEXTS = 1, KEEPS_FINGERPRINTS = 2 };

unsigned tw_manifest_version(const tw_manifest *manifest)
{
    return manifest->has_fingerprints ? TWINSET_INDEX_VERSION : 1;
}

/* The fields of fixed width, in their order. */
#define FIELDS(DO)                                                                                 \
    DO(identity)                                                                                   \
    DO(batches)                                                                                    \
    DO(next_document) DO(next_segment) DO(next_job) DO(documents) DO(tokens) DO(text_bytes)

static int write_runs(const tw_manifest *manifest, tw_bytes *out)
{
    int status = tw_put_u32(out, (uint32_t)manifest->run_count);
    for (size_t i = 0; i < manifest->run_count && status == TWINSET_OK; i++) {
        const tw_run *run = &manifest->runs[i];
        status = tw_put_u64(out, run->from);
        if (status == TWINSET_OK)
            status = tw_put_u64(out, run->job);
        if (status == TWINSET_OK)
            status = tw_put_u8(out, run->is_output);
        if (status == TWINSET_OK)
            status = tw_put_u32(out, (uint32_t)run->count);
        for (size_t j = 0; j < run->count && status == TWINSET_OK; j++) {
            const tw_segment *segment = &run->segments[j];
            status = tw_put_u64(out, segment->id);
            if (status == TWINSET_OK)
                status = tw_put_u64(out, segment->first);
            if (status == TWINSET_OK)
                status = tw_put_u32(out, (uint32_t)segment->postings);
            if (status == TWINSET_OK)
                status = tw_put_u32(out, segment->revision);
        }
    }
    return status;
}

int tw_manifest_write(const tw_manifest *manifest, tw_bytes *out)
{
    out->length = 0;
    int status = tw_put_u64(out, 0);
    if (status == TWINSET_OK)
        status = tw_put_u64(out, TW_MAGIC);
    if (status == TWINSET_OK)
        status = tw_put_u32(out, tw_manifest_version(manifest));
#define PUT(name)                                                                                  \
    if (status == TWINSET_OK)                                                                      \
        status = tw_put_u64(out, manifest->name);
    FIELDS(PUT)
#undef PUT
    if (status == TWINSET_OK)
        status = tw_put_u8(out, (unsigned char)(manifest->has_texts * KEEPS_TEXTS |
                                                manifest->has_fingerprints * KEEPS_FINGERPRINTS));
    if (status == TWINSET_OK)
        status = tw_put_u32(out, manifest->bands);
    if (status == TWINSET_OK)
        status = tw_put_u32(out, manifest->rows);
    if (status == TWINSET_OK)
        status = tw_put_bytes(out, manifest->parameters.data, manifest->parameters.length);
    if (status == TWINSET_OK)
        status = write_runs(manifest, out);
    if (status == TWINSET_OK) {
        uint64_t sum = tw_checksum(out->data + 8, out->length - 8, 0);
        memcpy(out->data, &sum, sizeof sum);
    }
    return status;
}

static int read_run(tw_manifest *manifest, tw_field_reader *fields)
{
    enum { SEGMENT_BYTES = 24 };
    tw_run *run = tw_manifest_add_run(manifest);
    if (!run)
        return TWINSET_NOMEM;
    run->from = tw_get_u64(fields);
    run->job = tw_get_u64(fields);
    run->is_output = tw_get_u8(fields) != 0;
    uint32_t count = tw_get_u32(fields);
    if (fields->failed || count > (size_t)(fields->end - fields->at) / SEGMENT_BYTES) {
        fields->failed = true;
        return TWINSET_OK;
    }
    int status = TW_GROW(run->segments, run->capacity, count);
    for (uint32_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_segment *segment = &run->segments[run->count++];
        segment->id = tw_get_u64(fields);
        segment->first = tw_get_u64(fields);
        segment->postings = tw_get_u32(fields);
        segment->revision = tw_get_u32(fields);
    }
    return status;
}

bool tw_manifest_read(tw_manifest *manifest, const void *data, size_t length, int *status)
{
    const char *bytes = data;
    *status = TWINSET_OK;
    if (length < 20 || tw_load64(bytes) != tw_checksum(bytes + 8, length - 8, 0))
        return false;
    tw_field_reader fields = {bytes + 8, bytes + length, false};
    if (tw_get_u64(&fields) != TW_MAGIC)
        return false;
    uint32_t version = tw_get_u32(&fields);
    free_runs(manifest);
#define GET(name) manifest->name = tw_get_u64(&fields);
    FIELDS(GET)
#undef GET
    unsigned keeps = tw_get_u8(&fields);
    manifest->has_texts = keeps & KEEPS_TEXTS;
    manifest->has_fingerprints = keeps & KEEPS_FINGERPRINTS;
    manifest->bands = tw_get_u32(&fields);
    manifest->rows = tw_get_u32(&fields);
    *status = tw_get_bytes(&fields, &manifest->parameters);
    uint32_t runs = tw_get_u32(&fields);
    for (uint32_t i = 0; i < runs && *status == TWINSET_OK && !fields.failed; i++)
        *status = read_run(manifest, &fields);
    bool is_sane = !fields.failed && fields.at == fields.end && manifest->bands > 0 &&
                   manifest->bands + manifest->has_fingerprints <= TW_INDEX_MOST_BANDS &&
                   manifest->rows > 0 && version == tw_manifest_version(manifest);
    return *status != TWINSET_OK || is_sane;
}
