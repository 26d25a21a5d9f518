/*
 * The blocks of the page that stand after its script: passages, packed for some pairs at a time,
 * and the text of each document, packed by itself, so that a page of many documents opens at once.
 * Pairs are taken in their order, a batch at a time on all threads, until passages and texts reach
 * the limit for their size; what comes first is the same for any number of threads.
 */
#include "page.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum {
    BATCH = 256,     /* whole groups of pairs */
    LEVEL = 4,       /* of zlib: 5% more bytes than 6, in three fifths of the time */
    BLOCK_BYTES = 70 /* of what stands around a block of data */
};

/* ---- packing */

int tw_page_pack(const tw_bytes *text, tw_bytes *packed)
{
    uLongf bytes = compressBound(text->length);
    int status = tw_bytes_reserve(packed, bytes);
    if (status != TWINSET_OK)
        return status;
    if (compress2((Bytef *)packed->data, &bytes, (const Bytef *)text->data, text->length, LEVEL) !=
        Z_OK)
        return TWINSET_NOMEM;
    packed->length = bytes;
    return TWINSET_OK;
}

/* Packs the texts of a document, without the words that are blacked out. */
static int pack_document(const tw_page *page, tw_shown_document *shown, twinset_error *error)
{
    const tw_text_store *kept = page->result->kept;
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
        tw_page_mask(page, text.data, text.length);
        if (status == TWINSET_OK)
            status = tw_page_pack(&text, &shown->texts[i]);
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
typedef struct page_batch {
    tw_page *page;
    twinset_error *error;
    tw_open_texts **open;        /* by worker; NULL: the result has no texts */
    size_t first;                /* of the pairs */
    size_t documents[2 * BATCH]; /* indices of shown documents that are to be packed */
    size_t document_count;
} page_batch;

static int find_one(void *context, unsigned worker, size_t index)
{
    const page_batch *batch = context;
    return tw_page_find_passages(batch->page, batch->first + index,
                                 batch->open ? batch->open[worker] : NULL,
                                 worker == 0 ? batch->error : NULL);
}

static int pack_one(void *context, unsigned worker, size_t index)
{
    const page_batch *batch = context;
    return pack_document(batch->page, &batch->page->shown[batch->documents[index]],
                         worker == 0 ? batch->error : NULL);
}

static void add_document(page_batch *batch, uint32_t document)
{
    size_t index = tw_page_index(batch->page, document);
    if (batch->page->shown[index].is_packed)
        return;
    batch->page->shown[index].is_packed = true;
    batch->documents[batch->document_count++] = index;
}

static int pack_batch(page_batch *batch)
{
    tw_loop loop = {.threads = batch->page->result->options.threads, .stage = "texts"};
    int status = tw_parallel(&loop, batch->document_count, pack_one, batch);
    batch->document_count = 0;
    return status;
}

/* Takes the size of a document's texts from what is left, and shows them if they fit. */
static bool take_texts(tw_page *page, uint32_t document, uint64_t *left)
{
    tw_shown_document *shown = &page->shown[tw_page_index(page, document)];
    uint64_t bytes = shown->has_text ? 0 : size_of_texts(shown);
    if (bytes > *left)
        return false;
    *left -= bytes;
    shown->has_text = true;
    return true;
}

/* Takes a pair from what is left; false: it does not fit. */
static bool take_pair(tw_page *page, size_t index, uint64_t *left)
{
    enum { BYTES_IN_TABLES = 16 }; /* about, of a passage */
    uint32_t documents[2];
    bool is_first = !(index % TW_PAIRS_IN_GROUP);
    uint64_t bytes = page->blocks[index].count * BYTES_IN_TABLES +
                     (is_first ? size_of_block(&page->groups[index / TW_PAIRS_IN_GROUP]) : 0);
    tw_result_pair_documents(page->result, index, documents);
    if (bytes > *left)
        return false;
    *left -= bytes;
    return take_texts(page, documents[0], left) && take_texts(page, documents[1], left);
}

/* Packs the passages of a group of pairs as one list, null for a pair without. */
static int pack_group(void *context, unsigned worker, size_t index)
{
    (void)worker;
    const page_batch *batch = context;
    tw_page *page = batch->page;
    size_t first = batch->first + index * TW_PAIRS_IN_GROUP;
    tw_bytes list = {0};
    int status = TWINSET_OK;
    size_t end = first + TW_PAIRS_IN_GROUP;
    for (size_t i = first; i < end && i < page->pair_count && status == TWINSET_OK; i++) {
        tw_bytes *text = &page->blocks[i].text;
        status = tw_bytes_append(&list, i == first ? "[" : ",", 1);
        if (status == TWINSET_OK)
            status = text->length ? tw_bytes_append(&list, text->data, text->length)
                                  : tw_bytes_append(&list, "null", 4);
        tw_bytes_free(text);
    }
    if (status == TWINSET_OK)
        status = tw_bytes_append(&list, "]", 1);
    if (status == TWINSET_OK)
        status = tw_page_pack(&list, &page->groups[first / TW_PAIRS_IN_GROUP]);
    tw_bytes_free(&list);
    return status;
}

/* Finds the passages of a batch, and packs them and the texts of its documents. */
static int collect_batch(page_batch *batch, size_t count)
{
    tw_loop loop = {.threads = batch->page->result->options.threads, .stage = "passages"};
    int status = tw_parallel(&loop, count, find_one, batch);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, tw_page_groups(count), pack_group, batch);
    for (size_t i = 0; i < count; i++) {
        uint32_t documents[2];
        tw_result_pair_documents(batch->page->result, batch->first + i, documents);
        add_document(batch, documents[0]);
        add_document(batch, documents[1]);
    }
    return status == TWINSET_OK ? pack_batch(batch) : status;
}

