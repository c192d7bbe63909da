"""Every error a user can cause, each a sentence with its cause and its fix.

Each carries the exit code that the command line ends with. A sentence that names an option does so by
:func:`option`, so that it reads `missing="drop"` in Python and `--missing drop` on the command line.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from chordlearn.system.text import HIDDEN, shown

OptionValue = str | int | float | bool | Sequence[str] | None

LONGEST = 2000
"""Characters of a message; names that others chose may be longer."""


class _Sentence(Exception):  # noqa: N818
    """An error or a warning for users."""

    @property
    def sentence(self) -> str:
        """The sentence before its options are spelled for one reader, to go into another sentence."""
        return super().__str__()

    def __str__(self) -> str:
        """The sentence, with options as arguments of Python."""
        return _shortened(shown(in_python(self.sentence)))

    def on_command_line(self) -> str:
        """The sentence, with options as flags."""
        return _shortened(shown(as_flags(self.sentence)))

    def renamed(self, names: Mapping[str, str]) -> str:
        """The sentence in Python, where arguments have other names, or a call with {} does what they do.

        >>> error = InputError(f"Give {option('score', 'bic')} and {option('drop', ['id'])}.")
        >>> error.renamed({"score": "criterion", "drop": "X.drop(columns={})"})
        'Give criterion="bic" and X.drop(columns=["id"]).'
        """

        def write(name: str, value: OptionValue) -> str:
            own = names.get(name, name)
            if "{}" not in own:
                return _argument(own, value)
            return own.format("…" if value is None else json.dumps(value, ensure_ascii=False))

        return _shortened(shown(_with_options(_EITHER.sub(r"\1", self.sentence), write)))


class ChordlearnError(_Sentence):
    r"""Base of all errors that chordlearn raises on purpose.

    Whatever stands in the names and files that it speaks of, its text stays one line of moderate length.

    >>> print(InputError("There is no file a\nb; check the path."))
    There is no file a\nb; check the path.
    """

    exit_code = 2


class UnfinishedWarning(_Sentence, UserWarning):
    """Learning ended early, with the network that it had; the text says why."""


class UnseenWarning(UserWarning):
    """Rows have states that a network does not have, which count as missing; the text says how many."""


class CheckpointWarning(UserWarning):
    """The checkpoint cannot be written; the run goes on without it."""


_OPTION = re.compile("\x02([a-z_]+)(?:=([^\x02\x03]*))?\x03")
_EITHER = re.compile("\x02([^\x02\x03]*)\x04([^\x02\x03]*)\x03")
_FLAGS = {"reduce": "no-reduce"}
"""Flags that are not called as the argument is."""
_FUNCTIONS = {"data": "survey"}
"""Functions that are not called as the command is."""


def option(name: str, value: OptionValue = None) -> str:
    """An option of :func:`chordlearn.learn` and its kin within a sentence, with the value to give it.

    >>> error = InputError(f"Column 'a' has missing values; use {option('missing', 'drop')}.")
    >>> print(error)
    Column 'a' has missing values; use missing="drop".
    >>> print(error.on_command_line())
    Column 'a' has missing values; use --missing drop.
    >>> print(InputError(option("drop", ["age, in years", "id"])).on_command_line())
    --drop 'age, in years' --drop id
    """
    return f"\x02{name}\x03" if value is None else f"\x02{name}={json.dumps(value)}\x03"


def call(command: str, data: str | None, options: Mapping[str, OptionValue]) -> str:
    """A whole call within a sentence, best at its end, so that it can be copied; data in memory are None.

    >>> error = InputError("What works: " + call("learn", "a b.csv", {"drop": ["id"], "missing": "drop"}))
    >>> print(error)
    What works: chordlearn.learn("a b.csv", drop=["id"], missing="drop")
    >>> print(error.on_command_line())
    What works: chordlearn learn 'a b.csv' --drop id --missing drop
    """
    given = ["data" if data is None else json.dumps(data, ensure_ascii=False)]
    given += [_argument(*item) for item in options.items()]
    source = "DATA" if data is None else f"./{data}" if data.startswith("-") else data
    flags = [_flag(*item) for item in options.items()]
    return either(
        f"chordlearn.{_FUNCTIONS.get(command, command)}({', '.join(given)})",
        " ".join(["chordlearn", command, quoted(source), *flags]),
    )


def either(python: str, command_line: str) -> str:
    """Words that differ for who calls from Python and who calls from the command line, within a sentence.

    >>> error = InputError(f"Write it again with {either('Result.save', '--json')}.")
    >>> print(error, error.on_command_line())
    Write it again with Result.save. Write it again with --json.
    """
    return f"\x02{python}\x04{command_line}\x03"


def in_python(text: str) -> str:
    """A text with its options as arguments of Python.

    >>> in_python(f"Leave out {option('max_clique')}, or use {option('max_clique', 4)}.")
    'Leave out max_clique, or use max_clique=4.'
    """
    return _with_options(_EITHER.sub(r"\1", text), _argument)


def as_flags(text: str) -> str:
    """A text with its options as flags of the command line.

    >>> as_flags(f"Leave out {option('max_clique')}, or use {option('max_clique', 4)}.")
    'Leave out --max-clique, or use --max-clique 4.'
    """
    return _with_options(_EITHER.sub(r"\2", text), _flag)


def _with_options(text: str, write: Callable[[str, OptionValue], str]) -> str:
    def replace(match: re.Match[str]) -> str:
        try:
            return write(match[1], None if match[2] is None else json.loads(match[2]))
        except ValueError:
            # A name from a file that looks like an option.
            return match[0]

    return _OPTION.sub(replace, text)


def _argument(name: str, value: OptionValue) -> str:
    if value is None:
        return name
    return f"{name}={value}" if isinstance(value, bool) else f"{name}={json.dumps(value, ensure_ascii=False)}"


def _flag(name: str, value: OptionValue) -> str:
    flag = "--" + _FLAGS.get(name, name).replace("_", "-")
    if value is None or isinstance(value, bool):
        return flag
    values = [str(value)] if isinstance(value, str | int | float) else value
    return " ".join(f"{flag} {quoted(each)}" for each in values)


def quoted(text: str) -> str:
    r"""A text as one word of a shell; hidden characters are spelled as bash and zsh read them.

    >>> print(quoted("a b"), quoted("soft\xadhyphen"))
    'a b' $'soft\U000000adhyphen'
    """
    if not HIDDEN.search(text):
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + HIDDEN.sub(lambda match: f"\\U{ord(match[0]):08x}", escaped) + "'"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


class InputError(ChordlearnError):
    """The data, a file or an argument is wrong."""


class ContradictionError(InputError):
    """No chordal network satisfies the constraints."""


class TooLargeError(InputError):
    """The problem does not fit in time or memory; the message says what would."""


class BackendError(ChordlearnError):
    """A backend is unknown, missing, or failed."""

    exit_code = 4


class FalseClaimError(BackendError):
    """A backend claimed what is not true, so that none of its answers can be trusted."""

    def __init__(self, sentence: str, result: object = None) -> None:
        """The sentence, and the result with the best network that was checked here, if there is one."""
        super().__init__(sentence)
        self.result = result


class StoppedError(ChordlearnError):
    """Stopped by a limit or by the user before there was anything to give back."""

    exit_code = 3


class ProofError(ChordlearnError):
    """The network was learned, but its proof could not be written."""

    exit_code = 5

    def __init__(self, sentence: str, result: object = None) -> None:
        super().__init__(sentence)
        self.result = result
