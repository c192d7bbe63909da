"""Proofs beyond 2ⁿ tables: many variables, cliques of few; how long until the bound meets the network.

python benchmarks/proofs.py ../shared/data            # a minute for each
python benchmarks/proofs.py ../shared/data --seconds 300 --only alarm
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import chordlearn as cl

RUNS = [
    ("bn/alarm_1000.csv", (3, 4, 5, 6)),
    ("bn/alarm_bnlearn.csv", (3, 4)),
    ("bn/insurance_1000.csv", (3, 4, 5, 6)),
    ("bn/hailfinder_1000.csv", (3, 4, 5)),
    ("debd/plants/plants.train.csv", (3, 4)),
    ("debd/jester/jester.train.csv", (3, 4)),
    ("debd/dna/dna.train.csv", (3,)),
]


def main() -> None:
    """Print one line for each run."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", type=Path, help="the folder of measuring data")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each run")
    parser.add_argument("--only", default="", help="runs whose file has this in its name")
    options = parser.parse_args()
    print("| data | variables | largest clique | score | bound | gap | seconds |")
    print("|---|---|---|---|---|---|---|")
    for name, sizes in RUNS:
        if options.only not in name:
            continue
        dataset = cl.read(options.data / name)
        for largest in sizes:
            start = time.perf_counter()
            result = cl.learn(dataset, max_clique=largest, backend="ilp:cuts", time_limit=options.seconds)
            seconds = time.perf_counter() - start
            gap = "proved" if result.status == "optimal" else f"{result.gap:.3f}"
            print(
                f"| {Path(name).stem} | {len(dataset.variables)} | {largest} | {result.score:.3f} "
                f"| {result.bound:.3f} | {gap} | {seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
