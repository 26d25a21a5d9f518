"""Large files, written past the page cache: cli/large_output.c does so, too, and says why."""

from __future__ import annotations

import errno
import fcntl
import io
import mmap
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

LARGE_BYTES = 32 << 20  # a smaller file stays in the cache, for the program that reads it next
BLOCK_BYTES = 8 << 20  # the thread waits for the interpreter between blocks: 4 MB take longer
DIRECT = getattr(os, "O_DIRECT", 0)


class LargeFile(io.BufferedIOBase):
    """A new file. After its first LARGE_BYTES it goes to the disk in blocks, directly where the
    file system allows it: one block is filled while a thread writes the one before."""

    def __init__(self, number: int) -> None:
        self.start = open(number, "wb")
        self.blocks: list[mmap.mmap] = []
        self.used = self.position = 0
        self.writer = ThreadPoolExecutor(1)
        self.written: Future[None] | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        done = min(max(LARGE_BYTES - self.position, 0), len(view))
        if done:
            self.start.write(view[:done])
        while done < len(view):
            count = min(len(view) - done, BLOCK_BYTES - self.used)
            self._block()[self.used:self.used + count] = view[done:done + count]
            self.used += count
            done += count
            if self.used == BLOCK_BYTES:
                self._hand_over()
        self.position += done
        return done

    def _block(self) -> mmap.mmap:
        """The block that is being filled."""
        if not self.blocks:
            self.start.flush()
            self.blocks = [mmap.mmap(-1, BLOCK_BYTES) for _ in range(2)]
            _set_direct(self.start.fileno(), True)
        return self.blocks[0]

    def _hand_over(self) -> None:
        """Gives the block that is full to the thread, once the one before is written."""
        self._await()
        self.written = self.writer.submit(_write_all, self.start.fileno(), self.blocks[0])
        self.blocks.reverse()
        self.used = 0

    def _await(self) -> None:
        if self.written is not None:
            self.written.result()

    def finish(self) -> None:
        """Writes what is left, which is no whole block."""
        self._await()
        self.start.flush()
        if self.used:
            _set_direct(self.start.fileno(), False)
            _write_all(self.start.fileno(), memoryview(self.blocks[0])[:self.used])

    def close(self) -> None:
        self.writer.shutdown()
        self.start.close()
        super().close()


def _set_direct(number: int, is_direct: bool) -> None:
    flags = fcntl.fcntl(number, fcntl.F_GETFL) & ~DIRECT
    try:
        fcntl.fcntl(number, fcntl.F_SETFL, flags | DIRECT if is_direct else flags)
    except OSError:  # the file system allows none
        pass


def _write_all(number: int, data: Any) -> None:
    view, done = memoryview(data), 0
    while done < len(view):
        try:
            done += os.write(number, view[done:])
        except OSError as error:
            if error.errno != errno.EINVAL or not fcntl.fcntl(number, fcntl.F_GETFL) & DIRECT:
                raise
            _set_direct(number, False)
