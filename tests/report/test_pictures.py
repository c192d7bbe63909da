"""Pictures: nothing overlaps, any name can be drawn, and the same network gives the same file."""

from __future__ import annotations

import json
import random
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chordlearn as cl
from chordlearn.analysis import edge_strengths
from chordlearn.analysis.edge_strength import edge_information, removal_losses
from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.scenes import (
    LONGEST_LINE,
    Box,
    broken,
    cells,
    filling,
    graph_scene,
    shortened,
    tree_scene,
)
from chordlearn.network.tree_layout import place_forest
from chordlearn.report.pictures import (
    draw_graph,
    draw_heatmap,
    draw_junction_tree,
    draw_trace,
    read_trace,
    save_picture,
)
from chordlearn.report.pictures.plotting import read_edge_numbers
from report.networks import HOSTILE, random_tree, tree_result

pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra plot)")

NETWORKS = {
    "one": ChordalNetwork.from_cliques("a", ["a"]),
    "no edges": ChordalNetwork.from_cliques("abcde", list("abcde")),
    "five": ChordalNetwork.from_cliques("abcde", ["abc", "bcd", "e"]),
    "hostile": ChordalNetwork.from_cliques(HOSTILE, [HOSTILE[:3], HOSTILE[2:4], HOSTILE[4:]]),
    "sixty": random_tree(60),
}


def overlap(one: Box, other: Box) -> bool:
    across = (one.width + other.width) / 2 - abs(one.x - other.x)
    down = (one.height + other.height) / 2 - abs(one.y - other.y)
    return across > 0 and down > 0


@pytest.mark.parametrize("name", NETWORKS)
def test_boxes_stand_apart_and_inside(name: str) -> None:
    network = NETWORKS[name]
    graph, tree = graph_scene(network), tree_scene(network)
    counts = len(network.variables), len(network.cliques) + len(network.junction_tree)
    for scene, count in zip((graph, tree), counts, strict=True):
        boxes = [shape.box for shape in scene.shapes if shape.box is not None]
        assert len(boxes) == count
        assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
        width, height = scene.size
        assert all(0 <= x <= width and 0 <= y <= height for box in boxes for x, y in box.corners)


@given(st.randoms(use_true_random=False), st.integers(1, 25))
@settings(deadline=None, max_examples=40)
def test_forests_have_room_for_everything(chance: random.Random, n: int) -> None:
    links = [(chance.randrange(i), i) for i in range(1, n) if chance.random() < 0.85]
    boxes = [(chance.uniform(10, 200), chance.uniform(10, 80)) for _ in range(n)]
    middles = [(chance.uniform(10, 200), chance.uniform(10, 80)) for _ in links]
    placed = place_forest(boxes, links, middles)
    there = [
        Box(*point, *size, ())
        for point, size in zip((*placed.nodes, *placed.middles), (*boxes, *middles), strict=True)
    ]
    assert not any(overlap(one, other) for one, other in combinations(there, 2))
    width, height = placed.size
    assert all(0 <= x <= width and 0 <= y <= height for box in there for x, y in box.corners)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, call) -> None:
    assert call("learn", "heart", "--json", "r.json", "--report", "r.html").returncode == 0
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for kind in ("graph", "junction-tree", "heatmap"):
        done = call("plot", "r.json", "--kind", kind, "-o", "a.png")
        assert done.returncode == 2 and "chordlearn[plot]" in done.stderr
    assert call("learn", "heart", "--report", "r.html").returncode == 0


def test_areas_cover_their_cliques() -> None:
    scene = graph_scene(NETWORKS["five"])
    areas = scene.of_kind("area")
    assert sorted(area.number for area in areas) == [0, 1]
    assert len({area.colour for area in areas}) == 2
    for area in areas:
        assert area.names == NETWORKS["five"].cliques[area.number]
        left, right = min(x for x, _ in area.points), max(x for x, _ in area.points)
        for name in area.names:
            box = scene.of_kind("variable")["abcde".index(name)].box
            assert box is not None and left < box.x - box.width / 2 and box.x + box.width / 2 < right


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("name", ["five", "hostile"])
def test_every_kind_in_every_format(name: str, suffix: str, tmp_path: Path) -> None:
    network = NETWORKS[name]
    strengths = {edge: i / 10 for i, edge in enumerate(network.edges)}
    figures = {
        "graph": draw_graph(network, strengths),
        "plain": draw_graph(network),
        "tree": draw_junction_tree(network),
        "heatmap": draw_heatmap(network.variables, strengths, "strength"),
    }
    for kind, figure in figures.items():
        path = tmp_path / f"{kind}{suffix}"
        save_picture(figure, path)
        assert path.stat().st_size > 1000


