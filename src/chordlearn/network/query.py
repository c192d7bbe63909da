r"""Questions as one writes them on paper: ``P(A, B=yes | C=no, "D, too"={x: 0.8, y: 0.2})``.

A name or state that holds one of ``, | = ( ) { } :`` or a quote stands in single or double quotes, in which a
backslash goes before a quote or a backslash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chordlearn.errors import InputError


@dataclass(frozen=True)
class Query:
    """What is asked for, and what is known."""

    targets: tuple[tuple[str, str | None], ...]
    """Variables, each with the only state asked for or None."""
    given: dict[str, Any]


def parse_query(text: str) -> Query:
    """Take a question apart.

    >>> parse_query("P(A, B=yes | C=no)")
    Query(targets=(('A', None), ('B', 'yes')), given={'C': 'no'})
    """
    reader = _Reader(text, "question", "P(A | B=yes, C=no)")
    if not reader.takes(r"[Pp]\s*\("):
        raise reader.wrong("it does not begin with P(")
    targets = [reader.target()]
    while reader.takes(","):
        targets.append(reader.target())
    given = reader.evidence() if reader.takes(r"\|") else {}
    if not reader.takes(r"\)"):
        raise reader.wrong("a comma, a bar or a closing parenthesis is missing")
    reader.end()
    return Query(tuple(targets), given)


def parse_evidence(text: str) -> dict[str, Any]:
    """Take a list of evidence apart.

    >>> parse_evidence("B=yes, 'C, too'={x: 0.8, y: 0.2}")
    {'B': 'yes', 'C, too': {'x': 0.8, 'y': 0.2}}
    """
    reader = _Reader(text, "evidence", "B=yes, C=no")
    given = reader.evidence()
    reader.end()
    return given


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str, kind: str, example: str) -> None:
        self._text = text
        self._kind = kind
        self._example = example
        self._at = 0

    def takes(self, pattern: str) -> bool:
        """Skip spaces and the pattern, if it comes next."""
        match = re.compile(rf"\s*{pattern}\s*").match(self._text, self._at)
        if match:
            self._at = match.end()
        return match is not None

    def end(self) -> None:
        if self._text[self._at :].strip():
            raise self.wrong("something follows its end")

    def wrong(self, why: str) -> InputError:
        place = f" at character {self._at + 1}" if self._at else ""
        return InputError(
            f"The {self._kind} {self._text!r} cannot be understood{place}: {why}; "
            f"write for example {self._example}."
        )

    def target(self) -> tuple[str, str | None]:
        name = self._word(",|=(){}")
        return name, self._word(",|){}") if self.takes("=") else None

    def evidence(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        while True:
            name = self._word(",|=(){}")
            if name in given:
                raise self.wrong(f"{name!r} is given twice")
            if not self.takes("="):
                raise self.wrong(f"the state of {name!r} is missing")
            given[name] = self._weights() if self.takes(r"\{") else self._word(",|){}")
            if not self.takes(","):
                return given

    def _weights(self) -> dict[str, float]:
        weights: dict[str, float] = {}
        while True:
            state = self._word(",:{}")
            if not self.takes(":"):
                raise self.wrong(f"the weight of {state!r} is missing")
            number = self._word(",{}")
            try:
                weights[state] = float(number)
            except ValueError:
                raise self.wrong(f"{number!r} is no weight") from None
            if not self.takes(","):
                break
        if not self.takes(r"\}"):
            raise self.wrong("a closing brace is missing")
        return weights

    def _word(self, ends: str) -> str:
        self.takes("")
        quote = self._text[self._at : self._at + 1]
        if quote in ("'", '"') and quote:
            match = re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*){quote}").match(self._text, self._at)
            if match is None:
                raise self.wrong("a closing quote is missing")
            self._at = match.end()
            return re.sub(r"\\(.)", r"\1", match[1])
        match = re.compile(rf"[^{re.escape(ends)}]*").match(self._text, self._at)
        word = match[0].strip() if match else ""
        if not word:
            raise self.wrong("a name or a state is missing")
        self._at += len(match[0]) if match else 0
        return word
