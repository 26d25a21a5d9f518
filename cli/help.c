/*
 * --help: an overview of all commands, or the help of one.
 */
#include "options.h"

#include <string.h>
#include <unistd.h>

enum { INDENT = 2, EXAMPLE_COLUMN = 6, CHOICE_COLUMN = 10, HELP_COLUMN = 26 };
enum { NARROW = 60, USUAL = 80, WIDE = 100 };

static unsigned get_page_width(void)
{
    unsigned width = terminal_width(STDOUT_FILENO);
    return width == 0 ? USUAL : width < NARROW ? NARROW : width > WIDE ? WIDE : width;
}

/* Counts the code points of a text: each takes one column in the texts of the tables. */
static unsigned count_columns(const char *text, size_t length)
{
    unsigned count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Writes a text in lines, the first from `column`, where the cursor is, the others from `indent`. A
 * newline in the text begins a paragraph. */
static void write_wrapped(cli_output *out, const char *text, unsigned column, unsigned indent)
{
    unsigned width = get_page_width();
    bool first = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        unsigned size = count_columns(text, length);
        bool is_line_start = first;
        if (!first && column + 1 + size > width) {
            output_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            is_line_start = true;
        }
        output_printf(out, "%s%.*s", is_line_start ? "" : " ", (int)length, text);
        column += size + !is_line_start;
        first = false;
        text += length;
        if (*text == '\n') {
            output_printf(out, "\n\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text += *text != '\0';
    }
    output_printf(out, "\n");
}

/* Writes a term, whose choices are continued on the next line if they do not fit. Returns the
 * column of the cursor. */
static unsigned write_term(cli_output *out, const char *term)
{
    unsigned column = INDENT, width = get_page_width();
    output_printf(out, "%*s", INDENT, "");
    while (*term != '\0') {
        size_t length = strcspn(term, "|");
        length += term[length] == '|';
        unsigned size = count_columns(term, length);
        if (column + size > width) {
            output_printf(out, "\n%*s", CHOICE_COLUMN, "");
            column = CHOICE_COLUMN;
        }
        output_printf(out, "%.*s", (int)length, term);
        column += size;
        term += length;
    }
    return column;
}

/* Writes a term and its explanation, side by side if the term is short enough. */
static void write_entry(cli_output *out, const char *term, const char *text, unsigned column)
{
    unsigned end = write_term(out, term);
    if (end + 2 > column)
        output_printf(out, "\n%*s", (int)column, "");
    else
        output_printf(out, "%*s", (int)(column - end), "");
    write_wrapped(out, text, column, column);
}

static void write_examples(cli_output *out, const cli_entry *examples, size_t count)
{
    output_printf(out, "\nExamples:\n");
    for (size_t i = 0; i < count && examples[i].term != NULL; i++) {
        output_printf(out, "%*s%s\n%*s", INDENT, "", examples[i].term, EXAMPLE_COLUMN, "");
        write_wrapped(out, examples[i].text, EXAMPLE_COLUMN, EXAMPLE_COLUMN);
    }
}

/* Writes an option, such as "-t, --threshold X", and its help. */
static void write_option(cli_output *out, const cli_option *option, const cli_command *command)
{
    char term[128], letter[8] = "    ";
    const char *argument = option_argument(option, command);
    bool is_long = option_is_long(option);
    if (option->info.letter != 0)
        snprintf(letter, sizeof letter, "-%c%s", option->info.letter, is_long ? ", " : "");
    snprintf(term, sizeof term, "%s%s%s%s%s", letter, is_long ? "--" : "",
             is_long ? option->info.name : "", argument != NULL ? " " : "",
             argument != NULL ? argument : "");
    write_entry(out, term, option->info.help, HELP_COLUMN);
}

static bool is_new_topic(size_t index, const char *topic, const cli_command *command)
{
    cli_option earlier;
    for (size_t i = 0; i < index && option_at(i, &earlier); i++)
        if (option_applies(&earlier, command) && strcmp(earlier.info.topic, topic) == 0)
            return false;
    return true;
}

static void write_topic(cli_output *out, const char *topic, const cli_command *command)
{
    cli_option option;
    output_printf(out, "\n%s:\n", topic);
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_applies(&option, command) && strcmp(option.info.topic, topic) == 0)
            write_option(out, &option, command);
}

static void write_command_help(cli_output *out, const cli_command *command)
{
    cli_option option;
    output_printf(out, "Usage: twinset %s [OPTION...]%s%s\n\n", command->name,
                  command->operands[0] != '\0' ? " " : "", command->operands);
    write_wrapped(out, command->description, 0, 0);
    write_examples(out, command->examples, EXAMPLES);
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_applies(&option, command) && is_new_topic(i, option.info.topic, command))
            write_topic(out, option.info.topic, command);
}

static void write_overview(cli_output *out)
{
    char term[64];
    output_printf(out, "Usage: twinset [COMMAND] [OPTION...] PATH...\n\n");
    write_wrapped(
        out,
        "Finds the twins in a set of documents: near-duplicates, plagiarism, copied text. Every "
        "similarity it reports is exact.",
        0, 0);
    write_examples(out, commands[0].examples, 3);
    output_printf(out, "\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        snprintf(term, sizeof term, "%s %s", commands[i].name, commands[i].operands);
        write_entry(out, term, commands[i].summary, HELP_COLUMN);
    }
    output_printf(out, "\nMore:\n");
    write_entry(out, "COMMAND --help", "options and examples of a command", HELP_COLUMN);
    write_entry(out, "--version", "the version", HELP_COLUMN);
    write_entry(out, "--man", "the manual, as a man page", HELP_COLUMN);
    write_entry(out, "--completion SHELL", "a script for bash, zsh or fish", HELP_COLUMN);
    output_printf(out, "\nExit status:\n");
    for (const cli_entry *status = exit_statuses; status->term != NULL; status++)
        write_entry(out, status->term, status->text, EXAMPLE_COLUMN);
}

void help_write(cli_output *out, const cli_command *command)
{
    if (command != NULL)
        write_command_help(out, command);
    else
        write_overview(out);
}
