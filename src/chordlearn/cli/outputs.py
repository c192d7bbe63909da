"""Output files are checked before the work, so that no result is lost at the end."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from chordlearn.errors import InputError


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written, before time is spent on what goes into it."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; give the name of a file to write.")
        if path.exists():
            if not os.access(path, os.W_OK):
                raise InputError(f"{path} cannot be overwritten: it is write-protected; choose another file.")
            if not path.is_file():
                return
        probe = path.resolve().with_name(f".chordlearn-{secrets.token_hex(8)}.probe")
        probe.open("x").close()
        probe.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> InputError:
    """The sentence for a file that the system refuses to write."""
    reason = error.strerror or str(error)
    return InputError(f"{path} cannot be written: {reason}; choose another file or folder.")
