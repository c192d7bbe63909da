"""The JSON Schema of the result; ``python tests/result_schema.py`` writes it anew into docs/reference."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from chordlearn.network.result import INFINITIES, Result

PATH = Path(__file__).resolve().parent.parent / "docs" / "reference" / "result.schema.json"


def schema_text() -> str:
    """What the fields of :class:`Result` say."""
    schema = msgspec.json.schema(Result)
    fields = schema["$defs"].pop("Result") | {"title": "A result of chordlearn"}
    for name in INFINITIES:
        fields["properties"][name]["type"] = ["number", "null"]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(head | fields | {"$defs": schema["$defs"]}, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
