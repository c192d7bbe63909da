"""Whether all solvers that are installed agree on random problems, with each other and with brute force."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.registry import Backend, backend_names, load_backend
from chordlearn.errors import BackendError, InputError
from chordlearn.testing.conformance import ConformanceError, solve_and_check
from chordlearn.testing.problems import Case, random_case

SECONDS_PER_RUN = 6.0
"""A solver that needs longer for a problem counts as unfinished; what it found is checked too."""
MEMORY_BYTES = 4 * 10**9
VERDICTS = ("proved", "not proved", "unfinished", "refused", "failed")


@dataclass
class Tally:
    """What has been solved and checked so far, and what disagreed."""

    problems: int = 0
    checks: int = 0
    runs: dict[str, Counter[str]] = field(default_factory=dict)
    """By backend: how many runs ended in which way."""
    disagreements: list[dict[str, Any]] = field(default_factory=list)
    """Each with the number of its problem, what that is, and the complaint."""

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values."""
        return {
            "problems": self.problems,
            "checks": self.checks,
            "backends": {name: dict(self.runs[name]) for name in sorted(self.runs)},
            "disagreements": self.disagreements,
        }


def compare_solvers(
    tally: Tally,
    *,
    seconds: float,
    seed: int = 0,
    numbers: Iterable[int] | None = None,
    report: Callable[[Tally], None] = lambda _tally: None,
) -> None:
    """Solve random problems with every installed solver until the time is up, and count into ``tally``.

    ``numbers`` are those of the problems, by default all from 0; ``report`` is called after every run.
    """
    end = time.monotonic() + seconds
    names = installed_backends()
    for number in count() if numbers is None else numbers:
        case = random_case(seed, number)
        for name in names:
            if time.monotonic() >= end:
                return
            _count_run(tally, load_backend(name), case, seed, number)
            report(tally)
        tally.problems += 1


def installed_backends() -> list[str]:
    """The names of the backends that can run here."""
    return [name for name in backend_names() if _is_available(name)]


def _is_available(name: str) -> bool:
    try:
        return load_backend(name).probe().available
    except BackendError:
        return False


def _count_run(tally: Tally, solver: Backend, case: Case, seed: int, number: int) -> None:
    complaint = ""
    try:
        outcome, checks = solve_and_check(solver, case, Limits(SECONDS_PER_RUN, MEMORY_BYTES, seed=seed))
    except InputError:
        verdict = "refused"
    except ConformanceError as error:
        verdict, complaint = "failed", str(error)
    except Exception as error:
        verdict, complaint = "failed", f"{solver.name}: {type(error).__name__}: {error}"
    else:
        if outcome.stopped_by == "interrupted":
            raise KeyboardInterrupt
        tally.checks += checks
        verdict = _verdict(outcome.status, outcome.stopped_by)
    tally.runs.setdefault(solver.name, Counter())[verdict] += 1
    if complaint:
        tally.disagreements.append({"problem": number, "what": case.what, "complaint": complaint})


def _verdict(status: str, stopped_by: str) -> str:
    if status == "optimal" or stopped_by == "infeasible":
        return "proved"
    return "unfinished" if stopped_by in ("time limit", "memory limit") else "not proved"
