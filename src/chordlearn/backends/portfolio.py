"""Several backends at once, each in a process of its own; the first proof stops them all.

A proof may be a joint one: the best network of one backend and the bound of another.
"""

from __future__ import annotations

import json
import math
import queue
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chordlearn.backends.job import Job
from chordlearn.backends.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome, Scaling
from chordlearn.backends.programs import Ended, own_directory, python_command, run_program
from chordlearn.backends.registry import Availability, load_backend
from chordlearn.backends.standing import INFEASIBLE, PROOF, Standing
from chordlearn.errors import BackendError
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.interrupts import Held
from chordlearn.problem.problem import Problem
from chordlearn.watching import INTERRUPTED, TIME_LIMIT

MEMBERS = ("native", "maxsat:rc2", "asp:clingo", "maxsat:uwrmaxsat", "cp:cp-sat")
"""In the order in which they get a place."""
FEWEST = 2
GRACE_SECONDS = 0.7
"""How long members may take for their last words; they speak of each network that they find."""
_POLL_SECONDS = 0.05


class Portfolio:
    """The best of several backends."""

    name = "portfolio"
    summary = "several backends in parallel processes, stopped by the first proof"
    exact = True

    def probe(self) -> Availability:
        """At least native is always there."""
        return Availability(True, version("chordlearn"))

    def solve(
        self,
        problem: Problem,
        limits: Limits,
        observer: Observer,
        *,
        members: Sequence[str] | None = None,
        **options: Any,
    ) -> Outcome:
        """Run as many members as there are threads, two at least."""
        chosen = list(members) if members is not None else _available(max(FEWEST, limits.threads))
        standing = Standing(self.name, problem, limits, observer)
        with own_directory() as directory:
            return _Race(standing, chosen, options, directory).outcome()


def _available(count: int) -> list[str]:
    return [name for name in MEMBERS if load_backend(name).probe().available][:count]


@dataclass
class _Runner:
    """One member's process, watched by a thread."""

    name: str
    thread: threading.Thread | None = None
    network: Sequence[int] | None = None
    """The cliques of the best network that it has spoken of so far."""
    outcome: Mapping[str, Any] | None = None
    failure: str | None = None


