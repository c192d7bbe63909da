"""A chordal network with its tables: everything one can ask of it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from chordlearn.data.dataset import Dataset
from chordlearn.data.ordered_rows import same_kind
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError, either
from chordlearn.graphs import junction_forest
from chordlearn.network import rowwise
from chordlearn.network.answering import Answering, Names
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.distribution import Distribution, entropy_of
from chordlearn.network.evidence import Given, positions, read_evidence
from chordlearn.network.exports import EXPORTS, to_networkx
from chordlearn.network.network_file import SUFFIX, network_file, read_network
from chordlearn.network.parameters import Estimation, clique_tables, column
from chordlearn.network.propagation import Node, Positions, Propagation, Table, rooted_forest
from chordlearn.network.result import DataRecord
from chordlearn.network.table_formats import TABLE_FORMATS, to_pgmpy
from chordlearn.system.files import write_whole
from chordlearn.system.json import JsonMixin, convert, load_document, parse_document
from chordlearn.system.text import json_text

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Explanation(JsonMixin):
    """The most probable states of all variables together, given what is known."""

    states: dict[str, str]
    probability: float
    """Of these states, given the evidence."""
    log_probability: float
    """Of these states and the evidence together."""


class RowsAdded(msgspec.Struct, frozen=True):
    """Rows that the tables of a network count beside those that it was learned from."""

    data: DataRecord
    data_sha256: str
    rows: int | float


class _Updated(msgspec.Struct):
    updates: tuple[RowsAdded, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class FittedNetwork(Answering, JsonMixin):
    """A chordal network with the joint distribution of each clique.

    Make one with :func:`chordlearn.fit` or :meth:`from_data`, or read it with :meth:`load`; the constructor
    trusts its input. Evidence (``given``) maps variables to states, or to weights of their states.

    >>> import chordlearn as cl
    >>> heart = cl.fit(cl.learn("heart"), "heart")
    >>> heart
    <FittedNetwork: 6 variables, 5 edges, cliques smoke phys protein | mental phys | systol protein | family>
    >>> heart.marginal("smoke", given={"phys": "y"})
    <Distribution of smoke: n: 0.41752 | y: 0.58248>
    >>> heart.mpe(given={"phys": "y"}).states["smoke"]
    'y'
    """

    structure: ChordalNetwork
    tables: tuple[Table, ...]
    """The joint distribution of each clique, an axis per variable in the clique's order."""
    estimation: Estimation = field(default_factory=Estimation)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """What the network was learned from and how; plain JSON values."""

    @classmethod
    def from_data(
        cls,
        structure: ChordalNetwork,
        data: Dataset,
        estimation: Estimation | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> FittedNetwork:
        """The network with tables from the counts in a data set.

        >>> from chordlearn.data import read
        >>> data = read({"a": [0, 0, 1], "b": [0, 1, 1]})
        >>> net = FittedNetwork.from_data(ChordalNetwork.from_cliques("ab", ["a", "b"]), data)
        >>> net.marginal("a")["0"]
        0.625
        """
        if structure.states is None:
            states = tuple(data.states[column(data, name)] for name in structure.variables)
            structure = ChordalNetwork(structure.variables, states, structure.cliques)
        how = estimation or Estimation(ess=1.0)
        return cls(structure, clique_tables(structure, data, how), how, provenance or {})

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The maximal cliques."""
        return self.structure.cliques

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges."""
        return self.structure.edges

    @property
    def rows(self) -> float:
        """How many observations the tables count: those it was learned from, and those added later."""
        rows = self.provenance.get("rows")
        if not isinstance(rows, int | float):
            raise InputError(
                "The network does not say how many rows its tables count; fit it to its data again."
            )
        return rows + sum(part.rows for part in self.updates)

    @property
    def updates(self) -> tuple[RowsAdded, ...]:
        """The rows that were added after the network was learned, as its provenance records them."""
        return convert(dict(self.provenance), _Updated, "provenance").updates

    @cached_property
    def forest(self) -> tuple[Node, ...]:
        """The rooted junction forest along which messages go."""
        place = {name: i for i, name in enumerate(self.variables)}
        cliques = [tuple(place[name] for name in clique) for clique in self.cliques]
        return rooted_forest(cliques, junction_forest(self.structure.masks), self.tables)

    def marginals(self, given: Given | None = None) -> dict[str, Distribution]:
        """The distribution of every variable, by name; one pass for all."""
        evidence = read_evidence(self.structure, given)
        self.log_probability(given)
        found: dict[int, Table] = {}
        for node, belief in zip(self.forest, self._propagation(given).beliefs(), strict=True):
            for place in node.clique:
                if place in belief.variables and place not in found:
                    found[place] = _normalised(belief.summed_onto((place,)).logs[0])
        for place, code in zip(
            evidence.observed, evidence.codes[0] if evidence.codes is not None else (), strict=True
        ):
            found[place] = np.eye(len(self.states[place]))[code]
        return {
            name: Distribution((name,), (self.states[i],), found[i]) for i, name in enumerate(self.variables)
        }

    def joint(self, variables: Names, given: Given | None = None) -> Distribution:
        """The joint distribution of some variables, in one clique or not, given evidence.

        >>> import chordlearn as cl
        >>> heart = cl.fit(cl.learn("heart"), "heart")
        >>> heart.joint(["smoke", "systol"]).probabilities.round(4).tolist()
        [[0.2064, 0.2716], [0.2212, 0.3008]]
        """
        wanted = positions(self.structure, variables)
        self.log_probability(given)
        evidence = read_evidence(self.structure, given)
        hidden = tuple(sorted(place for place in wanted if place not in evidence.observed))
        table = _normalised(self._propagation(given).joint(hidden)[0])
        if evidence.codes is not None and len(hidden) < len(wanted):
            table, hidden = self._with_observed(table, hidden, wanted, evidence.observed, evidence.codes[0])
        table = table.transpose([hidden.index(place) for place in wanted])
        names = tuple(self.variables[place] for place in wanted)
        return Distribution(names, tuple(self.states[place] for place in wanted), table)

    def mpe(self, given: Given | None = None) -> Explanation:
        """The most probable states of all variables together, given evidence."""
        total = self.log_probability(given)
        evidence = read_evidence(self.structure, given)
        codes, best = self._propagation(given).most_probable()
        chosen = {place: int(values[0]) for place, values in codes.items()}
        if evidence.codes is not None:
            chosen |= dict(zip(evidence.observed, evidence.codes[0].tolist(), strict=True))
        states = {name: self.states[i][chosen[i]] for i, name in enumerate(self.variables)}
        return Explanation(states, math.exp(float(best[0]) - total), float(best[0]))

    def log_likelihoods(self, codes: rowwise.Codes) -> Table:
        """The logarithm of the probability of rows of codes, in which −1 stands for what is not known."""
        return rowwise.log_likelihoods(self.forest, codes)

    def posteriors(self, codes: rowwise.Codes, place: int) -> Table:
        """P(variable | all else) for rows of codes, a column per state; NaN where the row is impossible."""
        return rowwise.posteriors(self.forest, codes, place)

    def entropy(self, variables: Names | None = None, given: Given | None = None) -> float:
        """The entropy of some variables, or of all, in nats.

        >>> import chordlearn as cl
        >>> heart = cl.fit(cl.learn("heart"), "heart")
        >>> round(heart.entropy(), 4), round(heart.entropy("smoke"), 4)
        (3.6304, 0.6922)
        """
        if variables is not None:
            return entropy_of(self.joint(variables, given).probabilities)
        self.log_probability(given)
        total = 0.0
        for node, belief in zip(self.forest, self._propagation(given).beliefs(), strict=True):
            if belief.variables:
                total += entropy_of(_normalised(belief.logs[0]))
                total -= entropy_of(_normalised(belief.summed_onto(node.separator).logs[0]))
        return total

    def mutual_information(self, a: Names, b: Names, on: Names = (), given: Given | None = None) -> float:
        """The information that one set of variables has about another, given those in ``on``, in nats.

        >>> import chordlearn as cl
        >>> heart = cl.fit(cl.learn("heart"), "heart")
        >>> round(heart.mutual_information("smoke", "phys"), 4)
        0.0075
        >>> round(heart.mutual_information("smoke", "systol", on="protein"), 9)
        0.0
        """
        first, second, known = ([names] if isinstance(names, str) else list(names) for names in (a, b, on))
        table = self.joint([*first, *second, *known], given).probabilities
        axes = tuple(range(table.ndim))
        in_first, in_second = axes[: len(first)], axes[len(first) : len(first) + len(second)]
        value = (
            entropy_of(table.sum(axis=in_second))
            + entropy_of(table.sum(axis=in_first))
            - entropy_of(table)
            - entropy_of(np.asarray(table.sum(axis=in_first + in_second)))
        )
        return max(0.0, value)

    def sample_codes(
        self, n: int, *, given: Given | None = None, seed: int | None = None
    ) -> NDArray[np.int32]:
        """Draw rows as codes: positions in the lists of states."""
        if n < 0:
            raise InputError(f"The number of rows to draw must be from 0 up, not {n}.")
        self.log_probability(given)
        evidence = read_evidence(self.structure, given)
        codes = np.empty((n, len(self.variables)), dtype=np.int32, order="F")
        if evidence.codes is not None:
            codes[:, list(evidence.observed)] = evidence.codes[0]
        if n:
            drawn = self._propagation(given).sample(n, np.random.default_rng(seed))
            for place, values in drawn.items():
                codes[:, place] = values
        return codes

    def complete(
        self, data: Any, *, draw: bool = False, seed: int | None = None, unseen: str = "missing"
    ) -> Any:
        """Fill in missing values: those most probable together, or drawn given what each row has.

        A data frame of pandas or arrow comes back as one; anything else as one of polars.

        >>> import chordlearn as cl
        >>> heart = cl.fit(cl.learn("heart"), "heart")
        >>> rows = {name: ["y", None] for name in heart.variables}
        >>> heart.complete(rows).rows()[1]
        ('y', 'y', 'n', 'y', 'y', 'y')
        """
        codes = self.codes(data, unseen=unseen)
        return same_kind(self.frame(self.complete_codes(codes, draw=draw, seed=seed)), data)

    def complete_codes(
        self, codes: NDArray[np.int32], *, draw: bool = False, seed: int | None = None
    ) -> NDArray[np.int32]:
        """The same for rows of codes, in which −1 stands for a missing value."""
        filled, possible = rowwise.completed(
            self.forest, codes, np.random.default_rng(seed) if draw else None
        )
        self._refuse_impossible(possible)
        return filled

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the network in the format that the path's suffix names.

        `.chord.json`, `.bif`, `.xmlbif`, `.uai` and `.net` hold the tables; `.graphml`, `.dot` and `.csv`
        (adjacency matrix) the graph.
        """
        self._write(path, self.export_text(path))

    def export_text(self, path: str | os.PathLike[str]) -> str:
        """What :meth:`export` writes."""
        name = os.fspath(path).lower()
        if name.endswith(SUFFIX):
            return self.to_json() + "\n"
        suffix = PurePath(name).suffix
        if suffix in TABLE_FORMATS:
            return TABLE_FORMATS[suffix](self)
        if suffix not in EXPORTS:
            known = ", ".join([SUFFIX, *TABLE_FORMATS, *EXPORTS])
            raise InputError(f"No network format has the suffix {suffix!r}; those known are {known}.")
        return EXPORTS[suffix](self.variables, self.edges)

    def _write(self, path: str | os.PathLike[str], text: str) -> None:
        """Write the text, but not over the data that the tables were counted from."""
        origin = self.provenance.get("data")
        refuse_replacing(path, origin.get("source") if isinstance(origin, Mapping) else None)
        write_whole(Path(path), text)

    def to_networkx(self) -> Any:
        """The graph as one of networkx."""
        return to_networkx(self.structure)

    def to_pgmpy(self, *, directed: bool = False) -> Any:
        """The same distribution as a Markov network of pgmpy, or as a Bayesian network."""
        return to_pgmpy(self, directed=directed)

    def to_dict(self) -> dict[str, Any]:
        """The network file as plain JSON values."""
        return network_file(self.structure, self.tables, self.estimation, self.provenance).to_dict()

    @classmethod
    def from_dict(cls, content: object) -> FittedNetwork:
        """The network in the values of a network file; says in one sentence what is wrong with them."""
        return cls(*read_network(content))

    def to_json(self) -> str:
        """The network file as text."""
        return json_text(self.to_dict(), indent=1)

    @classmethod
    def from_json(cls, text: str) -> FittedNetwork:
        """The network in the text of a network file; says in one sentence what is wrong with it."""
        return cls.from_dict(parse_document(text, "network", either("FittedNetwork.save", "--save")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network file (`.chord.json`), all of it or nothing."""
        self._write(path, self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FittedNetwork:
        """Read a network file."""
        return load_document(path, "network", cls.from_json)

    def __repr__(self) -> str:
        return repr(self.structure).replace("<ChordalNetwork", "<FittedNetwork", 1)

    def _repr_html_(self) -> str:
        import chordlearn

        return chordlearn.explorer_html(self)

    def __getstate__(self) -> dict[str, Any]:
        # Derived values are computed again.
        return {name: getattr(self, name) for name in ("structure", "tables", "estimation", "provenance")}

    def _propagation(self, given: Given | None) -> Propagation:
        return Propagation(self.forest, read_evidence(self.structure, given))

    def _log_probability(self, given: Given | None) -> float:
        return float(self._propagation(given).log_probability()[0]) if given else 0.0

    def _with_observed(
        self,
        table: Table,
        hidden: Positions,
        wanted: Positions,
        observed: Positions,
        codes: NDArray[np.int32],
    ) -> tuple[Table, Positions]:
        """Add axes for wanted variables whose state is known: all probability lies on that state."""
        for place in wanted:
            if place in observed:
                certain = np.eye(len(self.states[place]))[codes[observed.index(place)]]
                table = table[..., None] * certain
                hidden = (*hidden, place)
        return table, hidden


def _normalised(logs: Table) -> Table:
    table: Table = np.exp(logs - logs.max())
    total: Table = table / table.sum()
    return total
