"""Claims that are false, in folders made as well as can be: none may be accepted."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs import scores
from chordlearn.certificate.proofs.bounds import rest_bounds
from chordlearn.certificate.proofs.scores import Values, allowed_sets, values_from_data
from chordlearn.certificate.results.report import Failed
from chordlearn.errors import InputError
from proof.mutations import Texts, crown_another, edit, state_hashes, texts_of, write
from proof.proofs import followers

Document = dict[str, Any]


def forge(folder: Path, document: Document, values: Values, factor: float) -> Path:
    """The proof that the relaxation gives at once, with every number as the checker computes it."""
    finite = np.isfinite(values)
    scaled = np.zeros(len(values), dtype=np.int64)
    scaled[finite] = np.rint(scores.interactions(values)[finite] * factor)
    error = scores.largest_error(scaled, values, factor)
    highest = scores.threshold(document["score"], values, document["tolerance"], factor, error)
    rest = rest_bounds(scaled, finite, (0,) * len(document["variables"]))
    claim = {name: document[name] for name in claims.SHARED}
    claim |= {"schema": claims.SCHEMA, "factor": factor, "threshold": highest}
    claim["files"] = {claims.RESULT: "", claims.SCORES: "", claims.BOUNDS: ""}
    texts = {
        claims.CLAIM: json.dumps(claim),
        claims.RESULT: json.dumps(document),
        claims.SCORES: "".join(scores.integer_lines(scaled, finite)),
        claims.BOUNDS: f"round\n0 {rest[0]}\n",
    }
    state_hashes(texts)
    write(folder, texts)
    return folder


def failure(folder: Path, data: Any = None) -> str:
    """What the checker says against a proof."""
    failures = cl.verify(folder, data).failures
    return str(failures[0]) if failures else "accepted"


def small_scores() -> cl.ScoreTable:
    """Three variables that are best all joined."""
    sizes = np.bitwise_count(np.arange(8))
    return cl.ScoreTable(tuple("abc"), np.where(sizes > 1, -4.0, -3.0 * sizes), 3, sha256="00")


def test_a_forger_with_a_true_claim_is_believed(tmp_path: Path) -> None:
    table = small_scores()
    folder = forge(tmp_path / "proof", cl.learn(table).to_dict(), np.array(table.values), 2.0**25)
    assert failure(folder, table) == "accepted"


def test_a_score_that_overflows_does_not_forbid_its_set(tmp_path: Path) -> None:
    """With such a prior the triangle is best, but its score is no number; a tree is not best for that."""
    data = cl.read({"a": [0, 1] * 9, "b": [0, 1] * 9, "c": [0, 1, 0] * 6})
    document = cl.learn(data, max_clique=2, require=[("a", "b"), ("b", "c")]).to_dict()
    prior, score = 7e307, 1.4e308
    document |= {
        "score_function": {"name": "bdeu", "parameters": {"ess": 1.0, "edge_prior": prior}},
        "constraints": {"max_clique": None, "required": [], "forbidden": []},
        "score": score,
        "bound": score,
        "gap": 0.0,
        "tolerance": 1e-13 * score,
    }
    document["claims"] = [document["claims"][-1] | {"class": {}, "score": score, "bound": score, "gap": 0.0}]
    values = np.array([0.0, -9, -9, prior, -9, prior, prior, math.inf])
    folder = forge(tmp_path / "proof", document, values, 2.0**-980)
    assert "beyond all numbers" in failure(folder, data)
    with pytest.raises(Failed, match="beyond all numbers"):
        values_from_data(
            data,
            "bdeu",
            document["score_function"]["parameters"],
            allowed_sets("abc", document["constraints"]),
        )


def test_no_variable_of_a_score_file_is_left_out(tmp_path: Path) -> None:
    table = small_scores()
    part = cl.ScoreTable(("a", "b"), np.array(table.values[:4]), 2, sha256=table.sha256)
    result = cl.learn(part)
    assert cl.verify(result, part).ok
    assert "not those of the score file, a, b, c" in str(cl.verify(result, table))
    folder = forge(tmp_path / "proof", result.to_dict(), np.array(part.values), 2.0**25)
    assert failure(folder, part) == "accepted"
    assert "not those of the score file" in failure(folder, table)


def test_scores_of_a_file_are_not_looked_for_in_data() -> None:
    result = cl.learn(small_scores())
    with pytest.raises(InputError, match="learned from a score file"):
        cl.verify(result, cl.read("heart"))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (claims.RESULT, lambda found: found["constraints"].update(forbiden=[["a", "b"]])),
        (claims.RESULT, lambda found: found["score_function"].update(edge_prior=3.0)),
        (claims.RESULT, lambda found: found["score_function"]["parameters"].update(ess=1.0)),
        (claims.CLAIM, lambda found: found.update(also="every network of more variables")),
    ],
)
def test_a_claim_says_nothing_that_is_not_read(
    name: str, change: Callable[[Document], None], tmp_path: Path
) -> None:
    table = small_scores()
    folder = forge(tmp_path / "proof", cl.learn(table).to_dict(), np.array(table.values), 2.0**25)
    texts = texts_of(folder)
    edit(texts, name, change)
    result = json.loads(texts[claims.RESULT])
    edit(texts, claims.CLAIM, lambda claim: claim.update({field: result[field] for field in claims.SHARED}))
    state_hashes(texts)
    write(folder, texts)
    assert failure(folder, table) != "accepted"


@pytest.mark.parametrize("factor", [2.0**1023, 2**999, 2.0**-1022, 5e-324])
def test_extreme_factors_are_refused(factor: float, tmp_path: Path) -> None:
    table = small_scores()
    folder = forge(tmp_path / "proof", cl.learn(table).to_dict(), np.array(table.values), 2.0**25)
    texts = texts_of(folder)
    edit(texts, claims.CLAIM, lambda claim: claim.update(factor=factor))
    write(folder, texts)
    assert failure(folder, table).startswith("failed  threshold")


def test_scores_too_large_to_add_up_are_refused(tmp_path: Path) -> None:
    table = small_scores()
    folder = forge(tmp_path / "proof", cl.learn(table).to_dict(), np.array(table.values), 2.0**25)
    large = cl.ScoreTable(
        table.variables, np.where(table.values < -3.5, table.values, 1.5e308), 3, sha256="00"
    )
    assert "too large to compute with" in str(cl.verify(folder, large))


def changed_number(line: str, chance: random.Random) -> str:
    words = line.split()
    places = [i for i, word in enumerate(words) if word.lstrip("-").isdigit()]
    if places:
        place = chance.choice(places)
        number = int(words[place])
        by = chance.choice([-1, 1, -1000, 10**6, -(10**9), 2**63, -(2**64)])
        words[place] = str(chance.choice([number + by, -number, 2 * number, 0]))
    return " ".join(words)


def changed_lines(text: str, chance: random.Random) -> str:
    """A line less, twice, elsewhere, or with another number."""
    rows = text.splitlines()
    place, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    match chance.randrange(4):
        case 0:
            rows.pop(place)
        case 1:
            rows.insert(place, rows[other])
        case 2:
            rows[place], rows[other] = rows[other], rows[place]
        case _:
            rows[place] = changed_number(rows[place], chance)
    return "".join(f"{row}\n" for row in rows)


def falsified(texts: Texts, chance: random.Random) -> Texts:
    """Another network is called optimal; then lines, thresholds, factors and tolerances are tried out."""
    changed = dict(texts)
    crown_another(changed, chance)
    if chance.random() < 0.3:
        by = 2.0 ** chance.randrange(-30, 10)
        edit(changed, claims.CLAIM, lambda claim: claim.update(factor=claim["factor"] * by))
    if chance.random() < 0.3:
        for name in (claims.RESULT, claims.CLAIM):
            edit(changed, name, lambda found: found.update(tolerance=1e-3))
    if chance.random() < 0.5:
        by = chance.choice([-1, 1]) * chance.choice([1, 10**3, 10**9, 2**62, 2**64])
        edit(changed, claims.CLAIM, lambda claim: claim.update(threshold=claim["threshold"] + by))
    files = [name for name in changed if name not in ("README.txt", claims.CLAIM, claims.RESULT)]
    for _ in range(chance.randrange(4)):
        name = chance.choice(files)
        changed[name] = changed_lines(changed[name], chance) if changed[name].strip() else "0\n"
    state_hashes(changed)
    return changed


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        (6, {}),
        (9, {}),
        (9, {"max_clique": 3}),
        (12, {"max_clique": 3}),
        (7, {"require": [("v0", "v6")]}),
    ],
)
def test_no_change_makes_a_false_claim_acceptable(variables: int, options: Any, tmp_path: Path) -> None:
    data = followers(3, variables=variables)
    cl.learn(data, top=3, proof=tmp_path / "proof", **options)
    texts = texts_of(tmp_path / "proof")
    best = json.loads(texts[claims.RESULT])
    assert best["score"] - best["runners_up"][0]["score"] > 2e-3
    chance = random.Random(variables)
    accepted = 0
    for _ in range(60):
        write(tmp_path / "proof", falsified(texts, chance))
        accepted += cl.verify(tmp_path / "proof", data).ok
    assert accepted == 0
