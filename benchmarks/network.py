"""Seconds that questions to a fitted network take: likelihood, sampling, prediction, completion of many rows.

Run with ``python benchmarks/network.py``. The network has 20 variables of 2 to 4 states and cliques of 4.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import chordlearn as cl
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork

ROWS = 1_000_000
VARIABLES = 20


def network() -> FittedNetwork:
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(VARIABLES)]
    edges = [(names[i], names[j]) for i in range(VARIABLES) for j in range(max(0, i - 3), i)]
    data = {name: rng.integers(0, 2 + i % 3, 5000) for i, name in enumerate(names)}
    return cl.fit(ChordalNetwork.from_edges(names, edges), data)


def timed(what: str, work: Callable[[], object], goal: str = "") -> None:
    begin = time.perf_counter()
    work()
    print(f"{what:<58}{time.perf_counter() - begin:>8.3f} s  {goal}", flush=True)


def main() -> None:
    net = network()
    codes = net.sample_codes(ROWS, seed=0)
    frame = net.frame(codes)
    gaps = codes.copy(order="F")
    gaps[np.random.default_rng(1).random(ROWS) < 0.2, 5] = -1
    gaps[np.random.default_rng(2).random(ROWS) < 0.2, 9] = -1
    pandas = frame.to_pandas() if _has_pandas() else None
    timed("sample 1,000,000 rows", lambda: net.sample(ROWS, seed=0), "(goal: 5)")
    timed("sample 1,000,000 rows given evidence", lambda: net.sample(ROWS, given={"v3": "1"}, seed=0))
    timed(
        "log-likelihood of 1,000,000 rows, polars of labels", lambda: net.log_likelihood(frame), "(goal: 2)"
    )
    timed(
        "log-likelihood of 1,000,000 rows, array of integers",
        lambda: net.log_likelihood(numbered(net, codes)),
    )
    if pandas is not None:
        timed("log-likelihood of 1,000,000 rows, pandas", lambda: net.log_likelihood(pandas))
    timed("prediction of one variable, 1,000,000 rows", lambda: net.predict(frame, "v7"))
    timed("completion of 1,000,000 rows, 2 columns with gaps", lambda: net.complete_codes(gaps))
    everywhere = codes[:100_000].copy(order="F")
    everywhere[np.random.default_rng(3).random(everywhere.shape) < 0.05] = -1
    timed("completion of 100,000 rows, gaps everywhere", lambda: net.complete_codes(everywhere))
    timed(
        "200 networks of resampled econ, each proved", lambda: cl.bootstrap("econ", samples=200), "(goal: 20)"
    )
    timed("1000 queries of one variable given three", lambda: many_queries(net, 1000))


def numbered(net: FittedNetwork, codes: np.ndarray) -> dict[str, np.ndarray]:
    return {name: codes[:, i] for i, name in enumerate(net.variables)}


def many_queries(net: FittedNetwork, count: int) -> None:
    for i in range(count):
        net.marginal(f"v{i % 20}", given={f"v{(i + k) % 20}": "0" for k in (3, 7, 11)})


def _has_pandas() -> bool:
    try:
        import pandas  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main()
