"""Draw how the gap to the best network closes: by linear programs alone, and by the ascent before them.

    python benchmarks/bound_over_time.py FOLDER docs/pictures/bound-over-time.png

FOLDER has debd/dna/dna.train.csv and debd/plants/plants.train.csv. Time is that of the processor, one thread.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import chordlearn as cl
from chordlearn._core import Control, CutBound, Stopped
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.waves import Slice
from chordlearn.bounds import BranchAndCut
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import BDeu
from chordlearn.scores.compute import ScoredData

SECONDS = 30.0
LARGEST = 3
Curve = list[tuple[float, float]]


class LinearPrograms(BranchAndCut):
    """Without the ascent."""

    def _ascend(self, root: object) -> float:
        return self._price(np.zeros(0, dtype=np.int64), np.zeros(0))


def main() -> None:
    folder, picture = Path(sys.argv[1]), sys.argv[2]
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
    for panel, name in zip(panels, ("dna", "plants"), strict=True):
        dataset = cl.read(folder / "debd" / name / f"{name}.train.csv")
        problem = make_problem(ScoredData(dataset, BDeu(1.0)), Constraints(LARGEST))
        run = Run(problem, Limits(seed=0))
        end = time.process_time() + SECONDS / 4
        Slice(run, partial(is_over, end)).search_in(Control())
        for label, method in {"linear programs": LinearPrograms, "ascent": BranchAndCut}.items():
            curve = gaps(problem, run, method)
            print(name, label, curve[-1], flush=True)
            panel.step(*zip(*curve, strict=True), where="post", label=label)
        panel.set(title=f"{name}, {problem.n} variables", xlabel="processor seconds", yscale="symlog", ylim=0)
    panels[0].set_ylabel("gap to the best network known")
    panels[1].legend()
    figure.savefig(picture, dpi=110)


def is_over(end: float) -> bool:
    """Whether so much processor time is spent."""
    return time.process_time() >= end


def gaps(problem: Problem, run: Run, method: type[BranchAndCut]) -> Curve:
    """Seconds and gaps, until the gap is closed or time is up."""
    control = Control()
    start = time.process_time()
    curve: Curve = []

    def note(cutting: BranchAndCut) -> None:
        assert cutting.best is not None
        seconds = time.process_time() - start
        curve.append((seconds, cutting.bound - cutting.best.score))
        if seconds > SECONDS:
            control.stop()

    sets = CutBound.of_table(problem.scorer, LARGEST, [], 1, control)
    cutting = method(sets, problem.n, LARGEST, problem.score, best=run.best, on_round=note)
    with suppress(Stopped):
        cutting.tighten(control)
    return curve


if __name__ == "__main__":
    main()
