"""The report: one HTML file that opens offline."""

from chordlearn.report.html.exploration import explorer_document
from chordlearn.report.html.page import explorer_html, report_html, write_report

__all__ = ["explorer_document", "explorer_html", "report_html", "write_report"]
