"""One learner on one table, in a process of its own: ``python learners.py NAME TABLE.csv [OPTION]``.

The table has a column of codes 0, 1, … for each variable, called x0, x1, …. A line of JSON says what was
found, how many processor seconds learning took (without reading and importing) and how much memory the whole
process needed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Found = dict[str, Any]
ESS = 1.0


def chordlearn(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """The best chordal network, with proof where the time suffices; of limited cliques if asked for."""
    import chordlearn as cl

    def learn() -> Found:
        largest = int(option) if option else None
        found = cl.learn(frame, counts="none", max_clique=largest, threads=1, time_limit=LIMIT)
        return {"cliques": found.cliques, "status": found.status}

    return learn


def pygobnilp(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """The best directed network without immoralities, which is the best chordal one, by integer programming.

    It was written for an older Gurobi, whose calls could have four arguments, and one of its names is wrong.
    """
    import gurobipy
    from pygobnilp import gobnilp

    class Model(gurobipy.Model):  # type: ignore[misc]
        def addConstr(self, constraint: Any, sense: Any = None, right: Any = None, name: str = "") -> Any:  # noqa: N802
            if right is None:
                return super().addConstr(constraint, sense or name)
            return self.addLConstr(constraint, sense, right, name)

    class Chordal(gobnilp.Gobnilp, Model):  # type: ignore[misc]
        adjacent = property(lambda self: self.adjacency)

        def add_basic_constraints(self) -> None:
            super().add_basic_constraints()
            self.add_constraints_chordal()

    gobnilp.Model = Model
    path = Path(tempfile.mkdtemp()) / "table.dat"
    rows = [" ".join(map(str, row)) for row in frame.to_numpy().tolist()]
    sizes = " ".join(str(size) for size in (frame.max() + 1).tolist())
    path.write_text("\n".join([" ".join(frame.columns), sizes, *rows]) + "\n")

    def learn() -> Found:
        model = Chordal()
        quiet = {"plot": False, "output_dag": False, "output_cpdag": False, "abbrev": False}
        parents = int(option) - 1 if option else None
        # Pruning of parents is for all directed networks; it would lose chordal ones.
        model.learn(str(path), score="BDeu", alpha=ESS, palim=parents, pruning=False, **quiet)
        is_proved = model.Status == gurobipy.GRB.OPTIMAL
        return {"edges": list(model.learned_bn.edges), "status": "optimal" if is_proved else "feasible"}

    return learn


def pgmpy_greedy(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """A directed network by hill climbing."""
    from pgmpy.estimators import BDeu, HillClimbSearch

    states = frame.astype("category")

    def learn() -> Found:
        score = BDeu(states, equivalent_sample_size=ESS)
        dag = HillClimbSearch(states).estimate(scoring_method=score, show_progress=False)
        return {"arcs": list(dag.edges)}

    return learn


def pgmpy_chow_liu(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """The tree with the most mutual information."""
    from pgmpy.estimators import TreeSearch

    def learn() -> Found:
        dag = TreeSearch(frame, root_node="x0", n_jobs=1).estimate("chow-liu", show_progress=False)
        return {"edges": list(dag.edges)}

    return learn


def pyagrum_greedy(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """A directed network by hill climbing."""
    import pyagrum

    def learn() -> Found:
        learner = pyagrum.BNLearner(frame.astype(str))
        learner.setNumberOfThreads(1)
        learner.useScoreBDeu()
        learner.useGreedyHillClimbing()
        dag = learner.learnBN()
        names = {dag.idFromName(name): name for name in dag.names()}
        return {"arcs": [(names[a], names[b]) for a, b in dag.arcs()]}

    return learn


def trilearn(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """Draws from the posterior over chordal networks: so many steps of particle Gibbs with 50 particles."""
    import networkx as nx
    from trilearn import pgibbs

    steps = int(option)
    frame.columns = pd.MultiIndex.from_arrays([frame.columns, frame.max() + 1])

    def learn() -> Found:
        np.random.seed(0)
        drawn = pgibbs.sample_trajectory_loglin(frame, 50, steps, pseudo_obs=ESS)
        names = list(range(frame.shape[1]))
        kept = drawn.trajectory[steps // 10 :]
        shares = np.mean([nx.to_numpy_array(graph, nodelist=names) for graph in kept], axis=0)
        best = drawn.maximum_likelihood_graph()
        return {
            "edges": [(f"x{a}", f"x{b}") for a, b in best.edges],
            "edge_probabilities": shares.tolist(),
        }

    return learn


def chordlearn_posterior(frame: pd.DataFrame, option: str) -> Callable[[], Found]:
    """The exact posterior over chordal networks."""
    import chordlearn as cl

    def learn() -> Found:
        found = cl.posterior(frame, counts="none", threads=1)
        shares = np.zeros((frame.shape[1], frame.shape[1]))
        for edge, probability in found.edges.items():
            a, b = (frame.columns.get_loc(name) for name in edge)
            shares[a, b] = shares[b, a] = probability.value
        return {"edge_probabilities": shares.tolist()}

    return learn


SECONDS = 20
"""Of the processor, after which another program is stopped."""
LIMIT = 120
"""Seconds on the clock after which chordlearn gives the best network that it has."""
LEARNERS = {
    "chordlearn": (chordlearn, "chordlearn"),
    "chordlearn posterior": (chordlearn_posterior, "chordlearn"),
    "pygobnilp": (pygobnilp, "pygobnilp"),
    "pgmpy greedy": (pgmpy_greedy, "pgmpy"),
    "pgmpy Chow-Liu": (pgmpy_chow_liu, "pgmpy"),
    "pyAgrum greedy": (pyagrum_greedy, "pyAgrum"),
    "trilearn": (trilearn, "trilearn"),
}
"""What makes a learner ready, and the package that it belongs to."""


def main() -> None:
    name, path, option = (*sys.argv[1:], "")[:3]
    if not name.startswith("chordlearn"):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 10))
    prepare, package = LEARNERS[name]
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        learn = prepare(pd.read_csv(path), option)
        start = time.process_time()
        found = learn()
        seconds = time.process_time() - start
    # Not that of getrusage, which begins with what the parent had.
    memory = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1000
    print(
        json.dumps(
            {"package": f"{package} {version(package)}", "seconds": seconds, "memory_mb": memory, **found}
        )
    )


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
