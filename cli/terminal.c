/*
 * Finds out what the terminal can do.
 */
#include "cli.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80 };

unsigned terminal_width(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int width = columns != NULL ? atoi(columns) : 0;
    return width > 0 ? (unsigned)width : isatty(fd) ? USUAL_WIDTH : 0;
}

bool terminal_is_capable(int fd)
{
    const char *kind = getenv("TERM");
    return isatty(fd) && kind != NULL && strcmp(kind, "dumb") != 0;
}

bool terminal_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR");
    return terminal_is_capable(fd) && (no_colour == NULL || no_colour[0] == '\0');
}

bool terminal_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
