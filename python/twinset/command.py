"""The command `twinset`, which the wheel contains: a program of its own, not written in Python.

Installing the package puts a script on the PATH that calls main(), which becomes that program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "twinset")


def become(words: Sequence[str]) -> NoReturn:
    """Replaces this process by the command, which gets these arguments."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(PROGRAM, ["twinset", *words])


def main() -> int:
    """Runs the command. Returns only if the program cannot be started."""
    try:
        become(sys.argv[1:])
    except OSError as error:
        print(f"twinset: {PROGRAM}: {error.strerror}; install the wheel once more: "
              "pip install --force-reinstall twinset", file=sys.stderr)
        return 2
