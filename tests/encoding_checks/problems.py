"""Problems small enough to know their optimum by looking at every chordal graph."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from chordlearn._core import Control, exhaustive
from chordlearn.backends.base.run import Run
from chordlearn.backends.engine.exhaustive import MOST_VARIABLES
from chordlearn.backends.engine.native import Native
from chordlearn.data import read
from chordlearn.problem.candidates import Candidates, all_candidates, reduce_candidates
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import BDeu, compute_scores
from chordlearn.scores.table import ScoreTable

NAMES = "abcdefgh"


def table(values: np.ndarray) -> ScoreTable:
    n = len(values).bit_length() - 1
    return ScoreTable(tuple(NAMES[:n]), values, max_size=n)


def bundled_problem(name: str) -> Problem:
    return make_problem(compute_scores(read(name), BDeu(1.0)))


def random_problem(seed: int) -> Problem:
    """One of several kinds: dense, sparse, full of ties, with −∞, with constraints, of a single variable."""
    random = np.random.default_rng(seed)
    kind = ("dense", "disconnected", "ties", "holes", "required", "forbidden", "capped", "single")[seed % 8]
    n = 1 if kind == "single" else int(random.integers(2, 6))
    masks = np.arange(1 << n)
    sizes = np.bitwise_count(masks.astype(np.uint32)).astype(float)
    values = random.normal(0, 2, 1 << n) - 3 * sizes
    if kind == "disconnected":
        values -= np.where(sizes > 1, sizes * 2, 0)
    if kind == "ties":
        values = np.rint(values)
    if kind == "holes":
        values[(random.random(1 << n) < 0.2) & (sizes > 1)] = -np.inf
    values[0] = 0.0
    pairs = list(combinations(NAMES[:n], 2))
    picked = tuple(pairs[i] for i in random.permutation(len(pairs))[:2])
    return make_problem(
        table(values),
        Constraints(
            max_clique=int(random.integers(1, n + 1)) if kind == "capped" else None,
            required=picked if kind == "required" else (),
            forbidden=picked if kind == "forbidden" else (),
        ),
    )


def optimum(problem: Problem) -> float:
    """The best score of all chordal graphs; −∞ if the constraints allow none."""
    if problem.n > MOST_VARIABLES:
        return Native().solve(Run(problem)).score
    _, networks = exhaustive(problem.values, list(problem.required), 1, Control())
    return networks[0][0] if networks else -np.inf


def candidates_of(problem: Problem, *, reduced: bool, margin: float = 1e-3) -> Candidates:
    best = optimum(problem)
    if not reduced or not np.isfinite(best):
        return all_candidates(problem)
    return reduce_candidates(problem, best - margin)
