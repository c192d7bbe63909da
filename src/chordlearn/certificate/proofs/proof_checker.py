"""The whole check of a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.bounds import Case, Replay, replay
from chordlearn.certificate.proofs.claim import Reader, read_lines
from chordlearn.certificate.proofs.cut_replay import replay_cuts
from chordlearn.certificate.proofs.families import UnitScores
from chordlearn.certificate.proofs.instance import (
    Contradiction,
    Instance,
    build_instance,
    contradiction,
    read_cores,
)
from chordlearn.certificate.proofs.lrat import Lemma, Program, ask, check_lemmas, installed, read_lemmas
from chordlearn.certificate.proofs.scores import (
    Integers,
    Values,
    allowed_sets,
    indexed,
    largest_error,
    read_integers,
    score_of_network,
    threshold,
    values_from_data,
    values_from_scores,
)
from chordlearn.certificate.results.checker import check
from chordlearn.certificate.results.report import Check, Failed, Report, run_check
from chordlearn.certificate.results.values import PARAMETERS
from chordlearn.data.dataset import Dataset

Scores = Callable[[Iterable[str]], float]
# The proof says the same of all networks.
LEFT_TO_THE_PROOF = "neighbouring networks"


def check_proof(
    folder: Path,
    dataset: Dataset | None = None,
    *,
    scores: Scores | None = None,
    sha256: str | None = None,
    variables: Sequence[str] | None = None,
    ask_others: bool = True,
    progress: Callable[[str], object] = lambda _: None,
) -> Report:
    """Check the proof in a folder against the data, with code that shares nothing with the solver.

    The arguments are those of :func:`chordlearn.certificate.results.check`, and whether checkers of others
    are asked as well where they are installed. The checks are made in order, up to the first that fails.
    ``progress`` is told how far the long ones are.
    """
    proof = _ProofCheck(folder, dataset, scores, progress)
    proof.claim = claims.claim_of(folder)
    checks: list[Check] = []
    for done in proof.checks(
        lambda document: check(document, dataset, scores=scores, sha256=sha256, variables=variables),
        installed() if ask_others else [],
    ):
        checks.append(done)
        if done.verdict == "failed":
            break
    return Report(tuple(checks))


class _ProofCheck:
    """The checks of one proof; each leaves what the next ones need."""

    claim: dict[str, Any]
    document: dict[str, Any]
    values: Values
    units: UnitScores
    integers: Integers
    replayed: Replay
    instance: Instance
    stated: Contradiction
    lemmas: list[Lemma]

    def __init__(
        self,
        folder: Path,
        dataset: Dataset | None,
        scores: Scores | None,
        progress: Callable[[str], object],
    ) -> None:
        self.folder = folder
        self.progress = progress
        self.dataset = dataset
        self.scores = scores

    def checks(
        self, check_result: Callable[[dict[str, Any]], Report], others: list[Program]
    ) -> Iterator[Check]:
        """One check after the other."""
        yield run_check("claim", lambda: claims.check_claim(self.claim))
        yield run_check("files", lambda: claims.check_files(self.folder, self.claim))
        self.document = claims.result_of(self.folder)
        yield from (found for found in check_result(self.document) if found.name != LEFT_TO_THE_PROOF)
        yield run_check("the same", lambda: claims.check_same(self.claim, self.document))
        if claims.CUTS in self.claim["files"]:
            yield run_check("threshold", self._threshold_of_cuts)
            yield run_check("cuts", self._cuts)
            return
        yield run_check("integer scores", self._integer_scores)
        yield run_check("threshold", self._threshold)
        yield run_check("excluded sets", self._bounds)
        if self.replayed.open_cases:
            yield run_check("cores", self._cores)
            yield run_check("instance", self._instance)
            yield run_check("proof", self._lemmas)
            for program in others:
                yield run_check(program.name, lambda program=program: self._ask(program))  # type: ignore[misc]

    def _lines(self, name: str) -> list[str]:
        if name not in self.claim["files"]:
            raise Failed(f"{name} is not among the files of the proof")
        return read_lines(self.folder / name)

    def _integer_scores(self) -> str:
        self.values = self._all_values()
        self.integers = read_integers(self._lines(claims.SCORES), self.values)
        count = int(np.isfinite(self.values).sum())
        return f"those of the {count} allowed sets, from the {'data' if self.dataset else 'scores'}"

    def _all_values(self) -> Values:
        variables = self.document["variables"]
        constraints, function = self.document["constraints"], self.document["score_function"]
        allowed = allowed_sets(variables, constraints)
        if function["name"] in PARAMETERS and self.dataset is not None:
            values = values_from_data(self.dataset, function["name"], function["parameters"], allowed)
        elif self.scores is not None:
            values = values_from_scores(self.scores, variables, allowed)
        else:
            raise Failed("neither data nor scores were given, and without them nothing can be checked")
        for i, name in enumerate(variables):
            if not np.isfinite(values[1 << i]):
                raise Failed(f"the variable {name!r} alone has no finite score")
        return values

    def _threshold(self) -> str:
        factor, tolerance = self.claim["factor"], self.claim["tolerance"]
        error = largest_error(self.integers, self.values, factor)
        score = score_of_network(self.values, self.document["variables"], self.document)
        score = min(score, self.document["score"])
        highest = threshold(score, self.values, tolerance, factor, error)
        return self._compare_threshold(highest, error)

    def _compare_threshold(self, highest: int, error: float) -> str:
        if self.claim["threshold"] > highest:
            raise Failed(
                f"that no integer score is above {self.claim['threshold']} proves too little; "
                f"with integers that err by {error:.3g} it must be {highest} at most"
            )
        return f"no integer score is above {self.claim['threshold']}; each errs by {error:.3g} at most"

    def _threshold_of_cuts(self) -> str:
        function, constraints = self.claim["score_function"], self.claim["constraints"]
        if self.dataset is None or function["name"] not in PARAMETERS:
            raise Failed("a proof by cuts is about data and a score function that is known here")
        self.units = UnitScores(self.dataset, function, constraints, self.claim["factor"])
        found = self.units.of_network(self.document["cliques"], self.document["separators"])
        score = min(found, self.document["score"])
        return self._compare_threshold(self.units.threshold(score, self.claim["tolerance"]), self.units.error)

    def _cuts(self) -> str:
        required = indexed(self.document["variables"], self.document["constraints"]["required"])
        file = Reader(self._lines(claims.CUTS), claims.CUTS)
        done = replay_cuts(file, self.units, self.claim["threshold"], frozenset(required), self.progress)
        searched = f"{done.families:,} families of any size looked into; " if done.families else ""
        return (
            f"{searched}{done.sets:,} sets left, and {done.cuts:,} cuts with multipliers close "
            f"{_cases(done.cases)}; no integer score is above the threshold"
        )

    def _bounds(self) -> str:
        variables = self.document["variables"]
        whole = Case(np.isfinite(self.values), (0,) * len(variables))
        for pair in indexed(variables, self.document["constraints"]["required"]):
            whole = whole.with_edge(*pair)
        file = Reader(self._lines(claims.BOUNDS), claims.BOUNDS)
        done = replay(file, self.integers, whole, self.claim["threshold"])
        if len(done.open_cases) > 1:
            raise Failed(f"{len(done.open_cases)} cases are left open, and there is one instance")
        if not done.open_cases and claims.INSTANCE in self.claim["files"]:
            raise Failed("no case is left open, but there is an instance")
        self.replayed = done
        if not done.rounds:
            return "none; every allowed set is in the instance"
        left = int(done.open_cases[0].allowed.sum()) if done.open_cases else 0
        cases = _cases(done.cases)
        return f"{done.excluded} with their supersets, in {cases}, each by the right number; {left} sets left"

    def _cores(self) -> str:
        self.instance = build_instance(self.integers, self.replayed.open_cases[0])
        cores = read_cores(self._lines(claims.CORES))
        self.stated, paid = contradiction(self.instance, cores)
        needed = self.instance.best - self.claim["threshold"]
        if paid < needed:
            raise Failed(f"the {len(cores)} cores show a cost of {paid}, but {needed} is needed")
        return f"if the {len(cores)} cores are cores, no integer score is above the threshold"

    def _instance(self) -> str:
        found, expected = self._lines(claims.INSTANCE), list(self.stated.lines())
        for number, (line, right) in enumerate(zip_longest(found, expected), start=1):
            if line != right:
                raise Failed(f"line {number} of instance.cnf is {line!r}, but the claim makes it {right!r}")
        count = len(self.stated.clauses)
        return f"the {count} clauses say that one of the cores is none, and nothing else"

    def _lemmas(self) -> str:
        self.lemmas = read_lemmas(self._lines(claims.LEMMAS))
        count = check_lemmas(self.stated.clauses, self.lemmas)
        return f"{count} clauses, each by unit propagation, down to the empty one"

    def _ask(self, program: Program) -> str:
        return ask(program, self.folder / claims.INSTANCE, self.folder / claims.LEMMAS, self.lemmas)


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"
