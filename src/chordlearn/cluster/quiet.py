"""Dask without noise: whatever matters of its news, chordlearn says itself, in one sentence."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

SILENT = logging.CRITICAL + 1
CONFIGURATION = {
    # Tables travel as part of a task, so that a worker's death does not lose them.
    "distributed.admin.large-graph-warning-threshold": "1TB",
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.preload": [],
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.client.preload": [],
}


@contextmanager
def quiet_dask() -> Iterator[None]:
    """Configure dask, and silence its loggers, until the context is left."""
    import dask
    import distributed  # noqa: F401  (its import sets levels of its loggers)

    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in known}
    with dask.config.set(CONFIGURATION):
        for name in known:
            logging.getLogger(name).setLevel(SILENT)
        try:
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)


@contextmanager
def no_warnings() -> Iterator[None]:
    """Silence warnings while dask connects; versions that differ are refused in a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
