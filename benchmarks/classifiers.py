"""Classifiers on tables of the UCI repository: accuracy, log loss and processor seconds, by cross-validation.

``python benchmarks/classifiers.py FOLDER`` measures the tables of a folder (voting, mushroom, tictactoe, car
and nursery as CSV, the class last) and writes ``classifiers.jsonl`` beside this file; without a folder it
prints as Markdown what is written there. All get the same folds and columns, without those that never vary;
`?` is a state; and each has one thread. Needs scikit-learn and pyAgrum.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

os.environ.setdefault("OMP_NUM_THREADS", "1")

RECORDS = Path(__file__).with_suffix(".jsonl")
TABLES = ("voting", "mushroom", "tictactoe", "car", "nursery")
FOLDS = 5


def ours(states: list[int]) -> Any:
    from chordlearn import ChordalNetworkClassifier

    return ChordalNetworkClassifier(threads=1)


def naive_bayes(states: list[int]) -> Any:
    from sklearn.naive_bayes import CategoricalNB

    return CategoricalNB(min_categories=states)


def boosted_trees(states: list[int]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        categorical_features=list(range(len(states))), early_stopping=False, random_state=0
    )


def directed(method: str, states: list[int]) -> Any:
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    as_they_are = DiscreteTypeProcessor("NoDiscretization", None)
    for place, size in enumerate(states):
        labels = "|".join(map(str, range(size)))
        as_they_are.setDiscretizationParameters(f"x{place}", "NoDiscretization", f"{{{labels}}}")
    # Laplace's prior, as pyAgrum takes none of BDeu together with that score.
    how = {"scoringType": "BDeu", "prior": "Smoothing", "priorWeight": 1}
    return _Named(BNClassifier(type_processor=as_they_are, learningMethod=method, **how))


class _Named:
    """A classifier of pyAgrum, which knows columns by names and states by texts."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:  # noqa: N803
        self.classifier.fit(self._frame(X), y)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:  # noqa: N803
        return np.asarray(self.classifier.predict_proba(self._frame(X)))

    def _frame(self, X: np.ndarray) -> Any:  # noqa: N803
        return pl.DataFrame({f"x{place}": column.astype(str) for place, column in enumerate(X.T)}).to_pandas()


METHODS: dict[str, tuple[str, Callable[[list[int]], Any]]] = {
    "ChordalNetworkClassifier": ("chordlearn", ours),
    "CategoricalNB": ("scikit-learn", naive_bayes),
    "HistGradientBoostingClassifier": ("scikit-learn", boosted_trees),
    "BNClassifier, TAN": ("pyAgrum", lambda states: directed("TAN", states)),
    "BNClassifier, greedy BDeu": ("pyAgrum", lambda states: directed("GHC", states)),
}


def measure(table: Path) -> Iterator[dict[str, Any]]:
    from sklearn.metrics import log_loss
    from sklearn.model_selection import StratifiedKFold

    frame = pl.read_csv(table, infer_schema=False).fill_null("?")
    *names, target = (name for name in frame.columns if frame[name].n_unique() > 1)
    columns = [np.unique(frame[name].to_numpy(), return_inverse=True)[1] for name in names]
    X, y = np.column_stack(columns), frame[target].to_numpy()  # noqa: N806
    states = [int(column.max()) + 1 for column in columns]
    classes, rows = np.unique(y), len(y)
    for name, (package, make) in METHODS.items():
        shares, seconds = np.empty((rows, len(classes))), 0.0
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            start = time.process_time()
            classifier = make(states)
            classifier.fit(X[train], y[train])
            shares[test] = classifier.predict_proba(X[test])
            seconds += time.process_time() - start
        yield {
            "data": table.stem,
            "rows": rows,
            "columns": len(names),
            "method": name,
            "package": f"{package} {version(package)}",
            "accuracy": float((classes[shares.argmax(axis=1)] == y).mean()),
            "log_loss": float(log_loss(y, shares, labels=classes)),
            "seconds": seconds,
        }


def markdown(records: list[dict[str, Any]]) -> str:
    """A table with a row for each method and data set."""
    lines = ["| data | method | accuracy | log loss | seconds |", "|---|---|--:|--:|--:|"]
    for table in TABLES:
        for one in (record for record in records if record["data"] == table):
            figures = f"{one['accuracy']:.3f} | {one['log_loss']:.3f} | {one['seconds']:.2f}"
            lines.append(f"| {table} | {one['method']} ({one['package']}) | {figures} |")
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) > 1:
        # Of classes with fewer rows than folds, and of states that a fold lacks.
        warnings.simplefilter("ignore")
        with RECORDS.open("w", encoding="utf-8") as file:
            for table in TABLES:
                for record in measure(Path(sys.argv[1]) / f"{table}.csv"):
                    print(json.dumps(record), file=file, flush=True)
    print(markdown([json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]))


if __name__ == "__main__":
    main()
