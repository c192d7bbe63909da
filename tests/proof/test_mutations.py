"""Every falsified result and proof is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.certificate.proofs import claim as claims
from chordlearn.errors import ChordlearnError
from chordlearn.proof import searching
from proof import mutations as m
from proof.proofs import followers

OF_CLAUSES = m.OF_EVERY_PROOF + m.OF_INTEGERS + m.OF_BOUNDS
UNREADABLE = "unreadable"
ACCEPTED = "accepted"


class Judge:
    """Verifies what mutations made of proofs and results, and remembers what was found wrong first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.verdicts: dict[str, str] = {}

    def prove(self, name: str, data: cl.Dataset, **options: Any) -> m.Texts:
        """The files of a proof, which is accepted as long as nothing is changed."""
        folder = self.folder / name
        cl.learn(data, proof=folder, top=9, **options)
        assert cl.verify(folder, data).ok
        return m.texts_of(folder)

    def proofs(self, name: str, data: cl.Dataset, changed: Iterator[tuple[str, m.Texts]]) -> None:
        """Judge changed proofs; hashes are as the changed files have them."""
        for mutation, texts in changed:
            m.state_hashes(texts)
            m.write(self.folder / "changed", texts)
            self.verdicts[f"{name}: {mutation}"] = first_failure(self.folder / "changed", data)

    def results(self, name: str, data: cl.Dataset, changed: Iterator[tuple[str, m.Texts]]) -> None:
        """Judge changed results by themselves."""
        for mutation, texts in changed:
            document = json.loads(texts[claims.RESULT])
            self.verdicts[f"{name}, the result: {mutation}"] = first_failure(document, data)


def first_failure(what: dict[str, Any] | Path, data: cl.Dataset) -> str:
    try:
        failures = cl.verify(what, data).failures
    except ChordlearnError:
        return UNREADABLE
    return failures[0].name if failures else ACCEPTED


def test_all_of_more_than_200_falsified_results_and_proofs_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge(tmp_path)
    for name in ("heart", "econ"):
        data = cl.read(name)
        texts = judge.prove(name, data)
        judge.proofs(name, data, m.mutated(texts, OF_CLAUSES + m.OF_AN_INSTANCE, 3))
        judge.results(name, data, m.mutated(texts, m.OF_A_RESULT, 2))
    data = followers(1)
    texts = judge.prove("nine columns", data)
    judge.proofs("nine columns", data, m.mutated(texts, m.OF_EXCLUDED_SETS, 10))
    data = cl.read("heart")
    constraints = {"max_clique": 2, "forbid": [("phys", "mental")], "require": [("smoke", "family")]}
    texts = judge.prove("constraints", data, **constraints)
    judge.proofs("constraints", data, m.mutated(texts, m.OF_CONSTRAINTS, 1))
    monkeypatch.setattr(searching, "MOST_CONFLICTS", 0)
    texts = judge.prove("cases", followers(1))
    judge.proofs("cases", followers(1), m.mutated(texts, OF_CLAUSES + m.OF_CASES, 2))

    assert [name for name, verdict in judge.verdicts.items() if verdict == ACCEPTED] == []
    assert len(judge.verdicts) >= 200
    # It is the content that is found wrong, at every link of the chain.
    found = Counter(judge.verdicts.values())
    assert not found["files"] and not found[UNREADABLE]
    chain = ("score", "integer scores", "threshold", "excluded sets", "cores", "instance", "proof")
    assert all(found[link] >= 5 for link in chain), found


@pytest.mark.parametrize("mutation", m.OF_WHOLE_FILES, ids=lambda mutation: mutation.__name__)
def test_files_that_are_not_as_they_were_written(mutation: m.Mutation, tmp_path: Path) -> None:
    data = cl.read("heart")
    cl.learn(data, proof=tmp_path / "proof")
    for name, texts in m.mutated(m.texts_of(tmp_path / "proof"), [mutation], 8):
        m.write(tmp_path / "changed", texts)
        assert first_failure(tmp_path / "changed", data) != ACCEPTED, name
