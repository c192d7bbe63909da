"""Reading what a solver printed about a written file: which variables are true, and what it claims.

Understood are the `s` and `v` lines of SAT competitions (MaxSAT in both forms, pseudo-Boolean), the models of
SMT solvers, the answer sets of clingo and clasp, and lists of names and values (HiGHS, CP-SAT, Gurobi, …).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias, Union

from chordlearn.errors import InputError

OPTIMAL = re.compile(
    r"^(s OPTIMUM FOUND|OPTIMUM FOUND|(model )?status\W+optimal|optimal|optimal solution found)\W*$", re.I
)
UNSATISFIABLE = re.compile(
    r"^(s UNSATISFIABLE|UNSATISFIABLE|unsat|(model )?status\W+infeasible|infeasible)\W*$", re.I
)
_DEFINITION = re.compile(r"\(\s*define-fun\s+(\S+)\s+\(\s*\)\s+Bool\s+(true|false)\s*\)")
_ATOM = re.compile(r"(?<![\w(])([a-z]\w*)\(([\d,]*)\)")
_VALUE = re.compile(r"^\s*(?:\d+\s+)?([A-Za-z]\w*)\s*[:=\s]\s*([-+\d.eE]+)\b")

Expression: TypeAlias = Union[str, "list[Expression]"]
"""Of SMT-LIB."""


@dataclass(frozen=True)
class Answer:
    """What a solver says."""

    true: frozenset[int]
    """The variables that are true; those of translations may be among them."""
    claims_optimal: bool
    """Whether the solver claims that nothing is better."""
    cost: float | None = None
    """What the answer costs in the file, as the solver says; None where it does not."""


def read_answer(text: str, language: str, names: Mapping[str, int]) -> Answer:
    """The last answer in a solver's output; ``names`` gives the variable of each name in the file.

    >>> read_answer("o 3\\ns OPTIMUM FOUND\\nv 101\\n", "wcnf", {})
    Answer(true=frozenset({1, 3}), claims_optimal=True, cost=3)
    >>> read_answer("s SATISFIABLE\\nv x1 -x2 x3\\n", "opb", {})
    Answer(true=frozenset({1, 3}), claims_optimal=False, cost=None)
    """
    lines = text.splitlines()
    true = _READERS[language](text, lines, names)
    if any(UNSATISFIABLE.match(line.strip()) for line in lines):
        raise InputError("The solver says that the file has no solution: the constraints allow no network.")
    if true is None:
        raise InputError(
            f"There is no answer to a {language} file in the solver's output; "
            "give all that it printed, or its solution file."
        )
    return Answer(frozenset(true), _claims_optimal(language, lines), _COSTS[language](text))


def _claims_optimal(language: str, lines: list[str]) -> bool:
    if language == "smt2":
        # Without a limit, `sat` after `maximize` means that the objective is at its best; an interrupted
        # z3 says `unknown`.
        return any(line.strip() == "sat" for line in lines)
    return any(OPTIMAL.match(line.strip()) for line in lines)


def _competition(_text: str, lines: list[str], _names: Mapping[str, int]) -> set[int] | None:
    """`v` lines: literals, literals with an x, or one digit per variable; the last answer counts."""
    blocks: list[list[str]] = []
    inside = False
    for line in lines:
        if line.startswith("v"):
            if not inside:
                blocks.append([])
            blocks[-1].extend(line[1:].split())
        inside = line.startswith("v")
    if not blocks:
        return None
    words = blocks[-1]
    if all(set(word) <= {"0", "1"} for word in words) and _are_digits(words):
        return {number for number, digit in enumerate("".join(words), 1) if digit == "1"}
    try:
        literals = [int(word.replace("x", "")) for word in words]
    except ValueError:
        return None
    return {literal for literal in literals if literal > 0}


def _are_digits(words: list[str]) -> bool:
    """Whether words of zeros and ones are one long string of digits rather than literals such as 1 and 10."""
    return len(words) == 1 or all(len(word) > 1 for word in words)


def _model(text: str, _lines: list[str], names: Mapping[str, int]) -> set[int] | None:
    found = _DEFINITION.findall(text)
    if not found:
        return set() if re.search(r"^sat\b", text, re.M) else None
    return {names[name] for name, value in found if value == "true" and name in names}


def _answer_set(_text: str, lines: list[str], names: Mapping[str, int]) -> set[int] | None:
    atoms: str | None = None
    for line, following in pairwise([*lines, ""]):
        if line.startswith("Answer:"):
            atoms = following
    if atoms is None:
        return None
    words = ("_".join([name, *arguments.split(",")]) for name, arguments in _ATOM.findall(atoms))
    return {names[word] for word in words if word in names}


def _values(_text: str, lines: list[str], names: Mapping[str, int]) -> set[int] | None:
    true: set[int] = set()
    seen = False
    for line in lines:
        found = _VALUE.match(line)
        if found and found.group(1) in names:
            seen = True
            try:
                if float(found.group(2)) > 0.5:
                    true.add(names[found.group(1)])
            except ValueError:
                return None
    return true if seen or not names else None


_READERS = {
    "wcnf": _competition,
    "wcnf-classic": _competition,
    "opb": _competition,
    "smt2": _model,
    "lp": _answer_set,
    "mps": _values,
}


def _last_cost(pattern: str, convert: Callable[[str], float]) -> Callable[[str], float | None]:
    """What finds the last cost that is printed."""
    compiled = re.compile(pattern, re.M | re.I)

    def find(text: str) -> float | None:
        found = compiled.findall(text)
        try:
            return convert(found[-1]) if found else None
        except ValueError:
            return None

    return find


def objective_cost(words: Sequence[str]) -> float | None:
    """The value in what `(get-objectives)` printed, turned into a cost; None unless it is that of an optimum.

    An interrupted search says more, as in `(objectives (x 12), partial search, range: [12, 20])`.

    >>> objective_cost(smt_words("sat (objectives ((+ (- 2.5) (ite e 0.25 0.0)) (- (/ 9 4)))) (model)"))
    2.25
    >>> objective_cost(smt_words("(objectives (x 12), partial search, range: [12, 20])"))
    """
    for expression in _expressions(words):
        if isinstance(expression, list) and expression[:1] == ["objectives"]:
            match expression[1:]:
                case [[_, value]]:
                    number = _number(value)
                    return None if number is None else -float(number)
    return None


def smt_words(text: str) -> list[str]:
    """The brackets and words of SMT-LIB."""
    return re.findall(r"[()]|[^\s()]+", text)


def _expressions(words: Sequence[str]) -> list[Expression]:
    """The expressions of a text; what a cut off text leaves open is closed at its end."""
    stack: list[list[Expression]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) > 1:
            stack[-2].append(stack.pop())
    while len(stack) > 1:
        stack[-2].append(stack.pop())
    return stack[0]


def _number(expression: Expression) -> Fraction | None:
    """A number as SMT-LIB writes it; None for anything else, such as infinity or an interval.

    >>> _number(["-", ["/", "7", "2.0"]]), _number("oo")
    (Fraction(-7, 2), None)
    """
    match expression:
        case str():
            try:
                return Fraction(expression)
            except (ValueError, ZeroDivisionError):
                return None
        case ["-", value]:
            negated = _number(value)
            return None if negated is None else -negated
        case ["/", over, under]:
            parts = _number(over), _number(under)
            return None if parts[0] is None or not parts[1] else parts[0] / parts[1]
    return None


_COSTS = {
    "wcnf": _last_cost(r"^o\s+(-?\d+)\s*$", int),
    "wcnf-classic": _last_cost(r"^o\s+(-?\d+)\s*$", int),
    "opb": _last_cost(r"^o\s+(-?\d+)\s*$", int),
    "smt2": lambda text: objective_cost(smt_words(text)),
    "lp": _last_cost(r"^Optimization\s*:\s*(-?\d+)\s*$", int),
    "mps": _last_cost(r"^#?\s*objective(?: value)?\s*[:=]?\s*([-+]?\d[-+\d.eE]*)\s*$", float),
}
