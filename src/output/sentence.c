/*
 * The sentences of a run in written results: notes, and why inputs were skipped. They name options
 * as the command does, whoever writes the result, so that its bytes are always the same.
 */
#include <errno.h>
#include <string.h>

#include "writers.h"

void tw_json_sentence(tw_json *json, const char *key, const char *sentence)
{
    if (!strchr(sentence, '`')) {
        tw_json_string(json, key, sentence);
        return;
    }
    char *copy = tw_strdup(sentence);
    if (copy)
        tw_json_string(json, key, twinset_spell_options(copy));
    else if (json->sink->failure == 0)
        json->sink->failure = ENOMEM;
    tw_free(copy);
}