def test_sixty_variables(tmp_path: Path) -> None:
    network = NETWORKS["sixty"]
    for number, figure in enumerate(
        [draw_graph(network), draw_junction_tree(network), draw_heatmap(network.variables, {}, "nothing")]
    ):
        save_picture(figure, tmp_path / f"{number}.svg")
    texts = [text.get_text() for text in draw_graph(network).axes[0].texts]
    assert sorted(texts) == sorted(network.variables)


def test_the_same_network_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        save_picture(draw_graph(NETWORKS["five"]), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_labels_fit() -> None:
    for name in HOSTILE:
        assert all(cells(line) <= LONGEST_LINE for line in broken(name))
        assert cells(shortened(name, 12)) <= 12


def test_strengths_are_those_of_the_edges_command() -> None:
    econ, data = cl.fit(cl.learn("econ")), cl.read("econ")
    losses = removal_losses(econ, data, cl.BDeu())
    information = edge_information(econ)
    for found in edge_strengths(econ, data, score=cl.BDeu()):
        assert found.conditional_mutual_information == pytest.approx(information[found.edge], abs=1e-12)
        assert losses[found.edge] == (found.loss if found.by == "removal" else None)


def test_bootstrap_frequencies(call, tmp_path: Path) -> None:
    assert call("bootstrap", "heart", "--samples", "4", "--json", "b.json").returncode == 0
    assert call("plot", "b.json", "--kind", "heatmap", "-o", "b.svg").returncode == 0
    found = read_edge_numbers(tmp_path / "b.json", "bootstrap")
    assert found.variables == cl.learn("heart").variables
    assert found.strengths is not None and found.strengths["mental", "phys"] == 1.0
    (tmp_path / "b.json").write_text((tmp_path / "b.json").read_text().replace('"frequency"', '"f"'))
    assert "damaged" in call("plot", "b.json", "--kind", "heatmap", "-o", "b.svg").stderr


def test_a_posterior(call, tmp_path: Path) -> None:
    assert call("posterior", "heart", "--json", "p.json").returncode == 0
    for kind in ("graph", "heatmap"):
        assert call("plot", "p.json", "--kind", kind, "-o", f"{kind}.svg").returncode == 0
    found = cl.posterior("heart")
    dashed = [p for p in cl.plot(found).axes[0].patches if p.get_linestyle() not in ("solid", "-")]
    lacking = [e for e, p in found.edges.items() if p.value > 0.05 and e not in set(found.best.edges)]
    # And the frame of a variable that stands alone.
    assert len(dashed) == len(lacking) + 1 == 5
    assert len(cl.plot(found, "heatmap").axes) == len(cl.plot(tmp_path / "p.json", "heatmap").axes)
    with pytest.raises(InputError, match="no picture 'junction-tree'"):
        cl.plot(found, "junction-tree")
    (tmp_path / "p.json").write_text((tmp_path / "p.json").read_text().replace('"probability"', '"p"'))
    assert "damaged" in call("plot", "p.json", "-o", "p.svg").stderr


def test_trace(tmp_path: Path) -> None:
    lines = [
        {"t": 0.0, "stage": "reading", "score": None, "bound": None},
        {"t": 0.5, "stage": "searching", "score": -9.5, "bound": None},
        {"t": 1.0, "stage": "solving", "score": -9.0, "bound": -7.0},
        {"t": 2.0, "stage": "solving", "score": -8.0, "bound": -8.0},
    ]
    path = tmp_path / "trace.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"t": 2.1, "sta')
    events = read_trace(path)
    assert [event.t for event in events] == [0.0, 0.5, 1.0, 2.0]
    score, bound = draw_trace(events).axes[0].lines
    assert np.asarray(score.get_ydata())[-1] == np.asarray(bound.get_ydata())[-1] == -8.0
    with pytest.raises(InputError, match="neither a score nor a bound"):
        draw_trace(events[:1])
    path.write_text("not json\n" + path.read_text())
    with pytest.raises(InputError, match="Line 1 "):
        read_trace(path)


def test_plot_command(call, tmp_path: Path) -> None:
    assert call("learn", "heart", "--json", "r.json", "--trace", "t.jsonl").returncode == 0
    for kind in ("graph", "junction-tree", "heatmap"):
        assert call("plot", "r.json", "--kind", kind, "-o", f"{kind}.svg").returncode == 0
        assert "<svg" in (tmp_path / f"{kind}.svg").read_text()
    assert call("plot", "t.jsonl", "-o", "t.png").returncode == 0
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    cl.fit(cl.Result.load(tmp_path / "r.json")).save(tmp_path / "heart.chord.json")
    assert call("plot", "heart.chord.json", "-o", "n.pdf").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("r.json", "-o", "a.gif"), ".png, .svg or .pdf"),
        (("absent.json", "-o", "a.png"), "cannot be read"),
        (("absent.jsonl", "-o", "a.png"), "cannot be read"),
        (("r.json", "-o", "no/such/folder/a.png"), "cannot be written"),
        (("r.json", "--kind", "pie", "-o", "a.png"), "pie"),
    ],
)
def test_plot_refusals(arguments: tuple[str, ...], words: str, call) -> None:
    done = call("plot", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_result_whose_data_are_gone_is_still_drawn(call, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,b\n" + "x,y\nz,w\n" * 20)
    assert call("learn", tmp_path / "d.csv", "--json", "r.json").returncode == 0
    (tmp_path / "d.csv").unlink()
    assert call("plot", "r.json", "-o", "g.svg").returncode == 0
    done = call("plot", "r.json", "--kind", "heatmap", "-o", "h.svg")
    assert done.returncode == 2 and "DATA" in done.stderr


def test_options_for_papers(tmp_path: Path) -> None:
    result = cl.learn("heart")
    plain = result.plot()
    column = result.plot(size=(3.3, 2.4), font_size=8)
    assert column.get_size_inches().tolist() == pytest.approx([3.3, 2.4])
    assert [text.get_fontsize() for text in column.axes[0].texts] == pytest.approx([8.0] * 6)
    for kind in ("junction-tree", "heatmap"):
        width, height = result.plot(kind, size=(3.3, 2.4)).get_size_inches()
        assert width <= 3.3 + 1e-9 and height <= 2.4 + 1e-9 and (width > 3.29 or height > 2.39)
    edges = [patch for patch in plain.axes[0].patches if type(patch).__name__ == "PathPatch"]
    strong = [
        patch for patch in result.plot(threshold=0.1).axes[0].patches if type(patch).__name__ == "PathPatch"
    ]
    assert (len(edges), len(strong)) == (5, 1)
    shown = result.plot(colours="Blues", cliques=False).axes[0].patches
    assert len({patch.get_edgecolor() for patch in shown if type(patch).__name__ == "PathPatch"}) > 2
    assert len(plain.axes[0].patches) - len(shown) == 1
    for wrong in ({"size": (0, 1)}, {"font_size": float("nan")}, {"colours": "nothing"}):
        with pytest.raises(cl.errors.InputError):
            cl.plot(result, **wrong)
    with pytest.raises(cl.errors.InputError, match="needs the strengths"):
        cl.plot(result.network, threshold=0.1)


def test_options_of_the_command(call, tmp_path: Path) -> None:
    assert call("learn", "heart", "--json", "r.json").returncode == 0
    options = ("--size", 3.3, 2.4, "--font-size", 8, "--threshold", 0.004, "--colours", "Blues")
    assert call("plot", "r.json", "-o", "r.svg", *options).returncode == 0
    assert 'width="237.6pt" height="172.8pt"' in (tmp_path / "r.svg").read_text()
    refused = call("plot", "r.json", "-o", "s.svg", "--colours", "nothing")
    assert refused.returncode == 2 and "no colormap 'nothing'" in refused.stderr


def test_the_strongest_edge_is_the_darkest_cell() -> None:
    image = cl.plot(cl.learn("heart"), "heatmap").axes[0].images[0]
    shades = [sum(image.cmap(share)[:3]) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert shades == sorted(shades, reverse=True) and shades[0] > 2.8


def test_boxes_stand_apart_on_a_given_sheet() -> None:
    result, _ = tree_result(30)
    scene = filling(graph_scene(result.network), (900.0, 700.0))
    boxes = [shape.box for shape in scene.of_kind("variable") if shape.box]
    for i, one in enumerate(boxes):
        assert one.x - one.width / 2 > 0 and one.x + one.width / 2 < 900
        for other in boxes[:i]:
            apart = abs(one.x - other.x) - (one.width + other.width) / 2
            assert max(apart, abs(one.y - other.y) - (one.height + other.height) / 2) > 0
