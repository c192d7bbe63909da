"""The campaign from beginning to end, as a command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chordlearn.data import Dataset
from chordlearn.errors import InputError
from chordlearn.scores import ScoreTable
from chordlearn.selftest import run_campaign, run_crew
from chordlearn.selftest.crew import _Member
from chordlearn.selftest.documents import load_disagreement, save_disagreement
from chordlearn.selftest.examining import examine
from chordlearn.selftest.settings import Setting
from chordlearn.selftest.trials import make_trial


def first_with(kind: type) -> int:
    return next(k for k in range(50) if isinstance(make_trial(0, k).source, kind) and make_trial(0, k).n < 7)


def test_a_short_campaign_agrees() -> None:
    tally, whole = run_campaign(seconds=600, seed=31, most=2)
    assert whole
    assert tally.noted == []
    assert tally.problems == 2 and tally.comparisons > 100
    assert tally.as_json()["backends"]["native"]["proved"] >= 1


@pytest.mark.parametrize("kind", [ScoreTable, Dataset])
def test_a_disagreement_can_be_run_again(call, tmp_path: Path, kind: type) -> None:
    trial = make_trial(0, first_with(kind))
    settings = [Setting("native"), Setting("search")]
    save_disagreement(tmp_path / "d.json", trial, settings, ["something"])
    again, settings_again = load_disagreement(tmp_path / "d.json")
    assert settings_again == settings
    assert (again.what, again.constraints, again.function) == (trial.what, trial.constraints, trial.function)
    for field in ("values",) if kind is ScoreTable else ("codes", "weights"):
        assert np.array_equal(getattr(again.source, field), getattr(trial.source, field))
    for field in ("max_size",) if kind is ScoreTable else ("states",):
        assert getattr(again.source, field) == getattr(trial.source, field)
    assert examine(again, settings).comparisons == examine(trial, settings).comparisons
    done = call("selftest", "--replay", "d.json")
    assert done.returncode == 0
    assert "1 problems, 2 backends, 2 runs" in done.stdout and "0 disagreements" in done.stdout


def test_a_disagreement_ends_with_code_1(call, tmp_path: Path) -> None:
    # A backend that does not exist fails, and a failure is a disagreement.
    trial = make_trial(0, first_with(ScoreTable))
    save_disagreement(tmp_path / "d.json", trial, [Setting("native"), Setting("nonsense")], [])
    done = call("selftest", "--replay", "d.json", "--json", "counts.json")
    assert done.returncode == 1
    assert "nonsense: failed" in done.stdout and "1 disagreements" in done.stdout
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts["disagreements"] == 1 and counts["noted"][0]["problem"] == trial.number


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d | {"schema": "other"},
        lambda d: {k: v for k, v in d.items() if k != "source"},
        lambda d: d | {"source": {**d["source"], "scores": d["source"]["scores"][1:]}},
        lambda d: d | {"settings": [{"backend": "native", "nonsense": 1}]},
        lambda d: d | {"constraints": None},
        lambda d: [],
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, spoil) -> None:
    path = tmp_path / "d.json"
    save_disagreement(path, make_trial(0, first_with(ScoreTable)), [Setting("native")], [])
    path.write_text(json.dumps(spoil(json.loads(path.read_text()))))
    with pytest.raises(InputError, match="whole problem"):
        load_disagreement(path)


def test_files_that_are_no_json(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        load_disagreement(tmp_path / "d.json")
    with pytest.raises(InputError, match="cannot be read"):
        load_disagreement(tmp_path / "nothing.json")


def test_constraints_that_contradict_each_other_are_noticed_by_all() -> None:
    trial = make_trial(0, first_with(Dataset))
    names = trial.source.variables
    impossible = replace(trial.constraints, max_clique=1, required=((names[0], names[1]),), forbidden=())
    finding = examine(replace(trial, constraints=impossible), [Setting("native"), Setting("search")])
    assert finding.complaints == ()
    assert all(one.contradiction for one in finding.attempts)


def test_one_problem(call) -> None:
    done = call("selftest", "--problem", first_with(ScoreTable))
    assert done.returncode == 0
    assert "1 problems" in done.stdout


def test_two_processes_and_ctrl_c(command: str, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [command, "selftest", "--minutes", "5", "--jobs", "2", "--json", "c.json"],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    # Each of the two has a folder, in which there is something while it runs a solver.
    at_work: set[str] = set()
    while process.poll() is None and at_work != {"0", "1"}:
        with suppress(OSError):
            at_work |= {path.parent.name for path in temporary.glob("*/[01]/*")}
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    shown, told = process.communicate(timeout=300)
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert " problems, " in shown and "0 disagreements" in shown
    assert json.loads((tmp_path / "c.json").read_text())["disagreements"] == 0


@pytest.mark.parametrize("step", ["start", "is_alive"])
def test_ctrl_c_whenever_it_comes_keeps_the_counts(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    presses = iter([signal.SIGINT])
    done = getattr(threading.Thread, step)

    def pressed_before(member: _Member) -> object:
        for number in presses:
            signal.raise_signal(number)
        return done(member)

    monkeypatch.setattr(_Member, step, pressed_before)
    tally, whole = run_crew(seconds=600, seed=31, jobs=1)
    assert (tally.disagreements, whole) == (0, False)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
