"""Hostile names in a real browser: no script of theirs runs, whatever is clicked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.report.pictures import draw_graph, save_picture
from report.browsing import find, open_report
from safety.hostile import NAMES, columns, made_network

TRAP = "window.stolen = false; window.steal = () => { window.stolen = true; };"


@pytest.fixture
def trap(browser: Any) -> Iterator[Any]:
    """A browser in which the function that hostile names call is there, and notes that it was called."""
    trap = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TRAP})
    yield browser
    assert browser.execute_script("return window.stolen") is False
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", trap)


def test_the_trap_works(browser: Any) -> None:
    browser.get("data:text/html,<script>" + TRAP + "</script><svg onload=steal()></svg>")
    assert browser.execute_script("return window.stolen") is True


def test_report(trap: Any, tmp_path: Path) -> None:
    data = cl.read(columns())
    open_report(trap, tmp_path, cl.learn(data, max_clique=2), data)
    assert len(find(trap, ".variables li")) == len(NAMES)
    assert find(trap, "img, iframe, object, embed, [onload], [onerror], a[href^=javascript]") == []
    # Whatever can be clicked is, and what that shows is made of names too.
    trap.execute_script(
        "for (const one of document.querySelectorAll('.node, .edge, .clique, .state, button:not(.menu *)'))"
        " { for (const kind of ['pointermove', 'pointerdown', 'pointerup', 'click'])"
        " one.dispatchEvent(new PointerEvent(kind, {bubbles: true})); }"
    )
    assert find(trap, "img, iframe, object, embed, [onload], [onerror], a[href^=javascript]") == []


def test_pictures_and_notebooks(trap: Any, tmp_path: Path) -> None:
    network = made_network()
    save_picture(draw_graph(network.structure), tmp_path / "picture.svg")
    (tmp_path / "own.svg").write_text(network.structure.svg(), encoding="utf-8")
    result = cl.learn(cl.read(columns()), max_clique=2)
    for name, text in (("network", network._repr_html_()), ("result", result._repr_html_())):
        page = f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,><title>x</title>{text}"
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
    for name in ("picture.svg", "own.svg", "network.html", "result.html"):
        trap.get((tmp_path / name).as_uri())
        assert trap.execute_script("return document.documentElement !== null && window.stolen") is False
        assert (
            trap.execute_script(
                "return document.querySelectorAll('img:not([alt]), parsererror, [onload]').length"
            )
            == 0
        )
