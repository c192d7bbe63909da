"""The posterior over all chordal networks: how probable is each edge, each clique, each network?"""

from __future__ import annotations

import math
import platform
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any, Unpack

import msgspec
import numpy as np

from chordlearn._core import Control, NetworkSums
from chordlearn.analysis.certified import LARGEST_TOLERANCE, MOST_CERTIFIED, TOLERANCE, Kept, sum_certified
from chordlearn.analysis.chains import CHAIN_SECONDS, run_chains
from chordlearn.analysis.network_sources import Probability, Source, Sums, Visited
from chordlearn.backends.base.outcome import Limits, Observer, SilentObserver
from chordlearn.data.dataset import Dataset
from chordlearn.errors import ContradictionError, InputError, StoppedError, TooLargeError, option
from chordlearn.graphs import EdgePrior, can_add, edge_prior, graph_from_edges, mask_of, toggled
from chordlearn.network.averaged import AveragedNetwork
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.evaluation import Network, structure_of
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.pipeline.fitting import fit
from chordlearn.pipeline.inputs import DataOptions, Input, check_numbers, read_input, score_input, timed
from chordlearn.pipeline.learning import learn
from chordlearn.pipeline.updating import data_of
from chordlearn.problem.constraints import Constraints, Edge, allows
from chordlearn.problem.problem import Problem, make_problem, supported_clique
from chordlearn.scores import ScoreFunction
from chordlearn.system.json import JsonMixin, plain_values
from chordlearn.system.memory import available_bytes
from chordlearn.system.processes import usable_processors
from chordlearn.system.running import StopReason, watch

