"""Whether scores are the same however they are computed: threads, one by one, or by the certificate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from campaign.problems import Trial
from chordlearn.certificate.results.values import value_from_data
from chordlearn.data import Dataset
from chordlearn.graphs import members
from chordlearn.scores import ScoreTable, compute_scores, make_scorer

SETS_BY_CERTIFICATE = 12
MANY_VALUES = 300_000
"""Distinct rows times variables; with more, the certificate, which counts in Python, looks at one set."""


def score_trial(trial: Trial) -> ScoreTable:
    """The score of every set."""
    if isinstance(trial.source, ScoreTable):
        return trial.source
    assert trial.function is not None
    return compute_scores(trial.source, trial.function)


def check_scores(trial: Trial, table: ScoreTable) -> Iterator[str | None]:
    """One item for each comparison: None, or what is wrong."""
    dataset, function = trial.source, trial.function
    if function is None or not isinstance(dataset, Dataset):
        return
    yield from _check_threads(trial, table)
    rng = np.random.default_rng((trial.seed, 2))
    few = 1 if dataset.codes.size > MANY_VALUES else SETS_BY_CERTIFICATE
    chosen = np.unique(rng.integers(1, 1 << trial.n, size=few)).tolist()
    alone = make_scorer(dataset, function).sets([list(members(mask)) for mask in chosen])
    description = function.to_dict()
    exact = value_from_data(dataset, description["name"], description["parameters"])
    for mask, by_itself in zip(chosen, alone, strict=True):
        names = table.names(mask)
        stated = float(table.values[mask])
        certified = exact(frozenset(names))
        for other, source in ((float(by_itself), "alone"), (certified, "by the certificate")):
            near = abs(stated - other) <= 1e-7 + 1e-11 * abs(other)
            yield None if near else f"scores: {names} scores {stated!r}, but {other!r} {source}"


def _check_threads(trial: Trial, table: ScoreTable) -> Iterator[str | None]:
    assert isinstance(trial.source, Dataset) and trial.function is not None
    again = compute_scores(trial.source, trial.function, threads=2)
    yield None if np.array_equal(again.values, table.values) else "scores: two threads give other scores"
    size = max(1, trial.n - 1)
    small = compute_scores(trial.source, trial.function, max_size=size)
    scored = np.isfinite(small.values)
    close = np.allclose(small.values[scored], table.values[scored], rtol=1e-13, atol=1e-9)
    yield None if close else f"scores: those of at most {size} variables are others without the rest"
