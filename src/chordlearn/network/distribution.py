"""A distribution over the states of one or several variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from chordlearn.data.ordered_rows import unseen_state
from chordlearn.errors import InputError
from chordlearn.network.propagation import Table
from chordlearn.system.json import JsonMixin
from chordlearn.system.text import shown


@dataclass(frozen=True, eq=False)
class Distribution(JsonMixin):
    """Probabilities of the joint states of some variables.

    >>> coin = Distribution(("coin",), (("heads", "tails"),), np.array([0.25, 0.75]))
    >>> coin["tails"], coin.mode
    (0.75, ('tails',))
    >>> coin.to_dict()
    {'heads': 0.25, 'tails': 0.75}
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: Table
    """An axis for each variable, in their order."""

    def __getitem__(self, states: object) -> float:
        """The probability of a state, or of a tuple with a state of each variable."""
        labels = states if isinstance(states, tuple) else (states,)
        if len(labels) != len(self.variables):
            raise InputError(
                f"The distribution is over {', '.join(self.variables)}: give a state of each, in this order."
            )
        index = []
        for name, known, label in zip(self.variables, self.states, labels, strict=True):
            if str(label) not in known:
                raise unseen_state(name, label, known)
            index.append(known.index(str(label)))
        return float(self.probabilities[tuple(index)])

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], float]]:
        """The joint states with their probabilities; the last variable changes fastest."""
        return zip(product(*self.states), self.probabilities.ravel().tolist(), strict=True)

    def __len__(self) -> int:
        return int(self.probabilities.size)

    @property
    def mode(self) -> tuple[str, ...]:
        """The most probable joint state, the first of several."""
        index = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        return tuple(labels[int(i)] for labels, i in zip(self.states, index, strict=True))

    @property
    def entropy(self) -> float:
        """In nats."""
        return entropy_of(self.probabilities)

    def restricted(self, states: Sequence[str | None]) -> Distribution:
        """Only the joint states that agree with those given; None leaves a variable open.

        The probabilities are not scaled up: they stay those of the joint states.
        """
        kept, axes = [], []
        for name, known, state in zip(self.variables, self.states, states, strict=True):
            if state is not None and state not in known:
                raise unseen_state(name, state, known)
            kept.append(known if state is None else (state,))
            axes.append(list(range(len(known))) if state is None else [known.index(state)])
        return Distribution(self.variables, tuple(kept), self.probabilities[np.ix_(*axes)])

    def to_dict(self) -> dict[str, Any]:
        """From state to probability; of several variables, from each state of the first to those of the next.

        >>> coins = Distribution(("a", "b"), (("heads", "tails"),) * 2, np.array([[0.25, 0.5], [0.25, 0.0]]))
        >>> coins.to_dict()["heads"]["tails"]
        0.5
        """
        return _nested(self.states, self.probabilities)

    def __repr__(self) -> str:
        first = [
            f"{', '.join(labels)}: {value:.6g}" for _, (labels, value) in zip(range(6), self, strict=False)
        ]
        more = [f"… {len(self) - 6} more"] if len(self) > 6 else []
        return shown(f"<Distribution of {', '.join(self.variables)}: {' | '.join(first + more)}>")


def _nested(states: tuple[tuple[str, ...], ...], probabilities: Table) -> dict[str, Any]:
    if len(states) == 1:
        return dict(zip(states[0], probabilities.tolist(), strict=True))
    return {label: _nested(states[1:], part) for label, part in zip(states[0], probabilities, strict=True)}


def entropy_of(probabilities: Table) -> float:
    """−Σ p log p in nats, where 0 log 0 is 0.

    >>> round(entropy_of(np.array([0.5, 0.5, 0.0])), 6)
    0.693147
    """
    positive = probabilities[probabilities > 0]
    return float(-(positive * np.log(positive)).sum())
