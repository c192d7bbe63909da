"""SMT-LIB 2 with an objective to maximise, which z3 and OptiMathSAT read; scores stay real."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from chordlearn.encodings.languages.cnf import to_cnf
from chordlearn.encodings.model import Model


def lines(model: Model, *, load: str = "") -> Iterator[str]:
    """The file; variables carry the names of their meanings, counters are written as clauses.

    >>> from chordlearn.encodings.meanings import Edge
    >>> model = Model(n=2, encoding="edges", constant=-2.5)
    >>> edge = model.variable(Edge(0, 1))
    >>> model.group("required edges").clause(edge)
    >>> model.reward(edge, 0.25)
    >>> print("".join(lines(model)), end="")
    ; encoding edges
    (set-option :produce-models true)
    (declare-fun e_0_1 () Bool)
    ; required edges
    (assert e_0_1)
    ; objective
    (maximize (+ (- 2.5) (ite e_0_1 0.25 0.0)))
    (check-sat)
    (get-objectives)
    (get-model)
    """
    cnf = to_cnf(model)
    names = ["", *variable_names(model, cnf.variable_count)]
    yield f"; encoding {model.encoding}\n"
    yield "(set-option :produce-models true)\n"
    for name in names[1:]:
        yield f"(declare-fun {name} () Bool)\n"
    for group in cnf.groups:
        if group.clause_count:
            yield f"; {group.name}\n"
        for clause in group.clauses():
            literals = [names[literal] if literal > 0 else f"(not {names[-literal]})" for literal in clause]
            yield (
                f"(assert {literals[0]})\n" if len(literals) == 1 else f"(assert (or {' '.join(literals)}))\n"
            )
    terms = [f"(ite {names[variable]} {exact(weight)} 0.0)" for variable, weight in model.weights.items()]
    yield "; objective\n"
    yield f"(maximize (+ {' '.join([exact(model.constant), *(terms or ['0.0'])])}))\n"
    yield f"(check-sat)\n(get-objectives)\n{load}(get-model)\n"


def optimathsat_lines(model: Model) -> Iterator[str]:
    """The file for OptiMathSAT, which shows the model of the last objective only after it has loaded it."""
    return lines(model, load="(load-objective-model -1)\n")


def variable_names(model: Model, count: int) -> Iterator[str]:
    """The names of all variables, those that translations add behind the model's own included."""
    for meaning in model.meanings:
        yield meaning.name
    for number in range(model.variable_count + 1, count + 1):
        yield f"y_{number}"


def exact(number: float) -> str:
    """The number as a decimal without any rounding.

    >>> exact(-0.1)
    '(- 0.1000000000000000055511151231257827021181583404541015625)'
    """
    text = format(Decimal(abs(number)), "f")
    text = text if "." in text else f"{text}.0"
    return f"(- {text})" if number < 0 else text
