"""What a campaign has counted so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chordlearn.selftest.attempts import Attempt
from chordlearn.selftest.examining import Finding

MOST_NOTED = 20
VERDICTS = ("proved", "not proved", "unfinished", "refused", "failed")


@dataclass
class Tally:
    """Counts of a campaign, and the first disagreements."""

    problems: int = 0
    comparisons: int = 0
    disagreements: int = 0
    """Problems on which something disagrees."""
    skipped: int = 0
    runs: dict[str, Counter[str]] = field(default_factory=dict)
    """By backend: how many runs ended in which way."""
    kinds: Counter[str] = field(default_factory=Counter)
    noted: list[dict[str, Any]] = field(default_factory=list)
    """Of the first disagreements: number of the problem, what it is, what is wrong."""

    def add(self, finding: Finding) -> None:
        """Count one problem."""
        self.problems += 1
        self.comparisons += finding.comparisons
        self.skipped += len(finding.skipped)
        self.kinds[", ".join(finding.trial.what.split(", ")[:2])] += 1
        for attempt in finding.attempts:
            self.runs.setdefault(attempt.setting.backend, Counter())[_verdict(attempt)] += 1
        if finding.complaints:
            self.note(finding.trial.number, finding.trial.what, finding.complaints)

    def note(self, problem: int, what: str, complaints: Sequence[str]) -> None:
        """Count a disagreement."""
        self.disagreements += 1
        if len(self.noted) < MOST_NOTED:
            self.noted.append({"problem": problem, "what": what, "complaints": list(complaints)})

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add what another campaign counted, as its JSON says."""
        self.problems += other["problems"]
        self.comparisons += other["comparisons"]
        self.disagreements += other["disagreements"]
        self.skipped += other["skipped"]
        self.kinds.update(other["kinds"])
        for backend, counts in other["backends"].items():
            self.runs.setdefault(backend, Counter()).update(counts)
        self.noted = sorted([*self.noted, *other["noted"]], key=lambda note: note["problem"])[:MOST_NOTED]

    def as_json(self) -> dict[str, Any]:
        """The counts as plain values."""
        return {
            "problems": self.problems,
            "comparisons": self.comparisons,
            "disagreements": self.disagreements,
            "skipped": self.skipped,
            "backends": {backend: dict(self.runs[backend]) for backend in sorted(self.runs)},
            "kinds": {kind: self.kinds[kind] for kind in sorted(self.kinds)},
            "noted": self.noted,
        }


def _verdict(attempt: Attempt) -> str:
    if attempt.failure is not None:
        return "failed"
    if attempt.proved:
        return "proved"
    if attempt.result is None:
        return "refused"
    return "unfinished" if attempt.result.stopped_by in ("time limit", "memory limit") else "not proved"
