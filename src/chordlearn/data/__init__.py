"""Tables in: files, data frames, arrays and bundled sets become one coded, weighted `Dataset`."""

from __future__ import annotations

from chordlearn.data.dataset import Dataset, describe
from chordlearn.data.origins import bundled
from chordlearn.data.reading import read
from chordlearn.data.survey import Survey, survey

__all__ = ["Dataset", "Survey", "bundled", "describe", "read", "survey"]
