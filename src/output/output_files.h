/* Which files may be written: none that is read, and none twice. */
#ifndef TW_OUTPUT_FILES_H
#define TW_OUTPUT_FILES_H

#include "corpus.h"

/* Refuses paths of which one is read, or two are one file, with a sentence that names both. `stop`
 * is the file of stop words, or NULL. */
int tw_check_outputs(const tw_sources *sources, const char *stop, const char *const *paths,
                     size_t count, twinset_error *error) TW_CHECKED;
/* Whether a path names one of the files that are read. */
bool tw_is_read(const tw_sources *sources, const char *stop, const char *path);

#endif
