"""A problem of the campaign in numbers."""

from __future__ import annotations

from collections import Counter

from campaign.attempts import Attempt
from campaign.examining import Finding

COUNTS = "campaign"
"""The property of a test under which it reports its counts."""
STOPS = ("time limit", "memory limit")


def counted(finding: Finding) -> Counter[str]:
    """How many runs ended in which way, and how many comparisons were made."""
    counts = Counter(f"{one.setting.backend}: {verdict(one)}" for one in finding.attempts)
    counts.update(
        problems=1,
        runs=len(finding.attempts),
        comparisons=finding.comparisons,
        disagreements=int(bool(finding.complaints)),
    )
    return counts


def verdict(one: Attempt) -> str:
    """How a run ended."""
    if one.failure is not None:
        return "failed"
    if one.proved:
        return "proved"
    if one.result is None:
        return "refused"
    return "unfinished" if one.result.stopped_by in STOPS else "not proved"
