"""Large tables: what a run of some seconds reaches, beside the greedy program Chordalysis (Java).

    python benchmarks/large.py ../shared/data                 # as long as Chordalysis took, but at least 2 s
    python benchmarks/large.py ../shared/data --seconds 60

Scores are BDeu with equivalent sample size 1 on the training rows; "per test row" is the mean log-likelihood.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import chordlearn as cl
from chordlearn.errors import InputError


@dataclass(frozen=True)
class Run:
    file: str
    greedy_score: float
    greedy_seconds: float
    missing: str = "error"


RUNS = (
    Run("debd/nltcs/nltcs.train.csv", -99690.0, 0.4),
    Run("uci/voting.csv", -4654.4, 0.2, "category"),
    Run("bn/alarm_1000.csv", -11395.0, 0.4),
    Run("bn/alarm_bnlearn.csv", -220711.0, 0.7),
    Run("debd/plants/plants.train.csv", -246722.0, 0.5),
    Run("debd/jester/jester.train.csv", -497888.0, 1.4),
    Run("debd/dna/dna.train.csv", -129731.0, 2.0),
    Run("debd/nips/nips.train.csv", -111025.0, 9.0),
)
LEAST_SECONDS = 2.0


def per_test_row(path: Path, result: cl.Result) -> str:
    """The mean log-likelihood of the test rows, where there are any."""
    test = path.with_name(path.name.replace(".train.", ".test."))
    if test == path:
        return ""
    fitted = cl.fit(result, cl.read(path))
    rows = cl.read(test)
    try:
        return f"{np.average(fitted.log_likelihood(rows), weights=rows.weights):.3f}"
    except InputError:
        return "states not seen in training"


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", type=Path, help="the folder of measuring data")
    parser.add_argument("--seconds", type=float, help="limit of each run")
    options = parser.parse_args()
    print("| data | variables | seconds | score | Chordalysis | bound | per test row |")
    print("|---|---|---|---|---|---|---|")
    for run in RUNS:
        path = options.data / run.file
        limit = options.seconds or max(LEAST_SECONDS, run.greedy_seconds)
        start = time.perf_counter()
        result = cl.learn(path, missing=run.missing, time_limit=limit)
        seconds = time.perf_counter() - start
        bound = f"{result.bound:.1f}" if math.isfinite(result.bound) else "none"
        cells = [
            path.stem,
            len(result.variables),
            f"{seconds:.1f}",
            f"{result.score:.2f}",
            run.greedy_score,
            "proved" if result.status == "optimal" else bound,
            per_test_row(path, result),
        ]
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
