/*
 * Chooses the converter of a file: the one that its first bytes ask for, and otherwise the one of
 * its name. A file of an unknown name whose start says nothing is plain text.
 */
#include "convert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

static const tw_converter *const CONVERTERS[] = {
    &tw_convert_html,     &tw_convert_doc,   &tw_convert_docx,     &tw_convert_odt,
    &tw_convert_pdf,      &tw_convert_rtf,   &tw_convert_notebook, &tw_convert_mail,
    &tw_convert_markdown, &tw_convert_latex, &tw_convert_epub,
};
enum { COUNT = sizeof CONVERTERS / sizeof *CONVERTERS, HEAD_BYTES = 4096 };

/* Whether a list of words, separated by blanks, has this one in any case. */
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        if (size == length && tw_bytes_equal_ignoring_case(at, word, size))
            return true;
        at += size;
    }
    return false;
}

/* Whether a path is that of a message in a Maildir: "cur/" or "new/", and a name that begins with
 * the time of delivery, "1204680122.27c448.host:2,S". */
static bool is_in_maildir(const char *slash, const char *name)
{
    const char *folder = slash && slash - name >= 3 ? slash - 3 : NULL;
    if (!folder || (memcmp(folder, "cur", 3) != 0 && memcmp(folder, "new", 3) != 0) ||
        (folder > name && folder[-1] != '/'))
        return false;
    size_t digits = strspn(slash + 1, "0123456789");
    return digits >= 9 && slash[1 + digits] == '.' && strchr(slash + digits + 2, '.');
}

static const tw_converter *find_by_name(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    if (is_in_maildir(slash, name))
        return &tw_convert_mail;
    for (size_t i = 0; dot && i < COUNT; i++)
        if (has_word(CONVERTERS[i]->endings, dot + 1))
            return CONVERTERS[i];
    return NULL;
}

const tw_converter *tw_converter_for(const char *name, const char *head, size_t length)
{
    const tw_converter *named = find_by_name(name);
    length = length < HEAD_BYTES ? length : HEAD_BYTES;
    for (size_t i = 0; i < COUNT; i++)
        if (CONVERTERS[i]->looks_like && CONVERTERS[i]->looks_like(head, length))
            return CONVERTERS[i];
    return named;
}

bool tw_name_is_converted(const char *name)
{
    return find_by_name(name) != NULL;
}

void tw_add_flags(const tw_converted *from, tw_converted *to)
{
    to->flags |= from->flags;
    if (from->encoding)
        to->encoding = from->encoding;
}

int tw_refuse(tw_converted *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->reason, sizeof to->reason, format, arguments);
    va_end(arguments);
    return TWINSET_IO;
}

int tw_refuse_large(tw_converted *to, uint64_t limit_bytes)
{
    return tw_refuse(to, "too large: more than %s bytes of text",
                     tw_number_count(limit_bytes).text);
}

bool tw_has_words(const tw_bytes *text, size_t start)
{
    for (size_t i = start; i < text->length; i++)
        if (!tw_is_white(text->data[i]))
            return true;
    return false;
}

const char *tw_next_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}
