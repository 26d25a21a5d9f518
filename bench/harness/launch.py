"""Runs a command, and writes its time and memory as JSON to a descriptor.

It is a process of its own, because the peak memory of a child starts with that of its parent.
"""
import json
import os
import signal
import sys
import time


def main(descriptor, kill_after, *command):
    descriptor = int(descriptor)
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(descriptor)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            sys.stderr.write(f"{command[0]}: {error.strerror}\n")
            os._exit(127)
    if kill_after != "never":
        time.sleep(float(kill_after))
        os.kill(child, signal.SIGKILL)  # a zombie, if it has ended already
    _, status, used = os.wait4(child, 0)
    measured = {"seconds": time.monotonic() - start, "cpu": used.ru_utime + used.ru_stime,
                "peak_mb": used.ru_maxrss * 1024 / 1e6, "status": os.waitstatus_to_exitcode(status)}
    os.write(descriptor, json.dumps(measured).encode())


main(*sys.argv[1:])
