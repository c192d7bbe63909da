"""From anything readable to the best network: the whole way in one function."""

from __future__ import annotations

import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import asdict, replace
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.backends.base.outcome import (
    DEFAULT_TOLERANCE,
    FINISHING,
    Limits,
    Observer,
    Outcome,
    SilentObserver,
)
from chordlearn.backends.base.registry import load_backend
from chordlearn.backends.base.run import PROOF
from chordlearn.backends.base.tolerance import rounding_of_sum
from chordlearn.backends.search.cuts import Cuts
from chordlearn.backends.search.local import Search
from chordlearn.backends.search.starts import search_from_seeds
from chordlearn.backends.search.wide_blocks import solve_in_blocks
from chordlearn.backends.search.wide_run import run_wide, scores_of
from chordlearn.backends.solvers.constraint_run import ROUNDING
from chordlearn.certificate.proofs.claim import is_proof
from chordlearn.certificate.results.claims import largest_tolerance
from chordlearn.data.copies import constant_columns, copies
from chordlearn.data.discretize import Discretize
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import (
    BackendError,
    ChordlearnError,
    ContradictionError,
    FalseClaimError,
    InputError,
    ProofError,
    StoppedError,
    TooLargeError,
    UnfinishedWarning,
    option,
)
from chordlearn.graphs import separators
from chordlearn.network.result import Result, build_result
from chordlearn.parallel import Workers, with_workers
from chordlearn.pipeline.checkpoint import (
    EVERY_SECONDS,
    Checkpoint,
    CheckpointWarning,
    Identity,
    Keeper,
    read_checkpoint,
)
from chordlearn.pipeline.inputs import Input, read_input, score_input, timed, usable_threads
from chordlearn.problem.constraints import Constraints, Edge, index_constraints
from chordlearn.problem.problem import make_problem
from chordlearn.problem.wide import default_max_clique, make_wide_problem
from chordlearn.proof import (
    LATE_PROOF,
    check_place,
    check_size,
    cuts_prove_best,
    write_proof,
    write_proof_by_cuts,
)
from chordlearn.scores import CustomScore, ScoreFunction, ScoreTable
from chordlearn.system.running import INTERRUPTED, DeadlinePassed, ending_at

SHORTEST_SECONDS = 0.001
LARGEST_SEED = 2**63
LAST_SECONDS = 0.2
TOO_LARGE = "too large"
"""Why a run ends that found a network, when the rest of the problem is more than it can hold."""

Scores = Callable[[list[int]], list[float]]
"""Of sets of variables, given as masks."""


