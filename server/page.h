/* What the build puts into the program. */
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include <stddef.h>

extern const unsigned char server_page[], server_openapi[];
extern const size_t server_page_bytes, server_openapi_bytes;

#endif
