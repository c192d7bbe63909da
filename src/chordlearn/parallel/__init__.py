"""Independent tasks side by side: in threads, in processes, or on a dask cluster."""

from __future__ import annotations

from chordlearn.parallel.executors import Workers, with_workers
from chordlearn.parallel.tasks import UntilStopped

__all__ = ["UntilStopped", "Workers", "with_workers"]
