"""The error and the seconds of certified posteriors of real tables.

Run with ``python benchmarks/certified.py FOLDER [NAME:COLUMNS …]``, where FOLDER has the tables below.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import chordlearn as cl

FILES = {
    "voting": "uci/voting.csv",
    "insurance": "bn/insurance_1000.csv",
    "alarm": "bn/alarm_1000.csv",
    "mushroom": "uci/mushroom.csv",
    "spect": "uci/spect.csv",
}
DEFAULT = ["insurance:20", "alarm:20", "mushroom:20", "spect:20", "voting:17", "alarm:25"]


def main() -> None:
    """A line for each table, which is cut to its first columns."""
    folder = Path(sys.argv[1])
    print("table         error  log evidence  P(best)  edges  seconds")
    for task in sys.argv[2:] or DEFAULT:
        name, columns = task.split(":")
        data = cl.read(folder / FILES[name], missing="category")
        data = data.select(data.variables[: int(columns)])
        best = cl.learn(data)
        begin = time.perf_counter()
        try:
            found = cl.posterior(data, method="certified", best=best)
        except cl.errors.ChordlearnError as error:
            print(f"{task:<12} {error} ({time.perf_counter() - begin:.0f} s)", flush=True)
            continue
        error_met = max(p.error for p in found.edges.values())
        print(
            f"{task:<12} {error_met:.1e}  {found.log_evidence:.6f}  {found.probability(best).value:.3g}  "
            f"{found.expected_edges:.2f}  {time.perf_counter() - begin:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
