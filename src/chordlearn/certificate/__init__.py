"""The independent check of a result: pure Python, with its own graph theory and its own scores."""

from chordlearn.certificate.checker import check
from chordlearn.certificate.document import read_document
from chordlearn.certificate.report import Check, Report

__all__ = ["Check", "Report", "check", "read_document"]
