/*
 * --completion: scripts that complete the command line in bash, zsh and fish, made from the same
 * tables as the help.
 */
#include "options.h"

#include <string.h>

/* ---- values of options */

static bool is_choice(const char *argument)
{
    return argument != NULL && strchr(argument, '|') != NULL;
}

static bool is_path(const char *argument)
{
    return argument != NULL && (strcmp(argument, "FILE") == 0 || strcmp(argument, "PATH") == 0 ||
                                strcmp(argument, "DIR") == 0);
}

/* Writes the choices of an argument, separated by spaces; nothing for NULL. */
static void write_choices(cli_output *out, const char *argument)
{
    for (; argument != NULL && *argument != '\0'; argument++)
        output_printf(out, "%c", *argument == '|' ? ' ' : *argument);
}

/* Writes the first sentence of a help text for a string in single quotes, with a backslash before
 * each character of `special`. */
static void write_help(cli_output *out, const char *help, const char *special)
{
    for (; *help != '\0'; help++) {
        bool is_end = help[0] == '.' && (help[1] == '\0' || help[1] == ' ');
        if (is_end)
            return;
        if (*help == '\'')
            output_printf(out, "'\\''");
        else
            output_printf(out, "%s%c", strchr(special, *help) != NULL ? "\\" : "", *help);
    }
}

static void write_command_names(cli_output *out, const char *between)
{
    for (size_t i = 0; i < COMMANDS; i++)
        output_printf(out, "%s%s", i > 0 ? between : "", commands[i].name);
}

/* ---- bash */

static void write_bash_options(cli_output *out, const cli_command *command)
{
    cli_option option;
    output_printf(out, "        %s)\n            options='", command->name);
    for (size_t i = 0; option_at(i, &option); i++) {
        if (!option_applies(&option, command))
            continue;
        if (option.info.letter != 0)
            output_printf(out, "-%c ", option.info.letter);
        if (option_is_long(&option))
            output_printf(out, "--%s ", option.info.name);
    }
    output_printf(out, "'\n            formats='");
    write_choices(out, command_formats(command));
    output_printf(out, "' ;;\n");
}

/* Writes the case of an option that takes a value. */
static void write_bash_value(cli_output *out, const cli_option *option)
{
    const char *argument = option->info.argument;
    if (argument == NULL)
        return;
    output_printf(out, "        ");
    if (option->info.letter != 0)
        output_printf(out, "-%c%s", option->info.letter, option_is_long(option) ? "|" : "");
    if (option_is_long(option))
        output_printf(out, "--%s", option->info.name);
    if (option->id == OPTION_FORMAT) {
        output_printf(out, ") words=$formats ;;\n");
    } else if (is_choice(argument)) {
        output_printf(out, ") words='");
        write_choices(out, argument);
        output_printf(out, "' ;;\n");
    } else {
        output_printf(out, is_path(argument) ? ") files=1 ;;\n" : ") return ;;\n");
    }
}

static void write_bash(cli_output *out)
{
    cli_option option;
    output_printf(out,
                  "# bash completion for twinset\n"
                  "_twinset() {\n"
                  "    local current=${COMP_WORDS[COMP_CWORD]} command='' words='' files='' word\n"
                  "    local before=${COMP_WORDS[COMP_CWORD-1]} options formats\n"
                  "    COMPREPLY=()\n"
                  "    # --name=value arrives as three words\n"
                  "    if [[ $current == '=' ]]; then current=''\n"
                  "    elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                  "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                  "        case $word in\n            ");
    write_command_names(out, "|");
    output_printf(out,
                  ") command=$word; break ;;\n"
                  "        esac\n    done\n"
                  "    case ${command:-%s} in\n",
                  commands[0].name);
    for (size_t i = 0; i < COMMANDS; i++)
        write_bash_options(out, &commands[i]);
    output_printf(out, "    esac\n    case $before in\n");
    for (size_t i = 0; option_at(i, &option); i++)
        write_bash_value(out, &option);
    output_printf(out, "        *)\n"
                       "            if [[ $current == -* ]]; then words=$options\n"
                       "            else files=1; [[ $command ]] || words='");
    write_command_names(out, " ");
    output_printf(out, " help'; fi ;;\n"
                       "    esac\n"
                       "    mapfile -t COMPREPLY < <(\n"
                       "        [[ $words ]] && compgen -W \"$words\" -- \"$current\"\n"
                       "        [[ $files ]] && compgen -f -- \"$current\")\n"
                       "}\n"
                       "complete -o filenames -F _twinset twinset\n");
}

/* ---- zsh */

static void write_zsh_value(cli_output *out, const char *argument)
{
    if (argument == NULL)
        return;
    if (is_choice(argument)) {
        output_printf(out, ":value:(");
        write_choices(out, argument);
        output_printf(out, ")");
    } else {
        output_printf(out, ":%s:%s", argument, is_path(argument) ? "_files" : "");
    }
}

