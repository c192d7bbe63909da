"""Stands in for OptiMathSAT 1.7 as its documentation describes it; z3 solves."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

LOAD = "(load-objective-model -1)"


def main(arguments: list[str]) -> None:
    *flags, path = arguments
    for flag in flags:
        if flag not in ("-optimization=true", "-optimization=false"):
            sys.exit(f"unknown option {flag}")
    text = Path(path).read_text(encoding="ascii")
    optimises = "-optimization=true" in flags
    if not optimises:
        # Like MathSAT: objectives are no commands that it knows.
        print('(error "unknown command maximize")')
        sys.exit(1)
    with_model = LOAD in text
    lines = [line for line in text.splitlines() if line != LOAD and (with_model or line != "(get-model)")]
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write("\n".join(["(set-option :opt.maxsat_engine wmax)", *lines]) + "\n")
        file.flush()
        done = subprocess.run(["z3", file.name], capture_output=True, text=True, check=False)
    print(done.stdout, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
