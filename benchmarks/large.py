"""Tables with many columns: what `chordlearn learn FILE --time-limit S` reaches, a process for each run.

    python benchmarks/large.py                    every set, in the time of a greedy program and in 60 s
    python benchmarks/large.py plants --seconds 10
    python benchmarks/large.py generated          1,500 columns by 5,000 rows, from a random chordal network

Beside each score stands what the greedy program Chordalysis reached on a machine of this kind, and its
seconds. "per test row" is the log-likelihood of the test split under the network with posterior means from
the train split. "CPU" are seconds of all threads together, which other work on the machine does not stretch.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import chordlearn as cl
from chordlearn.data import Dataset

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LEAST_SECONDS, FULL_SECONDS = 2.0, 60.0


@dataclass(frozen=True)
class Set:
    """A table, and what the greedy program made of it."""

    train: str
    score: float
    seconds: float
    test: str | None = None
    per_row: float | None = None


SUITE = {
    "nltcs": Set("debd/nltcs/nltcs.train.csv", -99690, 0.4, "debd/nltcs/nltcs.test.csv", -6.106),
    "voting": Set("uci/voting.csv", -4654.4, 0.2),
    "alarm 1,000": Set("bn/alarm_1000.csv", -11395, 0.4),
    "alarm 20,000": Set("bn/alarm_bnlearn.csv", -220711, 0.7),
    "plants": Set("debd/plants/plants.train.csv", -246722, 0.5, "debd/plants/plants.test.csv", -13.91),
    "jester": Set("debd/jester/jester.train.csv", -497888, 1.4, "debd/jester/jester.test.csv", -53.95),
    "dna": Set("debd/dna/dna.train.csv", -129731, 2.0, "debd/dna/dna.test.csv", -80.46),
    "nips": Set("debd/nips/nips.train.csv", -111025, 9.0, "debd/nips/nips.test.csv", -279.97),
}
GENERATED = "generated"
COLUMNS = (
    *("data", "columns", "rows", "limit", "wall", "CPU", "GB", "first network"),
    *("score", "Chordalysis", "its seconds", "bound", "largest clique", "per test row", "Chordalysis"),
)


@dataclass(frozen=True)
class Run:
    """What one run of the command came to."""

    result: dict[str, object]
    wall: float
    cpu: float
    memory: float
    first_network: float


def learn(path: Path, seconds: float, threads: int | None, seed: int, folder: Path) -> Run:
    """Run the command as a user would."""
    result, trace = folder / "result.json", folder / "trace.jsonl"
    command = [sys.executable, "-m", "chordlearn", "learn", str(path), "--missing", "category"]
    command += ["--time-limit", str(seconds), "--seed", str(seed)]
    command += ["--json", str(result), "--trace", str(trace)]
    command += [] if threads is None else ["--threads", str(threads)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    scored = (event for event in map(json.loads, trace.open()) if event["score"] is not None)
    first = next(scored, {"t": float("nan")})["t"]
    cpu = usage.ru_utime + usage.ru_stime
    return Run(json.loads(result.read_text()), wall, cpu, usage.ru_maxrss / 1e6, first)


def per_test_row(result: dict[str, object], train: Path, test: Path) -> float:
    """The mean log-likelihood of test rows; states that only they have are known to the network too."""
    known, held_out = (cl.read(str(path), missing="category") for path in (train, test))
    states = tuple(
        tuple(sorted({*mine, *others})) for mine, others in zip(known.states, held_out.states, strict=True)
    )
    structure = cl.ChordalNetwork.from_cliques(known.variables, result["cliques"], states)
    network = cl.fit(structure, with_states(known, states))
    rows = with_states(held_out, states)
    return float(network.log_likelihood(rows) @ rows.weights) / rows.rows


def with_states(data: Dataset, states: tuple[tuple[str, ...], ...]) -> Dataset:
    """The same rows, coded by more states."""
    codes = np.empty(data.codes.shape, dtype=np.int32)
    for i, (mine, all_states) in enumerate(zip(data.states, states, strict=True)):
        codes[:, i] = np.array([all_states.index(label) for label in mine])[data.codes[:, i]]
    return Dataset(data.variables, states, codes, data.weights)


def generate(columns: int, rows: int, seed: int, path: Path) -> None:
    """Rows of a chordal network that grows by variables with up to three neighbours, near the latest ones."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 2, 3], size=columns)
    values = [rng.integers(0, arities[0], rows)]
    cliques = [[0]]
    for i in range(1, columns):
        near = cliques[max(0, len(cliques) - 1 - int(rng.geometric(0.05)))]
        parents = rng.choice(near, size=min(len(near), int(rng.choice([1, 1, 2, 2, 3]))), replace=False)
        state = np.zeros(rows, dtype=np.int64)
        for parent in parents:
            state = state * arities[parent] + values[parent]
        shares = rng.dirichlet(np.full(arities[i], 0.5), size=int(np.prod(arities[parents])))
        drawn = rng.random(rows)[:, None] > np.cumsum(shares[state], axis=1)[:, :-1]
        values.append(drawn.sum(axis=1))
        cliques.append([*parents.tolist(), i])
    with path.open("w") as file:
        file.write(",".join(f"v{i}" for i in range(columns)) + "\n")
        np.savetxt(file, np.array(values).T, fmt="%d", delimiter=",")


def rows_of_table(name: str, limits: list[float] | None, threads: int | None, seed: int) -> Iterator[str]:
    """A line for each limit."""
    with tempfile.TemporaryDirectory() as folder:
        if name == GENERATED:
            path, known = Path(folder) / "generated.csv", None
            generate(1500, 5000, 1, path)
        else:
            known = SUITE[name]
            path = DATA / known.train
        same_time = LEAST_SECONDS if known is None else max(known.seconds, LEAST_SECONDS)
        for seconds in limits or ([FULL_SECONDS] if known is None else [same_time, FULL_SECONDS]):
            run = learn(path, seconds, threads, seed, Path(folder))
            test = None if known is None or known.test is None else DATA / known.test
            mean = None if test is None else per_test_row(run.result, path, test)
            yield line(name, known, seconds, run, mean)


def line(name: str, known: Set | None, seconds: float, run: Run, mean: float | None) -> str:
    """A row of the table."""
    result = run.result
    bound = f"{result['bound']:.2f}" if result["bound"] is not None else ""
    cells = [name, len(result["variables"]), f"{result['rows']:,}", f"{seconds:g}"]
    cells += [f"{run.wall:.1f}", f"{run.cpu:.1f}", f"{run.memory:.2f}", f"{run.first_network:.1f}"]
    cells += [f"{result['score']:.2f}", "" if known is None else f"{known.score:g}"]
    cells += [
        "" if known is None else f"{known.seconds:g}",
        bound + " (proved)" * (result["status"] == "optimal"),
    ]
    cells += [max(map(len, result["cliques"])), "" if mean is None else f"{mean:.4f}"]
    cells += ["" if known is None or known.per_row is None else f"{known.per_row:g}"]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Print the table as it grows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=[*SUITE, GENERATED], help="rows of the suite")
    parser.add_argument("--seconds", type=float, action="append", help="a time limit; may be repeated")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for name in arguments.names:
        if name != GENERATED and not (DATA / SUITE[name].train).exists():
            print(f"| {name} | its file is not here |", flush=True)
            continue
        for row in rows_of_table(name, arguments.seconds, arguments.threads, arguments.seed):
            print(row, flush=True)


if __name__ == "__main__":
    main()
