"""Stands in for PWBO 2.2, and refuses what PWBO refuses; RC2 solves."""

from __future__ import annotations

import sys
from pathlib import Path

from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

VALUES = {
    "-file-format": {"wcnf"},
    "-thread": {"1", "2", "4", "8"},
    "-search-mode": {"lb", "ub", "split", "portfolio"},
    "-verbosity": {"0", "1"},
}
LARGEST_SUM = 2**31 - 1


def fail(why: str) -> None:
    print(f"c ERROR! {why}")
    sys.exit(1)


def main(arguments: list[str]) -> None:
    settings = {"-thread": "2"}
    for argument in arguments[:-1]:
        name, _, value = argument.partition("=")
        if name == "-time-limit":
            int(value)
        elif value not in VALUES.get(name, ()):
            fail(f"unknown flag {argument}")
        settings[name] = value
    if settings.get("-search-mode") == "ub" and settings["-thread"] != "1":
        fail("the search mode ub has one thread")
    lines = Path(arguments[-1]).read_text(encoding="ascii").splitlines()
    if not any(line.startswith("p wcnf ") for line in lines):
        fail("PARSE ERROR! the header is missing")
    formula = WCNF(from_string="\n".join(lines))
    if sum(formula.wght) > LARGEST_SUM or formula.topw > LARGEST_SUM:
        fail("Risk of overflow")
    with RC2Stratified(formula) as solver:
        model = solver.compute()
        if model is None:
            print("s UNSATISFIABLE")
        else:
            print(f"o {solver.cost}\ns OPTIMUM FOUND\nv {' '.join(map(str, model))} 0")
    sys.exit(255)


if __name__ == "__main__":
    main(sys.argv[1:])
