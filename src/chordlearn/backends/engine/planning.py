"""Which of the engine's two exact programs to run, by what each would cost here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chordlearn._core import Relaxation, bytes_for_dense, bytes_for_states, bytes_for_states_top

Method = Literal["pruned", "dense"]

FEWEST_DENSE_VARIABLES = 4
EASY_STATES = 8_000_000
"""So many states are solved at once; with more, a better start may save most of the work."""

# Orders of magnitude, measured on one core; they only decide between programs that are both exact.
_SECONDS_PER_STATE = 1.5e-6
_SECONDS_PER_DENSE_BLOCK = 5e-7
_SECONDS_PER_DENSE_PAIR = 1.5e-8


@dataclass(frozen=True)
class Plan:
    """A choice and its reason in words."""

    method: Method
    reason: str


def dense_seconds(n: int) -> float:
    """How long the dense program takes on one core, whatever the scores."""
    if n < FEWEST_DENSE_VARIABLES:
        return 0.0
    high = n - FEWEST_DENSE_VARIABLES
    return 3.0**high * _SECONDS_PER_DENSE_BLOCK + 4.0**high / 2 * _SECONDS_PER_DENSE_PAIR


def pruned_seconds(states: int) -> float:
    """How long the pruned program takes on one core for so many states."""
    return states * _SECONDS_PER_STATE


def dense_fits(n: int, memory: float) -> bool:
    """Whether the dense program's table fits beside the bounds."""
    return n >= FEWEST_DENSE_VARIABLES and bytes_for_dense(n) + Relaxation.bytes_needed(n) <= memory


def most_states(n: int, memory: float, *, top: int = 1) -> int:
    """How many states fit beside the bounds; with the dense program at hand, no more than are worth it."""
    each = bytes_for_states(1) if top == 1 else bytes_for_states_top(1, top)
    fitting = max(1000, int((memory - Relaxation.bytes_needed(n)) / each))
    if top == 1 and dense_fits(n, memory):
        return min(fitting, max(100_000, int(dense_seconds(n) / _SECONDS_PER_STATE)))
    return fitting


def choose(n: int, states: int, *, complete: bool, memory: float) -> Plan | None:
    """Pruned if all its states were listed and are worth it, else dense if it fits, else nothing does.

    >>> choose(12, 4000, complete=True, memory=8e9)
    Plan(method='pruned', reason='4,000 states are left after the bounds')
    >>> choose(16, 9_000_000, complete=False, memory=8e9).method
    'dense'
    >>> choose(24, 500_000_000, complete=False, memory=8e9) is None
    True
    """
    dense = dense_fits(n, memory)
    if complete and (not dense or pruned_seconds(states) <= dense_seconds(n) or states <= 100_000):
        return Plan("pruned", f"{states:,} states are left after the bounds")
    if dense:
        size = bytes_for_dense(n) / 1e9
        return Plan(
            "dense", f"the bounds leave more than {states:,} states; all of them fit in {size:.1f} GB"
        )
    return None
