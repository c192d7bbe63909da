"""A problem on its way to a process of its own: plain numbers in one file, plain JSON in another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.backends.outcome import Limits
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import ScoreTable

VALUES, ORDER = "values.npy", "order.json"


@dataclass(frozen=True)
class Job:
    """What a backend is asked to do."""

    problem: Problem
    limits: Limits
    options: Mapping[str, Any]
    """Of the backend; JSON values."""

    def write(self, folder: Path) -> None:
        """Write it into a folder."""
        constraints = self.problem.constraints
        order = {
            "variables": self.problem.variables,
            "max_size": self.problem.scores.max_size,
            "max_clique": constraints.max_clique,
            "required": constraints.required,
            "forbidden": constraints.forbidden,
            "limits": asdict(self.limits),
            "options": dict(self.options),
        }
        np.save(folder / VALUES, self.problem.scores.values, allow_pickle=False)
        (folder / ORDER).write_text(json.dumps(order), encoding="utf-8")


def read_job(folder: Path) -> Job:
    """What :meth:`Job.write` wrote; the values stay in their file, where all readers share them.

    >>> import tempfile
    >>> problem = make_problem(ScoreTable(("a",), np.array([0.0, -1.5]), 1))
    >>> with tempfile.TemporaryDirectory() as name:
    ...     Job(problem, Limits(seed=7), {"reduce": True}).write(Path(name))
    ...     job = read_job(Path(name))
    >>> job.problem.values.tolist(), job.limits.seed, job.options
    ([0.0, -1.5], 7, {'reduce': True})
    """
    order = json.loads((folder / ORDER).read_text(encoding="utf-8"))
    values = np.asarray(np.load(folder / VALUES, mmap_mode="r", allow_pickle=False))
    table = ScoreTable(tuple(order["variables"]), values, order["max_size"])
    required, forbidden = (tuple((a, b) for a, b in order[kind]) for kind in ("required", "forbidden"))
    constraints = Constraints(order["max_clique"], required, forbidden)
    return Job(make_problem(table, constraints), Limits(**order["limits"]), order["options"])
