"""What tests do with a browser; the fixture is in conftest.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chordlearn as cl
from chordlearn.report.html import write_report


def find(browser: Any, selector: str) -> list[Any]:
    return list(browser.find_elements("css selector", selector))


def press(browser: Any, selector: str) -> None:
    """Click where the element is, as a mouse does."""
    element = browser.find_element("css selector", selector)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def ask(browser: Any, question: str, *arguments: Any) -> Any:
    """What an expression of JavaScript gives."""
    return browser.execute_script(f"return {question}", *arguments)


def open_report(browser: Any, folder: Path, result: cl.Result, data: Any = None) -> None:
    path = folder / "report.html"
    write_report(result, path, data)
    browser.get(path.as_uri())
