/*
 * --man: the manual in mdoc, made from the same tables as the help.
 */
#include "options.h"

#include <ctype.h>
#include <string.h>

#define PAGE_DATE "November 15, 2026"

enum { LINE_LENGTH = 72 };

/* Writes a text so that roff takes every character literally, with `dash` for each dash. */
static void write_plain(cli_output *out, const char *text, size_t length, const char *dash)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            output_printf(out, "\\e");
        else if (text[i] == '-')
            output_printf(out, "%s", dash);
        else
            output_printf(out, "%c", text[i]);
    }
}

/* Writes a word. The dashes of an option must not become hyphens. */
static void write_word(cli_output *out, const char *word, size_t length)
{
    bool is_option = word[strspn(word, "(")] == '-';
    write_plain(out, word, length, is_option ? "\\-" : "-");
}

static bool ends_sentence(const char *word, size_t length)
{
    return length > 1 && strchr(".?!", word[length - 1]) != NULL;
}

/* Writes a text in short lines, with a new line for each sentence, as mdoc wants it. */
static void write_text(cli_output *out, const char *text)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        if (column > 0 && column + length >= LINE_LENGTH) {
            output_printf(out, "\n");
            column = 0;
        }
        /* A line that starts with a dot or a quote would be a request. */
        bool is_request = column == 0 && strchr(".'", text[0]) != NULL;
        output_printf(out, "%s", column > 0 ? " " : is_request ? "\\&" : "");
        write_word(out, text, length);
        column += length + 1;
        text += length;
        if (*text == '\n' || (*text == ' ' && ends_sentence(text - length, length))) {
            output_printf(out, *text == '\n' ? "\n.Pp\n" : "\n");
            column = 0;
        }
        text += *text != '\0';
    }
    output_printf(out, "\n");
}

/* Writes a command line on one line, as the macro takes it. */
static void write_command_line(cli_output *out, const char *text)
{
    output_printf(out, ".Dl");
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        output_printf(out, " ");
        write_word(out, text, length);
        text += length + (text[length] != '\0');
    }
    output_printf(out, "\n");
}

static void write_entries(cli_output *out, const char *macro, const cli_entry *entries)
{
    output_printf(out, ".Bl -tag -width Ds\n");
    for (; entries->term != NULL; entries++) {
        output_printf(out, ".It %s %s\n", macro, entries->term);
        write_text(out, entries->text);
    }
    output_printf(out, ".El\n");
}

static void write_commands(cli_output *out)
{
    output_printf(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        const cli_command *command = &commands[i];
        output_printf(out, ".It Cm %s", command->name);
        if (command->operands[0] != '\0')
            output_printf(out, " Ar %s", command->operands);
        output_printf(out, "\n");
        write_text(out, command->description);
        if (command_formats(command) != NULL)
            output_printf(out, "Formats:\n.Ql %s .\n", command_formats(command));
    }
    output_printf(out, ".El\n");
}

static void write_command_list(cli_output *out, const cli_option *option)
{
    const char *before = "";
    size_t count = 0;
    for (size_t i = 0; i < COMMANDS; i++)
        count += option_applies(option, &commands[i]);
    if (count == 0 || count == COMMANDS)
        return;
    output_printf(out, ".Pq ");
    for (size_t i = 0; i < COMMANDS; i++) {
        if (option_applies(option, &commands[i])) {
            output_printf(out, "%sCm %s", before, commands[i].name);
            before = " , ";
        }
    }
    output_printf(out, "\n");
}

static void write_option(cli_output *out, const cli_option *option)
{
    const twinset_option_info *info = &option->info;
    output_printf(out, ".It");
    if (info->letter != 0)
        output_printf(out, " Fl %c", info->letter);
    if (option_is_long(option)) {
        output_printf(out, "%s Fl Fl ", info->letter != 0 ? " ," : "");
        write_plain(out, info->name, strlen(info->name), "\\-");
    }
    if (info->argument != NULL)
        output_printf(out, " Ar \\&%s", info->argument);
    output_printf(out, "\n");
    char help[OPTION_HELP_SIZE];
    write_text(out, option_help(option, help));
    write_command_list(out, option);
}

/* Writes all options, by topic: the tables keep the options of a topic together. */
static void write_options(cli_output *out)
{
    cli_option option;
    const char *topic = "";
    for (size_t i = 0; option_at(i, &option); i++) {
        if (strcmp(option.info.topic, topic) != 0) {
            output_printf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i > 0 ? ".El\n" : "",
                          option.info.topic);
            topic = option.info.topic;
        }
        write_option(out, &option);
    }
    output_printf(out, ".El\n");
}

static void write_examples(cli_output *out)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        for (size_t j = 0; j < EXAMPLES && commands[i].examples[j].term != NULL; j++) {
            const cli_entry *example = &commands[i].examples[j];
            output_printf(out, "%s%c", i + j > 0 ? ".Pp\n" : "", toupper(example->text[0]));
            write_text(out, example->text + 1);
            write_command_line(out, example->term);
        }
    }
}

void manual_write(cli_output *out)
{
    output_printf(out, ".Dd %s\n.Dt TWINSET 1\n.Os\n", PAGE_DATE);
    output_printf(out, ".Sh NAME\n.Nm twinset\n"
                       ".Nd find the documents of a collection that resemble each other\n");
    output_printf(out, ".Sh SYNOPSIS\n.Nm\n.Op Ar COMMAND\n.Op Ar OPTION ...\n.Op Ar PATH ...\n");
    output_printf(out, ".Sh DESCRIPTION\n.Nm\n");
    write_text(out, "finds near-duplicates, plagiarism and copied text. The first word that is no "
                    "option names the command; where it names none, the command is scan. A "
                    "document that is called like a command can be given as ./NAME. Results go to "
                    "standard output, everything else to standard error. After -- all words are "
                    "paths.");
    output_printf(out, ".Pp\nThe commands are:\n");
    write_commands(out);
    output_printf(out, ".Sh OPTIONS\n");
    write_text(out, "A value follows as the next word, after = (--threshold=0.8) or right after "
                    "the letter (-t0.8).");
    write_options(out);
    output_printf(out, ".Sh ENVIRONMENT\n");
    write_entries(out, "Ev", environment);
    output_printf(out, ".Sh EXIT STATUS\n");
    write_entries(out, "", exit_statuses);
    output_printf(out, ".Sh EXAMPLES\n");
    write_examples(out);
}
