/*
 * Writes JSON to a sink: strings, numbers, and the commas and line breaks between them. Every byte
 * of JSON that the library writes comes from here. It holds no value and allocates nothing.
 *
 *     tw_json json = tw_json_new(&sink);
 *     tw_json_object(&json, NULL, TW_JSON_LINES);
 *     tw_json_string(&json, "name", name);
 *     tw_json_close(&json);
 */
#ifndef TW_JSON_H
#define TW_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "sink.h"

/* How the elements of an object or a list are laid out: on one line, or on a line each. */
typedef enum tw_json_layout { TW_JSON_INLINE, TW_JSON_LINES } tw_json_layout;

enum { TW_JSON_DEPTH = 12 };

typedef struct tw_json_level {
    char end; /* '}' or ']' */
    bool has_lines, has_elements;
} tw_json_level;

typedef struct tw_json {
    tw_sink *sink;
    bool is_compact; /* without spaces and line breaks, for programs alone */
    unsigned depth;
    tw_json_level levels[TW_JSON_DEPTH];
} tw_json;

tw_json tw_json_new(tw_sink *sink);
/* Writes further members of an object that others began; `has_members`: it has some already. */
tw_json tw_json_continue_object(tw_sink *sink, bool has_members);

/* Writes a value with its comma: a member of an object with `key`, an element of a list, or the
 * whole document, with NULL. Objects and lists nest up to TW_JSON_DEPTH; each needs a close. */
void tw_json_object(tw_json *json, const char *key, tw_json_layout layout);
void tw_json_list(tw_json *json, const char *key, tw_json_layout layout);
void tw_json_close(tw_json *json);
/* A string may hold any byte; one that is not UTF-8 becomes \udcXX, as Python reads file names, so
 * that strings that differ stay different. NULL is written as null. */
void tw_json_string(tw_json *json, const char *key, const char *text);
/* A name: as the number that it is if `is_number`, otherwise as a string. */
void tw_json_name(tw_json *json, const char *key, const char *name, bool is_number);
void tw_json_whole(tw_json *json, const char *key, uint64_t value);
/* NaN is written as null. */
void tw_json_real(tw_json *json, const char *key, double value);
void tw_json_bool(tw_json *json, const char *key, bool value);
void tw_json_null(tw_json *json, const char *key);
/* A string of `length` bytes, which may have NULs among them and has one behind them. */
void tw_json_bytes(tw_json *json, const char *key, const char *text, size_t length);
/* A value that is JSON already, as it is. */
void tw_json_raw(tw_json *json, const char *key, const char *value, size_t length);
/* Ends the line after a document. */
void tw_json_end_line(tw_json *json);

/* A string with its quotes, and nothing before or after it. */
void tw_put_json_string(tw_sink *sink, const char *text);

#endif
