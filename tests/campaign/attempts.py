"""One problem solved in one way: what came of it, whether by result, by refusal or by failure."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from campaign.problems import Trial
from campaign.settings import CUTS, MEMORY_GIGABYTES, Setting
from chordlearn.backends.base.outcome import Limits, Outcome
from chordlearn.backends.base.registry import load_backend
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.local import search_with_bound
from chordlearn.backends.search.waves import Waves
from chordlearn.data import Dataset
from chordlearn.errors import ContradictionError, InputError
from chordlearn.network.result import Result, build_result
from chordlearn.pipeline.learning import learn
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import ScoreTable, read_scores, write_scores
from chordlearn.scores.compute import ScoredData

FORMATS_OF_FAMILIES = ("cussens",)


@dataclass(frozen=True)
class Attempt:
    """What came of one way of solving: a result, a refusal, or a failure."""

    setting: Setting
    seconds: float
    result: Result | None = None
    data: Any = None
    """What the result was learned from, for its certificate."""
    refusal: str | None = None
    """The sentence with which the input was refused."""
    contradiction: bool = False
    """Whether it says that no network satisfies the constraints."""
    failure: str | None = None
    """Anything else that went wrong."""

    @property
    def proved(self) -> bool:
        """Whether the answer is final."""
        return self.contradiction or (self.result is not None and self.result.status == "optimal")


def attempt(trial: Trial, problem: Problem | None, setting: Setting) -> Attempt:
    """Solve a problem in one way; nothing that goes wrong is raised, except Ctrl-C.

    Without a ``problem``, the constraints contradict each other at first sight.
    """
    start = time.monotonic()
    try:
        result, data = _solve(trial, problem, setting)
    except ContradictionError as error:
        return Attempt(setting, time.monotonic() - start, contradiction=True, refusal=str(error))
    except InputError as error:
        return Attempt(setting, time.monotonic() - start, refusal=str(error))
    except Exception as error:
        return Attempt(setting, time.monotonic() - start, failure=f"{type(error).__name__}: {error}")
    if result.stopped_by == "interrupted":
        raise KeyboardInterrupt
    # A backend that fails when it has a network gives that network, and says in the details what happened.
    failure = result.details.get("failure")
    return Attempt(setting, time.monotonic() - start, result, data, failure=failure)


def _solve(trial: Trial, problem: Problem | None, setting: Setting) -> tuple[Result, Any]:
    limits = Limits(setting.seconds, int(MEMORY_GIGABYTES * 1e9), setting.threads, trial.seed)
    if setting.source == "wide":
        assert isinstance(trial.source, Dataset) and trial.function is not None
        outcome = _solve_wide(
            make_problem(ScoredData(trial.source, trial.function), trial.constraints), limits, setting
        )
        return _as_result(trial, setting, outcome, trial.source.sha256), trial.source
    if setting.source != "memory" and problem is not None:
        return _learn_from_file(trial, problem, setting)
    if setting.method is not None and problem is not None:
        native: Any = load_backend("native")
        outcome = native.solve(Run(problem, limits), method=setting.method)
        if outcome.stopped_by == "infeasible":
            raise ContradictionError("No network.")
        assert isinstance(problem.scores, ScoreTable)
        return _as_result(trial, setting, outcome, problem.scores.sha256), trial.source
    return _learn(trial, setting, trial.source), trial.source


def _solve_wide(problem: Problem, limits: Limits, setting: Setting) -> Outcome:
    """Search with sets scored when they are needed, and with a bound beside it if the setting says so."""
    if setting.backend != CUTS:
        # With a time limit it would use all of it.
        return Waves(Run(problem, replace(limits, seconds=None))).outcome()
    return search_with_bound(Run(problem, limits), patient=True)


def _learn_from_file(trial: Trial, problem: Problem, setting: Setting) -> tuple[Result, Any]:
    """Write the scores to a file, and learn from that; its numbers must be the same."""
    # A set with an impossible subset is written as impossible, for formats that have no other way.
    assert isinstance(problem.scores, ScoreTable)
    written = replace(problem.scores, values=problem.values)
    with tempfile.TemporaryDirectory(prefix="chordlearn-") as folder:
        path = Path(folder) / "scores"
        write_scores(written, path, setting.source)
        table = read_scores(path, setting.source)
    # Scores of families, which one format has, are differences that do not always add up to the last digit.
    digits = 4 * written.n * 2.0**-53 if setting.source in FORMATS_OF_FAMILIES else 0.0
    largest = float(np.abs(written.values[np.isfinite(written.values)]).max())
    if table.max_size != written.max_size or not np.allclose(
        table.values, written.values, rtol=0.0, atol=digits * largest
    ):
        raise AssertionError(f"The scores read from a {setting.source} file are not those written.")
    return _learn(trial, setting, table), table


def _learn(trial: Trial, setting: Setting, source: Any) -> Result:
    scoring: dict[str, Any] = {"score": trial.function} if isinstance(source, Dataset) else {}
    # Some score files number the variables instead of naming them.
    new_name = dict(zip(trial.source.variables, source.variables, strict=True))
    return learn(
        source,
        **scoring,
        backend=setting.backend,
        encoding=setting.encoding,
        reduce=setting.reduce,
        max_clique=trial.constraints.max_clique,
        require=[(new_name[a], new_name[b]) for a, b in trial.constraints.required],
        forbid=[(new_name[a], new_name[b]) for a, b in trial.constraints.forbidden],
        time_limit=setting.seconds,
        memory_limit=MEMORY_GIGABYTES,
        threads=setting.threads,
        seed=trial.seed,
        top=setting.top,
    )


def _as_result(trial: Trial, setting: Setting, outcome: Outcome, sha256: str) -> Result:
    """The result of an outcome that did not come by way of `learn`."""
    source = trial.source
    function = {"name": "file", "parameters": {}} if trial.function is None else trial.function.to_dict()
    constraints = trial.constraints.as_json()
    return build_result(
        variables=source.variables,
        cliques=outcome.cliques,
        score=outcome.score,
        bound=outcome.bound,
        stopped_by=outcome.stopped_by,
        tolerance=outcome.tolerance,
        score_function=function,
        backend=setting.backend,
        data_sha256=sha256,
        rows=source.rows,
        states=source.states if isinstance(source, Dataset) else None,
        constraints=constraints,
        runners_up=outcome.runners_up,
        details=outcome.details,
    )
