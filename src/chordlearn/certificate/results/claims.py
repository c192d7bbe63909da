"""Checks of what a result claims beyond its structure: data, score, constraints, bound, status."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, combinations

from chordlearn.certificate.results.document import Document
from chordlearn.certificate.results.report import Failed, Skipped
from chordlearn.certificate.results.structure import (
    Clique,
    Neighbours,
    as_sets,
    check_clique_list,
    cliques_by_elimination,
    neighbours_of,
    pairs_within,
    shown,
)
from chordlearn.certificate.results.values import Value
from chordlearn.data.dataset import Dataset

LARGEST_TOLERANCE = 1e-3
RELATIVE_TOLERANCE = 1e-12
"""Of the score, where that is so large that numbers of 53 bits show no smaller differences."""
ROUNDING_PER_ROW = 32 * 2.0**-53
"""Of the score of a set."""
NEIGHBOUR_WORK = 1_000_000
WITHOUT_FORMULA = ("file", "custom")
SMALL_CLIQUE = 12
"""Of larger cliques not all subsets are looked at."""


def check_variables(document: Document) -> str:
    """The names are distinct and there is at least one."""
    names = document["variables"]
    if not names:
        raise Failed("there are no variables")
    for name in names:
        if names.count(name) > 1:
            raise Failed(f"the variable {name!r} is listed twice")
    return f"{len(names)} different names"


def check_data(document: Document, dataset: Dataset) -> str:
    """Variables, labels, rows and hash are the data's."""
    if document["variables"] != list(dataset.variables):
        raise Failed(f"the variables are not those of the data, {', '.join(dataset.variables)}")
    if document["rows"] != dataset.rows:
        raise Failed(f"the result says {document['rows']} rows, the data has {dataset.rows}")
    if document["states"] is None:
        raise Failed("the result lists no states, but the data has some")
    for name, listed, actual in zip(dataset.variables, document["states"], dataset.states, strict=False):
        if listed != list(actual):
            raise Failed(f"the states of {name!r} are not those of the data, {', '.join(actual)}")
    if len(document["states"]) != len(dataset.states):
        raise Failed("the states are not listed once for each variable")
    return check_hash(document, dataset.sha256)


def check_hash(document: Document, sha256: str) -> str:
    """The hash is that of the data given."""
    if document["data_sha256"] != sha256:
        raise Failed(
            f"the result was learned from data with the hash {document['data_sha256']}, this has {sha256}"
        )
    options = document["data"]["options"]
    how = f", read with {', '.join(sorted(options))} as the result says" if options else ""
    return f"the data is the one that the result was learned from{how}"


def check_scored(document: Document, variables: Sequence[str]) -> str:
    """The variables are those of the score file."""
    if document["variables"] != list(variables):
        raise Failed(f"the variables are not those of the score file, {', '.join(variables)}")
    return f"the {len(variables)} variables of the score file"


def check_without_data(document: Document) -> str:
    """A result learned from a score file knows of no rows, states or parameters."""
    if document["score_function"]["parameters"]:
        raise Failed("the scores come from a file, but the score function has parameters")
    for field in ("rows", "states"):
        if document[field] is not None:
            raise Failed(f"the scores come from a file, but the field {field!r} is not null")
    return "neither rows nor states are claimed"


def rounding(document: Document, terms: Sequence[float]) -> float:
    """By how much two careful computations of the same sum may differ.

    A score of a small size can still come from counts so large that a parameter added to one is rounded.
    """
    of_counts = ROUNDING_PER_ROW * len(terms) * (document["rows"] or 0)
    return 1e-6 + 1e-11 * math.fsum(map(abs, terms)) + of_counts


def _value_of(value: Value, names: Clique, kind: str) -> float:
    try:
        result = value(names)
    except KeyError:
        raise Failed(f"the {kind} {shown(names)} has no score") from None
    if not math.isfinite(result):
        raise Failed(f"the score of the {kind} {shown(names)} is {result}")
    return result


def check_score(document: Document, value: Value) -> str:
    """The score is the sum over cliques minus the sum over separators."""
    cliques = as_sets(document["cliques"], document["variables"], "clique")
    separators = as_sets(document["separators"], document["variables"], "separator")
    for clique in cliques:
        if len(clique) <= SMALL_CLIQUE and not _may_be_complete(document, value, clique, frozenset()):
            raise Failed(f"the clique {shown(clique)} has a subset that may not be complete")
    terms = [_value_of(value, clique, "clique") for clique in cliques]
    terms += [-_value_of(value, separator, "separator") for separator in separators]
    total = math.fsum(terms)
    allowed = rounding(document, terms)
    if abs(total - document["score"]) > allowed:
        raise Failed(f"the cliques and separators sum to {total!r}, the result says {document['score']!r}")
    return f"{total:.6f} from {len(terms)} cliques and separators, equal within {allowed:.1g}"


