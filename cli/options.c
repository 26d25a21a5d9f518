/*
 * Parses the command line by the tables, in two readings: the first finds the command, since
 * options may come before it; the second applies everything. Whether an option takes a value does
 * not depend on the command.
 */
#include "options.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- words of the command line */

typedef enum word_kind {
    WORD_OPERAND,
    WORD_OPTION,
    WORD_END, /* "--": all that follow are operands */
    WORD_UNKNOWN,
    WORD_NO_VALUE,
    WORD_EXTRA_VALUE,
} word_kind;

typedef struct cli_word {
    word_kind kind;
    const char *text;  /* as given */
    cli_option option; /* if it is known */
    const char *value;
    const char *second; /* of an option that takes two */
} cli_word;

typedef struct word_list {
    char **words; /* NULL after the last */
    size_t next;
    bool has_ended;
} word_list;

static bool find_long(const char *name, size_t length, cli_option *found)
{
    for (size_t i = 0; option_at(i, found); i++)
        if (strlen(found->info.name) == length && memcmp(found->info.name, name, length) == 0)
            return true;
    return false;
}

static bool find_letter(char letter, cli_option *found)
{
    for (size_t i = 0; option_at(i, found); i++)
        if (found->info.letter == letter)
            return true;
    return false;
}

/* Splits an option from a value in the same word, as in --name=value and -k9; the value is NULL if
 * there is none. */
static bool split_option(cli_word *word)
{
    const char *text = word->text;
    if (text[1] != '-') {
        word->value = text[2] != '\0' ? text + 2 : NULL;
        return find_letter(text[1], &word->option);
    }
    size_t length = strcspn(text + 2, "=");
    word->value = text[2 + length] == '=' ? text + 2 + length + 1 : NULL;
    return find_long(text + 2, length, &word->option);
}

/* Reads the next word, which must exist, with the value of an option. */
static cli_word next_word(word_list *line)
{
    cli_word word = {.kind = WORD_OPERAND, .text = line->words[line->next++]};
    if (line->has_ended || word.text[0] != '-' || word.text[1] == '\0')
        return word;
    if (strcmp(word.text, "--") == 0) {
        line->has_ended = true;
        word.kind = WORD_END;
    } else if (!split_option(&word)) {
        word.kind = WORD_UNKNOWN;
    } else if (word.option.info.argument == NULL) {
        word.kind = word.value != NULL ? WORD_EXTRA_VALUE : WORD_OPTION;
    } else {
        bool takes_two = strchr(word.option.info.argument, ' ') != NULL;
        if (word.value == NULL && line->words[line->next] != NULL)
            word.value = line->words[line->next++];
        if (takes_two && word.value != NULL && line->words[line->next] != NULL)
            word.second = line->words[line->next++];
        bool is_complete = word.value != NULL && (!takes_two || word.second != NULL);
        word.kind = is_complete ? WORD_OPTION : WORD_NO_VALUE;
    }
    return word;
}

/* ---- errors of usage */

static int usage(const cli_command *command, const char *format, ...) CLI_PRINTF(2, 3);

