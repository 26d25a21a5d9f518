/*
 * PDF, by the command pdftotext in a child process. It gets the bytes as a file without a name on
 * its standard input and gives the text through a pipe. Its processor time, memory and time are
 * bounded, and it ends with us. It takes about 10 ms to start, then milliseconds a page.
 *
 * Its option -raw gives the text in the order in which it was laid out, with hyphens at the ends of
 * lines as they are. The other order, by the position on the page, separates lists from their
 * bullets, and removes every hyphen at the end of a line, also that of "well-known". layout.c
 * removes what the layout of pages added.
 */
#define _GNU_SOURCE /* clone, execvpe, memfd_create, pipe2, prlimit, syscall */
#include "convert.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "convert/layout.h"
#include "reason.h"

enum {
    CPU_SECONDS = 60,
    WALL_SECONDS = 180,
    COMPLAINT_BYTES = 4096,
    READ_BYTES = 64 << 10,
    STACK_BYTES = 128 << 10 /* of the child; execvpe() takes the length of $PATH */
};
/* How much memory the child may take besides the file. */
#define MEMORY_BYTES ((uint64_t)1 << 30)

/* ---- the child */

typedef struct child {
    pid_t pid;
    int text, complaints; /* its standard output and error; -1: not open */
    bool slow;            /* it was ended since it took too long */
    size_t complaint_length;
    char complaint[COMPLAINT_BYTES + 1]; /* the first bytes of its standard error, terminated */
} child;

/* Moves a descriptor above the standard ones, since those of the child are set one by one. */
static int move_up(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return above;
}

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool open_pipe(int *from, int *to)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *from = move_up(ends[0]);
    *to = move_up(ends[1]);
    return *from >= 0 && *to >= 0;
}

static int open_nameless(const tw_material *from)
{
    int file = move_up(memfd_create("pdf", MFD_CLOEXEC));
    if (file >= 0 && !tw_write_at(file, 0, from->bytes, from->length))
        shut(&file);
    return file;
}

/* Closes all but the standard descriptors. glibc has close_range() from 2.34 on, Linux from 5.9. */
static bool close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1U, ~0U, 0U) == 0)
        return true;
#endif
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    for (rlim_t fd = STDERR_FILENO + 1; fd < limit.rlim_cur; fd++)
        close((int)fd);
    return true;
}

/* What the child needs until it is another program. Until then it shares our memory, so that
 * everything is prepared for it, and `error` reaches us. */
typedef struct launch {
    const int *standard; /* its first three descriptors */
    pid_t parent;
    sigset_t no_signals;
    struct sigaction usual;
    char *const *arguments, *const *environment;
    int error; /* an errno, or 0 */
} launch;

/* Runs in the child: signals as any new process has them, no other descriptors, an end when the
 * thread that waits for it ends, however that comes about, and a process group of its own, so that
 * what it starts itself can be ended with it. */
static int become_pdftotext(void *context)
{
    launch *self = context;
    bool done =
        prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == self->parent && setpgid(0, 0) == 0;
    for (int i = 0; i < 3 && done; i++)
        done = dup2(self->standard[i], i) >= 0;
    done = done && close_others();
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &self->usual, NULL); /* a few cannot be set */
    sigprocmask(SIG_SETMASK, &self->no_signals, NULL);
    if (done)
        execvpe(self->arguments[0], self->arguments, self->environment);
    self->error = errno;
    return EXIT_FAILURE; /* which ends it */
}

/* Starts the child with these three descriptors. Returns 0 or an errno. It is posix_spawnp(), but
 * for PR_SET_PDEATHSIG, which only the child itself can ask for. */
static int spawn(pid_t *pid, const int standard[3])
{
    char command[] = "pdftotext", raw[] = "-raw", encoding[] = "-enc", utf8[] = "UTF-8";
    char dash[] = "-", locale[] = "LC_ALL=C.UTF-8";
    char *const arguments[] = {command, raw, encoding, utf8, dash, dash, NULL};
    char *const environment[] = {locale, NULL};
    launch self = {.standard = standard,
                   .parent = getpid(),
                   .usual.sa_handler = SIG_DFL,
                   .arguments = arguments,
                   .environment = environment};
    sigset_t all, before;
    char *stack = tw_malloc(STACK_BYTES);
    if (!stack)
        return ENOMEM;
    sigemptyset(&self.no_signals);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* our handlers must not run in the child */
    *pid = clone(become_pdftotext, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &self);
    int error = *pid < 0 ? errno : self.error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (*pid >= 0 && error)
        waitpid(*pid, NULL, 0);
    tw_free(stack);
    return error;
}

/* Sets the limits of the child after its start: before, its memory is ours, and may be more than it
 * is to have. What it can do in these microseconds does not matter. */
