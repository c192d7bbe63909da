"""Expected counts against enumeration by brute force, exactly and from draws."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.data import Dataset
from chordlearn.network import completions
from chordlearn.network.completions import Completions
from chordlearn.network.fitted import FittedNetwork


def table(seed: int, rows: int, sizes: tuple[int, ...], holes: float) -> Dataset:
    """Random rows, some of whose values are missing, with weights that are whole or not."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, k, rows) for k in sizes]).astype(object)
    codes[rng.random(codes.shape) < holes] = None
    columns = {f"v{i}": codes[:, i] for i in range(len(sizes))}
    weights = rng.integers(1, 4, rows) * (1.0 if seed % 2 else 0.25)
    return cl.read({**columns, "w": weights}, weights="w", missing="em")


def network_for(data: Dataset, seed: int) -> FittedNetwork:
    """A network with cliques of several sizes and tables from random rows."""
    rng = np.random.default_rng(seed)
    structure = cl.ChordalNetwork.from_cliques(
        data.variables, [["v0", "v1", "v2"], ["v2", "v3"]], data.states
    )
    codes = np.array(list(product(*(range(k) for k in data.arities))), dtype=np.int32)
    return FittedNetwork.from_data(
        structure, Dataset(data.variables, data.states, codes, rng.integers(1, 50, len(codes)))
    )


def by_enumeration(data: Dataset, network: FittedNetwork) -> tuple[dict[tuple[int, ...], float], float]:
    """The expected count of every joint state, and the log-likelihood of what was observed."""
    every = np.array(list(product(*(range(k) for k in data.arities))), dtype=np.int32)
    probability = np.exp(network.log_likelihoods(np.asfortranarray(every)))
    counts = dict.fromkeys(map(tuple, every.tolist()), 0.0)
    total = 0.0
    for row, weight in zip(data.codes, data.weights, strict=True):
        fits = ((every == row) | (row < 0)).all(axis=1)
        mass = probability[fits].sum()
        total += float(weight) * float(np.log(mass))
        for state, share in zip(every[fits].tolist(), probability[fits] / mass, strict=True):
            counts[tuple(state)] += float(weight) * float(share)
    return counts, total


@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_enumeration(seed: int) -> None:
    data = table(seed, 40, (2, 3, 2, 4), 0.3)
    assert data.has_gaps
    network = network_for(data, seed)
    found = Completions(data).expected(network)
    counts, log_likelihood = by_enumeration(data, network)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-9)
    assert found.rows.rows == data.rows
    assert found.rows.arities == data.arities
    for size in range(1, 5):
        for chosen in combinations(range(4), size):
            exact: dict[tuple[int, ...], float] = {}
            for state, count in counts.items():
                key = tuple(state[i] for i in chosen)
                exact[key] = exact.get(key, 0.0) + count
            mine = dict.fromkeys(exact, 0.0)
            for row, weight in zip(found.rows.codes.tolist(), found.rows.weights.tolist(), strict=True):
                mine[tuple(row[i] for i in chosen)] += weight
            assert mine == pytest.approx(exact, abs=1e-5)


def test_what_is_observed_counts_in_full() -> None:
    data = table(1, 60, (2, 3, 2, 4), 0.2)
    expected = Completions(data).expected(network_for(data, 1)).rows
    for i in range(4):
        assert (expected.column_counts(i) >= data.column_counts(i) - 1e-9).all()


def test_rows_with_too_many_completions_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    data = table(2, 300, (2, 3, 2, 4), 0.5)
    network = network_for(data, 2)
    exact = Completions(data)
    assert exact.weight_drawn == 0
    monkeypatch.setattr(completions, "MOST_COMPLETIONS", 4)
    monkeypatch.setattr(completions, "DRAWS", 400)
    drawn = Completions(data, seed=5)
    assert 0 < drawn.weight_drawn < data.rows
    one, other = exact.expected(network), drawn.expected(network)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-9)
    assert other.rows.rows == data.rows
    assert other.rows.sha256 == drawn.expected(network).rows.sha256
    for i in range(4):
        assert other.rows.column_counts(i) == pytest.approx(one.rows.column_counts(i), abs=2.0)