static int usage(const cli_command *command, const char *format, ...)
{
    char message[sizeof(twinset_error)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say("%s", message);
    fprintf(stderr, "Try 'twinset %s --help'.\n", command->name);
    return EXIT_FAILED;
}

static int unknown_option(const cli_command *command, const char *text)
{
    char name[64] = "";
    if (text[1] == '-')
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    const char *meant = strlen(name) > 1 ? hint_option(command, name) : NULL;
    if (meant != NULL)
        return usage(command, "unknown option %s; did you mean --%s?", text, meant);
    return usage(command, "unknown option %s", text);
}

/* ---- the first reading: the command */

static int set_request(cli_invocation *in, const cli_word *word)
{
    if (in->request != OPTION_ENGINE)
        return 0;
    in->request = word->option.id;
    if (word->option.id == OPTION_COMPLETION) {
        const char *shells = word->option.info.argument;
        in->shell = word->value;
        if (!list_has(shells, '|', in->shell)) {
            say("--completion: '%s' is not one of %s", in->shell, shells);
            return EXIT_FAILED;
        }
    }
    return 0;
}

/* Sets the command from the first operand. "help" sets *is_help, and the operand after it is the
 * command. */
static int set_command(cli_invocation *in, const char *text, bool *is_help)
{
    if (!*is_help && strcmp(text, "help") == 0) {
        *is_help = true;
        in->request = OPTION_HELP;
        return 0;
    }
    in->command = command_named(text);
    const cli_command *meant = in->command == NULL ? hint_command(text) : NULL;
    if (meant != NULL) {
        say("'%s' is neither a command nor a path; did you mean 'twinset %s'?", text, meant->name);
    } else if (*is_help && in->command == NULL) {
        say("there is no command '%s'", text);
    } else {
        return 0;
    }
    fputs("Try 'twinset --help'.\n", stderr);
    return EXIT_FAILED;
}

/* Finds the command. *command_index is its index among the words; 0 if none is named. */
static int find_command(cli_invocation *in, char **words, size_t *command_index)
{
    word_list line = {.words = words, .next = 1};
    bool has_command = false, is_help = false;
    int status = 0;
    *command_index = 0;
    while (status == 0 && line.words[line.next] != NULL) {
        size_t index = line.next;
        cli_word word = next_word(&line);
        if (word.kind == WORD_OPTION && word.option.id >= OPTION_HELP) {
            status = set_request(in, &word);
        } else if (word.kind == WORD_OPERAND && !line.has_ended && !has_command) {
            bool was_help = is_help;
            status = set_command(in, word.text, &is_help);
            has_command = is_help == was_help;
            *command_index = in->command != NULL ? index : 0;
        }
    }
    return status;
}

/* ---- the second reading: options and inputs */

static int add_input(cli_invocation *in, const char *path, twinset_role role)
{
    if (path[0] == '\0')
        return usage(in->command, "a path is empty");
    if (strcmp(path, "-") == 0 && in->command->run == cmd_compare)
        return usage(in->command,
                     "-: standard input holds JSON lines, and compare takes two documents");
    in->inputs[in->input_count++] = (cli_input){path, role};
    return 0;
}

static int set_format(cli_invocation *in, const char *value)
{
    twinset_format_info info;
    const char *formats = command_formats(in->command);
    if (!list_has(formats, '|', value))
        return usage(in->command, "--format: '%s' is not one of %s", value, formats);
    for (size_t i = 0; twinset_format_at(i, &info, sizeof info) == TWINSET_OK; i++)
        if (strcmp(value, info.name) == 0)
            in->format = info.format;
    in->is_parquet = strcmp(value, "parquet") == 0;
    return 0;
}

/* Takes the first format of the command. */
static int set_default_format(cli_invocation *in)
{
    const char *formats = command_formats(in->command);
    char name[32];
    if (formats == NULL)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(formats, "|"), formats);
    return set_format(in, name);
}

/* Lets the library parse the number as that of --recall, which is from 0 to 1 as well. */
static int set_fail_above(cli_invocation *in, const char *value)
{
    twinset_options scratch;
    twinset_options_init(&scratch, sizeof scratch);
    if (twinset_options_set(&scratch, "recall", value, NULL) != TWINSET_OK)
        return usage(in->command,
                     "--fail-above: '%s' is not a number from 0 to 1, or a percentage such as 70%%",
                     value);
    in->fail_above = scratch.recall;
    return 0;
}

static void *field_of(cli_invocation *in, const cli_option *option)
{
    return (char *)in + option->field;
}

static int set_file(cli_invocation *in, const cli_option *option, const char *value)
{
    *(const char **)field_of(in, option) = value;
    if (value[0] == '\0' || strcmp(value, "-") == 0)
        return usage(in->command, "--%s needs the name of a file", option->info.name);
    return 0;
}

static int set_engine_option(cli_invocation *in, const char *name, const char *value)
{
    twinset_error error;
    if (twinset_options_set(&in->options, name, value != NULL ? value : "1", &error) != 0)
        return usage(in->command, "%s", error.message);
    in->threshold_given |= strcmp(name, "threshold") == 0;
    return 0;
}

/* Adds a pattern of --include or --exclude, which may be given several times. */
static int add_glob(cli_invocation *in, const char *name, const char *value)
{
    char **list = &in->globs[strcmp(name, "exclude") == 0];
    size_t length = *list != NULL ? strlen(*list) : 0, size = strlen(value) + 1;
    if (size == 1)
        return usage(in->command, "--%s needs a pattern", name);
    char *longer = realloc(*list, length + 1 + size);
    if (longer == NULL) {
        say("out of memory");
        return EXIT_FAILED;
    }
    if (length > 0)
        longer[length++] = '\n';
    memcpy(longer + length, value, size);
    *list = longer;
    return set_engine_option(in, name, longer);
}

