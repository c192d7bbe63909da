"""The DAG relaxation in whole numbers: what a network with a given complete set can score at most.

A network with the complete set C has a perfect order that begins with C: every later variable i finds, among
those before it, a complete set P of neighbours, and the network scores u(C) + Σ u(P ∪ {i}) − u(P). Without
asking that the sets P fit together, a dynamic program over all sets finds the largest such sum.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chordlearn.certificate.proofs.integers import Integers
from chordlearn.certificate.proofs.sets import Flags, sizes

IMPOSSIBLE = -(1 << 57)
"""Below every sum of scores, and far enough above −2⁶³ to be added up for all variables."""
_HOPELESS = IMPOSSIBLE // 2


def rest_bounds(integers: Integers, allowed: Flags, required: tuple[int, ...]) -> Integers:
    """For every set the most that all other variables can add when it is complete and comes first.

    ``required`` has the neighbours that each variable must have, as masks. IMPOSSIBLE where there is no way
    to go on.

    >>> rest_bounds(np.array([0, 0, 0, 7]), np.ones(4, dtype=np.bool_), (0, 0)).tolist()
    [7, 7, 7, 0]
    """
    n = len(required)
    gains = [_best_gain(integers, allowed, i, required[i]) for i in range(n)]
    rest = np.full(1 << n, IMPOSSIBLE, dtype=np.int64)
    rest[-1] = 0
    for layer in _layers(n):
        for i, without in layer:
            found = rest[without | 1 << i] + gains[i][without]
            rest[without] = np.maximum(rest[without], found)
    rest[rest < _HOPELESS] = IMPOSSIBLE
    return rest


def _best_gain(integers: Integers, allowed: Flags, i: int, needed: int) -> Integers:
    """For every set U without i: the largest u(P ∪ {i}) − u(P) with P in U, and all needed ones of U in P."""
    n = len(allowed).bit_length() - 1
    split = integers.reshape(-1, 2, 1 << i)
    gain = np.full(1 << n, IMPOSSIBLE, dtype=np.int64)
    gain.reshape(-1, 2, 1 << i)[:, 0] = np.where(
        allowed.reshape(-1, 2, 1 << i)[:, 1], split[:, 1] - split[:, 0], IMPOSSIBLE
    )
    for j in range(n):
        if j != i and not needed >> j & 1:
            halves = gain.reshape(-1, 2, 1 << j)
            np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return gain


@lru_cache(maxsize=2)
def _layers(n: int) -> list[list[tuple[int, NDArray[np.int64]]]]:
    """From large sets to small: for each size, the sets without each variable."""
    layers = []
    for size in range(n - 1, -1, -1):
        of_size = np.flatnonzero(sizes(n) == size)
        layers.append([(i, of_size[of_size >> i & 1 == 0]) for i in range(n)])
    return layers
