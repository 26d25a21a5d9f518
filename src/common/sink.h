/*
 * A buffer between what writes and the caller's function. Puts never fail: after the first failed
 * write all bytes are dropped, and tw_sink_end() reports it once. A long loop may look at `failure`
 * to end early.
 */
#ifndef TW_SINK_H
#define TW_SINK_H

#include <stddef.h>

#include "attributes.h"
#include "memory.h"
#include "twinset.h"

enum { TW_SINK_BYTES = 16384 };

typedef struct tw_sink {
    twinset_write_fn write;
    void *context;
    int failure; /* errno value of the first failed write */
    size_t used;
    char buffer[TW_SINK_BYTES];
} tw_sink;

void tw_sink_init(tw_sink *sink, twinset_write_fn write, void *context);
/* The sink appends to `bytes`. */
void tw_sink_init_bytes(tw_sink *sink, tw_bytes *bytes);
void tw_put(tw_sink *sink, const void *bytes, size_t count);
void tw_put_text(tw_sink *sink, const char *text);
void tw_put_spaces(tw_sink *sink, size_t count);
/* Writes what the buffer holds. 0, or TWINSET_IO if any write failed. */
int tw_sink_end(tw_sink *sink, twinset_error *error) TW_CHECKED;
/* Ends a sink that appends to bytes. Returns 0, or TWINSET_NOMEM if any append failed. */
int tw_sink_end_bytes(tw_sink *sink) TW_CHECKED;

#endif
