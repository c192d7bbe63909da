"""The report in a real browser: it shows, it reacts, it computes, and it asks nobody for anything."""

from __future__ import annotations

import base64
import csv
import io
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from axe.checking import violations
from chordlearn.report.html import report_html
from report.browsing import ask, find, open_report, press
from report.networks import HOSTILE, hostile_result, tree_result

ENTER, ESCAPE, DOWN, RIGHT, SHIFT = "\ue007", "\ue00c", "\ue015", "\ue014", "\ue008"


def test_everything_is_there(browser: Any, tmp_path: Path) -> None:
    result = cl.learn("heart")
    open_report(browser, tmp_path, result)
    assert browser.title == "heart – chordlearn"
    assert len(find(browser, ".stage .node")) == 6
    assert len(find(browser, ".stage .edge")) == 5
    assert len(find(browser, ".stage .area")) == 1
    assert len(find(browser, "#tree .clique")) == 4
    assert len(find(browser, "#tree .separator")) == 2
    assert len(find(browser, ".variables li")) == 6
    for section in ("explorer", "junction-tree", "edges", "proof", "data", "reproduce"):
        assert find(browser, f"#{section}")[0].is_displayed()
    assert "no chordal network scores more" in find(browser, ".status")[0].text


def test_selection(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    press(browser, '.node[data-variable="1"] .title')
    related = {node.get_attribute("data-variable") for node in find(browser, ".node.related")}
    assert related == {"1", "2"}
    press(browser, '#tree .clique[data-clique="0"]')
    assert len(find(browser, ".node.related")) == 3
    assert len(find(browser, ".area.selected")) == 1
    assert "Clique of 3" in find(browser, ".selection")[0].text
    press(browser, 'button.link[data-edge="0"]')
    assert "strength (nats)" in find(browser, ".selection")[0].text
    find(browser, ".stage")[0].send_keys(ESCAPE)
    assert find(browser, ".related") == []


def test_the_wheel_zooms_for_who_is_at_work_in_the_picture(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    wheel = """
        const where = {clientX: 300, clientY: 400, bubbles: true, cancelable: true};
        const event = new WheelEvent("wheel", {deltaY: -100, ...where});
        const before = explorer.drawing.camera.scale;
        document.querySelector(".stage").dispatchEvent(event);
        return [explorer.drawing.camera.scale > before, event.defaultPrevented];
    """
    assert browser.execute_script(wheel) == [False, False]
    browser.execute_script("document.querySelector('.stage').focus()")
    assert browser.execute_script(wheel) == [True, True]


def test_how_probable_edges_are(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    browser.execute_script("""
        const given = JSON.parse(document.getElementById("document").textContent);
        given.weights.unshift({name: "posterior probability", values: [1, 0.98, 0.5, 0.75, 0.6]});
        given.likely = [{edge: [3, 5], probability: 0.25}];
        explorer.update(given);
    """)
    painted(browser)
    written = ask(browser, "[...document.querySelectorAll('.shares text')].map((text) => text.textContent)")
    assert written == ["100.0 %", "98.0 %", "50.0 %", "75.0 %", "60.0 %"]
    assert ask(browser, "document.querySelector('.edge.likely title').textContent") == (
        "systol – family: 25.0 % over all networks"
    )
    widths = [float(edge.get_attribute("stroke-width")) for edge in find(browser, ".edge[data-edge]")]
    assert max(widths) == widths[0] and min(widths) == widths[2]
    browser.execute_script("""
        const meaning = document.querySelector(".tools select[aria-label]");
        meaning.value = "1";
        meaning.dispatchEvent(new Event("change"));
    """)
    assert find(browser, ".shares text") == []


def test_two_variables_without_an_edge(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    for pair, separator in [(["mental", "protein"], "phys"), (["systol", "smoke"], "protein")]:
        browser.execute_script("explorer.select({pair: arguments[0]})", pair)
        assert f"independent once {separator} is known" in find(browser, ".selection")[0].text
    browser.execute_script("explorer.select({pair: ['family', 'smoke']})")
    assert "the two are independent" in find(browser, ".selection")[0].text


def test_keyboard(browser: Any, tmp_path: Path) -> None:
    """From anywhere: slash, a name, Enter, and a state is under the finger."""
    result = cl.learn("heart")
    open_report(browser, tmp_path, result)
    find(browser, "body")[0].send_keys("/")
    browser.switch_to.active_element.send_keys("phy", ENTER)
    browser.switch_to.active_element.send_keys(DOWN)
    browser.switch_to.active_element.send_keys(" ")
    assert ask(browser, "explorer.evidence") == {"phys": "y"}
    expected = cl.fit(result).marginal("smoke", given={"phys": "y"})["y"]
    assert ask(browser, "explorer.beliefs.smoke[1]") == pytest.approx(expected, abs=1e-9)
    browser.switch_to.active_element.send_keys("\ue009", "z")
    assert ask(browser, "explorer.evidence") == {}
    find(browser, '.node[tabindex="0"]')[0].send_keys(RIGHT)
    assert ask(browser, "document.activeElement.closest('.node') !== null")
    browser.switch_to.active_element.send_keys(ENTER)
    assert len(find(browser, ".node.selected")) == 1


def test_pointing_shows_tables(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains

    open_report(browser, tmp_path, cl.learn("heart"))
    ActionChains(browser).move_to_element(find(browser, ".node .title")[0]).perform()
    tooltip = find(browser, ".tooltip")[0]
    assert tooltip.is_displayed() and "47.8 %" in tooltip.text


def test_one_number_for_one_thing(browser: Any, tmp_path: Path) -> None:
    """Stage, panel, what stands beside the pointer and what is saved agree under evidence."""
    from selenium.webdriver import ActionChains

    result = cl.learn("heart")
    open_report(browser, tmp_path, result)
    browser.execute_script("explorer.setEvidence({phys: 'y'})")
    smoke = cl.fit(result).marginal("smoke", given={"phys": "y"})["y"]
    text = f"{100 * smoke:.1f} %"
    assert find(browser, '.node[data-variable="0"] .share')[1].text == text
    assert text in find(browser, '.state[data-variable="0"][data-state="1"]')[0].text
    assert text in find(browser, '.variables li[data-variable="0"] .likely')[0].text
    ActionChains(browser).move_to_element(find(browser, '.node[data-variable="0"] .title')[0]).perform()
    assert text in find(browser, ".tooltip")[0].text
    assert text in find(browser, '.node[data-variable="0"]')[0].get_attribute("aria-label")
    saved = list(csv.DictReader(io.StringIO(ask(browser, "explorer.csvText()"))))
    shares = {(row["variable"], row["state"]): float(row["probability"]) for row in saved}
    assert shares["smoke", "y"] == pytest.approx(smoke, abs=1e-9) and shares["phys", "y"] == 1
    assert text in ask(browser, "explorer.svgText()")
    browser.execute_script("explorer.select({edge: ['smoke', 'phys']})")
    assert text in find(browser, ".selection")[0].text


@pytest.mark.parametrize("name", ["heart", "econ", "hostile", "sixty"])
def test_queries_give_the_numbers_of_python(name: str, browser: Any, tmp_path: Path) -> None:
    made = {"hostile": hostile_result, "sixty": lambda: tree_result(60)}
    result, data = made[name]() if name in made else (cl.learn(name), None)
    network = cl.fit(result, data)
    open_report(browser, tmp_path, result, data)
    chance = random.Random(7)
    for _ in range(8 if name == "sixty" else 25):
        known = chance.sample(range(len(network.variables)), chance.randrange(len(network.variables)))
        given = {network.variables[i]: chance.choice(network.states[i]) for i in known}
        browser.execute_script("explorer.setEvidence(arguments[0])", given)
        expected = [p for d in network.marginals(given).values() for p in d.probabilities.tolist()]
        shown = ask(browser, "Object.values(explorer.beliefs).flat()")
        assert shown == pytest.approx(expected, abs=1e-9)
        log_probability = ask(browser, "explorer.logProbability")
        assert math.isclose(log_probability, network.log_probability(given), abs_tol=1e-9)


def test_a_click_is_evidence_and_can_be_taken_back(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    press(browser, '.state[data-variable="2"][data-state="1"]')
    assert "phys = y" in find(browser, ".evidence")[0].text
    press(browser, '.node[data-variable="0"] [data-state="0"] .reach')
    assert ask(browser, "explorer.evidence") == {"phys": "y", "smoke": "n"}
    press(browser, ".undo")
    assert ask(browser, "explorer.evidence") == {"phys": "y"}
    press(browser, ".clear")
    assert "Nothing is set" in find(browser, ".evidence")[0].text


def test_the_next_network(browser: Any, tmp_path: Path) -> None:
    """Evidence, places and selection stay when the network changes."""
    open_report(browser, tmp_path, cl.learn("heart"))
    browser.execute_script("""
        const next = JSON.parse(document.getElementById("document").textContent);
        const {drawing} = explorer;
        explorer.setEvidence({smoke: "y"});
        explorer.select({variable: "protein"});
        drawing.putBack(new Map([["smoke", {x: 12, y: 34}]]), "smoke", {x: 12, y: 34});
        next.cliques = [[0, 1, 2], [3], [4], [5]];
        for (const key of ["edges", "weights", "losses", "tables", "forest"]) delete next[key];
        explorer.update(next);
        explorer.constraints = {forbid: [["smoke", "mental"]]};
    """)
    assert len(find(browser, ".stage .edge")) == 3 and len(find(browser, ".edge.forbidden")) == 1
    assert "Set, once tables are there: smoke = y" in find(browser, ".evidence")[0].text
    assert find(browser, ".node.selected")[0].get_attribute("data-variable") == "4"
    browser.execute_script("""
        const given = JSON.parse(document.getElementById("document").textContent);
        explorer.update(given, {reference: [["smoke", "mental"]]});
    """)
    assert ask(browser, "explorer.beliefs.smoke") == [0, 1]
    assert len(find(browser, ".edge.gained")) == 5 and len(find(browser, ".edge.lost")) == 1
    assert ask(browser, "explorer.drawing.held.get('smoke')") == {"x": 12, "y": 34}


def test_names_are_never_markup(browser: Any, tmp_path: Path) -> None:
    result, data = hostile_result()
    open_report(browser, tmp_path, result, data)
    assert find(browser, "img") == []
    shown = [ask(browser, "arguments[0].textContent", one) for one in find(browser, ".row > .name")]
    assert shown == HOSTILE


def test_dark_and_light(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    paper = "getComputedStyle(document.body).backgroundColor"
    before = ask(browser, paper)
    press(browser, "#theme")
    assert ask(browser, paper) != before


BOXES = """[...document.querySelectorAll(".stage .node > g > rect.box")]
    .map((box) => box.getBoundingClientRect())
    .map(({x, y, right, bottom}) => [x, y, right, bottom])"""


def at_width(browser: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.fixture
def sized(browser: Any) -> Iterator[Any]:
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def painted(browser: Any) -> None:
    """When what was asked for is drawn."""
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("name", ["hostile", "sixty"])
def test_labels_stand_apart_and_nothing_scrolls_sideways(
    name: str, width: int, sized: Any, tmp_path: Path
) -> None:
    at_width(sized, width)
    open_report(sized, tmp_path, *(hostile_result() if name == "hostile" else tree_result(60)))
    for act in ("explorer.fit()", "explorer.drawing.zoom(1.7)", "explorer.drawing.zoom(0.3)"):
        sized.execute_script(act)
        painted(sized)
        boxes = ask(sized, BOXES)
        assert len(boxes) > 2
        for i, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[:i]:
                assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
    assert ask(sized, "document.documentElement.scrollWidth") <= width
    at_width(sized, 1900 - width)
    painted(sized)
    assert ask(sized, "document.documentElement.scrollWidth") <= 1900 - width


def test_five_hundred_variables(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, *tree_result(500))
    names = "document.querySelectorAll('.node rect.box').length"
    shown = "document.querySelectorAll('.node:not(.hidden)').length"
    at_first = ask(browser, names)
    assert len(find(browser, ".stage .area")) == 0 and 5 < at_first < 400
    browser.execute_script("document.querySelector('#search').focus()")
    browser.switch_to.active_element.send_keys("variable_321", ENTER)
    painted(browser)
    assert ask(browser, "document.querySelector('.node.selected rect.box') !== null")
    assert "variable_321" in ask(browser, "document.activeElement.closest('li').textContent")
    browser.execute_script("""
        const [reach] = document.querySelectorAll(".tools select");
        reach.value = "1";
        reach.dispatchEvent(new Event("change"));
    """)
    painted(browser)
    near = ask(browser, "explorer.view.near[321].length")
    assert ask(browser, shown) == near + 1 == ask(browser, names)
    browser.execute_script("explorer.select(null)")
    browser.execute_script("""
        const slider = document.querySelector(".strongest");
        slider.value = 40;
        slider.dispatchEvent(new Event("input"));
    """)
    assert len(find(browser, ".stage .edge:not(.hidden)")) == 40
    assert "40 strongest of 499" in find(browser, ".tools output")[0].text


def test_dragging_is_kept_and_taken_back(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains

    open_report(browser, tmp_path, cl.learn("heart"))
    before = ask(browser, "explorer.drawing.points[0]")
    title = find(browser, '.node[data-variable="0"] .title')[0]
    ActionChains(browser).drag_and_drop_by_offset(title, 60, -40).perform()
    scale = ask(browser, "explorer.drawing.camera.scale")
    after = ask(browser, "explorer.drawing.points[0]")
    moved = [(after[axis] - before[axis]) * scale for axis in "xy"]
    assert moved == pytest.approx([60, -40], abs=1)
    browser.execute_script("explorer.fit()")
    again = "explorer.update(JSON.parse(document.getElementById('document').textContent))"
    browser.execute_script(again)
    assert ask(browser, "explorer.drawing.points[0]") == pytest.approx(after)
    press(browser, ".undo")
    assert ask(browser, "explorer.drawing.points[0]") == pytest.approx(before)


def test_it_prints_in_a_few_pages(browser: Any, tmp_path: Path) -> None:
    for result, data in (tree_result(60), tree_result(500)):
        open_report(browser, tmp_path, result, data)
        printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.7})
        pages = len(re.findall(rb"/Type\s*/Page[^s]", base64.b64decode(printed["data"])))
        assert 2 <= pages <= 8


def test_a_picture_that_stands_alone(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    browser.execute_script("explorer.setEvidence({phys: 'y'})")
    (tmp_path / "picture.svg").write_text(ask(browser, "explorer.svgText()"), encoding="utf-8")
    browser.get((tmp_path / "picture.svg").as_uri())
    assert ask(browser, "document.querySelectorAll('.node').length") == 6
    assert "58.2 %" in ask(browser, "document.documentElement.textContent")
    fill = "getComputedStyle(document.querySelector('.isolated rect.box')).fill"
    assert ask(browser, fill) == "rgb(255, 255, 255)"


def test_the_page_of_alarm_is_small(measuring_data: Path) -> None:
    alarm = cl.learn(measuring_data / "bn" / "alarm_1000.csv", max_clique=4, time_limit=3)
    assert len(report_html(alarm)) < 500_000


@pytest.mark.parametrize(("width", "light"), [(1400, "light"), (400, "dark")])
def test_everyone_can_use_it(width: int, light: str, sized: Any, tmp_path: Path) -> None:
    wish = [{"name": "prefers-color-scheme", "value": light}]
    sized.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})
    at_width(sized, width)
    for result, data in (hostile_result(), tree_result(60)):
        open_report(sized, tmp_path, result, data)
        for act in ("explorer.know(2, 1)", "explorer.choose({variable: 1})", "explorer.choose({edge: 0})"):
            sized.execute_script(act)
            painted(sized)
            assert violations(sized) == []
    sized.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
