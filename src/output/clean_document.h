/* What is kept of a source that is one document. */
#ifndef TW_CLEAN_DOCUMENT_H
#define TW_CLEAN_DOCUMENT_H

#include "corpus.h"
#include "result.h"

/* Takes bytes of the output. */
typedef int (*tw_bytes_fn)(void *context, const char *bytes, size_t length);

/* Passes the bytes of a file, or of a text in memory, to `take`, without some spans of its text.
 * With spans, a file is UTF-8, perhaps with a byte order mark. It may be of any size. TWINSET_IO
 * where it cannot be read, or is too short. */
int tw_clean_document(const tw_source *source, const tw_repeated_span *spans, size_t count,
                      tw_bytes_fn take, void *context) TW_CHECKED;

#endif
