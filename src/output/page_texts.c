/*
 * The blocks of the report that stand after its script: passages, and the text of each document,
 * packed by itself so that a page of many documents opens at once. Pairs are taken in their order,
 * a batch at a time on all threads, until passages and texts reach the limit for their size; what
 * comes first is the same for any number of threads.
 */
#include "page.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum {
    BATCH = 256,
    BLOCK_BYTES = 70 /* of what stands around a block of data */
};

/* ---- packing */

int tw_report_pack(const tw_bytes *text, tw_bytes *packed)
{
    uLongf bytes = compressBound(text->length);
    int status = tw_bytes_reserve(packed, bytes);
    if (status != TWINSET_OK)
        return status;
    if (compress((Bytef *)packed->data, &bytes, (const Bytef *)text->data, text->length) != Z_OK)
        return TWINSET_NOMEM;
    packed->length = bytes;
    return TWINSET_OK;
}

/* Packs the texts of a document, without the words that are blacked out. */
static int pack_document(const tw_report *report, tw_shown_document *shown, twinset_error *error)
{
    const tw_text_store *kept = report->result->kept;
    size_t count = tw_text_store_count(kept, shown->document);
    int status = TWINSET_OK;
    shown->texts = tw_calloc(count + 1, sizeof *shown->texts);
    if (!shown->texts)
        return TWINSET_NOMEM;
    shown->text_count = count;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const char *name;
        tw_bytes text = {0};
        status = tw_text_store_read(kept, shown->document, i, &name, &text, error);
        tw_report_mask(report, text.data, text.length);
        if (status == TWINSET_OK)
            status = tw_report_pack(&text, &shown->texts[i]);
        tw_bytes_free(&text);
    }
    return status;
}

/* How many bytes a packed block takes in the page. */
static uint64_t size_of_block(const tw_bytes *packed)
{
    return BLOCK_BYTES + (packed->length + 2) / 3 * 4;
}

/* How many bytes the texts of a document take in the page. */
static uint64_t size_of_texts(const tw_shown_document *shown)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < shown->text_count; i++)
        bytes += size_of_block(&shown->texts[i]);
    return bytes;
}

/* ---- collecting, within the limit */

/* A batch of pairs, or of documents. */
typedef struct batch {
    tw_report *report;
    twinset_error *error;
    size_t first;                /* of the pairs */
    size_t documents[2 * BATCH]; /* indices of shown documents that are to be packed */
    size_t document_count;
} batch;

static int find_one(void *context, unsigned worker, size_t index)
{
    const batch *of = context;
    return tw_report_find_passages(of->report, of->first + index, worker == 0 ? of->error : NULL);
}

static int pack_one(void *context, unsigned worker, size_t index)
{
    const batch *of = context;
    return pack_document(of->report, &of->report->shown[of->documents[index]],
                         worker == 0 ? of->error : NULL);
}

static void add_document(batch *to, uint32_t document)
{
    size_t index = tw_report_index(to->report, document);
    if (to->report->shown[index].is_packed)
        return;
    to->report->shown[index].is_packed = true;
    to->documents[to->document_count++] = index;
}

static int pack_batch(batch *of)
{
    tw_loop loop = {.threads = of->report->result->options.threads, .stage = "texts"};
    int status = tw_parallel(&loop, of->document_count, pack_one, of);
    of->document_count = 0;
    return status;
}

/* Takes the size of a document's texts from what is left, and shows them if they fit. */
static bool take_texts(tw_report *report, uint32_t document, uint64_t *left)
{
    tw_shown_document *shown = &report->shown[tw_report_index(report, document)];
    uint64_t bytes = shown->has_text ? 0 : size_of_texts(shown);
    if (bytes > *left)
        return false;
    *left -= bytes;
    shown->has_text = true;
    return true;
}

/* Takes a pair from what is left; false: it does not fit. */
static bool take_pair(tw_report *report, size_t index, uint64_t *left)
{
    enum { BYTES_IN_TABLES = 16 }; /* about, of a passage */
    uint32_t documents[2];
    const tw_pair_block *block = &report->blocks[index];
    uint64_t bytes = size_of_block(&block->packed) + block->count * BYTES_IN_TABLES;
    tw_result_pair_documents(report->result, index, documents);
    if (bytes > *left)
        return false;
    *left -= bytes;
    return take_texts(report, documents[0], left) && take_texts(report, documents[1], left);
}

