/*
 * Any bytes as a frame of a journal of chunks. Promises: the chunk of an accepted frame makes a
 * frame that is no longer, and that is read and written again with the same bytes; a frame without
 * its last byte is refused.
 */
#include "chunk.h"
#include "fuzz.h"

static void write_frame(const tw_chunk *chunk, tw_bytes *frame)
{
    frame->length = 0;
    REQUIRE(tw_chunk_write(chunk, frame) == TWINSET_OK);
}

static void check_chunk(const tw_chunk *chunk, size_t size)
{
    tw_chunk again = {0};
    tw_bytes frame = {0}, copy = {0};
    REQUIRE(strlen(chunk->in.failed) < sizeof chunk->in.failed);
    write_frame(chunk, &frame);
    REQUIRE(frame.length <= size);
    REQUIRE(tw_chunk_read(&frame, &again) == TWINSET_OK);
    write_frame(&again, &copy);
    REQUIRE(copy.length == frame.length && memcmp(copy.data, frame.data, copy.length) == 0);
    frame.length--;
    REQUIRE(tw_chunk_read(&frame, &again) == TWINSET_IO);
    tw_bytes_free(&frame);
    tw_bytes_free(&copy);
    tw_chunk_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_chunk chunk = {0};
    tw_bytes frame = {.data = malloc(size + 1), .length = size};
    REQUIRE(frame.data);
    memcpy(frame.data, data, size);
    int status = tw_chunk_read(&frame, &chunk);
    REQUIRE(status == TWINSET_OK || status == TWINSET_IO);
    if (status == TWINSET_OK)
        check_chunk(&chunk, size);
    free(frame.data);
    tw_chunk_clear(&chunk);
    return 0;
}
