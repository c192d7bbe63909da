"""The README.txt of a proof: what each file says, and how to check it without chordlearn."""

from __future__ import annotations

from importlib.resources import files

from chordlearn.result import Result


def explanation(result: Result, *, with_instance: bool) -> str:
    """The text, in plain words."""
    text = _text("proof.txt").format(
        variables=len(result.variables), score=result.score, tolerance=result.tolerance
    )
    return text + (_text("instance.txt") if with_instance else "")


def _text(name: str) -> str:
    return (files("chordlearn.proof") / "texts" / name).read_text(encoding="utf-8")
