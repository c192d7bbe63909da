"""The report: one HTML file that opens offline."""

from chordlearn.report.html.page import report_html, write_report

__all__ = ["report_html", "write_report"]
