"""OPB, the language of pseudo-Boolean solvers."""

from __future__ import annotations

from collections.abc import Iterator

from chordlearn.encodings.languages.rows import Row, row_count, rows
from chordlearn.encodings.model import Model, whole


def lines(model: Model) -> Iterator[str]:
    """The file; variable i is called xi, and the objective is negated because OPB minimises.

    >>> from chordlearn.encodings.meanings import Edge
    >>> model = Model(n=2, encoding="edges")
    >>> edge = model.variable(Edge(0, 1))
    >>> model.group("required edges").clause(edge)
    >>> model.reward(edge, -7.0)
    >>> print("".join(lines(model)), end="")
    * #variable= 1 #constraint= 1
    * encoding edges; objective = 0 - what is minimised
    min: +7 x1 ;
    * required edges
    +1 x1 >= 1 ;
    """
    count = sum(map(row_count, model.groups))
    yield f"* #variable= {model.variable_count} #constraint= {count}\n"
    yield f"* encoding {model.encoding}; objective = {model.constant:.17g} - what is minimised\n"
    objective = {variable: -whole(weight) for variable, weight in model.weights.items()}
    yield f"min: {_sum(objective)} ;\n"
    for group in model.groups:
        if row_count(group):
            yield f"* {group.name}\n"
        for row in rows(group):
            yield _line(row)


def _line(row: Row) -> str:
    if row.relation == "<=":
        turned = {variable: -value for variable, value in row.coefficients.items()}
        return f"{_sum(turned)} >= {-row.bound} ;\n"
    return f"{_sum(row.coefficients)} {row.relation} {row.bound} ;\n"


def _sum(coefficients: dict[int, int]) -> str:
    if not coefficients:
        return "+0 x1"
    return " ".join(f"{value:+d} x{variable}" for variable, value in coefficients.items())
