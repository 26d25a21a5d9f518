/*
 * Cuts off connections that take too long to send a request, or to read its answer. libmicrohttpd
 * knows connections that are silent; a client that sends a byte now and then is not. One thread
 * looks at all connections, several times within the limit. Where nothing of an answer is on its
 * way, the client gets status 408. It is written past libmicrohttpd, which sends no answer before a
 * body is complete; not so under TLS, whose state only libmicrohttpd has.
 */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Bytes a second: a client that keeps this up may take longer. */
enum { LEAST_RATE = 16384 };

static const char SLOW_ANSWER[] =
    "HTTP/1.1 408 Request Timeout\r\n"
    "Content-Type: application/json\r\n"
    "Connection: close\r\n"
    "Content-Length: 69\r\n\r\n"
    "{\"error\": \"The request took too long to arrive. Send it faster.\"}   \n";

/* A connection that served a request and waits for the next is just closed. */
static void cut_off(watched_connection *connection)
{
    bool is_receiving = connection->phase == PHASE_RECEIVING ||
                        (connection->phase == PHASE_WAITING && !connection->is_used);
    if (is_receiving && !connection->is_tls) {
        ssize_t ignored = send(connection->socket, SLOW_ANSWER, sizeof SLOW_ANSWER - 1,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)ignored;
    }
    connection->is_cut = true;
    shutdown(connection->socket, SHUT_RDWR);
}

static void *watch_connections(void *context)
{
    connection_watch *watch = context;
    uint64_t pause = watch->limit_ms / 4 < 1000 ? watch->limit_ms / 4 : 1000;
    pthread_mutex_lock(&watch->lock);
    while (!watch->is_ending) {
        uint64_t now = clock_ms();
        for (watched_connection *one = watch->first; one != NULL; one = one->next)
            if (!one->is_cut && one->phase != PHASE_WORKING && now > one->since + watch->limit_ms)
                cut_off(one);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        uint64_t nanoseconds = (uint64_t)until.tv_nsec + pause * 1000000;
        until.tv_sec += (time_t)(nanoseconds / 1000000000);
        until.tv_nsec = (long)(nanoseconds % 1000000000);
        pthread_cond_timedwait(&watch->wake, &watch->lock, &until);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

int watch_start(connection_watch *watch, unsigned seconds, twinset_error *error)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    watch->limit_ms = (uint64_t)seconds * 1000;
    int reason = pthread_create(&watch->thread, NULL, watch_connections, watch);
    watch->is_running = reason == 0;
    if (reason != 0)
        snprintf(error->message, sizeof error->message, "cannot start a thread: %s",
                 strerror(reason));
    return reason == 0 ? 0 : TWINSET_LIMIT;
}

void watch_end(connection_watch *watch)
{
    if (!watch->is_running)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->is_ending = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    watch->is_running = false;
}

watched_connection *watch_add(connection_watch *watch, int socket, bool is_tls)
{
    watched_connection *one = calloc(1, sizeof *one);
    if (one == NULL)
        return NULL;
    one->socket = socket;
    one->is_tls = is_tls;
    one->since = clock_ms();
    pthread_mutex_lock(&watch->lock);
    one->next = watch->first;
    if (one->next != NULL)
        one->next->before = one;
    watch->first = one;
    watch->count++;
    pthread_mutex_unlock(&watch->lock);
    return one;
}

void watch_remove(connection_watch *watch, watched_connection *connection)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    if (connection->before != NULL)
        connection->before->next = connection->next;
    else
        watch->first = connection->next;
    if (connection->next != NULL)
        connection->next->before = connection->before;
    watch->count--;
    pthread_mutex_unlock(&watch->lock);
    free(connection);
}

bool watch_set_phase(connection_watch *watch, watched_connection *connection,
                     connection_phase phase)
{
    if (connection == NULL)
        return true;
    pthread_mutex_lock(&watch->lock);
    connection->phase = phase;
    connection->is_used |= phase == PHASE_SENDING;
    if (phase != PHASE_WORKING)
        connection->since = clock_ms();
    bool is_open = !connection->is_cut;
    pthread_mutex_unlock(&watch->lock);
    return is_open;
}

void watch_allow(connection_watch *watch, watched_connection *connection, uint64_t bytes)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    connection->since += bytes * 1000 / LEAST_RATE;
    pthread_mutex_unlock(&watch->lock);
}

unsigned watch_count(connection_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    unsigned count = watch->count;
    pthread_mutex_unlock(&watch->lock);
    return count;
}
