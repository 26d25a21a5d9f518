/*
 * Starts and stops the server. The address is bound here, so that what is wrong with it can be
 * said, and before anything is served it is checked who could reach it.
 */
#define _GNU_SOURCE
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Connections past the limit that still get an answer, which says so. */
enum { SPARE_CONNECTIONS = 32, BACKLOG = 1024, POOL_BYTES = 64 * 1024 };

typedef struct http_listener {
    int socket;
    bool is_loopback;
    char url[128];
} http_listener;

static int fail(twinset_error *error, int status, const char *format, ...) HTTP_PRINTF(3, 4);

static int fail(twinset_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- the address */

static bool is_port(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number <= 65535;
}

/* Splits ADDRESS:PORT, where an IPv6 address stands in brackets. */
static bool split_address(const char *text, char host[80], const char **port)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || !is_port(colon + 1))
        return false;
    bool has_brackets = text[0] == '[' && colon[-1] == ']';
    const char *start = text + has_brackets;
    size_t length = (size_t)(colon - start) - has_brackets;
    if (length == 0 || length >= 80 || (!has_brackets && memchr(text, ':', length) != NULL))
        return false;
    memcpy(host, start, length);
    host[length] = '\0';
    *port = colon + 1;
    return true;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
    uint32_t number = ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
    return number >> 24 == 127;
}

static int bind_address(const struct addrinfo *found, const char *text, http_listener *listener,
                        twinset_error *error)
{
    int on = 1;
    listener->is_loopback = is_loopback(found->ai_addr);
    listener->socket = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener->socket < 0)
        return fail(error, TWINSET_IO, "cannot listen on %s: %s", text, strerror(errno));
    setsockopt(listener->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener->socket, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(listener->socket, BACKLOG) != 0)
        return fail(error, TWINSET_IO, "cannot listen on %s: %s", text, strerror(errno));
    return 0;
}

/* Says where to find the server, with the port that the system chose. */
static void make_url(http_listener *listener, const char *host, bool is_tls)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char port[NI_MAXSERV] = "0";
    bool has_colon = strchr(host, ':') != NULL;
    if (getsockname(listener->socket, (struct sockaddr *)&address, &length) == 0)
        getnameinfo((struct sockaddr *)&address, length, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV);
    snprintf(listener->url, sizeof listener->url, "%s://%s%s%s:%s/", is_tls ? "https" : "http",
             has_colon ? "[" : "", host, has_colon ? "]" : "", port);
}

static int open_listener(const server_options *options, http_listener *listener,
                         twinset_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    char host[80];
    const char *port;
    if (!split_address(options->listen, host, &port))
        return fail(error, TWINSET_USAGE,
                    "'%s' is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080",
                    options->listen);
    int reason = getaddrinfo(host, port, &hints, &found);
    if (reason != 0)
        return fail(error, TWINSET_USAGE, "cannot listen on %s: %s", options->listen,
                    gai_strerror(reason));
    int status = bind_address(found, options->listen, listener, error);
    freeaddrinfo(found);
    if (status == 0)
        make_url(listener, host, options->tls_cert != NULL);
    return status;
}