static int apply_option(cli_invocation *in, const cli_option *option, const char *value)
{
    if (!option_applies(option, in->command))
        return usage(in->command, "%s%s does not apply to %s", option_is_long(option) ? "--" : "-",
                     option->info.name, in->command->name);
    switch (option->id) {
    case OPTION_ENGINE:
        if (strcmp(option->info.name, "include") == 0 || strcmp(option->info.name, "exclude") == 0)
            return add_glob(in, option->info.name, value);
        return set_engine_option(in, option->info.name, value);
    case OPTION_SWITCH:
        *(bool *)field_of(in, option) = true;
        break;
    case OPTION_FILE:
        return set_file(in, option, value);
    case OPTION_TEXT:
        *(const char **)field_of(in, option) = value;
        break;
    case OPTION_IGNORE:
        return add_input(in, value, TWINSET_ROLE_IGNORE);
    case OPTION_OLD:
        return add_input(in, value, TWINSET_ROLE_OLD);
    case OPTION_LIKE:
        return add_input(in, value, TWINSET_ROLE_LIKE);
    case OPTION_FORMAT:
        in->format_given = true;
        return set_format(in, value);
    case OPTION_OUTPUT:
        in->output = strcmp(value, "-") != 0 ? value : NULL;
        in->output_given = true;
        return value[0] != '\0' ? 0 : usage(in->command, "--output needs the name of a file");
    case OPTION_KEEP:
        in->keep = value;
        return value[0] != '\0' ? 0 : usage(in->command, "--keep needs a rule or a field");
    case OPTION_FAIL_ABOVE:
        return set_fail_above(in, value);
    case OPTION_QUIET:
        in->quiet = true;
        in->verbose = false;
        break;
    case OPTION_VERBOSE:
        in->verbose = true;
        in->quiet = false;
        break;
    default:
        break; /* handled in the first reading */
    }
    return 0;
}

static int apply_word(cli_invocation *in, const cli_word *word)
{
    const char *text = word->text;
    switch (word->kind) {
    case WORD_OPERAND:
        return add_input(in, text, TWINSET_ROLE_NEW);
    case WORD_OPTION:
        if (word->option.id == OPTION_EVIDENCE) {
            in->evidence[0] = word->value;
            in->evidence[1] = word->second;
        }
        return apply_option(in, &word->option, word->value);
    case WORD_UNKNOWN:
        return unknown_option(in->command, text);
    case WORD_NO_VALUE:
        return usage(in->command, "%s needs a value", text);
    case WORD_EXTRA_VALUE:
        return usage(in->command, "%s: this option takes no value", text);
    case WORD_END:
        break;
    }
    return 0;
}

static int check_operands(const cli_invocation *in)
{
    const cli_command *command = in->command;
    size_t operands = 0, others = 0;
    for (size_t i = 0; i < in->input_count; i++) {
        operands += in->inputs[i].role == TWINSET_ROLE_NEW;
        others += in->inputs[i].role == TWINSET_ROLE_OLD || in->inputs[i].role == TWINSET_ROLE_LIKE;
    }
    if (command->operands_max == 0 && operands > 0)
        return usage(command, "%s reads no documents; leave out '%s'", command->name,
                     in->inputs[0].path);
    if (command->run == cmd_serve && operands != 1)
        return usage(command, "serve takes the file of one index");
    if (operands >= command->operands_min && operands <= command->operands_max &&
        (command->operands_max == 0 || operands + others > 0))
        return 0;
    if (command->operands_max == SIZE_MAX)
        return usage(command, "nothing to read; give files, folders or @lists");
    return usage(command, "%s takes %zu documents, not %zu", command->name, command->operands_max,
                 operands);
}

/* ---- what the name of an output says */

/* Returns the ending of a name without its dot and in small letters, or "". */
static const char *get_ending(const char *path, char ending[16])
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL ? strlen(dot + 1) : 0;
    ending[0] = '\0';
    for (size_t i = 0; length < 16 && i <= length && dot != NULL; i++)
        ending[i] = dot[i + 1] >= 'A' && dot[i + 1] <= 'Z' ? (char)(dot[i + 1] + 32) : dot[i + 1];
    return ending;
}

/* Whether an input has this ending: what is read so may be written so. */
static bool has_input_ending(const cli_invocation *in, const char *ending)
{
    char other[16];
    for (size_t i = 0; i < in->input_count; i++)
        if (strcmp(get_ending(in->inputs[i].path, other), ending) == 0)
            return true;
    return false;
}

