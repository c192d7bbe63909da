"""Networks that score as much as the best one, as far as rounding allows to say, and the simplest of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chordlearn._core import Control, Relaxation, States
from chordlearn.backends.base.run import Run
from chordlearn.backends.base.tolerance import indistinct
from chordlearn.graphs import (
    can_remove,
    edges_of,
    graph_from_cliques,
    maximal_cliques,
    score_change,
    score_of,
    separators,
    toggled,
)
from chordlearn.problem.candidates import reduce_candidates
from chordlearn.problem.problem import Incumbent
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import watch

MOST_COUNTED = 10
"""More networks than this are not distinguished: "more than 10"."""
FEW_STATES = 10_000
"""With more states counting takes too long; it is then only known whether there is a second network."""
MOST_STATES = 2_000_000
"""With more states, looking for other networks would take noticeable time."""
BYTES_PER_STATE = 500
"""What the program needs that finds the simplest network."""
MOMENT = 2.0
"""Seconds that looking for ties may take."""
PARTS_PER_VARIABLE = 16
"""A network is put together from fewer parts than this, with something to spare."""


@dataclass(frozen=True)
class Ties:
    """Networks that score within a distance of the best, which is one of them."""

    networks: int
    within: float
    complete: bool
    """Whether these are all; else there are at least so many."""
    simplest: bool
    """Whether the best is certain to have the fewest edges of all, and to come first among such networks."""

    def as_json(self) -> dict[str, Any]:
        """As it stands in the details of a result."""
        return asdict(self)


def ties_among(scores: Sequence[float], within: float, *, all_listed: bool, simplest: bool) -> Ties:
    """The ties in a list of the best scores; ``all_listed`` if there are no other networks.

    >>> ties_among([-3.0, -3.0, -7.5], 1e-6, all_listed=False, simplest=True)
    Ties(networks=2, within=1e-06, complete=True, simplest=True)
    >>> ties_among([-3.0, -3.0], 1e-6, all_listed=False, simplest=True).complete
    False
    """
    least = max(scores) - within
    near = sum(score >= least for score in scores)
    return Ties(near, within, complete=all_listed or near < len(scores), simplest=simplest)


def most_states(memory: float) -> int:
    """How many states are looked at where there is room for so many bytes.

    >>> most_states(1e9), most_states(1e5)
    (2000000, 200)
    """
    return min(MOST_STATES, int(memory / BYTES_PER_STATE))


def simplicity(n: int, cliques: Sequence[int]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The simpler of two networks compares as less: fewer edges, or a sorted list of them that comes first.

    >>> simplicity(3, [0b011, 0b100]) < simplicity(3, [0b101, 0b010]) < simplicity(3, [0b011, 0b110])
    True
    """
    edges = edges_of(graph_from_cliques(n, cliques))
    return len(edges), edges


def simplest_first(n: int, networks: Iterable[Incumbent], within: float) -> list[Incumbent]:
    """Networks in falling order of their scores; of those within a distance the simplest comes first.

    >>> low, high = Incumbent(-3.0, (0b01, 0b10)), Incumbent(-2.9999999, (0b11,))
    >>> simplest_first(2, [low, high], 1e-6)[0] == low, simplest_first(2, [low, high], 0.0)[0] == low
    (True, False)
    """
    rest = sorted(networks, key=lambda network: -network.score)
    ordered: list[Incumbent] = []
    while rest:
        near = sum(network.score >= rest[0].score - within for network in rest)
        ordered += sorted(rest[:near], key=lambda network: simplicity(n, network.cliques))
        rest = rest[near:]
    return ordered


def put_first(best: Incumbent, networks: Sequence[Incumbent]) -> list[Incumbent]:
    """So many networks, this one first; it takes the place of the last if it is not among them.

    >>> one, two = Incumbent(-1.0, (0b11,)), Incumbent(-1.0, (0b01, 0b10))
    >>> put_first(two, [one, two]) == [two, one], put_first(two, [one]) == [two]
    (True, True)
    """
    others = [network for network in networks if set(network.cliques) != set(best.cliques)]
    return [best, *others][: len(networks)]


