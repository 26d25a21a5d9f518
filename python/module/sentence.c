/*
 * Turns messages of the library into those of Python: `memory` 64M becomes memory=64M, `memory`
 * alone memory=, and a switch `all` all=True. Programs with a command line get --memory instead.
 */
#include "module.h"

#include <ctype.h>
#include <string.h>

/* Arguments of functions that are no options. */
static const twinset_option_info ARGUMENTS[] = {
    {.name = "keep", .argument = "first|longest|newest|FIELD"},
    {.name = "old", .argument = "PATH"},
    {.name = "like", .argument = "PATH"},
    {.name = "ignore", .argument = "PATH"},
};

static bool find_option(const char *name, size_t length, twinset_option_info *info)
{
    for (size_t i = 0; twinset_option_at(i, info, sizeof *info) == TWINSET_OK; i++)
        if (strlen(info->name) == length && memcmp(info->name, name, length) == 0)
            return true;
    for (size_t i = 0; i < sizeof ARGUMENTS / sizeof *ARGUMENTS; i++) {
        *info = ARGUMENTS[i];
        if (strlen(info->name) == length && memcmp(info->name, name, length) == 0)
            return true;
    }
    return false;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    for (;;) {
        size_t size = strcspn(list, "|");
        if (size == length && memcmp(list, word, length) == 0)
            return true;
        if (!list[size])
            return false;
        list += size + 1;
    }
}

/* Whether the word after the name of an option is its value: a number, one of its words, or a word
 * before a colon. */
static bool is_value(const twinset_option_info *info, const char *word)
{
    size_t length = strcspn(word, " ,;:.");
    return isdigit((unsigned char)*word) || word[length] == ':' ||
           (info->argument && has_word(info->argument, word, length));
}

/* Writes an option as a keyword. `after` is the text after its name, and is advanced over its
 * value. Returns the end of the written text. */
static char *write_keyword(char *to, const twinset_option_info *info, const char **after)
{
    for (const char *c = info->name; *c; c++)
        *to++ = *c == '-' ? '_' : *c;
    if (**after == ':')
        return to;
    *to++ = '=';
    if (!info->argument) {
        memcpy(to, "True", 4);
        to += 4;
    } else if (**after == ' ' && is_value(info, *after + 1)) {
        ++*after;
    }
    return to;
}

/* `to` holds twice as many bytes as `text`. */
static void write_python(const char *text, char *to)
{
    while (*text) {
        const char *end = *text == '`' ? strchr(text + 1, '`') : NULL;
        twinset_option_info info;
        if (end && find_option(text + 1, (size_t)(end - text - 1), &info)) {
            text = end + 1;
            to = write_keyword(to, &info, &text);
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

PyObject *core_sentence(const core_state *state, const char *text)
{
    if (!text || !strchr(text, '`'))
        return core_name(text);
    char *words = PyMem_Malloc(2 * strlen(text) + 1);
    if (!words)
        return PyErr_NoMemory();
    if (state->command_words)
        twinset_spell_options(strcpy(words, text));
    else
        write_python(text, words);
    PyObject *sentence = core_name(words);
    PyMem_Free(words);
    return sentence;
}

const char core_use_command_words_doc[] =
    "use_command_words($module, wanted, /)\n--\n\n"
    "Sets whether messages (errors, notes, reasons) name an option as a command line does,\n"
    "--memory, rather than as a keyword, memory=. Returns the former setting.";

PyObject *core_use_command_words(PyObject *module, PyObject *wanted)
{
    core_state *state = PyModule_GetState(module);
    int is_wanted = PyObject_IsTrue(wanted);
    if (is_wanted < 0)
        return NULL;
    PyObject *before = PyBool_FromLong(state->command_words);
    state->command_words = is_wanted;
    return before;
}
