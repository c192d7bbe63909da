"""How far proofs reach with many columns: whole commands on a quiet machine, a process for each.

    python benchmarks/all_networks.py                 every case
    python benchmarks/all_networks.py alarm dna       those whose name has one of these words

Each line states the class that was asked for, the widest class that was proved, and the gap that was left.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dense_tables import write_tables

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

CASES: dict[str, tuple[str, list[str]]] = {
    "insurance_1000 (27)": ("bn/insurance_1000.csv", []),
    "alarm_1000 (37)": ("bn/alarm_1000.csv", []),
    "spect (23)": ("uci/spect.csv", []),
    "mushroom (23)": ("uci/mushroom.csv", ["--missing", "category"]),
    "hailfinder_1000 (56)": ("bn/hailfinder_1000.csv", ["--time-limit", "60"]),
    "alarm_1000, BIC": ("bn/alarm_1000.csv", ["--score", "bic"]),
    "hailfinder_1000, BIC": ("bn/hailfinder_1000.csv", ["--score", "bic", "--time-limit", "120"]),
    "dna (180), cliques of 3": ("debd/dna/dna.train.csv", ["--max-clique", "3", "--time-limit", "60"]),
    "alarm, 20,000 rows, 3": ("bn/alarm_bnlearn.csv", ["--max-clique", "3", "--time-limit", "60"]),
    "alarm, 20,000 rows, 4": ("bn/alarm_bnlearn.csv", ["--max-clique", "4", "--time-limit", "60"]),
    "plants (69), 3": ("debd/plants/plants.train.csv", ["--max-clique", "3", "--time-limit", "120"]),
    "jester (100), 3": ("debd/jester/jester.train.csv", ["--max-clique", "3", "--time-limit", "120"]),
    "alarm_1000, maxsat:rc2": ("bn/alarm_1000.csv", ["--backend", "maxsat:rc2"]),
    "alarm_1000, asp:clingo": ("bn/alarm_1000.csv", ["--backend", "asp:clingo"]),
    "alarm_1000, cp:cp-sat": ("bn/alarm_1000.csv", ["--backend", "cp:cp-sat"]),
    "alarm_1000, ilp:highs": ("bn/alarm_1000.csv", ["--backend", "ilp:highs"]),
    "alarm_1000, smt:z3": ("bn/alarm_1000.csv", ["--backend", "smt:z3"]),
}


def main() -> None:
    words = sys.argv[1:]
    print("| case | score | proved | gap | seconds | processor seconds | GB |")
    print("|---|--:|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        cases = {name: (DATA / file, options) for name, (file, options) in CASES.items()}
        for path in write_tables(Path(folder)):
            for largest in ("3", "4"):
                options = ["--max-clique", largest, "--time-limit", "60"]
                cases[f"{path.stem}, cliques of {largest}"] = path, options
        for name, (path, options) in cases.items():
            if not words or any(word in name for word in words):
                print(f"| {name} | {' | '.join(measured(path, options))} |", flush=True)


def measured(file: Path, options: list[str]) -> list[str]:
    """Score, widest class proved, gap, seconds, processor seconds and memory of one command."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        command = [sys.executable, "-m", "chordlearn", "learn", str(file), "--json", str(path), *options]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        result: dict[str, Any] = json.loads(path.read_text())
    proved = [
        claim["class"].get("max_clique", "all") for claim in result["claims"] if claim["status"] == "optimal"
    ]
    gap = "unknown" if result["gap"] is None else f"{result['gap']:.6g}"
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [
        f"{result['score']:.6f}",
        str(proved[-1]) if proved else "none",
        gap,
        f"{seconds:.1f}",
        f"{processor:.1f}",
        # Of the largest process so far.
        f"{after.ru_maxrss / 1e6:.2f}",
    ]


if __name__ == "__main__":
    main()
