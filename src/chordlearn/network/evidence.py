"""Questions and evidence as users give them: states of variables, or weights of their states."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chordlearn.data.coding import label_of
from chordlearn.data.ordered_rows import unseen_state
from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.propagation import Evidence, Positions, Table

Given = Mapping[str, Any]
"""From a variable to its state, or to the weights of its states: a mapping, or a sequence in their order.

Weights are likelihoods: how much more probable the observation is under one state than under another. States
that a mapping leaves out have weight 0.
"""


def positions(network: ChordalNetwork, names: str | Sequence[str]) -> Positions:
    """The places of several variables, in the order given; refuses to name one twice."""
    listed = [names] if isinstance(names, str) else list(names)
    for i, name in enumerate(listed):
        if name in listed[:i]:
            raise InputError(f"The variable {name!r} is named twice; name each once.")
    return tuple(network.position(name) for name in listed)


def read_evidence(network: ChordalNetwork, given: Given | None) -> Evidence:
    """Turn states and weights into codes."""
    assert network.states is not None
    hard: dict[int, int] = {}
    soft: dict[int, Table] = {}
    for name, value in (given or {}).items():
        place = network.position(name)
        states = network.states[place]
        if isinstance(value, Mapping) or (
            isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
        ):
            soft[place] = _log_weights(name, states, value)
            continue
        label = label_of(value)
        if label is None and "?" in states:
            label = "?"
        if label not in states:
            raise unseen_state(name, value, states)
        hard[place] = states.index(label)
    observed = tuple(sorted(hard))
    codes = np.array([[hard[place] for place in observed]], dtype=np.int32) if observed else None
    return Evidence(observed, codes, soft)


def in_words(given: Given | None) -> str:
    """The evidence in one line.

    >>> in_words({"rain": "yes", "wet": {"no": 0.5}})
    'rain=yes, wet={no: 0.5}'
    """
    parts = []
    for name, value in (given or {}).items():
        if isinstance(value, Mapping):
            value = "{" + ", ".join(f"{state}: {weight:g}" for state, weight in value.items()) + "}"
        parts.append(f"{name}={value}")
    return ", ".join(parts)


def _log_weights(name: str, states: Sequence[str], value: Any) -> Table:
    if isinstance(value, Mapping):
        for state in value:
            if str(state) not in states:
                raise unseen_state(name, state, states)
        by_state = {str(state): weight for state, weight in value.items()}
        listed = [by_state.get(state, 0.0) for state in states]
    else:
        listed = list(value)
    if len(listed) != len(states):
        raise InputError(
            f"The variable {name!r} has {len(states)} states, but {len(listed)} weights are given; "
            "give one for each."
        )
    try:
        weights = np.array([float(weight) for weight in listed])
    except (TypeError, ValueError):
        raise InputError(f"The weights of the states of {name!r} must be numbers.") from None
    if not all(math.isfinite(w) and w >= 0 for w in weights) or not weights.sum() > 0:
        raise InputError(
            f"The weights of the states of {name!r} must be from 0 up and not all 0; they are likelihoods."
        )
    with np.errstate(divide="ignore"):
        logs: Table = np.log(weights)
    return logs


@dataclass(frozen=True)
class Query:
    """Targets and evidence."""

    targets: tuple[tuple[str, str | None], ...]
    """Variables, each with the state in question or None."""
    given: dict[str, Any]


def parse_query(text: str) -> Query:
    """Take a question apart.

    >>> parse_query("P(A, B=yes | C=no)")
    Query(targets=(('A', None), ('B', 'yes')), given={'C': 'no'})
    """
    reader = _Reader(text, "question", "P(A | B=yes, C=no)")
    if not reader.accepts(r"[Pp]\s*\("):
        raise reader.wrong("it does not begin with P(")
    targets = [reader.target()]
    while reader.accepts(","):
        targets.append(reader.target())
    given = reader.evidence() if reader.accepts(r"\|") else {}
    if not reader.accepts(r"\)"):
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

    def accepts(self, pattern: str) -> bool:
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
        return name, self._word(",|){}") if self.accepts("=") else None

    def evidence(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        while True:
            name = self._word(",|=(){}")
            if name in given:
                raise self.wrong(f"{name!r} is given twice")
            if not self.accepts("="):
                raise self.wrong(f"the state of {name!r} is missing")
            given[name] = self._weights() if self.accepts(r"\{") else self._word(",|){}")
            if not self.accepts(","):
                return given

    def _weights(self) -> dict[str, float]:
        weights: dict[str, float] = {}
        while True:
            state = self._word(",:{}")
            if not self.accepts(":"):
                raise self.wrong(f"the weight of {state!r} is missing")
            number = self._word(",{}")
            try:
                weights[state] = float(number)
            except ValueError:
                raise self.wrong(f"{number!r} is no weight") from None
            if not self.accepts(","):
                break
        if not self.accepts(r"\}"):
            raise self.wrong("a closing brace is missing")
        return weights

    def _word(self, ends: str) -> str:
        self.accepts("")
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