SCHEMA = "chordlearn/posterior@1"
METHODS = ("auto", "exact", "certified", "chain")
MOST_VARIABLES = 18
"""With more, all networks are summed only if that is asked for and fits."""
MOST_SUMMED = 20
MOST_WITH_PRIOR = 100
AUTO_SECONDS = 300.0
"""What may be spent on a certificate that nobody asked for."""
NO_LIKELIHOODS = ("aic", "qnml")
APPROXIMATE = ("bic",)


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(JsonMixin):
    """The posterior over all chordal networks that the constraints allow.

    Every such network has the same prior probability, but for the edge prior of the score.
    """

    source: Source
    """What probabilities are taken from."""
    problem: Problem
    best: Result
    """The best network, as :func:`chordlearn.learn` gives it."""
    constraints: Constraints
    seed: int
    seconds: Mapping[str, float]

    @property
    def method(self) -> str:
        """`exact` if all networks were summed, `certified` if those that matter, or `chain`."""
        return self.source.method

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.problem.variables

    @property
    def log_evidence(self) -> float | None:
        """The logarithm of the sum of exp(score) over all networks; None where chains visited some.

        Less the logarithm of the number of networks it is the log marginal likelihood of the whole class.
        """
        known = self.source.log_evidence()
        return None if known is None else known[0]

    @property
    def log_evidence_error(self) -> float | None:
        """What rounding, or networks that were left out, may have done to the log evidence."""
        known = self.source.log_evidence()
        return None if known is None else known[1]

    @cached_property
    def prior(self) -> EdgePrior | None:
        """The prior probability of an edge, which is the same for all; None where it is not known.

        That is where edges are required or forbidden, where scores come from a file or a function of one's
        own, which may weigh edges in ways it does not say, and with more than 100 variables.
        """
        function = self.best.score_function
        rules = self.constraints
        if function.get("name") in ("file", "custom") or rules.required or rules.forbidden:
            return None
        n = len(self.variables)
        odds = float(function.get("parameters", {}).get("edge_prior", 0.0))
        return None if n > MOST_WITH_PRIOR else edge_prior(n, odds, rules.max_clique)

    @cached_property
    def edges(self) -> dict[Edge, Probability]:
        """The probability of every possible edge, in the order of the variables."""
        names, n = self.variables, self.problem.n
        return {(names[a], names[b]): self.source.pair(a, b) for a in range(n) for b in range(a + 1, n)}

    @property
    def expected_edges(self) -> float:
        """The posterior mean of the number of edges."""
        return math.fsum(probability.value for probability in self.edges.values())

    @cached_property
    def median(self) -> ChordalNetwork:
        """The edges that are more probable than not, as far as the graph stays chordal.

        They are added one by one, the most probable first; `left_out` has those that could not be.
        """
        return self._median[0]

    @property
    def left_out(self) -> tuple[Edge, ...]:
        """The edges above 0.5 that the median network lacks, because it would not be chordal."""
        return self._median[1]

    @cached_property
    def _median(self) -> tuple[ChordalNetwork, tuple[Edge, ...]]:
        place = {name: i for i, name in enumerate(self.variables)}
        likely = {edge: p.value for edge, p in self.edges.items() if p.value > 0.5}
        waiting = sorted(likely, key=lambda edge: -likely[edge])
        graph: Sequence[int] = graph_from_edges(self.problem.n, [])
        while True:
            for edge in waiting:
                a, b = place[edge[0]], place[edge[1]]
                if can_add(graph, a, b):
                    graph = toggled(graph, a, b)
                    waiting.remove(edge)
                    break
            else:
                break
        left = set(waiting)
        added = [edge for edge in likely if edge not in left]
        return ChordalNetwork.from_edges(self.variables, added, self.best.states), tuple(waiting)

    def probability(self, network: Network) -> Probability:
        """The posterior probability of one network.

        Of chains it is the share of networks kept that are this one.
        """
        structure = structure_of(network)
        masks = tuple(self._mask(clique) for clique in structure.cliques)
        covered = 0
        for mask in masks:
            covered |= mask
        if covered != (1 << self.problem.n) - 1:
            raise InputError("The network must be on the same variables as the posterior; learn it on them.")
        known = self.source.log_evidence()
        if known is None:
            wanted = frozenset(masks)
            return self.source.share(lambda cliques: frozenset(cliques) == wanted)
        if not allows(self.constraints, self.variables, masks):
            return Probability(0.0, 0.0, "exact")
        value = math.exp(min(0.0, self.problem.score(masks) - known[0]))
        return Probability(value, value * known[1], self.method)

    def probability_complete(self, names: Iterable[str]) -> Probability:
        """The probability that every two of these variables are joined.

        >>> import chordlearn as cl
        >>> round(float(cl.posterior("heart").probability_complete(["mental", "phys", "protein"])), 4)
        0.0031
        """
        return self.source.complete(self._mask(names))

    def probability_separated(self, a: str, b: str, given: Iterable[str] = ()) -> Probability:
        """The probability that every path from a to b meets one of the given variables.

        Networks in which that is so say that a and b are independent given them. It is exact where the given
        variables are certain to be complete, as one or none is, or where they are all the others; otherwise
        it is the share of networks drawn, and its `source` says so.
        """
        one, other, mask = self._mask([a]), self._mask([b]), self._mask(given)
        if one == other or mask & (one | other):
            raise InputError("Separation is asked of two different variables, given others; name each once.")
        return self.source.separated(one.bit_length() - 1, other.bit_length() - 1, mask)

    def sample(self, count: int, seed: int = 0) -> list[ChordalNetwork]:
        """Networks drawn from the posterior.

        Where all networks were summed they are independent, and the i-th depends on the seed and on i only.
        """
        if count < 1:
            raise InputError(f"The number of networks to draw must be at least 1, not {count}.")
        states = self.best.states
        return [
            ChordalNetwork.from_masks(self.variables, cliques, states)
            for cliques in self.source.networks(count, seed)
        ]

    def average(
        self,
        count: int,
        data: Any = None,
        *,
        seed: int = 0,
        method: str = "posterior-mean",
        ess: float | None = None,
    ) -> AveragedNetwork:
        """Networks drawn from the posterior, with tables, as one model: the mean of their distributions.

        A network that is drawn twice counts twice. `data`, `method` and `ess` are those of
        :func:`chordlearn.fit`; by default the data are read again.

        >>> import chordlearn as cl
        >>> averaged = cl.posterior("heart").average(50)
        >>> averaged.query("P(smoke | systol=y)")
        <Distribution of smoke: n: 0.486543 | y: 0.513457>
        """
        drawn = Counter(network.cliques for network in self.sample(count, seed))
        alone = fit(self.best, data, method=method, ess=ess)
        rows = data if isinstance(data, Dataset) else data_of(alone, data)
        networks = [
            FittedNetwork.from_data(
                ChordalNetwork(self.variables, alone.states, cliques),
                rows,
                alone.estimation,
                alone.provenance,
            )
            for cliques in drawn
        ]
        return AveragedNetwork(tuple(networks), tuple(times / count for times in drawn.values()))

    @property
    def note(self) -> str:
        """What should be known of these probabilities; empty if nothing is to be said."""
        sentences = []
        name = str(self.best.score_function.get("name"))
        if name in APPROXIMATE:
            sentences.append(
                f"{name.upper()} approximates a log marginal likelihood, and so do these figures."
            )
        if isinstance(self.source, Visited):
            sentences += self.source.agreement.warnings(self.variables)
        return " ".join(sentences)

    def _mask(self, names: Iterable[str]) -> int:
        listed = [names] if isinstance(names, str) else list(names)
        for name in listed:
            if name not in self.variables:
                known = ", ".join(self.variables[:10]) + (", …" if len(self.variables) > 10 else "")
                raise InputError(f"There is no variable {name!r}; there are {known}.")
        return mask_of(self.variables.index(name) for name in listed)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        best = self.best
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "method": self.method,
            "log_evidence": self.log_evidence,
            "log_evidence_error": self.log_evidence_error,
            "edges": [
                {"a": a, "b": b, "probability": p.value, "error": p.error} for (a, b), p in self.edges.items()
            ],
            "best": {
                "score": best.score,
                "status": best.status,
                "probability": self.probability(best).value,
                "edges": best.edges,
            },
            "median": {"edges": self.median.edges, "left_out": self.left_out},
            "expected_edges": self.expected_edges,
            "prior": None if self.prior is None else asdict(self.prior),
            "samples": None,
            "score_function": best.score_function,
            "constraints": self.constraints.as_json(),
            "variables": self.variables,
            "rows": best.rows,
            "data_sha256": best.data_sha256,
            "data": best.data,
            "seconds": dict(self.seconds),
            "seed": self.seed,
            "versions": {
                "chordlearn": version("chordlearn"),
                "python": platform.python_version(),
                "numpy": np.__version__,
            },
            "note": self.note,
        }
        if isinstance(self.source, Visited):
            document["chains"] = self.source.agreement.as_json()
        return dict(plain_values(document))

    def __repr__(self) -> str:
        """One line."""
        known = "" if self.log_evidence is None else f"log evidence {self.log_evidence:.6f}, "
        return (
            f"<Posterior: {self.method}, {len(self.variables)} variables, {known}"
            f"{self.expected_edges:.2f} edges expected>"
        )


