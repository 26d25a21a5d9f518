"""Full load on `twinset serve` while documents are added: no errors, and constant memory.

    python3 tests/long/serve_load.py TWINSET [SECONDS]

The index has 60,000 documents from the start, so that it is larger than the pages of it that each
of its handles holds: these are filled soon. wrk queries over 32 connections. Memory counts as
constant if the last quarter of the run has, on average, less than a tenth and 16 MB more than the
second, apart from the filters of documents that were added meanwhile: each handle of the index has
filters of all keys.
"""
import json
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent


def memory_of(process):
    """The private memory of a process in MB; pages of files do not count."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return int(re.search(r"RssAnon:\s+(\d+)", file.read())[1]) / 1024


def start(twinset, folder):
    server = subprocess.Popen([twinset, "serve", os.path.join(folder, "index.twx"), "--listen",
                               "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    return server, re.search(r"http://[\d.:]+", server.stderr.readline())[0]


def fill(url):
    """Adds the first documents. Returns whether all were added."""
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnop", k=7)) for _ in range(5000)]
    return all(add(url, [{"id": f"first-{i}", "text": " ".join(dice.choices(words, k=120))}
                         for i in range(first, first + 6000)]) for first in range(0, 60_000, 6000))


def add(url, documents):
    """Adds a batch. Returns whether all of it was added."""
    request = urllib.request.Request(f"{url}/v1/documents", method="POST",
                                     data=json.dumps({"documents": documents}).encode(),
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)["added"] == len(documents)


def filters_of(url):
    """What the filters of an index take in all handles, in MB: 8 bits for each of 73 keys of a
    document, and some for those that several have."""
    handles = 2 * os.cpu_count() + 1
    with urllib.request.urlopen(f"{url}/v1/stats", timeout=60) as answer:
        return json.load(answer)["documents"] * 100 * handles / 1e6


def watch(wrk, server, url):
    """The memory of the server while wrk runs, each second, and the part that filters take."""
    samples = []
    while wrk.poll() is None:
        samples.append((memory_of(server.pid), filters_of(url)))
        time.sleep(1)
    return samples


def main(twinset, seconds):
    with tempfile.TemporaryDirectory() as folder:
        server, url = start(twinset, folder)
        if not fill(url):
            return "the first documents were not added"
        wrk = subprocess.Popen(["wrk", "-t2", "-c32", f"-d{seconds}s", "--timeout", "20s",
                                "--latency", "-s", HERE / "serve_load.lua", url],
                               stdout=subprocess.PIPE, text=True)
        samples = watch(wrk, server, url)
        said = wrk.communicate()[0]
        server.send_signal(signal.SIGTERM)
        status = server.wait(60)
        server.stderr.close()
        verified = subprocess.run([twinset, "index", "verify", os.path.join(folder, "index.twx")],
                                  capture_output=True, text=True, check=False)
    quarter = len(samples) // 4
    before, filters = map(statistics.mean, zip(*samples[quarter:2 * quarter]))
    after, more_filters = map(statistics.mean, zip(*samples[-quarter:]))
    more_filters -= filters
    print(said, verified.stdout.strip(),
          f"\nmemory: {before:.1f} MB, then {after:.1f} MB, {more_filters:.1f} MB of them more "
          f"filters; most {max(samples)[0]:.1f} MB")
    problems = re.findall(r".*(?:Socket errors|Non-2xx).*", said)
    if status != 0 or verified.returncode != 0:
        problems.append(f"the server ended with {status}: {verified.stderr}")
    if after - more_filters > before * 1.1 + 16:
        problems.append("memory grows")
    return "\n".join(problems) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 600))
