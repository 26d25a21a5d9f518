/*
 * What the files of the server share. A connection has a thread of its own (libmicrohttpd), so a
 * slow client holds up nobody; what the threads share has a lock of its own.
 *
 *   listen.c     the address, TLS, libmicrohttpd; start and stop
 *   request.c    a request from its first header to its last byte
 *   routes.c     which function answers which path
 *   guard.c      who may ask: hosts, origins, tokens (access_tokens.c)
 *   watch.c      connections that take too long
 *   body.c       bodies as JSON; batches of documents one document at a time (split.c)
 *   documents.c query.c compare.c stats.c page.c   what the paths answer
 *   reply.c      answers and errors as JSON
 *   store.c      the index: readers, and one writer
 *   audit.c metrics.c   what happened, as JSON lines and for Prometheus
 */
#ifndef HTTP_H
#define HTTP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <microhttpd.h>

#include "server.h"
#include "twinset_index.h"

#define HTTP_PRINTF(text, first) __attribute__((format(printf, text, first)))

typedef struct http_server http_server;
typedef struct http_request http_request;

/* Milliseconds of a clock that only goes forward. */
uint64_t clock_ms(void);

/* ---- buffer.c: bytes in memory, with a NUL behind them. A zeroed buffer is empty. */

typedef struct byte_buffer {
    char *bytes;
    size_t length, capacity;
} byte_buffer;

bool buffer_append(byte_buffer *buffer, const void *bytes, size_t count);
/* A twinset_write_fn, whose context is the buffer. */
int buffer_write(void *context, const char *bytes, size_t count);
void buffer_free(byte_buffer *buffer);

/* ---- access_tokens.c: who may read, and who may write */

typedef enum access_right { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE } access_right;

typedef struct token_list token_list;

/* Reads a file of lines `read TOKEN NAME` and `write TOKEN NAME`. */
int tokens_load(const char *path, token_list **tokens, twinset_error *error);
void tokens_free(token_list *tokens);
/* The right that a token gives. Takes as long for a wrong token as for a right one. */
access_right tokens_find(const token_list *tokens, const char *token, const char **name);

/* ---- split.c: the documents of a batch, one at a time */

typedef enum split_event {
    SPLIT_MORE,     /* all bytes are taken; the next are needed */
    SPLIT_DOCUMENT, /* `document` is complete: take it, then go on */
    SPLIT_BAD,      /* `reason` says what is wrong */
    SPLIT_TOO_LARGE /* a document is longer than the limit */
} split_event;

typedef struct json_splitter {
    int state;
    bool in_string, is_escaped, expects_element;
    unsigned depth, values;
    size_t limit;
    byte_buffer document; /* the JSON of one */
    byte_buffer prefix;   /* what stands before the first */
    const char *reason;
} json_splitter;

/* Takes bytes of a body; *taken says how many. */
split_event split_take(json_splitter *splitter, const char *bytes, size_t count, size_t *taken);
/* Whether the body ended where it should. */
bool split_is_complete(json_splitter *splitter);
void split_free(json_splitter *splitter);
/* Whether a JSON text has more values than a request needs, which would take memory. */
bool json_is_bloated(const char *text, size_t length);
/* Writes an object with the members of another, but those of these names, as they are written there
 * without the space between them; jansson would change numbers. Nothing is written where no member
 * is left. False: out of memory. */
bool json_members_except(const byte_buffer *object, const char *const *names, byte_buffer *out);

/* ---- watch.c: connections that take too long are cut off */

typedef enum connection_phase {
    PHASE_WAITING,   /* for a request and its headers */
    PHASE_RECEIVING, /* a body */
    PHASE_WORKING,
    PHASE_SENDING
} connection_phase;

typedef struct watched_connection {
    struct watched_connection *next, *before;
    int socket;
    bool is_tls, is_used, is_cut;
    connection_phase phase;
    uint64_t since; /* when the request, or the wait for it, began */
} watched_connection;

typedef struct connection_watch {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    watched_connection *first;
    uint64_t limit_ms;
    unsigned count;
    bool is_running, is_ending;
} connection_watch;

int watch_start(connection_watch *watch, unsigned seconds, twinset_error *error);
void watch_end(connection_watch *watch);
watched_connection *watch_add(connection_watch *watch, int socket, bool is_tls);
void watch_remove(connection_watch *watch, watched_connection *connection);
/* Moves a connection on; false if it was cut off before. */
bool watch_set_phase(connection_watch *watch, watched_connection *connection,
                     connection_phase phase);
/* Gives a connection more time, for bytes that came or are to be sent. */
void watch_allow(connection_watch *watch, watched_connection *connection, uint64_t bytes);
unsigned watch_count(connection_watch *watch);

/* ---- audit.c */

typedef struct audit_log {
    int file; /* -1: there is none */
    pthread_mutex_t lock;
} audit_log;

int audit_open(audit_log *log, const char *path, twinset_error *error);
void audit_write(audit_log *log, const http_request *request);
void audit_close(audit_log *log);

/* ---- routes.c */

typedef enum body_kind { BODY_NONE, BODY_JSON, BODY_DOCUMENTS } body_kind;

typedef struct http_route {
    const char *method;
    const char *path;  /* with a slash at its end: an id follows */
    const char *label; /* in figures and in the audit log */
    access_right right;
    body_kind body;
    void (*answer)(http_request *request);
} http_route;

