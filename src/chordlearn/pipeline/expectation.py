"""Learning from rows with missing values by expectation and maximisation, also of the structure.

A network gives the counts that whole rows would be expected to have, and from these counts the next network
is learned: first its tables, until they stay as they are, then its structure, which is the exact optimum for
the expected counts wherever such an optimum is proved for whole rows. It ends when the best structure for the
counts that a network expects is its own.

Several starts are taken, because where it ends depends on where it begins. They are compared by an objective,
the approximation of the marginal likelihood by Cheeseman and Stutz:

    score of the structure on expected counts − log-likelihood of these + log-likelihood of what was observed.

For BIC and AIC that is the log-likelihood of what was observed less the penalty, which no step lowers; for
other scores steps need not raise it, and the best network seen is returned. Either way it is a local optimum:
that no other network is better is not proved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from chordlearn.backends.base.outcome import Observer
from chordlearn.backends.base.run import SHORTEST_SECONDS
from chordlearn.data.coding import MISSING
from chordlearn.data.dataset import Dataset
from chordlearn.data.distinct import deduplicated
from chordlearn.data.fractions import plain
from chordlearn.data.inspection import imputations
from chordlearn.network import rowwise
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.completions import DRAWS, Completions, Expectation
from chordlearn.network.evaluation import compare, score_network
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.parameters import Estimation, estimation_for
from chordlearn.network.result import Claim, Result
from chordlearn.pipeline.learning import learn
from chordlearn.problem.problem import MOST_SCORED_VARIABLES
from chordlearn.scores import ScoreFunction
from chordlearn.system.json import plain_values
from chordlearn.system.running import StopReason

MOST_STEPS = 25
"""Structures learned from one start."""
MOST_ROUNDS = 200
"""In which the tables of one structure are made again."""
CLOSE = 1e-3
"""Likelihoods and objectives that differ by less, in nats, are taken for equal."""
STEP_SECONDS = 10.0
"""For one structure, where a search would not end by itself."""
LIKELIHOOD_SCORES = ("bic", "aic", "qnml")
PROMISE = (
    "Each structure step is as good as its status says, for the counts that were expected then. The whole is "
    "a local optimum of the objective: another start may lead to a better network."
)


@dataclass(frozen=True, eq=False)
class _Settled:
    """A structure with tables that give about the counts from which they were made."""

    network: FittedNetwork
    expected: Expectation
    """By this network."""
    score: float
    """Of the structure, on the expected counts."""
    objective: float
    rounds: int


@dataclass
class _Path:
    """What one start led to."""

    start: str
    best: _Settled | None = None
    best_result: Result | None = None
    """What was learned when the structure of the best was found."""
    last: Result | None = None
    """What was learned from the counts that the best network expects."""
    ended: str = "step limit"
    steps: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        objective = None if self.best is None else self.best.objective
        return {"start": self.start, "objective": objective, "ended": self.ended, "steps": self.steps}


@dataclass
class _Telling:
    """Tells an observer of which step a run is; its scores are those of counts that change, and kept back."""

    observer: Observer
    what: str = ""

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """A stage of the run, or how far it is."""
        self.observer.progress(stage, None, None, f"{self.what} {detail}".strip())


class _Learning:
    """One task: rows with gaps, what to learn from them, and the time that is left."""

    def __init__(
        self,
        data: Dataset,
        function: ScoreFunction,
        asked: Mapping[str, Any],
        deadline: float | None,
        observer: Observer,
    ) -> None:
        self.data, self.function, self.asked = data, function, asked
        self.deadline, self.telling = deadline, _Telling(observer)
        self.completions = Completions(data, int(asked["seed"]))
        # Tables that maximise what the objective measures.
        likelihood = function.name in LIKELIHOOD_SCORES
        self.how = Estimation("maximum-likelihood") if likelihood else estimation_for(function.to_dict())
        self.stopped_by = StopReason.SEARCH_ENDED

    @property
    def is_over(self) -> bool:
        """Whether time is up or the user has stopped it."""
        if self.deadline is not None and time.monotonic() >= self.deadline:
            self.stopped_by = StopReason.TIME_LIMIT
        return self.stopped_by != StopReason.SEARCH_ENDED

    def learned(self, whole: Dataset) -> Result:
        """The best network of whole rows."""
        left = math.inf if self.deadline is None else max(self.deadline - time.monotonic(), SHORTEST_SECONDS)
        if len(whole.variables) > MOST_SCORED_VARIABLES:
            left = min(left, STEP_SECONDS)
        found = learn(
            whole,
            score=self.function,
            observer=self.telling,
            time_limit=None if math.isinf(left) else left,
            **self.asked,
        )
        if found.stopped_by == StopReason.INTERRUPTED:
            self.stopped_by = StopReason.INTERRUPTED
        return found

    def starts(self) -> Iterator[tuple[str, Result, FittedNetwork]]:
        """Networks to begin with: from complete rows, with missing as a state, with gaps drawn by margins."""
        margins = self.completions.expected(independence(self.data)).rows
        complete = _complete_rows(self.data)
        if complete is not None:
            yield from self._start("the complete rows", complete, complete)
        yield from self._start("'missing' as a state", _with_missing_state(self.data), margins)
        yield from self._start("gaps filled from the margins", margins, margins)

    def _start(
        self, name: str, whole: Dataset, counted: Dataset
    ) -> Iterator[tuple[str, Result, FittedNetwork]]:
        self.telling.what = f"from {name}:"
        result = self.learned(whole)
        if result.status != "none":
            yield name, result, _fitted(self.data, result, counted)

    def follow(self, path: _Path, result: Result, network: FittedNetwork) -> None:
        """Go on from a start until the structure stays as it is."""
        for _ in range(MOST_STEPS):
            before = path.best
            here = settle(network, self.completions, self.how, self.function, lambda: self.is_over)
            path.steps.append(_step(here, result, before))
            if before is not None and here.objective < before.objective + CLOSE:
                path.ended = "the objective rises no more"
                break
            path.best, path.best_result, path.last = here, result, None
            if self.is_over:
                path.ended = str(self.stopped_by)
                break
            self.telling.what = f"from {path.start}, step {len(path.steps)}:"
            result = self.learned(here.expected.rows)
            if result.status == "none":
                path.ended = result.stopped_by
                break
            path.last = result
            is_same = set(result.edges) == set(here.network.edges)
            if is_same or result.score <= here.score + result.tolerance:
                path.ended = "fixed point"
                break
            network = _fitted(self.data, result, here.expected.rows)


def learn_with_gaps(
    data: Dataset,
    function: ScoreFunction,
    asked: Mapping[str, Any],
    deadline: float | None,
    observer: Observer,
    seconds: dict[str, float],
) -> Result:
    """The best network that structural EM finds from several starts; what it does not prove is said.

    ``asked`` are arguments of :func:`chordlearn.learn` for each structure step.
    """
    started = time.perf_counter()
    learning = _Learning(data, function, asked, deadline, observer)
    paths: list[_Path] = []
    try:
        for name, result, network in learning.starts():
            paths.append(_Path(name))
            learning.follow(paths[-1], result, network)
            if learning.is_over:
                break
    except KeyboardInterrupt:
        # What there is by now is kept, as wherever a run is stopped.
        if not paths or paths[0].best is None:
            raise
        learning.stopped_by = StopReason.INTERRUPTED
    reached = [path for path in paths if path.best is not None]
    details: dict[str, Any] = {"missing": missing_values(data)}
    if data.notes:
        details["reading"] = list(data.notes)
    if not reached:
        # Time was up before there was any network.
        none = learning.learned(_with_missing_state(data))
        return msgspec.structs.replace(none, states=data.states, **_origin(data), details=details)
    path = max(reached, key=lambda path: path.best.objective if path.best is not None else -math.inf)
    assert path.best is not None and path.best_result is not None
    details["em"] = {
        "objective": path.best.objective,
        "log_likelihood": path.best.expected.log_likelihood,
        "start": path.start,
        "fixed_point": path.ended == "fixed point",
        "step_proved": path.ended == "fixed point"
        and path.last is not None
        and path.last.status == "optimal",
        "expected_counts": {
            "exact": plain(data.rows - learning.completions.weight_drawn),
            "drawn": plain(learning.completions.weight_drawn),
            "draws_per_row": DRAWS,
        },
        "promise": PROMISE,
        "starts": [path.to_dict() for path in paths],
    }
    tables = imputations(str(data.options.get("missing"))) or 0
    if tables:
        details["imputations"] = _imputed(learning, path.best.network, tables)
    seconds["solve"] = time.perf_counter() - started
    return _result(learning, path, details, seconds)


def settle(
    network: FittedNetwork,
    completions: Completions,
    how: Estimation,
    function: ScoreFunction | None,
    is_over: Callable[[], bool] = lambda: False,
) -> _Settled:
    """Make the tables of a structure from the counts that they expect, until these stay as they are."""
    before = completions.expected(network)
    rounds = 0
    while True:
        rounds += 1
        network = FittedNetwork.from_data(network.structure, before.rows, how)
        after = completions.expected(network)
        is_settled = abs(after.log_likelihood - before.log_likelihood) < CLOSE
        if is_settled or rounds == MOST_ROUNDS or is_over():
            break
        before = after
    if function is None:
        return _Settled(network, after, math.nan, after.log_likelihood, rounds)
    score = score_network(network.structure, before.rows, function)
    codes = np.asfortranarray(before.rows.codes, dtype=np.int32)
    completed = float(network.log_likelihoods(codes) @ before.rows.weights)
    objective = score - completed + after.log_likelihood
    return _Settled(network, after, score_network(network.structure, after.rows, function), objective, rounds)


def tables_with_gaps(structure: ChordalNetwork, data: Dataset, how: Estimation) -> FittedNetwork:
    """A structure with the tables that EM gives it, from the start that leads to the higher likelihood."""
    completions = Completions(data)
    starts = [completions.expected(independence(data)).rows, _complete_rows(data)]
    settled = [
        settle(FittedNetwork.from_data(structure, whole, Estimation(ess=1.0)), completions, how, None)
        for whole in starts
        if whole is not None
    ]
    return max(settled, key=lambda one: one.objective).network


def independence(data: Dataset) -> FittedNetwork:
    """The network without edges, with the shares that each column has without its gaps."""
    structure = ChordalNetwork.from_cliques(data.variables, [[name] for name in data.variables], data.states)
    counts = [data.column_counts(i) + 1 / len(labels) for i, labels in enumerate(data.states)]
    return FittedNetwork(structure, tuple(count / count.sum() for count in counts))


def missing_values(data: Dataset) -> dict[str, Any]:
    """How many values are missing, and where.

    >>> import chordlearn as cl
    >>> missing_values(cl.read({"a": ["x", None, "y"], "b": [1, 2, 2]}, missing="em"))
    {'values': 1, 'share': 0.16666666666666666, 'rows': 1, 'columns': {'a': 1}}
    """
    gaps = data.codes < 0
    columns = {
        name: plain(data.weights[gaps[:, i]].sum())
        for i, name in enumerate(data.variables)
        if gaps[:, i].any()
    }
    total = sum(columns.values())
    return {
        "values": total,
        "share": total / (data.rows * len(data.variables)),
        "rows": plain(data.weights[gaps.any(axis=1)].sum()),
        "columns": columns,
    }


def _complete_rows(data: Dataset) -> Dataset | None:
    whole = (data.codes >= 0).all(axis=1)
    if not whole.any():
        return None
    return Dataset(data.variables, data.states, data.codes[whole], data.weights[whole])


def _with_missing_state(data: Dataset) -> Dataset:
    gaps = data.codes < 0
    sizes = np.array(data.arities, dtype=np.int32)
    states = [(*labels, MISSING) if gaps[:, i].any() else labels for i, labels in enumerate(data.states)]
    return Dataset(data.variables, tuple(states), np.where(gaps, sizes, data.codes), data.weights)


def _fitted(data: Dataset, result: Result, counted: Dataset) -> FittedNetwork:
    """Tables that leave nothing impossible, for a structure learned from other counts or states."""
    structure = ChordalNetwork.from_cliques(data.variables, result.cliques, data.states)
    return FittedNetwork.from_data(structure, counted, Estimation(ess=1.0))


def _step(here: _Settled, result: Result, before: _Settled | None) -> dict[str, Any]:
    return {
        "objective": here.objective,
        "log_likelihood": here.expected.log_likelihood,
        "table_rounds": here.rounds,
        "edges": len(here.network.edges),
        "edges_changed": None if before is None else compare(before.network, here.network).distance,
        "structure": {"status": result.status, "score": result.score, "bound": plain_values(result.bound)},
    }


def _imputed(learning: _Learning, network: FittedNetwork, tables: int) -> dict[str, Any]:
    """How often each edge is in the networks of tables that were completed by draws from a network."""
    data = learning.data
    counts: dict[tuple[str, ...], int] = {}
    done = proved = 0
    for number in range(tables):
        if learning.is_over:
            break
        rng = np.random.default_rng([int(learning.asked["seed"]), number])
        whole = _completed(data, network, rng)
        learning.telling.what = f"completed table {number + 1} of {tables}:"
        found = learning.learned(whole)
        if found.status == "none":
            break
        done += 1
        proved += found.status == "optimal"
        for edge in found.edges:
            counts[edge] = counts.get(edge, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {
        "tables": done,
        "proved": proved,
        "edges": [{"edge": list(edge), "frequency": times / done} for edge, times in ordered],
    }


def _completed(data: Dataset, network: FittedNetwork, rng: np.random.Generator) -> Dataset:
    """Whole rows, each gap drawn given what its row has; rows that occur several times are drawn apart."""
    times = np.rint(data.weights).astype(np.int64) if data.unit == 1 else np.ones(len(data.weights), np.int64)
    codes: NDArray[np.int32] = np.asfortranarray(np.repeat(data.codes, times, axis=0), dtype=np.int32)
    weights = np.repeat(data.weights if data.unit < 1 else np.ones(len(times), np.int64), times)
    whole, _ = rowwise.completed(network.forest, codes, rng)
    return Dataset(data.variables, data.states, *deduplicated(list(whole.T), data.arities, weights))


def _origin(data: Dataset) -> dict[str, Any]:
    return {
        "rows": data.rows,
        "data": {"source": data.source, "options": plain_values(data.options)},
        "data_sha256": data.sha256,
    }


def _result(learning: _Learning, path: _Path, details: dict[str, Any], seconds: dict[str, float]) -> Result:
    """The structure of the best network, as a result that claims no more than is known of the whole."""
    assert path.best is not None and path.best_result is not None
    found, objective = path.best_result, path.best.objective
    largest = found.constraints["max_clique"]
    among: dict[Any, int] = {} if largest is None else {"max_clique": largest}
    return msgspec.structs.replace(
        found,
        status="feasible",
        score=objective,
        bound=math.inf,
        gap=math.inf,
        stopped_by=str(learning.stopped_by),
        states=learning.data.states,
        runners_up=(),
        claims=(Claim(among, "feasible", objective, math.inf, math.inf, found.cliques),),
        candidates=None,
        scaling=None,
        seconds=seconds,
        details=details,
        **_origin(learning.data),
    )
