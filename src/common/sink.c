#include "sink.h"

#include <errno.h>
#include <string.h>

#include "error.h"

void tw_sink_init(tw_sink *sink, twinset_write_fn write, void *context)
{
    sink->write = write;
    sink->context = context;
    sink->failure = 0;
    sink->used = 0;
}

static int append(void *context, const char *bytes, size_t count)
{
    return tw_bytes_append(context, bytes, count) == TWINSET_OK ? 0 : ENOMEM;
}

void tw_sink_init_bytes(tw_sink *sink, tw_bytes *bytes)
{
    tw_sink_init(sink, append, bytes);
}

static void deliver(tw_sink *sink, const char *bytes, size_t count)
{
    if (sink->failure == 0 && count > 0)
        sink->failure = sink->write(sink->context, bytes, count);
}

static void flush(tw_sink *sink)
{
    deliver(sink, sink->buffer, sink->used);
    sink->used = 0;
}

void tw_put(tw_sink *sink, const void *bytes, size_t count)
{
    if (count > sizeof sink->buffer - sink->used)
        flush(sink);
    if (count > sizeof sink->buffer) {
        deliver(sink, bytes, count);
    } else if (count > 0) {
        memcpy(sink->buffer + sink->used, bytes, count);
        sink->used += count;
    }
}

void tw_put_text(tw_sink *sink, const char *text)
{
    tw_put(sink, text, strlen(text));
}

void tw_put_spaces(tw_sink *sink, size_t count)
{
    while (count-- > 0)
        tw_put(sink, " ", 1);
}

int tw_sink_end(tw_sink *sink, twinset_error *error)
{
    flush(sink);
    return sink->failure == 0 ? TWINSET_OK : tw_fail_to_write(error, "the result", sink->failure);
}

int tw_sink_end_bytes(tw_sink *sink)
{
    flush(sink);
    return sink->failure == 0 ? TWINSET_OK : TWINSET_NOMEM;
}
