"""Every error a user can cause, each a sentence with its cause and its fix.

Each carries the exit code that the command line ends with.
"""

from __future__ import annotations


class ChordlearnError(Exception):
    """Base of all errors that chordlearn raises on purpose."""

    exit_code = 2


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
