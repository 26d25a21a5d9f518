/*
 * A record of JSON lines as it is written: where its fields are, and how a string of it is cut
 * while all else stays, byte for byte. The line was valid when it was read; if it changed since, no
 * step goes past its end.
 */
#ifndef TW_JSON_LINE_H
#define TW_JSON_LINE_H

#include "common.h"
#include "result.h"
#include "text.h"

/* The first character at or after `at` that is no space. */
const char *tw_json_skip_space(const char *at, const char *end);
/* What follows the string, or any other value, that starts at `at`. */
const char *tw_json_skip_string(const char *at, const char *end);
const char *tw_json_skip_value(const char *at, const char *end);

/* Appends a line of JSON without some spans of the string in a field, which is named as
 * tw_jsonl_new() takes it. Spans may overlap; what goes with each is as in tw_cut_end().
 * TWINSET_IO: the line has no such string, or it is too short. */
int tw_json_cut_line(const char *line, size_t length, const char *field,
                     const tw_repeated_span *spans, size_t count, tw_bytes *scratch,
                     tw_bytes *out) TW_CHECKED;
/* Appends a text that is not JSON without some spans, by the same rules. */
int tw_cut_text(const char *text, size_t length, const tw_repeated_span *spans, size_t count,
                tw_bytes *out) TW_CHECKED;

#endif
