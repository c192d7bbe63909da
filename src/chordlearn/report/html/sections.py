"""The parts of the page that are plain HTML, in which no text from data is ever markup."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from chordlearn.analysis.edge_strength import Strengths
from chordlearn.data import bundled
from chordlearn.errors import as_flags, call
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.network.scenes import printable
from chordlearn.report.terminal import (
    claims_in_words,
    idle_columns_sentences,
    score_in_words,
    status_sentence,
    ties_sentence,
)


def text(value: object) -> str:
    """A text for HTML, between tags or inside a quoted attribute.

    >>> text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(printable(str(value)), quote=True)


def script_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: no character in it can end the element.

    >>> script_json({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    plain = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with each {{name}} replaced by its part; what is inside a part is left alone.

    >>> filled("<p>{{a}}{{b}}</p>", {"a": "{{b}}", "b": "!"})
    '<p>{{b}}!</p>'
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


NUMBERS = ("score", "strength in nats", "score lost", "in cliques")
LEARNED_FROM = (".csv", ".tsv", ".txt", ".dat", ".data", ".parquet", ".gz", ".score")
MARKS = {"optimal": "✓", "feasible": "≈", "none": "✗"}


def summary(result: Result) -> str:
    """What was learned, and what is known about it, in one sentence and a few figures."""
    sentence = status_sentence(result)
    figures = [
        ("score", number(result.score)),
        ("bound", number(result.bound)),
        ("variables", str(len(result.variables))),
    ]
    if result.rows is not None:
        figures.append(("rows", f"{result.rows:,}"))
    if result.status != "none":
        figures += [("edges", str(len(result.edges))), ("cliques", str(len(result.cliques)))]
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures)
    return (
        f'<p class="status {result.status}"><span aria-hidden="true">{MARKS[result.status]}</span> '
        f'{text(sentence[0].upper() + sentence[1:])}.</p><dl class="figures">{listed}</dl>'
    )


def marginals(network: FittedNetwork) -> str:
    """A card per variable with a button per state; pressed, the state is evidence."""
    cards = []
    for i, (name, distribution) in enumerate(network.marginals().items()):
        states = "".join(
            f'<li><button type="button" class="state" data-variable="{i}" data-state="{j}" '
            f'data-probability="{value!r}" aria-pressed="false">'
            f'<span class="label" title="{text(label)}">{text(label)}</span>'
            f'<span class="track"><span class="bar" style="width:{100 * value:.2f}%"></span>'
            f'<span class="before" style="left:{100 * value:.2f}%"></span></span>'
            f'<span class="percent">{100 * value:.1f} %</span></button></li>'
            for j, (label, value) in enumerate(distribution.to_dict().items())
        )
        cards.append(
            f'<section class="card" id="card-{i}" data-variable="{i}"><h3>{text(name)}</h3>'
            f"<ul>{states}</ul></section>"
        )
    return "".join(cards)


def edges(
    result: Result,
    strengths: Strengths | None,
    losses: Mapping[tuple[str, str], float | None] | None,
) -> str:
    """The edges, the strongest first."""
    if not result.edges:
        return "<p>The network has no edges: each variable is independent of the others.</p>"
    numbered = list(enumerate(result.edges))
    if strengths is not None:
        numbered.sort(key=lambda item: -strengths[item[1]])
    largest = max(strengths.values(), default=0.0) if strengths else 0.0
    rows = []
    for i, (a, b) in numbered:
        cells = f'<td><button type="button" class="link" data-edge="{i}">{text(a)} – {text(b)}</button></td>'
        if strengths is not None:
            share = strengths[a, b] / largest if largest else 0.0
            cells += (
                f'<td class="number">{strengths[a, b]:.4f}</td><td class="wide"><span class="track">'
                f'<span class="bar" style="width:{100 * share:.1f}%"></span></span></td>'
            )
        if losses is not None:
            loss = losses[a, b]
            cells += f'<td class="number">{"–" if loss is None else f"{loss:.2f}".replace("-", "−")}</td>'
        cells += f'<td class="number">{sum(a in c and b in c for c in result.cliques)}</td>'
        rows.append(f"<tr>{cells}</tr>")
    heads = ["edge", *(["strength in nats", ""] if strengths is not None else [])]
    heads += ["score lost"] if losses is not None else []
    return _table([*heads, "in cliques"], rows)


def proof(result: Result) -> str:
    """Score, bound, gap and what the proof rests on."""
    rows = [
        ("score of the network", number(result.score)),
        ("bound: no network that is allowed scores more", number(result.bound)),
        ("gap", number(result.gap)),
        ("tolerance of “optimal”", f"{result.tolerance:g}"),
        ("score function", text(score_in_words(result))),
        ("stopped by", text(result.stopped_by)),
        ("backend", text(" · ".join(filter(None, [result.backend, result.encoding])))),
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
            (f"best of {networks}", f"{known}, {score}") for networks, known, score in claims_in_words(result)
        ]
    if "score_error" in result.details:
        rows.append(("score off by at most", f"{result.details['score_error']:.3g}"))
    if ties := ties_sentence(result):
        rows.append(("ties", text(ties)))
    rows += [("columns", text(line)) for line in idle_columns_sentences(result)]
    if result.scaling:
        rows.append(("integer scores off by at most", f"{result.scaling['max_error']:.3g}"))
    rows += [(f"seconds to {text(stage)}", f"{value:.3f}") for stage, value in result.seconds.items()]
    rest = ""
    if result.runners_up:
        listed = "".join(
            f'<tr><td class="number">{number(other.score)}</td>'
            f"<td>{text(', '.join(' – '.join(clique) for clique in other.cliques))}</td></tr>"
            for other in result.runners_up
        )
        rest = f"<h3>Next best networks</h3>{_table(['score', 'cliques'], [listed])}"
    return _facts(rows) + rest


def data_summary(account: Mapping[str, Any] | None, result: Result) -> str:
    """What the data are."""
    rows = [("source", text(result.data.get("source", "memory")))]
    if account is None:
        rows.append(("variables", str(len(result.variables))))
        return _facts([*rows, ("SHA-256", f"<code>{text(result.data_sha256)}</code>")])
    title = ""
    if "title" in account:
        title = f"<p><strong>{text(account['title'])}.</strong> {text(account['description'])}</p>"
    rows += [
        ("rows", f"{account['rows']:,} ({account['distinct_rows']:,} distinct)"),
        ("variables", str(len(account["variables"]))),
        ("SHA-256", f"<code>{text(account['sha256'])}</code>"),
    ]
    meanings = any("meaning" in variable for variable in account["variables"])
    listed = []
    for variable in account["variables"]:
        states = ", ".join(f"{state['label']} {state['count']:,}" for state in variable["states"])
        meaning = f"<td>{text(variable.get('meaning', ''))}</td>" if meanings else ""
        listed.append(
            f"<tr><th scope='row'>{text(variable['name'])}</th><td>{text(states)}</td>{meaning}</tr>"
        )
    heads = ["variable", "how often each state occurs", *(["meaning"] if meanings else [])]
    notes = "".join(f"<p>{text(note)}</p>" for note in account["notes"])
    return title + _facts(rows) + _table(heads, listed) + notes


def reproduction(result: Result) -> str:
    """How to learn the same network again, and with what it was learned."""
    command = command_of(result)
    how = (
        f"<pre><code>{text(command)}</code></pre>"
        if command
        else "<p>Learned from Python with data in memory, or in a way that the command line does not offer: "
        "the JSON result holds them all.</p>"
    )
    versions = [(text(name), text(value)) for name, value in result.versions.items()]
    return f"{how}<h3>Versions</h3>{_facts(versions)}"


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
    if not is_readable or name == "custom":
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


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    listed = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows)
    return f'<table class="facts"><tbody>{listed}</tbody></table>'


def _table(heads: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f'<th scope="col"{_aligned(name)}>{name}</th>' for name in heads)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="table">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _aligned(head: str) -> str:
    return ' class="number"' if head in NUMBERS else ""