def posterior(
    data: Any,
    *,
    score: str | ScoreFunction = "bdeu",
    max_clique: int | None = None,
    require: Iterable[Edge] = (),
    forbid: Iterable[Edge] = (),
    method: str = "auto",
    tolerance: float = TOLERANCE,
    seed: int = 0,
    best: Result | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    threads: int | None = None,
    observer: Observer | None = None,
    **options: Unpack[DataOptions],
) -> Posterior:
    """The posterior over all chordal networks: the probability of every edge, set, separation and network.

    Parameters
    ----------
    data, score, max_clique, require, forbid, **options
        As in :func:`chordlearn.learn`. The score must be a log marginal likelihood; BIC approximates one.
    method
        `"exact"` sums over all networks, each counted once; the time grows as 4 to the number of variables,
        the memory as 3 to it (18 variables take 16 GB). `"certified"` sums over those that may matter, for up
        to 25 variables, and proves how little all others weigh. `"chain"` lets four Markov chains visit
        networks, for any number of variables. `"auto"` is exact up to 18 variables where the memory suffices,
        else certified where that is possible in some minutes, else by chains.
    tolerance
        The error of a certified probability; where it cannot be met, the smallest that can is stated.
    seed
        Of the chains.
    best
        What :func:`chordlearn.learn` gave for the same data, score and constraints, so that it is not learned
        again.
    time_limit
        Seconds that may be used. Chains use them all, by default a minute, and what they have when they are
        interrupted is kept.
    memory_limit, threads
        Gigabytes and threads that may be used, by default what there is.
    observer
        Is told how the run goes.

    Examples
    --------
    >>> found = posterior("heart")
    >>> found
    <Posterior: exact, 6 variables, log evidence -6731.068398, 5.07 edges expected>
    >>> round(found.edges["smoke", "phys"].value, 6), round(found.probability(found.best).value, 2)
    (0.998223, 0.25)
    """
    if method not in METHODS:
        raise InputError(f"There is no method {method!r}; choose one of {', '.join(METHODS)}.")
    if not 0 < tolerance <= LARGEST_TOLERANCE:
        raise InputError(f"tolerance must be above 0 and at most {LARGEST_TOLERANCE}, not {tolerance!r}.")
    limits = _limits(time_limit, memory_limit, threads, seed)
    watching = observer or SilentObserver()
    end = math.inf if time_limit is None else time.monotonic() + time_limit
    deadline = None if time_limit is None else end
    constraints = Constraints(max_clique, tuple(map(_pair, require)), tuple(map(_pair, forbid)))
    given = read_input(
        data, score=score, observer=watching, deadline=deadline, memory_bytes=limits.memory_bytes, **options
    )
    _refuse_no_likelihood(given)
    exact = _is_exact(method, len(given.variables), limits)
    certified = _is_certified(method, len(given.variables)) and not exact
    problem = _problem(given, constraints, exact or certified, limits, watching, deadline)
    if problem.max_clique < problem.n:
        constraints = replace(constraints, max_clique=problem.max_clique)
    if not exact and method != "certified" and deadline is None:
        end = time.monotonic() + CHAIN_SECONDS
    if best is None or best.status == "none":
        whole = exact or method == "certified"
        best = _best(given, problem, constraints, limits, watching, None if math.isinf(end) else end, whole)
    elif best.data_sha256 != given.described.sha256 or best.variables != given.variables:
        raise InputError(
            "The best network was learned from other data; learn it from these, or leave it out."
        )
    best = msgspec.structs.replace(best, states=given.states)
    source: Source | None = None
    if exact:
        with timed(given.seconds, "sum"):
            source = _summed(problem, limits.threads, deadline, watching)
    elif certified:
        with timed(given.seconds, "certify"):
            source = _certified(problem, best, method, tolerance, limits, deadline, watching)
    if source is None:
        with timed(given.seconds, "chains"):
            source = Visited(run_chains(problem, best, end, limits.threads, seed, watching))
    return Posterior(source, problem, best, constraints, seed, given.seconds)