def settle_ties(
    relaxation: Relaxation,
    n: int,
    best: Incumbent,
    within: float,
    threads: int,
    control: Control,
    *,
    most: int = MOST_STATES,
    second: float | None = None,
) -> tuple[Incumbent, Ties] | None:
    """The simplest network within a distance of the best, and how many there are; None if it would take long.

    The relaxation must still have all networks that score more than ``best.score - within``; it is tightened
    for them. So many states are looked at at ``most``. ``second`` is what the second best network scores,
    where that is known.
    Raises ``Stopped`` of the core when the control is stopped.

    >>> import numpy as np
    >>> relaxation = Relaxation(np.array([0.0, -1, -2, -3]), [], 1)
    >>> settle_ties(relaxation, 2, Incumbent(-3.0, (0b11,)), 1e-6, 1, Control())
    (Incumbent(score=-3.0, cliques=(1, 2)), Ties(networks=2, within=1e-06, complete=True, simplest=True))
    """
    least = best.score - within

    def list_states() -> States | None:
        states = relaxation.states([], most, control)
        return states if states.complete else None

    if second is None or second >= least:
        relaxation.tighten(least, control)
    if second is None:
        states = list_states()
        if states is None:
            return None
        _, second = relaxation.solve_two(states, threads, control)
    if second < least:
        return best, Ties(1, within, complete=True, simplest=True)
    states = list_states()
    if states is None:
        return None
    few = states.count <= FEW_STATES
    part = within / (PARTS_PER_VARIABLE * n)
    (score, cliques), certain = relaxation.solve_simplest(states, part, 2 * within, threads, control)
    simplest = Incumbent(score, tuple(cliques))
    if score < least:
        simplest, certain = best, False
    if not few:
        return simplest, Ties(2, within, complete=False, simplest=certain)
    states = relaxation.states([], most, control)
    networks = relaxation.solve_top(states, MOST_COUNTED + 1, threads, control)
    all_listed = len(networks) <= MOST_COUNTED
    scores = [score for score, _ in networks]
    return simplest, ties_among(scores, within, all_listed=all_listed, simplest=certain)


def leave_ties_open(
    n: int,
    best: Incumbent,
    within: float,
    required: Iterable[tuple[int, int]],
    value: Callable[[int], float],
    least: float,
) -> tuple[Incumbent, Ties]:
    """What can be had where it takes too long to look: a network that no edge can leave, and no certainty."""
    simpler = without_idle_edges(n, best, required, value, least)
    return simpler, Ties(1, within, complete=False, simplest=False)


def without_idle_edges(
    n: int,
    best: Incumbent,
    required: Iterable[tuple[int, int]],
    value: Callable[[int], float],
    least: float,
) -> Incumbent:
    """The network without edges that can go one by one while it scores at least so much, the last ones first.

    >>> without_idle_edges(2, Incumbent(-3.0, (0b11,)), (), [0.0, -1.0, -2.0, -3.0].__getitem__, -3.000001)
    Incumbent(score=-3.0, cliques=(1, 2))
    """
    graph, score, fixed = graph_from_cliques(n, best.cliques), best.score, set(required)
    edges, before = edges_of(graph), None
    while edges != before:
        before = edges
        for a, b in reversed(edges):
            if (a, b) in fixed or not can_remove(graph, a, b):
                continue
            after = score + score_change(graph, a, b, value)
            if after >= least:
                graph, score = toggled(graph, a, b), after
        edges = edges_of(graph)
    if edges == edges_of(graph_from_cliques(n, best.cliques)):
        return best
    cliques = maximal_cliques(graph)
    return Incumbent(score_of(cliques, separators(cliques), value), cliques)


def settle(
    run: Run,
    tolerance: float,
    *,
    within: float | None = None,
    states: int = 0,
    second: float | None = None,
    deadline: float | None = None,
) -> Ties:
    """Make the simplest of the networks that cannot be distinguished from the best of a run the best.

    By the deadline (of time.monotonic), or where there is no room, that is a network that no edge can leave;
    by default this takes but a moment. Networks within a distance of the best count, by default what rounding
    may feign. What the candidates of the run are left from has at least so many ``states``, and ``second``
    is what its second best network scores, if that is known.

    >>> import numpy as np
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -3]), max_size=2))
    >>> run = Run(problem, start=Incumbent(-3.0, (0b11,)))
    >>> run.tighten(-3.0)
    >>> settle(run, 1e-6)
    Ties(networks=2, within=1e-06, complete=True, simplest=True)
    >>> run.best
    Incumbent(score=-3.0, cliques=(1, 2))
    """
    best, problem, threads = run.best, run.problem, run.limits.threads
    assert best is not None
    distance = indistinct(problem, best.cliques, tolerance) if within is None else within
    lower, least = best.score - distance, run.bound - tolerance
    memory = min(available_bytes(), run.limits.memory_bytes or math.inf)
    known = None if run.candidates is None else run.candidates.relaxation

    def work(control: Control) -> tuple[Incumbent, Ties] | None:
        relaxation, seen, most = known, second, most_states(memory)
        if relaxation is not None and relaxation.lower >= lower and states > most:
            return None
        if relaxation is None or relaxation.lower > lower:
            if not problem.has_values or Relaxation.bytes_needed(problem.n) > memory / 2:
                return None
            relaxation = reduce_candidates(problem, lower, threads=threads, control=control).relaxation
            seen = None
        assert relaxation is not None
        return settle_ties(relaxation, problem.n, best, distance, threads, control, most=most, second=seen)

    with run.timed("ties"):
        settled = watch(work, deadline=run.within(MOMENT) if deadline is None else deadline).value
    if settled is None or settled[0].score < least:
        least = max(least, lower)
        settled = leave_ties_open(problem.n, best, distance, problem.required, problem.value, least)
    run.best, ties = settled
    return ties
