"""Free MPS, the language of linear solvers; scores stay real."""

from __future__ import annotations

from collections.abc import Iterator

from chordlearn.encodings.languages.rows import rows
from chordlearn.encodings.model import Model

SENSES = {"<=": "L", ">=": "G", "=": "E"}


def lines(model: Model) -> Iterator[str]:
    """The file; the objective is negated because MPS minimises, and its constant is left out.

    >>> from chordlearn.encodings.meanings import Edge
    >>> model = Model(n=2, encoding="edges")
    >>> edge = model.variable(Edge(0, 1))
    >>> model.group("required edges").clause(edge)
    >>> model.reward(edge, 0.25)
    >>> print("".join(lines(model)), end="")
    * encoding edges; objective = 0 - what is minimised
    * rows 1 to 1: required edges
    NAME chordlearn
    ROWS
     N objective
     G r1
    COLUMNS
     M1 'MARKER' 'INTORG'
     e_0_1 objective -0.25
     e_0_1 r1 1
     M2 'MARKER' 'INTEND'
    RHS
     RHS r1 1
    BOUNDS
     UP BND e_0_1 1
    ENDATA
    """
    yield f"* encoding {model.encoding}; objective = {model.constant:.17g} - what is minimised\n"
    names = [meaning.name for meaning in model.meanings]
    columns: list[list[str]] = [[] for _ in names]
    for variable, weight in model.weights.items():
        columns[variable - 1].append(f"objective {-weight:.17g}")
    senses: list[str] = []
    sides: list[str] = []
    for group in model.groups:
        first = len(senses) + 1
        for row in rows(group):
            senses.append(SENSES[row.relation])
            label = f"r{len(senses)}"
            for variable, coefficient in row.coefficients.items():
                columns[variable - 1].append(f"{label} {coefficient}")
            if row.bound:
                sides.append(f" RHS {label} {row.bound}\n")
        if len(senses) >= first:
            yield f"* rows {first} to {len(senses)}: {group.name}\n"
    yield "NAME chordlearn\nROWS\n N objective\n"
    for number, sense in enumerate(senses, 1):
        yield f" {sense} r{number}\n"
    yield "COLUMNS\n M1 'MARKER' 'INTORG'\n"
    for name, entries in zip(names, columns, strict=True):
        for entry in entries or ["objective 0"]:
            yield f" {name} {entry}\n"
    yield " M2 'MARKER' 'INTEND'\nRHS\n"
    yield from sides
    yield "BOUNDS\n"
    for name in names:
        yield f" UP BND {name} 1\n"
    yield "ENDATA\n"
