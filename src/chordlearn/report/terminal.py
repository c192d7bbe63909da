"""The result as a statistician reads it in a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from chordlearn.data.naming import listed
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.result import Result
from chordlearn.network.result import says_something as says_something
from chordlearn.system.text import counted, plain, shown

INDENT = (0, 0, 0, 2)
MOST_SHOWN = 100
"""Of each kind of set; a network of thousands of variables is for files."""
SCORE_NAMES = {"bdeu": "BDeu", "dirichlet": "Dirichlet", "bic": "BIC", "aic": "AIC", "qnml": "qNML"}
PARAMETER_NAMES = {
    "ess": "equivalent sample size",
    "alpha": "parameter",
    "edge_prior": "log prior odds of an edge",
}


def print_result(result: Result, console: Console) -> None:
    """Print status, score, bound, cliques, separators, the graph and the time."""
    console.print(plain(_headline(result), style="dim"))
    console.print()
    colour = {"optimal": "bold green", "feasible": "bold yellow", "none": "bold red"}[result.status]
    console.print(plain(status_sentence(result), style=colour))
    ties = ties_sentence(result)
    if ties:
        console.print(plain(ties, style="yellow"))
    for line in idle_columns_sentences(result):
        console.print(plain(line, style="yellow"))
    for line in gaps_sentences(result):
        console.print(plain(line, style="yellow"))
    _print_numbers(result, console)
    if result.status != "none":
        _print_sets(console, "clique", result.cliques)
        _print_sets(console, "separator", result.separators)
        _print_graph(result, console)
    if result.runners_up:
        _print_runners_up(result, console)
    console.print()
    console.print(plain(_footer(result), style="dim"))


def status_sentence(result: Result) -> str:
    """What is known about the network, in one sentence."""
    networks = f"chordal network{_restriction(result)}"
    if result.status == "optimal":
        by, more = result.proved_by, _short(result.tolerance)
        return f"optimal, proved{by}: no {networks} scores more than {more} above it"
    return result.status_in_words


def ties_sentence(result: Result) -> str:
    """That other networks score as much, if that is known; otherwise nothing."""
    ties = result.details.get("ties")
    if not isinstance(ties, Mapping):
        return ""
    within = _short(ties["within"])
    if ties.get("networks", 1) < 2:
        if ties.get("simplest", True):
            return ""
        return f"whether other networks score within {within} of the best, and are simpler, is not known"
    count = f"{ties['networks']}" if ties.get("complete") else f"at least {ties['networks']}"
    which = "this is one of them"
    if "simplest" in ties:
        order = "this is the simplest: the fewest edges, then first in the order of the columns"
        which = order if ties["simplest"] else f"{which}, and may not be the simplest"
    return f"{count} networks score within {within} of the best; {which}"


def idle_columns_sentences(result: Result) -> list[str]:
    """A line about constant columns and one about copies, as far as there are any."""
    details, lines = result.details, []
    if constants := details.get("constants"):
        aside = details.get("set_aside", [])
        stand = "" if constants != aside else "; it stands alone" if len(aside) == 1 else "; they stand alone"
        lines.append(f"always the same: {listed(constants)}{stand}")
    if groups := details.get("copies"):
        lines.append(f"determine each other: {listed([' = '.join(group) for group in groups])}")
    return lines


def gaps_sentences(result: Result) -> list[str]:
    """How much was missing, how it was counted, where each start led, and what completed tables gave."""
    missing, em = result.details.get("missing"), result.details.get("em")
    if not isinstance(missing, Mapping) or not isinstance(em, Mapping):
        return []
    worst = sorted(missing["columns"].items(), key=lambda item: -item[1])
    where = listed([f"{name} {count:.12g}" for name, count in worst])
    rows = f"{missing['rows']:.12g} of {counted(result.rows or 0, 'row')}"
    lines = [f"missing: {counted(missing['values'], 'value')} ({missing['share']:.1%}) in {rows}: {where}"]
    counts = em["expected_counts"]
    by_draws = (
        f"; from {counts['draws_per_row']} draws each for {counts['drawn']:.12g}" if counts["drawn"] else ""
    )
    lines.append(f"expected counts: exact for {counted(counts['exact'], 'row')}{by_draws}")
    for start in em["starts"]:
        if start["objective"] is not None:
            steps = counted(len(start["steps"]), "structure")
            lines.append(f"from {start['start']}: {start['objective']:.6f} after {steps} ({start['ended']})")
    if isinstance(imputed := result.details.get("imputations"), Mapping):
        edges = [f"{'–'.join(one['edge'])} {one['frequency']:.2f}" for one in imputed["edges"][:MOST_SHOWN]]
        lines.append(
            f"edges in the networks of {counted(imputed['tables'], 'completed table')} "
            f"({imputed['proved']} proved): {', '.join(edges) or 'none'}"
        )
    return lines


def _restriction(result: Result) -> str:
    constraints = result.constraints
    edges = bool(constraints.get("required") or constraints.get("forbidden"))
    largest = constraints.get("max_clique")
    words = []
    if largest is not None and largest < len(result.variables):
        words.append(f"with cliques of at most {largest}")
    if edges:
        words.append("that meets the edge constraints")
    return "".join(f" {word}" for word in words)


def _headline(result: Result) -> str:
    parts = [str(result.data.get("source", "memory")), counted(len(result.variables), "variable")]
    if result.rows is not None:
        parts.append(counted(result.rows, "row"))
    parts.append(score_in_words(result))
    return " · ".join(parts)


def score_in_words(result: Result) -> str:
    """The score function with its parameters, as one reads it."""
    name = str(result.score_function.get("name", ""))
    parameters = result.score_function.get("parameters") or {}
    if name == "file":
        return "scores from the file"
    described = [
        f"{PARAMETER_NAMES.get(key, key)} {value:g}" if isinstance(value, int | float) else f"{key} {value}"
        for key, value in parameters.items()
        if not (key == "edge_prior" and value == 0)
    ]
    return ", ".join([SCORE_NAMES.get(name, name), *described])


def _print_numbers(result: Result, console: Console) -> None:
    numbers = {"score": result.score}
    if says_something(result.gap, result.score):
        numbers |= {"bound": result.bound, "gap": result.gap}
    texts = {name: f"{value:.6f}" if math.isfinite(value) else "unknown" for name, value in numbers.items()}
    if result.status == "none":
        texts["score"] = "none"
    width = max(map(len, texts.values()))
    for name, text in texts.items():
        console.print(Padding(plain(f"{name:<5}  {text:>{width}}"), INDENT, expand=False))
    if result.status == "feasible" and len(result.claims) > 1:
        for networks, known, score in claims_in_words(result):
            line = f"{networks:<27}  {known:<22}  {score:>{width}}"
            console.print(Padding(plain(line, style="dim"), INDENT, expand=False))


def claims_in_words(result: Result) -> list[tuple[str, str, str]]:
    """Of each class of networks: which these are, what is known of the best one, and its score."""
    lines = []
    for claim in result.claims:
        largest = claim.among.get("max_clique")
        networks = "all networks" if largest is None else f"cliques of at most {largest}"
        known = "proved" if claim.status == "optimal" else "not proved"
        if known == "not proved" and says_something(claim.gap, claim.score):
            known = f"within {claim.gap:.6g}"
        lines.append((networks, known, f"{claim.score:.6f}"))
    return lines


def _print_sets(console: Console, noun: str, sets: Sequence[Sequence[str]]) -> None:
    console.print()
    console.print(plain(counted(len(sets), noun), style="bold"))
    for names in sets[:MOST_SHOWN]:
        console.print(Padding(plain(_joined(names)), INDENT, expand=False))
    _print_rest(console, len(sets))


def _print_rest(console: Console, count: int) -> None:
    if count > MOST_SHOWN:
        rest = f"… and {count - MOST_SHOWN} more; a result file (.json) has all of them"
        console.print(Padding(plain(rest, style="dim"), INDENT, expand=False))


def _print_graph(result: Result, console: Console) -> None:
    console.print()
    console.print(plain(counted(len(result.edges), "edge"), style="bold"))
    # Each variable takes two columns at least, so that a matrix of many is not even made.
    matrix = ""
    if 2 * len(result.variables) < console.width:
        matrix = adjacency_text(result.network, ascii_only=not _shows_unicode(console))
    if matrix and max(map(cell_len, matrix.splitlines())) <= console.width - 2:
        console.print(Padding(Text(matrix), INDENT, expand=False))
    else:
        edges = ", ".join("–".join(edge) for edge in result.edges[:MOST_SHOWN])
        console.print(Padding(plain(edges), INDENT, expand=False))
        _print_rest(console, len(result.edges))


def _print_runners_up(result: Result, console: Console) -> None:
    console.print()
    console.print(plain("next best", style="bold"))
    for other in result.runners_up:
        cliques = ", ".join(_joined(clique) for clique in other.cliques)
        console.print(Padding(plain(f"{other.score:.6f}  {cliques}"), INDENT, expand=False))


def _footer(result: Result) -> str:
    parts = [f"seconds: {_stages(result.seconds)}", f"backend {result.backend}"]
    within = result.details.get("seconds")
    if isinstance(within, Mapping):
        parts[0] += f" ({_stages(within)})"
    if result.encoding:
        parts.append(f"encoding {result.encoding}")
    if result.candidates:
        before, after = result.candidates.get("before"), result.candidates.get("after")
        if before != after:
            parts.append(f"candidates {after:,} of {before:,}")
    if "method_reason" in result.details:
        parts.append(f"{result.details['method']} program ({result.details['method_reason']})")
    if result.scaling:
        parts.append(f"integer scores off by at most {result.scaling['max_error']:.3g}")
    return " · ".join(parts)


def _stages(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{stage} {value:.3f}" for stage, value in seconds.items())


def _short(number: float) -> str:
    return f"{number:.3g}".replace("e-0", "e-")


def _joined(names: Iterable[str]) -> str:
    return " – ".join(names)


def _shows_unicode(console: Console) -> bool:
    return console.encoding.lower().replace("-", "").startswith("utf")


def adjacency_text(network: ChordalNetwork, *, ascii_only: bool = False) -> str:
    """The adjacency matrix: one line per variable, columns headed by the variables' numbers.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> print(adjacency_text(ChordalNetwork.from_edges(["smoke", "phys", "age"], [("smoke", "phys")])))
             1 2 3
    1 smoke  ╲ ● ·
    2 phys   ● ╲ ·
    3 age    · · ╲
    """
    edge, empty, diagonal = ("x", ".", "\\") if ascii_only else ("●", "·", "╲")
    names = [shown(name) for name in network.variables]
    n = len(names)
    digits = len(str(n))
    widest = max(map(cell_len, names), default=0)
    lines = [" " * (digits + widest + 3) + " ".join(f"{i + 1:>{digits}}" for i in range(n))]
    for i, (name, near) in enumerate(zip(names, network.graph, strict=True)):
        cells = (diagonal if i == j else edge if near >> j & 1 else empty for j in range(n))
        row = " ".join(f"{cell:>{digits}}" for cell in cells)
        lines.append(f"{i + 1:>{digits}} {name}{' ' * (widest - cell_len(name))}  {row}")
    return "\n".join(lines)
