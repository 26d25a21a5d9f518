"""Runs the command for all tests here, as people and programs do.

TWINSET     the command to test; build/release/twinset if not set
TWINSET_TEST_LARGE=1   runs with inputs of full size, too: a gigabyte of text
"""
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unicodedata
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TWINSET = os.path.abspath(os.environ.get("TWINSET", os.path.join(ROOT, "build/release/twinset")))
SAMPLES = os.path.join(ROOT, "samples")
LARGE = os.environ.get("TWINSET_TEST_LARGE") == "1"
TIMEOUT = 3600 if LARGE else 600  # seconds: a command that takes longer hangs

with open(TWINSET, "rb") as program:
    SANITIZED = re.search(rb"__[at]san_init", program.read()) is not None

# Messages of sanitizers and of the system about a broken program.
CRASHES = {-4, -6, -7, -8, -11, 66, 99}

FIELDS = ["a", "b", "similarity", "jaccard", "containment_a", "containment_b", "shared", "union",
          "estimate", "longest", "cluster"]
# These fields follow if passages were searched.
PASSAGE_FIELDS = ["passages", "passage_words", "coverage_a", "coverage_b", "false_alarms"]


def environment(changes):
    """An environment that is equal everywhere: UTF-8, no settings of colour and width."""
    chosen = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm")
    for name in ("COLUMNS", "NO_COLOR", "TWINSET_ISA"):
        chosen.pop(name, None)
    chosen.update(changes or {})
    return chosen


class Result:
    def __init__(self, arguments, status, out, err):
        self.arguments, self.status, self.out, self.err = arguments, status, out, err
        if status in CRASHES or b"Sanitizer" in err or b"runtime error" in err:
            raise AssertionError(f"crashed: {self}")

    @property
    def text(self):
        return self.out.decode()

    @property
    def messages(self):
        return self.err.decode()

    @property
    def json(self):
        """The result without passages, which test_passages_*.py check."""
        answer = json.loads(self.out)
        for pair in answer.get("pairs", []):
            del pair["passages"]
        return answer

    def __str__(self):
        return (f"twinset {' '.join(map(repr, self.arguments))}: status {self.status}\n"
                f"{self.out[-2000:].decode(errors='replace')}\n"
                f"{self.err[-4000:].decode(errors='replace')}")


def restore_signals():
    """Restores signals, which are ignored if tests run in the background."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Case(unittest.TestCase):
    """A test with a folder of its own, in which the command runs."""

    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="twinset-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content=""):
        path = self.path(name) if isinstance(name, str) else os.path.join(
            os.fsencode(self.folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def entries(self, folder=""):
        return sorted(os.listdir(self.path(folder)))

    def start(self, *arguments, env=None, **options):
        options.setdefault("preexec_fn", restore_signals)
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("cwd", self.folder)
        return subprocess.Popen([TWINSET, *arguments], env=environment(env), **options)

    def run_command(self, *arguments, input=None, **options):
        if input is not None:
            options["stdin"] = subprocess.PIPE
        return self.finish(self.start(*arguments, **options), arguments, input)

    def finish(self, process, arguments=(), input=None):
        try:
            out, err = process.communicate(input, TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return Result(arguments, process.returncode, out or b"", err or b"")

    def succeed(self, *arguments, **options):
        """Runs a command that must end with status 0."""
        result = self.run_command(*arguments, **options)
        self.assertEqual(result.status, 0, result)
        return result

    def fail_with(self, status, *arguments, says=(), **options):
        """Runs a command that must end with a status and a message with these words."""
        result = self.run_command(*arguments, **options)
        self.assertEqual(result.status, status, result)
        self.assert_says(result, *([says] if isinstance(says, str) else says))
        return result

    def assert_says(self, result, *words):
        for line in result.err.splitlines():
            self.assertRegex(line, rb"^(twinset: |Try 'twinset )", result)
        for word in words:
            self.assertIn(word, result.messages, result)


# ---- processor time, which a busy machine does not change

def cpu_seconds_of_children():
    """The processor time of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait_for_cpu_seconds(process, seconds):
    """Waits until a process has used so much processor time, or has ended."""
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        with open(f"/proc/{process.pid}/stat", encoding="ascii", errors="replace") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        if int(user) + int(system) >= ticks:
            break
        time.sleep(0.02)


# ---- terminals

def open_terminal(columns):
    """Both ends of a pseudo terminal that leaves line ends as they are."""
    near, far = pty.openpty()
    attributes = termios.tcgetattr(far)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(far, termios.TCSANOW, attributes)
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return near, far


def run_on_terminal(*arguments, columns=80, out=True, err=True, env=None, cwd=None):
    """Runs the command with standard output, standard error or both on a terminal each."""
    ends = [open_terminal(columns) if wanted else os.pipe() for wanted in (out, err)]
    process = subprocess.Popen([TWINSET, *arguments], stdin=subprocess.DEVNULL, stdout=ends[0][1],
                               stderr=ends[1][1], env=environment(env), cwd=cwd)
    for _, far in ends:
        os.close(far)
    written = {near: b"" for near, _ in ends}
    still_open, deadline = set(written), time.monotonic() + TIMEOUT
    while still_open:
        ready = select.select(still_open, [], [], max(0, deadline - time.monotonic()))[0]
        if not ready:
            process.kill()
        for near in ready or set(still_open):
            data = read_available(near)
            written[near] += data
            if not data:
                still_open.remove(near)
                os.close(near)
    return Result(arguments, process.wait(TIMEOUT), *written.values())


def read_available(descriptor):
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # on Linux, the other end of the terminal is closed
        return b""


def without_colour(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def columns_of(line):
    """The number of columns that a line takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF"
               else 1 for c in without_colour(line))
