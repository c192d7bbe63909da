"""Places where nothing can be written."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

SMALL = 64 * 1024


@dataclass(frozen=True)
class BadPlace:
    """A folder with old files in it, where nothing new can be written while ``spoilt`` is open."""

    folder: Path
    spoilt: Callable[[], AbstractContextManager[None]]
    reason: str
    """What the system says of it."""


def mounted(folder: Path) -> bool:
    """Make the folder a small file system of its own, where that is permitted."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "chordlearn-test", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    filler = folder.parent / "disk" / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"x" * 512)
    yield
    filler.unlink()


@contextmanager
def small_files() -> Iterator[None]:
    """No file of this process may hold a byte."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[BadPlace]:
    """A disk without space; where none can be mounted, a limit on the size of files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder):
        yield BadPlace(folder, small_files, "File too large")
        return
    try:
        yield BadPlace(folder, lambda: filled(folder), "No space left")
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[BadPlace]:
    """A folder that is read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if mounted(folder):

        @contextmanager
        def protected() -> Iterator[None]:
            subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
            yield

        try:
            yield BadPlace(folder, protected, "Read-only")
        finally:
            subprocess.run(["umount", str(folder)], check=True)
    elif os.getuid() != 0:
        for_others = folder / "closed"
        for_others.mkdir()

        @contextmanager
        def closed() -> Iterator[None]:
            for_others.chmod(0o500)
            yield
            for_others.chmod(0o700)

        yield BadPlace(for_others, closed, "Permission denied")
    else:
        pytest.skip("root may write everywhere, and nothing can be mounted here")


@pytest.fixture
def good_place(tmp_path: Path) -> BadPlace:
    """A folder like any other, to see that the same commands do write there."""
    folder = tmp_path / "disk"
    folder.mkdir()
    return BadPlace(folder, nullcontext, "")
