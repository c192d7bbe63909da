"""Networks with tables for other programs: BIF, XMLBIF, Hugin NET and UAI files, and models of pgmpy.

All but UAI and undirected models go through a perfect elimination order: each variable given its earlier
neighbours, which are complete, so that they lie in one clique with it and no independence is gained or lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from chordlearn.errors import InputError
from chordlearn.graphs import members, search_order
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.exports import imported, legal_in_xml
from chordlearn.network.propagation import Table
from chordlearn.system.text import shown

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork

BIF_WORDS = ("network", "variable", "probability", "type", "discrete", "default", "table", "property")
NET_WORDS = ("net", "node", "class", "potential", "data", "decision", "utility", "function", "experience")
"""Words of the languages."""
SPELLED = {"<=": "le_", ">=": "ge_", "<": "lt_", ">": "gt_", "..": "_to_", "+": "plus_", "%": "_percent"}
"""Signs by which states differ, as words; the longer ones first."""
EXPONENT = re.compile(r"[0-9]+[eE][0-9]+")
"""What would do for a state if it were not read as a number."""


@dataclass(frozen=True, eq=False)
class Conditional:
    """P(variable | parents)."""

    variable: str
    parents: tuple[str, ...]
    table: Table
    """An axis for each parent, then one for the variable; even where the parents' state is impossible."""


def conditionals(structure: ChordalNetwork, tables: Sequence[Table]) -> tuple[Conditional, ...]:
    """One conditional distribution for each variable; parents come before their children.

    >>> import numpy as np
    >>> pair = ChordalNetwork.from_cliques("ab", ["ab"], [["0", "1"]] * 2)
    >>> second = conditionals(pair, [np.array([[0.4, 0.1], [0.25, 0.25]])])[1]
    >>> second.variable, second.parents, second.table.tolist()
    ('b', ('a',), [[0.8, 0.2], [0.5, 0.5]])
    """
    if structure.states is None:
        raise InputError("The network has no states; fit it to data first.")
    found = []
    before = 0
    for vertex in search_order(structure.graph):
        parents = structure.graph[vertex] & before
        before |= 1 << vertex
        names = tuple(structure.variables[i] for i in members(parents))
        home = next(i for i, mask in enumerate(structure.masks) if not (parents | 1 << vertex) & ~mask)
        joint = _arranged(tables[home], structure.cliques[home], (*names, structure.variables[vertex]))
        totals = joint.sum(axis=-1, keepdims=True)
        even = 1.0 / joint.shape[-1]
        table = np.where(totals > 0, joint / np.where(totals > 0, totals, 1.0), even)
        found.append(Conditional(structure.variables[vertex], names, table))
    return tuple(found)


def _arranged(table: Table, clique: Sequence[str], wanted: Sequence[str]) -> Table:
    """Summed onto the wanted variables, with the axes in their order."""
    kept = [name for name in clique if name in wanted]
    summed = np.asarray(table.sum(axis=tuple(i for i, name in enumerate(clique) if name not in wanted)))
    return summed.transpose([kept.index(name) for name in wanted])


