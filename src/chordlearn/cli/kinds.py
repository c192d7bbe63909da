"""What kind of file of ours a file is, by how it begins: what may replace it, and what can be drawn."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from chordlearn.cli.graphs import is_adjacency
from chordlearn.network.document import SUFFIX as NETWORK_SUFFIX

SEEN = 1 << 16
"""Bytes at the beginning that are looked at."""
SEEN_AT_THE_END = 1 << 12
"""A PDF says who made it at its end."""


@dataclass(frozen=True)
class Kind:
    """A kind of file that our commands write."""

    words: str
    """As in "FILE is not a result"."""
    begins: str | None = None
    """A pattern for the bytes; JSON documents say what they are in their field `schema` instead."""
    taken_by: str = ""
    """Which command takes it, if it is nothing to draw."""
    grows: bool = False
    """Whether lines are added to it, so that an old file is not replaced."""


_NUMBER = r"[-+.0-9a-z]+"
_SCORES = rf"DMST\n|# \d+ variables, sets of at most|\d+ \d+\n{_NUMBER}\n|\d+\n{_NUMBER} \d+\n{_NUMBER} 0\n"
_MODELS = r"c encoding |\* #variable= |; encoding |\* encoding |%[^\n]*\n%\n% By hand:"
_TABLES = (
    r"(?:(?://|%)[^\n]*\n)*(?:network \S*chordlearn\S* *\{|net\s*\{)|<\?xml[^>]*>\s*<BIF |(?:MARKOV|BAYES)\s"
)
_PICTURES = (
    r"\x89PNG.{,99}Software\x00chordlearn|%PDF.*/Creator \(chordlearn\)"
    r"|<\?xml[^>]*>\s*<!DOCTYPE svg.*<dc:title>chordlearn</dc:title>"
)

KINDS = {
    "result": Kind("a result"),
    "network": Kind("a network file"),
    "bootstrap": Kind("the JSON of a bootstrap"),
    "edges": Kind("the JSON of chordlearn edges"),
    "checkpoint": Kind("a checkpoint"),
    "trace": Kind("a trace", r'\{"t": [-+.0-9e]+, "stage": "'),
    "adjacency": Kind("an adjacency matrix"),
    "graphml": Kind("a graph in GraphML", r'<\?xml[^>]*>\s*<graphml [^>]*>\s*<key id="label" for="node" '),
    "dot": Kind("a graph in DOT", r'graph \{\n(?:  "|\})'),
    "journal": Kind(
        "the journal of a bootstrap",
        r'\{"schema": "chordlearn/bootstrap@\d+", "data_sha256": ',
        "chordlearn bootstrap takes it with --journal, and with --json writes what can be drawn",
        grows=True,
    ),
    "records": Kind(
        "a file of records",
        r'\{"backend": "[^\n]*"reduce": ',
        "chordlearn table1 --show prints them",
        grows=True,
    ),
    "model": Kind("the map of an encoded model", taken_by="chordlearn decode takes it with the model"),
    "encoded": Kind(
        "an encoded model", _MODELS, "a solver takes it, and chordlearn decode what that answers"
    ),
    "scores": Kind(
        "a score file", _SCORES, "chordlearn learn takes it, and with --json writes what can be drawn"
    ),
    "tables": Kind(
        "a network for other programs", _TABLES, "give the network file or the result that it was made from"
    ),
    "report": Kind(
        "a report",
        r'<!DOCTYPE html>.{,999}<meta name="generator" content="chordlearn">',
        "a browser shows it",
    ),
    "picture": Kind("a picture", _PICTURES, "it is drawn already"),
    "proof": Kind("the claim of a proof", taken_by="give its folder"),
    "likelihoods": Kind(
        "a table of log-likelihoods", "log_likelihood[,\t]count\n", "give the network that was evaluated"
    ),
    "query": Kind("the answer of chordlearn query", taken_by="give the network that was asked"),
    "mpe": Kind("the answer of chordlearn mpe", taken_by="give the network that was asked"),
    "sample": Kind("rows drawn by chordlearn sample", taken_by="give the network that was drawn from"),
    "evaluation": Kind("the answer of chordlearn evaluate", taken_by="give the network that was evaluated"),
    "imputation": Kind("the account of chordlearn impute", taken_by="give the network that was used"),
    "export": Kind("the account of chordlearn export", taken_by="give the network that was exported"),
    "comparison": Kind("the answer of chordlearn compare", taken_by="give one of the networks"),
    "survey": Kind("the account of chordlearn data", taken_by="give what was learned from the table"),
    "selftest": Kind("the counts of chordlearn selftest", taken_by="give a result or a network"),
    "rows": Kind("a table"),
}
"""By name; of a JSON document it is the name in its schema."""

_PATTERNS = {
    name: re.compile(kind.begins.encode("latin-1"), re.DOTALL) for name, kind in KINDS.items() if kind.begins
}
_SCHEMA = re.compile(rb'\s*\{\s*"schema":\s*"chordlearn/([a-z]+)@\d+"')


def schema(name: str) -> str:
    """How a JSON document says which kind it is."""
    return f"chordlearn/{name}@1"


def kind_by_suffix(path: Path) -> str:
    """The kind that `--save` and `export` write to a path.

    >>> kind_by_suffix(Path("n.chord.json")), kind_by_suffix(Path("n.csv")), kind_by_suffix(Path("n.bif"))
    ('network', 'adjacency', 'tables')
    """
    if path.name.lower().endswith(NETWORK_SUFFIX):
        return "network"
    known = {".json": "result", ".csv": "adjacency", ".graphml": "graphml", ".dot": "dot"}
    return known.get(path.suffix.lower(), "tables")


def kind_of(path: Path) -> str | None:
    """Which kind of file of ours it is; None if it is none, or cannot be read.

    A table of rows is never recognised: ours look like anyone's.

    >>> kind_of(Path(__file__)) is None
    True
    """
    try:
        start = _start(path)
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    for name, pattern in _PATTERNS.items():
        if pattern.match(start):
            return name
    found = _SCHEMA.match(start)
    if found and found[1].decode() in KINDS:
        return found[1].decode()
    return "adjacency" if is_adjacency(path) else None


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        start = file.read(SEEN)
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(path) as unpacked:
                return unpacked.read(SEEN)
        if len(start) == SEEN:
            file.seek(-min(SEEN_AT_THE_END, os.fstat(file.fileno()).st_size - SEEN), os.SEEK_END)
            start += file.read()
    return start
