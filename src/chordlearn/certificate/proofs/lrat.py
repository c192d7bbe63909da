"""LRAT proofs: clauses, each with the earlier ones that make it follow by unit propagation.

A line is ``ID LITERALS 0 HINTS 0``. Suppose that all literals of the new clause are false; every hint, in
turn, must have all its literals false but one, which then must be true, and the last hint must have none
left. Programs that others wrote to check such proofs are asked too where they are installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chordlearn.certificate.proofs.claim import number_lines
from chordlearn.certificate.proofs.instance import Clause
from chordlearn.certificate.results.report import Failed, Skipped


@dataclass(frozen=True)
class Lemma:
    """A clause that follows from earlier ones."""

    number: int
    clause: Clause
    hints: Clause

    def __str__(self) -> str:
        """The line of the file."""
        return " ".join(map(str, (self.number, *self.clause, 0, *self.hints, 0)))

    @property
    def drat(self) -> str:
        """The line of a DRAT file, which has no hints."""
        return " ".join(map(str, (*self.clause, 0)))


def read_lemmas(text: Sequence[str]) -> list[Lemma]:
    """The lemmas in a file.

    >>> read_lemmas(["4 1 -2 0 3 1 0"])
    [Lemma(number=4, clause=(1, -2), hints=(3, 1))]
    """
    lemmas = []
    for where, numbers in number_lines(text, "proof.lrat"):
        if numbers.count(0) != 2 or numbers[-1] != 0 or numbers[0] <= 0:
            raise Failed(f"{where} is not a number, a clause and hints")
        middle = numbers.index(0)
        lemmas.append(Lemma(numbers[0], tuple(numbers[1:middle]), tuple(numbers[middle + 1 : -1])))
    return lemmas


def check_lemmas(clauses: Iterable[Clause], lemmas: Iterable[Lemma]) -> int:
    """Check that the lemmas derive the empty clause; returns how many there are.

    >>> check_lemmas([(1, 2), (-1,), (-2,)], [Lemma(4, (), (2, 1, 3))])
    1
    """
    known = dict(enumerate(clauses, start=1))
    for count, lemma in enumerate(lemmas, start=1):
        if lemma.number in known:
            raise Failed(f"the number {lemma.number} stands for two clauses of the proof")
        _follow(lemma, known)
        known[lemma.number] = lemma.clause
        if not lemma.clause:
            return count
    raise Failed("the proof does not reach the empty clause")


def _follow(lemma: Lemma, known: dict[int, Clause]) -> None:
    false = set(lemma.clause)
    for position, hint in enumerate(lemma.hints, start=1):
        clause = known.get(hint)
        if clause is None:
            raise Failed(f"clause {lemma.number} of the proof uses {hint}, which is not known by then")
        left = [literal for literal in clause if literal not in false]
        if not left:
            if position != len(lemma.hints):
                raise Failed(f"clause {lemma.number} of the proof goes on after it was proved")
            return
        if len(left) > 1:
            raise Failed(f"clause {lemma.number} of the proof does not follow: {hint} leaves a choice")
        # The one literal left is true, so its negation is false.
        false.add(-left[0])
    raise Failed(f"clause {lemma.number} of the proof does not follow from its hints")


SECONDS = 600


@dataclass(frozen=True)
class Program:
    """A checker: its name, the form of proof it reads, and what it prints when it agrees."""

    name: str
    drat: bool
    agrees: tuple[str, ...]


PROGRAMS = (
    Program("drat-trim", drat=True, agrees=("s VERIFIED",)),
    Program("lrat-check", drat=False, agrees=("c VERIFIED", "s VERIFIED")),
    Program("cake_lpr", drat=False, agrees=("s VERIFIED UNSAT",)),
)


def installed() -> list[Program]:
    """The programs found on PATH."""
    return [program for program in PROGRAMS if shutil.which(program.name)]


def ask(program: Program, instance: Path, proof: Path, lemmas: Sequence[Lemma]) -> str:
    """Let a program check the proof of an instance."""
    path = shutil.which(program.name)
    if path is None:
        raise Skipped("it is not on PATH")
    with tempfile.TemporaryDirectory(prefix="chordlearn-") as folder:
        given = proof.resolve()
        if program.drat:
            given = Path(folder) / "proof.drat"
            given.write_text("".join(f"{lemma.drat}\n" for lemma in lemmas), encoding="ascii")
        try:
            done = subprocess.run(
                [path, str(instance.resolve()), str(given)],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env={"PATH": os.environ.get("PATH", "")},
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Skipped(f"it did not end within {SECONDS} s") from None
        except OSError as error:
            raise Skipped(f"it cannot be started: {error.strerror}") from None
    said = done.stdout.decode(errors="replace").replace("\r", "\n").splitlines()
    if done.returncode != 0 or not any(line.strip() in program.agrees for line in said):
        raise Failed(f"the program does not accept proof.lrat: {said[-1] if said else 'it says nothing'}")
    return "accepts proof.lrat for instance.cnf"
