"""From a data set to the scores of sets of its variables: all of them, or some."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, Scorer, count_parts, count_sets
from chordlearn.data.dataset import Dataset
from chordlearn.data.fractions import of_units
from chordlearn.errors import InputError, StoppedError, TooLargeError, option
from chordlearn.graphs import mask_of, members
from chordlearn.parallel import UntilStopped, Workers
from chordlearn.scores.accuracy import Accuracy, accuracy_of
from chordlearn.scores.functions import QNML, BDeu, CustomScore, ScoreFunction
from chordlearn.scores.table import ScoreTable
from chordlearn.system.memory import available_bytes, most_variables
from chordlearn.system.running import StopReason, watch

SMALLEST_LIMIT, LARGEST_LIMIT = 3, 10


def make_scorer(dataset: Dataset, function: ScoreFunction) -> Scorer:
    """The compiled scorer of single sets, for tables with too many variables to score all sets of them."""
    if isinstance(function, CustomScore):
        raise InputError(
            "A score function written in Python cannot run in the compiled core; choose one by name."
        )
    dataset.refuse_gaps()
    if function.name == QNML.name and not isinstance(dataset.rows, int):
        raise InputError(
            f"The score qnml is defined for a whole number of observations, but the weights sum to "
            f"{dataset.rows:g}; scale them, or choose another score."
        )
    codes = np.ascontiguousarray(dataset.codes, dtype=np.int32)
    try:
        return Scorer(
            codes,
            dataset.units,
            list(dataset.arities),
            function.name,
            function.core_parameter(),
            function.edge_prior,
            dataset.unit,
        )
    except ValueError as error:
        raise InputError(f"The data cannot be scored because {error}.") from None


@dataclass(frozen=True, eq=False)
class ScoredData:
    """A data set with its score function, and their compiled scorer, which each process makes for itself."""

    dataset: Dataset
    function: ScoreFunction

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables; bit i of every mask stands for the i-th."""
        return self.dataset.variables

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.dataset.variables)

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer, made when it is first used."""
        return make_scorer(self.dataset, self.function)

    @cached_property
    def accuracy(self) -> Accuracy | None:
        """By how much the scores may be off."""
        return accuracy_of(self.dataset, self.function)

    def score_sets(self, masks: Iterable[int]) -> list[float]:
        """The scores of some sets, given as masks.

        >>> from chordlearn.data import read
        >>> from chordlearn.scores import BIC
        >>> [round(score, 1) for score in ScoredData(read("heart"), BIC()).score_sets([0b1, 0b11])]
        [-1278.1, -2534.7]
        """
        scores: list[float] = self.scorer.sets([list(members(mask)) for mask in masks]).tolist()
        return scores

    @property
    def supported_size(self) -> int:
        """How large cliques may be for the rows to say anything about them: 3 to 10 variables.

        So many of the variables with the fewest states have no more joint states than there are rows.

        >>> from chordlearn.data import read
        >>> from chordlearn.scores import BIC
        >>> ScoredData(read("econ"), BIC()).supported_size  # 665 rows, 8 variables with two states each
        8
        """
        states, supported = 1, 0
        for arity in sorted(arity for arity in self.dataset.arities if arity > 1):
            states *= arity
            if states > self.dataset.rows:
                break
            supported += 1
        return min(max(supported, SMALLEST_LIMIT), LARGEST_LIMIT)

    def __reduce__(self) -> tuple[Any, ...]:
        """The scorer does not travel."""
        return ScoredData, (self.dataset, self.function)


Progress = Callable[[int, int], None]
"""Called now and then with the number of sets scored and the number there are."""

STOPPED = "Scoring was stopped before every set had its score; allow more time or keep fewer columns."
FEWEST_VARIABLES = 18
"""With fewer, all sets are scored here before a table has travelled to workers."""
PARTS_PER_TASK = 2


def compute_scores(
    dataset: Dataset,
    function: ScoreFunction = BDeu(),  # noqa: B008
    *,
    max_size: int | None = None,
    threads: int = 1,
    progress: Progress | None = None,
    deadline: float | None = None,
    memory_bytes: float | None = None,
) -> ScoreTable:
    """Score every set of at most ``max_size`` variables (all sets by default).

    The values do not depend on the number of threads. ``progress`` is called from the calling thread;
    at the deadline (of time.monotonic), or on Ctrl-C, the computation ends and an error is raised.
    What needs more than ``memory_bytes`` (by default what is free) is refused before it starts.

    >>> import numpy as np
    >>> codes, weights = np.array([[0, 0], [1, 1]], np.int32), np.array([3, 2], np.int64)
    >>> coins = Dataset(("a", "b"), (("heads", "tails"),) * 2, codes, weights)
    >>> round(compute_scores(coins)["a", "b"], 4)
    -6.3029
    """
    if threads < 1:
        raise InputError(f"The number of threads must be at least 1, not {threads}.")
    if max_size is not None and max_size < 1:
        raise InputError(f"The largest set to score must have at least 1 variable, not {max_size}.")
    size = _largest_size(dataset, max_size)
    if isinstance(function, CustomScore):
        values = _custom_values(dataset, function, size, progress, deadline)
    else:
        scorer = make_scorer(dataset, function)
        _refuse_too_large(scorer.bytes(size, threads), memory_bytes)
        values = _core_values(scorer, len(dataset.variables), size, threads, progress, deadline)
    return _table(dataset, function, size, values)


def _largest_size(dataset: Dataset, max_size: int | None) -> int:
    """The largest set to score; refuses more variables than a table of all sets can have in memory."""
    n = len(dataset.variables)
    fits = most_variables()
    if n > fits:
        raise TooLargeError(
            f"There are {n} variables, and a score for each of the 2^{n} sets of them does not fit in memory "
            f"(here at most {fits} variables do, whatever the largest clique); "
            f"keep fewer columns with {option('columns')} or {option('drop')}."
        )
    return n if max_size is None else min(max_size, n)


def _refuse_too_large(needed: float, memory_bytes: float | None) -> None:
    usable = min(available_bytes(), math.inf if memory_bytes is None else memory_bytes)
    if needed > usable:
        raise TooLargeError(
            f"Scoring needs about {needed / 1e9:.2g} GB of memory, but {usable / 1e9:.2g} GB may be used; "
            f"keep fewer columns with {option('columns')} or {option('drop')}, "
            f"or use fewer {option('threads')}."
        )


def _table(
    dataset: Dataset, function: ScoreFunction, max_size: int, values: NDArray[np.float64]
) -> ScoreTable:
    values.setflags(write=False)
    return ScoreTable(
        variables=dataset.variables,
        values=values,
        max_size=max_size,
        function=function.to_dict(),
        rows=dataset.rows,
        sha256=dataset.sha256,
        source=dataset.source,
        options=dict(dataset.options),
        accuracy=accuracy_of(dataset, function),
    )


def set_scorer(dataset: Dataset, function: ScoreFunction) -> Callable[[Sequence[int]], float]:
    """What scores single sets of column numbers, also with a function of the user's own."""
    if isinstance(function, CustomScore):
        counter = make_scorer(dataset, BDeu())
        return lambda chosen: _custom_value(dataset, function, counter, chosen)
    scorer = make_scorer(dataset, function)
    return lambda chosen: float(scorer.sets([list(chosen)])[0])


