"""Interrupted runs stop soon, die of the signal, and leave no files."""
import gzip
import os
import signal
import subprocess
import sys
import time
import unittest

from command import (SANITIZED, TIMEOUT, Case, cpu_seconds_of_children,
                     wait_for_cpu_seconds)

# Seconds of processor time that a run may take in all. A busy machine does not change them.
MOST_SECONDS = 30 if SANITIZED else 10


class Signals(Case):
    """The runs would take minutes, because MD5 is slow."""

    def setUp(self):
        super().setUp()
        for i in range(200):
            self.write(f"docs/{i:03}", f"A text of thirty characters {i * i * 104729}.")
        self.long = ["--scheme", "md5", "-n", "8192"]

    def interrupt(self, number, *arguments, after=0.5, **options):
        """Starts a command, sends it a signal after some seconds of processor time, and returns
        its status and output."""
        before = cpu_seconds_of_children()
        process = self.start(*arguments, **options)
        wait_for_cpu_seconds(process, after)
        self.assertIsNone(process.poll(), f"ended by itself: {arguments}")
        process.send_signal(number)
        try:
            result = self.finish(process, arguments)
        finally:
            process.kill()
        self.assertLess(cpu_seconds_of_children() - before, MOST_SECONDS)
        self.assertEqual(result.status, -number, result)
        return result

    def check(self, number, *arguments):
        self.write("older", "older result")
        for name in ("out", "older"):
            result = self.interrupt(number, *arguments, "-o", name)
            self.assertEqual(result.messages, "twinset: interrupted\n")
            self.assertEqual(self.entries(), ["docs", "older"])
        with open(self.path("older"), encoding="ascii") as file:
            self.assertEqual(file.read(), "older result")

    def test_an_interrupted_scan_leaves_no_files(self):
        self.check(signal.SIGINT, "docs", "--method", "lsh", *self.long)

    def test_a_terminated_sketch_leaves_no_files(self):
        self.check(signal.SIGTERM, "sketch", "docs", *self.long)

    def test_a_hang_up_leaves_no_files(self):
        self.check(signal.SIGHUP, "docs", "--method", "lsh", *self.long, "-j", "1")

    def test_an_interrupted_run_writes_nothing_to_standard_output(self):
        result = self.interrupt(signal.SIGINT, "docs", "--method", "lsh", *self.long)
        self.assertEqual(result.out, b"")

    def test_a_second_signal_ends_the_run(self):
        """A second signal ends the run at once."""
        process = self.start("docs", "--method", "lsh", *self.long, "-o", "out")
        wait_for_cpu_seconds(process, 0.5)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        self.assertEqual(self.finish(process).status, -signal.SIGINT)
        self.assertEqual(self.entries(), ["docs"])

    def test_a_run_that_waits_for_a_pipe_ends(self):
        """Ctrl-C ends a run that waits for a document."""
        os.mkfifo(self.path("pipe"))
        for arguments in (["pipe"], ["compare", "pipe", "docs/000"]):
            with self.subTest(arguments=arguments):
                self.check_one_signal_suffices(*arguments)

    def test_a_run_that_waits_for_standard_input_ends(self):
        for arguments in (["-"], ["/dev/stdin"], ["@-"], ["sketch", "-"]):
            with self.subTest(arguments=arguments):
                self.check_one_signal_suffices(*arguments, stdin=subprocess.PIPE)

    def test_a_run_that_reads_without_end_ends(self):
        for line in ("one line", '{"text": "one record of many"}'):
            with self.subTest(line=line), \
                    subprocess.Popen(["yes", line], stdout=subprocess.PIPE) as endless:
                self.check_one_signal_suffices("-", stdin=endless.stdout)
                endless.kill()

    def test_a_run_within_a_compressed_line_ends(self):
        """A line of ten gigabytes takes a minute to decompress."""
        chunk = gzip.compress(b"a" * (64 << 20), 1)
        with open(self.path("line.jsonl.gz"), "wb") as file:
            file.write(gzip.compress(b'{"text": "'))
            for _ in range(160):
                file.write(chunk)
        for arguments in (["line.jsonl.gz"], ["dedup", "line.jsonl.gz", "-o", "-"],
                          ["sketch", "line.jsonl.gz"]):
            with self.subTest(arguments=arguments):
                self.interrupt(signal.SIGTERM, *arguments)

    def test_a_run_within_a_document_ends(self):
        """A signature that takes minutes, and cannot be interrupted, does not delay the end."""
        self.write("long", " ".join(str(i * i) for i in range(200000)))
        self.write("older", "older result")
        for number in (signal.SIGINT, signal.SIGTERM):
            result = self.interrupt(number, "sketch", "long", *self.long, "-o", "older", after=1)
            self.assertEqual(result.messages, "twinset: interrupted\n")
            self.assertEqual(self.entries(), ["docs", "long", "older"])
            self.assertEqual(self.read("older"), b"older result")

    def check_one_signal_suffices(self, *arguments, **options):
        process = self.start(*arguments, **options)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            status = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            status = None
        process.kill()
        process.communicate()
        self.assertEqual(status, -signal.SIGINT)

    def test_children_end_with_the_command(self):
        """Child processes end even after a second signal or SIGKILL."""
        os.mkfifo(self.path("alive"))
        self.write("bin/pdftotext", f"""#!/bin/sh
            exec {sys.executable} -c 'import time; time.sleep({TIMEOUT}); print("left")' >alive""")
        os.chmod(self.path("bin/pdftotext"), 0o755)
        self.write("a.pdf", "%PDF-1.4 and no more")
        path = {"PATH": self.path("bin") + os.pathsep + os.environ["PATH"]}
        for numbers in ([signal.SIGINT], [signal.SIGTERM] * 2, [signal.SIGKILL]):
            with self.subTest(numbers=numbers):
                process = self.start("a.pdf", "docs/000", env=path)
                with open(self.path("alive"), "rb") as alive:  # waits for the child
                    for number in numbers:
                        process.send_signal(number)
                    process.communicate(timeout=TIMEOUT)
                    self.assertEqual(alive.read(), b"")  # waits until the child has gone
                self.assertEqual(process.returncode, -numbers[0])

    def test_children_of_a_wrapper_end_with_the_command(self):
        """If a child is a shell that waits for the program, both end."""
        os.mkfifo(self.path("alive"))
        self.write("bin/pdftotext", f"""#!/bin/sh
            {sys.executable} -c '
import time
print("up", flush=True)
time.sleep({TIMEOUT})
print("left")' >alive
            exit 1""")
        os.chmod(self.path("bin/pdftotext"), 0o755)
        self.write("a.pdf", "%PDF-1.4 and no more")
        path = {"PATH": self.path("bin") + os.pathsep + os.environ["PATH"]}
        process = self.start("a.pdf", "docs/000", env=path)
        with open(self.path("alive"), "rb") as alive:
            self.assertEqual(alive.readline(), b"up\n")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=TIMEOUT)
            self.assertEqual(alive.read(), b"")
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_ignored_signals_stay_ignored(self):
        """A signal that is ignored at the start, as under nohup, stays ignored."""
        arguments = ["sketch", "docs/000", "--scheme", "md5", "-n", "65536"]
        process = self.start(*arguments,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.1)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(self.finish(process).status, 0)


if __name__ == "__main__":
    unittest.main()
