/* The options as the stages see them: one table serves parsing, help and the report. */
#ifndef TW_OPTIONS_H
#define TW_OPTIONS_H

#include "common.h"

/* Checks that the options make sense together, and fills in the defaults that depend on
 * others (by, k, threads, memory). Every handle starts with it. */
int tw_options_resolve(const twinset_options *given, twinset_options *resolved,
                       twinset_error *error) TW_CHECKED;

/* Those of the defaults that depend on what is compared, where `given` (may be NULL) has no
 * value for them. */
void tw_options_settle(const twinset_options *given, int by, twinset_options *resolved);

/* Appends a JSON object of all options that can change a result. */
int tw_options_json(const twinset_options *options, tw_bytes *out) TW_CHECKED;

/* Writes into `word`, and returns, the word for a value of an option with choices:
 * ("scheme", TWINSET_SCHEME_FSS): "fss". */
enum { TW_WORD = 16 };
const char *tw_option_choice(const char *option, int value, char word[TW_WORD]);

#endif
