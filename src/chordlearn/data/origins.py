"""Where data come from: bundled tables, and files, found by their paths and protected from outputs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType
from typing import Any

from chordlearn.errors import InputError
from chordlearn.system.files import is_stream, place_of
from chordlearn.system.json import JsonMixin

FOLDER = Path(__file__).parent / "bundled"


@dataclass(frozen=True)
class BundledSet(JsonMixin):
    """What is known of a bundled data set."""

    name: str
    title: str
    rows: int
    variables: Mapping[str, str]
    """The meaning of each variable, in the table's order."""
    description: str
    source: str


_HEART = BundledSet(
    name="heart",
    title="Risk factors for coronary heart disease",
    rows=1841,
    variables=MappingProxyType(
        {
            "smoke": "smoking",
            "mental": "strenuous mental work",
            "phys": "strenuous physical work",
            "systol": "systolic blood pressure, split at 140 mm Hg",
            "protein": "ratio of beta to alpha lipoproteins, split at 3",
            "family": "family history of coronary heart disease",
        }
    ),
    description="Six binary risk factors recorded for workers of a Czechoslovak car factory.",
    source=(
        "D. Edwards and T. Havránek (1985), A fast procedure for model search in multidimensional "
        "contingency tables, Biometrika 72; also in J. Whittaker (1990), Graphical Models in Applied "
        "Multivariate Statistics."
    ),
)

_ECON = BundledSet(
    name="econ",
    title="Economic activity of women in Rochdale",
    rows=665,
    variables=MappingProxyType(
        {
            "EconActive": "the wife is economically active",
            "Age": "age of the wife, split at 38 years",
            "HusbandEmployed": "the husband is employed",
            "Child": "there is a child of at most 4 years",
            "Education": "the wife's education reached a school-leaving level",
            "HusbandEducation": "the husband's education reached a school-leaving level",
            "Asian": "the family is of Asian origin",
            "HouseholdWorking": "another member of the household is working",
        }
    ),
    description="Eight binary answers from a survey of households in the town of Rochdale.",
    source="J. Whittaker (1990), Graphical Models in Applied Multivariate Statistics.",
)

BUNDLED: Mapping[str, BundledSet] = MappingProxyType({entry.name: entry for entry in (_HEART, _ECON)})


def bundled() -> list[BundledSet]:
    """List the bundled data sets.

    >>> [(entry.name, len(entry.variables), entry.rows) for entry in bundled()]
    [('heart', 6, 1841), ('econ', 8, 665)]
    """
    return list(BUNDLED.values())


def find_files(source: str | Path) -> list[Path]:
    """The files that a path, a pattern, or paths joined as in PATH stand for; none if they are not there.

    >>> [path.name for path in find_files(Path(__file__).with_name("or[ij]*s.py"))]
    ['origins.py']
    """
    try:
        path = Path(source).expanduser()
        if path.exists():
            return [path]
        several = [Path(part).expanduser() for part in str(source).split(os.pathsep)]
        if all(part.is_file() for part in several):
            return several
        return _matching(path) if has_wildcard(str(source)) else []
    except (OSError, ValueError, RuntimeError, NotImplementedError):
        return []


def has_wildcard(text: str) -> bool:
    """Whether a text can be a pattern for names.

    >>> has_wildcard("part-*.csv"), has_wildcard("part-1.csv")
    (True, False)
    """
    return any(character in text for character in "*?[")


def _matching(pattern: Path) -> list[Path]:
    folder = Path(pattern.anchor or ".")
    found = folder.glob(str(pattern.relative_to(pattern.anchor)))
    hidden = pattern.name.startswith(".")
    return sorted(path for path in found if path.is_file() and (hidden or not path.name.startswith(".")))


def joined(paths: Sequence[str | Path]) -> str:
    """One text for several paths, from which :func:`find_files` finds them again."""
    return os.pathsep.join(str(path) for path in paths)


def files_of(source: Any) -> list[Path]:
    """The files that :func:`chordlearn.read` would read; none for a bundled set or what is in memory.

    >>> files_of("heart"), files_of({"a": [1, 2]}), [path.name for path in files_of([__file__])]
    ([], [], ['origins.py'])
    """
    if isinstance(source, list | tuple):
        return [path for part in source for path in files_of(part)]
    if not isinstance(source, str | Path) or source in BUNDLED:
        return []
    return find_files(source)


def would_read(source: Any, path: str | os.PathLike[str]) -> bool:
    """Whether a new file at the path would belong to the source, because it fits its pattern.

    >>> would_read("parts/*.csv", "parts/new.csv"), would_read("*.csv", "elsewhere/new.csv")
    (True, False)
    """
    if isinstance(source, list | tuple):
        return any(would_read(part, path) for part in source)
    if not isinstance(source, str | Path) or not has_wildcard(str(source)) or Path(source).exists():
        return False
    pattern, target = Path(source).expanduser(), Path(path)
    if not fnmatch(target.name, pattern.name) or target.name.startswith(".") > pattern.name.startswith("."):
        return False
    folders = [pattern.parent]
    if has_wildcard(str(pattern.parent)):
        start = Path(pattern.anchor or ".")
        folders = list(start.glob(str(pattern.parent.relative_to(pattern.anchor))))
    return place_of(target.parent) in map(place_of, folders)


def refuse_replacing(path: str | os.PathLike[str], source: Any) -> None:
    """Refuse to write to a file that the source of the data is made of."""
    place = place_of(path)
    if not is_stream(path) and any(place_of(file) == place for file in files_of(source)):
        raise InputError(
            f"{os.fspath(path)} holds the data that this was learned from; write to another file."
        )
