"""Several backends at once: the first proof ends the race, and nothing is left of the losers."""

from __future__ import annotations

import signal
import tempfile
import time
from pathlib import Path

import pytest

from chordlearn.backends.auto import choose
from chordlearn.backends.outcome import Limits, SilentObserver
from chordlearn.backends.portfolio import Portfolio
from chordlearn.data import read
from chordlearn.errors import BackendError
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import BDeu, compute_scores


@pytest.fixture(scope="module")
def econ() -> Problem:
    return make_problem(compute_scores(read("econ"), BDeu(1.0)))


@pytest.fixture
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_running(folder: Path) -> list[str]:
    """The processes that were given a directory inside the folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text())
            except OSError:
                continue
    return found


def assert_nothing_left(folder: Path) -> None:
    deadline = time.monotonic() + 60
    while left_running(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left_running(folder)
    assert not list(folder.iterdir())


def test_first_proof_wins(econ: Problem, own_temporary: Path) -> None:
    outcome = Portfolio().solve(econ, Limits(seconds=600), SilentObserver())
    assert outcome.status == "optimal"
    assert outcome.score == pytest.approx(-2695.956501, abs=1e-5)
    assert outcome.details["winner"] in outcome.details["members"]
    assert_nothing_left(own_temporary)


@pytest.mark.parametrize("grace", [3.0, 0.0], ids=["with a last word", "without"])
def test_ctrl_c_keeps_the_best_network(
    grace: float, econ: Problem, own_temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PressingCtrlC:
        """Once there is a bound, which is after the best network is found and long before it is proved."""

        pressed = False

        def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
            if bound is not None and not self.pressed:
                self.pressed = True
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("chordlearn.backends.portfolio.GRACE_SECONDS", grace)
    members = ["maxsat:rc2", "sat"]
    outcome = Portfolio().solve(econ, Limits(), PressingCtrlC(), members=members, encoding="paper")
    assert outcome.stopped_by == "interrupted"
    assert outcome.score == pytest.approx(-2695.956501, abs=1e-5)
    assert outcome.bound >= -2695.956502
    assert_nothing_left(own_temporary)


def test_a_member_that_cannot_run_does_not_stop_the_others(econ: Problem, own_temporary: Path) -> None:
    outcome = Portfolio().solve(econ, Limits(), SilentObserver(), members=["exhaustive", "native"])
    assert outcome.status == "optimal"
    assert outcome.details["winner"] == "native"


def test_when_all_fail_one_sentence_says_so(econ: Problem, own_temporary: Path) -> None:
    with pytest.raises(BackendError, match="at most 7 variables"):
        Portfolio().solve(econ, Limits(), SilentObserver(), members=["exhaustive"])
    assert_nothing_left(own_temporary)


def test_auto_chooses_by_encoding_and_memory(econ: Problem) -> None:
    assert choose(econ, Limits(), encoding=None) == "native"
    assert choose(econ, Limits(), encoding="paper") == "asp:clingo"
    assert choose(econ, Limits(memory_bytes=10), encoding=None) == "maxsat:rc2"
