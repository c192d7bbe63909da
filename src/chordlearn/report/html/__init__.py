"""The report: one HTML file that opens offline."""

from chordlearn.report.html.page import check_page, report_html, write_report

__all__ = ["check_page", "report_html", "write_report"]
