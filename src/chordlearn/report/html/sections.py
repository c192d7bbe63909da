"""What the page says around its explorer: texts and rows of them, which are never markup."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from typing import Any

from chordlearn.data import bundled
from chordlearn.errors import as_flags, call
from chordlearn.network.result import Result, says_something
from chordlearn.network.scenes import printable
from chordlearn.report.terminal import (
    claims_in_words,
    gaps_sentences,
    idle_columns_sentences,
    score_in_words,
    status_sentence,
    ties_sentence,
)

LEARNED_FROM = (".csv", ".tsv", ".txt", ".dat", ".data", ".parquet", ".gz", ".score")
Rows = list[tuple[str, ...]]


def headline(result: Result) -> str:
    """What is known about the network, as a sentence."""
    sentence = status_sentence(result)
    return f"{sentence[0].upper()}{sentence[1:]}."


def figures(result: Result) -> Rows:
    """A few numbers; a bound that says nothing is none of them."""
    found: Rows = [] if result.status == "none" else [("score", number(result.score))]
    if result.status == "feasible" and says_something(result.gap, result.score):
        found.append(("bound", number(result.bound)))
    found.append(("variables", str(len(result.variables))))
    if result.rows is not None:
        found.append(("rows", f"{result.rows:,.12g}"))
    if result.status != "none":
        found += [("edges", str(len(result.edges))), ("cliques", str(len(result.cliques)))]
    return found


def sections(result: Result, account: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What is proved, what the data are, and how to learn the network again."""
    return [
        {"id": "proof", "title": "Proof", "parts": _proof(result)},
        {"id": "data", "title": "Data", "parts": _data(result, account)},
        {"id": "reproduce", "title": "Learn it again", "parts": _again(result)},
    ]


def _proof(result: Result) -> list[dict[str, Any]]:
    """Score, bound, gap and what the proof rests on."""
    rows = [("score of the network", number(result.score))]
    if says_something(result.gap, result.score):
        rows += [
            ("bound: no network that is allowed scores more", number(result.bound)),
            ("gap", number(result.gap)),
        ]
    rows += [
        ("tolerance of “optimal”", f"{result.tolerance:g}"),
        ("score function", score_in_words(result)),
        ("stopped by", result.stopped_by),
        ("backend", " · ".join(filter(None, [result.backend, result.encoding]))),
    ]
    if result.candidates and {"before", "after"} <= result.candidates.keys():
        before, after = result.candidates["before"], result.candidates["after"]
        share = f" ({100 * (before - after) / before:.1f} %)" if before else ""
        rows += [
            ("candidates: sets that might be complete", f"{before:,}"),
            ("excluded by their bounds", f"{before - after:,}{share}"),
            ("left to search", f"{after:,}"),
        ]
    if len(result.claims) > 1:
        rows += [
            (f"best of {networks}", f"{known}, {score}".replace("-", "−"))
            for networks, known, score in claims_in_words(result)
        ]
    if "score_error" in result.details:
        rows.append(("score off by at most", f"{result.details['score_error']:.3g}"))
    if ties := ties_sentence(result):
        rows.append(("ties", ties))
    rows += [("columns", line) for line in idle_columns_sentences(result)]
    rows += [("missing values", line) for line in gaps_sentences(result)]
    if result.scaling:
        rows.append(("integer scores off by at most", f"{result.scaling['max_error']:.3g}"))
    rows += [(f"seconds to {stage}", f"{value:.3f}") for stage, value in result.seconds.items()]
    parts: list[dict[str, Any]] = [{"rows": _printable(rows)}]
    if result.runners_up:
        listed = [
            (number(other.score), ", ".join(" – ".join(clique) for clique in other.cliques))
            for other in result.runners_up
        ]
        parts.append(
            {
                "caption": "Next best networks",
                "heads": ["score", "next best networks"],
                "rows": _printable(listed),
            }
        )
    return parts


def _data(result: Result, account: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What the data are."""
    rows = [("source", str(result.data.get("source", "memory")))]
    if account is None:
        rows += [("variables", str(len(result.variables))), ("SHA-256", result.data_sha256)]
        return [{"rows": _printable(rows)}]
    parts: list[dict[str, Any]] = []
    if "title" in account:
        parts.append({"text": printable(f"{account['title']}. {account['description']}")})
    rows += [
        ("rows", f"{account['rows']:,.12g} ({account['distinct_rows']:,} distinct)"),
        ("variables", str(len(account["variables"]))),
        ("SHA-256", account["sha256"]),
    ]
    meanings = any("meaning" in variable for variable in account["variables"])
    listed = [
        (
            variable["name"],
            ", ".join(f"{state['label']} {state['count']:,}" for state in variable["states"]),
            *([variable.get("meaning", "")] if meanings else []),
        )
        for variable in account["variables"]
    ]
    heads = ["variable", "how often each state occurs", *(["meaning"] if meanings else [])]
    notes = [{"text": printable(note)} for note in account["notes"]]
    return [*parts, {"rows": _printable(rows)}, {"heads": heads, "rows": _printable(listed)}, *notes]


def _again(result: Result) -> list[dict[str, Any]]:
    """How to learn the same network again, and with what it was learned."""
    command = command_of(result)
    how = (
        {"code": printable(command)}
        if command
        else {
            "text": "Learned from Python with data in memory, or in a way that the command line does not "
            "offer: the JSON result holds them all."
        }
    )
    return [how, {"rows": _printable(list(result.versions.items()))}]


def _printable(rows: Iterable[tuple[str, ...]]) -> Rows:
    return [tuple(printable(cell) if cell else "" for cell in row) for row in rows]


def command_of(result: Result) -> str | None:
    """The command line that gives this result again; None where none can (data in memory, one's own score).

    >>> import chordlearn as cl
    >>> command_of(cl.learn("heart", max_clique=3, forbid=[("smoke", "phys")]))
    'chordlearn learn heart --score bdeu --ess 1 --max-clique 3 --forbid smoke,phys --backend native --seed 0'
    """
    options = result.data.get("options", {})
    source = str(result.data.get("source", "memory"))
    name = str(result.score_function.get("name", ""))
    is_readable = source in {entry.name for entry in bundled()} or source.lower().endswith(LEARNED_FROM)
    if not is_readable or name == "custom" or isinstance(options.get("states"), dict):
        return None
    given: dict[str, Any] = dict(options)
    if isinstance(options.get("discretize"), dict):
        given["discretize"] = [f"{column}={method}" for column, method in options["discretize"].items()]
    if name != "file":
        given["score"] = name
        parameters = result.score_function.get("parameters") or {}
        given |= {key: f"{value:.15g}" for key, value in parameters.items() if key != "edge_prior" or value}
    asked = {
        "max_clique": result.constraints["max_clique"],
        "require": [_listed(edge) for edge in result.constraints["required"]],
        "forbid": [_listed(edge) for edge in result.constraints["forbidden"]],
        # What is chosen for many columns goes on from one to the other.
        "backend": None if len(result.claims) > 1 else result.backend,
        "encoding": result.encoding,
        "seed": result.seed,
    }
    given |= {key: value for key, value in asked.items() if value not in (None, [])}
    return as_flags(call("learn", source, given))


def _listed(names: Iterable[str]) -> str:
    """A comma-separated list, in which a name with a comma is quoted, as the command line reads it."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def number(value: float) -> str:
    """Six decimals, a true minus sign, and a word for what is not known.

    >>> number(-1.5), number(float("inf"))
    ('−1.500000', 'unknown')
    """
    return f"{value:.6f}".replace("-", "−") if math.isfinite(value) else "unknown"