@with_workers
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
    discretize: Discretize | None = None,
    proof: str | os.PathLike[str] | None = None,
    starts: int = 1,
    cluster: str | Executor | Workers | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = EVERY_SECONDS,
    resume: str | os.PathLike[str] | None = None,
    observer: Observer | None = None,
) -> Result:
    """Learn the chordal Markov network with the highest score, and prove it.

    Of networks whose scores cannot be told apart it returns the simplest: with the fewest edges, then the one
    whose sorted edges come first in the order of the columns. ``details["ties"]`` says how many there are.

    A run that cannot go on ends with the best network so far and an ``UnfinishedWarning`` that says why. When
    a backend claims what is not true, ``FalseClaimError`` is raised, with the best network that was checked
    here as ``result``.

    Parameters
    ----------
    data
        A path (a table or a score file), a pattern or a list of paths, a bundled name, a data frame, an
        array, a `Dataset`, a `ScoreTable`; see :func:`chordlearn.read`.
    score, ess, alpha, edge_prior
        The score function by name or as an object, the equivalent sample size of BDeu, the cell parameter of
        Dirichlet, and the log prior odds of each edge.
    backend, encoding, reduce
        What solves the problem, with which constraint model, and whether the candidates are reduced first.
    max_clique, require, forbid
        The largest clique allowed (by default any up to 25 variables, else as many as the rows support, at
        most 10), edges that must be there, edges that must not: pairs of names.
    time_limit, memory_limit, threads, seed
        Seconds, gigabytes and threads (by default all) that may be used, and the seed of what is random.
    top
        How many of the best networks to return, where the backend can; all but the first are `runners_up`.
    columns, drop, counts, missing, discretize
        How to read the table; see :func:`chordlearn.read`.
    proof
        A new folder for a proof of optimality that others can check; see :func:`chordlearn.verify`. If the
        network can be learned but not proved in this way, ``ProofError`` is raised with it as ``result``.
    starts
        Search from so many seeds, ``seed`` and those after it, and take the best network.
    cluster
        Who helps: `"local:4"` for that many worker processes here, or the address of a dask scheduler
        (`"tcp://host:8786"`), both with the extra `dask`; an executor of `concurrent.futures`; or open
        :class:`chordlearn.parallel.Workers`. The result is the same as without.
    checkpoint, checkpoint_every
        A file to which the best network so far and the state of the search are written, and how many seconds
        lie between; a file that cannot be written is warned of and does not end the run.
    resume
        A checkpoint to go on from, made with the same data, score and constraints. It may be the same file as
        ``checkpoint``, which then need not exist yet.
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
    _refuse_not_positive("number of starts", starts)
    if not 0 <= seed < LARGEST_SEED:
        raise InputError(f"The seed must be a whole number from 0 to {LARGEST_SEED - 1}, but it is {seed}.")
    _refuse_not_positive("interval of checkpoints", checkpoint_every)
    threads = threads or usable_threads()
    solver = load_backend(backend)
    found = solver.probe()
    if not found.available:
        raise BackendError(
            f"The backend {backend!r} cannot run here: {found.reason} {found.how_to_get}".rstrip()
        )
    assert cluster is None or isinstance(cluster, Workers)
    resumed = _read_resumed(resume, checkpoint)
    observer = observer or SilentObserver()
    constraints = Constraints(max_clique, _edges(require, "require"), _edges(forbid, "forbid"))
    deadline = None if time_limit is None else start + time_limit
    memory_bytes = None if memory_limit is None else int(memory_limit * 1e9)
    given = read_input(
        data,
        score=score,
        ess=ess,
        alpha=alpha,
        edge_prior=edge_prior,
        columns=columns,
        drop=drop,
        counts=counts,
        missing=missing,
        discretize=discretize,
        observer=observer,
        deadline=deadline,
        memory_bytes=memory_bytes,
    )
    index_constraints(given.variables, constraints)
    aside = given.neutral_constants(name for edge in constraints.required for name in edge)
    solved, inner = given.without(aside), constraints
    if aside:
        inner = constraints.among(solved.variables)
    described = given.described
    if checkpoint is not None:
        refuse_replacing(checkpoint, described.source)
    identity = Identity(solved.variables, described.sha256, described.function, inner.as_json())
    if resumed is not None and resume is not None:
        resumed.refuse_other(identity, Path(resume))
    keeper = Keeper(
        observer,
        identity,
        seed=seed,
        path=None if checkpoint is None else Path(checkpoint),
        every=checkpoint_every,
        resumed=resumed,
    )
    cuts_can_prove = given.data is not None and not isinstance(given.function, CustomScore)
    if proof is not None:
        check_place(proof)
        check_size(len(given.variables), max_clique if cuts_can_prove else None)

    def limits() -> Limits:
        # The limit is for the whole run, and some solvers take 0 for none.
        left = None if deadline is None else max(deadline - time.monotonic(), SHORTEST_SECONDS)
        return Limits(seconds=left, memory_bytes=memory_bytes, threads=threads, seed=seed)

    def finished(run: Callable[[], Outcome]) -> Outcome:
        """The outcome of a run, or of what it came to if Ctrl-C broke it off outside of a watched part."""
        whole: Outcome | None = None
        try:
            outcome = whole = run()
            if outcome.cliques is None and outcome.stopped_by == INTERRUPTED:
                outcome = keeper.best_so_far(INTERRUPTED) or outcome
            observer.progress(FINISHING, outcome.score, outcome.bound)
        except KeyboardInterrupt:
            so_far = keeper.best_so_far(INTERRUPTED)
            if whole is not None and whole.cliques is not None:
                so_far = replace(whole, stopped_by=INTERRUPTED)
            if so_far is None:
                raise
            outcome = so_far
            observer.progress(FINISHING, outcome.score, outcome.bound)
        except (TooLargeError, BackendError) as failure:
            so_far = keeper.best_so_far(TOO_LARGE if isinstance(failure, TooLargeError) else str(failure))
            if so_far is None:
                raise
            outcome = replace(so_far, failure=failure)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            if keeper.recall_state() is None:
                raise
            raise InputError(
                f"The state of the search in the checkpoint cannot be taken up ({error}); "
                f"name another file, or leave {option('resume')} out."
            ) from None
        return keeper.finish(outcome)

    def prove_by_cuts(result: Result, largest: int | None) -> None:
        if proof is not None:
            observer.progress("proving", None, None)

            def write() -> None:
                # What is proved is the whole network, constant columns included.
                limited = replace(constraints, max_clique=largest)
                wide = make_wide_problem(given.dataset, given.function, limited)
                write_proof_by_cuts(proof, result, wide, deadline=deadline)

            _prove(proof, result, write, deadline)

    def search_wide(limits: Limits) -> Result:
        to_the_end = backend == Cuts.name or proof is not None
        wide = make_wide_problem(solved.dataset, solved.function, inner)
        largest = max_clique
        if solved.is_wide and max_clique is None:
            largest = default_max_clique(solved.dataset, wide.required)
            wide = replace(wide, constraints=replace(inner, max_clique=largest))
        with timed(given.seconds, "search"):
            outcome = finished(
                lambda: run_wide(wide, limits, keeper, cluster=cluster, starts=starts, prove=to_the_end)
            )
        # The forest of largest weight is optimal by itself; nothing was cut.
        by_cuts = outcome.stopped_by == PROOF and not outcome.details.get("forest")
        used = Cuts() if by_cuts else Search()
        if largest != max_clique:
            chosen = {"default_max_clique": largest}
            outcome = replace(outcome, details={**outcome.details, **chosen})
        result = _result(
            given,
            solved,
            outcome,
            scores_of(wide),
            replace(constraints, max_clique=largest).as_json(),
            None,
            backend=used.name,
            version=used.probe().version,
            seed=seed,
        )
        prove_by_cuts(result, largest)
        return result

    if solved.is_wide and backend in ("auto", Search.name, Cuts.name):
        return search_wide(limits())
    options = {"reduce": reduce, "top": top} | ({} if encoding is None else {"encoding": encoding})
    if solved.is_wide and max_clique is not None:
        wide = make_wide_problem(solved.dataset, solved.function, inner)
        with timed(given.seconds, "solve"):
            keeper.begin(backend, wide.constraints, scores_of(wide))
            outcome = finished(lambda: solve_in_blocks(wide, solver, limits(), keeper, **options))
        result = _result(
            given,
            solved,
            outcome,
            scores_of(wide),
            constraints.as_json(),
            None,
            backend=backend,
            version=found.version,
            seed=seed,
        )
        prove_by_cuts(result, max_clique)
        return result

    def score_all(given: Input) -> ScoreTable:
        return score_input(
            given,
            max_size=max_clique,
            threads=threads,
            observer=observer,
            deadline=deadline,
            memory_bytes=memory_bytes,
            workers=cluster,
        )

    try:
        table = score_all(solved)
    except StoppedError:
        if isinstance(solved.function, CustomScore):
            raise
        # There is no time to score all sets, but a simple network takes next to none.
        return search_wide(replace(limits(), seconds=LAST_SECONDS))
    problem = make_problem(table, inner)
    observer.progress("solving", None, None)
    several = starts > 1 and backend == Search.name

    def scores_of_sets(masks: list[int]) -> list[float]:
        return [float(value) for value in problem.values[masks]]

    keeper.begin("starts" if several else backend, inner, scores_of_sets)

    def solve() -> Outcome:
        if not several:
            return solver.solve(problem, limits(), keeper, **options)
        with ExitStack() as opened:
            workers = cluster or opened.enter_context(Workers(threads))
            return search_from_seeds(workers, problem, limits(), keeper, starts=starts)

    with timed(given.seconds, "solve"):
        outcome = finished(solve)
    if outcome.cliques is None and outcome.stopped_by == "infeasible":
        raise ContradictionError(
            "No chordal network satisfies the constraints; require or forbid less, or allow larger cliques."
        )
    used = outcome.details.get("backend", backend)
    used_version = found.version if used == backend else load_backend(used).probe().version
    stated = constraints.as_json()
    if problem.max_clique < problem.n:
        # Also when it is the score file that stops at this size: optimal then means among such networks.
        stated["max_clique"] = problem.max_clique
    sets = int(np.isfinite(problem.values).sum()) - 1
    candidates = {"before": sets, "after": sets}
    result = _result(
        given,
        solved,
        outcome,
        scores_of_sets,
        stated,
        candidates,
        backend=used,
        version=used_version,
        seed=seed,
    )
    if (
        proof is not None
        and cuts_can_prove
        and cuts_prove_best(len(given.variables), max_clique, reduce=reduce)
    ):
        prove_by_cuts(result, max_clique)
    elif proof is not None:
        observer.progress("proving", None, None)

        def write() -> None:
            whole = make_problem(score_all(given), constraints) if aside else problem
            write_proof(proof, result, whole, reduce=reduce, deadline=deadline)

        _prove(proof, result, write, deadline)
    return result


def _prove(
    directory: str | os.PathLike[str], result: Result, write: Callable[[], None], deadline: float | None
) -> None:
    """Write the proof; if that fails, the network that was learned is not lost."""
    try:
        with ending_at(deadline):
            write()
    except ChordlearnError as error:
        raise ProofError(error.sentence, result) from None
    except (KeyboardInterrupt, DeadlinePassed) as stop:
        if is_proof(Path(directory)):
            # It came when everything was done.
            return
        sentence = (
            LATE_PROOF
            if isinstance(stop, DeadlinePassed)
            else "The proof was interrupted; nothing of it was written."
        )
        raise ProofError(sentence, result) from None


def _held_to_its_word(outcome: Outcome, n: int, scores: Scores, score_error: float) -> Outcome:
    """Optimal within what doubles tell apart; where that says nothing, a bound and no proof.

    The best network may be scored too low and this one too high, each by the error of its score.
    """
    if outcome.cliques is None:
        return outcome
    tolerance = outcome.tolerance
    if outcome.status == "optimal":
        terms = scores([*outcome.cliques, *separators(outcome.cliques)])
        tolerance = max(tolerance, rounding_of_sum(n, terms), 2 * score_error)
    if tolerance <= largest_tolerance(outcome.score):
        return replace(outcome, tolerance=tolerance)
    return replace(
        outcome,
        bound=max(outcome.bound, outcome.score + tolerance),
        tolerance=DEFAULT_TOLERANCE,
        stopped_by=ROUNDING if outcome.stopped_by == PROOF else outcome.stopped_by,
    )


def _result(
    given: Input,
    solved: Input,
    outcome: Outcome,
    scores: Scores,
    constraints: dict[str, object],
    candidates: dict[str, int] | None,
    *,
    backend: str,
    version: str,
    seed: int,
) -> Result:
    details = dict(outcome.details) | _idle_columns(given, solved)
    if given.data is not None and given.dataset.notes:
        details["reading"] = list(given.dataset.notes)
    accuracy = solved.accuracy
    score_error = 0.0
    if accuracy is not None and outcome.cliques is not None:
        score_error = accuracy.of_network(outcome.cliques, separators(outcome.cliques))
        details["score_error"] = score_error
    outcome = _held_to_its_word(outcome, len(solved.variables), scores, score_error)
    if "checkpoint_failure" in details:
        warnings.warn(details["checkpoint_failure"], CheckpointWarning, stacklevel=4)
    failure = outcome.failure
    if failure is not None:
        details["failure"] = str(failure)
    outcome = outcome.placed([given.variables.index(name) for name in solved.variables], len(given.variables))
    result = build_result(
        variables=given.variables,
        cliques=outcome.cliques,
        score=outcome.score,
        bound=outcome.bound,
        stopped_by=outcome.stopped_by,
        tolerance=outcome.tolerance,
        score_function=given.described.function,
        backend=backend,
        data_sha256=given.described.sha256,
        rows=given.described.rows,
        states=given.states,
        constraints=constraints,
        encoding=outcome.encoding,
        scaling=None if outcome.scaling is None else asdict(outcome.scaling),
        candidates=details.pop("candidates", candidates),
        seconds=given.seconds,
        seed=seed,
        versions={
            "chordlearn": package_version("chordlearn"),
            "python": platform.python_version(),
            "numpy": np.__version__,
            backend: version,
        },
        data={"source": given.described.source, "options": given.described.options},
        runners_up=outcome.runners_up,
        details=details,
    )
    if isinstance(failure, FalseClaimError):
        raise FalseClaimError(failure.sentence, result)
    if failure is not None:
        warnings.warn(UnfinishedWarning(failure.sentence), stacklevel=4)
    return result


def _idle_columns(given: Input, solved: Input) -> dict[str, list[Any]]:
    """The columns that add nothing: constants, which of them were set aside, and copies."""
    if given.data is None:
        return {}
    found: dict[str, list[Any]] = {
        "constants": constant_columns(given.dataset),
        "set_aside": [name for name in given.variables if name not in set(solved.variables)],
        "copies": copies(given.dataset),
    }
    return {what: names for what, names in found.items() if names}


def _read_resumed(
    resume: str | os.PathLike[str] | None, checkpoint: str | os.PathLike[str] | None
) -> Checkpoint | None:
    """The checkpoint to go on from; the first of a row of runs on the same file has none yet."""
    if resume is None:
        return None
    path = Path(resume)
    if checkpoint is not None and Path(checkpoint).resolve() == path.resolve() and not path.exists():
        return None
    return read_checkpoint(path)


def _edges(edges: Iterable[Edge], what: str) -> tuple[Edge, ...]:
    listed = [edges] if isinstance(edges, str) else list(edges)
    for edge in listed:
        if isinstance(edge, str) or len(tuple(edge)) != 2:
            raise InputError(f"{what} takes pairs of names such as [('a', 'b')], but one is {edge!r}.")
    return tuple((str(a), str(b)) for a, b in listed)


def _refuse_not_positive(what: str, value: float | None) -> None:
    if value is not None and not 0 < value < float("inf"):
        raise InputError(f"The {what} must be a positive number, but it is {value}.")
