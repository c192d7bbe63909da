"""What the terminal says of results that are not simply optimal."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.result import Result, build_result
from chordlearn.report.terminal import adjacency_text, print_result, status_sentence


def result(**changes: object) -> Result:
    values: dict = {
        "variables": ["a", "b", "c"],
        "cliques": [0b011, 0b100],
        "score": -10.0,
        "bound": -10.0,
        "stopped_by": "proof",
        "tolerance": 1e-6,
        "score_function": {"name": "bdeu", "parameters": {"ess": 1.0}},
        "backend": "native",
        "data_sha256": "00",
    }
    return build_result(**(values | changes))


NOTHING: dict[str, Any] = {"required": [], "forbidden": [], "max_clique": None}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "optimal, proved: no chordal network scores more than 1e-6 above it"),
        (
            {"bound": -7.5, "stopped_by": "time limit"},
            "within 2.5 of the best, not proved optimal (stopped by the time limit)",
        ),
        (
            {"bound": math.inf, "stopped_by": "interrupted"},
            "the best found, not proved optimal: how far from the best is not known (stopped by the user)",
        ),
        ({"cliques": None, "stopped_by": "memory limit"}, "no network found: stopped by the memory limit"),
        (
            {"constraints": NOTHING | {"max_clique": 2}},
            "optimal, proved: no chordal network with cliques of at most 2 scores more than 1e-6 above it",
        ),
        (
            {"constraints": NOTHING | {"max_clique": 2, "required": [["a", "b"]]}},
            "optimal, proved: no chordal network with cliques of at most 2 that meets the edge constraints "
            "scores more than 1e-6 above it",
        ),
    ],
)
def test_status_in_words(changes: dict, sentence: str) -> None:
    assert status_sentence(result(**changes)) == sentence


@pytest.mark.parametrize("width", [10, 40, 100])
@pytest.mark.parametrize("changes", [{}, {"cliques": None, "bound": math.inf}, {"bound": math.inf}])
def test_prints_anything_at_any_width(changes: dict, width: int) -> None:
    page = io.StringIO()
    print_result(result(**changes), Console(file=page, width=width))
    assert page.getvalue()


def test_the_matrix_is_aligned_whatever_the_script() -> None:
    network = ChordalNetwork.from_edges(["性別", "age", "同意, はい？"], [("age", "性別")])
    head, *lines = adjacency_text(network).splitlines()
    assert {cell_len(line) for line in [head, *lines]} == {cell_len("3 同意, はい？  · · ╲")}


def test_names_are_no_markup() -> None:
    page = io.StringIO()
    print_result(result(variables=["[bold]a[/bold]", "[/]", "c"]), Console(file=page, width=100))
    assert "[bold]a[/bold] – [/]" in page.getvalue()
