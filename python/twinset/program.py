"""How programs of the package end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from . import _core

P = ParamSpec("P")
R = TypeVar("R")


def run(main: Callable[[], int]) -> None:
    """Ends the process: with the status that main() gives, or as one that was interrupted."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("twinset: interrupted", file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that a shell sees what ended it
        os.kill(os.getpid(), signal.SIGINT)


def in_command_words(main: Callable[P, R]) -> Callable[P, R]:
    """Makes a program's sentences name options as its users give them: --memory, not memory=."""
    @wraps(main)
    def program(*arguments: P.args, **keywords: P.kwargs) -> R:
        before = _core.use_command_words(True)
        try:
            return main(*arguments, **keywords)
        finally:
            _core.use_command_words(before)
    return program
