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
    from chordlearn.analysis import Bootstrap, EdgeStrength, Replicate, bootstrap, edge_strengths
    from chordlearn.analysis.estimator import ChordalNetworkLearner as ChordalNetworkLearner
    from chordlearn.backends.base.registry import Solver, solvers
    from chordlearn.certificate.results import Check, Report
    from chordlearn.data import Dataset, Survey, read, survey
    from chordlearn.network import (
        ChordalNetwork,
        Distribution,
        Estimation,
        Explanation,
        FittedNetwork,
        JunctionEdge,
    )
    from chordlearn.network.comparison import Comparison, compare
    from chordlearn.network.evaluation import Evaluation, VariableFit, evaluate
    from chordlearn.network.result import Result, RunnerUp
    from chordlearn.parallel import Workers
    from chordlearn.pipeline.fitting import fit, load_network
    from chordlearn.pipeline.learning import learn
    from chordlearn.pipeline.verification import verify
    from chordlearn.report.html import write_report
    from chordlearn.report.pictures import plot
    from chordlearn.scores import AIC, BIC, QNML, BDeu, CustomScore, Dirichlet, ScoreFunction, ScoreTable

    __version__: str

__all__ = [
    "AIC",
    "BIC",
    "QNML",
    "BDeu",
    "Bootstrap",
    "Check",
    "ChordalNetwork",
    "Comparison",
    "CustomScore",
    "Dataset",
    "Dirichlet",
    "Distribution",
    "EdgeStrength",
    "Estimation",
    "Evaluation",
    "Explanation",
    "FittedNetwork",
    "JunctionEdge",
    "Replicate",
    "Report",
    "Result",
    "RunnerUp",
    "ScoreFunction",
    "ScoreTable",
    "Solver",
    "Survey",
    "VariableFit",
    "Workers",
    "__version__",
    "bootstrap",
    "compare",
    "edge_strengths",
    "errors",
    "evaluate",
    "fit",
    "learn",
    "load_network",
    "plot",
    "read",
    "solvers",
    "survey",
    "verify",
    "write_report",
]

_HOME = {
    "AIC": "chordlearn.scores",
    "BIC": "chordlearn.scores",
    "QNML": "chordlearn.scores",
    "BDeu": "chordlearn.scores",
    "Bootstrap": "chordlearn.analysis",
    "Check": "chordlearn.certificate.results",
    "ChordalNetwork": "chordlearn.network",
    "ChordalNetworkLearner": "chordlearn.analysis.estimator",
    "Comparison": "chordlearn.network.comparison",
    "CustomScore": "chordlearn.scores",
    "Dataset": "chordlearn.data",
    "Dirichlet": "chordlearn.scores",
    "Distribution": "chordlearn.network",
    "EdgeStrength": "chordlearn.analysis",
    "Estimation": "chordlearn.network",
    "Evaluation": "chordlearn.network.evaluation",
    "Explanation": "chordlearn.network",
    "FittedNetwork": "chordlearn.network",
    "JunctionEdge": "chordlearn.network",
    "Replicate": "chordlearn.analysis",
    "Report": "chordlearn.certificate.results",
    "Result": "chordlearn.network.result",
    "RunnerUp": "chordlearn.network.result",
    "ScoreFunction": "chordlearn.scores",
    "ScoreTable": "chordlearn.scores",
    "Solver": "chordlearn.backends.base.registry",
    "Survey": "chordlearn.data",
    "VariableFit": "chordlearn.network.evaluation",
    "Workers": "chordlearn.parallel",
    "bootstrap": "chordlearn.analysis",
    "compare": "chordlearn.network.comparison",
    "edge_strengths": "chordlearn.analysis",
    "evaluate": "chordlearn.network.evaluation",
    "fit": "chordlearn.pipeline.fitting",
    "learn": "chordlearn.pipeline.learning",
    "load_network": "chordlearn.pipeline.fitting",
    "plot": "chordlearn.report.pictures",
    "read": "chordlearn.data",
    "solvers": "chordlearn.backends.base.registry",
    "survey": "chordlearn.data",
    "verify": "chordlearn.pipeline.verification",
    "write_report": "chordlearn.report.html",
}


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
