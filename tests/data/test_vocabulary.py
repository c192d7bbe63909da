"""Distinct values of every type, the labels they become, and the order of labels."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chordlearn.data.coding import Tally, Vocabulary, as_labels, code_columns, coded, labels_of, sorted_states

COLUMNS = {
    "small integers": pl.Series([3, -1, 3, None, 7], dtype=pl.Int8),
    "large integers": pl.Series([10**18, -(10**18), None, 10**18, 5]),
    "the largest": pl.Series([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=pl.UInt64),
    "wide integers": pl.Series([2**100, 1, 2**100], dtype=pl.Int128),
    "floats": pl.Series([0.5, None, -0.0, 0.0, 1e300]),
    "flags": pl.Series([True, None, False, True]),
    "texts": pl.Series(["a", "b", None, "a", ""]),
    "categories": pl.Series(["a", None, "b", "a"], dtype=pl.Categorical),
    "enum": pl.Series(["c", None, "a", "c"], dtype=pl.Enum(["a", "b", "c"])),
    "dates": pl.Series([dt.date(2020, 1, 2), None, dt.date(1970, 1, 1), dt.date(2020, 1, 2)]),
    "times": pl.Series([dt.datetime(2020, 1, 2, 3), dt.datetime(2020, 1, 2, 3), None]),
    "decimals": pl.Series([Decimal("1.50"), None, Decimal("2.25"), Decimal("1.50")]),
    "nothing": pl.Series([None, None]),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("long", [1, 1 << 16])
def test_every_value_finds_its_label(kind, long):
    column = COLUMNS[kind].alias("0")
    vocabulary = Vocabulary()
    with patch("chordlearn.data.coding.LONG_BATCH", long):
        for rows in (column, column.reverse(), column):
            (codes,) = coded(rows.to_frame(), [vocabulary])
            (labels,) = labels_of([vocabulary])
            assert labels.gather(codes).to_list() == as_labels(rows, "").to_list()
    assert vocabulary.size == column.n_unique()


@given(st.lists(st.lists(st.tuples(*[st.none() | st.sampled_from("abcdef")] * 2)), max_size=6))
def test_labels_keep_their_codes(batches):
    vocabularies, found = [Vocabulary(), Vocabulary()], []
    batches = [batch for batch in batches if batch]
    for batch in batches:
        frame = pl.DataFrame(batch, schema={"0": pl.String, "1": pl.String}, orient="row")
        found.append(coded(frame, vocabularies))
    for place, vocabulary in enumerate(vocabularies):
        values = [row[place] for batch in batches for row in batch]
        assert vocabulary.size == len(set(values))
        if batches:
            labels = labels_of(vocabularies)[place]
            codes = np.concatenate([codes[place] for codes in found])
            assert labels.gather(codes).to_list() == values


TEXT = st.one_of(
    st.text("0123456789+-.eEinfINF", max_size=6),
    st.text(max_size=4),
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(
        ["Infinity", "1e400", "-1e400", "1_0", "0x1", "١", "1.", ".5", "+5", "1e5", "nan", "NAN", "1 2"]
    ),
)


def by_python(text: str) -> float | None:
    try:
        return float(text) if set(text) <= set("0123456789+-.eEinfINF") else None
    except ValueError:
        return None


@given(st.lists(TEXT.filter(lambda text: text != "?"), min_size=1, max_size=5))
def test_numbers_are_those_of_python(texts):
    expected = [by_python(text) for text in texts]
    _, _, found = next(sorted_states([pl.Series(texts)]))
    if None in expected:
        assert found is None
    else:
        assert found is not None and found.tolist() == sorted(
            dict(zip(texts, expected, strict=True)).values()
        )


@given(
    st.lists(
        st.lists(st.one_of(st.none(), TEXT.filter(lambda text: text != "?")), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    )
)
def test_states_are_sorted_and_each_label_finds_its_own(columns):
    tallies = [
        Tally(pl.Series(labels, dtype=pl.String), np.ones(len(labels), bool), np.arange(len(labels)))
        for labels in columns
    ]
    coded = code_columns([str(index) for index in range(len(columns))], tallies, [None] * len(columns))
    for labels, column in zip(columns, coded, strict=True):
        states = column.states.to_list()
        texts = sorted({label for label in labels if label is not None})
        numbers = [by_python(text) for text in texts]
        if None not in numbers:
            texts = [text for _, text in sorted(zip(numbers, texts, strict=True))]
        assert states == texts + ["?"] * (None in labels)
        assert [states[place] for place in column.places] == [
            "?" if label is None else label for label in labels
        ]
        assert column.counts.sum() == sum(range(len(labels)))
