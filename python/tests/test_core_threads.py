"""Concurrent calls, and Ctrl-C."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from twinset import _core

BASE = "A text of some length about bridges, rivers and the people who cross them every day. "
TEXTS = [f"{BASE} {i} {BASE[i % 40:]} {i * i}" for i in range(400)]
THREADS = 8


def at_once(function, count=THREADS):
    """The results of a function in several threads, which start together."""
    barrier = threading.Barrier(count)

    def run(number):
        barrier.wait()
        return function(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def pairs(result):
    return [result.pair(i) for i in range(len(result))]


def scanned(options=None):
    collection = _core.Collection({"threshold": "0.6", **(options or {})})
    collection.add_texts(TEXTS)
    return pairs(collection.scan())


def test_one_sketcher_for_all():
    sketcher = _core.Sketcher({"hashes": "64", "scheme": "datasketch1"})
    items = [text.encode() for text in TEXTS]
    wanted = sketcher.texts(TEXTS), sketcher.text(TEXTS[7]), sketcher.items(items)

    def use(_):
        return [(sketcher.texts(TEXTS), sketcher.text(TEXTS[7]), sketcher.items(items))
                for _ in range(5)]

    assert all(found == [wanted] * 5 for found in at_once(use))


def test_concurrent_collections():
    wanted = scanned()
    assert len(wanted) > 100
    assert at_once(lambda number: scanned({"threads": str(1 + number % 3)}), 4) == [wanted] * 4


def test_one_collection_filled_by_all():
    collection = _core.Collection({"threshold": "0.6"})
    at_once(lambda number: collection.add_texts(
        TEXTS[number::THREADS], [f"{i:010}" for i in range(number, len(TEXTS), THREADS)]))
    assert pairs(collection.scan()) == scanned()


def test_one_collection_run_by_all():
    """Runs are made one after the other, and each has a result of its own."""
    collection = _core.Collection({"threshold": "0.6"})
    collection.add_texts(TEXTS)
    wanted = scanned()
    for result in at_once(lambda _: collection.scan()):
        assert pairs(result) == wanted


def test_one_result_read_by_all():
    collection = _core.Collection({"threshold": "0.6"})
    collection.add_texts(TEXTS)
    result = collection.scan()

    def read(_):
        chunks = []
        result.write("jsonl", chunks.append)
        return (b"".join(chunks), result.column("pairs", "a"), result.passages(0),
                result.pair(3), result.cluster(0))

    first, *rest = at_once(read)
    assert all(found == first for found in rest)


def test_other_threads_run_meanwhile():
    """A scan releases the GIL: another thread of Python continues."""
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = counted[0]
    _core.Sketcher({"scheme": "md5", "hashes": "64"}).texts([BASE * 40] * 20)
    seen = counted[0] - start
    done.set()
    thread.join()
    assert seen > 10


# ---- Ctrl-C


class Interruption:
    """A signal that is sent a moment after start()."""

    def __init__(self):
        self.timer = threading.Timer(0.3, self.send)

    def start(self):
        self.timer.start()

    def send(self):
        self.sent = time.process_time()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def cpu_seconds_since(self):
        """Processor time, which a busy machine does not change."""
        return time.process_time() - self.sent


@pytest.fixture
def interruption():
    # Shells ignore the signal in background processes.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = Interruption()
    yield made
    made.timer.cancel()
    made.timer.join()
    signal.signal(signal.SIGINT, before)


MANY = [f"{i} {BASE * 12} {i}" for i in range(20_000)]
SLOW = {"scheme": "jenkins", "hashes": "64", "method": "lsh"}  # takes many seconds


def test_interrupted_scan(interruption):
    collection = _core.Collection({**SLOW, "scheme": "md5"})  # a chunk takes longer than 5 seconds
    collection.add_texts(MANY)
    interruption.start()
    with pytest.raises(KeyboardInterrupt):
        collection.scan()
    assert interruption.cpu_seconds_since() < 5
    assert len(collection.inputs()) == 20_000  # it can still be used


def test_interrupted_sketching(interruption):
    sketcher = _core.Sketcher(SLOW)
    interruption.start()
    with pytest.raises(KeyboardInterrupt):
        sketcher.texts(MANY)
    assert interruption.cpu_seconds_since() < 5
    assert len(sketcher.text("short")) == 256


def test_interrupted_waiting(interruption):
    """A call that waits for another thread can be interrupted."""
    sketcher = _core.Sketcher(SLOW)
    other = threading.Thread(target=sketcher.texts, args=(MANY[:8000],))
    other.start()
    time.sleep(0.1)
    interruption.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            sketcher.text("short")
    assert interruption.cpu_seconds_since() < 5
    other.join()
