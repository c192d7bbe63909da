"""The files that our commands write: which kind a file is, by how it begins, and what may replace it.

Output files are checked before the work: nothing is lost at its end, and no file of yours is replaced.
"""

from __future__ import annotations

import gzip
import os
import re
import secrets
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chordlearn.errors import InputError, either, option
from chordlearn.report.graph_files import is_adjacency
from chordlearn.system.files import Place, is_stream, place_of
from chordlearn.system.json import parse_json, read_text

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork
    from chordlearn.network.result import Result

Output = tuple[str | Path | None, str]
"""What an option gives, and the kind of file that is written there."""

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
    "posterior": Kind("the JSON of a posterior"),
    "draws": Kind(
        "a file of networks drawn",
        r'\{"schema": "chordlearn/draws@\d+", "variables": ',
        "chordlearn posterior writes with --json what can be drawn",
    ),
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
    "records": Kind("a file of records", r'\{"backend": "[^\n]*"reduce": ', grows=True),
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
    "update": Kind("the account of chordlearn update", taken_by="give the network that was updated"),
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


SAVED = {
    ".chord.json": "network",
    ".json": "result",
    ".graphml": "graphml",
    ".dot": "dot",
    ".csv": "adjacency",
    **dict.fromkeys((".bif", ".xmlbif", ".uai", ".net"), "tables"),
}
"""The kind that a network or a result is written as, by the end of the file's name."""
WITH_TABLES = ("network", "tables")
PICTURES = (".png", ".svg", ".pdf")


def saved_kind(path: Path) -> str:
    """The kind that `--save` and `export` write to a path.

    >>> saved_kind(Path("n.chord.json")), saved_kind(Path("n.csv")), saved_kind(Path("n.bif"))
    ('network', 'adjacency', 'tables')
    """
    for suffix, kind in SAVED.items():
        if path.name.lower().endswith(suffix):
            return kind
    raise InputError(f"{path} has no suffix that says its format; those known are {', '.join(SAVED)}.")


def save_result(result: Result, path: Path, network: FittedNetwork | None) -> None:
    """Write a result, or the network of it, in the format that the suffix names, as far as there is one."""
    from chordlearn.network.exports import export_text
    from chordlearn.system.files import write_whole

    kind = saved_kind(path)
    if kind == "result":
        result.save(path)
    elif kind in WITH_TABLES and network is not None:
        network.export(path)
    elif kind not in WITH_TABLES and result.status != "none":
        write_whole(path, export_text(path, result.variables, result.edges))


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


def check_outputs(outputs: Iterable[Output], inputs: Sequence[Any] = (), *, force: bool = False) -> None:
    """Refuse files that could not be written, or that would take the place of something else.

    Inputs are whatever the command reads: paths, patterns, lists of them. An old file is replaced if it is of
    the kind that is written now, or by force.
    """
    files = [(Path(path), kind) for path, kind in outputs if path not in (None, "-")]
    kept = [(path, kind) for path, kind in files if not is_stream(path)]
    _refuse_inputs([path for path, _ in kept], [source for source in inputs if source is not None])
    _refuse_repeated([path for path, _ in kept])
    for path, kind in files:
        # The folder of a proof has to be new, which is checked where it is made.
        if kind != "proof":
            _check_writable(path)
    for path, kind in kept:
        if kind != "proof":
            _refuse_foreign(path, kind, force)


def unwritable(path: Path, error: OSError) -> InputError:
    """The sentence for a file that the system refuses to write."""
    reason = error.strerror or str(error)
    return InputError(f"{path} cannot be written: {reason}; choose another file or folder.")


def same_file(first: Path | None, second: Path | None) -> bool:
    """Whether two options name one file."""
    return first is not None and second is not None and place_of(first) == place_of(second)


