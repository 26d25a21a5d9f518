"""Threads that work ahead, in order and in bounded memory."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Task = TypeVar("Task")
Made = TypeVar("Made")

END = object()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def in_order(sources: Sequence[Callable[[], Iterator[Item]]], threads: int,
             depth: int) -> Iterator[Item]:
    """Yields the items of the sources, one source after the other. A thread of its own reads
    each of the next `threads` sources, up to `depth` items ahead."""
    queues: list[queue.Queue[Any]] = [queue.Queue(depth) for _ in sources]
    stopped = threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number, source in enumerate(sources[:threads]):
                pool.submit(_fill, source, queues[number], stopped)
            for number, filled in enumerate(queues):
                while (item := filled.get()) is not END:
                    if isinstance(item, BaseException):
                        raise item
                    yield item
                if number + threads < len(sources):
                    pool.submit(_fill, sources[number + threads], queues[number + threads], stopped)
        finally:
            stopped.set()


def _fill(source: Callable[[], Iterator[Any]], into: queue.Queue[Any],
          stopped: threading.Event) -> None:
    try:
        for item in source():
            if not _put(into, item, stopped):
                return
        item = END
    except BaseException as error:
        item = error
    _put(into, item, stopped)


def _put(into: queue.Queue[Any], item: Any, stopped: threading.Event) -> bool:
    """Puts an item once the queue has space. False if nobody reads the queue any more."""
    while not stopped.is_set():
        try:
            into.put(item, timeout=0.1)
            return True
        except queue.Full:
            pass
    return False


def mapped(work: Callable[[Task], Made], tasks: Iterable[Task], threads: int) -> Iterator[Made]:
    """Yields what a function makes of each task, in their order. At most `threads` + 1 tasks are
    begun and not yet yielded."""
    begun: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for task in tasks:
                begun.append(pool.submit(work, task))
                if len(begun) > threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()


def for_each(work: Callable[[Task], object], tasks: Sequence[Task], threads: int) -> None:
    """Calls a function for each task, in several threads. Raises the first exception."""
    if threads == 1 or len(tasks) == 1:
        for task in tasks:
            work(task)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, tasks))
