/*
 * A segment is up to 256 chunks of one run. Its head has the first term of each chunk, and two
 * filters of eight bits a term. One says which terms the segment does not have, so that a key which
 * no document has costs no chunk. The other says which terms no two of its documents have, so that
 * a document that is known makes the chunk of a term needless. A head says nothing that the chunks
 * do not say: one that is damaged is made again.
 */
#include "store.h"
#include "varint.h"

enum {
    FILTER_BITS = 8, /* for each term: one of forty absent terms passes */
    FILTER_PROBES = 5,
    BLOCK_WORDS = 8, /* a block is a cache line */
    BLOCK_BITS = 64 * BLOCK_WORDS,
};

/* ---- the filter */

static uint64_t mix_term(tw_term term)
{
    return tw_fold_product(term ^ 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu);
}

static uint64_t *find_block(const tw_filter *filter, uint64_t hash)
{
    return filter->words + ((hash >> 32) * filter->blocks >> 32) * BLOCK_WORDS;
}

static size_t count_filter_bytes(const tw_filter *filter)
{
    return (size_t)filter->blocks * BLOCK_WORDS * sizeof *filter->words;
}

bool tw_filter_may_have(const tw_filter *filter, tw_term term)
{
    uint64_t hash = mix_term(term), bits = hash * 0x9E3779B97F4A7C15u;
    if (filter->blocks == 0)
        return false;
    const uint64_t *block = find_block(filter, hash);
    for (unsigned i = 0; i < FILTER_PROBES; i++, bits >>= 9)
        if (!(block[bits % BLOCK_BITS / 64] >> bits % 64 & 1))
            return false;
    return true;
}

static int make_filter(tw_filter *filter, size_t terms)
{
    filter->blocks = (uint32_t)(terms * FILTER_BITS / BLOCK_BITS + 1);
    filter->words = tw_calloc((size_t)filter->blocks * BLOCK_WORDS, sizeof *filter->words);
    return filter->words ? TWINSET_OK : TWINSET_NOMEM;
}

static void add_to_filter(tw_filter *filter, tw_term term)
{
    uint64_t hash = mix_term(term), bits = hash * 0x9E3779B97F4A7C15u;
    uint64_t *block = find_block(filter, hash);
    for (unsigned probe = 0; probe < FILTER_PROBES; probe++, bits >>= 9)
        block[bits % BLOCK_BITS / 64] |= (uint64_t)1 << bits % 64;
}

static void free_filters(tw_segment_head *head)
{
    tw_free(head->filter.words);
    tw_free(head->repeated.words);
    head->filter = head->repeated = (tw_filter){0};
}

/* Makes both filters of a head from its terms, ascending. */
static int make_filters(tw_segment_head *head, const tw_term *terms, size_t count)
{
    size_t repeated = 0;
    for (size_t i = 1; i < count; i++)
        repeated += terms[i] == terms[i - 1];
    free_filters(head);
    head->knows_repeated = true;
    int status = make_filter(&head->filter, count);
    if (status == TWINSET_OK && repeated)
        status = make_filter(&head->repeated, repeated);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        add_to_filter(&head->filter, terms[i]);
        if (i > 0 && terms[i] == terms[i - 1])
            add_to_filter(&head->repeated, terms[i]);
    }
    return status;
}

/* ---- heads as bytes */

static int write_filter(const tw_filter *filter, tw_bytes *out)
{
    return filter->blocks ? tw_bytes_append(out, filter->words, count_filter_bytes(filter))
                          : TWINSET_OK;
}

static int write_head(const tw_segment_head *head, tw_bytes *out)
{
    out->length = 0;
    int status = tw_put_u64(out, 0);
    if (status == TWINSET_OK)
        status = tw_put_u32(out, head->chunk_count);
    if (status == TWINSET_OK)
        status = tw_put_u32(out, head->filter.blocks);
    for (uint32_t i = 0; i < head->chunk_count && status == TWINSET_OK; i++) {
        status = tw_put_u64(out, head->first[i]);
        if (status == TWINSET_OK)
            status = tw_put_u32(out, head->counts[i]);
    }
    if (status == TWINSET_OK)
        status = write_filter(&head->filter, out);
    if (status == TWINSET_OK && head->knows_repeated)
        status = tw_put_u32(out, head->repeated.blocks);
    if (status == TWINSET_OK && head->knows_repeated)
        status = write_filter(&head->repeated, out);
    if (status == TWINSET_OK) {
        uint64_t sum = tw_checksum(out->data + 8, out->length - 8, head->id);
        memcpy(out->data, &sum, sizeof sum);
    }
    return status;
}

