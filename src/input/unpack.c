/*
 * Unpacks a file that is in memory, as fast as the library of its format does. The output grows as
 * it comes, since what a file says of its size may be a lie.
 */
#include "archive.h"
#include "input.h"

enum { STEP_BYTES = 64 << 10 };

/* Appends all that a stream has. */
static int unpack(tw_stream *stream, uint64_t limit_bytes, tw_bytes *out, const char **reason)
{
    size_t before = out->length, got = 1;
    while (got > 0) {
        if (tw_bytes_reserve(out, STEP_BYTES) != TWINSET_OK) {
            *reason = TW_NO_MEMORY;
            return TWINSET_NOMEM;
        }
        int status = tw_stream_read(stream, out->data + out->length, out->capacity - out->length,
                                    &got, reason);
        if (status != TWINSET_OK)
            return status;
        out->length += got;
        *reason = "unpacks to more than a document may have";
        if (out->length - before > limit_bytes)
            return TWINSET_IO;
        *reason = TW_RATIO_REASON;
        if (tw_ratio_is_passed(out->length - before, tw_stream_taken(stream)))
            return TWINSET_IO;
    }
    return TWINSET_OK;
}

int tw_unpack(const char *bytes, size_t length, uint64_t limit_bytes, tw_bytes *out, bool *packed,
              const char **reason)
{
    tw_stream *stream;
    size_t before = out->length;
    *packed = tw_is_packed(bytes, length);
    if (!*packed)
        return TWINSET_OK;
    int status = tw_stream_open_bytes(bytes, length, &stream, reason);
    if (status != TWINSET_OK)
        return status;
    status = unpack(stream, limit_bytes, out, reason);
    if (status != TWINSET_OK)
        out->length = before;
    tw_stream_close(stream);
    return status;
}
