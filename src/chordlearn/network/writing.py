"""Files are written whole; see :mod:`chordlearn.writing`."""

from chordlearn.writing import write_whole

__all__ = ["write_whole"]
