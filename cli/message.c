/*
 * Writes messages to standard error, so that names of files in them cannot touch the terminal.
 */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decodes the character at `text`, which is terminated, and sets the number of its bytes. Returns
 * -1 for a byte that is not UTF-8. */
static int32_t code_point_at(const unsigned char *text, size_t *bytes)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned char c = text[0];
    size_t more = (size_t)(c >= 0xc0) + (c >= 0xe0) + (c >= 0xf0);
    int32_t code_point = c - lead[more];
    *bytes = 1;
    if (c >= 0x80 && more == 0)
        return -1;
    for (size_t i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return -1;
        code_point = code_point << 6 | (text[i] & 0x3f);
    }
    bool is_surrogate = code_point >= 0xd800 && code_point < 0xe000;
    if (code_point < least[more] || code_point > 0x10ffff || is_surrogate)
        return -1;
    *bytes += more;
    return code_point;
}

/* Whether a character is invisible, moves the cursor or changes the direction of text. */
static bool is_invisible(int32_t code_point)
{
    static const int32_t ranges[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code_point >= ranges[i][0] && code_point <= ranges[i][1])
            return true;
    return false;
}

/* Writes one character of `text` so that it is visible and controls nothing, as the library's
 * tables do: at most four bytes for each byte of it. Returns the number of its bytes. */
static size_t write_escaped(const unsigned char *text, char **out)
{
    size_t bytes;
    int32_t code_point = code_point_at(text, &bytes);
    if (code_point == '\n' || code_point == '\r' || code_point == '\t')
        *out += sprintf(*out, "\\%c", code_point == '\n' ? 'n' : code_point == '\r' ? 'r' : 't');
    else if (code_point < 0 || (code_point < 0x80 && is_invisible(code_point)))
        *out += sprintf(*out, "\\x%02x", text[0]);
    else if (is_invisible(code_point))
        *out += sprintf(*out, "\\u{%x}", (unsigned)code_point);
    else
        *out += sprintf(*out, "%.*s", (int)bytes, (const char *)text);
    return bytes;
}

/* Breaks a line between words, so that a terminal does not break it within one. */
static void break_line(char *line, unsigned width)
{
    char *space = NULL;
    unsigned column = 0, after_space = 0;
    for (char *at = line; *at != '\0'; at++) {
        bool is_first_byte = ((unsigned char)*at & 0xc0) != 0x80;
        column += is_first_byte;
        after_space += is_first_byte;
        if (*at == ' ') {
            space = at;
            after_space = 0;
        } else if (column > width && space != NULL) {
            *space = '\n';
            space = NULL;
            column = after_space;
        }
    }
}

/* Writes the whole line at once, so that lines of several processes do not mix. */
static void write_line(const char *message, size_t length)
{
    static const char prefix[] = "twinset: ";
    char *line = malloc(sizeof prefix + 4 * length + 1);
    if (line == NULL) {
        fputs("twinset: out of memory\n", stderr);
        return;
    }
    char *out = line + sprintf(line, "%s", prefix);
    for (size_t i = 0; i < length;)
        i += write_escaped((const unsigned char *)message + i, &out);
    if (isatty(STDERR_FILENO))
        break_line(line, terminal_width(STDERR_FILENO));
    *out++ = '\n';
    fwrite(line, 1, (size_t)(out - line), stderr);
    free(line);
}

void say(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *message = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (message != NULL) {
        vsnprintf(message, (size_t)length + 1, format, again);
        twinset_spell_options(message);
        write_line(message, strlen(message));
    }
    free(message);
    va_end(again);
    va_end(arguments);
}

int fail(twinset_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

const char *number(uint64_t value, char text[NUMBER_SIZE])
{
    char digits[NUMBER_SIZE];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}
