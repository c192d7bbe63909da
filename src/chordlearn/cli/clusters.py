"""Clusters of the command line: opened with a word on what takes so long, and mentioned when lost."""

from __future__ import annotations

from chordlearn.backends.base.outcome import Observer
from chordlearn.parallel import Workers


def open_cluster(address: str, observer: Observer) -> Workers:
    """Connect, or start workers here."""
    observer.progress("waiting for workers", None, None)
    return Workers(address)


def cluster_notes(cluster: Workers | None) -> list[str]:
    """What the user should know of a cluster after the run."""
    if cluster is None or not cluster.lost:
        return []
    return [f"All workers of {cluster.name} were lost; the rest was done in this process."]
