/* Makes locales for tests, since few machines have other locales than English ones. */
#ifndef LOCALES_H
#define LOCALES_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "folder.h"

/* Makes a locale with UTF-8, such as "de_DE", in the folder of the test, and sets all its
 * categories. False if the machine has no localedef, or no sources of the locale. */
static inline bool enter_locale(const char *language)
{
    char name[64], command[PATH_MAX + 256];
    snprintf(name, sizeof name, "%s.UTF-8", language);
    snprintf(command, sizeof command,
             "localedef --no-archive -i %s -f UTF-8 %s/%s >localedef.log 2>&1", language,
             test_folder, name);
    int status = system(command); /* 1: it has warned */
    return (status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 1)) &&
           setenv("LOCPATH", test_folder, 1) == 0 && setlocale(LC_ALL, name);
}

static inline void leave_locale(void)
{
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

#endif
