"""The file bounds.txt: sets excluded by bounds and cases told apart by an edge, replayed step by step.

    round            the lines that follow exclude sets, by bounds with what is allowed at this point
    SCORE REST i j …  no network with this set complete scores more than SCORE + REST, which is enough
    split i j        from here on the case without the edge, then (after its end) the case with it
    open             this case is left to the refuted instance

A case ends when its empty set is excluded, or with `open`. With a set all its supersets are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chordlearn.certificate.proofs.bounds import rest_bounds
from chordlearn.certificate.proofs.integers import Integers
from chordlearn.certificate.proofs.lines import numbers_in
from chordlearn.certificate.proofs.sets import Flags, containing, mask_of, spread_upwards
from chordlearn.certificate.results.report import Failed


@dataclass(frozen=True)
class Case:
    """What may still occur: which sets may be complete, and which neighbours each variable must have."""

    allowed: Flags
    required: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.required)

    def excluding(self, sets: Sequence[int]) -> Case:
        """The case without these sets and all their supersets."""
        excluded = np.zeros(len(self.allowed), dtype=np.bool_)
        excluded[list(sets)] = True
        spread_upwards(excluded)
        return Case(self.allowed & ~excluded, self.required)

    def without(self, a: int, b: int) -> Case:
        """The case in which the two are not adjacent."""
        return Case(self.allowed & ~containing(self.n, (a, b)), self.required)

    def with_edge(self, a: int, b: int) -> Case:
        """The case in which the two are adjacent."""
        required = list(self.required)
        required[a] |= 1 << b
        required[b] |= 1 << a
        return Case(self.allowed, tuple(required))


@dataclass
class Replay:
    """What a replay came to."""

    open_cases: list[Case]
    cases: int = 0
    rounds: int = 0
    excluded: int = 0


def replay(text: Sequence[str], integers: Integers, whole: Case, threshold: int) -> Replay:
    """Follow the file and check every number in it; the cases that are left open come back."""
    done = Replay([])
    waiting = [whole]
    position = 0
    while waiting:
        case = waiting.pop()
        done.cases += 1
        closed = False
        while not closed:
            word = text[position] if position < len(text) else ""
            where = f"line {position + 1} of bounds.txt"
            position += 1
            if word == "round":
                end = position
                while end < len(text) and _is_bound(text[end]):
                    end += 1
                sets = _check_round(text[position:end], integers, case, threshold, position)
                position = end
                closed = 0 in sets
                case = case.excluding(sets)
                done.rounds += 1
                done.excluded += len(sets)
            elif word.startswith("split "):
                a, b = _pair(word.removeprefix("split "), case, where)
                waiting += [case.with_edge(a, b), case.without(a, b)]
                break
            elif word == "open":
                done.open_cases.append(case)
                closed = True
            else:
                raise Failed(f"{where} is {word!r}, where a round, a split or open was to come")
    if position != len(text):
        raise Failed(f"line {position + 1} of bounds.txt comes after everything was settled")
    return done


def _is_bound(line: str) -> bool:
    return line[:1].isdigit() or line[:1] == "-"


def _check_round(
    lines: Sequence[str], integers: Integers, case: Case, threshold: int, position: int
) -> list[int]:
    rest = rest_bounds(integers, case.allowed, case.required)
    sets = []
    for offset, line in enumerate(lines, start=1):
        where = f"line {position + offset} of bounds.txt"
        numbers = numbers_in(line, where)
        if len(numbers) < 2:
            raise Failed(f"{where} has one number, where a score and a bound were to come")
        score, bound, *variables = numbers
        mask = _set(variables, case, where)
        if score != integers[mask] or bound != rest[mask]:
            raise Failed(
                f"{where} says that its set scores {score} and the rest at most {bound}, "
                f"but it scores {integers[mask]} and the rest at most {rest[mask]}"
            )
        if score + bound > threshold:
            raise Failed(f"{where} excludes a set whose networks may score {score + bound}")
        sets.append(mask)
    if not sets:
        raise Failed(f"line {position} of bounds.txt opens a round that excludes nothing")
    return sets


def _set(variables: Sequence[int], case: Case, where: str) -> int:
    if len(set(variables)) != len(variables) or not all(0 <= i < case.n for i in variables):
        raise Failed(f"{where} names no set of variables")
    return mask_of(variables)


def _pair(text: str, case: Case, where: str) -> tuple[int, int]:
    variables = numbers_in(text, where)
    if len(variables) != 2:
        raise Failed(f"{where} splits on something else than an edge")
    mask = _set(variables, case, where)
    if mask.bit_count() != 2:
        raise Failed(f"{where} splits on something else than an edge")
    return variables[0], variables[1]
