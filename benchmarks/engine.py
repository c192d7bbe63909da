"""The exact engine on real data: one table per run, each row a process of its own.

    python benchmarks/engine.py                      the whole suite on one core
    python benchmarks/engine.py --threads 2 nltcs    some of it, on two

"dense" is the plain program over all states on the same scores; it is left out where it would take too long.
"speed-up" is the dense program's time over search, reduction and solve together.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MOST_DENSE_VARIABLES = 17

SUITE: dict[str, tuple[str, int | None]] = {
    "heart": ("paper/heart.csv", None),
    "econ": ("paper/econ.csv", None),
    "nursery": ("uci/nursery.csv", None),
    "tictactoe": ("uci/tictactoe.csv", None),
    "sachs": ("gm/sachs_discretised.csv", None),
    "bridges": ("uci/bridges.csv", None),
    "flare2": ("uci/flare2.csv", None),
    "loglin15": ("gm/loglin_p15_trilearn.csv", None),
    "nltcs": ("debd/nltcs/nltcs.train.csv", None),
    "voting": ("uci/voting.csv", None),
    "alarm": ("bn/alarm_1000.csv", 20),
    "alarm 20,000": ("bn/alarm_bnlearn.csv", 20),
    "insurance": ("bn/insurance_1000.csv", 20),
    "mushroom": ("uci/mushroom.csv", 20),
    "spect": ("uci/spect.csv", 20),
    "hailfinder": ("bn/hailfinder_1000.csv", 20),
    "plants": ("debd/plants/plants.train.csv", 20),
    "jester": ("debd/jester/jester.train.csv", 20),
    "dna": ("debd/dna/dna.train.csv", 20),
    "insurance 23": ("bn/insurance_1000.csv", 23),
    "hailfinder 23": ("bn/hailfinder_1000.csv", 23),
    "spect 23": ("uci/spect.csv", 23),
    "mushroom 23": ("uci/mushroom.csv", 23),
    "alarm 25": ("bn/alarm_1000.csv", 25),
}


def header(path: Path) -> list[str]:
    import polars

    return polars.read_csv(path, n_rows=0, infer_schema=False).columns


def measure(name: str, threads: int) -> dict[str, object]:
    """Learn one data set in this process."""
    import chordlearn as cl
    from chordlearn.backends.base.outcome import Limits
    from chordlearn.backends.base.run import Options, Run
    from chordlearn.backends.engine.native import Native
    from chordlearn.problem.problem import make_problem

    file, columns = SUITE[name]
    path = DATA / file
    start = time.perf_counter()
    result = cl.learn(
        str(path),
        columns=None if columns is None else header(path)[:columns],
        missing="category",
        threads=threads,
    )
    whole = time.perf_counter() - start
    row: dict[str, object] = {
        "name": name,
        "n": len(result.variables),
        "rows": result.rows,
        "score": result.score,
        "status": result.status,
        "left": result.candidates["after"],
        "states": result.details["states"],
        "method": result.details.get("method", "bounds alone"),
        "seconds": {**result.seconds, **result.details["seconds"]} | {"score": result.seconds["score"]},
        "whole": whole,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }
    if len(result.variables) <= MOST_DENSE_VARIABLES:
        from chordlearn.pipeline.inputs import score_sets

        problem = make_problem(score_sets(str(path), missing="category", threads=threads))
        start = time.perf_counter()
        outcome = Native().solve(Run(problem, Limits(threads=threads), Options(reduce=False)), method="dense")
        row["dense"] = time.perf_counter() - start
        if abs(outcome.score - result.score) > 1e-6:
            raise SystemExit(f"{name}: pruned {result.score} and dense {outcome.score} differ")
    return row


COLUMNS = (
    *("data", "n", "rows", "score", "sets left", "states", "method"),
    *("scoring", "search", "reduce", "solve", "whole", "GB", "dense", "speed-up"),
)


def line(row: dict[str, object]) -> str:
    seconds = row["seconds"]
    assert isinstance(seconds, dict)
    search, reduce, states, solve = (seconds.get(s, 0.0) for s in ("search", "reduce", "states", "solve"))
    dense = row.get("dense")
    cells = [row["name"], row["n"], f"{row['rows']:,}", f"{row['score']:.4f}"]
    cells += [f"{row['left']:,}", f"{row['states']:,}", row["method"]]
    cells += [f"{s:.2f}" for s in (seconds["score"], search, reduce, states + solve, row["whole"])]
    cells.append(f"{row['memory']:.2f}")
    if isinstance(dense, float):
        cells += [f"{dense:.2f}", f"{dense / max(search + reduce + states + solve, 1e-9):,.1f}"]
    else:
        cells += ["", ""]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(SUITE), help="rows of the suite")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--one", action="store_true", help="print one row as JSON, in this process")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.names[0], arguments.threads)))
        return
    print(f"{date.today()}, {platform.machine()}, {arguments.threads} thread(s), seconds and GB\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for name in arguments.names:
        command = [sys.executable, __file__, "--one", name, "--threads", str(arguments.threads)]
        output = subprocess.run(command, capture_output=True, text=True)
        if output.returncode:
            print(f"| {name} | {output.stderr.strip().splitlines()[-1]} |", flush=True)
        else:
            print(line(json.loads(output.stdout)), flush=True)


if __name__ == "__main__":
    main()
