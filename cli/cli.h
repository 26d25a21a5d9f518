/*
 * What the parts of the command share. The command stands on the public headers alone: what it can
 * do, any other program can do as well. Include this before anything else: it asks the
 * system headers for POSIX.
 */
#ifndef CLI_H
#define CLI_H

#define _XOPEN_SOURCE 700

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "twinset_advanced.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

enum { EXIT_DONE = 0, EXIT_ABOVE = 1, EXIT_FAILED = 2, EXIT_SKIPPED = 3 };

/* ---- report.c: messages on standard error */

/* Writes "twinset: message". Options that the library names in backquotes become those of the
 * command line. What is invisible, controls a terminal or is not UTF-8, as in a
 * file name, is shown as \n, \x1b, \u{202e}, \xff. */
void say(const char *format, ...) CLI_PRINTF(1, 2);

/* Names what a collection skipped: at most 10 inputs for each reason, unless `all`. What is
 * only empty is kept where the collection is `cleaned`. */
void report_collection(const twinset_collection *collection, bool all, bool cleaned);
/* Flagged documents and notes; when `verbose`, every name, and how the run went. */
void report_result(const twinset_result *result, bool verbose);

/* "1,234,567"; returns `text`. */
enum { NUMBER_SIZE = 32 };
const char *number(uint64_t value, char text[NUMBER_SIZE]);

/* ---- signals.c: SIGINT and the like */

/* From here on they end the process, with a message. */
void signals_install(void);
/* From here on they cancel the work on a collection; a second one ends the process. */
void signals_defer(twinset_collection *collection);
/* There is no such collection any more. */
void signals_forget(void);
bool signals_caught(void);
/* A file to remove when a signal comes, one of a few. The name must stay where it is, until
 * it is released. */
void signals_guard(const char *temporary);
void signals_release(const char *temporary);
/* Ends the process the way the signal would have. */
void signals_die(void);
/* The same for a reader of our output that has gone. */
void signals_die_of_pipe(void);

/* ---- terminal.c */

/* Columns of the terminal at `fd`, or as COLUMNS says; 0 where nothing limits it. */
unsigned terminal_width(int fd);
/* Whether it is a terminal that can do more than print one character after the other. */
bool terminal_is_capable(int fd);
bool terminal_colour(int fd);
/* Whether text may be more than ASCII. */
bool terminal_utf8(void);

/* ---- progress.c: one line on standard error, where that is a terminal */

typedef struct cli_progress {
    bool enabled, drawn;
    unsigned width;
    double next; /* seconds of the monotonic clock */
} cli_progress;

void progress_init(cli_progress *bar, bool wanted);
/* A twinset_progress_fn; the context is the bar. Asks to stop once a signal has come. */
int progress_update(void *context, const char *stage, uint64_t done, uint64_t total);
void progress_erase(cli_progress *bar);

/* ---- output_file.c: where results go */

typedef struct cli_output {
    FILE *stream;
    const char *name; /* as messages call it */
    char *final;      /* what the temporary file will be renamed to */
    char *temporary;  /* NULL where the stream is written to directly */
    bool nameless;    /* and does not have that name yet */
    int failed;       /* errno of the first failure */
    bool hasty;       /* closing does not wait for the disk */
    uint64_t written; /* by output_write() */
    uint64_t sent;    /* of that, on its way to the disk */
} cli_output;

/* Paths, which the list owns. A zeroed list is empty. */
typedef struct cli_path_list {
    char **paths;
    size_t count, capacity;
} cli_path_list;

/* Adds "folder/name", or the name alone where the folder is "". 0 or TWINSET_NOMEM. */
int path_list_add(cli_path_list *list, const char *folder, const char *name, twinset_error *error);
void path_list_free(cli_path_list *list);
/* A path to be freed, or NULL where memory is short. */
char *join_path(const char *folder, const char *name);

/* A zeroed output is a closed one. Without a path it is standard output. A regular file appears
 * under its name when it is complete, by output_close(), or never. */
int output_open(cli_output *out, const char *path, twinset_error *error);
/* A twinset_write_fn; the context is the output. */
int output_write(void *context, const char *bytes, size_t count);
/* A failure is remembered, and reported by output_close(). */
void output_printf(cli_output *out, const char *format, ...) CLI_PRINTF(2, 3);
int output_close(cli_output *out, twinset_error *error);
/* Leaves no trace of what is not closed yet. */
void output_discard(cli_output *out);
/* Fills in why writing failed; returns TWINSET_IO. */
int output_error(const cli_output *out, twinset_error *error);
/* Says what went wrong and returns EXIT_FAILED. Where the reader of the output has gone,
 * as after `| head`, ends the process without a word. */
int output_give_up(const cli_output *out, const twinset_error *error);

#endif
