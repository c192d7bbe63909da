"""Pictures of reports, and how smoothly the largest one zooms: `python reports.py DATA RESULTS`.

DATA is the folder of measuring data. What is not in the folder RESULTS is learned and kept there, which takes
some minutes.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver

import chordlearn as cl

HERE = Path(__file__).parent
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "heart": ("heart", {}),
    "voting": ("uci/voting.csv", {"missing": "category"}),
    "alarm": ("bn/alarm_1000.csv", {"time_limit": 60}),
    "plants": ("debd/plants/plants.train.csv", {"time_limit": 90}),
    "nips": ("debd/nips/nips.train.csv", {"time_limit": 150}),
}
SHOWN = {
    "heart": "explorer.setEvidence({phys: 'y'})",
    "voting": "explorer.select({variable: 'Class'})",
    "alarm": "explorer.setEvidence({HR: 'HIGH', CVP: 'LOW'})",
    "plants": "",
    "nips": "",
}
HEIGHTS = {1400: 940, 400: 900}
COLOURS = 128
ZOOM = """
const done = arguments[arguments.length - 1];
const stage = document.querySelector(".stage");
const {x, y, width, height} = stage.getBoundingClientRect();
const place = {clientX: x + width / 2, clientY: y + height / 2, bubbles: true, cancelable: true};
stage.focus();
let frames = -1, start;
requestAnimationFrame(function step(now) {
  start ??= now;
  frames++;
  const seconds = (now - start) / 1000;
  stage.dispatchEvent(new WheelEvent("wheel", {deltaY: -30 * Math.sin(2 * seconds), ...place}));
  if (seconds < 4) requestAnimationFrame(step); else done(frames / seconds);
});
"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


def learned(name: str, data: Path, results: Path) -> cl.Result:
    """The result that is kept, or a new one."""
    kept = results / f"{name}.json"
    if not kept.exists():
        source, options = TABLES[name]
        cl.learn(source if name == "heart" else data / source, **options).save(kept)
    return cl.Result.load(kept)


def settled(browser: Any) -> None:
    """When all is drawn."""
    browser.execute_async_script("setTimeout(() => requestAnimationFrame(arguments[0]), 300)")


def main(data: Path, results: Path) -> None:
    """Draw all, say how large the files are and how many frames a second zooming takes."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for name in TABLES:
            page = Path(folder) / f"{name}.html"
            learned(name, data, results).report(page)
            print(name, f"{page.stat().st_size / 1000:.0f} kB")
            for width, height in HEIGHTS.items():
                size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                for light in ("light", "dark"):
                    wish = [{"name": "prefers-color-scheme", "value": light}]
                    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wish})
                    browser.get(page.as_uri())
                    browser.execute_script(SHOWN[name])
                    settled(browser)
                    picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
                    target = HERE / f"report-{name}-{width}-{light}.png"
                    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.set_window_size(1400, 1000)
        browser.get(page.as_uri())
        settled(browser)
        for _ in range(3):
            print(name, f"{browser.execute_async_script(ZOOM):.0f} frames a second while zooming")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
