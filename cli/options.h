/*
 * The commands and options as data, and the parsed command line. Parsing, help, man page and
 * completions all use two tables: that of the library, for the options of the engine, and that in
 * commands.c.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli.h"

typedef struct cli_command cli_command;

/* What an option does. */
typedef enum option_id {
    OPTION_ENGINE, /* the library knows it */
    OPTION_SWITCH, /* sets a bool of cli_invocation */
    OPTION_FILE,   /* sets the path of a file there */
    OPTION_TEXT,   /* sets a string there, which the command reads */
    OPTION_IGNORE,
    OPTION_OLD,
    OPTION_LIKE,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_KEEP,
    OPTION_FAIL_ABOVE,
    OPTION_EVIDENCE,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_MAN,
    OPTION_COMPLETION,
} option_id;

typedef struct cli_option {
    option_id id;
    twinset_option_info info; /* with no commands if it is used without a command */
    size_t field;             /* offset in cli_invocation, of switches and files */
} cli_option;

typedef struct cli_input {
    const char *path;
    twinset_role role;
} cli_input;

/* The options of serve, as they were given; NULL: the default. */
typedef struct cli_server {
    const char *listen, *token_file, *tls_cert, *tls_key, *audit;
    const char *max_body, *max_document, *quota, *timeout, *connections;
    bool insecure;
} cli_server;

/* A parsed command line. */
typedef struct cli_invocation {
    const cli_command *command; /* NULL: --help and the like without a command */
    option_id request;          /* OPTION_HELP and the like; OPTION_ENGINE: run the command */
    const char *shell;          /* of --completion */
    twinset_options options;
    char *globs[2]; /* of --include and --exclude, one a line */
    cli_input *inputs;
    size_t input_count;
    twinset_format format;
    const char *output; /* NULL: standard output */
    const char *removed, *report, *html;
    const char *baseline;    /* an earlier result, whose pairs do not fail; or NULL */
    const char *review;      /* a file of decisions for the page, or NULL */
    const char *evidence[2]; /* the two documents whose case alone is on the page; or NULL */
    const char *keep;
    const char *index; /* that a collection is cleaned against, or NULL */
    const char *match; /* a pattern of ids in an index, or NULL */
    cli_server server;
    double fail_above; /* NaN: it was not given */
    bool threshold_given, output_given, format_given, annotate, anonymise, strict, quiet, verbose;
    bool find, no_text; /* of an index */
    bool is_parquet;    /* of an export */
} cli_invocation;

/* A term and its explanation. */
typedef struct cli_entry {
    const char *term, *text;
} cli_entry;

enum { EXAMPLES = 6 };

struct cli_command {
    const char *name;
    const char *operands; /* for the synopsis */
    size_t operands_min, operands_max;
    const char *summary;          /* half a sentence */
    const char *description;      /* paragraphs, separated by newlines */
    unsigned formats;             /* TWINSET_FORMAT_OF_*: the library writes its results; or 0 */
    const char *own_formats;      /* those that the command writes itself besides, or NULL */
    cli_entry examples[EXAMPLES]; /* command lines; NULL after the last */
    int (*run)(const cli_invocation *in);
};

enum { COMMANDS = 8 };
extern const cli_command commands[COMMANDS];

/* The last entry is NULL. */
extern const cli_entry exit_statuses[], environment[];

const cli_command *command_named(const char *name);
/* The formats of its results, the default first; NULL: it has none. */
const char *command_formats(const cli_command *command);

/* Gets the option at `index`, in the order of the help; false past the last. */
bool option_at(size_t index, cli_option *found);
bool option_applies(const cli_option *option, const cli_command *command);
/* Whether an option has a long form; -k has none. */
bool option_is_long(const cli_option *option);
/* Returns the value that the help shows for an option; --format takes other words with each
 * command. */
const char *option_argument(const cli_option *option, const cli_command *command);
/* Its help, in the words of the command line; returns `text`. */
enum { OPTION_HELP_SIZE = 512 };
const char *option_help(const cli_option *option, char text[OPTION_HELP_SIZE]);
/* Whether a list, with `separator` between its words, has `word`. */
bool list_has(const char *list, char separator, const char *word);

/* Parses the command line into `in`, whose inputs the caller frees. Returns 0, or EXIT_FAILED after
 * a message. */
int invocation_parse(cli_invocation *in, int argc, char **argv);

/* ---- hint.c: both return NULL if no word is near */

/* Returns the long option of the command that is nearest to what was typed. */
const char *hint_option(const cli_command *command, const char *typed);
/* Returns the command that is nearest to what was typed; NULL for the path of a file. */
const cli_command *hint_command(const char *typed);

/* ---- help.c, manual.c, completion.c */

void help_write(cli_output *out, const cli_command *command);
void manual_write(cli_output *out);
/* `shell` is bash, zsh or fish. */
void completion_write(cli_output *out, const char *shell);

/* ---- cmd_*.c */

int cmd_scan(const cli_invocation *in);
int cmd_compare(const cli_invocation *in);
int cmd_dedup(const cli_invocation *in);
int cmd_tune(const cli_invocation *in);
int cmd_sketch(const cli_invocation *in);
int cmd_cat(const cli_invocation *in);
int cmd_index(const cli_invocation *in);
int cmd_serve(const cli_invocation *in);

#endif
