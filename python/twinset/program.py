"""How programs of the package end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable


def run(main: Callable[[], int]) -> None:
    """Ends the process: with the status that main() gives, or as one that was interrupted."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("twinset: interrupted", file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that a shell sees what ended it
        os.kill(os.getpid(), signal.SIGINT)
