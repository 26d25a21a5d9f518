/*
 * The HTTP server: a web page and a JSON API over an index. docs/server.md says what it answers.
 * The command starts it; it uses the public headers of the library alone.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "twinset_advanced.h"

typedef struct server_options {
    const char *index;      /* the file of the index; made where there is none */
    const char *listen;     /* ADDRESS:PORT; port 0: any that is free */
    const char *token_file; /* or NULL: nobody is asked for a token */
    const char *tls_cert, *tls_key;
    const char *audit;      /* the file that gets a line for each request, or NULL */
    bool insecure;          /* listen on any address without tokens or TLS */
    uint64_t max_body;      /* bytes of a batch of documents */
    uint64_t max_document;  /* bytes of one document, or of any other body */
    uint64_t quota;         /* bytes that the index may take; 0: no limit */
    unsigned timeout;       /* seconds that a client may take to send or to read */
    unsigned connections;   /* at once */
    twinset_options engine; /* of an index that is made */
    void (*started)(const void *context, const char *url); /* called once it accepts connections */
    const void *context;
} server_options;

/* Serves until SIGTERM or SIGINT arrives, then finishes the requests in work, and closes the index.
 * Blocks both signals in the calling thread. */
int server_run(const server_options *options, twinset_error *error);

#endif
