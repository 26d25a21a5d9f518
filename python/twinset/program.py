"""What the programs of the package share: exit status, and options in messages."""

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
    """Runs main() and exits with its status; after Ctrl-C, by SIGINT, as shells expect."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("twinset: interrupted", file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


def in_command_words(main: Callable[P, R]) -> Callable[P, R]:
    """Makes a program's messages name options as its users type them: --memory, not memory=."""
    @wraps(main)
    def program(*arguments: P.args, **keywords: P.kwargs) -> R:
        before = _core.use_command_words(True)
        try:
            return main(*arguments, **keywords)
        finally:
            _core.use_command_words(before)
    return program
