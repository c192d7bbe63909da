from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn._core import log_nml_constant, log_rising
from chordlearn.errors import InputError, StoppedError, TooLargeError
from chordlearn.scores import BDeu, CustomScore, Dirichlet, compute_scores, make_scorer, score_function
from chordlearn.scores import compute as compute_module
from scores.score_reference import SHARED, make_dataset, members, nml_constant, read_csv, reference

NAMES = ["bdeu", "dirichlet", "bic", "aic", "qnml"]


@st.composite
def datasets(draw, largest_weight=10**9):
    arities = draw(st.lists(st.sampled_from([1, 2, 2, 2, 3, 4, 6]), min_size=1, max_size=5))
    rows = draw(st.integers(1, 25))
    codes = [[draw(st.integers(0, arity - 1)) for arity in arities] for _ in range(rows)]
    weights = [draw(st.one_of(st.integers(1, 3), st.integers(1, largest_weight))) for _ in range(rows)]
    return make_dataset(codes, weights, arities)


def function_of(name, parameter, edge_prior=0.0):
    return score_function(
        name,
        ess=parameter if name == "bdeu" else None,
        alpha=parameter if name == "dirichlet" else None,
        edge_prior=edge_prior,
    )


@pytest.mark.parametrize("name", ["bdeu", "dirichlet", "bic", "aic"])
@settings(deadline=None, max_examples=30)
@given(
    dataset=datasets(),
    parameter=st.sampled_from([1e-6, 0.5, 1.0, 37.0]),
    edge_prior=st.sampled_from([0.0, -1.5]),
)
def test_equals_the_definition(name, dataset, parameter, edge_prior):
    table = compute_scores(dataset, function_of(name, parameter, edge_prior))
    for mask in range(1 << table.n):
        expected = reference(dataset, mask, name, parameter, edge_prior)
        # What doubles allow: rounding relative to the size of the terms, of which there are few.
        terms = dataset.rows * np.log(dataset.rows + 2.0) + abs(expected)
        assert table.values[mask] == pytest.approx(expected, rel=1e-13, abs=2e-15 * terms)


@settings(deadline=None, max_examples=25)
@given(dataset=datasets(largest_weight=20))
def test_qnml_equals_the_definition(dataset):
    table = compute_scores(dataset, score_function("qnml"))
    for mask in range(1 << table.n):
        assert table.values[mask] == pytest.approx(reference(dataset, mask, "qnml"), rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=15)
@given(dataset=datasets(), data=st.data())
def test_single_sets_and_capped_sizes_agree_with_all(name, dataset, data):
    function = function_of(name, 1.0)
    table = compute_scores(dataset, function)
    cap = data.draw(st.integers(1, table.n))
    capped = compute_scores(dataset, function, max_size=cap)
    sizes = np.bitwise_count(np.arange(1 << table.n))
    assert capped.max_size == cap
    assert np.isneginf(capped.values[sizes > cap]).all()
    np.testing.assert_allclose(capped.values[sizes <= cap], table.values[sizes <= cap], rtol=1e-12, atol=1e-8)
    single = make_scorer(dataset, function).sets([members(mask) for mask in range(1 << table.n)])
    np.testing.assert_allclose(single, table.values, rtol=1e-12, atol=1e-8)


@pytest.mark.parametrize("shape", [(9, 2, 300), (11, 2, 3000), (10, 5, 200), (10, 3, 5000)])
@pytest.mark.parametrize("max_size", [None, 3])
def test_threads_change_nothing(shape, max_size):
    n, states, rows = shape
    rng = np.random.default_rng(n)
    arities = [2 + int(a) for a in rng.integers(0, states - 1, n)] if states > 2 else [2] * n
    codes = np.stack([rng.integers(0, a, rows) for a in arities], axis=1)
    dataset = make_dataset(codes, np.ones(rows, int), arities)
    one = compute_scores(dataset, max_size=max_size)
    for threads in (2, 5):
        assert np.array_equal(one.values, compute_scores(dataset, max_size=max_size, threads=threads).values)
    for mask in rng.integers(0, 1 << n, 20).tolist():
        if np.isfinite(one.values[mask]):
            assert one.values[mask] == pytest.approx(reference(dataset, mask, "bdeu"), rel=1e-13)


def test_many_different_arities_and_sparse_rows():
    rng = np.random.default_rng(0)
    arities = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    codes = np.stack([rng.integers(0, a, 150) for a in arities], axis=1)
    table = compute_scores(dataset := make_dataset(codes, np.ones(150, int), arities))
    for mask in [*rng.integers(0, 1 << 11, 30).tolist(), (1 << 11) - 1]:
        assert table.values[mask] == pytest.approx(reference(dataset, mask, "bdeu"), rel=1e-13)


def test_accuracy_with_a_hundred_million_rows():
    dataset = make_dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [99_999_990, 5, 4, 1], [2, 2])
    for name in ("bdeu", "bic"):
        table = compute_scores(dataset, function_of(name, 1.0))
        for mask in range(1, 4):
            assert table.values[mask] == pytest.approx(reference(dataset, mask, name), abs=3e-6)


def test_more_cells_than_integers():
    arities = [60_000] * 5
    dataset = make_dataset([[0] * 5, [1] * 5], [3, 2], arities)
    for name in ("bdeu", "dirichlet", "bic"):
        table = compute_scores(dataset, function_of(name, 0.5))
        assert table.values[-1] == pytest.approx(reference(dataset, 31, name, 0.5), rel=1e-13)
    assert np.isfinite(compute_scores(dataset, score_function("qnml")).values).all()