def _may_be_complete(document: Document, value: Value, names: Clique, always: Clique) -> bool:
    """Whether no subset, together with ``always``, has the score −∞, which forbids all that contain it.

    Only given scores have it; of those computed from data every set may be complete.
    """
    if document["score_function"]["name"] not in WITHOUT_FORMULA:
        return True
    ordered = sorted(names)
    subsets = chain.from_iterable(combinations(ordered, size) for size in range(len(ordered) + 1))
    return not any(_is_impossible(value, frozenset(subset) | always) for subset in subsets)


def _is_impossible(value: Value, names: Clique) -> bool:
    try:
        return value(names) == -math.inf
    except KeyError:
        return False


def check_constraints(document: Document) -> str:
    """The network keeps to the constraints."""
    _keep_constraints(document, document["cliques"])
    constraints = document["constraints"]
    largest, required, forbidden = (constraints[name] for name in ("max_clique", "required", "forbidden"))
    if largest is None and not required and not forbidden:
        return "there are none"
    size = "of any size" if largest is None else f"of at most {largest} variables"
    return f"cliques {size}, {len(required)} required and {len(forbidden)} forbidden edges, as asked"


def _keep_constraints(document: Document, cliques: Sequence[Sequence[str]]) -> None:
    constraints = document["constraints"]
    largest = constraints["max_clique"]
    if largest is not None and largest < 1:
        raise Failed(f"the largest clique allowed has {largest} variables")
    for clique in cliques:
        if largest is not None and len(clique) > largest:
            raise Failed(f"the clique {shown(clique)} is larger than the {largest} allowed")
    edges = pairs_within(cliques)
    for edge in as_sets(constraints["required"], document["variables"], "required edge"):
        if edge not in edges:
            raise Failed(f"the required edge {shown(edge)} is missing")
    for edge in as_sets(constraints["forbidden"], document["variables"], "forbidden edge"):
        if edge in edges:
            raise Failed(f"the forbidden edge {shown(edge)} is there")


def check_bound(document: Document) -> str:
    """The bound is not below the score and the gap is their difference."""
    score, bound, gap = document["score"], document["bound"], document["gap"]
    if bound is None or gap is None:
        if bound is not gap:
            raise Failed(f"the bound is {bound} but the gap {gap}")
        return "no bound is claimed"
    if bound < score:
        raise Failed(f"the bound {bound!r} is below the score {score!r}")
    if gap != bound - score:
        raise Failed(f"the gap is {gap!r} but bound minus score is {bound - score!r}")
    return f"the bound is {gap:.3g} above the score"


def largest_tolerance(score: float) -> float:
    """With more than this, "optimal" would say too little about a network with such a score.

    >>> largest_tolerance(-2500.0), largest_tolerance(-1e12)
    (0.001, 1.0)
    """
    return max(LARGEST_TOLERANCE, RELATIVE_TOLERANCE * abs(score))


def check_status(document: Document) -> str:
    """The status says optimal exactly when the bound meets the score."""
    gap, tolerance = document["gap"], document["tolerance"]
    if tolerance > largest_tolerance(document["score"]):
        raise Failed(f"a tolerance of {tolerance} is too large to call anything optimal")
    meets = gap is not None and gap <= tolerance
    if meets != (document["status"] == "optimal"):
        size = "unknown" if gap is None else f"{gap:.3g}"
        raise Failed(
            f"the status is {document['status']!r}, but the gap is {size} at a tolerance of {tolerance:g}"
        )
    if meets:
        return f"optimal within {tolerance:g}, given the bound claimed by the backend {document['backend']}"
    return "not claimed to be optimal"


def taken_on_trust(document: Document) -> str:
    """What the result says of all other networks, which only a proof can show."""
    backend = f"the word of the backend {document['backend']!r}"
    if "em" in document["details"]:
        return "the score, and what is said of the steps of EM, is the word of the learner, not checked here"
    if document["status"] == "optimal":
        return f"that the network is optimal is {backend}, not proved here"
    return "" if document["bound"] is None else f"the bound is {backend}, not proved here"


def check_nothing_found(document: Document) -> str:
    """A result without a network claims none."""
    for field in ("edges", "cliques", "separators", "junction_tree", "runners_up", "claims"):
        if document[field]:
            raise Failed(f"the status is 'none', but the field {field!r} is not empty")
    for field in ("score", "gap"):
        if document[field] is not None:
            raise Failed(f"the status is 'none', but the field {field!r} is not null")
    return "no network is claimed"


