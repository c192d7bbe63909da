"""Independent tasks on several processes or machines, by dask; nothing but plain values travels."""

from __future__ import annotations

from chordlearn.cluster.connection import Cluster, opening_cluster
from chordlearn.cluster.tasks import UntilStopped, task
from chordlearn.cluster.workforce import Shared, Threads, Workforce

__all__ = ["Cluster", "Shared", "Threads", "UntilStopped", "Workforce", "opening_cluster", "task"]
