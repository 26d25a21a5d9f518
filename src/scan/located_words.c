#include "located_words.h"

#include <string.h>

enum {
    BLOCK_WORDS = 64,
    CACHED_BLOCKS = 16, /* of a reader */
};

/* Words in a row; their text follows it in the temporary file. */
typedef struct word_block {
    uint32_t count;
    uint32_t ends[BLOCK_WORDS]; /* of each word in the text */
    tw_span spans[BLOCK_WORDS];
} word_block;

/* A block that was read. */
typedef struct cached_block {
    uint32_t document;
    uint64_t number; /* of the block, plus 1; 0: none */
    word_block block;
    tw_bytes text;
} cached_block;

struct tw_word_reader {
    tw_located_words *store;
    tw_shingler *shingler;
    tw_word_locator locator;
    bool is_large; /* the document comes in windows */
    twinset_error *error;
    /* The words of the document that are not in the store, and where each ends in `text`. */
    tw_bytes text;
    size_t *ends;
    size_t count, capacity;
    tw_u64s blocks; /* where the blocks of the document are in the store */
    cached_block cache[CACHED_BLOCKS];
};

/* ---- memory */

int tw_located_words_init(tw_located_words *store, size_t documents, const char *tmp,
                          twinset_error *error)
{
    store->spill = NULL;
    store->offsets = tw_calloc(documents, sizeof *store->offsets);
    return store->offsets ? tw_spill_new(tmp, &store->spill, error) : tw_nomem(error);
}

void tw_located_words_free(tw_located_words *store)
{
    tw_spill_free(store->spill);
    tw_free(store->offsets);
}

int tw_word_reader_new(const twinset_options *options, tw_located_words *store,
                       tw_word_reader **reader, twinset_error *error)
{
    tw_word_reader *made = tw_calloc(1, sizeof *made);
    *reader = made;
    if (!made)
        return tw_nomem(error);
    made->store = store;
    tw_word_locator_init(&made->locator, options);
    int status = tw_shingler_new(options, NULL, &made->shingler, error);
    if (status == TWINSET_OK)
        return status;
    tw_word_reader_free(made);
    *reader = NULL;
    return status;
}

void tw_word_reader_free(tw_word_reader *reader)
{
    if (!reader)
        return;
    tw_shingler_free(reader->shingler);
    tw_word_locator_free(&reader->locator);
    tw_bytes_free(&reader->text);
    tw_free(reader->ends);
    tw_free(reader->blocks.data);
    for (size_t i = 0; i < CACHED_BLOCKS; i++)
        tw_bytes_free(&reader->cache[i].text);
    tw_free(reader);
}

/* ---- passing words */

static int feed_words(void *context, const char *text, size_t length)
{
    tw_word_reader *reader = context;
    return tw_shingle_feed(reader->shingler, text, length);
}

/* What a text that is passed whole needs. */
typedef struct passing {
    tw_shingler *shingler;
    tw_shingles_fn sink;
    void *context;
    tw_text_summary summary;
} passing;

static int pass_whole(void *context, const char *text, size_t length)
{
    passing *pass = context;
    return tw_shingle(pass->shingler, text, length, pass->sink, pass->context, &pass->summary);
}

int tw_word_reader_pass(tw_word_reader *reader, tw_worker *worker, uint32_t document,
                        tw_shingles_fn sink, void *context, uint64_t *words)
{
    passing pass = {reader->shingler, sink, context, {0}};
    int status;
    if (!tw_document_is_large(worker->corpus, document)) {
        status = tw_document_feed(worker, document, pass_whole, &pass);
    } else {
        status = tw_shingle_begin(reader->shingler, sink, context);
        if (status == TWINSET_OK)
            status = tw_document_feed(worker, document, feed_words, reader);
        if (status == TWINSET_OK)
            status = tw_shingle_end(reader->shingler, &pass.summary);
    }
    *words = pass.summary.tokens;
    return status;
}

int tw_word_reader_pass_text(tw_word_reader *reader, const char *text, size_t length,
                             tw_shingles_fn sink, void *context, uint64_t *words)
{
    passing pass = {reader->shingler, sink, context, {0}};
    int status = pass_whole(&pass, text, length);
    *words = pass.summary.tokens;
    return status;
}

