"""How sure the edges are, in the report and below a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.report.html import explorer_document
from conftest import RunCommand
from report.browsing import ask, find


def test_the_document() -> None:
    result, posterior = cl.learn("heart"), cl.posterior("heart")
    bootstrap = cl.bootstrap("heart", samples=10)
    document = explorer_document(result, posterior=posterior, bootstrap=bootstrap)
    names = [weights["name"] for weights in document["weights"]]
    assert names == ["posterior probability", "bootstrap frequency", "strength (nats)"]
    assert document["weights"][0]["values"] == [posterior.edges[edge].value for edge in result.edges]
    expected = {
        edge: p.value for edge, p in posterior.edges.items() if p.value > 0.05 and edge not in result.edges
    }
    variables = document["variables"]
    likely = {tuple(variables[i] for i in one["edge"]): one["probability"] for one in document["likely"]}
    assert likely == expected and ("smoke", "systol") in likely
    rows = document["sections"][0]["parts"][0]["rows"]
    assert len(rows) == len(result.edges) + len(likely)
    assert rows[5][:2] == ["smoke – systol", "0.3938"]
    assert "likely" not in explorer_document(result)


def test_the_report_in_a_browser(browser: Any, call: RunCommand, tmp_path: Path) -> None:
    done = call("learn", "heart", "--posterior", "--bootstrap", 5, "--report", "heart.html")
    assert done.returncode == 0, done.stderr
    assert "smoke–systol" in done.stdout and "0.3938" in done.stdout
    browser.get((tmp_path / "heart.html").as_uri())
    assert len(find(browser, "#sure svg.heatmap")) == 2
    assert len(find(browser, "#sure svg.heatmap rect")) == 30
    assert ask(browser, "document.querySelector('#sure rect title').textContent").startswith(
        "smoke – mental:"
    )
    assert "smoke – systol" in find(browser, "#sure table")[0].text


def test_a_network_of_other_data_is_refused() -> None:
    with pytest.raises(InputError, match="learned from other data"):
        cl.posterior("heart", best=cl.learn("heart", columns=["smoke", "phys"]))
    best = cl.learn("heart")
    assert cl.posterior("heart", best=best).best.cliques == best.cliques


def test_the_graph_of_a_posterior_has_its_probabilities() -> None:
    pytest.importorskip("matplotlib")
    found = cl.posterior("heart")
    texts = [text.get_text() for text in cl.plot(found).axes[0].texts]
    shown = [p.value for p in found.edges.values() if p.value > 0.05]
    assert sorted(text for text in texts if text[:1].isdigit()) == sorted(f"{p:.2f}" for p in shown)
