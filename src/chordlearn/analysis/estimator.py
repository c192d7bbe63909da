"""The learner as scikit-learn estimators: of a density, and of classes.

scikit-learn is imported with this module, so the package loads it only when the estimator is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.analysis.posteriors import posterior
from chordlearn.data import read
from chordlearn.data.coding import label_of
from chordlearn.data.columns import FEW_VALUES
from chordlearn.data.counts import NO_COUNTS
from chordlearn.data.declarations import States
from chordlearn.data.numbers import Discretize
from chordlearn.data.ordered_rows import UNSEEN
from chordlearn.errors import InputError
from chordlearn.network.averaged import AveragedNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.pipeline.fitting import fit as fit_tables
from chordlearn.pipeline.learning import learn
from chordlearn.scores import ScoreFunction

if TYPE_CHECKING:
    import polars as pl

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        _check_sample_weight,
        check_array,
        check_is_fitted,
        column_or_1d,
        validate_data,
    )
except ImportError:
    raise ImportError(
        "The estimators need scikit-learn; get it with: pip install 'chordlearn[sklearn]'"
    ) from None

Y_COLUMN = "y"

OWN_NAMES = {
    "score": "criterion",
    "seed": "random_state",
    "drop": "X.drop(columns={})",
    "columns": "X[{}]",
}
"""What stands for the arguments of :func:`chordlearn.learn` here."""


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """What both estimators are: a network of all columns, with one that may be predicted from the others."""

    def __init__(
        self,
        *,
        criterion: str | ScoreFunction = "bdeu",
        ess: float | None = None,
        alpha: float | None = None,
        edge_prior: float = 0.0,
        backend: str = "auto",
        max_clique: int | None = None,
        require: Iterable[tuple[str, str]] = (),
        forbid: Iterable[tuple[str, str]] = (),
        time_limit: float | None = None,
        threads: int | None = None,
        discretize: Discretize | None = None,
        missing: str = "em",
        parameters: str = "posterior-mean",
        parameters_ess: float | None = None,
        target: str | int | None = None,
        states: States | None = None,
        unseen: str = "missing",
        average: int | None = None,
        random_state: Any = None,
    ) -> None:
        """Keep the parameters as they are; `fit` checks them."""
        self.criterion = criterion
        self.ess = ess
        self.alpha = alpha
        self.edge_prior = edge_prior
        self.backend = backend
        self.max_clique = max_clique
        self.require = require
        self.forbid = forbid
        self.time_limit = time_limit
        self.threads = threads
        self.discretize = discretize
        self.missing = missing
        self.parameters = parameters
        self.parameters_ess = parameters_ess
        self.target = target
        self.states = states
        self.unseen = unseen
        self.average = average
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Labels of any kind are welcome; missing values only if there is a way to treat them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:  # noqa: N803
        """Learn the network of the columns of X, and of y as one more if it is given; return the columns."""
        if self.unseen not in UNSEEN:
            raise ValueError(f"unseen is 'missing' or 'error', not {self.unseen!r}.")
        frame = self._frame(X, reset=True)
        self._target_: str | None = None
        self._order_: slice | list[int] = slice(None)
        if self.target is not None:
            self._target_ = f"X{self.target}" if isinstance(self.target, int) else self.target
            if y is None and self._target_ not in frame:
                raise ValueError(f"There is no column {self._target_!r} to predict; there are {list(frame)}.")
        if y is not None:
            self._target_ = self._target_ or _free_name(frame)
            frame = self._with_y(frame, y)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        discretize, table, weights = self._ways_to_cut(frame), frame, None
        if sample_weight is not None:
            weights = "sample weight" + "_" * sum(name.startswith("sample weight") for name in frame)
            table = {**frame, weights: _check_sample_weight(sample_weight, X, ensure_non_negative=True)}
        with _value_errors():
            dataset = read(
                table,
                counts=NO_COUNTS,
                weights=weights,
                states=self.states,
                missing=self.missing,
                discretize=discretize,
            )
            asked: dict[str, Any] = {
                "score": self.criterion,
                "ess": self.ess,
                "alpha": self.alpha,
                "edge_prior": self.edge_prior,
                "max_clique": self.max_clique,
                "require": self.require,
                "forbid": self.forbid,
                "time_limit": self.time_limit,
                "threads": self.threads,
                "seed": seed,
            }
            tables: dict[str, Any] = {"method": self.parameters, "ess": self.parameters_ess}
            self.network_: FittedNetwork | AveragedNetwork
            if self.average is None:
                self.result_: Result = learn(dataset, backend=self.backend, **asked)
                self.network_ = fit_tables(self.result_, dataset, **tables)
            else:
                found = posterior(dataset, **asked)
                self.result_ = found.best
                self.network_ = found.average(self.average, dataset, seed=seed, **tables)
        return frame

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The probability of each of `classes_` for each row, given all else in the row."""
        network = self._network()
        target = self._predictable()
        with _value_errors():
            place = network.variables.index(target)
            found = network.posteriors(self._codes(X, None), place)
        if np.isnan(found[:, 0]).any():
            row = int(np.flatnonzero(np.isnan(found[:, 0]))[0])
            raise ValueError(f"Row {row} of X has probability zero; use parameters='posterior-mean'.")
        return found[:, self._order_]

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The most probable of `classes_` for each row, given all else in the row."""
        shares = self.predict_proba(X)
        chosen: NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return chosen

    def _frame(self, X: Any, reset: bool) -> dict[str, Any]:  # noqa: N803
        """The columns of X by name, checked as scikit-learn does it."""
        if hasattr(X, "columns") and hasattr(X, "shape"):
            lacks_target = not reset and self._lacks_only_the_target(X)
            if not lacks_target:
                validate_data(self, X, reset=reset, skip_check_array=True)
            if X.shape[0] == 0:
                raise ValueError("Found array with 0 sample(s), but a minimum of 1 is required.")
            if reset:
                self._kind_ = type(X).__module__.partition(".")[0]
            return {str(name): X[name] for name in X.columns}
        checked = check_array(
            X,
            dtype=None,
            ensure_all_finite="allow-nan" if self.missing != "error" else True,
            estimator=self,
            input_name="X",
        )
        if checked.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        validate_data(self, X if hasattr(X, "shape") else checked, reset=reset, skip_check_array=True)
        if reset:
            self._kind_, self._dtype_ = "array", checked.dtype
        return {f"X{i}": checked[:, i] for i in range(checked.shape[1])}

    def _lacks_only_the_target(self, X: Any) -> bool:  # noqa: N803
        names = getattr(self, "feature_names_in_", None)
        if names is None or self._target_ is None:
            return False
        return set(map(str, names)) - set(map(str, X.columns)) == {self._target_}

    def _with_y(self, frame: dict[str, Any], y: Any) -> dict[str, Any]:
        rows = len(next(iter(frame.values())))
        if len(y) != rows:
            raise ValueError(f"X has {rows} rows, but y has {len(y)} values.")
        assert self._target_ is not None
        if self._target_ in frame:
            raise ValueError(
                f"The target {self._target_!r} is a column of X already; leave out y or name another."
            )
        return {**frame, self._target_: y}

    def _ways_to_cut(self, frame: Mapping[str, Any]) -> Discretize | None:
        """As given; but a method for all columns does not cut a target that has few classes."""
        asked = self.discretize
        if asked is None or isinstance(asked, Mapping) or self._target_ is None:
            return asked
        if len({label_of(value) for value in np.asarray(frame[self._target_]).tolist()}) > FEW_VALUES:
            return asked
        # What comes last holds, so that the target is cut if it is named.
        return [f"{self._target_}=keep", *([asked] if isinstance(asked, str) else asked)]

    def _codes(self, X: Any, y: Any) -> NDArray[np.int32]:  # noqa: N803
        network = self._network()
        frame = self._frame(X, reset=False)
        if y is not None and self._target_ is not None and self._target_ not in frame:
            frame = self._with_y(frame, y)
        optional = () if self._target_ is None else (self._target_,)
        return network.codes(frame, optional, unseen=self.unseen)

    def _network(self) -> FittedNetwork | AveragedNetwork:
        check_is_fitted(self, "network_")
        return self.network_

    def _predictable(self) -> str:
        if self._target_ is None:
            raise NotFittedError(
                "There is nothing to predict; give y to fit, or name the column with target."
            )
        return self._target_


class ChordalNetworkLearner(DensityMixin, NetworkEstimator):  # type: ignore[misc]
    """Learns the best chordal Markov network of discrete data, proves it and fits its tables.

    It is a density estimator: ``score`` is the mean log-likelihood of rows, so that a grid search over the
    parameters of the score compares networks by how well they describe rows they have not seen. With ``y``,
    or with a ``target`` among the columns, it also predicts that variable from all others.

    Parameters
    ----------
    criterion
        The score function by name or as an object, which :func:`chordlearn.learn` calls `score`.
    ess, alpha, edge_prior, backend, max_clique, require, forbid, time_limit, threads
        As in :func:`chordlearn.learn`.
    discretize, missing
        As in :func:`chordlearn.read`, except that a target with few classes is cut only if it is named.
        Numbers in later data are put into the intervals that `fit` has made.
        What is missing in `fit` is by default learned from by EM, which changes nothing where nothing is
        missing; later it is summed out, or is a state with `"category"`. Only `"error"` refuses it.
    parameters, parameters_ess
        How tables are made: `"posterior-mean"` or `"maximum-likelihood"`, and the equivalent sample size; see
        :func:`chordlearn.fit`.
    target
        The column that `predict` predicts: a name, or a position in an array; by default `y`, if given.
    states
        The states of columns, whether or not they occur in `fit`; see :func:`chordlearn.read`.
    unseen
        What states are that `fit` did not know: `"missing"`, and so summed out, with an ``UnseenWarning``
        that counts them; or `"error"`.
    average
        So many networks are drawn from the posterior over all networks, and the mean of their distributions
        is taken (see :meth:`chordlearn.Posterior.average`); by default the best network alone.
    random_state
        Of `sample`, and the seed of the search and of the networks drawn.

    Attributes
    ----------
    result_ : Result
        What was found and what is proved.
    network_ : FittedNetwork or AveragedNetwork
        The network with its tables, or several.
    classes_ : ndarray
        The states of the target, if there is one.
    n_features_in_, feature_names_in_
        As scikit-learn has them.

    Examples
    --------
    >>> rows = np.array([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 9)
    >>> learner = ChordalNetworkLearner(target=1).fit(rows)
    >>> learner.result_.edges
    (('X0', 'X1'),)
    >>> learner.predict([[1, 0, 0]])
    array([1])
    >>> round(learner.score(rows), 4)
    -1.3999
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ChordalNetworkLearner:  # noqa: N803
        """Learn the network of the columns of X, and of y as one more column if it is given.

        The weights of samples count as `weights` of :func:`chordlearn.read` do: as they are.
        """
        frame = self._fit(X, _values(y), sample_weight)
        if self._target_ is not None:
            self.classes_ = self._classes(frame[self._target_])
        return self

    def score_samples(self, X: Any, y: Any = None) -> NDArray[np.float64]:  # noqa: N803
        """The log-likelihood of each row; missing values, and y if it is not given, are summed out."""
        with _value_errors():
            return self._network().log_likelihoods(self._codes(X, _values(y)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: N803
        """The mean log-likelihood of the rows."""
        return float(np.average(self.score_samples(X, y), weights=sample_weight))

    def sample(self, n_samples: int = 1) -> Any:
        """Draw rows of all columns (y last): a data frame as in `fit`, or an array."""
        network = self._network()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with _value_errors():
            frame = network.sample(n_samples, seed=seed)
        if self._kind_ == "pandas":
            pandas = import_module("pandas")
            return pandas.DataFrame({name: frame[name].to_list() for name in frame.columns})
        if self._kind_ == "polars":
            return frame
        rows = np.array(frame.rows(), dtype=object).reshape(n_samples, len(network.variables))
        try:
            return rows.astype(self._dtype_)
        except ValueError:
            return rows

    def _classes(self, column: Any) -> NDArray[Any]:
        """The values of the target in the order of its states; the states themselves if it was cut."""
        network = self._network()
        states = network.states[network.variables.index(str(self._target_))]
        values = np.asarray(column)
        distinct = np.unique(values) if values.dtype.kind != "O" else np.array(sorted(set(values), key=str))
        by_label = {label_of(value): value for value in distinct.tolist()}
        if not set(states) <= set(by_label):
            return np.array(states)
        return np.array([by_label[state] for state in states], dtype=distinct.dtype)


class ChordalNetworkClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """Predicts a class by the best chordal Markov network of all columns and the class.

    The network is learned for the joint distribution, with proof, and asked for P(class | row). What is
    missing in a row is summed out exactly. In a whole row only the columns that share a clique with the class
    matter.

    Parameters
    ----------
    target
        The name of the class in the network, for `require`, `forbid` and `network_`; by default `y`.
    criterion, ess, alpha, edge_prior, backend, max_clique, require, forbid, time_limit, threads
        As in :class:`ChordalNetworkLearner`.
    discretize, missing, parameters, parameters_ess, states, unseen, average, random_state
        As in :class:`ChordalNetworkLearner`; the class is never cut.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in ascending order.
    result_, network_, n_features_in_, feature_names_in_
        As in :class:`ChordalNetworkLearner`.

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]] * 9
    >>> fruit = ["apple", "pepper", "apple", "bean"] * 9
    >>> classifier = ChordalNetworkClassifier().fit(rows, fruit)
    >>> classifier.predict([["green", "long"], [None, "round"]]).tolist()
    ['bean', 'apple']
    >>> classifier.predict_proba([["red", None]]).round(2).tolist()
    [[0.5, 0.01, 0.5]]
    """

    def __sklearn_tags__(self) -> Any:
        """A class for each row is needed to learn."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ChordalNetworkClassifier:  # noqa: N803
        """Learn the network of the columns of X and the classes y, each row with its weight."""
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None.")
        values = _values(column_or_1d(y, warn=True))
        check_classification_targets(values)
        self.classes_, codes = np.unique(values, return_inverse=True)
        labels = _labels(self.classes_)
        self._fit(X, labels.gather(codes), sample_weight)
        self._order_ = [self.network_.states[-1].index(label) for label in labels]
        return self

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def _values(y: Any) -> Any:
    """One value per row; None if there is no y."""
    if y is None:
        return None
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y must have one value per row, but it has the shape {values.shape}.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("Input y contains NaN or infinity.")
    return values


def _free_name(frame: Mapping[str, Any]) -> str:
    name = Y_COLUMN
    while name in frame:
        name += "_"
    return name


def _labels(classes: NDArray[Any]) -> pl.Series:
    """The states that stand for classes: their labels, or their numbers if not each has one of its own."""
    import polars as pl

    labels = [label_of(value) or "" for value in classes.tolist()]
    if "" in labels or len(set(labels)) < len(labels):
        labels = [str(number) for number in range(len(classes))]
    return pl.Series(labels, dtype=pl.Enum(labels))


class _value_errors:  # noqa: N801
    """Turns what is wrong with the input into what scikit-learn's users expect."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InputError):
            raise ValueError(error.renamed(OWN_NAMES)) from error
