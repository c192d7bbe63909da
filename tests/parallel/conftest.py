"""One cluster of two workers for all tests that do it no harm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chordlearn.parallel import Workers


@pytest.fixture(scope="package")
def cluster() -> Iterator[Workers]:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    with Workers("local:2") as workers:
        yield workers
