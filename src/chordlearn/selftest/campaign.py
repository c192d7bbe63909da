"""The campaign: one problem after the other until the time is up."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from chordlearn.selftest.documents import load_disagreement, save_disagreement
from chordlearn.selftest.examining import Finding, OutOfTime, examine
from chordlearn.selftest.settings import Setting, installed_backends, settings_for
from chordlearn.selftest.tally import Tally
from chordlearn.selftest.trials import make_trial

MOST_MEMORY_GIGABYTES = 10.0
Tell = Callable[[Tally], None]
"""Is told the counts after every problem."""


@dataclass(frozen=True)
class Share:
    """The problems that one of several processes takes: numbers that leave this remainder."""

    index: int = 0
    of: int = 1

    def numbers(self) -> Iterator[int]:
        """The numbers of its problems, without end."""
        return count(self.index, self.of)


@contextmanager
def limited_memory(gigabytes: float) -> Iterator[None]:
    """What asks for more memory than this fails, and is a disagreement; otherwise the system might end us."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    wanted = int(gigabytes * 1e9)
    known = [limit for limit in before if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *known]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def run_campaign(
    *,
    seconds: float,
    seed: int = 0,
    most: int | None = None,
    share: Share = Share(),
    out: Path | None = None,
    tell: Tell = lambda _tally: None,
) -> tuple[Tally, bool]:
    """Solve random problems in many ways and compare, and say whether it came to its end without Ctrl-C.

    It ends after so many seconds, or ``most`` problems if that is sooner. The first disagreement is written
    to ``out``. A problem that the end cuts short does not count.

    >>> tally, whole = run_campaign(seconds=1e-9)
    >>> tally.problems, tally.disagreements, whole
    (0, 0, True)
    """
    end = time.monotonic() + seconds
    installed = installed_backends()
    tally = Tally()
    try:
        with limited_memory(MOST_MEMORY_GIGABYTES):
            for number in islice(share.numbers(), most):
                trial = make_trial(seed, number)
                settings = settings_for(trial, installed)
                finding = examine(trial, settings, lambda: time.monotonic() >= end)
                _count(tally, finding, settings, out)
                tell(tally)
    except OutOfTime:
        return tally, True
    except KeyboardInterrupt:
        return tally, False
    return tally, True


def run_one(seed: int, number: int, out: Path | None = None) -> Tally:
    """Only the problem of this number."""
    trial = make_trial(seed, number)
    settings = settings_for(trial, installed_backends())
    tally = Tally()
    _count(tally, examine(trial, settings), settings, out)
    return tally


def replay(path: Path) -> Tally:
    """Run the problem of a file again, in the ways that the file names."""
    trial, settings = load_disagreement(path)
    tally = Tally()
    tally.add(examine(trial, settings))
    return tally


def _count(tally: Tally, finding: Finding, settings: list[Setting], out: Path | None) -> None:
    tally.add(finding)
    if finding.complaints and tally.disagreements == 1 and out is not None:
        save_disagreement(out, finding.trial, settings, finding.complaints)