def check_runners_up(document: Document, value: Value | None) -> str:
    """The next best networks are others, in falling order, and score what they say."""
    variables = document["variables"]
    seen = {frozenset(map(frozenset, document["cliques"]))}
    ceiling = document["score"]
    for position, other in enumerate(document["runners_up"], start=1):
        try:
            edges = pairs_within(as_sets(other["cliques"], variables, "clique"))
            cliques = check_clique_list(variables, other["cliques"], edges)
            _keep_constraints(document, other["cliques"])
            if value is not None:
                _check_elimination_score(document, neighbours_of(variables, edges), other["score"], value)
        except Failed as failure:
            raise Failed(f"runner-up {position}: {failure}") from None
        if frozenset(cliques) in seen:
            raise Failed(f"runner-up {position} is the same network as one before it")
        seen.add(frozenset(cliques))
        if other["score"] > ceiling + document["tolerance"]:
            raise Failed(f"runner-up {position} scores {other['score']!r}, more than the network before it")
        ceiling = other["score"]
    if not document["runners_up"]:
        return "none are listed"
    return f"{len(document['runners_up'])} other networks, in falling order"


def check_classes(document: Document, value: Value | None) -> str:
    """Claims about classes of networks agree with the result, and their networks score what they say."""
    variables, tolerance, claims = document["variables"], document["tolerance"], document["claims"]
    asked = document["constraints"]["max_clique"]
    if not claims or claims[-1]["class"] != ({} if asked is None else {"max_clique": asked}):
        raise Failed("the last claim is not about the class of networks that was asked for")
    for field in ("status", "score", "bound", "gap", "cliques"):
        if claims[-1][field] != document[field]:
            raise Failed(f"the last claim has another {field} than the result")
    sizes = []
    for claim in claims:
        largest = claim["class"].get("max_clique", len(variables) + 1)
        if set(claim["class"]) - {"max_clique"}:
            raise Failed("a claim is about a class that is not known here")
        sizes.append(largest)
        try:
            edges = pairs_within(as_sets(claim["cliques"], variables, "clique"))
            check_clique_list(variables, claim["cliques"], edges)
            _keep_constraints(document, claim["cliques"])
            if value is not None:
                _check_elimination_score(document, neighbours_of(variables, edges), claim["score"], value)
        except Failed as failure:
            raise Failed(f"the claim about cliques of at most {largest}: {failure}") from None
        gap = None if claim["bound"] is None else claim["bound"] - claim["score"]
        if gap != claim["gap"] or (gap is not None and gap <= tolerance) != (claim["status"] == "optimal"):
            raise Failed(f"the claim about cliques of at most {largest} contradicts itself")
        if max(map(len, claim["cliques"])) > largest:
            raise Failed(f"the claim about cliques of at most {largest} names a network with a larger one")
    if sizes != sorted(set(sizes)):
        raise Failed("the classes of the claims do not get wider one after the other")
    return f"{len(claims)} classes of networks"


def _check_elimination_score(document: Document, neighbours: Neighbours, score: float, value: Value) -> None:
    """Sum v(family) − v(family without its vertex) while simplicial vertices are taken away."""
    terms = []
    left = {name: set(near) for name, near in neighbours.items()}
    while left:
        name = next(
            name for name, near in left.items() if all(near - left[other] == {other} for other in near)
        )
        near = left.pop(name)
        terms.append(_value_of(value, frozenset((*near, name)), "set"))
        terms.append(-_value_of(value, frozenset(near), "set"))
        for other in near:
            left[other].discard(name)
    total = math.fsum(terms)
    if abs(total - score) > rounding(document, terms):
        raise Failed(f"its cliques and separators sum to {total!r}, the result says {score!r}")


def check_neighbours(document: Document, value: Value, distinct_rows: int) -> str:
    """No network that differs in one edge scores above the bound."""
    if document["bound"] is None:
        raise Skipped("no bound is claimed")
    variables = document["variables"]
    pairs = [(a, b) for i, b in enumerate(variables) for a in variables[:i]]
    if len(pairs) * (distinct_rows + len(variables) ** 2) > NEIGHBOUR_WORK:
        raise Skipped(
            "there is too much data or too many variables to score every network that differs in one edge"
        )
    edges = pairs_within(document["cliques"])
    room = document["bound"] - document["score"]
    tried = 0
    for a, b in pairs:
        changed = edges ^ {frozenset((a, b))}
        neighbours = neighbours_of(variables, changed)
        cliques = cliques_by_elimination(neighbours)
        if cliques is None:
            continue
        try:
            _keep_constraints(document, [sorted(clique) for clique in cliques])
        except Failed:
            continue
        tried += 1
        common = frozenset(neighbours[a] & neighbours[b])
        try:
            terms = [value(common | {a, b}), value(common), -value(common | {a}), -value(common | {b})]
        except KeyError:
            continue
        change = math.fsum(terms) if all(map(math.isfinite, terms)) else -math.inf
        if frozenset((a, b)) in edges:
            change = -change
        if math.isfinite(change) and change > room + document["tolerance"] + rounding(document, terms):
            if not _may_be_complete(document, value, common, frozenset((a, b))):
                continue
            verb = "removing" if frozenset((a, b)) in edges else "adding"
            raise Failed(f"{verb} the edge {shown((a, b))} gives a network that scores {change:.6f} more")
    return f"none of the {tried} allowed networks that differ in one edge scores above the bound"
