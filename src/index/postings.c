/*
 * Chunks of postings. A posting takes five to seven bytes: the distance of its term from the one
 * before, and its document, counted from the lowest of the chunk. Eight chunks fill a page of the
 * file, so that a lookup reads one page and decodes an eighth of it.
 */
#include "store.h"
#include "varint.h"

enum { HEADER_BYTES = 8 + 4 + 8 + 8 }; /* checksum, count, first term, lowest document */

tw_term tw_term_of_id(const char *id)
{
    return tw_term_of(0, tw_hash_bytes(id, strlen(id)) >> (64 - TWINSET_INDEX_KEY_BITS));
}

int tw_postings_add(tw_postings *postings, tw_posting posting)
{
    int status = TW_GROW(postings->data, postings->capacity, postings->count + 1);
    if (status == TWINSET_OK)
        postings->data[postings->count++] = posting;
    return status;
}

/* ---- writing */

size_t tw_posting_chunk_fill(tw_posting_chunk *chunk, const tw_posting *postings, size_t count,
                             int *status)
{
    enum { LAST_START = TW_POSTING_CHUNK_BYTES - HEADER_BYTES - 2 * TW_VARINT_BYTES };
    size_t added = 0;
    *status =
        chunk->bytes.length ? TWINSET_OK : tw_bytes_reserve(&chunk->bytes, TW_POSTING_CHUNK_BYTES);
    if (*status != TWINSET_OK || count == 0)
        return 0;
    if (chunk->count == 0)
        chunk->first = chunk->last = postings[0].term;
    unsigned char *start = (unsigned char *)chunk->bytes.data, *at = start + chunk->bytes.length;
    tw_term last = chunk->last;
    for (; added < count && at - start <= LAST_START; added++) {
        at = tw_varint_write(at, postings[added].term - last);
        at = tw_varint_write(at, postings[added].document - chunk->base);
        last = postings[added].term;
    }
    chunk->bytes.length = (size_t)(at - start);
    chunk->last = last;
    chunk->count += (uint32_t)added;
    return added;
}

int tw_posting_chunk_end(tw_posting_chunk *chunk, uint64_t id, tw_bytes *out)
{
    out->length = 0;
    int status = tw_put_u64(out, 0);
    if (status == TWINSET_OK)
        status = tw_put_u32(out, chunk->count);
    if (status == TWINSET_OK)
        status = tw_put_u64(out, chunk->first);
    if (status == TWINSET_OK)
        status = tw_put_u64(out, chunk->base);
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, chunk->bytes.data, chunk->bytes.length);
    if (status == TWINSET_OK) {
        uint64_t sum = tw_checksum(out->data + 8, out->length - 8, id);
        memcpy(out->data, &sum, sizeof sum);
    }
    chunk->bytes.length = 0;
    chunk->count = 0;
    return status;
}

/* ---- reading */

/* A chunk that was checked. */
typedef struct chunk_reader {
    const unsigned char *at, *end;
    uint32_t count;
    tw_term term;
    uint64_t base;
} chunk_reader;

static bool open_chunk(uint64_t id, const void *bytes, size_t length, chunk_reader *reader)
{
    const char *start = bytes;
    if (length < HEADER_BYTES || tw_load64(start) != tw_checksum(start + 8, length - 8, id))
        return false;
    tw_field_reader fields = {start + 8, start + length, false};
    reader->count = tw_get_u32(&fields);
    reader->term = tw_get_u64(&fields);
    reader->base = tw_get_u64(&fields);
    reader->at = (const unsigned char *)fields.at;
    reader->end = (const unsigned char *)fields.end;
    return reader->count <= (size_t)(reader->end - reader->at) / 2; /* two bytes each at least */
}

/* Reads the term of the next posting; its document follows. */
static inline bool next_term(chunk_reader *reader)
{
    uint64_t distance = 0;
    reader->at = tw_varint_read(reader->at, reader->end, &distance);
    reader->term += distance;
    return reader->at != NULL;
}

static inline bool next_posting(chunk_reader *reader, tw_posting *posting)
{
    uint64_t document = 0;
    if (next_term(reader))
        reader->at = tw_varint_read(reader->at, reader->end, &document);
    *posting = (tw_posting){reader->term, reader->base + document};
    return reader->at != NULL;
}

bool tw_posting_chunk_read(uint64_t id, const void *bytes, size_t length, tw_postings *postings,
                           int *status)
{
    chunk_reader reader;
    *status = TWINSET_OK;
    if (!open_chunk(id, bytes, length, &reader))
        return false;
    *status = TW_GROW(postings->data, postings->capacity, postings->count + reader.count);
    for (uint32_t i = 0; i < reader.count && *status == TWINSET_OK; i++)
        if (!next_posting(&reader, &postings->data[postings->count++]))
            return false;
    return *status != TWINSET_OK || reader.at == reader.end;
}

bool tw_posting_chunk_find(uint64_t id, const void *bytes, size_t length, tw_term term,
                           tw_u64s *documents, int *status)
{
    chunk_reader reader;
    uint64_t document = 0;
    *status = TWINSET_OK;
    if (!open_chunk(id, bytes, length, &reader))
        return false;
    for (uint32_t i = 0; i < reader.count && *status == TWINSET_OK; i++) {
        if (!next_term(&reader))
            return false;
        if (reader.term > term)
            break;
        bool is_found = reader.term == term;
        reader.at = is_found ? tw_varint_read(reader.at, reader.end, &document)
                             : tw_varint_skip(reader.at, reader.end);
        if (!reader.at)
            return false;
        if (!is_found)
            continue;
        *status = TW_GROW(documents->data, documents->capacity, documents->count + 1);
        if (*status == TWINSET_OK)
            documents->data[documents->count++] = reader.base + document;
    }
    return true;
}
