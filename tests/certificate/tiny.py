"""Tiny data sets, a plain way to score them, and their best networks by trying all."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from functools import cache

import numpy as np

from chordlearn.data.dataset import Dataset
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, members, score_of, separators
from chordlearn.network.result import build_result


def dataset_from(rows, arities, variables=None, source="memory"):
    counts = Counter(map(tuple, rows))
    distinct = sorted(counts)
    return Dataset(
        variables or tuple("abcdefgh"[: len(arities)]),
        tuple(tuple(f"s{i}" for i in range(arity)) for arity in arities),
        np.array(distinct, dtype=np.int32).reshape(len(distinct), len(arities)),
        np.array([counts[row] for row in distinct], dtype=np.int64),
        source,
    )


def chain_data(seed, arities=(2, 3, 2, 2), rows=150):
    """Each column follows the one before it two times of three."""
    chance = random.Random(seed)
    table = []
    for _ in range(rows):
        row: list[int] = []
        for arity in arities:
            follow = row and chance.random() < 0.67
            row.append(row[-1] % arity if follow else chance.randrange(arity))
        table.append(row)
    return dataset_from(table, arities)


def plain_value(dataset, name, parameters):
    """v by mask, straight from the definitions in DESIGN."""

    @cache
    def value(mask):
        columns = list(members(mask))
        counts: Counter[tuple[int, ...]] = Counter()
        for row, weight in zip(dataset.codes.tolist(), dataset.weights.tolist(), strict=True):
            counts[tuple(row[i] for i in columns)] += weight
        total = dataset.rows
        cells = math.prod(dataset.arities[i] for i in columns)
        prior = parameters.get("edge_prior", 0.0) * math.comb(len(columns), 2)
        if name in ("bdeu", "dirichlet"):
            alpha = parameters["ess"] / cells if name == "bdeu" else parameters["alpha"]
            filled = sum(math.lgamma(n + alpha) - math.lgamma(alpha) for n in counts.values())
            return filled + math.lgamma(alpha * cells) - math.lgamma(total + alpha * cells) + prior
        likelihood = sum(n * math.log(n / total) for n in counts.values())
        if name == "qnml":
            return likelihood - math.log(plain_normaliser(total, cells)) + prior
        return likelihood - (0.5 * math.log(total) if name == "bic" else 1.0) * (cells - 1) + prior

    return value


@cache
def plain_normaliser(total, cells):
    """C(N, k) by splitting off one cell at a time."""
    if cells == 1:
        return 1.0
    return math.fsum(
        math.comb(total, first)
        * (first / total) ** first
        * ((total - first) / total) ** (total - first)
        * (plain_normaliser(total - first, cells - 1) if total > first else 1.0)
        for first in range(total + 1)
    )


def ranked_networks(n, value, max_clique=None):
    """All chordal graphs by falling score, as (cliques, score)."""
    pairs = list(itertools.combinations(range(n), 2))
    networks = []
    for chosen in range(1 << len(pairs)):
        graph = graph_from_edges(n, [pair for i, pair in enumerate(pairs) if chosen >> i & 1])
        if is_chordal(graph):
            cliques = maximal_cliques(graph)
            if max_clique is None or max(map(int.bit_count, cliques)) <= max_clique:
                networks.append((cliques, score_of(cliques, separators(cliques), value)))
    return sorted(networks, key=lambda network: -network[1])


def learned(dataset, name="bdeu", parameters=None, runners_up=2, max_clique=None, constraints=None):
    """The JSON document of the best network of a tiny data set, as it comes from a file."""
    parameters = {"ess": 1.0, "edge_prior": 0.0} if parameters is None else parameters
    value = plain_value(dataset, name, parameters)
    best, *others = ranked_networks(len(dataset.variables), value, max_clique)
    result = build_result(
        variables=dataset.variables,
        cliques=best[0],
        score=best[1],
        bound=best[1],
        stopped_by="proof",
        tolerance=1e-6,
        score_function={"name": name, "parameters": parameters},
        backend="exhaustive",
        data_sha256=dataset.sha256,
        rows=dataset.rows,
        states=dataset.states,
        constraints={"max_clique": max_clique, "required": [], "forbidden": [], **(constraints or {})},
        scaling={"factor": 1000.0, "max_error": 0.0045},
        candidates={"before": 15, "after": 9},
        seconds={"solve": 0.1},
        seed=0,
        versions={"chordlearn": "0"},
        data={"source": "memory", "options": {"missing": "drop"}},
        runners_up=others[:runners_up],
        details={"networks": 61},
    )
    return json.loads(result.to_json())