static void close_texts(page_batch *batch)
{
    for (unsigned i = 0; batch->open && i < batch->page->result->options.threads; i++)
        tw_open_texts_free(batch->open[i]);
    tw_free(batch->open);
}

/* Lets each thread keep documents open, in an eighth of the memory together. */
static int open_texts(page_batch *batch)
{
    enum { MEMORY_SHARE = 8, MOST_BYTES = 64 << 20 };
    const twinset_result *result = batch->page->result;
    uint64_t most = tw_memory_share(&result->options, MEMORY_SHARE);
    most = (most < MOST_BYTES ? most : MOST_BYTES) / result->options.threads;
    if (!result->kept)
        return TWINSET_OK;
    batch->open = tw_calloc(result->options.threads, sizeof *batch->open);
    int status = batch->open ? TWINSET_OK : TWINSET_NOMEM;
    for (unsigned i = 0; i < result->options.threads && status == TWINSET_OK; i++)
        status = tw_open_texts_new(result->kept, most, &batch->open[i]);
    return status;
}

static int collect_pairs(tw_page *page, uint64_t *left, twinset_error *error)
{
    page_batch batch = {.page = page, .error = error};
    int status = open_texts(&batch);
    for (size_t taken = 0; taken < page->pair_count && status == TWINSET_OK;) {
        size_t count = page->pair_count - taken < BATCH ? page->pair_count - taken : BATCH;
        batch.first = taken;
        status = collect_batch(&batch, count);
        for (size_t i = 0; i < count && status == TWINSET_OK; i++)
            if (!take_pair(page, taken++, left)) {
                page->pair_count = taken - 1;
                break;
            }
    }
    close_texts(&batch);
    return status;
}

/* Packs the documents that were removed, as far as the result has them, and those that they were
 * removed for. */
static int collect_removals(tw_page *page, uint64_t *left, twinset_error *error)
{
    page_batch batch = {.page = page, .error = error};
    const twinset_result *result = page->result;
    int status = TWINSET_OK;
    for (size_t i = 0; i < page->removal_count && status == TWINSET_OK; i++) {
        const tw_removal *removal = &result->decisions.removed[page->removals[i]];
        uint32_t both[2] = {removal->document, removal->kept};
        for (size_t side = 0; side < 2 && status == TWINSET_OK; side++) {
            if (!tw_text_store_count(result->kept, both[side]))
                continue;
            add_document(&batch, both[side]);
            status = pack_batch(&batch);
            if (status == TWINSET_OK && !take_texts(page, both[side], left))
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
static int measure_space(tw_page *page, uint64_t *left, twinset_error *error)
{
    uint64_t most = tw_page_most_bytes(page);
    uint64_t taken = tw_page_template_bytes;
    tw_sink *sink = page->sink, counter;
    tw_sink_init(&counter, count_bytes, &taken);
    page->sink = &counter;
    int status = tw_page_run(page, error);
    if (status == TWINSET_OK)
        status = tw_sink_end(&counter, error);
    page->sink = sink;
    *left = taken < most - most / 5 ? most - taken : most / 5;
    return status;
}

int tw_page_collect(tw_page *page, twinset_error *error)
{
    uint64_t left;
    int status = measure_space(page, &left, error);
    if (status != TWINSET_OK)
        return status;
    size_t pairs = page->result->run.pairs;
    page->pair_count = pairs < TWINSET_PAIRS_WITH_PASSAGES ? pairs : TWINSET_PAIRS_WITH_PASSAGES;
    page->block_count = page->pair_count;
    page->blocks = tw_calloc(page->block_count + 1, sizeof *page->blocks);
    page->groups = tw_calloc(tw_page_groups(page->block_count) + 1, sizeof *page->groups);
    if (!page->blocks || !page->groups)
        return TWINSET_NOMEM;
    status = collect_pairs(page, &left, error);
    if (status == TWINSET_OK)
        status = collect_removals(page, &left, error);
    return status == TWINSET_OK ? tw_page_count_sharing(page) : status;
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

static void put_texts(tw_page *page, size_t index)
{
    const tw_shown_document *shown = &page->shown[index];
    for (size_t i = 0; i < shown->text_count && shown->has_text; i++) {
        char id[64];
        snprintf(id, sizeof id, "text-%zu-%zu", index, i);
        put_packed(page->sink, id, &shown->texts[i]);
    }
}

static void put_group(tw_page *page, size_t index)
{
    char id[48];
    snprintf(id, sizeof id, "passages-%zu", index);
    put_packed(page->sink, id, &page->groups[index]);
}

void tw_page_texts(tw_page *page)
{
    for (size_t i = 0; i < tw_page_groups(page->pair_count); i++)
        put_group(page, i);
    for (size_t i = 0; i < page->shown_count; i++)
        put_texts(page, i);
}