static int collect_pairs(tw_report *report, uint64_t *left, twinset_error *error)
{
    batch of = {.report = report, .error = error};
    tw_loop loop = {.threads = report->result->options.threads, .stage = "passages"};
    int status = TWINSET_OK;
    for (size_t taken = 0; taken < report->pair_count && status == TWINSET_OK;) {
        size_t count = report->pair_count - taken < BATCH ? report->pair_count - taken : BATCH;
        of.first = taken;
        status = tw_parallel(&loop, count, find_one, &of);
        for (size_t i = 0; i < count; i++) {
            uint32_t documents[2];
            tw_result_pair_documents(report->result, taken + i, documents);
            add_document(&of, documents[0]);
            add_document(&of, documents[1]);
        }
        if (status == TWINSET_OK)
            status = pack_batch(&of);
        for (size_t i = 0; i < count && status == TWINSET_OK; i++)
            if (!take_pair(report, taken++, left)) {
                report->pair_count = taken - 1;
                break;
            }
    }
    return status;
}

/* Packs the documents that were removed, as far as the result has them, and those that they were
 * removed for. */
static int collect_removals(tw_report *report, uint64_t *left, twinset_error *error)
{
    batch of = {.report = report, .error = error};
    const twinset_result *result = report->result;
    int status = TWINSET_OK;
    for (size_t i = 0; i < report->removal_count && status == TWINSET_OK; i++) {
        const tw_removal *removal = &result->decisions.removed[report->removals[i]];
        uint32_t both[2] = {removal->document, removal->kept};
        for (size_t side = 0; side < 2 && status == TWINSET_OK; side++) {
            if (!tw_text_store_count(result->kept, both[side]))
                continue;
            add_document(&of, both[side]);
            status = pack_batch(&of);
            if (status == TWINSET_OK && !take_texts(report, both[side], left))
                return TWINSET_OK;
        }
    }
    return status;
}

static int count_bytes(void *context, const char *bytes, size_t count)
{
    uint64_t *sum = context;
    (void)bytes;
    *sum += count;
    return 0;
}

/* How many bytes are left for passages and texts beside the template and the tables; a fifth of
 * the limit in any case, so that the first pairs can be opened. */
static int measure_room(tw_report *report, uint64_t *left, twinset_error *error)
{
    uint64_t most = tw_report_most_bytes(report);
    uint64_t taken = tw_report_page_bytes;
    tw_sink *sink = report->sink, counter;
    tw_sink_init(&counter, count_bytes, &taken);
    report->sink = &counter;
    int status = tw_report_run(report, error);
    if (status == TWINSET_OK)
        status = tw_sink_end(&counter, error);
    report->sink = sink;
    *left = taken < most - most / 5 ? most - taken : most / 5;
    return status;
}

int tw_report_collect(tw_report *report, twinset_error *error)
{
    uint64_t left;
    int status = measure_room(report, &left, error);
    if (status != TWINSET_OK)
        return status;
    size_t pairs = report->result->run.pairs;
    report->pair_count = pairs < TWINSET_PAIRS_WITH_PASSAGES ? pairs : TWINSET_PAIRS_WITH_PASSAGES;
    report->block_count = report->pair_count;
    report->blocks = tw_calloc(report->block_count + 1, sizeof *report->blocks);
    if (!report->blocks)
        return TWINSET_NOMEM;
    status = collect_pairs(report, &left, error);
    if (status == TWINSET_OK)
        status = collect_removals(report, &left, error);
    return status == TWINSET_OK ? tw_report_count_sharing(report) : status;
}

/* ---- writing */

static void put_base64(tw_sink *sink, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                        left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};
        tw_put(sink, four, sizeof four);
    }
}

static void put_packed(tw_sink *sink, const char *id, const tw_bytes *packed)
{
    tw_put_text(sink, "<script type=\"text/plain\" id=\"");
    tw_put_text(sink, id);
    tw_put_text(sink, "\">");
    put_base64(sink, (const unsigned char *)packed->data, packed->length);
    tw_put_text(sink, "</script>\n");
}

static void put_texts(tw_report *report, size_t index)
{
    const tw_shown_document *shown = &report->shown[index];
    for (size_t i = 0; i < shown->text_count && shown->has_text; i++) {
        char id[64];
        snprintf(id, sizeof id, "text-%zu-%zu", index, i);
        put_packed(report->sink, id, &shown->texts[i]);
    }
}

static void put_passages(tw_report *report, size_t index)
{
    const tw_bytes *packed = &report->blocks[index].packed;
    char id[48];
    if (!packed->length)
        return;
    snprintf(id, sizeof id, "passages-%zu", index);
    put_packed(report->sink, id, packed);
}

void tw_report_texts(tw_report *report)
{
    for (size_t i = 0; i < report->pair_count; i++)
        put_passages(report, i);
    for (size_t i = 0; i < report->shown_count; i++)
        put_texts(report, i);
}
