"""Networks of resampled data: how often does each edge come back?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path
from typing import Annotated, Any, Unpack

import msgspec
import numpy as np

from chordlearn.backends.base.outcome import Observer, SilentObserver
from chordlearn.data import Dataset, read
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError, option
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.evaluation import score_network
from chordlearn.network.result import Result
from chordlearn.parallel import UntilStopped, Workers, with_workers
from chordlearn.pipeline.inputs import DataOptions, chosen_function, holds_scores, rows_progress
from chordlearn.pipeline.learning import learn
from chordlearn.problem.constraints import allows, recorded_constraints
from chordlearn.scores import CustomScore, ScoreFunction
from chordlearn.system.files import LARGEST_BYTES, Lines, read_at_most
from chordlearn.system.json import JsonMixin, parse_json, plain_values
from chordlearn.system.processes import usable_processors
from chordlearn.system.running import StopReason
from chordlearn.system.signals import Held
from chordlearn.system.text import json_text

SCHEMA = "chordlearn/bootstrap@1"


class Replicate(JsonMixin, msgspec.Struct, frozen=True, omit_defaults=True):
    """The best network of one resampled data set; as JSON it is a line of the journal."""

    number: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(name="sample")
    score: float
    status: str
    """`optimal` when it was proved in this run."""
    cliques: tuple[tuple[str, ...], ...]
    from_journal: bool = False
    """Whether it was taken from a journal: scored again, but not proved again."""


class Journal:
    """Appends finished replicates to a file, after those of an earlier run of the same kind."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Open the file; what is in it must come from the same data, score, constraints and seed."""
        self.path = path
        self.earlier: list[Replicate] = []
        expected = plain_values({"schema": SCHEMA, **header})
        try:
            lines = _content(path).splitlines(keepends=True) if path.exists() else []
            # A line that an earlier run could not finish is overwritten, but not the first one.
            whole = [line for line in lines if line.endswith(b"\n")]
            if lines:
                self._resume(whole, expected)
            self._lines = Lines(path, keep=sum(map(len, whole)))
        except OSError as error:
            raise self._unusable(error) from None
        if not whole:
            self._add(expected)

    def add(self, replicate: Replicate) -> None:
        """Append one replicate."""
        self._add(replicate.to_dict())

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def _add(self, document: Mapping[str, Any]) -> None:
        try:
            self._lines.add(json_text(document))
        except OSError as error:
            self.close()
            raise self._unusable(error) from None

    def _resume(self, lines: list[bytes], expected: Mapping[str, Any]) -> None:
        try:
            header, *documents = [parse_json(line.decode()) for line in lines]
        except ValueError:
            raise self.foreign("it is no journal") from None
        if not isinstance(header, dict) or header.get("schema") != SCHEMA:
            raise self.foreign("it is no journal")
        for name, value in expected.items():
            if header.get(name) != value:
                raise self.foreign(f"its {name} is another")
        try:
            self.earlier = msgspec.convert(documents, list[Replicate])
        except msgspec.ValidationError:
            raise self.foreign("a line of it is damaged") from None

    def foreign(self, why: str) -> InputError:
        """What to say of a journal that does not belong to this run."""
        return InputError(f"{self.path} cannot be resumed, because {why}; name another file or delete it.")

    def _unusable(self, error: OSError) -> InputError:
        return InputError(f"{self.path} cannot be written: {error.strerror}; choose another file or folder.")


def _content(path: Path) -> bytes:
    # As it is, because more is appended.
    with path.open("rb") as file:
        return read_at_most(file, LARGEST_BYTES)


SAME_SCORE = 1e-9
"""Relative; two ways to add up the score of one network differ by less."""

MOST_NETWORKS = 100
"""Listed in the JSON."""

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
class Bootstrap(JsonMixin):
    """The networks of resampled data sets, beside the one of the data themselves."""

    original: Result
    replicates: tuple[Replicate, ...]
    seed: int
    samples: int
    """How many were requested; fewer replicates mean that the run was interrupted."""

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
        document = {
            "schema": SCHEMA,
            "samples": len(self.replicates),
            "asked_for": self.samples,
            "proved": self.proved,
            "from_journal": self.from_journal,
            "seed": self.seed,
            **{name: original[name] for name in OF_THE_ORIGINAL},
            "edges": [
                {"edge": edge, "frequency": share, "in_best_network": edge in best}
                for edge, share in self.edges.items()
            ],
            "cliques": [{"clique": clique, "frequency": share} for clique, share in self.cliques.items()],
            "networks": [
                {"cliques": cliques, "frequency": share}
                for cliques, share in islice(self.networks.items(), MOST_NETWORKS)
            ],
        }
        return dict(plain_values(document))

    def __repr__(self) -> str:
        taken = f"{self.from_journal} from a journal, " if self.from_journal else ""
        sizes = f"{len(self.replicates)} networks, {self.proved} proved, {taken}{len(self.edges)} edges seen"
        return f"<Bootstrap: {sizes}>"


