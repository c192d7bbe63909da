"""Score files as text: in with their line numbers, out all at once, gzipped by suffix."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chordlearn.errors import InputError
from chordlearn.system.files import read_whole, writing


@dataclass(frozen=True)
class ScoreText:
    """The lines of a score file; the number of a line is its index plus one."""

    path: Path
    lines: list[str]

    @cached_property
    def filled(self) -> list[int]:
        """Indices of the lines that are not blank."""
        return [i for i, line in enumerate(self.lines) if line and not line.isspace()]

    def words(self, index: int) -> list[str]:
        """The words of the index-th line that is not blank, none behind the last."""
        return self.lines[self.filled[index]].split() if index < len(self.filled) else []

    def error(self, line: int, problem: str) -> InputError:
        """An error at a line (by index), or at the end of the file when there is no such line."""
        where = f"line {line + 1}" if line < len(self.lines) else "its end"
        return InputError(f"{self.path} is not a valid score file: at {where}, {problem}.")


def read_text(path: Path) -> ScoreText:
    """Read a whole file, unpacking it if it is gzipped."""
    try:
        text = read_whole(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; check the file.") from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not a text file; score files are text in UTF-8, gzipped or not."
        ) from None
    # Not splitlines(), which also splits at characters that a name may hold.
    return ScoreText(path, text.removesuffix("\n").split("\n"))


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file that appears, or replaces the old one, only when it is complete."""
    with writing(path) as file:
        if path.suffix.lower() == ".gz":
            # Without name and time, so that the same scores give the same file.
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                packed.writelines(f"{line}\n".encode() for line in lines)
        else:
            file.writelines(f"{line}\n".encode() for line in lines)
