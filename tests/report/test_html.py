"""The report as text: whole, self-contained, and safe whatever the names are."""

from __future__ import annotations

import json
import math
import re
import shlex
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

import chordlearn as cl
from chordlearn.network.result import build_result
from chordlearn.report.html import exploration, explorer_document, report_html, write_report
from chordlearn.report.html.sections import command_of
from report.networks import HOSTILE, hostile_result, tree_result

ACTIVE = {"src", "href", "onerror", "onclick", "onload", "action", "formaction"}


class Elements(HTMLParser):
    """Collects the tags, the attributes that could do something, and the text of script elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.active: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.scripts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.active += [item for item in attributes if item[0] in ACTIVE]
        if tag not in ("meta", "link", "line", "path", "rect"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("line", "path", "rect"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


def test_one_file_that_needs_no_other() -> None:
    text = report_html(cl.learn("heart"))
    elements = Elements(text)
    assert elements.open == []
    assert elements.active == [("href", "data:,"), ("href", "#search")]
    # The namespace of SVG is a name and not an address.
    assert not re.search(r"https?:|@import|url\(|\bimport\b", text.replace("http://www.w3.org/2000/svg", ""))
    assert "{{" not in text
    said = json.dumps(explorer_document(cl.learn("heart")), ensure_ascii=False)
    for words in ("Optimal, proved", "−6732.459258", "excluded by their bounds", "strenuous physical work"):
        assert words in said


def test_names_stay_names() -> None:
    result, data = hostile_result()
    elements = Elements(report_html(result, data))
    assert elements.open == []
    assert len(elements.scripts) == 2
    assert "img" not in elements.tags
    assert not set("<>&") & set(elements.scripts[0])
    assert json.loads(elements.scripts[0])["variables"] == HOSTILE


def test_without_a_network() -> None:
    result = build_result(
        variables=["a", "b"],
        cliques=None,
        score=-math.inf,
        bound=math.inf,
        stopped_by="time limit",
        tolerance=1e-6,
        score_function={"name": "bic", "parameters": {}},
        backend="native",
        data_sha256="00",
    )
    document = explorer_document(result)
    assert document["headline"] == "No network found: stopped by the time limit."
    assert "cliques" not in document and "bound" not in dict(document["figures"])
    assert Elements(report_html(result)).open == []


def test_from_a_score_file(tmp_path: Path, call) -> None:
    assert call("score", "heart", "-o", "heart.score").returncode == 0
    assert call("learn", "heart.score", "--report", "r.html", "--json", "r.json").returncode == 0
    assert "score" in (tmp_path / "r.html").read_text()
    document = explorer_document(cl.Result.load(tmp_path / "r.json"))
    assert document["states"] is None and not {"tables", "weights"} & document.keys()


def test_large_tables_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploration, "MOST_CELLS", 5)
    document = explorer_document(cl.learn("heart"))
    assert "too large for this page" in document["note"]
    assert "tables" not in document and len(document["marginals"]) == 6


def test_a_bound_that_says_nothing_is_no_figure() -> None:
    result, _ = tree_result(60)
    far = msgspec.structs.replace(result, score=-5e3, bound=0.0, gap=5e3)
    for one, shown in [(result, True), (far, False)]:
        document = explorer_document(one)
        assert ("bound" in dict(document["figures"])) is shown
        assert ("Within 1 of the best" in document["headline"]) is shown


def test_learn_writes_it(call, tmp_path: Path) -> None:
    assert call("learn", "econ", "--report", "econ.html").returncode == 0
    assert (tmp_path / "econ.html").read_text().startswith("<!DOCTYPE html>")
    done = call("learn", "econ", "--report", "no/folder/econ.html")
    assert done.returncode == 2 and "cannot be written" in done.stderr


def test_written_whole(tmp_path: Path) -> None:
    write_report(cl.learn("heart"), tmp_path / "heart.html")
    assert [path.name for path in tmp_path.iterdir()] == ["heart.html"]


def test_the_command_gives_the_same_result(call, tmp_path: Path) -> None:
    rows = "x,u,1\ny,v,2\nx,u,1\ny,v,\ny,u,2\nx,v,1\n" * 5
    (tmp_path / "my data.csv").write_text('a,"b, c",d\n' + rows)
    first = call(
        *("learn", "my data.csv", "--missing", "drop", "--score", "dirichlet", "--alpha", "0.25"),
        *("--max-clique", "2", "--forbid", 'a,"b, c"', "--columns", 'a,"b, c",d', "--json", "one.json"),
    )
    assert first.returncode == 0, first.stderr
    one = cl.Result.load(tmp_path / "one.json")
    command = command_of(one)
    assert command is not None
    assert call(*shlex.split(command)[1:], "--json", "two.json").returncode == 0
    two = cl.Result.load(tmp_path / "two.json")
    assert (one.score, one.cliques, one.data_sha256) == (two.score, two.cliques, two.data_sha256)


def test_no_command_for_data_in_memory() -> None:
    assert command_of(cl.learn({"a": [0, 1] * 5, "b": [0, 1] * 5})) is None


def test_notebooks_show_the_explorer(tmp_path: Path) -> None:
    """A frame with the page and nothing around it; only the structure if the data are not what they were."""
    (tmp_path / "t.csv").write_text("a,b\n" + "x,u\ny,v\n" * 20)
    result = cl.learn(tmp_path / "t.csv")

    def shown(source: cl.Result | cl.FittedNetwork) -> dict[str, object]:
        (page,) = re.findall(r'<iframe [^>]*srcdoc="([^"]*)"', source._repr_html_())
        found = json.loads(Elements(unescape(page)).scripts[0])
        assert found["variables"] == ["a", "b"] and "sections" not in found
        return found

    assert "tables" in shown(result) and "tables" in shown(cl.fit(result))
    (tmp_path / "t.csv").write_text("a,b\n" + "x,u\n" * 20)
    assert "tables" not in shown(result)
    with pytest.raises(cl.errors.InputError, match="have changed"):
        report_html(result)
