"""No leaks of references, Arrow arrays, or memory of the engine."""

import gc
import resource
import sys

import every_call
import pytest

from twinset import _core

# Calls that are quick are made more often, slow ones less; script/long has more.
ROUNDS = {"sketcher": 2000, "lsh": 2000, "index": 2000, "store": 100}


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("name", every_call.calls(None))
def test_memory_does_not_grow(name, tmp_path):
    call = every_call.calls(tmp_path)[name]
    rounds = ROUNDS.get(name, 200)

    def grows():
        """Whether memory grows by an object a round, or by 64 bytes a round and 2 MB in all."""
        blocks, before = sys.getallocatedblocks(), resident()
        for _ in range(rounds):
            call()
        gc.collect()
        return (sys.getallocatedblocks() - blocks > rounds / 2 or
                resident() - before > rounds * 64 + (2 << 20))

    grows()  # collects what was left before
    # A leak grows every time; caches and free lists, also those of pyarrow, are full at some time.
    assert not all(grows() for _ in range(6))


def test_texts_are_released():
    texts = [f"text number {i}, of its own" for i in range(10)]
    names = [f"name number {i}, of its own" for i in range(10)]
    before = [sys.getrefcount(text) for text in texts + names]
    collection = _core.Collection()
    collection.add_texts(texts, names)
    assert all(sys.getrefcount(text) > 2 for text in texts)
    result = collection.scan()
    del collection
    gc.collect()
    assert result.run()["documents"] == 10
    del result
    assert [sys.getrefcount(text) for text in texts + names] == before


def test_callbacks_are_released():
    def progress(*_):
        pass

    before = sys.getrefcount(progress)
    collection = _core.Collection({}, progress)
    assert sys.getrefcount(progress) == before + 1
    del collection
    assert sys.getrefcount(progress) == before


def test_cycle_through_the_callback():
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        collected = []
        collection = _core.Collection({}, lambda *_, collected=collected: collected)
        collection.add_texts(["one text", "one text"])
        collected.append(collection.scan())
        del collected, collection
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_constants_keep_their_counts():
    sketcher = _core.Sketcher({"hashes": "4"})
    before = sys.getrefcount(None), sys.getrefcount(_core.Sketcher)
    for _ in range(2_000):
        sketcher.text(None)
        _core.compare("a", "b")
    assert abs(sys.getrefcount(None) - before[0]) < 100
    assert abs(sys.getrefcount(_core.Sketcher) - before[1]) < 100
