/* What was removed from a collection, and why: an object a line. */
#include "output.h"

int twinset_result_write_removed(const twinset_result *result, twinset_write_fn write,
                                 void *context, twinset_error *error)
{
    tw_sink sink;
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    size_t count = result->run.removed;
    tw_sink_init(&sink, write, context);
    for (size_t i = 0; i < count && sink.failure == 0; i++) {
        twinset_removal removed = tw_result_removal_at(result, i);
        tw_put_text(&sink, "{\"id\": ");
        tw_put_json(&sink, removed.name);
        tw_put_text(&sink, ", \"kept\": ");
        tw_put_json(&sink, removed.kept);
        tw_put_text(&sink, ", \"similarity\": ");
        tw_put_text(&sink, tw_number_real(removed.similarity).text);
        tw_put_text(&sink, ", \"cluster\": ");
        tw_put_text(&sink, tw_number_whole(removed.cluster).text);
        tw_put_text(&sink, "}\n");
    }
    return tw_sink_end(&sink, error);
}
