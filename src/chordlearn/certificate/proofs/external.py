"""Proof checkers that others wrote, called where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chordlearn.certificate.proofs.lrat import Lemma
from chordlearn.certificate.results.report import Failed, Skipped

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
