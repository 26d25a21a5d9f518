/*
 * The twinset command: parses the command line and runs a command.
 */
#include "options.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

/* Opens standard streams that are closed. Otherwise the next file would get the descriptor of one,
 * and messages would be written to it. Writing to a closed standard output still fails. */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0)
            _exit(EXIT_FAILED);
}

/* Writes the help, the version, the man page or a completion script. */
static int answer_request(const cli_invocation *in)
{
    cli_output out;
    twinset_error error;
    int status = output_open(&out, NULL, &error);
    if (status == 0) {
        if (in->request == OPTION_HELP)
            help_write(&out, in->command);
        else if (in->request == OPTION_MAN)
            manual_write(&out);
        else if (in->request == OPTION_COMPLETION)
            completion_write(&out, in->shell);
        else
            output_printf(&out, "twinset %s\n", twinset_version());
        status = output_close(&out, &error);
    }
    return status == 0 ? EXIT_DONE : output_give_up(&out, &error);
}

int main(int argc, char **argv)
{
    cli_invocation in;
    hold_standard_streams();
    signals_install();
    /* LC_NUMERIC stays "C": numbers are read and written the same way everywhere. */
    setlocale(LC_CTYPE, "");
    int status = invocation_parse(&in, argc, argv);
    if (status == 0)
        status = in.request == OPTION_ENGINE ? in.command->run(&in) : answer_request(&in);
    free(in.inputs);
    free(in.globs[0]);
    free(in.globs[1]);
    return status;
}
