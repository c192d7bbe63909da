"""Proofs in writing: seconds of processor time to learn, to write the proof, and to verify it; its size.

python benchmarks/written_proofs.py ../shared/data
python benchmarks/written_proofs.py ../shared/data --only insurance --max-clique 4 --score bic
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import chordlearn as cl

FILES = ["bn/insurance_1000.csv", "bn/alarm_1000.csv"]


def main() -> None:
    """Print one line for each file."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", type=Path, help="the folder of measuring data")
    parser.add_argument("--only", default="", help="files with this in their name")
    parser.add_argument("--max-clique", type=int, help="the largest clique; by default any")
    parser.add_argument("--score", default="bdeu")
    options = parser.parse_args()
    print("| data | variables | score | to learn and write | to verify | size |")
    print("|---|---|---|---|---|---|")
    for name in FILES:
        if options.only not in name:
            continue
        dataset = cl.read(options.data / name)
        with tempfile.TemporaryDirectory() as folder:
            proof = Path(folder) / "proof"
            start = time.process_time()
            result = cl.learn(dataset, max_clique=options.max_clique, score=options.score, proof=proof)
            written = time.process_time()
            accepted = cl.verify(proof, dataset).ok
            verified = time.process_time()
            size = sum(path.stat().st_size for path in proof.iterdir())
        verdict = f"{verified - written:.1f} s" if accepted else "refused"
        print(
            f"| {Path(name).stem} | {len(dataset.variables)} | {result.score:.3f} "
            f"| {written - start:.1f} s | {verdict} | {size / 1e6:.2f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
