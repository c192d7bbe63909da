"""`chordlearn selftest` counts what agrees, and finds a solver that makes false claims."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chordlearn.backends.base.registry import _registered
from chordlearn.testing.agreement import Tally, compare_solvers, installed_backends
from endings import without_progress

LIAR = '''
from dataclasses import replace
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine.exhaustive import Exhaustive

class Liar(Exhaustive):
    """Claims that the second best network is optimal."""

    name = "liar"

    def solve(self, run):
        outcome = super().solve(Run(run.problem, run.limits, Options(top=2)))
        if not outcome.runners_up:
            return outcome
        cliques, score = outcome.runners_up[0]
        return replace(outcome, cliques=cliques, score=score, bound=score)

class Crashing(Exhaustive):
    """Raises what no backend should."""

    name = "crashing"

    def solve(self, run):
        raise ZeroDivisionError("division by zero")
'''


@pytest.fixture
def liars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of somebody else with two backends that are not to be trusted."""
    folder = tmp_path / "packages"
    metadata = folder / "liars-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "liars.py").write_text(LIAR)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: liars\nVersion: 1.0\n")
    points = "[chordlearn.backends]\nliar = liars:Liar\ncrashing = liars:Crashing\n"
    (metadata / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(folder))
    # Entry points are read once in a process.
    _registered.cache_clear()
    yield
    _registered.cache_clear()


@pytest.mark.slow
def test_all_installed_solvers_agree(call, tmp_path: Path) -> None:
    done = call("selftest", "--problem", "2", "--json", "counts.json")
    assert (done.returncode, without_progress(done.stderr)) == (0, "")
    assert "1 problem, " in done.stdout and "0 disagreements" in done.stdout
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts["problems"] == 1 and counts["disagreements"] == []
    assert set(counts["backends"]) == set(installed_backends()) > {"native", "asp:clingo", "maxsat:rc2"}
    assert counts["backends"]["native"] == {"proved": 1}
    assert counts["checks"] > 5 * len(counts["backends"])


def test_a_disagreement_ends_with_code_1_and_can_be_run_again(call, tmp_path: Path, liars: None) -> None:
    done = call("selftest", "--seed", "5", "--problem", "2", "--json", "counts.json")
    assert done.returncode == 1
    counts = json.loads((tmp_path / "counts.json").read_text())
    complaints = [found["complaint"] for found in counts["disagreements"]]
    assert any("liar" in complaint and "optimum" in complaint for complaint in complaints)
    assert "crashing: ZeroDivisionError: division by zero" in complaints
    assert f"the first, problem 2: {complaints[0]}" in " ".join(done.stdout.split())
    assert "to run it again: chordlearn selftest --seed 5 --problem 2" in done.stdout


def test_the_time_is_kept() -> None:
    tally = Tally()
    compare_solvers(tally, seconds=0.0)
    assert tally == Tally()


def test_ctrl_c_keeps_the_counts(command: str, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [command, "selftest", "--minutes", "5", "--json", "c.json"],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    # There is a folder while a solver runs.
    while process.poll() is None and not list(temporary.iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    shown, complained = process.communicate(timeout=300)
    assert process.returncode == 130, complained
    assert "Traceback" not in complained
    assert " runs, " in shown and "0 disagreements" in shown
    assert json.loads((tmp_path / "c.json").read_text())["disagreements"] == []
