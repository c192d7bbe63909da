"""A worker of `--cluster local:N`: `python -m chordlearn.cluster.worker`, told by stdin whom to work for.

The pipe to stdin is its lifeline: when it closes, however the other side came to its end, the worker goes,
and takes the directory with it in which all workers of that run may write.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
import threading
from typing import Any

CONFIGURATION = {
    # Tasks are few and large, and nobody looks at profiles of them.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": [],
}


def main() -> None:
    """Work until the lifeline is cut."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_lifeline, args=(order["directory"],), daemon=True).start()
    logging.disable(logging.CRITICAL)
    asyncio.run(_work(order))


async def _work(order: dict[str, Any]) -> None:
    import dask
    from distributed import Security, Worker

    dask.config.set(CONFIGURATION)
    security = Security(require_encryption=True, **order["security"])
    async with Worker(
        order["address"],
        host=order["host"],
        name=order["name"],
        nthreads=1,
        memory_limit=0,
        local_directory=order["directory"],
        dashboard=False,
        security=security,
        death_timeout=order["patience"],
    ) as worker:
        await worker.finished()


def _end_with_lifeline(directory: str) -> None:
    while sys.stdin.readline():
        pass
    shutil.rmtree(directory, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main()
