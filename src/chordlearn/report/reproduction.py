"""The command that learns the same network again."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable

from chordlearn.data import bundled
from chordlearn.errors import as_flags, call
from chordlearn.network.result import Result

SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", ".parquet", ".gz", ".score")


def command_of(result: Result) -> str | None:
    """The command line that gives this result again; None where none can (data in memory, one's own score).

    >>> import chordlearn as cl
    >>> command_of(cl.learn("heart", max_clique=3, forbid=[("smoke", "phys")]))
    'chordlearn learn heart --score bdeu --ess 1 --max-clique 3 --forbid smoke,phys --backend native --seed 0'
    """
    options = result.data.get("options", {})
    source = str(result.data.get("source", "memory"))
    name = str(result.score_function.get("name", ""))
    is_readable = source in {entry.name for entry in bundled()} or source.lower().endswith(SUFFIXES)
    if not is_readable or name == "custom":
        return None
    if isinstance(options.get("discretize"), dict):
        cuts = [f"{column}={method}" for column, method in options["discretize"].items()]
        options = {**options, "discretize": cuts}
    words = []
    if name != "file":
        words += ["--score", name]
        parameters = result.score_function.get("parameters") or {}
        for parameter, value in parameters.items():
            if parameter != "edge_prior" or value:
                words += [f"--{parameter.replace('_', '-')}", f"{value:.15g}"]
    words += _constraints(result)
    words += ["--backend", result.backend]
    if result.encoding:
        words += ["--encoding", result.encoding]
    if result.seed is not None:
        words += ["--seed", str(result.seed)]
    return f"{as_flags(call('learn', source, options))} {shlex.join(words)}"


def _constraints(result: Result) -> list[str]:
    words = []
    constraints = result.constraints
    if (largest := constraints["max_clique"]) is not None:
        words += ["--max-clique", str(largest)]
    for option, edges in (("--require", constraints["required"]), ("--forbid", constraints["forbidden"])):
        for edge in edges:
            words += [option, _listed(edge)]
    return words


def _listed(names: Iterable[str]) -> str:
    """A comma-separated list, in which a name with a comma is quoted, as the command line reads it."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
