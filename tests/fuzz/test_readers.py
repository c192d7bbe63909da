"""Whatever is in a file, its reader ends soon, takes little memory, and succeeds or says why not."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.edits import Edit, damaged, edits, rubbish
from fuzz.endurance import endure, examples
from fuzz.readers import JSON_READERS, READERS, JsonReader, Reader
from fuzz.values import Change, changed, changes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def place(folder: Path, reader: Reader | JsonReader, content: bytes) -> Path:
    path = folder / f"document{reader.suffix}"
    path.write_bytes(content)
    return path


@cache
def read_whole(reader: Reader | JsonReader, folder: Path) -> None:
    """Once: what is loaded when it is first run is not counted against a damaged document."""
    document = reader.documents()[0]
    reader.read(place(folder, reader, reader.write(document) if isinstance(reader, JsonReader) else document))


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_valid_documents_are_read(reader: Reader, folder: Path) -> None:
    reader.read(place(folder, reader, reader.documents()[0]))


@pytest.mark.parametrize("reader", JSON_READERS, ids=str)
def test_valid_json_is_read(reader: JsonReader, folder: Path) -> None:
    for document in reader.documents():
        reader.read(place(folder, reader, reader.write(document)))


@pytest.mark.parametrize("reader", READERS, ids=str)
@examples(60)
@given(data=st.data(), damage=edits)
def test_damaged_documents(reader: Reader, folder: Path, data: st.DataObject, damage: list[Edit]) -> None:
    read_whole(reader, folder)
    document = data.draw(st.sampled_from(reader.documents()))
    path = place(folder, reader, damaged(document, damage))
    endure(lambda: reader.read(path))


@pytest.mark.parametrize("reader", JSON_READERS, ids=str)
@examples(60)
@given(data=st.data(), altered=changes)
def test_changed_json(reader: JsonReader, folder: Path, data: st.DataObject, altered: list[Change]) -> None:
    read_whole(reader, folder)
    document: Any = data.draw(st.sampled_from(reader.documents()))
    path = place(folder, reader, reader.write(changed(document, altered)))
    endure(lambda: reader.read(path))


@pytest.mark.parametrize("reader", JSON_READERS, ids=str)
@examples(15)
@given(data=st.data(), damage=edits)
def test_damaged_json(reader: JsonReader, folder: Path, data: st.DataObject, damage: list[Edit]) -> None:
    read_whole(reader, folder)
    document = reader.write(data.draw(st.sampled_from(reader.documents())))
    path = place(folder, reader, damaged(document, damage))
    endure(lambda: reader.read(path))


@pytest.mark.parametrize("reader", [*READERS, *JSON_READERS], ids=str)
@examples(10)
@given(content=rubbish)
def test_rubbish(reader: Reader | JsonReader, folder: Path, content: bytes) -> None:
    read_whole(reader, folder)
    path = place(folder, reader, content)
    endure(lambda: reader.read(path))
