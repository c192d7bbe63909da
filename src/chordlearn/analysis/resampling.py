"""Networks of resampled data: how often does each edge come back?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.analysis.journal import SCHEMA, Journal
from chordlearn.backends.base.outcome import Observer, SilentObserver
from chordlearn.data import Dataset, read
from chordlearn.data.discretize import Discretize
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError, option
from chordlearn.network import ChordalNetwork
from chordlearn.network.evaluation import score_network
from chordlearn.network.result import Result
from chordlearn.parallel import UntilStopped, Workers, with_workers
from chordlearn.pipeline.inputs import telling_rows, usable_threads
from chordlearn.pipeline.learning import learn
from chordlearn.problem.constraints import allows, recorded_constraints
from chordlearn.scores import CustomScore, ScoreFunction, ScoreTable, is_score_file, score_function
from chordlearn.system.json import JsonMixin
from chordlearn.system.running import StopReason
from chordlearn.system.signals import Held

SAME_SCORE = 1e-9
"""Relative; two ways to add up the score of one network differ by less."""

OF_THE_ORIGINAL = (
    "score_function",
    "constraints",
    "data",
    "data_sha256",
    "variables",
    "score",
    "status",
)

Edge = tuple[str, str]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Replicate(JsonMixin):
    """The best network of one resampled data set."""

    number: int
    score: float
    status: str
    """`optimal` when it was proved in this run."""
    cliques: tuple[Names, ...]
    from_journal: bool = False
    """Whether it was taken from a journal: scored again, but not proved again."""

    def to_dict(self) -> dict[str, Any]:
        """A line of the journal, as plain JSON values."""
        return {
            "sample": self.number,
            "score": self.score,
            "status": self.status,
            "cliques": [list(clique) for clique in self.cliques],
        }


@dataclass(frozen=True)
class Bootstrap(JsonMixin):
    """The networks of resampled data sets, beside the one of the data themselves."""

    original: Result
    replicates: tuple[Replicate, ...]
    seed: int
    samples: int
    """How many were asked for; fewer replicates mean that the run was interrupted."""

    @property
    def proved(self) -> int:
        """How many of the networks were proved optimal in this run."""
        return sum(replicate.status == "optimal" for replicate in self.replicates)

    @property
    def from_journal(self) -> int:
        """How many of the networks were taken from a journal: scored again, but not proved again."""
        return sum(replicate.from_journal for replicate in self.replicates)

    @cached_property
    def edges(self) -> dict[Edge, float]:
        """The share of networks that have an edge, for every edge that occurs; the commonest first."""
        return self._shares(
            edge for r in self.replicates for edge in {e for c in r.cliques for e in combinations(c, 2)}
        )

    @cached_property
    def cliques(self) -> dict[Names, float]:
        """The share of networks that have a maximal clique; the commonest first."""
        return self._shares(clique for r in self.replicates for clique in r.cliques)

    @cached_property
    def networks(self) -> dict[tuple[Names, ...], float]:
        """The share of each network, given by its cliques; the commonest first."""
        return self._shares(r.cliques for r in self.replicates)

    def _shares(self, items: Iterable[Any]) -> dict[Any, float]:
        counted = Counter(items)
        order = sorted(counted, key=lambda item: (-counted[item], item))
        return {item: counted[item] / len(self.replicates) for item in order}

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        best = set(self.original.edges)
        original = self.original.to_dict()
        return {
            "schema": SCHEMA,
            "samples": len(self.replicates),
            "asked_for": self.samples,
            "proved": self.proved,
            "from_journal": self.from_journal,
            "seed": self.seed,
            **{name: original[name] for name in OF_THE_ORIGINAL},
            "edges": [
                {"edge": list(edge), "frequency": share, "in_best_network": edge in best}
                for edge, share in self.edges.items()
            ],
            "cliques": [
                {"clique": list(clique), "frequency": share} for clique, share in self.cliques.items()
            ],
            "networks": [
                {"cliques": [list(clique) for clique in cliques], "frequency": share}
                for cliques, share in list(self.networks.items())[:100]
            ],
        }

    def __repr__(self) -> str:
        """One line."""
        taken = f"{self.from_journal} from a journal, " if self.from_journal else ""
        sizes = f"{len(self.replicates)} networks, {self.proved} proved, {taken}{len(self.edges)} edges seen"
        return f"<Bootstrap: {sizes}>"


@with_workers
def bootstrap(
    data: Any,
    *,
    samples: int = 200,
    seed: int = 0,
    journal: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: str | Executor | Workers | None = None,
    observer: Observer | None = None,
    score: str | ScoreFunction = "bdeu",
    ess: float | None = None,
    alpha: float | None = None,
    edge_prior: float = 0.0,
    backend: str = "auto",
    max_clique: int | None = None,
    require: Iterable[Edge] = (),
    forbid: Iterable[Edge] = (),
    time_limit: float | None = None,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] | None = None,
    counts: str | None = None,
    missing: str = "error",
    discretize: Discretize | None = None,
) -> Bootstrap:
    """Learn the networks of resampled data sets, each with proof.

    Parameters
    ----------
    data, columns, drop, counts, missing, discretize
        The data and how to read them; see :func:`chordlearn.read`.
    samples, seed
        How many data sets to draw: as many rows as there are, with replacement. The i-th depends only on the
        seed and on i.
    journal
        A file to which every finished network is added (JSON lines). If it has networks of an earlier run
        with the same data, score, constraints and seed, those are scored again but not learned again, and
        do not count as proved.
    jobs
        How many networks to learn at a time, one thread each; by default as many as there are processors.
    cluster
        Learn them on a cluster or by an executor, as in :func:`chordlearn.learn`; the networks are the same.
    score, ess, alpha, edge_prior, backend, max_clique, require, forbid, time_limit
        As in :func:`chordlearn.learn`; the time limit is for each network.

    Examples
    --------
    >>> found = bootstrap("heart", samples=5)
    >>> found.proved, found.edges["mental", "phys"]
    (5, 1.0)
    """
    if samples < 1:
        raise InputError(f"The number of samples must be at least 1, not {samples}.")
    if isinstance(score, str):
        function = score_function(score, ess=ess, alpha=alpha, edge_prior=edge_prior)
    elif ess is None and alpha is None and not edge_prior:
        function = score
    else:
        raise InputError("A score function given as an object carries its own ess, alpha and edge_prior.")
    if isinstance(data, ScoreTable) or (isinstance(data, str | Path) and is_score_file(data)):
        raise InputError("Scores have no rows to draw from; give the table that they were computed from.")
    observer = observer or SilentObserver()
    dataset = read(
        data,
        columns=columns,
        drop=drop,
        counts=counts,
        missing=missing,
        discretize=discretize,
        progress=telling_rows(observer),
    )
    if journal is not None:
        refuse_replacing(journal, dataset.source)
    jobs = jobs or usable_threads()
    assert cluster is None or isinstance(cluster, Workers)
    if cluster is not None and isinstance(function, CustomScore):
        raise InputError(
            "A score function written in Python does not travel to other processes; "
            f"choose one by name, or leave out {option('cluster')}."
        )
    options: dict[str, Any] = {
        "backend": backend,
        "max_clique": max_clique,
        "require": list(require),
        "forbid": list(forbid),
        "time_limit": time_limit,
    }
    observer.progress("learning the network of the data", None, None)
    original = learn(dataset, score=function, threads=jobs, **options)
    if original.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    book = None if journal is None else Journal(Path(journal), _header(original, dataset, seed))
    # The first Ctrl-C ends the row of networks; those that are finished are kept, whenever it comes.
    with Held(patience=1) as interrupts:
        try:
            done = {} if book is None else _taken_up(book, dataset, function, original, seed, samples)
            wanted = [number for number in range(samples) if number not in done]
            rows = [(seed, number, function, options) for number in wanted]
            with ExitStack() as opened:
                workers = cluster or opened.enter_context(Workers(jobs))
                for replicate in _learned(
                    workers, dataset, rows, observer, samples, lambda: interrupts.pressed
                ):
                    done[replicate.number] = replicate
                    if book is not None:
                        book.add(replicate.to_dict())
        finally:
            if book is not None:
                book.close()
        replicates = tuple(done[number] for number in sorted(done) if number < samples)
        found = Bootstrap(original, replicates, seed, samples)
        interrupts.answer()
    return found


def resampled(dataset: Dataset, seed: int, number: int) -> Dataset:
    """As many rows as there are, drawn with replacement; every variable keeps all its states."""
    rng = np.random.default_rng([seed, number])
    weights = rng.multinomial(dataset.rows, dataset.weights / dataset.rows).astype(np.int64)
    drawn = weights > 0
    return Dataset(dataset.variables, dataset.states, dataset.codes[drawn], weights[drawn])


def _learned(
    workers: Workers,
    dataset: Dataset,
    rows: list[tuple[Any, ...]],
    observer: Observer,
    samples: int,
    stop: Callable[[], bool],
) -> Iterator[Replicate]:
    """Networks as they are finished; ``stop`` ends the row of them."""
    left = len(rows)
    observer.progress("resampling", None, None, f"{samples - left} of {samples} networks")
    try:
        for _, found in workers.run(learn_replicate, rows, dataset, stop):
            left -= 1
            observer.progress("resampling", None, None, f"{samples - left} of {samples} networks")
            if found is not None:
                yield found
    except KeyboardInterrupt:
        # Where signals are handled otherwise, as by an observer that ends the run.
        return


def learn_replicate(
    dataset: Dataset, seed: int, number: int, function: ScoreFunction, options: Mapping[str, Any]
) -> Replicate | None:
    """Draw a data set and learn its network; None if that was stopped."""
    drawn = resampled(dataset, seed, number)
    result = learn(drawn, score=function, threads=1, observer=UntilStopped(), **options)
    if result.status == "none" or result.stopped_by == "interrupted":
        return None
    return Replicate(number, result.score, result.status, result.cliques)


def _taken_up(
    book: Journal, dataset: Dataset, function: ScoreFunction, original: Result, seed: int, samples: int
) -> dict[int, Replicate]:
    """The networks of an earlier run, each scored again on its rows; what it proved is not ours to say."""
    constraints = recorded_constraints(original.constraints)
    found = {}
    for replicate in map(_from_json, book.earlier):
        if replicate.number >= samples:
            continue
        number = replicate.number
        try:
            network = ChordalNetwork.from_cliques(dataset.variables, replicate.cliques)
        except InputError:
            raise book.foreign(f"its network of sample {number} is not chordal") from None
        if not allows(constraints, network.variables, network.masks):
            raise book.foreign(f"its network of sample {number} breaks the constraints")
        score = score_network(network, resampled(dataset, seed, number), function)
        if not abs(score - replicate.score) <= SAME_SCORE * max(1.0, abs(score)):
            raise book.foreign(f"its network of sample {number} does not score what it says")
        found[number] = Replicate(number, score, "feasible", network.cliques, from_journal=True)
    return found


def _header(original: Result, dataset: Dataset, seed: int) -> dict[str, Any]:
    return {
        "data_sha256": dataset.sha256,
        "variables": list(dataset.variables),
        "score_function": original.to_dict()["score_function"],
        "constraints": original.to_dict()["constraints"],
        "seed": seed,
    }


def _from_json(document: Mapping[str, Any]) -> Replicate:
    cliques = tuple(tuple(clique) for clique in document["cliques"])
    return Replicate(document["sample"], float(document["score"]), document["status"], cliques)
