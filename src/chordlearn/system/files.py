"""Files: read whole unless there is no room for them, and written so that no reader sees half of one."""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from chordlearn.errors import InputError
from chordlearn.system.memory import available_bytes
from chordlearn.system.signals import Held

LARGEST_BYTES = 1 << 30
BYTES_PER_BYTE = 10
"""Memory that what is made of a text takes, at most."""
LARGEST_SMALL, LARGEST_RATIO = 1 << 26, 100
"""A gzipped file that unpacks to more than this, and to more than so many times its size, is a trap."""
GZIP_MAGIC = b"\x1f\x8b"

_CHUNK = 1 << 22

Place = tuple[int, int] | str


def place_of(path: str | os.PathLike[str]) -> Place:
    """What two paths have in common if they lead to the same file, also through links and /dev/fd.

    >>> place_of(__file__) == place_of(os.path.relpath(__file__))
    True
    """
    try:
        found = Path(path).stat()
        return found.st_dev, found.st_ino
    except (OSError, ValueError):
        return os.path.realpath(path)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether it is a terminal, a pipe or the like, which holds nothing that could be lost.

    >>> is_stream(os.devnull), is_stream(__file__)
    (True, False)
    """
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


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


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which replaces the one at the path when the block ends well.

    Failures of the system become one sentence; the old file is then as it was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with writing(Path(folder, "a.txt")) as file:
    ...         _ = file.write(b"whole")
    ...     Path(folder, "a.txt").read_text()
    'whole'
    """
    try:
        if _is_special(path):
            with _special(path) as file:
                yield file
            return
        part = _Part(path.resolve())
        try:
            with os.fdopen(part.handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(part.handle)
                part.replace_target()
        except BaseException:
            part.remove()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be written: {reason}; free the place or choose another.") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Write text (as UTF-8) or bytes to a file so that no reader ever sees a part of it."""
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError:
        raise InputError(
            f"{path} cannot be written: a name or a state holds half a character; rename it."
        ) from None
    with writing(path) as file:
        file.write(data)


class Lines:
    """Adds whole lines to a file that is read while it grows.

    Of a line that does not fit, nothing is left. An old file goes when there is a first line to replace it.
    """

    def __init__(self, path: Path, *, keep: int = 0) -> None:
        """Go on after so many bytes of the file at the path, or begin a new one; raises OSError."""
        self._part: _Part | None = None
        self._whole = keep
        self._can_shrink = not _is_special(path)
        if keep or not self._can_shrink:
            self._file: IO[bytes] = (
                path.open("r+b", buffering=0) if keep else _open_special(path, buffering=0)
            )
            self._shrink()
        else:
            self._part = _Part(path.resolve())
            self._file = os.fdopen(self._part.handle, "wb", buffering=0)

    def add(self, line: str) -> None:
        """Bring one line to the file, all of it or nothing; raises OSError."""
        data = f"{line}\n".encode()
        try:
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
            if self._part is not None:
                self._part.replace_target()
                self._part = None
        except BaseException:
            with contextlib.suppress(OSError):
                self._shrink()
            raise
        self._whole += len(data)

    def close(self) -> None:
        """Close the file; raises OSError."""
        if self._part is not None:
            self._part.remove()
        self._file.close()

    def _shrink(self) -> None:
        """Back to the last whole line; pipes and devices have no way back."""
        if self._can_shrink:
            self._file.truncate(self._whole)
            self._file.seek(self._whole)


class _Part:
    """A file that is being written and has not taken its place yet."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(f".chordlearn-{secrets.token_hex(8)}.part")
        self._has_name = False
        with Held():
            nameless = _open_nameless(target.parent)
            if nameless is None:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                nameless, self._has_name = os.open(self.path, flags, 0o666), True
            self.handle = nameless

    def replace_target(self) -> None:
        """Replace what is at the target."""
        with Held():
            if not self._has_name:
                own = f"/proc/self/fd/{self.handle}"
                # With a folder, which an absolute path has no use for, links are followed.
                os.link(own, self.path, src_dir_fd=self.handle, follow_symlinks=True)
                self._has_name = True
            self.path.replace(self.target)
            self._has_name = False

    def remove(self) -> None:
        """Leave nothing of it."""
        if self._has_name:
            with contextlib.suppress(OSError):
                self.path.unlink()


def _is_special(path: Path) -> bool:
    """Whether it is a pipe or a device, which cannot be replaced, only written to."""
    return path.exists() and not path.is_file()


@contextmanager
def _special(path: Path) -> Iterator[IO[bytes]]:
    file = _open_special(path)
    try:
        yield file
        file.flush()
    except BaseException:
        # What is left of it need not go out, and a full pipe must not keep us.
        os.set_blocking(file.fileno(), False)
        raise
    finally:
        with contextlib.suppress(BlockingIOError):
            file.close()


def _open_special(path: Path, buffering: int = -1) -> IO[bytes]:
    """A pipe or a device to write to; a pipe that nobody reads is refused, because opening it would hang."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "it is a pipe that nobody reads") from None
        raise
    os.set_blocking(handle, True)
    return os.fdopen(handle, "wb", buffering=buffering)


def _open_nameless(folder: Path) -> int | None:
    """A file that vanishes if it gets no name, which leaves nothing behind even when we are killed."""
    if not Path("/proc/self/fd").exists():
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o666)
    except (OSError, AttributeError):
        # Not every file system knows such files; one that is full or read-only will say so again.
        return None
