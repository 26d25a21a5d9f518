"""Runs and measures commands."""
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass

LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")


@dataclass
class Run:
    seconds: float
    cpu: float
    peak_mb: float  # of the largest process among the command and its children
    status: int
    out: bytes
    err: bytes


def run(command, env=None, kill_after=None, may_fail=False):
    """Runs a command to its end, or kills it after so many seconds."""
    read, write = os.pipe()
    moment = "never" if kill_after is None else kill_after
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", LAUNCH, str(write), str(moment), *map(str, command)],
        pass_fds=(write,), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
    os.close(write)
    out, err = process.communicate()
    with os.fdopen(read, "rb") as measured:
        result = Run(**json.loads(measured.read()), out=out, err=err)
    if result.status != 0 and not may_fail and kill_after is None:
        raise RuntimeError(f"{' '.join(map(str, command))}\nended with {result.status}\n"
                           f"{err[-2000:].decode(errors='replace')}")
    return result


def interleave(jobs, repeat, patience=120, say=print):
    """Runs the jobs (name: function that returns a Run) in turn, in `repeat` rounds. A job slower
    than `patience` seconds runs once. Returns the runs by name."""
    runs = {name: [] for name in jobs}
    for turn in range(repeat):
        for name, job in jobs.items():
            if turn == 0 or (runs[name] and runs[name][0].seconds <= patience):
                try:
                    runs[name].append(job())
                except (OSError, RuntimeError) as error:
                    say(f"    {name} failed: {error}")
                    continue
                say(f"    {name}: {runs[name][-1].seconds:.2f} s")
    return {name: done for name, done in runs.items() if done}


def median(runs, field):
    return statistics.median(getattr(run, field) for run in runs)