def bif(network: FittedNetwork) -> str:
    """The Bayesian Interchange Format, in which names and states become identifiers; comments say which."""
    names = dict(zip(network.variables, identifiers(network.variables, reserved=BIF_WORDS), strict=True))
    states = {
        name: identifiers(labels, first_letter=False, reserved=BIF_WORDS)
        for name, labels in zip(network.variables, network.states, strict=True)
    }
    lines = [*_comments("//", network, names, states), "network chordlearn {", "}"]
    for name in network.variables:
        listed = ", ".join(states[name])
        lines += [
            f"variable {names[name]} {{",
            f"  type discrete [ {len(states[name])} ] {{ {listed} }};",
            "}",
        ]
    for conditional in conditionals(network.structure, network.tables):
        own, parents = names[conditional.variable], conditional.parents
        if parents:
            lines.append(f"probability ( {own} | {', '.join(names[parent] for parent in parents)} ) {{")
            rows = conditional.table.reshape(-1, conditional.table.shape[-1])
            for given, row in zip(product(*(states[parent] for parent in parents)), rows, strict=True):
                lines.append(f"  ({', '.join(given)}) {', '.join(decimals(row))};")
        else:
            lines += [f"probability ( {own} ) {{", f"  table {', '.join(decimals(conditional.table))};"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def xmlbif(network: FittedNetwork) -> str:
    """The same in XML, version 0.3; names and states keep their characters."""

    def tag(name: str, text: str) -> str:
        return f"  <{name}>{text}</{name}>"

    names = dict(zip(network.variables, distinct(map(legal_in_xml, network.variables)), strict=True))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append("<NAME>chordlearn</NAME>")
    for name, labels in zip(network.variables, network.states, strict=True):
        lines += ['<VARIABLE TYPE="nature">', tag("NAME", names[name])]
        lines += [tag("OUTCOME", label) for label in distinct(map(legal_in_xml, labels))]
        lines.append("</VARIABLE>")
    for conditional in conditionals(network.structure, network.tables):
        lines += ["<DEFINITION>", tag("FOR", names[conditional.variable])]
        lines += [tag("GIVEN", names[parent]) for parent in conditional.parents]
        lines += [tag("TABLE", " ".join(decimals(conditional.table))), "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def hugin_net(network: FittedNetwork) -> str:
    """Hugin's NET format; labels keep their characters, and states those that all readers tell apart."""

    def plain(text: str) -> str:
        # The format has no escape for a quote inside a string.
        return shown(text).replace("\\", "/").replace('"', "'")

    def ascii_only(text: str) -> str:
        return re.sub(r"[^ -~]", "_", plain(text))

    def nested(values: Any) -> str:
        return "( " + " ".join(nested(v) if isinstance(v, list) else decimal(v) for v in values) + " )"

    names = dict(zip(network.variables, identifiers(network.variables, reserved=NET_WORDS), strict=True))
    states = {
        name: distinct(map(ascii_only, labels))
        for name, labels in zip(network.variables, network.states, strict=True)
    }
    lines = [*_comments("%", network, {}, states), "net", "{", "}"]
    for name, labels in states.items():
        listed = " ".join(f'"{label}"' for label in labels)
        lines += [f"node {names[name]}", "{", f'  label = "{plain(name)}";', f"  states = ( {listed} );", "}"]
    for conditional in conditionals(network.structure, network.tables):
        given = "".join(f" {names[parent]}" for parent in conditional.parents)
        scope = names[conditional.variable] + (given and f" |{given}")
        lines += [f"potential ( {scope} )", "{", f"  data = {nested(conditional.table.tolist())};", "}"]
    return "\n".join(lines) + "\n"


def _comments(
    mark: str, network: FittedNetwork, names: Mapping[str, str], states: Mapping[str, Sequence[str]]
) -> list[str]:
    """Lines that say what stands for which name, and for which state of a variable."""
    # The quotes also keep a name that ends in a backslash from going on in the next line.
    found = [f'{written} stands for "{shown(name)}"' for name, written in names.items() if name != written]
    for name, labels in zip(network.variables, network.states, strict=True):
        found += [
            f'{written} stands for "{shown(label)}" in "{shown(name)}"'
            for label, written in zip(labels, states[name], strict=True)
            if label != written
        ]
    return [f"{mark} {line}" for line in found]


def uai(network: FittedNetwork) -> str:
    """The format of the UAI competitions: a Markov network of P(clique | separator) for each clique.

    Variables and states are numbered in their order. Each table's variables stand in falling order, the last
    changing fastest: so the file also means the same to readers that always let the lowest change fastest.
    """
    nodes = network.forest
    lines = [
        "MARKOV",
        str(len(network.variables)),
        " ".join(str(len(labels)) for labels in network.states),
        str(len(nodes)),
        *(f"{len(node.clique)} {' '.join(map(str, reversed(node.clique)))}" for node in nodes),
    ]
    for node in nodes:
        table = decimals(np.exp(node.log_table).T)
        lines += ["", str(len(table)), " ".join(table)]
    return "\n".join(lines) + "\n"


def to_pgmpy(network: FittedNetwork, *, directed: bool = False) -> Any:
    """A `DiscreteMarkovNetwork` of pgmpy with P(clique | separator) as factors; or a Bayesian network.

    The directed one goes through a perfect elimination order and stands for the same distribution.
    """
    imported("pgmpy")
    from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork

    states = dict(zip(network.variables, map(list, network.states), strict=True))
    if not directed:
        model = DiscreteMarkovNetwork()
        model.add_nodes_from(network.variables)
        model.add_edges_from(network.edges)
        for node in network.forest:
            names = [network.variables[i] for i in node.clique]
            table = np.exp(node.log_table)
            model.add_factors(
                DiscreteFactor(names, list(table.shape), table, state_names={n: states[n] for n in names})
            )
        return model
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(network.variables)
    for conditional in conditionals(network.structure, network.tables):
        model.add_edges_from((parent, conditional.variable) for parent in conditional.parents)
        names = [conditional.variable, *conditional.parents]
        model.add_cpds(
            TabularCPD(
                conditional.variable,
                conditional.table.shape[-1],
                conditional.table.reshape(-1, conditional.table.shape[-1]).T,
                evidence=list(conditional.parents) or None,
                evidence_card=list(conditional.table.shape[:-1]) or None,
                state_names={name: states[name] for name in names},
            )
        )
    return model


TABLE_FORMATS: dict[str, Callable[[FittedNetwork], str]] = {
    ".bif": bif,
    ".xmlbif": xmlbif,
    ".uai": uai,
    ".net": hugin_net,
}
"""By suffix."""


def identifiers(
    names: Sequence[str], *, first_letter: bool = True, reserved: Collection[str] = ()
) -> tuple[str, ...]:
    """An identifier for each name, the name itself where it is one; all different, and no reserved word.

    Without ``first_letter`` an identifier may begin with a digit, as states often do.

    >>> identifiers(["age", "blood pressure", "blood-pressure", "2nd"])
    ('age', 'blood_pressure', 'blood_pressure_2', '_2nd')
    >>> identifiers(["0", "1", ">=2.5", "1e5"], first_letter=False)
    ('0', '1', 'ge_2_5', '_1e5')
    >>> identifiers(["type", "type_", "Type"], reserved=["type"])
    ('type__2', 'type_', 'Type')
    """
    pattern = re.compile(r"[A-Za-z_][A-Za-z0-9_]*" if first_letter else r"[A-Za-z0-9_]+")
    good = {name for name in names if pattern.fullmatch(name) and not EXPONENT.fullmatch(name)}
    taken = good | set(reserved)
    made: list[str] = []
    for name in names:
        word = name
        if name in reserved or name not in good:
            for sign, spelled in SPELLED.items():
                word = word.replace(sign, spelled)
            word = re.sub(r"[^A-Za-z0-9_]", "_", word) or "_"
            word = f"_{word}" if EXPONENT.fullmatch(word) or (first_letter and word[0].isdigit()) else word
            word = _numbered(f"{word}_" if word in reserved else word, taken)
        taken.add(word)
        made.append(word)
    return tuple(made)


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, numbered where one has come before.

    >>> distinct(["a", "b", "a", "a_2"])
    ('a', 'b', 'a_2', 'a_2_2')
    """
    made: dict[str, None] = {}
    for text in texts:
        made[_numbered(text, made)] = None
    return tuple(made)


def _numbered(text: str, taken: Collection[str]) -> str:
    word, number = text, 2
    while word in taken:
        word, number = f"{text}_{number}", number + 1
    return word


def decimal(probability: float) -> str:
    """All digits and no exponent, which some readers do not know.

    >>> decimal(1e-7), decimal(0.1), decimal(1.0)
    ('0.0000001', '0.1', '1.0')
    """
    return np.format_float_positional(probability, unique=True, trim="0")


def decimals(table: Table) -> list[str]:
    """The same for each number in a table, row by row."""
    return [decimal(number) for number in table.ravel().tolist()]
