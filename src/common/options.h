/* The options as the stages see them: one table serves parsing, help and the report. */
#ifndef TW_OPTIONS_H
#define TW_OPTIONS_H

#include "arena.h"
#include "attributes.h"
#include "json.h"
#include "memory.h"
#include "rules.h"
#include "twinset_advanced.h"

/* Copies what a caller gave, as far as its version of the struct goes; what is beyond that, or all
 * where `given` is NULL, gets the defaults. */
int tw_options_copy(const twinset_options *given, twinset_options *own,
                    twinset_error *error) TW_CHECKED;
/* Makes the strings of options copies in an arena, so that the caller's may go. */
int tw_options_copy_strings(twinset_options *options, tw_arena *arena) TW_CHECKED;

/* Checks that the options make sense together, and fills in the defaults that depend on others
 * (by, k, threads, memory). Every handle starts with it. */
int tw_options_resolve(const twinset_options *given, twinset_options *resolved,
                       twinset_error *error) TW_CHECKED;

/* Whether passages are asked for: pairs that share one are listed, spans that an earlier record has
 * are cut. */
static inline bool tw_wants_passages(const twinset_options *options)
{
    return options->min_passage && options->min_passage != TWINSET_OFF;
}

/* Fills in the defaults that depend on what shingles are made of (TWINSET_BY_*), for those options
 * that `given`, which may be NULL, leaves to the library. */
void tw_options_fill_defaults(const twinset_options *given, int by, twinset_options *resolved);

/* Returns a part of the memory that a run may use for what grows with its input: of what `memory`
 * leaves after the program itself, and the buffers that chunks of the input are read into. */
uint64_t tw_memory_share(const twinset_options *options, unsigned parts);

/* Writes a JSON object of all options that can change a result. */
void tw_json_options(tw_json *json, const char *key, const twinset_options *options);
/* Appends that object to bytes. */
int tw_options_json(const twinset_options *options, tw_bytes *out) TW_CHECKED;

/* Writes into `word`, and returns, the word for a value of an option with choices: for ("scheme",
 * TWINSET_SCHEME_FSS) that is "fss". */
const char *tw_option_word(const char *option, int value, char word[TW_OPTION_WORD_BYTES]);

#endif
