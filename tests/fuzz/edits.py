"""Damage to valid documents, byte by byte and line by line; hypothesis chooses where."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable

from hypothesis import strategies as st

Edit = tuple[str, int, int, bytes]
"""What to do, two places (taken modulo what there is), and a token."""

NUMBERS = (
    b"0", b"-0", b"1", b"-1", b"2", b"12", b"31", b"64", b"999", b"0.5", b"1e308", b"1e999", b"-1e-320",
    b"NaN", b"nan",
    b"-Infinity", b"inf", b"-inf", b"2147483648", b"4294967297", b"9223372036854775808", b"1" + b"0" * 400,
    b"9" * 5000, "²".encode(), "٣".encode(), b"1_0", b"0x1F", b"+", b"1.2.3", b"true",
)  # fmt: skip
MARKS = (
    b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", "\u2028".encode(),
    "\u202e".encode(), b"\x1b[31m",
    b"\r", b"\r\n", b"\n", b"\n\n", b"\x0b", b"\x0c", b"\x1f", b" ", b"\t", b",", b";", b"|", b'"', b'""',
    b"'", b"\\", b"#",
    b"=", b"{", b"}", b"[", b"]", b":", b"(", b")", b"?", b"NA", b"null", b"<script>", b"=1+1", b"%s", b"{0}",
    b"PAR1", b"PK\x03\x04", b"\x1f\x8b", b"edge(0,1)", b"v ", b"o ", b"s OPTIMUM FOUND", b"Answer:",
    b"Optimization:",
)  # fmt: skip
LONG = (
    b"[" * 5000,
    b'{"a":' * 5000,
    b"," * 3000,
    b"x" * 20_000,
    b'"' * 999,
    b"1 " * 3000,
    b"\n" * 500,
    b"(" * 3000,
)
TOKENS = NUMBERS + MARKS + LONG

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")


def _cut(text: bytes, a: int, _b: int, _token: bytes) -> bytes:
    return text[: a % (len(text) + 1)]


def _remove(text: bytes, a: int, b: int, _token: bytes) -> bytes:
    start = a % (len(text) + 1)
    return text[:start] + text[start + 1 + b % 40 :]


def _insert(text: bytes, a: int, _b: int, token: bytes) -> bytes:
    start = a % (len(text) + 1)
    return text[:start] + token + text[start:]


def _repeat(text: bytes, a: int, b: int, _token: bytes) -> bytes:
    start = a % (len(text) + 1)
    piece = text[start : start + 1 + b % 60]
    return text[:start] + piece * (2 + b % 50) + text[start:]


def _flip(text: bytes, a: int, b: int, _token: bytes) -> bytes:
    if not text:
        return text
    place = a % len(text)
    return text[:place] + bytes([text[place] ^ (1 << b % 8)]) + text[place + 1 :]


def _swap(text: bytes, a: int, b: int, _token: bytes) -> bytes:
    first, second = sorted((a % (len(text) + 1), b % (len(text) + 1)))
    middle = (first + second) // 2
    return text[:first] + text[middle:second] + text[first:middle] + text[second:]


def _replace_found(pattern: re.Pattern[bytes]) -> Callable[[bytes, int, int, bytes], bytes]:
    def replace(text: bytes, a: int, _b: int, token: bytes) -> bytes:
        found = list(pattern.finditer(text))
        if not found:
            return text + token
        match = found[a % len(found)]
        return text[: match.start()] + token + text[match.end() :]

    return replace


def _lines(
    change: Callable[[list[bytes], int, int, bytes], None],
) -> Callable[[bytes, int, int, bytes], bytes]:
    def changed(text: bytes, a: int, b: int, token: bytes) -> bytes:
        lines = text.split(b"\n")
        change(lines, a % len(lines), b % len(lines), token)
        return b"\n".join(lines)

    return changed


def _drop_line(lines: list[bytes], a: int, _b: int, _token: bytes) -> None:
    del lines[a]


def _copy_line(lines: list[bytes], a: int, b: int, _token: bytes) -> None:
    lines.insert(b, lines[a])


def _swap_lines(lines: list[bytes], a: int, b: int, _token: bytes) -> None:
    lines[a], lines[b] = lines[b], lines[a]


def _set_line(lines: list[bytes], a: int, _b: int, token: bytes) -> None:
    lines[a] = token


def _mix_line_ends(lines: list[bytes], a: int, b: int, _token: bytes) -> None:
    for place in range(min(a, b), max(a, b) + 1):
        lines[place] += b"\r"


EDITS: dict[str, Callable[[bytes, int, int, bytes], bytes]] = {
    "cut": _cut,
    "remove": _remove,
    "insert": _insert,
    "repeat": _repeat,
    "flip": _flip,
    "swap": _swap,
    "replace a number": _replace_found(_NUMBER),
    "replace a word": _replace_found(_WORD),
    "drop a line": _lines(_drop_line),
    "copy a line": _lines(_copy_line),
    "swap lines": _lines(_swap_lines),
    "set a line": _lines(_set_line),
    "mix line ends": _lines(_mix_line_ends),
    "no line feeds": lambda text, _a, _b, _token: text.replace(b"\n", b"\r"),
    "mark the order of bytes": lambda text, _a, _b, _token: b"\xef\xbb\xbf" + text,
    "gzip": lambda text, _a, _b, _token: gzip.compress(text, 1, mtime=0),
}

places = st.integers(0, 1 << 20)
edits = st.lists(
    st.tuples(st.sampled_from(list(EDITS)), places, places, st.sampled_from(TOKENS)), min_size=1, max_size=4
)
"""Some damage."""
rubbish = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join),
)
"""Documents that were never valid."""


def damaged(document: bytes, damage: list[Edit]) -> bytes:
    """The document after all of the damage.

    >>> damaged(b"a,b", [("insert", 1, 0, b"\\x00"), ("cut", 3, 0, b"")])
    b'a\\x00,'
    """
    for name, a, b, token in damage:
        document = EDITS[name](document, a, b, token)
    return document
