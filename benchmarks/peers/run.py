"""Other programs beside chordlearn: same table, same score, same machine, one thread each.

``python benchmarks/peers/run.py DATA`` runs what is in TASKS on the tables below the folder DATA, each in a
process of its own, and adds what is new to ``records.jsonl`` beside this file; without a folder it prints as
Markdown what is there. What cannot be imported, fails or does not end is recorded too. The programs are in
``requirements.txt``.

Networks are scored here, with BDeu of equivalent sample size 1. A directed network is moralised and
triangulated; its own score, as a directed network, stands beside that. Tables are posterior means.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
from learners import SECONDS

import chordlearn as cl
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.scores.compute import set_scorer

HERE = Path(__file__).parent
RECORDS = HERE / "records.jsonl"

GREEDY = ("chordlearn", "pyAgrum greedy", "pgmpy greedy", "pgmpy Chow-Liu")
TASKS: dict[str, dict[str, tuple[str, ...]]] = {
    "exact": {
        "paper/heart": ("chordlearn", "pygobnilp"),
        "paper/econ": ("chordlearn", "pygobnilp"),
        "uci/tictactoe": ("chordlearn:4", "pygobnilp:4"),
        "gm/sachs_discretised": ("chordlearn:3", "pygobnilp:3"),
        "uci/flare2": ("chordlearn:3", "pygobnilp:3"),
    },
    "greedy": dict.fromkeys(
        ("paper/heart", "uci/tictactoe", "uci/voting", "uci/mushroom", "bn/insurance_1000", "bn/alarm_1000"),
        GREEDY,
    ),
    "density": dict.fromkeys(("debd/nltcs/nltcs", "debd/plants/plants"), GREEDY),
    "posterior": {
        "paper/heart": ("chordlearn posterior", "trilearn:50", "trilearn:200"),
        "paper/econ": ("chordlearn posterior", "trilearn:50", "trilearn:100"),
    },
}
"""For each kind of question the tables and who answers, with an option after the colon."""

Terms = list[tuple[tuple[str, ...], int]]
"""Sets of variables with the sign that they have in a score and in a log-likelihood."""


def coded(*paths: Path) -> list[pl.DataFrame]:
    """Tables with the same codes 0, 1, … and without columns that never vary in the first; `?` is a state."""
    frames = [pl.read_csv(path, infer_schema=False).fill_null("?") for path in paths]
    names = [name for name in frames[0].columns if frames[0][name].n_unique() > 1]
    states = {
        name: pl.Enum(sorted(set().union(*(frame[name].unique() for frame in frames)))) for name in names
    }
    return [
        frame.select(
            pl.col(name).cast(states[name]).to_physical().cast(pl.Int64).alias(f"x{place}")
            for place, name in enumerate(names)
        )
        for frame in frames
    ]


def answer(learner: str, table: Path) -> dict[str, Any]:
    """What one learner says, or why it says nothing."""
    name, _, option = learner.partition(":")
    command = [sys.executable, str(HERE / "learners.py"), name, str(table), option]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=3600, check=False)
    if done.returncode == -signal.SIGXCPU:
        return {"failure": f"not done after {SECONDS} s"}
    if done.returncode != 0:
        return {"failure": (done.stderr.strip() or f"signal {-done.returncode}").splitlines()[-1][:200]}
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def chordal_terms(network: ChordalNetwork) -> Terms:
    """Cliques count once, separators are taken off."""
    return [(clique, 1) for clique in network.cliques] + [(separator, -1) for separator in network.separators]


def directed_terms(variables: tuple[str, ...], arcs: list[list[str]]) -> Terms:
    """Families count once, parents are taken off."""
    parents = {name: tuple(sorted(a for a, b in arcs if b == name)) for name in variables}
    return [((*known, name), 1) for name, known in parents.items()] + [
        (known, -1) for known in parents.values()
    ]


def triangulated(variables: tuple[str, ...], found: dict[str, Any]) -> ChordalNetwork:
    """The network as found; a directed one moralised and triangulated."""
    if "cliques" in found:
        return ChordalNetwork.from_cliques(variables, found["cliques"])
    graph = nx.Graph(found.get("edges", found.get("arcs")))
    graph.add_nodes_from(variables)
    if "arcs" in found:
        for name in variables:
            graph.add_edges_from(combinations([a for a, b in found["arcs"] if b == name], 2))
    if not nx.is_chordal(graph):
        graph, _ = nx.complete_to_chordal_graph(graph)
    return ChordalNetwork.from_edges(variables, graph.edges)


def score(terms: Terms, data: cl.Dataset) -> float:
    """BDeu of equivalent sample size 1."""
    value = set_scorer(data, cl.BDeu())
    return sum(sign * value(sorted(map(data.index, names))) for names, sign in terms if names)


def log_likelihood(terms: Terms, train: pl.DataFrame, test: pl.DataFrame) -> float:
    """The mean over test rows, with posterior means of equivalent sample size 1."""
    sizes = {name: pl.concat([train[name], test[name]]).n_unique() for name in train.columns}
    total = np.zeros(len(test))
    for names, sign in terms:
        if names:
            counts = train.group_by(names).len()
            own = (
                test.select(names)
                .join(counts, on=names, how="left", maintain_order="left")["len"]
                .fill_null(0)
            )
            cells = float(np.prod([sizes[name] for name in names]))
            total += sign * np.log((own.to_numpy() + 1 / cells) / (len(train) + 1))
    return float(total.mean())


def measured(kind: str, place: str, folder: Path) -> list[dict[str, Any]]:
    """A record for each learner of a task."""
    whole = folder / f"{place}.csv"
    paths = [whole] if whole.exists() else [folder / f"{place}.{part}.csv" for part in ("train", "test")]
    train, *tests = coded(*paths)
    data = cl.read(train, counts="none")
    records: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        table = Path(temporary) / "table.csv"
        train.write_csv(table)
        for learner in TASKS[kind][place]:
            found = answer(learner, table)
            record = {
                "task": kind,
                "data": Path(place).name,
                "columns": train.width,
                "rows": len(train),
                "learner": learner,
            }
            if "edges" in found or "arcs" in found or "cliques" in found:
                network = triangulated(data.variables, found)
                terms = {"chordal": chordal_terms(network)}
                if "arcs" in found:
                    terms["directed"] = directed_terms(data.variables, found["arcs"])
                for form, these in terms.items():
                    record[f"{form}_score"] = score(these, data)
                    for test in tests:
                        record[f"{form}_test"] = log_likelihood(these, train, test)
                record["largest_clique"] = max(map(len, network.cliques))
            if "edge_probabilities" in found:
                shares = np.array(found.pop("edge_probabilities"))
                exact = shares if not records else np.array(records[0]["_shares"])
                record |= {"_shares": shares.tolist(), "largest_error": float(np.abs(shares - exact).max())}
            kept = ("package", "seconds", "memory_mb", "status", "failure")
            records.append(record | {name: found[name] for name in kept if name in found})
            print(records[-1] | {"_shares": ""}, flush=True)
    return [{name: value for name, value in record.items() if name != "_shares"} for record in records]


def markdown(records: list[dict[str, Any]]) -> str:
    """A table for each kind of question."""
    columns = {
        "exact": ("score", "proved", "seconds", "memory"),
        "greedy": ("score", "proved", "directed score", "largest clique", "seconds"),
        "density": ("test", "directed test", "score", "proved", "seconds"),
        "posterior": ("largest error", "seconds"),
    }
    return "\n\n".join(
        _table(kind, columns[kind], [one for one in records if one["task"] == kind]) for kind in columns
    )


def _table(kind: str, columns: tuple[str, ...], records: list[dict[str, Any]]) -> str:
    lines = [f"| data | learner | {' | '.join(columns)} |", "|---|---" + "|--:" * len(columns) + "|"]
    for one in records:
        name, _, option = one["learner"].partition(":")
        first = next(other for other in records if other["data"] == one["data"])
        cells = (
            [_cell(column, one, first) for column in columns] if "failure" not in one else [one["failure"]]
        )
        cells += [""] * (len(columns) - len(cells))
        if option:
            name += f", cliques of at most {option}" if kind == "exact" else f", {option} steps"
        lines.append(f"| {one['data']} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(column: str, one: dict[str, Any], first: dict[str, Any]) -> str:
    if column == "proved":
        return "yes" if one.get("status") == "optimal" else ""
    keys = {"score": "chordal_score", "test": "chordal_test", "memory": "memory_mb"}
    value = one.get(keys.get(column, column.replace(" ", "_")))
    if value is None:
        return ""
    if column == "seconds":
        ratio = value / first["seconds"]
        return f"{value:.3g}" if one is first else f"{value:.3g} ({ratio:.2g}×)"
    formats = {
        "score": ".3f",
        "directed score": ".3f",
        "test": ".4f",
        "directed test": ".4f",
        "memory": ".0f",
    }
    return format(value, formats.get(column, ".4f" if column == "largest error" else "d"))


def main() -> None:
    if len(sys.argv) > 1:
        done = {(one["task"], one["data"]) for one in recorded()}
        tasks = [(kind, place) for kind, places in TASKS.items() for place in places]
        for kind, place in tasks:
            if (kind, Path(place).name) not in done:
                found = measured(kind, place, Path(sys.argv[1]))
                with RECORDS.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(record) + "\n" for record in found)
    print(markdown(recorded()))


def recorded() -> list[dict[str, Any]]:
    """What was measured."""
    lines = RECORDS.read_text(encoding="utf-8").splitlines() if RECORDS.exists() else []
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
