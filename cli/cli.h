/*
 * The declarations that all files of the command share. The command uses the public headers alone:
 * any other program can do what it does. Include this header first: it asks the system headers for
 * POSIX.
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

/* ---- message.c: messages on standard error */

/* Writes "twinset: message". Options that the library names in backquotes become those of the
 * command line. Characters of a file name that are invisible, control a terminal or are not UTF-8
 * are shown as \n, \x1b, \u{202e}, \xff. */
void say(const char *format, ...) CLI_PRINTF(1, 2);

/* Writes a message into `error`, and returns `status`. */
int fail(twinset_error *error, int status, const char *format, ...) CLI_PRINTF(3, 4);

/* Writes a number as "1,234,567"; returns `text`. */
enum { NUMBER_SIZE = 32 };
const char *number(uint64_t value, char text[NUMBER_SIZE]);

/* ---- run_notes.c: what a run says of itself, on standard error */

enum {
    REPORT_ALL_NAMES = 1,     /* otherwise a few for each reason */
    REPORT_FIGURES = 2,       /* of the run: stages, memory */
    REPORT_EMPTY_AS_KEPT = 4, /* a cleaned collection keeps inputs that are only empty */
};

/* Names the inputs that a collection skipped. `how` is a set of REPORT_*. */
void report_skipped(const twinset_collection *collection, unsigned how);
/* Names flagged documents, and writes the notes. */
void report_result(const twinset_result *result, unsigned how);

/* ---- signals.c: SIGINT and the like */

/* Makes signals end the process with a message from now on. */
void signals_install(void);
/* Makes the first signal cancel the work on a collection from now on, and a second one end the
 * process. */
void signals_defer(twinset_collection *collection);
/* Forgets the collection, which is about to be freed. */
void signals_forget(void);
bool signals_caught(void);
/* Names a file to remove when a signal arrives, one of a few. The string must stay valid until it
 * is released. */
void signals_guard(const char *temporary);
void signals_release(const char *temporary);
/* Ends the process as the signal would have ended it. */
void signals_die(void);
/* Ends the process as SIGPIPE would, after the reader of the output has closed it. */
void signals_die_of_pipe(void);

/* ---- terminal.c */

/* Returns the columns of the terminal at `fd`, otherwise the number in COLUMNS; 0: there is no
 * limit. */
unsigned terminal_width(int fd);
/* Whether `fd` is a terminal that understands control sequences. */
bool terminal_is_capable(int fd);
bool terminal_colour(int fd);
/* Whether the terminal shows UTF-8. */
bool terminal_utf8(void);

/* ---- progress.c: one line on standard error, if that is a terminal */

typedef struct cli_progress {
    bool is_enabled, is_drawn;
    unsigned width;
    double next; /* when it may be drawn again, in seconds of the monotonic clock */
    char stage[32];
    double began;        /* when the stage began */
    uint64_t first_done; /* how much of the stage was done then */
} cli_progress;

void progress_init(cli_progress *bar, bool wanted);
/* Draws the bar; a twinset_progress_fn, whose context is the bar. Asks to stop after a signal. */
int progress_update(void *context, const char *stage, uint64_t done, uint64_t total);
void progress_erase(cli_progress *bar);

/* ---- input_file.c: files that the command itself reads */

/* Reads a file into a terminated text, which the caller frees. Returns 0, or an errno: EFBIG for a
 * file of more than `most_bytes`. */
int read_file(const char *path, size_t most_bytes, char **text);

/* ---- output_file.c: the files that results are written to */

typedef struct cli_blocks cli_blocks;

typedef struct cli_output {
    FILE *stream;
    const char *name;   /* in messages */
    char *final;        /* the name of the complete file */
    char *temporary;    /* the name until then; NULL: the stream is written to directly */
    bool is_nameless;   /* the file does not have its temporary name yet */
    int failed;         /* errno of the first failure */
    bool skips_sync;    /* closing does not wait for the disk */
    uint64_t written;   /* by output_write() */
    cli_blocks *blocks; /* of a large file; NULL: the stream is written to */
} cli_output;

/* A list of paths, which it owns. A zeroed list is empty. */
typedef struct cli_path_list {
    char **paths;
    size_t count, capacity;
} cli_path_list;

/* Adds "folder/name", or the name alone if the folder is "". Returns 0 or TWINSET_NOMEM. */
int path_list_add(cli_path_list *list, const char *folder, const char *name, twinset_error *error);
void path_list_free(cli_path_list *list);
/* Returns "folder/name", which the caller frees; NULL: out of memory. */
char *join_path(const char *folder, const char *name);

/* Opens an output; standard output if `path` is NULL. A zeroed output is a closed one. A regular
 * file gets its name in output_close(), when it is complete, or never. */
int output_open(cli_output *out, const char *path, twinset_error *error);
/* Writes bytes; a twinset_write_fn, whose context is the output. */
int output_write(void *context, const char *bytes, size_t count);
/* Writes formatted text. A failure is remembered, and reported by output_close(). */
void output_printf(cli_output *out, const char *format, ...) CLI_PRINTF(2, 3);
int output_close(cli_output *out, twinset_error *error);
/* Removes an output that is not closed yet. */
void output_discard(cli_output *out);
/* Fills in why writing failed; returns TWINSET_IO. */
int output_error(const cli_output *out, twinset_error *error);
/* Writes the error message and returns EXIT_FAILED. If the reader has closed the output, as after
 * `| head`, ends the process without a message. */
int output_give_up(const cli_output *out, const twinset_error *error);

/* ---- large_output.c: large files, past the page cache; for output_file.c */

/* Writes bytes to a regular file, which may be large or become so. Fails with errno, as the next
 * function does. */
bool output_write_large(cli_output *out, const char *bytes, size_t count);
/* Writes what is left of the blocks, so that the stream goes on behind them. */
bool output_end_blocks(cli_output *out);
/* Frees the blocks without writing what is left of them. */
void output_drop_blocks(cli_output *out);

#endif