enum { ROUTES = 12 };
extern const http_route routes[ROUTES];

/* Finds the route of a path; NULL: there is none. Where the method does not fit, the route is NULL
 * and `allowed` lists those that do. *id is what follows the path of a route. */
const http_route *route_find(const char *method, const char *path, const char **id,
                             char allowed[64]);

/* ---- metrics.c */

enum { METRIC_STATUSES = 24, METRIC_BUCKETS = 10 };

typedef struct server_metrics {
    pthread_mutex_t lock;
    uint64_t requests[ROUTES + 1][METRIC_STATUSES]; /* the last row: no route */
    uint64_t buckets[ROUTES + 1][METRIC_BUCKETS + 1];
    double seconds[ROUTES + 1];
    uint64_t bytes_in, added, known, removed;
} server_metrics;

void metrics_count(server_metrics *metrics, const http_request *request, double seconds);

/* ---- store.c: the index. Each handle is used by one request at a time. */

typedef struct index_store index_store;

int store_open(const server_options *options, index_store **store, twinset_error *error);
void store_close(index_store *store);
/* Waits for a handle, for as long as a request may take; NULL: all are in use. */
twinset_index *store_take_reader(index_store *store);
void store_return_reader(index_store *store, twinset_index *reader);
twinset_index *store_take_writer(index_store *store);
void store_return_writer(index_store *store);
/* Whether nearly nothing is free on the disk of the index. */
bool store_disk_is_full(const index_store *store);

/* ---- request.c */

struct http_request {
    http_server *server;
    struct MHD_Connection *connection;
    watched_connection *watched;
    const http_route *route;
    char *path;     /* decoded */
    const char *id; /* the part of the path after that of the route */
    char method[16], allowed[64];
    const char *user; /* the name of the token, or NULL */
    uint64_t started, received;
    size_t buffered; /* bytes of the body in memory */
    bool is_refused; /* the rest of the body is dropped */
    byte_buffer body;
    json_splitter split;
    struct document_batch *batch;   /* documents on their way to the index */
    uint64_t added, known, removed; /* documents */
    byte_buffer skipped;            /* those that the index refuses, as elements of a JSON list */

    unsigned status;
    byte_buffer answer;
    const char *type;  /* of the answer */
    const char *fixed; /* an answer that stays in memory, and its length */
    size_t fixed_length;
};

/* Says how many bytes of its body a request holds; false, after reply_error(), if all requests
 * together hold too many. */
bool request_account(http_request *request, size_t bytes);

/* ---- reply.c */

/* Answers with a sentence. The first error of a request stays. */
void reply_error(http_request *request, unsigned status, const char *format, ...) HTTP_PRINTF(3, 4);
/* Answers with the error of a call of the library. */
void reply_status(http_request *request, int status, const twinset_error *error);
/* A writer to the answer; NULL after an error. End it with reply_end(). */
twinset_json *reply_json(http_request *request);
void reply_end(http_request *request, twinset_json *json);
/* Queues the answer. */
enum MHD_Result reply_send(http_request *request);

/* ---- guard.c */

/* Refuses requests of others by reply_error(). */
void guard_check(http_request *request);

/* ---- body.c */

/* Parses a JSON object, with flags of jansson; NULL after reply_error(). The caller frees it. */
json_t *body_parse(http_request *request, const char *text, size_t length, size_t flags);
/* A member that is a number from 0 to 1; `otherwise` where it is missing. */
double body_share(http_request *request, const json_t *object, const char *name, double otherwise);
/* A string member; NULL where it is missing, after reply_error() if it is `needed`. */
const char *body_string(http_request *request, const json_t *object, const char *name, bool needed,
                        size_t *length);
/* Refuses members that are none of the names; the last is NULL. */
bool body_has_only(http_request *request, const json_t *object, const char *const *names);

/* ---- documents.c: a batch, as it arrives */

/* Takes bytes of a body; documents go to the index whenever there are enough. */
void documents_take(http_request *request, const char *bytes, size_t count);
void documents_free(http_request *request);

/* ---- what the routes answer */

/* Why nothing could be asked: all handles are in use. */
void reply_busy(http_request *request);

void answer_page(http_request *request);
void answer_openapi(http_request *request);
void answer_healthz(http_request *request);
void answer_readyz(http_request *request);
void answer_metrics(http_request *request);
void answer_stats(http_request *request);
void answer_clusters(http_request *request);
void answer_documents(http_request *request);
void answer_document(http_request *request);
void answer_removal(http_request *request);
void answer_query(http_request *request);
void answer_compare(http_request *request);

/* ---- the server */

struct http_server {
    server_options options;
    struct MHD_Daemon *daemon;
    bool is_tls, is_loopback;
    atomic_bool is_stopping;
    atomic_uint working;    /* requests between their headers and their end */
    atomic_size_t buffered; /* bytes of bodies in memory */
    token_list *tokens;     /* NULL: nobody is asked */
    index_store *store;
    connection_watch watch;
    audit_log audit;
    server_metrics metrics;
};

/* Called by libmicrohttpd. */
enum MHD_Result request_handle(void *context, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *upload,
                               size_t *upload_size, void **state);
void request_completed(void *context, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code);

#endif
