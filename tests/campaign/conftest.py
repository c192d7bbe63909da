"""The counts of the campaign at the end of a run of tests, whichever processes made them."""

from __future__ import annotations

from collections import Counter

import pytest

from campaign.counting import COUNTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what all tests of the campaign have counted."""
    counts: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "teardown":
                counts.update(dict(report.user_properties).get(COUNTS, {}))
    if counts:
        terminalreporter.section("campaign")
        for name, number in sorted(counts.items()):
            terminalreporter.write_line(f"{name:40} {number:12,}")
