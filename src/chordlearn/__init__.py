"""Learns chordal Markov networks from discrete data and proves them optimal.

>>> import chordlearn as cl
>>> result = cl.learn("heart")
>>> result.status, round(result.score, 6)
('optimal', -6732.459258)

Everything here is loaded when it is first used, so that the import itself is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chordlearn import errors

if TYPE_CHECKING:
    from chordlearn.analysis import (
        Bootstrap,
        EdgeStrength,
        IndependenceTest,
        ModelFit,
        Posterior,
        Probability,
        Replicate,
        bootstrap,
        edge_strengths,
        model_fit,
        posterior,
    )
    from chordlearn.analysis.estimator import ChordalNetworkClassifier as ChordalNetworkClassifier
    from chordlearn.analysis.estimator import ChordalNetworkLearner as ChordalNetworkLearner
    from chordlearn.backends.base.outcome import Observer
    from chordlearn.backends.base.registry import Solver, solvers
    from chordlearn.certificate.results import Check, Report
    from chordlearn.data import Dataset, Survey, bundled, read, survey
    from chordlearn.data.origins import BundledSet
    from chordlearn.graphs import EdgePrior, count_chordal_graphs, edge_prior
    from chordlearn.network.averaged import AveragedNetwork
    from chordlearn.network.chordal import ChordalNetwork, JunctionEdge
    from chordlearn.network.distribution import Distribution
    from chordlearn.network.evaluation import Comparison, Evaluation, VariableFit, compare, evaluate
    from chordlearn.network.evidence import parse_evidence
    from chordlearn.network.fitted import Explanation, FittedNetwork
    from chordlearn.network.parameters import Estimation
    from chordlearn.network.result import Claim, Result, RunnerUp
    from chordlearn.parallel import Workers
    from chordlearn.pipeline.comparing import ScoreComparison, compare_scores
    from chordlearn.pipeline.decoding import decode
    from chordlearn.pipeline.encoding import Encoded, encode
    from chordlearn.pipeline.fitting import fit, load_network
    from chordlearn.pipeline.imputing import Imputation, impute
    from chordlearn.pipeline.inputs import score_sets
    from chordlearn.pipeline.learning import learn
    from chordlearn.pipeline.updating import Review, Update, update
    from chordlearn.pipeline.verification import verify
    from chordlearn.report.html import explorer_html, write_report
    from chordlearn.report.pictures import plot
    from chordlearn.scores import (
        AIC,
        BIC,
        QNML,
        BDeu,
        CustomScore,
        Dirichlet,
        ScoreFunction,
        ScoreTable,
        is_score_file,
        read_scores,
        write_scores,
    )

    __version__: str

__all__ = [
    "AIC",
    "BIC",
    "QNML",
    "AveragedNetwork",
    "BDeu",
    "Bootstrap",
    "BundledSet",
    "Check",
    "ChordalNetwork",
    "Claim",
    "Comparison",
    "CustomScore",
    "Dataset",
    "Dirichlet",
    "Distribution",
    "EdgePrior",
    "EdgeStrength",
    "Encoded",
    "Estimation",
    "Evaluation",
    "Explanation",
    "FittedNetwork",
    "Imputation",
    "IndependenceTest",
    "JunctionEdge",
    "ModelFit",
    "Observer",
    "Posterior",
    "Probability",
    "Replicate",
    "Report",
    "Result",
    "Review",
    "RunnerUp",
    "ScoreComparison",
    "ScoreFunction",
    "ScoreTable",
    "Solver",
    "Survey",
    "Update",
    "VariableFit",
    "Workers",
    "__version__",
    "bootstrap",
    "bundled",
    "compare",
    "compare_scores",
    "count_chordal_graphs",
    "decode",
    "edge_prior",
    "edge_strengths",
    "encode",
    "errors",
    "evaluate",
    "explorer_html",
    "fit",
    "impute",
    "is_score_file",
    "learn",
    "load_network",
    "model_fit",
    "parse_evidence",
    "plot",
    "posterior",
    "read",
    "read_scores",
    "score_sets",
    "solvers",
    "survey",
    "update",
    "verify",
    "write_report",
    "write_scores",
]

_NAMES = {
    "analysis": "Bootstrap EdgeStrength IndependenceTest ModelFit Posterior Probability Replicate "
    "bootstrap edge_strengths model_fit posterior",
    "analysis.estimator": "ChordalNetworkClassifier ChordalNetworkLearner",
    "backends.base.outcome": "Observer",
    "backends.base.registry": "Solver solvers",
    "certificate.results": "Check Report",
    "data": "Dataset Survey bundled read survey",
    "data.origins": "BundledSet",
    "graphs": "EdgePrior count_chordal_graphs edge_prior",
    "network.averaged": "AveragedNetwork",
    "network.chordal": "ChordalNetwork JunctionEdge",
    "network.distribution": "Distribution",
    "network.evaluation": "Comparison Evaluation VariableFit compare evaluate",
    "network.evidence": "parse_evidence",
    "network.fitted": "Explanation FittedNetwork",
    "network.parameters": "Estimation",
    "network.result": "Claim Result RunnerUp",
    "parallel": "Workers",
    "pipeline.comparing": "ScoreComparison compare_scores",
    "pipeline.decoding": "decode",
    "pipeline.encoding": "Encoded encode",
    "pipeline.fitting": "fit load_network",
    "pipeline.imputing": "Imputation impute",
    "pipeline.inputs": "score_sets",
    "pipeline.learning": "learn",
    "pipeline.updating": "Review Update update",
    "pipeline.verification": "verify",
    "report.html": "explorer_html write_report",
    "report.pictures": "plot",
    "scores": "AIC BIC QNML BDeu CustomScore Dirichlet ScoreFunction ScoreTable "
    "is_score_file read_scores write_scores",
}
_HOME = {name: f"chordlearn.{module}" for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("chordlearn")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'chordlearn' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # The estimator is shown, but `from chordlearn import *` must not need scikit-learn.
    return sorted({*__all__, *_HOME})
