"""What a worker says, line by line, at once."""

from __future__ import annotations

from collections.abc import Collection


def say_answer(cost: float, true: Collection[int], count: int) -> None:
    """A better answer: its cost, and the true ones of so many variables."""
    print(f"o {cost}")
    print("v " + "".join("1" if variable in true else "0" for variable in range(1, count + 1)), flush=True)


def say_lower(bound: float) -> None:
    """A bound: no answer costs less."""
    print(f"c lower {bound}", flush=True)


def say_end(claim: str) -> None:
    """What the run came to: OPTIMUM FOUND, UNSATISFIABLE or UNKNOWN."""
    print(f"s {claim}", flush=True)
