"""Damaged files are read or refused in one sentence; none of them ends the process."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from chordlearn.data import read
from chordlearn.errors import InputError

ALLOCATION = Path(__file__).parents[3] / "shared" / "data" / "damaged" / "allocation.parquet"
DAMAGES = 400
READER = """
import sys
from chordlearn.data import read
from chordlearn.errors import InputError
for name in sys.stdin.read().split():
    try:
        print("read", read(name, missing="category").rows)
    except InputError as error:
        print("refused", error)
"""
"""A process of its own, because what is tested is whether it lives."""


def read_in_a_process(paths: list[Path]) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", READER], input="\n".join(map(str, paths)), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    answers = run.stdout.splitlines()
    assert len(answers) == len(paths)
    return answers


def parquet(frame: pl.DataFrame, compression: Any) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, compression=compression)
    return file.getvalue()


@pytest.mark.skipif(not ALLOCATION.exists(), reason="the shared data are not there")
def test_page_with_a_negative_number_of_values() -> None:
    (answer,) = read_in_a_process([ALLOCATION])
    assert answer == f"refused {ALLOCATION} is not a Parquet file or is damaged; write it again."


def test_random_damage(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a": ["x", "y"] * 300, "b": [1, 2, None] * 200, "c": [str(i % 40) for i in range(600)]}
    )
    whole = [parquet(frame, kind) for kind in ("zstd", "snappy", "uncompressed")]
    whole += [gzip.compress(frame.write_csv().encode(), mtime=0)]
    chance = random.Random(1)
    paths = []
    for i in range(DAMAGES):
        content = bytearray(whole[i % len(whole)])
        for _ in range(chance.choice([1, 1, 2, 5])):
            content[chance.randrange(4, len(content))] = chance.choice([255, 128, chance.randrange(256)])
        if i % 10 == 0:
            del content[chance.randrange(4, len(content)) :]
        paths.append(tmp_path / f"{i}.{'csv.gz' if i % len(whole) == len(whole) - 1 else 'parquet'}")
        paths[-1].write_bytes(content)
    answers = read_in_a_process(paths)
    refused = [answer for answer in answers if answer.startswith("refused")]
    assert len(refused) > DAMAGES // 2


def test_every_damaged_page_count_is_found(tmp_path: Path) -> None:
    """Each byte in turn, of a file that is mostly page headers."""
    content = parquet(pl.DataFrame({"a": ["x", "y"] * 300, "b": [1, 2] * 300}), "zstd")
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    paths = []
    for place in range(4, footer):
        changed = bytearray(content)
        changed[place] = 255
        paths.append(tmp_path / f"{place}.parquet")
        paths[-1].write_bytes(changed)
    answers = read_in_a_process(paths)
    assert any(answer.startswith("refused") for answer in answers)


@pytest.mark.parametrize("suffix", ["parquet", "csv.gz"])
def test_damaged_part_among_many_is_named(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({"a": ["x", "y"] * 300, "b": [1, 2] * 300})
    content = parquet(frame, "zstd") if suffix == "parquet" else gzip.compress(frame.write_csv().encode())
    for i in range(8):
        Path(tmp_path, f"part-{i}.{suffix}").write_bytes(content)
    Path(tmp_path, f"part-5.{suffix}").write_bytes(content[:30] + b"\xff" * 20 + content[50:])
    with pytest.raises(InputError, match=r"part-5\..* damaged"):
        read(f"{tmp_path}/part-*.{suffix}")


def test_sound_files_of_other_writers_are_read(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet_of_arrow = pytest.importorskip("pyarrow.parquet")
    values = {"a": ["x", None, "y"] * 300, "b": [1, 2, 3] * 300}
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            path = tmp_path / f"{version}-{dictionary}.parquet"
            parquet_of_arrow.write_table(
                arrow.table(values), path, data_page_version=version, use_dictionary=dictionary,
                data_page_size=100, row_group_size=250,
            )  # fmt: skip
            assert read(path, missing="category").rows == 900
