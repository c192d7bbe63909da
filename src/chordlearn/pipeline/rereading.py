"""Finding again what a network was learned from: files by name, tables in memory while they are in use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from chordlearn.data import Dataset, bundled, read
from chordlearn.data.origins import find_files
from chordlearn.errors import InputError, either
from chordlearn.system.json import plain_values

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork
    from chordlearn.network.result import Result

READING_OPTIONS = ("columns", "drop", "counts", "weights", "states", "missing", "discretize")
_IN_MEMORY: WeakValueDictionary[str, Dataset] = WeakValueDictionary()
"""Tables that no file holds, of results and networks that are still there, by their hash."""


def keep_data(owner: Result | FittedNetwork, data: Dataset, before: FittedNetwork | None = None) -> None:
    """Let what was learned from a table in memory find it again while it lives, and what another had kept."""
    if before is not None:
        owner.__dict__["_data"] = list(before.__dict__.get("_data", ()))
    if not _is_stored(data.source):
        owner.__dict__.setdefault("_data", []).append(_IN_MEMORY.setdefault(data.sha256, data))


def _is_stored(source: object) -> bool:
    return isinstance(source, str) and (
        source in {entry.name for entry in bundled()} or bool(find_files(source))
    )


def recorded_source(origin: Mapping[str, Any], sha256: object) -> str | Dataset:
    """The files, the bundled set or the table in memory that a result names, if they are still there."""
    source = origin.get("source")
    if isinstance(source, str) and _is_stored(source):
        return source
    known = _IN_MEMORY.get(str(sha256))
    if known is not None and plain_values(known.options) == origin.get("options"):
        return known
    raise InputError(
        f"The data of the result, {source!r}, are not there to read again; "
        f"give them as {either('data', 'DATA')}."
    )


def read_again(origin: Mapping[str, Any], options: Mapping[str, Any], sha256: object, data: Any) -> Dataset:
    """The data that a network was learned from, or those given instead, read with these options."""
    if data is not None:
        return data if isinstance(data, Dataset) else read(data, **options)
    source = recorded_source({**origin, "options": plain_values(options)}, sha256)
    dataset = source if isinstance(source, Dataset) else read(source, **options)
    refuse_changed(dataset, sha256)
    return dataset


def refuse_changed(dataset: Dataset, sha256: object) -> None:
    """Refuse data that are not those of which a network records the hash."""
    if dataset.sha256 != sha256:
        raise InputError(
            f"The data {dataset.source!r} have changed since the network was learned; learn it again, "
            "or name the data to use."
        )


def recorded_options(origin: Mapping[str, Any]) -> dict[str, Any]:
    """The options with which a result says that its data were read, if they are sound."""
    options = origin.get("options")
    if not isinstance(options, Mapping) or not all(map(_is_sound, options.keys(), options.values())):
        raise InputError(
            "The result records options of reading that do not exist; it was changed or cut off."
        )
    return dict(options)


def _is_sound(name: str, value: object) -> bool:
    def is_plain(part: object) -> bool:
        parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else None
        return isinstance(part, str) if parts is None else all(map(is_plain, parts))

    return name in READING_OPTIONS and is_plain(value)
