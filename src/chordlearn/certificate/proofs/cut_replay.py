"""The file cuts.txt followed to its end, with every number in it checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chordlearn.certificate.proofs.claim import Reader, numbers_in
from chordlearn.certificate.proofs.cuts import Edge, read_cuts, read_edge
from chordlearn.certificate.proofs.families import MOST_UNITS, UnitScores
from chordlearn.certificate.proofs.sets_left import SetsLeft
from chordlearn.certificate.results.report import Failed


@dataclass
class CutReplay:
    """What a replay found."""

    families: int = 0
    """So many families were looked into."""
    sets: int = 0
    """So many sets were left by the first prices."""
    cuts: int = 0
    cases: int = 0


def replay_cuts(
    file: Reader,
    scores: UnitScores,
    threshold: int,
    required: frozenset[Edge],
    progress: Callable[[str], object] = lambda _: None,
) -> CutReplay:
    """Follow the file, and check every number in it."""
    done = CutReplay()
    whole = _begin(file, scores, threshold, required, done, progress)
    done.sets = len(whole)
    waiting = [whole]
    while waiting:
        done.cases += 1
        progress(f"case {done.cases}, {len(waiting[-1]):,} sets left")
        waiting += _replay_case(file, waiting.pop(), threshold, done)
    file.end()
    return done


def _begin(
    file: Reader,
    scores: UnitScores,
    threshold: int,
    required: frozenset[Edge],
    done: CutReplay,
    progress: Callable[[str], object],
) -> SetsLeft:
    """All sets, or those that the first prices leave."""
    word = file.line()
    if word == "all":
        return SetsLeft(scores.n, scores.grow([], [], 0), required)
    if word != "prices":
        raise Failed(f"{file.where} should begin all or prices")
    cuts = read_cuts(file, scores.n, required)
    done.cuts += len(cuts)
    word, *rest = file.line().split(maxsplit=1)
    if word != "most" or not rest:
        raise Failed(f"{file.where} does not say what families are worth at most")
    most = numbers_in(rest[0], file.where)
    if len(most) != scores.n or max(map(abs, most)) > MOST_UNITS // scores.n:
        raise Failed(f"{file.where} has no number for every variable")
    scores.check_range(sum(map(abs, most)) + sum(cut.multiplier for cut in cuts) + abs(threshold))
    done.families = scores.check_most(cuts, most, progress)
    slack = sum(most) - sum(cut.constant for cut in cuts) - threshold
    left = SetsLeft(scores.n, scores.grow(cuts, most, slack), required)
    left.price(cuts)
    left.shrink(threshold)
    return left


def _replay_case(file: Reader, left: SetsLeft, threshold: int, done: CutReplay) -> list[SetsLeft]:
    """Follow the file to the end of a case; the cases into which it is split, the next one last."""
    while True:
        word, *rest = file.line().split(maxsplit=1)
        stated = numbers_in(rest[0], file.where) if rest else []
        if word == "closed" and not rest:
            if len(left):
                raise Failed(f"{file.where} comes too early: {len(left)} sets are left")
            return []
        if word == "left" and rest:
            if stated != [len(left)]:
                raise Failed(f"{file.where} should say that {len(left)} sets are left")
        elif word == "prices" and not rest:
            cuts = read_cuts(file, left.n, left.there)
            done.cuts += len(cuts)
            left.price(cuts)
            left.shrink(threshold)
        elif word == "split" and rest:
            edge = read_edge(stated, left.n, file.where)
            return [left.with_edge(edge), left.without_edge(edge)]
        else:
            raise Failed(f"{file.where} begins with {word[:20]!r}, which is out of place")
