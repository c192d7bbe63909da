"""What several tests need: the command as a user starts it, and the folder of measuring data."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
RunCommand = Callable[..., subprocess.CompletedProcess[str]]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--window-size=1280,1000",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """For the campaign, which takes as long as one likes."""
    parser.addoption("--minutes", type=float, help="how long tests/campaign/test_campaign.py goes on")
    parser.addoption("--seed", type=int, default=0, help="of its problems")


def pytest_configure() -> None:
    """Ctrl-C reaches what tests start, also where a shell began all this in the background and ignores it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test comes first, so that no process waits for it at the end."""
    items.sort(key=lambda item: item.name != "test_clean[mypy]")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def measuring_data() -> Path:
    """The folder of data sets beside the checkout, which may not be distributed with it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of measuring data (../shared/data) is not here")
    return folder


@pytest.fixture(scope="session")
def command() -> str:
    """The installed `chordlearn`."""
    return str(Path(sysconfig.get_path("scripts")) / "chordlearn")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> RunCommand:
    """Run the command in this process, which saves the start of another one."""

    def here(*arguments: object) -> subprocess.CompletedProcess[str]:
        from chordlearn.cli.app import run

        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "100")
        words = [str(argument) for argument in arguments]
        code = run(words)
        written = capsysbinary.readouterr()
        return subprocess.CompletedProcess(words, code, written.out.decode(), written.err.decode())

    return here


@pytest.fixture
def run(command: str, tmp_path: Path) -> RunCommand:
    """Start `chordlearn` in an empty folder, with a terminal of 100 columns and no colours."""

    def start(*arguments: object, timeout: float = 300, **more: Any) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
        environment |= more.pop("env", {})
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.run(
            [command, *map(str, arguments)],
            text=True,
            timeout=timeout,
            cwd=tmp_path,
            env=environment,
            **options,
        )

    return start


@pytest.fixture
def without_highs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where HiGHS is not installed: wide searches have no bound, and need not wait for one."""
    monkeypatch.setitem(sys.modules, "highspy", None)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed (Debian: chromium, chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (the extra test)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    browser.set_page_load_timeout(300)
    yield browser
    browser.quit()


@pytest.fixture
def browser(driver: Any) -> Iterator[Any]:
    """The browser, in which nothing may complain or reach out while a test lasts."""
    driver.get("about:blank")
    driver.get_log("browser"), driver.get_log("performance")
    yield driver
    assert driver.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert asked and all(url.startswith(("file:", "data:")) for url in asked)