/* Others than this machine need tokens and TLS. */
static int check_exposure(const server_options *options, const http_listener *listener,
                          twinset_error *error)
{
    if ((options->tls_cert != NULL) != (options->tls_key != NULL))
        return fail(error, TWINSET_USAGE, "--tls-cert and --tls-key go together");
    if (options->tls_cert != NULL && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return fail(error, TWINSET_USAGE,
                    "--tls-cert: the libmicrohttpd of this twinset has no TLS; the Debian package "
                    "has it, or let a proxy on this machine bring it");
    if (listener->is_loopback || options->insecure)
        return 0;
    if (options->token_file != NULL && options->tls_cert != NULL)
        return 0;
    return fail(error, TWINSET_USAGE,
                "others can reach %s: give --token-file, --tls-cert and --tls-key, or --insecure "
                "if something before it, such as a proxy, protects it",
                options->listen);
}

/* ---- libmicrohttpd */

static int read_file(const char *path, byte_buffer *content, twinset_error *error)
{
    char bytes[4096];
    size_t count;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return fail(error, TWINSET_IO, "%s: %s", path, strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        buffer_append(content, bytes, count);
    explicit_bzero(bytes, sizeof bytes);
    fclose(file);
    if (content->length == 0)
        return fail(error, TWINSET_IO, "%s: it is empty, or cannot be read", path);
    return 0;
}

/* Paths are decoded by request.c, which sees what was sent. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context, (void)connection;
    return strlen(text);
}

static void watch_connection(void *context, struct MHD_Connection *connection, void **state,
                             enum MHD_ConnectionNotificationCode code)
{
    http_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        watch_remove(&server->watch, *state);
        *state = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int on = 1;
    if (info == NULL)
        return;
    setsockopt(info->connect_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *state = watch_add(&server->watch, info->connect_fd, server->is_tls);
}

static int start_daemon(http_server *server, const http_listener *listener, const byte_buffer *cert,
                        const byte_buffer *key, twinset_error *error)
{
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_USE_ITC | (server->is_tls ? MHD_USE_TLS : 0);
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, cert->bytes},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, key->bytes},
        {MHD_OPTION_HTTPS_PRIORITIES, 0,
         (void *)(uintptr_t) "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL}};
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, request_handle, server, MHD_OPTION_LISTEN_SOCKET, listener->socket,
        MHD_OPTION_ARRAY, server->is_tls ? tls : &tls[3], MHD_OPTION_CONNECTION_LIMIT,
        server->options.connections + SPARE_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        server->options.timeout + 10, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES,
        MHD_OPTION_NOTIFY_COMPLETED, request_completed, server, MHD_OPTION_NOTIFY_CONNECTION,
        watch_connection, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_END);
    if (server->daemon != NULL)
        return 0;
    return fail(error, TWINSET_IO, "%s",
                server->is_tls ? "the server does not start; do certificate and key fit together?"
                               : "the server does not start");
}

static int start_listening(http_server *server, const http_listener *listener, twinset_error *error)
{
    byte_buffer cert = {0}, key = {0};
    int status = 0;
    server->is_tls = server->options.tls_cert != NULL;
    server->is_loopback = listener->is_loopback;
    if (server->is_tls)
        status = read_file(server->options.tls_cert, &cert, error);
    if (status == 0 && server->is_tls)
        status = read_file(server->options.tls_key, &key, error);
    if (status == 0)
        status = start_daemon(server, listener, &cert, &key, error);
    if (key.bytes != NULL)
        explicit_bzero(key.bytes, key.length);
    buffer_free(&key);
    buffer_free(&cert);
    return status;
}

/* ---- the life of the server */

/* Each connection has a thread, and each thread would get a heap of its own. */
static void bound_heaps(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 4);
#endif
}

static void block_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
}

/* Accepts no more connections, and lets the requests in work come to their end. */
static void stop_listening(http_server *server)
{
    server->is_stopping = true;
    int socket = (int)MHD_quiesce_daemon(server->daemon);
    if (socket >= 0)
        shutdown(socket, SHUT_RDWR); /* who comes now is refused, and does not wait in vain */
    uint64_t limit = clock_ms() + (uint64_t)server->options.timeout * 1000;
    while (server->working > 0 && clock_ms() < limit)
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    MHD_stop_daemon(server->daemon);
    server->daemon = NULL;
    if (socket >= 0)
        close(socket);
}

static int serve(http_server *server, http_listener *listener, twinset_error *error)
{
    sigset_t signals;
    int signal_number;
    bound_heaps();
    block_signals(&signals); /* before the first thread, which inherits it */
    int status = watch_start(&server->watch, server->options.timeout, error);
    if (status == 0)
        status = start_listening(server, listener, error);
    if (status != 0)
        return status;
    listener->socket = -1; /* libmicrohttpd has it */
    server->options.started(server->options.context, listener->url);
    sigwait(&signals, &signal_number);
    stop_listening(server);
    return 0;
}

static int prepare(http_server *server, http_listener *listener, twinset_error *error)
{
    const server_options *options = &server->options;
    int status = open_listener(options, listener, error);
    if (status == 0)
        status = check_exposure(options, listener, error);
    if (status == 0 && options->token_file != NULL)
        status = tokens_load(options->token_file, &server->tokens, error);
    if (status == 0)
        status = audit_open(&server->audit, options->audit, error);
    if (status == 0)
        status = store_open(options, &server->store, error);
    return status;
}

int server_run(const server_options *options, twinset_error *error)
{
    http_listener listener = {.socket = -1};
    http_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return fail(error, TWINSET_NOMEM, "out of memory");
    server->options = *options;
    server->audit.file = -1;
    pthread_mutex_init(&server->metrics.lock, NULL);
    int status = prepare(server, &listener, error);
    if (status == 0)
        status = serve(server, &listener, error);
    watch_end(&server->watch);
    if (listener.socket >= 0)
        close(listener.socket);
    store_close(server->store);
    audit_close(&server->audit);
    tokens_free(server->tokens);
    free(server);
    return status;
}
