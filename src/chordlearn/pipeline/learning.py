"""From anything readable to the best network: the whole way in one function."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from chordlearn.backends.base.outcome import Limits, Observer, SilentObserver
from chordlearn.backends.base.registry import Backend, load_backend
from chordlearn.backends.base.run import SHORTEST_SECONDS, Follower, Options, Run
from chordlearn.backends.engine.auto import Auto, can_do_without_table
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import BackendError, InputError, StoppedError, option
from chordlearn.network.result import Result
from chordlearn.parallel import Workers, with_workers
from chordlearn.pipeline.assembling import assemble
from chordlearn.pipeline.checkpoints import (
    EVERY_SECONDS,
    Checkpoint,
    CheckpointWriter,
    Identity,
    read_checkpoint,
)
from chordlearn.pipeline.inputs import DataOptions, Input, check_numbers, read_input, score_input, timed
from chordlearn.pipeline.rereading import keep_data
from chordlearn.pipeline.solving import solve, taken_up
from chordlearn.problem.constraints import Constraints, Edge, index_constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import CustomScore, ScoreFunction, ScoreTable
from chordlearn.system.processes import usable_processors

LAST_SECONDS = 0.2


@with_workers
def learn(
    data: Any,
    *,
    score: str | ScoreFunction = "bdeu",
    max_clique: int | None = None,
    require: Iterable[Edge] = (),
    forbid: Iterable[Edge] = (),
    backend: str = "auto",
    encoding: str | None = None,
    reduce: bool = True,
    top: int = 1,
    starts: int = 1,
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    cluster: str | Executor | Workers | None = None,
    proof: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = EVERY_SECONDS,
    resume: str | os.PathLike[str] | None = None,
    observer: Observer | None = None,
    **options: Unpack[DataOptions],
) -> Result:
    """Learn the chordal Markov network with the highest score, and prove it.

    Of networks whose scores cannot be distinguished it returns the simplest: with the fewest edges, then the
    one whose sorted edges come first in the order of the columns. ``details["ties"]`` says how many there
    are.

    A run that cannot go on ends with the best network so far and an ``UnfinishedWarning`` that says why. When
    a backend claims what is not true, ``FalseClaimError`` is raised, with the best network that was checked
    here as ``result``.

    Parameters
    ----------
    data
        A path (a table or a score file), a pattern or a list of paths, a bundled name, a data frame, an
        array, a `Dataset`, a `ScoreTable`; see :func:`chordlearn.read`.
    score
        The score function by name or as an object. A name may come with its parameters: `ess`, the equivalent
        sample size of BDeu, `alpha`, the cell parameter of Dirichlet, and `edge_prior`, the log prior odds of
        each edge.
    max_clique, require, forbid
        The largest clique allowed (by default any), edges that must be there, edges that must not: pairs of
        names.
    backend, encoding, reduce
        What solves the problem, with which constraint model, and whether the candidates are reduced first.
    top
        How many of the best networks to return, where the backend can; all but the first are `runners_up`.
    starts, seed
        Search from so many seeds, ``seed`` and those after it, and take the best network. The seed is that of
        all that is random.
    time_limit, memory_limit, threads
        Seconds, gigabytes and threads (by default all) that may be used.
    cluster
        Who helps: `"local:4"` for that many worker processes here, or the address of a dask scheduler
        (`"tcp://host:8786"`), both with the extra `dask`; an executor of `concurrent.futures`; or open
        :class:`chordlearn.parallel.Workers`. The result is the same as without.
    proof
        A new folder for a proof of optimality that others can check; see :func:`chordlearn.verify`. If the
        network can be learned but not proved in this way, ``ProofError`` is raised with it as ``result``.
    checkpoint, checkpoint_every
        A file to which the best network so far and the state of the search are written, and how many seconds
        lie between; a file that cannot be written is warned of and does not end the run.
    resume
        A checkpoint to go on from, made with the same data, score and constraints. It may be the same file as
        ``checkpoint``, which then need not exist yet.
    observer
        Sees how the run goes.
    **options
        The parameters of the score, and how to read the table: `columns`, `drop`, `counts`, `weights`,
        `states`, `missing` and `discretize` of :func:`chordlearn.read`.

    Examples
    --------
    >>> result = learn({"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9, "coin": [0, 1, 0, 1] * 9})
    >>> result
    <Result: optimal, proved; score -56.828664; 3 variables, 1 edge, 2 cliques>
    >>> result.cliques
    (('rain', 'wet'), ('coin',))
    """
    assert cluster is None or isinstance(cluster, Workers)
    request = _Request(
        started=time.monotonic(),
        backend=_usable(backend),
        options=Options(reduce, top, encoding, starts, prove=proof is not None),
        constraints=Constraints(max_clique, _edges(require, "require"), _edges(forbid, "forbid")),
        time_limit=time_limit,
        memory_limit=memory_limit,
        threads=usable_processors() if threads is None else threads,
        seed=seed,
        observer=observer or SilentObserver(),
        workers=cluster,
        checkpoint=None if checkpoint is None else Path(checkpoint),
        checkpoint_every=checkpoint_every,
        resume=None if resume is None else Path(resume),
    )
    given = read_input(
        data,
        score=score,
        observer=request.observer,
        deadline=request.deadline,
        memory_bytes=request.memory_bytes,
        **options,
    )
    index_constraints(given.variables, request.constraints)
    if given.data is not None and given.dataset.has_gaps:
        return _learn_with_gaps(given, request)
    if checkpoint is not None:
        refuse_replacing(checkpoint, given.described.source)
    if proof is not None:
        from chordlearn.pipeline.proving import check_provable, prove

        check_provable(proof, given, max_clique)
    problem, solver = _state(given, request)
    run, writer = _begin(given, problem, solver, request)
    with timed(given.seconds, "solve"):
        outcome = solve(run, solver)
    if writer is not None:
        writer.write()
    result = assemble(given, run, outcome, solver.name, request.constraints, request.resumed, writer)
    if given.data is not None:
        keep_data(result, given.dataset)
    if proof is not None:
        score_all = partial(_score_all, given, request)
        prove(proof, result, given, problem, score_all, request.limits, request.options, run.prices)
    return result


def _learn_with_gaps(given: Input, request: _Request) -> Result:
    """The network of rows with missing values, from which no more than a local optimum can be promised."""
    from chordlearn.pipeline.expectation import learn_with_gaps

    options, constraints = request.options, request.constraints
    refused = {
        "proof": options.prove,
        "top": options.top > 1,
        "checkpoint": request.checkpoint is not None,
        "resume": request.resume is not None,
    }
    for name, is_asked in refused.items():
        if is_asked:
            raise InputError(
                f"With missing values nothing is proved of the whole, nor kept on the way; "
                f"leave out {option(name)}."
            )
    asked = {
        "max_clique": constraints.max_clique,
        "require": constraints.required,
        "forbid": constraints.forbidden,
        "backend": request.backend.name,
        "encoding": options.encoding,
        "reduce": options.reduce,
        "starts": options.starts,
        "seed": request.seed,
        "memory_limit": request.memory_limit,
        "threads": request.threads,
        "cluster": request.workers,
    }
    result = learn_with_gaps(
        given.dataset, given.function, asked, request.deadline, request.observer, given.seconds
    )
    keep_data(result, given.dataset)
    return result


@dataclass
class _Request:
    """What a caller asks for, but for what is read; refused at once if it makes no sense."""

    started: float
    backend: Backend
    options: Options
    constraints: Constraints
    time_limit: float | None
    memory_limit: float | None
    threads: int
    seed: int
    observer: Observer
    workers: Workers | None
    checkpoint: Path | None
    checkpoint_every: float
    resume: Path | None
    resumed: Checkpoint | None = None
    is_late: bool = False
    """Whether the time limit passed before the problem was known."""

    def __post_init__(self) -> None:
        check_numbers(
            self.seed,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            threads=self.threads,
            max_clique=self.constraints.max_clique,
            top=self.options.top,
            starts=self.options.starts,
            checkpoint_every=self.checkpoint_every,
        )
        self._refuse_unsupported()
        if self.resume is not None and not self._is_first_of_a_row(self.resume):
            self.resumed = read_checkpoint(self.resume)

    def _refuse_unsupported(self) -> None:
        """Refuse what the backend cannot do anyway."""
        able, name, options = self.backend.capabilities, self.backend.name, self.options
        if options.encoding is not None and not able.encodings:
            raise InputError(
                f"The backend {name} has no encodings; leave {option('encoding')} out or name a solver."
            )
        if options.starts > 1 and not able.starts:
            raise InputError(
                f"The backend {name} does not search from several seeds; leave {option('starts')} out, "
                f"or give {option('backend', 'search')}."
            )
        if options.top > 1 and not able.runners_up:
            raise InputError(
                f"The backend {name} gives one network; leave {option('top')} out, "
                f"or give {option('backend', 'native')}."
            )

    def _is_first_of_a_row(self, resume: Path) -> bool:
        """Whether this is the first of several runs with the same file, which is not there yet."""
        written = self.checkpoint
        return written is not None and written.resolve() == resume.resolve() and not resume.exists()

    @property
    def deadline(self) -> float | None:
        """When the whole of it must be over, by `time.monotonic`."""
        return None if self.time_limit is None else self.started + self.time_limit

    @property
    def memory_bytes(self) -> int | None:
        """The memory limit in bytes."""
        return None if self.memory_limit is None else int(self.memory_limit * 1e9)

    @property
    def limits(self) -> Limits:
        """What is left to spend."""
        # Some solvers take 0 for no limit.
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), SHORTEST_SECONDS)
        return Limits(left, self.memory_bytes, self.threads, self.seed)


def _state(given: Input, request: _Request) -> tuple[Problem, Backend]:
    """The problem without columns that never vary, all sets scored if that can be; and who solves it."""
    backend, constraints = request.backend, request.constraints
    constant = given.neutral_constants(name for edge in constraints.required for name in edge)
    varying = given.without(constant)
    if constant:
        constraints = constraints.among(varying.variables)
    if given.is_wide or _may_spare_the_table(varying, request):
        assert varying.data is not None
        return make_problem(varying.data, constraints), backend
    try:
        return make_problem(_score_all(varying, request), constraints), backend
    except StoppedError:
        if varying.data is None or isinstance(varying.function, CustomScore):
            raise
        # There is no time to score all sets, but a simple network takes next to none.
        request.is_late = True
        from chordlearn.backends.search.local import Search

        return make_problem(varying.data, constraints), Search()


def _may_spare_the_table(given: Input, request: _Request) -> bool:
    """Whether the backend may do without scoring all sets, which takes longest."""
    options = request.options
    return (
        request.backend.name == Auto.name
        and given.data is not None
        and can_do_without_table(given.data)
        and request.workers is None
        and (options.reduce, options.top, options.encoding, options.prove) == (True, 1, None, False)
    )


def _score_all(given: Input, request: _Request) -> ScoreTable:
    return score_input(
        given,
        max_size=request.constraints.max_clique,
        threads=request.threads,
        observer=request.observer,
        deadline=request.deadline,
        memory_bytes=request.memory_bytes,
        workers=request.workers,
    )


def _begin(
    given: Input, problem: Problem, backend: Backend, request: _Request
) -> tuple[Run, CheckpointWriter | None]:
    """The run, which goes on from a checkpoint if there is one, and what writes the next."""
    identity, kind, resumed = (
        _identity(given, problem, request),
        _kind(problem, backend, request),
        request.resumed,
    )
    if resumed is not None and request.resume is not None:
        resumed.refuse_other(identity, request.resume)
    request.observer.progress("solving", None, None)
    run = Run(
        problem,
        # What comes too late to score all sets has but a moment.
        replace(request.limits, seconds=LAST_SECONDS) if request.is_late else request.limits,
        request.options,
        observers=[request.observer],
        workers=request.workers,
        start=None if resumed is None else taken_up(resumed, problem),
        state=None if resumed is None else resumed.state(kind, request.seed),
    )
    if isinstance(request.observer, Follower):
        request.observer.follow(run)
    if request.checkpoint is None:
        return run, None
    writer = CheckpointWriter(
        run,
        identity,
        request.checkpoint,
        kind=kind,
        every=request.checkpoint_every,
        seconds_before=0.0 if resumed is None else resumed.seconds,
    )
    run.observers.append(writer)
    return run, writer


def _kind(problem: Problem, backend: Backend, request: _Request) -> str:
    """For which search the state in a checkpoint is."""
    if request.options.starts > 1:
        return "starts"
    return backend.name if problem.table is not None else "waves"


def _identity(given: Input, problem: Problem, request: _Request) -> Identity:
    constraints = replace(problem.constraints, max_clique=request.constraints.max_clique)
    described = given.described
    stated: dict[str, Any] = constraints.as_json()
    for kind in ("required", "forbidden"):
        # Their order means nothing.
        stated[kind] = sorted(map(sorted, stated[kind]))
    return Identity(problem.variables, described.sha256, dict(described.function), stated)


def _usable(name: str) -> Backend:
    backend = load_backend(name)
    found = backend.probe()
    if not found.available:
        raise BackendError(
            f"The backend {name!r} cannot run here: {found.reason} {found.how_to_get}".rstrip()
        )
    return backend


def _edges(edges: Iterable[Edge], what: str) -> tuple[Edge, ...]:
    listed = [edges] if isinstance(edges, str) else list(edges)
    for edge in listed:
        if isinstance(edge, str) or len(tuple(edge)) != 2:
            raise InputError(f"{what} takes pairs of names such as [('a', 'b')], but one is {edge!r}.")
    return tuple((str(a), str(b)) for a, b in listed)
