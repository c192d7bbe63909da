"""Cussens' format of local scores, as GOBNILP and BBMarkov read it.

The first line holds the number of variables. Then comes a block for each variable: a line with its name and
the number of its parent sets, and a line for each of these with the local score, the number of parents and
their names. BBMarkov demands the numbers 0 to n−1 for names, so these are written, and the names are lost;
when they are read, the variables are called x0, x1, …

The local score of i given the parents P is w(i, P) = v(P ∪ {i}) − v(P). A chordal network needs it for every
P up to some size, so a list from which dominated parent sets were pruned (as is usual for Bayesian networks)
is refused. v is recovered by adding up w along the order of the variables. Every other order must give the
same v, up to what files written in single precision show: 1e-4 plus a millionth of the score.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chordlearn.graphs import mask_of
from chordlearn.scores.score_text import (
    ScoreText,
    check_variables,
    default_names,
    first_missing,
    format_score,
    make_table,
    masks_up_to,
)
from chordlearn.scores.table import ScoreTable


def matches(text: ScoreText) -> bool:
    """Whether the first line is a positive whole number and the second a name and a whole number."""
    first, second = text.words(0), text.words(1)
    return (
        len(first) == 1
        and first[0].isdigit()
        and first[0].strip("0") != ""
        and (not second or (len(second) == 2 and second[1].isdigit()))
    )


def read(text: ScoreText) -> ScoreTable:
    """The table in a file."""
    if len(text.words(0)) != 1:
        raise text.error(0, "there should be one number, of variables")
    n = text.whole(text.filled[0], text.words(0)[0], "the number of variables")
    check_variables(text, text.filled[0], n, tables=n + 2)
    heads = _block_heads(text, n)
    names = list(heads)
    index = {name: i for i, name in enumerate(names)}
    given: list[dict[int, float]] = [{} for _ in names]
    for child, (name, (start, size)) in enumerate(heads.items()):
        for k in range(start, start + size):
            score, parents = _parent_set(text, k, index)
            if child in parents:
                raise text.error(text.filled[k], f"the variable {name} is its own parent")
            mask = mask_of(parents)
            if mask in given[child]:
                raise text.error(text.filled[k], f"the parent set is given to {name} a second time")
            given[child][mask] = score
    numbered = names == [str(i) for i in range(n)]
    max_size = _largest_set(text, given, names)
    local = np.full((n, 1 << n), -np.inf)
    for child, scores in enumerate(given):
        local[child, list(scores)] = list(scores.values())
    values = _add_up(text, local, names)
    return make_table(text, default_names(n) if numbered else tuple(names), values, max_size)


def lines(table: ScoreTable) -> Iterator[str]:
    """The lines of a file: for each variable all parent sets, in increasing order of bit masks."""
    masks = masks_up_to(table.n, table.max_size - 1)
    yield str(table.n)
    for child in range(table.n):
        bit = 1 << child
        parent_sets = masks[(masks & bit) == 0]
        yield f"{child} {len(parent_sets)}"
        with_child = table.values[parent_sets | bit]
        # Below a set that is forbidden everything is, so v(P) = −∞ needs no local score of its own.
        allowed = np.isfinite(with_child) & np.isfinite(table.values[parent_sets])
        local = np.full(len(parent_sets), -np.inf)
        local[allowed] = with_child[allowed] - table.values[parent_sets[allowed]]
        for mask, score in zip(parent_sets.tolist(), local.tolist(), strict=True):
            parents = [str(i) for i in range(table.n) if mask >> i & 1]
            yield " ".join([format_score(score), str(len(parents)), *parents])


def _block_heads(text: ScoreText, n: int) -> dict[str, tuple[int, int]]:
    """For each variable, the place of its first parent set among the filled lines, and their number."""
    heads: dict[str, tuple[int, int]] = {}
    k = 1
    while len(heads) < n:
        if k >= len(text.filled):
            raise text.error(len(text.lines), f"{n} variables are announced but there are only {len(heads)}")
        words, line = text.words(k), text.filled[k]
        if len(words) != 2:
            raise text.error(line, "there should be the name of a variable and the number of its parent sets")
        if words[0] in heads:
            raise text.error(line, f"the variable {words[0]} comes a second time")
        size = text.whole(line, words[1], "the number of parent sets")
        heads[words[0]] = (k + 1, size)
        k += 1 + size
    if k > len(text.filled):
        raise text.error(len(text.lines), "parent sets of the last variable are missing")
    if k < len(text.filled):
        raise text.error(text.filled[k], "there is something after the last parent set")
    return heads


def _parent_set(text: ScoreText, k: int, index: dict[str, int]) -> tuple[float, set[int]]:
    words, line = text.words(k), text.filled[k]
    if len(words) < 2:
        raise text.error(line, "there should be a score, the number of parents and the parents")
    score = text.score(line, words[0])
    size = text.whole(line, words[1], "the number of parents")
    names = words[2:]
    if size != len(names) or size != len(set(names)):
        raise text.error(
            line, f"{size} different parents are announced but {' '.join(names) or 'none'} given"
        )
    for name in names:
        if name not in index:
            raise text.error(line, f"there is no variable {name}")
    return score, {index[name] for name in names}


def _largest_set(text: ScoreText, given: list[dict[int, float]], names: list[str]) -> int:
    largest = max((mask.bit_count() for scores in given for mask in scores), default=0)
    for child, name in enumerate(names):
        others = [i for i in range(len(names)) if i != child]
        missing = first_missing(given[child], others, largest)
        if missing is not None:
            parents = [names[i] for i in missing]
            raise text.error(
                len(text.lines),
                f"{name} lacks its score for the parents {', '.join(parents) or '(none)'}: a chordal network "
                f"needs all parent sets of at most {largest}, none of them pruned",
            )
    return largest + 1


def _add_up(text: ScoreText, local: NDArray[np.float64], names: list[str]) -> NDArray[np.float64]:
    n = len(names)
    values = np.zeros(1 << n)
    for i in range(n):
        values[1 << i : 2 << i] = values[: 1 << i] + local[i, : 1 << i]
    masks = np.arange(1 << n)
    for i in range(n):
        without = masks[(masks >> i & 1) == 0]
        expected, found = values[without] + local[i, without], values[without | 1 << i]
        both = np.isfinite(expected) & np.isfinite(found)
        wrong = np.isfinite(expected) != np.isfinite(found)
        wrong[both] = np.abs(expected[both] - found[both]) > 1e-4 + 1e-6 * np.abs(found[both])
        if wrong.any():
            members = int(without[wrong][0]) | 1 << i
            given = ", ".join(names[j] for j in range(n) if members >> j & 1)
            raise text.error(
                len(text.lines),
                f"the local scores of {given} add up to {expected[wrong][0]:.6f} or {found[wrong][0]:.6f}, "
                "depending on the order, so they are not those of a chordal network",
            )
    return values
