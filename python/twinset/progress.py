"""A progress bar by tqdm, if it is installed and standard error is a terminal or notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Callback = Callable[[str, int, int], object]
Progress = bool | Callback | None


@contextmanager
def watching(progress: Progress) -> Iterator[Callback | None]:
    """The callback that a run reports to. `progress`: True, False, None (only in a terminal or
    notebook), or a function of stage, done and total."""
    if callable(progress):
        yield progress
        return
    bar = _Bar(_tqdm(needed=bool(progress))) if _is_wanted(progress) else None
    if bar is None or bar.make is None:
        yield None
        return
    try:
        yield bar
    finally:
        bar.close()


def _is_wanted(progress: bool | None) -> bool:
    if progress is not None:
        return progress
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _in_notebook() -> bool:
    """Whether this is a notebook. It needs no import, since a notebook has imported IPython."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _tqdm(needed: bool) -> Any:
    try:
        if _in_notebook():
            from tqdm.auto import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        if needed:
            raise ImportError("progress=True needs tqdm: pip install tqdm") from None
        return None
    return tqdm


class _Bar:
    """A bar for each stage, removed when the stage is done."""

    def __init__(self, make: Any) -> None:
        self.make, self.stage = make, ""
        self.bar: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self.bar is None or stage != self.stage:
            self.close()
            # Short stages show no bar.
            self.bar = self.make(total=total or None, desc=stage, leave=False, delay=0.3)
            self.stage = stage
        if total:
            self.bar.total = total
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
