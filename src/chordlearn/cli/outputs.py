"""Output files: checked before the work, written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from chordlearn.errors import InputError


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written, before time is spent on what goes into it."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file to write.")
    if _is_device(path):
        return
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"{path} cannot be overwritten: it is write-protected; choose another file.")
    beside = _beside(path)
    try:
        beside.open("x").close()
        beside.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def write_text(path: Path, text: str) -> None:
    """Write a text file so that a reader never sees half of it."""
    write_with(path, lambda beside: beside.write_text(text, encoding="utf-8"))


def write_with(path: Path, write: Callable[[Path], object]) -> None:
    """Let a function write a file beside the wanted one, then put it in its place.

    A device or pipe is written directly, for it must not be replaced.
    """
    try:
        if _is_device(path):
            write(path)
            return
        beside = _beside(path)
        try:
            write(beside)
            beside.replace(path.resolve())
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> InputError:
    """The sentence for a file that the system refuses to write."""
    reason = error.strerror or str(error)
    return InputError(f"{path} cannot be written: {reason}; choose another file or folder.")


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _beside(path: Path) -> Path:
    target = path.resolve()
    return target.with_name(f".chordlearn-{os.getpid()}{target.suffix}")