def _limits(seconds: float | None, gigabytes: float | None, threads: int | None, seed: int) -> Limits:
    check_numbers(seed, time_limit=seconds, memory_limit=gigabytes, threads=threads)
    memory = None if gigabytes is None else int(gigabytes * 1e9)
    return Limits(seconds, memory, threads or usable_processors(), seed)


def _pair(edge: Any) -> Edge:
    if isinstance(edge, str) or len(tuple(edge)) != 2:
        raise InputError(f"An edge is a pair of names such as ('a', 'b'), but one is {edge!r}.")
    return str(edge[0]), str(edge[1])


def _refuse_no_likelihood(given: Input) -> None:
    name = str(given.described.function["name"])
    if name in NO_LIKELIHOODS:
        raise InputError(
            f"The score {name} is not a log marginal likelihood, so it gives no probabilities; "
            f"use {option('score', 'bdeu')}."
        )


def _is_exact(method: str, n: int, limits: Limits) -> bool:
    """Whether to sum over all networks; refused where that was asked for and does not fit."""
    needed = NetworkSums.bytes_needed(n, limits.threads)
    usable = min(math.inf if limits.memory_bytes is None else limits.memory_bytes, available_bytes())
    if method == "exact" and (n > MOST_SUMMED or needed > usable):
        raise TooLargeError(
            f"Summing over all networks of {n} variables needs {needed / 1e9:.3g} GB of memory, and "
            f"{usable / 1e9:.3g} GB may be used; choose {option('method', 'chain')}, or fewer columns."
        )
    return method == "exact" or (method == "auto" and n <= MOST_VARIABLES and needed <= usable)