/* Reads the blocks of a filter, whose number is known. TWINSET_IO: the head ends before them. */
static int read_filter(tw_field_reader *fields, tw_filter *filter)
{
    size_t bytes = count_filter_bytes(filter);
    if (bytes > (size_t)(fields->end - fields->at))
        return TWINSET_IO;
    filter->words = bytes ? tw_malloc(bytes) : NULL;
    if (bytes && !filter->words)
        return TWINSET_NOMEM;
    if (bytes)
        memcpy(filter->words, fields->at, bytes);
    fields->at += bytes;
    return TWINSET_OK;
}

/* Reads the filters, with which a head ends. That of repeated terms came later than the format: the
 * heads of an older index end before it. */
static int read_filters(tw_field_reader *fields, tw_segment_head *head)
{
    int status = read_filter(fields, &head->filter);
    head->knows_repeated = status == TWINSET_OK && fields->at < fields->end;
    if (!head->knows_repeated)
        return status;
    head->repeated.blocks = tw_get_u32(fields);
    status = fields->failed ? TWINSET_IO : read_filter(fields, &head->repeated);
    return status == TWINSET_OK && fields->at != fields->end ? TWINSET_IO : status;
}

/* Reads a head. TWINSET_IO: it is damaged. */
static int read_head(tw_segment_head *head, const char *bytes, size_t length)
{
    if (length < 16 || tw_load64(bytes) != tw_checksum(bytes + 8, length - 8, head->id))
        return TWINSET_IO;
    tw_field_reader fields = {bytes + 8, bytes + length, false};
    head->chunk_count = tw_get_u32(&fields);
    head->filter.blocks = tw_get_u32(&fields);
    if (head->chunk_count > TW_SEGMENT_CHUNKS || head->filter.blocks == 0)
        return TWINSET_IO;
    for (uint32_t i = 0; i < head->chunk_count; i++) {
        head->first[i] = tw_get_u64(&fields);
        head->counts[i] = tw_get_u32(&fields);
    }
    return fields.failed ? TWINSET_IO : read_filters(&fields, head);
}

/* ---- writing segments */

static int end_chunk(tw_segment_writer *writer)
{
    tw_segment_head *head = &writer->head;
    if (writer->chunk.count == 0)
        return TWINSET_OK;
    uint64_t id = tw_posting_chunk_id(head->id, head->chunk_count);
    head->first[head->chunk_count] = writer->chunk.first;
    head->counts[head->chunk_count++] = writer->chunk.count;
    int status = tw_posting_chunk_end(&writer->chunk, id, &writer->bytes);
    return status == TWINSET_OK
               ? tw_store_put(writer->index, TW_SQL_PUT_CHUNK, id, &writer->bytes, writer->error)
               : status;
}

static int begin_segment(tw_segment_writer *writer, tw_term first)
{
    tw_manifest *manifest = &writer->index->manifest;
    tw_run *run = writer->run;
    int status = TW_GROW(run->segments, run->capacity, run->count + 1);
    if (status != TWINSET_OK)
        return status;
    writer->head.id = manifest->next_segment++;
    run->segments[run->count++] = (tw_segment){.id = writer->head.id, .first = first};
    return TWINSET_OK;
}

