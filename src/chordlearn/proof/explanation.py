"""The README.txt of a proof: what each file says, and how to check it without chordlearn."""

from __future__ import annotations

from collections.abc import Collection
from importlib.resources import files

from chordlearn.checking import claim as claims
from chordlearn.result import Result


def explanation(result: Result, names: Collection[str]) -> str:
    """The text, in plain words, about files of these names."""
    text = _text("proof.txt").format(
        variables=len(result.variables), score=result.score, tolerance=result.tolerance
    )
    for name, about in (
        (claims.BOUNDS, "bounds.txt"),
        (claims.INSTANCE, "instance.txt"),
        (claims.CUTS, "cuts.txt"),
    ):
        if name in names:
            text += _text(about)
    return text


def _text(name: str) -> str:
    return (files("chordlearn.proof") / "texts" / name).read_text(encoding="utf-8")
