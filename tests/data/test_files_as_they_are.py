"""Tables as other programs write them: encodings, delimiters, and files that are no tables."""

from __future__ import annotations

import codecs
import gzip
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from chordlearn.data import Dataset, read
from chordlearn.data.data_files import open_parts
from chordlearn.errors import InputError

TABLE = "größe;ort;note\n" + "3,14;Zürich;gut\n2,5;Genève;„mäßig“ €\n3,14;Zürich;gut\n" * 4
WITH_BREAKS = 'größe,ort\n"1\n2",Zürich\n1,Genève\n"é\n2",Genève\n'


def written(folder: Path, content: bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def same(one: Dataset, other: Dataset) -> bool:
    return (one.variables, one.states, one.sha256) == (other.variables, other.states, other.sha256)


ENCODED = {
    "Windows-1252": (lambda text: text.encode("cp1252"), "is not UTF-8 throughout"),
    "UTF-16, little end first": (lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"), "is UTF-16"),
    "UTF-16, big end first": (lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"), "is UTF-16"),
    "UTF-16 without a mark": (lambda text: text.encode("utf-16-le"), "is UTF-16"),
    "UTF-16 without a mark, big end first": (lambda text: text.encode("utf-16-be"), "is UTF-16"),
    "UTF-8 with a mark": (lambda text: codecs.BOM_UTF8 + text.encode(), None),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("text", [TABLE, WITH_BREAKS, TABLE.replace("\n", "\r\n")])
@pytest.mark.parametrize("encoding", ENCODED)
def test_other_encodings_are_read_with_a_note(tmp_path: Path, encoding: str, text: str, packed: bool) -> None:
    encode, phrase = ENCODED[encoding]
    options: dict[str, Any] = {"drop": "größe"} if text == WITH_BREAKS else {"discretize": "größe=keep"}
    expected = read(written(tmp_path, text.encode(), "utf8.csv"), **options)
    content = gzip.compress(encode(text)) if packed else encode(text)
    path = written(tmp_path, content, "table.csv.gz" if packed else "table.csv")
    found = read(path, **options)
    assert same(found, expected)
    assert not expected.notes
    if phrase is None:
        assert not found.notes
    else:
        (note,) = found.notes
        assert note.startswith(f"{path} {phrase}")


def test_rows_in_order_are_the_same_in_every_encoding(tmp_path: Path) -> None:
    path = written(tmp_path, TABLE.encode("cp1252"))
    assert next(open_parts([path]).batches([1], True))["0"].to_list()[:2] == ["Zürich", "Genève"]


def test_latin_1_far_behind_ascii_is_read(tmp_path: Path) -> None:
    lines = [b"a,b\n", *[b"1,x\n"] * 3_000_000, "2,é\n".encode("latin-1")]
    data = read(written(tmp_path, b"".join(lines)))
    assert data.states == (("1", "2"), ("x", "é"))
    assert data.notes


def test_a_file_put_together_of_both_is_read(tmp_path: Path) -> None:
    data = read(written(tmp_path, "a,b\n1,é\n".encode() + "2,é\n".encode("latin-1")))
    assert data.states[1] == ("é",)


def test_notes_of_parts_name_their_files(tmp_path: Path) -> None:
    written(tmp_path, "a,b\n1,é\n".encode(), "part-0.csv")
    second = written(tmp_path, "a,b\n2,é\n".encode("latin-1"), "part-1.csv")
    data = read(f"{tmp_path}/part-*.csv")
    assert data.states[1] == ("é",)
    assert [note.split(" is ")[0] for note in data.notes] == [str(second)]


def test_the_command_line_prints_the_note_and_the_result_holds_it(tmp_path: Path) -> None:
    path = written(tmp_path, ("a,b\n" + "ja,é\nnein,e\n" * 9).encode("latin-1"))
    run = subprocess.run(
        [sys.executable, "-m", "chordlearn", "learn", str(path), "--json", "-"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    note = f"{path} is not UTF-8 throughout; what is not was read as Windows-1252 (Western European)."
    assert f"chordlearn: {note}\n" in run.stderr
    assert note in run.stdout


@pytest.mark.parametrize(
    ("text", "variables", "states"),
    [
        ("a;b\n3,14;x\n2,5;y\n3,14;y\n", ("a", "b"), ("2,5", "3,14")),
        ("a\tb\n3,14\tx\n2,5\ty\n", ("a", "b"), ("2,5", "3,14")),
        ("a|b\n1|x\n2|y\n", ("a", "b"), ("1", "2")),
        ("name, first;age\nAnn;x\nBo;y\n", ("name, first", "age"), ("Ann", "Bo")),
        ("name, first;size\nAnn;3,5\nBo;4,0\n", ("name, first", "size"), ("Ann", "Bo")),
        ('"a;1",b\n1,x\n2,y\n', ("a;1", "b"), ("1", "2")),
        ("a,b;c\n1,x;y\n2,z;y\n", ("a", "b;c"), ("1", "2")),
        ("a,b;c;d\n1,x\n2,z\n", ("a", "b;c;d"), ("1", "2")),
        ("sep=;\na,b;c\n1;x,y\n2;z\n", ("a,b", "c"), ("1", "2")),
        ('"sep=|"\n\na;b;d|c\n1;5|x\n2|z\n', ("a;b;d", "c"), ("1;5", "2")),
    ],
)
def test_delimiters(tmp_path: Path, text: str, variables: tuple[str, ...], states: tuple[str, ...]) -> None:
    """Before anything is taken for a number, so that "3,14" is a text."""
    path = written(tmp_path, text.encode())
    table = open_parts([path])
    assert tuple(table.names) == variables
    assert {state for batch in table.batches([0], True) for state in batch["0"]} == set(states)


def test_a_first_line_that_seems_to_be_data_is_mentioned(tmp_path: Path) -> None:
    data = read(written(tmp_path, b"39,private,77516\n50,state,83311\n50,state,83311\n"))
    assert data.variables == ("39", "private", "77516")
    (note,) = data.notes
    assert note.endswith("such as '39'; if it holds data, put a line of names before it.")
    assert not read(written(tmp_path, b"sex,2019,2020,2021\nf,1,2,1\nm,2,2,2\n")).notes


def workbook(path: Path) -> None:
    """The least that a spreadsheet program opens."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>'
        '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row></sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}')


def test_excel_workbook(tmp_path: Path) -> None:
    path = tmp_path / "survey.xlsx"
    workbook(path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path} is an Excel workbook (.xlsx); save its sheet as CSV, "
        "in a spreadsheet program with File, Save As."
    )


def zipped(*names: str) -> bytes:
    import io

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, "application/vnd.oasis.opendocument.spreadsheet" * (name == "mimetype"))
    return file.getvalue()


FOREIGN = {
    "zip": (zipped("table.csv"), "a zip archive"),
    "docx": (zipped("[Content_Types].xml", "word/document.xml"), "a text document"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), "an Excel workbook (.xls)"),
    "web page": (b"\r\n<!DOCTYPE html>\n<html><body>Sign in</body></html>", "a web page"),
    "SPSS": (b"$FL2@(#) SPSS DATA FILE - spssio64.dll   " + bytes(100), "an SPSS file"),
    "R data frame": (gzip.compress(b"X\n\0\0\0\x03\0\4\2\1"), "a file of R"),
    "R workspace": (gzip.compress(b"RDX3\nX\n\0\0\0\x03"), "a file of R"),
    "bzip2": (b"BZh91AY&SY", "compressed, but not with gzip"),
    "SAS": (bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"), "a SAS file"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_get_a_sentence(tmp_path: Path, kind: str) -> None:
    content, phrase = FOREIGN[kind]
    path = written(tmp_path, content, "table.csv")
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path} is {phrase}")
    assert ";" in str(caught.value)


def test_spreadsheet_of_libreoffice(tmp_path: Path) -> None:
    path = tmp_path / "t.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    with pytest.raises(InputError, match=r"OpenDocument spreadsheet \(\.ods\); save its sheet as CSV"):
        read(path)


def test_real_files_of_other_programs(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    frame.to_stata(tmp_path / "t.dta")
    for version in (117, 118):
        frame.to_stata(tmp_path / f"t{version}.dta", version=version)
    frame.to_feather(tmp_path / "t.feather")
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("create table t (a text)")
    connection.close()
    for name, phrase in {
        "t.dta": "a Stata file",
        "t117.dta": "a Stata file",
        "t118.dta": "a Stata file",
        "t.feather": "an Arrow",
        "t.db": "an SQLite database",
    }.items():
        with pytest.raises(InputError, match=f"is {phrase}"):
            read(tmp_path / name)
