/*
 * Handles signals. While inputs are being found, which may mean to wait for a pipe, a signal ends
 * the process at once. Later the handler remembers the first signal and cancels the collection in
 * work, which the library notices even while it waits for input; the handler is then uninstalled,
 * so that a second signal ends the process. So does a timer, where the library is in the midst of
 * something that it cannot leave. Since nothing can clean up after that, the handler removes the
 * unfinished output files at the first signal.
 */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { GUARDED = 4 };
/* How long the library has to stop by itself. */
static const struct itimerspec PATIENCE = {.it_value.tv_nsec = 400 * 1000 * 1000};

static volatile sig_atomic_t caught, deferred;
static atomic_flag has_told = ATOMIC_FLAG_INIT;
static timer_t timer;
static bool has_timer;
static _Atomic(const char *) guarded_files[GUARDED];
static _Atomic(twinset_collection *) collection_in_work;

static void die_of_signal(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Ends the process, wherever it is. */
static void end_at_once(void)
{
    static const char message[] = "twinset: interrupted\n";
    if (!atomic_flag_test_and_set(&has_told)) {
        ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
        (void)ignored;
    }
    die_of_signal(caught);
}

static void on_timer(int signal_number)
{
    (void)signal_number;
    end_at_once();
}

static void on_signal(int signal_number)
{
    caught = signal_number;
    for (int i = 0; i < GUARDED; i++) {
        const char *temporary = guarded_files[i];
        if (temporary != NULL)
            unlink(temporary);
    }
    twinset_collection *collection = collection_in_work;
    if (collection != NULL)
        twinset_collection_cancel(collection);
    if (!deferred)
        end_at_once();
    else if (has_timer)
        timer_settime(timer, 0, &PATIENCE, NULL);
}

/* Installs the handler for a signal; a signal that is ignored, as under nohup, stays ignored. */
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
    has_timer = timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0; /* which sends SIGALRM */
    signal(SIGALRM, on_timer);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    /* These signals come from writing, which fails with an error as well. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_defer(twinset_collection *collection)
{
    collection_in_work = collection;
    deferred = 1;
}

void signals_forget(void)
{
    collection_in_work = NULL;
}

bool signals_caught(void)
{
    return caught != 0;
}

void signals_guard(const char *temporary)
{
    const char *none = NULL;
    for (int i = 0; i < GUARDED; i++, none = NULL)
        if (atomic_compare_exchange_strong(&guarded_files[i], &none, temporary))
            return;
}

void signals_release(const char *temporary)
{
    for (int i = 0; i < GUARDED; i++) {
        const char *expected = temporary;
        atomic_compare_exchange_strong(&guarded_files[i], &expected, NULL);
    }
}

void signals_die(void)
{
    end_at_once();
}

void signals_die_of_pipe(void)
{
    die_of_signal(SIGPIPE);
}
