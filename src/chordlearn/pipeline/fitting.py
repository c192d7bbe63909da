"""From a learned structure to a network that answers questions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from chordlearn.data import Dataset, read
from chordlearn.data.declarations import States
from chordlearn.data.numbers import Discretize
from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.network_file import SCHEMA as NETWORK_SCHEMA
from chordlearn.network.parameters import estimation_for
from chordlearn.network.result import Result
from chordlearn.pipeline.rereading import keep_data, read_again, recorded_options
from chordlearn.system.json import parse_json, plain_values, read_text

FROM_RESULT = ("status", "score", "bound", "score_function", "constraints", "backend", "seed", "versions")


def fit(
    structure: Result | ChordalNetwork,
    data: Any = None,
    *,
    method: str = "posterior-mean",
    ess: float | None = None,
    columns: str | Iterable[str] | None = None,
    drop: str | Iterable[str] | None = None,
    counts: str | None = None,
    weights: str | None = None,
    states: States | None = None,
    missing: str = "error",
    discretize: Discretize | None = None,
) -> FittedNetwork:
    """Give a learned structure its tables, so that one can ask it questions.

    Parameters
    ----------
    structure
        What :func:`chordlearn.learn` gave, or a structure of one's own.
    data
        What the tables are counted from; for a result by default the data it was learned from; files are
        read again as they were read then. They must have no states that the structure does not know.
    method
        `"posterior-mean"` (no probability is zero) or `"maximum-likelihood"` (the shares in the data).
    ess
        The equivalent sample size of posterior means: the weight of the even distribution against the rows.
        By default that of the score if it is BDeu, else 1.
    columns, drop, counts, weights, states, missing, discretize
        How to read the data; see :func:`chordlearn.read`. If none is given, a result's own options are used.

    Examples
    --------
    >>> import chordlearn as cl
    >>> network = cl.fit(cl.learn("heart"))
    >>> network.query("P(smoke | phys=y)")
    <Distribution of smoke: n: 0.41752 | y: 0.58248>
    """
    options: dict[str, Any] = {
        "columns": columns,
        "drop": drop,
        "counts": counts,
        "weights": weights,
        "states": states,
        "missing": missing,
        "discretize": discretize,
    }
    if isinstance(structure, Result):
        network = structure.network
        if structure.states is None and data is None:
            raise InputError(
                "The result was learned from scores, which have no states; give the data to count the tables."
            )
        if all(value in (None, "error") for value in options.values()):
            options = recorded_options(structure.data)
        dataset = read_again(structure.data, options, structure.data_sha256, data)
        function: Mapping[str, Any] | None = structure.score_function
        provenance = {name: structure.to_dict()[name] for name in FROM_RESULT}
    elif isinstance(structure, ChordalNetwork):
        if data is None:
            raise InputError("A structure alone has no counts; give the data to count the tables.")
        network, function, provenance = structure, None, {"versions": {"chordlearn": version("chordlearn")}}
        dataset = data if isinstance(data, Dataset) else read(data, **options)
    else:
        raise InputError(f"A {type(structure).__name__} has no structure to fit; give a result or a network.")
    provenance |= {
        "data": {"source": dataset.source, "options": plain_values(dataset.options)},
        "data_sha256": dataset.sha256,
        "rows": dataset.rows,
    }
    how = estimation_for(function, method, ess)
    if dataset.has_gaps:
        from chordlearn.pipeline.expectation import tables_with_gaps

        labels = [dataset.states[dataset.index(name)] for name in network.variables]
        network = ChordalNetwork.from_cliques(network.variables, network.cliques, labels)
        found = tables_with_gaps(network, dataset.select(network.variables), how)
        fitted = replace(found, provenance=provenance)
    else:
        fitted = FittedNetwork.from_data(network, dataset, how, provenance)
    keep_data(fitted, dataset)
    return fitted


def load_network(path: str | os.PathLike[str], data: Any = None) -> FittedNetwork:
    """The network in a file: a network file, or a result whose data are read again (or given).

    >>> import tempfile, chordlearn as cl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cl.fit(cl.learn("heart")).save(f"{folder}/heart.chord.json")
    ...     load_network(f"{folder}/heart.chord.json").variables[:2]
    ('smoke', 'mental')
    """
    if is_network_file(path):
        return FittedNetwork.load(path)
    result = Result.load(path)
    try:
        return fit(result, data)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error.sentence}") from None


def is_network_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says that it is a network file."""
    try:
        document = parse_json(read_text(path))
    except (OSError, ValueError):
        return os.fspath(path).endswith(".chord.json")
    return isinstance(document, dict) and document.get("schema") == NETWORK_SCHEMA