def test_log_rising_with_many_digits():
    import mpmath

    with mpmath.workdps(80):
        for a in (1e-300, 1e-9, 0.5, 1.0, 15.9, 16.0, 1e6, 2.0**60):
            for c in (1, 2, 15, 16, 17, 199, 10**6, 10**12):
                expected = float(mpmath.loggamma(mpmath.mpf(a) + c) - mpmath.loggamma(mpmath.mpf(a)))
                assert log_rising(a, c) == pytest.approx(expected, rel=5e-16, abs=1e-15)


def test_nml_constant():
    import mpmath

    for draws, cells in [(1, 2), (5, 3), (100, 7), (400, 64)]:
        with mpmath.workdps(40):
            expected = float(mpmath.log(nml_constant(draws, cells)))
        assert log_nml_constant(draws, cells) == pytest.approx(expected, rel=1e-13)
    # The approximation takes over from the recurrence without a jump.
    for draws in (10, 1000, 10**6):
        steps = [log_nml_constant(draws, 2**20 + k) for k in (-1, 0, 1, 2)]
        assert np.diff(steps) == pytest.approx([steps[1] - steps[0]] * 3, abs=2e-3)


def test_a_user_function_sees_names_counts_and_cells():
    seen = {}

    def number_of_states(variables, counts, cells):
        seen[variables] = (sorted(counts.tolist()), cells)
        return -float(len(counts))

    dataset = make_dataset([[0, 0], [0, 1], [1, 1]], [4, 5, 6], [2, 3])
    table = compute_scores(dataset, CustomScore(number_of_states, edge_prior=10.0))
    assert table.values.tolist() == [0.0, -2.0, -2.0, 7.0]
    assert seen[("v0", "v1")] == ([4, 5, 6], 6.0)
    assert seen[("v1",)] == ([4, 11], 3.0)
    assert table.function == {
        "name": "custom",
        "parameters": {"function": "number_of_states", "edge_prior": 10.0},
    }


def test_a_user_function_must_give_numbers():
    dataset = make_dataset([[0, 0], [1, 1]], [1, 1], [2, 2])
    with pytest.raises(InputError, match="gave nan for v0"):
        compute_scores(dataset, CustomScore(lambda variables, counts, cells: float("nan")))


def test_the_table_says_where_it_comes_from():
    dataset = make_dataset([[0, 1], [1, 0]], [2, 3], [2, 2])
    table = compute_scores(dataset, BDeu(2.0), max_size=1)
    assert (table.rows, table.sha256, table.source) == (5, dataset.sha256, "memory")
    assert table.function == {"name": "bdeu", "parameters": {"ess": 2.0}}
    assert not table.values.flags.writeable


def test_progress_and_stop():
    rng = np.random.default_rng(0)
    dataset = make_dataset(rng.integers(0, 2, (400, 17)), np.ones(400, int), [2] * 17)
    calls = []
    before = threading.active_count()
    compute_scores(dataset, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (2**17, 2**17)
    with pytest.raises(StoppedError, match="stopped"):
        compute_scores(
            make_dataset(rng.integers(0, 2, (2000, 22)), np.ones(2000, int), [2] * 22),
            deadline=time.monotonic(),
        )
    assert threading.active_count() <= before


def test_too_many_variables_are_refused():
    dataset = make_dataset([[0] * 40, [1] * 40], [1, 1], [2] * 40)
    with pytest.raises(TooLargeError, match=r"40 variables.*keep fewer columns with columns or drop"):
        compute_scores(dataset, max_size=2)
    assert make_scorer(dataset, BDeu()).sets([[0, 39], []]).shape == (2,)


def test_too_little_memory_is_refused(monkeypatch):
    dataset = make_dataset([[0] * 12, [1] * 12], [1, 1], [2] * 12)
    monkeypatch.setattr(compute_module, "available_bytes", lambda: 1000.0)
    with pytest.raises(TooLargeError, match="Scoring needs"):
        compute_scores(dataset)


@pytest.mark.parametrize("arguments", [{"max_size": 0}, {"threads": 0}])
def test_wrong_arguments(arguments):
    with pytest.raises(InputError, match="at least 1"):
        compute_scores(make_dataset([[0]], [1], [2]), **arguments)


HEART = [("smoke", "phys", "protein"), ("mental", "phys"), ("systol", "protein"), ("family",)]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data sets are not here")
def test_heart_and_econ():
    heart = compute_scores(read_csv(SHARED / "paper" / "heart.csv"))
    total = sum(heart[clique] for clique in HEART) - heart[("phys",)] - heart[("protein",)]
    assert total == pytest.approx(-6732.459258, abs=1e-6)
    econ_data = read_csv(SHARED / "paper" / "econ.csv")
    econ = compute_scores(econ_data, Dirichlet(0.5))
    for mask in (1, 37, 255):
        assert econ.values[mask] == pytest.approx(reference(econ_data, mask, "dirichlet", 0.5), rel=1e-13)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data sets are not here")
def test_the_published_scores_of_nursery():
    from chordlearn.scores import read_scores

    published = read_scores(SHARED / "scores" / "nursery.score")
    ours = compute_scores(read_csv(SHARED / "uci" / "nursery.csv"))
    # The columns stand in another order there, so only what does not depend on it is compared.
    np.testing.assert_allclose(np.sort(ours.values), np.sort(published.values), atol=2e-6)