def _is_certified(method: str, n: int) -> bool:
    if method == "certified" and n > MOST_CERTIFIED:
        raise TooLargeError(
            f"Sums are certified for up to {MOST_CERTIFIED} variables, and there are {n}; "
            f"choose {option('method', 'chain')}, or fewer columns."
        )
    return method == "certified" or (method == "auto" and n <= MOST_CERTIFIED)


def _certified(
    problem: Problem,
    best: Result,
    method: str,
    tolerance: float,
    limits: Limits,
    deadline: float | None,
    observer: Observer,
) -> Kept | None:
    """None where nobody asked for it and it is not to be had."""
    memory = min(math.inf if limits.memory_bytes is None else limits.memory_bytes, available_bytes())
    seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
    if method == "auto":
        seconds = AUTO_SECONDS if seconds is None else seconds / 2
    try:
        return sum_certified(problem, best, tolerance, limits.threads, memory, deadline, seconds, observer)
    except TooLargeError:
        if method == "certified":
            raise
        return None


def _problem(
    given: Input,
    constraints: Constraints,
    exact: bool,
    limits: Limits,
    observer: Observer,
    deadline: float | None,
) -> Problem:
    """With all sets scored where there are few variables; else they are scored when asked for."""
    if not exact and given.is_wide:
        assert given.data is not None
        problem = make_problem(given.data, constraints)
        return problem if constraints.max_clique else problem.with_cliques_up_to(supported_clique(problem))
    table = score_input(
        given,
        max_size=constraints.max_clique,
        threads=limits.threads,
        observer=observer,
        deadline=deadline,
        memory_bytes=limits.memory_bytes,
    )
    return make_problem(table, constraints)


def _best(
    given: Input,
    problem: Problem,
    constraints: Constraints,
    limits: Limits,
    observer: Observer,
    end: float | None,
    exact: bool,
) -> Result:
    """The best network, proved; chains wait for it no longer than a quarter of their time."""
    left = None if end is None else max(0.001, end - time.monotonic())
    memory = limits.memory_bytes
    best = learn(
        given.dataset if problem.table is None else problem.scores,
        score=given.function if problem.table is None else "bdeu",
        max_clique=constraints.max_clique,
        require=constraints.required,
        forbid=constraints.forbidden,
        seed=limits.seed,
        time_limit=left if exact or left is None else left / 4,
        memory_limit=None if memory is None else memory / 1e9,
        threads=limits.threads,
        observer=observer,
    )
    if best.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if best.status == "none":
        if best.stopped_by == StopReason.INFEASIBLE:
            raise ContradictionError("No chordal network satisfies the constraints; drop some of them.")
        raise StoppedError("Stopped before there was a network; allow more time.")
    return best


def _summed(problem: Problem, threads: int, deadline: float | None, observer: Observer) -> Sums:
    n = problem.n
    memory, work = NetworkSums.bytes_needed(n, threads) / 1e9, NetworkSums.work(n)

    def report(control: Control) -> None:
        share = min(1.0, control.done / work)
        observer.progress("summing", None, None, f"{share:.0%} of all networks, {memory:.2g} GB")

    values = np.ascontiguousarray(problem.values)
    required = list(problem.required)
    run = watch(
        lambda control: NetworkSums(values, required, threads, control), deadline=deadline, poll=report
    )
    if run.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if run.stopped_by == StopReason.MEMORY_LIMIT:
        raise TooLargeError(f"Memory ran out; choose {option('method', 'chain')}, or fewer columns.")
    if run.value is None:
        raise StoppedError(
            "The time did not suffice to sum over all networks; "
            f"allow more, or choose {option('method', 'chain')}."
        )
    if not math.isfinite(run.value.log_total[0]):
        raise ContradictionError("No chordal network satisfies the constraints; drop some of them.")
    return Sums(run.value, n)
