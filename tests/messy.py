"""Ten tables as people have them, each with what should be found in it."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Messy:
    """A table and the verdicts that some of its columns should get."""

    name: str
    header: Sequence[str]
    rows: Callable[[random.Random], list[Sequence[Any]]]
    verdicts: dict[str, str]
    left: set[str]
    """The variables that remain to be learned from; none if there is nothing to learn."""
    delimiter: str = ","

    def write(self, folder: Path) -> Path:
        """Write the table into a folder."""
        lines = [self.header, *self.rows(random.Random(self.name))]
        path = folder / self.name
        text = "\n".join(self.delimiter.join(map(self._cell, line)) for line in lines)
        path.write_text(text + "\n", encoding="utf-8")
        return path

    def _cell(self, value: Any) -> str:
        text = "" if value is None else str(value)
        return json.dumps(text, ensure_ascii=False) if self.delimiter in text or " " in text else text


def _survey(draw: random.Random) -> list[Sequence[Any]]:
    agree = ["agree", "neutral", "disagree", None]
    return [
        (
            f"R_{draw.getrandbits(48):012x}",
            f"2024-03-{1 + number % 28:02d} {number % 24:02d}:{number % 60:02d}:00",
            draw.choice(agree),
            draw.choice(agree),
            draw.randint(1, 5),
            draw.randint(18, 95),
            f"I think that {number} is enough" if draw.random() < 0.1 else None,
        )
        for number in range(300)
    ]


def _lab(draw: random.Random) -> list[Sequence[Any]]:
    found: list[Sequence[Any]] = []
    for number in range(250):
        ill = draw.random() < 0.4
        crp = draw.expovariate(0.05 if ill else 0.5)
        shown = "<0.3" if crp < 0.3 else "haemolysed" if draw.random() < 0.02 else f"{crp:.1f}"
        found.append(
            (number + 1, "ill" if ill else "well", shown, f"{draw.gauss(5, 1):.2f}", draw.choice("mf"))
        )
    return found


def _log(draw: random.Random) -> list[Sequence[Any]]:
    start = datetime.datetime(2024, 5, 1)
    return [
        (
            (start + datetime.timedelta(seconds=61 * number)).isoformat() + "Z",
            draw.choice(["INFO", "INFO", "WARN", "ERROR"]),
            f"10.0.{draw.randint(0, 9)}.{draw.randint(0, 255)}",
            draw.choice([200, 200, 304, 404, 500]),
            int(draw.lognormvariate(7, 2)),
            f"request {number} done, in {draw.randint(1, 900)} ms",
        )
        for number in range(400)
    ]


def _spreadsheet(draw: random.Random) -> list[Sequence[Any]]:
    return [
        (
            draw.choice(["Nord", "Süd", "West"]),
            f"{draw.gauss(70, 12):.1f}".replace(".", ","),
            f"{draw.randint(1, 28)}.{draw.randint(1, 12)}.{draw.randint(1990, 2020)}",
            draw.choice(["ja", "nein"]),
            None,
        )
        for _ in range(200)
    ]


def _contingency(draw: random.Random) -> list[Sequence[Any]]:
    return [
        (a, b, c, draw.randint(0, 60)) for a in ("low", "mid", "high") for b in ("yes", "no") for c in "xyz"
    ]


def _one_hot(draw: random.Random) -> list[Sequence[Any]]:
    found: list[Sequence[Any]] = []
    for _ in range(150):
        colour = draw.choice("rgb")
        is_male = draw.random() < 0.5
        found.append((*(int(colour == one) for one in "rgb"), int(is_male), int(not is_male), 1))
    return found


def _identifiers(draw: random.Random) -> list[Sequence[Any]]:
    return [
        (
            number,
            f"AB-{draw.randint(0, 10**9):09d}",
            7 * number + 100_000,
            f"{draw.randint(1, 12)}/{draw.randint(1, 28)}/{draw.randint(1950, 2005)}",
            draw.choice("AB0"),
            draw.choice("+-"),
        )
        for number in range(1, 181)
    ]


def _nothing(draw: random.Random) -> list[Sequence[Any]]:
    return [(None, "NA", "?") for _ in range(draw.randint(20, 30))]


def _ten_thousand(draw: random.Random) -> list[Sequence[Any]]:
    return [(f"s{number % 10_001}", draw.choice("xy"), draw.choice("uvw")) for number in range(20_002)]


def _cjk(draw: random.Random) -> list[Sequence[Any]]:
    return [
        (
            draw.choice("男女"),
            draw.choice(["東京", "大阪", "名古屋"]),
            f"{draw.gauss(60, 9):.1f}",
            draw.choice(["是", "否"]),
        )
        for _ in range(220)
    ]


MESSY = (
    Messy(
        "survey export.csv",
        ("ResponseId", "Recorded Date", "Q1, agree?", "Q2", "Q3", "age", "Other (please say)"),
        _survey,
        {
            "ResponseId": "row identifier",
            "Recorded Date": "date",
            "Q3": "fine",
            "age": "numbers to cut",
            "Other (please say)": "mostly missing",
        },
        {"Q1, agree?", "Q2", "Q3", "age"},
    ),
    Messy(
        "lab.csv",
        ("", "group", "crp [mg/l]", "potassium", "sex"),
        _lab,
        {"column 1": "row identifier", "crp [mg/l]": "numbers to cut", "potassium": "numbers to cut"},
        {"group", "crp [mg/l]", "potassium", "sex"},
    ),
    Messy(
        "access log.txt",
        ("time", "level", "host", "status", "bytes", "message"),
        _log,
        {
            "time": "date",
            "host": "too many states",
            "status": "fine",
            "bytes": "numbers to cut",
            "message": "row identifier",
        },
        {"level", "status", "bytes"},
    ),
    Messy(
        "tabelle.csv",
        ("Region", "Gewicht=kg", "Datum", "Raucher", "Bemerkung"),
        _spreadsheet,
        {"Gewicht=kg": "numbers to cut", "Datum": "date", "Raucher": "fine", "Bemerkung": "all missing"},
        {"Region", "Gewicht=kg", "Raucher"},
        ";",
    ),
    Messy(
        "contingency.csv",
        ("dose", "cured", "clinic", "Freq"),
        _contingency,
        {"Freq": "counts", "dose": "fine"},
        {"dose", "cured", "clinic"},
    ),
    Messy(
        "one-hot.csv",
        ("colour_r", "colour_g", "colour_b", "sex_m", "sex_f", "is_person"),
        _one_hot,
        {"is_person": "constant", "sex_m": "fine"},
        {"colour_r", "colour_g", "colour_b", "sex_m", "sex_f", "is_person"},
    ),
    Messy(
        "-identifiers.csv",
        ("row", "passport", "patient_id", "born", "blood group", "rhesus 'factor'"),
        _identifiers,
        {
            "row": "row identifier",
            "passport": "row identifier",
            "patient_id": "row identifier",
            "born": "date",
            "rhesus 'factor'": "fine",
        },
        {"blood group", "rhesus 'factor'"},
    ),
    Messy("nothing.csv", ("a", "b", "c"), _nothing, dict.fromkeys("abc", "all missing"), set()),
    Messy("states.csv", ("code", "a", "b"), _ten_thousand, {"code": "too many states"}, {"a", "b"}),
    Messy(
        "調査.csv",
        ("性別", "都市", "体重", "同意, はい？"),
        _cjk,
        {"性別": "fine", "体重": "numbers to cut"},
        {"性別", "都市", "体重", "同意, はい？"},
    ),
)
