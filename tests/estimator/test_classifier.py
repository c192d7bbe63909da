"""The scikit-learn classifier: what users do with it. The library's own checks are in test_estimator.py."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from chordlearn import ChordalNetworkClassifier, ChordalNetworkLearner
from chordlearn.errors import UnseenWarning


def flowers(rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Three kinds that colour and size tell apart, mostly; and a column that tells nothing."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["iris", "aster", "rose"], rows)
    colour = np.where(rng.random(rows) < 0.8, np.char.add("like ", kind), "white")
    size = np.where((kind == "rose") ^ (rng.random(rows) < 0.1), "large", "small")
    return pd.DataFrame({"colour": colour, "size": size, "day": rng.integers(1, 8, rows)}), kind


def classifier(**parameters: Any) -> ChordalNetworkClassifier:
    return ChordalNetworkClassifier(threads=1, **parameters)


def test_it_predicts_by_the_joint_network() -> None:
    X, y = flowers()  # noqa: N806
    fitted = classifier().fit(X, y)
    assert is_classifier(fitted)
    assert fitted.classes_.tolist() == ["aster", "iris", "rose"]
    assert fitted.result_.status == "optimal"
    assert "day" not in {name for edge in fitted.result_.edges for name in edge}
    assert fitted.score(X, y) > 0.85
    joint = ChordalNetworkLearner(target="y", threads=1).fit(X.assign(y=y))
    assert np.array_equal(fitted.predict_proba(X), joint.predict_proba(X.assign(y=y)))
    assert fitted.predict_log_proba(X) == pytest.approx(np.log(fitted.predict_proba(X)))
    assert np.array_equal(fitted.predict(X), fitted.classes_[fitted.predict_proba(X).argmax(axis=1)])
    frame = pl.DataFrame(X.to_dict("list"))
    assert np.array_equal(classifier().fit(frame, y).predict(frame), fitted.predict(X))


def test_classes_come_back_as_they_were_given() -> None:
    X, kind = flowers(60)  # noqa: N806
    kinds = {
        "numbers": np.where(kind == "rose", 10, 9),
        "fractions": np.where(kind == "rose", 2.0, -1.0),
        "truth": kind == "rose",
        "texts that sort otherwise as numbers": np.where(kind == "rose", "10", "9"),
        "texts that mean missing elsewhere": np.where(kind == "rose", "NA", "?"),
        "texts that differ in spaces": np.where(kind == "rose", "a", "a "),
        "one class": np.full(60, "rose"),
    }
    for name, y in kinds.items():
        fitted = classifier().fit(X, y)
        assert np.array_equal(fitted.classes_, np.unique(y)), name
        assert fitted.predict(X).dtype == y.dtype, name
        assert fitted.score(X, y) == (1 if name == "one class" else pytest.approx(0.9, abs=0.1)), name
    series = classifier().fit(X, pd.Series(kind, name="kind", dtype="category"))
    assert series.score(X, kind) > 0.8


def test_the_class_may_have_a_name_of_its_own() -> None:
    X, y = flowers()  # noqa: N806
    assert classifier().fit(X.rename(columns={"day": "y"}), y).network_.variables[-1] == "y_"
    named = classifier(target="kind", forbid=[("kind", "size")]).fit(X, y)
    assert ("size", "kind") not in named.result_.edges
    assert named.network_.predict_proba(X, "kind").shape == (len(X), 3)
    with pytest.raises(ValueError, match="a column of X already"):
        classifier(target="size").fit(X, y)


def test_cross_validation_is_stratified_and_has_every_score() -> None:
    X, y = flowers()  # noqa: N806
    for scoring in ("accuracy", "roc_auc_ovr", "roc_auc_ovo", "neg_log_loss", "f1_macro"):
        assert np.isfinite(cross_val_score(classifier(), X, y, cv=3, scoring=scoring)).all(), scoring
    assert (cross_val_score(classifier(), X, y == "rose", cv=3, scoring="roc_auc") > 0.8).all()
    grid = {"ess": [0.1, 10.0], "max_clique": [1, 3]}
    search = GridSearchCV(classifier(), grid, scoring="neg_log_loss", cv=3).fit(X, y)
    assert search.best_params_["max_clique"] == 3
    shares = cross_val_predict(classifier(), X, y, cv=StratifiedKFold(3), method="predict_proba")
    assert log_loss(y, shares) < 0.5


def test_missing_values_are_summed_out() -> None:
    X, y = flowers()  # noqa: N806
    fitted = classifier().fit(X, y)
    nothing = pd.DataFrame({"colour": [None], "size": [None], "day": [None]})
    prior = np.array([(y == one).mean() for one in fitted.classes_])
    assert fitted.predict_proba(nothing)[0] == pytest.approx(prior, abs=0.01)
    codes = OrdinalEncoder().fit_transform(X)
    of_array = classifier().fit(codes, y)
    assert of_array.predict_proba(np.full((1, 3), np.nan))[0] == pytest.approx(prior, abs=0.01)
    codes[::7, 0] = np.nan
    for missing in ("em", "category", "drop"):
        assert classifier(missing=missing).fit(codes, y).score(codes, y) > 0.8
    with pytest.raises(ValueError, match="contains NaN"):
        classifier(missing="error").fit(codes, y)
    size_only = fitted.predict_proba(pd.DataFrame({"colour": [None], "size": ["large"], "day": [None]}))
    assert size_only[0] == pytest.approx(fitted.network_.marginal("y", {"size": "large"}).probabilities)


def test_weights_count_as_rows_do() -> None:
    X, y = flowers(150)  # noqa: N806
    weights = np.random.default_rng(1).integers(0, 4, 150)
    weighted = classifier().fit(X, y, sample_weight=weights)
    repeated = classifier().fit(X.loc[X.index.repeat(weights)], np.repeat(y, weights))
    assert weighted.result_.score == pytest.approx(repeated.result_.score)
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X))
    halved = classifier().fit(pd.concat([X, X]), np.tile(y, 2), sample_weight=np.full(300, 0.5))
    assert halved.predict_proba(X) == pytest.approx(classifier().fit(X, y).predict_proba(X))
    with pytest.raises(ValueError, match="Negative values"):
        classifier().fit(X, y, sample_weight=-np.ones(150))


def test_states_that_were_not_seen_are_missing() -> None:
    X, y = flowers()  # noqa: N806
    fitted = classifier().fit(X, y)
    row = {"colour": ["green"], "size": ["large"], "day": [3]}
    with pytest.warns(UnseenWarning, match="1 value of 'colour'"):
        found = fitted.predict_proba(pd.DataFrame(row))
    assert np.array_equal(found, fitted.predict_proba(pd.DataFrame(row | {"colour": [None]})))
    with pytest.raises(ValueError, match="'colour' has no state 'green'"):
        fitted.set_params(unseen="error").predict(pd.DataFrame(row))


@pytest.mark.parametrize("name", ["flare1", "voting", "mushroom"])
@pytest.mark.filterwarnings("ignore::chordlearn.errors.UnseenWarning")
def test_cross_validation_of_tables_with_rare_states_and_holes(name: str, measuring_data: Path) -> None:
    frame = pl.read_csv(measuring_data / f"uci/{name}.csv", infer_schema=False)[:400]
    X, y = frame[:, :-1], frame[:, -1].to_numpy()  # noqa: N806
    scores = cross_val_score(classifier(missing="category", max_clique=2), X, y, cv=KFold(3))
    assert np.isfinite(scores).all()
    learner = ChordalNetworkLearner(missing="category", max_clique=2, threads=1)
    assert np.isfinite(cross_val_score(learner, frame, cv=KFold(3))).all()


def test_pipelines() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    numbers = np.column_stack([y + 0.3 * rng.normal(size=400), rng.normal(size=400)])
    cut = KBinsDiscretizer(6, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    pipeline = make_pipeline(cut, classifier()).set_output(transform="pandas").fit(numbers, y)
    assert pipeline.score(numbers, y) > 0.75
    assert list(pipeline[-1].feature_names_in_) == list(pipeline[:-1].get_feature_names_out())
    assert classifier(discretize="quantile:6").fit(numbers, y).score(numbers, y) > 0.75
    X, kind = flowers()  # noqa: N806
    encoded = make_pipeline(OrdinalEncoder(), classifier()).fit(X, kind)
    assert np.array_equal(encoded.predict(X), classifier().fit(X, kind).predict(X))
    sparse = make_pipeline(KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), classifier())
    with pytest.raises(TypeError, match="dense data is required"):
        sparse.fit(numbers, y)


def test_wrong_calls_get_a_sentence() -> None:
    X, y = flowers(30)  # noqa: N806
    with pytest.raises(ValueError, match="y has 29 values"):
        classifier().fit(X, y[1:])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        classifier().fit(X, np.linspace(0, 1, 30))
    with pytest.raises(ValueError, match="positive number"):
        classifier(ess=-1).fit(X, y)


def test_it_can_be_cloned_and_pickled() -> None:
    X, y = flowers()  # noqa: N806
    one = classifier(ess=2.0, max_clique=2)
    assert clone(one).get_params() == one.get_params()
    fitted = pickle.loads(pickle.dumps(one.fit(X, y)))
    assert np.array_equal(fitted.predict_proba(X), one.predict_proba(X))