def _refuse_inputs(paths: Sequence[Path], inputs: Sequence[Any]) -> None:
    from chordlearn.data.origins import files_of, would_read

    for path in paths:
        if any(would_read(source, path) for source in inputs) and not path.exists():
            raise InputError(
                f"{path} fits the pattern of the input, so the next run would read it as data; "
                "name a file that does not."
            )
    read: set[Place] = set()
    if any(path.exists() for path in paths):
        files = [file for source in inputs for file in files_of(source)]
        read = {place_of(file) for file in [*files, *(data for file in files for data in _data_of(file))]}
    for path in paths:
        if path.exists() and place_of(path) in read:
            raise InputError(
                f"{path} is an input of this command, which would replace it; name another file to write."
            )


def _data_of(file: Path) -> list[Path]:
    """The files that a result or a network file names as its data, which commands read again."""
    from chordlearn.data.origins import files_of

    if is_stream(file) or kind_of(file) not in ("result", "network"):
        return []
    try:
        document = parse_json(read_text(file))
        return files_of(document.get("data", document.get("provenance", {}).get("data"))["source"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        # It names none; what is wrong with it is said where it is read.
        return []


def _refuse_repeated(paths: Sequence[Path]) -> None:
    seen: dict[Place, Path] = {}
    for path in paths:
        other = seen.setdefault(place_of(path), path)
        if other is not path:
            names = str(path) if str(other) == str(path) else f"{other}, which is also {path},"
            raise InputError(f"{names} is named for two outputs; give each a file of its own.")


def _check_writable(path: Path) -> None:
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; give the name of a file to write.")
        if path.exists():
            if not os.access(path, os.W_OK):
                raise InputError(f"{path} cannot be overwritten: it is write-protected; choose another file.")
            if not path.is_file():
                return
        probe = path.resolve().with_name(f".chordlearn-{secrets.token_hex(8)}.probe")
        probe.open("x").close()
        probe.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def _refuse_foreign(path: Path, kind: str, force: bool) -> None:
    """Refuse a file with something in it that is not of the kind that is written."""
    grows = KINDS[kind].grows
    if (force and not grows) or not path.exists() or path.stat().st_size == 0:
        return
    found = kind_of(path)
    if found == kind:
        return
    wanted = KINDS[kind].words
    if kind == "rows":
        is_what = "is there already, and we cannot know whether it is data of yours"
    elif found is None:
        is_what = f"is there already and is not {wanted} that chordlearn wrote"
    else:
        is_what = f"is there already and is {KINDS[found].words}, not {wanted}"
    force_it = "" if grows else ", or replace it with --force"
    raise InputError(f"{path} {is_what}; name another file{force_it}.")


def check_page(path: str | os.PathLike[str]) -> None:
    """Refuse a suffix that is not of a web page.

    >>> check_page("heart.docx")
    Traceback (most recent call last):
        ...
    chordlearn.errors.InputError: A report is a web page, so the name heart.docx must end in .html.
    """
    suffix = Path(path).suffix.lower()
    if suffix in ("", ".html", ".htm") or is_stream(path):
        return
    name = os.fspath(path)
    sentence = f"A report is a web page, so the name {name} must end in .html"
    if suffix in PICTURES:
        draws = either(
            f"save_picture(draw_graph(result.network), {name!r})", f"chordlearn plot RESULT.json -o {name}"
        )
        sentence += f"; {draws} draws the network as {suffix[1:].upper()}"
    raise InputError(f"{sentence}.")


def check_picture(path: Path) -> None:
    """Refuse a suffix that is no picture's."""
    if path.suffix.lower() not in PICTURES:
        raise InputError(
            f"A picture ends in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}, but {path} does not."
        )


def check_table(path: Path | None) -> None:
    """Refuse a suffix that is no table's."""
    if path is not None and path.suffix.lower() not in (".csv", ".tsv", ".parquet"):
        raise InputError(f"{path} has no suffix that says its format; use .csv, .tsv or .parquet.")


def check_score_format(output: Path, asked: str | None) -> None:
    """Refuse a format of score files that cannot be written, before the sets are scored."""
    from chordlearn.scores.score_files import FORMATS, is_score_file

    if asked not in FORMATS and not (asked is None and is_score_file(output)):
        known = ", ".join(f"{kind.suffixes[0]} ({name})" for name, kind in FORMATS.items())
        named = f"the suffix of {output}" if asked is None else option("format", asked)
        raise InputError(f"No score file format is named by {named}; those known are {known}.")
