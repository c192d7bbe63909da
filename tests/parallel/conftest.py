"""One cluster of two workers for all tests that do it no harm."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest

from chordlearn.parallel import Workers


@pytest.fixture(scope="package")
def cluster() -> Iterator[Workers]:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    with Workers("local:2") as workers:
        yield workers


@pytest.fixture(autouse=True)
def _what_dask_leaves_open() -> Iterator[None]:
    """Collect the sockets of workers that were killed, which dask does not close, where nobody minds."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
