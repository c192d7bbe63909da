"""Networks, data and traces that the tests of pictures and reports share."""

from __future__ import annotations

import random

import numpy as np

import chordlearn as cl
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.result import build_result

HOSTILE = [
    "</script ><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "{{facts}} $x_1^2$ \\frac",
    "年齢 <!-- & '",
    "a very-long_name.with/many parts-that_goes.on and on and on-until_nobody.reads it",
]


def random_tree(n: int, seed: int = 1) -> ChordalNetwork:
    chance = random.Random(seed)
    names = [f"variable_{i}" for i in range(n)]
    edges = [(names[i], names[chance.randrange(max(0, i - 9), i)]) for i in range(1, n)]
    return ChordalNetwork.from_edges(names, edges)


def hostile_result() -> tuple[cl.Result, cl.Dataset]:
    """A result whose names and states try to break out of whatever they are put in."""
    chance = np.random.default_rng(5)
    base = chance.integers(0, 3, 400)
    columns = {}
    for i, name in enumerate(HOSTILE):
        noisy = np.where(chance.random(400) < 0.7, base, chance.integers(0, 3, 400))
        columns[name] = [f"{HOSTILE[i - 1][:20]} {value}" for value in noisy]
    data = cl.read(columns)
    return cl.learn(data), data


def tree_result(n: int) -> tuple[cl.Result, cl.Dataset]:
    """A tree with the data that it might have been learned from, deeper than tests can learn."""
    network = random_tree(n)
    chance = np.random.default_rng(2)
    columns: dict[str, np.ndarray] = {}
    for i, name in enumerate(network.variables):
        earlier = [other for other in network.neighbours(name) if other in columns]
        noise = chance.integers(0, 2 + i % 3, 300)
        copied = columns[earlier[0]] % (2 + i % 3) if earlier else noise
        columns[name] = np.where(chance.random(300) < 0.7, copied, noise)
    data = cl.read({name: [f"s{value}" for value in values] for name, values in columns.items()})
    result = build_result(
        variables=data.variables,
        cliques=network.masks,
        score=-1.0,
        bound=0.0,
        stopped_by="time limit",
        tolerance=1e-6,
        score_function={"name": "bdeu", "parameters": {"ess": 1.0}},
        backend="search",
        data_sha256=data.sha256,
        rows=data.rows,
        states=data.states,
    )
    return result, data
