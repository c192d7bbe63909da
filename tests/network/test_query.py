"""Questions as text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.errors import InputError
from chordlearn.network.evidence import parse_evidence, parse_query

WORDS = st.text(min_size=1, max_size=8)


def quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


@settings(deadline=None, max_examples=100)
@given(st.lists(WORDS, min_size=3, max_size=3, unique=True), WORDS, WORDS, st.floats(0, 10))
def test_quoted_words_may_be_anything(names: list[str], state: str, other: str, weight: float) -> None:
    a, b, c = map(quoted, names)
    query = parse_query(f" P ( {a} , {b} = {quoted(state)} | {c}={{{quoted(other)}: {weight}}} ) ")
    assert query.targets == ((names[0], None), (names[1], state))
    assert query.given == {names[2]: {other: weight}}


def test_bare_words() -> None:
    query = parse_query("p(blood pressure, X=>=2.5 | age=1..2, y = <1)")
    assert query.targets == (("blood pressure", None), ("X", ">=2.5"))
    assert query.given == {"age": "1..2", "y": "<1"}
    assert parse_evidence("a='it, too'") == {"a": "it, too"}


def test_evidence_that_cannot_be_understood_gets_its_own_sentence() -> None:
    with pytest.raises(InputError, match=r"The evidence 'B' cannot be understood.* B=yes, C=no\."):
        parse_evidence("B")


@pytest.mark.parametrize(
    "text",
    [
        "", "P", "P(", "P()", "P(a", "P(a,)", "P(a|)", "P(a|b)", "P(a|b=)", "P(a|b=1,)", "P(a|b=1,b=2)",
        "P(a) b", "P(a|b={)", "P(a|b={x})", "P(a|b={x:})", "P(a|b={x:y})", "P(a|b={x:1)", "P('a)", "Q(a)",
        "P(a|b=1|c=2)", "__import__('os')", "P(a=)",
    ],
)  # fmt: skip
def test_what_cannot_be_understood_gets_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"cannot be understood.*write for example P\(A"):
        parse_query(text)
