"""The report in a real browser: it shows, it reacts, it computes, and it asks nobody for anything."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from report.browsing import find, open_report, press
from report.networks import HOSTILE, hostile_result, tree_result

CHOOSE = """
document.querySelector("#clear").click();
for (const [variable, state] of arguments[0])
  document.querySelector(`.state[data-variable="${variable}"][data-state="${state}"]`).click();
return [Number(document.querySelector("#given").dataset.logProbability),
        [...document.querySelectorAll(".state")].map((state) => Number(state.dataset.probability))];
"""


def test_everything_is_there(browser: Any, tmp_path: Path) -> None:
    result = cl.learn("heart")
    open_report(browser, tmp_path, result)
    assert browser.title == "heart – chordlearn"
    assert len(find(browser, "#graph .variable")) == 6
    assert len(find(browser, "#graph .edge")) == 5
    assert len(find(browser, "#graph .area")) == 1
    assert len(find(browser, "#tree .clique")) == 4
    assert len(find(browser, "#tree .separator")) == 2
    assert len(find(browser, ".card")) == 6
    for section in ("network", "query", "junction-tree", "edges", "proof", "data", "reproduce"):
        assert find(browser, f"#{section}")[0].is_displayed()
    assert "no chordal network scores more" in find(browser, ".status")[0].text


def test_selection(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    press(browser, '#graph .variable[data-variable="1"]')
    assert "mental" in find(browser, "#selection")[0].text and "phys" in find(browser, "#selection")[0].text
    related = {node.get_attribute("data-variable") for node in find(browser, "#graph .variable.related")}
    assert related == {"1", "2"}
    assert len(find(browser, "#tree .clique.related")) == 1
    press(browser, '#tree .clique[data-clique="0"]')
    assert len(find(browser, "#graph .variable.related")) == 3
    assert len(find(browser, "#graph .area.selected")) == 1
    press(browser, 'button.link[data-edge="0"]')
    assert "Strength" in find(browser, "#selection")[0].text
    browser.find_element("css selector", "body").send_keys("\ue00c")
    assert find(browser, ".related") == []


def test_keyboard(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    variable = browser.find_element("css selector", '#graph .variable[data-variable="5"]')
    browser.execute_script("arguments[0].focus()", variable)
    browser.switch_to.active_element.send_keys("\ue007")
    assert "Independent of all others" in find(browser, "#selection")[0].text
    state = browser.find_element("css selector", '.state[data-variable="0"][data-state="1"]')
    browser.execute_script("arguments[0].focus()", state)
    browser.switch_to.active_element.send_keys(" ")
    assert state.get_attribute("aria-pressed") == "true"


def test_pointing_shows_tables(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains

    open_report(browser, tmp_path, cl.learn("heart"))
    browser.execute_script("document.querySelector('#network').scrollIntoView()")
    ActionChains(browser).move_to_element(find(browser, "#graph .edge .reach")[0]).perform()
    tooltip = find(browser, "#tooltip")[0]
    assert tooltip.is_displayed() and "nats" in tooltip.text and "%" in tooltip.text


@pytest.mark.parametrize("name", ["heart", "econ", "hostile", "sixty"])
def test_queries_give_the_numbers_of_python(name: str, browser: Any, tmp_path: Path) -> None:
    made = {"hostile": hostile_result, "sixty": lambda: tree_result(60)}
    result, data = made[name]() if name in made else (cl.learn(name), None)
    network = cl.fit(result, data)
    open_report(browser, tmp_path, result, data)
    chance = random.Random(7)
    for _ in range(8 if name == "sixty" else 25):
        known = chance.sample(range(len(network.variables)), chance.randrange(len(network.variables)))
        chosen = [(i, chance.randrange(len(network.states[i]))) for i in known]
        given = {network.variables[i]: network.states[i][state] for i, state in chosen}
        log_probability, shown = browser.execute_script(CHOOSE, chosen)
        expected = [p for d in network.marginals(given).values() for p in d.probabilities.tolist()]
        assert shown == pytest.approx(expected, abs=1e-9)
        assert math.isclose(log_probability, network.log_probability(given), abs_tol=1e-9)


def test_a_click_is_evidence_and_can_be_taken_back(browser: Any, tmp_path: Path) -> None:
    result = cl.learn("heart")
    open_report(browser, tmp_path, result)
    press(browser, '.state[data-variable="2"][data-state="1"]')
    expected = cl.fit(result).marginal("smoke", given={"phys": "y"})["y"]
    answer = find(browser, '.state[data-variable="0"][data-state="1"]')[0]
    assert float(answer.get_attribute("data-probability")) == pytest.approx(expected, abs=1e-9)
    assert f"{100 * expected:.1f} %" in answer.text
    assert "phys = y" in find(browser, "#given")[0].text
    press(browser, "#clear")
    assert find(browser, "#given")[0].text == "No evidence set."


def test_names_are_never_markup(browser: Any, tmp_path: Path) -> None:
    result, data = hostile_result()
    open_report(browser, tmp_path, result, data)
    assert find(browser, "img") == []
    headings = [heading.text for heading in find(browser, ".card h3")]
    assert headings == [" ".join(name.split()) for name in HOSTILE]
    for i in range(len(HOSTILE)):
        press(browser, f'#graph .variable[data-variable="{i}"]')
        assert find(browser, "#selection h4")[0].text == " ".join(HOSTILE[i].split())


def test_dark_and_light(browser: Any, tmp_path: Path) -> None:
    open_report(browser, tmp_path, cl.learn("heart"))
    paper = "return getComputedStyle(document.body).backgroundColor"
    before = browser.execute_script(paper)
    press(browser, "#theme")
    assert browser.execute_script(paper) != before
