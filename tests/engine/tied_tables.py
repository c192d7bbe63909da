"""Tables whose best networks tie, and all networks on a few variables to compare with."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, separators
from chordlearn.pipeline.inputs import score_sets
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import ScoreTable

SCORES = ("bdeu", "bic", "aic", "qnml", "jeffreys")
SETTINGS: tuple[dict[str, Any], ...] = ({}, {}, {"edge_prior": -0.7}, {"edge_prior": 0.5}, {"max_clique": 3})


def tied_table(seed: int) -> dict[str, list[int]]:
    """Up to six columns: random ones, constants, copies under other labels, and functions of two others."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(4, 80)), int(rng.integers(2, 7))
    table: list[NDArray[np.int64]] = [rng.integers(0, int(rng.integers(2, 4)), rows)]
    while len(table) < columns:
        one, other = (table[int(k)] for k in rng.integers(0, len(table), 2))
        kind = rng.choice(["random", "noisy", "constant", "copy", "function"])
        match kind:
            case "random":
                column = rng.integers(0, int(rng.integers(2, 4)), rows)
            case "noisy":
                column = np.where(rng.random(rows) < 0.7, one, rng.integers(0, 3, rows))
            case "constant":
                column = np.zeros(rows, dtype=np.int64)
            case "copy":
                column = rng.permutation(4)[one]
            case _:
                column = (one + other) % 2
        table.append(column)
    order = rng.permutation(columns)
    return {f"x{place}": table[int(k)].tolist() for place, k in enumerate(order)}


def settings_for(seed: int) -> dict[str, Any]:
    """A score, and now and then a prior, a largest clique, a required and a forbidden edge."""
    rng = np.random.default_rng(seed + 1_000_000)
    table = tied_table(seed)
    settings = {"score": str(rng.choice(SCORES)), **SETTINGS[int(rng.integers(len(SETTINGS)))]}
    pairs = list(combinations(table, 2))
    if rng.random() < 0.2:
        settings["require"] = [pairs[int(rng.integers(len(pairs)))]]
    elif rng.random() < 0.2:
        settings["forbid"] = [pairs[int(rng.integers(len(pairs)))]]
    return settings


class AllNetworks:
    """Every chordal graph on n variables, the simplest first."""

    def __init__(self, n: int) -> None:
        pairs = list(combinations(range(n), 2))
        found = []
        for bits in range(1 << len(pairs)):
            edges = [pair for place, pair in enumerate(pairs) if bits >> place & 1]
            graph = graph_from_edges(n, edges)
            if is_chordal(graph):
                found.append((len(edges), edges, maximal_cliques(graph)))
        self.networks = sorted(found)
        self.parts = np.zeros((len(found), 1 << n))
        for row, (_, _, cliques) in enumerate(self.networks):
            for clique in cliques:
                self.parts[row, clique] += 1
            for separator in separators(cliques):
                self.parts[row, separator] -= 1


@lru_cache
def all_networks(n: int) -> AllNetworks:
    return AllNetworks(n)


def problem_of(table: dict[str, list[int]], settings: dict[str, Any]) -> Problem:
    """The problem with all columns in it, constants too."""
    scoring = {name: settings[name] for name in ("score", "edge_prior") if name in settings}
    limits = Constraints(
        settings.get("max_clique"), tuple(settings.get("require", ())), tuple(settings.get("forbid", ()))
    )
    return make_problem(score_sets(table, **scoring), limits)


def simplest_by_brute_force(problem: Problem, settings: dict[str, Any]) -> list[tuple[str, str]]:
    """The edges of the first of the networks that tie with the best."""
    assert isinstance(problem.scores, ScoreTable)
    values, names = problem.scores.values, problem.variables
    every = all_networks(len(names))
    scores = every.parts @ values
    allowed = np.ones(len(scores), dtype=bool)
    for row, (_, edges, cliques) in enumerate(every.networks):
        named = {(names[a], names[b]) for a, b in edges}
        allowed[row] = (
            set(settings.get("require", ())) <= named
            and not set(settings.get("forbid", ())) & named
            and max(clique.bit_count() for clique in cliques) <= settings.get("max_clique", len(names))
        )
    best = scores[allowed].max()
    tied = np.flatnonzero(allowed & (scores >= best - 1e-6))
    return [(names[a], names[b]) for a, b in every.networks[tied[0]][1]]
