"""Evidence as users give it: states of variables, or weights of their states."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chordlearn.data.labels import label_of
from chordlearn.data.rows import unseen_state
from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.directed import Positions, Table
from chordlearn.network.propagation import Evidence

Given = Mapping[str, Any]
"""From a variable to its state, or to the weights of its states: a mapping, or a sequence in their order.

Weights are likelihoods: how much more probable the observation is under one state than under another. States
that a mapping leaves out have weight 0.
"""


def position(network: ChordalNetwork, name: str) -> int:
    """The place of a variable, or a sentence that says which there are."""
    if name not in network.variables:
        known = ", ".join(network.variables[:10]) + (", …" if len(network.variables) > 10 else "")
        raise InputError(f"The network has no variable {name!r}; its variables are {known}.")
    return network.variables.index(name)


def positions(network: ChordalNetwork, names: str | Sequence[str]) -> Positions:
    """The places of several variables, in the order given; refuses to name one twice."""
    listed = [names] if isinstance(names, str) else list(names)
    for i, name in enumerate(listed):
        if name in listed[:i]:
            raise InputError(f"The variable {name!r} is named twice; name each once.")
    return tuple(position(network, name) for name in listed)


def read_evidence(network: ChordalNetwork, given: Given | None) -> Evidence:
    """Turn states and weights into codes."""
    assert network.states is not None
    hard: dict[int, int] = {}
    soft: dict[int, Table] = {}
    for name, value in (given or {}).items():
        place = position(network, name)
        states = network.states[place]
        if isinstance(value, Mapping) or (
            isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
        ):
            soft[place] = _log_weights(name, states, value)
            continue
        label = label_of(value)
        if label is None and "?" in states:
            label = "?"
        if label not in states:
            raise unseen_state(name, value, states)
        hard[place] = states.index(label)
    observed = tuple(sorted(hard))
    codes = np.array([[hard[place] for place in observed]], dtype=np.int32) if observed else None
    return Evidence(observed, codes, soft)


def in_words(given: Given | None) -> str:
    """The evidence in one line.

    >>> in_words({"rain": "yes", "wet": {"no": 0.5}})
    'rain=yes, wet={no: 0.5}'
    """
    parts = []
    for name, value in (given or {}).items():
        if isinstance(value, Mapping):
            value = "{" + ", ".join(f"{state}: {weight:g}" for state, weight in value.items()) + "}"
        parts.append(f"{name}={value}")
    return ", ".join(parts)


def _log_weights(name: str, states: Sequence[str], value: Any) -> Table:
    if isinstance(value, Mapping):
        for state in value:
            if str(state) not in states:
                raise unseen_state(name, state, states)
        by_state = {str(state): weight for state, weight in value.items()}
        listed = [by_state.get(state, 0.0) for state in states]
    else:
        listed = list(value)
    if len(listed) != len(states):
        raise InputError(
            f"The variable {name!r} has {len(states)} states, but {len(listed)} weights are given; "
            "give one for each."
        )
    try:
        weights = np.array([float(weight) for weight in listed])
    except (TypeError, ValueError):
        raise InputError(f"The weights of the states of {name!r} must be numbers.") from None
    if not all(math.isfinite(w) and w >= 0 for w in weights) or not weights.sum() > 0:
        raise InputError(
            f"The weights of the states of {name!r} must be from 0 up and not all 0; they are likelihoods."
        )
    with np.errstate(divide="ignore"):
        logs: Table = np.log(weights)
    return logs
