"""What one asks of a distribution over all variables, of one network or of several together."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.ordered_rows import CodedRows, Rows, read_rows, unseen_in_words
from chordlearn.errors import InputError, UnseenWarning
from chordlearn.network.chordal import ChordalNetwork, States
from chordlearn.network.distribution import Distribution
from chordlearn.network.evidence import Given, in_words, parse_query
from chordlearn.network.parameters import Estimation
from chordlearn.network.propagation import Table
from chordlearn.network.rowwise import Codes

if TYPE_CHECKING:
    import polars as pl

Names = str | Sequence[str]


class Answering(ABC):
    """Answers to questions, all made of the few that are abstract here."""

    structure: ChordalNetwork
    estimation: Estimation

    @abstractmethod
    def joint(self, variables: Names, given: Given | None = None) -> Distribution:
        """The joint distribution of some variables, given evidence."""

    @abstractmethod
    def log_likelihoods(self, codes: Codes) -> Table:
        """The logarithm of the probability of rows of codes, in which −1 stands for what is not known."""

    @abstractmethod
    def posteriors(self, codes: Codes, place: int) -> Table:
        """P(variable | all else) for rows of codes, a column per state; NaN where the row is impossible."""

    @abstractmethod
    def sample_codes(
        self, n: int, *, given: Given | None = None, seed: int | None = None
    ) -> NDArray[np.int32]:
        """Draw rows as codes: positions in the lists of states."""

    @abstractmethod
    def _log_probability(self, given: Given | None) -> float:
        """The logarithm of the probability of evidence; −∞ if it is impossible."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.structure.variables

    @property
    def states(self) -> States:
        """The labels of each variable."""
        assert self.structure.states is not None
        return self.structure.states

    def marginal(self, variable: str, given: Given | None = None) -> Distribution:
        """The distribution of one variable."""
        return self.joint(variable, given)

    def query(self, question: Names, given: Given | None = None) -> Distribution:
        """The answer to a question as one writes it on paper, or to names of variables and ``given``.

        >>> import chordlearn as cl
        >>> heart = cl.fit(cl.learn("heart"), "heart")
        >>> heart.query("P(smoke | phys=y, protein=n)")
        <Distribution of smoke: n: 0.477077 | y: 0.522923>
        >>> heart.query("smoke", given={"phys": "y", "protein": "n"})
        <Distribution of smoke: n: 0.477077 | y: 0.522923>
        """
        if not isinstance(question, str) or question in self.variables:
            return self.joint(question, given)
        asked = parse_query(question)
        for name in asked.given:
            if given and name in given:
                raise InputError(
                    f"The evidence on {name!r} stands in the question and in given; state it once."
                )
        answer = self.joint([name for name, _ in asked.targets], {**asked.given, **(given or {})})
        return answer.restricted([state for _, state in asked.targets])

    def probability(self, given: Given) -> float:
        """The probability of evidence (with weights: the mean of the weight)."""
        return math.exp(self._log_probability(given))

    def log_probability(self, given: Given | None) -> float:
        """The logarithm of the probability of evidence; refuses evidence that is impossible."""
        found = self._log_probability(given)
        if found == -math.inf:
            fix = (
                "; fit the tables with posterior means, or change the evidence"
                if self.estimation.method == "maximum-likelihood"
                else "; change the evidence"
            )
            raise InputError(
                f"The evidence {in_words(given)} has probability zero in this network, so nothing follows "
                f"from it{fix}."
            )
        return found

    def log_likelihood(self, data: Any, *, unseen: str = "missing") -> Table:
        """log P of each row; what a row lacks is summed out.

        ``data`` is anything that :func:`chordlearn.read` reads; the rows keep their order. States that the
        network does not have are missing, with an ``UnseenWarning``, or refused if ``unseen`` is "error".

        >>> import chordlearn as cl
        >>> cl.fit(cl.learn("heart"), "heart").log_likelihood("heart")[:2].round(4)
        array([-3.6661, -5.4696])
        """
        return self.log_likelihoods(self.codes(data, unseen=unseen))

    def sample(self, n: int, *, given: Given | None = None, seed: int | None = None) -> pl.DataFrame:
        """Draw rows of all variables, given evidence.

        >>> import chordlearn as cl
        >>> cl.fit(cl.learn("heart"), "heart").sample(3, seed=1)["smoke"].to_list()
        ['y', 'y', 'n']
        """
        return self.frame(self.sample_codes(n, given=given, seed=seed))

    def predict_proba(self, data: Any, target: str, *, unseen: str = "missing") -> Table:
        """P(target | all else in the row) for each row, a column per state."""
        place = self.structure.position(target)
        found = self.posteriors(self.codes(data, [target], unseen=unseen), place)
        self._refuse_impossible(~np.isnan(found[:, 0]))
        return found

    def predict(self, data: Any, target: str, *, unseen: str = "missing") -> NDArray[np.str_]:
        """The most probable state of a variable for each row, given all else in the row.

        >>> import chordlearn as cl
        >>> heart = cl.fit(cl.learn("heart"), "heart")
        >>> heart.predict({name: ["y", "n"] for name in heart.variables}, "smoke").tolist()
        ['y', 'n']
        """
        labels = np.array(self.states[self.structure.position(target)])
        shares = self.predict_proba(data, target, unseen=unseen)
        chosen: NDArray[np.str_] = labels[shares.argmax(axis=1)]
        return chosen

    def codes(self, data: Any, optional: Sequence[str] = (), *, unseen: str = "missing") -> NDArray[np.int32]:
        """The rows of a table as codes, −1 where a value is missing; other columns are ignored."""
        found = self.coded(read_rows(data), optional, unseen=unseen)
        if found.unseen:
            warnings.warn(unseen_in_words(found.unseen), UnseenWarning, stacklevel=3)
        return found.codes

    def coded(self, rows: Rows, optional: Sequence[str] = (), *, unseen: str = "missing") -> CodedRows:
        """The same with the number of states that the network does not have, and without a warning."""
        return rows.coded(self.variables, self.states, optional, unseen=unseen)

    def frame(self, codes: NDArray[np.int32]) -> pl.DataFrame:
        """Rows of codes as a data frame of labels."""
        import polars as pl

        return pl.DataFrame(
            {
                name: pl.Series(labels, dtype=pl.Enum(labels)).gather(codes[:, i])
                for i, (name, labels) in enumerate(zip(self.variables, self.states, strict=True))
            }
        )

    def _refuse_impossible(self, possible: NDArray[np.bool_]) -> None:
        if not possible.all():
            row = int(np.flatnonzero(~possible)[0]) + 1
            raise InputError(
                f"Row {row} has probability zero in this network, so nothing follows from it; "
                "fit the tables with posterior means, or leave the row out."
            )
