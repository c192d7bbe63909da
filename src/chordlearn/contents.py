"""The whole content of a file that others wrote, unless there is no room for it."""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from pathlib import Path
from typing import BinaryIO, cast

from chordlearn.limits import available_bytes

LARGEST_BYTES = 1 << 30
BYTES_PER_BYTE = 10
"""Memory that what is made of a text takes, at most."""
LARGEST_SMALL, LARGEST_RATIO = 1 << 26, 100
"""A gzipped file that unpacks to more than this, and to more than so many times its size, is a trap."""
GZIP_MAGIC = b"\x1f\x8b"

_CHUNK = 1 << 22


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """The content of a file, unpacked if gzipped; raises OSError, also if it is too large or has no end.

    >>> read_whole(__file__)[:3]
    b'\"\"\"'
    """
    with Path(path).open("rb") as file:
        most = min(float(LARGEST_BYTES), available_bytes() / BYTES_PER_BYTE)
        if not file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
            return read_at_most(file, most)
        packed = os.fstat(file.fileno()).st_size
        try:
            unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=file))
            return read_at_most(unpacked, min(most, max(LARGEST_SMALL, LARGEST_RATIO * packed)))
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise OSError(errno.EINVAL, "It is damaged or was cut off", os.fspath(path)) from None


def read_at_most(stream: BinaryIO, most: float) -> bytes:
    """All that comes from a stream; raises OSError if that is more."""
    content = bytearray()
    while chunk := stream.read(_CHUNK):
        content += chunk
        if len(content) > most:
            raise OSError(errno.EFBIG, f"It holds more than {most / 1e6:,.0f} MB")
    return bytes(content)
