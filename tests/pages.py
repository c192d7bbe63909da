"""Runs the code blocks of a page in their order, as a reader would.

A block of Python with prompts is a doctest; without, it is executed. A block of shell is run by bash in the
same folder, and a block of `text` right after it is what it prints, with `...` for what may differ. A block
that cannot run here has a comment `<!-- not run: why -->` on the line before it.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->\n\Z")
FORGIVING = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text and where it begins."""

    language: str
    code: str
    line: int


def blocks_to_run(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["code"], text.count("\n", 0, found.start()) + 1)
        for found in BLOCK.finditer(text)
        if not NOT_RUN.search(text[: found.start()])
    ]


def run_page(page: Path, folder: Path) -> None:
    """Run all blocks of the page in the folder, which must be the current one."""
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in blocks_to_run(page):
        where = f"{page.name}, line {block.line}"
        if block.language == "python":
            _run_python(block.code, names, where)
        elif block.language == "sh":
            printed = _run_shell(block.code, folder, where)
        elif block.language == "text" and printed:
            wanted = block.code
            assert doctest.OutputChecker().check_output(wanted, printed, FORGIVING), f"{where}: {printed}"
        if block.language != "sh":
            printed = ""


def _run_python(code: str, names: dict[str, Any], where: str) -> None:
    if not code.lstrip().startswith(">>>"):
        exec(compile(code, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, where, None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, f"{where}\n{''.join(said)}"


def _run_shell(code: str, folder: Path, where: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{where}: {done.stderr}{done.stdout}"
    return done.stdout
