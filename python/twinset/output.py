"""Files that appear under their names when they are complete."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from .blocks import LargeFile

Target = str | os.PathLike[str] | IO[Any]


@contextmanager
def replacing(path: str | os.PathLike[str], sync_from: int = 0) -> Iterator[IO[bytes]]:
    """Opens a file to write to. It takes its name at the end, unless an exception was raised. A
    link stays a link, and a path that is no regular file, such as /dev/stdout, is written to
    directly. Files smaller than `sync_from` bytes are not synced: there may be millions."""
    import tempfile

    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder, name = os.path.split(path)
    # A name may have 255 bytes, and the temporary name is longer than the final one.
    prefix = b"." + os.fsencode(name)[:200] + b"."
    number, temporary = tempfile.mkstemp(prefix=prefix, dir=os.fsencode(folder))
    try:
        with LargeFile(number) as file:
            yield file
            file.finish()
            if file.tell() >= sync_from:
                os.fsync(number)
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    """The mode of the file that is replaced, or else of a new file."""
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write(target: Target, produce: Callable[[Callable[[bytes], object]], object]) -> None:
    """Writes the bytes of `produce` to a path, or to a file that is open for bytes or for text."""
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
    """The targets that are paths."""
    return [os.fspath(target) for target in targets if isinstance(target, (str, os.PathLike))]
