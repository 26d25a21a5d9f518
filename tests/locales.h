/* Locales for tests, since few machines have any but those of English. */
#ifndef LOCALES_H
#define LOCALES_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "folder.h"

/* Makes a locale such as "de_DE" in the folder of the test, with UTF-8, and sets all of it; false
 * where the machine has no localedef, or nothing to make it of. */
static inline bool enter_locale(const char *language)
{
    char name[64], command[PATH_MAX + 256];
    snprintf(name, sizeof name, "%s.UTF-8", language);
    snprintf(command, sizeof command,
             "localedef --no-archive -i %s -f UTF-8 %s/%s >localedef.log 2>&1", language,
             test_folder, name);
    int status = system(command); /* 1: it has warned of something */
    return (status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 1)) &&
           setenv("LOCPATH", test_folder, 1) == 0 && setlocale(LC_ALL, name);
}

static inline void leave_locale(void)
{
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

#endif
