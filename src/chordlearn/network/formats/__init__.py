"""Networks with tables as files that other programs read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chordlearn.network.formats.bif import bif
from chordlearn.network.formats.hugin import hugin_net
from chordlearn.network.formats.uai import uai
from chordlearn.network.formats.xmlbif import xmlbif

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork

TABLE_FORMATS: dict[str, Callable[[FittedNetwork], str]] = {
    ".bif": bif,
    ".xmlbif": xmlbif,
    ".uai": uai,
    ".net": hugin_net,
}
"""By suffix."""

__all__ = ["TABLE_FORMATS", "bif", "hugin_net", "uai", "xmlbif"]