static void set_limits(pid_t pid, size_t file_bytes)
{
    const struct {
        int resource;
        rlim_t most;
    } limits[] = {
        {RLIMIT_CPU, CPU_SECONDS},
        {RLIMIT_AS, MEMORY_BYTES + 2 * (rlim_t)file_bytes},
        {RLIMIT_CORE, 0},
        {RLIMIT_FSIZE, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        if (prlimit(pid, limits[i].resource, NULL, &now) != 0)
            continue;
        rlim_t most = limits[i].most < now.rlim_max ? limits[i].most : now.rlim_max;
        prlimit(pid, limits[i].resource, &(struct rlimit){most, most}, NULL);
    }
}

/* Starts the child. Returns 0, or an errno with nothing left open. */
static int start(child *program, const tw_material *from)
{
    int standard[3] = {open_nameless(from), -1, -1};
    bool opened = standard[0] >= 0 && open_pipe(&program->text, &standard[1]) &&
                  open_pipe(&program->complaints, &standard[2]);
    int error = opened ? spawn(&program->pid, standard) : errno;
    for (int i = 0; i < 3; i++)
        shut(&standard[i]);
    if (error) {
        shut(&program->text);
        shut(&program->complaints);
        return error;
    }
    set_limits(program->pid, from->length);
    return 0;
}

/* Refuses the file for an errno, in words around what the system says; but where descriptors,
 * processes or memory ran out, the run fails. */
static int refuse_for_system(tw_converted *to, const char *words, int error)
{
    int status = tw_system_status(error);
    return status == TWINSET_IO ? tw_refuse(to, "%s%s", words, tw_system_reason(error)) : status;
}

/* ---- its output */

/* Reads some text; at its end, closes the pipe. */
static int read_text(child *program, tw_bytes *text)
{
    if (tw_bytes_reserve(text, READ_BYTES) != TWINSET_OK)
        return TWINSET_NOMEM;
    ssize_t got = read(program->text, text->data + text->length, READ_BYTES);
    if (got > 0)
        text->length += (size_t)got;
    else if (got == 0 || errno != EINTR)
        shut(&program->text);
    return TWINSET_OK;
}

/* Reads some of its complaints, which a damaged file can make endless; the first ones are kept. */
static void read_complaint(child *program)
{
    char more[512];
    ssize_t got = read(program->complaints, more, sizeof more);
    if (got == 0 || (got < 0 && errno != EINTR))
        shut(&program->complaints);
    size_t space = COMPLAINT_BYTES - program->complaint_length;
    size_t taken = got < 0 ? 0 : (size_t)got < space ? (size_t)got : space;
    memcpy(program->complaint + program->complaint_length, more, taken);
    program->complaint_length += taken;
}

/* Reads all that the child writes. */
static int listen_to(child *program, uint64_t limit, tw_bytes *text, tw_converted *to)
{
    double deadline = tw_now() + WALL_SECONDS;
    while (program->text >= 0 || program->complaints >= 0) {
        double left = deadline - tw_now();
        program->slow = left <= 0;
        if (tw_is_cancelled())
            return TWINSET_CANCELLED;
        if (program->slow)
            return TWINSET_OK;
        struct pollfd ends[] = {{program->text, POLLIN, 0}, {program->complaints, POLLIN, 0}};
        int wait_ms = left < 0.1 ? (int)(left * 1000) + 1 : 100; /* someone may cancel */
        if (poll(ends, 2, wait_ms) < 0 && errno != EINTR)
            return refuse_for_system(to, "", errno);
        if (ends[0].revents && read_text(program, text) != TWINSET_OK)
            return TWINSET_NOMEM;
        if (ends[1].revents)
            read_complaint(program);
        if (text->length > limit)
            return tw_refuse_large(to, limit);
    }
    return TWINSET_OK;
}

/* Ends the child, at once with all that it started. Returns its status as waitpid() has it; 0 if
 * the program ignores its children. */
static int end_child(child *program, bool at_once)
{
    int status = 0;
    shut(&program->text);
    shut(&program->complaints);
    if (at_once)
        kill(-program->pid, SIGKILL);
    while (waitpid(program->pid, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

/* The status of the conversion, by how the child ended. */
static int judge(const child *program, int status, tw_converted *to)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (program->slow || signal == SIGXCPU || signal == SIGKILL)
        return tw_refuse(to, "takes too long to read");
    if (strstr(program->complaint, "Incorrect password"))
        return tw_refuse(to, "encrypted");
    if (strstr(program->complaint, "bad_alloc") || strstr(program->complaint, "Out of memory"))
        return tw_refuse(to, "takes too much memory to read");
    if (signal)
        return tw_refuse(to, "damaged: pdftotext crashes on it");
    if (WEXITSTATUS(status) == 3)
        return tw_refuse(to, "its author does not allow to copy text");
    if (WEXITSTATUS(status) != 0)
        return tw_refuse(to, "damaged, or no PDF file");
    return TWINSET_OK;
}

/* Appends the text as pdftotext gives it, with a form feed after each page. */
static int extract(const tw_material *from, tw_bytes *text, tw_converted *to)
{
    child program = {.text = -1, .complaints = -1};
    int error = start(&program, from);
    if (error == ENOENT || error == EACCES)
        return tw_refuse(to, "needs pdftotext (Debian: poppler-utils)");
    if (error)
        return refuse_for_system(to, "cannot run pdftotext: ", error);
    int status = listen_to(&program, from->limit_bytes, text, to);
    int ended = end_child(&program, status != TWINSET_OK || program.slow);
    return status == TWINSET_OK ? judge(&program, ended, to) : status;
}

/* ---- the converter */

static int convert(const tw_material *from, tw_converted *to)
{
    tw_bytes pages = {0};
    int status = extract(from, &pages, to);
    if (status == TWINSET_OK && !tw_has_words(&pages, 0))
        status = tw_refuse(to, "no text in it: scanned pages?");
    if (status == TWINSET_OK)
        status = tw_undo_layout(&pages, &to->text);
    tw_bytes_free(&pages);
    return status;
}

/* Other bytes may come before this, but then it may also be a text about PDF, and the name of the
 * file decides. */
static bool looks_like(const char *head, size_t length)
{
    size_t mark = length >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return length > mark + 5 && memcmp(head + mark, "%PDF-", 5) == 0 && tw_is_digit(head[mark + 5]);
}

const tw_converter tw_convert_pdf = {
    .kind = "pdf", .endings = "pdf", .looks_like = looks_like, .convert = convert};