/* ---- words with their spans */

/* A sink that keeps words. */
static int keep_words(void *context, const tw_shingles *batch)
{
    tw_word_reader *reader = context;
    int status = TW_GROW(reader->ends, reader->capacity, reader->count + batch->count);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        size_t length;
        const char *word = tw_shingle_bytes(batch, i, &length);
        status = tw_bytes_append(&reader->text, word, length);
        reader->ends[reader->count] = reader->text.length;
        reader->count += status == TWINSET_OK;
    }
    return status;
}

/* Writes words `from` to before `to` of those that are kept as a block. */
static int store_block(tw_word_reader *reader, size_t from, size_t to)
{
    word_block block = {.count = (uint32_t)(to - from)};
    size_t start = from ? reader->ends[from - 1] : 0, length = reader->ends[to - 1] - start;
    tw_bytes out = {0};
    uint64_t offset = 0;
    for (size_t i = from; i < to; i++) {
        block.ends[i - from] = (uint32_t)(reader->ends[i] - start);
        block.spans[i - from] = reader->locator.spans.data[i];
    }
    int status = tw_bytes_append(&out, &block, sizeof block);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&out, reader->text.data + start, length);
    if (status == TWINSET_OK)
        status =
            tw_spill_append(reader->store->spill, out.data, out.length, &offset, reader->error);
    tw_bytes_free(&out);
    if (status == TWINSET_OK)
        status = TW_GROW(reader->blocks.data, reader->blocks.capacity, reader->blocks.count + 1);
    if (status == TWINSET_OK)
        reader->blocks.data[reader->blocks.count++] = offset;
    return status;
}

/* Forgets the first words of those that are kept. */
static void drop_words(tw_word_reader *reader, size_t count)
{
    tw_spans *spans = &reader->locator.spans;
    size_t bytes = count ? reader->ends[count - 1] : 0;
    if (!count)
        return;
    reader->text.length -= bytes;
    memmove(reader->text.data, reader->text.data + bytes, reader->text.length);
    reader->count -= count;
    for (size_t i = 0; i < reader->count; i++)
        reader->ends[i] = reader->ends[i + count] - bytes;
    spans->count -= count;
    memmove(spans->data, spans->data + count, spans->count * sizeof *spans->data);
}

/* Moves words to the store, in blocks. The last word stays until its end is known. */
static int store_words(tw_word_reader *reader, bool last)
{
    size_t known = reader->locator.spans.count, done = 0;
    int status = TWINSET_OK;
    known = known && !last ? known - 1 : known;
    known = known < reader->count ? known : reader->count;
    while (status == TWINSET_OK && done < known && (last || known - done >= BLOCK_WORDS)) {
        size_t to = known - done < BLOCK_WORDS ? known : done + BLOCK_WORDS;
        status = store_block(reader, done, to);
        done = to;
    }
    drop_words(reader, done);
    return status;
}

static int take_text(void *context, const char *text, size_t length)
{
    tw_word_reader *reader = context;
    tw_text_summary summary;
    int status = tw_word_locator_feed(&reader->locator, text, length, !reader->is_large);
    if (status == TWINSET_OK && !reader->is_large)
        return tw_shingle(reader->shingler, text, length, keep_words, reader, &summary);
    if (status == TWINSET_OK)
        status = tw_shingle_feed(reader->shingler, text, length);
    return status == TWINSET_OK ? store_words(reader, false) : status;
}

/* Starts the next document. */
static void begin_words(tw_word_reader *reader, bool is_large)
{
    reader->is_large = is_large;
    reader->text.length = reader->count = reader->blocks.count = 0;
    tw_word_locator_begin(&reader->locator);
}

/* Whether each word has its span: both were read from the same bytes by the same rules. */
static int check_words(const tw_word_reader *reader)
{
    return reader->count == reader->locator.spans.count ? TWINSET_OK : TWINSET_IO;
}

