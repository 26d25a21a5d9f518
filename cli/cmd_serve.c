/*
 * twinset serve INDEX
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#if TWINSET_WITH_SERVER
#include "server.h"

enum { DEFAULT_TIMEOUT = 30, DEFAULT_CONNECTIONS = 256 };

/* Lets the library read a size, as that of --max-size. */
static int read_size(const char *name, const char *given, const char *otherwise, uint64_t *size)
{
    twinset_options scratch;
    twinset_options_init(&scratch, sizeof scratch);
    if (twinset_options_set(&scratch, "max-size", given != NULL ? given : otherwise, NULL) != 0) {
        say("--%s: '%s' is not a size such as 500M or 2G", name, given);
        return EXIT_FAILED;
    }
    *size = scratch.max_size;
    return 0;
}

static int read_number(const char *name, const char *given, unsigned otherwise, unsigned most,
                       unsigned *number)
{
    char *end = NULL;
    unsigned long value = given != NULL ? strtoul(given, &end, 10) : otherwise;
    bool is_number = given == NULL || (given[0] >= '0' && given[0] <= '9' && *end == '\0');
    if (!is_number || value < 1 || value > most) {
        say("--%s: '%s' is not a number from 1 to %u", name, given, most);
        return EXIT_FAILED;
    }
    *number = (unsigned)value;
    return 0;
}

static void announce(const void *context, const char *url)
{
    const cli_invocation *in = context;
    if (!in->quiet)
        say("serving %s at %s; Ctrl-C stops it", in->inputs[0].path, url);
}

static int read_limits(const cli_invocation *in, server_options *options)
{
    const cli_server *given = &in->server;
    int status = read_size("max-body", given->max_body, "1G", &options->max_body);
    if (status == 0)
        status = read_size("max-document", given->max_document, "16M", &options->max_document);
    if (status == 0 && given->quota != NULL)
        status = read_size("quota", given->quota, NULL, &options->quota);
    if (status == 0)
        status = read_number("timeout", given->timeout, DEFAULT_TIMEOUT, 3600, &options->timeout);
    if (status == 0)
        status = read_number("connections", given->connections, DEFAULT_CONNECTIONS, 10000,
                             &options->connections);
    return status;
}

int cmd_serve(const cli_invocation *in)
{
    const cli_server *given = &in->server;
    twinset_error error = {"out of memory"};
    server_options options = {
        .index = in->inputs[0].path,
        .listen = given->listen != NULL ? given->listen : "127.0.0.1:8080",
        .token_file = given->token_file,
        .tls_cert = given->tls_cert,
        .tls_key = given->tls_key,
        .audit = given->audit,
        .insecure = given->insecure,
        .engine = in->options,
        .started = announce,
        .context = in,
    };
    if (read_limits(in, &options) != 0)
        return EXIT_FAILED;
    if (server_run(&options, &error) == 0)
        return EXIT_DONE;
    say("%s", error.message);
    return EXIT_FAILED;
}

#else

int cmd_serve(const cli_invocation *in)
{
    (void)in;
    say("this twinset was built without its server; install libmicrohttpd and jansson with their "
        "headers (script/setup does), and build it again");
    return EXIT_FAILED;
}

#endif
