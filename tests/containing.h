/* Asserts that a text contains, or lacks, another. Failures show the text. */
#ifndef CONTAINING_H
#define CONTAINING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_contains(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("\"%s\" is not in:\n%s", expected, text);
}

static inline void assert_lacks(const char *text, const char *unexpected)
{
    if (strstr(text, unexpected))
        fail_msg("\"%s\" is in:\n%s", unexpected, text);
}

#endif
