"""A clock that is set forwards and backwards while a run goes: limits are kept, and nothing else changes."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from faults.problems import write_inputs
from faults.running import run

JUMP = 86400.0
"""Seconds of the shortest jump."""
JUMPS = f"""
import itertools, time
true_time, jumps = time.time, itertools.cycle([0.0, 1e9, -1e9, {JUMP}, -{JUMP}])
time.time = lambda: true_time() + next(jumps)
"""


def jumping(folder: Path) -> dict[str, str]:
    """An environment in which every Python that starts has a clock that jumps at each look."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(JUMPS)
    return {"PYTHONPATH": str(folder / "site")}


def test_a_time_limit_is_kept(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    arguments = (
        "hard.score",
        "--threads",
        "1",
        "--time-limit",
        "1.5",
        "--json",
        "r.json",
        "--trace",
        "t.jsonl",
    )
    ended = run(tmp_path, "learn", *arguments, environment=jumping(tmp_path))
    assert ended.code == 0, ended
    result = json.loads((tmp_path / "r.json").read_text())
    assert (result["status"], result["stopped_by"]) == ("feasible", "time limit")
    assert all(0 <= seconds < JUMP / 10 for seconds in result["seconds"].values())
    times = [json.loads(line)["t"] for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert times == sorted(times)
    assert 0 <= times[0] <= times[-1] < JUMP / 10


def test_solvers_and_checkpoints_do_not_mind(tmp_path: Path) -> None:
    environment = jumping(tmp_path)
    for backend in ("maxsat:rc2", "search"):
        arguments = ("econ", "--backend", backend, "--time-limit", "250", "--checkpoint", "c.json")
        ended = run(tmp_path, "learn", *arguments, "--json", "r.json", environment=environment)
        assert ended.code == 0, ended
        assert json.loads((tmp_path / "r.json").read_text())["status"] in ("optimal", "feasible")
        assert 0 <= json.loads((tmp_path / "c.json").read_text())["seconds"] < JUMP / 10


def test_nothing_asks_the_clock_on_the_wall(root: Path) -> None:
    for path in sorted((root / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in {("time", "time"), ("datetime", "now")}, path
    for path in sorted((root / "cpp").rglob("*.[ch]pp")):
        assert not re.search(r"system_clock|high_resolution_clock|\btime\(", path.read_text()), path
