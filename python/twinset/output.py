"""Files that appear under their names when they are complete."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

Target = str | os.PathLike[str] | IO[Any]


@contextmanager
def replacing(path: str | os.PathLike[str], sync_from: int = 0) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name at the end, if nothing went wrong. A link stays a
    link, and what is no plain file, such as /dev/stdout, is written to as it is. A file of fewer
    bytes than `sync_from` is not waited for: there may be millions."""
    import tempfile

    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder, name = os.path.split(path)
    # A name may have 255 bytes, and that of the unfinished file no more.
    prefix = b"." + os.fsencode(name)[:200] + b"."
    number, temporary = tempfile.mkstemp(prefix=prefix, dir=os.fsencode(folder))
    try:
        with open(number, "wb") as file:
            yield file
            file.flush()
            if file.tell() >= sync_from:
                os.fsync(number)
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    """That of the file that is replaced, or of any new one."""
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write(target: Target, produce: Callable[[Callable[[bytes], object]], object]) -> None:
    """Hands what `produce` writes to a path, or to a file that is open, for bytes or for text."""
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as file:
            produce(file.write)
    elif isinstance(target, io.TextIOBase):
        import codecs

        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        produce(lambda data: target.write(decoder.decode(bytes(data))))
    else:
        produce(target.write)


def paths_of(*targets: Target | None) -> list[str]:
    """Those of the targets that are paths."""
    return [os.fspath(one) for one in targets if isinstance(one, (str, os.PathLike))]
