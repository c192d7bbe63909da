"""From anything readable to the best network: the whole way in one function."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.backends.outcome import Limits, Observer, Outcome, SilentObserver
from chordlearn.backends.registry import load_backend
from chordlearn.data import read
from chordlearn.errors import BackendError, ContradictionError, InputError
from chordlearn.problem.constraints import Constraints, Edge
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.result import Result, build_result
from chordlearn.scores import (
    ScoreFunction,
    ScoreTable,
    compute_scores,
    is_score_file,
    read_scores,
    score_function,
)

SHORTEST_SECONDS = 0.001


def learn(
    data: Any,
    *,
    score: str | ScoreFunction = "bdeu",
    ess: float | None = None,
    alpha: float | None = None,
    edge_prior: float = 0.0,
    backend: str = "auto",
    encoding: str | None = None,
    reduce: bool = True,
    max_clique: int | None = None,
    require: Iterable[Edge] = (),
    forbid: Iterable[Edge] = (),
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    seed: int = 0,
    top: int = 1,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] | None = None,
    counts: str | None = None,
    missing: str = "error",
    discretize: str | Mapping[str, str] | None = None,
    observer: Observer | None = None,
) -> Result:
    """Learn the chordal Markov network with the highest score, and prove it.

    Parameters
    ----------
    data
        A path (a table or a score file), a bundled name, a data frame, an array, a `Dataset`, a `ScoreTable`;
        see :func:`chordlearn.read`.
    score, ess, alpha, edge_prior
        The score function by name or as an object, the equivalent sample size of BDeu, the cell parameter of
        Dirichlet, and the log prior odds of each edge.
    backend, encoding, reduce
        What solves the problem, with which constraint model, and whether the candidates are reduced first.
    max_clique, require, forbid
        The largest clique allowed, edges that must be there, edges that must not: pairs of names.
    time_limit, memory_limit, threads, seed
        Seconds, gigabytes and threads (by default all) that may be used, and the seed of what is random.
    top
        How many of the best networks to return, where the backend can; all but the first are `runners_up`.
    columns, drop, counts, missing, discretize
        How to read the table; see :func:`chordlearn.read`.
    observer
        Is told how the run goes.

    Examples
    --------
    >>> result = learn({"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9, "coin": [0, 1, 0, 1] * 9})
    >>> result
    <Result: optimal, proved; score -56.828664; 3 variables, 1 edge, 2 cliques>
    >>> result.cliques
    (('rain', 'wet'), ('coin',))
    """
    start = time.monotonic()
    _refuse_not_positive("time limit", time_limit)
    _refuse_not_positive("memory limit", memory_limit)
    _refuse_not_positive("number of threads", threads)
    _refuse_not_positive("number of networks", top)
    threads = threads or usable_threads()
    solver = load_backend(backend)
    found = solver.probe()
    if not found.available:
        raise BackendError(
            f"The backend {backend!r} cannot run here: {found.reason} {found.how_to_get}".rstrip()
        )
    observer = observer or SilentObserver()
    scored = score_sets(
        data,
        score=score,
        ess=ess,
        alpha=alpha,
        edge_prior=edge_prior,
        max_size=max_clique,
        threads=threads,
        columns=columns,
        drop=drop,
        counts=counts,
        missing=missing,
        discretize=discretize,
        observer=observer,
        deadline=None if time_limit is None else start + time_limit,
        memory_bytes=None if memory_limit is None else memory_limit * 1e9,
    )
    constraints = Constraints(max_clique, _edges(require, "require"), _edges(forbid, "forbid"))
    problem = make_problem(scored.table, constraints)
    limits = Limits(
        # The limit is for the whole run, and some solvers take 0 for none.
        seconds=None if time_limit is None else max(start + time_limit - time.monotonic(), SHORTEST_SECONDS),
        memory_bytes=None if memory_limit is None else int(memory_limit * 1e9),
        threads=threads,
        seed=seed,
    )
    options = {"reduce": reduce, "top": top} | ({} if encoding is None else {"encoding": encoding})
    observer.progress("solving", None, None)
    with _timed(scored.seconds, "solve"):
        outcome = solver.solve(problem, limits, observer, **options)
    if outcome.cliques is None and outcome.stopped_by == "infeasible":
        raise ContradictionError(
            "No chordal network satisfies the constraints; require or forbid less, or allow larger cliques."
        )
    used = outcome.details.get("backend", backend)
    used_version = found.version if used == backend else load_backend(used).probe().version
    return _result(problem, outcome, scored, backend=used, backend_version=used_version, seed=seed)


@dataclass(frozen=True)
class Scored:
    """The score of every set, and what else is known of the data."""

    table: ScoreTable
    states: tuple[tuple[str, ...], ...] | None
    """The labels of each variable; None when the scores come from a file."""
    seconds: dict[str, float]
    """Per stage."""


def score_sets(
    data: Any,
    *,
    score: str | ScoreFunction = "bdeu",
    ess: float | None = None,
    alpha: float | None = None,
    edge_prior: float = 0.0,
    max_size: int | None = None,
    threads: int | None = None,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] | None = None,
    counts: str | None = None,
    missing: str = "error",
    discretize: str | Mapping[str, str] | None = None,
    observer: Observer | None = None,
    deadline: float | None = None,
    memory_bytes: float | None = None,
) -> Scored:
    """The scores behind :func:`learn`: of a table, or as they stand in a score file.

    >>> scored = score_sets("heart", max_size=2)
    >>> scored.table.variables[:3], scored.table.max_size
    (('smoke', 'mental', 'phys'), 2)
    """
    observer = observer or SilentObserver()
    seconds: dict[str, float] = {}
    observer.progress("reading", None, None)
    from_file = isinstance(data, str | Path) and is_score_file(data)
    if from_file or isinstance(data, ScoreTable):
        given = [ess, alpha, columns, drop, counts, discretize]
        if score != "bdeu" or edge_prior or missing != "error" or any(value is not None for value in given):
            raise InputError(
                "Scores are given already, so options of reading and scoring a table do not apply."
            )
        with _timed(seconds, "read"):
            table = read_scores(data) if from_file else data
        return Scored(table, None, seconds)
    if isinstance(score, str):
        function = score_function(score, ess=ess, alpha=alpha, edge_prior=edge_prior)
    elif ess is None and alpha is None and not edge_prior:
        function = score
    else:
        raise InputError("A score function given as an object carries its own ess, alpha and edge_prior.")
    with _timed(seconds, "read"):
        dataset = read(
            data, columns=columns, drop=drop, counts=counts, missing=missing, discretize=discretize
        )
    with _timed(seconds, "score"):
        observer.progress("scoring", None, None)
        table = compute_scores(
            dataset,
            function,
            max_size=max_size,
            threads=threads or usable_threads(),
            progress=lambda done, all_sets: observer.progress(
                "scoring", None, None, f"{done} of {all_sets} sets"
            ),
            deadline=deadline,
            memory_bytes=memory_bytes,
        )
    return Scored(table, dataset.states, seconds)


def usable_threads() -> int:
    """How many threads this process may keep busy."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _result(
    problem: Problem, outcome: Outcome, scored: Scored, *, backend: str, backend_version: str, seed: int
) -> Result:
    table = scored.table
    details = dict(outcome.details)
    details.pop("backend", None)
    sets = int(np.isfinite(problem.values).sum()) - 1
    constraints = problem.constraints.as_json()
    if problem.max_clique < problem.n:
        # Also when it is the score file that stops at this size: optimal then means among such networks.
        constraints["max_clique"] = problem.max_clique
    return build_result(
        variables=table.variables,
        cliques=outcome.cliques,
        score=outcome.score,
        bound=outcome.bound,
        stopped_by=outcome.stopped_by,
        tolerance=outcome.tolerance,
        score_function=table.function,
        backend=backend,
        data_sha256=table.sha256,
        rows=table.rows,
        states=scored.states,
        constraints=constraints,
        encoding=outcome.encoding,
        scaling=None if outcome.scaling is None else asdict(outcome.scaling),
        candidates=details.pop("candidates", {"before": sets, "after": sets}),
        seconds=scored.seconds,
        seed=seed,
        versions={
            "chordlearn": version("chordlearn"),
            "python": platform.python_version(),
            "numpy": np.__version__,
            backend: backend_version,
        },
        data={"source": table.source, "options": table.options},
        runners_up=outcome.runners_up,
        details=details,
    )


def _edges(edges: Iterable[Edge], what: str) -> tuple[Edge, ...]:
    listed = [edges] if isinstance(edges, str) else list(edges)
    for edge in listed:
        if isinstance(edge, str) or len(tuple(edge)) != 2:
            raise InputError(f"{what} takes pairs of names such as [('a', 'b')], but one is {edge!r}.")
    return tuple((str(a), str(b)) for a, b in listed)


def _refuse_not_positive(what: str, value: float | None) -> None:
    if value is not None and not 0 < value < float("inf"):
        raise InputError(f"The {what} must be a positive number, but it is {value}.")


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start
