"""Stands in for clasp 2.1.3, and refuses what that refuses; the clasp inside clingo solves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

OPTIONS = {
    r"--configuration=(frumpy|jumpy|handy|crafty|trendy)": r"--configuration=\1",
    r"--heuristic=(Berkmin|Vmtf|Vsids|Unit|None)": r"--heuristic=\1",
    r"--(outf|quiet|seed)=(\d+)": r"--\1=\2",
    r"--opt-value=(-?\d+)": r"--opt-mode=opt,\1",
    r"--opt-all=(-?\d+)": r"--opt-mode=optN,\1",
    r"--project": "--project=show",
    r"\d+": r"\g<0>",
}
OPTIMISATION = 6


def fail(why: str) -> None:
    print(f"*** ERROR: (clasp): {why}", file=sys.stderr)
    sys.exit(33)


def translated(argument: str) -> str:
    for old, new in OPTIONS.items():
        if found := re.fullmatch(old, argument):
            return found.expand(new)
    fail(f"unknown option: '{argument}'")
    raise AssertionError


def main(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        print("clasp version 2.1.3")
        return
    path, *options = arguments
    options = [translated(argument) for argument in options]
    rules, _, _ = Path(path).read_text(encoding="ascii").partition("\n0\n")
    for line in rules.splitlines():
        kind, *numbers = line.split()
        if kind not in {"1", "2", "3", "5", "6", "8"}:
            fail("Read Error: Line 1: Unrecognized input format!")
        weights = numbers[len(numbers) - int(numbers[1]) :] if kind == str(OPTIMISATION) else []
        if any(int(weight) >= 2**31 for weight in weights):
            fail("Read Error: Weight Rule: bad or missing weight!")
    command = [sys.executable, "-m", "clingo", "--mode=clasp", path, *options]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main(sys.argv[1:])
