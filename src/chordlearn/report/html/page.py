"""The report: the explorer of one network with its document, style and script in one file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from chordlearn.analysis import Bootstrap, Posterior
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.network.scenes import graph_scene
from chordlearn.network.svg import svg_of
from chordlearn.report.html.exploration import explorer_document
from chordlearn.report.outputs import check_page
from chordlearn.system.files import write_whole

IMPORT = re.compile(r'^import (\{.*\}) from "\./(.*)\.js";$', re.MULTILINE)
MOST_DRAWN = 60
"""Larger networks have no picture for readers without scripts."""


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    data: Any = None,
    *,
    posterior: Posterior | None = None,
    bootstrap: Bootstrap | None = None,
) -> None:
    """Write the report of a result as one HTML file that needs nothing else, all of it or nothing.

    ``data`` is what the network was learned from, read as the result records; by default the source that the
    result names. Without data or states (scores from a file) the report has no tables. With what
    :func:`chordlearn.posterior` or :func:`chordlearn.bootstrap` found of the same data, lines are as thick as
    edges are sure, edges that the network lacks and that have more than 5 % are dashed, and a section has the
    figures.

    >>> import tempfile, chordlearn as cl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(cl.learn("heart"), f"{folder}/heart.html")
    """
    check_page(path)
    for source in (data, result.data.get("source")):
        refuse_replacing(path, source)
    write_whole(Path(path), report_html(result, data, posterior, bootstrap))


def report_html(
    result: Result,
    data: Any = None,
    posterior: Posterior | None = None,
    bootstrap: Bootstrap | None = None,
) -> str:
    """The report as text; see :func:`write_report`."""
    document = explorer_document(result, data, posterior, bootstrap)
    return page_of(document, None if result.status == "none" else result.network)


def explorer_html(source: Result | FittedNetwork, data: Any = None) -> str:
    """The explorer in a frame for a page of one's own; notebooks show results and networks with it.

    Where frames are not allowed, as in a notebook that is not trusted, a still picture stands in for it.

    >>> import chordlearn as cl
    >>> explorer_html(cl.learn("heart")).count("<iframe")
    1
    """
    structure = source.network if isinstance(source, Result) else source.structure
    try:
        document = explorer_document(source, data, around=False)
    except InputError:
        if data is not None or isinstance(source, FittedNetwork):
            raise
        # The data are not what they were; the structure can be shown without them.
        document = explorer_document(replace(source, states=None), around=False)
    still = escape(document.get("headline") or document["title"])
    if len(structure.variables) <= MOST_DRAWN:
        picture = base64.b64encode(_picture(structure).encode()).decode()
        still += (
            f'<br><img alt="the network" style="max-width:100%" src="data:image/svg+xml;base64,{picture}">'
        )
    return (
        "<style>.chordlearn+div{display:none}</style>"
        f'<iframe class="chordlearn" title="Network of {len(structure.variables)} variables" '
        'sandbox="allow-scripts allow-downloads" style="width:100%;height:640px;border:0;border-radius:10px" '
        f'srcdoc="{escape(page_of(document, None, "embedded"))}"></iframe><div>{still}</div>'
    )


def page_of(document: Mapping[str, Any], network: ChordalNetwork | None, shape: str = "whole") -> str:
    """One page with the document of the explorer, and a picture for readers without scripts."""
    script = joined("frozen.js")
    drawn = network is not None and len(network.variables) <= MOST_DRAWN
    return filled(
        asset("page.html"),
        {
            "policy": _policy(script),
            "style": asset("style.css"),
            "shape": shape,
            "title": escape(document["title"]),
            "headline": escape(document.get("headline", "")),
            "picture": _picture(network) if drawn and network else "",
            "document": script_json(document),
            "script": script,
        },
    )


def _picture(network: ChordalNetwork) -> str:
    return svg_of(graph_scene(network), "The network")


def asset(name: str) -> str:
    """A file of the front end."""
    return files("chordlearn.report.html").joinpath("assets", name).read_text(encoding="utf-8")


def joined(name: str) -> str:
    """A module and those that it imports as one script: each is a function that gives its exports."""
    scripts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in scripts:
            return
        text = asset(name)
        for imported in IMPORT.findall(text):
            add(imported[1] + ".js")
        exports = ", ".join(re.findall(r"^export (?:const|function|class) (\w+)", text, re.MULTILINE))
        inside = re.sub(r"^export ", "", IMPORT.sub(r"const \1 = \2_js;", text), flags=re.MULTILINE)
        scripts[name] = (
            f"const {name.replace('.', '_')} = (() => {{\n{inside}\nreturn {{ {exports} }};\n}})();"
        )

    add(name)
    return "\n".join(scripts.values())


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


def _policy(script: str) -> str:
    """Allow this script and no other, and nothing from anywhere else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