class LearnOptions(DataOptions, total=False):
    """What :func:`bootstrap` hands on to :func:`chordlearn.learn`."""

    backend: str
    max_clique: int | None
    require: Iterable[Edge]
    forbid: Iterable[Edge]
    time_limit: float | None


READING = ("columns", "drop", "counts", "weights", "states", "missing", "discretize")
SCORING = ("ess", "alpha", "edge_prior")


@with_workers
def bootstrap(
    data: Any,
    *,
    samples: int = 200,
    seed: int = 0,
    journal: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    cluster: str | Executor | Workers | None = None,
    observer: Observer | None = None,
    score: str | ScoreFunction = "bdeu",
    **options: Unpack[LearnOptions],
) -> Bootstrap:
    """Learn the networks of resampled data sets, each with proof.

    Parameters
    ----------
    data
        The table.
    samples, seed
        How many data sets to draw: as many rows as there are, with replacement; of weighted rows as many as
        the weights sum to, each in proportion to its weight. The i-th depends only on the seed and on i.
    journal
        A file to which every finished network is added (JSON lines). If it has networks of an earlier run
        with the same data, score, constraints and seed, those are scored again but not learned again, and
        do not count as proved.
    threads
        How many networks to learn at a time, one thread each; by default as many as there are processors.
    cluster
        Learn them on a cluster or by an executor, as in :func:`chordlearn.learn`; the networks are the same.
    score, **options
        As in :func:`chordlearn.learn`: how to read the table, the parameters of the score, `backend`,
        `max_clique`, `require`, `forbid`, and `time_limit`, which is for each network.

    Examples
    --------
    >>> found = bootstrap("heart", samples=5)
    >>> found.proved, found.edges["mental", "phys"]
    (5, 1.0)
    """
    if samples < 1:
        raise InputError(f"The number of samples must be at least 1, not {samples}.")
    observer = observer or SilentObserver()
    rest: dict[str, Any] = dict(options)
    function = chosen_function(score, **_popped(rest, SCORING))
    if holds_scores(data):
        raise InputError("Scores have no rows to draw from; give the table that they were computed from.")
    dataset = read(data, progress=rows_progress(observer), **_popped(rest, READING))
    if journal is not None:
        refuse_replacing(journal, dataset.source)
    threads = threads or usable_processors()
    assert cluster is None or isinstance(cluster, Workers)
    if cluster is not None and isinstance(function, CustomScore):
        raise InputError(
            "A score function written in Python does not travel to other processes; "
            f"choose one by name, or leave out {option('cluster')}."
        )
    # They are gone through again for every network.
    rest |= {kind: list(rest[kind]) for kind in ("require", "forbid") if kind in rest}
    observer.progress("learning the network of the data", None, None)
    original = learn(dataset, score=function, threads=threads, **rest)
    if original.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    book = None if journal is None else Journal(Path(journal), _header(original, dataset, seed))
    # The first Ctrl-C ends the row of networks; those that are finished are kept, whenever it comes.
    with Held(patience=1) as interrupts:
        try:
            done = {} if book is None else _from_journal(book, dataset, function, original, seed, samples)
            rows = [(seed, number, function, rest) for number in range(samples) if number not in done]
            with ExitStack() as opened:
                workers = cluster or opened.enter_context(Workers(threads))
                for replicate in _learned(
                    workers, dataset, rows, observer, samples, lambda: interrupts.pressed
                ):
                    done[replicate.number] = replicate
                    if book is not None:
                        book.add(replicate)
        finally:
            if book is not None:
                book.close()
        replicates = tuple(done[number] for number in sorted(done) if number < samples)
        found = Bootstrap(original, replicates, seed, samples)
        interrupts.answer()
    return found


def _popped(options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: options.pop(name) for name in names if name in options}


def resampled(dataset: Dataset, seed: int, number: int) -> Dataset:
    """As many rows as there are, drawn with replacement; every variable keeps all its states."""
    rng = np.random.default_rng([seed, number])
    weights = rng.multinomial(max(1, round(dataset.rows)), dataset.weights / dataset.rows).astype(np.int64)
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


def _from_journal(
    book: Journal, dataset: Dataset, function: ScoreFunction, original: Result, seed: int, samples: int
) -> dict[int, Replicate]:
    """The networks of an earlier run, each scored again on its rows; what it proved is not ours to say."""
    constraints = recorded_constraints(original.constraints)
    found = {}
    for replicate in book.earlier:
        number = replicate.number
        if number >= samples:
            continue
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
