"""The independent check of a result: pure Python, with its own graph theory and its own scores."""

from chordlearn.certificate.results.checker import check
from chordlearn.certificate.results.document import read_document
from chordlearn.certificate.results.report import Check, Report

__all__ = ["Check", "Report", "check", "read_document"]
