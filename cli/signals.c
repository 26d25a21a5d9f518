/*
 * Signals. While inputs are found, which may mean to wait for a pipe, one ends the process at once.
 * Later the handler notes the first one and cancels the collection in work, which the library hears
 * also while it waits for input; the handler is then out of the way, so that a second one ends the
 * process. As no one can tidy up in that case, the handler removes the unfinished output file
 * already.
 */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static volatile sig_atomic_t caught, deferred;
enum { GUARDED = 4 };
static _Atomic(const char *) doomed[GUARDED];
static _Atomic(twinset_collection *) in_work;

static void die_of(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_signal(int signal_number)
{
    static const char message[] = "twinset: interrupted\n";
    caught = signal_number;
    for (int i = 0; i < GUARDED; i++) {
        const char *temporary = doomed[i];
        if (temporary != NULL)
            unlink(temporary);
    }
    twinset_collection *collection = in_work;
    if (collection != NULL)
        twinset_collection_cancel(collection);
    if (!deferred) {
        ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
        (void)ignored;
        die_of(signal_number);
    }
}

/* One that is ignored, as under nohup, stays so. */
static void catch_signal(int signal_number)
{
    struct sigaction action, before;
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal_number, &action, NULL);
}

void signals_install(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    /* These come from writing, whose failure tells the same. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_defer(twinset_collection *collection)
{
    in_work = collection;
    deferred = 1;
}

void signals_forget(void)
{
    in_work = NULL;
}

bool signals_caught(void)
{
    return caught != 0;
}

void signals_guard(const char *temporary)
{
    const char *none = NULL;
    for (int i = 0; i < GUARDED; i++, none = NULL)
        if (atomic_compare_exchange_strong(&doomed[i], &none, temporary))
            return;
}

void signals_release(const char *temporary)
{
    for (int i = 0; i < GUARDED; i++) {
        const char *expected = temporary;
        atomic_compare_exchange_strong(&doomed[i], &expected, NULL);
    }
}

void signals_die(void)
{
    die_of(caught);
}

void signals_die_of_pipe(void)
{
    die_of(SIGPIPE);
}
