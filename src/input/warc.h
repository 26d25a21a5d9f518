/*
 * Web crawls in one file (WARC, ISO 28500). A member is the page or text of a record of type
 * response, resource or conversion, without its HTTP headers. It is named by its address, or by the
 * id of the record if it has none or the address came before. Other records describe requests and
 * the crawl, and are passed over. Each function means what its namesake in members.h means.
 */
#ifndef TW_WARC_H
#define TW_WARC_H

#include "members.h"

typedef struct tw_warc tw_warc;

/* Opens a file, maybe a packed one, or bytes, which must stay; the other one is NULL. What does not
 * start as a record does is refused: "no WARC file". */
int tw_warc_open(const char *path, const char *bytes, size_t length, uint64_t most_bytes,
                 tw_warc **warc, const char **reason) TW_CHECKED;
int tw_warc_next(tw_warc *warc, tw_member *member, const char **reason) TW_CHECKED;
/* May be called once for each member. If it fails, `bytes` is as it was. */
int tw_warc_read(tw_warc *warc, uint64_t limit_bytes, tw_bytes *bytes,
                 const char **reason) TW_CHECKED;
void tw_warc_close(tw_warc *warc);

#endif
