"""What the certificate says: each check by name, and why it passed, failed or was left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    verdict: Verdict
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"name": self.name, "verdict": self.verdict, "reason": self.reason}

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    def __str__(self) -> str:
        """One line."""
        return f"{self.verdict:<7} {self.name}: {self.reason}"


@dataclass(frozen=True)
class Report:
    """All checks in the order they were made.

    >>> report = Report((Check("gap", "failed", "the gap is 1 but bound − score is 2"),))
    >>> report.ok, str(report)
    (False, 'failed  gap: the gap is 1 but bound − score is 2')
    """

    checks: tuple[Check, ...]
    on_trust: str = ""
    """What no check settles and the result only says, if there is anything."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; look at `complete` for whether everything was looked at."""
        return not self.failures

    @property
    def complete(self) -> bool:
        """Whether no check was skipped."""
        return not self.skipped

    @property
    def failures(self) -> tuple[Check, ...]:
        """What is wrong."""
        return tuple(check for check in self.checks if check.verdict == "failed")

    @property
    def skipped(self) -> tuple[Check, ...]:
        """What was not looked at."""
        return tuple(check for check in self.checks if check.verdict == "skipped")

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "ok": self.ok,
            "complete": self.complete,
            "on_trust": self.on_trust,
            "checks": [check.to_dict() for check in self.checks],
        }

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    def __iter__(self) -> Iterator[Check]:
        """The checks in order."""
        return iter(self.checks)

    def __str__(self) -> str:
        """A line per check."""
        return "\n".join(map(str, self.checks))


class Failed(Exception):  # noqa: N818
    """Raised inside a check with the reason why it fails."""


class Skipped(Exception):  # noqa: N818
    """Raised inside a check with the reason why it cannot be made."""


def run_check(name: str, check: Callable[[], str]) -> Check:
    """Make one check: it returns what it found, or raises Failed or Skipped with the reason."""
    try:
        return Check(name, "passed", check())
    except Failed as failure:
        return Check(name, "failed", str(failure))
    except Skipped as skip:
        return Check(name, "skipped", str(skip))
    except OverflowError:
        return Check(name, "failed", "its numbers are too large to compute with")
