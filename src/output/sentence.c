/*
 * The sentences of a run in written results: notes, and why inputs were skipped. They name options
 * as the command does, whoever writes the result, so that its bytes are always the same.
 */
#include <errno.h>
#include <string.h>

#include "output.h"

void tw_put_sentence_json(tw_sink *sink, const char *sentence)
{
    if (!strchr(sentence, '`')) {
        tw_put_json(sink, sentence);
        return;
    }
    char *copy = tw_strdup(sentence);
    if (copy)
        tw_put_json(sink, twinset_spell_options(copy));
    else if (sink->failure == 0)
        sink->failure = ENOMEM;
    tw_free(copy);
}