@dataclass
class _Race:
    standing: Standing
    names: Sequence[str]
    options: Mapping[str, Any]
    directory: Path
    events: queue.Queue[tuple[_Runner, Mapping[str, Any]]] = field(default_factory=queue.Queue)
    stop: threading.Event = field(default_factory=threading.Event)

    def outcome(self) -> Outcome:
        """Start all, take in what they say, stop all, and put together what they found."""
        standing = self.standing
        Job(standing.problem, replace(standing.limits, threads=1), self.options).write(self.directory)
        runners = [_Runner(name) for name in self.names]
        with Held() as interrupts:
            try:
                for runner in runners:
                    runner.thread = threading.Thread(target=self._run, args=(runner,), daemon=True)
                    runner.thread.start()
                stopped_by = self._watch(runners, interrupts)
            finally:
                self.stop.set()
                self._join(runners)
        self._take_all()
        self._take_unfinished(runners)
        winner = next((runner.name for runner in runners if _proved(runner)), None)
        details: dict[str, Any] = {"members": list(self.names)} | ({"winner": winner} if winner else {})
        failures = {runner.name: runner.failure for runner in runners if runner.failure}
        if failures:
            details["failures"] = failures
        return self._joint(runners, stopped_by, details)

    def _watch(self, runners: list[_Runner], interrupts: Held) -> str:
        """Why the race is over."""
        standing = self.standing
        while True:
            try:
                self._take(timeout=_POLL_SECONDS)
                if interrupts.answer():
                    return INTERRUPTED
                if standing.proved or any(_proved(runner) for runner in runners):
                    return PROOF
                if standing.deadline is not None and time.monotonic() >= standing.deadline:
                    return TIME_LIMIT
                if not any(runner.thread and runner.thread.is_alive() for runner in runners):
                    self._take_all()
                    return PROOF if any(_proved(runner) for runner in runners) else "all members ended"
            except KeyboardInterrupt:
                return INTERRUPTED

    def _join(self, runners: list[_Runner]) -> None:
        while any(runner.thread and runner.thread.is_alive() for runner in runners):
            try:
                for runner in runners:
                    if runner.thread:
                        runner.thread.join(timeout=_POLL_SECONDS)
            except KeyboardInterrupt:
                continue

    def _run(self, runner: _Runner) -> None:
        """Follow one member; runs in a thread of its own."""

        def read(line: str) -> None:
            try:
                self.events.put((runner, json.loads(line)))
            except ValueError:
                return

        job = str(self.directory)
        command = python_command("-m", "chordlearn.backends.workers.member", runner.name, job)
        try:
            folder = self.directory / runner.name.replace(":", "-")
            folder.mkdir()
            ended = run_program(
                command, on_line=read, directory=folder, poll=self.stop.is_set, grace_seconds=GRACE_SECONDS
            )
        except (BackendError, OSError) as failure:
            self.events.put((runner, {"failure": str(failure)}))
            return
        if ended.stopped_by is None and ended.returncode != 0:
            self.events.put((runner, {"failure": _why(runner.name, ended)}))

    def _take(self, timeout: float) -> None:
        try:
            runner, event = self.events.get(timeout=timeout)
        except queue.Empty:
            return
        self._take_in(runner, event)

    def _take_all(self) -> None:
        while not self.events.empty():
            self._take_in(*self.events.get())

    def _take_in(self, runner: _Runner, event: Mapping[str, Any]) -> None:
        """Learn from what a member says; a lie costs it its place, not the race."""
        if "failure" in event:
            # What a member says itself comes first and says more.
            runner.failure = runner.failure or event["failure"]
            return
        standing = self.standing
        standing.name = runner.name
        if "network" in event:
            runner.network = event["network"]
            return
        try:
            if event.get("cliques") is not None:
                runner.outcome = event
                self._offer(event["cliques"])
            elif "stopped_by" in event:
                runner.outcome = event
            if event.get("bound") is not None:
                standing.learn_bound(event["bound"])
        except BackendError as lie:
            runner.failure, runner.outcome = str(lie), None

    def _take_unfinished(self, runners: list[_Runner]) -> None:
        """Take the networks of members that were ended before they had said their last word."""
        for runner in runners:
            if runner.network is not None and runner.outcome is None and runner.failure is None:
                self.standing.name = runner.name
                try:
                    self._offer(runner.network)
                except BackendError as lie:
                    runner.failure = str(lie)

    def _offer(self, cliques: Sequence[int]) -> None:
        self.standing.offer(edges_of(graph_from_cliques(self.standing.problem.n, cliques)))

    def _joint(self, runners: list[_Runner], stopped_by: str, details: dict[str, Any]) -> Outcome:
        standing = self.standing
        if standing.best is None:
            if any(runner.outcome and runner.outcome["stopped_by"] == INFEASIBLE for runner in runners):
                return standing.outcome(INFEASIBLE, details=details)
            failures = [runner.failure for runner in runners if runner.failure]
            if failures and stopped_by not in (TIME_LIMIT, INTERRUPTED):
                raise BackendError(failures[0])
        winner = next((runner.outcome for runner in runners if _proved(runner)), None)
        scaling = None if winner is None else winner["scaling"]
        return standing.outcome(
            stopped_by,
            encoding=None if winner is None else winner["encoding"],
            scaling=Scaling(*scaling) if scaling else None,
            details=details,
        )


def _proved(runner: _Runner) -> bool:
    outcome = runner.outcome
    if outcome is None:
        return False
    if outcome["stopped_by"] == INFEASIBLE:
        return True
    return (
        outcome["cliques"] is not None
        and outcome["bound"] is not None
        and (outcome["bound"] <= outcome["score"] + max(DEFAULT_TOLERANCE, outcome["tolerance"]))
    )


def _why(name: str, ended: Ended) -> str:
    return ended.failure(name) or f"{name} failed (exit code {ended.returncode}): {ended.last_words}"


def finite(number: float) -> float | None:
    """The number as JSON knows it: no infinities."""
    return number if math.isfinite(number) else None


def speak(event: Mapping[str, Any]) -> None:
    """Say an event to the portfolio, from a member's process."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()