static int keep_terms(tw_u64s *terms, const tw_posting *postings, size_t count)
{
    int status = TW_GROW(terms->data, terms->capacity, terms->count + count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        terms->data[terms->count++] = postings[i].term;
    return status;
}

int tw_segment_add(tw_segment_writer *writer, const tw_posting *postings, size_t count)
{
    int status = TWINSET_OK;
    while (count > 0 && status == TWINSET_OK) {
        if (writer->head.id == 0)
            status = begin_segment(writer, postings[0].term);
        if (status != TWINSET_OK)
            return status;
        size_t added = tw_posting_chunk_fill(&writer->chunk, postings, count, &status);
        if (status == TWINSET_OK)
            status = keep_terms(&writer->terms, postings, added);
        postings += added;
        count -= added;
        if (count > 0 && status == TWINSET_OK)
            status = end_chunk(writer);
        if (writer->head.chunk_count == TW_SEGMENT_CHUNKS && status == TWINSET_OK)
            status = tw_segment_end(writer);
    }
    return status;
}

int tw_segment_end(tw_segment_writer *writer)
{
    tw_segment_head *head = &writer->head;
    if (head->id == 0)
        return TWINSET_OK;
    int status = end_chunk(writer);
    if (status == TWINSET_OK)
        status = make_filters(head, writer->terms.data, writer->terms.count);
    if (status == TWINSET_OK)
        status = write_head(head, &writer->bytes);
    if (status == TWINSET_OK)
        status = tw_store_put(writer->index, TW_SQL_PUT_SEGMENT, head->id, &writer->bytes,
                              writer->error);
    writer->run->segments[writer->run->count - 1].postings = writer->terms.count;
    writer->terms.count = 0;
    free_filters(head);
    *head = (tw_segment_head){0};
    return status;
}

void tw_segment_writer_free(tw_segment_writer *writer)
{
    free_filters(&writer->head);
    tw_free(writer->terms.data);
    tw_bytes_free(&writer->chunk.bytes);
    tw_bytes_free(&writer->bytes);
}

/* ---- reading segments */

int tw_segment_chunk(tw_index *index, const tw_segment *segment, unsigned chunk,
                     tw_postings *postings, twinset_error *error)
{
    const void *bytes;
    size_t length;
    uint64_t id = tw_posting_chunk_id(segment->id, chunk);
    int read, status = tw_store_blob(index, TW_SQL_GET_CHUNK, id, &bytes, &length, error);
    if (status != TWINSET_OK)
        return status;
    if (!bytes || !tw_posting_chunk_read(id, bytes, length, postings, &read))
        return tw_store_damaged(index, error, "chunk %u of segment %llu is damaged", chunk,
                                (unsigned long long)segment->id);
    return read == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
}

static void free_head(tw_segment_head *head)
{
    if (head)
        free_filters(head);
    tw_free(head);
}

/* Makes a head from the chunks. Their number follows from the postings of the segment. */
static int repair_head(tw_index *index, const tw_segment *segment, tw_segment_head *head,
                       twinset_error *error)
{
    tw_postings postings = {0};
    tw_u64s terms = {0};
    int status = TWINSET_OK;
    head->chunk_count = 0;
    while (status == TWINSET_OK && postings.count < segment->postings &&
           head->chunk_count < TW_SEGMENT_CHUNKS) {
        size_t before = postings.count;
        status = tw_segment_chunk(index, segment, head->chunk_count, &postings, error);
        bool is_empty = postings.count == before;
        head->first[head->chunk_count] = is_empty ? UINT64_MAX : postings.data[before].term;
        head->counts[head->chunk_count++] = (uint32_t)(postings.count - before);
    }
    if (status == TWINSET_OK && postings.count != segment->postings)
        status = tw_store_damaged(index, error, "segment %llu has lost postings",
                                  (unsigned long long)segment->id);
    for (size_t i = 0; i < postings.count && status == TWINSET_OK; i++) {
        status = TW_GROW(terms.data, terms.capacity, postings.count);
        terms.data[terms.count++] = postings.data[i].term;
    }
    for (uint32_t i = head->chunk_count; i-- > 1;) /* an empty chunk begins where the next does */
        if (head->first[i - 1] == UINT64_MAX)
            head->first[i - 1] = head->first[i];
    if (status == TWINSET_OK)
        status = make_filters(head, terms.data, terms.count);
    tw_free(postings.data);
    tw_free(terms.data);
    return status;
}

static int load_head(tw_index *index, const tw_segment *segment, tw_segment_head **made,
                     twinset_error *error)
{
    const void *bytes;
    size_t length;
    tw_segment_head *head = *made = tw_calloc(1, sizeof *head);
    if (!head)
        return tw_nomem(error);
    head->id = segment->id;
    head->revision = segment->revision;
    int status = tw_store_blob(index, TW_SQL_GET_SEGMENT, segment->id, &bytes, &length, error);
    if (status == TWINSET_OK)
        status = bytes ? read_head(head, bytes, length) : TWINSET_IO;
    uint64_t postings = 0;
    for (uint32_t i = 0; status == TWINSET_OK && i < head->chunk_count; i++)
        postings += head->counts[i];
    if (status == TWINSET_IO || (status == TWINSET_OK && postings != segment->postings)) {
        tw_error_clear(error);
        status = repair_head(index, segment, head, error);
    }
    return tw_complete_error(error, status);
}

bool tw_segment_head_is_sound(const tw_segment *segment, const void *bytes, size_t length)
{
    tw_segment_head head = {.id = segment->id};
    uint64_t postings = 0;
    int status = read_head(&head, bytes, length);
    for (uint32_t i = 0; i < head.chunk_count && status == TWINSET_OK; i++)
        postings += head.counts[i];
    free_filters(&head);
    return status == TWINSET_OK && postings == segment->postings;
}

int tw_segment_head_get(tw_index *index, const tw_segment *segment, tw_segment_head **head,
                        twinset_error *error)
{
    tw_segment_head **kept = &index->heads[segment->id % TW_CACHED_SEGMENTS];
    if (!*kept || (*kept)->id != segment->id || (*kept)->revision != segment->revision) {
        tw_segment_head *made;
        int status = load_head(index, segment, &made, error);
        if (status != TWINSET_OK) {
            free_head(made);
            return status;
        }
        free_head(*kept);
        *kept = made;
    }
    *head = *kept;
    return TWINSET_OK;
}

void tw_filter_prefetch(const tw_index *index, const tw_segment *segment, tw_term term)
{
    const tw_segment_head *head = index->heads[segment->id % TW_CACHED_SEGMENTS];
    if (head && head->id == segment->id && head->filter.blocks)
        __builtin_prefetch(find_block(&head->filter, mix_term(term)));
}

int tw_segment_head_put(tw_index *index, const tw_segment_head *head, twinset_error *error)
{
    tw_bytes bytes = {0};
    int status = write_head(head, &bytes);
    if (status == TWINSET_OK)
        status = tw_store_put(index, TW_SQL_PUT_SEGMENT, head->id, &bytes, error);
    tw_bytes_free(&bytes);
    return status;
}

/* Forgets the head at this index of the table. */
static void forget_head(tw_index *index, size_t at)
{
    free_head(index->heads[at]);
    index->heads[at] = NULL;
}

int tw_segment_drop(tw_index *index, const tw_segment *segment, twinset_error *error)
{
    size_t at = segment->id % TW_CACHED_SEGMENTS;
    if (index->heads[at] && index->heads[at]->id == segment->id)
        forget_head(index, at);
    int status = tw_store_drop(index, TW_SQL_DROP_SEGMENT, segment->id, segment->id, error);
    return status == TWINSET_OK
               ? tw_store_drop(index, TW_SQL_DROP_CHUNKS, tw_posting_chunk_id(segment->id, 0),
                               tw_posting_chunk_id(segment->id, TW_SEGMENT_CHUNKS - 1), error)
               : status;
}

void tw_heads_forget(tw_index *index)
{
    for (size_t i = 0; index->heads && i < TW_CACHED_SEGMENTS; i++)
        forget_head(index, i);
}

void tw_heads_forget_dropped(tw_index *index)
{
    const tw_manifest *manifest = &index->manifest;
    bool is_current[TW_CACHED_SEGMENTS] = {false};
    for (size_t i = 0; i < manifest->run_count; i++)
        for (size_t j = 0; j < manifest->runs[i].count; j++) {
            uint64_t id = manifest->runs[i].segments[j].id;
            const tw_segment_head *head = index->heads[id % TW_CACHED_SEGMENTS];
            is_current[id % TW_CACHED_SEGMENTS] |= head && head->id == id;
        }
    for (size_t i = 0; i < TW_CACHED_SEGMENTS; i++)
        if (!is_current[i])
            forget_head(index, i);
}

void tw_heads_free(tw_index *index)
{
    tw_heads_forget(index);
    tw_free(index->heads);
    index->heads = NULL;
}
