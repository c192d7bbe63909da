"""Random fitted networks, and the joint table of all their variables multiplied out."""

from __future__ import annotations

import numpy as np

from chordlearn.data.dataset import Dataset
from chordlearn.graphs import graph_from_edges, maximal_cliques
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.parameters import Estimation


def joint_table(net: FittedNetwork) -> np.ndarray:
    """P of every joint state: the product over cliques divided by the product over separators."""
    n = len(net.variables)

    def spread(names: tuple[str, ...], table: np.ndarray) -> np.ndarray:
        return np.einsum(
            table, [net.variables.index(name) for name in names], sorted(map(net.variables.index, names))
        ).reshape([len(net.states[i]) if net.variables[i] in names else 1 for i in range(n)])

    whole = np.ones([len(labels) for labels in net.states])
    marginal = {}
    for clique, table in zip(net.cliques, net.tables, strict=True):
        whole = whole * spread(clique, table)
        marginal[clique] = table
    for separator in net.structure.separators:
        clique = next(c for c in net.cliques if set(separator) <= set(c))
        axes = tuple(i for i, name in enumerate(clique) if name not in separator)
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = np.nan_to_num(whole / spread(separator, marginal[clique].sum(axis=axes)), nan=0.0)
    return whole


def random_chordal(rng: np.random.Generator, n: int, density: float) -> tuple[int, ...]:
    """The maximal cliques of a chordal graph: each vertex joins part of an earlier one's family."""
    families = [1]
    edges = []
    for vertex in range(1, n):
        family = families[int(rng.integers(vertex))]
        joined = [u for u in range(vertex) if family >> u & 1 and rng.random() < density]
        edges += [(u, vertex) for u in joined]
        families.append(sum(1 << u for u in joined) | 1 << vertex)
    return maximal_cliques(graph_from_edges(n, edges))


def random_data(rng: np.random.Generator, sizes: list[int], rows: int) -> Dataset:
    """Rows in which neighbouring columns depend on each other."""
    codes = np.zeros((rows, len(sizes)), dtype=np.int32)
    for i, size in enumerate(sizes):
        noise = rng.integers(0, size, rows)
        codes[:, i] = np.where(rng.random(rows) < 0.5, noise, codes[:, i - 1] % size) if i else noise
    names = tuple(f"v{i}" for i in range(len(sizes)))
    states = tuple(tuple(f"s{k}" for k in range(size)) for size in sizes)
    return Dataset(names, states, codes, np.ones(rows, dtype=np.int64))


def random_network(
    seed: int, n: int = 7, method: str = "posterior-mean", fewest_states: int = 1
) -> FittedNetwork:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(fewest_states, 4, n).tolist()
    data = random_data(rng, sizes, 40)
    structure = ChordalNetwork.from_masks(
        data.variables, random_chordal(rng, n, float(rng.choice([0.3, 0.7, 1.0]))), data.states
    )
    return FittedNetwork.from_data(
        structure, data, Estimation(method, 2.0 if method == "posterior-mean" else None)
    )
