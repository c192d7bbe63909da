"""Files that no reader ever sees half written."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from chordlearn.errors import InputError


def write_whole(path: Path, text: str) -> None:
    """Write text to a file so that no reader ever sees a part of it; failures become one sentence."""
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            # Pipes and devices cannot be replaced, only written to.
            target.write_text(text, encoding="utf-8")
            return
        # Never the name of one that a killed process left behind, whose number may be ours today.
        part = target.with_name(f".{target.name[:200]}.{os.getpid()}-{secrets.token_hex(4)}.part")
        try:
            with part.open("x", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be written: {reason}; free the place or choose another.") from None
