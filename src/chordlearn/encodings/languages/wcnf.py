"""Weighted CNF, the language of MaxSAT solvers, in the form of 2022 and in the classic one before it."""

from __future__ import annotations

from collections.abc import Iterator

from chordlearn.encodings.languages.cnf import CNF, to_cnf
from chordlearn.encodings.model import Model, whole


def lines(model: Model) -> Iterator[str]:
    """The file in the form of 2022: hard clauses start with h, soft ones with their weight.

    >>> from chordlearn.encodings.meanings import Edge
    >>> model = Model(n=2, encoding="edges")
    >>> edge = model.variable(Edge(0, 1))
    >>> model.group("required edges").clause(edge)
    >>> model.reward(edge, -7.0)
    >>> print("".join(lines(model)), end="")
    c encoding edges: 1 variables of the model, 0 of translations, 1 hard clauses, 1 soft
    c objective = 0 - the weight of the violated soft clauses
    c required edges
    h 1 0
    c objective
    7 -1 0
    """
    cnf = to_cnf(model)
    yield from _heading(model, cnf)
    yield from _clauses(cnf, "h")


def classic_lines(model: Model) -> Iterator[str]:
    """The file in the form before 2022, which older programs read: hard clauses weigh more than all soft."""
    cnf = to_cnf(model)
    top = sum(whole(weight) for _, weight in cnf.soft) + 1
    yield from _heading(model, cnf)
    yield f"p wcnf {cnf.variable_count} {cnf.clause_count + len(cnf.soft)} {top}\n"
    yield from _clauses(cnf, str(top))


def _heading(model: Model, cnf: CNF) -> Iterator[str]:
    added = cnf.variable_count - model.variable_count
    yield (
        f"c encoding {model.encoding}: {model.variable_count} variables of the model, "
        f"{added} of translations, {cnf.clause_count} hard clauses, {len(cnf.soft)} soft\n"
    )
    yield f"c objective = {cnf.best:.17g} - the weight of the violated soft clauses\n"


def _clauses(cnf: CNF, hard: str) -> Iterator[str]:
    for group in cnf.groups:
        if group.clause_count:
            yield f"c {group.name}\n"
            for clause in group.clauses():
                yield f"{hard} {' '.join(map(str, clause))} 0\n"
    yield "c objective\n"
    for literal, weight in cnf.soft:
        yield f"{whole(weight)} {literal} 0\n"
