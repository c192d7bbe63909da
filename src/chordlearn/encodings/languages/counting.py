"""Linear constraints as clauses, by sequential counters (Sinz 2005).

A counter reads literals one after the other and keeps in unary how many were true: register j after the
i-th literal says "at least j of the first i". A coefficient k makes its literal count k times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chordlearn.encodings.model import Linear

NewVariable = Callable[[], int]
AddClause = Callable[[Sequence[int]], None]


def translate(constraint: Linear, new_variable: NewVariable, add_clause: AddClause) -> None:
    """Write a linear constraint as clauses with new variables.

    >>> clauses = []
    >>> translate(Linear((1, 1), (1, 2), "<=", 1), lambda: 3, clauses.append)
    >>> clauses
    [[-1, 3], [-2, -3]]
    """
    guard = () if constraint.condition is None else (-constraint.condition,)

    def add(clause: Sequence[int]) -> None:
        add_clause([*guard, *clause])

    gains, losses = _unary(constraint)
    if constraint.relation in ("<=", "=") and not losses:
        if constraint.relation == "=" and constraint.bound == 1:
            add(gains)
        elif constraint.relation == "=":
            _at_most([-literal for literal in gains], len(gains) - constraint.bound, new_variable, add)
        _at_most(gains, constraint.bound, new_variable, add)
    elif constraint.relation == ">=" and not losses:
        _at_least(gains, constraint.bound, new_variable, add)
    else:
        _difference(constraint, gains, losses, new_variable, add_clause, add)


def _unary(constraint: Linear) -> tuple[list[int], list[int]]:
    """The literals with positive and those with negative coefficients, each as often as it counts."""
    gains: list[int] = []
    losses: list[int] = []
    for coefficient, literal in zip(constraint.coefficients, constraint.literals, strict=True):
        (gains if coefficient > 0 else losses).extend([literal] * abs(coefficient))
    return gains, losses


def _at_most(literals: list[int], bound: int, new_variable: NewVariable, add: AddClause) -> None:
    if bound < 0:
        add([])
    elif bound == 0:
        for literal in literals:
            add([-literal])
    elif bound < len(literals):
        registers: list[int] = []
        for position, literal in enumerate(literals):
            if len(registers) == bound:
                add([-literal, -registers[-1]])
            if position + 1 < len(literals):
                registers = _step(registers, literal, bound, new_variable, add, up=True, down=False)


def _at_least(literals: list[int], bound: int, new_variable: NewVariable, add: AddClause) -> None:
    if bound == 1:
        add(literals)
    elif bound > 0:
        _at_most([-literal for literal in literals], len(literals) - bound, new_variable, add)


def _step(
    registers: list[int],
    literal: int,
    width: int,
    new_variable: NewVariable,
    add: AddClause,
    *,
    up: bool,
    down: bool,
) -> list[int]:
    """The registers after one more literal; the highest one saturates.

    ``up``: a count makes its register true. ``down``: a true register stands for a count.
    """
    following = [new_variable() for _ in range(min(len(registers) + 1, width))]
    for j, register in enumerate(following):
        kept = [registers[j]] if j < len(registers) else []
        carry = [registers[j - 1]] if j else []
        if up:
            for before in kept:
                add([-before, register])
            add([-literal, *(-before for before in carry), register])
        if down:
            add([-register, *kept, literal])
            for before in carry:
                add([-register, *kept, before])
    return following


def _counter(
    literals: list[int], width: int, new_variable: NewVariable, add: AddClause, *, up: bool, down: bool
) -> list[int]:
    registers: list[int] = []
    for literal in literals:
        registers = _step(registers, literal, width, new_variable, add, up=up, down=down)
    return registers


def _difference(
    constraint: Linear,
    gains: list[int],
    losses: list[int],
    new_variable: NewVariable,
    add_always: AddClause,
    add: AddClause,
) -> None:
    """Compare two counters: gains − losses with the bound.

    The counters themselves hold whatever the condition says; only the comparison depends on it.
    """
    bound = constraint.bound
    at_most = constraint.relation in ("<=", "=")
    at_least = constraint.relation in (">=", "=")
    most_gains, most_losses = len(gains), len(losses)
    if constraint.most is not None and constraint.condition is None:
        if most_gains > constraint.most:
            most_gains = constraint.most
            _at_most(gains, most_gains, new_variable, add)
        if at_least and most_losses > max(0, most_gains - bound):
            most_losses = max(0, most_gains - bound)
            _at_most(losses, most_losses, new_variable, add)
    gained = _counter(gains, most_gains, new_variable, add_always, up=at_most, down=at_least)
    lost = _counter(losses, most_losses, new_variable, add_always, up=at_least, down=at_most)
    if at_most:
        for j in range(max(bound + 1, 1), len(gained) + 1):
            _imply(gained[j - 1], lost, j - bound, add)
        if bound < 0:
            for j in range(1, -bound + 1):
                _imply(None, lost, j, add)
    if at_least:
        for j in range(max(1 - bound, 1), len(lost) + 1):
            _imply(lost[j - 1], gained, j + bound, add)
        if bound > 0:
            for j in range(1, bound + 1):
                _imply(None, gained, j, add)


def _imply(premise: int | None, registers: list[int], count: int, add: AddClause) -> None:
    """If the premise holds, the counter with these registers has reached the count."""
    if count < 1:
        return
    conclusion = [registers[count - 1]] if count <= len(registers) else []
    add([*(() if premise is None else (-premise,)), *conclusion])
