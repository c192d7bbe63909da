"""The conformance suite: whether a backend keeps what every backend promises.

>>> from chordlearn.testing import check_backend
>>> check_backend("native", effort="brief") > 10
True
"""

from chordlearn.testing.conformance import ConformanceError, check_backend

__all__ = ["ConformanceError", "check_backend"]
