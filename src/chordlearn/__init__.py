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
    from chordlearn.analysis import Bootstrap, bootstrap, edge_strengths
    from chordlearn.analysis.estimator import ChordalNetworkLearner as ChordalNetworkLearner
    from chordlearn.data import Dataset, read
    from chordlearn.network import ChordalNetwork, Distribution, FittedNetwork
    from chordlearn.network.result import Result
    from chordlearn.pipeline.fitting import fit, load_network
    from chordlearn.pipeline.learning import learn
    from chordlearn.pipeline.verification import verify
    from chordlearn.problem.constraints import Constraints
    from chordlearn.scores import AIC, BIC, QNML, BDeu, CustomScore, Dirichlet, ScoreTable

    __version__: str

__all__ = [
    "AIC",
    "BIC",
    "QNML",
    "BDeu",
    "Bootstrap",
    "ChordalNetwork",
    "Constraints",
    "CustomScore",
    "Dataset",
    "Dirichlet",
    "Distribution",
    "FittedNetwork",
    "Result",
    "ScoreTable",
    "__version__",
    "bootstrap",
    "edge_strengths",
    "errors",
    "fit",
    "learn",
    "load_network",
    "read",
    "verify",
]

_HOME = {
    "AIC": "chordlearn.scores",
    "BIC": "chordlearn.scores",
    "QNML": "chordlearn.scores",
    "BDeu": "chordlearn.scores",
    "Bootstrap": "chordlearn.analysis",
    "ChordalNetwork": "chordlearn.network",
    "ChordalNetworkLearner": "chordlearn.analysis.estimator",
    "Constraints": "chordlearn.problem.constraints",
    "CustomScore": "chordlearn.scores",
    "Dataset": "chordlearn.data",
    "Dirichlet": "chordlearn.scores",
    "Distribution": "chordlearn.network",
    "FittedNetwork": "chordlearn.network",
    "Result": "chordlearn.network.result",
    "ScoreTable": "chordlearn.scores",
    "bootstrap": "chordlearn.analysis",
    "edge_strengths": "chordlearn.analysis",
    "fit": "chordlearn.pipeline.fitting",
    "learn": "chordlearn.pipeline.learning",
    "load_network": "chordlearn.pipeline.fitting",
    "read": "chordlearn.data",
    "verify": "chordlearn.pipeline.verification",
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
    return sorted({*globals(), *__all__})
