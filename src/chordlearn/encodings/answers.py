"""Reading what solvers print, while they solve or afterwards: which variables are true, and what is claimed.

Understood are the `o`, `s` and `v` lines of SAT competitions (MaxSAT in both forms, pseudo-Boolean), SMT-LIB,
the answer sets of clingo and clasp, and lists of names and values (HiGHS, CP-SAT, Gurobi, …).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, Union

from chordlearn.errors import InputError

OPTIMAL = "optimal"
UNSATISFIABLE = "unsatisfiable"
SATISFIABLE = "satisfiable"
UNKNOWN = "unknown"

CLAIMS = {"OPTIMUM FOUND": OPTIMAL, "SATISFIABLE": SATISFIABLE, "UNSATISFIABLE": UNSATISFIABLE}

_PROGRESSION = re.compile(r"Progression *: *\[(-?\d+);")
_EDGE = re.compile(r"(?<![\w(])edge\((\d+),(\d+)\)")
_VALUE = re.compile(r"^\s*(?:\d+\s+)?([A-Za-z]\w*)\s*[:=\s]\s*([-+\d.eE]+)\b")
_STATUS = re.compile(r"(?:(?:model )?status\W+)?(optimal|infeasible|optimal solution found)\W*", re.I)
_OBJECTIVE = re.compile(r"#?\s*objective(?: value)?\s*[:=]?\s*([-+]?\d[-+\d.eE]*)\s*", re.I)

Expression: TypeAlias = Union[str, "list[Expression]"]
"""Of SMT-LIB."""


class Answers:
    """What a solver said so far, which ``on_answer`` gets as the set of true variables."""

    def __init__(self, on_answer: Callable[[Collection[int]], None]) -> None:
        self._on_answer = on_answer
        self.claim: str | None = None
        """One of the four words above, once the solver has said so."""
        self.cost: float | None = None
        """Cost of the best answer as the solver says."""
        self.lower: float | None = None
        """No answer costs less, as the solver says."""

    def read(self, line: str) -> None:
        """Take in one line."""
        raise NotImplementedError

    def finish(self) -> None:
        """Take in that there is no further line."""


class AspAnswers(Answers):
    """The text output of clingo and clasp; edges are numbered by the names in the map of the program.

    >>> seen = []
    >>> answers = AspAnswers(seen.append, {"edge_0_1": 1, "edge_1_2": 2})
    >>> for line in ("Answer: 1 (Time: 0.0s)", "edge(0,1) edge(1,2)", "Optimization: -7", "OPTIMUM FOUND"):
    ...     answers.read(line)
    >>> seen, answers.cost, answers.claim
    ([{1, 2}], -7, 'optimal')
    """

    def __init__(self, on_answer: Callable[[Collection[int]], None], numbers: Mapping[str, int]) -> None:
        super().__init__(on_answer)
        self._numbers = numbers
        self._atoms_follow = False

    def read(self, line: str) -> None:
        """Take in one line; those without anything do not matter."""
        if line.startswith("Answer:"):
            self._atoms_follow = True
            return
        if self._atoms_follow:
            self._atoms_follow = False
            names = [f"edge_{a}_{b}" for a, b in _EDGE.findall(line)]
            self._on_answer({self._numbers[name] for name in names if name in self._numbers})
            if names:
                return
            # The atoms of an answer without edges are a line without anything: this is the line behind it.
        if line.startswith("Optimization:"):
            self.cost = int(line.partition(":")[2].split(maxsplit=1)[0])
        elif found := _PROGRESSION.match(line):
            self.lower = int(found.group(1))
        elif line in (*CLAIMS, "UNKNOWN"):
            self.claim = CLAIMS.get(line, UNKNOWN)


class MaxSatAnswers(Answers):
    """The output of MaxSAT and pseudo-Boolean solvers: `o`, `s` and `v` lines.

    >>> seen = []
    >>> answers = MaxSatAnswers(seen.append)
    >>> for line in ("o 12", "s OPTIMUM FOUND", "v 101"):
    ...     answers.read(line)
    >>> answers.finish()
    >>> seen, answers.cost, answers.claim
    ([{1, 3}], 12, 'optimal')
    """

    def __init__(self, on_answer: Callable[[Collection[int]], None]) -> None:
        super().__init__(on_answer)
        self._values: list[str] | None = None

    def read(self, line: str) -> None:
        """Take in one line."""
        kind, _, rest = line.partition(" ")
        if kind == "v":
            self._values = [*(self._values or ()), *rest.split()]
            return
        self.finish()
        if kind == "o":
            self.cost = number(rest)
        elif kind == "s":
            self.claim = CLAIMS.get(rest.strip(), UNKNOWN)
        elif line.startswith("c lower "):
            self.lower = number(line.split()[2])

    def finish(self) -> None:
        """Take in the answer, which may go over several lines."""
        if self._values is not None:
            words, self._values = self._values, None
            self._on_answer(true_variables(words))


def number(text: str) -> float:
    """A cost, kept exact if it is an integer.

    >>> number("9007199254740993"), number("-0.5")
    (9007199254740993, -0.5)
    """
    try:
        return int(text)
    except ValueError:
        return float(text)


def true_variables(words: Sequence[str]) -> set[int]:
    """The true variables of `v` lines, which list literals or, since 2022, one digit per variable.

    >>> true_variables(["1", "-2", "x3"]), true_variables(["01"]), true_variables(["01", "11"])
    ({1, 3}, {2}, {2, 3, 4})
    """
    if all(set(word) <= {"0", "1"} for word in words) and (
        len(words) == 1 or all(len(word) > 1 for word in words)
    ):
        return {position for position, digit in enumerate("".join(words), 1) if digit == "1"}
    literals = (int(word.replace("x", "")) for word in words)
    return {literal for literal in literals if literal > 0}


class SmtAnswers(Answers):
    """The output of SMT optimisers: sat or unsat, the objective, then the model as definitions or as pairs.

    It is optimal only if the objective has one value, and not one that an interrupted search had reached.

    >>> seen = []
    >>> answers = SmtAnswers(seen.append, {"e_0_1": 1, "e_0_2": 2})
    >>> for line in ("sat", "(objectives", " ((+ 1.5 z) (- (/ 7 2)))", ")", "((e_0_1 true) (e_0_2 false))"):
    ...     answers.read(line)
    >>> answers.finish()
    >>> seen, answers.claim, answers.cost
    ([{1}], 'optimal', 3.5)
    """

    def __init__(self, on_answer: Callable[[Collection[int]], None], numbers: Mapping[str, int]) -> None:
        super().__init__(on_answer)
        self._numbers = numbers
        self._words: list[str] = []

    def read(self, line: str) -> None:
        """Take in one line."""
        text = line.strip()
        if text in ("sat", "unsat", "unknown"):
            self.claim = {"sat": SATISFIABLE, "unsat": UNSATISFIABLE, "unknown": UNKNOWN}[text]
        else:
            self._words += smt_words(text)

    def finish(self) -> None:
        """Read the objective and the true variables: names before true, perhaps with a sort between."""
        words, self._words = self._words, []
        cost = objective_cost(words)
        if cost is not None and self.claim == SATISFIABLE:
            self.claim, self.cost = OPTIMAL, cost
        true = set()
        for position, word in enumerate(words):
            if word in self._numbers:
                after = words[position + 1 : position + 5]
                if next((later for later in after if later not in ("(", ")", "Bool")), "") == "true":
                    true.add(self._numbers[word])
        if words and self.claim not in (None, UNSATISFIABLE):
            self._on_answer(true)


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


class ValueAnswers(Answers):
    """Lists of names and values, as linear solvers write solutions; there is one, read at the end.

    >>> seen = []
    >>> answers = ValueAnswers(seen.append, {"e_0_1": 1, "e_0_2": 2})
    >>> for line in ("Model status", "Optimal", "# Columns 2", "e_0_1 1", "e_0_2 0"):
    ...     answers.read(line)
    >>> answers.finish()
    >>> seen, answers.claim
    ([{1}], 'optimal')
    """

    def __init__(self, on_answer: Callable[[Collection[int]], None], numbers: Mapping[str, int]) -> None:
        super().__init__(on_answer)
        self._numbers = numbers
        self._values: dict[int, float] = {}

    def read(self, line: str) -> None:
        """Take in one line."""
        text = line.strip()
        if found := _STATUS.fullmatch(text):
            self.claim = UNSATISFIABLE if found[1].lower() == "infeasible" else OPTIMAL
        elif found := _OBJECTIVE.fullmatch(text):
            self.cost = float(found[1])
        elif (found := _VALUE.match(line)) and found[1] in self._numbers:
            self._values[self._numbers[found[1]]] = float(found[2])

    def finish(self) -> None:
        """Take in the values."""
        if self._values or not self._numbers:
            self._on_answer({variable for variable, value in self._values.items() if value > 0.5})


@dataclass(frozen=True)
class Answer:
    """What a solver says in the end."""

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
    found: list[Collection[int]] = []
    named = {"lp": AspAnswers, "smt2": SmtAnswers, "mps": ValueAnswers}.get(language)
    answers = named(found.append, names) if named else MaxSatAnswers(found.append)
    try:
        for line in filter(str.strip, text.splitlines()):
            answers.read(line)
        answers.finish()
    except (ValueError, IndexError):
        found.clear()
    if answers.claim == UNSATISFIABLE:
        raise InputError("The solver says that the file has no solution: the constraints allow no network.")
    if not found:
        raise InputError(
            f"There is no answer to a {language} file in the solver's output; "
            "give all that it printed, or its solution file."
        )
    return Answer(frozenset(found[-1]), answers.claim == OPTIMAL, answers.cost)
