"""Text that is not UTF-8: UTF-16 goes by its byte order mark, any other is taken for Windows-1252.

That is a matter of each character: what is UTF-8 stays so, as in files that were put together from several.
"""

from __future__ import annotations

import codecs
import re

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# Python stands in for a byte that is no UTF-8 with half a character.
_NO_UTF_8 = re.compile("[\udc80-\udcff]")


def as_utf_8(content: bytes) -> bytes | None:
    """The same text in UTF-8; None if it is that already.

    >>> as_utf_8("Größe;1 €".encode("cp1252")).decode()
    'Größe;1 €'
    >>> as_utf_8("Größe".encode())
    """
    if content.isascii():
        return None
    try:
        content.decode()
    except UnicodeDecodeError:
        return in_windows(content.decode(errors="surrogateescape")).encode()
    return None


def in_windows(text: str) -> str:
    """A text decoded with `surrogateescape`, with its escaped bytes as characters of Windows-1252.

    >>> in_windows(b"Gr\\xf6\\xdfe".decode(errors="surrogateescape"))
    'Größe'
    """
    return text if text.isascii() else _NO_UTF_8.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    byte = bytes([ord(match[0]) - 0xDC00])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        # Five bytes mean nothing there; in Latin-1 they are control characters, which are refused later.
        return byte.decode("latin-1")


def windows_note(shown: str) -> str:
    """What to say of a file with such characters."""
    return f"{shown} is not UTF-8 throughout; what is not was read as Windows-1252 (Western European)."