def _core_values(
    scorer: Scorer, n: int, max_size: int, threads: int, progress: Progress | None, deadline: float | None
) -> NDArray[np.float64]:
    total = int(count_sets(n, max_size))

    def report(control: Control) -> None:
        if progress is not None:
            progress(min(int(control.done), total), total)

    run = watch(lambda control: scorer.all(max_size, threads, control), deadline=deadline, poll=report)
    if run.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if run.stopped_by == StopReason.MEMORY_LIMIT:
        raise TooLargeError(
            f"Memory ran out while scoring; keep fewer columns with {option('columns')} or {option('drop')}."
        )
    if run.value is None:
        raise StoppedError(STOPPED)
    if progress is not None:
        progress(total, total)
    return run.value


def _custom_values(
    dataset: Dataset,
    function: CustomScore,
    max_size: int,
    progress: Progress | None,
    deadline: float | None,
) -> NDArray[np.float64]:
    n = len(dataset.variables)
    scorer = make_scorer(dataset, BDeu())
    total = int(count_sets(n, max_size))
    values = np.full(1 << n, -np.inf)
    values[0] = 0.0
    sets = chain.from_iterable(combinations(range(n), size) for size in range(1, max_size + 1))
    for done, chosen in enumerate(sets, start=2):
        values[mask_of(chosen)] = _custom_value(dataset, function, scorer, chosen)
        if progress is not None and done % 256 == 0:
            progress(done, total)
        if deadline is not None and time.monotonic() >= deadline:
            raise StoppedError(STOPPED)
    return values


def _custom_value(dataset: Dataset, function: CustomScore, scorer: Scorer, chosen: Sequence[int]) -> float:
    names = tuple(dataset.variables[i] for i in chosen)
    cells = math.prod(float(dataset.arities[i]) for i in chosen)
    value = float(function.function(names, of_units(scorer.counts(list(chosen)), dataset.unit), cells))
    if math.isnan(value) or value == math.inf:
        raise InputError(
            f"The score function gave {value} for {', '.join(names)}; it must give a number or −∞."
        )
    return value + function.edge_prior * math.comb(len(chosen), 2)


def pays_to_score_in_parts(data: ScoredData) -> bool:
    """Whether there is so much to score that workers are quicker."""
    return data.n >= FEWEST_VARIABLES and not isinstance(data.function, CustomScore)


def score_in_parts(
    workers: Workers,
    data: ScoredData,
    max_size: int | None = None,
    progress: Progress | None = None,
    deadline: float | None = None,
) -> ScoreTable:
    """What :func:`chordlearn.scores.compute_scores` gives, to the last bit.

    Raises ``StoppedError`` when the deadline (of time.monotonic) comes first.
    """
    size = _largest_size(data.dataset, max_size)
    n, parts = data.n, count_parts(data.n)
    rows = [(size, part, min(part + PARTS_PER_TASK, parts)) for part in range(0, parts, PARTS_PER_TASK)]
    total = int(count_sets(n, size))
    values = np.full(1 << n, -np.inf)
    values[0] = 0.0
    done, left = 1, len(rows)

    def is_late() -> bool:
        return deadline is not None and time.monotonic() >= deadline

    for _, (sets, scores) in workers.run(score_some, rows, data, is_late):
        values[sets] = scores
        done, left = done + len(sets), left - 1
        if progress is not None:
            progress(done, total)
    if left:
        raise StoppedError(STOPPED)
    return _table(data.dataset, data.function, size, values)


def score_some(data: ScoredData, max_size: int, first: int, last: int) -> list[NDArray[Any]]:
    """Score the sets of some parts: their bit masks, and their scores."""
    observer = UntilStopped()

    def score(control: Control) -> list[NDArray[Any]] | None:
        found = data.scorer.parts(max_size, first, last, control)
        return None if found is None else list(found)

    run = watch(score, poll=lambda _: observer.progress("scoring", None, None))
    if run.value is None:
        raise KeyboardInterrupt
    return run.value
