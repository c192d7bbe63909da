"""What a worker runs: one function, which gets bytes and gives bytes back."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from chordlearn import errors
from chordlearn.cluster.plain import pack, unpack
from chordlearn.cluster.tasks import find_task, stoppable

KEPT = 4
"""So many shared values stay open in a worker; opening one may take longer than a task."""

DIGEST_BYTES = sha256().digest_size

_opened: OrderedDict[bytes, Any] = OrderedDict()
_opening = threading.Lock()


def hold(parcel: bytes) -> bytes:
    """Keep a parcel where tasks need it; should its holder die, it is held anew by another worker."""
    return parcel


def run_parcel(parcel: bytes, shared: bytes | None = None) -> bytes:
    """Run the task that a parcel describes; what goes wrong is part of the answer.

    >>> unpack(run_parcel(pack({"version": version("chordlearn"), "task": "os:getpid", "row": []})))
    {'error': ['LookupError', "There is no task 'os:getpid'."]}
    """
    order = unpack(parcel)
    own = version("chordlearn")
    if order["version"] != own:
        return pack({"version": own})
    try:
        first = () if shared is None else (_open(shared),)
        with stoppable(_cancelled_by_dask()):
            return pack({"value": find_task(order["task"])(*first, *order["row"])})
    except (Exception, KeyboardInterrupt) as error:
        return pack({"error": [type(error).__name__, getattr(error, "sentence", str(error))]})


def raise_error(name: str, text: str) -> None:
    """Raise here what was raised there."""
    known = getattr(errors, name, None)
    if isinstance(known, type) and issubclass(known, errors.ChordlearnError):
        raise known(text)
    if name in ("KeyboardInterrupt", "MemoryError"):
        raise {"KeyboardInterrupt": KeyboardInterrupt, "MemoryError": MemoryError}[name]
    raise errors.BackendError(f"A worker failed with {name}: {text}")


def seal(opener: str, plain: Any) -> bytes:
    """The parcel of what is shared, behind a hash by which a worker knows what it has open already."""
    content = pack({"opener": opener, "plain": plain})
    return sha256(content).digest() + content


def _open(sealed: bytes) -> Any:
    digest = bytes(sealed[:DIGEST_BYTES])
    with _opening:
        if digest not in _opened:
            content = unpack(memoryview(sealed)[DIGEST_BYTES:])
            _opened[digest] = find_task(content["opener"])(content["plain"])
            while len(_opened) > KEPT:
                _opened.popitem(last=False)
        _opened.move_to_end(digest)
        return _opened[digest]


def _cancelled_by_dask() -> Callable[[], bool]:
    """Whether nobody wants the task of this thread any more: it was cancelled, or its client is gone."""
    from distributed import get_worker
    from distributed.worker import thread_state

    try:
        tasks, key = get_worker().state.tasks, thread_state.key
    except (AttributeError, ValueError):
        return lambda: False

    def cancelled() -> bool:
        known = tasks.get(key)
        return known is None or known.state == "cancelled"

    return cancelled
