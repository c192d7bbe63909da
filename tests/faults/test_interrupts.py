"""Ctrl-C at chosen moments: what was told is kept, and an outer block hears what an inner one leaves."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.backends.base.outcome import FINISHING
from chordlearn.cli import main
from chordlearn.system import signals as interrupts
from chordlearn.system.signals import Held, ignore_interrupts, own_handlers
from proof.proofs import copies

OPTIMUM = -6732.459258


class Pressing:
    """An observer that presses Ctrl-C when it hears of a network for the n-th time."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.scores: list[float] = []

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        if score is None or self.left == 0:
            return
        self.scores.append(score)
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("backend", ["native", "search", "exhaustive", "maxsat:rc2", "ilp:cuts"])
def test_a_network_that_was_told_is_not_lost(backend: str, number: int) -> None:
    pressing = Pressing(number)
    result = cl.learn("heart", backend=backend, observer=pressing)
    assert result.score >= max(pressing.scores)
    assert result.bound >= OPTIMUM - 1e-6
    assert (result.stopped_by == "interrupted") == (pressing.left == 0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_network_of_the_whole_is_not_lost_while_a_block_is_solved(number: int) -> None:
    class InABlock(Pressing):
        def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
            if detail.startswith("a block of"):
                super().progress(stage, score, bound, detail)

    pressing = InABlock(number)
    data = copies(0, variables=30)
    result = cl.learn(data, max_clique=3, backend="native", observer=pressing)
    assert result.stopped_by == "interrupted"
    assert result.score >= pressing.scores[-1]
    assert result.bound >= cl.learn(data, max_clique=3).score - 1e-6


def test_a_proof_is_not_lost_at_the_end() -> None:
    class AtTheEnd(Pressing):
        def progress(self, stage: str, score: float | None, *rest: Any) -> None:
            if stage == FINISHING:
                super().progress(stage, score, *rest)

    result = cl.learn("heart", observer=AtTheEnd(1))
    assert (result.status, result.stopped_by) == ("optimal", "interrupted")


def test_when_everything_is_done_it_is_an_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    presses = iter([signal.SIGINT])

    def pressed_before() -> None:
        for number in presses:
            signal.raise_signal(number)
        ignore_interrupts()

    monkeypatch.setattr("chordlearn.system.signals.ignore_interrupts", pressed_before)
    monkeypatch.setattr("chordlearn.cli.app.run", lambda arguments: 0)
    with own_handlers(), pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


@contextmanager
def pressed_at_line(number: int) -> Iterator[list[str]]:
    """Ctrl-C when the n-th line of the module is about to run; the list says whether it came to that."""
    reached: list[str] = []
    lines = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != interrupts.__file__:
            return None
        if event == "line":
            lines += 1
            if lines == number:
                reached.append(frame.f_code.co_name)
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield reached
    finally:
        sys.settrace(before)


def test_an_outer_block_hears_of_it_at_every_line_of_an_inner_one() -> None:
    for number in range(1, 1000):
        with Held() as outer:
            with pressed_at_line(number) as reached, Held():
                pass
            assert outer.answer() == bool(reached), f"line {number}"
        if not reached:
            break
    assert number > 10


def test_alone_it_is_raised_at_every_line() -> None:
    for number in range(1, 1000):
        reached: list[str] = []
        try:
            with pressed_at_line(number) as reached, Held():
                pass
        except KeyboardInterrupt:
            assert reached
        else:
            assert not reached, f"line {number} in {reached}"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, f"line {number} in {reached}"
        if not reached:
            break
    assert number > 10
