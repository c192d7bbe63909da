"""Every error a user can cause, each a sentence with its cause and its fix.

Each carries the exit code that the command line ends with.
"""

from __future__ import annotations

from chordlearn.showing import shown

LONGEST = 2000
"""Characters of a message; names that others chose may be longer."""


class ChordlearnError(Exception):
    """Base of all errors that chordlearn raises on purpose.

    Whatever stands in the names and files that it speaks of, its text stays one line of moderate length.

    >>> print(InputError("There is no file a\nb; check the path."))
    There is no file a\\nb; check the path.
    """

    exit_code = 2

    def __str__(self) -> str:
        """The sentence."""
        text = shown(super().__str__())
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


class InputError(ChordlearnError):
    """The data, a file or an argument is wrong."""


class ContradictionError(InputError):
    """No chordal network satisfies the constraints asked for."""


class TooLargeError(InputError):
    """The problem does not fit in time or memory; the message says what would."""


class BackendError(ChordlearnError):
    """A backend is unknown, missing, or failed."""

    exit_code = 4


class StoppedError(ChordlearnError):
    """Stopped by a limit or by the user before there was anything to give back."""

    exit_code = 3


class ProofError(ChordlearnError):
    """The network was learned, but its proof could not be written."""

    exit_code = 5

    def __init__(self, sentence: str, result: object = None) -> None:
        """The sentence, and the result without its proof."""
        super().__init__(sentence)
        self.result = result