/* Refuses the name of a cleaned collection that promises another kind of file than it would be. */
static int check_cleaned_name(const cli_invocation *in, const char *ending)
{
    if (has_input_ending(in, ending))
        return 0;
    if (strcmp(ending, "parquet") == 0)
        return usage(in->command,
                     "-o %s: the command writes no Parquet; python -m twinset dedup does, from "
                     "Parquet",
                     in->output);
    if (list_has(twinset_rule_value("unwritten"), '|', ending) ||
        list_has("csv|tsv|json", '|', ending))
        return usage(in->command,
                     "-o %s: records are written as JSON lines (.jsonl), plain or packed as .gz, "
                     ".zst, .xz or .bz2, and not as .%s",
                     in->output, ending);
    return 0;
}

static int check_removed_name(const cli_invocation *in)
{
    char ending[16];
    if (in->removed == NULL || get_ending(in->removed, ending)[0] == '\0' ||
        !(list_has("csv|tsv|json|parquet", '|', ending) ||
          list_has(twinset_rule_value("packed"), '|', ending) ||
          list_has(twinset_rule_value("unwritten"), '|', ending)))
        return 0;
    return usage(in->command,
                 "--removed %s: what was removed is listed as JSON lines (.jsonl), and not as .%s",
                 in->removed, ending);
}

/* Takes the format that the name of the output ends with, unless --format chose one, and refuses a
 * name that promises what is not written. */
static int apply_result_name(cli_invocation *in, const char *ending)
{
    const char *formats = command_formats(in->command);
    const char *format = strcmp(ending, "ndjson") == 0 ? "jsonl" : ending;
    if (in->format_given)
        return 0;
    if (list_has(formats, '|', format))
        return set_format(in, format);
    if (list_has("csv|tsv|json|jsonl", '|', format) ||
        list_has(twinset_rule_value("packed"), '|', ending) ||
        list_has(twinset_rule_value("unwritten"), '|', ending))
        return usage(in->command,
                     "-o %s: the results of %s are not written as .%s; --format takes %s",
                     in->output, in->command->name, ending, formats);
    return 0;
}

static int check_outputs(cli_invocation *in)
{
    char ending[16];
    if (in->command->run == cmd_dedup && !in->output_given)
        return usage(in->command,
                     "where to? -o takes a file, a folder with a slash at its end, or - for "
                     "standard output");
    int status = check_removed_name(in);
    if (status != 0 || in->output == NULL || get_ending(in->output, ending)[0] == '\0')
        return status;
    if (in->command->run == cmd_dedup)
        return check_cleaned_name(in, ending);
    return command_formats(in->command) != NULL ? apply_result_name(in, ending) : 0;
}

/* Checks that --fail-above is not below the threshold, since such pairs are not searched for;
 * lowers an automatic threshold. */
static int check_fail_above(cli_invocation *in)
{
    if (isnan(in->fail_above) || in->command->run != cmd_scan)
        return 0;
    bool is_given = in->threshold_given;
    if (!is_given && /* that of programs may be higher */
        set_engine_option(in, "threshold", twinset_rule_value("threshold")) != 0)
        return EXIT_FAILED;
    if (in->fail_above >= in->options.threshold)
        return 0;
    if (is_given)
        return usage(in->command,
                     "--fail-above %g lies below the threshold %g, where pairs are not looked "
                     "for; lower --threshold",
                     in->fail_above, in->options.threshold);
    in->options.threshold = in->fail_above;
    return 0;
}

int invocation_parse(cli_invocation *in, int argc, char **argv)
{
    size_t command_index;
    *in = (cli_invocation){.fail_above = NAN};
    int status = find_command(in, argv, &command_index);
    if (status != 0 || in->request != OPTION_ENGINE)
        return status;
    if (in->command == NULL)
        in->command = &commands[0];
    twinset_options_init(&in->options, sizeof in->options);
    in->inputs = calloc((size_t)argc, sizeof *in->inputs);
    if (in->inputs == NULL) {
        say("out of memory");
        return EXIT_FAILED;
    }
    status = set_default_format(in);
    word_list line = {.words = argv, .next = 1};
    while (status == 0 && argv[line.next] != NULL) {
        if (line.next == command_index) {
            line.next++;
            continue;
        }
        cli_word word = next_word(&line);
        status = apply_word(in, &word);
    }
    if (status == 0)
        status = check_operands(in);
    if (status == 0)
        status = check_outputs(in);
    return status == 0 ? check_fail_above(in) : status;
}
