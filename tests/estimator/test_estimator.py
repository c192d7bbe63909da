"""The scikit-learn estimator: the library's own checks, and what users do with it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import chordlearn as cl
from chordlearn.analysis.estimator import ChordalNetworkClassifier, ChordalNetworkLearner
from chordlearn.errors import UnseenWarning
from network.brute_force import random_data

EXPECTED_FAILURES: dict[str, str] = {}
"""Checks of scikit-learn that the estimator does not pass, with the reason: none."""


@parametrize_with_checks(
    [
        ChordalNetworkLearner(threads=1),
        ChordalNetworkLearner(discretize="quantile:3", max_clique=3, missing="category", threads=1),
        ChordalNetworkClassifier(threads=1),
        ChordalNetworkClassifier(discretize="quantile:6", max_clique=3, missing="category", threads=1),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore:.*SCIPY_ARRAY_API.*", "ignore::chordlearn.errors.UnseenWarning")
def test_checks_of_scikit_learn(estimator, check) -> None:
    if "sample_weight_equivalence" in str(check):
        # It has 30 columns of noise in 15 rows, for which a proof among larger networks takes minutes.
        estimator = clone(estimator).set_params(max_clique=1)
    check(estimator)


def test_weights_of_samples() -> None:
    frame = people()
    weights = np.random.default_rng(1).integers(0, 4, len(frame))
    repeated = frame.loc[frame.index.repeat(weights)]
    by_weight = ChordalNetworkLearner(threads=1).fit(frame, sample_weight=weights)
    by_row = ChordalNetworkLearner(threads=1).fit(repeated)
    assert by_weight.result_.score == by_row.result_.score
    assert np.array_equal(by_weight.score_samples(frame), by_row.score_samples(frame))
    assert by_weight.score(frame, sample_weight=weights) == pytest.approx(by_row.score(repeated))
    x, y = frame.drop(columns="cough"), frame["cough"]
    half = ChordalNetworkClassifier(threads=1).fit(x, y, sample_weight=np.full(len(x), 0.5))
    assert half.result_.rows == len(x) / 2
    with pytest.raises(ValueError, match="sample_weight"):
        by_row.fit(frame, sample_weight=-np.ones(len(frame)))


def people(rows: int = 300, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    smoke = rng.choice(["no", "yes"], rows)
    cough = np.where(rng.random(rows) < 0.8, smoke, rng.choice(["no", "yes"], rows))
    return pd.DataFrame({"smoke": smoke, "cough": cough, "shoe size": rng.integers(38, 42, rows)})


def test_data_frames_and_a_target_among_the_columns() -> None:
    frame = people()
    learner = ChordalNetworkLearner(target="cough", threads=1).fit(frame)
    assert learner.result_.edges == (("smoke", "cough"),)
    assert learner.result_.status == "optimal"
    assert learner.classes_.tolist() == ["no", "yes"]
    assert learner.feature_names_in_.tolist() == list(frame.columns)
    without = frame.drop(columns="cough")
    assert learner.predict(without).tolist() == frame["smoke"].tolist()
    assert np.array_equal(learner.predict_proba(frame), learner.predict_proba(without))
    assert learner.predict_proba(frame).sum(axis=1) == pytest.approx(np.ones(len(frame)))
    assert np.array_equal(learner.predict_proba(frame), learner.network_.predict_proba(frame, "cough"))
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(frame.drop(columns="smoke"))
    drawn = learner.set_params(random_state=1).sample(50)
    assert isinstance(drawn, pd.DataFrame)
    assert drawn.shape == (50, 3)
    assert learner.score_samples(drawn).shape == (50,)


def test_polars_and_arrays_say_the_same_as_pandas() -> None:
    frame = people()
    pandas = ChordalNetworkLearner(threads=1).fit(frame)
    polars = ChordalNetworkLearner(threads=1).fit(pl.DataFrame(frame.to_dict("list")))
    array = ChordalNetworkLearner(threads=1).fit(frame.to_numpy())
    expected = pandas.score_samples(frame)
    assert polars.score_samples(pl.DataFrame(frame.to_dict("list"))) == pytest.approx(expected)
    assert array.score_samples(frame.to_numpy()) == pytest.approx(expected)
    assert isinstance(polars.sample(3), pl.DataFrame)
    assert array.sample(3).shape == (3, 3)
    assert pandas.score(frame) == pytest.approx(expected.mean())
    codes = random_data(np.random.default_rng(0), [2, 3], 50).codes
    assert ChordalNetworkLearner(threads=1).fit(codes).sample(4).dtype == codes.dtype


def test_y_is_one_more_column() -> None:
    frame = people()
    X, y = frame.drop(columns="cough"), frame["cough"]  # noqa: N806
    learner = ChordalNetworkLearner(threads=1).fit(X, y)
    assert learner.network_.variables == ("smoke", "shoe size", "y")
    assert (learner.predict(X) == y).mean() > 0.8
    joint, marginal = learner.score_samples(X, y), learner.score_samples(X)
    shares = learner.predict_proba(X)[np.arange(len(y)), (y == "yes").astype(int)]
    assert joint == pytest.approx(marginal + np.log(shares))
    numbers = ChordalNetworkLearner(threads=1).fit(X, (y == "yes").astype(float) * 10)
    assert numbers.classes_.tolist() == [0.0, 10.0]
    assert set(numbers.predict(X)) <= {0.0, 10.0}


def test_grid_search_over_the_parameters_of_the_score() -> None:
    frame = people()
    grid = {"ess": [0.1, 1.0, 100.0], "max_clique": [1, 2]}
    search = GridSearchCV(ChordalNetworkLearner(threads=1), grid, cv=3).fit(frame)
    assert search.best_params_["max_clique"] == 2
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scores = cross_val_score(ChordalNetworkLearner(criterion=cl.BIC(), threads=1), frame, cv=3)
    assert np.isfinite(scores).all()


def test_pipeline() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    measurements = np.column_stack([a, a + 0.1 * rng.normal(size=300), rng.normal(size=300)])
    cut = KBinsDiscretizer(3, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    pipeline = make_pipeline(cut, ChordalNetworkLearner(target=1, threads=1)).fit(measurements)
    learner = pipeline[-1]
    assert learner.result_.edges == (("X0", "X1"),)
    assert (pipeline.predict(measurements) == cut.fit_transform(measurements)[:, 1]).mean() > 0.9
    assert np.isfinite(pipeline.score(measurements))
    own = ChordalNetworkLearner(discretize="quantile:3", target=1, threads=1).fit(measurements)
    assert own.result_.edges == (("X0", "X1"),)
    assert own.classes_.tolist() == list(own.network_.states[1])
    extreme = np.array([[-1e9, 1e9, 0.0]])
    assert own.predict(extreme).tolist() == [own.network_.states[1][0]]


def test_missing_and_unknown_values() -> None:
    frame = people()
    learner = ChordalNetworkLearner(threads=1).fit(frame)
    gaps = frame.head(4).astype(object)
    gaps.loc[0, "cough"] = None
    assert np.isfinite(learner.score_samples(gaps)).all()
    assert learner.score_samples(gaps)[0] > learner.score_samples(frame.head(4))[0]
    with pytest.raises(ValueError, match="missing values"):
        clone(learner).set_params(missing="error").fit(gaps)
    assert clone(learner).fit(gaps).result_.details["missing"]["columns"] == {"cough": 1}
    assert "?" in clone(learner).set_params(missing="category").fit(gaps).network_.states[1]
    odd = frame.head(4).replace({"smoke": {"yes": "pipe", "no": "pipe"}})
    with pytest.raises(ValueError, match="'smoke' has no state 'pipe'"):
        clone(learner).set_params(unseen="error").fit(frame).score_samples(odd)
    with pytest.warns(UnseenWarning, match="4 values of 'smoke'"):
        assert np.isfinite(learner.score_samples(odd)).all()


def test_wrong_calls_get_a_sentence() -> None:
    frame = people(30)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"target": "nobody"}, "no column 'nobody'"),
        ({"unseen": "guess"}, "'missing' or 'error'"),
        ({"criterion": "nonsense"}, "no score 'nonsense'"),
        ({"ess": -1}, "positive number"),
        ({"parameters": "guess"}, "no estimation 'guess'"),
    ]
    for parameters, reason in cases:
        with pytest.raises(ValueError, match=reason):
            ChordalNetworkLearner(threads=1, **parameters).fit(frame)
    with pytest.raises(NotFittedError):
        ChordalNetworkLearner().predict(frame)
    with pytest.raises(NotFittedError, match="nothing to predict"):
        ChordalNetworkLearner(threads=1).fit(frame).predict(frame)
    with pytest.raises(ValueError, match="y has 3 values"):
        ChordalNetworkLearner(threads=1).fit(frame, [1, 2, 3])


def test_it_can_be_cloned_and_pickled() -> None:
    learner = ChordalNetworkLearner(ess=2.0, forbid=[("smoke", "cough")], threads=1)
    assert clone(learner).get_params() == learner.get_params()
    fitted = pickle.loads(pickle.dumps(learner.fit(people())))
    assert fitted.result_.edges == ()
    assert np.array_equal(fitted.score_samples(people()), learner.score_samples(people()))
