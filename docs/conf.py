"""How Sphinx makes the site: `sphinx-build -W -b html docs site`."""

import re
from importlib.metadata import version as installed_version

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = "chordlearn"
author = "The chordlearn authors"
copyright = author
version = release = installed_version("chordlearn")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
numpydoc_show_class_members = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "chordlearn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
}


def setup(app: Sphinx) -> None:
    """Formulas as MathML, so that the site needs no other; no empty line at the end of an example."""
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_formula, None))
    app.connect("source-read", _trim_examples)


def _inline_formula(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _formula(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def _trim_examples(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)
