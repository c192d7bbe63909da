"""Markov chains over chordal networks, and how far they agree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, EdgeChain
from chordlearn.backends.base.outcome import Observer
from chordlearn.graphs import can_remove, edges_of, graph_from_edges, maximal_cliques, toggled
from chordlearn.network.result import Result
from chordlearn.problem.problem import Problem
from chordlearn.system.running import watch

CHAINS = 4
CHAIN_SECONDS = 60.0
FIRST_MOVES = 2000
"""Of a batch; doubled whenever there are too many batches."""
MOST_BATCHES = 512
"""So many are kept of each chain; beyond it, two and two become one."""
FEWEST_BATCHES = 8
LARGEST_DISAGREEMENT = 0.1
FEWEST_EFFECTIVE = 100
"""Samples, without which an edge probability says little."""

HEATED = 0.4
"""The share of the time in which chains from the emptiest network cool down; it does not count."""
LARGEST_GAP = 50.0
"""Chains are set aside whose networks score so much less than those of others, in the mean."""

Edges = Sequence[tuple[int, int]]


class Trace:
    """One chain, batch by batch."""

    def __init__(self, chain: EdgeChain, problem: Problem, heat: float) -> None:
        """Begin where the chain is, and with a heat if there is to be one."""
        self.chain, self.problem, self.n = chain, problem, problem.n
        self.heat = heat
        self.moves = FIRST_MOVES
        self.shares: list[NDArray[np.float64]] = []
        """Of each batch: how much of the time each pair was an edge."""
        self.networks: list[tuple[int, ...]] = []
        """At the end of each batch."""

    def go_on(self, seconds: float, control: Control, cooled: float = 1.0) -> None:
        """Run batches for some seconds, or until the control stops; nothing is kept while they are hot."""
        until = time.monotonic() + seconds
        heat = max(1.0, self.heat ** (1 - cooled))
        self.chain.set_heat(heat)
        while time.monotonic() < until:
            shares = self.chain.run(self.moves, control)
            if control.stopped:
                return
            if heat > 1:
                continue
            self.shares.append(shares)
            self.networks.append(maximal_cliques(graph_from_edges(self.n, self.chain.edges)))
            if len(self.shares) == MOST_BATCHES:
                self.shares = [(a + b) / 2 for a, b in zip(self.shares[::2], self.shares[1::2], strict=True)]
                self.networks = self.networks[1::2]
                self.moves *= 2

    @property
    def score(self) -> float:
        """The mean score of some of the settled networks."""
        networks = self.networks[len(self.networks) // 2 :]
        return float(
            np.mean([self.problem.score(cliques) for cliques in networks[:: max(1, len(networks) // 16)]])
        )

    @property
    def settled(self) -> NDArray[np.float64]:
        """The later half of the batches: batches by pairs."""
        return np.array(self.shares[len(self.shares) // 2 :])


@dataclass(frozen=True, eq=False)
class Agreement:
    """What chains from different starts say together, and where they differ."""

    n: int
    traces: tuple[Trace, ...]
    set_aside: tuple[float, ...] = ()
    """How much less the networks of other chains score, which are not counted."""

    @classmethod
    def of(cls, n: int, traces: Sequence[Trace]) -> Agreement:
        """Of the chains that reached networks as good as any."""
        scores = [trace.score for trace in traces]
        best = max(scores)
        near = [trace for trace, score in zip(traces, scores, strict=True) if score >= best - LARGEST_GAP]
        return cls(n, tuple(near), tuple(best - score for score in scores if score < best - LARGEST_GAP))

    @property
    def means(self) -> NDArray[np.float64]:
        """Of each chain and pair."""
        return np.array([trace.settled.mean(axis=0) for trace in self.traces])

    @property
    def shares(self) -> NDArray[np.float64]:
        """Of all chains together: how much of the time each pair was an edge (0-1, 0-2, 1-2, 0-3, …)."""
        shares: NDArray[np.float64] = self.means.mean(axis=0)
        return shares

    @property
    def disagreement(self) -> NDArray[np.float64]:
        """Of each pair: the largest difference between two chains."""
        differences: NDArray[np.float64] = np.ptp(self.means, axis=0)
        return differences

    @property
    def errors(self) -> NDArray[np.float64]:
        """The standard error of each share, within chains or between them, whichever is larger."""
        batches = [trace.settled for trace in self.traces]
        within = np.mean([b.var(axis=0, ddof=1) / len(b) for b in batches], axis=0)
        between = self.means.var(axis=0, ddof=1) if len(batches) > 1 else 0.0
        errors: NDArray[np.float64] = np.sqrt(np.maximum(within, between) / len(batches))
        return errors

    @property
    def effective_samples(self) -> NDArray[np.float64]:
        """For each pair, how many independent networks say as much; infinite where it never changed."""
        shares, errors = self.shares, self.errors
        with np.errstate(divide="ignore", invalid="ignore"):
            found: NDArray[np.float64] = shares * (1 - shares) / errors**2
        return np.where(errors > 0, found, np.inf)

    @property
    def networks(self) -> list[tuple[int, ...]]:
        """The cliques of networks that the chains visited, far apart from each other."""
        return [cliques for trace in self.traces for cliques in trace.networks[len(trace.networks) // 2 :]]

    def warnings(self, variables: Sequence[str]) -> list[str]:
        """A sentence each for what must not be overlooked."""
        found = []
        if self.set_aside:
            found.append(
                f"Of {len(self.traces) + len(self.set_aside)} chains {len(self.set_aside)} stayed among "
                f"networks that score at least {min(self.set_aside):.0f} less and are not counted; that the "
                "others agree says little of networks far from the best one found."
            )
        worst = int(self.disagreement.argmax())
        if self.disagreement[worst] > LARGEST_DISAGREEMENT:
            a, b = _pairs(self.n)[worst]
            found.append(
                f"The chains disagree: the probability of the edge {variables[a]},{variables[b]} differs by "
                f"{self.disagreement[worst]:.2f} between two of them, so that these figures are not to be "
                "relied on; allow more time."
            )
        elif self.effective_samples.min() < FEWEST_EFFECTIVE:
            found.append(
                "The chains have moved little: for the slowest edge they are worth "
                f"{self.effective_samples.min():.0f} independent networks; allow more time."
            )
        return found

    def as_json(self) -> dict[str, Any]:
        """Figures of the chains."""
        pairs = _pairs(self.n)
        order = np.argsort(-self.disagreement)[:10]
        return {
            "chains": len(self.traces),
            "set_aside": self.set_aside,
            "moves": [trace.moves * len(trace.shares) for trace in self.traces],
            "toggles": [trace.chain.toggles for trace in self.traces],
            "blocks": [trace.chain.blocks for trace in self.traces],
            "networks": len(self.networks),
            "largest_disagreement": float(self.disagreement.max(initial=0.0)),
            "fewest_effective_samples": float(self.effective_samples.min(initial=np.inf)),
            "disagreements": [
                {"edge": pairs[place], "difference": float(self.disagreement[place])} for place in order
            ],
        }


def _pairs(n: int) -> list[tuple[int, int]]:
    return [(a, b) for b in range(n) for a in range(b)]


def run_chains(
    problem: Problem, best: Result, until: float, threads: int, seed: int, observer: Observer
) -> Agreement:
    """Chains from the best network and from the emptiest one, in turn, until a moment (of time.monotonic).

    The latter cool down at first. Ctrl-C ends them sooner, and what they have is kept.
    """
    traces = []
    for number, start in enumerate(_starts(problem, best)):
        chain = _chain(problem, start, seed * CHAINS + number)
        # What stands at the best network stays there; from the emptiest one it must find its way.
        traces.append(Trace(chain, problem, max(1.0, chain.steepest / 5) if number % 2 else 1.0))
    begin = time.monotonic()

    def work(control: Control) -> None:
        with ThreadPoolExecutor(min(threads, CHAINS)) as pool:
            # In slices, so that fewer threads than chains serve them all alike.
            while time.monotonic() < until and not control.stopped:
                turn = min(1.0, until - time.monotonic()) * min(threads, CHAINS) / CHAINS
                cooled = min(1.0, (time.monotonic() - begin) / max(1e-9, HEATED * (until - begin)))
                list(pool.map(Trace.go_on, traces, repeat(turn), repeat(control), repeat(cooled)))

    def report(_control: Control) -> None:
        done = sum(trace.moves * len(trace.shares) for trace in traces)
        left = max(0.0, until - time.monotonic())
        observer.progress("chains", None, None, f"{done:,} moves, {left:.0f} s left")

    run = watch(work, poll=report)
    if min(len(trace.shares) for trace in traces) < FEWEST_BATCHES:
        if run.stopped_by is not None:
            # Some may have been cooling down still.
            traces = [trace for trace in traces if len(trace.shares) >= FEWEST_BATCHES]
            if not traces:
                raise KeyboardInterrupt
            return Agreement.of(problem.n, traces)
        # However little time there was.
        watch(lambda control: _finish(traces, control))
    return Agreement.of(problem.n, traces)


def _finish(traces: Sequence[Trace], control: Control) -> None:
    for trace in traces:
        while len(trace.shares) < FEWEST_BATCHES and not control.stopped:
            trace.go_on(0.01, control)


def _chain(problem: Problem, start: Edges, seed: int) -> EdgeChain:
    limit = problem.max_clique if problem.max_clique < problem.n else 0
    rules = (limit, list(problem.required), list(problem.forbidden), list(start), seed)
    if problem.has_values:
        return EdgeChain(np.ascontiguousarray(problem.values), *rules)
    return EdgeChain(problem.scorer, *rules)


def _starts(problem: Problem, best: Result) -> list[Edges]:
    found: Edges = edges_of(best.network.graph)
    emptiest = _without_needless(problem, found)
    return [found if number % 2 == 0 else emptiest for number in range(CHAINS)]


def _without_needless(problem: Problem, edges: Edges) -> Edges:
    """What is left of a network when edges that are not required go, as long as it stays chordal."""
    required = {tuple(sorted(edge)) for edge in problem.required}
    graph: Sequence[int] = graph_from_edges(problem.n, edges)
    changed = True
    while changed:
        changed = False
        for a, b in edges_of(graph):
            if (a, b) not in required and can_remove(graph, a, b):
                graph = toggled(graph, a, b)
                changed = True
    return edges_of(graph)
