"""Large files are written in blocks, past the page cache."""

import errno
import os
import random

import pytest
from twinset import blocks, output

SEED = random.randrange(1 << 32)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "LARGE_BYTES", 3 << 12)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 12)


def pieces(dice):
    return [dice.randbytes(dice.choice((0, 1, 100, 4096, 9999, 20000))) for _ in range(20)]


def test_bytes_of_any_size(tmp_path):
    dice = random.Random(SEED)
    for _ in range(20):
        written = pieces(dice)[:dice.randrange(20)]
        with output.replacing(tmp_path / "out") as file:
            for piece in written:
                assert file.write(memoryview(piece)) == len(piece)
            assert file.tell() == sum(map(len, written))
        assert (tmp_path / "out").read_bytes() == b"".join(written), f"seed {SEED}"


def test_disks_that_refuse(tmp_path, monkeypatch):
    """A file system that does not write directly gets blocks through the cache."""
    real, flags, refused = os.write, [0], []

    def control(number, command, new=0):
        if command == blocks.fcntl.F_SETFL:
            flags.append(new)
        return flags[-1]

    def write(number, data):
        if flags[-1]:
            refused.append(len(data))
            raise OSError(errno.EINVAL, "not aligned")
        return real(number, data[:1000])

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(blocks.fcntl, "fcntl", control)
    data = random.Random(SEED).randbytes(30000)
    with output.replacing(tmp_path / "out") as file:
        file.write(data)
    assert refused == [4096] and (tmp_path / "out").read_bytes() == data, f"seed {SEED}"


def test_failures_reach_the_caller(tmp_path, monkeypatch):
    def write(number, data):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", write)
    for count in (1, 9):  # blocks: reported at the end, and by a later write
        with pytest.raises(OSError, match="full"), output.replacing(tmp_path / "out") as file:
            for _ in range(3 + count):
                file.write(bytes(4096))
    assert list(tmp_path.iterdir()) == []
