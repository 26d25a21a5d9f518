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
        tw_json json = tw_json_new(&sink);
        tw_json_object(&json, NULL, TW_JSON_INLINE);
        tw_json_string(&json, "id", removed.name);
        tw_json_string(&json, "kept", removed.kept);
        tw_json_real(&json, "similarity", removed.similarity);
        tw_json_whole(&json, "cluster", removed.cluster);
        tw_json_close(&json);
        tw_json_end_line(&json);
    }
    return tw_sink_end(&sink, error);
}