/* Reads a document, and keeps its words. */
static int read_words(tw_word_reader *reader, tw_worker *worker, uint32_t document)
{
    tw_text_summary summary;
    begin_words(reader, tw_document_is_large(worker->corpus, document));
    int status = TWINSET_OK;
    if (reader->is_large)
        status = tw_shingle_begin(reader->shingler, keep_words, reader);
    if (status == TWINSET_OK)
        status = tw_document_feed(worker, document, take_text, reader);
    if (status == TWINSET_OK && reader->is_large)
        status = tw_shingle_end(reader->shingler, &summary);
    if (status == TWINSET_OK && reader->is_large)
        status = tw_word_locator_feed(&reader->locator, "", 0, true);
    return status == TWINSET_OK ? check_words(reader) : status;
}

int tw_word_reader_store(tw_word_reader *reader, tw_worker *worker, uint32_t document,
                         uint32_t number, twinset_error *error)
{
    uint64_t offset;
    reader->error = error;
    int status = read_words(reader, worker, document);
    if (status == TWINSET_OK)
        status = store_words(reader, true);
    tw_u64s *blocks = &reader->blocks;
    if (status == TWINSET_OK)
        status = TW_GROW(blocks->data, blocks->capacity, blocks->count + 1);
    if (status != TWINSET_OK)
        return status;
    memmove(blocks->data + 1, blocks->data, blocks->count * sizeof *blocks->data);
    blocks->data[0] = blocks->count;
    status = tw_spill_append(reader->store->spill, blocks->data,
                             (blocks->count + 1) * sizeof *blocks->data, &offset, error);
    reader->store->offsets[number] = offset + 1;
    return status;
}

int tw_word_reader_load(tw_word_reader *reader, tw_worker *worker, uint32_t document)
{
    return read_words(reader, worker, document);
}

int tw_word_reader_load_text(tw_word_reader *reader, const char *text, size_t length)
{
    begin_words(reader, false);
    int status = take_text(reader, text, length);
    return status == TWINSET_OK ? check_words(reader) : status;
}

size_t tw_word_reader_count(const tw_word_reader *reader)
{
    return reader->count;
}

tw_located_word tw_word_reader_loaded(const tw_word_reader *reader, size_t index)
{
    size_t start = index ? reader->ends[index - 1] : 0;
    return (tw_located_word){
        .text = reader->text.data + start,
        .length = reader->ends[index] - start,
        .span = reader->locator.spans.data[index],
    };
}

/* ---- reading the store */

static int read_block(const tw_located_words *store, uint32_t document, uint64_t number,
                      cached_block *to, twinset_error *error)
{
    uint64_t list = store->offsets[document] - 1, offset;
    to->number = 0;
    int status = tw_spill_read(store->spill, list + (1 + number) * sizeof offset, &offset,
                               sizeof offset, error);
    if (status == TWINSET_OK)
        status = tw_spill_read(store->spill, offset, &to->block, sizeof to->block, error);
    if (status != TWINSET_OK)
        return status;
    size_t length = to->block.ends[to->block.count - 1];
    to->text.length = 0;
    if (tw_bytes_reserve(&to->text, length) != TWINSET_OK)
        return TWINSET_NOMEM;
    status = tw_spill_read(store->spill, offset + sizeof to->block, to->text.data, length, error);
    to->document = document;
    to->number = status == TWINSET_OK ? number + 1 : 0;
    return status;
}

int tw_word_reader_stored(tw_word_reader *reader, uint32_t document, uint64_t index, bool *exists,
                          tw_located_word *word, twinset_error *error)
{
    uint64_t number = index / BLOCK_WORDS, blocks;
    cached_block *block = &reader->cache[(document * 7 + number) % CACHED_BLOCKS];
    *exists = false;
    if (block->number != number + 1 || block->document != document) {
        int status = tw_spill_read(reader->store->spill, reader->store->offsets[document] - 1,
                                   &blocks, sizeof blocks, error);
        if (status == TWINSET_OK && number < blocks)
            status = read_block(reader->store, document, number, block, error);
        if (status != TWINSET_OK || number >= blocks)
            return status;
    }
    size_t at = index % BLOCK_WORDS, start = at ? block->block.ends[at - 1] : 0;
    *exists = at < block->block.count;
    if (*exists)
        *word = (tw_located_word){.text = block->text.data + start,
                                  .length = block->block.ends[at] - start,
                                  .span = block->block.spans[at]};
    return TWINSET_OK;
}
