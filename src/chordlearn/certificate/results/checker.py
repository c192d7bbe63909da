"""The whole check of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from chordlearn.certificate.results import claims, structure
from chordlearn.certificate.results.document import Document, check_shape
from chordlearn.certificate.results.report import Check, Failed, Report, Skipped, run_check
from chordlearn.certificate.results.values import PARAMETERS, Value, value_from_data
from chordlearn.data.dataset import Dataset


def check(
    document: Document,
    dataset: Dataset | None = None,
    *,
    scores: Callable[[Iterable[str]], float] | None = None,
    sha256: str | None = None,
    variables: Sequence[str] | None = None,
) -> Report:
    """Check the JSON result of a run against its data, with code that shares nothing with the solver.

    Parameters
    ----------
    document
        The JSON object of the result.
    dataset
        The data it was learned from, read in the same way; without it, what needs data is skipped.
    scores
        For results learned from a score file or with a user's own score function: gives the score of a
        set of variable names, and raises KeyError for a set without one. Ignored for the functions that the
        certificate computes itself.
    sha256
        The hash of the score file's content, when there is no data set.
    variables
        The variables of the score file, likewise.

    What no check can settle without solving again is that the bound is valid; it is claimed by the backend.

    >>> print(check({"schema": "something else"}))
    failed  document: the schema is 'something else', not 'chordlearn/result@1'
    """
    shape = run_check("document", lambda: check_shape(document))
    if shape.verdict == "failed":
        return Report((shape,))
    checks = [shape, run_check("variables", lambda: claims.check_variables(document))]
    checks.append(run_check("data", lambda: _check_data(document, dataset, sha256, variables)))
    if document["status"] == "none":
        checks.append(run_check("no network", lambda: claims.check_nothing_found(document)))
        return Report(tuple(checks))
    for name, structural in _STRUCTURE.items():
        checks.append(run_check(name, lambda structural=structural: structural(document)))  # type: ignore[misc]
    checks.extend(_score_checks(document, dataset, scores))
    return Report(tuple(checks), claims.taken_on_trust(document))


_STRUCTURE: dict[str, Callable[[Document], str]] = {
    "coverage": structure.check_coverage,
    "edges": structure.check_edges,
    "chordality": structure.check_chordal,
    "maximal cliques": structure.check_maximal,
    "junction tree": structure.check_tree,
    "separators": structure.check_separators,
    "balancing": structure.check_balance,
    "running intersection": structure.check_running_intersection,
    "constraints": claims.check_constraints,
    "bound and gap": claims.check_bound,
    "status": claims.check_status,
}


def _check_data(
    document: Document, dataset: Dataset | None, sha256: str | None, variables: Sequence[str] | None
) -> str:
    if dataset is not None:
        return claims.check_data(document, dataset)
    if document["score_function"]["name"] == "file":
        claims.check_without_data(document)
    if variables is not None:
        claims.check_scored(document, variables)
    if sha256 is not None:
        return claims.check_hash(document, sha256)
    raise Skipped("no data was given to compare with")


def _score_checks(
    document: Document, dataset: Dataset | None, scores: Callable[[Iterable[str]], float] | None
) -> list[Check]:
    distinct_rows = 1 if dataset is None else len(dataset.weights)
    value: Value | None = None

    def score() -> str:
        nonlocal value
        found = _value(document, dataset, scores)
        verdict = claims.check_score(document, found)
        value = found
        return verdict

    def neighbours() -> str:
        if value is None:
            raise Skipped("the scores could not be computed")
        return claims.check_neighbours(document, value, distinct_rows)

    return [
        run_check("score", score),
        run_check("runners-up", lambda: claims.check_runners_up(document, value)),
        run_check("claims", lambda: claims.check_classes(document, value)),
        run_check("neighbouring networks", neighbours),
    ]


def _value(
    document: Document, dataset: Dataset | None, scores: Callable[[Iterable[str]], float] | None
) -> Value:
    function = document["score_function"]
    name = function["name"]
    if name in PARAMETERS:
        if dataset is None:
            raise Skipped("no data was given to compute scores from")
        if document["variables"] != list(dataset.variables):
            raise Skipped("the data has other variables")
        if dataset.has_gaps:
            raise Skipped("values are missing: the score is one of expected counts, which no data hold")
        return value_from_data(dataset, name, function["parameters"])
    if name not in claims.WITHOUT_FORMULA:
        raise Failed(f"there is no score function {name!r}")
    if scores is None:
        source = "score file" if name == "file" else "user's own function"
        raise Skipped(f"the scores come from a {source}, which was not given")
    return lambda names: float(scores(sorted(names)))
