"""Data sets, score functions and constraints as plain values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.cluster import Shared, task
from chordlearn.data.dataset import Dataset
from chordlearn.errors import InputError
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.wide import WideProblem, make_wide_problem
from chordlearn.scores.functions import CustomScore, ScoreFunction, score_function

_SMALL = (np.uint8, np.uint16, np.int32)


def share_dataset(dataset: Dataset) -> Shared:
    """A data set for tasks that take one first."""
    return Shared(dataset, lambda: plain_dataset(dataset), open_dataset)


def share_wide_problem(problem: WideProblem) -> Shared:
    """A problem with any number of variables for tasks that take one first."""
    return Shared(problem, lambda: plain_wide_problem(problem), open_wide_problem)


def plain_dataset(dataset: Dataset) -> dict[str, Any]:
    """Names, labels, coded rows and weights."""
    return {
        "variables": list(dataset.variables),
        "states": [list(labels) for labels in dataset.states],
        "codes": small(dataset.codes),
        "weights": np.ascontiguousarray(dataset.weights, dtype=np.int64),
    }


@task
def open_dataset(plain: dict[str, Any]) -> Dataset:
    """The data set of these values.

    >>> from chordlearn.data import read
    >>> open_dataset(plain_dataset(read("heart"))).sha256 == read("heart").sha256
    True
    """
    return Dataset(
        tuple(plain["variables"]),
        tuple(tuple(labels) for labels in plain["states"]),
        plain["codes"],
        plain["weights"],
    )


def plain_wide_problem(problem: WideProblem) -> dict[str, Any]:
    """Data, score function and constraints."""
    return {
        "dataset": plain_dataset(problem.dataset),
        "function": plain_function(problem.function),
        "constraints": problem.constraints.as_json(),
    }


@task
def open_wide_problem(plain: dict[str, Any]) -> WideProblem:
    """The problem of these values."""
    return make_wide_problem(
        open_dataset(plain["dataset"]),
        open_function(plain["function"]),
        open_constraints(plain["constraints"]),
    )


def plain_function(function: ScoreFunction) -> dict[str, Any]:
    """Name and parameters of a score function; one written in Python is refused."""
    if isinstance(function, CustomScore):
        raise InputError(
            "A score function written in Python does not travel to other processes; "
            "choose one by name, or leave the cluster out."
        )
    return function.as_json()


def open_function(plain: dict[str, Any]) -> ScoreFunction:
    """The score function of this name with these parameters.

    >>> open_function({"name": "bdeu", "parameters": {"ess": 2.0}})
    BDeu(edge_prior=0.0, ess=2.0)
    """
    return score_function(plain["name"], **plain["parameters"])


def open_constraints(plain: dict[str, Any]) -> Constraints:
    """The constraints as they stand in a JSON result.

    >>> open_constraints(Constraints(3, (("a", "b"),)).as_json())
    Constraints(max_clique=3, required=(('a', 'b'),), forbidden=())
    """
    required, forbidden = (
        tuple((str(a), str(b)) for a, b in plain[kind]) for kind in ("required", "forbidden")
    )
    return Constraints(plain["max_clique"], required, forbidden)


def small(codes: NDArray[np.integer]) -> NDArray[Any]:
    """The codes in the smallest type that holds them, so that less travels.

    >>> small(np.array([[0, 255]], np.int32)).dtype
    dtype('uint8')
    """
    largest = int(codes.max(initial=0))
    kind = next(kind for kind in _SMALL if largest <= np.iinfo(kind).max)
    return np.ascontiguousarray(codes, dtype=kind)
