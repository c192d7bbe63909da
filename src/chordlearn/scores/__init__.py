"""Scores: what each set of variables is worth, from data or from a score file."""

from chordlearn.scores.accuracy import error_bound
from chordlearn.scores.compute import compute_scores, make_scorer
from chordlearn.scores.functions import (
    AIC,
    BIC,
    QNML,
    BDeu,
    CustomScore,
    Dirichlet,
    ScoreFunction,
    score_function,
)
from chordlearn.scores.score_files import is_score_file, read_scores, write_scores
from chordlearn.scores.table import ScoreTable

__all__ = [
    "AIC",
    "BIC",
    "QNML",
    "BDeu",
    "CustomScore",
    "Dirichlet",
    "ScoreFunction",
    "ScoreTable",
    "compute_scores",
    "error_bound",
    "is_score_file",
    "make_scorer",
    "read_scores",
    "score_function",
    "write_scores",
]
