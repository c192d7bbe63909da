"""Texts from data on their way into a page: nothing in them is ever markup."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from chordlearn.report.labels import printable


def text(value: object) -> str:
    """A text for HTML, between tags or inside a quoted attribute.

    >>> text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(printable(str(value)), quote=True)


def script_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: no character in it can end the element.

    >>> script_json({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    plain = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with each {{name}} replaced by its part; what is inside a part is left alone.

    >>> filled("<p>{{a}}{{b}}</p>", {"a": "{{b}}", "b": "!"})
    '<p>{{b}}!</p>'
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)