/* Writes an option in one of its forms, such as "--name=" or "-n+". */
static void write_zsh_form(cli_output *out, const cli_option *option, const char *argument,
                           const char *form)
{
    char help[OPTION_HELP_SIZE];
    output_printf(out, "                '*%s[", form);
    write_help(out, option_help(option, help), "[]:\\");
    output_printf(out, "]");
    write_zsh_value(out, argument);
    output_printf(out, "' \\\n");
}

static void write_zsh_option(cli_output *out, const cli_option *option, const cli_command *command)
{
    const char *argument = option_argument(option, command);
    char form[64];
    snprintf(form, sizeof form, "-%c%s", option->info.letter, argument != NULL ? "+" : "");
    if (option->info.letter != 0)
        write_zsh_form(out, option, argument, form);
    snprintf(form, sizeof form, "--%s%s", option->info.name, argument != NULL ? "=" : "");
    if (option_is_long(option))
        write_zsh_form(out, option, argument, form);
}

static void write_zsh_command(cli_output *out, const cli_command *command)
{
    cli_option option;
    output_printf(out, "        %s)\n            _arguments -S \\\n", command->name);
    for (size_t i = 0; option_at(i, &option); i++)
        if (option_applies(&option, command))
            write_zsh_option(out, &option, command);
    output_printf(out, "                %s ;;\n",
                  command->operands_max > 0 ? "'*:path:_files'" : "'*: :'");
}

static void write_zsh(cli_output *out)
{
    output_printf(out,
                  "#compdef twinset\n"
                  "_twinset() {\n"
                  "    local command=%s\n"
                  "    case ${words[2]} in\n        ",
                  commands[0].name);
    write_command_names(out, "|");
    output_printf(out, ")\n"
                       "            if (( CURRENT > 2 )); then\n"
                       "                command=${words[2]}\n"
                       "                words=(\"${words[1]}\" \"${(@)words[3,-1]}\")\n"
                       "                (( CURRENT-- ))\n"
                       "            fi ;;\n"
                       "        *)\n"
                       "            if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n"
                       "                local -a names=(\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        output_printf(out, "                    '%s:", commands[i].name);
        write_help(out, commands[i].summary, "\\");
        output_printf(out, "'\n");
    }
    output_printf(out, "                )\n"
                       "                _describe command names\n"
                       "            fi ;;\n"
                       "    esac\n"
                       "    case $command in\n");
    for (size_t i = 0; i < COMMANDS; i++)
        write_zsh_command(out, &commands[i]);
    output_printf(out, "    esac\n}\n_twinset \"$@\"\n");
}

/* ---- fish */

/* Writes the condition to offer an option: after its command, or, for the first command, if none is
 * named. */
static void write_fish_condition(cli_output *out, size_t index)
{
    output_printf(out, "complete -c twinset -n '");
    if (index > 0) {
        output_printf(out, "__fish_seen_subcommand_from %s'", commands[index].name);
        return;
    }
    output_printf(out, "not __fish_seen_subcommand_from");
    for (size_t i = 1; i < COMMANDS; i++)
        output_printf(out, " %s", commands[i].name);
    output_printf(out, "'");
}

static void write_fish_option(cli_output *out, const cli_option *option, size_t index)
{
    const char *argument = option_argument(option, &commands[index]);
    write_fish_condition(out, index);
    if (option->info.letter != 0)
        output_printf(out, " -s %c", option->info.letter);
    if (option_is_long(option))
        output_printf(out, " -l %s", option->info.name);
    if (is_choice(argument)) {
        output_printf(out, " -xa '");
        write_choices(out, argument);
        output_printf(out, "'");
    } else if (argument != NULL) {
        output_printf(out, is_path(argument) ? " -rF" : " -x");
    }
    output_printf(out, " -d '");
    char help[OPTION_HELP_SIZE];
    write_help(out, option_help(option, help), "\\");
    output_printf(out, "'\n");
}

static void write_fish(cli_output *out)
{
    cli_option option;
    output_printf(out, "# fish completion for twinset\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        output_printf(out, "complete -c twinset -n __fish_use_subcommand -a %s -d '",
                      commands[i].name);
        write_help(out, commands[i].summary, "\\");
        output_printf(out, "'\n");
        if (commands[i].operands_max == 0) {
            write_fish_condition(out, i);
            output_printf(out, " -f\n");
        }
        for (size_t j = 0; option_at(j, &option); j++)
            if (option_applies(&option, &commands[i]))
                write_fish_option(out, &option, i);
    }
}

void completion_write(cli_output *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(out);
    else
        write_fish(out);
}
