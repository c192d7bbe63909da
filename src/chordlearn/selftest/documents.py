"""A problem on which something disagreed, as a file from which it can be run again."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.data import Dataset
from chordlearn.errors import ChordlearnError, InputError
from chordlearn.problem.constraints import Constraints
from chordlearn.scores import AIC, BIC, QNML, BDeu, Dirichlet, ScoreFunction, ScoreTable
from chordlearn.selftest.settings import Setting
from chordlearn.selftest.trials import Trial
from chordlearn.showing import json_text
from chordlearn.writing import write_whole

SCHEMA = "chordlearn/selftest@1"
FUNCTIONS: dict[str, type[ScoreFunction]] = {
    function.name: function for function in (BDeu, Dirichlet, BIC, AIC, QNML)
}


def save_disagreement(
    path: Path, trial: Trial, settings: Sequence[Setting], complaints: Sequence[str]
) -> None:
    """Write a problem with the ways in which it was solved and what disagreed."""
    document = {
        "schema": SCHEMA,
        "seed": trial.seed,
        "problem": trial.number,
        "what": trial.what,
        "complaints": list(complaints),
        "settings": [setting.as_json() for setting in settings],
        "constraints": trial.constraints.as_json(),
        "function": None if trial.function is None else trial.function.as_json(),
        "source": _source_json(trial.source),
    }
    write_whole(path, json_text(document) + "\n")


def load_disagreement(path: Path) -> tuple[Trial, list[Setting]]:
    """Read a problem and the ways to solve it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"The file {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"The file {path} is not JSON; give what chordlearn selftest wrote.") from None
    try:
        return _read(document)
    except ChordlearnError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError(f"The file {path} holds no whole problem; give what selftest wrote.") from None


def _source_json(source: ScoreTable | Dataset) -> dict[str, Any]:
    if isinstance(source, ScoreTable):
        values = [value if math.isfinite(value) else None for value in source.values.tolist()]
        return {"variables": list(source.variables), "max_size": source.max_size, "scores": values}
    return {
        "variables": list(source.variables),
        "states": [list(labels) for labels in source.states],
        "codes": source.codes.tolist(),
        "weights": source.weights.tolist(),
    }


def _read(document: Any) -> tuple[Trial, list[Setting]]:
    if document["schema"] != SCHEMA:
        raise ValueError
    constraints = document["constraints"]
    trial = Trial(
        seed=int(document["seed"]),
        number=int(document["problem"]),
        what=str(document["what"]),
        source=_read_source(document["source"]),
        function=_read_function(document["function"]),
        constraints=Constraints(
            constraints["max_clique"],
            tuple((str(a), str(b)) for a, b in constraints["required"]),
            tuple((str(a), str(b)) for a, b in constraints["forbidden"]),
        ),
    )
    return trial, [Setting(**setting) for setting in document["settings"]]


def _read_source(source: Any) -> ScoreTable | Dataset:
    variables = tuple(map(str, source["variables"]))
    if "scores" in source:
        values = np.array([-np.inf if value is None else float(value) for value in source["scores"]])
        if len(values) != 1 << len(variables):
            raise ValueError
        return ScoreTable(variables, values, int(source["max_size"]))
    states = tuple(tuple(map(str, labels)) for labels in source["states"])
    codes = np.array(source["codes"], dtype=np.int32).reshape(-1, len(variables))
    weights = np.array(source["weights"], dtype=np.int64)
    arities = np.array([len(labels) for labels in states])
    if len(weights) != len(codes) or (codes < 0).any() or (codes >= arities).any() or (weights <= 0).any():
        raise ValueError
    return Dataset(variables, states, codes, weights)


def _read_function(function: Any) -> ScoreFunction | None:
    if function is None:
        return None
    return FUNCTIONS[function["name"]](**function["parameters"])
