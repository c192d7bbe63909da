"""Whether what several ways of solving say of one problem can all be true.

Networks are compared by their exact scores: sums of the given numbers without any rounding on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from campaign.attempts import FORMATS_OF_FAMILIES, Attempt
from campaign.settings import TOP
from chordlearn.errors import InputError
from chordlearn.graphs import separators
from chordlearn.network.result import Result
from chordlearn.pipeline.verification import verify
from chordlearn.problem.problem import Problem
from chordlearn.scores.accuracy import UNIT_ROUNDOFF

MANY_ROWS = 20_000
"""With more distinct rows than this only one result is checked by the certificate, which counts in Python."""


@dataclass(frozen=True)
class Network:
    """A network that somebody found, as the terms of its score."""

    finder: str
    cliques: tuple[int, ...]
    terms: tuple[float, ...]

    @property
    def size(self) -> float:
        """The sum of the terms' absolute values."""
        return math.fsum(map(abs, self.terms))

    def above(self, number: float) -> float:
        """The exact score minus a number, rounded once."""
        return math.fsum((*self.terms, -number))

    def better_than(self, other: Network) -> float:
        """The exact difference of two scores, rounded once."""
        return math.fsum((*self.terms, *(-term for term in other.terms)))


@dataclass
class Comparison:
    """Compares the attempts at one problem; counts the comparisons and collects what cannot be true."""

    problem: Problem
    attempts: Sequence[Attempt]
    made: int = 0
    complaints: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Make all comparisons."""
        for attempt in self.attempts:
            self._check_alone(attempt)
        networks = [(attempt, list(self._networks(attempt))) for attempt in self.attempts]
        every = [network for _, found in networks for network in found]
        for attempt, found in networks:
            self._check_claims(attempt, found[0] if found else None, every)
        self._check_runners_up()
        self._check_ties()
        self._check_simplest()

    def _demand(self, holds: bool, who: str, complaint: str) -> None:
        self.made += 1
        if not holds:
            self.complaints.append(f"{who}: {complaint}")

    def _slack(self, attempt: Attempt) -> float:
        """By how much the scores that an attempt was given may differ from the problem's."""
        if attempt.setting.source not in FORMATS_OF_FAMILIES:
            return 0.0
        return 8 * self.problem.n**2 * UNIT_ROUNDOFF * self.largest

    @cached_property
    def largest(self) -> float:
        """The largest finite score, whatever its sign."""
        values = self.problem.values
        return float(np.abs(values[np.isfinite(values)]).max())

    def _networks(self, attempt: Attempt) -> Iterator[Network]:
        result = attempt.result
        if result is None or result.status == "none":
            return
        yield self._network(attempt, result, result.cliques)
        for other in result.runners_up:
            yield self._network(attempt, result, other.cliques)

    def _network(self, attempt: Attempt, result: Result, cliques: Sequence[Sequence[str]]) -> Network:
        position = {name: i for i, name in enumerate(result.variables)}
        masks = tuple(sum(1 << position[name] for name in clique) for clique in cliques)
        values = self.problem.values
        gains = [float(values[mask]) for mask in masks]
        losses = [-float(values[mask]) for mask in separators(masks)]
        return Network(attempt.setting.name, masks, (*gains, *losses))

    def _check_alone(self, attempt: Attempt) -> None:
        """What one attempt says must be true by itself."""
        name = attempt.setting.name
        self._demand(attempt.failure is None, name, f"failed: {attempt.failure}")
        result = attempt.result
        if result is None:
            return
        self._demand(
            result.status == "optimal" or result.stopped_by != "proof",
            name,
            f"claims a proof, but the status is {result.status} with a gap of {result.gap:.3g}",
        )
        self._demand(_survives_json(result), name, "changes on its way through JSON")
        if result.status == "none":
            return
        for network, stated in zip(
            self._networks(attempt),
            (result.score, *(other.score for other in result.runners_up)),
            strict=True,
        ):
            error = abs(network.above(stated))
            allowed = 4 * self.problem.n * UNIT_ROUNDOFF * network.size + self._slack(attempt)
            self._demand(
                error <= allowed,
                name,
                f"states the score {stated!r} for a network that scores {network.above(0.0)!r}",
            )

    def check_certificate(self, attempt: Attempt) -> None:
        """The independent check accepts the result."""
        if attempt.result is not None:
            report = verify(attempt.result, attempt.data)
            reason = "" if report.ok else f"{report.failures[0].name}: {report.failures[0].reason}"
            self._demand(report.ok, attempt.setting.name, f"the certificate rejects it: {reason}")

    def _check_claims(self, attempt: Attempt, own: Network | None, networks: Sequence[Network]) -> None:
        """No network that anybody found disproves a bound, an optimum or a contradiction."""
        name = attempt.setting.name
        if attempt.contradiction:
            self._demand(
                not networks,
                name,
                f"says that there is no network, but {networks[0].finder} found one" if networks else "",
            )
            return
        result = attempt.result
        if result is None:
            return
        tolerance = result.tolerance + self._slack(attempt)
        for network in networks:
            above = network.above(result.bound) if math.isfinite(result.bound) else -math.inf
            self._demand(
                above <= tolerance,
                name,
                f"has the bound {result.bound!r}, but {network.finder} found a network {above:.3g} above it",
            )
            if result.status == "optimal" and own is not None:
                better = network.better_than(own)
                self._demand(
                    better <= tolerance,
                    name,
                    f"claims the optimum {result.score!r} within {result.tolerance:.3g}, "
                    f"but {network.finder} found a network that is better by {better:.3g}",
                )

    def _check_ties(self) -> None:
        """As many networks are within reach of the best as the list of all graphs shows."""
        for attempt in self.attempts:
            if attempt.setting.backend == "exhaustive" and attempt.result is not None and attempt.proved:
                listing, listed = attempt, attempt.result
                break
        else:
            return
        behind = [listed.score - other.score for other in listed.runners_up]
        for attempt in self.attempts:
            ties = None if attempt.result is None else attempt.result.details.get("ties")
            if (
                ties is None
                or self._is_borderline(behind, ties["within"])
                or _aside(attempt) != _aside(listing)
            ):
                continue
            near = 1 + sum(distance <= ties["within"] for distance in behind)
            unlisted = near > len(behind) and len(behind) + 1 >= TOP
            right = ties["networks"] >= near if unlisted else ties["networks"] == near
            incomplete = not ties["complete"] and ties["networks"] <= near
            self._demand(
                right or incomplete,
                attempt.setting.name,
                f"counts {ties['networks']} networks within {ties['within']:.3g}, but there are {near}",
            )

    def _check_simplest(self) -> None:
        """Who is certain to have the simplest network has the same one as the others."""
        certain = [
            attempt
            for attempt in self.attempts
            if attempt.result is not None
            and attempt.proved
            and attempt.result.details.get("ties", {}).get("simplest")
        ]
        for attempt in certain[1:]:
            first, other = certain[0].result, attempt.result
            assert first is not None and other is not None
            who = f"{certain[0].setting.name} and {attempt.setting.name}"
            same = _edges_by_place(first) == _edges_by_place(other)
            self._demand(same, who, f"return other networks as the simplest: {first.edges} and {other.edges}")

    def _is_borderline(self, distances: Sequence[float], within: float) -> bool:
        rounding = 1e-9 + 16 * self.problem.n * UNIT_ROUNDOFF * self.largest
        return any(abs(distance - within) <= rounding for distance in distances)

    def _check_runners_up(self) -> None:
        """The k-th best scores are the same for all who list so many."""
        listing = [
            attempt
            for attempt in self.attempts
            if attempt.result is not None and attempt.setting.top > 1 and attempt.result.status == "optimal"
        ]
        for attempt in listing[1:]:
            if _aside(attempt) != _aside(listing[0]):
                continue
            first, other = listing[0].result, attempt.result
            assert first is not None and other is not None
            slack = max(first.tolerance, other.tolerance)
            scores = [[r.score, *(x.score for x in r.runners_up)] for r in (first, other)]
            same = len(scores[0]) == len(scores[1]) and all(
                abs(a - b) <= slack + 1e-15 * abs(a) for a, b in zip(*scores, strict=True)
            )
            who = f"{listing[0].setting.name} and {attempt.setting.name}"
            self._demand(same, who, f"list other best scores: {scores[0]} and {scores[1]}")


def _aside(attempt: Attempt) -> list[str]:
    """The constant columns that were set aside, with which no networks are listed."""
    aside: list[str] = [] if attempt.result is None else attempt.result.details.get("set_aside", [])
    return aside


def _edges_by_place(result: Result) -> list[tuple[int, int]]:
    """The edges by the numbers of the variables, whose names may differ."""
    place = {name: index for index, name in enumerate(result.variables)}
    return [(place[a], place[b]) for a, b in result.edges]


def _survives_json(result: Result) -> bool:
    """Whether a result is the same when it is read again; one that contradicts itself is refused then."""
    try:
        return Result.from_json(result.to_json()) == result
    except InputError:
        return False
