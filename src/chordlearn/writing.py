"""Files that no reader ever sees half written, whatever happens to the writer.

A file is written beside its place, without a name where the system can do that, and takes its place in one
step. So two writers at once leave the file of one of them, and one that is killed leaves the old file.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from chordlearn.errors import InputError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


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
        target = path.resolve()
        if target.exists() and not target.is_file():
            # Pipes and devices cannot be replaced, only written to.
            with target.open("wb") as file:
                yield file
            return
        part = target.with_name(f".chordlearn-{secrets.token_hex(8)}.part")
        named = False
        try:
            handle = _open_nameless(target.parent)
            if handle is None:
                handle, named = os.open(part, _NEW, 0o666), True
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(handle)
                if not named:
                    os.link(f"/proc/self/fd/{handle}", part, follow_symlinks=True)
                    named = True
            part.replace(target)
        except BaseException:
            if named:
                with contextlib.suppress(OSError):
                    part.unlink()
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
    """Adds whole lines to a file that is read while it grows; a part of a line is taken back."""

    def __init__(self, path: Path, *, keep: int = 0) -> None:
        """Open the file and keep so many bytes of what is in it."""
        self._file = path.open("r+b" if path.is_file() else "wb", buffering=0)
        self._end = keep
        self._can_shrink = path.is_file()
        self._shrink()

    def add(self, line: str) -> None:
        """Bring one line to the file, all of it or nothing."""
        left = memoryview(f"{line}\n".encode())
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            with contextlib.suppress(OSError):
                self._shrink()
            raise
        self._end += len(line.encode()) + 1

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _shrink(self) -> None:
        """Back to the last whole line; pipes and devices have no way back."""
        if self._can_shrink:
            self._file.truncate(self._end)
            self._file.seek(self._end)


def _open_nameless(folder: Path) -> int | None:
    """A file that vanishes if it gets no name, which leaves nothing behind even when we are killed."""
    if not Path("/proc/self/fd").exists():
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o666)
    except (OSError, AttributeError):
        # Not every file system knows such files; one that is full or read-only will say so again.
        return None
