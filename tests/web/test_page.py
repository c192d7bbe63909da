"""The live page in a real browser, from a messy table to files that open again."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from axe.checking import violations
from chordlearn.report.outputs import kind_of
from report.browsing import ask, find, press
from web.serving import LIMIT, Served, served, until
from wide_tables import tangled

pytest.importorskip("starlette", reason="starlette is not installed (the extra web)")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (the extra web)")

NARROW = {"width": 400, "height": 850, "deviceScaleFactor": 1, "mobile": False}
FEW, MANY = 6, 28
RECORDER, INTRUDER = (Path(__file__).with_name(f"{name}.js") for name in ("record", "intruder"))
DROP = """
const dataTransfer = new DataTransfer();
dataTransfer.items.add(new File([arguments[1]], arguments[0], { type: "text/csv" }));
const zone = document.querySelector(".drop"), about = { dataTransfer, bubbles: true, cancelable: true };
for (const kind of ["dragenter", "dragover", "drop"]) zone.dispatchEvent(new DragEvent(kind, about));
"""


@pytest.fixture(scope="module")
def server(command: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(command, tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def page(driver: Any, server: Served, tmp_path: Path) -> Iterator[Any]:
    """The page at its start; nothing may complain, and no request may leave the machine."""
    driver.get("about:blank")
    driver.get_log("browser"), driver.get_log("performance")
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    driver.get(server.address)
    yield driver
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert driver.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    ours = (f"http://127.0.0.1:{server.port}/", "file:", "data:", "blob:")
    assert asked and all(url.startswith(ours) for url in asked)


def messy(path: Path, n: int) -> Path:
    """Identifiers, measurements, gaps and letters of all kinds, beside n columns that depend."""
    rng = np.random.default_rng(4)
    data = tangled(n, rows=200, seed=4)
    rows = np.repeat(data.codes, data.weights, axis=0)
    heads = ["patient id", "dose (mg)", "年齢", *data.variables]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        for i, row in enumerate(rows.tolist()):
            dose = f"{5 * row[0] + rng.normal(10, 1):.3f}"
            age = ["若い", "old", ""][int(rng.choice(3, p=[0.5, 0.4, 0.1]))]
            writer.writerow([f"P{i:05d}", dose, age, *row])
    return path


def awaits(browser: Any, condition: str) -> None:
    """Wait until an expression of JavaScript is true."""
    until(lambda: ask(browser, condition))


def give(browser: Any, path: Path) -> None:
    at_the_start(browser)
    browser.find_element("id", "file").send_keys(str(path))
    awaits(browser, "document.querySelector('.columns')")


def drop(browser: Any, path: Path) -> None:
    at_the_start(browser)
    browser.execute_script(DROP, path.name, path.read_text(encoding="utf-8"))
    awaits(browser, "document.querySelector('.columns')")


def at_the_start(browser: Any) -> None:
    awaits(browser, "document.querySelector('#file') && document.querySelectorAll('.pick').length")


def choose(browser: Any, selector: str, value: str | int) -> None:
    """As a person who picks from a list, or types and leaves the field."""
    browser.execute_script(
        "const field = document.querySelector(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('change', { bubbles: true }))",
        selector,
        str(value),
    )


def ended(browser: Any) -> None:
    """Wait until the job is over and its result is shown."""
    awaits(
        browser,
        "document.querySelector('#network.over') && window.explorer.view?.beliefs"
        " && location.hash === `#job=${document.querySelector('#network').dataset.shown}`",
    )


def current_job(browser: Any) -> int:
    return int(ask(browser, "location.hash").removeprefix("#job="))


def take(browser: Any, folder: Path, name: str) -> Path:
    """The file that a press on its button leaves in the folder."""
    before = set(folder.iterdir())

    def arrived() -> list[Path]:
        return [path for path in set(folder.iterdir()) - before if path.suffix != ".crdownload"]

    awaits(browser, f"document.querySelector('[data-file=\"{name}\"]:enabled')")
    press(browser, f'[data-file="{name}"]')
    until(arrived)
    return arrived()[0]


@pytest.mark.parametrize("width", [1280, 400])
def test_from_a_messy_table_to_an_answer(page: Any, tmp_path: Path, width: int) -> None:
    if width == 400:
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", NARROW)
    n = MANY if width > 400 else FEW
    is_for_everyone(page, thoroughly=n == FEW)
    give(page, messy(tmp_path / "messy table.csv", n))
    correct_columns(page)
    is_for_everyone(page, thoroughly=n == FEW)
    learn_and_watch(page, n)
    assert ask(page, "document.querySelector('.frame').clientWidth") > 0.6 * ask(page, "innerWidth")
    is_for_everyone(page)
    network = cl.load_network(take(page, tmp_path, "network.chord.json"))
    states = dict(zip(network.variables, network.states, strict=True))
    assert len(states["dose (mg)"]) == 2 and {"middle", "?"} < set(states["年齢"])
    given = ask_the_network(page, network)
    first = current_job(page)
    forbid_and_learn_again(page, network)
    assert ask(page, "explorer.evidence") == given, "evidence stays"
    choose(page, "#compare", first)
    awaits(page, "document.querySelector('#difference').innerText.includes('edges in both')")
    assert len(find(page, ".explorer")) == 2
    is_for_everyone(page, thoroughly=n == FEW)
    press(page, "#undo")
    awaits(page, "!document.querySelector('#difference').innerText")
    while current_job(page) != first:
        here = ask(page, "history.state.depth")
        press(page, "#undo")
        awaits(page, f"history.state.depth < {here}")


def is_for_everyone(page: Any, *, thoroughly: bool = True) -> None:
    """No sideways scrolling, and nothing that keeps people out, for which it takes some seconds to look."""
    assert ask(page, "document.documentElement.scrollWidth <= innerWidth")
    assert not thoroughly or violations(page) == []


def correct_columns(page: Any) -> None:
    def row_of(name: str) -> Any:
        return next(row for row in find(page, ".columns tbody tr") if name in row.text)

    def verdict(name: str) -> str:
        return str(row_of(name).find_element("css selector", ".verdict").text)

    assert verdict("patient id") == "row identifier: left out"
    assert "cut into 3 classes" in verdict("dose")
    assert ask(page, "document.querySelector('#missing').value") == "category"
    choose(page, 'select[data-column="dose (mg)"]', "width:2")
    awaits(page, "document.body.innerText.includes('cut into 2 classes')")
    choose(page, 'select[data-column="年齢"]', "declared")
    field = page.find_element("id", "declared")
    assert field.get_attribute("value").split() == ["old", "若い"]
    field.send_keys("\nmiddle")
    press(page, "dialog .primary")
    awaits(page, "document.body.innerText.includes('with the states declared')")


def learn_and_watch(page: Any, n: int) -> None:
    choose(page, "#choice-max_clique", 3)
    page.execute_script(RECORDER.read_text(encoding="utf-8"))
    press(page, "#learn")
    ended(page)
    assert "Optimal, proved" in find(page, "#status .status")[0].text
    seen = ask(page, "window.seen")
    assert seen[-1]["proved"] >= 1
    if n == MANY:
        live = [entry for entry in seen if "running" in entry["status"]]
        assert len({entry["curve"] for entry in live if "after" in entry["curve"]}) >= 2
        assert any(entry["edges"] for entry in live)
        assert any(entry["proved"] for entry in live)


def ask_the_network(page: Any, network: cl.FittedNetwork) -> dict[str, str]:
    page.execute_script("explorer.select({ variable: 'x1' })")
    place = network.variables.index("x1")
    press(page, f'.state[data-variable="{place}"][data-state="1"]')
    page.execute_script("explorer.setEvidence({ ...explorer.evidence, 年齢: '若い' })")
    given: dict[str, str] = ask(page, "explorer.evidence")
    assert given == {"x1": "1", "年齢": "若い"}
    wanted = network.marginals(given)
    for name, shares in ask(page, "explorer.beliefs").items():
        assert shares == pytest.approx(list(wanted[name].to_dict().values()), abs=1e-9)
    return given


def forbid_and_learn_again(page: Any, network: cl.FittedNetwork) -> None:
    a, b = next(edge for edge in network.edges if edge[0].startswith("x") and edge[1].startswith("x"))
    page.execute_script("explorer.select({ edge: [arguments[0], arguments[1]] })", a, b)
    press(page, '[data-action="why"]')
    awaits(page, "/Without this edge the score (loses|gains) [0-9.]+/.test(document.body.innerText)")
    press(page, '[data-action="forbid"]')
    awaits(page, "document.querySelector('.constraints')")
    first = current_job(page)
    press(page, "#again")
    awaits(page, f"location.hash !== '#job={first}'")
    ended(page)
    assert {a, b} not in [set(edge) for edge in shown_edges(page)]


def shown_edges(page: Any) -> list[list[str]]:
    edges: list[list[str]] = ask(
        page, "explorer.view.edges.map((ends) => ends.map((i) => explorer.view.names[i]))"
    )
    return edges


def test_a_long_job_is_stopped_and_goes_on(page: Any, tmp_path: Path) -> None:
    drop(page, messy(tmp_path / "long.csv", 60))
    press(page, "#learn")
    awaits(page, "document.querySelectorAll('#drawing .edge').length > 5")
    job = current_job(page)
    page.refresh()
    awaits(page, "document.querySelectorAll('#drawing .edge').length > 5")
    assert current_job(page) == job
    press(page, "#stop")
    ended(page)
    words = find(page, "#status .status")[0].text
    assert "stopped by the user" in words and "optimal, proved" not in words.lower()
    file = take(page, tmp_path, "result.json")
    stopped = cl.Result.load(file)
    assert stopped.status == "feasible" and stopped.edges
    assert cl.verify(file, tmp_path / "long.csv").ok
    file.unlink()
    press(page, "#resume")
    awaits(page, "document.querySelector('#stop') && !document.querySelector('#network.over')")
    press(page, "#stop")
    ended(page)
    assert cl.Result.load(take(page, tmp_path, "result.json")).score >= stopped.score - 1e-9


def test_everything_that_is_taken_away_opens_again(page: Any, tmp_path: Path) -> None:
    awaits(page, "document.querySelectorAll('.pick').length")
    find(page, ".pick")[[one.text.split("\n")[0] for one in find(page, ".pick")].index("heart")].click()
    awaits(page, "document.querySelector('.columns')")
    press(page, "#learn")
    ended(page)
    names = [one.get_attribute("data-file") for one in find(page, "[data-file]")]
    assert len(names) == 13
    files = {name: take(page, tmp_path, name) for name in names}
    learned = cl.learn("heart")
    assert cl.Result.load(files["result.json"]).score == learned.score
    network = cl.load_network(files["network.chord.json"])
    assert network.cliques == learned.cliques
    for name, path in files.items():
        if name in ("network.png", "network.svg", "network.pdf"):
            assert kind_of(path) == "picture", name
        elif name.startswith("network."):
            again = tmp_path / "again" / path.name
            again.parent.mkdir(exist_ok=True)
            if name != "network.chord.json":
                network.export(again)
                assert path.read_bytes() == again.read_bytes(), name
    page.get(files["report.html"].as_uri())
    shares = ask(page, "window.explorer.beliefs.smoke")
    assert shares == pytest.approx(list(network.marginal("smoke").to_dict().values()), abs=1e-9)


def test_how_sure_and_by_the_keyboard(page: Any) -> None:
    """All with keys: a bundled set, learning, and the probability of each edge."""
    awaits(page, "document.querySelectorAll('.pick').length")
    page.execute_script(
        "[...document.querySelectorAll('.pick')].find((one) => /heart/.test(one.innerText)).focus()"
    )
    page.switch_to.active_element.send_keys("\ue007")
    awaits(page, "document.querySelector('#learn')")
    page.find_element("id", "choice-max_clique").send_keys("\ue007")
    ended(page)
    page.execute_script("document.querySelector('#sure').focus()")
    page.switch_to.active_element.send_keys("\ue007")
    awaits(page, "explorer.view.weights[0].name === 'posterior probability'")
    found = cl.posterior("heart").edges
    for (a, b), share in zip(shown_edges(page), ask(page, "explorer.view.weights[0].values"), strict=True):
        assert share == pytest.approx((found.get((a, b)) or found[b, a]).value, abs=1e-9)


@pytest.fixture
def elsewhere() -> Iterator[Callable[[str], str]]:
    """The address of a page of another origin."""
    pages: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages[-1].encode())

        def log_message(self, *_: object) -> None:
            return

    other = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=other.serve_forever, daemon=True)
    thread.start()

    def make(text: str) -> str:
        pages.append(text)
        return f"http://127.0.0.1:{other.server_port}/"

    yield make
    other.shutdown()
    thread.join(LIMIT)
    other.server_close()


def test_a_page_of_another_origin_gets_nothing(
    driver: Any, server: Served, elsewhere: Callable[[str], str]
) -> None:
    inside = f"http://127.0.0.1:{server.port}/{server.token}/"
    before = server.state()
    driver.get(elsewhere(f"<!DOCTYPE html><title>other</title><iframe src='{inside}'></iframe>"))
    driver.set_script_timeout(LIMIT)
    got = driver.execute_async_script(
        INTRUDER.read_text(encoding="utf-8"),
        inside,
    )
    assert {value for value in got.values() if value not in ("nothing", "")} == set(), got
    assert server.state() == before
    driver.get("about:blank")
    driver.get_log("browser"), driver.get_log("performance")
